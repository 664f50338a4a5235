# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line itself: help, version, spelling, JSON on standard input, and what a wrong one answers."""

import json
import os
import subprocess
import unittest

from tesseray_process import EXECUTABLE, EXTENT, SAMPLE, SCENE, PipelineTest, error_of, layers, made, tesseray


class CommandLineTest(PipelineTest):
    def test_version_names_the_commit(self):
        self.assertRegex(tesseray("--version").stdout, r"^tesseray \d+\.\d+\.\d+ \(\w+\)\n$")

    def test_help_goes_to_standard_output(self):
        process = tesseray("--help")
        self.assertEqual(process.returncode, 0)
        for tool in ("coveragestudy", "tileenvironment", "predictcoverage"):
            self.assertIn(tool, process.stdout)

    def test_standard_output_on_a_full_disk(self):
        written = self.folder / "e.gpkg"
        for arguments in (["list"], ["describe", "--json"], ["tileenvironment", "--help"],
                          ["tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--environment", written]):
            with open("/dev/full", "w") as full:
                process = subprocess.run([EXECUTABLE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(process.returncode, 3, arguments)
            self.assertIn("standard output cannot be written", process.stderr)
        self.assertIn("tiles", layers(written))

    def test_who_reads_the_output_may_leave(self):
        scene = ["tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--environment", self.folder / "e.gpkg"]
        process = subprocess.Popen([EXECUTABLE, *scene], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdout.close()
        self.assertEqual(process.wait(), 0)

    def test_closed_standard_streams_are_no_files_of_the_run(self):
        """Of a run so long that much is told, nothing gets into the files that are written meanwhile."""
        environment, scene, visibility = (self.folder / name for name in ("e.gpkg", "e.tscene", "e.tvis"))
        made("tileenvironment", *SCENE[:-2], "--tile-area", 400, "--environment", environment)
        made("exportscene", "--environment", environment, "--scene", scene)
        command = [EXECUTABLE, "computevisibility", "--environment", scene, "--visibility", visibility, "--progress", "json"]
        written = set()
        for closed in ("", "0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"):
            process = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', *command], capture_output=True)
            self.assertEqual(process.returncode, 0, (closed, process.stderr))
            written.add(visibility.read_bytes())
            visibility.unlink()
        self.assertEqual(len(written), 1)
        self.assertEqual(self.files(), ["e.gpkg", "e.tscene"])

    def test_no_tool(self):
        self.assert_refused(tesseray("--progress=json"), "bad_command_line")
        process = tesseray()
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        self.assertIn("tesseray list", process.stderr)

    def test_unknown_tool_gets_the_nearest_name(self):
        process = tesseray("coverage-study", "--progress", "json")
        self.assert_refused(process, "unknown_tool", ["coveragestudy"])
        self.assert_refused(tesseray("tileenviroment", "--progress", "json"), "unknown_tool", ["tileenvironment"])

    def test_unknown_tool_to_describe(self):
        process = tesseray("describe", "computevisiblity")
        self.assertEqual(process.returncode, 2)
        self.assertIn("computevisibility", process.stderr)

    def test_an_empty_value_is_none(self):
        written = self.folder / "e.gpkg"
        written.write_text("precious")
        scene = ("tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--environment", written)
        process = tesseray(*scene, "--height-field=", "--overwrite", "--progress", "json")
        self.assert_done(process)
        self.assert_refused(tesseray(*scene, "--height-field=", "--progress", "json"), "file_exists")

    def test_an_empty_value_of_a_common_option_is_none(self):
        environment = ("tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--extent", EXTENT, "--environment")
        for option in ("--threads", "--memory", "--device"):
            with self.subTest(option=option):
                self.assert_done(tesseray(*environment, self.folder / f"{option}.gpkg", option, "", "--progress", "json"))

    def test_unknown_parameter_gets_the_nearest_name(self):
        process = tesseray("tileenvironment", "--bulidings", "x.gpkg", "--progress", "json")
        self.assert_refused(process, "unknown_parameter", ["--bulidings", "--buildings"])
        process = tesseray("tileenvironment", "--tile_area=5", "--progress", "json")
        self.assert_refused(process, "unknown_parameter", ["--tile-area"])

    def test_what_to_do_follows_as_a_sentence(self):
        self.assertIn("Did you mean --buildings? Run ", tesseray("tileenvironment", "--bulidings", "x.gpkg").stderr)
        self.assertIn("belongs to no parameter. Run ", tesseray("tileenvironment", "roofs.gpkg").stderr)

    def test_a_switch_is_turned_on_by_its_name_and_off_by_its_value(self):
        wrong = ["--tile-area=-1", "--progress=json"]  # so that nothing runs
        for words in (["--local-metres"], ["--local-metres=true"], ["--local-metres", "false"]):
            with self.subTest(words=words):
                self.assertNotIn("LOCAL_METRES", error_of(tesseray("tileenvironment", *words, *wrong))["message"])
        self.assertIn("LOCAL_METRES", error_of(tesseray("tileenvironment", "--local-metres", "x", *wrong))["message"])

    def test_a_word_that_belongs_to_nothing(self):
        self.assert_refused(tesseray("tileenvironment", "roofs.gpkg", "--progress", "json"), "unexpected_argument",
                            ["roofs.gpkg"])

    def test_a_parameter_without_its_value(self):
        for option in ("--buildings", "--tile-area", "--threads"):
            self.assert_refused(tesseray("tileenvironment", "--progress", "json", option), "bad_command_line",
                                [f"{option} has no value"])

    def test_a_parameter_given_twice(self):
        for option in ("--buildings", "--tile-area", "--threads"):
            process = tesseray("tileenvironment", option, "2", option, "3", "--progress", "json")
            self.assert_refused(process, "bad_command_line", [f"{option} is given more than once"])

    def test_common_options_are_checked(self):
        for option, value in (("--threads", "-1"), ("--threads", "two"), ("--threads", "1.5"), ("--threads", "100000"), ("--memory", "0"),
                              ("--memory", "much"), ("--device", "gpu")):
            with self.subTest(option=option, value=value):
                process = tesseray("tileenvironment", f"{option}={value}", "--progress", "json")
                self.assert_refused(process, "bad_option", [option])
        self.assertEqual(tesseray("tileenvironment", "--progress", "loud").returncode, 2)

    def test_cuda_without_one_says_so(self):
        (self.folder / "b.gpkg").touch()
        process = tesseray("tileenvironment", "--buildings", self.folder / "b.gpkg", "--environment",
                           self.folder / "e.gpkg", "--device", "cuda", "--progress", "json")
        self.assert_refused(process, "no_cuda_device", ["CUDA"])
        self.assertEqual(self.files(), ["b.gpkg"])

    def test_errors_are_text_for_people_and_json_for_programs(self):
        for_people = tesseray("tileenvironment", "--tile-area", "x")
        self.assertEqual(for_people.returncode, 2)
        self.assertTrue(for_people.stderr.startswith("error: "), for_people.stderr)
        self.assertNotIn("{", for_people.stderr)
        for_programs = tesseray("tileenvironment", "--tile-area", "x", "--progress", "json")
        self.assertLessEqual({"code", "message", "hint"}, error_of(for_programs).keys())


class PipesTest(PipelineTest):
    """A pipe is refused before anything is opened: whoever opens one waits for its other end."""

    def setUp(self):
        super().setUp()
        self.pipe = self.folder / "pipe.gpkg"
        os.mkfifo(self.pipe)

    def test_as_an_output(self):
        scene = ["tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--overwrite", "--progress", "json"]
        for outputs in (["--environment", self.pipe],
                        ["--environment", self.folder / "e.gpkg", "--tiles", self.pipe]):
            with self.subTest(outputs=outputs):
                self.assert_refused(tesseray(*scene, *outputs, timeout=20), "no_regular_file", ["pipe"])
        self.assertEqual(self.files(), [self.pipe.name])

    def test_devices_as_an_output(self):
        antenna = self.folder / "a.msi"
        cut = "".join(f"{angle} {angle % 7}\n" for angle in range(0, 360, 45))
        antenna.write_text(f"NAME a\nGAIN 5 dBi\nHORIZONTAL 8\n{cut}VERTICAL 8\n{cut}")
        for device in ("/dev/full", "/dev/zero"):
            process = tesseray("importantenna", "--antenna-file", antenna, "--msi", device, "--overwrite", "--progress",
                               "json", timeout=20)
            self.assert_refused(process, "no_regular_file", [device, "device"])

    def test_as_an_input_that_is_a_file_of_tesseray(self):
        output = ["--output", self.folder / "x.gpkg"]
        environment = self.folder / "e.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        visibility = ["computevisibility", "--environment", environment]
        for command in (["visiblefrom", "--point", "340500,6020500", *output, "--environment", self.pipe],
                        ["explainpoint", "--point", "340500,6020500", "--environment", environment, *output,
                         "--transmitters", SAMPLE / "transmitters.csv", "--visibility", self.pipe],
                        [*visibility, "--previous-visibility", self.pipe],
                        [*visibility, "--previous-environment", self.pipe],
                        ["importantenna", "--antenna-file", self.pipe]):
            with self.subTest(command=command):
                self.assert_refused(tesseray(*command, "--progress", "json", timeout=20), "bad_parameters",
                                    [command[-1].name, "is a pipe or a device", "write what comes through it to a file"])

    def test_as_an_input(self):
        process = tesseray("tileenvironment", "--buildings", self.pipe, "--environment", self.folder / "e.gpkg",
                           "--progress", "json", timeout=20)
        self.assert_refused(process, "unreadable_file", ["pipe", "to a file"])


class JsonInputTest(PipelineTest):
    def run_json(self, text, *options):
        return tesseray("tileenvironment", "--json", "-", *options, stdin=text)

    def test_is_checked_like_the_command_line(self):
        error = self.assert_refused(self.run_json('{"TILE_AREA": -5, "HEIGHT_KIND": "hight"}\n'), "bad_parameters")
        for words in ("TILE_AREA", "HEIGHT_KIND", "BUILDINGS", "ENVIRONMENT"):
            self.assertIn(words, error["message"])

    def test_no_json(self):
        for text in ("", "tile\n", '{"TILE_AREA": \n', "[1, 2]\n", '"text"\n', "null\n"):
            with self.subTest(text=text):
                self.assert_refused(self.run_json(text), "bad_json")

    def test_a_number_beyond_all_bounds(self):
        self.assert_refused(self.run_json('{"BUILDINGS": "x", "TILE_AREA": 1e999}\n'), "bad_json", ["too large"])

    def test_nested_values(self):
        self.assert_refused(self.run_json('{"BUILDINGS": {"path": "x"}}\n'), "bad_parameters", ["BUILDINGS"])
        self.assert_refused(self.run_json('{"KINDS": [["wall"]]}\n'), "bad_parameters", ["KINDS"])

    def test_unknown_name_gets_the_nearest(self):
        error = self.assert_refused(self.run_json('{"BUILDING": "x"}\n'), "bad_parameters")
        self.assertIn("Did you mean BUILDINGS?", error["message"])
        error = self.assert_refused(self.run_json('{"tile_area": 5}\n'), "bad_parameters")
        self.assertIn("Did you mean TILE_AREA?", error["message"])

    def test_given_twice(self):
        process = self.run_json('{"TILE_AREA": 5}\n', "--tile-area", "6")
        self.assert_refused(process, "given_twice", ["TILE_AREA"])

    def test_only_from_standard_input(self):
        process = tesseray("tileenvironment", "--json", json.dumps({"TILE_AREA": 5}), "--progress", "json")
        self.assert_refused(process, "bad_option", ["--json -"])

    def test_cancel_on_eof_needs_json(self):
        process = tesseray("tileenvironment", "--cancel-on-eof", "--progress", "json")
        self.assert_refused(process, "bad_option", ["--json -"])


if __name__ == "__main__":
    unittest.main()
