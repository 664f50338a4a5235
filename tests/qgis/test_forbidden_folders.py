# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that the system answers with an error: in a folder that the user may not enter, in the home of nobody, of names
that are too long. They are said as what is not there, and QGIS goes on. And those of network drives."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import unittest.mock

import qgis_harness as harness
from qgis_harness import EXECUTABLE, SAMPLE, SMALL_SCENE, ProjectTest, QgisTest, as_another_user, run_tests

TEMPORARY = "TEMPORARY_OUTPUT"
HOME_OF_NOBODY = "~no-such-colleague/tesseray/build/bin"
TOO_LONG = "/tmp/" + 300 * "x"


class ForbiddenFolderTest(ProjectTest):
    @classmethod
    def setUpClass(cls):
        cls.provider = harness.start_qgis()

    def setUp(self):
        super().setUp()
        self.locked = self.folder / "locked"
        (self.locked / "bin").mkdir(parents=True)
        shutil.copy(SAMPLE / "buildings.gpkg", self.locked / "city.gpkg")
        (self.locked / "bin" / "tesseray").symlink_to(EXECUTABLE)
        self.locked.chmod(0)
        self.addCleanup(self.locked.chmod, 0o700)
        self.places_of_the_program = [str(self.locked), str(self.locked / "bin"), HOME_OF_NOBODY, TOO_LONG]

    def test_a_program_there_leaves_the_tools_and_is_said(self):
        self.addCleanup(self.provider.refreshAlgorithms)
        tools = {algorithm.name() for algorithm in self.provider.algorithms()}
        for place in self.places_of_the_program:
            with self.subTest(place), unittest.mock.patch.dict(os.environ, {"TESSERAY_EXECUTABLE": place}):
                with as_another_user():
                    self.provider.refreshAlgorithms()
                    can_run, why = self.provider.algorithm("tileenvironment").canExecute()
                self.assertEqual({algorithm.name() for algorithm in self.provider.algorithms()}, tools)
                self.assertFalse(can_run)
                self.assertIn(f"TESSERAY_EXECUTABLE says that tesseray is at {place}, but", why)
                self.assertEqual(self.provider.warningMessage(), why)

    def test_the_page_of_the_options_opens_and_says_what_is_wrong(self):
        from tesseray import installation
        from tesseray.options_page import OptionsPage

        for place in self.places_of_the_program:
            # Another user has settings of its own.
            with self.subTest(place), unittest.mock.patch.object(installation, "executable_setting", lambda: place):
                with as_another_user():
                    page = OptionsPage(None, self.provider)
                self.assertIn(f"The setting says that tesseray is at {place}, but", page._status.text())
                page._place.setFilePath(EXECUTABLE)
                self.assertIn("Version", page._status.text())

    def test_a_program_in_a_folder_whose_name_is_no_utf8_is_taken_and_its_problems_are_said(self):
        from tesseray.options_page import OptionsPage

        self.addCleanup(self.provider.refreshAlgorithms)
        folder = os.path.join(os.fsencode(self.folder), "Prüfung".encode("latin-1"))
        os.mkdir(folder)
        for there in (False, True):
            if there:
                os.symlink(EXECUTABLE, os.path.join(folder, b"tesseray"))
            with self.subTest(there=there), unittest.mock.patch.dict(os.environ,
                                                                     {"TESSERAY_EXECUTABLE": os.fsdecode(folder)}):
                self.provider.refreshAlgorithms()
                can_run, why = self.provider.algorithm("tileenvironment").canExecute()
                self.assertEqual(can_run, there, why)
                self.assertIn("" if there else "Pr?fung, but", self.provider.warningMessage())
                page = OptionsPage(None, self.provider)
                self.assertRegex(page._status.text(), "Version .*Pr.fung/tesseray" if there else "says .*Pr.fung, but")

    def test_qgis_process_goes_on(self):
        finished = harness.qgis_process("list", environment={"TESSERAY_EXECUTABLE": HOME_OF_NOBODY})
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertIn("tesseray:coveragestudy", finished.stdout)

    def refused(self, parameters):
        from qgis.core import QgsApplication

        algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:tileenvironment")
        with as_another_user():
            return algorithm.checkParameterValues({"ENVIRONMENT": TEMPORARY, **parameters}, self.context)[1]

    def test_inputs_and_outputs_there_are_refused_in_words(self):
        inside = self.locked / "bin" / "new.gpkg"
        for parameters, words in (({"BUILDINGS": str(self.locked / "city.gpkg")}, "permission to read .*city.gpkg is"),
                                  ({"BUILDINGS": f"{self.locked}/city.gpkg|layername=buildings"}, "permission to read"),
                                  ({"BUILDINGS": f"{TOO_LONG}.gpkg"}, "xxx.gpkg not found"),
                                  ({"OUTPUT": str(self.locked / "new.gpkg")}, "locked.*cannot be written to"),
                                  ({"OUTPUT": str(inside)}, "locked.*cannot be written to .Permission denied"),
                                  ({"TILES": str(inside)}, "locked.*cannot be written to .Permission denied"),
                                  ({"ENVIRONMENT": str(inside)}, "locked.*cannot be written to .Permission denied"),
                                  ({"OUTPUT": f"{TOO_LONG}.gpkg"}, "cannot be written to .File name too long"),
                                  ({"OUTPUT": f"{TOO_LONG}/new.gpkg"}, "cannot be written to .File name too long"),
                                  ({"OUTPUT": "/tmp/a\0b.gpkg"}, "cannot be written to .Invalid argument")):
            with self.subTest(repr(parameters)):
                self.assertRegex(self.refused({"BUILDINGS": SMALL_SCENE["BUILDINGS"], **parameters}), words)

    def test_inputs_that_may_not_be_read_are_called_so(self):
        folder = self.open_folder()
        files = {name: pathlib.Path(shutil.copy(SMALL_SCENE[name], folder)) for name in ("BUILDINGS", "DEM")}
        for file in files.values():
            file.chmod(0o644)
        scene = {**SMALL_SCENE, **{name: str(file) for name, file in files.items()}}
        self.assertEqual(self.refused(scene), "")
        for name, file in files.items():
            with self.subTest(name):
                file.chmod(0)
                self.assertIn(f": the permission to read {file} is missing. ", self.refused(scene))
                file.chmod(0o644)

    def test_a_result_made_from_files_there_is_explained_by_asking_for_them(self):
        """As one whose files are gone."""
        from tesseray.executable import snapshot
        from tesseray.why_this_value.calls import RecordedRun, UnknownRun, plan_calls, predicting_run

        tool = next(tool for tool in snapshot().tools if tool.roles == ["map_click"])
        for folder in (self.locked, self.folder / "gone", pathlib.Path(TOO_LONG)):
            with self.subTest(str(folder)):
                run = RecordedRun("predictcoverage", {"ENVIRONMENT": str(folder / "city.gpkg"), "TRANSMITTERS": "x.csv",
                                                      "ANTENNA_FOLDER": f"{folder / 'bin'};{folder / 'other'}"},
                                  [{"path": str(folder / "city.gpkg"), "bytes": 1}], folder / "result.gpkg")
                with as_another_user():
                    plan = plan_calls(snapshot(), tool, run, folder)
                    with self.assertRaises(UnknownRun):
                        predicting_run(run.file, "path_loss", snapshot())
                self.assertEqual([parameter.name for parameter in plan.missing],
                                 ["ENVIRONMENT", "TRANSMITTERS", "ANTENNA_FOLDER"])

    def test_a_report_on_a_file_there_says_so(self):
        from tesseray.report import ReportError, write_report

        for file in (self.locked / "city.gpkg", pathlib.Path(TOO_LONG)):
            with self.subTest(str(file)), as_another_user(), self.assertRaisesRegex(ReportError, "does not exist"):
                write_report(file, self.folder / "report.html")

    def test_a_layer_whose_file_may_not_be_read_any_more_tells_no_run(self):
        from tesseray.recorded_runs import recorded_run

        result = self.open_folder() / "result.gpkg"
        shutil.copy(SAMPLE / "buildings.gpkg", result)
        result.chmod(0)
        with as_another_user():
            self.assertIsNone(recorded_run(result, "path_loss"))


class NetworkDriveTest(QgisTest):
    def test_sqlite_opens_files_on_network_drives_of_windows(self):
        """Where Windows would ask the server, other systems open a file of that name."""
        from tesseray.sqlite_files import read_only

        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for name in (r"\\server\share\Ergebnis für Köln?.gpkg", r"C:\results\a b#1.gpkg", "plain.gpkg"):
            with self.subTest(name), contextlib.closing(sqlite3.connect(name)) as database:
                database.execute("CREATE TABLE here (id)")
                with contextlib.closing(read_only(pathlib.PureWindowsPath(name))) as opened:
                    self.assertEqual(opened.execute("SELECT name FROM sqlite_master").fetchall(), [("here",)])
                    with self.assertRaisesRegex(sqlite3.OperationalError, "readonly"):
                        opened.execute("DROP TABLE here")


if __name__ == "__main__":
    run_tests()
