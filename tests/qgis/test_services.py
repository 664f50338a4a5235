# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that QGIS reads from servers, and from files that are cut short: what arrives in part is not taken for the whole."""

import csv
import pathlib
import sqlite3
import time
import unittest.mock

import geo_services
import qgis_harness as harness
from qgis_harness import EXTENT, SAMPLE, SMALL_SCENE, ProjectTest, run_tests

# Parameters of runs with houses of a server.
HOUSES = {"DEM": None, "EXTENT": None, "BASE_FIELD": None, "CRS": "EPSG:25832", "TILE_AREA": 2000}


class ServiceTest(ProjectTest):
    def service(self, **settings):
        service = geo_services.running(**settings)
        self.addCleanup(service.__exit__, None, None, None)
        return service.__enter__()

    def raster(self, source, provider):
        from qgis.core import QgsRasterLayer

        layer = QgsRasterLayer(source, "ground", provider)
        self.assertTrue(layer.isValid(), layer.error().summary())
        self.project.addMapLayer(layer)
        return layer

    def houses(self, source, provider):
        from qgis.core import QgsVectorLayer

        layer = QgsVectorLayer(source, "houses", provider)
        self.assertTrue(layer.isValid(), layer.error().summary())
        self.project.addMapLayer(layer)
        return layer

    def environment_of(self, **inputs):
        """The result of a run, in this thread."""
        import processing

        return processing.run("tesseray:tileenvironment", {**SMALL_SCENE, "ENVIRONMENT": str(self.folder / "e.gpkg"),
                                                           **inputs}, context=self.context)

    def said_in_thread(self, **inputs):
        """The log of a run in a thread of its own, as dialogs and models start it; it has to fail."""
        from qgis.core import QgsApplication, QgsProcessingAlgRunnerTask, QgsProcessingFeedback

        algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:tileenvironment")
        feedback, ends = QgsProcessingFeedback(False), []
        task = QgsProcessingAlgRunnerTask(algorithm, {**SMALL_SCENE, "ENVIRONMENT": str(self.folder / "t.gpkg"), **inputs},
                                          self.context, feedback)
        task.executed.connect(lambda is_good, _: ends.append(is_good))
        QgsApplication.taskManager().addTask(task)
        while not ends:
            QgsApplication.processEvents()
            time.sleep(0.01)
        self.assertEqual(ends, [False], feedback.textLog())
        return feedback.textLog()

    def assert_refused_in_every_thread(self, words, **inputs):
        from qgis.core import QgsProcessingException

        with self.assertRaisesRegex(QgsProcessingException, words):
            self.environment_of(**inputs)
        inputs = {name: value.id() if hasattr(value, "id") else value for name, value in inputs.items()}
        self.assertRegex(self.said_in_thread(**inputs), words)

    # Rasters.

    def test_a_coverage_is_the_raster_that_it_is_made_of(self):
        ground = self.service(raster=str(SAMPLE / "dem.tif"))
        served = self.environment_of(DEM=self.raster(ground.wcs(), "wcs"))
        self.assertEqual(served["RESULT_HASH"], self.environment_of(OVERWRITE=True)["RESULT_HASH"])

    def test_a_coverage_of_which_a_part_is_not_answered_stops_the_run(self):
        from osgeo import gdal

        fine = str(self.folder / "fine.tif")  # in several blocks
        gdal.Translate(fine, str(SAMPLE / "dem.tif"), width=1200, height=1120)
        ground = self.service(raster=fine, fails_below=6020100)
        self.assert_refused_in_every_thread(
            "Terrain: “ground” could not be read completely .*Run it again once its server answers",
            DEM=self.raster(ground.wcs(), "wcs"))

    def test_a_raster_that_ends_early_stops_the_run_that_copies_it(self):
        from osgeo import gdal
        from qgis.core import QgsRasterRange

        file = self.folder / "cut.tif"
        gdal.Translate(str(file), str(SAMPLE / "dem.tif"), width=1200, height=1120,
                       creationOptions=["TILED=NO", "BLOCKYSIZE=1"])
        with open(file, "r+b") as cut:
            cut.truncate(int(file.stat().st_size * 0.62))
        layer = self.raster(str(file), "gdal")
        layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(-5, -4)])
        self.assert_refused_in_every_thread("“ground” could not be read completely .*or its file is whole", DEM=layer)

    # The part of a raster that is copied.

    def in_a_country(self, **options):
        """A raster of 300 km² and more of no data with the terrain of the sample town in it."""
        from osgeo import gdal

        file = str(self.folder / f"country{len(list(self.folder.iterdir()))}.vrt")
        gdal.BuildVRT(file, [str(SAMPLE / "dem.tif")], outputBounds=(330000, 6010000, 350000, 6030000), srcNodata=-9999,
                      VRTNodata=-9999).FlushCache()
        return file

    def rows_of(self, **inputs):
        """All rows of the environment that is made of inputs but for the names of their layers."""
        environment = self.environment_of(OVERWRITE=True, **inputs)["ENVIRONMENT"]
        with sqlite3.connect(environment) as database:
            tables = [name for name, in database.execute("SELECT table_name FROM gpkg_contents ORDER BY 1")
                      if name not in ("tesseray_runs", "layer_styles")]
            self.assertIn("tiles", tables)
            rows = {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}
        rows["issues"] = [issue[:5] + issue[6:] for issue in rows["issues"]]
        return rows

    def copied(self):
        """The size of the rasters that were copied last, in bytes."""
        from qgis.core import QgsProcessingUtils

        files = pathlib.Path(QgsProcessingUtils.tempFolder(self.context)).rglob("raster.tif")
        return max(files, key=lambda file: file.stat().st_mtime_ns).stat().st_size

    def test_of_a_coverage_the_surroundings_of_the_extent_are_fetched(self):
        file = self.in_a_country()
        server = self.service(raster=file)
        country = self.raster(server.wcs(), "wcs")
        before = server.pixels_sent()
        served = self.environment_of(DEM=country)["RESULT_HASH"]
        # 300 m of extent and 1 km on each side, in pixels of 5 m; more as the meridians converge by 2° there.
        self.assertLess(server.pixels_sent() - before, (2450 / 5 + 4) ** 2)
        self.assertEqual(served, self.environment_of(DEM=file, OVERWRITE=True)["RESULT_HASH"])

    def test_a_part_of_a_raster_gives_what_the_whole_does(self):
        from osgeo import gdal
        from qgis.core import QgsRasterRange

        country = self.in_a_country()
        degrees, odd, masked = (str(self.folder / name) for name in ("degrees.tif", "odd.tif", "masked.tif"))
        bounds = {"outputBounds": (338000, 6018000, 343000, 6023000), "dstNodata": -9999}
        gdal.Warp(degrees, country, dstSRS="EPSG:4326", **{**bounds, "outputBoundsSRS": "EPSG:25832"},
                  resampleAlg="bilinear").FlushCache()
        gdal.Warp(odd, country, xRes=3.7, yRes=4.1, resampleAlg="bilinear", **bounds).FlushCache()
        gdal.Warp(masked, country, dstAlpha=True, **{**bounds, "dstNodata": None}).FlushCache()
        with_unit = gdal.Open(odd, gdal.GA_Update)
        with_unit.GetRasterBand(1).SetUnitType("ft")
        with_unit = None
        for file in (country, degrees, odd, masked):
            for extent in (EXTENT, EXTENT.partition(" [")[0], "6.5390,6.5440,54.3005,54.3035 [EPSG:4326]"):
                with self.subTest(file=file, extent=extent):
                    layer = self.raster(file, "gdal")
                    layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(-9000, -8000)])
                    part = self.rows_of(DEM=layer, EXTENT=extent)
                    self.assertLess(self.copied(), 4e6)
                    self.assertEqual(part, self.rows_of(DEM=file, EXTENT=extent))

    def test_a_part_of_a_raster_of_classes_gives_what_the_whole_does(self):
        import numpy
        from osgeo import gdal
        from qgis.core import QgsRasterRange

        file = str(self.folder / "classes.tif")
        made = gdal.GetDriverByName("GTiff").Create(file, 3000, 3000, 1, gdal.GDT_Byte)
        made.SetGeoTransform([335000, 5, 0, 6025000, 0, -5])
        made.SetProjection(gdal.Open(str(SAMPLE / "dem.tif")).GetProjection())
        across, down = numpy.meshgrid(numpy.arange(3000), numpy.arange(3000))
        made.GetRasterBand(1).WriteArray(((across // 7 + down // 5) % 3).astype("uint8"))
        made.GetRasterBand(1).SetCategoryNames(["water", "forest", "suburban"])
        made = None
        layer = self.raster(file, "gdal")
        layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(200, 201)])
        part = self.rows_of(CLUTTER=layer)
        self.assertLess(self.copied(), 1e6)
        self.assertEqual(part, self.rows_of(CLUTTER=file))

    def test_issues_call_a_raster_that_is_copied_as_the_user_does(self):
        """Not by its temporary file, which is another in each run."""
        from qgis.core import QgsRasterRange

        layer = self.raster(str(SAMPLE / "dem.tif"), "gdal")
        layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(0, 35)])
        runs = [self.environment_of(DEM=layer, OVERWRITE=True) for _ in range(2)]
        self.assertEqual(runs[0]["RESULT_HASH"], runs[1]["RESULT_HASH"])
        with sqlite3.connect(runs[0]["ENVIRONMENT"]) as database:
            names = dict(database.execute("SELECT code, source_layer FROM issues"))
        self.assertEqual(names["terrain_filled"], "ground")

    def test_which_pixels_of_a_raster_a_run_needs(self):
        from qgis.core import (QgsCoordinateReferenceSystem, QgsCoordinateTransformContext, QgsRectangle,
                               QgsReferencedRectangle)
        from tesseray.raster_windows import window_around

        utm, other = (QgsCoordinateReferenceSystem(f"EPSG:{code}") for code in (25832, 3857))

        def window(area, crs=utm):
            of = area and QgsReferencedRectangle(QgsRectangle(*area), utm)
            found = window_around(of, QgsRectangle(300000, 6000000, 400000, 6050000), (10000, 5000), crs,
                                  QgsCoordinateTransformContext())
            return found.column, found.row, found.columns, found.rows

        whole = (0, 0, 10000, 5000)
        self.assertEqual(window(None), whole)
        self.assertEqual(window((340000, 6020000, 341000, 6022000)), (3899, 2699, 302, 402))
        self.assertEqual(window((300100, 6049000, 300200, 6049500)), (0, 0, 121, 201))
        self.assertEqual(window((310000, 6040000, 310100, 6040100), QgsCoordinateReferenceSystem())[:2], (899, 889))
        for elsewhere in ((0, 0, 100, 100), (900000, 9000000, 900100, 9000100)):
            self.assertEqual(window(elsewhere)[2:], (2, 2))
        self.assertEqual(window((200000, 5900000, 500000, 6100000)), whole)
        self.assertEqual(window((340000, 6020000, 341000, 6022000), other)[2:], (2, 2))

    def test_a_raster_that_does_not_fit_on_the_disk_is_refused_before_it_is_copied(self):
        from qgis.core import QgsProcessingException, QgsRasterRange

        layer = self.raster(self.in_a_country(), "gdal")
        layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(-5, -4)])
        free = unittest.mock.Mock(free=60_000_000)
        with unittest.mock.patch("tesseray.raster_windows.shutil.disk_usage", return_value=free):
            with self.assertRaisesRegex(QgsProcessingException, "“ground” has to be copied, which takes 0.0596 GiB .*Give an extent"):
                self.environment_of(DEM=layer, EXTENT=None)
            self.environment_of(DEM=layer)

    # Rows.

    def chosen(self, layer, **choice):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        value = QgsProcessingFeatureSourceDefinition(layer.id())
        for name, wanted in choice.items():
            setattr(value, name, wanted)
        return value

    def prisms_of(self, buildings):
        with sqlite3.connect(self.environment_of(BUILDINGS=buildings, **HOUSES, OVERWRITE=True)["ENVIRONMENT"]) as database:
            return database.execute("SELECT count(*) FROM buildings").fetchone()[0]

    def test_all_rows_of_a_service_come(self):
        server = self.service(limit=10, is_paging=True)
        houses = self.houses(server.wfs(), "WFS")
        self.assertEqual(self.prisms_of(houses), geo_services.HOUSES)
        self.assertEqual(self.prisms_of(self.chosen(houses, filterExpression="$id <= 4")), 4)
        houses.selectByIds([1, 3])
        self.assertEqual(self.prisms_of(self.chosen(houses, selectedFeaturesOnly=True)), 2)
        self.assertEqual(self.prisms_of(self.houses(server.wfs(maxNumFeatures=7), "WFS")), 7)
        for counts in (True, False):
            with self.subTest(counts=counts):
                houses = self.houses(self.service(counts=counts).oapif(), "OAPIF")
                self.assertEqual(self.prisms_of(houses), geo_services.HOUSES)

    def test_rows_that_a_server_does_not_send_are_missed(self):
        houses = self.houses(self.service(limit=10).wfs(), "WFS")
        self.assertEqual(houses.featureCount(), geo_services.HOUSES)
        refused = "“houses” did not come completely from its server: 10 of 25 rows.*Reload the layer"
        self.assert_refused_in_every_thread(refused, BUILDINGS=houses, **HOUSES)
        self.assert_refused_in_every_thread(refused, BUILDINGS=self.chosen(houses, filterExpression="$id > 0"), **HOUSES)
        # Those that are wanted came.
        self.assertEqual(self.prisms_of(self.chosen(houses, featureLimit=4)), 4)

    def test_a_page_of_rows_that_fails_stops_the_run(self):
        for counts in (True, False):
            server = self.service(limit=10, is_paging=True, fails_from=20, counts=counts)
            for source, provider in ((server.wfs(), "WFS"), (server.oapif(), "OAPIF")):
                refused = f"20 {'of 25 ' if counts or provider == 'WFS' else ''}rows \\(Download of features .*failed"
                with self.subTest(provider=provider, counts=counts):
                    self.assert_refused_in_every_thread(refused, BUILDINGS=self.houses(source, provider), **HOUSES)

    def test_rows_whose_download_failed_are_downloaded_again(self):
        """QGIS keeps those that came, as for the map."""
        server = self.service(fails_from=20, counts=False)
        houses = self.houses(server.oapif(), "OAPIF")
        self.assertEqual(len(list(houses.getFeatures())), 20)
        self.assert_refused_in_every_thread(r"20 rows \(Download of features .*failed", BUILDINGS=houses, **HOUSES)
        server.recover()
        self.assertEqual(self.prisms_of(houses), geo_services.HOUSES)

    # Keys.

    def test_keys_of_services_are_recorded_nowhere(self):
        server = self.service(raster=str(SAMPLE / "dem.tif"))
        houses = (self.houses(server.oapif("?f=json&apikey=geheim7"), "OAPIF"),
                  self.houses(server.wfs(url=f"http://anna:geheim7@127.0.0.1:{server.port}/wfs?access_token=geheim7"), "WFS"))
        grounds = [self.raster(server.wcs(query), "wcs") for query in ("?token%3Dgeheim7", "?token=geheim7")]
        for inputs in (*({"BUILDINGS": layer, **HOUSES} for layer in houses), *({"DEM": layer} for layer in grounds)):
            environment = self.environment_of(**inputs, OVERWRITE=True)["ENVIRONMENT"]
            with sqlite3.connect(environment) as database:
                recorded, = database.execute("SELECT inputs FROM tesseray_runs").fetchone()
            self.assertRegex(recorded, "(?:key|token)(?:=|%3D)(?:XXXXXXXX|…)")  # as the plugin hides it, or the program
            self.assertIn("127.0.0.1", recorded)
            with open(environment, "rb") as file:
                self.assertNotIn(b"geheim", file.read())

    def test_which_parts_of_sources_are_keys(self):
        from tesseray.provider_messages import in_one_line
        from tesseray.service_keys import without_keys

        # The program's test takes the same names.
        query_names = list(csv.reader((harness.SOURCE / "tests/support/query_names.csv").read_text().splitlines()))[1:]
        for source in ("url='http://a/b?{}=geheim' typename='x'", "url=http://a/b?{}%3Dgeheim&crs=EPSG:25832",
                       "url=http%3A%2F%2Fa%2Fb%3Fx%3D1%26{}%3Dgeheim%26y%3D2", "failed: http://a/b?x=1&{}=geheim - replied",
                       "?layer=WFS:url%253D'http%253A//a%253F{}%253Dgeheim%2526x%253D1'&query=SELECT 1"):
            for name, is_secret in query_names:
                expected = source.format(name).replace("geheim", "XXXXXXXX") if int(is_secret) else source.format(name)
                self.assertEqual(without_keys(source.format(name)), expected)
        self.assertEqual(without_keys("url='http://a' http-header:authorization='Bearer a b' key='id'"),
                         "url='http://a' http-header:authorization=XXXXXXXX key='id'")
        self.assertEqual(in_one_line("http://anna:geheim@a/b?token=geheim: no answer.\n"),
                         "http://anna:XXXXXXXX@a/b?token=XXXXXXXX no answer")
        for source in ("dbname='city' key='fid' table=\"public\".\"b\" (geom)", "/data/b.gpkg|layername=key=3",
                       "url=http://a/b?design=7&tokens=8&identifier=ground"):
            self.assertEqual(without_keys(source), source)


if __name__ == "__main__":
    run_tests()
