# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of a run as the executable reads them: from QGIS's values to JSON."""

from __future__ import annotations

import difflib
import math
from typing import Any

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCsException,
    QgsExpression,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProperty,
    QgsReferencedGeometry,
    QgsReferencedPointXY,
    QgsReferencedRectangle,
    QgsVariantUtils,
)

from .description import Parameter, Tool
from .extents import CrsFinder
from .folders import with_folder
from .inputs.export_reasons import export_reason, raster_export_reason
from .inputs.layer_copy import LayerCopy
from .inputs.layers_of_file import with_layer_name
from .inputs.query_layers import file_sources_of
from .inputs.raster_copy import RasterCopy
from .inputs.sources import crs_text, folder_of, layer_name_in, layer_of, own_source, project_of, recorded_source
from .recorded_runs import copy_text
from .service_keys import public_source


def evaluated(tool: Tool, options: list[Parameter], parameters: dict[str, Any],
              context: QgsProcessingContext) -> dict[str, Any]:
    """The parameters with the values of properties and expressions in their place, and None for NULL, which QGIS takes
    for 0 otherwise. Files of several layers have the name of the one that fits, where that is one alone, choices given by
    their numbers are the choices, and geometries with a CRS are the extents and points with it that QGIS takes.

    An expression that cannot be evaluated stays, for a message; destinations are QGIS's to look at.
    """
    destinations = {parameter.name for parameter in tool.parameters if parameter.is_destination}
    values = {name: value if name in destinations else _value_of(value, context) for name, value in parameters.items()}
    values = {name: None if QgsVariantUtils.isNull(value) else value for name, value in values.items()}
    for parameter in (*tool.parameters, *options):
        if parameter.name in values:
            values[parameter.name] = _as_taken(parameter, values[parameter.name])
    return values


def _as_taken(parameter: Parameter, value: Any) -> Any:
    if parameter.is_layer:
        return with_layer_name(parameter, value)
    if _is_choice(parameter) and value not in (None, "") and not choice_problem(parameter, value):
        choices = _choices_of(parameter, value)
        return choices if parameter.multiple else choices[0]
    if isinstance(value, QgsReferencedGeometry) and parameter.kind == "extent":
        return QgsReferencedRectangle(value.boundingBox(), value.crs())
    if isinstance(value, QgsReferencedGeometry) and parameter.kind == "point" and not value.isEmpty():
        return QgsReferencedPointXY(value.centroid().asPoint(), value.crs())
    return value


def _value_of(value: Any, context: QgsProcessingContext) -> Any:
    kind = value.propertyType() if isinstance(value, QgsProperty) else None
    if kind == Qgis.PropertyType.Static:
        return value.staticValue()
    if kind != Qgis.PropertyType.Expression:
        return value
    expression = QgsExpression(value.expressionString())
    found = expression.evaluate(context.expressionContext())
    return value if expression.hasParserError() or expression.hasEvalError() else found


def number_of(value: Any) -> float | None:
    """None where the value is no number, such as “43,5”, which QGIS takes for 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def number_problem(parameter: Parameter, value: Any) -> str:
    """Why the value is none that the parameter takes, "" if it is one."""
    number, unit = number_of(value), f" {parameter.unit}" if parameter.unit else ""
    called = f"{parameter.label} ({parameter.name})"  # as dialogs show it, and as scripts do
    if number is None:
        return f"{called}: “{_as_written(value)}” is no number. Write one with a decimal point, such as 43.5."
    if parameter.integer and number != int(number):
        return f"{called}: {number:.10g} is no whole number."
    if parameter.minimum is not None and number < parameter.minimum:
        return f"{called}: {number:.10g} is below the least value, {parameter.minimum:.10g}{unit}."
    if parameter.maximum is not None and number > parameter.maximum:
        return f"{called}: {number:.10g} is above the greatest value, {parameter.maximum:.10g}{unit}."
    return ""


def truth_of(value: Any) -> bool | None:
    """None where the value is neither a number nor a word that QGIS knows: it takes all others for true, “no” too."""
    number = number_of(value)
    return {"true": True, "false": False}.get(str(value).lower()) if number is None else bool(number)


def truth_problem(parameter: Parameter, value: Any) -> str:
    """Why the value is neither true nor false, "" if it is one."""
    if truth_of(value) is not None:
        return ""
    return f"{parameter.label} ({parameter.name}): “{_as_written(value)}” is neither true nor false."


def _is_choice(parameter: Parameter) -> bool:
    return parameter.kind == "enum" and not parameter.other_texts


def _parts_of(parameter: Parameter, value: Any) -> list[Any]:
    """What is to be a choice each; of several as QGIS takes them, a list or a text with commas."""
    if isinstance(value, (list, tuple)):
        return list(value)
    return value.split(",") if parameter.multiple and isinstance(value, str) else [value]


def _choice_of(parameter: Parameter, part: Any) -> str | None:
    """By its name, or by its number, as the lists of models and qgis_process give it; None where it is neither."""
    if isinstance(part, str) and part.strip() in parameter.choices:
        return part.strip()
    number = None if isinstance(part, bool) else number_of(part)
    is_index = number is not None and number in range(len(parameter.choices))
    return parameter.choices[int(number)] if is_index else None


def _choices_of(parameter: Parameter, value: Any) -> list[str | None]:
    return [_choice_of(parameter, part) for part in _parts_of(parameter, value)]


def choice_problem(parameter: Parameter, value: Any) -> str:
    """Why the value is no choice of the parameter, or one of several is none, "" if all are. QGIS takes the default for
    what is none, without a word."""
    called, listed = f"{parameter.label} ({parameter.name})", ", ".join(parameter.choices)
    parts = _parts_of(parameter, value)
    if not parts or len(parts) > 1 and not parameter.multiple:
        return f"{called}: choose {'some' if parameter.multiple else 'one alone'} of {listed}."
    wrong = [part for part in parts if _choice_of(parameter, part) is None]
    if not wrong:
        return ""
    near = difflib.get_close_matches(str(wrong[0]).strip().lower(), parameter.choices, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{called}: “{_as_written(wrong[0])}” is not one of {listed}.{hint}"


def plain_problem(parameter: Parameter, value: Any) -> str:
    """Why the value is no number, truth or choice that the parameter takes; "" if it is one, and for other kinds."""
    if parameter.kind in ("number", "distance"):
        return number_problem(parameter, value)
    if parameter.kind == "boolean":
        return truth_problem(parameter, value)
    return choice_problem(parameter, value) if _is_choice(parameter) else ""


def is_given(parameters: dict[str, Any], name: str) -> bool:
    value = parameters.get(name)
    return value is not None and value != ""


class InputValues:
    """Takes from layers what a run needs, in the thread that they belong to (when made), and copies them in the run's
    (`as_json`). A layer may leave the project in between, and while it is copied."""

    def __init__(self, algorithm: QgsProcessingAlgorithm, tool: Tool, parameters: dict[str, Any],
                 context: QgsProcessingContext) -> None:
        self._algorithm, self._tool, self._values = algorithm, tool, parameters
        self._inputs = [parameter for parameter in tool.parameters
                        if not parameter.is_destination and is_given(parameters, parameter.name)]
        # By the name of a parameter: what the executable opens where it is, what is copied, and of that the folder.
        self._sources: dict[str, str] = {}
        self._copies: dict[str, LayerCopy | RasterCopy] = {}
        self._folders: dict[str, str] = {}
        self._origins: dict[str, dict[str, Any]] = {}
        finder = CrsFinder(algorithm, tool, parameters, context)
        for parameter in self._inputs:
            if parameter.is_layer:
                self._take_layer(parameter, context)
            elif parameter.kind == "raster":
                self._take_raster(parameter, finder, context)
        self._places = {parameter.name: _place_text(finder, parameter) for parameter in self._inputs
                        if parameter.kind in ("extent", "point")}
        # The vector layers as the executable calls them.
        self.layer_names: set[str] = set()
        # What stands for a layer in a message, and what it was copied from: its copy's path → its name, its sources.
        self.copies: dict[str, str] = {}
        self.origins: dict[str, dict[str, Any]] = {}

    def _take_layer(self, parameter: Parameter, context: QgsProcessingContext) -> None:
        layer, value = layer_of(self._algorithm, parameter, self._values, context), self._values[parameter.name]
        if layer is None:
            raise QgsProcessingException(self._algorithm.invalidSourceError(self._values, parameter.name))
        reason = export_reason(layer, value)
        if not reason:
            self._sources[parameter.name] = own_source(layer)
            return
        self._copies[parameter.name] = LayerCopy(parameter, layer, value, reason, context)
        self._folders[parameter.name] = folder_of(layer)
        self._origins[parameter.name] = _origin_of(layer.name(), recorded_source(layer),
                                                   file_sources_of(layer, project_of(context)))

    def _take_raster(self, parameter: Parameter, finder: CrsFinder, context: QgsProcessingContext) -> None:
        layer = self._algorithm.parameterAsRasterLayer(self._values, parameter.name, context)
        if layer is None:
            raise QgsProcessingException(self._algorithm.invalidRasterError(self._values, parameter.name))
        reason = raster_export_reason(layer)
        if not reason:
            self._sources[parameter.name] = layer.source()
            return
        self._copies[parameter.name] = RasterCopy(parameter, layer, reason, self._area(finder), context)
        self._origins[parameter.name] = _origin_of(layer.name(), public_source(layer),
                                                   [layer.source()] if layer.providerType() == "gdal" else [])

    def _area(self, finder: CrsFinder) -> QgsReferencedRectangle | None:
        """The extent of the run, beyond the surroundings of which it needs no raster."""
        extent = next((parameter for parameter in self._inputs if parameter.kind == "extent"), None)
        return finder.area_in_metres(extent) if extent and not finder.place_problem(extent) else None

    def as_json(self, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> dict[str, Any]:
        """Name → value of every input that is given. Throws QgsProcessingException."""
        result: dict[str, Any] = {}
        for parameter in self._inputs:
            if parameter.name in self._places:
                result[parameter.name] = self._places[parameter.name]
            elif parameter.name in self._copies:
                result[parameter.name] = self._copy(parameter.name, context, feedback)
            elif parameter.name in self._sources:
                result[parameter.name] = self._sources[parameter.name]
            else:
                value = plain_value(self._algorithm, parameter, self._values, context)
                result[parameter.name] = self._field_in_copy(parameter, value) if parameter.kind == "field" else value
        for parameter in self._tool.parameters:
            if parameter.folder_of in self._folders:  # where files lie that an input that is copied names
                result[parameter.name] = with_folder(result.get(parameter.name) or "", self._folders[parameter.folder_of])
        self.layer_names = {layer_name_in(result[parameter.name]) for parameter in self._inputs if parameter.is_layer}
        return {name: value for name, value in result.items() if value is not None and value != ""}

    def _field_in_copy(self, parameter: Parameter, name: Any) -> Any:
        """What a field is called where it is read."""
        copy = self._copies.get(parameter.parent or "")
        return copy.fields.names.get(name, name) if copy else name

    def _copy(self, name: str, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        copy = self._copies[name]
        source = copy.made(context, feedback)
        path = source.split("|")[0]
        self.copies[path] = f"“{copy.name}”"
        self.origins[path] = self._origins[name]
        return source


def _origin_of(name: str, source: str, sources: list[str]) -> dict[str, Any]:
    """What a copy is made from, as a run records it and issues call it. sources: the files, which no output may replace."""
    return {"description": copy_text(name, source), "sources": sources, "name": name}


def _place_text(finder: CrsFinder, parameter: Parameter) -> str:
    """Of an extent or a point. Throws QgsProcessingException."""
    problem = finder.place_problem(parameter)
    if problem:
        raise QgsProcessingException(problem)
    try:
        return finder.extent_text(parameter) if parameter.kind == "extent" else finder.point_text(parameter)
    except QgsCsException as problem:
        raise QgsProcessingException(f"{parameter.label}: it does not lie where work is done ({problem}).") from None


def plain_value(algorithm: QgsProcessingAlgorithm, parameter: Parameter, parameters: dict[str, Any],
                context: QgsProcessingContext) -> Any:
    """The value of a parameter that is neither layer, raster, extent nor point; None where it says nothing."""
    name, kind = parameter.name, parameter.kind
    problem = plain_problem(parameter, parameters[name])
    if problem:
        raise QgsProcessingException(problem)
    if kind in ("number", "distance"):
        return algorithm.parameterAsInt(parameters, name, context) if parameter.integer \
            else algorithm.parameterAsDouble(parameters, name, context)
    if kind == "boolean":
        return truth_of(parameters[name])
    if _is_choice(parameter):
        choices = _choices_of(parameter, parameters[name])
        return choices if parameter.multiple else choices[0]
    if kind == "crs":
        crs = algorithm.parameterAsCrs(parameters, name, context)
        if not crs.isValid() and isinstance(parameters[name], QgsCoordinateReferenceSystem):
            return None  # how scripts say that there is none
        if not crs.isValid():
            raise QgsProcessingException(f"{parameter.label}: “{_as_written(parameters[name])}” is no CRS that QGIS "
                                         "knows. Give its code, such as EPSG:25832.")
        return crs_text(crs)
    if kind == "file":
        return algorithm.parameterAsFile(parameters, name, context)
    return algorithm.parameterAsString(parameters, name, context)


def _as_written(value: Any) -> str:
    return value.expressionString() if isinstance(value, QgsProperty) else str(value)


def option_words(algorithm: QgsProcessingAlgorithm, options: list[Parameter], parameters: dict[str, Any],
                 context: QgsProcessingContext) -> list[str]:
    """The options of the run as words of the command line, as far as they are given."""
    words: list[str] = []
    for option in options:
        if not is_given(parameters, option.name):
            continue
        value = plain_value(algorithm, option, parameters, context)
        if option.kind == "boolean":
            words += [option.option] if value else []
        else:
            words += [option.option, str(value)]
    return words
