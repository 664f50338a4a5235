# SPDX-License-Identifier: GPL-3.0-or-later
"""A limit of file sizes (`ulimit -f`), which stands for a full disk: exit status 3 with the reason, and nothing is left
behind, whatever kind of file is written."""

import json
import shutil
import subprocess
import unittest

from tesseray_process import (SCENE, PipelineTest, environment_with_visibility, json_lines, limited_to, made, module_folder,
                              tesseray, transmitters_csv)

LIMIT = 4096  # bytes: less than any result


def setUpModule():
    """What the tools start from, made without a limit."""
    global ENVIRONMENT, SITES, PREDICTION
    folder = module_folder()
    ENVIRONMENT, SITES = environment_with_visibility(folder), transmitters_csv(folder)
    PREDICTION = folder / "prediction.gpkg"
    made("predictcoverage", "--environment", ENVIRONMENT, *SITES, "--max-bounces", 0, "--output", PREDICTION)


class FullDiskTest(PipelineTest):
    def assert_too_large(self, tool, *options):
        process = tesseray(tool, *options, "--progress", "json", preexec_fn=limited_to(LIMIT))
        error = self.assert_refused(process, "disk_full", status=3)
        self.assertIn("free some space", error["hint"])
        self.assertEqual(self.files(), [])
        return error

    def test_environment(self):
        self.assert_too_large("tileenvironment", *SCENE, "--environment", self.folder / "e.gpkg")

    def test_layers(self):
        for name in ("x.gpkg", "x.sqlite"):
            self.assert_too_large("predictcoverage", "--environment", ENVIRONMENT, *SITES, "--max-bounces", 0,
                                  "--output", self.folder / name)

    def test_what_cannot_be_taken_back_then_is_by_who_reads_next(self):
        file, journal = self.folder / "p.gpkg", self.folder / "p.gpkg-journal"
        shutil.copy(PREDICTION, file)
        process = tesseray("bestserver", "--path-loss", PREDICTION, "--output", file, "--progress", "json",
                           preexec_fn=limited_to(file.stat().st_size // 2))
        self.assertEqual(process.returncode, 3, process.stderr)
        warning, = (line["warning"] for line in json_lines(process.stderr) if "warning" in line)
        self.assertEqual(warning["code"], "unfinished_changes")
        self.assertIn(str(journal), warning["message"])
        best = [json.loads(made("bestserver", "--path-loss", path, "--output", self.folder / f"of_{path.name}",
                                "--progress", "json").stdout)["result_hash"] for path in (PREDICTION, file)]
        self.assertEqual(best[0], best[1])
        self.assertFalse(journal.exists())

    def test_scene_file(self):
        self.assert_too_large("exportscene", "--environment", ENVIRONMENT, "--scene", self.folder / "s.tscene")

    def test_raster(self):
        error = self.assert_too_large("coverageraster", "--path-loss", PREDICTION, "--raster", self.folder / "r.tif")
        self.assertRegex(error["message"], r"is full after [\d.]+ KiB; ")

    def test_path_loss_that_cannot_fit_is_refused_before_the_work(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1200k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk])
        for command in (["predictcoverage", "--environment", ENVIRONMENT], ["coveragestudy", *SCENE]):
            with self.subTest(tool=command[0]):
                process = tesseray(*command, *SITES, "--max-bounces", 0, "--output", disk / "p.gpkg", "--progress", "json")
                error = self.assert_refused(process, "disk_space", ["MiB", "are free in"], status=3)
                self.assertIn("KINDS", error["hint"])
                for stage in ("visibility", "rays", "prediction"):
                    self.assertNotIn(f'"stage":"{stage}"', process.stderr)
                self.assertEqual(list(disk.iterdir()), [])
        # Of few tiles there is room.
        made("predictcoverage", "--environment", ENVIRONMENT, *SITES, "--max-bounces", 0, "--kinds", "roof", "--geometry",
             "none", "--path-loss", disk / "p.gpkg")

    def test_visibility_without_room_beside_the_environment_is_held_in_memory(self):
        """As in a folder that may not be written: the prediction is what was asked for."""
        environment = shutil.copy(ENVIRONMENT, self.folder / "environment.gpkg")
        visibility = ENVIRONMENT.with_suffix(".tvis").stat().st_size
        options = [*SITES, "--max-bounces", 0, "--kinds", "roof", "--geometry", "none", "--progress", "json"]
        expected = json.loads(made("predictcoverage", "--environment", ENVIRONMENT, *options, "--path-loss",
                                   self.folder / "expected.gpkg").stdout)
        # So that the path loss fits, and the visibility does not.
        limit = 3 * visibility // 4
        self.assertLess((self.folder / "expected.gpkg").stat().st_size, limit)
        process = tesseray("predictcoverage", "--environment", environment, *options, "--path-loss",
                           self.folder / "p.gpkg", preexec_fn=limited_to(limit))
        self.assert_done(process)
        self.assertIn("visibility_not_kept", process.stderr)
        self.assertEqual(json.loads(process.stdout)["result_hash"], expected["result_hash"])
        self.assertEqual(self.files(), ["environment.gpkg", "expected.gpkg", "p.gpkg"])

    def test_visibility_that_cannot_fit_says_what_needs_the_room(self):
        disk = self.folder / "disk"
        disk.mkdir()
        room = ENVIRONMENT.stat().st_size // 1024 + 300
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk])
        environment = shutil.copy(ENVIRONMENT, disk)
        process = tesseray("computevisibility", "--environment", environment, "--progress", "json")
        error = self.assert_refused(process, "disk_space", ["the visibility needs about", "are free in"], status=3)
        self.assertIn("MAX_DISTANCE", error["hint"])
        process = tesseray("predictcoverage", "--environment", environment, *SITES, "--max-bounces", 0, "--output",
                           self.folder / "p.gpkg", "--progress", "json")
        self.assert_done(process)
        self.assertIn("visibility_not_kept", process.stderr)
        self.assertEqual([path.name for path in disk.iterdir()], ["environment.gpkg"])


if __name__ == "__main__":
    unittest.main()
