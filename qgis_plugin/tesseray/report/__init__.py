# SPDX-License-Identifier: GPL-3.0-or-later
"""A page that shows how good a prediction is: map, scatter, distributions, distance, line of sight, tables.

Made from the layers of a comparison alone, without QGIS: `python3 -m tesseray.report RESULT.gpkg [-o REPORT.html]`.
"""

from __future__ import annotations

from pathlib import Path

from .page import page
from .result import NoLevelsError, ReportError, read_result

__all__ = ["NoLevelsError", "ReportError", "write_report"]


def write_report(geopackage: Path, html: Path) -> None:
    """Writes the report on the comparison in `geopackage` as one HTML file with everything in it.

    Raises ReportError, which says what to do, when the file holds no comparison or the page cannot be written.
    """
    text = page(read_result(Path(geopackage)))
    html = Path(html)
    unfinished = html.with_name(f".{html.name}.unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(html)
    except OSError as problem:
        raise ReportError(f"{html}: the report cannot be written ({problem.strerror}). Name a file in a folder that "
                          "exists and that you may write to.") from problem
