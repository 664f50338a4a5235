# SPDX-License-Identifier: GPL-3.0-or-later
"""The buildings: each kind of cell has one function that fills it."""
from dataclasses import dataclass, field

from .geometry import (between, centre, direction, distance, frame_points, in_quad, inset, part_of_quad, random_stream,
                       rectangle)
from .plan import cells


@dataclass
class Building:
    outline: list                # counter-clockwise, town metres
    height_m: float | None       # roof above the mean ground under the footprint; None: nobody measured it
    material: str
    levels: int | None
    use: str
    base_m: float = 0.0          # bottom of a part that begins above the ground
    courtyards: list = field(default_factory=list)
    name: str | None = None


def all_buildings():
    fill = {"o": _old_town, "p": _perimeter_block, "t": _terraces, "d": _detached_houses, "h": _towers_on_podium,
            "i": _industry, "s": _school, "c": _church_square, "m": _market}
    buildings = []
    for kind, index, ground in cells():
        if kind in fill:
            buildings += fill[kind](index, ground, random_stream(f"cell {index}"))
    _forget_some_heights(buildings)
    return buildings


def _forget_some_heights(buildings):
    """Real data has gaps: five detached houses without a height, two of them without storeys either."""
    houses = [b for b in buildings if b.use == "detached house"]
    for k, building in enumerate(houses[7::23][:5]):
        building.height_m = None
        if k < 2:
            building.levels = None


def _houses_around(ground, depth_m, house_width_m, dice):
    """Houses in a closed ring around a courtyard; neighbours share their party walls point for point."""
    court = inset(ground, [depth_m] * 4)
    houses = []
    for k in range(4):
        outer, inner = (ground[k], ground[(k + 1) % 4]), (court[k], court[(k + 1) % 4])
        count = max(1, round(distance(*outer) / house_width_m))
        cuts = [0.0] + [(n + dice.uniform(-0.15, 0.15)) / count for n in range(1, count)] + [1.0]
        houses += [[between(*outer, s), between(*outer, t), between(*inner, t), between(*inner, s)]
                   for s, t in zip(cuts, cuts[1:])]
    return houses


def _old_town(index, ground, dice):
    """Two narrow blocks with a lane between them; one in a few is a single building around its courtyard."""
    middle, lane = dice.uniform(0.46, 0.54), 4.75 / distance(ground[0], ground[1])
    buildings = []
    for west, east in ((0.0, middle - lane), (middle + lane, 1.0)):
        block = inset(part_of_quad(ground, west, 0, east, 1), [1.0] * 4)
        if dice.random() < 0.28:
            buildings.append(Building(block, round(dice.uniform(11, 15), 1), "brick", 3, "palace",
                                      courtyards=[inset(block, [11.0] * 4)]))
            continue
        for outline in _houses_around(block, dice.uniform(9.5, 11.5), 18.0, dice):
            levels = dice.choice((2, 3, 3, 3, 4))
            buildings.append(Building(outline, round(3.1 * levels + dice.uniform(1.5, 3.5), 1),
                                      dice.choice(("brick", "brick", "concrete", "wood")), levels, "town house"))
    return buildings


def _perimeter_block(index, ground, dice):
    block = inset(ground, [2.5] * 4)
    if sum(index) % 4 == 3:
        return [Building(block, 21.0, "brick", 6, "apartments", courtyards=[inset(block, [13.0] * 4)])]
    buildings = []
    for outline in _houses_around(block, 12.5, 27.0, dice):
        levels = dice.choice((4, 5, 5, 6))
        buildings.append(Building(outline, round(3.3 * levels + dice.uniform(0.8, 2.0), 1),
                                  dice.choice(("brick", "concrete")), levels, "apartments"))
    if dice.random() < 0.6:  # a workshop in the yard
        buildings.append(Building(rectangle(centre(ground), 22, 11, direction(ground[0], ground[1])), 5.5, "brick", 1,
                                  "workshop"))
    return buildings


def _terraces(index, ground, dice):
    """Three rows, each of two groups of houses that share party walls."""
    depth = 10.5 / distance(ground[1], ground[2])
    buildings = []
    for south in (0.06, 0.5 - depth / 2, 0.94 - depth):
        for west, east in ((0.05, 0.46), (0.54, 0.95)):
            count = round((east - west) * distance(ground[0], ground[1]) / 8.0)
            material, height = dice.choice(("brick", "brick", "concrete")), round(dice.uniform(7.4, 9.2), 1)
            for n in range(count):
                u0, u1 = (west + (east - west) * k / count for k in (n, n + 1))
                buildings.append(Building(part_of_quad(ground, u0, south, u1, south + depth), height, material, 2,
                                          "row house"))
    return buildings


def _detached_houses(index, ground, dice):
    buildings = []
    for row, v in enumerate((0.22, 0.78)):
        for column in range(4):
            if dice.random() < 0.1:
                continue  # an empty plot
            spot = in_quad(ground, (column + 0.5) / 4 + dice.uniform(-0.02, 0.02), v + dice.uniform(-0.03, 0.03))
            bearing = direction(ground[0], ground[1])
            length, width = dice.uniform(10, 14), dice.uniform(8.5, 11)
            levels = dice.choice((1, 2, 2))
            if dice.random() < 0.3:
                x, y, notch = length / 2, width / 2, 4.0
                outline = frame_points(spot, bearing, [(-x, -y), (x, -y), (x, y - notch), (x - notch, y - notch),
                                                       (x - notch, y), (-x, y)])
            else:
                outline = rectangle(spot, length, width, bearing)
            buildings.append(Building(outline, round(3.0 * levels + dice.uniform(1.5, 3.0), 1),
                                      dice.choice(("brick", "brick", "wood")), levels, "detached house"))
    return buildings


def _towers_on_podium(index, ground, dice):
    """A podium, two towers standing on its roof, and in one cell a bridge between them high above the podium."""
    bearing, middle = direction(ground[0], ground[1]), in_quad(ground, 0.5, 0.46)
    podium = rectangle(middle, 72, 40, bearing)
    parts = [Building(podium, 8.0, "concrete", 2, "shops")]
    tower_height = (46.4, 55.7) if index == (2, 7) else (40.2, 34.0)
    for x, height in zip((-22, 22), tower_height):
        spot = frame_points(middle, bearing, [(x, 0)])[0]
        parts.append(Building(rectangle(spot, 20, 20, bearing), height, "glass", round((height - 8) / 3.1), "offices",
                              base_m=8.0))
    if index == (2, 7):
        bridge = frame_points(middle, bearing, [(-12, -3), (12, -3), (12, 3), (-12, 3)])
        parts.append(Building(bridge, 31.0, "glass", 1, "offices", base_m=26.0, name="Sky bridge"))
    parts.append(Building(rectangle(in_quad(ground, 0.5, 0.88), 46, 10, bearing), 11.5, "concrete", 3, "apartments"))
    return parts


def _industry(index, ground, dice):
    bearing = direction(ground[0], ground[1])
    if index == (0, 1):  # the great hall reaches into the next cell
        return [Building(rectangle(in_quad(ground, 0.5, 1.02), 74, 118, bearing), 12.5, "metal", 1, "factory",
                         name="Tile works")]
    if index == (0, 2):
        return [Building(rectangle(in_quad(ground, 0.45, 0.86), 60, 12, bearing), 10.0, "concrete", 3, "offices")]
    return [Building(rectangle(in_quad(ground, 0.33, 0.5), 40, 70, bearing), 9.0, "metal", 1, "warehouse"),
            Building(rectangle(in_quad(ground, 0.8, 0.3), 22, 26, bearing), 7.5, "concrete", 2, "offices"),
            Building(rectangle(in_quad(ground, 0.8, 0.75), 20, 18, bearing), 5.0, "metal", 1, "warehouse")]


def _school(index, ground, dice):
    bearing = direction(ground[0], ground[1])
    u_shape = [(-24, -18), (24, -18), (24, 18), (12, 18), (12, -6), (-12, -6), (-12, 18), (-24, 18)]
    l_shape = [(-20, -14), (20, -14), (20, -3), (-9, -3), (-9, 14), (-20, 14)]
    return [Building(frame_points(in_quad(ground, 0.36, 0.28), bearing, u_shape), 13.2, "brick", 3, "school",
                     name="Upper school"),
            Building(frame_points(in_quad(ground, 0.62, 0.76), bearing, l_shape), 9.6, "concrete", 2, "school",
                     name="Lower school"),
            Building(rectangle(in_quad(ground, 0.86, 0.3), 16, 30, bearing), 8.5, "wood", 1, "sports hall")]


def _church_square(index, ground, dice):
    bearing, middle = direction(ground[0], ground[1]), in_quad(ground, 0.52, 0.4)
    nave = [(-18, -8), (16, -8), (22, -4), (22, 4), (16, 8), (-18, 8)]
    tower = [(-28, -5), (-18, -5), (-18, 5), (-28, 5)]
    buildings = [Building(frame_points(middle, bearing, nave), 19.0, "brick", None, "church",
                          name="St Tessera, nave"),
                 Building(frame_points(middle, bearing, tower), 52.0, "brick", None, "church",
                          name="St Tessera, tower")]
    for n in range(6):
        outline = part_of_quad(ground, 0.03 + 0.94 * n / 6, 0.87, 0.03 + 0.94 * (n + 1) / 6, 0.98)
        buildings.append(Building(outline, round(dice.uniform(9, 12), 1), "brick", 3, "town house"))
    return buildings


def _market(index, ground, dice):
    """The town hall around its court in the north, houses along the east side, the rest is the market place."""
    hall = part_of_quad(ground, 0.03, 0.62, 0.62, 0.97)
    buildings = [Building(hall, 16.5, "brick", 3, "town hall", courtyards=[inset(hall, [10.5] * 4)], name="Town hall")]
    for n in range(6):
        outline = part_of_quad(ground, 0.84, 0.03 + 0.94 * n / 6, 0.97, 0.03 + 0.94 * (n + 1) / 6)
        buildings.append(Building(outline, round(dice.uniform(10, 14), 1), "brick", dice.choice((3, 4)), "town house"))
    return buildings
