# SPDX-License-Identifier: GPL-3.0-or-later
"""From the executable's declarations to QGIS's parameter definitions."""

from __future__ import annotations

from typing import Callable

from qgis.core import (
    Qgis,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterExtent,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterFile,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterNumber,
    QgsProcessingParameterPoint,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
)

from .description import Output, Parameter, Tool

# A table is a source without geometry; any layer may be one, since results can be written without geometry.
SOURCE_TYPES = {
    "vector polygon": Qgis.ProcessingSourceType.VectorPolygon,
    "vector point": Qgis.ProcessingSourceType.VectorPoint,
    "vector any": Qgis.ProcessingSourceType.Vector,
    "table": Qgis.ProcessingSourceType.Vector,
}
SINK_TYPES = {
    "Polygon": Qgis.ProcessingSourceType.VectorPolygon,
    "LineString": Qgis.ProcessingSourceType.VectorLine,
    "Point": Qgis.ProcessingSourceType.VectorPoint,
    "None": Qgis.ProcessingSourceType.Vector,
}
FILE_FILTERS = {"gpkg": "GeoPackage", "tvis": "Tesseray visibility", "tscene": "Tesseray scene", "tif": "GeoTIFF",
                "csv": "CSV table", "html": "HTML page"}
ANY_FILE = "All files (*)"


def label_of(parameter: Parameter) -> str:
    """The label with its unit: "Tile area [m²]"."""
    return f"{parameter.label} [{parameter.unit}]" if parameter.unit else parameter.label


def file_filter(extension: str | None) -> str:
    """As a file dialog takes it."""
    if not extension:
        return ANY_FILE
    name = FILE_FILTERS.get(extension, extension.upper())
    return f"{name} (*.{extension})"


def _number(parameter: Parameter) -> QgsProcessingParameterNumber:
    kind = Qgis.ProcessingNumberParameterType.Integer if parameter.integer \
        else Qgis.ProcessingNumberParameterType.Double
    definition = QgsProcessingParameterNumber(parameter.name, label_of(parameter), kind)
    # The spin box shows six decimals otherwise; fractions of one may need them.
    if parameter.default is None or parameter.default == 0 or abs(parameter.default) >= 1:
        definition.setMetadata({"widget_wrapper": {"decimals": 3}})
    return definition


def _enum(parameter: Parameter) -> QgsProcessingParameterDefinition:
    if parameter.other_texts:
        definition = QgsProcessingParameterString(parameter.name, label_of(parameter))
        # By its name: programs without windows have no such widget.
        definition.setMetadata({"widget_wrapper": {"class": f"{__package__}.editable_choice.EditableChoice",
                                                   "choices": parameter.choices}})
        return definition
    return QgsProcessingParameterEnum(parameter.name, label_of(parameter), parameter.choices, parameter.multiple,
                                      usesStaticStrings=True)


def _source(parameter: Parameter) -> QgsProcessingParameterFeatureSource:
    return QgsProcessingParameterFeatureSource(parameter.name, label_of(parameter), [SOURCE_TYPES[parameter.kind]])


def _field(parameter: Parameter) -> QgsProcessingParameterField:
    return QgsProcessingParameterField(parameter.name, label_of(parameter), None, parameter.parent or "",
                                       Qgis.ProcessingFieldParameterDataType.Any)


def _file(parameter: Parameter) -> QgsProcessingParameterFile:
    return QgsProcessingParameterFile(parameter.name, label_of(parameter),
                                      fileFilter=f"{file_filter(parameter.extension)};;{ANY_FILE}"
                                      if parameter.extension else ANY_FILE)


def _text(parameter: Parameter) -> QgsProcessingParameterDefinition:
    if parameter.folder_of:
        return QgsProcessingParameterFile(parameter.name, label_of(parameter),
                                          Qgis.ProcessingFileParameterBehavior.Folder)
    return QgsProcessingParameterString(parameter.name, label_of(parameter))


_MAKERS: dict[str, Callable[[Parameter], QgsProcessingParameterDefinition]] = {
    "vector polygon": _source,
    "vector point": _source,
    "vector any": _source,
    "table": _source,
    "raster": lambda p: QgsProcessingParameterRasterLayer(p.name, label_of(p)),
    "field": _field,
    "number": _number,
    # QGIS's own kind has a box for the unit, which counts only while it is to be seen: with the log in front, or
    # advanced parameters folded, 2 kilometres become 2 m.
    "distance": _number,
    "string": _text,
    "enum": _enum,
    "crs": lambda p: QgsProcessingParameterCrs(p.name, label_of(p)),
    "extent": lambda p: QgsProcessingParameterExtent(p.name, label_of(p)),
    "point": lambda p: QgsProcessingParameterPoint(p.name, label_of(p)),
    "boolean": lambda p: QgsProcessingParameterBoolean(p.name, label_of(p)),
    "file": _file,
}


def input_definition(parameter: Parameter) -> QgsProcessingParameterDefinition:
    """An input with its range, default, help and flags. REQUIRES: one of INPUT_KINDS."""
    definition = _MAKERS[parameter.kind](parameter)
    if parameter.minimum is not None:
        definition.setMinimum(parameter.minimum)
    if parameter.maximum is not None:
        definition.setMaximum(parameter.maximum)
    if parameter.default is not None:
        definition.setDefaultValue(int(parameter.default) if parameter.integer else parameter.default)
    return _finished(definition, parameter)


def sink_type(output: Output | None) -> Qgis.ProcessingSourceType:
    """The type of a layer output: "Polygon Z" → polygons; without a telling name, anything with geometry."""
    return SINK_TYPES.get(output.shape if output else "", Qgis.ProcessingSourceType.VectorAnyGeometry)


def destination_definition(parameter: Parameter, output: Output | None) -> QgsProcessingParameterDefinition:
    """A layer's or file's destination. output: what goes there; None for a file that only collects layers."""
    created = not parameter.skipped_by_default and not parameter.collects_layers
    if parameter.is_layer_destination:
        definition = QgsProcessingParameterFeatureSink(parameter.name, parameter.label, sink_type(output),
                                                       optional=parameter.optional, createByDefault=created)
    elif parameter.is_raster_destination:
        definition = QgsProcessingParameterRasterDestination(parameter.name, parameter.label,
                                                             optional=parameter.optional, createByDefault=created)
    else:
        definition = QgsProcessingParameterFileDestination(parameter.name, parameter.label,
                                                           file_filter(parameter.extension),
                                                           optional=parameter.optional,
                                                           createByDefault=created and not parameter.optional)
    return _finished(definition, parameter)


def _finished(definition: QgsProcessingParameterDefinition,
              parameter: Parameter) -> QgsProcessingParameterDefinition:
    flags = definition.flags()
    for flag, wanted in ((Qgis.ProcessingParameterFlag.Optional, parameter.optional),
                         (Qgis.ProcessingParameterFlag.Advanced, parameter.advanced)):
        flags = flags | flag if wanted else flags & ~flag
    definition.setFlags(flags)
    definition.setHelp(parameter.help[:1].upper() + parameter.help[1:])
    return definition


def definitions(tool: Tool, options: list[Parameter]) -> list[QgsProcessingParameterDefinition]:
    """All parameters of a tool: inputs, the options of every run, destinations."""
    outputs = {output.name: output for output in tool.outputs}
    inputs = [parameter for parameter in tool.parameters if not parameter.is_destination]
    destinations = [parameter for parameter in tool.parameters if parameter.is_destination]
    return [input_definition(parameter) for parameter in [*inputs, *options]] + \
        [destination_definition(parameter, outputs.get(parameter.name)) for parameter in destinations]
