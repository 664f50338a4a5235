#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws what ray launching costs against area and bounces, from the table of docs/benchmarks/propagation.md.

Usage: propagation_growth.py docs/benchmarks/propagation.md docs/images/propagation-growth.svg
"""
import collections
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "propagation"  # the same file from the same numbers
from matplotlib import pyplot, ticker  # noqa: E402

MOST_BOUNCES = 6
BOUNCES_OVER_AREA = 3  # the number of bounces for which the area varies
COLUMNS = 3 + MOST_BOUNCES  # of the page's table: city, tiles, antenna, and processor seconds per number of bounces


def costs_of(page: str) -> dict[str, dict[float, list[float]]]:
    """Processor seconds for 1, 2 … bounces, per antenna and area in km².

    Raises ValueError when there are none.
    """
    costs: dict[str, dict[float, list[float]]] = collections.defaultdict(dict)
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == COLUMNS + 2 and cells[1].startswith("synthetic:"):
            side_km = float(cells[1].removeprefix("synthetic:")) / 1000
            costs[cells[3]][side_km * side_km] = [float(cell.replace(",", "")) for cell in cells[4:-1]]
    if not costs:
        raise ValueError("the page has no table of synthetic cities to draw")
    return costs


def draw(costs: dict[str, dict[float, list[float]]], path: pathlib.Path) -> None:
    """Writes the plot: over the area beside a line that grows as it does, and over the bounces for the largest one."""
    largest = max(area for by_area in costs.values() for area in by_area)
    figure, (over_area, over_bounces) = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for antenna, by_area in costs.items():
        areas = sorted(by_area)
        over_area.loglog(areas, [by_area[area][BOUNCES_OVER_AREA - 1] for area in areas], "o-", label=antenna)
        over_bounces.semilogy(range(1, MOST_BOUNCES + 1), by_area[largest], "o-", label=antenna)
    first = min(by_area[min(by_area)][BOUNCES_OVER_AREA - 1] for by_area in costs.values())
    over_area.loglog(areas, [first * area / areas[0] for area in areas], ":", label="as the area")
    over_area.set_xticks(areas, labels=[f"{area:.0f}" for area in areas])
    over_area.xaxis.set_minor_locator(ticker.NullLocator())
    over_area.set_xlabel(f"area, km² ({BOUNCES_OVER_AREA} bounces)")
    over_area.set_ylabel("processor seconds")
    over_bounces.set_xlabel(f"bounces ({largest:.0f} km²)")
    for axes in (over_area, over_bounces):
        axes.grid(True, which="both", alpha=0.3)
        axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    over_area.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(costs_of(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[2]))
