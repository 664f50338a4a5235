# SPDX-License-Identifier: GPL-3.0-or-later
"""Cancel: by signal and by the end of standard input, within a second, with nothing left behind."""

import array
import fcntl
import json
import os
import signal
import subprocess
import termios
import time
import unittest

from tesseray_process import (EXECUTABLE, SAMPLE, PipelineTest, json_lines, processor_seconds_of_ended_children,
                              processor_seconds_so_far, transmitters_csv)

# Small tiles over the whole town: more work than any machine does in the time that the tests give it.
PARAMETERS = {"BUILDINGS": str(SAMPLE / "buildings.gpkg"), "DEM": str(SAMPLE / "dem.tif"), "HEIGHT_FIELD": "height_m",
              "TILE_AREA": 4, "MAX_DISTANCE": 300}


def pending_bytes(stream):
    """What has been written to a pipe and nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(stream, termios.FIONREAD, count)
    return count[0]


class CancelTest(PipelineTest):
    def start(self, *options, stage="visibility", **streams):
        """A running study, known to be in the given stage."""
        _, source, _, crs = transmitters_csv(self.folder)
        self.parameters = PARAMETERS | {"TRANSMITTERS": str(source), "TRANSMITTERS_CRS": crs,
                                        "OUTPUT": str(self.folder / "x.gpkg"),
                                        "ENVIRONMENT": str(self.folder / "e.gpkg"),
                                        "VISIBILITY": str(self.folder / "v.tvis")}
        process = subprocess.Popen([EXECUTABLE, "coveragestudy", "--json", "-", *options], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **streams)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdin.write(json.dumps(self.parameters) + "\n")
        process.stdin.flush()
        self.told = ""
        while f'"stage":"{stage}"' not in self.told:
            line = process.stderr.readline()
            self.assertTrue(line, self.told)
            self.told += line
        return process

    def assert_cancelled(self, process, cancel):
        time.sleep(0.3)
        # In processor time, which is the same beside other work.
        before, ended_before = processor_seconds_so_far(process.pid), processor_seconds_of_ended_children()
        cancel()
        process.wait(timeout=30)
        seconds = processor_seconds_of_ended_children() - ended_before - before
        out, told = process.stdout.read(), process.stderr.read()
        self.assertEqual(process.returncode, 130, told)
        self.assertEqual(out, "")
        errors = [line["error"]["code"] for line in json_lines(told) if "error" in line]
        self.assertEqual(errors, ["cancelled"])
        self.assertLess(seconds, 1.0 * len(os.sched_getaffinity(0)), "each core stops within a second")
        # Finished work is kept for the next run (test_resume.py), and nothing else.
        self.assertEqual([file for file in self.files() if file != "v.tvis.work"], ["transmitters.csv"])

    def test_by_interrupt(self):
        process = self.start()
        self.assert_cancelled(process, lambda: process.send_signal(signal.SIGINT))

    def test_by_termination(self):
        process = self.start()
        self.assert_cancelled(process, process.terminate)

    def test_by_the_end_of_standard_input(self):
        process = self.start("--cancel-on-eof")
        self.assert_cancelled(process, process.stdin.close)

    def test_before_the_parameters_have_come(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([EXECUTABLE, "coveragestudy", "--json", "-"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            # Some bytes are taken out of the pipe when somebody waits for more.
            process.stdin.write("{")
            process.stdin.flush()
            while pending_bytes(process.stdin) > 0:
                time.sleep(0.01)
            time.sleep(0.05)
            process.send_signal(number)
            process.wait(timeout=30)
            out, told = process.communicate()
            self.assertEqual((process.returncode, out), (130, ""), told)
            self.assertEqual([line["error"]["code"] for line in json_lines(told)], ["cancelled"])

    def test_while_reading_and_tiling(self):
        process = self.start(stage="tiling")
        self.assert_cancelled(process, process.terminate)

    def test_the_end_of_standard_input_alone_cancels_nothing(self):
        process = self.start()
        process.stdin.close()
        time.sleep(1.0)
        self.assertIsNone(process.poll())
        process.kill()
        process.wait(timeout=30)

    def test_results_that_were_there_stay(self):
        (self.folder / "x.gpkg").write_text("precious")
        process = self.start("--overwrite")
        process.terminate()
        self.assertEqual(process.wait(timeout=30), 130)
        self.assertEqual((self.folder / "x.gpkg").read_text(), "precious")
        self.assertEqual([file for file in self.files() if file != "v.tvis.work"], ["transmitters.csv", "x.gpkg"])


if __name__ == "__main__":
    unittest.main()
