# SPDX-License-Identifier: GPL-3.0-or-later
"""A run under --memory never holds more: told by the system of a process of its own."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

from tesseray_process import (EXECUTABLE, SAMPLE, SCENE, PipelineTest, environment_with_visibility, error_of, made,
                              module_folder, rows, sizes_in, tesseray, transmitters_csv, with_copies_of_transmitters)

MEBIBYTE = 1 << 20
LEAST_BLOCK = 64 * MEBIBYTE  # of rows under way, where the budget leaves no more


class MemoryBudget(PipelineTest):
    def visibility(self, gibibytes):
        return ["computevisibility", "--environment", self.environment, "--memory", gibibytes, "--threads", 2,
                "--device", "cpu", "--progress", "json"]

    def peak_of(self, *arguments):
        """What the tool says of its run, and the most bytes that its process ever held."""
        process = subprocess.Popen([EXECUTABLE, *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        with process.stdout:
            outcome = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return json.loads(outcome), 1024 * usage.ru_maxrss

    def test_visibility_of_a_town_with_edges_stays_within_the_least_budget(self):
        self.environment = self.folder / "town.gpkg"
        made("tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--height-field", "height_m", "--base-field",
             "base_m", "--dem", SAMPLE / "dem.tif", "--tile-area", 25, "--environment", self.environment)
        # What it needs beside what it holds by then is in the words of its refusal.
        refused = tesseray(*self.visibility(0.12))
        self.assertEqual(refused.returncode, 3, refused.stderr)
        needed, left, budget = sizes_in(error_of(refused)["message"])
        least = budget - left + needed + 4 * MEBIBYTE
        outcome, peak = self.peak_of(*self.visibility(least / (1 << 30)))
        self.assertGreater(outcome["figures"]["edges"], 8000)
        self.assertGreater(outcome["figures"]["visibility_entries"], 140e6)
        self.assertLess(peak, least)
        # The same with the file there: no rows to be found. All of them in memory take 90 MiB.
        outcome, without_work = self.peak_of(*self.visibility(least / (1 << 30)))
        self.assertEqual([warning["code"] for warning in outcome["warnings"]], ["visibility_found"])
        self.assertLess(peak - without_work, LEAST_BLOCK)

    def test_what_very_many_receivers_see_is_refused_before_it_is_looked_for(self):
        environment = self.folder / "town.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        receivers = self.folder / "receivers.csv"
        receivers.write_text("x,y\n" + "".join(f"{340360 + 0.01 * i},{6020360 + 0.01 * (i % 20000)}\n"
                                               for i in range(28000)))
        process = tesseray("predictcoverage", "--environment", environment, *transmitters_csv(self.folder), "--receivers",
                           receivers, "--receivers-crs", "EPSG:25832", "--receiver-height", 100, "--memory", 0.2,
                           "--receiver-path-loss", self.folder / "r.gpkg", "--progress", "json")
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertEqual(error_of(process)["code"], "memory_budget")
        self.assertIn("28000 receivers see", error_of(process)["message"])


class MemoryForPathLoss(PipelineTest):
    """Rows that do not fit are refused before they are read, and those that do stay within the budget."""

    @classmethod
    def setUpClass(cls):
        folder = module_folder()
        environment, one = folder / "environment.gpkg", folder / "one.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        made("predictcoverage", "--environment", environment, *transmitters_csv(folder), "--max-bounces", 0,
             "--over-rooftop", "none", "--output", one)
        cls.many = with_copies_of_transmitters(one, folder / "many.gpkg", 79)
        cls.rows = len(rows(cls.many, "path_loss", "fid"))
        cls.drive_test = folder / "drive.csv"
        cls.drive_test.write_text("x,y,rsrp,transmitter\n340500,6020500,-70,Market\n")
        cls.districts = folder / "districts.geojson"
        cls.districts.write_text(json.dumps({
            "type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:25832"}}, "features": [{
                "type": "Feature", "properties": {"name": "all"}, "geometry": {"type": "Polygon", "coordinates": [
                    [[340300, 6020300], [340700, 6020300], [340700, 6020700], [340300, 6020700], [340300, 6020300]]]}}]}))

    def test_tools_that_read_a_prediction(self):
        tools = {"bestserver": ["--best-server", self.folder / "o.gpkg"],
                 "coveragebydistrict": ["--districts", self.districts, "--output", self.folder / "o.gpkg"],
                 "coverageraster": ["--raster", self.folder / "o.tif", "--resolution", 20, "--bands", "strongest"],
                 "comparewithdrivetest": ["--drive-test", self.drive_test, "--drive-test-crs", "EPSG:25832", "--output",
                                          self.folder / "o.gpkg"],
                 "fingerprints": ["--fingerprints", self.folder / "o.gpkg"]}
        for tool, options in tools.items():
            with self.subTest(tool=tool):
                command = [tool, "--path-loss", self.many, *options, "--overwrite", "--progress", "json", "--memory"]
                process = tesseray(*command, 0.07)
                error = self.assert_refused(process, "memory_budget", [f"the {self.rows} rows of PATH_LOSS", "filter",
                                                                       "KINDS"], status=3)
                needed, left, budget = sizes_in(error["message"])
                self.assertGreater(needed, 180 * self.rows)
                least = budget - left + needed + 24 * MEBIBYTE  # what GDAL and SQLite hold meanwhile
                process = self.assert_done(tesseray(*command, least / (1 << 30)))
                self.assertLess(json.loads(process.stdout)["peak_memory_bytes"], least)


class LimitsOfTheSystem(PipelineTest):
    """What the system does not give is no bad input, and no fault of Tesseray."""

    def test_a_file_that_has_no_room_in_the_address_space(self):
        scene = self.folder / "town.tscene"
        scene.write_bytes(b"TSCN")
        os.truncate(scene, 64 << 30)
        process = tesseray("exportscene", "--environment", scene, "--scene", self.folder / "new.tscene", "--progress",
                           "json", preexec_fn=self.within_address_space(4 << 30))
        self.assert_refused(process, "out_of_memory", ["town.tscene", "limit of memory"], status=3)

    def test_a_program_that_has_no_room_in_the_address_space(self):
        """A prediction reads its program part by part, to know its results again."""
        environment = environment_with_visibility(self.folder)
        command = ["predictcoverage", "--environment", environment, *transmitters_csv(self.folder), "--max-bounces", 0,
                   "--threads", 1, "--progress", "json", "--kept-predictions", 1, "--overwrite", "--path-loss",
                   self.folder / "p.gpkg"]
        statuses = set()
        for mebibytes in range(256, 96, -16):
            with contextlib.suppress(unittest.SkipTest):
                limit = self.within_address_space(mebibytes * MEBIBYTE)
                statuses.add(tesseray(*command, preexec_fn=limit).returncode)
        # The system's own libraries end what has no room for them.
        self.assertLessEqual(statuses - {127, -signal.SIGABRT}, {0, 3})

    def test_threads_that_there_are_not(self):
        environment = environment_with_visibility(self.folder)
        self.folder.chmod(0o777)
        # The superuser's processes are not counted, so the run is somebody else's.
        somebody = {"user": 65534} if os.geteuid() == 0 else {}
        program = shutil.copy(EXECUTABLE, self.folder)
        process = tesseray("computevisibility", "--environment", environment, "--visibility", self.folder / "v.tvis",
                           "--threads", 4, "--progress", "json", executable=program,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)), **somebody)
        self.assert_refused(process, "no_threads", ["--threads"], status=3)


if __name__ == "__main__":
    unittest.main()
