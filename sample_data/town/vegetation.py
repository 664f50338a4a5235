# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees: river banks, parks, the wooded hilltop, an avenue, gardens and courtyards. None stands in a building."""
import math
from dataclasses import dataclass

from . import terrain
from .geometry import between, centre, direction, distance, in_quad, random_stream, regular_polygon
from .plan import BRIDGES, NODES, WIDTHS_OF_NORTHWARD_STREETS, cells
from .shapes import Neighbourhood, polygon

CLEARANCE_M = 2.0  # crowns keep this far from walls
AVENUE = 4         # the wide northward street that is lined with trees


@dataclass
class Vegetation:
    outline: list
    height_m: float  # of the crowns above the ground
    use: str


def all_vegetation(buildings):
    walls = Neighbourhood([polygon(b.outline) for b in buildings])
    candidates = _river_banks() + _avenue()
    for kind, index, ground in cells():
        candidates += _in_cell(kind, ground, random_stream(f"trees {index}"))
    accepted, crowns = [], []
    for tree in candidates:
        crown = polygon(tree.outline)
        if not walls.any_within(crown, CLEARANCE_M) and not Neighbourhood(crowns).any_within(crown, 0.5):
            accepted.append(tree)
            crowns.append(crown)
    return accepted


def _grove(middle, radius, corners, height, use, dice):
    ring = [(middle[0] + (x - middle[0]) * stretch, middle[1] + (y - middle[1]) * stretch)
            for x, y in regular_polygon(middle, radius, corners, dice.uniform(0, 1))
            for stretch in [dice.uniform(0.75, 1.15)]]
    return Vegetation(ring, round(height, 1), use)


def _in_cell(kind, ground, dice):
    if kind == "f":
        spots = [(0.22, 0.25), (0.7, 0.2), (0.25, 0.78), (0.75, 0.8)]
        groves = [_grove(in_quad(ground, *spot), dice.uniform(20, 26), 12, dice.uniform(14, 20), "wood", dice)
                  for spot in spots]
        return [g for g in groves if distance(centre(g.outline), terrain.HILL_TOP) > 42.0]
    if kind == "g":
        return [_grove(in_quad(ground, dice.uniform(0.15, 0.85), dice.uniform(0.15, 0.85)), dice.uniform(6, 13), 10,
                       dice.uniform(10, 18), "park", dice) for _ in range(5)]
    if kind == "d":
        return [Vegetation(regular_polygon(in_quad(ground, dice.uniform(0.05, 0.95), dice.uniform(0.4, 0.6)),
                                           dice.uniform(2.5, 4.5), 8), round(dice.uniform(5, 11), 1), "garden")
                for _ in range(4)]
    if kind in "ps":
        return [Vegetation(regular_polygon(in_quad(ground, u, 0.5), dice.uniform(3.5, 5.5), 8),
                           round(dice.uniform(8, 14), 1), "courtyard") for u in (0.3, 0.5, 0.7)]
    return []


def _river_banks():
    strips = []
    bridge_y = [between(NODES[1, j], NODES[2, j], 0.5)[1] for j in BRIDGES]
    for south, north in zip([-30.0] + [y + 16.0 for y in bridge_y], [y - 16.0 for y in bridge_y] + [1020.0]):
        steps = max(4, math.ceil((north - south) / 30.0))
        northings = [south + (north - south) * k / steps for k in range(steps + 1)]
        for near, far in ((17.0, 27.0), (-27.0, -17.0)):
            bank = [(float(terrain.river_x(y)) + far, y) for y in northings]
            bank += [(float(terrain.river_x(y)) + near, y) for y in reversed(northings)]
            strips.append(Vegetation(bank, 11.0, "river bank"))
    return strips


def _avenue():
    kerb = WIDTHS_OF_NORTHWARD_STREETS[AVENUE] / 2 - 3.5
    trees = []
    for j in range(8):
        a, b = NODES[AVENUE, j], NODES[AVENUE, j + 1]
        ux, uy = direction(a, b)
        for k in range(1, 4):
            x, y = between(a, b, k / 4)
            trees += [Vegetation(regular_polygon((x + side * kerb * uy, y - side * kerb * ux), 2.2, 8), 9.0, "avenue")
                      for side in (-1, 1)]
    return trees
