# SPDX-License-Identifier: GPL-3.0-or-later
"""SQLite files, GeoPackages among them, as the plugin opens them by itself. Imports no QGIS."""

from __future__ import annotations

import os
import sqlite3
import urllib.parse
from contextlib import closing
from pathlib import PurePath


class UnfinishedChanges(sqlite3.OperationalError):
    """Says by which file what a program has begun must be taken back, and what to do."""


def uri_of(file: PurePath, mode: str) -> str:
    """A file as SQLite takes it. mode: "ro", or "rw" for a file that is there and written to.

    The slashes are coded, too: where a path begins with two, as on network drives of Windows, SQLite would take the
    server for an authority, and refuse it.
    """
    return f"file:{urllib.parse.quote(os.fsencode(file), safe='')}?mode={mode}"


def read_only(file: PurePath) -> sqlite3.Connection:
    """Throws sqlite3.Error for a file that may not be read. Bytes in its texts that are no UTF-8 are replaced.

    Changes that a program began and was ended in are taken back first, which reading alone cannot do.
    """
    _take_back_unfinished_changes(file)
    database = sqlite3.connect(uri_of(file, "ro"), uri=True)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    return database


def _take_back_unfinished_changes(file: PurePath) -> None:
    journal = f"{file}-journal"
    if not _has_content(journal):
        return
    # SQLite tells by its locks whether whoever began the changes is still at it: then they are no reason to refuse.
    try:
        _look_into(file, "ro")
        return
    except sqlite3.OperationalError as problem:
        # The number of SQLite's error is there from Python 3.11 on.
        if "readonly database" not in str(problem):
            return
    try:
        _look_into(file, "rw")
    except sqlite3.OperationalError as problem:
        if "locked" not in str(problem):
            raise UnfinishedChanges(
                f"A program that was ended while it changed {file} has left {journal}, by which the changes are taken "
                f"back; that cannot be done ({problem}). Give the permission to write to both files and to their folder, "
                "and room on the disk, or copy both to a folder of your own.") from problem


def _has_content(file: str) -> bool:
    try:
        return os.path.getsize(file) > 0
    except OSError:
        return False


def _look_into(file: PurePath, mode: str) -> None:
    with closing(sqlite3.connect(uri_of(file, mode), uri=True)) as database:
        database.execute("SELECT 1 FROM sqlite_master")
