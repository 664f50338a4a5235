# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of a PostGIS database give what the same layers in files give; nothing is written to the database."""

import glob
import sqlite3
import sys
import unittest
import unittest.mock

import qgis_harness as harness
from qgis_harness import DRIVE_TEST, SAMPLE, SMALL_SCENE, QgisTest, run_tests

sys.path.insert(0, str(harness.SOURCE / "tests" / "pipeline"))
from test_postgis import Cluster, needs_postgis  # noqa: E402, the server that the executable's own test starts


@needs_postgis
class PostgisTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        harness.start_qgis()
        # The server runs as another user, who may not enter this test's own folder.
        with unittest.mock.patch("tempfile.tempdir", str(harness.PROFILE.parent)):
            cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.load("buildings", SAMPLE / "buildings.gpkg")
        cls.cluster.load("drive", SAMPLE / "drive_test_SYNTHETIC.gpkg")

    def layer(self, table):
        from qgis.core import QgsDataSourceUri, QgsProject, QgsVectorLayer

        uri = QgsDataSourceUri()
        uri.setConnection(str(self.cluster.folder), "", "city", "tesseray", "")
        uri.setDataSource("public", table, "geom", "", "fid")
        layer = QgsVectorLayer(uri.uri(), table, "postgres")
        self.assertTrue(layer.isValid(), layer.error().summary())
        QgsProject.instance().addMapLayer(layer)
        return layer

    def study(self, **inputs):
        import processing

        return processing.run("tesseray:coveragestudy", {
            **SMALL_SCENE, **DRIVE_TEST, **harness.transmitters(self.folder), "ERROR_STATISTICS": "TEMPORARY_OUTPUT",
            **inputs})["RESULT_HASH"]

    def test_a_study_from_the_database_equals_one_from_files(self):
        from_database = self.study(BUILDINGS=self.layer("buildings"), DRIVE_TEST=self.layer("drive"))
        self.assertEqual(from_database, self.study())

    def test_the_key_of_a_table_is_a_field(self):
        import processing

        layer = self.layer("buildings")
        self.assertTrue(layer.setSubsetString('"fid" BETWEEN 5 AND 40'))
        environment = processing.run("tesseray:tileenvironment", {
            "BUILDINGS": layer, "HEIGHT_FIELD": "fid", "TILE_AREA": 2000,
            "ENVIRONMENT": str(self.folder / "environment.gpkg")})["ENVIRONMENT"]
        with sqlite3.connect(environment) as database:
            heights = database.execute("SELECT source_feature, max(roof_z - base_z) FROM buildings GROUP BY 1").fetchall()
        self.assertEqual(sorted(heights), [(number, number) for number in range(5, 41)])

    def test_rows_of_a_table_that_is_being_edited(self):
        """New rows have texts for keys, and saved values that equal a default are no defaults."""
        import processing
        from qgis.core import QgsGeometry, QgsRectangle, QgsVectorLayerUtils

        self.cluster.load("edited", SAMPLE / "buildings.gpkg")
        self.cluster.execute("ALTER TABLE edited ALTER height_m SET DEFAULT 12; UPDATE edited SET height_m = 12")
        layer = self.layer("edited")
        saved = {row.id() for row in layer.getFeatures()}
        layer.startEditing()
        new = QgsVectorLayerUtils.createFeature(layer, QgsGeometry.fromRect(QgsRectangle(340000, 6021100, 340020, 6021120)))
        self.assertIn("nextval", str(new["fid"]))
        new["height_m"] = 50.0
        self.assertTrue(layer.addFeature(new))
        new = QgsVectorLayerUtils.createFeature(layer, QgsGeometry.fromRect(QgsRectangle(340060, 6021100, 340080, 6021120)))
        new["height_m"] = 12.0
        self.assertTrue(layer.addFeature(new))
        environment = processing.run("tesseray:tileenvironment", {
            "BUILDINGS": layer, "HEIGHT_FIELD": "height_m", "TILE_AREA": 2000,
            "ENVIRONMENT": str(self.folder / "environment.gpkg")})["ENVIRONMENT"]
        layer.rollBack()
        with sqlite3.connect(environment) as database:
            heights = dict(database.execute("SELECT source_feature, max(roof_z - base_z) FROM buildings GROUP BY 1"))
        drawn = {round(height) for number, height in heights.items() if number not in saved}
        self.assertEqual(drawn, {50, 12})
        self.assertGreater(sum(abs(height - 12) < 0.1 for height in heights.values()), 0.9 * len(saved))

    def test_chosen_rows_of_a_connection_that_breaks_stop_the_run(self):
        import processing
        from qgis.core import QgsProcessingException, QgsProcessingFeatureSourceDefinition, QgsProcessingFeedback
        from tesseray.inputs.copied_fields import RowsOfCopy

        class Breaking(QgsProcessingFeedback):
            def pushInfo(_, text):  # noqa: N802, N805
                if "is copied" in text:
                    break_connections()

        # QGIS fetches 2000 rows at once.
        self.cluster.execute("CREATE TABLE many AS SELECT row_number() OVER ()::int AS fid, geom, height_m FROM buildings, "
                             "generate_series(1, 8); ALTER TABLE many ADD PRIMARY KEY (fid)")
        chosen = QgsProcessingFeatureSourceDefinition(self.layer("many").id())
        chosen.filterExpression = "fid <= 5000 AND rand(1, 9) > 0"

        def run(feedback=None):
            return processing.run("tesseray:tileenvironment", {
                "BUILDINGS": chosen, "HEIGHT_FIELD": "height_m", "TILE_AREA": 2000, "DEM": None,
                "ENVIRONMENT": "TEMPORARY_OUTPUT"}, feedback=feedback)

        def break_connections():
            self.cluster.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                                 "AND datname = 'city'")

        def row(rows, original, made=RowsOfCopy.row):
            read.append(original.id())
            if len(read) == 100:
                break_connections()
            return made(rows, original)

        read = []
        with unittest.mock.patch.object(RowsOfCopy, "row", row):
            with self.assertRaisesRegex(QgsProcessingException, "“many” that the expression chooses may be missing .*cursor"):
                run()
        self.assertEqual(len(read), 2000)
        run(Breaking(False))  # a connection that is made anew before the first row loses none

    @unittest.skipUnless(glob.glob("/usr/share/postgresql/*/extension/postgis_raster.control"),
                         "PostGIS has no rasters here")
    def test_a_raster_of_which_tiles_are_not_read_stops_the_run(self):
        import processing
        from qgis.core import QgsProcessingException, QgsProject, QgsRasterLayer

        heights = (SAMPLE / "dem.tif").read_bytes().hex()
        script = self.open_folder() / "ground.sql"
        script.write_text("CREATE EXTENSION postgis_raster; SET postgis.gdal_enabled_drivers = 'ENABLE_ALL'; "
                          "CREATE TABLE ground AS SELECT 1 AS rid, ST_SetSRID(ST_FromGDALRaster("
                          f"'\\x{heights}'::bytea), 25832) AS rast; ALTER TABLE ground ADD PRIMARY KEY (rid); "
                          "SELECT AddRasterConstraints('ground', 'rast')", encoding="utf-8")
        self.cluster.execute_file(script)
        layer = QgsRasterLayer(f"dbname='city' host={self.cluster.folder} user='tesseray' table=\"public\".\"ground\" (rast)",
                               "ground", "postgresraster")
        self.assertTrue(layer.isValid(), layer.error().summary())
        QgsProject.instance().addMapLayer(layer)
        self.cluster.execute("ALTER TABLE ground RENAME TO soil")
        with self.assertRaisesRegex(QgsProcessingException, "“ground” could not be read completely .*tile index"):
            processing.run("tesseray:tileenvironment", {**SMALL_SCENE, "DEM": layer, "ENVIRONMENT": "TEMPORARY_OUTPUT"})


if __name__ == "__main__":
    run_tests()
