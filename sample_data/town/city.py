# SPDX-License-Identifier: GPL-3.0-or-later
"""Roof heights as a raster, and the free line of sight over it."""
import math

import numpy
from osgeo import gdal, ogr, osr

from . import terrain
from .empirical_model import MOBILE_HEIGHT_M
from .plan import CRS, ORIGIN
from .shapes import polygon

CELL_M = 1.0
UNKNOWN_HEIGHT_M = 8.0


class City:
    def __init__(self, buildings):
        self._roofs = _roof_heights(buildings)
        self.convergence_deg = _meridian_convergence_deg()

    def is_free(self, transmitter, point):
        """Whether the straight line from antenna to mobile keeps above roofs and ground."""
        end = (point.x, point.y, float(terrain.ground_height(point.x, point.y)) + MOBILE_HEIGHT_M)
        count = max(2, math.ceil(math.hypot(end[0] - transmitter.x, end[1] - transmitter.y) / CELL_M))
        t = numpy.arange(1, count) / count
        x, y = transmitter.x + t * (end[0] - transmitter.x), transmitter.y + t * (end[1] - transmitter.y)
        z = transmitter.elevation_m + t * (end[2] - transmitter.elevation_m)
        column = ((x - terrain.WEST) / CELL_M).astype(int)
        row = ((terrain.NORTH - y) / CELL_M).astype(int)
        return bool(numpy.all(z > terrain.ground_height(x, y) + self._roofs[row, column]))


def _roof_heights(buildings):
    columns, rows = (round((high - low) / CELL_M) for low, high in ((terrain.WEST, terrain.EAST),
                                                                    (terrain.SOUTH, terrain.NORTH)))
    raster = gdal.GetDriverByName("MEM").Create("", columns, rows, 1, gdal.GDT_Float32)
    reference = osr.SpatialReference()
    reference.SetFromUserInput(CRS)
    raster.SetProjection(reference.ExportToWkt())
    raster.SetGeoTransform((terrain.WEST, CELL_M, 0, terrain.NORTH, 0, -CELL_M))
    source = ogr.GetDriverByName("Memory").CreateDataSource("")
    layer = source.CreateLayer("roofs", reference, ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("height_m", ogr.OFTReal))
    for building in sorted(buildings, key=lambda b: b.height_m or UNKNOWN_HEIGHT_M):  # the highest is drawn last
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["height_m"] = building.height_m or UNKNOWN_HEIGHT_M
        feature.SetGeometry(polygon(building.outline, building.courtyards))
        layer.CreateFeature(feature)
    gdal.RasterizeLayer(raster, [1], layer, options=["ATTRIBUTE=height_m"])
    return raster.ReadAsArray()


def _meridian_convergence_deg():
    """True-north azimuth of grid north, in the middle of the town."""
    projected, geographic = osr.SpatialReference(), osr.SpatialReference()
    projected.SetFromUserInput(CRS)
    geographic.ImportFromEPSG(4326)
    to_geographic = osr.CoordinateTransformation(projected, geographic)
    (lat0, lon0), (lat1, lon1) = (to_geographic.TransformPoint(ORIGIN[0] + 550, ORIGIN[1] + north)[:2]
                                  for north in (450, 550))
    return math.degrees(math.atan2((lon1 - lon0) * math.cos(math.radians(lat0)), lat1 - lat0))
