# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs that a file of results keeps: which tool wrote which of its layers, and from what. Imports no QGIS."""

from __future__ import annotations

import json
import sqlite3
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

RUNS_TABLE = "tesseray_runs"


@dataclass(frozen=True)
class RecordedRun:
    """A row of tesseray_runs. inputs: each with path and bytes. file: the GeoPackage with the row, number: its number.

    layers: those that the run wrote into it, in turn.
    """

    tool: str
    parameters: Mapping[str, Any]
    inputs: list[dict[str, Any]]
    file: Path
    number: int = 0
    layers: Sequence[str] = ()


def recorded_run(file: Path, layer: str) -> RecordedRun | None:
    """The last run that wrote `layer` into a GeoPackage; None for files that Tesseray did not write.

    Names that differ in case alone are the same, as GDAL opens them.
    """
    if not file.is_file():
        return None
    database = sqlite3.connect(f"file:{urllib.parse.quote(str(file))}?mode=ro", uri=True)
    try:
        rows = database.execute(f"SELECT rowid, tool, parameters, inputs, layers FROM {RUNS_TABLE} ORDER BY rowid DESC")
        for number, tool, parameters, inputs, layers in rows:
            written = json.loads(layers)
            if layer.casefold() in map(str.casefold, written):
                return RecordedRun(tool, json.loads(parameters), json.loads(inputs), file, number, written)
    except (sqlite3.Error, ValueError, TypeError):
        return None
    finally:
        database.close()
    return None
