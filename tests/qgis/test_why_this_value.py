# SPDX-License-Identifier: GPL-3.0-or-later
"""A click on a predicted layer: the rays, the table and the words are those of the executable; nothing is filled in."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest
from unittest import mock

import numpy as np

import qgis_harness as harness
from qgis_harness import EXECUTABLE, PLUGINS, SAMPLE, QgisTest, run_tests

# In a street of the small scene, and in a house.
STREET, HOUSE = (340520.0, 6020520.0), (340480.0, 6020480.0)
# Beside the small scene.
ELSEWHERE, ELSEWHERE_EXTENT = (340760.0, 6020500.0), "340700,340820,6020440,6020560"
PICTURES = os.environ.get("TESSERAY_TEST_PICTURES")


def tesseray(tool, parameters, folder=None):
    """The result object of a run of the executable."""
    finished = subprocess.run([EXECUTABLE, tool, "--json", "-"], input=json.dumps(parameters), capture_output=True,
                              text=True, timeout=300, cwd=folder)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def setUpModule():
    """A prediction by steps and one in one go, made once."""
    global FOLDER, STEPS, STUDY
    FOLDER = harness.PROFILE / "why"
    FOLDER.mkdir()
    environment, STEPS, STUDY = FOLDER / "environment.gpkg", FOLDER / "steps.gpkg", FOLDER / "study.gpkg"
    sites = {**harness.transmitters(FOLDER), "MAX_BOUNCES": 2}
    tesseray("tileenvironment", {**harness.SMALL_SCENE, "ENVIRONMENT": str(environment)})
    tesseray("predictcoverage", {**sites, "ENVIRONMENT": str(environment), "PERMITTIVITY": 6, "OUTPUT": str(STEPS)})
    tesseray("coveragestudy", {**harness.SMALL_SCENE, **sites, "MAX_DISTANCE": 200, "OUTPUT": str(STUDY)})


class WhyThisValueTest(QgisTest):
    def setUp(self):
        super().setUp()
        harness.start_qgis()
        from qgis.core import QgsCoordinateReferenceSystem, QgsProject, QgsRectangle
        from qgis.gui import QgsMapCanvas

        QgsProject.instance().clear()
        self.canvas = QgsMapCanvas()
        self.canvas.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
        self.canvas.resize(800, 600)
        self.canvas.setExtent(QgsRectangle(340450, 6020450, 340600, 6020580))
        self.iface = mock.MagicMock()
        self.iface.mapCanvas.return_value = self.canvas
        self.iface.activeLayer.return_value = None
        from tesseray.why_this_value.map_tool import WhyThisValue

        self.why = WhyThisValue(self.iface)
        self.why.add_to(self.iface)
        self.addCleanup(self.why.remove)

    def show(self, file, layer="path_loss", subset=""):
        """A layer of a result on the map."""
        from qgis.core import QgsProject, QgsVectorLayer

        shown = QgsVectorLayer(f"{file}|layername={layer}", layer, "ogr")
        self.assertTrue(shown.isValid())
        if subset:
            shown.setSubsetString(subset)
        QgsProject.instance().addMapLayer(shown)
        self.canvas.setLayers([shown])
        return shown

    def click(self, x, y):
        """Clicks and waits until there is something to see."""
        from qgis.core import QgsPointXY
        from qgis.PyQt.QtCore import QEventLoop, Qt, QTimer

        loop, timer = QEventLoop(), QTimer()
        timer.setSingleShot(True)
        timer.timeout.connect(loop.quit)
        timer.start(120_000)
        ended = []
        self.why.ended.connect(lambda: (ended.append(True), loop.quit()))
        self.why.map_tool.canvasClicked.emit(QgsPointXY(x, y), Qt.MouseButton.LeftButton)
        if not ended:
            loop.exec()
        self.assertTrue(ended, "nothing came within two minutes")

    def explained_by_the_executable(self, x, y, **parameters):
        """Figures and rows of rays for the settings of STEPS."""
        output = self.folder / "expected.gpkg"
        output.unlink(missing_ok=True)
        result = tesseray("explainpoint", {
            **harness.transmitters(FOLDER), "MAX_BOUNCES": 2, "ENVIRONMENT": str(FOLDER / "environment.gpkg"),
            "PERMITTIVITY": 6, "POINT": f"{x},{y}", "OUTPUT": str(output), **parameters})
        with sqlite3.connect(output) as database:
            database.row_factory = sqlite3.Row
            rays = [dict(row) for row in database.execute("SELECT * FROM rays ORDER BY rank")]
        return result["figures"], rays

    def table(self):
        from tesseray.why_this_value.dock import _COLUMNS

        table = self.why.dock.table
        return [{name: table.item(row, column).text() for column, (_, name, _) in enumerate(_COLUMNS)}
                for row in range(table.rowCount())]

    def rays_layers(self):
        from qgis.core import QgsProject

        return [node.layer() for group in QgsProject.instance().layerTreeRoot().findGroups()
                for node in group.findLayers()]

    def assert_shows(self, figures, rays):
        self.assertTrue(self.why.dock.sentence.text().startswith(figures["explanation"]),
                        (self.why.dock.sentence.text(), figures["explanation"]))
        layer = self.rays_layers()[0]
        features = sorted(layer.getFeatures(), key=lambda feature: feature["rank"])
        self.assertEqual([feature["power_dbm"] for feature in features], [ray["power_dbm"] for ray in rays])
        rows = self.table()
        self.assertEqual(len(rows), len(rays))
        for row, ray in zip(rows, rays):
            self.assertEqual(row["rank"], str(ray["rank"]))
            self.assertEqual(row["power_dbm"].replace("−", "-"), f"{ray['power_dbm']:.1f}")
            self.assertEqual(row["share_percent"], f"{ray['share_percent']:.1f}")
            self.assertEqual(row["interactions"], ray["interactions"])
            self.assertEqual(row["route"].lower(), (ray["route"] or "direct").lower())
            losses = [part.rsplit(" ", 1) for part in row["losses_db"].replace("−", "-").split(", ")]
            self.assertEqual([(step, float(loss)) for step, loss in losses],
                             [(step, float(f"{loss:.1f}")) for step, loss in json.loads(ray["losses_db"])])
            self.assertEqual(losses[0][0], "free space")
            self.assertEqual("-".join(["T", *(step for step, _ in losses if len(step) == 1)]), ray["interactions"])

    def test_click_gives_rays_table_and_words_of_the_executable(self):
        from qgis._3d import Qgs3D
        from qgis.core import Qgis, QgsWkbTypes

        Qgs3D.initialize()  # as QGIS's own window does
        self.show(STEPS)
        self.click(*STREET)
        figures, rays = self.explained_by_the_executable(*STREET)
        self.assert_shows(figures, rays)
        layer = self.rays_layers()[0]
        self.assertTrue(QgsWkbTypes.hasZ(layer.wkbType()))
        self.assertEqual(layer.geometryType(), Qgis.GeometryType.Line)
        self.assertEqual(layer.crs().authid(), "EPSG:25832")
        self.assertEqual(layer.renderer().type(), "categorizedSymbol", "the style of the file")
        self.assertIsNotNone(layer.renderer3D(), "rays show in the 3D view")
        self.iface.messageBar.return_value.pushMessage.assert_not_called()

    def test_the_plot_has_the_colours_of_the_layer(self):
        """Of each mechanism, but for the map's black, which would vanish in dark themes."""
        from tesseray.why_this_value.plot import COLORS

        self.show(STEPS)
        self.click(*STREET)
        of_layer = {category.value(): category.symbol().color().getRgb()[:3]
                    for category in self.rays_layers()[0].renderer().categories() if category.value()}
        self.assertEqual(of_layer.pop("direct"), (0, 0, 0))
        self.assertEqual({name: color and color.getRgb()[:3] for name, color in COLORS.items()},
                         {"direct": None, **of_layer})

    def test_point_of_a_canvas_in_another_crs(self):
        from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsPointXY, QgsProject

        self.show(STEPS)
        web = QgsCoordinateReferenceSystem("EPSG:3857")
        self.canvas.setDestinationCrs(web)
        utm = QgsCoordinateReferenceSystem("EPSG:25832")
        point = QgsCoordinateTransform(utm, web, QgsProject.instance()).transform(QgsPointXY(*STREET))
        self.click(point.x(), point.y())
        figures, rays = self.explained_by_the_executable(*STREET)
        self.assertEqual(len(self.table()), len(rays))
        self.assertTrue(self.why.dock.sentence.text().startswith(figures["explanation"]))

    def test_the_transmitter_that_the_layer_shows_is_explained(self):
        for number in (1, 2):
            self.show(STEPS, subset=f"transmitter_id = {number}")
            self.click(*STREET)
            figures, rays = self.explained_by_the_executable(*STREET, TRANSMITTER=str(number))
            self.assert_shows(figures, rays)
            with sqlite3.connect(STEPS) as database:
                tiles = {f"{value:.1f} dB at its middle" for value, in database.execute(
                    f"SELECT path_loss_db FROM path_loss WHERE transmitter_id = {number} AND path_loss_db NOT NULL")}
            notes = self.why.dock.sentence.text()
            self.assertTrue(any(tile in notes for tile in tiles), notes)

    def tiles_at(self, layer, x, y):
        """The numbers of the ground tiles there, of several on a border or next to it."""
        from qgis.core import QgsGeometry, QgsPointXY

        place = QgsGeometry.fromPointXY(QgsPointXY(x, y))
        return [feature["tile_id"] for feature in layer.getFeatures("kind = 'ground'")
                if feature.geometry().distance(place) < 1]

    def test_where_a_filtered_layer_has_nothing_its_transmitter_is_explained(self):
        from qgis.core import QgsRectangle

        self.canvas.setExtent(QgsRectangle(340515, 6020515, 340525, 6020525))  # the next wall is not close by on it
        strongest, _ = self.explained_by_the_executable(*STREET)
        self.assertEqual(strongest["transmitter"], "Market")
        tiles = ", ".join(str(tile) for tile in self.tiles_at(self.show(STEPS), *STREET))
        self.show(STEPS, subset=f"transmitter_id = 2 AND tile_id NOT IN ({tiles})")
        self.click(*STREET)
        self.assert_shows(*self.explained_by_the_executable(*STREET, TRANSMITTER="Hill"))
        self.assertNotIn("at its middle", self.why.dock.sentence.text())
        # Of several the strongest.
        self.show(STEPS, subset=f"tile_id NOT IN ({tiles})")
        self.click(*STREET)
        self.assert_shows(*self.explained_by_the_executable(*STREET))

    def test_the_point_nearest_to_the_click_is_explained(self):
        points = self.folder / "points.gpkg"
        tesseray("predictcoverage", {**harness.transmitters(FOLDER), "MAX_BOUNCES": 2, "PERMITTIVITY": 6,
                                     "ENVIRONMENT": str(FOLDER / "environment.gpkg"), "GEOMETRY": "point",
                                     "OUTPUT": str(points)})
        tile = self.tiles_at(self.show(STEPS), *STREET)[0]
        layer = self.show(points, subset="transmitter_id = 2")
        feature = next(layer.getFeatures(f"tile_id = {tile}"))
        place = feature.geometry().vertexAt(0)
        self.click(place.x() + 2 * self.canvas.mapUnitsPerPixel(), place.y())
        figures, rays = self.explained_by_the_executable(place.x(), place.y(), TRANSMITTER="Hill")
        self.assert_shows(figures, rays)
        self.assertIn(f"The layer has {feature['path_loss_db']:.1f} dB at this point", self.why.dock.sentence.text())
        for kind, there in (("wall", "just in front of it"), ("roof", "just above it")):
            layer.setSubsetString(f"transmitter_id = 2 AND kind = '{kind}'")
            middle, _, tile = self.tiles_of_house(kind)[0]
            self.click(*middle[:2])
            loss_db = next(layer.getFeatures(f"tile_id = {tile}"))["path_loss_db"]
            said = self.why.dock.sentence.text()
            self.assertIn(f"The middle of the {kind} tile lies ", said)
            here_db, = re.findall(rf"The layer has {loss_db:.1f} dB at this point, {there} ([0-9.]+) dB", said)
            self.assertLess(abs(loss_db - float(here_db)), 3.5, said)
        layer.setSubsetString("transmitter_id = 2")
        before = len(self.rays_layers())
        self.click(place.x() + 100 * self.canvas.mapUnitsPerPixel(), HOUSE[1])
        self.assertIn("Click on one of the points", self.why.dock.sentence.text())
        self.assertEqual(len(self.rays_layers()), before)

    def test_a_receiver_is_explained_at_its_own_height(self):
        # Two over each other in the street, one over the house: at the height for all it would stand in it.
        receivers = self.folder / "receivers.csv"
        receivers.write_text("x,y,height\n" + "".join(f"{x},{y},{height}\n" for (x, y), height in (
            (STREET, 12.25), (STREET, 2.5), (HOUSE, 60.0))))
        settings = {"MAX_BOUNCES": 2, "PERMITTIVITY": 6, "ENVIRONMENT": str(FOLDER / "environment.gpkg")}
        result = self.folder / "result.gpkg"
        tesseray("predictcoverage", {**harness.transmitters(FOLDER), **settings, "RECEIVERS": str(receivers),
                                     "RECEIVERS_CRS": "EPSG:25832", "RECEIVER_HEIGHT_FIELD": "height",
                                     "OUTPUT": str(result)})
        for place, receiver, height in ((STREET, None, 2.5), (STREET, 1, 12.25), (HOUSE, None, 60.0)):
            subset = "transmitter_id = 2" + (f" AND receiver_id = {receiver}" if receiver else "")
            layer = self.show(result, "receiver_path_loss", subset)
            self.click(place[0] + self.canvas.mapUnitsPerPixel(), place[1])
            figures, rays = self.explained_by_the_executable(*place, TRANSMITTER="Hill", RECEIVER_HEIGHT=height)
            self.assert_shows(figures, rays)
            self.assertIn(f"stands {height:g} m above the ground", self.why.dock.sentence.text())
            # Nearly the layer's: ground tiles are met at RECEIVER_HEIGHT, too.
            losses_db = [feature["path_loss_db"] for feature in layer.getFeatures()]
            self.assertLess(min(abs(figures["path_loss_db"] - loss_db) for loss_db in losses_db), 0.01)

    def tiles_of_house(self, kind):
        """Centroid, normal and number of each of its tiles."""
        with sqlite3.connect(FOLDER / "environment.gpkg") as database:
            building, = database.execute(
                "SELECT building_id FROM tiles WHERE kind = 'roof' ORDER BY abs(x - ?) + abs(y - ?)", HOUSE).fetchone()
            return [(np.array(row[:3]), np.array(row[3:6]), row[6]) for row in database.execute(
                "SELECT x, y, z, nx, ny, nz, tile_id FROM tiles WHERE building_id = ? AND kind = ? ORDER BY z",
                (building, kind))]

    def assert_tile_explained(self, kind, tile, middle, normal):
        """In words and with the rays, which end just in front of it."""
        said, layer = self.why.dock.sentence.text(), self.rays_layers()[0]
        ray = next(layer.getFeatures())
        end = list(ray.geometry().vertices())[-1]
        np.testing.assert_allclose([end.x(), end.y(), end.z()], middle + 0.02 * normal, atol=2e-3, err_msg=said)
        height, = re.findall(rf"The middle of the {kind} tile lies ([0-9.]+) m above the ground", said)
        told = re.findall(r"The tile has ([0-9.]+) dB at its middle, just (?:in front of|above) it ([0-9.]+) dB", said)
        with sqlite3.connect(STEPS) as database:
            loss_db, = database.execute("SELECT path_loss_db FROM path_loss WHERE tile_id = ? AND transmitter_id = ?",
                                        (tile, ray["transmitter_id"])).fetchone()
        self.assertEqual(told[0][0], f"{loss_db:.1f}")
        # The reflection of the wall itself comes on top there.
        self.assertLess(abs(loss_db - float(told[0][1])), 3.5, said)
        return float(height)

    def test_a_roof_is_explained_on_top_of_it(self):
        layer = self.show(STEPS)
        for subset in ("", "transmitter_id = 2"):
            layer.setSubsetString(subset)
            middle, normal, tile = self.tiles_of_house("roof")[-1]
            self.click(*middle[:2])
            self.assertGreater(self.assert_tile_explained("roof", tile, middle, normal), 3)
            self.assertEqual({ray["transmitter_id"] for ray in self.rays_layers()[0].getFeatures()} - {2} == set(),
                             bool(subset))

    def test_a_wall_is_explained_in_front_of_its_lowest_tile(self):
        middle, normal, tile = self.tiles_of_house("wall")[0]
        for subset in ("kind = 'wall'", "kind = 'wall' AND transmitter_id = 2"):
            self.show(STEPS, subset=subset)
            self.click(*(middle + 2 * self.canvas.mapUnitsPerPixel() * normal)[:2])  # beside the line that it is
            self.assert_tile_explained("wall", tile, middle, normal)

    def test_of_several_transmitters_the_value_of_the_explained_one_is_told(self):
        tile = self.tiles_at(self.show(STEPS), *STREET)[0]
        self.click(*STREET)
        with sqlite3.connect(STEPS) as database:
            loss_db, = database.execute("SELECT path_loss_db FROM path_loss WHERE transmitter_id = 1 AND tile_id = ?",
                                        (tile,)).fetchone()
        self.assertEqual(self.rays_layers()[0].name(), "Rays: Market")
        self.assertIn(f"The tile has {loss_db:.1f} dB at its middle", self.why.dock.sentence.text())

    def test_rays_of_the_image_method_are_said_to_be_others(self):
        receivers, result = self.folder / "receivers.csv", self.folder / "exact.gpkg"
        receivers.write_text(f"x,y\n{STREET[0]},{STREET[1]}\n")
        sites = harness.transmitters(FOLDER)
        del sites["MAX_BOUNCES"]
        tesseray("traceimage", {**sites, "RECEIVERS": str(receivers), "RECEIVERS_CRS": "EPSG:25832", "MAX_LENGTH": 150,
                                "ENVIRONMENT": str(FOLDER / "environment.gpkg"), "OUTPUT": str(result)})
        self.show(result, "receiver_path_loss", "transmitter_id = 2")
        self.click(*STREET)
        self.assertIn("it has exact rays alone", self.why.dock.sentence.text())
        self.show(STEPS)
        self.click(*STREET)
        self.assertNotIn("exact rays", self.why.dock.sentence.text())

    def two_predictions(self):
        """Layers of the small scene and of a place beside it."""
        from qgis.core import QgsProject, QgsVectorLayer

        sites, result = self.folder / "elsewhere.csv", self.folder / "elsewhere.gpkg"
        sites.write_text(f"name,x,y,height_m,frequency_mhz,erp_dbm\nMill,{ELSEWHERE[0]},{ELSEWHERE[1]},60,900,43\n")
        tesseray("coveragestudy", {**harness.SMALL_SCENE, "EXTENT": ELSEWHERE_EXTENT, "TRANSMITTERS": str(sites),
                                   "TRANSMITTERS_CRS": "EPSG:25832", "MAX_BOUNCES": 1, "OUTPUT": str(result)})
        here, there = (QgsVectorLayer(f"{file}|layername=path_loss", file.stem, "ogr") for file in (STEPS, result))
        QgsProject.instance().addMapLayers([here, there])
        return here, there

    def test_the_layer_that_has_something_there_is_explained(self):
        here, there = self.two_predictions()
        for shown, active, place, name in (([here, there], None, ELSEWHERE, "Mill"),
                                           ([there, here], there, STREET, "Market"),
                                           ([there], here, ELSEWHERE, "Mill")):
            self.canvas.setLayers(shown)
            self.iface.activeLayer.return_value = active
            self.click(place[0] + 10, place[1])
            names = {layer.name().split(": ")[1] for layer in self.rays_layers()[:1]}
            self.assertEqual(names, {name}, self.why.dock.sentence.text())

    def test_the_current_layer_is_asked_first(self):
        top, current = (self.show(STEPS, subset=f"transmitter_id = {number}") for number in (1, 2))
        self.canvas.setLayers([top, current])
        for active, name in ((None, "Market"), (current, "Hill")):
            self.iface.activeLayer.return_value = active
            self.click(*STREET)
            self.assertEqual(self.rays_layers()[0].name(), f"Rays: {name}")

    def test_a_place_outside_of_all_layers_is_said(self):
        here, there = self.two_predictions()
        self.canvas.setLayers([here, there])
        dialogs = mock.MagicMock()
        with mock.patch.dict(sys.modules, {"processing": dialogs}):
            self.click(ELSEWHERE[0] + 500, ELSEWHERE[1])
        self.assertEqual(self.why.dock.sentence.text(), "No layer predicted by Tesseray has anything here.")
        dialogs.createAlgorithmDialog.assert_not_called()

    def test_it_says_what_is_wrong_with_the_file_of_a_layer(self):
        from qgis.core import QgsProject, QgsVectorFileWriter

        exported, copied = self.folder / "exported.gpkg", self.folder / "copied.gpkg"
        QgsVectorFileWriter.writeAsVectorFormatV3(self.show(STEPS), str(exported),
                                                  QgsProject.instance().transformContext(),
                                                  QgsVectorFileWriter.SaveVectorOptions())
        with mock.patch.dict(sys.modules, {"processing": mock.MagicMock()}):
            self.show(exported, "exported")
            self.click(*STREET)
            self.assertIn(f"“exported” cannot be explained: its file does not tell which run made it ({exported}).",
                          self.why.dock.sentence.text())
            shutil.copy(STEPS, copied)
            self.show(copied)
            copied.unlink()
            self.click(*STREET)
            self.assertIn(f"“path_loss” cannot be explained: its file is gone ({copied}).",
                          self.why.dock.sentence.text())
            tesseray("bestserver", {"PATH_LOSS": f"{STEPS}|layername=path_loss", "OUTPUT": str(copied)})
            with sqlite3.connect(copied) as database:
                database.execute("UPDATE tesseray_runs SET parameters = json_set(parameters, '$.PATH_LOSS', '/g.gpkg')")
            self.show(copied, "best_server")
            self.click(*STREET)
            self.assertIn("the path loss that it was made from is gone (/g.gpkg)", self.why.dock.sentence.text())
        self.assertEqual(self.rays_layers(), [])

    def test_a_layer_in_other_case_or_without_its_name_is_known(self):
        from qgis.core import QgsProject, QgsVectorLayer

        alone = self.folder / "alone.gpkg"
        tesseray("predictcoverage", {**harness.transmitters(FOLDER), "ENVIRONMENT": str(FOLDER / "environment.gpkg"),
                                     "PATH_LOSS": str(alone), "TRANSMITTERS_OUT": str(self.folder / "sites.gpkg")})
        with mock.patch.dict(sys.modules, {"processing": mock.MagicMock()}):
            for number, source in enumerate((f"{STEPS}|layername=PATH_LOSS", str(alone)), 1):
                layer = QgsVectorLayer(source, "any name", "ogr")
                QgsProject.instance().addMapLayer(layer)
                self.canvas.setLayers([layer])
                self.click(*STREET)
                self.assertEqual(len(self.rays_layers()), number, self.why.dock.sentence.text())

    def test_a_layer_filtered_by_a_query_is_known(self):
        self.show(STEPS, subset="SELECT * FROM path_loss WHERE transmitter_id = 2")
        self.click(*STREET)
        self.assert_shows(*self.explained_by_the_executable(*STREET, TRANSMITTER="Hill"))

    def test_tiles_with_joined_path_losses(self):
        """Nothing tells of which transmitter they are: the strongest is explained."""
        from qgis.core import QgsProject, QgsVectorLayerJoinInfo

        values, tiles = self.show(STUDY), self.show(STUDY, "tiles")
        join = QgsVectorLayerJoinInfo()
        join.setJoinLayer(values)
        join.setJoinFieldName("tile_id")
        join.setTargetFieldName("tile_id")
        join.setPrefix("")
        join.setJoinFieldNamesSubset(["path_loss_db"])
        self.assertTrue(tiles.addJoin(join))
        self.assertIn("path_loss_db", tiles.fields().names())
        with mock.patch.object(sys, "excepthook") as unhandled:
            self.click(*STREET)
        unhandled.assert_not_called()
        self.assertEqual(len(self.rays_layers()), 1, self.why.dock.sentence.text())
        self.assertNotIn("at its middle", self.why.dock.sentence.text())

    def test_names_that_are_numbers_of_others_do_not_confuse(self):
        sites = self.folder / "sites.csv"
        text = pathlib.Path(harness.transmitters(FOLDER)["TRANSMITTERS"]).read_text(encoding="utf-8")
        header, first, second = text.splitlines()[:3]
        sites.write_text("\n".join([header, "2" + first[first.index(","):], "1" + second[second.index(","):]]))
        numbered = self.folder / "numbered.gpkg"
        tesseray("predictcoverage", {**harness.transmitters(FOLDER), "TRANSMITTERS": str(sites), "MAX_BOUNCES": 1,
                                     "ENVIRONMENT": str(FOLDER / "environment.gpkg"), "OUTPUT": str(numbered)})
        for number in (1, 2):
            self.show(numbered, subset=f"transmitter_id = {number}")
            self.click(*STREET)
            ids = {ray["transmitter_id"] for ray in self.rays_layers()[0].getFeatures()}
            self.assertEqual(ids, {number})

    def test_the_server_of_a_best_server_layer_is_explained(self):
        served, moved = self.folder / "served.gpkg", self.folder / "moved.gpkg"
        shutil.copy(STEPS, moved)
        tesseray("bestserver", {"PATH_LOSS": str(moved), "OUTPUT": str(served)})
        tesseray("bestserver", {"PATH_LOSS": f"{STEPS}|layername=path_loss", "OUTPUT": str(self.folder / "s.gpkg")})
        layer = self.show(self.folder / "s.gpkg", "best_server")
        self.click(*STREET)
        figures, rays = self.explained_by_the_executable(*STREET)
        self.assert_shows(figures, rays)
        self.assertIn("dB at its middle", self.why.dock.sentence.text())
        # Where its path loss is gone, the one below is explained.
        moved.unlink()
        below = self.show(STEPS, subset="transmitter_id = 2")
        top = self.show(served, "best_server")
        self.canvas.setLayers([top, below, layer])
        self.click(*STREET)
        self.assert_shows(*self.explained_by_the_executable(*STREET, TRANSMITTER="2"))

    def test_a_best_server_of_chosen_rows_is_explained_by_the_run_that_predicted_them(self):
        """The copy of them, which numbers and names transmitters of its own, may be gone."""
        import processing
        from qgis.core import QgsProcessingFeatureSourceDefinition, QgsProviderRegistry

        for query in ("", "SELECT * FROM path_loss"):
            predicted = self.folder / f"predicted{len(query)}.gpkg"
            shutil.copy(STEPS, predicted)
            path_loss = self.show(predicted, subset=query)
            self.assertEqual(path_loss.subsetString(), query)
            path_loss.setName("of Hill” (alone)")
            path_loss.selectByExpression("transmitter_id = 2 AND kind = 'ground'")
            served = processing.run("tesseray:bestserver", {
                "PATH_LOSS": QgsProcessingFeatureSourceDefinition(path_loss.id(), True),
                "BEST_SERVER": str(self.folder / f"served{len(query)}.gpkg")})["BEST_SERVER"]
            file = QgsProviderRegistry.instance().decodeUri("ogr", served)["path"]
            self.show(file, "best_server")
            for _ in ("with its copy", "without"):
                self.click(*STREET)
                self.assert_shows(*self.explained_by_the_executable(*STREET, TRANSMITTER="Hill"))
                with sqlite3.connect(file) as database:
                    recorded, = database.execute("SELECT parameters FROM tesseray_runs").fetchone()
                pathlib.Path(json.loads(recorded)["PATH_LOSS"].split("|")[0]).unlink(missing_ok=True)

    def test_a_row_highlights_its_ray(self):
        self.show(STEPS)
        self.click(*STREET)
        self.why.dock.table.selectRow(2)
        layer = self.rays_layers()[0]
        self.assertEqual([feature["rank"] for feature in layer.selectedFeatures()], [3])
        self.why.dock.table.clearSelection()
        self.assertEqual(layer.selectedFeatureCount(), 0)
        self.assertEqual(self.why.dock.profile._selected, set())

    def test_a_row_is_selected_after_the_rays_were_taken_from_the_project(self):
        from qgis.core import QgsProject

        self.show(STEPS)
        self.click(*STREET)
        QgsProject.instance().removeMapLayer(self.rays_layers()[0].id())
        with mock.patch.object(sys, "excepthook") as unhandled:
            self.why.dock.table.selectRow(1)
        unhandled.assert_not_called()
        self.assertEqual(self.why.dock.profile._selected, {2})

    def test_a_new_project_ends_what_the_old_one_was_asked(self):
        from qgis.core import QgsPointXY, QgsProject
        from qgis.PyQt.QtCore import QCoreApplication, Qt

        self.show(STEPS)
        self.click(*STREET)
        self.why.map_tool.canvasClicked.emit(QgsPointXY(*STREET), Qt.MouseButton.LeftButton)
        task = self.why._task
        with mock.patch.object(sys, "excepthook") as unhandled:
            QgsProject.instance().clear()
            task.waitForFinished(60_000)
            for _ in range(50):
                QCoreApplication.processEvents()
        unhandled.assert_not_called()
        self.assertEqual(QgsProject.instance().mapLayers(), {})
        self.assertIn("Click a place", self.why.dock.sentence.text())
        self.assertIsNone(self.why._marker)

    def test_a_layer_removed_while_it_is_explained_is_explained_without_it(self):
        from qgis.core import QgsPointXY, QgsProject
        from qgis.PyQt.QtCore import QEventLoop, Qt, QTimer

        layer, loop = self.show(STEPS, subset="transmitter_id = 2"), QEventLoop()
        self.why.ended.connect(loop.quit)
        QTimer.singleShot(60_000, loop.quit)
        self.why.map_tool.canvasClicked.emit(QgsPointXY(*STREET), Qt.MouseButton.LeftButton)
        self.canvas.setLayers([])
        QgsProject.instance().removeMapLayer(layer.id())
        with mock.patch.object(sys, "excepthook") as unhandled:
            loop.exec()
        unhandled.assert_not_called()
        self.assertEqual(len(self.rays_layers()), 1)
        self.assertIn("dB at its middle", self.why.dock.sentence.text())

    def test_next_click_hides_the_rays_before(self):
        from qgis.core import QgsProject

        self.show(STEPS)
        for x in (STREET[0], STREET[0] + 4):
            self.click(x, STREET[1])
        self.assertEqual(len(self.rays_layers()), 2)
        root = QgsProject.instance().layerTreeRoot()
        self.assertEqual([root.findLayer(layer).isVisible() for layer in self.rays_layers()], [True, False])

    def test_study_without_a_kept_environment_is_explained_too(self):
        """Environment and visibility are made anew by the recorded settings, once."""
        self.show(STUDY)
        self.click(*STREET)
        self.assertEqual(len(self.rays_layers()), 1, self.why.dock.sentence.text())
        environment = self.folder / "again.gpkg"
        tesseray("tileenvironment", {**harness.SMALL_SCENE, "ENVIRONMENT": str(environment)})
        visibility = self.folder / "again.tvis"
        tesseray("computevisibility", {"ENVIRONMENT": str(environment), "MAX_DISTANCE": 200,
                                       "VISIBILITY": str(visibility)})
        figures, rays = self.explained_by_the_executable(*STREET, ENVIRONMENT=str(environment), PERMITTIVITY=5,
                                                         VISIBILITY=str(visibility))
        self.assert_shows(figures, rays)
        from tesseray.why_this_value.map_tool import _session_folder

        made = {file: file.stat().st_mtime_ns for file in _session_folder().iterdir()}
        self.assertEqual({file.suffix for file in made}, {".gpkg", ".tvis"})
        self.click(STREET[0] + 4, STREET[1])
        self.assertEqual({file: file.stat().st_mtime_ns for file in _session_folder().iterdir()}, made)

    def test_a_bad_place_is_said(self):
        self.show(STEPS)
        self.click(*HOUSE)
        self.assertIn("inside a building", self.why.dock.sentence.text())
        self.assertEqual(self.table(), [])
        self.assertEqual(self.rays_layers(), [])
        self.iface.messageBar.return_value.pushMessage.assert_called_once()

    def test_names_in_the_sentence_are_no_html(self):
        """A transmitter “Roof <A>” read “Roof ”."""
        from qgis.PyQt.QtCore import Qt

        self.assertEqual(self.why.dock.sentence.textFormat(), Qt.TextFormat.PlainText)

    def test_problems_are_in_the_words_of_the_dialogs(self):
        from tesseray import installation
        from tesseray.why_this_value.calls import Call
        from tesseray.why_this_value.task import ExplainTask

        description = installation.live_description()
        tool = next(tool for tool in description.tools if tool.id == "explainpoint")
        task = ExplainTask(installation.executable(), [Call(tool, {"ENVIRONMENT": "no such.gpkg"})], description)
        self.assertFalse(task.run())
        self.assertIn("“Environment”", task.problem)
        self.assertIn("no such.gpkg", task.problem)
        self.assertNotIn("ENVIRONMENT", task.problem)

    def test_without_the_executable_it_says_how_to_get_it(self):
        self.show(STEPS)
        with mock.patch.dict(os.environ, {"TESSERAY_EXECUTABLE": str(self.folder / "nowhere")}):
            self.click(*STREET)
        self.assertIn("nowhere", self.why.dock.sentence.text())
        self.assertIn("Install", self.why.dock.sentence.text())

    def test_an_executable_without_such_a_tool(self):
        from tesseray import installation
        from tesseray.description import Description

        self.show(STEPS)
        with mock.patch.object(installation, "live_description", return_value=Description("0.1.0", [], [])):
            self.click(*STREET)
        self.assertIn("cannot explain points", self.why.dock.sentence.text())

    def test_it_asks_where_no_file_tells(self):
        """An input that is gone, and a place without a predicted layer: the tool's dialog with what is known."""
        moved = self.folder / "moved.gpkg"
        shutil.copy(STEPS, moved)
        with sqlite3.connect(moved) as database:
            # Its transmitters went to another file.
            database.execute("UPDATE tesseray_runs SET parameters = json_set(parameters, '$.TRANSMITTERS', '/gone.csv'), "
                             "layers = '[\"path_loss\"]'")
        dialogs = mock.MagicMock()
        with mock.patch.dict(sys.modules, {"processing": dialogs}):
            self.show(moved)
            self.click(*STREET)
            name, values = dialogs.createAlgorithmDialog.call_args.args
            self.assertEqual(name, "tesseray:explainpoint")
            self.assertEqual(values["ENVIRONMENT"], str(FOLDER / "environment.gpkg"))
            self.assertEqual(values["POINT"], "340520.0,6020520.0 [EPSG:25832]")
            self.assertEqual(values["PERMITTIVITY"], 6)
            self.assertNotIn("TRANSMITTERS", values)
            self.assertIn("What this layer was made from is gone: /gone.csv. To be given anew: Transmitters.",
                          self.why.dock.sentence.text())
            self.canvas.setLayers([])
            self.click(*STREET)
            _, values = dialogs.createAlgorithmDialog.call_args.args
            self.assertEqual((values["POINT"].x(), values["POINT"].y(), values["POINT"].crs().authid()),
                             (340520, 6020520, "EPSG:25832"))

    def test_transmitters_of_a_scratch_layer_that_is_gone(self):
        """The result has kept them, with all that fields, units and settings of the layer said of them."""
        panel = FOLDER / "panel.msi"
        panel.write_text("GAIN 2 dBi\nELECTRICAL_TILT 0\nHORIZONTAL 8\n"
                         + "".join(f"{45 * i} {i % 4}\n" for i in range(8)) + "VERTICAL 8\n"
                         + "".join(f"{45 * i} {3 * (i % 4)}\n" for i in range(8)))
        self.addCleanup(panel.unlink)
        sites, result = FOLDER / "scratch.csv", self.folder / "result.gpkg"
        sites.write_text("cell,x,y,mast_ft,watts,tilt,etilt\nMarket,340480,6020480,290,20,3,5\n"
                         "Hill,340420,6020580,310,9,,\n")
        parameters = {"TRANSMITTERS": str(sites), "TRANSMITTERS_CRS": "EPSG:25832", "NAME_FIELD": "cell",
                      "ANTENNA_HEIGHT_FIELD": "mast_ft", "ERP_FIELD": "watts", "FREQUENCY": 1800, "ANTENNA": "panel",
                      "ANTENNA_HEIGHT_REFERENCE": "sea", "ELECTRICAL_TILT_FIELD": "etilt", "MAX_BOUNCES": 2,
                      "ENVIRONMENT": str(FOLDER / "environment.gpkg"), "PERMITTIVITY": 6}
        tesseray("predictcoverage", {**parameters, "OUTPUT": str(result)})
        figures, rays = self.explained_by_the_executable(*STREET, **parameters)
        sites.unlink()
        self.show(result)
        self.click(*STREET)
        self.assert_shows(figures, rays)
        self.assertNotIn("has changed", self.why.dock.sentence.text())

    def test_transmitters_that_another_run_has_written_since_are_not_taken(self):
        from tesseray.executable import snapshot
        from tesseray.why_this_value.calls import plan_calls, recorded_run

        result = self.folder / "result.gpkg"
        shutil.copy(STEPS, result)
        tool = next(tool for tool in snapshot().tools if tool.roles == ["map_click"])
        plan = plan_calls(snapshot(), tool, recorded_run(result, "path_loss"), self.folder)
        self.assertEqual(plan.values["TRANSMITTERS"], f"{result}|layername=transmitters")
        self.assertNotIn("TRANSMITTERS_CRS", plan.values)
        with sqlite3.connect(result) as database:
            database.execute("INSERT INTO tesseray_runs (tool, parameters, inputs, layers) VALUES "
                             "('predictcoverage', '{}', '[]', '[\"other_loss\", \"transmitters\"]')")
        plan = plan_calls(snapshot(), tool, recorded_run(result, "path_loss"), self.folder)
        self.assertEqual(plan.values["TRANSMITTERS"], harness.transmitters(FOLDER)["TRANSMITTERS"])
        self.assertEqual(plan.values["TRANSMITTERS_CRS"], "EPSG:25832")

    def test_changed_inputs_are_told_of(self):
        """The environment was tiled anew since."""
        folder = self.folder / "changed"
        shutil.copytree(FOLDER, folder)
        with sqlite3.connect(folder / "steps.gpkg") as database:
            for column in ("parameters", "inputs"):
                text, = database.execute(f"SELECT {column} FROM tesseray_runs").fetchone()
                text = text.replace("\\/", "/").replace(str(FOLDER), str(folder))
                database.execute(f"UPDATE tesseray_runs SET {column} = ?", (text,))
        tesseray("tileenvironment", {**harness.SMALL_SCENE, "TILE_AREA": 300,
                                     "ENVIRONMENT": str(folder / "new.gpkg")})
        shutil.move(folder / "new.gpkg", folder / "environment.gpkg")
        self.show(folder / "steps.gpkg")
        self.click(*STREET)
        self.assertIn("has changed since", self.why.dock.sentence.text())

    def study_of(self, buildings, result):
        tesseray("coveragestudy", {**harness.SMALL_SCENE, **harness.transmitters(self.folder), "MAX_BOUNCES": 0,
                                   "BUILDINGS": f"{buildings}|layername=buildings", "OUTPUT": str(result)})

    def test_edits_that_leave_a_file_its_size_are_told_of(self):
        from osgeo import ogr

        buildings, result = self.folder / "buildings.gpkg", self.folder / "result.gpkg"
        shutil.copy(SAMPLE / "buildings.gpkg", buildings)
        self.study_of(buildings, result)
        self.show(result)
        self.click(*STREET)
        self.assertNotIn("has changed since", self.why.dock.sentence.text())
        size = buildings.stat().st_size
        ogr.UseExceptions()
        database = ogr.Open(str(buildings), update=1)
        database.ExecuteSQL("UPDATE buildings SET height_m = 2 * height_m")
        del database
        self.assertEqual(buildings.stat().st_size, size)
        for _ in range(2):  # the environment is made anew by the first click only
            self.click(*STREET)
            self.assertIn(f"{buildings} has changed since the layer was made", self.why.dock.sentence.text())

    def test_a_result_in_the_file_of_its_inputs_has_changed_nothing(self):
        town = self.folder / "town.gpkg"
        shutil.copy(SAMPLE / "buildings.gpkg", town)
        self.study_of(town, town)
        self.show(town)
        self.click(*STREET)
        self.assertEqual(len(self.rays_layers()), 1, self.why.dock.sentence.text())
        self.assertNotIn("has changed since", self.why.dock.sentence.text())

    def test_removed_while_running(self):
        from qgis.core import QgsPointXY
        from qgis.PyQt.QtCore import QCoreApplication, Qt

        self.show(STEPS)
        self.why.map_tool.canvasClicked.emit(QgsPointXY(*STREET), Qt.MouseButton.LeftButton)
        self.why.remove()
        self.why._cancel()
        for _ in range(50):
            QCoreApplication.processEvents()
        self.assertEqual(self.rays_layers(), [])
        self.setUp()  # the cleanup removes it once more

    def test_picture(self):
        """The dock is drawn: words, table and stems."""
        self.show(STEPS)
        self.click(*STREET)
        dock = self.why.dock
        dock.setFloating(True)
        dock.resize(640, 560)
        dock.show()
        dock.table.selectRow(1)
        from qgis.PyQt.QtWidgets import QApplication

        QApplication.processEvents()
        picture = dock.grab().toImage()
        plot = dock.profile.grab().toImage()
        colors = {plot.pixelColor(x, y).name() for x in range(plot.width()) for y in range(plot.height())}
        self.assertGreater(len(colors), 20, "the stems are drawn")
        self.assertIn("#e69f00", colors, "the selected one stands out")
        self.assertIn(dock.palette().base().color().name(), colors, "behind the stems")
        if PICTURES:
            picture.save(str(pathlib.Path(PICTURES) / "why_this_value.png"))

    def test_the_profile_is_readable_in_dark_and_light_themes(self):
        from qgis.PyQt.QtGui import QColor, QPalette
        from tesseray.why_this_value.plot import DelayProfile, Stem

        profile = DelayProfile()
        profile.resize(400, 200)
        profile.show_stems([Stem(1, 500.0, -60.0, "direct"), Stem(2, 540.0, -70.0, "reflection")])
        for background, text in (("#191919", "#f0f0f0"), ("#ffffff", "#101010")):
            palette = QPalette(QColor("#808080"))
            palette.setColor(QPalette.ColorRole.Base, QColor(background))
            palette.setColor(QPalette.ColorRole.Text, QColor(text))
            profile.setPalette(palette)
            image = profile.grab().toImage()
            found = [image.pixelColor(x, y).name() for x in range(400) for y in range(200)]
            self.assertGreater(found.count(background), 0.7 * len(found))
            self.assertGreater(found.count(text), 30, "axes and the direct ray")

    def test_axes_and_legend_keep_to_their_room(self):
        from tesseray.why_this_value.plot import fitting_range, wrapped

        for room in (60, 120, 250, 500):
            low, high, step = fitting_range(1300, 1750, room, 45)
            self.assertTrue(low <= 1300 and high >= 1750)
            steps = (high - low) / step
            self.assertTrue(steps <= 2 or steps * 45 <= room, (room, low, high, step))
        self.assertEqual(fitting_range(1300, 1750, 500, 45), (1300, 1800, 100))
        self.assertEqual(wrapped([60, 60, 90, 40], 130), [(0, 0), (60, 0), (0, 1), (90, 1)])
        self.assertEqual(wrapped([200, 50], 130), [(0, 0), (0, 1)])

    def test_a_narrow_and_low_dock_shows_everything(self):
        from qgis.PyQt.QtGui import QImage
        from qgis.PyQt.QtWidgets import QApplication, QScrollArea
        from tesseray.why_this_value.dock import Explanation, WhyThisValueDock

        names = ("direct", "reflection", "diffraction", "scattering", "over_rooftop", "through_building")
        rays = [{"rank": n, "power_dbm": -60.0 - n, "share_percent": 5.0, "delay_ns": 1500.0 + 90 * n,
                 "interactions": "T", "route": None, "mechanism": name, "losses_db": None}
                for n, name in enumerate(names, 1)]
        dock = WhyThisValueDock("Why")
        dock.setFloating(True)
        dock.show()
        for width, height in ((220, 200), (300, 300), (640, 1000)):
            dock.show_explanation(Explanation("All that is to be told of it. " * 20, rays))
            dock.resize(width, height)
            for _ in range(5):
                QApplication.processEvents()
            text = dock.findChild(QScrollArea)
            shown = text.verticalScrollBar().maximum() + text.viewport().height()
            self.assertGreaterEqual(shown, dock.sentence.heightForWidth(text.viewport().width()))
            self.assertEqual(text.verticalScrollBar().maximum() > 0, height < 1000, (width, height))
            # Stems below a legend of several lines, in their colours.
            image = dock.profile.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
            bits = image.constBits()
            bits.setsize(image.sizeInBytes())
            colors = np.frombuffer(bits, np.uint32).reshape(image.height(), image.width()) & 0xffffff
            for color in ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"):
                rows = np.flatnonzero((colors == int(color[1:], 16)).any(axis=1))
                gaps = [after for before, after in zip(rows, rows[1:]) if after - before > 1]
                self.assertTrue(gaps, f"no stem below the legend: {color}, {width}")

    def test_action_sets_the_map_tool(self):
        self.why.action.trigger()
        self.assertIs(self.canvas.mapTool(), self.why.map_tool)
        self.assertTrue(self.why.action.isChecked())
        self.iface.addToolBarIcon.assert_called_once_with(self.why.action)

    def test_the_button_stays_down_while_the_tool_is_active(self):
        for _ in range(2):
            self.why.action.trigger()
            self.assertIs(self.canvas.mapTool(), self.why.map_tool)
            self.assertTrue(self.why.action.isChecked())
        self.canvas.unsetMapTool(self.why.map_tool)
        self.assertFalse(self.why.action.isChecked())

    def test_a_right_click_runs_nothing(self):
        from qgis.core import QgsPointXY
        from qgis.PyQt.QtCore import Qt

        self.show(STEPS)
        self.why.map_tool.canvasClicked.emit(QgsPointXY(*STREET), Qt.MouseButton.RightButton)
        self.assertIsNone(self.why._task)
        self.assertIsNone(self.why._marker)


class Qt6Test(unittest.TestCase):
    """The dock under PyQt 6, by a stand-in for qgis.PyQt that leads there."""

    def test_dock_and_plot_are_drawn(self):
        program = """
import sys, types, importlib
try:
    import PyQt6.QtWidgets
except ImportError:
    sys.exit(77)
qgis, pyqt = types.ModuleType("qgis"), types.ModuleType("qgis.PyQt")
sys.modules.update({"qgis": qgis, "qgis.PyQt": pyqt})
for name in ("QtCore", "QtGui", "QtWidgets"):
    sys.modules["qgis.PyQt." + name] = importlib.import_module("PyQt6." + name)
from PyQt6.QtWidgets import QApplication
application = QApplication([])
from tesseray.why_this_value.dock import Explanation, WhyThisValueDock
dock = WhyThisValueDock("Why")
chosen = []
dock.ray_chosen.connect(chosen.append)
rays = [{"rank": n, "power_dbm": -60.0 - n, "share_percent": 5.0, "delay_ns": 500.0 + 20 * n,
         "interactions": "T", "route": None, "mechanism": text, "losses_db": '[["free space",90.1],["ERP",-2.15]]'}
        for n, text in enumerate(("direct", "reflection", "diffraction", "scattering"), 1)]
dock.show_explanation(Explanation("Words.", rays, ["A note."]))
dock.resize(600, 500)
dock.show()
dock.table.selectRow(1)
application.processEvents()
image = dock.grab().toImage()
assert len({image.pixelColor(x, y).name() for x in range(0, 600, 2) for y in range(0, 500, 2)}) > 10
assert chosen == [[2]], chosen
assert dock.table.item(0, dock.table.columnCount() - 1).text() == "free space 90.1, ERP −2.1", "losses are readable"
for losses, told in ((None, ""), (object(), ""), ('[["free space",90.1],["polarisation",inf]]', ""),
                     ('[["free space",90.1],["polarisation",null]]', "free space 90.1, polarisation –")):
    dock.show_explanation(Explanation("Of an earlier program.", [{**rays[0], "losses_db": losses}]))
    assert dock.table.item(0, dock.table.columnCount() - 1).text() == told, losses
"""
        finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "PYTHONPATH": str(PLUGINS)})
        if finished.returncode == 77:
            self.skipTest("there is no PyQt 6")
        self.assertEqual(finished.returncode, 0, finished.stderr)


class RecordedInputsTest(QgisTest):
    """Without QGIS: what a file tells of the run that made it."""

    def test_a_file_of_others_tells_nothing(self):
        from tesseray.why_this_value.calls import recorded_run

        self.assertIsNone(recorded_run(SAMPLE / "buildings.gpkg", "buildings"))
        self.assertIsNone(recorded_run(self.folder / "absent.gpkg", "path_loss"))
        self.assertIsNone(recorded_run(STEPS, "another"))
        text = self.folder / "text.gpkg"
        text.write_text("no database")
        self.assertIsNone(recorded_run(text, "path_loss"))

    def test_the_last_run_that_wrote_the_layer_counts(self):
        from tesseray.why_this_value.calls import recorded_run

        again = self.folder / "again.gpkg"
        shutil.copy(STEPS, again)
        with sqlite3.connect(again) as database:
            database.execute("INSERT INTO tesseray_runs (tool, parameters, inputs, layers) VALUES "
                             "('later', '{}', '[]', '[\"path_loss\"]'), ('other', '{}', '[]', '[\"tiles\"]')")
        self.assertEqual(recorded_run(again, "path_loss").tool, "later")
        self.assertEqual(recorded_run(again, "tiles").tool, "other")
        self.assertEqual(recorded_run(again, "transmitters").tool, "predictcoverage")

    def test_relative_paths_count_from_the_file_too(self):
        from tesseray.executable import snapshot
        from tesseray.why_this_value.calls import RecordedRun, plan_calls

        tool = next(tool for tool in snapshot().tools if tool.roles == ["map_click"])
        (FOLDER / "antennas").mkdir()
        run = RecordedRun("predictcoverage", {"ENVIRONMENT": "environment.gpkg", "TRANSMITTERS": "PG:dbname=x",
                                              "ANTENNA_FOLDER": "antennas", "MAX_BOUNCES": 5, "PATH_LOSS": "x.gpkg"},
                          [], STEPS)
        plan = plan_calls(snapshot(), tool, run, self.folder)
        self.assertEqual(plan.values, {"ENVIRONMENT": str(FOLDER / "environment.gpkg"), "TRANSMITTERS": "PG:dbname=x",
                                       "ANTENNA_FOLDER": str(FOLDER / "antennas"), "MAX_BOUNCES": 5})
        self.assertEqual((plan.before, plan.missing), ([], []))

    def test_relative_paths_lead_where_they_led(self):
        """Not to a file of that name in the folder that QGIS happens to work in."""
        from tesseray.executable import snapshot
        from tesseray.why_this_value.calls import plan_calls, recorded_run

        there, here, elsewhere = (self.folder / name for name in ("there", "here", "elsewhere"))
        (there / "results").mkdir(parents=True)
        shutil.copy(FOLDER / "environment.gpkg", there / "town.gpkg")
        tesseray("predictcoverage", {**harness.transmitters(FOLDER), "ENVIRONMENT": "town.gpkg", "MAX_BOUNCES": 0,
                                     "OUTPUT": "results/coverage.gpkg"}, folder=there)
        here.mkdir()
        (here / "town.gpkg").write_bytes(b"another town")
        tool = next(tool for tool in snapshot().tools if tool.roles == ["map_click"])

        def environment_of(result):
            with contextlib.chdir(here):
                plan = plan_calls(snapshot(), tool, recorded_run(result, "path_loss"), self.folder)
            return plan.values.get("ENVIRONMENT")

        self.assertEqual(environment_of(there / "results" / "coverage.gpkg"), str(there / "town.gpkg"))
        # Moved along with the result, while another town is where it was.
        elsewhere.mkdir()
        for file in (there / "town.gpkg", there / "results" / "coverage.gpkg"):
            shutil.move(file, elsewhere)
        (there / "town.gpkg").write_bytes(b"another town")
        self.assertEqual(environment_of(elsewhere / "coverage.gpkg"), str(elsewhere / "town.gpkg"))

    def test_absolute_paths_lead_to_what_has_moved_with_the_result(self):
        from tesseray.executable import snapshot
        from tesseray.why_this_value.calls import plan_calls, recorded_run

        before, after, apart = (self.folder / name for name in ("before", "after", "apart"))
        for folder in (before / "towns", before / "results", apart):
            folder.mkdir(parents=True)
        shutil.copy(FOLDER / "environment.gpkg", before / "towns" / "town.gpkg")
        tesseray("predictcoverage", {
            **harness.transmitters(FOLDER), "ENVIRONMENT": str(before / "towns" / "town.gpkg"), "MAX_BOUNCES": 0,
            "OUTPUT": str(before / "results" / "coverage.gpkg")})
        tool = next(tool for tool in snapshot().tools if tool.roles == ["map_click"])

        def planned(result):
            return plan_calls(snapshot(), tool, recorded_run(result, "path_loss"), self.folder)

        before.rename(after)
        result, town = after / "results" / "coverage.gpkg", after / "towns" / "town.gpkg"
        self.assertEqual(planned(result).values.get("ENVIRONMENT"), str(town))
        # In one folder now; another file of that name is not the one.
        for file in (result, town):
            shutil.copy(file, apart)
        self.assertEqual(planned(apart / "coverage.gpkg").values.get("ENVIRONMENT"), str(apart / "town.gpkg"))
        (apart / "town.gpkg").write_bytes(b"another town")
        plan = planned(apart / "coverage.gpkg")
        self.assertNotIn("ENVIRONMENT", plan.values)
        self.assertEqual(([parameter.name for parameter in plan.missing], plan.gone),
                         (["ENVIRONMENT"], [str(before / "towns" / "town.gpkg")]))


if __name__ == "__main__":
    run_tests()
