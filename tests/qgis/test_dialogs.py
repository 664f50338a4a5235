# SPDX-License-Identifier: GPL-3.0-or-later
"""Dialogs of the tools as a user sees them: grabbed to pictures, run, cancelled; and what then is in the project.

With TESSERAY_PICTURES set to a folder, the pictures stay there to be looked at.
"""

import os
import pathlib
import time
import unittest.mock

import qgis_harness as harness
from qgis_harness import EXTENT, SAMPLE, QgisTest, run_tests

PICTURES = os.environ.get("TESSERAY_PICTURES")
# A picture of a dialog has many widgets in it; an empty window has one colour.
LEAST_COLOURS = 100


def process_events():
    from qgis.PyQt.QtWidgets import QApplication

    for _ in range(3):
        QApplication.processEvents()


class DialogTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        import qgis.utils

        harness.start_qgis()
        from qgis.gui import QgsGui

        qgis.utils.iface = unittest.mock.MagicMock()
        QgsGui.instance()

    def setUp(self):
        super().setUp()
        from qgis.core import QgsProject

        self.project = QgsProject.instance()
        self.addCleanup(self.project.clear)

    def add_town(self):
        """The sample town as layers of the project, and the parameters that name them."""
        from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsVectorLayer

        self.project.setCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        csv = f"file://{SAMPLE / 'transmitters.csv'}?type=csv&xField=lon&yField=lat&crs=EPSG:4326&detectTypes=yes"
        layers = {"DEM": QgsRasterLayer(str(SAMPLE / "dem.tif"), "terrain"),
                  "BUILDINGS": QgsVectorLayer(f"{SAMPLE / 'buildings.gpkg'}|layername=buildings", "buildings", "ogr"),
                  "DRIVE_TEST": QgsVectorLayer(str(SAMPLE / "drive_test_SYNTHETIC.gpkg"), "drive test", "ogr"),
                  "TRANSMITTERS": QgsVectorLayer(csv, "transmitters", "delimitedtext")}
        for layer in layers.values():
            self.assertTrue(layer.isValid(), layer.source())
            self.project.addMapLayer(layer)
        return {name: layer.id() for name, layer in layers.items()} | {
            "HEIGHT_FIELD": "height_m", "VALUE_FIELD": "received_power_dbm", "TRANSMITTER_FIELD": "transmitter",
            "CENSOR_BELOW": -110, "TILE_AREA": 400, "MAX_BOUNCES": 1}

    def dialog(self, tool, parameters=None):
        from processing.gui.AlgorithmDialog import AlgorithmDialog
        from qgis.core import QgsApplication

        dialog = AlgorithmDialog(QgsApplication.processingRegistry().createAlgorithmById(tool), False, None)
        dialog.resize(1100, 860)
        dialog.mainWidget().setParameters(parameters or {})
        dialog.show()
        process_events()
        return dialog

    def wait_until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "nothing happened")
            process_events()
            time.sleep(0.01)

    def picture(self, dialog, name):
        """Grabs the dialog and returns how many colours it has."""
        image = dialog.grab().toImage()
        image.save(str(pathlib.Path(PICTURES or self.folder) / f"{name}.png"))
        return len({image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)})

    def test_every_tool_has_a_dialog(self):
        from qgis.core import QgsApplication

        parameters = self.add_town()
        for algorithm in QgsApplication.processingRegistry().providerById("tesseray").algorithms():
            known = {name: value for name, value in parameters.items() if algorithm.parameterDefinition(name)}
            with self.subTest(algorithm.id()):
                dialog = self.dialog(algorithm.id(), known)
                self.assertGreater(self.picture(dialog, algorithm.name().replace(" ", "_")), LEAST_COLOURS)
                dialog.close()

    def test_the_help_has_the_colour_of_the_themes_texts(self):
        from qgis.PyQt.QtCore import Qt
        from qgis.PyQt.QtWidgets import QTextBrowser

        dialog = self.dialog("tesseray:bestserver")
        document = dialog.findChild(QTextBrowser, "textShortHelp").document()
        texts = {}
        block = document.begin().next()  # after the title, which is QGIS's own
        while block.isValid():
            for part in block.textFormats():
                texts[block.text()[part.start:part.start + part.length]] = part.format.foreground().style()
            block = block.next()
        self.assertTrue(any(text.startswith("Least received power") for text in texts), texts)
        self.assertEqual(set(texts.values()), {Qt.BrushStyle.NoBrush}, texts)
        dialog.close()

    def test_a_material_is_chosen_or_written(self):
        from qgis.core import QgsApplication

        tool = QgsApplication.processingRegistry().algorithmById("tesseray:predictcoverage")
        choices = tool.parameterDefinition("WALL_MATERIAL").metadata()["widget_wrapper"]["choices"]
        dialog = self.dialog(tool.id(), {"WALL_MATERIAL": "5.31/0.0326"})
        wrappers = dialog.mainWidget().wrappers
        self.assertEqual(wrappers["WALL_MATERIAL"].parameterValue(), "5.31/0.0326")
        self.assertEqual(wrappers["ROOF_MATERIAL"].parameterValue(), "by_numbers")
        box = wrappers["ROOF_MATERIAL"].widget
        self.assertEqual([box.itemText(i) for i in range(box.count())], choices)
        for act in (lambda: box.setCurrentIndex(choices.index("glass")), lambda: box.setEditText("glass")):
            box.setEditText(" 4; 0,01 ")
            self.assertEqual(wrappers["ROOF_MATERIAL"].parameterValue(), "4; 0,01")
            act()
            self.assertEqual(wrappers["ROOF_MATERIAL"].parameterValue(), "glass")
        dialog.close()

    def test_a_model_hands_its_inputs_to_a_material(self):
        from processing.modeler.ModelerParametersDialog import ModelerParametersDialog
        from qgis.core import (Qgis, QgsApplication, QgsProcessingModelAlgorithm, QgsProcessingModelParameter,
                               QgsProcessingParameterString)

        model = QgsProcessingModelAlgorithm()
        model.addModelParameter(QgsProcessingParameterString("walls", "Walls"), QgsProcessingModelParameter("walls"))
        tool = QgsApplication.processingRegistry().createAlgorithmById("tesseray:predictcoverage")
        dialog = ModelerParametersDialog(tool, model)
        wrapper = dialog.widget.widget.wrappers["WALL_MATERIAL"]
        wrapper.widget.setCurrentIndex(wrapper.widget.count() - 1)
        source = wrapper.value()
        self.assertEqual(source.source(), Qgis.ProcessingModelChildParameterSource.ModelParameter)
        self.assertEqual(source.parameterName(), "walls")
        wrapper.setValue("5.31/0.0326")
        self.assertEqual(wrapper.value(), "5.31/0.0326")
        wrapper.setValue([source])
        self.assertEqual(wrapper.value().parameterName(), "walls")
        dialog.close()

    def test_a_run_brings_styled_and_grouped_layers(self):
        from qgis.core import Qgis
        from qgis.PyQt.QtWidgets import QTextEdit

        parameters = {**self.add_town(), "EXTENT": "340200,341000,6020100,6021000 [EPSG:25832]"}
        dialog = self.dialog("tesseray:coveragestudy", {**parameters, "TILES": "TEMPORARY_OUTPUT"})
        before = set(self.project.mapLayers())
        dialog.runAlgorithm()
        self.wait_until(dialog.wasExecuted)
        process_events()
        self.picture(dialog, "coverage_study_log")
        log = dialog.findChild(QTextEdit, "txtLog").toPlainText()
        loaded = {layer.name(): layer for key, layer in self.project.mapLayers().items() if key not in before}
        self.assertEqual(set(loaded), {"Path loss", "Transmitters as used", "Prediction error", "Error statistics",
                                       "Tiles", "Issues"}, log)
        group = self.project.layerTreeRoot().findGroup("Coverage study")
        self.assertIsNotNone(group)
        order = [node.name() for node in group.findLayers()]
        self.assertEqual(set(order), set(loaded))
        self.assertLess(order.index("Prediction error"), order.index("Path loss"))
        self.assertLess(order.index("Path loss"), order.index("Error statistics"))
        self.assertLess(order.index("Path loss"), order.index("Tiles"), "the result is not hidden by what it lies on")
        for name in ("Path loss", "Prediction error", "Transmitters as used", "Tiles"):
            layer = loaded[name]
            self.assertEqual(layer.crs().authid(), "EPSG:25832")
            self.assertNotEqual(layer.renderer().type(), "singleSymbol", name) if name != "Transmitters as used" else 0
        path_loss = loaded["Path loss"]
        self.assertEqual(path_loss.renderer().type(), "graduatedSymbol")
        self.assertEqual(path_loss.geometryType(), Qgis.GeometryType.Polygon)
        self.assertTrue(path_loss.attributeAlias(path_loss.fields().lookupField("received_power_dbm")))
        self.assertEqual(sorted(path_loss.styleManager().styles()), ["Path loss", "Received power"])
        self.assertEqual(path_loss.styleManager().currentStyle(), "Path loss")
        # Layers of any geometry, and tables.
        self.assertEqual(loaded["Issues"].renderer().type(), "categorizedSymbol")
        statistics = loaded["Error statistics"]
        self.assertTrue(statistics.attributeAlias(statistics.fields().lookupField("mean_db")))

    def test_a_style_that_the_user_set_for_an_output_stays(self):
        from processing.gui.RenderingStyles import RenderingStyles
        from qgis.core import QgsVectorLayer
        from qgis.PyQt.QtGui import QColor

        red = str(self.folder / "red.qml")
        plain = QgsVectorLayer("Polygon", "plain", "memory")
        plain.renderer().symbol().setColor(QColor("#ff0000"))
        plain.saveNamedStyle(red)
        text = pathlib.Path(red).read_text(encoding="utf-8")
        # In an encoding of its own, as another program may write it.
        text = f"<?xml version='1.0' encoding='ISO-8859-1'?><!-- Gebäude -->{text}"
        pathlib.Path(red).write_text(text, encoding="latin-1")
        self.addCleanup(RenderingStyles.styles.pop, "tesseray:tileenvironment", None)
        RenderingStyles.styles["tesseray:tileenvironment"] = {"TILES": red}
        dialog = self.dialog("tesseray:tileenvironment", {
            **harness.SMALL_SCENE, "ENVIRONMENT": str(self.folder / "scene.gpkg"), "TILES": "TEMPORARY_OUTPUT"})
        dialog.runAlgorithm()
        self.wait_until(dialog.wasExecuted)
        process_events()
        tiles = next(layer for layer in self.project.mapLayers().values() if layer.name() == "Tiles")
        self.assertEqual(tiles.renderer().type(), "singleSymbol")
        self.assertEqual(tiles.renderer().symbol().color().name(), "#ff0000")
        dialog.close()

    def finished(self, tool, parameters):
        """Runs a tool from its dialog, which closes then. The layers that came."""
        before = set(self.project.mapLayers())
        dialog = self.dialog(tool, parameters)
        dialog.runAlgorithm()
        self.wait_until(dialog.wasExecuted)
        process_events()
        dialog.close()
        return {layer.name(): layer for key, layer in self.project.mapLayers().items() if key not in before}

    def test_an_open_layer_that_a_run_replaces_keeps_the_users_style_and_name(self):
        from qgis.core import (QgsFillSymbol, QgsPalLayerSettings, QgsSingleBandGrayRenderer, QgsSingleSymbolRenderer,
                               QgsVectorLayerSimpleLabeling)

        file, tif = str(self.folder / "mine.gpkg"), str(self.folder / "mine.tif")
        study = {**harness.SMALL_SCENE, **harness.transmitters(self.folder), "PATH_LOSS": file, "OVERWRITE": True}
        layer = self.finished("tesseray:coveragestudy", study)["Path loss"]
        raster = {"PATH_LOSS": layer.source(), "RASTER": tif, "OVERWRITE": True}
        (picture,) = self.finished("tesseray:coverageraster", raster).values()
        layer.setName("My coverage")
        layer.setRenderer(QgsSingleSymbolRenderer(QgsFillSymbol.createSimple({"color": "255,0,0"})))
        labels = QgsPalLayerSettings()
        labels.fieldName = "path_loss_db"
        layer.setLabeling(QgsVectorLayerSimpleLabeling(labels))
        layer.setLabelsEnabled(True)
        picture.setName("My picture")
        picture.setRenderer(QgsSingleBandGrayRenderer(picture.dataProvider(), 2))
        rows = layer.featureCount()
        self.assertEqual(set(self.finished("tesseray:coveragestudy", {**study, "TILE_AREA": 900})), {"Issues"})
        self.assertLess(layer.featureCount(), rows)
        self.assertEqual(layer.renderer().symbol().color().name(), "#ff0000")
        self.assertTrue(layer.labelsEnabled())
        self.assertEqual(self.finished("tesseray:coverageraster", raster), {})
        self.assertEqual(picture.renderer().type(), "singlebandgray")
        self.assertEqual((layer.name(), picture.name()), ("My coverage", "My picture"))

    def test_an_open_layer_whose_file_is_gone_shows_what_is_written_there(self):
        file = str(self.folder / "mine.gpkg")
        study = {**harness.SMALL_SCENE, **harness.transmitters(self.folder), "PATH_LOSS": file}
        layer = self.finished("tesseray:coveragestudy", study)["Path loss"]
        rows = layer.featureCount()
        for path in self.folder.glob("mine.gpkg*"):
            path.unlink()
        self.assertEqual(set(self.finished("tesseray:coveragestudy", {**study, "TILE_AREA": 900})), {"Issues"})
        self.assertLess(layer.featureCount(), rows)

    def test_layers_without_a_shipped_style_have_that_of_their_file(self):
        import processing

        scene = processing.run("tesseray:tileenvironment",
                               {**harness.SMALL_SCENE, "ENVIRONMENT": str(self.folder / "scene.gpkg")})
        prediction = processing.run("tesseray:predictcoverage", {
            "ENVIRONMENT": scene["ENVIRONMENT"], **harness.transmitters(self.folder), "GEOMETRY": "point",
            "PATH_LOSS": str(self.folder / "points.gpkg"), "TRANSMITTERS_OUT": str(self.folder / "points.gpkg")})
        for tool, parameters, renderer in (
                ("visiblefrom", {"ENVIRONMENT": scene["ENVIRONMENT"], "POINT": "340500,6020500"}, "categorizedSymbol"),
                ("bestserver", {"PATH_LOSS": prediction["PATH_LOSS"]}, "categorizedSymbol")):
            with self.subTest(tool):
                dialog = self.dialog(f"tesseray:{tool}", parameters)
                before = set(self.project.mapLayers())
                dialog.runAlgorithm()
                self.wait_until(dialog.wasExecuted)
                process_events()
                (layer,) = [layer for key, layer in self.project.mapLayers().items() if key not in before]
                self.assertEqual(layer.renderer().type(), renderer)
                self.assertTrue(layer.attributeAlias(layer.fields().lookupField("tile_id")))
                stored = layer.listStylesInDatabase()
                self.assertEqual(sorted(layer.styleManager().styles()), sorted(stored[2][:stored[0]]))
                for style in layer.styleManager().styles():
                    layer.styleManager().setCurrentStyle(style)
                    self.assertIn(layer.renderer().classAttribute(), layer.fields().names())
                dialog.close()

    def test_a_raster_is_loaded_in_the_classes_of_its_unit(self):
        import processing

        scene = processing.run("tesseray:tileenvironment",
                               {**harness.SMALL_SCENE, "ENVIRONMENT": str(self.folder / "scene.gpkg")})
        prediction = processing.run("tesseray:predictcoverage", {
            "ENVIRONMENT": scene["ENVIRONMENT"], **harness.transmitters(self.folder),
            "PATH_LOSS": str(self.folder / "p.gpkg"), "TRANSMITTERS_OUT": str(self.folder / "p.gpkg")})
        for value, label in (("received_power", "-60 to -50 dBm"), ("path_loss", "90 to 100 dB"),
                             ("basic_loss", "below 60 dB"), ("field_strength", "above 110 dB(µV/m)")):
            with self.subTest(value):
                dialog = self.dialog("tesseray:coverageraster", {"PATH_LOSS": prediction["PATH_LOSS"], "VALUE": value})
                before = set(self.project.mapLayers())
                dialog.runAlgorithm()
                self.wait_until(dialog.wasExecuted)
                process_events()
                (raster,) = [layer for key, layer in self.project.mapLayers().items() if key not in before]
                self.assertIsNotNone(self.project.layerTreeRoot().findGroup("Coverage raster").findLayer(raster))
                renderer = raster.renderer()
                self.assertEqual(renderer.type(), "singlebandpseudocolor")
                items = renderer.shader().rasterShaderFunction().colorRampItemList()
                self.assertIn(label, [item.label for item in items])
                dialog.close()

    def test_cancel_of_the_dialog_ends_the_run(self):
        parameters = {**self.add_town(), "TILE_AREA": 8, "MAX_BOUNCES": 3}
        dialog = self.dialog("tesseray:coveragestudy", parameters)
        before = set(self.project.mapLayers())
        dialog.runAlgorithm()
        self.wait_until(lambda: dialog.feedback is not None and dialog.feedback.progress() > 0)
        clicked = time.monotonic()
        dialog.cancelButton().click()
        self.wait_until(lambda: not dialog.cancelButton().isEnabled() or dialog.wasExecuted(), 10)
        self.assertLess(time.monotonic() - clicked, 2)
        self.assertEqual(set(self.project.mapLayers()), before)

    def test_the_options_page_says_at_once_what_is_there(self):
        from qgis.core import QgsApplication
        from qgis.PyQt.QtCore import Qt
        from qgis.PyQt.QtWidgets import QLabel

        from tesseray import installation, options_page

        provider = QgsApplication.processingRegistry().providerById("tesseray")
        page = options_page.OptionsFactory(provider).createWidget()
        page.resize(700, 300)
        self.assertGreater(self.picture(page, "options"), 20)
        self.assertIn("Version 0.1.0", " ".join(label.text() for label in page.findChildren(QLabel)))
        page._place.setFilePath(str(self.folder))
        self.assertIn("no program", " ".join(label.text() for label in page.findChildren(QLabel)))
        self.assertEqual(page._status.textFormat(), Qt.TextFormat.PlainText, "as HTML a folder <new> would not be seen")
        page.apply()
        self.addCleanup(provider.refreshAlgorithms)
        self.addCleanup(installation.set_executable_setting, "")
        self.assertEqual(installation.executable_setting(), str(self.folder))
        self.assertIn("no program", provider.warningMessage())


class PluginTest(QgisTest):
    def test_the_plugin_loads_and_unloads_with_and_without_windows(self):
        from qgis.core import QgsApplication, QgsProcessingModelAlgorithm

        harness.start_qgis()
        registry = QgsApplication.processingRegistry()
        registry.removeProvider("tesseray")
        import tesseray

        from qgis.gui import QgsMapCanvas
        from qgis.PyQt.QtWidgets import QMainWindow

        window, canvas = QMainWindow(), QgsMapCanvas()
        iface = unittest.mock.MagicMock()
        iface.mainWindow.return_value, iface.mapCanvas.return_value = window, canvas
        for iface in (None, iface):
            plugin = tesseray.classFactory(iface)
            plugin.initGui()
            provider = registry.providerById("tesseray")
            self.assertIn("tesseray:tileenvironment", {algorithm.id() for algorithm in provider.algorithms()})
            process_events()
            models = [algorithm for algorithm in provider.algorithms()
                      if isinstance(algorithm, QgsProcessingModelAlgorithm)]
            self.assertEqual(len(models), len(list((harness.PLUGIN / "models").glob("*.model3"))))
            self.assertTrue(all(model.canExecute()[0] for model in models))
            plugin.unload()
            self.assertIsNone(registry.providerById("tesseray"))


if __name__ == "__main__":
    run_tests()
