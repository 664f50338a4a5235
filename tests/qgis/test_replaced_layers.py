# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that are open when a run replaces their table: columns, names, styles."""

import shutil
import unittest.mock

import qgis_harness as harness
from qgis_harness import EXTENT, SMALL_SCENE, ProjectTest, run_tests


class ReplacedLayerTest(ProjectTest):
    @classmethod
    def setUpClass(cls):
        """The environment, which no test writes to."""
        super().setUpClass()
        import processing

        cls.environment = processing.run("tesseray:tileenvironment", {
            **SMALL_SCENE, "ENVIRONMENT": str(harness.PROFILE / "environment.gpkg")})["ENVIRONMENT"]

    def path(self, name):
        return str(self.folder / name)

    def run_tool(self, tool, **inputs):
        """The results; self.log has what the run told."""
        import processing
        from qgis.core import QgsProcessingFeedback

        feedback = QgsProcessingFeedback(False)
        results = processing.run(tool if ":" in tool else f"tesseray:{tool}", inputs, context=self.context,
                                 feedback=feedback)
        self.log = feedback.textLog()
        return results

    def open(self, source):
        from qgis.core import QgsVectorLayer

        layer = QgsVectorLayer(source, "open", "ogr")
        self.assertTrue(layer.isValid(), source)
        self.project.addMapLayer(layer)
        return layer

    def fresh(self, layer):
        from qgis.core import QgsVectorLayer

        return QgsVectorLayer(layer.source(), "fresh", "ogr")

    def predict(self, *names, file="p.gpkg", **inputs):
        """The path loss of transmitters of these names, side by side."""
        sites = self.folder / "sites.csv"
        sites.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\n" + "".join(
            f"{name},{340400 + 80 * number},6020500,40,900,43\n" for number, name in enumerate(names)),
            encoding="utf-8")
        return self.run_tool("predictcoverage", ENVIRONMENT=self.environment, TRANSMITTERS=str(sites), MAX_BOUNCES=0,
                             TRANSMITTERS_CRS="EPSG:25832", PATH_LOSS=self.path(file), OVERWRITE=True,
                             TRANSMITTERS_OUT=self.path(file), **inputs)["PATH_LOSS"]

    def best_server(self, *names):
        return self.run_tool("bestserver", PATH_LOSS=self.predict(*names), BEST_SERVER=self.path("b.gpkg"),
                             OVERWRITE=True)["BEST_SERVER"]

    def districts(self, thresholds):
        return self.run_tool("coveragebydistrict", PATH_LOSS=self.path_loss, DISTRICTS=self.cells,
                             THRESHOLDS=thresholds, DISTRICT_COVERAGE=self.path("d.gpkg"),
                             OVERWRITE=True)["DISTRICT_COVERAGE"]

    def open_districts(self, thresholds):
        self.path_loss = self.predict("Alpha", "Beta")
        self.cells = self.run_tool("native:creategrid", TYPE=4, EXTENT=EXTENT, HSPACING=75, VSPACING=75,
                                   CRS="EPSG:25832", OUTPUT=self.path("cells.gpkg"))["OUTPUT"]
        return self.open(self.districts(thresholds))

    def assert_shows_its_table(self, layer):
        fresh = self.fresh(layer)
        self.assertEqual(layer.fields().names(), fresh.fields().names())
        self.assertEqual([field.alias() for field in layer.fields()], [field.alias() for field in fresh.fields()])
        self.assertEqual([feature.attributes() for feature in layer.getFeatures()],
                         [feature.attributes() for feature in fresh.getFeatures()])
        self.assertEqual([column.name for column in layer.attributeTableConfig().columns()],
                         [column.name for column in fresh.attributeTableConfig().columns()])
        self.assertEqual(layer.extent(), fresh.extent())

    def categories(self, layer):
        """Without that of tiles that none serves."""
        return [category.value() for category in layer.renderer().categories() if category.label() != "no server"]

    def assert_told(self, is_told):
        self.assertEqual("does not fit its new rows" in self.log, is_told, self.log)

    def test_other_columns_come_with_their_names_and_classes(self):
        layer = self.open_districts("-85,-95")
        self.districts("-40,-50,-60")
        self.assert_shows_its_table(layer)
        self.assertEqual(layer.renderer().classAttribute(), "covered_minus_40_percent")
        fresh = self.fresh(layer)
        self.assertEqual(layer.renderer().dump(), fresh.renderer().dump())
        self.assert_told(False)

    def test_the_legend_of_districts_names_the_power_that_covers(self):
        layer = self.open_districts("-85,-95")
        self.assertEqual([each.label() for each in layer.renderer().ranges()][-2:],
                         ["90 to 95 % at ≥ -85 dBm", "above 95 % at ≥ -85 dBm"])

    def test_a_style_of_columns_that_stay_stays(self):
        layer = self.open_districts("-85,-95")
        layer.renderer().setClassAttribute("median_dbm")
        layer.setFieldAlias(layer.fields().lookupField("mean_dbm"), "Average")
        self.districts("-40,-50")
        self.assertEqual(layer.renderer().classAttribute(), "median_dbm")
        fields = layer.fields()
        self.assertEqual(fields.field("covered_minus_40_m2").alias(), "Covered at −40 dBm [m²]")
        self.assertEqual(fields.field("mean_dbm").alias(), "Average")
        self.assert_told(False)

    def test_a_style_of_the_users_whose_column_or_label_is_gone_is_told_of(self):
        from qgis.core import (QgsGraduatedSymbolRenderer, QgsPalLayerSettings, QgsSingleSymbolRenderer,
                               QgsVectorLayerSimpleLabeling)

        layer = self.open_districts("-85,-95")
        layer.setRenderer(QgsGraduatedSymbolRenderer("covered_minus_85_m2"))
        self.districts("-40,-50")
        self.assertEqual(layer.renderer().classAttribute(), "covered_minus_40_percent")
        self.assert_told(True)
        settings = QgsPalLayerSettings()
        settings.fieldName = "covered_minus_40_percent"
        first, *_ = layer.renderer().ranges()
        layer.setRenderer(QgsSingleSymbolRenderer(first.symbol().clone()))
        layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
        layer.setLabelsEnabled(True)
        self.districts("-50,-60")
        self.assertFalse(layer.labelsEnabled())
        self.assert_told(True)

    def test_a_style_that_is_not_in_the_file_is_not_told_of(self):
        from qgis.core import QgsGraduatedSymbolRenderer, QgsVectorLayer

        layer = self.open_districts("-85,-95")
        layer.setRenderer(QgsGraduatedSymbolRenderer("covered_minus_85_m2"))
        with unittest.mock.patch.object(QgsVectorLayer, "loadDefaultStyle", lambda _: ("there is none", False)):
            self.districts("-40,-50")
        self.assert_told(False)

    def test_a_filter_by_a_column_that_is_gone_is_removed(self):
        layer = self.open_districts("-85,-95")
        self.assertTrue(layer.setSubsetString('"covered_minus_85_m2" >= 0 AND "median_dbm" < 0'))
        self.districts("-40,-50")
        self.assertEqual(layer.subsetString(), "")
        self.assertIn("The filter of the open layer “open” is removed: its new rows have no covered_minus_85_m2.",
                      self.log)
        self.assertGreater(layer.featureCount(), 0)
        self.assert_shows_its_table(layer)
        self.assertTrue(layer.setSubsetString('"median_dbm" < 0'))
        self.districts("-40")
        self.assertEqual(layer.subsetString(), '"median_dbm" < 0')
        self.assertNotIn("filter", self.log)

    def test_a_filter_that_names_other_things_than_columns_stays(self):
        layer = self.open_districts("-85,-95")
        for condition in ("rowid < 4", "geom IS NOT NULL", '"MEDIAN_DBM" < 0', '"median_dbm" <> "a text"'):
            self.assertTrue(layer.setSubsetString(condition))
            self.districts("-85,-95")
            self.assertEqual(layer.subsetString(), condition)
            self.assertNotIn("filter", self.log)

    def test_layers_whose_table_is_not_replaced_stay_as_they_are(self):
        """Style, filter, and what is selected, in a file that a run writes another layer to."""
        from qgis.core import QgsCategorizedSymbolRenderer, QgsFillSymbol, QgsRendererCategory

        town = self.path("town.gpkg")
        shutil.copy(SMALL_SCENE["BUILDINGS"], town)
        layer = self.open(f"{town}|layername=buildings")
        layer.setRenderer(QgsCategorizedSymbolRenderer("use", [
            QgsRendererCategory(use, QgsFillSymbol.createSimple({}), use) for use in ("church", "planned")]))
        for condition in ("", "rowid < 100", "height_m > (SELECT avg(height_m) FROM buildings)"):
            self.assertTrue(layer.setSubsetString(condition))
            selected = layer.allFeatureIds()[:3]
            layer.selectByIds(selected)
            self.predict("Alpha", file="town.gpkg")
            self.assertEqual(self.categories(layer), ["church", "planned"])
            self.assertEqual(layer.subsetString(), condition)
            self.assertEqual(sorted(layer.selectedFeatureIds()), sorted(selected))
            self.assertNotIn("“open”", self.log)

    def test_categories_follow_the_transmitters(self):
        layer = self.open(self.best_server("Alpha", "Beta"))
        for names in (("Gamma", "Delta", "Epsilon"), ("Gamma", "Delta", "Epsilon", "Zeta"), ("Gamma", "Delta"), ("Alpha",)):
            self.best_server(*names)
            self.assertEqual(self.categories(layer), list(names))
            self.assert_shows_its_table(layer)
            self.assert_told(False)

    def test_categories_of_the_users_stay_while_their_values_are_there(self):
        from qgis.PyQt.QtGui import QColor

        layer = self.open(self.best_server("Alpha", "Beta", "Gamma"))
        layer.renderer().deleteCategory(2)
        first, *_ = layer.renderer().categories()
        symbol = first.symbol().clone()
        symbol.setColor(QColor("#123456"))
        layer.renderer().updateCategorySymbol(0, symbol)
        for names, kept in ((("Alpha", "Beta", "Delta"), True), (("Alpha",), True), (("Gamma", "Delta"), False)):
            self.best_server(*names)
            self.assertEqual(self.categories(layer), ["Alpha", "Beta"] if kept else list(names))
            self.assert_told(not kept)

    def test_tiles_that_none_serves_are_drawn_and_in_the_legend(self):
        from qgis.core import QgsRenderContext

        layer = self.open(self.best_server("Alpha", "Beta"))
        renderer, context = layer.renderer().clone(), QgsRenderContext()
        self.assertEqual([item.label() for item in renderer.legendSymbolItems()], ["Alpha", "Beta", "no server"])
        renderer.startRender(context, layer.fields())
        colors = {feature["transmitter"] or None: renderer.symbolForFeature(feature, context).color().name()
                  for feature in layer.getFeatures()}
        renderer.stopRender(context)
        self.assertEqual(colors[None], "#ffffff")
        self.assertNotIn("#ffffff", {color for name, color in colors.items() if name})

    def test_points_in_place_of_polygons_are_drawn_as_points(self):
        from qgis.core import Qgis

        layer = self.open(self.predict("Alpha"))
        self.predict("Alpha", GEOMETRY="point")
        self.assertEqual(layer.geometryType(), Qgis.GeometryType.Point)
        first, *_ = layer.renderer().ranges()
        self.assertEqual(first.symbol().type(), Qgis.SymbolType.Marker)
        self.assert_shows_its_table(layer)
        self.assert_told(False)

    def test_tables_have_no_style_until_they_get_geometries(self):
        layer = self.open(self.predict("Alpha", GEOMETRY="none"))
        self.predict("Alpha", "Beta", GEOMETRY="none")
        self.assertIsNone(layer.renderer())
        self.assert_shows_its_table(layer)
        self.assert_told(False)
        self.predict("Alpha")
        self.assertEqual(layer.renderer().classAttribute(), "path_loss_db")
        self.assert_told(False)
        self.predict("Alpha", GEOMETRY="none")
        self.assert_shows_its_table(layer)
        self.assert_told(False)

    def test_categories_give_way_where_the_rows_are_a_table_now(self):
        from qgis.core import QgsCategorizedSymbolRenderer, QgsFillSymbol, QgsRendererCategory

        layer = self.open(self.predict("Alpha"))
        layer.setRenderer(QgsCategorizedSymbolRenderer(
            "mechanism", [QgsRendererCategory("direct", QgsFillSymbol.createSimple({}), "direct")]))
        others = self.open(self.predict("Alpha"))
        self.predict("Alpha", "Beta", GEOMETRY="none")
        self.assertIsNone(layer.renderer())
        for each in (layer, others):
            self.assert_shows_its_table(each)
        self.assertNotIn("Error", self.log)

    def test_what_the_user_has_saved_in_the_file_stays(self):
        """Styles, the default among them, and the layer's metadata; QGIS opens the layer with them."""
        from qgis.core import QgsSingleSymbolRenderer, QgsFillSymbol, QgsVectorLayer

        for file in ("p.gpkg", "p.sqlite"):
            with self.subTest(file):
                layer = QgsVectorLayer(self.predict("Alpha", file=file), "losses", "ogr")
                for name, color, is_default in (("for print", "blue", False), ("mine", "red", True)):
                    layer.setRenderer(QgsSingleSymbolRenderer(QgsFillSymbol.createSimple({"color": color})))
                    layer.saveStyleToDatabase(name, "", is_default, "")
                metadata = layer.metadata()
                metadata.setAbstract("measured in May")
                layer.setMetadata(metadata)
                layer.saveDefaultMetadata()
                source = layer.source()
                del layer
                for names in (("Alpha", "Beta"), ("Alpha",)):
                    self.predict(*names, file=file)
                    opened = QgsVectorLayer(source, "opened", "ogr")
                    self.assertEqual(opened.renderer().symbol().color().name(), "#ff0000")
                    if file == "p.gpkg":  # of others QGIS keeps it elsewhere
                        self.assertEqual(opened.metadata().abstract(), "measured in May")
                    number, _, saved, _, _ = opened.listStylesInDatabase()  # first those of the layer
                    self.assertEqual(sorted(saved[:number]), ["Path loss", "Received power", "for print", "mine"])
                self.predict("Alpha", file=file, GEOMETRY="point")
                opened = QgsVectorLayer(source, "opened", "ogr")
                self.assertEqual(opened.renderer().type(), "graduatedSymbol")

    # Where it is.

    def test_a_layer_has_the_crs_of_its_new_rows_unless_the_user_gave_it_one(self):
        from qgis.core import QgsCoordinateReferenceSystem

        def tiles(crs):
            return self.run_tool("tileenvironment", **{**SMALL_SCENE, "CRS": crs}, TILES=self.path("t.gpkg"),
                                 ENVIRONMENT=self.path("e.gpkg"), OVERWRITE=True)["TILES"]

        layer = self.open(tiles("EPSG:25832"))
        moved = self.open(layer.source())
        moved.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
        tiles("EPSG:25833")
        self.assertEqual(layer.crs().authid(), "EPSG:25833")
        self.assertEqual(layer.extent(), self.fresh(layer).extent())
        self.assertEqual(moved.crs().authid(), "EPSG:3857")

    # What is being edited.

    def change_first(self, layer, column="mechanism"):
        layer.changeAttributeValue(next(layer.getFeatures()).id(), layer.fields().lookupField(column), "mine")

    def test_a_layer_that_is_being_edited_is_not_replaced(self):
        from qgis.core import QgsApplication, QgsProcessingException, QgsProperty

        layer = self.open(self.predict("Alpha"))
        before = [row.attributes() for row in layer.getFeatures()]
        self.assertTrue(layer.startEditing())
        with self.assertRaisesRegex(QgsProcessingException, "“open” would be replaced, and it is being edited"):
            self.predict("Alpha", "Beta")
        self.change_first(layer)
        prediction = {"ENVIRONMENT": self.environment, "TRANSMITTERS": self.path("sites.csv"),
                      "TRANSMITTERS_CRS": "EPSG:25832", "OVERWRITE": True}
        algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:predictcoverage")
        by_expression = QgsProperty.fromExpression(f"'{layer.source()}'")
        for place in ({"PATH_LOSS": layer.source()}, {"OUTPUT": self.path("p.gpkg")}, {"PATH_LOSS": by_expression}):
            is_good, message = algorithm.checkParameterValues({**prediction, **place}, self.context)
            self.assertFalse(is_good)
            self.assertIn("being edited", message)
        other = {"PATH_LOSS": self.path("other.gpkg")}
        self.assertEqual(algorithm.checkParameterValues({**prediction, **other}, self.context), (True, ""))
        layer.rollBack()
        self.assertEqual([row.attributes() for row in layer.getFeatures()], before)

    def test_transmitters_that_are_written_unasked_are_not_replaced_while_they_are_edited(self):
        """Beside a path loss or one at receivers the program writes them where TRANSMITTERS_OUT is left out."""
        from qgis.core import QgsApplication

        self.predict("Alpha")
        receivers = self.folder / "receivers.csv"
        receivers.write_text("id,x,y\n1,340520,6020610\n", encoding="utf-8")
        prediction = {"ENVIRONMENT": self.environment, "TRANSMITTERS": self.path("sites.csv"), "MAX_BOUNCES": 0,
                      "TRANSMITTERS_CRS": "EPSG:25832", "RECEIVERS": str(receivers), "RECEIVERS_CRS": "EPSG:25832",
                      "OVERWRITE": True}
        layer = self.open(f"{self.path('p.gpkg')}|layername=transmitters")
        algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:predictcoverage")

        def refused(**places):
            return algorithm.checkParameterValues({**prediction, **places}, self.context)[1]

        beside, elsewhere = self.path("p.gpkg"), self.path("other.gpkg")
        self.assertTrue(layer.startEditing())
        for output in ("PATH_LOSS", "RECEIVER_PATH_LOSS"):
            self.assertIn("“open” would be replaced", refused(**{output: beside}), output)
            self.assertEqual(refused(**{output: beside, "TRANSMITTERS_OUT": elsewhere}), "")
            self.assertEqual(refused(**{output: elsewhere}), "")
        for first in (elsewhere, "TEMPORARY_OUTPUT"):
            self.assertEqual(refused(PATH_LOSS=first, RECEIVER_PATH_LOSS=beside), "")
        self.assertTrue(layer.rollBack())
        (self.folder / "sites.csv").write_text("name,x,y,height_m,frequency_mhz,erp_dbm\n"
                                               "Gamma,340500,6020500,40,900,43\n", encoding="utf-8")
        self.run_tool("predictcoverage", **prediction, PATH_LOSS=beside)
        self.assert_shows_its_table(layer)

    def test_edits_of_another_table_of_the_file_are_kept(self):
        best = self.open(self.best_server("Alpha", "Beta"))
        self.assertTrue(best.startEditing())
        self.change_first(best, "transmitter")
        self.predict("Alpha", "Beta", file="b.gpkg")
        self.assertTrue(best.commitChanges(), best.commitErrors())
        self.assertIn("mine", self.fresh(best).uniqueValues(best.fields().lookupField("transmitter")))

    def test_edits_of_a_layer_that_was_opened_without_its_name_are_kept(self):
        self.best_server("Alpha", "Beta")
        for source in ("b.gpkg", "b.gpkg|layerid=0"):
            with self.subTest(source=source):
                best = self.open(self.path(source))
                self.assertTrue(best.startEditing())
                self.change_first(best, "transmitter")
                self.predict("Alpha", "Beta", file="b.gpkg")
                self.assertTrue(best.isModified(), self.log)
                self.assertTrue(best.rollBack())
                self.assertTrue(best.startEditing())
                with self.assertRaisesRegex(Exception, "being edited"):
                    self.best_server("Alpha", "Beta")
                self.assertTrue(best.rollBack())

    def test_edits_made_while_the_table_is_replaced_are_discarded_with_a_warning(self):
        from tesseray import algorithm

        layer = self.open(self.predict("Alpha"))
        run = algorithm.run_tool

        def meanwhile(*arguments):
            result = run(*arguments)
            layer.startEditing()
            self.change_first(layer)
            return result

        with unittest.mock.patch.object(algorithm, "run_tool", meanwhile):
            self.predict("Alpha", "Beta")
        self.assertIn("Edits of the open layer “open” made during the run are discarded", self.log)
        self.assertFalse(layer.isEditable())
        self.assert_shows_its_table(layer)

    # However the file is called, and whatever reads it.

    def test_a_layer_opened_by_way_of_a_linked_folder(self):
        (self.folder / "link").symlink_to(self.folder)
        layer = self.open(self.predict("Alpha").replace("/p.gpkg", "/link/p.gpkg"))
        self.assertIn("/link/", layer.source())
        one = layer.featureCount()
        self.predict("Alpha", "Beta")
        self.assertEqual(layer.featureCount(), 2 * one)
        self.assert_shows_its_table(layer)

    def test_a_layer_of_the_spatialite_provider(self):
        from qgis.core import QgsVectorLayer

        file = self.path("p.sqlite")
        self.predict("Alpha", file="p.sqlite")
        layer = QgsVectorLayer(f"dbname='{file}' table=\"path_loss\" (geom)", "open", "spatialite")
        self.project.addMapLayer(layer)
        one = layer.featureCount()
        self.assertEqual(len(list(layer.getFeatures())), one)
        self.predict("Alpha", "Beta", file="p.sqlite")
        self.assertEqual(layer.featureCount(), 2 * one)
        self.assertEqual(len(list(layer.getFeatures())), 2 * one)
        self.assertTrue(layer.startEditing())
        self.change_first(layer)
        self.assertTrue(layer.commitChanges(), layer.commitErrors())
        written = QgsVectorLayer(f"{file}|layername=path_loss", "written", "ogr")
        self.assertIn("mine", written.uniqueValues(written.fields().lookupField("mechanism")))


if __name__ == "__main__":
    run_tests()
