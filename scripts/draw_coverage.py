#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a coverage study as a picture: received power on the ground, one transmitter, and the drive test's errors.

Usage: draw_coverage.py COVERAGE.gpkg RASTER.tif BUILDINGS.gpkg PICTURE.png TRANSMITTER

The raster is what coverageraster makes of the study.
"""
import pathlib
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy
from matplotlib.collections import PathCollection
from matplotlib.path import Path
from osgeo import gdal

gdal.UseExceptions()

POWER_RANGE_DBM = (-110, -30)
ERROR_RANGE_DB = (-20, 20)


def open_vectors(file):
    return gdal.OpenEx(str(file), gdal.OF_VECTOR | gdal.OF_READONLY)


def rows(source, sql):
    layer = source.ExecuteSQL(sql)
    found = [(feature.items(), feature.GetGeometryRef().Clone()) for feature in layer]
    source.ReleaseResultSet(layer)
    return found


def path(polygon):
    """Its exterior counter-clockwise and its holes clockwise, so that they stay empty."""
    rings = [numpy.array(polygon.GetGeometryRef(k).GetPoints())[:, :2] for k in range(polygon.GetGeometryCount())]
    x, y = polygon.Centroid().GetPoint_2D()
    for k, ring in enumerate(rings):
        east, north = (ring - (x, y)).T
        is_clockwise = numpy.sum(east[:-1] * north[1:] - east[1:] * north[:-1]) < 0
        if is_clockwise != (k > 0):
            rings[k] = ring[::-1]
    return Path.make_compound_path(*[Path(ring, closed=True) for ring in rings])


def received_power(raster, name):
    """The transmitter's band, masked where it has no value, and its extent (west, east, south, north)."""
    dataset = gdal.Open(str(raster))
    bands = [dataset.GetRasterBand(b + 1) for b in range(dataset.RasterCount)]
    band = next(b for b in bands if b.GetDescription() == name)
    pixels = band.ReadAsArray()
    west, step, _, north, _, minus_step = dataset.GetGeoTransform()
    extent = west, west + step * pixels.shape[1], north + minus_step * pixels.shape[0], north
    return numpy.ma.masked_equal(pixels, band.GetNoDataValue()), extent


def in_town_metres(axes, extent):
    """Ticks in metres from the south-west corner: CRS coordinates say nothing in a picture."""
    west, east, south, north = extent
    axes.set(xlim=(west, east), ylim=(south, north))
    for set_ticks, low, high in ((axes.set_xticks, west, east), (axes.set_yticks, south, north)):
        metres = range(0, int(high - low) + 1, 200)
        set_ticks([low + m for m in metres], [f"{m} m" for m in metres])
    axes.set_aspect("equal")


def draw(coverage, raster, buildings, picture, name):
    source = open_vectors(coverage)
    sites = rows(source, "SELECT * FROM transmitters")
    site = next((s for s in sites if s[0]["name"] == name), None)
    if site is None:
        sys.exit(f"{coverage} has no transmitter {name}; it has {', '.join(s[0]['name'] for s in sites)}")
    errors = rows(source, f"SELECT geom, error_db FROM prediction_error WHERE excluded_because IS NULL "
                          f"AND transmitter_id = {site[0]['transmitter_id']}")
    footprints = [path(g) for _, g in rows(open_vectors(buildings), "SELECT geom FROM buildings")]
    power, extent = received_power(raster, name)

    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 7), layout="constrained")
    shown = left.imshow(power, extent=extent, cmap="viridis", vmin=POWER_RANGE_DBM[0], vmax=POWER_RANGE_DBM[1],
                        interpolation="nearest")
    figure.colorbar(shown, ax=left, label="received power in dBm", shrink=0.85)
    left.set_title(f"{name}, {site[0]['frequency_mhz']:g} MHz: received power 1.5 m above ground")

    points = right.scatter([g.GetX() for _, g in errors], [g.GetY() for _, g in errors],
                           c=[items["error_db"] for items, _ in errors], cmap="RdBu_r", s=14, edgecolors="0.4",
                           linewidths=0.3, vmin=ERROR_RANGE_DB[0], vmax=ERROR_RANGE_DB[1])
    figure.colorbar(points, ax=right, label="predicted − drive test in dB", shrink=0.85)
    right.set_title("Prediction error (this drive test is synthetic)")

    for axes in (left, right):
        axes.add_collection(PathCollection(footprints, facecolors="0.8", edgecolors="none", zorder=0))
        axes.plot(site[1].GetX(), site[1].GetY(), marker="^", color="red", markeredgecolor="white", markersize=12)
        in_town_metres(axes, extent)
    pathlib.Path(picture).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=90)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    draw(*sys.argv[1:])
