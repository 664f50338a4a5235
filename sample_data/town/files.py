# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the town as files of the formats that users have."""
import csv

from osgeo import gdal, ogr, osr

from . import terrain
from .plan import CRS, ORIGIN
from .shapes import point, polygon_in_crs

gdal.UseExceptions()
# One date in all files, so that making them again changes nothing.
gdal.SetConfigOption("OGR_CURRENT_DATE", "2024-01-01T00:00:00.000Z")

SYNTHETIC = ("SYNTHETIC drive test of a fictitious town: no measurement. Made by sample_data/make_town.py from "
             "empirical models (COST 231 Walfisch-Ikegami, Berg, two slopes) and correlated log-normal shadowing "
             "(7 dB, 50 m), cut off at a floor of -110 dBm.")


def _spatial_reference(definition):
    reference = osr.SpatialReference()
    reference.SetFromUserInput(definition)
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return reference


def _write_layer(path, name, description, geometry_type, fields, rows):
    """fields: name → OGR type; rows: (geometry, values in the order of fields)."""
    path.unlink(missing_ok=True)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer(name, _spatial_reference(CRS), geometry_type, ["DESCRIPTION=" + description])
    for field, kind in fields.items():
        layer.CreateField(ogr.FieldDefn(field, kind))
    layer.SetMetadataItem("description", description)
    layer.SetMetadataItem("licence", "CC0-1.0")
    layer.StartTransaction()
    for geometry, values in rows:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(geometry)
        for field, value in zip(fields, values):
            if value is not None:
                feature[field] = value
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def write_buildings(path, buildings):
    _write_layer(path, "buildings", "Buildings of the fictitious town of Tileham; heights above the mean ground",
                 ogr.wkbPolygon,
                 {"name": ogr.OFTString, "use": ogr.OFTString, "height_m": ogr.OFTReal, "base_m": ogr.OFTReal,
                  "levels": ogr.OFTInteger, "material": ogr.OFTString},
                 ((polygon_in_crs(b.outline, b.courtyards), (b.name, b.use, b.height_m, b.base_m, b.levels, b.material))
                  for b in buildings))


def write_vegetation(path, vegetation):
    _write_layer(path, "vegetation", "Trees of the fictitious town of Tileham; heights of the crowns above the ground",
                 ogr.wkbPolygon, {"use": ogr.OFTString, "height_m": ogr.OFTReal},
                 ((polygon_in_crs(v.outline), (v.use, v.height_m)) for v in vegetation))


def write_drive_test(path, measurements):
    _write_layer(path, "drive_test_SYNTHETIC", SYNTHETIC, ogr.wkbPoint,
                 {"transmitter": ogr.OFTString, "received_power_dbm": ogr.OFTReal, "height_m": ogr.OFTReal,
                  "time_s": ogr.OFTReal, "synthetic": ogr.OFTInteger},
                 ((point(round(ORIGIN[0] + m.x, 2), round(ORIGIN[1] + m.y, 2)),
                   (m.transmitter, m.received_power_dbm, 1.5, m.time_s, 1)) for m in measurements))


def write_terrain(path):
    heights = terrain.elevation_grid()
    raster = gdal.GetDriverByName("GTiff").Create(
        str(path), heights.shape[1], heights.shape[0], 1, gdal.GDT_Float32,
        ["COMPRESS=DEFLATE", "PREDICTOR=3", "ZLEVEL=9", "TILED=YES"])
    raster.SetGeoTransform((ORIGIN[0] + terrain.WEST, terrain.PIXEL_M, 0,
                            ORIGIN[1] + terrain.NORTH, 0, -terrain.PIXEL_M))
    raster.SetProjection(_spatial_reference(CRS).ExportToWkt())
    raster.GetRasterBand(1).SetNoDataValue(terrain.NO_DATA)
    raster.GetRasterBand(1).SetDescription("ground height in metres")
    raster.GetRasterBand(1).WriteArray(heights)


def write_transmitters(path, transmitters):
    to_degrees = osr.CoordinateTransformation(_spatial_reference(CRS), _spatial_reference("EPSG:4326"))
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["name", "lat", "lon", "height_m", "height_reference", "frequency_mhz", "erp_dbm", "antenna",
                       "azimuth_deg", "downtilt_deg", "polarization"])
        for t in transmitters:
            lon, lat, _ = to_degrees.TransformPoint(ORIGIN[0] + t.x, ORIGIN[1] + t.y)
            rows.writerow([t.name, f"{lat:.7f}", f"{lon:.7f}", f"{t.height_m:g}", t.height_reference,
                           f"{t.frequency_mhz:g}", f"{t.erp_dbm:g}", t.antenna, f"{t.azimuth_deg:g}",
                           f"{t.downtilt_deg:g}", t.polarization])
