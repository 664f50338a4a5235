#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the models that the plugin ships (qgis_plugin/tesseray/models), and the styles of the layers they make.

Usage: write_models.py      (Debian's Python with QGIS; TESSERAY_EXECUTABLE: default build/bin/tesseray)

A model is declared here as its inputs, its steps and its outputs. Inputs are those of the tools, with their labels,
ranges and help; run this again when they have changed. tests/qgis/test_models.py makes the models anew and compares.
"""
from __future__ import annotations

import os
import pathlib
import sys
from dataclasses import dataclass
from typing import Any

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SHIPPED = SOURCE / "qgis_plugin" / "tesseray" / "models"
sys.path.insert(0, str(SOURCE / "tests" / "qgis"))
os.environ["QT_HASH_SEED"] = "0"  # Qt 5 writes attributes of XML in the order of a hash: the same in every run

import qgis_harness  # noqa: E402, it prepares the environment that QGIS starts in

from qgis.core import (  # noqa: E402
    Qgis,
    QgsApplication,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildDependency,
    QgsProcessingModelChildParameterSource,
    QgsProcessingModelOutput,
    QgsProcessingModelParameter,
    QgsProcessingParameterDefinition,
)
from qgis.PyQt.QtCore import QPointF  # noqa: E402
from tesseray import executable  # noqa: E402
from tesseray.algorithm import OVERWRITE  # noqa: E402
from tesseray.wording import Wording  # noqa: E402


@dataclass(frozen=True)
class Input:
    """A value of the model's own."""

    name: str


@dataclass(frozen=True)
class Of:
    """An output of an earlier step."""

    step: str
    output: str = "OUTPUT"


@dataclass(frozen=True)
class Expression:
    text: str


class Model:
    """A model under construction; steps are laid out in the designer from left to right."""

    def __init__(self, name: str, text: str) -> None:
        self.algorithm = QgsProcessingModelAlgorithm(name, "Models", "models")
        # What the dialog shows beside the inputs; a model file keeps no help of its inputs themselves.
        self._help = {"ALG_DESC": text, "ALG_CREATOR": "Tesseray"}
        self._help_of_outputs: dict[str, str] = {}  # by what the model calls each
        self._inputs: list[str] = []
        self._steps = 0
        self._read: set[Of] = set()  # by later steps

    def _input(self, definition: QgsProcessingParameterDefinition, words: str) -> None:
        self._help[definition.name()] = words
        component = QgsProcessingModelParameter(definition.name())
        column, row = len(self._inputs) % 8, len(self._inputs) // 8
        component.setPosition(QPointF(150 + 230 * column, 60 + 70 * row))
        self._inputs.append(definition.name())
        self.algorithm.addModelParameter(definition, component)

    def inputs_of(self, tool: str, *names: str, required: tuple[str, ...] = (), suffix: str = "",
                  label: str = "", without: dict[str, tuple[str, ...]] | None = None) -> None:
        """Inputs as a tool declares them. required: those that the tool could do without. label: "A: {}".

        without: by the name of an input, the choices that mean nothing to the model.
        """
        for name in names:
            definition = _algorithm(tool).parameterDefinition(name).clone()
            definition.setName(name + suffix)
            left_out = (without or {}).get(name)
            if left_out:
                definition.setOptions([option for option in definition.options() if option not in left_out])
            if label:
                definition.setDescription(label.format(definition.description()))
            flags = definition.flags() & ~Qgis.ProcessingParameterFlag.Advanced
            if name in required:
                flags &= ~Qgis.ProcessingParameterFlag.Optional
            definition.setFlags(flags)
            self._input(definition, _wording(tool).of_dialog(definition.help()))

    def step(self, name: str, tool: str, title: str, outputs: dict[str, str] | None = None, words: str = "",
             **values: Any) -> None:
        """values: by the tool's parameter. outputs: by the tool's output, what the model calls it. words: what there is
        to say of them, where the tool's own help says nothing about the model."""
        child = QgsProcessingModelChildAlgorithm(_algorithm(tool).id())
        child.setChildId(name)
        child.setDescription(title)
        if ":" not in tool:
            values[OVERWRITE] = Input(OVERWRITE)
        for parameter, value in values.items():
            parts = value if isinstance(value, tuple) else (value,)
            child.addParameterSources(parameter, [_source(part) for part in parts])
            self._read |= {part for part in parts if isinstance(part, Of)}
        made = {}
        for output, called in (outputs or {}).items():
            result = QgsProcessingModelOutput(called, called)
            result.setChildId(name)
            result.setChildOutputName(output)
            result.setPosition(QPointF(400 + 260 * self._steps, 640 + 60 * len(made)))
            made[called] = result
            self._help_of_outputs[called] = words or _help_of_output(tool, output)
        child.setModelOutputs(made)
        self._place(child)

    def styled(self, step: str, style: str) -> None:
        """The layer of a step drawn by a QML file beside the model; without one where the model was copied alone."""
        file = f"@model_folder || '/{style}'"
        asked = QgsProcessingModelChildAlgorithm("native:condition")
        asked.setChildId(f"{step}_style_is_there")
        asked.setDescription("Is the style beside the model?")
        asked.setConfiguration({"conditions": [{"name": "yes", "expression": f"file_exists({file})"}]})
        self._place(asked)
        self.step(f"{step}_styled", "native:setlayerstyle", "Draw it", INPUT=Of(step), STYLE=Expression(file))
        self.algorithm.childAlgorithm(f"{step}_styled").setDependencies(
            [QgsProcessingModelChildDependency(asked.childId(), "yes")])

    def _place(self, child: QgsProcessingModelChildAlgorithm) -> None:
        child.setPosition(QPointF(400 + 260 * self._steps, 480))
        self._steps += 1
        self.algorithm.addChildAlgorithm(child)

    def finished(self) -> QgsProcessingModelAlgorithm:
        self.inputs_of("tileenvironment", OVERWRITE)
        self._make_mandatory_what_is_read()
        self.algorithm.setParameterOrder(self._inputs)
        self.algorithm.updateDestinationParameters()
        # What the parameters of outputs are called is QGIS's choice.
        outputs = {definition.name(): self._help_of_outputs[definition.description()]
                   for definition in self.algorithm.destinationParameterDefinitions()}
        self.algorithm.setHelpContent({**self._help, **outputs})
        return self.algorithm

    def _make_mandatory_what_is_read(self) -> None:
        """Outputs without which a later step has no input."""
        for of in self._read:
            child = self.algorithm.childAlgorithm(of.step)
            outputs = child.modelOutputs()
            for output in outputs.values():
                if output.childOutputName() == of.output:
                    output.setMandatory(True)
            child.setModelOutputs(outputs)


def _algorithm(tool: str):
    found = QgsApplication.processingRegistry().algorithmById(tool if ":" in tool else f"tesseray:{tool}")
    if found is None:
        sys.exit(f"QGIS has no algorithm {tool}")
    return found


def _wording(tool: str) -> Wording:
    described = executable.snapshot()
    return Wording(next(one for one in described.tools if one.id == tool), described)


def _help_of_output(tool: str, output: str) -> str:
    return _wording(tool).of_dialog(_algorithm(tool).parameterDefinition(output).help())


def _source(value: Any) -> QgsProcessingModelChildParameterSource:
    if isinstance(value, Input):
        return QgsProcessingModelChildParameterSource.fromModelParameter(value.name)
    if isinstance(value, Of):
        return QgsProcessingModelChildParameterSource.fromChildOutput(value.step, value.output)
    if isinstance(value, Expression):
        return QgsProcessingModelChildParameterSource.fromExpression(value.text)
    return QgsProcessingModelChildParameterSource.fromStaticValue(value)


ENVIRONMENT_INPUTS = ("BUILDINGS", "HEIGHT_FIELD", "BASE_FIELD", "MATERIAL_FIELD", "DEM", "VEGETATION",
                      "VEGETATION_HEIGHT_FIELD", "EXTENT", "TILE_AREA")
DRIVE_TEST_INPUTS = ("DRIVE_TEST", "VALUE_FIELD", "VALUE_KIND", "TRANSMITTER_FIELD", "CENSOR_BELOW")


def same(*names: str) -> dict[str, Input]:
    """Parameters of a step that are the model's inputs of the same names."""
    return {name: Input(name) for name in names}


def coverage_study() -> Model:
    model = Model("Coverage study with drive test",
                  "From buildings to a prediction and its errors, stage by stage: the surfaces of the town as tiles, "
                  "who sees whom, path loss, comparison with a drive test. Each stage is a step that can be changed, "
                  "replaced or taken out in the model designer.")
    prediction = ("TRANSMITTERS", "TRANSMITTERS_CRS", "RECEIVER_HEIGHT", "MAX_BOUNCES")
    model.inputs_of("tileenvironment", *ENVIRONMENT_INPUTS)
    model.inputs_of("predictcoverage", *prediction)
    model.inputs_of("comparewithdrivetest", *DRIVE_TEST_INPUTS)
    model.step("tile", "tileenvironment", "Tile environment", {"TILES": "Tiles", "ISSUES": "Issues"},
               **same(*ENVIRONMENT_INPUTS))
    model.step("visibility", "computevisibility", "Compute visibility", ENVIRONMENT=Of("tile", "ENVIRONMENT"))
    model.step("predict", "predictcoverage", "Predict coverage", {"PATH_LOSS": "Path loss"},
               ENVIRONMENT=Of("tile", "ENVIRONMENT"), VISIBILITY=Of("visibility", "VISIBILITY"), **same(*prediction))
    model.step("compare", "comparewithdrivetest", "Compare with drive test",
               {"PREDICTION_ERROR": "Prediction error", "ERROR_STATISTICS": "Error statistics", "REPORT": "Report"},
               PATH_LOSS=Of("predict", "PATH_LOSS"), **same(*DRIVE_TEST_INPUTS))
    return model


# Types of fields as QMetaType numbers them, and as providers name them.
BOOLEAN, INTEGER, REAL, TEXT = 1, 4, 6, 10
_TYPE_NAMES = {BOOLEAN: "boolean", INTEGER: "int8", REAL: "double precision", TEXT: "text"}


def _field(name: str, kind: int) -> dict[str, Any]:
    return {"name": name, "type": kind, "type_name": _TYPE_NAMES[kind], "length": 0, "precision": 0, "sub_type": 0}


def _mapping(*fields: tuple[str, int, str]) -> list[dict[str, Any]]:
    """Fields for native:refactorfields: name, type, expression."""
    return [{**_field(name, kind), "expression": expression, "alias": "", "comment": ""}
            for name, kind, expression in fields]


def _aggregates(*fields: tuple[str, int, str, str]) -> list[dict[str, Any]]:
    """Fields for native:aggregate: name, type, aggregate, what of."""
    return [{**_field(name, kind), "aggregate": aggregate, "input": what, "delimiter": ","}
            for name, kind, aggregate, what in fields]


def _summarize(model: Model, step: str, called: str, words: str, *fields: tuple[str, int, str, str]) -> None:
    """A table of a step's rows per transmitter and line of sight. words: what there is to say of it."""
    model.step("summary", "native:aggregate", "Per transmitter and line of sight", INPUT=Of(step),
               GROUP_BY="array(\"transmitter_id\", \"line_of_sight\")",
               AGGREGATES=_aggregates(("transmitter_id", INTEGER, "first_value", "\"transmitter_id\""),
                                      ("line_of_sight", BOOLEAN, "first_value", "\"line_of_sight\""), *fields))
    # All points of a group as one geometry would lie on the map, over those of the step.
    model.step("table", "native:dropgeometries", "As a table", {"OUTPUT": called}, words, INPUT=Of("summary"))


def two_settings() -> Model:
    model = Model("Two settings against one drive test",
                  "Predicts the same town with two settings, A and B, and says which of them is nearer to the drive "
                  "test, and where. Measurements that both predict are compared; gain_db is |error of A| − |error of "
                  "B|: positive where B is nearer.")
    settings = ("MAX_BOUNCES", "MAX_DIFFRACTIONS", "SCATTERING_COEFFICIENT", "PERMITTIVITY", "SUMMATION")
    common = ("TRANSMITTERS", "TRANSMITTERS_CRS", "RECEIVER_HEIGHT")
    model.inputs_of("tileenvironment", *ENVIRONMENT_INPUTS)
    model.inputs_of("predictcoverage", *common)
    # Errors of delays are in other columns than those of powers.
    model.inputs_of("comparewithdrivetest", *DRIVE_TEST_INPUTS,
                    without={"VALUE_KIND": ("time_of_arrival", "timing_advance")})
    for which in "AB":
        model.inputs_of("predictcoverage", *settings, suffix=f"_{which}", label=f"{which}: {{}}")
    model.step("tile", "tileenvironment", "Tile environment", **same(*ENVIRONMENT_INPUTS))
    model.step("visibility", "computevisibility", "Compute visibility", ENVIRONMENT=Of("tile", "ENVIRONMENT"))
    for which in "AB":
        model.step(f"predict_{which}", "predictcoverage", f"Predict with {which}",
                   ENVIRONMENT=Of("tile", "ENVIRONMENT"), VISIBILITY=Of("visibility", "VISIBILITY"),
                   **same(*common), **{name: Input(f"{name}_{which}") for name in settings})
        model.step(f"compare_{which}", "comparewithdrivetest", f"Compare {which}",
                   {"PREDICTION_ERROR": f"Prediction error of {which}",
                    "ERROR_STATISTICS": f"Error statistics of {which}"},
                   PATH_LOSS=Of(f"predict_{which}", "PATH_LOSS"), **same(*DRIVE_TEST_INPUTS))
    model.step("join", "native:joinattributestable", "Both errors at each measurement",
               INPUT=Of("compare_A", "PREDICTION_ERROR"), FIELD="measurement_id",
               INPUT_2=Of("compare_B", "PREDICTION_ERROR"), FIELD_2="measurement_id",
               FIELDS_TO_COPY=["predicted_db", "error_db"], METHOD=1, PREFIX="b_", DISCARD_NONMATCHING=False)
    model.step("both", "native:extractbyexpression", "Those that both predict", INPUT=Of("join"),
               EXPRESSION="\"error_db\" IS NOT NULL AND \"b_error_db\" IS NOT NULL")
    gain = "abs(\"error_db\") - abs(\"b_error_db\")"
    model.step("nearer", "native:refactorfields", "Which is nearer", {"OUTPUT": "Which is nearer"},
               "A point per measurement that both predict: both predictions and their errors, gain_db, and which of "
               "them is nearer (A, B or equal); drawn in purple where A is nearer, in orange where B is.",
               INPUT=Of("both"), FIELDS_MAPPING=_mapping(
                   ("transmitter_id", INTEGER, "\"transmitter_id\""), ("measurement_id", INTEGER, "\"measurement_id\""),
                   ("measured_db", REAL, "\"measured_db\""), ("predicted_a_db", REAL, "\"predicted_db\""),
                   ("predicted_b_db", REAL, "\"b_predicted_db\""), ("error_a_db", REAL, "\"error_db\""),
                   ("error_b_db", REAL, "\"b_error_db\""), ("gain_db", REAL, gain),
                   ("nearer", TEXT, f"CASE WHEN {gain} > 0 THEN 'B' WHEN {gain} < 0 THEN 'A' ELSE 'equal' END"),
                   ("distance_m", REAL, "\"distance_m\""), ("line_of_sight", BOOLEAN, "\"line_of_sight\"")))
    model.styled("nearer", "which_is_nearer.qml")
    percent = "100.0 * (\"nearer\" = '{}')"
    _summarize(model, "nearer", "Nearer per transmitter and line of sight",
               "How many percent of the measurements each setting is nearer at, the mean gain, and the mean absolute "
               "errors of both.",
               ("n", INTEGER, "count", "\"measurement_id\""),
               ("a_nearer_percent", REAL, "mean", percent.format("A")),
               ("b_nearer_percent", REAL, "mean", percent.format("B")),
               ("mean_gain_db", REAL, "mean", "\"gain_db\""),
               ("mae_a_db", REAL, "mean", "abs(\"error_a_db\")"),
               ("mae_b_db", REAL, "mean", "abs(\"error_b_db\")"))
    return model


def launching_against_exact() -> Model:
    model = Model("Ray launching against exact rays",
                  "Predicts receiver points by ray launching and by exact rays, with the same limits and without what "
                  "only ray launching has (diffuse scattering, rays over the roofs), and says how far apart they are. "
                  "difference_db is the power of ray launching over that of exact rays. Exact rays take long: give "
                  "some tens of points, and a greatest length that they can do with.")
    common = ("TRANSMITTERS", "TRANSMITTERS_CRS", "RECEIVERS", "RECEIVERS_CRS", "RECEIVER_HEIGHT", "SUMMATION")
    limits = ("MAX_REFLECTIONS", "MAX_DIFFRACTIONS", "MAX_REFLECTIONS_WITH_DIFFRACTIONS")
    model.inputs_of("tileenvironment", *ENVIRONMENT_INPUTS)
    model.inputs_of("predictcoverage", *common, required=("RECEIVERS",))
    model.inputs_of("traceimage", *limits, "MAX_LENGTH")
    model.step("tile", "tileenvironment", "Tile environment", **same(*ENVIRONMENT_INPUTS))
    model.step("visibility", "computevisibility", "Compute visibility", ENVIRONMENT=Of("tile", "ENVIRONMENT"))
    model.step("launch", "predictcoverage", "Ray launching", ENVIRONMENT=Of("tile", "ENVIRONMENT"),
               VISIBILITY=Of("visibility", "VISIBILITY"), MAX_SCATTERINGS=0, OVER_ROOFTOP="none", MIN_POWER=-300,
               MAX_BOUNCES=Expression("max(@MAX_REFLECTIONS, @MAX_DIFFRACTIONS, @MAX_REFLECTIONS_WITH_DIFFRACTIONS)"),
               **same(*common, *limits))
    model.step("trace", "traceimage", "Exact rays", {"RAYS": "Exact rays"}, ENVIRONMENT=Of("tile", "ENVIRONMENT"),
               **same(*common, *limits, "MAX_LENGTH"))
    for which in ("launch", "trace"):
        model.step(f"pairs_{which}", "native:fieldcalculator", "Number the pairs of transmitter and receiver",
                   INPUT=Of(which, "RECEIVER_PATH_LOSS"), FIELD_NAME="pair", FIELD_TYPE=2, FIELD_LENGTH=0,
                   FIELD_PRECISION=0, FORMULA="\"transmitter_id\" || ' ' || \"receiver_id\"")
    model.step("join", "native:joinattributestable", "Both at each receiver", INPUT=Of("pairs_launch"), FIELD="pair",
               INPUT_2=Of("pairs_trace"), FIELD_2="pair",
               # In the order of the layer: QGIS gives the names of any other order to the values of this one.
               FIELDS_TO_COPY=["received_power_dbm", "line_of_sight", "ray_count"], METHOD=1, PREFIX="exact_",
               DISCARD_NONMATCHING=False)
    launched, exact = "\"received_power_dbm\"", "\"exact_received_power_dbm\""
    model.step("difference", "native:refactorfields", "How far apart",
               {"OUTPUT": "Ray launching against exact rays"},
               "A point per transmitter and receiver: both powers, difference_db, how many rays either has, and which of "
               "them reaches the point; drawn in purple where ray launching is too weak, in orange where it is too "
               "strong.", INPUT=Of("join"),
               FIELDS_MAPPING=_mapping(
                   ("transmitter_id", INTEGER, "\"transmitter_id\""), ("receiver_id", INTEGER, "\"receiver_id\""),
                   ("line_of_sight", BOOLEAN, "\"exact_line_of_sight\""), ("launched_dbm", REAL, launched),
                   ("exact_dbm", REAL, exact), ("difference_db", REAL, f"{launched} - {exact}"),
                   ("launched_rays", INTEGER, "\"ray_count\""), ("exact_rays", INTEGER, "\"exact_ray_count\""),
                   ("reached_by", TEXT, f"CASE WHEN {launched} IS NULL AND {exact} IS NULL THEN 'none' "
                                        f"WHEN {launched} IS NULL THEN 'exact rays' "
                                        f"WHEN {exact} IS NULL THEN 'ray launching' ELSE 'both' END")))
    model.styled("difference", "ray_launching_against_exact_rays.qml")
    _summarize(model, "difference", "Difference per transmitter and line of sight",
               "Number, mean, median and standard deviation of the differences, and how many points only one of the "
               "two reaches.",
               ("n", INTEGER, "count", "\"difference_db\""),
               ("mean_difference_db", REAL, "mean", "\"difference_db\""),
               ("median_difference_db", REAL, "median", "\"difference_db\""),
               ("deviation_db", REAL, "stdev", "\"difference_db\""),
               ("only_exact", INTEGER, "sum", "to_int(\"reached_by\" = 'exact rays')"),
               ("only_launched", INTEGER, "sum", "to_int(\"reached_by\" = 'ray launching')"))
    return model


# ColorBrewer's PuOr, told apart with every kind of colour blindness.
PURPLE_TO_ORANGE = ("#542788", "#8073ac", "#b2abd2", "#d8daeb", "#f7f7f7", "#fee0b6", "#fdb863", "#e08214", "#b35806")


def _graduated_qml(field: str, breaks: tuple[float, ...], colors: tuple[str, ...], labels: list[str],
                   options: dict[str, str]) -> str:
    """A style of points with classes between breaks, the outer ones included."""

    def drawn(number: int, color: str) -> str:
        values = {"color": color, **options}
        words = "".join(f'<Option type="QString" name="{name}" value="{value}"/>' for name, value in values.items())
        return (f'<symbol type="marker" name="{number}" alpha="1"><layer class="SimpleMarker" enabled="1">'
                f'<Option type="Map">{words}</Option></layer></symbol>\n')

    ranges = "".join(f'<range symbol="{i}" lower="{low:g}" upper="{high:g}" label="{label}" render="true"/>\n'
                     for i, (low, high, label) in enumerate(zip(breaks[:-1], breaks[1:], labels, strict=True)))
    symbols = "".join(drawn(i, color) for i, color in enumerate(colors))
    return (f'<!DOCTYPE qgis>\n<qgis version="3.40.0" styleCategories="Symbology">\n<renderer-v2 '
            f'type="graduatedSymbol" graduatedMethod="GraduatedColor" attr="{field}">\n<ranges>\n{ranges}</ranges>\n'
            f'<symbols>\n{symbols}</symbols>\n</renderer-v2>\n<layerGeometryType>0</layerGeometryType>\n'
            '</qgis>\n')


def styles() -> dict[str, str]:
    """The styles of the models' own layers, by the name of the file that ships each."""
    breaks = (-1000000, -10, -6, -3, -1, 1, 3, 6, 10, 1000000)
    drawing = {"name": "circle", "size": "2.2", "outline_color": "60,60,60,255", "outline_width": "0.1"}

    def labels(low: str, high: str) -> list[str]:
        """low, high: what stands before "by …" on either side of the middle class."""
        return ([f"{low} by more than 10 dB"] + [f"{low} by {-b} to {-a} dB" for a, b in zip(breaks[1:4], breaks[2:5])]
                + ["within 1 dB"] + [f"{high} by {a} to {b} dB" for a, b in zip(breaks[5:8], breaks[6:9])]
                + [f"{high} by more than 10 dB"])

    return {"which_is_nearer.qml": _graduated_qml("gain_db", breaks, PURPLE_TO_ORANGE, labels("A nearer", "B nearer"),
                                                  drawing),
            "ray_launching_against_exact_rays.qml": _graduated_qml(
                "difference_db", breaks, PURPLE_TO_ORANGE, labels("launched weaker", "launched stronger"), drawing)}


MODELS = {"coverage_study_with_drive_test.model3": coverage_study,
          "two_settings_against_one_drive_test.model3": two_settings,
          "ray_launching_against_exact_rays.model3": launching_against_exact}


def models() -> dict[str, QgsProcessingModelAlgorithm]:
    """The models by the name of the file that ships each. Needs a QGIS with Tesseray's provider."""
    return {name: make().finished() for name, make in MODELS.items()}


def main() -> None:
    qgis_harness.start_qgis()
    for name, model in models().items():
        if not model.toFile(str(SHIPPED / name)):
            sys.exit(f"{SHIPPED / name} cannot be written")
        print(SHIPPED / name)
    for name, qml in styles().items():
        (SHIPPED / name).write_text(qml, encoding="utf-8")
        print(SHIPPED / name)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
