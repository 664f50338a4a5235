# SPDX-License-Identifier: GPL-3.0-or-later
"""The town plan: a bent grid of streets, and what stands in each of its cells.

Street node (i, j) is where the i-th street from the west crosses the j-th from the south. Cell (i, j) lies north-east
of it. Town coordinates are metres east and north of ORIGIN.
"""
import math

from .geometry import inset, random_stream

# ETRS89 / UTM zone 32N, in the open North Sea, where no town is. Grid north is about 2 degrees off true north there.
CRS = "EPSG:25832"
ORIGIN = (340000.0, 6020000.0)

WEST_EAST_LINES = (40, 180, 345, 455, 565, 680, 795, 915, 1035)
SOUTH_NORTH_LINES = (30, 150, 265, 375, 480, 590, 710, 835, 965)
WIDTHS_OF_NORTHWARD_STREETS = (14, 14, 16, 13, 22, 14, 14, 12, 12)
WIDTHS_OF_EASTWARD_STREETS = (14, 14, 14, 18, 13, 22, 14, 12, 12)

# One letter per cell, north at the top: o old town, p perimeter block, t terraces, d detached houses, h towers on
# podiums, i industry, s school, c church square, m market, g park, f wooded hilltop, r river and its banks.
CELLS = ("drhhddfd",
         "drhgddfd",
         "drpooddd",
         "iroocodd",
         "iromootd",
         "irppostt",
         "irpppptt",
         "grppgptt")

BRIDGES = (3, 6)  # the only eastward streets that cross the river


def cell_kind(i, j):
    return CELLS[len(CELLS) - 1 - j][i]


def _bent(x, y, jitter):
    return (x + 15 * math.sin(y / 190 + 0.5) + 7 * math.sin(x / 140 + y / 260) + jitter.uniform(-5, 5),
            y + 14 * math.sin(x / 230 + 0.3) + 6 * math.sin(x / 120 - y / 200) + jitter.uniform(-5, 5))


def _make_nodes():
    jitter = random_stream("street nodes")
    return {(i, j): _bent(x, y, jitter)
            for j, y in enumerate(SOUTH_NORTH_LINES) for i, x in enumerate(WEST_EAST_LINES)}


NODES = _make_nodes()


def _exists(a, b):
    (i, j), eastward = a, b[0] > a[0]
    if not eastward:
        return True
    if cell_kind(min(i, 7), min(j, 7)) == "r":
        return j in BRIDGES
    joined_cells = {(0, 2), (6, 7)}  # the great hall and the hilltop park lie across these
    return a not in joined_cells


def streets():
    """Pairs of neighbouring nodes, each street piece once."""
    pairs = []
    for i, j in sorted(NODES):
        pairs += [((i, j), b) for b in ((i + 1, j), (i, j + 1)) if b in NODES and _exists((i, j), b)]
    return pairs


def cells():
    """Each cell's kind, indices and the ground between its streets (south, east, north, west side)."""
    for j in range(len(SOUTH_NORTH_LINES) - 1):
        for i in range(len(WEST_EAST_LINES) - 1):
            corners = [NODES[i, j], NODES[i + 1, j], NODES[i + 1, j + 1], NODES[i, j + 1]]
            half_widths = (WIDTHS_OF_EASTWARD_STREETS[j] / 2, WIDTHS_OF_NORTHWARD_STREETS[i + 1] / 2,
                           WIDTHS_OF_EASTWARD_STREETS[j + 1] / 2, WIDTHS_OF_NORTHWARD_STREETS[i] / 2)
            yield cell_kind(i, j), (i, j), inset(corners, half_widths)
