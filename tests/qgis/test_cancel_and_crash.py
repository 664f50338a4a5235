# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that end otherwise than well: cancelled, crashed, killed, without an executable, with a wrong one."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from unittest import mock

import qgis_harness as harness
from qgis_harness import EXECUTABLE, PLUGIN, PLUGINS, SAMPLE, SMALL_SCENE, QgisTest, run_tests

sys.path.insert(0, str(harness.SOURCE / "tests" / "pipeline"))

from tesseray import runner  # noqa: E402, the folders are known only now
from tesseray_process import processor_seconds_of_ended_children, processor_seconds_so_far  # noqa: E402

# The whole town in small tiles: minutes of work, that nobody waits for.
LONG_RUN = {"BUILDINGS": str(SAMPLE / "buildings.gpkg"), "HEIGHT_FIELD": "height_m", "DEM": str(SAMPLE / "dem.tif"),
            "TILE_AREA": 8, "TRANSMITTERS": str(SAMPLE / "transmitters.csv")}


class Listener:
    """A feedback that keeps what it is told, and cancels as soon as it is told of the stage `cancel_at`."""

    def __init__(self, cancel_at=None):
        self.infos, self.warnings, self.texts, self.percents = [], [], [], []
        self.cancel_at, self.is_cancelled = cancel_at, False
        self.setProgress = self.percents.append
        self.pushInfo = self.infos.append
        self.pushWarning = self.warnings.append
        self.reportError = self.infos.append

    def isCanceled(self):  # noqa: N802, of QGIS
        return self.is_cancelled

    def setProgressText(self, text):  # noqa: N802, of QGIS
        self.texts.append(text)
        if text == self.cancel_at:
            self.at_cancel()
            self.is_cancelled = True

    def at_cancel(self):
        """What the processes had used so far."""
        (child,) = children_of(os.getpid())
        self.child, self.seconds_so_far = child, processor_seconds_so_far(child)
        self.seconds_of_ended = processor_seconds_of_ended_children()


def is_running(process_id):
    """Whether a process is there and no zombie."""
    try:
        status = pathlib.Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def children_of(process_id):
    return [int(word) for task in pathlib.Path(f"/proc/{process_id}/task").iterdir()
            for word in (task / "children").read_text().split()]


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


class RunnerTest(QgisTest):
    def program(self, text):
        path = self.folder / "program"
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def cancelled_at(self, stage, command, parameters):
        """Runs until the stage, cancels, and returns the processor seconds that the end took: those are the same beside
        other work."""
        listener = Listener(cancel_at=stage)
        with self.assertRaises(runner.RunCancelled):
            runner.run_tool(command, parameters, listener)
        self.assertEqual(listener.texts[-1], stage)
        self.assertFalse(is_running(listener.child))
        return processor_seconds_of_ended_children() - listener.seconds_of_ended - listener.seconds_so_far

    def test_the_promise_of_a_second_holds_for_what_is_killed(self):
        self.assertLess(runner.POLL_S + runner.CANCEL_PATIENCE_S, 1.0)

    def test_cancel_ends_a_long_run_within_a_second_and_leaves_nothing(self):
        for stage in ("Reading", "Visibility"):
            # A machine with other work does not get it killed.
            with self.subTest(stage=stage), mock.patch.object(runner, "CANCEL_PATIENCE_S", 60):
                seconds = self.cancelled_at(stage, [EXECUTABLE, "coveragestudy"],
                                            {**LONG_RUN, "OUTPUT": str(self.folder / "result.gpkg")})
                self.assertLess(seconds, 1.0 * len(os.sched_getaffinity(0)), "each core stops within a second")
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_program_that_does_not_listen_is_killed(self):
        stubborn = self.program("trap '' TERM INT HUP\necho '{\"stage\":\"deaf\",\"progress\":0.1}' >&2\n"
                                "while true; do sleep 0.1; done\n")
        self.cancelled_at("Deaf", [stubborn], {})

    def test_progress_stage_and_remaining_time(self):
        told = self.program("read line\n"
                            "echo '{\"stage\":\"visibility\",\"progress\":0.25,\"eta_s\":30}' >&2\n"
                            "echo '{\"warning\":{\"code\":\"w\",\"message\":\"two heights are missing\"}}' >&2\n"
                            "echo 'libfoo: odd' >&2\n"
                            "echo '{\"stage\":\"writing\",\"progress\":1,\"eta_s\":0}' >&2\n"
                            "echo '{\"outputs\":{\"A\":\"b\"}}'\n")
        listener = Listener()
        self.assertEqual(runner.run_tool([told], {"A": 1}, listener), {"outputs": {"A": "b"}})
        self.assertEqual(listener.percents, [25, 100])
        self.assertEqual(listener.texts, ["Visibility", "Writing"])
        self.assertEqual(listener.warnings, ["two heights are missing"])
        self.assertEqual(listener.infos, ["libfoo: odd"])

    def test_parameters_arrive_as_one_line_with_any_characters(self):
        echo = self.program("read -r line\nprintf '%s' \"$line\"\n")
        given = {"A": "naïve “路” 'x' \"y\" | $HOME `ls`", "B": [1, 2.5]}
        self.assertEqual(runner.run_tool([echo], given, Listener()), given)

    def test_a_crash_is_told_with_its_last_lines(self):
        crash = self.program("read line\nfor i in $(seq 30); do echo line $i >&2; done\nkill -SEGV $$\n")
        with self.assertRaises(runner.RunFailed) as caught:
            runner.run_tool([crash], {}, Listener())
        message = str(caught.exception)
        self.assertIn("SIGSEGV", message)
        self.assertIn("line 30", message)
        self.assertNotIn("line 2\n", message)

    def test_an_error_says_what_where_and_what_to_do(self):
        failing = self.program("read line\necho '{\"error\":{\"code\":\"no_field\","
                               "\"message\":\"layer roofs, field h: it is missing\",\"hint\":\"choose one\","
                               "\"layer\":\"roofs\",\"field\":\"h\"}}' >&2\nexit 2\n")
        with self.assertRaises(runner.RunFailed) as caught:
            runner.run_tool([failing], {}, Listener())
        self.assertEqual(str(caught.exception), "Layer roofs, field h: it is missing.\nChoose one.")
        self.assertEqual(caught.exception.code, "no_field")

    def test_an_error_that_ends_with_a_question_has_no_full_stop_after_it(self):
        self.assertEqual(runner.text_of({"message": "there is no layer rofs. Did you mean roofs?", "hint": "see its layers"}),
                         "There is no layer rofs. Did you mean roofs?\nSee its layers.")

    def test_an_error_that_begins_with_its_file_has_the_name_as_it_is(self):
        self.assertEqual(runner.text_of({"message": "bad.msi: it is empty", "hint": "choose another", "file": "bad.msi"}),
                         "bad.msi: it is empty.\nChoose another.")

    def test_a_result_that_is_none_and_a_program_that_is_none(self):
        with self.assertRaisesRegex(runner.RunFailed, "without its result"):
            runner.run_tool([self.program("read line\necho done\n")], {}, Listener())
        with self.assertRaisesRegex(runner.RunFailed, "cannot be started"):
            runner.run_tool([self.folder / "absent"], {}, Listener())

    def test_a_partial_result_is_a_result(self):
        partial = self.program("read line\necho '{\"outputs\":{}}'\nexit 4\n")
        self.assertEqual(runner.run_tool([partial], {}, Listener()), {"outputs": {}})

    def test_the_child_is_gone_when_qgis_is_killed(self):
        code = (f"import sys; sys.path.insert(0, {str(PLUGINS)!r}); sys.path.insert(0, {str(harness.SOURCE)!r})\n"
                "from unittest.mock import MagicMock\nfrom tesseray import runner\n"
                "feedback = MagicMock(); feedback.isCanceled = lambda: False\n"
                f"runner.run_tool([{EXECUTABLE!r}, 'coveragestudy'], "
                f"{dict(LONG_RUN, OUTPUT=str(self.folder / 'x.gpkg'))!r}, feedback)")
        parent = subprocess.Popen([sys.executable, "-B", "-c", code])
        try:
            self.assertTrue(wait_until(lambda: children_of(parent.pid), 60))
            child = children_of(parent.pid)[0]
            time.sleep(0.5)
            self.assertTrue(is_running(child))
        finally:
            parent.send_signal(signal.SIGKILL)
            parent.wait()
        self.assertTrue(wait_until(lambda: not is_running(child), 60), "the child outlives QGIS")
        self.assertEqual([path.name for path in self.folder.iterdir()], [])


class InQgisTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        cls.provider = harness.start_qgis()

    def run_with(self, environment, **inputs):
        """Runs a tool in this process with another executable; returns the exception's text."""
        import processing
        from qgis.core import QgsProcessingException

        good = os.environ["TESSERAY_EXECUTABLE"]
        os.environ["TESSERAY_EXECUTABLE"] = str(environment)
        try:
            with self.assertRaises(QgsProcessingException) as caught:
                processing.run("tesseray:tileenvironment", {**SMALL_SCENE, "ENVIRONMENT": "TEMPORARY_OUTPUT", **inputs})
        finally:
            os.environ["TESSERAY_EXECUTABLE"] = good
        return str(caught.exception)

    def program(self, text):
        path = self.folder / "tesseray"
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def test_a_missing_executable_says_how_to_get_it(self):
        message = self.run_with(self.folder / "nowhere")
        self.assertIn("nowhere", message)
        self.assertIn("Install the program", message)

    def test_a_wrong_version_says_which_ones_are_taken(self):
        text = (PLUGIN / "describe.json").read_text(encoding="utf-8").replace('"version": "0.1.0"',
                                                                              '"version": "9.0.0"')
        message = self.run_with(self.program(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n"))
        self.assertIn("version 9.0.0", message)
        self.assertIn("takes 0.1 and later", message)

    def test_a_crash_of_the_executable_is_a_message(self):
        text = (PLUGIN / "describe.json").read_text(encoding="utf-8")
        crashing = self.program("#!/bin/sh\nif [ \"$1\" = describe ]; then cat <<'END'\n" + text + "\nEND\nexit; fi\n"
                                "echo 'terminate called' >&2\nkill -ABRT $$\n")
        message = self.run_with(crashing)
        self.assertIn("SIGABRT", message)
        self.assertIn("terminate called", message)

    def test_cancel_leaves_no_layer_to_load(self):
        from qgis.core import QgsProcessingContext, QgsProcessingFeedback, QgsProcessingException, QgsProject
        from qgis.core import QgsProcessingOutputLayerDefinition

        feedback = QgsProcessingFeedback(False)
        context = QgsProcessingContext()
        context.setProject(QgsProject.instance())
        algorithm = self.provider.algorithm("coveragestudy").create()
        sink = QgsProcessingOutputLayerDefinition("TEMPORARY_OUTPUT", QgsProject.instance())
        timer = threading.Timer(1.0, feedback.cancel)
        timer.start()
        self.assertTrue(algorithm.prepare({**LONG_RUN, "PATH_LOSS": sink}, context, feedback))
        with self.assertRaisesRegex(QgsProcessingException, "cancelled"):
            algorithm.processAlgorithm({**LONG_RUN, "PATH_LOSS": sink}, context, feedback)
        timer.join()
        self.assertEqual(context.layersToLoadOnCompletion(), {})


if __name__ == "__main__":
    run_tests()
