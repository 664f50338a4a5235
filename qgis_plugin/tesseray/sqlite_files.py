# SPDX-License-Identifier: GPL-3.0-or-later
"""SQLite files, GeoPackages among them, as the plugin opens them by itself. Imports no QGIS."""

from __future__ import annotations

import os
import sqlite3
import urllib.parse
from pathlib import PurePath


def uri_of(file: PurePath, mode: str) -> str:
    """A file as SQLite takes it. mode: "ro", or "rw" for a file that is there and written to.

    The slashes are coded, too: where a path begins with two, as on network drives of Windows, SQLite would take the
    server for an authority, and refuse it.
    """
    return f"file:{urllib.parse.quote(os.fsencode(file), safe='')}?mode={mode}"


def read_only(file: PurePath) -> sqlite3.Connection:
    """Throws sqlite3.Error for a file that may not be read. Bytes in its texts that are no UTF-8 are replaced."""
    database = sqlite3.connect(uri_of(file, "ro"), uri=True)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    return database
