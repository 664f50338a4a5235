# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs on a corner of the sample town: results for programs and people, records, determinism, destinations."""

import contextlib
import json
import math
import os
import shutil
import sqlite3
import statistics
import struct
import unittest

from tesseray_process import (DRIVE_TEST, EXTENT, SAMPLE, SCENE, PipelineTest, json_lines, layers, rows, tesseray,
                              transmitters_csv)

STUDY_LAYERS = {"tiles", "edges", "issues", "transmitters", "path_loss", "prediction_error", "error_statistics", "layer_styles"}


def is_on(tile, x, y):
    """Whether a place lies on a ground tile, by the box in its geometry."""
    west, east, south, north = struct.unpack_from("<4d", tile["geom"], 8)
    return west <= x <= east and south <= y <= north


class StudyTest(PipelineTest):
    def study(self, *options, output="coverage.gpkg"):
        return tesseray("coveragestudy", *SCENE, *transmitters_csv(self.folder), *DRIVE_TEST, "--max-bounces", "1",
                        "--output", self.folder / output, *options)

    def test_result_for_programs(self):
        process = self.assert_done(self.study("--progress", "json"))
        result = json.loads(process.stdout)
        self.assertEqual(process.stdout.count("\n"), 1, "one object on one line")
        self.assertEqual(result["outputs"]["PATH_LOSS"], f"{self.folder}/coverage.gpkg|layername=path_loss")
        self.assertEqual(set(result["outputs"]), {"TILES", "EDGES", "ISSUES", "TRANSMITTERS_OUT", "PATH_LOSS",
                                                  "PREDICTION_ERROR", "ERROR_STATISTICS"})
        self.assertLessEqual(STUDY_LAYERS, layers(self.folder / "coverage.gpkg"))
        self.assertEqual(self.files(), ["coverage.gpkg", "transmitters.csv"], "nothing else is left behind")
        figures = result["figures"]
        self.assertEqual(figures["tiles"], len(rows(self.folder / "coverage.gpkg", "tiles", "tile_id")))
        self.assertEqual([row["transmitter"] for row in figures["coverage"]], ["Market", "Hill"])
        self.assertEqual(figures["measurements"], 1500)

        stages = [line for line in json_lines(process.stderr) if "stage" in line]
        for line in stages:
            self.assertEqual(line.keys(), {"stage", "progress", "eta_s"})
            self.assertTrue(0 <= line["progress"] <= 1)
        names = list(dict.fromkeys(line["stage"] for line in stages))
        self.assertEqual([name for name in names if name in ("tiling", "visibility", "prediction", "comparison",
                                                             "writing")],
                         ["tiling", "visibility", "prediction", "comparison", "writing"])
        for name in names:
            self.assertEqual([line["progress"] for line in stages if line["stage"] == name][-1], 1)

    def test_targets_in_the_near_field_are_flagged(self):
        # At 900 MHz a 4 m antenna has its far field from 96 m on, at 1,800 MHz from 192 m.
        self.assert_done(self.study("--antenna-diameter", "4", "--progress", "none"))
        file = self.folder / "coverage.gpkg"
        places = {row["tile_id"]: row for row in rows(file, "tiles", "tile_id, x, y, z, kind", "tile_id")}
        sites = {1: (340500, 6020500, 96.07), 2: (340420, 6020580, 192.14)}
        flags = rows(file, "path_loss", "transmitter_id, tile_id, in_near_field", "1, 2")
        for row in flags:
            tile, (x, y, near) = places[row["tile_id"]], sites[row["transmitter_id"]]
            across = math.hypot(tile["x"] - x, tile["y"] - y)
            if across > near:
                self.assertEqual(row["in_near_field"], 0)
            elif across < near - 40:  # whatever the height between the two
                self.assertEqual(row["in_near_field"], 1)
        self.assertEqual({row["in_near_field"] for row in flags}, {0, 1})

    def test_result_for_people(self):
        process = self.assert_done(self.study())
        self.assertNotIn("{", process.stdout)
        for words in ("tiles", "EPSG:25832", "error_statistics", "coverage.gpkg|layername=path_loss"):
            self.assertIn(words, process.stdout)
        quiet = self.assert_done(self.study("--progress", "none", "--overwrite"))
        self.assertTrue(all(line.startswith("warning: ") for line in quiet.stderr.splitlines()), quiet.stderr)

    def test_run_is_recorded(self):
        result = json.loads(self.assert_done(self.study("--progress", "json", "--threads", "1")).stdout)
        (run,) = rows(self.folder / "coverage.gpkg", "tesseray_runs")
        self.assertEqual(run["tool"], "coveragestudy")
        self.assertEqual(run["result_hash"], result["result_hash"])
        self.assertEqual(run["device"], "cpu, 1 thread")
        parameters = json.loads(run["parameters"])
        self.assertEqual(parameters["MAX_BOUNCES"], 1)
        self.assertEqual(parameters["TILE_AREA"], 100, "defaults are recorded too")
        inputs = json.loads(run["inputs"])
        self.assertEqual(len(inputs), 4)
        for entry in inputs:
            self.assertEqual(entry["bytes"], os.path.getsize(entry["path"]))
            self.assertTrue(entry["hash"])
        self.assertGreater(run["peak_memory_bytes"], 1e6)
        self.assertLessEqual({"tiling", "visibility", "prediction", "comparison"},
                             json.loads(run["seconds_per_stage"]).keys())

    def test_where_relative_inputs_are_is_recorded(self):
        name, file, *options = transmitters_csv(self.folder)
        self.assert_done(tesseray("coveragestudy", *SCENE, name, file.name, *options, "--max-bounces", "0", "--progress",
                                  "none", "--output", self.folder / "coverage.gpkg", cwd=self.folder))
        (run,) = rows(self.folder / "coverage.gpkg", "tesseray_runs")
        entry, = (entry for entry in json.loads(run["inputs"]) if entry["path"] == file.name)
        self.assertEqual(entry["absolute_path"], str(file))
        self.assertFalse(any("absolute_path" in other for other in json.loads(run["inputs"]) if other != entry))

    def test_changes_that_stand_in_a_log_are_in_the_hash_of_an_input(self):
        """As QGIS keeps them while a layer is edited."""
        buildings = self.folder / "buildings.gpkg"
        shutil.copy(SAMPLE / "buildings.gpkg", buildings)
        command = ["tileenvironment", *(buildings if part == SAMPLE / "buildings.gpkg" else part for part in SCENE),
                   "--environment", self.folder / "e.gpkg", "--overwrite", "--progress", "none"]

        def recorded():
            self.assert_done(tesseray(*command))
            (run,) = rows(self.folder / "e.gpkg", "tesseray_runs")
            entry, = (entry for entry in json.loads(run["inputs"]) if entry["path"] == str(buildings))
            return entry

        with contextlib.closing(sqlite3.connect(buildings, isolation_level=None)) as qgis:
            qgis.execute("PRAGMA journal_mode = WAL")
            qgis.execute("PRAGMA wal_autocheckpoint = 0")
            before = recorded()
            qgis.execute("CREATE TABLE note (text)")
            after = recorded()
            log = buildings.with_name("buildings.gpkg-wal")
            self.assertEqual(after["bytes"], buildings.stat().st_size + log.stat().st_size)
            self.assertNotEqual(after["hash"], before["hash"])

    def test_an_input_whose_name_is_not_utf_8_is_recorded_as_text(self):
        name, *options = transmitters_csv(self.folder)
        file = self.folder / os.fsdecode("Türme.csv".encode("latin-1"))
        options[0].rename(file)
        self.assert_done(tesseray("coveragestudy", *SCENE, name, file, *options[1:], "--max-bounces", "0", "--progress",
                                  "none", "--output", self.folder / "coverage.gpkg"))
        (run,) = rows(self.folder / "coverage.gpkg", "tesseray_runs")
        self.assertIn(str(self.folder / "Türme.csv"), [entry["path"] for entry in json.loads(run["inputs"])])

    def test_errors_and_statistics_follow_from_the_rows(self):
        """Snapping by the plain way over all tiles, and statistics by Python's own, from the written layers."""
        self.assert_done(self.study("--progress", "json"))
        file = self.folder / "coverage.gpkg"
        ground = rows(file, "tiles", "tile_id, x, y, geom", "tile_id")
        ground = [tile for tile, kind in zip(ground, rows(file, "tiles", "kind", "tile_id")) if kind["kind"] == "ground"]
        predicted = {(row["transmitter_id"], row["tile_id"]): row["received_power_dbm"]
                     for row in rows(file, "path_loss", "transmitter_id, tile_id, received_power_dbm")}
        used = [row for row in rows(file, "prediction_error") if row["excluded_because"] is None]
        self.assertGreater(len(used), 50)
        errors = {}
        for row in used:
            x, y = struct.unpack("<dd", row["geom"][-24:-8])  # a little-endian POINT Z ends with its coordinates
            below = min(ground, key=lambda tile: (not is_on(tile, x, y), math.hypot(tile["x"] - x, tile["y"] - y),
                                                  tile["tile_id"]))
            self.assertEqual(row["tile_id"], below["tile_id"])
            self.assertAlmostEqual(row["snap_distance_m"], math.hypot(below["x"] - x, below["y"] - y), places=6)
            self.assertEqual(row["predicted_db"], predicted[row["transmitter_id"], row["tile_id"]])
            self.assertAlmostEqual(row["error_db"], row["predicted_db"] - row["measured_db"], places=9)
            errors.setdefault(row["transmitter_id"], []).append(row["error_db"])
        told = {row["group"]: row for row in rows(file, "error_statistics")}
        errors["all"] = sum(errors.values(), [])
        for group, values in errors.items():
            name = group if group == "all" else {1: "Market", 2: "Hill"}[group]
            self.assertEqual(told[name]["n"], len(values))
            self.assertAlmostEqual(told[name]["mean_db"], statistics.fmean(values), places=9)
            self.assertAlmostEqual(told[name]["std_db"], statistics.stdev(values), places=9)
            self.assertAlmostEqual(told[name]["median_db"], statistics.median(values), places=9)
            self.assertAlmostEqual(told[name]["p10_db"], statistics.quantiles(values, n=10, method="inclusive")[0], places=9)
        sites = [statistics.fmean(errors[group]) for group in (1, 2)]
        self.assertAlmostEqual(told["sites"]["mean_of_mean_db"], statistics.fmean(sites), places=9)
        self.assertAlmostEqual(told["sites"]["std_of_mean_db"], statistics.stdev(sites), places=9)

    def test_same_result_for_any_number_of_threads(self):
        hashes = set()
        for threads in (1, 2, 7):
            process = self.assert_done(self.study("--progress", "json", "--threads", threads, "--kinds", "ground",
                                                  output=f"{threads}.gpkg"))
            hashes.add(json.loads(process.stdout)["result_hash"])
        self.assertEqual(len(hashes), 1)
        other = self.assert_done(self.study("--progress", "json", "--permittivity", "6", output="other.gpkg"))
        self.assertNotIn(json.loads(other.stdout)["result_hash"], hashes)

    def test_existing_layers_need_overwrite(self):
        first = json.loads(self.assert_done(self.study("--progress", "json")).stdout)
        before = (self.folder / "coverage.gpkg").read_bytes()
        self.assert_refused(self.study("--progress", "json"), "layer_exists", ["--overwrite"])
        self.assertEqual((self.folder / "coverage.gpkg").read_bytes(), before)
        again = json.loads(self.assert_done(self.study("--progress", "json", "--overwrite")).stdout)
        self.assertEqual(again["result_hash"], first["result_hash"])
        self.assertEqual(len(rows(self.folder / "coverage.gpkg", "tesseray_runs")), 2)

    def test_destinations_of_their_own_and_names_in_any_script(self):
        path = self.folder / "Übersicht 東京.gpkg"
        tiles = f"{self.folder / 'it’s tiles.gpkg'}|layername=Kacheln"
        process = self.assert_done(self.study("--progress", "json", "--tiles", tiles, output=path.name))
        self.assertEqual(json.loads(process.stdout)["outputs"]["TILES"], tiles)
        self.assertEqual(layers(path), STUDY_LAYERS - {"tiles"} | {"tesseray_runs"})
        self.assertLessEqual({"Kacheln"}, layers(self.folder / "it’s tiles.gpkg"))

    def test_parameters_as_json(self):
        given = {name[2:].upper().replace("-", "_"): str(value) for name, value in zip(*[iter(
            [*SCENE, *transmitters_csv(self.folder), *DRIVE_TEST])] * 2)}
        given |= {"MAX_BOUNCES": 1, "OUTPUT": str(self.folder / "json.gpkg"), "REMOVE_MEAN": False, "CRS": None,
                  "KINDS": ["ground", "wall", "roof"]}
        process = self.assert_done(tesseray("coveragestudy", "--json", "-", stdin=json.dumps(given) + "\n"))
        plain = self.assert_done(self.study("--progress", "json"))
        self.assertEqual(json.loads(process.stdout)["result_hash"], json.loads(plain.stdout)["result_hash"])

    def test_memory_that_is_not_enough_is_refused_with_figures(self):
        process = self.study("--progress", "json", "--memory", "0.001")
        error = self.assert_refused(process, "memory_budget", status=3)
        self.assertRegex(error["message"], r"[\d.]+ .iB of memory are needed .* [\d.]+ .iB are left")
        self.assertEqual(self.files(), ["transmitters.csv"])

    def test_transmitters_that_cannot_stand_there_are_named_before_any_work(self):
        text = ("name,x,y,height_m,frequency_mhz,erp_dbm\nA,340500,6020500,40,900,43\n"
                "Far,400000,6020500,40,900,43\nFarther,500000,6020500,30,900,43\n")
        process = tesseray("coveragestudy", *SCENE, *transmitters_csv(self.folder, text), "--output",
                           self.folder / "x.gpkg", "--progress", "json")
        error = self.assert_refused(process, None, ["Far", "Farther"])
        self.assertNotIn("visibility", {line.get("stage") for line in json_lines(process.stderr)}, error)
        self.assertEqual(self.files(), ["transmitters.csv"])

    def test_an_extent_in_another_crs_is_the_same_place(self):
        """In whatever CRS: the environment's own is told by the buildings and their part that is wanted."""
        bounds = "6.54617,6.55061,54.30604,54.30883"
        for name, extent in (("degrees", f"{bounds} [EPSG:4326]"), ("own", EXTENT)):
            self.assert_done(tesseray("tileenvironment", *SCENE[:-1], extent, "--environment", self.folder / f"{name}.gpkg"))
        found = {name: {row["source_feature"] for row in rows(self.folder / f"{name}.gpkg", "buildings")}
                 for name in ("degrees", "own")}
        self.assertGreater(len(found["own"] & found["degrees"]), 0.7 * len(found["own"]))
        crs = {row["crs"] for name in found for row in rows(self.folder / f"{name}.gpkg", "tesseray_runs")}
        self.assertEqual(crs, {"EPSG:25832"})

    def test_heights_of_buildings_are_told(self):
        """Of what stands on the ground: in this quarter towers stand on podiums and would be the highest."""
        environment = self.folder / "e.gpkg"
        process = self.assert_done(tesseray("tileenvironment", *SCENE[:-1], "340330,340630,6020650,6020950",
                                            "--environment", environment, "--progress", "json"))
        heights_m = {0: [], 1: []}
        for part in rows(environment, "buildings", "base_z, roof_z, on_ground"):
            heights_m[part["on_ground"]].append(part["roof_z"] - part["base_z"])
        self.assertGreater(max(heights_m[0]), max(heights_m[1]))
        figures = json.loads(process.stdout)["figures"]
        self.assertEqual(figures["median_building_height_m"], statistics.median_high(heights_m[1]))
        self.assertEqual(figures["highest_building_m"], max(heights_m[1]))


if __name__ == "__main__":
    unittest.main()
