#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of buildings for comparisons with other programs, which tileenvironment takes. Flat ground, one material.

  munich WALLS GEOPACKAGE   COST 231's Munich from its list of walls: x1 y1 x2 y2 height building …
  houses GEOPACKAGE         some 120 houses on 480 m × 480 m, none of which touches another

Local metres, moved to a place in EPSG:25832: 500 km east, 5,400 km north. Needs Debian's GDAL for Python.
"""
import collections
import math
import random
import sys

from osgeo import ogr, osr

ogr.UseExceptions()

ORIGIN = 500_000, 5_400_000


def munich(file):
    """(corners, height) of each building in metres; the walls of a building follow one another around it."""
    corners, heights = collections.defaultdict(list), {}
    with open(file, encoding="utf-8") as walls:
        for x, y, _, _, height, building, *_ in filter(None, map(str.split, walls)):
            corners[building].append((float(x), float(y)))
            heights[building] = float(height)
    return [(corners[building], heights[building]) for building in corners]


def houses():
    """(corners, height) in metres: rectangles of random size and direction, one in each of 12 × 12 squares of 40 m."""
    draw, buildings = random.Random(7), []
    for column in range(12):
        for row in range(12):
            if draw.random() < 0.1:
                continue
            length, width = draw.uniform(14, 24), draw.uniform(14, 24)
            cosine, sine = math.cos(angle := draw.uniform(-0.2, 0.2)), math.sin(angle)
            corners = [(column * 40 + 20 + cosine * u * length / 2 - sine * v * width / 2,
                        row * 40 + 20 + sine * u * length / 2 + cosine * v * width / 2)
                       for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            buildings.append((corners, round(draw.uniform(6, 25), 1)))
    return buildings


def write(file, buildings):
    """The layer `buildings` with the field `height`."""
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(25832)
    target = ogr.GetDriverByName("GPKG").CreateDataSource(file)
    layer = target.CreateLayer("buildings", crs, ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("height", ogr.OFTReal))
    for corners, height in buildings:
        ring = ogr.Geometry(ogr.wkbLinearRing)
        for x, y in [*corners, corners[0]]:
            ring.AddPoint_2D(ORIGIN[0] + x, ORIGIN[1] + y)
        polygon = ogr.Geometry(ogr.wkbPolygon)
        polygon.AddGeometry(ring)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["height"] = height
        feature.SetGeometry(polygon)
        layer.CreateFeature(feature)


def main():
    """See the usage above."""
    if len(sys.argv) == 4 and sys.argv[1] == "munich":
        write(sys.argv[3], munich(sys.argv[2]))
    elif len(sys.argv) == 3 and sys.argv[1] == "houses":
        write(sys.argv[2], houses())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
