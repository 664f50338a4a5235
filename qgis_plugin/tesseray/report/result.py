# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report needs of a GeoPackage: measurements with their predictions, statistics, the run, and the map."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..sqlite_files import UnfinishedChanges, read_only
from . import geometry
from .statistics import NAN, ErrorFigures, figures_of

ABOVE_GROUND = ", above ground"
# Written values are single precision in places: far above that, far below what anybody reads off a table.
_SAME_DB = 0.001
_LEVELS = {"received_power": ("received power", "dBm", "received_power_dbm"),
           "path_loss": ("path loss, sign changed", "dB", "path_loss_db"),
           "basic_loss": ("basic transmission loss, sign changed", "dB", "basic_loss_db"),
           "field_strength": ("field strength", "dB(µV/m)", "field_dbuvm")}


class ReportError(Exception):
    """Says what is wrong with which file, and what to do."""


class NoRoomError(ReportError):
    """The disk, a quota or a limit of file sizes takes no more."""


class NoLevelsError(ReportError):
    """The comparison is not one of levels in dB."""


@dataclass
class Measurements:
    """Measurements in rows; all arrays of shape (n,), but places of shape (n, 2) in the layer's CRS."""

    transmitter_id: np.ndarray
    measured_db: np.ndarray
    predicted_db: np.ndarray
    distance_m: np.ndarray
    line_of_sight: np.ndarray
    above_ground: np.ndarray
    places: np.ndarray

    @property
    def error_db(self) -> np.ndarray:
        return self.predicted_db - self.measured_db

    def where(self, chosen: np.ndarray) -> Measurements:
        """The rows where `chosen`, bool of shape (n,), is true."""
        return Measurements(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.measured_db)


@dataclass
class Group:
    """A row of error_statistics."""

    name: str
    transmitter_id: int | None
    figures: ErrorFigures
    over_sites: dict[str, float] = field(default_factory=dict)
    removed_mean_db: float = NAN
    above_ground: bool = False

    @property
    def label(self) -> str:
        return self.name.removesuffix(ABOVE_GROUND) if self.above_ground else self.name


@dataclass
class Run:
    """A row of tesseray_runs."""

    columns: dict[str, Any]

    def text(self, name: str) -> str:
        return str(self.columns.get(name) or "")

    def json(self, name: str, default: Any) -> Any:
        try:
            return json.loads(self.columns.get(name) or "")
        except ValueError:
            return default

    @property
    def parameters(self) -> dict[str, Any]:
        return self.json("parameters", {})


@dataclass
class Site:
    """A transmitter on the map, in the layers' CRS."""

    transmitter_id: int
    name: str
    place: np.ndarray  # shape (2,)


@dataclass
class Coverage:
    """Predicted levels of one transmitter's ground tiles: outlines, or centroids where the tiles were written so."""

    level: np.ndarray          # shape (n,)
    outlines: list[np.ndarray]  # n of shape (vertices, 2), or none
    centroids: np.ndarray      # shape (n, 2) where there are no outlines


@dataclass
class Result:
    file: Path
    used: Measurements
    total: int
    excluded: list[tuple[str, str, int]]  # reason, transmitter's name, how many
    groups: list[Group]
    runs: list[Run]
    sites: list[Site]
    roofs: list[np.ndarray]
    differing_groups: list[str]  # whose statistics are not those of the rows

    @property
    def comparison_run(self) -> Run | None:
        """The last run that wrote the compared rows."""
        return self._last_run_with("prediction_error")

    @property
    def prediction_run(self) -> Run | None:
        return self._last_run_with("path_loss")

    def _last_run_with(self, layer: str) -> Run | None:
        return next((run for run in reversed(self.runs) if layer in run.json("layers", [])), None)

    @property
    def replaced_since(self) -> list[str]:
        """The layers that the page draws and that a run has written anew after the comparison."""
        compared = self.comparison_run
        later = self.runs[self.runs.index(compared) + 1:] if compared else []
        return [layer for layer in ("path_loss", "transmitters") if any(layer in run.json("layers", []) for run in later)]

    @property
    def level(self) -> tuple[str, str]:
        """What is compared, and its unit."""
        return _level(self.comparison_run)[:2]

    def site_groups(self, above_ground: bool) -> list[Group]:
        """The transmitters' rows that have measurements."""
        return [g for g in self.groups if g.transmitter_id is not None and g.above_ground == above_ground
                and g.figures.n]

    def group(self, label: str, above_ground: bool) -> Group | None:
        """The row `all` or `sites`."""
        return next((g for g in self.groups if g.transmitter_id is None and g.label == label
                     and g.above_ground == above_ground), None)

    def coverage(self, transmitter_id: int) -> Coverage | None:
        """Read when it is drawn: a city's tiles are large, and one transmitter's at a time are enough."""
        with _opened(self.file) as database:
            return _coverage(database, transmitter_id, _level(self.comparison_run)[2])


def _level(run: Run | None) -> tuple[str, str, str]:
    kind = run.parameters.get("VALUE_KIND", "received_power") if run else "received_power"
    return _LEVELS.get(kind, _LEVELS["received_power"])


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The database, read-only; ReportError where it is none, or damaged."""
    try:
        with closing(read_only(file)) as database:
            database.row_factory = sqlite3.Row
            yield database
    except UnfinishedChanges as problem:
        raise ReportError(str(problem)) from problem
    except sqlite3.DatabaseError as problem:
        raise ReportError(f"{file} cannot be read as a GeoPackage ({problem}). Give the GeoPackage that a comparison "
                          "was written to.") from problem


def _tables(database: sqlite3.Connection) -> set[str]:
    return {row[0] for row in database.execute("SELECT table_name FROM gpkg_contents")}


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def _geometry_column(database: sqlite3.Connection, table: str) -> str | None:
    row = database.execute("SELECT column_name FROM gpkg_geometry_columns WHERE table_name = ?", (table,)).fetchone()
    return row[0] if row else None


def _require_geopackage(file: Path) -> None:
    if not os.path.isfile(file):
        raise ReportError(f"{file} does not exist. Give the GeoPackage that a comparison was written to.")
    with _opened(file) as database:
        names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    if "gpkg_contents" not in names:
        raise ReportError(f"{file} is no GeoPackage. Give the GeoPackage that a comparison was written to.")


def _require_comparison(file: Path, tables: set[str]) -> None:
    missing = [name for name in ("prediction_error", "error_statistics") if name not in tables]
    if missing:
        raise ReportError(f"{file} has no layer {' and no layer '.join(missing)}: the report needs a comparison with a "
                          "drive test. Give the GeoPackage that both layers of the comparison were written to.")


def _require_levels(database: sqlite3.Connection, file: Path) -> None:
    if "error_db" not in _columns(database, "prediction_error"):
        raise NoLevelsError(f"{file} compares arrival times: the report is about levels in dB. Give a comparison of "
                            "powers, losses or field strengths.")


def _numbers(rows: list[sqlite3.Row], name: str) -> np.ndarray:
    return np.array([NAN if row[name] is None else row[name] for row in rows], dtype=float)


def _measurements(database: sqlite3.Connection) -> Measurements:
    """Those that were used."""
    column = _geometry_column(database, "prediction_error")
    place = f'"{column}"' if column else "NULL"
    above = "above_ground" if "above_ground" in _columns(database, "prediction_error") else "0"
    rows = database.execute(f"SELECT transmitter_id, measured_db, predicted_db, distance_m, line_of_sight, {above} AS "
                            f"above_ground, {place} AS place FROM prediction_error WHERE excluded_because IS NULL "
                            "ORDER BY transmitter_id, measurement_id").fetchall()
    return Measurements(transmitter_id=np.array([row["transmitter_id"] for row in rows], dtype=np.int64),
                        measured_db=_numbers(rows, "measured_db"), predicted_db=_numbers(rows, "predicted_db"),
                        distance_m=_numbers(rows, "distance_m"),
                        line_of_sight=np.array([bool(row["line_of_sight"]) for row in rows], dtype=bool),
                        above_ground=np.array([bool(row["above_ground"]) for row in rows], dtype=bool),
                        places=geometry.points([row["place"] for row in rows]))


def _group(row: sqlite3.Row) -> Group:
    def number(name: str) -> float:
        return NAN if name not in row.keys() or row[name] is None else float(row[name])

    names = [name for name in ErrorFigures.__dataclass_fields__ if name != "n"]
    over_sites = {name: number(name)
                  for name in ("mean_of_mean_db", "std_of_mean_db", "mean_of_std_db", "std_of_std_db")}
    return Group(name=row["group"], transmitter_id=row["transmitter_id"],
                 figures=ErrorFigures(n=row["n"] or 0, **{name: number(name) for name in names}),
                 over_sites=over_sites, removed_mean_db=number("removed_mean_db"))


def _groups(database: sqlite3.Connection) -> list[Group]:
    """Rows of transmitters stand before those of all of them, whose names are known to have the height or not."""
    groups = [_group(row) for row in database.execute("SELECT * FROM error_statistics ORDER BY rowid")]
    above_ground = False
    for group in reversed(groups):
        if group.transmitter_id is None:
            above_ground = group.name.endswith(ABOVE_GROUND)
        group.above_ground = above_ground
    return groups


def _excluded(database: sqlite3.Connection, groups: list[Group]) -> list[tuple[str, str, int]]:
    names = {group.transmitter_id: group.label for group in groups if group.transmitter_id is not None}
    rows = database.execute("SELECT excluded_because, transmitter_id, count(*) FROM prediction_error WHERE "
                            "excluded_because IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2")
    return [(reason, names.get(identity, "unknown"), count) for reason, identity, count in rows]


def _sites(database: sqlite3.Connection, tables: set[str]) -> list[Site]:
    column = _geometry_column(database, "transmitters") if "transmitters" in tables else None
    if column is None:
        return []
    rows = database.execute(f'SELECT transmitter_id, name, "{column}" FROM transmitters ORDER BY 1').fetchall()
    return [Site(row[0], row[1], place) for row, place in zip(rows, geometry.points([row[2] for row in rows]))]


def _roofs(database: sqlite3.Connection, tables: set[str]) -> list[np.ndarray]:
    """Outlines of roofs, from whichever layer has them."""
    for table, condition in (("buildings", "1"), ("tiles", "kind = 'roof'"),
                             ("path_loss", "kind = 'roof' AND transmitter_id = "
                                           "(SELECT min(transmitter_id) FROM path_loss)")):
        column = _geometry_column(database, table) if table in tables else None
        if column is None or ("kind" in condition and "kind" not in _columns(database, table)):
            continue
        blobs = [row[0] for row in database.execute(f'SELECT "{column}" FROM {table} WHERE {condition}')]
        found = [ring for ring in geometry.outlines(blobs) if len(ring)]
        if found:
            return found
    return []


def _coverage(database: sqlite3.Connection, transmitter_id: int, level: str) -> Coverage | None:
    if "path_loss" not in _tables(database) or not {level, "kind"} <= _columns(database, "path_loss"):
        return None
    column = _geometry_column(database, "path_loss")
    if column is None:
        return None
    rows = database.execute(f'SELECT "{column}", "{level}" FROM path_loss WHERE transmitter_id = ? AND '
                            f"kind = 'ground' AND \"{level}\" IS NOT NULL", (transmitter_id,)).fetchall()
    blobs = [row[0] for row in rows]
    # Losses are compared with their sign changed, and drawn so too.
    sign = -1.0 if level in ("path_loss_db", "basic_loss_db") else 1.0
    levels = sign * np.array([row[1] for row in rows], dtype=float)
    if not rows:
        return None
    rings = geometry.outlines(blobs)
    if all(len(ring) for ring in rings):
        return Coverage(levels, rings, np.empty((0, 2)))
    return Coverage(levels, [], geometry.points(blobs))


def _differing(groups: list[Group], used: Measurements) -> list[str]:
    found = []
    for group in groups:
        if group.label == "sites" and group.transmitter_id is None:
            continue
        chosen = used.above_ground == group.above_ground
        if group.transmitter_id is not None:
            chosen &= used.transmitter_id == group.transmitter_id
        rows = used.where(chosen)
        if group.figures.differs_from(figures_of(rows.predicted_db, rows.measured_db), _SAME_DB):
            found.append(group.name)
    return found


def read_result(file: Path) -> Result:
    """Reads the comparison in a GeoPackage. Raises ReportError where there is none, or none of its rows was used."""
    _require_geopackage(file)
    with _opened(file) as database:
        tables = _tables(database)
        _require_comparison(file, tables)
        _require_levels(database, file)
        groups = _groups(database)
        used = _measurements(database)
        excluded = _excluded(database, groups)
        if not len(used):
            reasons = "; ".join(sorted({reason for reason, _, _ in excluded})) or "the layer has no rows"
            raise ReportError(f"{file}, layer prediction_error: no measurement was used ({reasons}), so there is "
                              "nothing to report on. The column excluded_because says for each why.")
        runs = [Run(dict(row)) for row in database.execute("SELECT * FROM tesseray_runs ORDER BY rowid")] \
            if "tesseray_runs" in tables else []
        return Result(file=file, used=used, total=len(used) + sum(count for _, _, count in excluded),
                      excluded=excluded, groups=groups, runs=runs, sites=_sites(database, tables),
                      roofs=_roofs(database, tables), differing_groups=_differing(groups, used))
