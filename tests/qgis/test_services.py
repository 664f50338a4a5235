# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that QGIS reads from servers, and from files that are cut short: what arrives in part is not taken for the whole."""

import sqlite3
import time

import geo_services
import qgis_harness as harness
from qgis_harness import SAMPLE, SMALL_SCENE, ProjectTest, run_tests

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
            self.assertIn("XXXXXXXX", recorded)
            self.assertIn("127.0.0.1", recorded)
            with open(environment, "rb") as file:
                self.assertNotIn(b"geheim", file.read())

    def test_which_parts_of_sources_are_keys(self):
        from tesseray.provider_messages import in_one_line
        from tesseray.service_keys import without_keys

        for source in ("url='http://a/b?{}=geheim' typename='x'", "url=http://a/b?{}%3Dgeheim&crs=EPSG:25832",
                       "url=http%3A%2F%2Fa%2Fb%3Fx%3D1%26{}%3Dgeheim%26y%3D2", "failed: http://a/b?x=1&{}=geheim - replied",
                       "?layer=WFS:url%253D'http%253A//a%253F{}%253Dgeheim%2526x%253D1'&query=SELECT 1"):
            for name in ("apikey", "api_key", "API-Key", "key", "token", "access_token", "sig", "X-Amz-Signature"):
                hidden = without_keys(source.format(name))
                self.assertEqual(hidden, source.format(name).replace("geheim", "XXXXXXXX"))
        self.assertEqual(without_keys("url='http://a' http-header:authorization='Bearer a b' key='id'"),
                         "url='http://a' http-header:authorization=XXXXXXXX key='id'")
        self.assertEqual(in_one_line("http://anna:geheim@a/b?token=geheim: no answer.\n"),
                         "http://anna:XXXXXXXX@a/b?token=XXXXXXXX no answer")
        for source in ("dbname='city' key='fid' table=\"public\".\"b\" (geom)", "/data/b.gpkg|layername=key=3",
                       "url=http://a/b?design=7&tokens=8&identifier=ground"):
            self.assertEqual(without_keys(source), source)


if __name__ == "__main__":
    run_tests()
