# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results go: from what QGIS puts into a destination to what the executable is told.

The executable writes each layer itself, also into a GeoPackage with other layers, so that two outputs may go to one
file as long as their layers have different names. Nothing in a file that is there is replaced unless it is allowed.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable

from qgis.core import (
    Qgis,
    QgsDataSourceUri,
    QgsExpression,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingOutputLayerDefinition,
    QgsProcessingUtils,
    QgsProperty,
    QgsProviderRegistry,
)
from qgis.PyQt.QtCore import QUrl

from .description import Output, Tool
from .sqlite_files import read_only

LAYER_EXTENSIONS = ("gpkg", "sqlite")
RASTER_EXTENSIONS = ("tif", "tiff")
TEMPORARY_PREFIX = "memory:"
# How GDAL's names of what is no file begin: /vsimem/, /vsizip/, ….
GDAL_PREFIX = "/vsi"


class BadDestination(ValueError):
    """A destination that cannot be written to; the text says why and what to do."""


@dataclass(frozen=True)
class Destination:
    """A place for one output. layer: its name in the file; None for an output that is a file."""

    file: Path
    layer: str | None = None

    def __str__(self) -> str:
        """As the executable and QGIS spell it: "x.gpkg|layername=tiles"."""
        return f"{self.file}|layername={self.layer}" if self.layer else str(self.file)

    @staticmethod
    def of(text: str) -> "Destination":
        """The place that is spelt so."""
        file, _, layer = text.partition("|layername=")
        return Destination(Path(file), layer or None)

    @property
    def exists(self) -> bool:
        """Whether a run would replace something."""
        if not os.path.exists(self.file):
            return False
        return self.layer is None or self.layer.lower() in {name.lower() for name in tables_of(self.file)}

    def meets(self, other: "Destination") -> bool:
        """Whether what is written here replaces what is there."""
        layers = {place.layer and place.layer.lower() for place in (self, other)}
        return os.path.realpath(self.file) == os.path.realpath(other.file) and (None in layers or len(layers) == 1)


def tables_of(file: Path) -> list[str]:
    """The tables of a GeoPackage or SpatiaLite file; none of a file that is neither."""
    try:
        with closing(read_only(file)) as database:
            rows = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
            return [row[0] for row in rows]
    except sqlite3.Error:
        return []


def destination_text(value: Any, context: QgsProcessingContext) -> str | None:
    """What a destination parameter is set to, as text; None for one that is skipped.

    value: as a dialog, a model or a script gives it.
    """
    if isinstance(value, QgsProcessingOutputLayerDefinition):
        value = value.sink
    if isinstance(value, QgsProperty):
        value, _ = value.value(context.expressionContext(), None)
    if value is None or (hasattr(value, "isNull") and value.isNull()):
        return None
    return path_of(str(value)) or None


def path_of(text: str) -> str:
    """Of a place as an address, such as “file:///data/x.gpkg”, the path; other places stay, without blanks around."""
    text = text.strip()
    return QUrl(text).toLocalFile() if text.lower().startswith("file://") else text


def expression_problem(value: Any, context: QgsProcessingContext) -> str:
    """Why the expression that a destination is set to gives no place, of which QGIS takes none without a word; "" where it
    gives one, or is none."""
    if isinstance(value, QgsProcessingOutputLayerDefinition):
        value = value.sink
    if not isinstance(value, QgsProperty) or value.propertyType() != Qgis.PropertyType.Expression:
        return ""
    expression = QgsExpression(value.expressionString())
    expression.evaluate(context.expressionContext())
    reason = (expression.parserErrorString() or expression.evalErrorString()).strip()
    return f"the expression “{value.expressionString()}” gives no place ({reason}). Correct it." if reason else ""


def is_temporary(text: str) -> bool:
    return text == QgsProcessing.TEMPORARY_OUTPUT or text.startswith(TEMPORARY_PREFIX)


def _layer_destination(text: str, output: Output) -> Destination:
    """Of "x.gpkg", "x.gpkg|layername=t" and "ogr:dbname='x.gpkg' table="t" (geom)". Throws BadDestination."""
    if text.startswith("ogr:"):
        uri = QgsDataSourceUri(text[len("ogr:"):])
        file, layer = uri.database(), uri.table() or output.layer
    elif "://" in text or text.split(":", 1)[0] in QgsProviderRegistry.instance().providerList():
        # Behind the name there may be a password.
        raise BadDestination(f"{output.label} cannot be written to “{text.split(':', 1)[0]}”, as results are files, not "
                             f"layers in memory or of a database server: choose a GeoPackage file, or "
                             f"{QgsProcessing.TEMPORARY_OUTPUT}.")
    else:
        parts = QgsProviderRegistry.instance().decodeUri("ogr", text)
        place = "".join(parts.get(key) or "" for key in ("vsiPrefix", "path", "vsiSuffix"))
        file, layer = place or text, parts.get("layerName") or output.layer
    if Path(file).suffix[1:].lower() not in LAYER_EXTENSIONS:
        raise BadDestination(f"{output.label} cannot be written to {file}: results are layers with names of more than "
                             f"10 characters, units and styles. Choose a file that ends in .gpkg (or .sqlite).")
    return Destination(Path(file), layer)


def destination_of(text: str, output: Output) -> Destination:
    """Where an output goes that is not temporary. Throws BadDestination."""
    return _layer_destination(text, output) if output.kind == "layer" else Destination(Path(text))


def _is_folder(path: Path) -> bool:
    """Throws OSError where that cannot be told: a folder above may not be entered, or no file can have the name."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except ValueError:  # a NUL character
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from None


def check_place(destination: Destination, label: str) -> None:
    """Throws BadDestination for a folder that is not there or cannot be written to, and for what is in GDAL's memory or an
    archive."""
    if str(destination.file).startswith(GDAL_PREFIX):
        raise BadDestination(f"{label}: {destination.file} cannot be written to. Choose a file on a disk.")
    try:
        folder = destination.file.absolute().parent
        if not _is_folder(folder):
            raise BadDestination(f"{label}: there is no folder {folder}. Make it, or choose another one.")
        if not os.access(folder, os.W_OK):
            raise BadDestination(f"{label}: the folder {folder} cannot be written to. Choose another one.")
        if _is_folder(destination.file):
            raise BadDestination(f"{label}: {destination.file} is a folder. Choose the name of a file.")
    except OSError as problem:
        raise BadDestination(f"{label}: {destination.file} cannot be written to ({problem.strerror}). Choose another "
                             "name or folder.") from None


def check_destinations(wanted: dict[str, Destination], labels: dict[str, str], overwrite: bool,
                       overwrite_option: str) -> None:
    """Throws BadDestination where two outputs meet in one place, or something would be replaced unasked.

    wanted: by the output's name. overwrite_option: what to tick to allow replacing, as dialogs show it and
    scripts call it.
    """
    taken: dict[str, Destination] = {}
    for name, destination in wanted.items():
        check_place(destination, labels[name])
        other = next((other for other, place in taken.items() if destination.meets(place)), None)
        if other:
            raise BadDestination(f"{labels[name]} and {labels[other]} would both go to {destination}, and only one "
                                 "of them would survive. Give each its own file or layer name.")
        taken[name] = destination
        if destination.exists and not overwrite:
            raise BadDestination(f"{labels[name]}: {destination} is there already. Choose another name, or tick "
                                 f"{overwrite_option}.")


# A list of places, as texts, that a feedback of several steps carries from one to the next.
_WRITTEN = "tesseray_written"


def note_written(places: Iterable[Destination], feedback: QgsProcessingFeedback) -> None:
    """Tells the later steps of the same model or batch, if the run is one of these, what it has written."""
    if feedback.inherits("QgsProcessingMultiStepFeedback"):  # which Python may see as a QgsProcessingFeedback
        feedback.setProperty(_WRITTEN, [*(feedback.property(_WRITTEN) or []), *map(str, places)])


def check_earlier_steps(places: Iterable[Destination], feedback: QgsProcessingFeedback) -> None:
    """Throws BadDestination where what an earlier step of the same model or batch has written would be replaced: allowed
    is to replace what was there before."""
    earlier = [Destination.of(text) for text in feedback.property(_WRITTEN) or []]
    for place in places:
        if any(place.meets(written) for written in earlier):
            raise BadDestination(f"{place} has what an earlier step has just written, and only one of them would survive. "
                                 "Give each output its own file or layer name (Save to GeoPackage…).")


@dataclass(frozen=True)
class Plan:
    """The places of a run's outputs.

    collected: the file for all layers, when no layer was asked for by itself; layers: where in it each goes.
    idle: the file for all layers, when those that were asked for have places of their own and none goes to it.
    home: the file for all layers, when any goes to it.
    """

    places: dict[str, Destination]
    collected: Path | None = None
    layers: dict[str, Destination] = field(default_factory=dict)
    idle: Path | None = None
    home: Path | None = None


def plan_outputs(tool: Tool, texts: dict[str, str | None], temporary: Path) -> Plan:
    """Decides where each output goes. Throws BadDestination.

    texts: what each destination is set to, resolved by QGIS; None: skipped. temporary: the GeoPackage for layers that
    are to be temporary; with a collecting file (OUTPUT) they go there instead.
    """
    collector = tool.collector
    collected = texts.get(collector.name) if collector else None
    wanted = {output.name: texts.get(output.name) for output in tool.outputs}
    layers = [output for output in tool.layer_outputs if wanted[output.name]]
    if collected and not is_temporary(collected) and not layers:
        files = {name: Destination(Path(text)) for name, text in wanted.items() if text}
        layers_there = {output.name: Destination(Path(collected), output.layer)
                        for output in tool.layer_outputs if output.name in texts}
        return Plan(files, Path(collected), layers_there, home=Path(collected))
    home = Path(collected) if collected and not is_temporary(collected) else temporary
    places = {}
    for output in tool.outputs:
        text = wanted[output.name]
        if not text:
            continue
        places[output.name] = Destination(home, output.layer) if is_temporary(text) else destination_of(text, output)
    if home == temporary:
        _keep_beside(tool, places, temporary)
        return Plan(places)
    is_used = any(place.file == home for place in places.values())
    return Plan(places, idle=None if is_used else home, home=home if is_used else None)


def _keep_beside(tool: Tool, places: dict[str, Destination], temporary: Path) -> None:
    """Layers that belong to another one are kept where it is kept: alone, it would be of no use to other tools."""
    for output in tool.layer_outputs:
        if output.name not in places or places[output.name].file != temporary:
            continue
        files = (places[name].file for name in tool.parameter(output.name).beside if name in places)
        kept = next((file for file in files if file != temporary), None)
        if kept:
            places[output.name] = Destination(kept, output.layer)


def places_beside(tool: Tool, places: dict[str, Destination]) -> list[Destination]:
    """Where the executable writes layers that nobody asked for: those that belong to another one go to its file."""
    found = []
    for output in tool.layer_outputs:
        neighbours = (places[name] for name in tool.parameter(output.name).beside if name in places)
        neighbour = None if output.name in places else next(neighbours, None)
        if neighbour:
            found.append(Destination(neighbour.file, output.layer))
    return found


def temporary_geopackage(context: Any, stem: str) -> Path:
    """A new file in QGIS's folder for this session. stem: a telling name."""
    return Path(QgsProcessingUtils.generateTempFilename(f"{stem}.gpkg", context))
