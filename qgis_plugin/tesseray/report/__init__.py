# SPDX-License-Identifier: GPL-3.0-or-later
"""A page that shows how good a prediction is: map, scatter, distributions, distance, line of sight, tables.

Made from the layers of a comparison alone, without QGIS: `python3 -m tesseray.report RESULT.gpkg [-o REPORT.html]`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from ..page_files import NoRoomForPage, PageNotWritten, require_replaceable, write_page
from .page import page
from .result import NoLevelsError, NoRoomError, ReportError, read_result

__all__ = ["NoLevelsError", "NoRoomError", "ReportError", "write_report"]


def write_report(geopackage: Path, html: Path, before_figure: Callable[[], None] = lambda: None) -> None:
    """Writes the report on the comparison in `geopackage` as one HTML file with everything in it.

    before_figure: called before each figure is drawn; what it raises ends the report, and leaves nothing of it. Raises
    ReportError, which says what to do, when the file holds no comparison or the page cannot be written, and where it
    would replace what is no page of Tesseray's.
    """
    html = Path(html)
    try:
        result = read_result(Path(geopackage))
        require_replaceable(html)
        write_page(page(result, before_figure), html)
    except PageNotWritten as problem:
        kind = NoRoomError if isinstance(problem, NoRoomForPage) else ReportError
        raise kind(f"The report cannot be written: {problem}") from problem
