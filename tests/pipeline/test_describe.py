# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tools say of themselves, which other programs rely on (docs/command_line.md)."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from tesseray_process import EXECUTABLE, SOURCE, tesseray

TOOLS = ["coveragestudy", "tileenvironment", "computevisibility", "predictcoverage", "comparewithdrivetest",
         "bestserver", "coverageraster", "coveragebydistrict", "fingerprints", "visiblefrom", "explainpoint",
         "traceimage", "importantenna", "exportscene"]
KINDS = {"vector polygon", "vector point", "vector any", "table", "raster", "field", "number", "distance", "string",
         "enum", "crs", "extent", "point", "boolean", "file", "layer destination", "file destination"}
PARAMETER_KEYS = {"name", "label", "help", "kind", "default", "unit", "minimum", "maximum", "choices", "optional",
                  "advanced", "parent"}
# The parameters that stay as they are, tool by tool.
PARAMETERS = {
    "tileenvironment":
        "BUILDINGS HEIGHT_FIELD HEIGHT_KIND HEIGHT_UNIT STOREY_HEIGHT BASE_FIELD GROUND_REFERENCE MISSING_HEIGHT "
        "DEFAULT_HEIGHT MATERIAL_FIELD DEM GROUND_HEIGHT VEGETATION VEGETATION_HEIGHT_FIELD EXTENT CRS LOCAL_METRES "
        "TILE_AREA MIN_WALL_WIDTH MIN_WALL_AREA RIDGE_ANGLE ENVIRONMENT TILES EDGES ISSUES",
    "computevisibility":
        "ENVIRONMENT MAX_DISTANCE PREVIOUS_ENVIRONMENT PREVIOUS_VISIBILITY VISIBILITY TILES",
    "predictcoverage":
        "ENVIRONMENT VISIBILITY TRANSMITTERS NAME_FIELD FREQUENCY_FIELD ANTENNA_HEIGHT_FIELD ERP_FIELD AZIMUTH_FIELD "
        "DOWNTILT_FIELD ANTENNA_FIELD POLARIZATION_FIELD FREQUENCY ANTENNA_HEIGHT ERP ANTENNA_HEIGHT_REFERENCE "
        "TRANSMITTERS_CRS RECEIVERS RECEIVER_HEIGHT RECEIVER_POLARIZATION MAX_BOUNCES MAX_REFLECTIONS "
        "MAX_DIFFRACTIONS MAX_SCATTERINGS MAX_REFLECTIONS_WITH_DIFFRACTIONS MAX_DIFFRACTIONS_WITH_SCATTERINGS "
        "MAX_AFTER_SCATTERING SCATTERING_MODEL SCATTERING_COEFFICIENT PERMITTIVITY CONDUCTIVITY MIN_POWER "
        "EDGE_VISIBILITY SUMMATION KINDS REACHED_ONLY GEOMETRY PATH_LOSS RECEIVER_PATH_LOSS TRANSMITTERS_OUT RAYS",
    "comparewithdrivetest":
        "PATH_LOSS DRIVE_TEST VALUE_FIELD VALUE_KIND TRANSMITTER_FIELD MEASUREMENT_HEIGHT_FIELD DRIVE_TEST_CRS "
        "RECEIVER_GAIN AVERAGING_DISTANCE SNAPPING MAX_SNAP_DISTANCE CENSOR_BELOW REMOVE_MEAN PREDICTION_ERROR "
        "ERROR_STATISTICS",
}
DEFAULTS = {"TILE_AREA": 100, "MIN_WALL_WIDTH": 1, "MIN_WALL_AREA": 4, "RIDGE_ANGLE": 195, "RECEIVER_HEIGHT": 1.5,
            "RECEIVER_POLARIZATION": "vertical", "MAX_BOUNCES": 3, "MAX_REFLECTIONS": 3, "MAX_DIFFRACTIONS": 1,
            "MAX_SCATTERINGS": 1, "MAX_REFLECTIONS_WITH_DIFFRACTIONS": 3, "MAX_DIFFRACTIONS_WITH_SCATTERINGS": 3,
            "MAX_AFTER_SCATTERING": 1, "SCATTERING_MODEL": "reciprocal", "SCATTERING_COEFFICIENT": 0.4,
            "PERMITTIVITY": 5, "CONDUCTIVITY": 0.01, "MIN_POWER": -130, "EDGE_VISIBILITY": "midpoint",
            "SUMMATION": "local_mean", "KINDS": ["ground", "wall", "roof"], "GEOMETRY": "polygon",
            "HEIGHT_KIND": "above_ground", "GROUND_REFERENCE": "mean", "MISSING_HEIGHT": "default",
            "LOCAL_METRES": False, "VALUE_KIND": "received_power", "SNAPPING": "nearest_ground"}
CHOICES = {"HEIGHT_KIND": ["above_ground", "roof_elevation", "storeys"], "HEIGHT_UNIT": ["m", "ft"],
           "MISSING_HEIGHT": ["default", "fail", "drop"], "ANTENNA_HEIGHT_REFERENCE": ["ground", "roof", "sea"],
           "SCATTERING_MODEL": ["reciprocal", "reflected", "incident"], "EDGE_VISIBILITY": ["midpoint", "parents"],
           "SUMMATION": ["local_mean", "coherent", "power"], "GEOMETRY": ["polygon", "point", "none"],
           "VALUE_KIND": ["received_power", "path_loss", "basic_loss", "field_strength", "time_of_arrival",
                          "timing_advance"],
           "SNAPPING": ["nearest_ground", "nearest_3d", "bilinear"]}
LAYERS = {"TILES": ("tiles", "Polygon Z"), "EDGES": ("edges", "LineString Z"), "ISSUES": ("issues", "Geometry"),
          "PATH_LOSS": ("path_loss", "Polygon Z"), "RECEIVER_PATH_LOSS": ("receiver_path_loss", "Point Z"),
          "TRANSMITTERS_OUT": ("transmitters", "Point Z"), "RAYS": ("rays", "LineString Z"),
          "PREDICTION_ERROR": ("prediction_error", "Point Z"), "ERROR_STATISTICS": ("error_statistics", "None"),
          "PROFILE": ("power_delay_profile", "None"), "PATTERN": ("antenna_pattern", "None"),
          "BEST_SERVER": ("best_server", "Polygon Z"), "VISIBLE_TILES": ("visible_tiles", "Polygon Z"),
          "FINGERPRINTS": ("fingerprints", "Point Z"), "LOCATED": ("located", "Point Z"),
          "DISTRICT_COVERAGE": ("district_coverage", "MultiPolygon"),
          "DISTRICT_TRANSMITTERS": ("district_transmitters", "None")}
# Layers of tools that are no part of the study.
NOT_OF_THE_STUDY = {"PROFILE", "PATTERN", "BEST_SERVER", "VISIBLE_TILES", "FINGERPRINTS", "LOCATED",
                    "DISTRICT_COVERAGE", "DISTRICT_TRANSMITTERS"}


class DescribeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.described = json.loads(tesseray("describe", "--json").stdout)
        cls.tools = {tool["id"]: tool for tool in cls.described["tools"]}

    def test_has_a_schema_version_and_all_tools_in_order(self):
        self.assertEqual(self.described["schema_version"], 1)
        self.assertEqual([tool["id"] for tool in self.described["tools"]], TOOLS)

    def test_every_parameter_is_fully_declared(self):
        for tool in self.described["tools"]:
            self.assertTrue(tool["title"] and tool["group"] and tool["help"], tool["id"])
            names = [parameter["name"] for parameter in tool["parameters"]]
            self.assertEqual(len(names), len(set(names)), tool["id"])
            for parameter in tool["parameters"]:
                with self.subTest(tool=tool["id"], parameter=parameter["name"]):
                    self.assertLessEqual(PARAMETER_KEYS, parameter.keys())
                    self.assertRegex(parameter["name"], r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")
                    self.assertIn(parameter["kind"], KINDS)
                    self.assertTrue(parameter["label"] and parameter["help"])
                    self.assertEqual(parameter["kind"] == "enum", bool(parameter["choices"]))
                    self.assertEqual(parameter["kind"] == "field", parameter["parent"] is not None)
                    if parameter["parent"]:
                        self.assertIn(parameter["parent"], names)

    def test_what_front_ends_check_names_other_parameters(self):
        for tool in self.described["tools"]:
            names = {parameter["name"]: parameter["kind"] for parameter in tool["parameters"]}
            for parameter in tool["parameters"]:
                with self.subTest(tool=tool["id"], parameter=parameter["name"]):
                    others = [*parameter["crs_from"], *parameter["beside"], parameter["needs"], parameter["within"],
                              parameter["folder_of"]]
                    self.assertLessEqual({other for other in others if other}, names.keys())
                    self.assertIn(parameter["content"], (None, "length", "number"))
                    if parameter["needs"] or parameter["skipped_by_default"]:
                        self.assertIn("destination", parameter["kind"])
            self.assertEqual([name for name in names if name == "OUTPUT"],
                             [p["name"] for p in tool["parameters"] if p["collects_layers"]])
            if tool["memory"]:
                self.assertLessEqual({tool["memory"][key] for key in ("layer", "extent", "piece_area")}, names.keys())
                self.assertGreater(tool["memory"]["bytes_per_piece"], 0)

    def test_options_of_every_run(self):
        options = {option["name"]: option for option in self.described["options"]}
        self.assertEqual(list(options), ["DEVICE", "THREADS", "MEMORY", "OVERWRITE"])
        self.assertEqual(options["DEVICE"]["choices"], ["auto", "cpu", "cuda"])
        self.assertIs(options["OVERWRITE"]["default"], False)
        for option in options.values():
            self.assertLessEqual(PARAMETER_KEYS, option.keys())

    def test_defaults_lie_in_their_range(self):
        for tool in self.described["tools"]:
            for parameter in tool["parameters"]:
                default = parameter["default"]
                with self.subTest(tool=tool["id"], parameter=parameter["name"]):
                    if parameter["minimum"] is not None and default is not None:
                        self.assertGreaterEqual(default, parameter["minimum"])
                    if parameter["maximum"] is not None and default is not None:
                        self.assertLessEqual(default, parameter["maximum"])
                    if parameter["choices"] and default is not None:
                        words = default if parameter["multiple"] else [default]
                        self.assertLessEqual(set(words), set(parameter["choices"]))

    def test_tools_take_what_the_contract_says(self):
        for tool, names in PARAMETERS.items():
            declared = {parameter["name"] for parameter in self.tools[tool]["parameters"]}
            self.assertEqual(set(names.split()) - declared, set(), tool)

    def test_the_study_takes_what_the_single_tools_take(self):
        study = {parameter["name"] for parameter in self.tools["coveragestudy"]["parameters"]}
        for tool in PARAMETERS:
            declared = {parameter["name"] for parameter in self.tools[tool]["parameters"]}
            self.assertEqual(declared - study, set(), tool)

    def test_why_this_value_takes_what_the_prediction_takes(self):
        """A front end hands the settings of a prediction on, by their names."""
        predict, explain = ({parameter["name"] for parameter in self.tools[tool]["parameters"]}
                            for tool in ("predictcoverage", "explainpoint"))
        only_predict = {"RECEIVERS", "RECEIVER_HEIGHT_FIELD", "RECEIVERS_CRS", "MISPLACED_RECEIVERS", "KINDS", "REACHED_ONLY", "GEOMETRY",
                        "PRUNING", "WIDEBAND", "DELAY_PROFILE_RAYS", "RAYS_PER_RECEIVER", "KEPT_PREDICTIONS", "PATH_LOSS",
                        "TRANSMITTERS_OUT"}
        self.assertEqual(predict - explain, only_predict)
        self.assertEqual(explain - predict, {"POINT", "TRANSMITTER", "MAX_RAYS", "PROFILE"})
        self.assertEqual(self.tools["explainpoint"]["roles"], ["map_click"])
        point = next(p for p in self.tools["explainpoint"]["parameters"] if p["kind"] == "point")
        self.assertFalse(point["optional"])

    def test_one_parameter_means_the_same_in_every_tool(self):
        """And has the same limits, but where a method takes less."""
        limits_of_method = {("traceimage", "MAX_REFLECTIONS"): (4, 8), ("traceimage", "MAX_DIFFRACTIONS"): (2, 8)}
        seen = {}
        for tool in self.described["tools"]:
            for parameter in tool["parameters"]:
                own, common = limits_of_method.get((tool["id"], parameter["name"]), (parameter["maximum"],) * 2)
                self.assertEqual(parameter["maximum"], own)
                facts = (parameter["default"], parameter["unit"], parameter["minimum"], common, parameter["choices"])
                self.assertEqual(seen.setdefault(parameter["name"], facts), facts, parameter["name"])

    def test_defaults_and_choices_are_the_contracts(self):
        for tool in self.described["tools"]:
            for parameter in tool["parameters"]:
                if parameter["name"] in DEFAULTS:
                    self.assertEqual(parameter["default"], DEFAULTS[parameter["name"]], parameter["name"])
                if parameter["name"] in CHOICES:
                    self.assertEqual(parameter["choices"], CHOICES[parameter["name"]], parameter["name"])

    def test_outputs_have_layer_and_geometry(self):
        for tool in self.described["tools"]:
            for output in tool["outputs"]:
                if output["kind"] == "layer":
                    self.assertEqual((output["layer"], output["geometry"]), LAYERS[output["name"]])
        study = {output["name"] for output in self.tools["coveragestudy"]["outputs"]}
        self.assertLessEqual(LAYERS.keys() - NOT_OF_THE_STUDY, study)

    def test_one_tool_alone(self):
        alone = json.loads(tesseray("describe", "computevisibility", "--json").stdout)
        self.assertEqual(alone["tools"], [self.tools["computevisibility"]])
        self.assertIn("--max-distance", tesseray("describe", "computevisibility").stdout)

    def test_the_page_of_layers_is_what_the_tools_write(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "layers.md"
            subprocess.run([SOURCE / "scripts" / "write_layers_page.py", EXECUTABLE, page], check=True)
            self.assertEqual(page.read_text(encoding="utf-8"), (SOURCE / "docs" / "layers.md").read_text(encoding="utf-8"),
                             "scripts/update-descriptions TESSERAY renews it")

    def test_list(self):
        self.assertEqual([line.split()[0] for line in tesseray("list").stdout.splitlines()], TOOLS)
        listed = json.loads(tesseray("list", "--json").stdout)
        self.assertEqual([tool["id"] for tool in listed["tools"]], TOOLS)

    def test_help_of_a_tool_names_every_parameter(self):
        help_text = tesseray("predictcoverage", "--help").stdout
        for parameter in self.tools["predictcoverage"]["parameters"]:
            self.assertIn("--" + parameter["name"].lower().replace("_", "-"), help_text)
        for option in ("--device", "--threads", "--memory", "--progress", "--overwrite", "--json"):
            self.assertIn(option, help_text)

    def test_help_says_what_must_be_given_and_what_is_taken_otherwise(self):
        for name in TOOLS:
            help_text = tesseray(name, "--help").stdout
            for parameter in self.tools[name]["parameters"]:
                option = "--" + parameter["name"].lower().replace("_", "-")
                line = re.search(rf"^  ({option}(?: REQUIRED|=\S.*?)?)(?:\s\s.*)?$", help_text, re.MULTILINE)
                self.assertIsNotNone(line, f"{name} {option}")
                default = parameter["default"]
                if default is None or default is False:
                    is_required = default is None and not parameter["optional"]
                    self.assertEqual(line[1], option + (" REQUIRED" if is_required else ""), name)
                else:
                    self.assertTrue(line[1].startswith(option + "="), f"{name} {line[1]}")
        self.assertIn("--pruning=true ", tesseray("predictcoverage", "--help").stdout)

    def test_reference_page_is_fresh(self):
        page = (SOURCE / "docs" / "tools.md").read_text()
        self.assertEqual(page, tesseray("describe", "--markdown").stdout,
                         "renew it: build/bin/tesseray describe --markdown > docs/tools.md")


if __name__ == "__main__":
    unittest.main()
