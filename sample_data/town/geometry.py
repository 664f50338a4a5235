# SPDX-License-Identifier: GPL-3.0-or-later
"""Plane geometry on points (x, y) in town metres and rings of them, counter-clockwise and without a closing point."""
import math
import random


def random_stream(purpose):
    """A stream of its own per purpose, so that a change in one part of the town leaves the others alone."""
    return random.Random(f"Tileham 1/{purpose}")


def between(a, b, t):
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))


def distance(a, b):
    return math.hypot(b[0] - a[0], b[1] - a[1])


def direction(a, b):
    length = distance(a, b)
    return ((b[0] - a[0]) / length, (b[1] - a[1]) / length)


def centre(ring):
    return (sum(p[0] for p in ring) / len(ring), sum(p[1] for p in ring) / len(ring))


def area(ring):
    return 0.5 * sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))


def inset(ring, widths):
    """Moves side k (from point k to k+1) of a convex ring inwards by widths[k] metres."""
    moved = []
    for (a, b), width in zip(zip(ring, ring[1:] + ring[:1]), widths):
        ux, uy = direction(a, b)
        moved.append(((a[0] - uy * width, a[1] + ux * width), (ux, uy)))
    return [_intersection(*moved[k - 1], *moved[k]) for k in range(len(ring))]


def _intersection(p, u, q, v):
    cross = u[0] * v[1] - u[1] * v[0]
    t = ((q[0] - p[0]) * v[1] - (q[1] - p[1]) * v[0]) / cross
    return (p[0] + t * u[0], p[1] + t * u[1])


def in_quad(quad, u, v):
    """The point at (u, v) in 0..1 of a quadrilateral: u along side 0, v from side 0 to side 2."""
    return between(between(quad[0], quad[1], u), between(quad[3], quad[2], u), v)


def part_of_quad(quad, u0, v0, u1, v1):
    return [in_quad(quad, u0, v0), in_quad(quad, u1, v0), in_quad(quad, u1, v1), in_quad(quad, u0, v1)]


def rectangle(middle, length, width, bearing):
    """A rectangle around `middle`, its long side along the unit vector `bearing`."""
    (ux, uy), half_length, half_width = bearing, length / 2, width / 2
    return [(middle[0] + x * ux - y * uy, middle[1] + x * uy + y * ux)
            for x, y in ((-half_length, -half_width), (half_length, -half_width), (half_length, half_width),
                         (-half_length, half_width))]


def regular_polygon(middle, radius, corners, turn=0.0):
    return [(middle[0] + radius * math.cos(turn + 2 * math.pi * k / corners),
             middle[1] + radius * math.sin(turn + 2 * math.pi * k / corners)) for k in range(corners)]


def frame_points(origin, bearing, points):
    """Points given in a frame with its x axis along the unit vector `bearing`, in town coordinates."""
    ux, uy = bearing
    return [(origin[0] + x * ux - y * uy, origin[1] + x * uy + y * ux) for x, y in points]
