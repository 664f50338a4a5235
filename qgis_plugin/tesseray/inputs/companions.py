# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that the executable reads beside the one that it is given: the transmitters of a path loss."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

from qgis.core import QgsProcessingContext, QgsProviderRegistry, QgsVectorFileWriter, QgsVectorLayer

from ..layer_writing import write_layer
from ..recorded_runs import copy_runs, recorded_run
from .chosen_rows import choice_of_rows
from .sources import file_of, table_of

_TRANSMITTER_FIELD = "transmitter_id"
# By these the executable knows the layer of transmitters among those that a run wrote.
_TRANSMITTERS_FIELDS = (_TRANSMITTER_FIELD, "name", "frequency_mhz")
# The same of layers of path losses. Those of best servers have these, too, and one of their own.
_PATH_LOSS_FIELDS = (_TRANSMITTER_FIELD, "path_loss_db")
_BEST_SERVER_FIELD = "second_transmitter_id"


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


def neighbourhood_of(layer: QgsVectorLayer, companions: list[str], value: Any) -> _Neighbourhood | None:
    """None where none can be. layer: in the thread it belongs to. value: what the parameter is set to."""
    file = file_of(layer)
    if file is None or not companions:
        return None
    return _Neighbourhood(file, table_of(layer), companions, bool(choice_of_rows(value) or layer.subsetString()))


def copy_companions(beside: _Neighbourhood, export: QgsVectorLayer, context: QgsProcessingContext) -> None:
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
