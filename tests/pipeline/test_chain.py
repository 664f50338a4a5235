# SPDX-License-Identifier: GPL-3.0-or-later
"""The single tools, one after the other, give what the study gives in one go."""

import json
import math
import shutil
import sqlite3
import unittest

from tesseray_process import (DRIVE_TEST, SAMPLE, SCENE, PipelineTest, json_lines, layers, made, module_folder, rows,
                              tesseray, transmitters_csv)


def setUpModule():
    """The environment of EXTENT, of which each test has a copy."""
    global ENVIRONMENT
    ENVIRONMENT = module_folder() / "environment.gpkg"
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT)


class ChainTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.sites = transmitters_csv(self.folder)
        self.environment = self.folder / "environment.gpkg"
        shutil.copy(ENVIRONMENT, self.environment)

    def predict(self, output, *options):
        return self.assert_done(tesseray("predictcoverage", "--environment", self.environment, *self.sites,
                                         "--max-bounces", "2", "--output", output, "--progress", "json", *options))

    def test_chain_equals_study(self):
        study, chain = self.folder / "study.gpkg", self.folder / "chain.gpkg"
        self.assert_done(tesseray("coveragestudy", *SCENE, *self.sites, *DRIVE_TEST, "--max-bounces", "2", "--output",
                                  study))
        self.assert_done(tesseray("computevisibility", "--environment", self.environment, "--tiles", chain))
        self.predict(chain)
        self.assert_done(tesseray("comparewithdrivetest", "--path-loss", chain, *DRIVE_TEST, "--output", chain))

        for layer in ("tiles", "transmitters", "path_loss"):
            with self.subTest(layer=layer):
                self.assertEqual(rows(study, layer), rows(chain, layer))
        self.assertEqual(rows(study, "edges"), rows(self.environment, "edges"))
        self.assertEqual(rows(study, "issues"), rows(self.environment, "issues"))
        for layer in ("prediction_error", "error_statistics"):
            with self.subTest(layer=layer):
                self.assert_rows_are_close(rows(study, layer), rows(chain, layer))
        self.assertGreater(sum(row["excluded_because"] is None for row in rows(chain, "prediction_error")), 20)

    def test_the_study_compares_all_tiles_whatever_its_layer_holds(self):
        statistics = []
        for options in ([], ["--reached-only"], ["--kinds", "wall"]):
            study = self.folder / f"study{len(statistics)}.gpkg"
            self.assert_done(tesseray("coveragestudy", *SCENE, *self.sites, *DRIVE_TEST, "--max-bounces", "0",
                                      "--over-rooftop", "none", "--output", study, *options))
            statistics.append(rows(study, "error_statistics"))
        self.assertEqual(statistics[0], statistics[1])
        self.assertEqual(statistics[0], statistics[2])
        self.assertLess(len(rows(self.folder / "study1.gpkg", "path_loss")),
                        len(rows(self.folder / "study0.gpkg", "path_loss")))

    def assert_rows_are_close(self, expected, actual):
        """Equal but for the rounding of coordinates, which the layer holds from another origin."""
        self.assertEqual(len(expected), len(actual))
        for one, other in zip(expected, actual):
            self.assertEqual(one.keys(), other.keys())
            for name, value in one.items():
                if isinstance(value, float):
                    self.assertTrue(math.isclose(value, other[name], abs_tol=1e-6), (name, value, other[name]))
                elif name != "geom":
                    self.assertEqual(value, other[name], name)

    def test_visibility_is_computed_once_and_kept_beside_the_environment(self):
        kept = self.folder / "environment.tvis"
        first = self.predict(self.folder / "first.gpkg")
        self.assertTrue(kept.exists())
        self.assertIn('"stage":"visibility"', first.stderr)
        written = kept.stat().st_mtime_ns
        second = self.predict(self.folder / "second.gpkg")
        self.assertNotIn('"stage":"visibility"', second.stderr)
        self.assertEqual(kept.stat().st_mtime_ns, written)
        self.assertEqual(rows(self.folder / "first.gpkg", "path_loss"), rows(self.folder / "second.gpkg", "path_loss"))

    def test_a_layer_of_the_environment_stands_for_it(self):
        layer = f"{self.environment}|layername=edges"
        self.assert_done(tesseray("computevisibility", "--environment", layer))
        self.assertTrue(self.environment.with_suffix(".tvis").exists())
        missing = tesseray("computevisibility", "--environment", f"{self.folder / 'other.gpkg'}|layername=edges")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("other.gpkg'", missing.stderr)

    def test_damaged_kept_visibility_is_computed_anew_and_a_given_one_refused(self):
        self.assert_done(tesseray("computevisibility", "--environment", self.environment))
        kept = self.folder / "environment.tvis"
        good = kept.read_bytes()
        kept.write_bytes(good[:-7])
        process = self.predict(self.folder / "x.gpkg")
        self.assertIn("computed anew", process.stderr)
        self.assertEqual(kept.read_bytes(), good)

        damaged = self.folder / "damaged.tvis"
        damaged.write_bytes(good[:-7])
        process = tesseray("predictcoverage", "--environment", self.environment, "--visibility", damaged, *self.sites,
                           "--output", self.folder / "y.gpkg", "--progress", "json")
        self.assert_refused(process, None, ["computevisibility"])
        self.assertFalse((self.folder / "y.gpkg").exists())

    def test_what_else_has_the_name_of_the_visibility_beside_the_environment_stays(self):
        expected = json.loads(self.predict(self.folder / "expected.gpkg").stdout)["result_hash"]
        beside = self.folder / "environment.tvis"
        beside.unlink()

        def predict_beside():
            process = self.predict(self.folder / "p.gpkg", "--overwrite")
            self.assertEqual(json.loads(process.stdout)["result_hash"], expected)
            self.assertIn("visibility_not_kept", process.stderr)

        beside.write_text("my notes")
        predict_beside()
        self.assertEqual(beside.read_text(), "my notes")
        beside.unlink()
        beside.mkdir()
        predict_beside()
        self.assertEqual(list(beside.iterdir()), [])

    def test_visibility_of_another_environment_is_refused(self):
        other = self.folder / "other.gpkg"
        self.assert_done(tesseray("tileenvironment", *SCENE, "--tile-area", "225", "--environment", other))
        self.assert_done(tesseray("computevisibility", "--environment", other))
        process = tesseray("predictcoverage", "--environment", self.environment, "--visibility",
                           self.folder / "other.tvis", *self.sites, "--output", self.folder / "x.gpkg", "--progress",
                           "json")
        self.assert_refused(process, "stale_visibility", ["another environment"])

    def test_visibility_within_a_distance_is_told_of(self):
        self.assert_done(tesseray("computevisibility", "--environment", self.environment, "--max-distance", "100"))
        process = self.predict(self.folder / "near.gpkg")
        self.assertIn("visibility_within_distance", process.stderr)
        self.assertIn("100 m", process.stderr)

    def test_previous_visibility_is_taken_over_when_nothing_changed(self):
        self.assert_done(tesseray("computevisibility", "--environment", self.environment))
        previous = self.folder / "environment.tvis"
        process = self.assert_done(tesseray(
            "computevisibility", "--environment", self.environment, "--previous-environment", self.environment,
            "--previous-visibility", previous, "--visibility", self.folder / "again.tvis", "--progress", "json"))
        self.assertNotIn("previous_visibility_not_used", process.stderr)
        self.assertEqual((self.folder / "again.tvis").read_bytes(), previous.read_bytes())
        process = self.assert_done(tesseray(
            "computevisibility", "--environment", self.environment, "--previous-visibility", previous, "--max-distance",
            "100", "--visibility", self.folder / "near.tvis", "--progress", "json"))
        self.assertIn("previous_visibility_not_used", process.stderr)
        self.assertLess((self.folder / "near.tvis").stat().st_size, previous.stat().st_size)

    def test_environment_stays_as_it_is(self):
        before = self.environment.read_bytes()
        self.predict(self.folder / "x.gpkg")
        self.assertEqual(self.environment.read_bytes(), before)
        process = tesseray("predictcoverage", "--environment", self.environment, *self.sites, "--output",
                           self.environment, "--progress", "json", "--overwrite")
        self.assert_refused(process, "output_is_input", ["ENVIRONMENT"])
        self.assertEqual(self.environment.read_bytes(), before)

    def test_layers_are_named_only_where_both_have_some(self):
        visibility, buildings = self.folder / "earlier.tvis", self.folder / "city.gpkg"
        self.assert_done(tesseray("computevisibility", "--environment", self.environment, "--visibility", visibility))
        shutil.copy(SAMPLE / "buildings.gpkg", buildings)
        environment = ["--environment", self.folder / "new.gpkg"]
        for command, input_name, has_layers in (
                (["computevisibility", "--environment", self.environment, "--previous-visibility", visibility,
                  "--visibility", visibility], "PREVIOUS_VISIBILITY", False),
                (["predictcoverage", "--environment", self.environment, *self.sites, "--output", self.environment],
                 "ENVIRONMENT", False),
                (["tileenvironment", "--buildings", buildings, "--environment", buildings], "BUILDINGS", False),
                (["tileenvironment", "--buildings", buildings, *environment, "--tiles", buildings], "BUILDINGS", True)):
            with self.subTest(input=input_name, has_layers=has_layers):
                error = self.assert_refused(tesseray(*command, "--overwrite", "--progress", "json"), "output_is_input",
                                            [input_name])
                self.assertEqual("layername" in error["hint"], has_layers, error["hint"])

    def test_transmitters_stand_beside_path_loss(self):
        process = self.assert_done(tesseray("predictcoverage", "--environment", self.environment, *self.sites,
                                            "--path-loss", f"{self.folder / 'p.gpkg'}|layername=mine", "--max-bounces",
                                            "0", "--progress", "json"))
        self.assertEqual(set(json.loads(process.stdout)["outputs"]), {"PATH_LOSS", "TRANSMITTERS_OUT"})
        self.assertLessEqual({"mine", "transmitters"}, layers(self.folder / "p.gpkg"))
        self.assert_done(tesseray("comparewithdrivetest", "--path-loss", f"{self.folder / 'p.gpkg'}|layername=mine",
                                  *DRIVE_TEST, "--error-statistics", self.folder / "s.gpkg"))

    def test_path_losses_whose_transmitters_are_replaced_are_told_of(self):
        output, receivers = self.folder / "both.gpkg", self.folder / "receivers.csv"
        self.predict(output)
        receivers.write_text("id,x,y\n1,340520,6020520\n")
        again = [*self.sites, "--receivers", receivers, "--receivers-crs", "EPSG:25832", "--max-bounces", "0",
                 "--overwrite", "--progress", "json"]
        process = self.assert_done(tesseray("predictcoverage", "--environment", self.environment, *again,
                                            "--receiver-path-loss", output))
        self.assertIn("transmitters_replaced", process.stderr)
        process = self.assert_done(tesseray("predictcoverage", "--environment", self.environment, *again, "--output",
                                            output))
        self.assertNotIn("transmitters_replaced", process.stderr)
        # Without receivers, path losses at those of before stay.
        for command in (["predictcoverage", "--environment", self.environment], ["coveragestudy", *SCENE]):
            with self.subTest(tool=command[0]):
                process = self.assert_done(tesseray(*command, *self.sites, "--max-bounces", "0", "--overwrite",
                                                    "--progress", "json", "--output", output))
                self.assertIn("the layer receiver_path_loss of an earlier run stays", process.stderr)

    def test_path_losses_of_any_name_in_any_database_whose_transmitters_are_replaced_are_told_of(self):
        def told_of(*layers):
            process = self.assert_done(tesseray("predictcoverage", "--environment", self.environment, *self.sites,
                                                "--max-bounces", "0", "--overwrite", "--progress", "json", *layers))
            warnings = [line["warning"] for line in json_lines(process.stderr) if "warning" in line]
            return [w["message"] for w in warnings if w["code"] == "transmitters_replaced"]

        for name in ("n.gpkg", "n.sqlite"):
            with self.subTest(name=name):
                file = self.folder / name
                first = ["--path-loss", f"{file}|layername=first"]
                self.assertEqual(told_of(*first), [])
                self.assertEqual(told_of(*first), [])
                told = told_of("--path-loss", f"{file}|layername=second")
                self.assertEqual(len(told), 1)
                self.assertIn("the layer first of an earlier run stays", told[0])
                # Transmitters of their own replace those of nobody.
                self.assertEqual(told_of("--path-loss", f"{file}|layername=third", "--transmitters-out",
                                         f"{file}|layername=third sites"), [])

    def test_results_of_the_earlier_prediction_are_told_of(self):
        output = self.folder / "network.gpkg"
        command = ["predictcoverage", "--environment", self.environment, *self.sites, "--max-bounces", "0", "--output",
                   output, "--progress", "json"]
        self.assert_done(tesseray(*command))
        self.assert_done(tesseray("bestserver", "--path-loss", output, "--output", f"{output}|layername=mine"))
        self.assert_done(tesseray("comparewithdrivetest", "--path-loss", output, *DRIVE_TEST, "--output", output))
        process = self.assert_done(tesseray(*command, "--overwrite"))
        warnings = [line["warning"] for line in json_lines(process.stderr) if "warning" in line]
        told = [warning["message"] for warning in warnings if warning["code"] == "earlier_results_stay"]
        self.assertEqual(len(told), 1, warnings)
        self.assertIn("mine, error_statistics, prediction_error", told[0])
        # A run that compares anew leaves the best servers alone.
        process = self.assert_done(tesseray("coveragestudy", *SCENE, *self.sites, *DRIVE_TEST, "--max-bounces", "0",
                                            "--output", output, "--overwrite", "--progress", "json"))
        self.assertIn(": mine. ", process.stderr)
        # Whatever the layers of a study are called.
        self.assert_done(tesseray("coveragestudy", *SCENE, *self.sites, *DRIVE_TEST, "--max-bounces", "0", "--output", output,
                                  "--overwrite", "--prediction-error", f"{output}|layername=errors"))
        process = self.assert_done(tesseray(*command, "--overwrite"))
        self.assertIn(": mine, prediction_error, error_statistics, errors. ", process.stderr)
        with sqlite3.connect(output) as database:
            database.execute("DROP TABLE mine")
            database.execute("DROP TABLE errors")
        process = self.assert_done(tesseray("coveragestudy", *SCENE, *self.sites, *DRIVE_TEST, "--max-bounces", "0",
                                            "--output", output, "--overwrite", "--progress", "json"))
        self.assertNotIn("earlier_results_stay", process.stderr)

    def test_receivers_get_rows_and_rays(self):
        receivers = self.folder / "receivers.csv"
        receivers.write_text("id,x,y\n1,340480,6020480\n2,340520,6020520\n")
        process = self.predict(self.folder / "r.gpkg", "--receivers", receivers, "--receivers-crs", "EPSG:25832",
                               "--receiver-height", "60", "--rays-per-receiver", "2", "--kinds", "ground")
        self.assertLessEqual({"RECEIVER_PATH_LOSS", "RAYS"}, json.loads(process.stdout)["outputs"].keys())
        self.assertEqual(len(rows(self.folder / "r.gpkg", "receiver_path_loss")), 4)
        rays = rows(self.folder / "r.gpkg", "rays")
        self.assertTrue(rays)
        for transmitter in (1, 2):
            self.assertLessEqual(sum(ray["transmitter_id"] == transmitter for ray in rays), 4)
        self.assertEqual({row["kind"] for row in rows(self.folder / "r.gpkg", "path_loss", "kind")}, {"ground"})

    def test_an_area_without_ground_tiles_is_told_of(self):
        environment = self.folder / "coarse.gpkg"
        process = self.assert_done(tesseray(
            "tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--dem", SAMPLE / "dem.tif", "--extent",
            "340460,340540,6020460,6020540", "--tile-area", "10000", "--environment", environment, "--progress",
            "json"))
        messages = [line["warning"]["message"] for line in json_lines(process.stderr)
                    if line.get("warning", {}).get("code") == "no_ground_tiles"]
        self.assertEqual(len(messages), 1)
        self.assertIn("TILE_AREA", messages[0])
        self.assertEqual([row["code"] for row in rows(environment, "issues")].count("no_ground_tiles"), 1)

    def test_an_area_without_tiles_is_told_of_and_has_no_prediction(self):
        environment, output = self.folder / "small.gpkg", self.folder / "small_coverage.gpkg"
        small = ["--buildings", SAMPLE / "buildings.gpkg", "--dem", SAMPLE / "dem.tif", "--extent",
                 "340400,340401,6020350,6020351"]
        process = self.assert_done(tesseray("tileenvironment", *small, "--environment", environment, "--progress",
                                            "json"))
        codes = [line["warning"]["code"] for line in json_lines(process.stderr) if "warning" in line]
        self.assertEqual(codes.count("no_tiles"), 1)
        site = self.folder / "site.csv"
        site.write_text("name,x,y,height,frequency,erp\nA,340400.5,6020350.5,10,900,40\n")
        sites = ["--transmitters", site, "--transmitters-crs", "EPSG:25832"]
        before = self.files()
        for arguments in (["predictcoverage", "--environment", environment], ["coveragestudy", *small]):
            process = tesseray(*arguments, *sites, "--output", output, "--progress", "json")
            self.assert_refused(process, "nothing_to_predict", ["no tile", "EXTENT", "RECEIVERS"])
            self.assertEqual(self.files(), before, "nothing is written")
        receivers = self.folder / "receivers.csv"
        receivers.write_text("x,y\n340400.9,6020350.9\n")
        self.assert_done(tesseray("predictcoverage", "--environment", environment, *sites, "--receivers", receivers,
                                  "--receivers-crs", "EPSG:25832", "--receiver-path-loss", output))
        self.assertEqual(len(rows(output, "receiver_path_loss")), 1)

    def test_receivers_where_a_transmitter_stands_are_told_of(self):
        site, receivers = self.folder / "site.csv", self.folder / "receivers.csv"
        site.write_text("name,x,y,height,frequency,erp\nFar,340620,6020620,60,900,40\nMast,340480,6020480,60,900,40\n")

        def codes_at(*heights):
            receivers.write_text("x,y,height\n" + "".join(f"340480,6020480,{height}\n" for height in heights))
            process = self.assert_done(tesseray("predictcoverage", "--environment", self.environment, "--transmitters",
                                                site, "--transmitters-crs", "EPSG:25832", "--receivers", receivers,
                                                "--receivers-crs", "EPSG:25832", "--receiver-path-loss",
                                                self.folder / "r.gpkg", "--overwrite", "--max-bounces", "0",
                                                "--progress", "json"))
            warnings = [line["warning"] for line in json_lines(process.stderr) if "warning" in line]
            return [warning["message"] for warning in warnings if warning["code"] == "receiver_at_transmitter"]

        self.assertEqual(codes_at(59.6, 60.4), [])  # a wavelength is 0.33 m
        told = codes_at(59.6, 59.8, 60)
        self.assertEqual(len(told), 1)
        self.assertIn("2 receivers", told[0])
        self.assertIn("receiver 2 from Mast", told[0])

    def test_options_of_propagation_reach_it(self):
        """Each option changes the rows, of the blocks between the transmitters, too; the defaults, spelled out, do not."""
        *scene, _ = SCENE
        self.assert_done(tesseray("tileenvironment", *scene, "340400,340520,6020480,6020600", "--environment",
                                  self.environment, "--overwrite"))
        basis = json.loads(self.predict(self.folder / "basis.gpkg").stdout)["result_hash"]
        for number, (option, value, changes) in enumerate((
                ("max-reflections", 3, False), ("summation", "local_mean", False), ("max-reflections", 0, True),
                ("max-diffractions", 0, True), ("max-scatterings", 0, True), ("max-after-scattering", 0, True),
                ("scattering-model", "incident", True), ("scattering-coefficient", 0.2, True), ("permittivity", 6, True),
                ("conductivity", 0.1, True), ("min-power", -60, True), ("edge-visibility", "parents", True),
                ("summation", "coherent", True), ("summation", "power", True), ("receiver-height", 2, True),
                ("receiver-polarization", "horizontal", True))):
            with self.subTest(option=option, value=value):
                process = self.predict(self.folder / f"{number}.gpkg", f"--{option}={value}")
                assertion = self.assertNotEqual if changes else self.assertEqual
                assertion(json.loads(process.stdout)["result_hash"], basis)

    def test_rows_that_are_asked_for(self):
        out = self.folder / "few.gpkg"
        self.predict(out, "--reached-only", "--kinds", "ground,roof", "--geometry", "none")
        few = rows(out, "path_loss")
        self.assertTrue(few)
        self.assertTrue(all(row["path_loss_db"] is not None for row in few))
        self.assertEqual({row["kind"] for row in few}, {"ground", "roof"})
        self.assertNotIn("geom", few[0])


if __name__ == "__main__":
    unittest.main()
