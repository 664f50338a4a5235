#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws how the cost of visibility grows with the city, from a table of docs/benchmarks/visibility.md, and prints how.

Usage: visibility_growth.py docs/benchmarks/visibility.md docs/images/visibility-growth.svg
"""
import math
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "visibility"  # the same file from the same numbers
from matplotlib import pyplot  # noqa: E402

heading = "## From 1 to 80 km²"  # of the table of visibility_to_file: one machine, one commit


def growth_of(page: str) -> list[dict[str, float]]:
    """Each city's cells by their column's title; raises ValueError when the page has no such table."""
    table = [line for line in page.partition(heading)[2].partition("\n!")[0].splitlines() if line.startswith("|")]
    titles, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table] or [[], []]
    rows = [dict(zip(titles[1:], (float(cell.replace(",", "")) for cell in cells[1:]), strict=True)) for cells in lines]
    if len(rows) < 2:
        raise ValueError(f"the page has no table of two cities or more under {heading}")
    return rows


def draw(rows: list[dict[str, float]], path: pathlib.Path) -> None:
    """Writes the plot: processor seconds over tiles, beside lines that grow as N^1.1 and as the visible pairs."""
    tiles, seconds, entries = ([row[title] for row in rows] for title in ("tiles", "processor s", "entries, 10⁶"))
    figure, axes = pyplot.subplots(figsize=(5, 3.6))
    axes.loglog(tiles, seconds, "o-", label="measured")
    axes.loglog(tiles, [seconds[0] * (n / tiles[0]) ** 1.1 for n in tiles], "--", label="N^1.1")
    axes.loglog(tiles, [seconds[0] * m / entries[0] for m in entries], ":", label="as the visible pairs")
    for row in rows:
        axes.annotate(f"{row['km²']:.0f} km²", (row["tiles"], row["processor s"]), (-6, 4), va="bottom", ha="right",
                      textcoords="offset points")
    axes.margins(0.2)
    axes.set_xlabel("tiles N")
    axes.set_ylabel("processor seconds, tiles")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def print_growth(rows: list[dict[str, float]]) -> None:
    """The exponent with which processor seconds grow with the tiles, from each city to the next."""
    for less, more in zip(rows, rows[1:]):
        exponent = math.log(more["processor s"] / less["processor s"]) / math.log(more["tiles"] / less["tiles"])
        print(f"{less['km²']:.0f} to {more['km²']:.0f} km²: N^{exponent:.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    growth = growth_of(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    draw(growth, pathlib.Path(sys.argv[2]))
    print_growth(growth)
