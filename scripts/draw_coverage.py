#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws a coverage study as a picture: ground tiles by received power, transmitters, and the drive test's errors.

Usage: draw_coverage.py COVERAGE.gpkg PICTURE.png [TRANSMITTER]      (default: the first transmitter)
"""
import pathlib
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection
from osgeo import gdal

gdal.UseExceptions()

POWER_RANGE_DBM = (-110, -30)
ERROR_RANGE_DB = (-20, 20)


def rows(source, sql):
    layer = source.ExecuteSQL(sql)
    found = [(feature.items(), feature.GetGeometryRef().Clone()) for feature in layer]
    source.ReleaseResultSet(layer)
    return found


def outline(polygon):
    return [(x, y) for x, y, *_ in polygon.GetGeometryRef(0).GetPoints()]


def in_town_metres(axes, extent):
    """Ticks in metres from the south-west corner: CRS coordinates say nothing in a picture."""
    west, east, south, north = extent
    axes.set(xlim=(west, east), ylim=(south, north))
    for set_ticks, low, high in ((axes.set_xticks, west, east), (axes.set_yticks, south, north)):
        metres = range(0, int(high - low) + 1, 200)
        set_ticks([low + m for m in metres], [f"{m} m" for m in metres])
    axes.set_aspect("equal")


def draw(coverage, picture, name=None):
    source = gdal.OpenEx(str(coverage), gdal.OF_VECTOR | gdal.OF_READONLY)
    sites = rows(source, "SELECT * FROM transmitters ORDER BY transmitter_id")
    site = next((s for s in sites if name in (None, s[0]["name"])), None)
    if site is None:
        sys.exit(f"{coverage} has no transmitter {name}; it has {', '.join(s[0]['name'] for s in sites)}")
    identity = f"WHERE transmitter_id = {site[0]['transmitter_id']}"
    tiles = rows(source, f"SELECT geom, received_power_dbm FROM path_loss {identity} AND kind = 'ground'")
    roofs = [outline(g) for _, g in rows(source, "SELECT geom FROM tiles WHERE kind = 'roof'")]
    errors = rows(source, f"SELECT geom, error_db FROM prediction_error {identity} AND excluded_because IS NULL")

    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 7), layout="constrained")
    reached = [(g, items["received_power_dbm"]) for items, g in tiles if items["received_power_dbm"] is not None]
    shapes = PolyCollection([outline(g) for g, _ in reached], array=[power for _, power in reached], cmap="viridis",
                            edgecolors="face", linewidths=0.3)
    shapes.set_clim(*POWER_RANGE_DBM)
    left.add_collection(shapes)
    figure.colorbar(shapes, ax=left, label="received power in dBm", shrink=0.85)
    left.set_title(f"{site[0]['name']}, {site[0]['frequency_mhz']:g} MHz: received power 1.5 m above ground")

    points = right.scatter([g.GetX() for _, g in errors], [g.GetY() for _, g in errors],
                           c=[items["error_db"] for items, _ in errors], cmap="RdBu_r", s=14, edgecolors="0.4",
                           linewidths=0.3, vmin=ERROR_RANGE_DB[0], vmax=ERROR_RANGE_DB[1])
    figure.colorbar(points, ax=right, label="predicted − drive test in dB", shrink=0.85)
    right.set_title("Prediction error (this drive test is synthetic)")

    envelopes = [g.GetEnvelope() for _, g in tiles]
    extent = (min(e[0] for e in envelopes), max(e[1] for e in envelopes),
              min(e[2] for e in envelopes), max(e[3] for e in envelopes))
    for axes in (left, right):
        axes.add_collection(PolyCollection(roofs, facecolors="0.8", edgecolors="none"))
        axes.plot(site[1].GetX(), site[1].GetY(), marker="^", color="red", markeredgecolor="white", markersize=12)
        in_town_metres(axes, extent)
    pathlib.Path(picture).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=90)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    draw(*sys.argv[1:])
