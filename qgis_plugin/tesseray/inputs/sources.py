# SPDX-License-Identifier: GPL-3.0-or-later
"""What a layer comes from, as the executable spells it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsDataProvider,
    QgsDataSourceUri,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingUtils,
    QgsProject,
    QgsProviderRegistry,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ..description import Parameter
from ..queries import is_query, table_of_query
from ..service_keys import public_source, without_keys


def layer_of(algorithm: QgsProcessingAlgorithm, parameter: Parameter, parameters: dict[str, Any],
             context: QgsProcessingContext) -> QgsVectorLayer | None:
    """The vector layer behind a parameter; None when it is not given or not found."""
    value = parameters.get(parameter.name)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        text, found = value.source.valueAsString(context.expressionContext(), "")
        return QgsProcessingUtils.mapLayerFromString(text, context) if found else None
    return algorithm.parameterAsVectorLayer(parameters, parameter.name, context)


def text_of_source(value: Any) -> Any:
    """The source that rows are chosen from, where it is a fixed one; other values stay."""
    return value.source.staticValue() if isinstance(value, QgsProcessingFeatureSourceDefinition) else value


def file_of(layer: QgsMapLayer) -> Path | None:
    """The file that a layer comes from, whatever provider reads it; None for memory and database servers."""
    path = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("path")
    return Path(path) if path and os.path.isfile(path) else None


def folder_of(layer: QgsVectorLayer) -> str:
    """The folder of the file that a layer comes from; "" where there is none."""
    file = file_of(layer)
    return str(file.parent) if file else ""


def table_of(layer: QgsMapLayer) -> str:
    """What the layer is called in its file, also where it was opened without its name; "" where the file has no names,
    and where a query as filter does not tell."""
    if layer.providerType() == "ogr" and is_query(layer.subsetString()):
        return table_of_query(layer.subsetString())  # QGIS itself calls such a layer SELECT
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    if parts.get("layerName") or layer.providerType() != "ogr":
        return str(parts.get("layerName") or "")
    tables = [table.split(QgsDataProvider.sublayerSeparator()) for table in layer.dataProvider().subLayers()]
    number = str(parts["layerId"]) if parts.get("layerId") is not None else None
    return next((table[1] for table in tables if number in (None, table[0])), "")


def own_source(layer: QgsVectorLayer) -> str:
    """The source of a layer that is not copied, as the executable opens it: of a file with several the layer's name is in
    it. layer: in the thread it belongs to."""
    provider = layer.dataProvider()
    parts = QgsProviderRegistry.instance().decodeUri("ogr", provider.dataSourceUri())  # the source lacks |layerid=0
    number = parts.pop("layerId", None)
    if parts.get("layerName") or (number is None and len(provider.subLayers()) < 2):
        return layer.source()
    return QgsProviderRegistry.instance().encodeUri("ogr", {**parts, "layerName": table_of(layer)})


def recorded_source(layer: QgsVectorLayer) -> str:
    """The source of a layer that is copied, as the record of the run has it: without passwords and keys, and with the
    layer's name in its file, by which the run that wrote the layer is found."""
    if layer.providerType() == "ogr":
        return without_keys(QgsDataSourceUri.removePassword(own_source(layer), True))
    file, table = file_of(layer), table_of(layer)
    return exported_source(str(file), table) if file and table else public_source(layer)


def exported_source(path: str, layer_name: str) -> str:
    return f"{path}|layername={layer_name}" if layer_name else path


def layer_name_in(source: str) -> str:
    """What the executable calls the layer of a source in messages: by its name, or else as its file."""
    path, *parts = source.split("|")
    names = [part.partition("=")[2] for part in parts if part.lower().startswith("layername=")]
    return names[0] if names else Path(path).stem


def geometries_of(layer: QgsVectorLayer) -> set[Qgis.GeometryType]:
    """What its rows hold. QGIS shows of a file with several kinds the first alone where none is chosen."""
    found = {layer.geometryType()}
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    if layer.providerType() != "ogr" or parts.get("geometryType"):
        return found
    kinds = (sublayer.split(QgsDataProvider.sublayerSeparator()) for sublayer in layer.dataProvider().subLayers())
    name = table_of(layer)
    return found | {QgsWkbTypes.geometryType(QgsWkbTypes.parseType(kind[3])) for kind in kinds if kind[1] == name}


def project_of(context: QgsProcessingContext) -> QgsProject:
    """The project of a run; one without windows or in a script may have none."""
    return context.project() or QgsProject.instance()


def crs_text(crs: QgsCoordinateReferenceSystem) -> str:
    """As the executable reads it: "EPSG:25832", or WKT for a CRS that only QGIS has a code for."""
    code = crs.authid()
    return crs.toWkt(Qgis.CrsWktVariant.Preferred) if not code or code.startswith(("USER:", "QGIS:")) else code
