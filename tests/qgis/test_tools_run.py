# SPDX-License-Identifier: GPL-3.0-or-later
"""Every tool runs through `qgis_process run tesseray:… -` with JSON, and gives what the command line gives."""

import json
import pathlib
import sqlite3
import subprocess

from osgeo import gdal

import qgis_harness as harness
from qgis_harness import DRIVE_TEST, EXECUTABLE, SMALL_SCENE, QgisTest, run_algorithm, run_tests, transmitters

TEMPORARY = "TEMPORARY_OUTPUT"


def rows_in(source):
    """The number of rows of "file.gpkg|layername=name"."""
    file, layer = source.split("|layername=")
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return database.execute(f'SELECT count(*) FROM "{layer}"').fetchone()[0]


def ground_point(source):
    """x and y of a place in the open: the middle of a ground tile."""
    file, layer = source.split("|layername=")
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return database.execute(f"SELECT x, y FROM \"{layer}\" WHERE kind = 'ground' ORDER BY abs(x - 340500) + "
                                "abs(y - 6020500)").fetchone()


def command_line(tool, **parameters):
    """The result object of the executable itself."""
    finished = subprocess.run([EXECUTABLE, tool, "--json", "-"], input=json.dumps(parameters), capture_output=True,
                              text=True, check=True)
    return json.loads(finished.stdout)


class ToolsTest(QgisTest):
    def test_a_chain_of_single_tools_and_the_study_give_the_rows_of_the_command_line(self):
        environment = str(self.folder / "environment.gpkg")
        sites = transmitters(self.folder)
        tiles = run_algorithm("tesseray:tileenvironment", {
            **SMALL_SCENE, "ENVIRONMENT": environment, "TILES": str(self.folder / "tiles.gpkg"),
            "EDGES": str(self.folder / "edges.gpkg"), "ISSUES": str(self.folder / "issues.gpkg")})
        self.assertGreater(rows_in(tiles["TILES"]), 100)
        self.assertGreater(rows_in(tiles["EDGES"]), 100)

        seen = run_algorithm("tesseray:computevisibility", {
            "ENVIRONMENT": environment, "VISIBILITY": str(self.folder / "v.tvis"),
            "TILES": str(self.folder / "visible.gpkg")})
        self.assertEqual(rows_in(seen["TILES"]), rows_in(tiles["TILES"]))

        path_loss = str(self.folder / "path_loss.gpkg")
        predicted = run_algorithm("tesseray:predictcoverage", {
            "ENVIRONMENT": environment, "VISIBILITY": seen["VISIBILITY"], **sites, "PATH_LOSS": path_loss})
        self.assertEqual(rows_in(predicted["PATH_LOSS"]), 2 * rows_in(tiles["TILES"]))

        compared = run_algorithm("tesseray:comparewithdrivetest", {
            **DRIVE_TEST, "PATH_LOSS": predicted["PATH_LOSS"], "PREDICTION_ERROR": str(self.folder / "errors.gpkg"),
            "ERROR_STATISTICS": str(self.folder / "errors.gpkg")})
        self.assertEqual(rows_in(compared["PREDICTION_ERROR"]), 1500)
        self.assertGreater(rows_in(compared["ERROR_STATISTICS"]), 2)

        x, y = ground_point(tiles["TILES"])
        explained = run_algorithm("tesseray:explainpoint", {
            "ENVIRONMENT": environment, "POINT": f"{x},{y} [EPSG:25832]", "TRANSMITTER": "Market", **sites,
            "RAYS": str(self.folder / "rays.gpkg")})
        self.assertGreater(rows_in(explained["RAYS"]), 0)

        antenna = self.folder / "antenna.msi"
        antenna.write_text("GAIN 2 dBi\nHORIZONTAL 8\n" + "".join(f"{45 * i} 0\n" for i in range(8))
                           + "VERTICAL 8\n" + "".join(f"{45 * i} {3 * (i % 4)}\n" for i in range(8)), encoding="utf-8")
        pattern = run_algorithm("tesseray:importantenna", {
            "ANTENNA_FILE": str(antenna), "PATTERN": str(self.folder / "pattern.gpkg")})
        self.assertEqual(rows_in(pattern["PATTERN"]), 16)

        served = run_algorithm("tesseray:bestserver", {
            "PATH_LOSS": predicted["PATH_LOSS"], "BEST_SERVER": str(self.folder / "served.gpkg")})
        self.assertGreater(rows_in(served["BEST_SERVER"]), 100)

        raster = run_algorithm("tesseray:coverageraster", {
            "PATH_LOSS": predicted["PATH_LOSS"], "RESOLUTION": 4, "RASTER": str(self.folder / "coverage.tif")})
        self.assertEqual(gdal.Open(raster["RASTER"]).RasterCount, 2)

        grid = run_algorithm("native:creategrid", {
            "TYPE": 4, "EXTENT": "340350,340650,6020350,6020650 [EPSG:25832]", "HSPACING": 80, "VSPACING": 80,
            "CRS": "EPSG:25832", "OUTPUT": str(self.folder / "hexagons.gpkg")})
        districts = run_algorithm("tesseray:coveragebydistrict", {
            "PATH_LOSS": predicted["PATH_LOSS"], "DISTRICTS": grid["OUTPUT"], "NAME_FIELD": "id",
            "DISTRICT_COVERAGE": str(self.folder / "districts.gpkg"),
            "DISTRICT_TRANSMITTERS": str(self.folder / "districts.gpkg")})
        self.assertGreater(rows_in(districts["DISTRICT_COVERAGE"]), 10)
        self.assertEqual(rows_in(districts["DISTRICT_TRANSMITTERS"]), 2 * rows_in(districts["DISTRICT_COVERAGE"]))

        queries = self.folder / "queries.csv"
        queries.write_text("query,site,rsrp\na,1,-80\na,2,-90\nb,1,-70\n", encoding="ascii")
        located = run_algorithm("tesseray:fingerprints", {
            "PATH_LOSS": predicted["PATH_LOSS"], "QUERIES": str(queries),
            "FINGERPRINTS": str(self.folder / "fingerprints.gpkg"), "LOCATED": str(self.folder / "located.gpkg")})
        self.assertGreater(rows_in(located["FINGERPRINTS"]), 100)
        self.assertEqual(rows_in(located["LOCATED"]), 2)

        visible = run_algorithm("tesseray:visiblefrom", {
            "ENVIRONMENT": environment, "POINT": "340500,6020500 [EPSG:25832]", "HEIGHT": 40,
            "VISIBLE_TILES": str(self.folder / "seen.gpkg")})
        self.assertGreater(rows_in(visible["VISIBLE_TILES"]), 50)

        receivers = self.folder / "receivers.csv"
        receivers.write_text(f"id,x,y\n1,{x},{y}\n", encoding="utf-8")
        traced = run_algorithm("tesseray:traceimage", {
            "ENVIRONMENT": environment, **sites, "RECEIVERS": str(receivers), "RECEIVERS_CRS": "EPSG:25832",
            "MAX_LENGTH": 400, "RAYS": str(self.folder / "exact.gpkg")})
        self.assertGreater(rows_in(traced["RAYS"]), 0)

        scene = run_algorithm("tesseray:exportscene", {
            "ENVIRONMENT": environment, **sites, "SCENE": str(self.folder / "town.tscene")})
        self.assertEqual(pathlib.Path(scene["SCENE"]).read_bytes()[:4], b"TSCN")

        study = {**SMALL_SCENE, **sites, **DRIVE_TEST}
        by_hand = command_line("coveragestudy", **{**study, "EXTENT": study["EXTENT"].split(" ")[0]},
                               PATH_LOSS=str(self.folder / "by_hand.gpkg"),
                               ERROR_STATISTICS=str(self.folder / "by_hand.gpkg"))
        in_qgis = run_algorithm("tesseray:coveragestudy", {
            **study, "PATH_LOSS": str(self.folder / "in_qgis.gpkg"),
            "ERROR_STATISTICS": str(self.folder / "in_qgis.gpkg")})
        self.assertEqual(in_qgis["RESULT_HASH"], by_hand["result_hash"])

    def test_an_antenna_file(self):
        file = self.folder / "sector.msi"
        cut = "".join(f"{angle} {min(12 * (min(angle, 360 - angle) / 65) ** 2, 30):.2f}\n" for angle in range(360))
        file.write_text(f"NAME Sector\nFREQUENCY 1800\nGAIN 17 dBi\nHORIZONTAL 360\n{cut}VERTICAL 360\n{cut}",
                        encoding="ascii")
        antenna = run_algorithm("tesseray:importantenna", {
            "ANTENNA_FILE": str(file), "PATTERN": str(self.folder / "pattern.gpkg"),
            "MSI": str(self.folder / "plain.msi")})
        self.assertEqual(rows_in(antenna["PATTERN"]), 720)
        self.assertTrue(pathlib.Path(antenna["MSI"]).is_file())

    def test_every_tool_has_a_run_here(self):
        described = json.loads((harness.PLUGIN / "describe.json").read_text(encoding="utf-8"))
        tests = pathlib.Path(__file__).read_text(encoding="utf-8")
        for tool in described["tools"]:
            self.assertIn(f'run_algorithm("tesseray:{tool["id"]}", {{', tests)

    def test_help_in_a_terminal_is_plain_text(self):
        described = json.loads((harness.PLUGIN / "describe.json").read_text(encoding="utf-8"))
        tool = next(tool for tool in described["tools"] if tool["id"] == "bestserver")
        shown = harness.qgis_process("help", "tesseray:bestserver").stdout
        self.assertEqual(shown.count(tool["help"]), 1)
        for mark in ("<div", "</p>", "<h3>", "<img"):
            self.assertNotIn(mark, shown)
        for parameter in tool["parameters"]:
            self.assertIn(parameter["label"], shown)

    def test_an_unknown_tool_and_a_wrong_value_fail_with_words(self):
        absent = harness.qgis_process("run", "tesseray:absent", "-", inputs={})
        self.assertEqual((absent.returncode, absent.stdout), (1, ""))
        wrong = harness.qgis_process("run", "tesseray:tileenvironment", "-", inputs={
            **SMALL_SCENE, "TILE_AREA": -1, "ENVIRONMENT": TEMPORARY})
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("TILE_AREA", wrong.stderr)


if __name__ == "__main__":
    run_tests()
