# SPDX-License-Identifier: GPL-3.0-or-later
"""Any layer that QGIS has: the executable sees the rows that the screen shows."""

import json
import pathlib
import shutil
import sqlite3
import sys
import time
import unittest.mock
from urllib.parse import quote

import qgis_harness as harness
from qgis_harness import SAMPLE, SMALL_SCENE, ProjectTest, run_tests

# The transmitters and what lies between them: for predictions of which the place does not matter.
BETWEEN_SITES = {**SMALL_SCENE, "EXTENT": "340400,340520,6020480,6020600 [EPSG:25832]"}
BUILDINGS = f"{SAMPLE / 'buildings.gpkg'}|layername=buildings"
# Buildings of the small scene; the executable reads 100 m around it, so these alone are counted.
SOME = "fid IN (SELECT fid FROM buildings ORDER BY fid LIMIT 40)"


class InputTest(ProjectTest):
    def layer(self, source=BUILDINGS, provider="ogr", name="houses"):
        from qgis.core import QgsVectorLayer

        layer = QgsVectorLayer(source, name, provider)
        self.assertTrue(layer.isValid(), source)
        self.project.addMapLayer(layer)
        return layer

    def memory_copy(self, request=None, name="in memory"):
        from qgis.core import QgsFeatureRequest

        copy = self.layer().materialize(request or QgsFeatureRequest().setFilterExpression("$id <= 60"))
        copy.setName(name)
        self.project.addMapLayer(copy)
        return copy

    def raster_without_crs(self):
        """The terrain of the sample town in a file that does not say its CRS."""
        from osgeo import gdal
        from qgis.core import QgsRasterLayer

        bare = self.folder / "bare.tif"
        terrain = gdal.Open(str(SAMPLE / "dem.tif"))
        copy = gdal.GetDriverByName("GTiff").Create(str(bare), terrain.RasterXSize, terrain.RasterYSize, 1,
                                                    gdal.GDT_Float32)
        copy.SetGeoTransform(terrain.GetGeoTransform())
        copy.GetRasterBand(1).SetNoDataValue(terrain.GetRasterBand(1).GetNoDataValue())
        copy.GetRasterBand(1).WriteArray(terrain.GetRasterBand(1).ReadAsArray())
        copy = None
        layer = QgsRasterLayer(str(bare), "terrain")
        self.project.addMapLayer(layer)
        return layer

    def environment_of(self, buildings, **inputs):
        """The rows of `buildings` in the environment that is made of a layer, and what the log said."""
        import processing
        from qgis.core import QgsProcessingFeedback

        self.feedback = QgsProcessingFeedback(False)
        self.feedback.pushInfo = unittest.mock.Mock(wraps=self.feedback.pushInfo)
        environment = self.folder / f"environment{len(list(self.folder.iterdir()))}.gpkg"
        without = {"EXTENT", "DEM"}
        parameters = {name: value for name, value in SMALL_SCENE.items() if name not in without}
        processing.run("tesseray:tileenvironment", {
            **parameters, "TILE_AREA": 2000, "BUILDINGS": buildings, "ENVIRONMENT": str(environment), **inputs},
            feedback=self.feedback)
        with sqlite3.connect(environment) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute("SELECT * FROM buildings")]

    def rows_of_tables(self, file):
        with sqlite3.connect(file) as database:
            tables = [name for name, in database.execute("SELECT table_name FROM gpkg_contents ORDER BY 1")]
            return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}

    def text_layer(self, file, options):
        return self.layer(f"file://{file}?delimiter=,&{options}", "delimitedtext", "text")

    def run_tool(self, tool, **inputs):
        import processing
        from qgis.core import QgsProcessingFeedback

        self.feedback = QgsProcessingFeedback(False)
        self.feedback.pushInfo = unittest.mock.Mock(wraps=self.feedback.pushInfo)
        return processing.run(f"tesseray:{tool}", inputs, feedback=self.feedback)

    def predicted(self, inputs):
        """The path loss layer of a prediction between the sites, without bounces."""
        environment = self.folder / "environment.gpkg"
        if not environment.exists():
            self.run_tool("tileenvironment", **BETWEEN_SITES, ENVIRONMENT=str(environment))
        return self.run_tool("predictcoverage", ENVIRONMENT=str(environment), PATH_LOSS="TEMPORARY_OUTPUT",
                             **{**inputs, "MAX_BOUNCES": 0})["PATH_LOSS"]

    def losses(self, path_loss):
        return [feature["path_loss_db"] for feature in self.layer(path_loss).getFeatures()]

    def log(self):
        return "\n".join(str(call.args[0]) for call in self.feedback.pushInfo.call_args_list)

    def sources(self, rows):
        return {row["source_feature"] for row in rows}

    def refused(self, inputs, algorithm="tileenvironment"):
        """What checkParameterValues says."""
        from qgis.core import QgsApplication, QgsProcessingContext

        context = QgsProcessingContext()
        context.setProject(self.project)
        algorithm = QgsApplication.processingRegistry().createAlgorithmById(f"tesseray:{algorithm}")
        is_good, message = algorithm.checkParameterValues({**SMALL_SCENE, "ENVIRONMENT": "TEMPORARY_OUTPUT", **inputs},
                                                          context)
        self.assertEqual(is_good, not message)
        return message

    # Which rows arrive.

    def test_a_plain_layer_is_opened_where_it_is(self):
        rows = self.environment_of(self.layer())
        self.assertEqual(len(self.sources(rows)), 675)
        self.assertNotIn("copied", self.log())

    def test_a_memory_layer(self):
        copy = self.memory_copy()
        rows = self.environment_of(copy)
        self.assertEqual(len(self.sources(rows)), copy.featureCount())
        self.assertIn("“in memory” is copied", self.log())

    def test_warnings_call_a_layer_as_the_user_does(self):
        from qgis.core import QgsProcessingFeedback

        for name in ("RECEIVERS", "EXTENT of my DEM"):
            copy = self.memory_copy(name=name)
            bare = next(copy.getFeatures()).id()
            copy.dataProvider().changeAttributeValues({bare: {copy.fields().lookupField("height_m"): None}})
            said = []
            with unittest.mock.patch.object(QgsProcessingFeedback, "pushWarning", lambda _, text: said.append(text)):
                self.environment_of(copy)
            self.assertTrue([text for text in said if text.startswith(f"{name}: ")], said)

    def test_the_record_of_a_run_names_what_was_copied(self):
        from qgis.core import QgsCoordinateReferenceSystem

        terrain = self.raster_without_crs()
        terrain.setCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        for buildings, origins in ((self.layer(), [None, f"“terrain” ({terrain.source()})"]),
                                   (self.memory_copy(name="blocks"), ["“blocks” (", f"“terrain” ({terrain.source()})"])):
            self.environment_of(buildings, DEM=terrain)
            environment = max(self.folder.glob("environment*.gpkg"), key=lambda file: file.stat().st_mtime_ns)
            with sqlite3.connect(environment) as database:
                recorded, = database.execute("SELECT inputs FROM tesseray_runs").fetchone()
            for entry, origin in zip(json.loads(recorded), origins, strict=True):
                self.assertEqual(entry.get("copy_of", "")[:len(origin or "")], origin or "", entry)
                self.assertTrue(entry["hash"])

    def test_a_filtered_layer(self):
        layer = self.layer()
        self.assertTrue(layer.setSubsetString("\"fid\" <= 40"))
        self.assertEqual(self.sources(self.environment_of(layer)), set(range(1, 41)))

    def test_a_layer_filtered_by_a_query(self):
        layer = self.layer()
        self.assertTrue(layer.setSubsetString(f"SELECT * FROM buildings WHERE {SOME}"))
        self.assertEqual(len(self.sources(self.environment_of(layer))), 40)

    def test_a_layer_filtered_with_a_comment(self):
        for filter_text in ('"fid" <= 40 -- the first', '-- the first\n"fid" <= 40', '"fid" <= /* of 675 */ 40'):
            with self.subTest(filter_text):
                layer = self.layer()
                self.assertTrue(layer.setSubsetString(filter_text))
                self.assertEqual(self.sources(self.environment_of(layer)), set(range(1, 41)))

    def test_selected_features_only(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        layer = self.layer()
        layer.selectByExpression("$id <= 25")
        chosen = QgsProcessingFeatureSourceDefinition(layer.id(), selectedFeaturesOnly=True)
        self.assertEqual(len(self.sources(self.environment_of(chosen))), 25)
        layer.removeSelection()
        self.assertIn("none is selected", self.refused({"BUILDINGS": chosen}))

    def test_some_features_by_expression_and_limit(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        chosen = QgsProcessingFeatureSourceDefinition(self.layer().id(), featureLimit=7, filterExpression="$id > 100")
        self.assertEqual(len(self.sources(self.environment_of(chosen))), 7)

    def test_an_expression_that_chooses_other_rows_each_time(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        layer = self.layer()
        for _ in range(4):
            chosen = QgsProcessingFeatureSourceDefinition(layer.id(), filterExpression="rand(0, 1) = 1")
            self.assertLess(len(self.sources(self.environment_of(chosen))), 675)

    def test_an_expression_may_name_variables_and_aggregates(self):
        from qgis.core import QgsExpressionContextUtils, QgsProcessingFeatureSourceDefinition

        layer = self.layer()
        heights = {row.id(): row["height_m"] for row in layer.getFeatures("height_m IS NOT NULL")}
        mean = sum(heights.values()) / len(heights)
        QgsExpressionContextUtils.setProjectVariable(self.project, "least_height", "20")
        for expression, least in (("height_m > to_real(@least_height)", 20), ("height_m > mean(height_m)", mean)):
            with self.subTest(expression):
                chosen = QgsProcessingFeatureSourceDefinition(layer.id(), filterExpression=expression)
                self.assertEqual(self.sources(self.environment_of(chosen)),
                                 {number for number, height in heights.items() if height > least})

    def with_a_crossed_outline(self):
        """Three buildings in memory, the second of which crosses itself."""
        from qgis.core import QgsFeature, QgsGeometry

        layer = self.layer("Polygon?crs=EPSG:25832&field=height_m:double", "memory", "drawn")
        for outline in ("0 0,20 0,20 20,0 20,0 0", "40 0,60 20,60 0,40 20,40 0", "80 0,100 0,100 20,80 20,80 0"):
            row, geometry = QgsFeature(layer.fields()), QgsGeometry.fromWkt(f"POLYGON(({outline}))")
            geometry.translate(340400, 6020480)
            row.setGeometry(geometry)
            row.setAttributes([10.0])
            layer.dataProvider().addFeatures([row])
        return layer

    def test_what_is_chosen_for_invalid_geometries_holds_and_else_they_are_repaired(self):
        from qgis.core import Qgis, QgsProcessingException, QgsProcessingFeatureSourceDefinition, QgsVectorFileWriter

        drawn = self.with_a_crossed_outline()
        options, file = QgsVectorFileWriter.SaveVectorOptions(), str(self.folder / "saved.gpkg")
        QgsVectorFileWriter.writeAsVectorFormatV3(drawn, file, self.project.transformContext(), options)
        layer, check, none = self.layer(file), Qgis.InvalidGeometryCheck, Qgis.ProcessingFeatureSourceDefinitionFlags()
        overriding = none | Qgis.ProcessingFeatureSourceDefinitionFlag.OverrideDefaultGeometryCheck

        def chosen(check, limit=-1, is_selection=False, flags=overriding):
            return QgsProcessingFeatureSourceDefinition(layer.id(), is_selection, limit, flags, check)

        layer.selectByIds([2, 3])
        for expected, buildings in (({1, 2, 3}, chosen(check.NoCheck)), ({1, 3}, chosen(check.SkipInvalid)),
                                    ({1, 2, 3}, chosen(check.AbortOnInvalid, flags=none)),
                                    ({1}, chosen(check.SkipInvalid, limit=2)),  # as QGIS counts
                                    ({3}, chosen(check.SkipInvalid, is_selection=True)),
                                    ({1}, chosen(check.AbortOnInvalid, limit=1))):
            with self.subTest(expected):
                self.assertEqual(self.sources(self.environment_of(buildings, BASE_FIELD=None)), expected)
        with self.assertRaisesRegex(QgsProcessingException, r"Feature \(2\) from “houses” has invalid geometry"):
            self.environment_of(chosen(check.AbortOnInvalid), BASE_FIELD=None)

    def test_unsaved_edits_count(self):
        layer = self.layer()
        layer.setSubsetString("\"fid\" <= 40")
        self.assertTrue(layer.startEditing())
        field = layer.fields().lookupField("height_m")
        for feature in layer.getFeatures():
            layer.changeAttributeValue(feature.id(), field, 33.0)
        rows = self.environment_of(layer)
        layer.rollBack()
        self.assertIn("unsaved edits", self.log())
        # Only whole pieces on the ground: parts on others have their base.
        self.assertGreater(sum(abs(row["roof_z"] - row["base_z"] - 33.0) < 0.01 for row in rows), 30)

    def test_unsaved_edits_of_another_layer_in_the_same_transaction_count(self):
        from qgis.core import Qgis

        file = self.folder / "houses.gpkg"
        shutil.copy(SMALL_SCENE["BUILDINGS"], file)
        edited, other = (self.layer(f"{file}|layername=buildings", name=name) for name in ("edited", "other"))
        self.project.setTransactionMode(Qgis.TransactionMode.AutomaticGroups)
        self.addCleanup(self.project.setTransactionMode, Qgis.TransactionMode.Disabled)
        self.assertTrue(edited.startEditing())
        self.addCleanup(edited.rollBack)
        self.environment_of(other)
        self.assertNotIn("copied", self.log())
        field = edited.fields().lookupField("height_m")
        for number in edited.allFeatureIds():  # all first: each change is a statement on the connection that reads
            edited.changeAttributeValue(number, field, 33.0)
        self.assertEqual({feature["height_m"] for feature in other.getFeatures()}, {33.0})
        rows = self.environment_of(other)
        self.assertIn("“other” is copied for this run, since another layer of its file has unsaved edits", self.log())
        self.assertGreater(sum(abs(row["roof_z"] - row["base_z"] - 33.0) < 0.01 for row in rows), 500)

    def test_a_copy_of_a_layer_of_collections_lies_where_the_layer_does(self):
        from osgeo import gdal
        from qgis.core import QgsCoordinateReferenceSystem, QgsProcessingFeatureSourceDefinition

        collections = str(self.folder / "collections.gpkg")
        gdal.VectorTranslate(collections, BUILDINGS.split("|")[0], geometryType="GEOMETRYCOLLECTION")
        expected = self.environment_of(collections)
        layer = self.layer(collections)
        chosen = QgsProcessingFeatureSourceDefinition(layer.id(), featureLimit=10_000)
        self.assertEqual(self.roofs(self.environment_of(chosen)), self.roofs(expected))
        self.assertIn("is copied", self.log())
        layer.setCrs(QgsCoordinateReferenceSystem("EPSG:25833"))
        self.assertNotEqual(self.environment_of(chosen, CRS="EPSG:25832")[0]["geom"], expected[0]["geom"])

    def test_rows_of_a_copy_keep_their_numbers(self):
        from qgis.core import QgsFeature, QgsGeometry, QgsProcessingFeatureSourceDefinition, QgsVectorFileWriter

        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = "ESRI Shapefile"
        memory = self.memory_copy()
        options.attributes = [memory.fields().lookupField(name) for name in ("height_m", "base_m")]
        shapes = str(self.folder / "shapes.shp")
        QgsVectorFileWriter.writeAsVectorFormatV3(memory, shapes, self.project.transformContext(), options)
        layer = self.layer(shapes)
        everything = self.sources(self.environment_of(layer))
        self.assertEqual(everything, set(range(layer.featureCount())))  # Shapefiles count from 0
        layer.selectByIds([3, 10, 20])
        chosen = QgsProcessingFeatureSourceDefinition(layer.id(), selectedFeaturesOnly=True)
        self.assertEqual(self.sources(self.environment_of(chosen)), {3, 10, 20})
        self.assertTrue(layer.startEditing())
        layer.deleteFeature(3)
        crossed = QgsFeature(layer.fields())  # as the program is to repair it
        crossed.setAttributes([9.0, 0.0])
        crossed.setGeometry(QgsGeometry.fromWkt("POLYGON((340300 6020300, 340320 6020330, 340320 6020300, "
                                                "340300 6020330, 340300 6020300))"))
        self.assertTrue(layer.addFeature(crossed))
        self.assertEqual(self.sources(self.environment_of(layer)), everything - {3} | {max(everything) + 1})
        layer.rollBack()

    def roofs(self, rows):
        """By the number of a building, the height of its first roof over its base."""
        return {row["source_feature"]: round(row["roof_z"] - row["base_z"]) for row in rows}

    def test_a_row_that_is_not_saved_gets_a_free_number_and_the_others_keep_theirs(self):
        from qgis.core import QgsFeatureRequest, QgsGeometry, QgsRectangle, QgsVectorFileWriter, QgsVectorLayerUtils

        def box(number):
            return QgsGeometry.fromRect(QgsRectangle(340400 + 40 * number, 6020480, 340420 + 40 * number, 6020520))

        drawn = self.layer("Polygon?crs=EPSG:25832&field=height_m:double", "memory", "drawn")
        for number, height in enumerate((12.0, 30.0, 9.0)):
            row = QgsVectorLayerUtils.createFeature(drawn, box(number), {0: height})
            drawn.dataProvider().addFeatures([row])
        for driver, file, options, first in (("GPKG", "a.gpkg", [], 1), ("GPKG", "b.gpkg", ["FID=id"], 1),
                                             ("SQLite", "c.sqlite", [], 1), ("ESRI Shapefile", "d.shp", [], 0),
                                             ("GeoJSON", "e.geojson", [], 0)):
            writing = QgsVectorFileWriter.SaveVectorOptions()
            writing.driverName, writing.layerOptions = driver, options
            QgsVectorFileWriter.writeAsVectorFormatV3(drawn, str(self.folder / file), self.project.transformContext(),
                                                      writing)
            layer = self.layer(str(self.folder / file))
            saved = {first: 12, first + 1: 30, first + 2: 9}
            key = next(iter(layer.dataProvider().pkAttributeIndexes()), None)
            for number in ("as the drawing tool says it", None):
                with self.subTest(file=file, number=number):
                    layer.startEditing()
                    new = QgsVectorLayerUtils.createFeature(layer, box(3))
                    new["height_m"] = 50.0
                    if key is not None and number is None:
                        new[key] = None
                    self.assertTrue(layer.addFeature(new))
                    rows = self.environment_of(layer, BASE_FIELD=None)
                    self.assertEqual(self.roofs(rows), {**saved, first + 3: 50})
                    layer.deleteFeature(first + 2)
                    rows = self.environment_of(layer, BASE_FIELD=None)
                    self.assertEqual(self.roofs(rows), {first: 12, first + 1: 30, first + 3: 50})
                    layer.rollBack()

    def test_rows_without_a_number_in_the_field_fid_get_free_ones(self):
        layer = self.with_field("fid", "integer", lambda number: None if number == 7 else 1000 + number)
        numbers = {1000 + row.id() for row in layer.getFeatures()} - {1007}
        free, = self.sources(self.environment_of(layer)) - numbers
        self.assertGreater(free, max(numbers))

    def test_numbers_that_several_rows_have_are_none(self):
        layer = self.with_field("fid", "integer", lambda number: number % 10)
        shown = {row.id() for row in layer.getFeatures()}
        self.assertEqual(self.sources(self.environment_of(layer)), shown)

    def test_numbers_of_which_one_is_none_in_a_geopackage(self):
        """-1, which gets another one there: of a field, QGIS's numbers count; of a query, that row's alone."""
        layer = self.with_field("fid", "integer", lambda number: number - 5)
        shown = {row.id() for row in layer.getFeatures()}
        self.assertEqual(self.sources(self.environment_of(layer)), shown)
        self.layer(name="houses")
        query = "SELECT fid - 5 AS number, height_m, base_m, geometry FROM houses WHERE fid BETWEEN 1 AND 15"
        numbered = self.layer(f"?query={query}&geometry=geometry:3:25832&uid=number", "virtual", "numbers")
        shown = {row.id() for row in numbered.getFeatures()}
        self.assertIn(-1, shown)
        self.assertEqual(self.sources(self.environment_of(numbered)), shown - {-1} | {max(shown) + 1})

    def test_messages_name_the_layer_and_not_the_file_of_its_copy(self):
        for name, told in (("Häuser: alt/neu", "Häuser: alt/neu"), ("Häuser %20 #1", "Häuser %20 #1"),
                           ("old \"roofs\" | new", "old \"roofs\" new"), ("buildings", "buildings"),
                           ("Buildings", "Buildings")):
            copy = self.memory_copy(name=name)
            lost = next(copy.getFeatures()).id()
            copy.dataProvider().changeAttributeValues({lost: {copy.fields().lookupField("height_m"): None}})
            self.environment_of(copy)
            environment = max(self.folder.glob("environment*.gpkg"), key=lambda file: file.stat().st_mtime_ns)
            with sqlite3.connect(environment) as database:
                layers = {layer for layer, in database.execute("SELECT DISTINCT source_layer FROM issues")}
            self.assertIn(told, layers)
            self.assertNotIn("BUILDINGS", layers)

    def test_rows_of_text_files_and_queries_have_the_numbers_of_qgis_too(self):
        from qgis.core import QgsFeatureRequest

        houses = self.layer(name="houses")
        text = self.folder / "houses.txt"
        request = QgsFeatureRequest().setFilterExpression("\"fid\" <= 12")
        text.write_text("wkt;height_m;base_m\n" + "".join(
            f"{house.geometry().asWkt()};{house['height_m']};{house['base_m']}\n"
            for house in houses.getFeatures(request)), encoding="utf-8")
        query = "SELECT fid AS number, height_m, base_m, geometry FROM houses WHERE fid BETWEEN 5 AND 15"
        for layer in (self.layer(f"file://{text}?type=csv&delimiter=;&wktField=wkt&crs=EPSG:25832", "delimitedtext", "in a text"),
                      self.layer(f"?query={query}&geometry=geometry:3:25832", "virtual", "query"),
                      self.layer(f"?query={query}&geometry=geometry:3:25832&uid=number", "virtual", "numbers")):
            shown = {feature.id() for feature in layer.getFeatures()}
            with self.subTest(layer.source()[:60]):
                self.assertNotEqual(shown, set(range(1, len(shown) + 1)))
                self.assertEqual(self.sources(self.environment_of(layer)), shown)

    def with_field(self, name, kind, value):
        """The first 60 buildings in memory, with one more field; value: by the number of a row."""
        layer = self.layer(f"Polygon?crs=EPSG:25832&field=height_m:double&field=base_m:double&field={name}:{kind}",
                           "memory", f"{kind} {name}")
        rows = []
        for row in self.memory_copy().getFeatures():
            row.setAttributes([row["height_m"], row["base_m"], value(row.id())])
            rows.append(row)
        layer.dataProvider().addFeatures(rows)
        return layer

    def test_fields_that_no_geopackage_has_lose_no_row(self):
        for kind, value in (("map", lambda number: {"building": "yes"} if number % 3 else None),
                            ("integerlist", lambda number: [number, 2])):
            layer = self.with_field("tags", kind, value)
            self.assertEqual(len(self.sources(self.environment_of(layer))), 60, kind)

    def test_the_numbers_of_rows_are_a_field_of_copied_layers_and_others(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        plain = self.layer()
        plain.selectByExpression("\"fid\" <= 40")
        some = QgsProcessingFeatureSourceDefinition(plain.id(), selectedFeaturesOnly=True)
        numbered = self.with_field("FID", "integer", lambda number: 61 - number)
        for kind, buildings, field in (("plain", plain, "fid"), ("copied", some, "fid"), ("memory", numbered, "FID")):
            with self.subTest(kind):
                self.assertFalse(self.refused({"BUILDINGS": buildings, "HEIGHT_FIELD": field}))
                rows = self.environment_of(buildings, HEIGHT_FIELD=field, BASE_FIELD=None)
                roofs = self.roofs([row for row in rows if 3 < row["source_feature"] <= 40])
                self.assertGreater(len(roofs), 20)
                self.assertEqual(roofs, {number: number for number in roofs})

    def test_a_field_with_the_alias_fid_does_not_number_the_rows(self):
        layer = self.with_field("osm_id", "integer", lambda number: 1000 + number)
        layer.setFieldAlias(layer.fields().indexFromName("osm_id"), "FID")
        shown = {feature.id() for feature in layer.getFeatures()}
        self.assertEqual(self.sources(self.environment_of(layer)), shown)

    def test_a_field_fid_of_other_than_whole_numbers(self):
        for kind, value in (("string", lambda number: f"B{number:04}"), ("double", lambda number: number + 0.5)):
            layer = self.with_field("fid", kind, value)
            shown = {feature.id() for feature in layer.getFeatures()}
            self.assertEqual(self.sources(self.environment_of(layer)), shown, kind)

    def test_fields_that_a_geopackage_cannot_call_so_keep_their_meaning(self):
        def heights(rows):
            return {round(row["roof_z"] - row["base_z"], 2) for row in rows}

        for name in ("geom", "Geom", "fid"):
            layer = self.with_field(name, "string", lambda number: "33 m")
            self.assertEqual(heights(self.environment_of(layer, HEIGHT_FIELD=name, BASE_FIELD=None)), {33.0}, name)
        layer = self.with_field("HEIGHT_M", "double", lambda number: 21.5)
        rows = self.environment_of(layer, HEIGHT_FIELD="HEIGHT_M", BASE_FIELD=None)
        self.assertEqual(heights(rows), {21.5})
        self.assertEqual(len(self.sources(rows)), 60)
        self.assertNotEqual(heights(self.environment_of(layer, HEIGHT_FIELD="height_m", BASE_FIELD=None)), {21.5})

    def test_a_run_cancelled_while_its_input_is_copied_says_so(self):
        import processing
        from qgis.core import QgsProcessingException, QgsProcessingFeedback

        class Impatient(QgsProcessingFeedback):
            def pushInfo(self, text):  # noqa: N802
                if "is copied" in text:
                    self.cancel()

        layer = self.with_field("name", "string", str)
        with self.assertRaisesRegex(QgsProcessingException, "The run was cancelled"):
            processing.run("tesseray:tileenvironment", {
                **SMALL_SCENE, "EXTENT": None, "DEM": None, "BUILDINGS": layer,
                "ENVIRONMENT": str(self.folder / "e.gpkg")}, feedback=Impatient(False))
        self.assertFalse((self.folder / "e.gpkg").exists())

    def started(self, tool, inputs):
        """A run that has looked at its inputs, in a thread of its own as dialogs start it; its feedback, and what it
        came to, when it has ended: whether it is good, and its results."""
        from qgis.core import QgsApplication, QgsProcessingAlgRunnerTask, QgsProcessingFeedback

        algorithm = QgsApplication.processingRegistry().createAlgorithmById(f"tesseray:{tool}")
        feedback, ends = QgsProcessingFeedback(False), []
        task = QgsProcessingAlgRunnerTask(algorithm, inputs, self.context, feedback)
        task.executed.connect(lambda is_good, results: ends.append((is_good, results)))
        return task, feedback, ends

    def run_to_the_end(self, task, ends, meanwhile=lambda: None):
        from qgis.core import QgsApplication

        QgsApplication.taskManager().addTask(task)
        while not ends:
            QgsApplication.processEvents()
            time.sleep(0.01)
            meanwhile()

    def copies_of(self, name):
        """All copies of inputs that runs have made so far, by the file's name."""
        from qgis.core import QgsProcessingUtils

        return set(pathlib.Path(QgsProcessingUtils.tempFolder(self.context)).rglob(name))

    def cancelled_copy(self, name, **inputs):
        """The copy of an input that a run leaves when it is cancelled while it copies."""

        def cancel_once_copied():
            if not feedback.isCanceled() and self.copies_of(name) > before:
                feedback.cancel()

        before = self.copies_of(name)
        task, feedback, ends = self.started("tileenvironment", {
            **SMALL_SCENE, "ENVIRONMENT": str(self.folder / "e.gpkg"), **inputs})
        self.run_to_the_end(task, ends, cancel_once_copied)
        self.assertIn("The run was cancelled", feedback.textLog())
        copy, = self.copies_of(name) - before
        return copy

    def project_of_copied_layers(self):
        """Inputs of a study that are layers of the project, each of which is copied for another reason."""
        from qgis.core import (QgsCoordinateReferenceSystem, QgsFeature, QgsFeatureRequest, QgsGeometry,
                               QgsProcessingFeatureSourceDefinition, QgsRectangle)

        rectangle = QgsRectangle(340350, 6020350, 340650, 6020650)
        terrain = self.raster_without_crs()
        terrain.setCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        buildings = self.memory_copy(QgsFeatureRequest().setFilterRect(rectangle))
        self.assertTrue(buildings.startEditing())
        for number in (1, 2, 3):
            buildings.changeAttributeValue(number, buildings.fields().lookupField("height_m"), 31.0)
        sites = self.text_layer(harness.transmitters(self.folder)["TRANSMITTERS"], "xField=x&yField=y&crs=EPSG:25832")
        sites.selectByExpression("name = 'Hill'")
        area, whole = self.layer("Polygon?crs=EPSG:25832", "memory", "area"), QgsFeature()
        whole.setGeometry(QgsGeometry.fromRect(rectangle))
        area.dataProvider().addFeatures([whole])
        area.updateExtents()
        return {**SMALL_SCENE, "BUILDINGS": buildings.id(), "DEM": terrain.id(), "EXTENT": area.id(),
                "TRANSMITTERS": QgsProcessingFeatureSourceDefinition(sites.id(), selectedFeaturesOnly=True),
                "MAX_BOUNCES": 0, "PATH_LOSS": "TEMPORARY_OUTPUT"}

    def test_a_run_goes_on_when_its_layers_leave_the_project(self):
        """As when a new project is opened: the run has what there was at its start."""
        hashes = []
        for removed in (lambda: None, self.project.removeAllMapLayers, self.project.clear):
            task, feedback, ends = self.started("coveragestudy", self.project_of_copied_layers())
            removed()
            self.run_to_the_end(task, ends)
            (is_good, results), = ends
            self.assertTrue(is_good, feedback.textLog())
            for name in ("in memory", "terrain", "text"):
                self.assertIn(f"“{name}” is copied", feedback.textLog())
            hashes.append(results["RESULT_HASH"])
            self.project.clear()
        self.assertEqual(hashes, hashes[:1] * 3)

    def test_a_query_whose_layers_leave_the_project_is_not_taken_for_complete(self):
        for is_named in (True, False):
            houses = self.memory_copy(name="houses in memory")
            query = self.layer("?query=" + quote('SELECT "fid", height_m, base_m, geometry FROM "houses in memory"')
                               + "&uid=fid", "virtual", "a query")
            task, feedback, ends = self.started("tileenvironment", {
                **SMALL_SCENE, "BUILDINGS": query.id(), "ENVIRONMENT": "TEMPORARY_OUTPUT"})
            self.project.removeMapLayer(houses.id() if is_named else query.id())
            self.run_to_the_end(task, ends)
            self.assertEqual(ends, [(False, {})])
            self.assertIn("“a query” is a query, and it or a layer that it shows rows of left the project",
                          feedback.textLog())
            self.project.clear()

    def test_companions_are_copied_of_a_layer_that_has_left_the_project(self):
        path_loss = self.predicted(harness.transmitters(self.folder))
        sources = []
        for is_removed in (False, True):
            layer = self.layer(path_loss, name="losses")
            self.assertTrue(layer.setSubsetString("SELECT * FROM path_loss WHERE transmitter_id = 1"))
            task, feedback, ends = self.started("bestserver", {"PATH_LOSS": layer.id(),
                                                               "BEST_SERVER": "TEMPORARY_OUTPUT"})
            if is_removed:
                self.project.clear()
            self.run_to_the_end(task, ends)
            (is_good, results), = ends
            self.assertTrue(is_good, feedback.textLog())
            self.assertIn("its filter is a query", feedback.textLog())
            sources.append(results["RESULT_HASH"])
        self.assertEqual(*sources)

    def test_cancel_ends_the_copying_of_a_large_layer(self):
        from osgeo import ogr
        from qgis.core import QgsFeature

        layer = self.layer("Polygon?crs=EPSG:25832&field=height_m:double", "memory", "city")
        rows, houses = [], [row.geometry() for row in self.layer().getFeatures()]
        for number in range(150_000):
            row = QgsFeature(layer.fields())
            row.setGeometry(houses[number % len(houses)])
            row.setAttributes([10.0])
            rows.append(row)
        layer.dataProvider().addFeatures(rows)
        copy = self.cancelled_copy("BUILDINGS.gpkg", BUILDINGS=layer.id(), BASE_FIELD=None)
        copied = ogr.Open(str(copy))
        self.assertLess(copied.GetLayer(0).GetFeatureCount(), len(rows))

    def test_a_copy_of_a_layer_has_no_index_and_is_closed_before_it_is_read(self):
        from tesseray.inputs.layer_copy import LayerCopy

        frames, rows = [], []

        def held(frame, event, result):
            """Keeps what the frame that made the copy still holds, as a profiler does."""
            if event == "return" and frame.f_code is LayerCopy._copy_rows.__code__:
                frames.append(frame)
                with sqlite3.connect(next(iter(self.copies_of("BUILDINGS.gpkg") - before))) as copy:
                    names = {name for name, in copy.execute("SELECT name FROM sqlite_master")}
                    rows.extend(copy.execute("SELECT fid FROM BUILDINGS"))
                self.assertFalse([name for name in names if name.startswith("rtree_BUILDINGS")])

        layer = self.memory_copy()
        before = self.copies_of("BUILDINGS.gpkg")
        sys.setprofile(held)
        try:
            self.environment_of(layer)
        finally:
            sys.setprofile(None)
        self.assertEqual((len(frames), len(rows)), (1, 60))

    def test_cancel_ends_the_copying_of_a_large_raster(self):
        from osgeo import gdal
        from qgis.core import QgsRasterBlockFeedback, QgsRasterLayer, QgsRasterRange

        file = str(self.folder / "large.tif")
        made = gdal.GetDriverByName("GTiff").Create(file, 16000, 16000, 1, gdal.GDT_Float32,
                                                    ["SPARSE_OK=YES", "TILED=YES"])
        made.SetGeoTransform([339940, 0.5, 0, 6021060, 0, -0.5])
        made.SetProjection(gdal.Open(str(SAMPLE / "dem.tif")).GetProjection())
        made = None
        layer = QgsRasterLayer(file, "large")
        layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(-1, -1)])
        self.project.addMapLayer(layer)
        copying = []

        def noted():
            copying.append(QgsRasterBlockFeedback())
            return copying[0]

        with unittest.mock.patch("tesseray.inputs.raster_copy.QgsRasterBlockFeedback", noted):
            self.cancelled_copy("raster.tif", DEM=layer.id())
        self.assertLess(copying[0].progress(), 50)

    def test_rows_that_cannot_be_copied_stop_the_run(self):
        import processing
        from qgis.core import QgsProcessingException, QgsProcessingOutputLayerDefinition

        self.memory_copy(name="houses in memory")
        alike = self.layer("?query=" + quote('SELECT min("fid", 59) AS number, height_m, base_m, geometry '
                                             'FROM "houses in memory"') + "&uid=number", "virtual", "two alike")
        with self.assertRaisesRegex(QgsProcessingException,
                                    r"1 of 60 rows of “two alike” could not be copied to a temporary file \(.*UNIQUE"):
            processing.run("tesseray:tileenvironment", {
                **SMALL_SCENE, "EXTENT": None, "DEM": None, "BUILDINGS": alike, "ENVIRONMENT": "TEMPORARY_OUTPUT",
                "ISSUES": QgsProcessingOutputLayerDefinition("memory:Issues", self.project)}, context=self.context)
        # QGIS would say of each that it was not correctly generated.
        self.assertEqual(self.context.layersToLoadOnCompletion(), {})

    def test_an_encoding_that_was_set_in_qgis_holds(self):
        from qgis.core import QgsVectorFileWriter

        sites = self.layer("Point?crs=EPSG:25832&field=name:string(40)&field=height_m:double&field=frequency:double"
                           "&field=erp_dbm:double", "memory", "sites")
        from qgis.core import QgsFeature, QgsGeometry, QgsPointXY
        site = QgsFeature(sites.fields())
        site.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(340500, 6020500)))
        site.setAttributes(["Süd-Straße", 40.0, 900.0, 43.0])
        sites.dataProvider().addFeature(site)
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName, options.fileEncoding = "ESRI Shapefile", "CP850"
        file = self.folder / "sites.shp"
        QgsVectorFileWriter.writeAsVectorFormatV3(sites, str(file), self.project.transformContext(), options)
        file.with_suffix(".cpg").unlink()
        table = bytearray(file.with_suffix(".dbf").read_bytes())
        table[29] = 0  # nor does the table name its code page
        file.with_suffix(".dbf").write_bytes(table)
        layer = self.layer(str(file))
        layer.setProviderEncoding("IBM850")
        environment = self.run_tool("tileenvironment", **BETWEEN_SITES, ENVIRONMENT=str(self.folder / "e.gpkg"))
        written = self.run_tool("predictcoverage", ENVIRONMENT=environment["ENVIRONMENT"], TRANSMITTERS=layer,
                                MAX_BOUNCES=0, TRANSMITTERS_OUT="TEMPORARY_OUTPUT")["TRANSMITTERS_OUT"]
        self.assertIn("its encoding was set in QGIS", self.log())
        self.assertEqual([row["name"] for row in self.layer(written).getFeatures()], ["Süd-Straße"])

    def test_no_output_replaces_what_an_input_was_copied_from(self):
        from qgis.core import QgsProcessingException, QgsProcessingFeatureSourceDefinition, QgsVectorLayerJoinInfo

        city = self.folder / "city.gpkg"
        shutil.copyfile(SAMPLE / "buildings.gpkg", city)
        source = f"{city}|layername=buildings"
        before = self.rows_of_tables(city)
        selected = self.layer(source, name="selected")
        selected.selectByExpression("fid <= 40")
        joined = self.layer()
        join = QgsVectorLayerJoinInfo()
        join.setJoinLayer(self.layer(source, name="joined to it"))
        join.setJoinFieldName("fid")
        join.setTargetFieldName("fid")
        self.assertTrue(joined.addJoin(join))
        self.layer(source, name="named")
        shape = "geometry=geometry:3:25832"
        by_name = self.layer(f"?query=SELECT * FROM named&{shape}", "virtual", "by name")
        embedded = self.layer(f"?layer=ogr:{quote(source)}:inside&query=SELECT * FROM inside&{shape}", "virtual", "v")
        for buildings in (QgsProcessingFeatureSourceDefinition(selected.id(), selectedFeaturesOnly=True), joined,
                          by_name, embedded):
            with self.subTest(buildings=str(buildings)):
                for destinations in ({"TILES": source}, {"ENVIRONMENT": str(city)}):
                    with self.assertRaisesRegex(QgsProcessingException, "stays as it is"):
                        self.environment_of(buildings, OVERWRITE=True, **destinations)
                self.assertEqual(self.rows_of_tables(city), before)
                self.environment_of(buildings, OVERWRITE=True, TILES=f"{self.folder / 'city2.gpkg'}|layername=tiles")

    def test_joined_and_virtual_fields(self):
        from qgis.core import QgsField, QgsVectorLayerJoinInfo
        from qgis.PyQt.QtCore import QMetaType

        heights = self.folder / "heights.csv"
        heights.write_text("key,tall\n" + "".join(f"{i},21.5\n" for i in range(1, 700)), encoding="utf-8")
        table = self.layer(f"file://{heights}?type=csv&detectTypes=yes&geomType=none", "delimitedtext", "heights")
        for make_field in ("join", "virtual"):
            layer = self.layer()
            layer.setSubsetString("\"fid\" <= 40")
            if make_field == "join":
                join = QgsVectorLayerJoinInfo()
                join.setJoinLayer(table)
                join.setJoinFieldName("key")
                join.setTargetFieldName("fid")
                join.setUsingMemoryCache(True)
                join.setPrefix("h_")
                self.assertTrue(layer.addJoin(join))
                name = "h_tall"
            else:
                layer.addExpressionField("20 + 1.5", QgsField("virtual", QMetaType.Type.Double))
                name = "virtual"
            with self.subTest(make_field):
                rows = self.environment_of(layer, HEIGHT_FIELD=name, BASE_FIELD=None)
                self.assertIn("joined or virtual", self.log())
                self.assertGreater(sum(abs(row["roof_z"] - row["base_z"] - 21.5) < 0.01 for row in rows), 30)

    def test_a_virtual_layer(self):
        self.layer(name="houses")
        virtual = self.layer("?query=SELECT * FROM houses WHERE fid <= 30&geometry=geometry:3:25832", "virtual", "v")
        self.assertEqual(len(self.sources(self.environment_of(virtual))), 30)

    def test_a_crs_that_was_set_in_qgis_holds(self):
        from qgis.core import QgsCoordinateReferenceSystem, QgsVectorFileWriter

        plain = self.folder / "no_crs.gpkg"
        source = self.layer()
        source.setCrs(QgsCoordinateReferenceSystem())
        options = QgsVectorFileWriter.SaveVectorOptions()
        QgsVectorFileWriter.writeAsVectorFormatV3(source, str(plain), self.project.transformContext(), options)
        layer = self.layer(str(plain))
        layer.setCrs(QgsCoordinateReferenceSystem())
        self.assertIn("has no CRS", self.refused({"BUILDINGS": layer}))
        layer.setCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        self.assertEqual(self.refused({"BUILDINGS": layer}), "")
        self.assertEqual(len(self.sources(self.environment_of(layer))), 675)
        self.assertIn("CRS was set", self.log())

    def test_names_with_blanks_quotes_and_other_scripts(self):
        from qgis.core import QgsVectorFileWriter

        folder = self.folder / "Größe “路” 'a b' $x"
        folder.mkdir()
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.layerName = "Häuser 路"
        file = folder / "Gebäude.gpkg"
        QgsVectorFileWriter.writeAsVectorFormatV3(self.memory_copy(), str(file), self.project.transformContext(),
                                                  options)
        layer = self.layer(f"{file}|layername=Häuser 路")
        rows = self.environment_of(layer, TILES=str(folder / "Kacheln.gpkg"))
        self.assertEqual(len(self.sources(rows)), layer.featureCount())
        self.assertTrue((folder / "Kacheln.gpkg").exists())

    def test_a_raster_whose_crs_was_set_in_qgis(self):
        import numpy
        from qgis.core import QgsCoordinateReferenceSystem

        layer = self.raster_without_crs()
        layer.setCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        with_copy = self.environment_of(self.layer(), DEM=layer)
        self.assertIn("“terrain” is copied", self.log())
        directly = self.environment_of(self.layer(), DEM=str(SAMPLE / "dem.tif"))
        numpy.testing.assert_allclose([row["base_z"] for row in with_copy], [row["base_z"] for row in directly])

    def test_no_data_that_was_set_in_qgis_holds(self):
        from qgis.core import QgsCoordinateReferenceSystem, QgsRasterRange

        layer = self.raster_without_crs()
        from osgeo import gdal
        terrain = gdal.Open(str(self.folder / "bare.tif"), gdal.GA_Update)
        heights = terrain.GetRasterBand(1).ReadAsArray()
        hole = (slice(heights.shape[0] // 2 - 4, heights.shape[0] // 2 + 4), slice(heights.shape[1] // 2 - 4,
                                                                                 heights.shape[1] // 2 + 4))
        lowest = heights[heights > -9999].min()
        self.assertGreater(lowest, 5)
        heights[hole] = 0
        terrain.GetRasterBand(1).WriteArray(heights)
        terrain = None
        layer.dataProvider().reloadData()
        layer.setCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        for ranges in ([], [QgsRasterRange(0, 0)]):
            layer.dataProvider().setUserNoDataValue(1, ranges)
            scene = {**SMALL_SCENE, "EXTENT": None, "DEM": layer, "TILE_AREA": 2000}
            tiles = self.layer(self.run_tool("tileenvironment", **scene, ENVIRONMENT="TEMPORARY_OUTPUT",
                                             TILES="TEMPORARY_OUTPUT")["TILES"])
            found = tiles.minimumValue(tiles.fields().indexOf("z"))
            self.assertEqual(found > lowest - 1, bool(ranges), found)
        self.assertIn("“terrain” is copied", self.log())

    def raster(self, name, values, kind, make=None):
        """A file of values that lies where the terrain of the sample town does. make: what else to do to it."""
        from osgeo import gdal

        terrain = gdal.Open(str(SAMPLE / "dem.tif"))
        file = self.folder / f"{name}.tif"
        made = gdal.GetDriverByName("GTiff").Create(str(file), values.shape[1], values.shape[0], 1, kind)
        made.SetGeoTransform(terrain.GetGeoTransform())
        made.SetProjection(terrain.GetProjection())
        made.GetRasterBand(1).WriteArray(values)
        if make:
            make(made)
        return str(file)

    def copied_rasters(self, file):
        """Layers of a raster file that cannot be opened as QGIS shows them, for two reasons."""
        from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsRasterRange

        with_no_data, moved = QgsRasterLayer(file, "with no-data"), QgsRasterLayer(file, "moved")
        with_no_data.dataProvider().setUserNoDataValue(1, [QgsRasterRange(0, 0)])
        moved.setCrs(QgsCoordinateReferenceSystem("EPSG:3044"))  # the same places as EPSG:25832
        self.project.addMapLayers([with_no_data, moved])
        return with_no_data, moved

    def ground_of_tiles(self, terrain):
        tiles = self.layer(self.run_tool("tileenvironment", **{**SMALL_SCENE, "DEM": terrain, "BASE_FIELD": None},
                                         ENVIRONMENT="TEMPORARY_OUTPUT", TILES="TEMPORARY_OUTPUT")["TILES"])
        return [row.geometry().vertexAt(0).z() for row in tiles.getFeatures("kind = 'ground'")]

    def test_heights_of_a_raster_that_is_copied_keep_their_unit_and_gaps(self):
        import numpy
        from osgeo import gdal

        terrain = gdal.Open(str(SAMPLE / "dem.tif")).ReadAsArray()
        opaque = numpy.full(terrain.shape, 255, "uint8")
        opaque[90:110, 90:130] = 0
        feet = self.raster("feet", terrain / 0.3048, gdal.GDT_Float32,
                           lambda made: made.GetRasterBand(1).SetUnitType("ft"))
        masked = self.raster("masked", numpy.where(opaque, terrain, 500), gdal.GDT_Float32, lambda made: (
            made.CreateMaskBand(gdal.GMF_PER_DATASET), made.GetRasterBand(1).GetMaskBand().WriteArray(opaque)))
        for file in (feet, masked):
            heights = self.ground_of_tiles(file)
            self.assertLess(max(heights), 100)
            for layer in self.copied_rasters(file):
                with self.subTest(file=file, layer=layer.name()):
                    numpy.testing.assert_allclose(self.ground_of_tiles(layer), heights, atol=0.01)
                    self.assertIn("is copied", self.log())

    def test_classes_of_a_raster_that_is_copied_keep_their_names(self):
        import numpy
        from osgeo import gdal

        classes = numpy.ones((224, 240), "uint8")
        classes[:, 120:] = 2
        file = self.raster("land use", classes, gdal.GDT_Byte, lambda made: made.GetRasterBand(1).SetCategoryNames(
            ["void", "forest", "water"]))
        for layer in self.copied_rasters(file):
            environment = self.folder / f"{layer.name()}.gpkg"
            self.run_tool("tileenvironment", **BETWEEN_SITES, CLUTTER=layer, ENVIRONMENT=str(environment))
            self.assertIn("is copied", self.log())
            with sqlite3.connect(environment) as database:
                self.assertEqual(database.execute("SELECT name FROM clutter_classes ORDER BY 1").fetchall(),
                                 [("forest",), ("water",)])

    def test_path_loss_that_must_be_copied_keeps_its_transmitters(self):
        import processing

        sites = harness.transmitters(self.folder)
        result = processing.run("tesseray:coveragestudy", {
            **BETWEEN_SITES, **sites, "PATH_LOSS": str(self.folder / "p.gpkg")})
        layer = self.layer(result["PATH_LOSS"], name="path loss")
        layer.selectByExpression("kind = 'ground'")
        from qgis.core import QgsProcessingFeatureSourceDefinition

        compared = processing.run("tesseray:comparewithdrivetest", {
            **harness.DRIVE_TEST, "PATH_LOSS": QgsProcessingFeatureSourceDefinition(layer.id(), True),
            "ERROR_STATISTICS": str(self.folder / "e.gpkg")})
        directly = processing.run("tesseray:comparewithdrivetest", {
            **harness.DRIVE_TEST, "PATH_LOSS": layer, "ERROR_STATISTICS": str(self.folder / "d.gpkg")})
        self.assertEqual(compared["RESULT_HASH"], directly["RESULT_HASH"])

    def two_networks(self):
        """A file with the predictions `planned` of Market and Hill and `path_loss` of Square and Valley."""
        network = self.folder / "networks.gpkg"
        sites = harness.transmitters(self.folder)
        environment = str(self.folder / "environment.gpkg")
        self.run_tool("tileenvironment", **BETWEEN_SITES, ENVIRONMENT=environment)
        others = self.folder / "others.csv"
        others.write_text(pathlib.Path(sites["TRANSMITTERS"]).read_text().replace("Market", "Square")
                          .replace("Hill", "Valley"))
        for source, path_loss, transmitters in ((str(others), "path_loss", "transmitters"),
                                                (sites["TRANSMITTERS"], "planned", "planned sites")):
            self.run_tool("predictcoverage", ENVIRONMENT=environment, **{**sites, "TRANSMITTERS": source, "MAX_BOUNCES": 0},
                          PATH_LOSS=f"ogr:dbname='{network}' table=\"{path_loss}\" (geom)",
                          TRANSMITTERS_OUT=f"ogr:dbname='{network}' table=\"{transmitters}\" (geom)")
        return network

    def servers_of_a_copy(self, path_loss):
        """The names in a best server of a path loss that is copied."""
        served = self.run_tool("bestserver", PATH_LOSS=path_loss, BEST_SERVER="TEMPORARY_OUTPUT")["BEST_SERVER"]
        self.assertIn("is copied", self.log())
        servers = {row["transmitter"] for row in self.layer(served).getFeatures()}
        return {server for server in servers if isinstance(server, str)}

    def test_path_loss_that_must_be_copied_keeps_the_transmitters_of_its_own_run(self):
        """Whatever they are called: those of the usual name may be of another network."""
        from qgis.core import QgsProcessingFeatureSourceDefinition

        network = self.two_networks()
        for table, names in (("planned", {"Market", "Hill"}), ("path_loss", {"Square", "Valley"})):
            layer = self.layer(f"{network}|layername={table}", name=table)
            layer.selectAll()
            self.assertEqual(self.servers_of_a_copy(QgsProcessingFeatureSourceDefinition(layer.id(), True)), names)

    def test_path_loss_that_is_called_as_its_transmitters_are_is_not_taken_for_them(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        path_loss = self.predicted(harness.transmitters(self.folder))
        for name in ("Transmitters", "transmitters"):
            layer = self.layer(path_loss, name=name)
            layer.selectAll()
            chosen = QgsProcessingFeatureSourceDefinition(layer.id(), True)
            self.assertEqual(self.servers_of_a_copy(chosen), {"Market", "Hill"})

    def test_path_loss_filtered_by_a_query_keeps_the_transmitters_of_its_own_run(self):
        """Where the query does not tell whose rows it shows, those of no run are taken."""
        from qgis.core import QgsProcessingException

        network = self.two_networks()

        def filtered(query):
            layer = self.layer(f"{network}|layername=planned")
            self.assertTrue(layer.setSubsetString(query), query)
            return layer

        for rows in ('"planned"', "Planned p WHERE fid IN (SELECT fid FROM path_loss)",
                     "[planned] AS p ORDER BY kind, fid"):
            self.assertEqual(self.servers_of_a_copy(filtered(f"SELECT * FROM {rows}")), {"Market", "Hill"}, rows)
        for rows in ("(SELECT * FROM planned)", "main.planned", "planned JOIN (SELECT 1)",
                     "planned UNION SELECT * FROM path_loss"):
            with self.assertRaisesRegex(QgsProcessingException, "transmitters is missing"):
                self.servers_of_a_copy(filtered(f"SELECT * FROM {rows}"))

    def test_path_loss_filtered_by_any_query_has_the_only_transmitters_of_its_file(self):
        layer = self.layer(self.predicted(harness.transmitters(self.folder)))
        self.assertTrue(layer.setSubsetString("SELECT * FROM main.path_loss"))
        self.assertEqual(self.servers_of_a_copy(layer), {"Market", "Hill"})

    def test_warnings_about_a_path_loss_are_those_about_its_copy(self):
        """What its run left out, and that the transmitters are another run's."""
        from qgis.core import QgsProcessingFeatureSourceDefinition

        sites = harness.transmitters(self.folder)
        network = self.folder / "network.gpkg"
        self.predicted(sites)  # makes the environment
        inputs = {**sites, "MAX_BOUNCES": 0, "ENVIRONMENT": str(self.folder / "environment.gpkg")}
        self.run_tool("predictcoverage", **inputs, REACHED_ONLY=True, OUTPUT=str(network))
        self.run_tool("predictcoverage", **inputs, ANTENNA_HEIGHT=30, OVERWRITE=True,
                      PATH_LOSS=f"ogr:dbname='{network}' table=\"later\" (geom)",
                      TRANSMITTERS_OUT=f"ogr:dbname='{network}' table=\"transmitters\" (geom)")
        layer = self.layer(f"{network}|layername=path_loss", name="path loss")
        layer.selectAll()
        for source in (layer, QgsProcessingFeatureSourceDefinition(layer.id(), True)):
            self.run_tool("comparewithdrivetest", PATH_LOSS=source, **harness.DRIVE_TEST,
                          ERROR_STATISTICS="TEMPORARY_OUTPUT")
            log = self.feedback.textLog()
            self.assertIn("holds only tiles that something reaches", log)
            self.assertIn("is of another run than path", log)
        self.assertIn("is copied", log)

    def test_path_loss_that_was_packed_keeps_its_transmitters(self):
        """QGIS calls the tables as it calls the layers, and leaves out the records of runs."""
        import processing
        from qgis.core import QgsProcessingFeatureSourceDefinition

        result = self.predicted(harness.transmitters(self.folder))
        served = self.run_tool("bestserver", PATH_LOSS=result, BEST_SERVER="TEMPORARY_OUTPUT")["RESULT_HASH"]
        packed = self.folder / "packed.gpkg"
        layers = [self.layer(result, name="Path loss"),
                  self.layer(result.replace("=path_loss", "=transmitters"), name="Transmitters as used")]
        processing.run("native:package", {"LAYERS": layers, "OUTPUT": str(packed)})
        layer = self.layer(f"{packed}|layername=Path loss")
        layer.selectAll()
        for source in (layer, QgsProcessingFeatureSourceDefinition(layer.id(), True)):
            again = self.run_tool("bestserver", PATH_LOSS=source, BEST_SERVER="TEMPORARY_OUTPUT")
            self.assertEqual(again["RESULT_HASH"], served)

    def test_chosen_rows_of_path_loss_bring_the_transmitters_that_a_filter_brings(self):
        from osgeo import gdal
        from qgis.core import Qgis, QgsProcessingFeatureSourceDefinition

        layer = self.layer(self.predicted(harness.transmitters(self.folder)))

        def choosing(selected, expression=""):
            return QgsProcessingFeatureSourceDefinition(
                layer.id(), selected, -1, Qgis.ProcessingFeatureSourceDefinitionFlags(),
                Qgis.InvalidGeometryCheck.NoCheck, expression)

        def bands(path_loss):
            raster = self.run_tool("coverageraster", PATH_LOSS=path_loss, RASTER="TEMPORARY_OUTPUT")["RASTER"]
            dataset = gdal.Open(raster)
            return [dataset.GetRasterBand(band).GetDescription() for band in range(1, dataset.RasterCount + 1)]

        layer.selectByExpression("transmitter_id = 2")
        self.assertEqual(bands(choosing(True)), ["Hill"])
        self.assertEqual(bands(choosing(False, "transmitter_id = 2")), ["Hill"])
        layer.setSubsetString("transmitter_id = 2")
        self.assertEqual(bands(layer), ["Hill"])
        layer.startEditing()
        layer.deleteFeature(next(layer.getFeatures()).id())
        self.assertEqual(bands(layer), ["Hill"])
        layer.rollBack()
        layer.setSubsetString("")
        layer.startEditing()
        layer.deleteFeatures([row.id() for row in layer.getFeatures("transmitter_id = 1")])
        self.assertEqual(bands(layer), ["Market", "Hill"])  # one that is heard nowhere stays one of the network's
        layer.rollBack()

    def test_path_loss_of_a_spatialite_layer_keeps_its_transmitters(self):
        network = self.folder / "network.sqlite"
        sites = harness.transmitters(self.folder)
        environment = str(self.folder / "environment.gpkg")
        self.run_tool("tileenvironment", **BETWEEN_SITES, ENVIRONMENT=environment)
        written = self.run_tool("predictcoverage", ENVIRONMENT=environment, **{**sites, "MAX_BOUNCES": 0},
                                PATH_LOSS=str(network))["PATH_LOSS"]
        layer = self.layer(f"dbname='{network}' table=\"path_loss\" (geom)", "spatialite")
        served = [self.run_tool("bestserver", PATH_LOSS=source, BEST_SERVER="TEMPORARY_OUTPUT")["RESULT_HASH"]
                  for source in (layer, written)]
        self.assertEqual(served[0], served[1])

    # Extents.

    def test_an_extent_in_another_crs_is_the_same_place(self):
        from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsRectangle, \
            QgsReferencedRectangle

        utm, degrees = QgsCoordinateReferenceSystem("EPSG:25832"), QgsCoordinateReferenceSystem("EPSG:4326")
        box = QgsCoordinateTransform(utm, degrees, self.project).transformBoundingBox(
            QgsRectangle(340350, 6020350, 340650, 6020650))
        inside = self.environment_of(self.layer(), EXTENT=QgsReferencedRectangle(box, degrees))
        as_numbers = self.environment_of(self.layer(), EXTENT=SMALL_SCENE["EXTENT"])
        # The turned box is a little larger.
        self.assertLessEqual(self.sources(as_numbers), self.sources(inside))
        self.assertLess(len(self.sources(inside)), 1.3 * len(self.sources(as_numbers)))

    def test_an_extent_in_local_metres_is_that_of_the_buildings_coordinates(self):
        from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsRectangle, \
            QgsReferencedRectangle

        in_crs = self.environment_of(self.layer(), EXTENT=SMALL_SCENE["EXTENT"])
        local = self.environment_of(self.layer(), EXTENT=SMALL_SCENE["EXTENT"], LOCAL_METRES=True)
        self.assertEqual(self.sources(local), self.sources(in_crs))
        utm, zone_33 = QgsCoordinateReferenceSystem("EPSG:25832"), QgsCoordinateReferenceSystem("EPSG:25833")
        box = QgsCoordinateTransform(utm, zone_33, self.project).transformBoundingBox(
            QgsRectangle(340350, 6020350, 340650, 6020650))
        turned = self.environment_of(self.layer(), EXTENT=QgsReferencedRectangle(box, zone_33), LOCAL_METRES=True)
        self.assertLessEqual(self.sources(in_crs), self.sources(turned))

    def local_layer(self, kind, name, fields, *rows):
        """A layer without a CRS, of texts of geometries and attributes."""
        from qgis.core import QgsCoordinateReferenceSystem, QgsFeature, QgsGeometry

        layer = self.layer(f"{kind}?" + "&".join(f"field={field}" for field in fields), "memory", name)
        layer.setCrs(QgsCoordinateReferenceSystem())
        for text, *values in rows:
            feature = QgsFeature(layer.fields())
            feature.setAttributes(values)
            feature.setGeometry(QgsGeometry.fromWkt(text))
            layer.dataProvider().addFeature(feature)
        layer.updateExtents()
        return layer

    def local_town(self):
        """Two houses and a transmitter between them, as parameters of a study."""
        return {"BUILDINGS": self.local_layer("Polygon", "houses", ["height:double"],
                                              ("POLYGON((0 0,20 0,20 20,0 20,0 0))", 10),
                                              ("POLYGON((100 0,120 0,120 20,100 20,100 0))", 15)),
                "TRANSMITTERS": self.local_layer("Point", "sites", ["name:string", "height_m:double",
                                                                    "frequency_mhz:double", "erp_dbm:double"],
                                                 ("POINT(60 40)", "A", 20, 900, 40)),
                "MAX_BOUNCES": 0, "TILE_AREA": 400, "LOCAL_METRES": True}

    def test_layers_in_local_metres_need_no_crs_anywhere(self):
        """In projects with a CRS, too, which QGIS takes for that of a point and an extent without one."""
        from qgis.core import QgsCoordinateReferenceSystem, QgsPointXY, QgsRectangle

        self.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
        town = self.local_town()
        measured = self.local_layer("Point", "measured", ["rsrp:double", "transmitter:string"],
                                    ("POINT(60 10)", -50, "A"))
        queries = self.local_layer("Point", "queries", ["query:string", "transmitter:string", "rsrp:double"],
                                   ("POINT(60 10)", "a", "A", -40))
        districts = self.local_layer("Polygon", "districts", ["name:string"],
                                     ("POLYGON((-40 -40,160 -40,160 60,-40 60,-40 -40))", "all"))
        inhabitants = self.local_layer("Point", "inhabitants", ["inhabitants:int"], ("POINT(60 10)", 5))
        study = self.run_tool("coveragestudy", **town, DRIVE_TEST=measured, EXTENT="-20,140,-20,60",
                              OUTPUT=str(self.folder / "study.gpkg"), ENVIRONMENT=str(self.folder / "town.gpkg"))
        in_range = self.run_tool("coveragestudy", **town, EXTENT=QgsRectangle(-20, -20, 140, 60),
                                 PATH_LOSS="TEMPORARY_OUTPUT")
        self.assertEqual(self.losses(in_range["PATH_LOSS"]), self.losses(study["PATH_LOSS"]))
        path_loss, scene = {"PATH_LOSS": study["PATH_LOSS"]}, {"ENVIRONMENT": study["ENVIRONMENT"]}
        for tool, inputs in (
                ("comparewithdrivetest", {**path_loss, "DRIVE_TEST": measured, "PREDICTION_ERROR": "TEMPORARY_OUTPUT"}),
                ("fingerprints", {**path_loss, "QUERIES": queries, "LOCATED": "TEMPORARY_OUTPUT"}),
                ("coverageraster", {**path_loss, "BUILDINGS": town["BUILDINGS"], "RASTER": "TEMPORARY_OUTPUT"}),
                ("coveragebydistrict", {**path_loss, "DISTRICTS": districts, "INHABITANTS": inhabitants,
                                        "DISTRICT_COVERAGE": "TEMPORARY_OUTPUT"}),
                ("visiblefrom", {**scene, "POINT": "60,10", "VISIBLE_TILES": "TEMPORARY_OUTPUT"}),
                ("explainpoint", {**scene, "TRANSMITTERS": town["TRANSMITTERS"], "POINT": QgsPointXY(60, 10),
                                  "RAYS": "TEMPORARY_OUTPUT"})):
            with self.subTest(tool):
                self.assertTrue(self.run_tool(tool, **inputs))

    def test_beside_a_prediction_in_a_crs_layers_need_one(self):
        path_loss = self.predicted(harness.transmitters(self.folder))
        measured = self.local_layer("Point", "measured", ["rsrp:double"], ("POINT(340500 6020500)", -50))
        said = self.refused({"PATH_LOSS": path_loss, "DRIVE_TEST": measured}, "comparewithdrivetest")
        self.assertIn("Drive test: “measured” has no CRS", said)
        self.assertTrue(said.endswith("or give “CRS of the drive test”."), said)

    def test_an_extent_without_a_crs_is_looked_up_where_the_run_takes_it(self):
        """In the environment's CRS, whatever the project's is."""
        from qgis.core import QgsCoordinateReferenceSystem

        sites = harness.transmitters(self.folder)
        bare = SMALL_SCENE["EXTENT"].split(" [")[0]
        for project in ("EPSG:4326", "EPSG:3857", "EPSG:25832", ""):
            with self.subTest(project):
                self.project.setCrs(QgsCoordinateReferenceSystem(project))
                self.assertEqual(self.refused({**sites, "EXTENT": bare}, "coveragestudy"), "")
                self.assertIn("2 of 2 points", self.refused(
                    {**sites, "EXTENT": "340700,340900,6020350,6020650", "TRANSMITTERS": self.sites()}, "coveragestudy"))
                self.assertIn("memory does not suffice", self.refused(
                    {"TILE_AREA": 0.25, "EXTENT": "0,1000000,6000000,7000000"}))
        self.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
        self.assertEqual(self.environment_of(self.layer(), EXTENT=bare),
                         self.environment_of(self.layer(), EXTENT=SMALL_SCENE["EXTENT"]))

    def test_an_extent_in_the_order_of_corners_is_told_as_the_command_line_tells_it(self):
        from qgis.core import QgsProcessingException

        for extent in ("340350,6020350,340650,6020650", "340350,6020350,340650,6020650 [EPSG:25832]"):
            with self.subTest(extent):
                self.assertEqual(self.refused({"EXTENT": extent}), "")
                with self.assertRaisesRegex(QgsProcessingException, "order xmin,xmax,ymin,ymax: 340350,340650,6020350,"):
                    self.environment_of(self.layer(), EXTENT=extent)
        self.assertIn("memory does not suffice", self.refused({"EXTENT": "0,7000000,1000000,8000000"}))

    def sites(self):
        """A layer of two transmitters in the small scene."""
        from qgis.core import QgsFeature, QgsGeometry, QgsPointXY

        sites = self.layer("Point?crs=EPSG:25832&field=name:string", "memory", "sites")
        for x, y in ((340500, 6020500), (340420, 6020580)):
            site = QgsFeature(sites.fields())
            site.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(x, y)))
            sites.dataProvider().addFeature(site)
        return sites

    def test_an_extent_over_buildings_in_degrees_is_taken_in_their_utm_zone(self):
        import processing

        degrees = processing.run("native:reprojectlayer", {
            "INPUT": BUILDINGS, "TARGET_CRS": "EPSG:4326", "OUTPUT": str(self.folder / "degrees.gpkg")})["OUTPUT"]
        box = self.layer(degrees).extent()
        text = f"{box.xMinimum()},{box.xMaximum()},{box.yMinimum()},{box.center().y()} [EPSG:4326]"
        rows = self.environment_of(self.layer(degrees), EXTENT=text)
        self.assertGreater(len(self.sources(rows)), 200)
        self.assertLess(len(self.sources(rows)), 675)

    def test_the_utm_zone_is_that_of_the_extent_in_a_layer_that_reaches_far(self):
        """As a country's buildings do: the zone of their middle is not true to scale everywhere."""
        import processing
        from qgis.core import QgsFeature, QgsGeometry, QgsRectangle

        buildings = processing.run("native:reprojectlayer", {"INPUT": BUILDINGS, "TARGET_CRS": "EPSG:4326",
                                                             "OUTPUT": "memory:"})["OUTPUT"]
        self.project.addMapLayer(buildings)
        near = self.environment_of(buildings, EXTENT=SMALL_SCENE["EXTENT"])
        far = QgsFeature(buildings.fields())
        far["height_m"], far["base_m"] = 9, 0
        far.setGeometry(QgsGeometry.fromRect(QgsRectangle(-40, 40, -39.999, 40.001)))
        buildings.dataProvider().addFeatures([far])
        buildings.updateExtents()
        reaching_far = self.environment_of(buildings, EXTENT=SMALL_SCENE["EXTENT"])
        self.assertEqual(self.sources(reaching_far), self.sources(near))

    def test_an_extent_over_buildings_in_a_compound_crs(self):
        """One of places and heights, of which the program leaves the heights out."""
        from qgis.core import QgsCoordinateReferenceSystem

        layer = self.layer()
        as_they_are = self.environment_of(layer, EXTENT=SMALL_SCENE["EXTENT"])
        layer.setCrs(QgsCoordinateReferenceSystem("EPSG:5555"))  # EPSG:25832 and heights
        with_heights = self.environment_of(layer, EXTENT=SMALL_SCENE["EXTENT"])
        self.assertEqual(self.sources(with_heights), self.sources(as_they_are))

    def test_an_extent_over_buildings_whose_crs_counts_to_the_west_and_south(self):
        """As South Africa's do, in which no environment is: it gets its UTM zone, as without an extent. The extent may be
        drawn in any CRS."""
        import processing
        from qgis.core import (QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsFeature, QgsGeometry, QgsRectangle,
                               QgsReferencedRectangle)

        zone = QgsCoordinateReferenceSystem("EPSG:32734")
        houses = self.layer("Polygon?crs=EPSG:32734&field=height:double", "memory", "houses")
        for x in range(261000, 261500, 100):
            house = QgsFeature(houses.fields())
            house["height"] = 9
            house.setGeometry(QgsGeometry.fromRect(QgsRectangle(x, 6243000, x + 20, 6243020)))
            houses.dataProvider().addFeatures([house])
        houses = self.layer(processing.run("native:reprojectlayer", {
            "INPUT": houses, "TARGET_CRS": "EPSG:2048", "OUTPUT": str(self.folder / "houses.gpkg")})["OUTPUT"])
        fields = {"HEIGHT_FIELD": "height", "BASE_FIELD": None}
        for code in ("EPSG:32734", "EPSG:2048", "EPSG:4326", "EPSG:3857"):
            with self.subTest(code):
                crs = QgsCoordinateReferenceSystem(code)
                box = QgsCoordinateTransform(zone, crs, self.project).transformBoundingBox(
                    QgsRectangle(260950, 6242900, 261250, 6243100))
                extent = QgsReferencedRectangle(box, crs)
                self.assertEqual(self.refused({"BUILDINGS": houses, "DEM": None, **fields, "EXTENT": extent}), "")
                self.assertEqual(self.sources(self.environment_of(houses, EXTENT=extent, **fields)), {1, 2, 3})

    def test_extents_and_points_in_a_crs_that_only_qgis_knows(self):
        import processing
        from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsRectangle

        own = QgsCoordinateReferenceSystem.fromProj("+proj=tmerc +lat_0=0 +lon_0=6.5 +k=1 +x_0=500000 +y_0=0 "
                                                    "+ellps=GRS80 +units=m")
        own.saveAsUserCrs("Town grid")
        layer = self.layer(processing.run("native:reprojectlayer", {
            "INPUT": BUILDINGS, "TARGET_CRS": own, "OUTPUT": str(self.folder / "own.gpkg")})["OUTPUT"])
        self.assertTrue(layer.crs().authid().startswith("USER:"))
        to_own = QgsCoordinateTransform(QgsCoordinateReferenceSystem("EPSG:25832"), own, self.project)
        box, point = to_own.transformBoundingBox(QgsRectangle(340350, 6020350, 340650, 6020650)), \
            to_own.transform(340520, 6020520)
        bounds = f"{box.xMinimum()},{box.xMaximum()},{box.yMinimum()},{box.yMaximum()} [{own.authid()}]"
        for extent in (SMALL_SCENE["EXTENT"], bounds):
            environment = self.run_tool("tileenvironment", **{**SMALL_SCENE, "BUILDINGS": layer, "EXTENT": extent},
                                        ENVIRONMENT=str(self.folder / "o.gpkg"), OVERWRITE=True)["ENVIRONMENT"]
        seen = [self.layer(self.run_tool("visiblefrom", ENVIRONMENT=environment, POINT=point,
                                         VISIBLE_TILES="TEMPORARY_OUTPUT")["VISIBLE_TILES"]).featureCount()
                for point in ("340520,6020520 [EPSG:25832]", f"{point.x()},{point.y()} [{own.authid()}]")]
        self.assertGreater(seen[0], 10)
        self.assertEqual(seen[0], seen[1])

    def test_extents_and_points_in_a_project_whose_crs_has_no_code(self):
        """As custom projections have none until they are saved: widgets write “[]” behind the numbers."""
        from qgis.core import (QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsPointXY, QgsRectangle,
                               QgsReferencedPointXY, QgsReferencedRectangle)
        from qgis.gui import QgsGui, QgsProcessingGui

        shifted = QgsCoordinateReferenceSystem.fromProj("+proj=tmerc +lat_0=0 +lon_0=9 +k=0.9996 +x_0=510000 +y_0=0 "
                                                        "+ellps=GRS80 +units=m")
        self.assertEqual(shifted.authid(), "")
        self.project.setCrs(shifted)

        def widget(tool, name):
            definition = harness.start_qgis().algorithm(tool).parameterDefinition(name)
            wrapper = QgsGui.processingGuiRegistry().createParameterWidgetWrapper(
                definition, QgsProcessingGui.WidgetType.Standard)
            return wrapper, wrapper.createWrappedWidget(self.context)

        box = QgsRectangle(350350, 6020350, 350650, 6020650)
        drawn, shown = widget("tileenvironment", "EXTENT")
        shown.setOutputExtentFromUser(box, shifted)
        in_utm = self.environment_of(self.layer(), EXTENT=SMALL_SCENE["EXTENT"])
        for extent in (drawn.parameterValue(), QgsReferencedRectangle(box, shifted)):
            with self.subTest(extent):
                self.assertEqual(self.environment_of(self.layer(), EXTENT=extent), in_utm)
        scene = self.run_tool("tileenvironment", **SMALL_SCENE, ENVIRONMENT=str(self.folder / "s.gpkg"))["ENVIRONMENT"]
        picked, _ = widget("visiblefrom", "POINT")
        there = QgsReferencedPointXY(QgsPointXY(350520, 6020520), shifted)
        picked.setParameterValue(there, self.context)
        to_degrees = QgsCoordinateTransform(shifted, QgsCoordinateReferenceSystem("EPSG:4326"), self.project)
        degrees = to_degrees.transform(there)
        seen = []
        for point in (picked.parameterValue(), there, f"{degrees.x()!r},{degrees.y()!r} [EPSG:4326]", "340520,6020520"):
            inputs = {"ENVIRONMENT": scene, "POINT": point, "VISIBLE_TILES": "TEMPORARY_OUTPUT"}
            self.assertEqual(self.refused(inputs, "visiblefrom"), "")
            seen.append(self.layer(self.run_tool("visiblefrom", **inputs)["VISIBLE_TILES"]).featureCount())
        self.assertGreater(seen[0], 10)
        self.assertEqual(len(set(seen)), 1, seen)

    # What is refused, and why.

    def test_what_is_refused_before_the_run(self):
        import processing

        polygons = self.layer()
        points = processing.run("native:centroids", {"INPUT": BUILDINGS, "OUTPUT": "memory:"})["OUTPUT"]
        points.setName("centres")
        self.project.addMapLayer(points)
        for inputs, words in (
                ({"BUILDINGS": points}, "holds points, and polygons are needed"),
                ({"BUILDINGS": polygons, "HEIGHT_FIELD": "name"}, "is not numeric"),
                ({"BUILDINGS": polygons, "HEIGHT_FIELD": "no_such"}, "has no field no_such"),
                ({"BUILDINGS": polygons, "TILE_AREA": "100,5"}, "Tile area (TILE_AREA): “100,5” is no number"),
                ({"BUILDINGS": polygons, "TILE_AREA": 20000}, "20000 is above the greatest value, 10000 m²"),
                ({"BUILDINGS": polygons, "STOREY_HEIGHT": 0.5}, "0.5 is below the least value, 1 m"),
                ({"BUILDINGS": polygons, "TILE_AREA": 0.25, "EXTENT": "0,1000000,6000000,7000000 [EPSG:25832]"},
                 "memory does not suffice"),
                ({"BUILDINGS": polygons, "MEMORY": 0.001, "TILE_AREA": 1}, "memory does not suffice")):
            with self.subTest(words):
                self.assertIn(words, self.refused(inputs))

    def test_an_expression_that_qgis_cannot_choose_rows_by_is_refused(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        layer = self.layer()
        def refused(expression):
            chosen = QgsProcessingFeatureSourceDefinition(layer.id(), filterExpression=expression)
            return self.refused({"BUILDINGS": chosen})

        self.assertIn("“houses” cannot be filtered by “height_m >”: syntax error", refused("height_m >"))
        self.assertIn("Field 'heigth_m' not found. Its fields: fid, name,", refused('"heigth_m" > 8'))
        self.assertEqual(refused("HEIGHT_M > 8 AND area(@geometry) > mean(area(@geometry)) AND $id > 0"), "")

    def test_an_expression_that_chooses_no_rows_is_told_of(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition as Source

        for layer in (self.layer(), self.memory_copy(name="houses")):
            for expression, is_good in (("\"use\" = 'castle'", False), ("height_m > 8", True), ("area(@geometry) < 0", False)):
                said = self.refused({"BUILDINGS": Source(layer.id(), filterExpression=expression)})
                self.assertEqual(said, "" if is_good else f"Buildings: the expression “{expression}” chooses none of the "
                                                          "features of “houses”. Correct it.")
            layer.selectByIds([next(layer.getFeatures()).id()])
            said = self.refused({"BUILDINGS": Source(layer.id(), selectedFeaturesOnly=True, filterExpression="$id > 50")})
            self.assertIn("chooses none of the selected features of “houses”", said)

    def test_a_file_that_is_not_there_is_told_of_before_the_run(self):
        antenna = self.folder / "antenna.msi"
        for name, tool in (("ENVIRONMENT", "predictcoverage"), ("PREVIOUS_VISIBILITY", "coveragestudy"),
                           ("ANTENNA_FILE", "importantenna")):
            said = self.refused({name: str(antenna), **harness.transmitters(self.folder)}, tool)
            self.assertRegex(said, f": there is no file {antenna}. Check its name and folder.$")
        antenna.write_text("NAME a")
        self.assertEqual(self.refused({"ANTENNA_FILE": str(antenna)}, "importantenna"), "")

    def test_outputs_that_all_lack_an_input_are_told_of(self):
        inputs = {"ENVIRONMENT": str(SAMPLE / "buildings.gpkg"), "TRANSMITTERS": f"{SAMPLE / 'transmitters.csv'}"}
        said = self.refused({**inputs, "RAYS": "TEMPORARY_OUTPUT"}, "predictcoverage")
        self.assertEqual(said, "“Rays” is asked for without “Receiver points”. Give that, or ask for another output.")
        said = self.refused({**inputs, "ENVIRONMENT": None, "PREDICTION_ERROR": "TEMPORARY_OUTPUT",
                             "REPORT": "TEMPORARY_OUTPUT"}, "coveragestudy")
        self.assertIn("“Prediction error” is asked for without “Drive test”", said)
        # As a dialog asks, which knows nothing of what they need.
        both = {**inputs, "RAYS": "TEMPORARY_OUTPUT", "PATH_LOSS": "TEMPORARY_OUTPUT"}
        self.assertNotIn("asked for", self.refused(both, "predictcoverage"))

    def test_texts_as_heights_are_judged_by_the_rows_that_are_wanted(self):
        from qgis.core import QgsFeature, QgsGeometry, QgsProcessingFeatureSourceDefinition, QgsRectangle

        from tesseray.validation import ROWS_LOOKED_AT

        layer = self.layer("Polygon?crs=EPSG:25832&field=h:string&field=k:integer", "memory", "texts")

        def add(text, count):
            for number in range(count):
                row = QgsFeature(layer.fields())
                row.setGeometry(QgsGeometry.fromRect(QgsRectangle(340400, 6020400, 340410, 6020410)))
                row.setAttributes([text, number])
                yield row

        def refused(**choice):
            chosen = QgsProcessingFeatureSourceDefinition(layer.id(), **choice)
            return self.refused({"BUILDINGS": chosen, "HEIGHT_FIELD": "h", "BASE_FIELD": None})

        layer.dataProvider().addFeatures([*add("unknown", 1200), *add("12 m", 3)])
        self.assertEqual(refused(), "")
        self.assertEqual(refused(filterExpression="h <> 'unknown' AND k < 2"), "")
        self.assertIn("its first value is “unknown”", refused(filterExpression="h = 'unknown'"))
        layer.selectByExpression("h = '12 m'")
        self.assertEqual(refused(selectedFeaturesOnly=True), "")
        self.assertEqual(refused(selectedFeaturesOnly=True, filterExpression="k < 2"), "")
        layer.selectByExpression("h = 'unknown'")
        self.assertIn("is not numeric", refused(selectedFeaturesOnly=True))
        # Of more the run tells.
        layer.dataProvider().addFeatures([*add("unknown", ROWS_LOOKED_AT)])
        self.assertEqual(refused(filterExpression="h = 'unknown'"), "")

    def test_a_layer_that_is_gone_is_said_to_be(self):
        from qgis.core import QgsVectorLayer

        file = self.folder / "gone.gpkg"
        shutil.copy(SMALL_SCENE["BUILDINGS"], file)
        layer = QgsVectorLayer(f"{file}|layername=houses", "houses", "ogr")
        self.project.addMapLayer(layer)
        self.assertEqual(self.refused({"BUILDINGS": layer}), f"Buildings: “houses” cannot be opened ({layer.source()}). "
                                                             "Check that its file or server is there.")

    def test_memory_is_counted_for_the_rows_that_are_wanted(self):
        from qgis.core import Qgis, QgsFeature, QgsGeometry, QgsProcessingFeatureSourceDefinition, QgsRectangle

        country = self.memory_copy()
        far = QgsFeature(country.fields())
        far["height_m"], far["base_m"] = 9, 0
        far.setGeometry(QgsGeometry.fromRect(QgsRectangle(940000, 5420000, 940010, 5420010)))
        country.dataProvider().addFeature(far)
        country.updateExtents()
        country.selectByExpression("x_max($geometry) < 900000")
        inputs = {"EXTENT": None, "DEM": None, "TILE_AREA": 1}

        def of_rows(selected, limit=-1, expression=""):
            return QgsProcessingFeatureSourceDefinition(country.id(), selected, limit,
                                                        Qgis.ProcessingFeatureSourceDefinitionFlags(),
                                                        Qgis.InvalidGeometryCheck.NoCheck, expression)

        for buildings in (of_rows(True), of_rows(False, 5), of_rows(False, -1, "x_max($geometry) < 900000")):
            self.assertEqual(self.refused({**inputs, "BUILDINGS": buildings}), "")
        for buildings in (country, of_rows(False)):
            self.assertIn("memory does not suffice", self.refused({**inputs, "BUILDINGS": buildings}))

    def test_a_text_that_is_no_number_or_no_crs_stops_the_run(self):
        from qgis.core import QgsProcessingException, QgsProperty

        sites = self.folder / "sites.csv"
        sites.write_text("name,x,y,height_m,frequency_mhz\nMarket,340500,6020500,40,900\n", encoding="utf-8")
        inputs = {**BETWEEN_SITES, "TRANSMITTERS": str(sites), "TRANSMITTERS_CRS": "EPSG:25832", "MAX_BOUNCES": 0,
                  "ERP": 40, "PATH_LOSS": "TEMPORARY_OUTPUT"}
        for name, value, message in (("ERP", "43,5", "“43,5” is no number"),
                                     ("ERP", float("nan"), "“nan” is no number"),
                                     ("ERP", QgsProperty.fromExpression("40 +"), "“40 [+]” is no number"),
                                     ("MEMORY", "much", "“much” is no number"),
                                     ("MAX_BOUNCES", 2.7, "MAX_BOUNCES.: 2.7 is no whole number"),
                                     ("MAX_BOUNCES", QgsProperty.fromExpression("2.7"), "2.7 is no whole number"),
                                     ("CRS", "EPSG:9999999", "“EPSG:9999999” is no CRS")):
            with self.subTest(name=name, value=value), self.assertRaisesRegex(QgsProcessingException, message):
                self.run_tool("coveragestudy", **{**inputs, name: value})

    def test_a_text_that_is_neither_true_nor_false_stops_the_run(self):
        from qgis.core import QgsProcessingException, QgsProperty

        inputs = {**harness.transmitters(self.folder), **BETWEEN_SITES, "MAX_BOUNCES": 0}
        file = str(self.folder / "p.gpkg")
        for name, value in (("REACHED_ONLY", "no"), ("REACHED_ONLY", "nein"), ("OVERWRITE", "yes"),
                            ("OVERWRITE", QgsProperty.fromValue("on")),
                            ("REACHED_ONLY", QgsProperty.fromExpression("'off'"))):
            with self.subTest(name=name, value=value):
                self.assertIn("is neither true nor false", self.refused({**inputs, name: value}, "coveragestudy"))
                with self.assertRaises(QgsProcessingException):
                    self.run_tool("coveragestudy", **{**inputs, name: value}, PATH_LOSS=file)
        for value, is_set in (("False", False), ("0", False), (0, False), ("TRUE", True), (1, True), (True, True)):
            again = {**inputs, "REACHED_ONLY": value, "OVERWRITE": "true"}
            self.run_tool("coveragestudy", **again, PATH_LOSS=file)
            with sqlite3.connect(file) as database:
                recorded, = database.execute("SELECT parameters FROM tesseray_runs ORDER BY rowid DESC").fetchone()
            self.assertEqual(json.loads(recorded)["REACHED_ONLY"], is_set, value)

    def unchecked(self, tool, inputs):
        """The log of a run as models begin it, and the parameters that it recorded; none where it was refused."""
        file = self.folder / "unchecked.gpkg"
        file.unlink(missing_ok=True)
        destination = {"tileenvironment": "ENVIRONMENT", "explainpoint": "RAYS"}.get(tool, "PATH_LOSS")
        task, feedback, ends = self.started(tool, {**inputs, destination: str(file)})
        self.run_to_the_end(task, ends)
        recorded = "{}"
        if ends[0][0]:
            with sqlite3.connect(file) as database:
                recorded, = database.execute("SELECT parameters FROM tesseray_runs").fetchone()
        return feedback.textLog(), json.loads(recorded)

    def test_what_is_no_choice_stops_the_run_in_models_too(self):
        from qgis.core import QgsProperty

        sites = {**SMALL_SCENE, **harness.transmitters(self.folder), "MAX_BOUNCES": 0}
        kinds = "is not one of ground, wall, roof"
        for name, value, message in (
                ("HEIGHT_KIND", "Storeys", "“Storeys” is not one of above_ground, roof_elevation, storeys. Did you mean "
                                           "storeys?"),
                ("HEIGHT_KIND", QgsProperty.fromExpression("'storey'"), "Did you mean storeys?"),
                ("HEIGHT_KIND", 3, "“3” is not one of"), ("HEIGHT_KIND", -1, "“-1” is not one of"),
                ("HEIGHT_KIND", 1.5, "“1.5” is not one of"), ("HEIGHT_KIND", True, "“True” is not one of"),
                ("HEIGHT_KIND", ["storeys", "roof_elevation"], "(HEIGHT_KIND): choose one alone of"),
                ("SUMMATION", "Power", "Did you mean power?"), ("MISPLACED_RECEIVERS", "Drop", "Did you mean drop?"),
                ("KINDS", "grounds", f"“grounds” {kinds}. Did you mean ground?"),
                ("KINDS", "ground;roof", f"“ground;roof” {kinds}"), ("KINDS", ["ground", None], f"“None” {kinds}"),
                ("KINDS", ["ground", "rooof"], f"“rooof” {kinds}. Did you mean roof?"),
                ("KINDS", "0,3", f"“3” {kinds}"),
                ("KINDS", QgsProperty.fromExpression("array()"), "(KINDS): choose some of ground, wall, roof"),
                ("DEVICE", "gpu", "“gpu” is not one of auto, cpu, cuda")):
            with self.subTest(name=name, value=value):
                given = {**sites, name: value}
                self.assertIn(message, self.refused(given, "coveragestudy"))
                log, recorded = self.unchecked("coveragestudy", given)
                self.assertIn(message, log)
                self.assertEqual(recorded, {})

    def test_choices_are_given_by_their_names_and_numbers(self):
        from qgis.core import QgsProperty

        sites = {**BETWEEN_SITES, **harness.transmitters(self.folder), "MAX_BOUNCES": 0}
        for name, value, choice in (
                ("HEIGHT_KIND", "storeys", "storeys"), ("HEIGHT_KIND", 2, "storeys"), ("HEIGHT_KIND", "2", "storeys"),
                ("HEIGHT_KIND", [2], "storeys"), ("HEIGHT_KIND", QgsProperty.fromExpression("1 + 1"), "storeys"),
                ("KINDS", [0, 2], ["ground", "roof"]), ("KINDS", "0,2", ["ground", "roof"]), ("KINDS", 0, ["ground"]),
                ("KINDS", "ground, roof", ["ground", "roof"]), ("KINDS", ("wall",), ["wall"])):
            with self.subTest(name=name, value=value):
                given = {**sites, "DEVICE": 1, name: value}
                self.assertEqual(self.refused(given, "coveragestudy"), "")
                self.assertEqual(self.unchecked("coveragestudy", given)[1][name], choice)

    def test_what_is_no_place_stops_the_run_in_models_too(self):
        """Near the origin, where local metres may be: 0,0 is a good place there."""
        from qgis.core import QgsCoordinateReferenceSystem, QgsGeometry, QgsPointXY, QgsProperty, QgsReferencedGeometry

        houses = self.local_layer("Polygon", "houses", ["height_m:double"], *(
            (f"POLYGON(({x} {y}, {x + 20} {y}, {x + 20} {y + 20}, {x} {y + 20}, {x} {y}))", 10.0)
            for x in (-60, 40) for y in (-60, 40)))
        scene = self.run_tool("tileenvironment", BUILDINGS=houses, LOCAL_METRES=True, HEIGHT_FIELD="height_m",
                              ENVIRONMENT=str(self.folder / "local.gpkg"))["ENVIRONMENT"]
        sites = self.folder / "local.csv"
        sites.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nA,30,0,15,900,43\n", encoding="utf-8")
        inputs = {"ENVIRONMENT": scene, "TRANSMITTERS": str(sites), "MAX_BOUNCES": 0}
        utm = QgsCoordinateReferenceSystem("EPSG:25832")
        for value, message in (
                ("30 20", "(POINT): “30 20” is no point. Write x,y"), ("30;20", "“30;20” is no point"),
                ("30,20,5", "“30,20,5” is no point"), ("nan,20", "“nan,20” is no point"),
                (QgsProperty.fromExpression("geom_to_wkt(make_point(30, 20))"), "“Point (30 20)” is no point"),
                (QgsPointXY(), "is no point"), (QgsReferencedGeometry(QgsGeometry(), utm), "is no point"),
                ("30,20 [EPSG:9999999]", "(POINT): “EPSG:9999999” is no CRS")):
            with self.subTest(value=value):
                given = {**inputs, "POINT": value}
                self.assertIn(message, self.refused(given, "explainpoint"))
                log, recorded = self.unchecked("explainpoint", given)
                self.assertIn(message, log)
                self.assertEqual(recorded, {})
        self.assertEqual(self.unchecked("explainpoint", {**inputs, "POINT": "0,0"})[1]["POINT"], "0,0")
        for value, message in (("abc", "(EXTENT): “abc” is neither an extent nor a layer"),
                               ("0,1,0,1 [EPSG:9999999]", "(EXTENT): “EPSG:9999999” is no CRS")):
            self.assertIn(message, self.refused({"EXTENT": value}))
            self.assertIn(message, self.unchecked("tileenvironment", {**SMALL_SCENE, "EXTENT": value})[0])

    def test_an_expression_stands_for_its_value_and_null_for_nothing(self):
        from qgis.core import NULL, QgsCoordinateReferenceSystem, QgsProperty

        inputs = {**BETWEEN_SITES, **harness.transmitters(self.folder), "MAX_BOUNCES": 0,
                  "PATH_LOSS": "TEMPORARY_OUTPUT"}
        plain = self.run_tool("coveragestudy", **inputs)["RESULT_HASH"]
        nothing = QgsProperty.fromExpression("NULL")
        for values in ({"TILE_AREA": "20 * 20"}, {"HEIGHT_FIELD": "'height' || '_m'"}, {"MEMORY": "2 + 2"},
                       {"TRANSMITTERS": f"'{inputs['TRANSMITTERS']}'"}):
            with self.subTest(values):
                given = {name: QgsProperty.fromExpression(value) for name, value in values.items()}
                self.assertEqual(self.run_tool("coveragestudy", **{**inputs, **given})["RESULT_HASH"], plain)
        for name in ("WALL_LOSS", "MAX_DISTANCE", "CRS", "RECEIVERS", "MEMORY", "ISSUES"):
            for value in (NULL, nothing):
                with self.subTest(name=name, value=value):
                    self.assertEqual(self.run_tool("coveragestudy", **{**inputs, name: value})["RESULT_HASH"], plain)
        without_crs = self.run_tool("coveragestudy", **{**inputs, "CRS": QgsCoordinateReferenceSystem()})
        self.assertEqual(without_crs["RESULT_HASH"], plain)

    def test_a_property_stands_for_its_value(self):
        from qgis.core import NULL, QgsProperty

        layer = self.layer()
        plain = self.environment_of(layer)
        for values in ({"TILE_AREA": 2000}, {"HEIGHT_FIELD": "height_m"}, {"OVERWRITE": True}, {"MEMORY": NULL}):
            given = {name: QgsProperty.fromValue(value) for name, value in values.items()}
            self.assertEqual(self.refused({"BUILDINGS": layer, **given}), "", values)
            self.assertEqual(self.environment_of(layer, **given), plain, values)
        self.assertIn("“100,5” is no number", self.refused({"TILE_AREA": QgsProperty.fromValue("100,5")}))

    def test_texts_that_the_executable_reads_are_heights(self):
        layer = self.memory_copy()
        from qgis.core import QgsField
        from qgis.PyQt.QtCore import QMetaType

        layer.addExpressionField("if($id % 2, '12 m', 'unknown')", QgsField("text", QMetaType.Type.QString))
        layer.addExpressionField("'tall'", QgsField("words", QMetaType.Type.QString))
        self.assertEqual(self.refused({"BUILDINGS": layer, "HEIGHT_FIELD": "text"}), "")
        self.assertIn("first value is “tall”", self.refused({"BUILDINGS": layer, "HEIGHT_FIELD": "words"}))
        rows = self.environment_of(layer, HEIGHT_FIELD="text", BASE_FIELD=None)
        self.assertTrue(any(abs(row["roof_z"] - row["base_z"] - 12.0) < 0.01 for row in rows))

    def test_transmitters_outside_are_refused(self):
        from qgis.core import QgsFeature, QgsGeometry, QgsPointXY, QgsProcessingFeatureSourceDefinition

        sites = self.layer("Point?crs=EPSG:25832&field=name:string", "memory", "sites")
        for x in (340500, 341100, 540500):
            feature = QgsFeature(sites.fields())
            feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(x, 6020500)))
            sites.dataProvider().addFeature(feature)
        sites.updateExtents()
        self.assertIn("2 of 3 points of “sites” lie outside the extent of “Extent”. The first is at 341100",
                      self.refused({"TRANSMITTERS": sites}, "coveragestudy"))
        self.assertIn("1 of 3 points of “sites” lie outside the extent of “Buildings”. The first is at 540500",
                      self.refused({"TRANSMITTERS": sites, "EXTENT": None}, "coveragestudy"))
        for number, expected in ((1, ""), (3, "1 of 1")):
            sites.selectByIds([number])
            chosen = QgsProcessingFeatureSourceDefinition(sites.id(), True)
            message = self.refused({"TRANSMITTERS": chosen, "EXTENT": None}, "coveragestudy")
            self.assertIn(expected, message) if expected else self.assertEqual(message, "")

    def test_receivers_outside_are_left_out_where_that_is_asked_for(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        file = self.folder / "receivers.csv"
        file.write_text("id,x,y\n1,340500,6020500\n2,342460,6020540\n3,340520,6020610\n", encoding="utf-8")
        receivers = self.text_layer(file, "xField=x&yField=y&crs=EPSG:25832&detectTypes=yes")
        receivers.selectByExpression("id = 2")
        outside = QgsProcessingFeatureSourceDefinition(receivers.id(), True)
        sites = self.sites()
        inputs = {**harness.transmitters(self.folder), "MAX_BOUNCES": 0, "RECEIVERS": receivers,
                  "RECEIVER_PATH_LOSS": "TEMPORARY_OUTPUT"}
        for choice, given, refused in ((None, {}, "1 of 3 points"), ("fail", {}, "1 of 3 points"), ("drop", {}, ""),
                                       ("drop", {"RECEIVERS": outside}, "1 of 1 points"),
                                       ("drop", {"TRANSMITTERS": sites, "EXTENT": "340450,340650,6020350,6020650"},
                                        "1 of 2 points of “sites”")):
            with self.subTest(choice=choice, given=given):
                said = self.refused({**inputs, "MISPLACED_RECEIVERS": choice, **given}, "coveragestudy")
                self.assertIn(refused, said) if refused else self.assertEqual(said, "")
        written = self.run_tool("coveragestudy", **SMALL_SCENE, **inputs, MISPLACED_RECEIVERS="drop")
        ids = {row["receiver_id"] for row in self.layer(written["RECEIVER_PATH_LOSS"]).getFeatures()}
        self.assertEqual(ids, set(receivers.allFeatureIds()) - set(receivers.selectedFeatureIds()))

    def test_an_extent_taken_from_the_transmitters_holds_them(self):
        """The outermost lie on its border, and the extents of dialogs have nine decimals."""
        from qgis.core import QgsFeature, QgsGeometry, QgsPointXY, QgsCoordinateReferenceSystem, QgsCoordinateTransform

        utm = QgsCoordinateReferenceSystem("EPSG:25832")
        for code in ("EPSG:25832", "EPSG:4326"):
            crs = QgsCoordinateReferenceSystem(code)
            to_crs = QgsCoordinateTransform(utm, crs, self.project)
            sites = self.layer(f"Point?crs={code}&field=name:string", "memory", "sites")
            for name, x, y in (("A", 340400.12345678, 6020400.987654321), ("B", 340600.7654321, 6020620.1234567)):
                feature = QgsFeature(sites.fields())
                feature["name"] = name
                feature.setGeometry(QgsGeometry.fromPointXY(to_crs.transform(QgsPointXY(x, y))))
                sites.dataProvider().addFeatures([feature])
            box = sites.extent()
            bounds = (box.xMinimum(), box.xMaximum(), box.yMinimum(), box.yMaximum())
            with self.subTest(code):
                extent = ",".join(f"{bound:.9f}" for bound in bounds) + f" [{code}]"
                result = self.run_tool("coveragestudy", **{
                    **SMALL_SCENE, "EXTENT": extent, "TRANSMITTERS": sites, "ANTENNA_HEIGHT": 60, "FREQUENCY": 900,
                    "ERP": 40, "MAX_BOUNCES": 0, "PATH_LOSS": "TEMPORARY_OUTPUT"})
                self.assertIn("PATH_LOSS", result)

    def test_an_empty_layer_is_no_extent(self):
        from qgis.core import QgsCoordinateReferenceSystem, QgsGeometry, QgsReferencedGeometry

        empty = self.layer("Polygon?crs=EPSG:25832", "memory", "area")
        for given in (empty, empty.id(), "area"):
            for tool in ("tileenvironment", "coveragestudy"):
                self.assertIn("Extent: “area” is empty, and has no extent. Give a layer",
                              self.refused({**harness.transmitters(self.folder), "EXTENT": given}, tool))
        nothing = QgsReferencedGeometry(QgsGeometry(), QgsCoordinateReferenceSystem("EPSG:25832"))
        for given, what in ((empty, "“area” is empty"), (nothing, "what is given is empty")):
            task, feedback, ends = self.started("tileenvironment", {  # unchecked, as in models
                **SMALL_SCENE, "EXTENT": given, "ENVIRONMENT": "TEMPORARY_OUTPUT"})
            self.run_to_the_end(task, ends)
            self.assertIn(f"Extent: {what}", feedback.textLog())

    def test_a_geometry_with_a_crs_is_an_extent_and_a_point_in_it(self):
        from qgis.core import (QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsGeometry, QgsPointXY,
                               QgsRectangle, QgsReferencedGeometry, QgsReferencedRectangle)

        utm, degrees = (QgsCoordinateReferenceSystem(code) for code in ("EPSG:25832", "EPSG:4326"))
        to_degrees = QgsCoordinateTransform(utm, degrees, self.project)

        def referenced(geometry):
            geometry.transform(to_degrees)
            return QgsReferencedGeometry(geometry, degrees)

        area = referenced(QgsGeometry.fromRect(QgsRectangle(340350, 6020350, 340650, 6020650)))
        self.assertEqual(self.refused({"EXTENT": area}), "")
        box = QgsReferencedRectangle(area.boundingBox(), degrees)
        self.assertEqual(self.environment_of(self.layer(), EXTENT=area), self.environment_of(self.layer(), EXTENT=box))
        environment = self.run_tool("tileenvironment", **SMALL_SCENE, ENVIRONMENT=str(self.folder / "e.gpkg"))
        seen = [self.layer(self.run_tool("visiblefrom", ENVIRONMENT=environment["ENVIRONMENT"], POINT=point,
                                         VISIBLE_TILES="TEMPORARY_OUTPUT")["VISIBLE_TILES"]).featureCount()
                for point in (referenced(QgsGeometry.fromPointXY(QgsPointXY(340500, 6020500))), "340500,6020500")]
        self.assertEqual(*seen)

    def test_a_point_without_geometry_is_named_by_the_program(self):
        from qgis.core import QgsFeature, QgsGeometry, QgsProcessingException

        sites = self.layer("Point?crs=EPSG:25832&field=name:string&field=height_m:double&field=frequency_mhz:double"
                           "&field=erp_dbm:double", "memory", "sites")
        for name, place in (("Market", "POINT(340500 6020500)"), ("Hill", "")):
            site = QgsFeature(sites.fields())
            site.setGeometry(QgsGeometry.fromWkt(place))
            site.setAttributes([name, 40.0, 900.0, 43.0])
            sites.dataProvider().addFeature(site)
        for parameter in ("TRANSMITTERS", "RECEIVERS"):
            inputs = {**SMALL_SCENE, **harness.transmitters(self.folder), parameter: sites,
                      f"{parameter}_CRS": None, "PATH_LOSS": "TEMPORARY_OUTPUT"}
            self.assertEqual(self.refused(inputs, "coveragestudy"), "")
            with self.assertRaisesRegex(QgsProcessingException, "feature 2.*geometry"):
                self.run_tool("coveragestudy", **inputs)

    def test_places_are_looked_up_in_the_crs_that_is_told(self):
        from qgis.core import QgsFeature, QgsGeometry, QgsPointXY

        sites = self.layer("Point?crs=EPSG:4326&field=name:string", "memory", "sites")
        site = QgsFeature(sites.fields())
        site.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(340500, 6020500)))
        sites.dataProvider().addFeature(site)
        self.assertIn("1 of 1 points", self.refused({"TRANSMITTERS": sites}, "coveragestudy"))
        self.assertEqual(self.refused({"TRANSMITTERS": sites, "TRANSMITTERS_CRS": "EPSG:25832"}, "coveragestudy"), "")

    def test_a_map_point_outside_is_refused_and_taken_for_no_layer(self):
        import processing
        from qgis.core import QgsApplication

        scene = processing.run("tesseray:tileenvironment",
                               {**harness.SMALL_SCENE, "ENVIRONMENT": str(self.folder / "scene.gpkg")})["ENVIRONMENT"]
        said = []
        QgsApplication.messageLog().messageReceived.connect(lambda text, tag, level: said.append(text))

        def checked(point):
            return self.refused({"ENVIRONMENT": scene, "POINT": point, "VISIBLE_TILES": "TEMPORARY_OUTPUT"}, "visiblefrom")

        for inside in ("340500,6020500", "340500,6020500 [EPSG:25832]", "6.5486,54.3066 [EPSG:4326]"):
            self.assertEqual(checked(inside), "", inside)
        for outside in ("350000,6020500", "350000,6020500 [EPSG:25832]", "7.5,54.3 [EPSG:4326]"):
            self.assertIn("lies outside the extent of “Environment”", checked(outside), outside)
        self.assertEqual(said, [])

    def test_polygons_in_a_file_with_other_geometries(self):
        """As exports of OpenStreetMap have them: QGIS takes such a file for one of points, or for one without a CRS."""
        houses = {"type": "Polygon", "coordinates": [[[6.546, 54.306], [6.5465, 54.306], [6.5465, 54.3062],
                                                      [6.546, 54.306]]]}
        door = {"type": "Point", "coordinates": [6.546, 54.306]}
        for others in (door, {"type": "GeometryCollection", "geometries": [door, houses]}):
            with self.subTest(others["type"]):
                file = self.folder / f"{others['type']}.geojson"
                file.write_text(json.dumps({"type": "FeatureCollection", "features": [
                    {"type": "Feature", "properties": {"height_m": 10, "base_m": 0}, "geometry": geometry}
                    for geometry in (others, houses)]}), encoding="utf-8")
                self.assertEqual(self.refused({"BUILDINGS": str(file)}), "")
                self.assertTrue(self.environment_of(str(file)))
        self.assertIn("holds points", self.refused({"BUILDINGS": f"{self.folder / 'Point.geojson'}|geometrytype=Point"}))

    def test_a_file_with_several_layers_needs_a_layer_name(self):
        import processing
        from qgis.core import QgsProcessingFeatureSourceDefinition

        file = self.folder / "two.gpkg"
        for name in ("one", "two"):
            processing.run("native:savefeatures", {
                "INPUT": BUILDINGS, "OUTPUT": str(file), "LAYER_NAME": name,
                "ACTION_ON_EXISTING_FILE": 1 if file.exists() else 0})
        for buildings in (str(file), QgsProcessingFeatureSourceDefinition(str(file), featureLimit=10)):
            self.assertIn("several layers (one, two). Say which one, as two.gpkg|layername=NAME.",
                          self.refused({"BUILDINGS": buildings}))
        self.assertEqual(self.refused({"BUILDINGS": f"{file}|layername=two"}), "")

    def test_a_layer_that_was_opened_without_its_name_has_it(self):
        """As projects hold layers that were opened by their number in the file, or the first of it."""
        from osgeo import gdal

        file = str(self.folder / "two.gpkg")
        gdal.VectorTranslate(file, BUILDINGS.split("|")[0], layerName="houses")
        gdal.VectorTranslate(file, str(SAMPLE / "vegetation.gpkg"), layerName="woods", accessMode="update")
        expected = self.sources(self.environment_of(f"{file}|layername=houses"))
        for source in (file, f"{file}|layerid=0"):
            with self.subTest(source):
                self.assertEqual(self.sources(self.environment_of(self.layer(source))), expected)
                self.assertNotIn("is copied", self.log())
        some = self.layer(f"{file}|layerid=0|subset=\"fid\" > 300")
        self.assertEqual(self.sources(self.environment_of(some)), {number for number in expected if number > 300})

    def test_of_a_file_with_one_layer_that_fits_the_name_is_not_needed(self):
        from qgis.core import QgsProcessingFeatureSourceDefinition

        path_loss = self.predicted(harness.transmitters(self.folder))
        file = path_loss.split("|")[0]
        named = self.run_tool("bestserver", PATH_LOSS=path_loss, BEST_SERVER="TEMPORARY_OUTPUT")
        for source in (file, QgsProcessingFeatureSourceDefinition(file, featureLimit=1_000_000)):
            alone = self.run_tool("bestserver", PATH_LOSS=source, BEST_SERVER="TEMPORARY_OUTPUT")
            self.assertEqual(alone["RESULT_HASH"], named["RESULT_HASH"])
        hill = QgsProcessingFeatureSourceDefinition(file, filterExpression="transmitter_id = 2")
        self.assertEqual(self.servers_of_a_copy(hill), {"Hill"})
        again = self.predicted({"TRANSMITTERS": file})
        self.assertEqual(self.losses(again), self.losses(path_loss))
        self.run_tool("bestserver", PATH_LOSS=path_loss, BEST_SERVER=f"{file}|layername=best_server")
        self.assertEqual(self.refused({"PATH_LOSS": file}, "bestserver"), "")

    def test_path_loss_is_found_in_a_file_as_the_program_finds_it(self):
        from osgeo import gdal

        study = self.folder / "study.gpkg"
        self.run_tool("coveragestudy", **BETWEEN_SITES, **harness.transmitters(self.folder), OUTPUT=str(study))
        served = self.run_tool("bestserver", PATH_LOSS=str(study), BEST_SERVER=f"{study}|layername=best_server")
        named = self.run_tool("bestserver", PATH_LOSS=f"{study}|layername=path_loss", BEST_SERVER="TEMPORARY_OUTPUT")
        self.assertEqual(served["RESULT_HASH"], named["RESULT_HASH"])
        # By its fields, where it is called otherwise.
        renamed = str(self.folder / "renamed.gpkg")
        for old, new in (("path_loss", "first"), ("best_server", "servers"), ("transmitters", "transmitters")):
            gdal.VectorTranslate(renamed, str(study), layers=[old], layerName=new, accessMode="update" if old != "path_loss" else None)
        again = self.run_tool("bestserver", PATH_LOSS=renamed, BEST_SERVER="TEMPORARY_OUTPUT")
        self.assertEqual(again["RESULT_HASH"], named["RESULT_HASH"])
        gdal.VectorTranslate(renamed, str(study), layers=["path_loss"], layerName="second", accessMode="update")
        self.assertIn("the file has several layers (first, second). Say which one",
                      self.refused({"PATH_LOSS": renamed}, "bestserver"))

    def test_a_layer_of_best_servers_is_refused_as_path_loss(self):
        file = self.predicted(harness.transmitters(self.folder)).split("|")[0]
        alone = f"{self.folder / 'servers.gpkg'}|layername=best_server"
        for place in (f"{file}|layername=best_server", alone):
            self.run_tool("bestserver", PATH_LOSS=f"{file}|layername=path_loss", BEST_SERVER=place)
        for source, words in ((f"{file}|layername=best_server", "made from; its file has path_loss."),
                              (alone, "Choose the path losses that it was made from.")):
            for tool in ("bestserver", "coverageraster", "fingerprints"):
                with self.subTest(f"{tool}, {source}"):
                    said = self.refused({"PATH_LOSS": self.layer(source, name="Best server"), "RASTER": "TEMPORARY_OUTPUT"},
                                        tool)
                    self.assertIn("Path loss: “Best server” is a layer of best servers", said)
                    self.assertIn(words, said)

    def test_files_in_memory_are_copied(self):
        from osgeo import gdal
        from qgis.core import QgsRasterLayer

        gdal.VectorTranslate("/vsimem/houses.gpkg", SMALL_SCENE["BUILDINGS"], layers=["buildings"])
        gdal.Translate("/vsimem/dem.tif", SMALL_SCENE["DEM"])
        terrain = QgsRasterLayer("/vsimem/dem.tif", "terrain")
        self.project.addMapLayer(terrain)
        there = self.environment_of(BUILDINGS, DEM=SMALL_SCENE["DEM"])
        copied = self.environment_of(self.layer("/vsimem/houses.gpkg|layername=buildings"), DEM=terrain)
        self.assertEqual(self.roofs(copied), self.roofs(there))

    def test_a_spatialite_file_of_one_layer_needs_no_name(self):
        from osgeo import gdal

        file = str(self.folder / "houses.sqlite")
        gdal.VectorTranslate(file, SMALL_SCENE["BUILDINGS"], layers=["buildings"], format="SQLite", datasetCreationOptions=["SPATIALITE=YES"],
                             layerName="houses")
        self.assertEqual(self.refused({"BUILDINGS": file}), "")

    def test_a_file_that_qgis_cannot_open_is_not_said_to_be_missing(self):
        broken = self.folder / "Häuser%20Nord.gpkg"
        broken.write_text("no GeoPackage")
        self.assertIn(f"Buildings: QGIS cannot open {broken}, though it is there. Some versions of GDAL open no "
                      "GeoPackage with “%20”", self.refused({"BUILDINGS": str(broken)}))
        self.assertIn("the layer's name is right",
                      self.refused({"BUILDINGS": SMALL_SCENE["BUILDINGS"] + "|layername=houses"}))
        self.assertIn("no such file.gpkg not found", self.refused({"BUILDINGS": str(self.folder / "no such file.gpkg")}))
        vector = SMALL_SCENE["BUILDINGS"]
        for source in (vector, f"{vector}|layername=buildings"):
            self.assertIn(f"Terrain: QGIS opens no raster from {vector}, though it is there", self.refused({"DEM": source}))

    def test_a_table_of_transmitters_is_taken(self):
        sites = harness.transmitters(self.folder)
        table = self.layer(sites["TRANSMITTERS"], name="sites")
        self.assertEqual(self.refused({**sites, "TRANSMITTERS": table}, "coveragestudy"), "")

    def test_a_spreadsheet_of_texts_whose_header_qgis_takes_for_a_row(self):
        from osgeo import ogr
        from qgis.core import QgsProcessingFeatureSourceDefinition

        text = pathlib.Path(harness.transmitters(self.folder)["TRANSMITTERS"]).read_text(encoding="utf-8")
        header, *rows = (line.split(",") for line in text.splitlines())
        file = ogr.GetDriverByName("XLSX").CreateDataSource(str(self.folder / "sites.xlsx"))
        sheet = file.CreateLayer("sites")
        for field in header:
            sheet.CreateField(ogr.FieldDefn(field, ogr.OFTString))
        for row in rows:
            feature = ogr.Feature(sheet.GetLayerDefn())
            for field, cell in zip(header, row):
                feature.SetField(field, cell)
            sheet.CreateFeature(feature)
        del sheet, file
        layer = self.layer(str(self.folder / "sites.xlsx"), name="sites")
        self.assertEqual((layer.fields().names()[0], layer.featureCount()), ("Field1", len(rows) + 1))
        inputs = {**BETWEEN_SITES, "TRANSMITTERS": layer, "TRANSMITTERS_CRS": "EPSG:25832", "MAX_BOUNCES": 0}
        for given in ({}, {"NAME_FIELD": "name"}):
            self.assertEqual(self.refused({**inputs, **given}, "coveragestudy"), "")
        result = self.run_tool("coveragestudy", **inputs, NAME_FIELD="name", PATH_LOSS="TEMPORARY_OUTPUT")
        self.assertGreater(self.layer(result["PATH_LOSS"]).featureCount(), 0)
        layer.selectByIds([layer.allFeatureIds()[-1]])
        chosen = QgsProcessingFeatureSourceDefinition(layer.id(), True)
        for given in ({"NAME_FIELD": "Field1"}, {"TRANSMITTERS": chosen}):
            said = self.refused({**inputs, **given}, "coveragestudy")
            self.assertIn("QGIS has taken the header of “sites” for a row of values", said)

    def test_tables_of_text_files_without_geometry(self):
        sites = harness.transmitters(self.folder)
        table = self.text_layer(sites["TRANSMITTERS"], "geomType=none")
        path_loss = self.predicted({**sites, "TRANSMITTERS": table})
        queries = self.folder / "queries.csv"
        queries.write_text("query,site,rsrp\na,Hill,-60\na,Market,-70\n", encoding="ascii")
        located = self.run_tool("fingerprints", PATH_LOSS=path_loss, LOCATED="TEMPORARY_OUTPUT",
                                QUERIES=self.text_layer(queries, "geomType=none"))["LOCATED"]
        self.assertEqual(self.layer(located).featureCount(), 1)

    def test_antenna_files_beside_a_layer_that_is_copied(self):
        from qgis.core import QgsProcessingException

        (self.folder / "panel.msi").write_text("GAIN 2 dBi\nELECTRICAL_TILT 0\nHORIZONTAL 8\n"
                                               + "".join(f"{45 * i} {i % 4}\n" for i in range(8)) + "VERTICAL 8\n"
                                               + "".join(f"{45 * i} {3 * (i % 4)}\n" for i in range(8)))
        sites = harness.transmitters(self.folder)
        table = self.text_layer(sites["TRANSMITTERS"], "xField=x&yField=y&crs=EPSG:25832")
        transmitters = {**sites, "ANTENNA": "panel"}
        beside = self.predicted(transmitters)
        with self.assertRaises(QgsProcessingException) as refused:
            self.predicted({**transmitters, "TRANSMITTERS": table, "ANTENNA": "no such"})
        self.assertIn(f"nor a pattern file in the current folder, {self.folder}.\n", str(refused.exception))
        copied = self.predicted({**transmitters, "TRANSMITTERS": table})
        self.assertIn("is copied", self.log())
        self.assertEqual(self.losses(copied), self.losses(beside))
        # A folder that was chosen is looked into first, the layer's own as well.
        other = self.folder / "other"
        other.mkdir()
        chosen = {**transmitters, "ANTENNA_FOLDER": str(other)}
        self.assertEqual(self.losses(self.predicted({**chosen, "TRANSMITTERS": table})), self.losses(beside))
        (other / "panel.msi").write_text((self.folder / "panel.msi").read_text().replace("45 1", "45 9"))
        in_the_folder = self.losses(self.predicted(chosen))
        self.assertNotEqual(in_the_folder, self.losses(beside))
        self.assertEqual(self.losses(self.predicted({**chosen, "TRANSMITTERS": table})), in_the_folder)


if __name__ == "__main__":
    run_tests()
