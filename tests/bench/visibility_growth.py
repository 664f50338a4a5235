#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws how the cost of visibility grows with the city, from the table of docs/benchmarks/visibility.md.

Usage: visibility_growth.py docs/benchmarks/visibility.md docs/images/visibility-growth.svg
"""
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "visibility"  # the same file from the same numbers
from matplotlib import pyplot  # noqa: E402

columns_of_costs = 8  # of the page's first table: city, tiles, entries, seconds, processor seconds, …


def growth_of(page: str) -> list[tuple[float, float, float]]:
    """Tiles, processor seconds and millions of entries per synthetic city; raises ValueError when there is none."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == columns_of_costs + 2 and cells[1].startswith("synthetic:"):
            rows.append((float(cells[2].replace(",", "")), float(cells[5]), float(cells[3])))
    if len(rows) < 2:
        raise ValueError("the page has no table of synthetic cities to draw")
    return rows


def draw(rows: list[tuple[float, float, float]], path: pathlib.Path) -> None:
    """Writes the plot: processor seconds over tiles, beside lines that grow as N^1.1 and as the visible pairs."""
    tiles, seconds, entries = (list(column) for column in zip(*rows))
    figure, axes = pyplot.subplots(figsize=(5, 3.6))
    axes.loglog(tiles, seconds, "o-", label="measured")
    axes.loglog(tiles, [seconds[0] * (n / tiles[0]) ** 1.1 for n in tiles], "--", label="N^1.1")
    axes.loglog(tiles, [seconds[0] * m / entries[0] for m in entries], ":", label="as the visible pairs")
    axes.set_xlabel("tiles N")
    axes.set_ylabel("processor seconds, tiles")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(growth_of(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[2]))
