# SPDX-License-Identifier: GPL-3.0-or-later
"""The coverage raster, read back by GDAL, against the path losses that it was made from."""

import json
import math
import os
import pathlib
import unittest

import numpy
from osgeo import gdal, ogr
from osgeo_utils.samples import validate_cloud_optimized_geotiff

from tesseray_process import (SAMPLE, SCENE, PipelineTest, error_of, interrupted_by, made, module_folder, rows, tesseray,
                              with_copies_of_transmitters)

gdal.UseExceptions()
NO_DATA = -9999.0
BUILDINGS = SAMPLE / "buildings.gpkg"


def setUpModule():
    """A prediction of two transmitters, made once."""
    global ENVIRONMENT, PREDICTION, TILES
    folder = module_folder()
    table, tiles = folder / "sites.csv", folder / "tiles.gpkg"
    ENVIRONMENT = folder / "environment.gpkg"
    PREDICTION = folder / "prediction.gpkg"
    table.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nWest,340450,6020500,40,1800,43\n"
                     "Ost,340560,6020520,40,1800,43\n", encoding="utf-8")
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT, "--tiles", tiles)
    made("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", table, "--transmitters-crs", "EPSG:25832",
         "--max-bounces", 1, "--output", PREDICTION)
    TILES = {row["tile_id"]: row for row in rows(tiles, "tiles") if row["kind"] == "ground"}


def point(x, y):
    found = ogr.Geometry(ogr.wkbPoint)
    found.AddPoint_2D(x, y)
    return found


def footprints():
    """All of them as one geometry."""
    layer_source = gdal.OpenEx(str(BUILDINGS))
    parts = ogr.Geometry(ogr.wkbMultiPolygon)
    for feature in layer_source.GetLayer(0):
        geometry = feature.GetGeometryRef()
        for polygon in [geometry] if geometry.GetGeometryType() == ogr.wkbPolygon else geometry:
            flat = polygon.Clone()
            flat.FlattenTo2D()
            parts.AddGeometry(flat)
    return parts.UnionCascaded()


class CoverageRaster(PipelineTest):
    def raster(self, *options, name="Pegel Süd.tif", path_loss=None):
        file = self.folder / name
        return tesseray("coverageraster", "--path-loss", path_loss or PREDICTION, "--raster", file, "--progress", "json",
                        *options), file

    def values(self, field):
        """{transmitter_id: {tile_id: value}} of ground tiles."""
        found = {}
        for row in rows(PREDICTION, "path_loss"):
            if row["kind"] == "ground":
                found.setdefault(row["transmitter_id"], {})[row["tile_id"]] = row[field]
        return found

    def at_centroids(self, dataset, band):
        """{tile_id: pixel} for the tiles' centroids."""
        west, step, _, north, _, minus_step = dataset.GetGeoTransform()
        pixels = dataset.GetRasterBand(band).ReadAsArray()
        return {tile: float(pixels[int((row["y"] - north) / minus_step), int((row["x"] - west) / step)])
                for tile, row in TILES.items()}

    def test_pixels_are_the_tiles_values(self):
        process, file = self.raster("--resolution", 2)
        self.assert_done(process)
        dataset = gdal.Open(str(file))
        self.assertEqual(dataset.GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE"), "COG")
        self.assertEqual(dataset.GetSpatialRef().GetAuthorityCode(None), "25832")
        west, step, _, north, _, minus_step = dataset.GetGeoTransform()
        self.assertEqual((step, minus_step, west % 2, north % 2), (2, -2, 0, 0))
        self.assertEqual([dataset.GetRasterBand(b).GetDescription() for b in (1, 2)], ["West", "Ost"])
        self.assertEqual(dataset.GetRasterBand(1).GetUnitType(), "dBm")
        power = self.values("received_power_dbm")
        for band, transmitter in ((1, 1), (2, 2)):
            self.assertEqual(dataset.GetRasterBand(band).GetNoDataValue(), NO_DATA)
            for tile, pixel in self.at_centroids(dataset, band).items():
                expected = power[transmitter][tile]
                self.assertAlmostEqual(pixel, NO_DATA if expected is None else expected, places=3)

    def test_area_of_the_ground_and_no_data_under_buildings(self):
        process, file = self.raster("--resolution", 0.5)
        self.assert_done(process)
        dataset = gdal.Open(str(file))
        pixels = dataset.GetRasterBand(1).ReadAsArray()
        # Tiles lie on the slope: their plan is smaller by the cosine.
        power = self.values("received_power_dbm")[1]
        plan = sum(row["area_m2"] * row["nz"] for tile, row in TILES.items() if power[tile] is not None)
        self.assertAlmostEqual(float(numpy.sum(pixels != NO_DATA)) * 0.25 / plan, 1, delta=0.002)
        self.assertGreater(float(numpy.mean(pixels == NO_DATA)), 0.05)

    def test_footprints_show_no_value_and_the_ground_has_one_up_to_their_walls(self):
        process, file = self.raster("--resolution", 0.5, "--buildings", BUILDINGS)
        self.assert_done(process)
        dataset = gdal.Open(str(file))
        west, step, _, north, _, minus_step = dataset.GetGeoTransform()
        pixels = dataset.GetRasterBand(1).ReadAsArray()
        power = self.values("received_power_dbm")[1]
        cells = {(row["x"] // 10, row["y"] // 10): power[tile] for tile, row in TILES.items()}
        cut = {(row["x"] // 10, row["y"] // 10) for row in TILES.values() if row["area_m2"] * row["nz"] < 99}
        footprint = footprints().CreatePreparedGeometry()
        is_covered = {}  # the middle of a cell
        seen = {"built": 0, "tile": 0, "beside": 0}
        for j in range(0, pixels.shape[0], 7):
            for i in range(0, pixels.shape[1], 7):
                x, y, pixel = west + (i + 0.5) * step, north + (j + 0.5) * minus_step, float(pixels[j, i])
                cell = x // 10, y // 10
                if cell not in is_covered:
                    is_covered[cell] = footprint.Contains(point(10 * cell[0] + 5, 10 * cell[1] + 5))
                is_whole = cell in cells and cell not in cut
                if footprint.Contains(point(x, y)) and not (is_whole and is_covered[cell]):
                    self.assertEqual(pixel, NO_DATA, (x, y))
                    seen["built"] += 1
                elif is_whole:
                    self.assertAlmostEqual(pixel, NO_DATA if cells[cell] is None else cells[cell], places=3)
                    seen["tile"] += 1
                elif pixel != NO_DATA:
                    self.assertTrue(is_covered[cell] or cell in cut, (x, y))
                    self.assertTrue(any(value is not None and abs(pixel - value) < 1e-3
                                        and math.hypot(10 * column + 5 - x, 10 * row + 5 - y) < 30
                                        for (column, row), value in cells.items()), (x, y))
                    seen["beside"] += 1
        self.assertGreater(min(seen.values()), 300, seen)

    def test_buildings_in_other_coordinate_systems_and_the_environments_own(self):
        in_degrees = self.folder / "degrees.geojson"
        gdal.VectorTranslate(str(in_degrees), str(BUILDINGS), dstSRS="EPSG:4326", reproject=True)
        files = [self.raster("--resolution", 2, "--buildings", source, name=f"{number}.tif")
                 for number, source in enumerate((BUILDINGS, in_degrees, f"{ENVIRONMENT}|layername=buildings"))]
        for process, _ in files:
            self.assert_done(process)
        first, *others = [gdal.Open(str(file)).ReadAsArray() for _, file in files]
        for other in others:
            # The clean-up leaves out what is too small for a building, and roundings move walls by micrometres.
            self.assertLess(float(numpy.mean(first != other)), 1e-3)

    def test_buildings_of_another_town_are_told_of(self):
        elsewhere = self.folder / "elsewhere.geojson"
        elsewhere.write_text('{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry":'
                             '{"type": "Polygon", "coordinates": [[[2, 48], [2.1, 48], [2.1, 48.1], [2, 48]]]}}]}')
        process, file = self.raster("--buildings", elsewhere)
        self.assert_done(process)
        self.assertIn("buildings_elsewhere", process.stderr)
        self.assertEqual(file.read_bytes(), self.raster(name="without.tif")[1].read_bytes())

    def test_strongest_in_one_band_and_other_values(self):
        process, file = self.raster("--bands", "strongest", "--value", "path_loss")
        self.assert_done(process)
        dataset = gdal.Open(str(file))
        self.assertEqual(dataset.RasterCount, 1)
        power, loss = self.values("received_power_dbm"), self.values("path_loss_db")
        for tile, pixel in self.at_centroids(dataset, 1).items():
            reached = [(power[t][tile], loss[t][tile]) for t in power if power[t][tile] is not None]
            self.assertAlmostEqual(pixel, max(reached)[1] if reached else NO_DATA, places=3)

    def test_a_filter_chooses_the_bands(self):
        process, file = self.raster("--resolution", 2,
                                    path_loss=f"{PREDICTION}|layername=path_loss|subset=transmitter_id = 2")
        self.assert_done(process)
        dataset = gdal.Open(str(file))
        self.assertEqual([dataset.GetRasterBand(b + 1).GetDescription() for b in range(dataset.RasterCount)], ["Ost"])
        power = self.values("received_power_dbm")[2]
        for tile, pixel in self.at_centroids(dataset, 1).items():
            self.assertAlmostEqual(pixel, NO_DATA if power[tile] is None else power[tile], places=3)

    def test_the_name_tells_the_format(self):
        for name in ("level.png", "level"):
            process, file = self.raster(name=name)
            self.assert_refused(process, "unsupported_format", ["ends in .tif"])
            self.assertFalse(file.exists())
        self.assert_done(self.raster("--resolution", 20, name="level.TIFF")[0])

    def test_nothing_that_was_beside_the_raster_before_stays(self):
        _, file = self.raster("--resolution", 20)
        beside = [pathlib.Path(f"{file}{suffix}") for suffix in (".aux.xml", ".ovr", ".msk")]
        for path in beside:
            path.write_text("of the raster before")
        self.assert_done(self.raster("--resolution", 20, "--overwrite")[0])
        self.assertEqual([path.name for path in beside if path.exists()], [])

    def test_a_file_that_comes_meanwhile_is_not_replaced(self):
        file = self.folder / "level.tif"
        beside = self.folder / "level.tif.aux.xml"

        def others():
            for path in (file, beside):
                path.write_text("precious")

        command = ["coverageraster", "--path-loss", PREDICTION, "--resolution", 1, "--raster", file, "--progress", "json"]
        process = interrupted_by(others, *command)
        self.assert_refused(process, "file_exists", ["level.tif", "another program made the file meanwhile",
                                                      "what is there before a run is replaced with --overwrite"])
        self.assertEqual([path.read_text() for path in (file, beside)], ["precious"] * 2)
        file.unlink()
        self.assert_done(interrupted_by(others, *command, "--overwrite"))
        self.assertEqual(self.files(), ["level.tif"])

    def test_bands_beyond_the_memory_are_refused(self):
        process, file = self.raster("--resolution", 0.1, "--memory", 0.09)
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertIn("2 bands", process.stderr)
        self.assertIn("greater RESOLUTION", process.stderr)
        self.assertFalse(file.exists())

    def test_very_many_bands_of_a_small_raster_take_little(self):
        many = with_copies_of_transmitters(PREDICTION, self.folder / "many.gpkg", 39)
        budget = 0.12
        process, file = self.raster("--resolution", 20, "--memory", budget, path_loss=many)
        self.assert_done(process)
        self.assertLess(json.loads(process.stdout)["peak_memory_bytes"], budget * 2**30)
        self.assertEqual(validate_cloud_optimized_geotiff.validate(str(file), full_check=True)[:2], ([], []))
        dataset = gdal.Open(str(file))
        self.assertEqual(dataset.RasterCount, 80)
        first = dataset.GetRasterBand(1).ReadAsArray()
        self.assertTrue((dataset.GetRasterBand(79).ReadAsArray() == first).all())
        self.assertTrue((gdal.Open(str(self.raster("--resolution", 20)[1])).ReadAsArray()[0] == first).all())

    def test_files_are_cloud_optimized(self):
        for name, options in (("small", ["--resolution", 5]), ("large", ["--resolution", 0.2]),
                              ("one", ["--resolution", 0.2, "--bands", "strongest"])):
            process, file = self.raster(*options, name=f"{name}.tif")
            self.assert_done(process)
            self.assertEqual(validate_cloud_optimized_geotiff.validate(str(file), full_check=True)[:2], ([], []), name)

    def test_memory_that_the_system_does_not_give(self):
        command = ["coverageraster", "--path-loss", PREDICTION, "--raster", self.folder / "level.tif", "--resolution",
                   0.02, "--memory", 16, "--progress", "json"]
        process = tesseray(*command, preexec_fn=self.within_address_space(512 << 20))
        self.assert_refused(process, "out_of_memory", ["memory is not enough"], status=3)

    def test_a_gdal_without_the_format_is_told_of_with_the_file(self):
        file = self.folder / "level.tif"
        process = tesseray("coverageraster", "--path-loss", PREDICTION, "--raster", file, "--progress", "json",
                           env={**os.environ, "GDAL_SKIP": "COG"})
        error = self.assert_refused(process, "raster_failed", ["cannot write cloud-optimized GeoTIFF"])
        self.assertEqual(error["file"], str(file))
        self.assertIn("gdalinfo --formats", error["hint"])
        self.assertNotIn("()", error["message"])

    def test_what_cannot_be_rasterized_is_refused(self):
        process, file = self.raster("--resolution", 0.01)
        self.assertEqual(process.returncode, 2)
        error = error_of(process)
        self.assertEqual(error["code"], "too_many_pixels")
        self.assertFalse(file.exists())
        file.write_text("mine")
        process, file = self.raster()
        self.assertEqual((process.returncode, file.read_text()), (2, "mine"))


if __name__ == "__main__":
    unittest.main()
