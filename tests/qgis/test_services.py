# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that QGIS reads from servers, and from files that are cut short: what arrives in part is not taken for the whole."""

import time

import geo_services
import qgis_harness as harness
from qgis_harness import SAMPLE, SMALL_SCENE, ProjectTest, run_tests


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


if __name__ == "__main__":
    run_tests()
