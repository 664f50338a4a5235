# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the executable would not see of a layer what the screen shows."""

from __future__ import annotations

from typing import Any

from qgis.core import Qgis, QgsMapLayer, QgsProviderRegistry, QgsRasterLayer, QgsVectorLayer

from ..queries import is_query
from .chosen_rows import choice_of_rows, geometry_check
from .sources import file_of


def _is_in_memory(layer: QgsMapLayer) -> bool:
    """Whether its file is one of GDAL's within this process."""
    return layer.source().lstrip('"').startswith("/vsimem/")


def _has_encoding_of_its_own(layer: QgsVectorLayer) -> bool:
    """Whether the names in a shapefile are read otherwise than the file itself says."""
    file = file_of(layer)
    if file is None or file.suffix.lower() != ".shp":
        return False
    plain = QgsVectorLayer(layer.source(), "plain", "ogr")
    return plain.isValid() and plain.dataProvider().encoding() != layer.dataProvider().encoding()


def _shows_edits_of_others(layer: QgsVectorLayer) -> bool:
    """Whether it is in a transaction in which another layer of the same database has edits (Project Properties ▸ Data
    Sources ▸ Transaction mode)."""
    transaction, project = layer.dataProvider().transaction(), layer.project()
    if transaction is None or project is None:
        return False
    group = project.transactionGroup(layer.providerType(), transaction.connectionString())
    return bool(group and group.modified())


def has_lost_header(layer: QgsVectorLayer) -> bool:
    """Whether the first row of a spreadsheet, where all cells are texts, is one of values in QGIS. The executable takes
    it for the header that it is."""
    numbered = [f"Field{number}" for number in range(1, layer.fields().count() + 1)]
    return layer.dataProvider().storageType() in ("XLSX", "ODS") and layer.fields().names() == numbered


def export_reason(layer: QgsVectorLayer, value: Any) -> str:
    """Why the executable would not see what the screen shows, in words; "" when it does.

    layer: in the thread it belongs to. value: what the parameter is set to.
    """
    if layer.providerType() != "ogr":
        return f"it comes from {layer.dataProvider().name()}"
    if _is_in_memory(layer):
        return "its file is in QGIS's memory"
    if layer.isEditable() and layer.isModified():
        return "it has unsaved edits"
    if _shows_edits_of_others(layer):
        return "another layer of its file has unsaved edits, which it shows"
    fields = layer.fields()
    if layer.vectorJoins() or any(fields.fieldOrigin(i) != Qgis.FieldOrigin.Provider for i in range(fields.count())):
        return "it has joined or virtual fields"
    if layer.isSpatial() and layer.crs() != layer.dataProvider().crs():
        return "its CRS was set in QGIS"
    if _has_encoding_of_its_own(layer):
        return "its encoding was set in QGIS"
    if choice_of_rows(value):
        return choice_of_rows(value)
    if geometry_check(value) == Qgis.InvalidGeometryCheck.AbortOnInvalid:
        return "a feature with an invalid geometry is to stop the run"
    parts = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
    if parts.get("geometryType") or parts.get("openOptions"):
        return "it is opened with options of its own"
    subset = layer.subsetString()
    if is_query(subset) or "|" in subset:
        return "its filter is a query"
    if "--" in subset or "/*" in subset:
        return "its filter has a comment"
    return ""


def raster_export_reason(layer: QgsRasterLayer) -> str:
    """Why the executable cannot open a raster as QGIS does, in words; "" when it can."""
    if layer.providerType() != "gdal":
        return f"it comes from {layer.dataProvider().name()}"
    if _is_in_memory(layer):
        return "its file is in QGIS's memory"
    if layer.crs() != layer.dataProvider().crs():
        return "its CRS was set in QGIS"
    if QgsProviderRegistry.instance().decodeUri("gdal", layer.source()).get("openOptions"):
        return "it is opened with options of its own"
    provider = layer.dataProvider()
    for band in range(1, layer.bandCount() + 1):
        ignores_own = provider.sourceHasNoDataValue(band) and not provider.useSourceNoDataValue(band)
        if ignores_own or provider.userNoDataValues(band):
            return "its no-data values were set in QGIS"
    return ""
