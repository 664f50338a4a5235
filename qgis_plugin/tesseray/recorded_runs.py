# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs that a file of results keeps: which tool wrote which of its layers, and from what. Imports no QGIS."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

from .sqlite_files import read_only, uri_of

RUNS_TABLE = "tesseray_runs"


@dataclass(frozen=True)
class RecordedRun:
    """A row of tesseray_runs. inputs: each with path, bytes and hash. file: the GeoPackage with the row, number: its number.

    layers: those that the run wrote into it, in turn.
    """

    tool: str
    parameters: Mapping[str, Any]
    inputs: list[dict[str, Any]]
    file: Path
    number: int = 0
    layers: Sequence[str] = ()


def copy_text(name: str, source: str) -> str:
    """What a run records of an input that is the copy of a layer."""
    return f"“{name}” ({source})"


def source_in(text: str) -> str | None:
    """The source in a text of `copy_text`, None where its file is not there. Names of layers may hold what ends them."""
    starts = (found.end() for found in re.finditer(r"” \(", text))
    sources = (text[start:-1] for start in starts)
    return next((source for source in sources if os.path.isfile(source.split("|")[0])), None)


def recorded_run(file: Path, layer: str) -> RecordedRun | None:
    """The last run that wrote `layer` into a GeoPackage; None for files that Tesseray did not write.

    Names that differ in case alone are the same, as GDAL opens them.
    """
    return next((run for run in recorded_runs(file) if layer.casefold() in map(str.casefold, run.layers)), None)


def recorded_runs(file: Path) -> list[RecordedRun]:
    """Those that wrote into a GeoPackage, the last one first; none for files that Tesseray did not write."""
    if not os.path.isfile(file):
        return []
    query = f"SELECT rowid, tool, parameters, inputs, layers FROM {RUNS_TABLE} ORDER BY rowid DESC"
    try:
        with closing(read_only(file)) as database:
            return [RecordedRun(tool, json.loads(parameters), json.loads(inputs), file, number, json.loads(layers))
                    for number, tool, parameters, inputs, layers in database.execute(query)]
    except (sqlite3.Error, ValueError, TypeError):
        return []


def copy_runs(file: Path, copy: Path, names: Mapping[str, str]) -> None:
    """The records of the runs into a GeoPackage that holds copies of their layers, if there are any.

    names: by the name of a layer, that of its copy.
    """
    database = sqlite3.connect(uri_of(copy, "rw"), uri=True)
    try:
        database.execute("ATTACH ? AS original", (uri_of(file, "ro"),))
        schema = database.execute("SELECT sql FROM original.sqlite_master WHERE name = ?", (RUNS_TABLE,)).fetchone()
        if schema is None:
            return
        database.execute(*schema)
        database.execute(f"INSERT INTO {RUNS_TABLE} SELECT * FROM original.{RUNS_TABLE} ORDER BY rowid")
        database.execute("INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES (?1, 'attributes', ?1)",
                         (RUNS_TABLE,))
        copied = {name.casefold(): name_of_copy for name, name_of_copy in names.items()}
        for number, layers in database.execute(f"SELECT rowid, layers FROM {RUNS_TABLE}").fetchall():
            renamed = [copied.get(layer.casefold(), layer) for layer in json.loads(layers)]
            database.execute(f"UPDATE {RUNS_TABLE} SET layers = ? WHERE rowid = ?",
                             (json.dumps(renamed, ensure_ascii=False), number))
        database.commit()
    except (sqlite3.Error, ValueError, TypeError):
        database.rollback()  # another program's table of that name
    finally:
        database.close()
