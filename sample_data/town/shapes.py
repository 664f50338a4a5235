# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings as OGR geometries, and a small index over them."""
from osgeo import ogr

from .plan import ORIGIN


def polygon(outline, holes=(), origin=(0.0, 0.0)):
    """Coordinates are rounded to centimetres, so that points which neighbours share stay shared."""
    shape = ogr.Geometry(ogr.wkbPolygon)
    for ring in (outline, *holes):
        line = ogr.Geometry(ogr.wkbLinearRing)
        for x, y in ring + ring[:1]:
            line.AddPoint_2D(round(origin[0] + x, 2), round(origin[1] + y, 2))
        shape.AddGeometry(line)
    return shape


def polygon_in_crs(outline, holes=()):
    return polygon(outline, holes, ORIGIN)


def point(x, y):
    shape = ogr.Geometry(ogr.wkbPoint)
    shape.AddPoint_2D(x, y)
    return shape


class Neighbourhood:
    """Answers whether any shape is within a distance; boxes first, GEOS after."""

    def __init__(self, shapes):
        self._shapes = [(s.GetEnvelope(), s) for s in shapes]

    def any_within(self, shape, distance_m):
        west, east, south, north = shape.GetEnvelope()
        west, east, south, north = west - distance_m, east + distance_m, south - distance_m, north + distance_m
        return any(w <= east and e >= west and s <= north and n >= south and other.Distance(shape) <= distance_m
                   for (w, e, s, n), other in self._shapes)
