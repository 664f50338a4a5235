# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with several layers, given without saying which."""

from __future__ import annotations

import os
from typing import Any

from qgis.core import (
    Qgis,
    QgsProcessingFeatureSourceDefinition,
    QgsProperty,
    QgsProviderRegistry,
    QgsProviderSublayerDetails,
    QgsWkbTypes,
)

from ..description import Parameter
from .companions import path_losses_in
from .sources import text_of_source

# Tables of a GeoPackage or SpatiaLite database that are no data of the user's.
HIDDEN_TABLES = {"layer_styles", "qgis_projects", "KNN", "KNN2", "data_licenses"}
# Tables in which the executable keeps records.
RECORDS_PREFIX = "tesseray_"
# What a layer for a parameter is to hold; nothing of those that take any.
GEOMETRIES = {"vector polygon": Qgis.GeometryType.Polygon, "vector point": Qgis.GeometryType.Point}


def _layers_of_file(value: Any) -> list[QgsProviderSublayerDetails]:
    """The layers of a file that was given without saying which; [] when there is no doubt."""
    value = text_of_source(value)
    if not isinstance(value, str) or "|" in value or not os.path.isfile(value):
        return []
    found = [layer for layer in QgsProviderRegistry.instance().querySublayers(value)
             if layer.type() == Qgis.LayerType.Vector and layer.name() not in HIDDEN_TABLES]
    return found if len(found) > 1 else []


def _fitting_layers(parameter: Parameter, value: Any) -> list[str]:
    """Of a file that was given without saying which of its layers, the names of those that the executable would take; []
    when there is no doubt."""
    layers = _layers_of_file(value)
    wanted = GEOMETRIES.get(parameter.kind)
    if wanted is not None:
        kinds = (wanted, Qgis.GeometryType.Unknown)
        return [layer.name() for layer in layers if QgsWkbTypes.geometryType(layer.wkbType()) in kinds]
    if not layers or not parameter.layer:
        return []
    usual = [layer.name() for layer in layers if layer.name().casefold() == parameter.layer.casefold()]
    return usual or path_losses_in(text_of_source(value))


def with_layer_name(parameter: Parameter, value: Any) -> Any:
    """The value with the name of the layer where it is a file with several, of which one alone fits: as the executable
    chooses it. QGIS takes the first. Other values stay."""
    fitting = _fitting_layers(parameter, value) if parameter.is_layer else []
    if len(fitting) != 1:
        return value
    source = f"{text_of_source(value)}|layername={fitting[0]}"
    if not isinstance(value, QgsProcessingFeatureSourceDefinition):
        return source
    chosen = QgsProcessingFeatureSourceDefinition(value)
    chosen.source = QgsProperty.fromValue(source)
    return chosen


def ambiguous_layers(parameter: Parameter, value: Any) -> list[str]:
    """Of a file that was given without saying which of its layers, the names of those that fit, or of all where none
    does; [] when there is no doubt."""
    all_layers = [layer.name() for layer in _layers_of_file(value) if not layer.name().startswith(RECORDS_PREFIX)]
    return _fitting_layers(parameter, value) or all_layers
