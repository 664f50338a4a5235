# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run as lines for the log: numbers and words by name, and tables. Imports no QGIS."""

from __future__ import annotations

from typing import Any

# Longer texts are told below their table: it would be wider than the log.
LONGEST_CELL = 40


def _text(value: Any) -> str:
    """A number with two decimals; − for what there is not."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{round(value, 2) + 0.0:.2f}"  # no negative zero
    return " ".join(str(value).split())


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL - 1] + "…"


def is_table(value: Any) -> bool:
    """Objects with the same keys; the first one is the row's name."""
    return isinstance(value, list) and bool(value) and all(
        isinstance(row, dict) and row.keys() == value[0].keys() for row in value)


def single_figures(figures: dict[str, Any]) -> list[str]:
    """ "tiles: 2134", … of the figures that are no tables."""
    return [f"{name}: {_text(value)}" for name, value in figures.items() if isinstance(value, (int, float, str))]


def table_text(name: str, rows: list[dict[str, Any]]) -> str:
    """A table for letters of one width, its name above, long texts below. REQUIRES: is_table(rows)."""
    first, *columns = rows[0]
    shown = [column for column in columns if all(len(_text(row[column])) <= LONGEST_CELL for row in rows)]
    lines = [[first, *shown], *([_shortened(_text(row[first])), *(_text(row[key]) for key in shown)] for row in rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    text = [name]
    for cells in lines:
        padded = [cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))]
        text.append("  " + "  ".join(padded).rstrip())
    for column in columns:
        if column in shown:
            continue
        told = list(dict.fromkeys(_text(row[column]) for row in rows))
        for long in told:
            of = [_shortened(_text(row[first])) for row in rows if _text(row[column]) == long]
            text.append(f"  {column}{'' if len(told) == 1 else ' of ' + ', '.join(of)}: {long}")
    return "\n".join(text)
