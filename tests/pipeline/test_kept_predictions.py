# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions kept beside the visibility: the next run predicts only what has changed, and its rows are those of a run
that predicts everything."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import time
import unittest

from tesseray_process import (EXECUTABLE, SCENE, PipelineTest, environment_with_visibility, json_lines, made,
                              module_folder, rows, tesseray, transmitters_csv)

SITES = ("name,x,y,height_m,frequency_mhz,erp_dbm,azimuth_deg,downtilt_deg,antenna\n"
         "A,340500,6020500,40,900,43,0,0,sector_3gpp\n"
         "B,340420,6020580,45,1800,40,120,4,sector_3gpp\n"
         "C,340520,6020480,50,2600,45,240,2,sector_3gpp\n")


def setUpModule():
    global ENVIRONMENT
    ENVIRONMENT = environment_with_visibility(module_folder())


def copy_of_environment(folder):
    """The environment and its visibility in a folder of a test's own."""
    for path in (ENVIRONMENT, ENVIRONMENT.with_suffix(".tvis")):
        shutil.copy(path, folder / path.name)
    return folder / ENVIRONMENT.name


class KeptPredictionsTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.environment = copy_of_environment(self.folder)
        self.kept = self.folder / "environment.predictions"

    def command(self, sites, *options, output="p.gpkg", keep="1"):
        return ["predictcoverage", "--environment", self.environment, *transmitters_csv(self.folder, sites),
                "--max-diffractions", "0", "--path-loss", self.folder / output, "--kept-predictions", keep,
                "--progress", "json", "--overwrite", *options]

    def predict(self, sites, *options, **where):
        """The result hash, and how many transmitters were taken over."""
        process = self.assert_done(tesseray(*self.command(sites, *options, **where)))
        result = json.loads(process.stdout)
        return result["result_hash"], result["figures"]["transmitters_taken_over"]

    def assert_taken_over(self, count, sites, *options):
        """So many are, and it makes no difference."""
        result_hash, taken_over = self.predict(sites, *options)
        self.assertEqual(taken_over, count)
        self.assertEqual((result_hash, 0), self.predict(sites, *options, output="anew.gpkg", keep="0"))

    def number_kept(self):
        return len(list(self.kept.glob("[0-9a-f]*.tprd")))

    def test_nothing_changed(self):
        self.assert_taken_over(0, SITES)
        self.assertEqual(self.number_kept(), 3)
        self.assert_taken_over(3, SITES)
        self.assert_taken_over(3, SITES, "--kinds", "ground", "--geometry", "none", "--reached-only")

    def test_one_transmitter_changed(self):
        self.predict(SITES)
        for old, new in ((",120,4,", ",121,4,"), (",120,4,", ",120,5,"), (",1800,", ",1805,"), ("580,45,", "580,46,"),
                         ("340420", "340421"), ("120,4,sector_3gpp", "120,4,beam_65")):
            with self.subTest(new=new):
                self.assert_taken_over(2, SITES.replace(old, new))

    def test_powers_alone(self):
        self.predict(SITES)
        self.assert_taken_over(3, SITES.replace(",43,0,", ",46,0,").replace(",40,120,", ",34.5,120,"))
        # By a step of 20 dB more rays are followed.
        self.assert_taken_over(2, SITES.replace(",43,0,", ",52,0,"))
        # A power that all share, which is a parameter.
        without_power = "\n".join(",".join(line.split(",")[:5] + line.split(",")[6:]) for line in SITES.splitlines())
        self.predict(without_power, "--erp", "40")
        self.assert_taken_over(3, without_power, "--erp", "44")

    def test_names_order_and_number_of_transmitters(self):
        self.predict(SITES)
        head, a, b, c = SITES.splitlines()
        self.assert_taken_over(2, "\n".join([head, c, "New" + b[1:]]) + "\n")
        self.assertEqual({row["transmitter_id"] for row in rows(self.folder / "p.gpkg", "path_loss")}, {1, 2})
        self.assert_taken_over(2, "\n".join([head, a, c, "D" + a[1:].replace("340500", "340480")]) + "\n")

    def test_receivers_rays_profiles_and_losses_in_clutter(self):
        points = self.folder / "points.csv"
        points.write_text("x,y\n340500,6020520\n340450,6020450\n")
        options = ["--receivers", points, "--receivers-crs", "EPSG:25832", "--wideband", "--delay-profile-rays", "4",
                   "--rays", f"{self.folder / 'p.gpkg'}|layername=rays", "--receiver-path-loss",
                   f"{self.folder / 'p.gpkg'}|layername=receiver_path_loss"]
        self.predict(SITES, *options)
        expected, _ = self.predict(SITES.replace(",43,0,", ",44,0,"), *options, keep="0")
        self.assertEqual(self.predict(SITES.replace(",43,0,", ",44,0,"), *options), (expected, 3))
        points.write_text("x,y\n340500,6020520\n340450,6020451\n")
        self.assertEqual(self.predict(SITES, *options)[1], 0)

    def test_parameters_that_rays_depend_on(self):
        self.predict(SITES)
        for option in (["--max-bounces", "2"], ["--receiver-height", "3"], ["--summation", "power"],
                       ["--permittivity", "7"], ["--wideband"], ["--pruning", "false"], ["--min-power", "-90"]):
            with self.subTest(option=option):
                self.assert_taken_over(0, SITES, *option)

    def test_another_environment_at_the_same_place(self):
        self.predict(SITES)
        parts = self.folder / "parts.gpkg"
        for name in ("environment.gpkg", "environment.tvis"):
            (self.folder / name).unlink()
        made("tileenvironment", *SCENE, "--default-height", "9", "--tile-area", "90", "--environment", parts)
        parts.rename(self.environment)
        self.assert_taken_over(0, SITES)

    def test_materials_edited_in_the_environment(self):
        self.predict(SITES)
        for change in ("minimum_ghz = 1.5", "maximum_ghz = 1.6", "name = 'wood'"):
            with self.subTest(change=change):
                with contextlib.closing(sqlite3.connect(self.environment)) as database, database:
                    database.execute(f"UPDATE materials SET {change}")
                self.assert_taken_over(0, SITES)

    def test_no_more_stays_than_is_asked_for(self):
        self.predict(SITES)
        size = max(path.stat().st_size for path in self.kept.iterdir())
        gib = f"{2.5 * size / 2**30:.9f}"
        other = SITES.replace(",0,0,", ",1,0,").replace(",120,4,", ",121,4,").replace(",240,2,", ",241,2,")
        self.predict(other, keep=gib)
        self.assertEqual(self.number_kept(), 2)
        self.predict(other, keep="0")
        self.assertEqual(self.number_kept(), 2)

    def test_a_study_with_its_visibility_and_a_prediction_share_them(self):
        sites = transmitters_csv(self.folder, SITES)
        study = ["coveragestudy", *SCENE, *sites, "--max-diffractions", "0", "--environment", self.folder / "s.gpkg",
                 "--visibility", self.folder / "s.tvis", "--path-loss", self.folder / "study.gpkg", "--progress", "json",
                 "--kept-predictions", "1"]
        first = json.loads(self.assert_done(tesseray(*study)).stdout)
        self.assertEqual(first["figures"]["transmitters_taken_over"], 0)
        again = json.loads(self.assert_done(tesseray(*study, "--overwrite")).stdout)
        self.assertEqual(again["figures"]["transmitters_taken_over"], 3)
        self.assertEqual(again["result_hash"], first["result_hash"])
        self.environment = self.folder / "s.gpkg"
        self.assertEqual(self.predict(SITES)[1], 3)

    def test_what_a_run_that_keeps_none_left_unfinished_is_taken_over(self):
        expected, _ = self.predict(SITES)
        unfinished = self.folder / "p.predictions"
        self.kept.rename(unfinished)
        next(unfinished.iterdir()).unlink()
        process = self.assert_done(tesseray(*self.command(SITES)))
        self.assertIn(f"{unfinished}: 2 of 3 transmitters were predicted before", process.stderr)
        self.assertEqual(json.loads(process.stdout)["result_hash"], expected)
        self.assertFalse(unfinished.exists())
        self.assertEqual(self.predict(SITES), (expected, 3))

    def test_what_lies_beside_the_result_for_another_visibility_stays(self):
        self.predict(SITES)
        others = self.folder / "p.predictions"
        self.kept.rename(others)
        (self.folder / "p.tvis").write_bytes(b"")
        kept = sorted(others.iterdir())
        self.assertEqual(self.predict(SITES)[1], 3)
        self.assertEqual(sorted(others.iterdir()), kept)
        self.assertEqual(self.number_kept(), 3)

    def test_a_study_that_keeps_none_leaves_those_of_another(self):
        sites = transmitters_csv(self.folder, SITES)
        study = ["coveragestudy", *SCENE, *sites, "--output", self.folder / "city.gpkg", "--overwrite",
                 "--kept-predictions", "1", "--progress", "json", "--max-bounces"]
        visibility = ["--visibility", self.folder / "city.tvis"]
        self.assert_done(tesseray(*study, 1, *visibility))
        self.kept = self.folder / "city.predictions"
        kept = sorted(self.kept.iterdir())
        self.assertEqual(len(kept), 3)
        self.assert_done(tesseray(*study, 0))
        self.assertEqual(sorted(self.kept.iterdir()), kept)
        again = json.loads(self.assert_done(tesseray(*study, 1, *visibility)).stdout)
        self.assertEqual(again["figures"]["transmitters_taken_over"], 3)

    def test_a_study_without_a_visibility_file_leaves_nothing(self):
        before = set(self.files())
        self.assert_done(tesseray("coveragestudy", *SCENE, *transmitters_csv(self.folder, SITES), "--max-bounces", "0",
                                  "--path-loss", self.folder / "study.gpkg", "--kept-predictions", "1"))
        self.assertEqual(set(self.files()) - before, {"study.gpkg", "transmitters.csv"})

    def test_in_a_folder_that_cannot_be_written_nothing_is_kept(self):
        if os.geteuid() == 0:
            self.skipTest("the superuser may write everywhere")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        sites = transmitters_csv(elsewhere, SITES)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        process = self.assert_done(tesseray("predictcoverage", "--environment", self.environment, *sites,
                                            "--max-bounces", "1", "--path-loss", elsewhere / "p.gpkg",
                                            "--kept-predictions", "1"))
        self.assertEqual(sorted(path.name for path in elsewhere.iterdir()), ["p.gpkg", "transmitters.csv"])

    def test_two_runs_at_once(self):
        """The second takes over what the first has finished by then."""
        expected, _ = self.predict(SITES, output="anew.gpkg", keep="0")
        first = subprocess.Popen([EXECUTABLE, *map(str, self.command(SITES, "--threads", "1"))],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(first.kill)
        while self.number_kept() == 0 and first.poll() is None:
            time.sleep(0.001)
        second, taken_over = self.predict(SITES, output="second.gpkg")
        self.assertGreaterEqual(taken_over, 1)
        out, told = first.communicate(timeout=120)
        self.assertEqual(first.returncode, 0, told)
        self.assertEqual({second, json.loads(out)["result_hash"]}, {expected})

    def test_it_is_told(self):
        self.predict(SITES)
        process = self.assert_done(tesseray(*self.command(SITES.replace(",120,4,", ",125,4,"))))
        told = [line["warning"]["message"] for line in json_lines(process.stderr)
                if line.get("warning", {}).get("code") == "predictions_reused"]
        self.assertEqual(len(told), 1, process.stderr)
        self.assertIn(f"{self.kept}: 2 of 3 transmitters were predicted before", told[0])


if __name__ == "__main__":
    unittest.main()
