# SPDX-License-Identifier: GPL-3.0-or-later
"""With a GPU, --device auto does what the CPU alone would do. TESSERAY_EXECUTABLE has an emulated GPU, whose kernels
take long: what it computes is small."""

import json
import os
import subprocess
import time
import unittest

from tesseray_process import EXECUTABLE, SCENE, PipelineTest, json_lines, limited_to, sizes_in, tesseray

TOWN = SCENE[:SCENE.index("--extent")]
# Some houses in its middle.
HOUSES = [*TOWN, "--extent", "340470,340530,6020470,6020530"]


class GpuTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.environment = self.folder / "e.gpkg"
        self.visibility = self.folder / "e.tvis"
        self.work = self.folder / "e.tvis.work"
        self.command = ["computevisibility", "--environment", self.environment, "--progress", "json"]

    def tile(self, scene, tile_area=25):
        self.assert_done(tesseray("tileenvironment", *scene, "--tile-area", tile_area, "--environment",
                                  self.environment))

    def assert_done_with(self, warnings, process):
        """What the device computed."""
        result = json.loads(self.assert_done(process).stdout)
        self.assertEqual([warning["code"] for warning in result["warnings"]], warnings)
        self.assertEqual(self.files(), ["e.gpkg", "e.tvis"])
        return result["device"]

    def on_unusable_gpu(self, status, *arguments):
        return tesseray(*arguments, env={**os.environ, "TESSERAY_EMULATED_GPU_IS": str(status)})

    def with_pinned_arrays(self, most, *arguments):
        return tesseray(*arguments, env={**os.environ, "TESSERAY_EMULATED_GPU_PINS": str(most)})

    def by_the_cpu(self):
        """The bytes of the file."""
        self.assert_done(tesseray(*self.command, "--device", "cpu"))
        content = self.visibility.read_bytes()
        self.visibility.unlink()
        return content

    def break_off(self, file_bytes):
        """Leaves the work of a run on the CPU for a file of so many bytes."""
        self.assert_refused(tesseray(*self.command, "--device", "cpu", preexec_fn=limited_to(file_bytes // 2)),
                            "disk_full", status=3)
        self.assertTrue(self.work.exists())

    def test_its_file_is_that_of_the_cpu(self):
        self.tile(HOUSES)
        expected = self.by_the_cpu()
        self.assertIn("(visibility)", self.assert_done_with([], tesseray(*self.command)))
        self.assertEqual(self.visibility.read_bytes(), expected)

    def test_work_of_an_earlier_run_is_gone_on_with(self):
        self.tile(HOUSES)
        expected = self.by_the_cpu()
        self.break_off(len(expected))
        device = self.assert_done_with(["gpu_not_used", "visibility_resumed"], tesseray(*self.command))
        self.assertIn("(nothing)", device)
        self.assertEqual(self.visibility.read_bytes(), expected)

    def test_asked_for_it_computes_all_and_leaves_no_work(self):
        self.tile(HOUSES)
        expected = self.by_the_cpu()
        self.break_off(len(expected))
        device = self.assert_done_with([], tesseray(*self.command, "--device", "cuda"))
        self.assertIn("(visibility)", device)
        self.assertEqual(self.visibility.read_bytes(), expected)

    def test_what_does_not_fit_the_memory_the_cpu_computes(self):
        self.tile(TOWN, tile_area=40)
        refused = self.assert_refused(tesseray(*self.command, "--device", "cuda", "--memory", 0.2), "memory_budget",
                                      status=3)
        needed, left, budget = sizes_in(refused["message"])
        command = [*self.command, "--memory", (budget - left + 0.7 * needed) / (1 << 30)]
        process = subprocess.Popen([EXECUTABLE, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        # The rest is no longer of interest.
        while process.poll() is None and not self.work.exists():
            time.sleep(0.01)
        process.terminate()
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, told)
        (warning,) = [line["warning"] for line in json_lines(told) if "warning" in line]
        self.assertEqual(warning["code"], "gpu_not_used")
        self.assertIn("MiB", warning["message"])

    def test_where_nothing_runs_on_it_the_cpu_computes(self):
        self.tile(HOUSES)
        expected = self.by_the_cpu()
        for status, words in ((46, "busy or unavailable"), (209, "no kernel image"), (222, "the driver knows CUDA")):
            with self.subTest(status=status):
                process = self.on_unusable_gpu(status, *self.command)
                self.assertNotIn("cuda", self.assert_done_with(["gpu_not_used"], process))
                self.assertIn(words, process.stdout)
                self.assertEqual(self.visibility.read_bytes(), expected)
                self.visibility.unlink()
                self.assert_refused(self.on_unusable_gpu(status, *self.command, "--device", "cuda"), "no_cuda_device",
                                    ["emulated GPU", words])

    def test_goes_on_with_the_memory_of_the_host_that_it_gets(self):
        self.tile(HOUSES)
        expected = self.by_the_cpu()
        # Room for one batch and part of another, of five arrays each.
        self.assertIn("(visibility)", self.assert_done_with([], self.with_pinned_arrays(7, *self.command)))
        self.assertEqual(self.visibility.read_bytes(), expected)

    def test_without_memory_of_the_host_the_cpu_computes(self):
        self.tile(HOUSES)
        expected = self.by_the_cpu()
        process = self.with_pinned_arrays(1, *self.command)
        self.assertNotIn("visibility", self.assert_done_with(["gpu_too_small"], process))
        self.assertIn("the host's memory is not enough", process.stdout)
        self.assertEqual(self.visibility.read_bytes(), expected)
        self.visibility.unlink()
        self.assert_refused(self.with_pinned_arrays(1, *self.command, "--device", "cuda"), "gpu_host_memory",
                            ["memory of the host"], status=3)

    def test_is_not_started_for_what_it_does_not_compute(self):
        process = self.on_unusable_gpu(46, "tileenvironment", *HOUSES, "--environment", self.environment, "--progress",
                                       "json")
        self.assertNotIn("gpu_not_used", self.assert_done(process).stdout)


if __name__ == "__main__":
    unittest.main()
