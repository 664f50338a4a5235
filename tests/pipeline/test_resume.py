# SPDX-License-Identifier: GPL-3.0-or-later
"""Visibility that outlives its run: killed at random moments, on a full disk, with little memory; and brought up to
date after an edit. Always the bytes of one undisturbed run."""

import json
import random
import shutil
import signal
import subprocess
import time
import unittest

from osgeo import ogr

from tesseray_process import EXECUTABLE, SAMPLE, SCENE, PipelineTest, json_lines, limited_to, tesseray

# So small that it takes some seconds: several blocks of work.
SMALL_TILES = ["--tile-area", "25"]


def warning_codes(process_or_text):
    text = process_or_text if isinstance(process_or_text, str) else process_or_text.stderr
    return [line["warning"]["code"] for line in json_lines(text) if "warning" in line]


class ResumeTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.environment = self.folder / "e.gpkg"
        self.visibility = self.folder / "e.tvis"
        self.work = self.folder / "e.tvis.work"
        self.assert_done(tesseray("tileenvironment", *SCENE, *SMALL_TILES, "--environment", self.environment))
        self.command = ["computevisibility", "--environment", self.environment, "--progress", "json"]

    def undisturbed(self):
        """The bytes of one run."""
        other = self.folder / "undisturbed.tvis"
        self.assert_done(tesseray(*self.command, "--visibility", other))
        return other.read_bytes()

    def start(self):
        process = subprocess.Popen([EXECUTABLE, *map(str, self.command)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_work(self, process, more_than):
        """Until the work file has grown; False when the run was quicker."""
        while process.poll() is None:
            if self.work.exists() and self.work.stat().st_size > more_than:
                return True
            time.sleep(0.002)
        return False

    def test_killed_at_random_moments_it_goes_on(self):
        moments = random.Random(7)
        size = 100
        resumed = 0
        for _ in range(40):
            process = self.start()
            killed = self.wait_for_work(process, size)
            if killed:
                time.sleep(moments.uniform(0, 0.01))
                process.kill()
            _, told = process.communicate(timeout=300)
            resumed += warning_codes(told).count("visibility_resumed")
            if process.returncode == 0 or self.visibility.exists():  # or killed when all was done
                break
            self.assertEqual(process.returncode, -signal.SIGKILL, told)
            self.assertFalse(self.visibility.exists())
            self.assertTrue(self.work.exists())
            size = self.work.stat().st_size
        else:
            self.assert_done(tesseray(*self.command))
        self.assertGreater(resumed, 1)
        if process.returncode == 0:
            self.assertFalse(self.work.exists())
        self.assertEqual(self.visibility.read_bytes(), self.undisturbed())

    def test_cancelled_it_goes_on(self):
        process = self.start()
        self.assertTrue(self.wait_for_work(process, 100))
        process.terminate()
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, told)
        self.assertEqual(self.files(), ["e.gpkg", "e.tvis.work"])
        self.assertEqual(warning_codes(self.assert_done(tesseray(*self.command))), ["visibility_resumed"])
        self.assertEqual(self.files(), ["e.gpkg", "e.tvis"])
        self.assertEqual(self.visibility.read_bytes(), self.undisturbed())

    def test_on_a_full_disk_it_stops_and_goes_on_when_there_is_room(self):
        expected = self.undisturbed()
        limit = len(expected) // 2
        process = tesseray(*self.command, preexec_fn=limited_to(limit))
        self.assert_refused(process, "disk_full", status=3)
        self.assertGreater(self.work.stat().st_size, limit // 4)
        self.assertEqual(warning_codes(self.assert_done(tesseray(*self.command))), ["visibility_resumed"])
        self.assertEqual(self.visibility.read_bytes(), expected)

    def test_a_second_run_finds_the_file(self):
        self.assert_done(tesseray(*self.command))
        written = self.visibility.stat()
        for options in ([], ["--overwrite"]):
            process = self.assert_done(tesseray(*self.command, *options, "--tiles", self.folder / "t.gpkg"))
            self.assertEqual(warning_codes(process), ["visibility_found"])
            self.assertNotIn('"stage":"visibility"', process.stderr)
            self.assertEqual(self.visibility.stat(), written)
            self.assertGreater(json.loads(process.stdout)["figures"]["visibility_entries"], 1000)
            (self.folder / "t.gpkg").unlink()

    def test_work_that_another_way_made_needless_goes(self):
        finished = self.folder / "finished.tvis"
        self.assert_done(tesseray(*self.command, "--visibility", finished))
        process = self.start()
        self.assertTrue(self.wait_for_work(process, 100))
        process.kill()
        process.communicate(timeout=300)
        self.assertTrue(self.work.exists())
        self.assert_done(tesseray(*self.command, "--previous-visibility", finished))
        self.assertEqual(self.visibility.read_bytes(), finished.read_bytes())
        self.assertFalse(self.work.exists())

    def test_a_file_of_another_environment_is_replaced_only_when_allowed(self):
        self.visibility.write_text("precious")
        self.assert_refused(tesseray(*self.command), "file_exists", ["--overwrite"])
        self.assertEqual(self.visibility.read_text(), "precious")
        near = [*self.command, "--max-distance", "50"]
        self.assert_done(tesseray(*near, "--overwrite"))
        before = self.visibility.read_bytes()
        self.assert_refused(tesseray(*self.command), "file_exists", ["--overwrite"])
        self.assertEqual(self.visibility.read_bytes(), before)

    def test_a_damaged_file_is_told_as_such(self):
        self.assert_done(tesseray(*self.command))
        whole = self.visibility.read_bytes()
        in_a_block = len(whole) // 2
        for damaged, code, words in (
                (whole[:in_a_block] + bytes([whole[in_a_block] ^ 1]) + whole[in_a_block + 1:], "damaged_visibility",
                 ["it is damaged (block ", "--overwrite"]),
                (whole[:-100], "truncated_visibility",
                 [f"it ends too early ({len(whole) - 100} bytes of {len(whole)})", "--overwrite"])):
            self.visibility.write_bytes(damaged)
            self.assert_refused(tesseray(*self.command), code, ["e.tvis", *words])
            self.assertEqual(self.visibility.read_bytes(), damaged)
            process = self.assert_done(tesseray(*self.command, "--overwrite"))
            self.assertEqual(warning_codes(process), [code])
            self.assertIn(words[0], process.stderr)
            self.assertEqual(self.visibility.read_bytes(), whole)

    def test_a_file_that_comes_meanwhile_is_not_replaced(self):
        process = self.start()
        self.assertTrue(self.wait_for_work(process, 100))
        self.visibility.write_text("precious")
        _, told = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 2, told)
        self.assertIn("another program made the file meanwhile", told)
        self.assertEqual(self.visibility.read_text(), "precious")
        # What was computed is not lost.
        self.assertEqual(warning_codes(self.assert_done(tesseray(*self.command, "--overwrite"))), ["visibility_resumed"])
        self.assertEqual(self.visibility.read_bytes(), self.undisturbed())

    def test_damaged_work_is_not_used(self):
        process = self.start()
        self.assertTrue(self.wait_for_work(process, 100))
        process.kill()
        process.communicate()
        work = bytearray(self.work.read_bytes())
        work[0] ^= 1
        self.work.write_bytes(work)
        self.assertEqual(warning_codes(self.assert_done(tesseray(*self.command))), ["work_file_set_aside"])
        self.assertEqual((self.folder / "e.tvis.work.unused").read_bytes(), work)
        self.assertEqual(self.visibility.read_bytes(), self.undisturbed())


class UpdateTest(PipelineTest):
    """The sample town, edited."""

    def setUp(self):
        super().setUp()
        self.buildings = self.folder / "buildings.gpkg"
        shutil.copy(SAMPLE / "buildings.gpkg", self.buildings)
        scene = [self.buildings if part == SAMPLE / "buildings.gpkg" else part for part in SCENE]
        self.tile = ["tileenvironment", *scene]
        self.assert_done(tesseray(*self.tile, "--environment", self.folder / "before.gpkg"))
        self.assert_done(tesseray("computevisibility", "--environment", self.folder / "before.gpkg"))

    def edit(self, change):
        """Calls change(layer, middle of the extent) and makes the environment of the edited buildings."""
        source = ogr.Open(str(self.buildings), update=1)
        change(source.GetLayer(0))
        del source  # which closes it
        self.assert_done(tesseray(*self.tile, "--environment", self.folder / "after.gpkg", "--overwrite"))

    def assert_updated(self):
        previous = ["--previous-environment", self.folder / "before.gpkg", "--previous-visibility",
                    self.folder / "before.tvis"]
        whole, updated = self.folder / "whole.tvis", self.folder / "updated.tvis"
        command = ["computevisibility", "--environment", self.folder / "after.gpkg", "--progress", "json",
                   "--overwrite"]
        self.assert_done(tesseray(*command, "--visibility", whole))
        process = self.assert_done(tesseray(*command, "--visibility", updated, *previous))
        self.assertEqual(warning_codes(process), ["visibility_updated"])
        self.assertEqual(updated.read_bytes(), whole.read_bytes())
        self.assertNotEqual(updated.read_bytes(), (self.folder / "before.tvis").read_bytes())

    def within_extent(self, layer):
        """Features well inside of the environment, the tallest first."""
        layer.SetSpatialFilterRect(340420, 6020420, 340580, 6020580)
        found = sorted(layer, key=lambda feature: -(feature.GetField("height_m") or 0))
        layer.SetSpatialFilter(None)
        return found

    def test_removed(self):
        self.edit(lambda layer: layer.DeleteFeature(self.within_extent(layer)[0].GetFID()))
        self.assert_updated()

    def test_the_file_beside_the_previous_environment(self):
        self.edit(lambda layer: layer.DeleteFeature(self.within_extent(layer)[0].GetFID()))
        command = ["computevisibility", "--environment", self.folder / "after.gpkg", "--progress", "json",
                   "--previous-environment", self.folder / "before.gpkg", "--visibility"]
        updated, whole = self.folder / "updated.tvis", self.folder / "whole.tvis"
        self.assertEqual(warning_codes(self.assert_done(tesseray(*command, updated))), ["visibility_updated"])
        (self.folder / "before.tvis").unlink()
        process = self.assert_done(tesseray(*command, whole))
        self.assertEqual(warning_codes(process), ["previous_visibility_not_used"])
        self.assertIn("before.tvis", process.stderr)
        self.assertEqual(updated.read_bytes(), whole.read_bytes())

    def test_the_file_beside_the_previous_environment_is_an_input(self):
        self.edit(lambda layer: layer.DeleteFeature(self.within_extent(layer)[0].GetFID()))
        before = self.folder / "before.tvis"
        good = before.read_bytes()
        process = tesseray("computevisibility", "--environment", self.folder / "after.gpkg", "--previous-environment",
                           self.folder / "before.gpkg", "--visibility", before, "--overwrite", "--progress", "json")
        self.assert_refused(process, "output_is_input", ["PREVIOUS_VISIBILITY"])
        self.assertEqual(before.read_bytes(), good)

    def test_raised_and_lowered(self):
        def change(layer):
            found = self.within_extent(layer)
            for feature, metres in ((found[-1], 15), (found[0], -4)):
                feature.SetField("height_m", feature.GetField("height_m") + metres)
                layer.SetFeature(feature)
        self.edit(change)
        self.assert_updated()

    def test_added(self):
        def change(layer):
            feature = self.within_extent(layer)[0].Clone()
            feature.SetFID(-1)
            x, y = feature.geometry().Centroid().GetPoint_2D()
            feature.SetGeometry(ogr.CreateGeometryFromWkt(
                f"POLYGON (({x + 40} {y}, {x + 45} {y}, {x + 45} {y + 6}, {x + 40} {y + 6}, {x + 40} {y}))"))
            feature.SetField("height_m", 30)
            layer.CreateFeature(feature)
        self.edit(change)
        self.assert_updated()

    def test_other_tiles_are_computed_anew_and_said_so(self):
        after = self.folder / "after.gpkg"
        self.assert_done(tesseray(*self.tile, "--tile-area", "60", "--environment", after))
        process = self.assert_done(tesseray(
            "computevisibility", "--environment", after, "--previous-environment", self.folder / "before.gpkg",
            "--previous-visibility", self.folder / "before.tvis", "--progress", "json"))
        self.assertEqual(warning_codes(process), ["previous_visibility_not_used"])
        self.assertIn("too much has changed", process.stderr)

    def test_that_do_not_belong_together_are_refused(self):
        after = self.folder / "after.gpkg"
        self.assert_done(tesseray(*self.tile, "--tile-area", "60", "--environment", after))
        process = tesseray("computevisibility", "--environment", after, "--previous-environment", after,
                           "--previous-visibility", self.folder / "before.tvis", "--progress", "json")
        self.assert_refused(process, "stale_visibility", ["belong together"])


if __name__ == "__main__":
    unittest.main()
