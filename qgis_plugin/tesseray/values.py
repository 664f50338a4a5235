# SPDX-License-Identifier: GPL-3.0-or-later
"""The inputs of a run as the executable reads them: from QGIS's values to JSON."""

from __future__ import annotations

import math
from typing import Any

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCsException,
    QgsExpression,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProject,
    QgsProperty,
    QgsVariantUtils,
)

from .description import Parameter, Tool
from .extents import CrsFinder
from .folders import with_folder
from .inputs import (
    copied_source,
    crs_text,
    export_reason,
    fields_in_copy,
    file_sources_of,
    folder_of,
    layer_of,
    own_source,
    raster_export_reason,
    raster_source,
    with_layer_name,
)


def evaluated(tool: Tool, parameters: dict[str, Any], context: QgsProcessingContext) -> dict[str, Any]:
    """The parameters with the values of properties and expressions in their place, and None for NULL, which QGIS takes
    for 0 otherwise. Files of several layers have the name of the one that fits, where that is one alone.

    An expression that cannot be evaluated stays, for a message; destinations are QGIS's to look at.
    """
    destinations = {parameter.name for parameter in tool.parameters if parameter.is_destination}
    values = {name: value if name in destinations else _value_of(value, context) for name, value in parameters.items()}
    values = {name: None if QgsVariantUtils.isNull(value) else value for name, value in values.items()}
    layers = {parameter.name: parameter for parameter in tool.parameters if parameter.is_layer}
    return {name: with_layer_name(layers[name], value) if name in layers else value for name, value in values.items()}


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


def is_given(parameters: dict[str, Any], name: str) -> bool:
    value = parameters.get(name)
    return value is not None and value != ""


class InputValues:
    """Inspects layers in the thread that they belong to (when made), and exports them in the run's (`as_json`)."""

    def __init__(self, algorithm: QgsProcessingAlgorithm, tool: Tool, parameters: dict[str, Any],
                 context: QgsProcessingContext) -> None:
        self._algorithm, self._tool, self._values = algorithm, tool, parameters
        self._inputs = [parameter for parameter in tool.parameters
                        if not parameter.is_destination and is_given(parameters, parameter.name)]
        self._reasons = {parameter.name: self._export_reason(parameter, context) for parameter in self._inputs
                         if parameter.is_layer or parameter.kind == "raster"}
        # Of the vector layers that are not copied, and of those that are.
        self._own_sources = {parameter.name: own_source(layer_of(algorithm, parameter, parameters, context))
                             for parameter in self._inputs if parameter.is_layer and not self._reasons[parameter.name]}
        self._fields = {parameter.name: fields_in_copy(layer_of(algorithm, parameter, parameters, context))
                        for parameter in self._inputs if parameter.is_layer and self._reasons[parameter.name]}
        self._folders = self._folders_of_copied(context)
        self._sources = {name: self._file_sources(tool.parameter(name), context)
                         for name, reason in self._reasons.items() if reason}
        # What stands for a layer in a message, and what it was copied from: its copy's path → its name, its sources.
        self.copies: dict[str, str] = {}
        self.origins: dict[str, dict[str, Any]] = {}

    def _export_reason(self, parameter: Parameter, context: QgsProcessingContext) -> str:
        if parameter.kind == "raster":
            raster = self._algorithm.parameterAsRasterLayer(self._values, parameter.name, context)
            if raster is None:
                raise QgsProcessingException(self._algorithm.invalidRasterError(self._values, parameter.name))
            return raster_export_reason(raster)
        layer = layer_of(self._algorithm, parameter, self._values, context)
        if layer is None:
            raise QgsProcessingException(self._algorithm.invalidSourceError(self._values, parameter.name))
        return export_reason(layer, self._values[parameter.name])

    def as_json(self, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> dict[str, Any]:
        """Name → value of every input that is given. Throws QgsProcessingException."""
        result: dict[str, Any] = {}
        finder = CrsFinder(self._algorithm, self._tool, self._values, context)
        for parameter in self._inputs:
            if parameter.kind in ("extent", "point"):
                result |= _place_values(finder, parameter)
            elif parameter.is_layer:
                result[parameter.name] = self._vector(parameter, context, feedback)
            elif parameter.kind == "raster":
                result[parameter.name] = self._raster(parameter, context, feedback)
            else:
                result[parameter.name] = plain_value(self._algorithm, parameter, self._values, context)
                if parameter.kind == "field" and parameter.parent in self._fields:
                    names = self._fields[parameter.parent].names
                    result[parameter.name] = names.get(result[parameter.name], result[parameter.name])
        for name, folder in self._folders.items():
            result[name] = with_folder(result.get(name) or "", folder)
        return {name: value for name, value in result.items() if value is not None and value != ""}

    def _folders_of_copied(self, context: QgsProcessingContext) -> dict[str, str]:
        """By the parameter for folders: the folder of an input that is copied, where files that it names lie."""
        folders = {}
        for parameter in self._tool.parameters:
            if parameter.folder_of and self._reasons.get(parameter.folder_of):
                copied = self._tool.parameter(parameter.folder_of)
                folders[parameter.name] = folder_of(layer_of(self._algorithm, copied, self._values, context))
        return folders

    def _vector(self, parameter: Parameter, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        if parameter.name in self._own_sources:
            return self._own_sources[parameter.name]
        source = copied_source(self._algorithm, parameter, self._reasons[parameter.name], self._fields[parameter.name],
                               self._values, context, feedback)
        layer = layer_of(self._algorithm, parameter, self._values, context)
        self._remember_copy(parameter, source.split("|")[0], layer)
        return source

    def _raster(self, parameter: Parameter, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        layer = self._algorithm.parameterAsRasterLayer(self._values, parameter.name, context)
        reason = self._reasons[parameter.name]
        source = raster_source(layer, parameter.label, reason, context, feedback)
        if reason:
            self._remember_copy(parameter, source, layer)
        return source

    def _file_sources(self, parameter: Parameter, context: QgsProcessingContext) -> list[str]:
        """What a layer that is copied comes from, as far as that is files, which no output may replace."""
        if parameter.kind == "raster":
            raster = self._algorithm.parameterAsRasterLayer(self._values, parameter.name, context)
            return [raster.source()] if raster.providerType() == "gdal" else []
        layer = layer_of(self._algorithm, parameter, self._values, context)
        return file_sources_of(layer, context.project() or QgsProject.instance())

    def _remember_copy(self, parameter: Parameter, path: str, layer: QgsMapLayer) -> None:
        self.copies[path] = f"“{layer.name()}”"
        description = f"“{layer.name()}” ({layer.publicSource(True)})"  # without passwords
        self.origins[path] = {"description": description, "sources": self._sources[parameter.name]}


def _place_values(finder: CrsFinder, parameter: Parameter) -> dict[str, str]:
    """An extent or a point, and the CRS parameter that goes with it. Throws QgsProcessingException."""
    try:
        return finder.extent_values(parameter) if parameter.kind == "extent" \
            else {parameter.name: finder.point_text(parameter)}
    except QgsCsException as problem:
        raise QgsProcessingException(f"{parameter.label}: it does not lie where work is done ({problem}).") from None


def plain_value(algorithm: QgsProcessingAlgorithm, parameter: Parameter, parameters: dict[str, Any],
                context: QgsProcessingContext) -> Any:
    """The value of a parameter that is neither layer, raster, extent nor point; None where it says nothing."""
    name, kind = parameter.name, parameter.kind
    if kind in ("number", "distance"):
        problem = number_problem(parameter, parameters[name])
        if problem:
            raise QgsProcessingException(problem)
        return algorithm.parameterAsInt(parameters, name, context) if parameter.integer \
            else algorithm.parameterAsDouble(parameters, name, context)
    if kind == "boolean":
        return algorithm.parameterAsBoolean(parameters, name, context)
    if kind == "enum" and not parameter.other_texts:
        return algorithm.parameterAsEnumStrings(parameters, name, context) if parameter.multiple \
            else algorithm.parameterAsEnumString(parameters, name, context)
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
