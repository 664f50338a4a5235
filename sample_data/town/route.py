# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of the drive test: through all streets, on the right, with the noise of a positioning receiver."""
import heapq
import math
from collections import Counter
from dataclasses import dataclass

from .geometry import between, direction, distance, random_stream
from .plan import NODES, streets

POINT_COUNT = 1500
SPACING_M = 11.0
LANE_OFFSET_M = 2.0       # right of the middle of the street
POSITION_NOISE_M = 0.8


@dataclass
class RoutePoint:
    x: float
    y: float
    street: tuple  # the two nodes between which it lies, in driving direction


def neighbours():
    found = {node: [] for node in NODES}
    for a, b in streets():
        found[a].append(b)
        found[b].append(a)
    return found


def drive():
    dice = random_stream("route")
    points, left_over = [], 0.0
    way = _nodes_visited(neighbours())
    for a, b in zip(way, way[1:]):
        start, end = NODES[a], NODES[b]
        ux, uy = direction(start, end)
        at = left_over
        while at < distance(start, end):
            x, y = between(start, end, at / distance(start, end))
            noise_x, noise_y = (dice.uniform(-POSITION_NOISE_M, POSITION_NOISE_M) for _ in range(2))
            points.append(RoutePoint(x + LANE_OFFSET_M * uy + noise_x, y - LANE_OFFSET_M * ux + noise_y, (a, b)))
            if len(points) == POINT_COUNT:
                return points
            at += SPACING_M
        left_over = at - distance(start, end)
    raise RuntimeError("the streets are too short for the drive test")


def _nodes_visited(next_to):
    """Takes the straightest street not yet driven; where all are, goes to the nearest node that has one."""
    driven = Counter()
    way = [(0, 0), (1, 0)]
    driven[frozenset(way)] += 1
    while True:
        here, before = way[-1], way[-2]
        fresh = [n for n in next_to[here] if not driven[frozenset((here, n))]]
        if fresh:
            step = [min(fresh, key=lambda n: (abs(turn(NODES[before], NODES[here], NODES[n])), n))]
        else:
            step = _way_to_fresh_street(here, next_to, driven)
        if not step:
            return way
        for node in step:
            driven[frozenset((way[-1], node))] += 1
            way.append(node)


def _way_to_fresh_street(start, next_to, driven):
    lengths, reached_from = shortest_ways({start: 0.0}, next_to)
    for node in sorted(lengths, key=lambda n: (lengths[n], n)):
        if any(not driven[frozenset((node, n))] for n in next_to[node]):
            way = [node]
            while way[-1] != start:
                way.append(reached_from[way[-1]])
            return way[-2::-1]
    return []


def shortest_ways(starts, next_to):
    """Dijkstra: the length from the nearest start to each node, and the node before it on that way."""
    lengths, reached_from, queue = dict(starts), {}, [(length, node) for node, length in starts.items()]
    heapq.heapify(queue)
    while queue:
        length, node = heapq.heappop(queue)
        if length > lengths[node]:
            continue
        for other in next_to[node]:
            longer = length + distance(NODES[node], NODES[other])
            if longer < lengths.get(other, math.inf):
                lengths[other], reached_from[other] = longer, node
                heapq.heappush(queue, (longer, other))
    return lengths, reached_from


def turn(a, b, c):
    """The change of direction at b on the way a, b, c in degrees, -180 to 180."""
    (ux, uy), (vx, vy) = direction(a, b), direction(b, c)
    return math.degrees(math.atan2(ux * vy - uy * vx, ux * vx + uy * vy))
