# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run as lines for the log: numbers and words by name, and tables, as the executable lays them out
(processing_algorithms/run/outcome_report.cpp). Imports no QGIS."""

from __future__ import annotations

import re
from html import escape
from typing import Any

# Narrow logs would break numbers in the middle.
_NO_BREAK = 'style="white-space:nowrap"'
_LINE_END = re.compile(r"[\n\r\t]")
# Longer texts are told below their table: it would be wider than the log.
LONGEST_CELL = 60


def _text(value: Any) -> str:
    """A number with two decimals; – for what there is not."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{round(value, 2) + 0.0:.2f}"  # no negative zero
    if isinstance(value, bool):
        return str(value).lower()
    return _LINE_END.sub(" ", str(value))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL - 1] + "…"


def is_table(value: Any) -> bool:
    """Objects with the same keys; the first one is the row's name."""
    return isinstance(value, list) and bool(value) and all(
        isinstance(row, dict) and row.keys() == value[0].keys() for row in value)


def single_figures(figures: dict[str, Any]) -> list[str]:
    """ "tiles: 2134", … of the figures that are no tables."""
    return [f"{name}: {_text(value)}" for name, value in figures.items() if isinstance(value, (int, float, str))]


def _laid_out(rows: list[dict[str, Any]]) -> tuple[list[list[str]], list[str]]:
    """The lines of a table, its head first, and the notes below it. REQUIRES: is_table(rows)."""
    first, *columns = rows[0]
    shown = [column for column in columns if all(len(_text(row[column])) <= LONGEST_CELL for row in rows)]
    lines = [[first, *shown], *([_shortened(_text(row[first])), *(_text(row[key]) for key in shown)] for row in rows)]
    notes = []
    for column in columns:
        if column in shown:
            continue
        told = list(dict.fromkeys(_text(row[column]) for row in rows))
        for long in told:
            of = [_shortened(_text(row[first])) for row in rows if _text(row[column]) == long]
            notes.append(f"{column}{'' if len(told) == 1 else ' of ' + ', '.join(of)}: {long}")
    return lines, notes


def table_text(name: str, rows: list[dict[str, Any]]) -> str:
    """A table for letters of one width, its name above, long texts below. REQUIRES: is_table(rows)."""
    lines, notes = _laid_out(rows)
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    text = [name]
    for cells in lines:
        padded = [cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))]
        text.append("  " + "  ".join(padded).rstrip())
    return "\n".join(text + [f"  {note}" for note in notes])


def table_html(name: str, rows: list[dict[str, Any]]) -> str:
    """The same for the log of a dialog, which has letters of any width and joins spaces. REQUIRES: is_table(rows)."""
    (head, *body), notes = _laid_out(rows)
    lines = [[f"<i>{escape(cell)}</i>" for cell in head], *(list(map(escape, cells)) for cells in body)]
    table = "".join("<tr>" + "".join(f"<td {_NO_BREAK}{' align=right' if i else ''}>{cell}</td>"
                                     for i, cell in enumerate(cells)) + "</tr>" for cells in lines)
    below = "".join(f"<br>{escape(note)}" for note in notes)
    return f"<br><b>{escape(name)}</b><table cellpadding=3>{table}</table>{below}"
