# SPDX-License-Identifier: GPL-3.0-or-later
"""Any layer that QGIS has, as a source that the executable opens and that holds the rows which the screen shows."""

from __future__ import annotations

import math
import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence, Union

from osgeo import gdal
from qgis.core import (
    NULL,
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsDataProvider,
    QgsDataSourceUri,
    QgsExpression,
    QgsExpressionContext,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsField,
    QgsFields,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingFeedback,
    QgsProcessingUtils,
    QgsProject,
    QgsProperty,
    QgsProviderConnectionException,
    QgsProviderRegistry,
    QgsProviderSublayerDetails,
    QgsRasterBlockFeedback,
    QgsRasterDataProvider,
    QgsRasterFileWriter,
    QgsRasterLayer,
    QgsRasterNuller,
    QgsRasterPipe,
    QgsReferencedRectangle,
    QgsVariantUtils,
    QgsVectorFileWriter,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
    QgsVectorLayerSelectedFeatureSource,
    QgsVirtualLayerDefinition,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QMetaType, Qt, QThread, QUrl

from .description import Parameter
from .provider_messages import FAILURES, ProviderMessages, in_one_line
from .queries import is_query, table_of_query
from .raster_windows import require_space, window_around
from .recorded_runs import copy_runs, recorded_run
from .service_keys import public_source, without_keys
from .service_rows import SERVICES, ServiceRows

# Tables of a GeoPackage or SpatiaLite database that are no data of the user's.
HIDDEN_TABLES = {"layer_styles", "qgis_projects", "KNN", "KNN2", "data_licenses"}
# Tables in which the executable keeps records.
RECORDS_PREFIX = "tesseray_"
# What a layer for a parameter is to hold; nothing of those that take any.
GEOMETRIES = {"vector polygon": Qgis.GeometryType.Polygon, "vector point": Qgis.GeometryType.Point}
# What a GeoPackage calls the number of a row and its geometry: in a copy no other field can be called so.
ID_FIELD = "fid"
# To GDAL a row with this number has none, and gets one that another may have.
_NO_NUMBER = -1
_TRANSMITTER_FIELD = "transmitter_id"
# By these the executable knows the layer of transmitters among those that a run wrote.
_TRANSMITTERS_FIELDS = (_TRANSMITTER_FIELD, "name", "frequency_mhz")
# The same of layers of path losses. Those of best servers have these, too, and one of their own.
_PATH_LOSS_FIELDS = (_TRANSMITTER_FIELD, "path_loss_db")
_BEST_SERVER_FIELD = "second_transmitter_id"
OWN_COLUMNS = (ID_FIELD, "geom")


def layer_of(algorithm: QgsProcessingAlgorithm, parameter: Parameter, parameters: dict[str, Any],
             context: QgsProcessingContext) -> QgsVectorLayer | None:
    """The vector layer behind a parameter; None when it is not given or not found."""
    value = parameters.get(parameter.name)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        text, found = value.source.valueAsString(context.expressionContext(), "")
        return QgsProcessingUtils.mapLayerFromString(text, context) if found else None
    return algorithm.parameterAsVectorLayer(parameters, parameter.name, context)


def file_of(layer: QgsMapLayer) -> Path | None:
    """The file that a layer comes from, whatever provider reads it; None for memory and database servers."""
    path = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("path")
    return Path(path) if path and os.path.isfile(path) else None


def write_layer(layer: QgsVectorLayer, file: Path, context: QgsProcessingContext,
                options: QgsVectorFileWriter.SaveVectorOptions) -> None:
    """Writes a layer as the options say. Throws QgsProcessingException, saying why, where that fails."""
    problem, message = QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(file), context.transformContext(),
                                                                 options)[:2]
    if problem != QgsVectorFileWriter.WriterError.NoError:
        raise QgsProcessingException(f"The layer {options.layerName} could not be copied to {file}: {message}")


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
    return _exported_source(str(file), table) if file and table else public_source(layer)


def geometries_of(layer: QgsVectorLayer) -> set[Qgis.GeometryType]:
    """What its rows hold. QGIS shows of a file with several kinds the first alone where none is chosen."""
    found = {layer.geometryType()}
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    if layer.providerType() != "ogr" or parts.get("geometryType"):
        return found
    kinds = (sublayer.split(QgsDataProvider.sublayerSeparator()) for sublayer in layer.dataProvider().subLayers())
    name = table_of(layer)
    return found | {QgsWkbTypes.geometryType(QgsWkbTypes.parseType(kind[3])) for kind in kinds if kind[1] == name}


def folder_of(layer: QgsVectorLayer) -> str:
    """The folder of the file that a layer comes from; "" where there is none."""
    file = file_of(layer)
    return str(file.parent) if file else ""


def _named_in_query(layer: QgsVectorLayer, project: QgsProject) -> list[QgsVectorLayer]:
    """The layers of the project that a virtual layer shows rows of."""
    named = (project.mapLayer(used.layerId()) for used in layer.dataProvider().dependencies())
    return [shown for shown in named if isinstance(shown, QgsVectorLayer)]


def _layers_of_query(layer: QgsVectorLayer, project: QgsProject) -> list[QgsVectorLayer]:
    """The layers that a virtual layer shows rows of."""
    embedded = QgsVirtualLayerDefinition.fromUrl(QUrl(layer.source())).sourceLayers()
    found = [QgsVectorLayer(source.source(), source.name(), source.provider()) for source in embedded
             if not source.isReferenced()]
    return found + _named_in_query(layer, project)


def _needed_by_query(layer: QgsVectorLayer, project: QgsProject) -> list[QgsVectorLayer]:
    """The layers without which the rows of a virtual layer end early: itself, and those that it names in turn; none for
    other layers."""
    if layer.providerType() != "virtual":
        return []
    named = _named_in_query(layer, project)
    return [layer, *named, *(needed for shown in named for needed in _needed_by_query(shown, project))]


def file_sources_of(layer: QgsVectorLayer, project: QgsProject) -> list[str]:
    """The layers in files that a layer shows rows of, itself and those that are joined to it, as the executable
    spells sources."""
    file = file_of(layer)
    name = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("layerName")
    sources = [_exported_source(str(file), name or "")] if file else []
    others = [join.joinLayer() for join in layer.vectorJoins() if join.joinLayer()]
    if layer.providerType() == "virtual":
        others += _layers_of_query(layer, project)
    for other in others:
        sources += file_sources_of(other, project)
    return sources


def _has_encoding_of_its_own(layer: QgsVectorLayer) -> bool:
    """Whether the names in a shapefile are read otherwise than the file itself says."""
    file = file_of(layer)
    if file is None or file.suffix.lower() != ".shp":
        return False
    plain = QgsVectorLayer(layer.source(), "plain", "ogr")
    return plain.isValid() and plain.dataProvider().encoding() != layer.dataProvider().encoding()


def _is_in_memory(layer: QgsMapLayer) -> bool:
    """Whether its file is one of GDAL's within this process."""
    return layer.source().lstrip('"').startswith("/vsimem/")


def _geometry_check(value: Any) -> Qgis.InvalidGeometryCheck:
    """What the user chose to do with invalid geometries, which the executable repairs; no check where nothing was chosen,
    whatever Processing's options say."""
    if isinstance(value, QgsProcessingFeatureSourceDefinition) \
            and value.flags & Qgis.ProcessingFeatureSourceDefinitionFlag.OverrideDefaultGeometryCheck:
        return value.geometryCheck
    return Qgis.InvalidGeometryCheck.NoCheck


def _choice_of_rows(value: Any) -> str:
    """Which of a layer's rows the user chose for a run, in words that say why they are copied; "" for all."""
    if not isinstance(value, QgsProcessingFeatureSourceDefinition):
        return ""
    if value.selectedFeaturesOnly:
        return "only its selected features are wanted"
    if value.featureLimit >= 0 or value.filterExpression:
        return "only some of its features are wanted"
    is_skipping = _geometry_check(value) == Qgis.InvalidGeometryCheck.SkipInvalid
    return "its features with invalid geometries are to be skipped" if is_skipping else ""


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
    if _choice_of_rows(value):
        return _choice_of_rows(value)
    if _geometry_check(value) == Qgis.InvalidGeometryCheck.AbortOnInvalid:
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


def _exported_source(path: str, layer_name: str) -> str:
    return f"{path}|layername={layer_name}" if layer_name else path


def layer_name_in(source: str) -> str:
    """What the executable calls the layer of a source in messages: by its name, or else as its file."""
    path, *parts = source.split("|")
    names = [part.partition("=")[2] for part in parts if part.lower().startswith("layername=")]
    return names[0] if names else Path(path).stem


def _companion(file: Path, table: str, name: str) -> QgsVectorLayer | None:
    """The transmitters that the run of the layer `table` wrote beside it, whatever they are called; else what is called
    `name`, or the only layer of transmitters in the file. As the executable chooses them, which finds only the usual
    name beside a copy. Those of the usual name may be another run's: they do not stand for those of a table that is not
    known. None where there are none."""
    run = recorded_run(file, table)
    for written in run.layers if run else ():
        layer = QgsVectorLayer(f"{file}|layername={written}", name, "ogr")
        if _holds_transmitters(layer):
            return layer
    usual = QgsVectorLayer(f"{file}|layername={name}", name, "ogr")
    if usual.isValid() and table:
        return usual
    tables = QgsProviderRegistry.instance().querySublayers(str(file))
    layers = (QgsVectorLayer(f"{file}|layername={each.name()}", name, "ogr") for each in tables)
    found = [layer for layer in layers if _holds_transmitters(layer)]
    return found[0] if len(found) == 1 else None


def _has_fields(layer: QgsVectorLayer, fields: Sequence[str]) -> bool:
    return layer.isValid() and all(layer.fields().lookupField(field) >= 0 for field in fields)


def _holds_transmitters(layer: QgsVectorLayer) -> bool:
    return _has_fields(layer, _TRANSMITTERS_FIELDS)


def holds_best_servers(layer: QgsVectorLayer) -> bool:
    """Whether it has the row of one transmitter alone of each place, and is no path loss."""
    return _has_fields(layer, (*_PATH_LOSS_FIELDS, _BEST_SERVER_FIELD))


def path_losses_in(file: str) -> list[str]:
    """The names of its layers of path losses."""
    tables = [each.name() for each in QgsProviderRegistry.instance().querySublayers(file)]
    layers = {table: QgsVectorLayer(f"{file}|layername={table}", table, "ogr") for table in tables}
    return [table for table, layer in layers.items()
            if _has_fields(layer, _PATH_LOSS_FIELDS) and not holds_best_servers(layer)]


@dataclass(frozen=True)
class _Neighbourhood:
    """Where the companions of a layer stand: beside its table in a file. names: theirs.

    is_part: the layer has a choice of its rows only. Then of transmitters those are copied that it has rows of, as the
    executable takes them of a layer with a filter.
    """

    file: Path
    table: str
    names: list[str]
    is_part: bool


def _neighbourhood_of(layer: QgsVectorLayer, companions: list[str], value: Any) -> _Neighbourhood | None:
    """None where none can be. layer: in the thread it belongs to. value: what the parameter is set to."""
    file = file_of(layer)
    if file is None or not companions:
        return None
    return _Neighbourhood(file, table_of(layer), companions, bool(_choice_of_rows(value) or layer.subsetString()))


def _copy_companions(beside: _Neighbourhood, export: QgsVectorLayer, context: QgsProcessingContext) -> None:
    """Copies layers that stand beside another in its file, and the records of its runs, to the file of its export, as
    far as they are there."""
    target = file_of(export)
    names = {beside.table: table_of(export)}
    column = export.fields().lookupField(_TRANSMITTER_FIELD) if beside.is_part else -1
    for name in beside.names:
        companion = _companion(beside.file, beside.table, name)
        if companion is None:
            continue
        names[table_of(companion)] = name
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName, options.layerName = "GPKG", name
        options.actionOnExistingFile = QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteLayer
        if column >= 0 and companion.fields().lookupField(_TRANSMITTER_FIELD) >= 0:
            numbers = ", ".join(str(number) for number in sorted(export.uniqueValues(column)))
            companion.setSubsetString(f'"{_TRANSMITTER_FIELD}" IN ({numbers})')
        write_layer(companion, target, context, options)
    copy_runs(beside.file, target, names)


_WHOLE_NUMBERS = {QMetaType.Type.Int, QMetaType.Type.UInt, QMetaType.Type.LongLong, QMetaType.Type.ULongLong}
# What a GeoPackage has columns for.
_PLAIN_TYPES = _WHOLE_NUMBERS | {QMetaType.Type.Bool, QMetaType.Type.Double, QMetaType.Type.QString,
                                 QMetaType.Type.QDate, QMetaType.Type.QTime, QMetaType.Type.QDateTime,
                                 QMetaType.Type.QByteArray}


@dataclass(frozen=True)
class CopiedFields:
    """What a copy of a layer is to hold. names: by a field's name, its name in the copy.

    fields: the number of each row first. columns: of the others, their places in the layer. number_column: of the field
    that numbers the rows, if one does, else QGIS's numbers count; a row without gets one from `first_free` on.
    """

    names: dict[str, str]
    fields: QgsFields
    columns: list[int]
    number_column: int | None
    first_free: int


def _number_column(fields: QgsFields) -> int:
    """Of the field `fid`, in any case; -1 where there is none. QGIS's own look-up finds fields by their aliases, too."""
    names = fields.names()
    called_so = [column for column, name in enumerate(names) if name.lower() == ID_FIELD]
    return min(called_so, key=lambda column: names[column] != ID_FIELD, default=-1)


def _own_numbers(layer: QgsVectorLayer, column: int) -> list[int]:
    """The numbers that a field gives to rows; [] where it numbers none, or two of them alike, or one by a number
    that no row of a GeoPackage has."""
    if column < 0 or layer.fields()[column].type() not in _WHOLE_NUMBERS:
        return []
    request = QgsFeatureRequest().setFlags(Qgis.FeatureRequestFlag.NoGeometry).setSubsetOfAttributes([column])
    # New rows have none yet, or a text such as "Autogenerate".
    numbers = [value for value in (row[column] for row in layer.getFeatures(request)) if isinstance(value, int)]
    return numbers if len(set(numbers)) == len(numbers) and _NO_NUMBER not in numbers else []


def _has_new_rows(layer: QgsVectorLayer) -> bool:
    edits = layer.editBuffer()
    return bool(edits and edits.addedFeatures())


def _has_unnumbered_row(layer: QgsVectorLayer) -> bool:
    """Whether QGIS calls a row so that a GeoPackage has none of that number, as keys of queries and tables may. Services
    have no such rows, and are not to be asked before the run."""
    return layer.providerType() not in SERVICES and layer.getFeature(_NO_NUMBER).isValid()


def _first_free_number(layer: QgsVectorLayer, numbers: list[int]) -> int:
    """The first that no row has. numbers: the values of the field that numbers the rows, if one does."""
    if not numbers and not _has_new_rows(layer) and not _has_unnumbered_row(layer):
        return 0  # all have one
    edits = layer.editBuffer()
    deleted = edits.deletedFeatureIds() if edits else []
    return max([0, *(numbers or layer.allFeatureIds()), *deleted]) + 1


def _names_in_copy(layer: QgsVectorLayer, own: QgsField | None) -> dict[str, str]:
    """Names have no case there, and some are taken."""
    fields = layer.fields().names()
    names = {own.name(): ID_FIELD} if own else {}
    taken = set(OWN_COLUMNS)
    for name in fields:
        if name in names:
            continue
        wanted = f"{name}_of_source" if name.lower() in OWN_COLUMNS else name
        candidates = (wanted, *(f"{wanted}_{count}" for count in range(2, len(fields) + 3)))
        names[name] = next(candidate for candidate in candidates if candidate.lower() not in taken)
        taken.add(names[name].lower())
    return names


def _field_in_copy(field: QgsField, name: str) -> QgsField:
    """As a GeoPackage can hold it."""
    if field.type() not in _PLAIN_TYPES:
        return QgsField(name, QMetaType.Type.QString)
    copied = QgsField(name, field.type(), "", field.length(), field.precision())
    copied.setSubType(field.subType())
    return copied


def fields_in_copy(layer: QgsVectorLayer) -> CopiedFields:
    """A copy with these has rows with the numbers that QGIS shows, which messages and results tell.

    A field `fid` of whole numbers is the number where there is one. layer: in the thread it belongs to.
    """
    column = _number_column(layer.fields())
    own_numbers = _own_numbers(layer, column)
    number_column = column if own_numbers else None
    names = _names_in_copy(layer, layer.fields()[column] if own_numbers else None)
    fields = QgsFields()
    fields.append(QgsField(ID_FIELD, QMetaType.Type.LongLong))
    columns = [other for other in range(layer.fields().count()) if other != number_column]
    for other in columns:
        field = layer.fields()[other]
        fields.append(_field_in_copy(field, names[field.name()]))
    return CopiedFields(names, fields, columns, number_column, _first_free_number(layer, own_numbers))


def _placeholders(layer: QgsVectorLayer) -> dict[int, str]:
    """By the columns in which new rows have texts such as “Autogenerate” until the provider works their values out: the
    text."""
    fields, texts = layer.fields(), {}
    for column in range(fields.count()) if _has_new_rows(layer) else ():
        if fields.fieldOrigin(column) == Qgis.FieldOrigin.Provider:
            clause = layer.dataProvider().defaultValueClause(fields.fieldOriginIndex(column))
            if clause and not re.fullmatch(r"-?[\d.]+", clause):  # a number is a value
                texts[column] = clause
    return texts


class _RowsOfCopy:
    """Makes rows of a copy from those of a layer. layer: in the thread it belongs to."""

    def __init__(self, layer: QgsVectorLayer, copied: CopiedFields) -> None:
        self._copied, self._free_number = copied, copied.first_free
        self._has_new_rows, self._placeholders = _has_new_rows(layer), _placeholders(layer)
        self._as_json = {column: QgsExpression(f"to_json({QgsExpression.quotedColumnRef(field.name())})")
                         for column, field in enumerate(layer.fields()) if field.type() not in _PLAIN_TYPES}

    def row(self, original: QgsFeature) -> QgsFeature:
        values = self._values(original)
        copy = QgsFeature(self._copied.fields)
        copy.setGeometry(original.geometry())
        copy.setAttributes([self._number(original, values), *(values[column] for column in self._copied.columns)])
        return copy

    def _values(self, original: QgsFeature) -> list[Any]:
        """Maps and lists, such as the tags of OpenStreetMap, as JSON."""
        values = original.attributes()
        if self._is_new(original):
            for column, text in self._placeholders.items():
                values[column] = NULL if values[column] == text else values[column]
        if self._as_json:
            context = QgsExpressionContext()
            context.setFeature(original)
            for column, expression in self._as_json.items():
                values[column] = expression.evaluate(context)
        return values

    def _number(self, original: QgsFeature, values: list[Any]) -> int:
        column = self._copied.number_column
        number = values[column] if column is not None else NULL if self._is_new(original) else original.id()
        if QgsVariantUtils.isNull(number) or number == _NO_NUMBER:
            number, self._free_number = self._free_number, self._free_number + 1
        return number

    def _is_new(self, original: QgsFeature) -> bool:
        """Whether the row is not saved yet."""
        return self._has_new_rows and original.id() < 0


def _stop_if_cancelled(feedback: QgsProcessingFeedback) -> None:
    if feedback.isCanceled():
        raise QgsProcessingException("The run was cancelled.")


def _cancelled_with(feedback: QgsProcessingFeedback, copying: QgsFeedback) -> QgsFeedback:
    """`copying`, which is cancelled at once when the run is: its own thread, busy with copying, hears of nothing."""
    feedback.canceled.connect(copying.cancel, Qt.ConnectionType.DirectConnection)
    return copying


# Which messages of databases say that the rows may have ended early.
_INTERRUPTED_READING = {database: FAILURES for database in ("PostGIS", "Oracle", "MSSQL", "SAP HANA")}


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
        self._stops_at_invalid = _geometry_check(value) == Qgis.InvalidGeometryCheck.AbortOnInvalid
        self._invalid_row: int | None = None
        self._read = 0
        self._interruptions: list[str] = []
        self._rows_of_copy = _RowsOfCopy(layer, self.fields)
        # Of a layer with collections QGIS reads no CRS.
        has_crs = layer.isSpatial() or layer.crs().isValid()
        self._geometry_type, self._crs = layer.wkbType(), (layer if has_crs else layer.dataProvider()).crs()
        self._neighbourhood = _neighbourhood_of(layer, parameter.companions, value)
        self._is_cut_short = threading.Event()
        for needed in _needed_by_query(layer, project_of(context)):
            needed.willBeDeleted.connect(self._is_cut_short.set)

    def made(self, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        """What the executable opens for it: a temporary GeoPackage. Throws QgsProcessingException."""
        feedback.pushInfo(f"{self._parameter.label}: “{self.name}” is copied for this run, since {self._reason}.")
        path = QgsProcessingUtils.generateTempFilename(f"{self._parameter.name}.gpkg", context)
        try:
            problem = self._copy_rows(path, context, feedback)
        except Exception as failure:  # a data provider's own, which has no type in Python
            raise self._not_copied(str(failure)) from None
        _stop_if_cancelled(feedback)
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
        source = _exported_source(path, layer_name)
        if self._neighbourhood:
            _copy_companions(self._neighbourhood, QgsVectorLayer(source, layer_name, "ogr"), context)
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
            _stop_if_cancelled(feedback)
            count += 1
        return count


def _is_invalid(row: QgsFeature) -> bool:
    """As QGIS checks the rows for its own algorithms."""
    return row.hasGeometry() and not row.geometry().isGeosValid()


_RowsOfLayer = Union[QgsVectorLayerFeatureSource, QgsVectorLayerSelectedFeatureSource]


def project_of(context: QgsProcessingContext) -> QgsProject:
    """The project of a run; one without windows or in a script may have none."""
    return context.project() or QgsProject.instance()


def expressions_of(layer: QgsVectorLayer, context: QgsProcessingContext) -> QgsExpressionContext:
    """What expressions on rows of a layer may name: variables of QGIS and the project, and the layer, as aggregates do."""
    scopes = QgsExpressionContext(context.expressionContext())
    scopes.appendScope(layer.createExpressionContextScope())
    return scopes


def read_attributes(request: QgsFeatureRequest, columns: list[int]) -> None:
    """Has rows with these attributes alone, unless it chooses the rows by an expression, which may name others."""
    if request.filterType() != Qgis.FeatureRequestFilterType.Expression:
        request.setSubsetOfAttributes(columns)


def leave_geometries(request: QgsFeatureRequest) -> None:
    """Has rows without their geometries, unless it chooses the rows by these."""
    if request.invalidGeometryCheck() == Qgis.InvalidGeometryCheck.NoCheck:
        request.setFlags(Qgis.FeatureRequestFlag.NoGeometry)


def chosen_rows(layer: QgsVectorLayer, value: Any,
                context: QgsProcessingContext) -> tuple[_RowsOfLayer, QgsFeatureRequest]:
    """The rows of a layer that a run is to have, as they are now, and what to ask for them with, in any thread.

    Footprints that cross themselves are among them, which the executable repairs, unless the user chose for this input
    to skip them, whatever QGIS does with them elsewhere.
    value: what the parameter is set to.
    """
    request = QgsFeatureRequest()
    if not isinstance(value, QgsProcessingFeatureSourceDefinition):
        return QgsVectorLayerFeatureSource(layer), request
    if value.featureLimit >= 0:
        request.setLimit(value.featureLimit)
    if value.filterExpression:
        request.setFilterExpression(value.filterExpression)
        request.setExpressionContext(expressions_of(layer, context))
    if _geometry_check(value) == Qgis.InvalidGeometryCheck.SkipInvalid:
        request.setInvalidGeometryCheck(Qgis.InvalidGeometryCheck.SkipInvalid)
    of_selected = QgsVectorLayerSelectedFeatureSource if value.selectedFeaturesOnly else QgsVectorLayerFeatureSource
    return of_selected(layer), request


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


def _layers_of_file(value: Any) -> list[QgsProviderSublayerDetails]:
    """The layers of a file that was given without saying which; [] when there is no doubt."""
    value = text_of_source(value)
    if not isinstance(value, str) or "|" in value or not os.path.isfile(value):
        return []
    found = [layer for layer in QgsProviderRegistry.instance().querySublayers(value)
             if layer.type() == Qgis.LayerType.Vector and layer.name() not in HIDDEN_TABLES]
    return found if len(found) > 1 else []


def text_of_source(value: Any) -> Any:
    """The source that rows are chosen from, where it is a fixed one; other values stay."""
    return value.source.staticValue() if isinstance(value, QgsProcessingFeatureSourceDefinition) else value


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


def _nuller_of(provider: QgsRasterDataProvider) -> QgsRasterNuller:
    """What gives a copy the no-data values that were set in QGIS: of each band one, which all of them become."""
    nuller = QgsRasterNuller()
    for band in range(1, provider.bandCount() + 1):
        ranges = provider.userNoDataValues(band)
        bounds = [bound for one in ranges for bound in (one.min(), one.max()) if math.isfinite(bound)]
        if bounds:
            nuller.setNoData(band, ranges)
            nuller.setOutputNoDataValue(band, bounds[0])
    return nuller


def _describe_bands(copy: gdal.Dataset, uri: str, name: str) -> None:
    """Units of heights and names of classes, which QGIS leaves out of a copy. REQUIRES: a raster of GDAL's.

    uri, name: of the raster, as QGIS has them.

    Throws QgsProcessingException for one that QGIS alone opens, as with a password that it keeps.
    """
    registry = QgsProviderRegistry.instance()
    parts = registry.decodeUri("gdal", uri)
    options = list(parts.pop("openOptions", None) or [])
    try:
        source = gdal.OpenEx(registry.encodeUri("gdal", parts), gdal.OF_RASTER, open_options=options)
    except RuntimeError:  # as GDAL raises where Processing is loaded
        source = None
    if source is None:
        raise QgsProcessingException(f"The unit and the classes of “{name}” cannot be read, and it has to be "
                                     "copied for this run. Save it as a GeoTIFF first.")
    for band in range(1, min(source.RasterCount, copy.RasterCount) + 1):
        original, copied = source.GetRasterBand(band), copy.GetRasterBand(band)
        copied.SetUnitType(original.GetUnitType())
        if original.GetCategoryNames():
            copied.SetCategoryNames(original.GetCategoryNames())


def _mask_by(copy: gdal.Dataset, alpha: int, feedback: QgsProcessingFeedback) -> None:
    """Makes no-data what QGIS shows as transparent in the first band, which alone is read. alpha: the band that tells
    it, as which QGIS copies a mask."""
    band, transparency = copy.GetRasterBand(1), copy.GetRasterBand(alpha)
    no_data = band.GetNoDataValue()
    if no_data is None:
        copy.CreateMaskBand(gdal.GMF_PER_DATASET)
    for row in range(copy.RasterYSize):
        _stop_if_cancelled(feedback)
        is_opaque = transparency.ReadAsArray(0, row, copy.RasterXSize, 1) > 0
        if no_data is None:
            band.GetMaskBand().WriteArray(255 * is_opaque.astype("uint8"), 0, row)
            continue
        values = band.ReadAsArray(0, row, copy.RasterXSize, 1)
        values[~is_opaque] = no_data  # a mask would count in place of no-data values
        band.WriteArray(values, 0, row)


# Which messages of providers say that a part of a raster could not be read, for which they give 0 or no data. Warnings of
# PostGIS also tell of a connection that was made anew and then gave all.
_UNREAD_PARTS = {"WCS": FAILURES, "WMS": FAILURES, "PostGIS": (Qgis.MessageLevel.Critical,)}


class RasterCopy:
    """A raster that is copied for a run, as it is when this is made, in the thread that it belongs to; see LayerCopy."""

    def __init__(self, parameter: Parameter, layer: QgsRasterLayer, reason: str, area: QgsReferencedRectangle | None,
                 context: QgsProcessingContext) -> None:
        """reason: why it is copied. area: where the run works, in metres; None where only the executable knows."""
        self.name = layer.name()
        self._label, self._reason = parameter.label, reason
        self._uri, self._is_of_gdal = layer.source(), layer.providerType() == "gdal"
        self._crs = layer.crs()
        provider = layer.dataProvider().clone()
        self._window = window_around(area, layer.extent(), (provider.xSize(), provider.ySize()), layer.crs(),
                                     context.transformContext())
        self._pipe = QgsRasterPipe()
        self._can_be_read = self._pipe.set(provider) and self._pipe.insert(1, _nuller_of(provider))
        self._pipe.moveToThread(None)  # the thread of the run takes it from there

    def made(self, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        """What the executable opens for it: a temporary GeoTIFF, or a virtual raster with a part of it in its place. Throws
        QgsProcessingException."""
        feedback.pushInfo(f"{self._label}: “{self.name}” is copied for this run, since {self._reason}.")
        target = QgsProcessingUtils.generateTempFilename("raster.tif", context)
        self._pipe.moveToThread(QThread.currentThread())
        window = self._window
        if not all(window.size) or not self._can_be_read:
            raise QgsProcessingException(f"{self._label}: “{self.name}” has no size in pixels and cannot be copied. Save "
                                         "it as a GeoTIFF first.")
        require_space(window.bytes(self._pipe.provider()), Path(target).parent, f"{self._label}: “{self.name}”")
        reading = _cancelled_with(feedback, QgsRasterBlockFeedback())
        with ProviderMessages(_UNREAD_PARTS) as told:
            failed = QgsRasterFileWriter(target).writeRaster(self._pipe, window.columns, window.rows,
                                                             window.rectangle, self._crs,
                                                             context.transformContext(), reading)
        _stop_if_cancelled(feedback)
        self._require_all_parts([*reading.errors(), *told.texts])
        if failed != Qgis.RasterFileWriterResult.Success:
            raise QgsProcessingException(f"{self._label}: “{self.name}” could not be copied to a temporary file.")
        copy = gdal.Open(target, gdal.GA_Update)
        if self._is_of_gdal:
            _describe_bands(copy, self._uri, self.name)
        provider = self._pipe.provider()
        alphas = [band for band in range(1, copy.RasterCount + 1)
                  if provider.colorInterpretation(band) == Qgis.RasterColorInterpretation.AlphaBand]
        if alphas:
            _mask_by(copy, alphas[0], feedback)
        del copy  # which closes the file
        return window.as_part_of_whole(target)

    def _require_all_parts(self, problems: list[str]) -> None:
        """Throws where a part could not be read: QGIS writes 0 or no data there, and says that the copy is a success."""
        if problems:
            raise QgsProcessingException(f"{self._label}: “{self.name}” could not be read completely "
                                         f"({in_one_line(problems[0])}). Run it again once its server answers or its file "
                                         "is whole, or choose another.")


def crs_text(crs: QgsCoordinateReferenceSystem) -> str:
    """As the executable reads it: "EPSG:25832", or WKT for a CRS that only QGIS has a code for."""
    code = crs.authid()
    return crs.toWkt(Qgis.CrsWktVariant.Preferred) if not code or code.startswith(("USER:", "QGIS:")) else code
