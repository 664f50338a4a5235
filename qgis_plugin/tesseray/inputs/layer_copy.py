# SPDX-License-Identifier: GPL-3.0-or-later
"""A vector layer that is copied for a run."""

from __future__ import annotations

import os
import re
import threading
from typing import Any

from qgis.core import (
    Qgis,
    QgsFeature,
    QgsFeatureRequest,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingFeedback,
    QgsProcessingUtils,
    QgsProviderConnectionException,
    QgsProviderRegistry,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from ..description import Parameter
from ..provider_messages import FAILURES, ProviderMessages, in_one_line
from ..service_rows import SERVICES, ServiceRows
from .cancelling import stop_if_cancelled
from .chosen_rows import chosen_rows, geometry_check, leave_geometries, read_attributes
from .companions import copy_companions, neighbourhood_of
from .copied_fields import RowsOfCopy, fields_in_copy
from .query_layers import needed_by_query
from .sources import exported_source, project_of

# Which messages of databases say that the rows may have ended early.
_INTERRUPTED_READING = {database: FAILURES for database in ("PostGIS", "Oracle", "MSSQL", "SAP HANA")}


def _is_invalid(row: QgsFeature) -> bool:
    """As QGIS checks the rows for its own algorithms."""
    return row.hasGeometry() and not row.geometry().isGeosValid()


def _call_table(path: str, name: str, taken: list[str]) -> str:
    """Calls the one table of a copy as the layer is called, which messages name; returns what it is called then.

    taken: the names of those that are written beside it.
    """
    layers = QgsProviderRegistry.instance().querySublayers(path)
    copied = layers[0].name() if layers else ""
    # The name of a layer ends at a bar where the executable reads sources.
    wanted = " ".join(re.sub(r"[|\x00-\x1f\x7f]+", " ", name).split())
    if not copied or not wanted or wanted == copied:
        return copied
    connection = QgsProviderRegistry.instance().providerMetadata("ogr").createConnection(path, {})
    another = f"copy of {wanted}"
    if wanted.lower() in map(str.lower, taken):
        names = [another]
    elif wanted.lower() == copied.lower():
        names = [another, wanted]  # SQLite refuses a name that differs in case alone
    else:
        names = [wanted]
    for name in names:
        try:
            connection.renameVectorTable("", copied, name)
        except QgsProviderConnectionException:
            break
        copied = name
    return copied


class LayerCopy:
    """A layer that is copied for a run, with what it holds when this is made, in the thread that it belongs to.

    The copy is made in the run's thread, in which no layer of the project can be asked for anything: it may leave the
    project at any time.
    """

    def __init__(self, parameter: Parameter, layer: QgsVectorLayer, value: Any, reason: str,
                 context: QgsProcessingContext) -> None:
        """value: what the parameter is set to. reason: why the layer is copied."""
        is_selection = isinstance(value, QgsProcessingFeatureSourceDefinition) and value.selectedFeaturesOnly
        self._service = ServiceRows(layer, is_selection) if layer.providerType() in SERVICES else None
        self.name, self.fields = layer.name(), fields_in_copy(layer)
        self._parameter, self._reason = parameter, reason
        self._rows, self._request = chosen_rows(layer, value, context)
        self._stops_at_invalid = geometry_check(value) == Qgis.InvalidGeometryCheck.AbortOnInvalid
        self._invalid_row: int | None = None
        self._read = 0
        self._interruptions: list[str] = []
        self._rows_of_copy = RowsOfCopy(layer, self.fields)
        # Of a layer with collections QGIS reads no CRS.
        has_crs = layer.isSpatial() or layer.crs().isValid()
        self._geometry_type, self._crs = layer.wkbType(), (layer if has_crs else layer.dataProvider()).crs()
        self._neighbourhood = neighbourhood_of(layer, parameter.companions, value)
        self._is_cut_short = threading.Event()
        for needed in needed_by_query(layer, project_of(context)):
            needed.willBeDeleted.connect(self._is_cut_short.set)

    def made(self, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        """What the executable opens for it: a temporary GeoPackage. Throws QgsProcessingException."""
        feedback.pushInfo(f"{self._parameter.label}: “{self.name}” is copied for this run, since {self._reason}.")
        path = QgsProcessingUtils.generateTempFilename(f"{self._parameter.name}.gpkg", context)
        try:
            problem = self._copy_rows(path, context, feedback)
        except Exception as failure:  # a data provider's own, which has no type in Python
            raise self._not_copied(str(failure)) from None
        stop_if_cancelled(feedback)
        if self._invalid_row is not None:
            raise QgsProcessingException(f"{self._parameter.label}: Feature ({self._invalid_row}) from “{self.name}” has "
                                         "invalid geometry. Please fix the geometry or change the “Invalid features "
                                         "filtering” option for this input.")
        if self._is_cut_short.is_set():
            raise QgsProcessingException(f"{self._parameter.label}: “{self.name}” is a query, and it or a layer that it "
                                         "shows rows of left the project before it was copied. Leave them there until it "
                                         "is, or export it to a GeoPackage first.")
        if not os.path.exists(path):
            raise self._not_copied(problem)
        layer_name = _call_table(path, self.name, self._parameter.companions)
        self._require_whole_service(feedback)
        self._require_all_rows(path, problem, feedback)
        source = exported_source(path, layer_name)
        if self._neighbourhood:
            copy_companions(self._neighbourhood, QgsVectorLayer(source, layer_name, "ogr"), context)
        return source

    def _not_copied(self, problem: str) -> QgsProcessingException:
        return QgsProcessingException(f"{self._parameter.label}: “{self.name}” could not be copied to a temporary file "
                                      f"({problem}). Export it to a GeoPackage first.")

    def _copy_rows(self, path: str, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        """As many as there are until the run is cancelled. Why rows were left out, "" where that is not known."""
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = "GPKG"
        # All rows are read once: an index takes longer than it saves, and is made after the last row, past any cancelling.
        options.layerOptions = ["SPATIAL_INDEX=NO"]
        writer = QgsVectorFileWriter.create(path, self.fields.fields, self._geometry_type, self._crs,
                                            context.transformContext(), options)
        with ProviderMessages(_INTERRUPTED_READING) as told:
            for row in self._rows.getFeatures(self._request):
                if feedback.isCanceled():
                    break
                if self._stops_at_invalid and _is_invalid(row):
                    self._invalid_row = row.id()
                    break
                if not self._read:
                    told.texts.clear()  # of a connection that was made anew, and gave a row
                writer.addFeature(self._rows_of_copy.row(row))
                self._read += 1
        self._interruptions = told.texts
        problem = writer.errorMessage()
        del writer  # which closes the file, whoever holds this frame
        return problem

    def _require_whole_service(self, feedback: QgsProcessingFeedback) -> None:
        """Throws where rows of a service did not come to QGIS, unless as many came as are wanted."""
        limit = self._request.limit()
        if self._service is None or 0 <= limit <= self._read:
            return
        missing = self._service.missing(self._count_rows(QgsFeatureRequest(), feedback))
        if missing:
            raise QgsProcessingException(f"{self._parameter.label}: “{self.name}” did not come completely from its server: "
                                         f"{in_one_line(missing)}. Reload the layer (F5) and run it again. Where the "
                                         "server sends no more at once, turn on paging in its connection, or filter the "
                                         "layer.")

    def _require_all_rows(self, path: str, problem: str, feedback: QgsProcessingFeedback) -> None:
        """Throws where rows were left out of the copy, or did not arrive here. problem: why, as far as it is known."""
        # An expression may choose other rows when it is asked again, as one with rand() does.
        is_chosen = self._request.filterType() == Qgis.FeatureRequestFilterType.Expression
        if is_chosen and self._interruptions:
            raise QgsProcessingException(f"{self._parameter.label}: rows of “{self.name}” that the expression chooses may be "
                                         f"missing ({in_one_line(self._interruptions[0])}). Run it again, or make the "
                                         "expression the layer's filter.")
        wanted = self._read if is_chosen else self._count_rows(self._request, feedback)
        copied = QgsVectorLayer(path, "copy", "ogr").featureCount()
        if copied < wanted:
            reason = f" ({problem})" if problem else ""
            raise QgsProcessingException(f"{self._parameter.label}: {wanted - copied} of {wanted} rows of “{self.name}” "
                                         f"could not be copied to a temporary file{reason}. Export it to a GeoPackage "
                                         "first.")

    def _count_rows(self, wanted: QgsFeatureRequest, feedback: QgsProcessingFeedback) -> int:
        request = QgsFeatureRequest(wanted)
        read_attributes(request, [])
        leave_geometries(request)
        count = 0
        for _ in self._rows.getFeatures(request):
            stop_if_cancelled(feedback)
            count += 1
        return count
