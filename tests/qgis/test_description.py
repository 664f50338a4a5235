# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of the tools: shipped, live, cached; and where the executable is found. Needs no QGIS."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from qgis_harness import EXECUTABLE, PLUGIN, PLUGINS, QgisTest, as_another_user, run_tests

from tesseray import description, executable, wording


def program(folder, text, name="tesseray"):
    """A program of its own that prints `text`."""
    path = pathlib.Path(folder) / name
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n", encoding="utf-8")
    path.chmod(0o755)
    return path


class DescriptionTest(QgisTest):
    def test_the_shipped_one_is_the_executables(self):
        live = subprocess.run([EXECUTABLE, "describe", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(json.loads((PLUGIN / "describe.json").read_text(encoding="utf-8")), json.loads(live),
                         "renew it: make descriptions")

    def test_every_key_that_the_plugin_acts_on_is_there(self):
        tool = executable.snapshot().tools[0]
        self.assertTrue(tool.parameters and tool.outputs and tool.layer_outputs)
        buildings = next(parameter for parameter in tool.parameters if parameter.kind == "vector polygon")
        self.assertTrue(buildings.is_layer and not buildings.is_destination)
        self.assertTrue(tool.collector.collects_layers)
        self.assertEqual(description.Parameter("HEIGHT_FIELD", "", "", "field").option, "--height-field")

    def test_keys_of_later_versions_are_left_out(self):
        values = json.loads((PLUGIN / "describe.json").read_text(encoding="utf-8"))
        values["tools"][0]["parameters"][0]["colour"] = "blue"
        values["tools"][0]["smell"] = "none"
        parsed = description.parse_description(json.dumps(values))
        self.assertEqual(parsed.tools[0].parameters, executable.snapshot().tools[0].parameters)

    def test_parameters_of_later_versions_are_left_out(self):
        """Of a kind that the plugin does not know, and those that say how they are read; tools that need one, too."""
        values = json.loads((PLUGIN / "describe.json").read_text(encoding="utf-8"))
        shipped = executable.snapshot().tools
        self.assertEqual(executable.snapshot().left_out, "")
        roads = {"name": "ROADS", "label": "Roads", "help": "", "kind": "vector line", "optional": True}
        lanes = {"name": "LANES", "label": "Lanes", "help": "", "kind": "field", "optional": True, "parent": "ROADS"}
        first, second = values["tools"][:2]
        first["parameters"] += [roads, lanes]
        first["parameters"][0]["crs_from"] = ["ROADS", "CRS"]
        second["parameters"].append({**roads, "optional": False})
        values["options"].append({"name": "UNTIL", "label": "Until", "help": "", "kind": "date", "default": "never"})
        parsed = description.parse_description(json.dumps(values))
        self.assertEqual([tool.id for tool in parsed.tools], [tool.id for tool in shipped if tool.id != second["id"]])
        self.assertEqual([parameter.name for parameter in parsed.tools[0].parameters],
                         [parameter.name for parameter in shipped[0].parameters])
        self.assertEqual(parsed.tools[0].parameters[0].crs_from, ["CRS"])
        self.assertEqual(parsed.options, executable.snapshot().options)
        title = shipped[0].title
        self.assertIn(f"Left out: “Until”, “Roads” of “{title}”, “Lanes” of “{title}”, the tool “{second['title']}”. ",
                      parsed.left_out)

    def test_versions(self):
        for good in ("0.1.0", "0.9", "1.12.3", "1.0.0-rc1"):
            description.check_version(good)
        for bad in ("0.0.9", "2.0.0", "3", "new"):
            with self.assertRaises(description.UnsupportedDescription, msg=bad):
                description.check_version(bad)

    def test_another_schema_and_no_json_are_refused(self):
        for text in ('{"version": "0.1.0", "schema_version": 2, "tools": []}', "usage: tesseray", "[]",
                     '{"version": "0.1.0", "schema_version": 1, "tools": [{"id": "a"}]}',
                     '{"version": "0.1.0", "schema_version": 1, "tools": ["a"]}', 100_000 * "["):
            with self.assertRaises(description.UnsupportedDescription, msg=text[:80]):
                description.parse_description(text)

    def test_the_package_needs_no_qgis(self):
        code = ("import sys; sys.modules['qgis'] = None\nimport tesseray, tesseray.description, tesseray.executable, "
                "tesseray.runner, tesseray.help, tesseray.wording")
        subprocess.run([sys.executable, "-B", "-c", code], cwd=PLUGINS, check=True)


class FindingTest(QgisTest):
    def setUp(self):
        super().setUp()
        self.elsewhere = self.folder / "elsewhere"
        for name in ("setting", "environment", "data", "path", "elsewhere/bin"):
            (self.folder / name).mkdir(parents=True)
            program(self.folder / name, "")

    def find(self, setting="", environment="", data="", path=""):
        variables = {"PATH": str(self.folder / path) if path else "/nowhere"}
        if environment:
            variables[executable.ENVIRONMENT_VARIABLE] = str(self.folder / environment)
        place = executable.Place(str(self.folder / setting) if setting else "", variables,
                                 self.folder / data if data else None)
        return executable.find_executable(place).relative_to(self.folder)

    def test_setting_then_environment_then_data_folder_then_path(self):
        every = {"setting": "setting", "environment": "environment", "data": "data", "path": "path"}
        for name in every:
            given = {key: value for key, value in every.items() if list(every).index(key) >= list(every).index(name)}
            self.assertEqual(self.find(**given), pathlib.Path(name, "tesseray"))

    def test_a_file_a_folder_or_the_folder_above_bin(self):
        self.assertEqual(self.find(setting="setting/tesseray"), pathlib.Path("setting/tesseray"))
        self.assertEqual(self.find(setting="elsewhere"), pathlib.Path("elsewhere/bin/tesseray"))

    def test_blanks_and_quotes_around_a_path_are_none_of_it(self):
        for written in (' {} ', '"{}"', "'{}'\n", ' "{} "'):
            with self.subTest(written):
                place = executable.Place(written.format(self.folder / "setting"), {})
                self.assertEqual(executable.find_executable(place), self.folder / "setting" / "tesseray")
                place = executable.Place("", {executable.ENVIRONMENT_VARIABLE: written.format(self.folder / "setting")})
                self.assertEqual(executable.find_executable(place), self.folder / "setting" / "tesseray")
        place = executable.Place('""', {executable.ENVIRONMENT_VARIABLE: str(self.folder / "environment")})
        self.assertEqual(executable.find_executable(place), self.folder / "environment" / "tesseray")

    def test_a_wrong_setting_is_said_and_not_passed_over(self):
        with self.assertRaisesRegex(executable.ExecutableProblem, "The setting says .*nothing-here"):
            self.find(setting="nothing-here", path="path")

    def test_none_at_all_says_how_to_get_it(self):
        with self.assertRaisesRegex(executable.ExecutableProblem, "was not found.*TESSERAY_EXECUTABLE"):
            self.find()

    def test_a_file_that_may_not_be_run_is_none(self):
        (self.folder / "setting" / "tesseray").chmod(0o644)
        if os.access(self.folder / "setting" / "tesseray", os.X_OK):
            self.skipTest("this user may run any file")
        with self.assertRaises(executable.ExecutableProblem):
            self.find(setting="setting")


class CacheTest(QgisTest):
    def test_a_program_is_asked_once_until_it_changes(self):
        asked = self.folder / "asked"
        snapshot = (PLUGIN / "describe.json").read_text(encoding="utf-8")
        fake = program(self.folder, snapshot)
        fake.write_text(fake.read_text().replace("#!/bin/sh", f"#!/bin/sh\necho >> '{asked}'"), encoding="utf-8")
        cache = self.folder / "cache"
        for _ in range(3):
            self.assertEqual(executable.describe(fake, cache), executable.snapshot())
        self.assertEqual(asked.read_text().count("\n"), 1)
        os.utime(fake, ns=(1, 1))
        executable.describe(fake, cache)
        self.assertEqual(asked.read_text().count("\n"), 2)
        self.assertEqual(len(list(cache.iterdir())), 1)

    def test_a_damaged_description_is_asked_for_anew(self):
        """As a power cut or a full disk leaves it."""
        program, cache = pathlib.Path(EXECUTABLE), self.folder / "cache"
        described = executable.describe(program, cache)
        file, = cache.iterdir()
        whole = file.read_bytes()
        for damaged in (b"", whole[:len(whole) // 2], b"\xff\xfe" + whole, b"[" * 100_000, b'{"version": 1}'):
            with self.subTest(damaged[:20]):
                file.write_bytes(damaged)
                self.assertEqual(executable.describe(program, cache), described)
                self.assertEqual({kept: kept.read_bytes() for kept in cache.iterdir()}, {file: whole})

    def test_a_description_that_may_not_be_read_is_asked_for_anew(self):
        """As one that a QGIS of root's has kept; one that another QGIS has just swept away is no more to be read."""
        folder = self.open_folder()
        fake, cache = program(folder, (PLUGIN / "describe.json").read_text(encoding="utf-8")), folder / "cache"
        described = executable.describe(fake, cache)
        file, = cache.iterdir()
        file.chmod(0)
        with as_another_user():
            self.assertEqual(executable.describe(fake, cache), described)

    def test_a_folder_that_cannot_be_written_to_costs_only_time(self):
        blocked = self.folder / "file"
        blocked.write_text("")
        program = pathlib.Path(EXECUTABLE)
        self.assertEqual(executable.describe(program, blocked / "cache"), executable.describe(program))

    def test_a_program_that_fails_or_speaks_otherwise(self):
        snapshot = (PLUGIN / "describe.json").read_text(encoding="utf-8")
        for text, words in (("hello", "not the JSON"),
                            (snapshot.replace('"version": "0.1.0"', '"version": "7.5.0"'), "version 7.5.0")):
            with self.assertRaisesRegex(executable.ExecutableProblem, words):
                executable.describe(program(self.folder, text))
        failing = program(self.folder, "", "failing")
        failing.write_text("#!/bin/sh\nexit 3\n")
        with self.assertRaisesRegex(executable.ExecutableProblem, "cannot be used"):
            executable.describe(failing)

    def test_a_program_that_does_not_start_tells_its_own_reason(self):
        broken = program(self.folder, "", "broken")
        broken.write_text("#!/bin/sh\necho 'loading …' >&2\necho 'libgdal.so: no such file.' >&2\nexit 127\n",
                          encoding="utf-8")
        with self.assertRaisesRegex(executable.ExecutableProblem,
                                    r"exit status 127: libgdal\.so: no such file\. Install"):
            executable.describe(broken)
        broken.write_text("#!/bin/sh\nexit 3\n")
        with self.assertRaisesRegex(executable.ExecutableProblem, r"exit status 3\. Install"):
            executable.describe(broken)


class WordingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        described = executable.snapshot()
        tool = next(tool for tool in described.tools if tool.id == "predictcoverage")
        cls.wording = wording.Wording(tool, described)

    def test_names_of_parameters_and_tools_become_those_of_the_dialog(self):
        for text, expected in (
                ("run tileenvironment first", "run “Tile environment” first"),
                ("the file that computevisibility wrote; if not given, …",
                 "the file that “Compute visibility” wrote; if not given, …"),
                ("make the environment anew with tileenvironment.\nRun it.",
                 "make the environment anew with “Tile environment”.\nRun it."),
                ("PATH_LOSS (--path-loss): is missing", "“Path loss”: is missing"),
                ("the help of the tool (--help) says what each parameter takes",
                 "the help of the tool says what each parameter takes"),
                ("there is no frequency. Give FREQUENCY, or RECEIVERS", "there is no frequency. Give “Frequency”, or "
                                                                        "“Receiver points”"),
                ("by_numbers for PERMITTIVITY", "by_numbers for “Permittivity”"),
                ("choose another CRS. Assign the DEM its CRS", "choose another CRS. Assign the DEM its CRS"),
                ("assign one in QGIS (Layer > Set CRS) or set CRS",
                 "assign one in QGIS (Layer > Set CRS) or set “Environment CRS”"),
                ("ERP − received power; set ERP", "ERP − received power; set “ERP”"),
                ("EPSG:4326 has degrees.\nLeave ERP empty, or choose another", "EPSG:4326 has degrees.\nLeave “ERP” empty, "
                                                                              "or choose another"),
                ("the buildings' own; write TRANSMITTERS_OUT of predictcoverage to the same file",
                 "the buildings' own; write “Transmitters as used” of “Predict coverage” to the same file")):
            self.assertEqual(self.wording.of_dialog(text), expected)

    def test_parameters_of_earlier_tools_have_their_labels_there(self):
        described = executable.snapshot()
        for tool, text, expected in (
                ("predictcoverage", "make it with CLUTTER or CLUTTER_AREAS, or leave CLUTTER_LOSS out",
                 "make it with “Clutter raster” or “Clutter areas”, or leave “Loss in clutter” out"),
                ("coverageraster", "write PATH_LOSS with GEOMETRY polygon",
                 "write “Path loss” with “Geometry of path loss” polygon"),
                ("bestserver", "write PATH_LOSS and TRANSMITTERS_OUT of predictcoverage to one file",
                 "write “Path loss” and “Transmitters as used” of “Predict coverage” to one file"),
                ("explainpoint", "RECEIVER_PATH_LOSS (--receiver-path-loss): is a folder",
                 "“Path loss at the point”: is a folder")):
            own = next(one for one in described.tools if one.id == tool)
            with self.subTest(tool):
                self.assertEqual(wording.Wording(own, described).of_dialog(text), expected)

    def test_paths_file_names_and_quoted_names_stay(self):
        for text in ("/data/fingerprints/tx.csv: line 3 is empty",
                     "/data/old fingerprints run/PATH_LOSS/tx.csv: line 3 is empty",
                     "C:\\data\\fingerprints\\tx.csv: line 3 is empty", "fingerprints/tx.csv is empty",
                     "fingerprints.csv is empty", "x.gpkg|layername=fingerprints is empty",
                     "old-fingerprints.gpkg is empty", "x.gpkg: the file has no layer fingerprints",
                     "there is no file 'my fingerprints/O'Brien/PATH_LOSS'", 'two transmitters are called "bestserver"',
                     "sites.shp, layer RECEIVERS, feature 3: field FREQUENCY is empty", "RAYS.gpkg is empty",
                     "there is no height. Its fields: NAME, FREQUENCY, ANTENNA",
                     "the layer “fingerprints” is empty"):
            self.assertEqual(self.wording.of_dialog(text), text)
        self.assertEqual(self.wording.of_dialog("'/x/bestserver.tif' is old: run bestserver on /x/PATH_LOSS.gpkg"),
                         "'/x/bestserver.tif' is old: run “Best server” on /x/PATH_LOSS.gpkg")
        self.assertEqual(self.wording.of_dialog("/tmp/bestserver/1.gpkg is empty", {"/tmp/bestserver/1.gpkg": "“a”"}),
                         "“a” is empty")


    def test_names_of_layers_stay_where_a_message_is_about_them(self):
        layers = ("RECEIVERS", "EXTENT of my DEM", "my RAYS (2)")
        for text in ("RECEIVERS: 528 features are left out", "EXTENT of my DEM: 528 features are left out",
                     "“x”, layer my RAYS (2), feature 3: there is no value", "one\nmy RAYS (2), feature 3: no value"):
            self.assertEqual(self.wording.of_dialog(text, layers=layers), text)
        self.assertEqual(self.wording.of_dialog("RECEIVERS: no point.\nGive RECEIVERS, or leave EXTENT out", layers=layers),
                         "RECEIVERS: no point.\nGive “Receiver points”, or leave “Extent” out")


class ChildEnvironmentTest(unittest.TestCase):
    def test_what_qgis_sets_for_itself_is_not_passed_on(self):
        given = {"PROJ_LIB": "a", "PROJ_DATA": "a", "GDAL_DATA": "a", "PYTHONHOME": "a", "LD_LIBRARY_PATH": "a",
                 "HOME": "/home/a", "PATH": "/bin", "LANG": "de_DE.UTF-8"}
        self.assertEqual(executable.child_environment(given),
                         {"HOME": "/home/a", "PATH": "/bin", "LANG": "de_DE.UTF-8"})


if __name__ == "__main__":
    run_tests()
