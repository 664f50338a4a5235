# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground: a river valley in the west, a hill of about 60 m in the north-east. Heights in metres above the sea."""
import numpy

HILL_TOP = (880.0, 760.0)

# Levelled building ground under the podiums: flat within PLATFORM_RADIUS_M of each point, so that a tower and the
# podium that carries it stand on the same mean ground.
PLATFORMS = ((388.7, 903.3), (498.1, 901.3), (381.2, 779.1))
PLATFORM_RADIUS_M, EMBANKMENT_M = 43.0, 18.0

# The DEM: 5 m pixels; its town coordinates are those of pixel corners.
PIXEL_M = 5.0
WEST, EAST, SOUTH, NORTH = -60.0, 1140.0, -60.0, 1060.0
NO_DATA = -9999.0


def river_x(y):
    """The middle of the river at northing y."""
    return 262.0 + 26.0 * numpy.sin(y / 170.0) + 10.0 * numpy.sin(y / 61.0 + 1.0)


def ground_height(x, y):
    height = _natural_height(x, y)
    for px, py in PLATFORMS:
        outside = numpy.clip((numpy.hypot(x - px, y - py) - PLATFORM_RADIUS_M) / EMBANKMENT_M, 0.0, 1.0)
        natural_share = outside * outside * (3.0 - 2.0 * outside)
        height = natural_share * height + (1.0 - natural_share) * _natural_height(px, py)
    return height


def _natural_height(x, y):
    hill = 60.0 * numpy.exp(-0.5 * (((x - HILL_TOP[0]) / 270.0) ** 2 + ((y - HILL_TOP[1]) / 230.0) ** 2))
    shoulder = 14.0 * numpy.exp(-0.5 * (((x - 560.0) / 150.0) ** 2 + ((y - 470.0) / 140.0) ** 2))
    valley = 9.0 * numpy.exp(-0.5 * ((x - river_x(y)) / 48.0) ** 2)
    channel = 2.5 * numpy.exp(-0.5 * ((x - river_x(y)) / 11.0) ** 4)
    undulation = 0.8 * numpy.sin(x / 83.0 + 0.4) * numpy.sin(y / 71.0)
    return 24.0 + 0.004 * y + hill + shoulder - valley - channel + undulation


def elevation_grid():
    """The DEM, row by row from the north, with the few pixels without data that real ones have at their rim."""
    columns, rows = round((EAST - WEST) / PIXEL_M), round((NORTH - SOUTH) / PIXEL_M)
    x = WEST + PIXEL_M * (numpy.arange(columns) + 0.5)
    y = NORTH - PIXEL_M * (numpy.arange(rows) + 0.5)
    heights = ground_height(x[numpy.newaxis, :], y[:, numpy.newaxis])
    heights = numpy.round(heights, 2).astype(numpy.float32)
    heights[-8:, :5] = NO_DATA
    heights[-3:, 5:9] = NO_DATA
    heights[40, -2:] = NO_DATA
    return heights
