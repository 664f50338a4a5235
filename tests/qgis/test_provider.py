# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolbox: every tool with the parameters that the executable declares, with or without the executable."""

import json
import os
import subprocess
import unittest
import unittest.mock

import qgis_harness as harness
from qgis_harness import EXECUTABLE, PLUGIN, QgisTest, run_tests

LAYER_TYPES = {"vector polygon": "VectorPolygon", "vector point": "VectorPoint", "vector any": "Vector",
               "table": "Vector"}
TYPES = {"raster": "raster", "field": "field", "number": "number", "distance": "number", "string": "string",
         "enum": "enum", "crs": "crs", "extent": "extent", "point": "point", "boolean": "boolean", "file": "file",
         "layer destination": "sink", "file destination": "fileDestination", **dict.fromkeys(LAYER_TYPES, "source")}
ADDED_BY_THE_PLUGIN = {"REPORT", "PLOT"}


def type_of(parameter):
    """The type of QGIS's definition of a declared parameter. A GeoTIFF is a file that QGIS shows, a folder is chosen."""
    if parameter["folder_of"]:
        return "file"
    if parameter["other_texts"]:
        return "string"
    is_raster = parameter["kind"] == "file destination" and parameter["extension"] == "tif"
    return "rasterDestination" if is_raster else TYPES[parameter["kind"]]


class ProviderTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        cls.provider = harness.start_qgis()
        cls.described = json.loads(subprocess.run([EXECUTABLE, "describe", "--json"], capture_output=True, text=True,
                                                  check=True).stdout)

    def definitions(self):
        """Each declared parameter with QGIS's definition of it."""
        for tool in self.described["tools"]:
            algorithm = self.provider.algorithm(tool["id"])
            self.assertIsNotNone(algorithm, tool["id"])
            for parameter in [*tool["parameters"], *self.described["options"]]:
                with self.subTest(tool=tool["id"], parameter=parameter["name"]):
                    definition = algorithm.parameterDefinition(parameter["name"])
                    self.assertIsNotNone(definition)
                    yield tool, parameter, definition

    def test_every_tool_is_there_with_its_parameters_and_no_others(self):
        from qgis.core import QgsProcessingModelAlgorithm

        tools = [algorithm for algorithm in self.provider.algorithms()
                 if not isinstance(algorithm, QgsProcessingModelAlgorithm)]
        self.assertEqual({algorithm.name() for algorithm in tools}, {tool["id"] for tool in self.described["tools"]})
        for tool in self.described["tools"]:
            algorithm = self.provider.algorithm(tool["id"])
            names = {definition.name() for definition in algorithm.parameterDefinitions()}
            declared = {item["name"] for item in [*tool["parameters"], *self.described["options"]]}
            self.assertEqual(names - ADDED_BY_THE_PLUGIN, declared)
            self.assertEqual("REPORT" in names, "report_input" in tool["roles"])
            self.assertEqual("PLOT" in names, "antenna_page" in tool["roles"])
            self.assertEqual((algorithm.displayName(), algorithm.group()), (tool["title"], tool["group"]))

    def test_kinds_flags_and_help(self):
        from qgis.core import Qgis

        for _, parameter, definition in self.definitions():
            self.assertEqual(definition.type(), type_of(parameter))
            flags = definition.flags()
            self.assertEqual(bool(flags & Qgis.ProcessingParameterFlag.Optional), parameter["optional"])
            self.assertEqual(bool(flags & Qgis.ProcessingParameterFlag.Advanced), parameter["advanced"])
            self.assertEqual(definition.help().lower(), parameter["help"].lower())
            self.assertIn(parameter["label"], definition.description())
            if parameter["kind"] in LAYER_TYPES:
                self.assertEqual([Qgis.ProcessingSourceType(kind).name for kind in definition.dataTypes()],
                                 [LAYER_TYPES[parameter["kind"]]])

    def test_numbers_have_range_default_and_unit(self):
        from qgis.core import Qgis

        for _, parameter, definition in self.definitions():
            if parameter["kind"] not in ("number", "distance"):
                continue
            for limit, given in ((definition.minimum(), parameter["minimum"]),
                                 (definition.maximum(), parameter["maximum"])):
                self.assertTrue(given is None or limit == given, (limit, given))
            self.assertEqual(definition.defaultValue(), parameter["default"])
            is_integer = definition.dataType() == Qgis.ProcessingNumberParameterType.Integer
            self.assertEqual(is_integer, parameter["integer"])
            # A distance too: the unit that a dialog offers for one does not count while it is out of sight.
            self.assertEqual(definition.type(), "number")
            if parameter["unit"]:
                self.assertIn(f"[{parameter['unit']}]", definition.description())

    def test_choices_are_words_and_fields_follow_their_layer(self):
        for _, parameter, definition in self.definitions():
            if parameter["other_texts"]:
                self.assertEqual(definition.metadata()["widget_wrapper"]["choices"], parameter["choices"])
                self.assertEqual(definition.defaultValue(), parameter["default"])
            elif parameter["kind"] == "enum":
                self.assertTrue(definition.usesStaticStrings())
                self.assertEqual(definition.options(), parameter["choices"])
                self.assertEqual(definition.allowMultiple(), parameter["multiple"])
                self.assertEqual(definition.defaultValue(), parameter["default"])
            if parameter["kind"] == "field":
                self.assertEqual(definition.parentLayerParameterName(), parameter["parent"])
            if definition.type() in ("file", "fileDestination") and parameter["extension"]:
                self.assertIn(f"*.{parameter['extension']}", definition.fileFilter())

    def test_each_layer_is_an_output_of_its_own_kind(self):
        from qgis.core import Qgis

        kinds = {"Polygon": "VectorPolygon", "MultiPolygon": "VectorPolygon", "LineString": "VectorLine",
                 "Point": "VectorPoint", "None": "Vector", "Geometry": "VectorAnyGeometry"}
        for tool in self.described["tools"]:
            algorithm = self.provider.algorithm(tool["id"])
            outputs = {output.name(): output for output in algorithm.outputDefinitions()}
            for output in tool["outputs"]:
                found = outputs[output["name"]]
                is_raster = algorithm.parameterDefinition(output["name"]).type() == "rasterDestination"
                self.assertEqual(found.type(), "outputVector" if output["kind"] == "layer"
                                 else "outputRaster" if is_raster else "outputFile")
                if output["kind"] == "layer":
                    definition = algorithm.parameterDefinition(output["name"])
                    self.assertEqual(Qgis.ProcessingSourceType(definition.dataType()).name,
                                     kinds[output["geometry"].split()[0]])

    def test_what_is_made_by_default(self):
        for _, parameter, definition in self.definitions():
            if parameter["kind"] == "layer destination":
                self.assertEqual(definition.createByDefault(), not parameter["skipped_by_default"])
            if parameter["collects_layers"]:
                self.assertFalse(definition.createByDefault())

    def test_help_names_every_parameter(self):
        for tool in self.described["tools"]:
            text = self.provider.algorithm(tool["id"]).shortHelpString()
            self.assertIn("<img", text, f"{tool['id']} has no picture: scripts/draw_qgis_pictures.py")
            for parameter in tool["parameters"]:
                self.assertIn(parameter["label"], text)
            for definition in self.provider.algorithm(tool["id"]).destinationParameterDefinitions():
                self.assertRegex(text, rf"<strong>{definition.description()}</strong><br/>\w.{{10}}")
                self.assertGreater(len(definition.help()), 10, definition.name())

    def test_icons_and_version(self):
        self.assertFalse(self.provider.icon().isNull())
        for algorithm in self.provider.algorithms():
            self.assertFalse(algorithm.icon().isNull())
        self.assertEqual(self.provider.versionInfo(), self.described["version"])
        self.assertEqual(self.provider.warningMessage(), "")

    def test_a_program_of_a_later_version_is_taken_as_far_as_it_is_known(self):
        from tesseray import description, parameters

        self.assertEqual(set(parameters._MAKERS), description.INPUT_KINDS)
        later = json.loads(json.dumps(self.described))
        later["tools"][0]["parameters"].append({"name": "NEW", "label": "New", "help": "", "kind": "new", "optional": True})
        program = self.folder / "tesseray"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(later)}\nEND\n", encoding="utf-8")
        program.chmod(0o755)
        self.addCleanup(self.provider.refreshAlgorithms)
        with unittest.mock.patch.dict(os.environ, {"TESSERAY_EXECUTABLE": str(program)}):
            self.provider.refreshAlgorithms()
            tool = self.provider.algorithm(later["tools"][0]["id"])
            self.assertEqual(tool.canExecute(), (True, ""))
            self.assertIsNone(tool.parameterDefinition("NEW"))
            self.assertIn(f"Left out: “New” of “{tool.displayName()}”.", self.provider.warningMessage())

    def test_no_tool_is_named_in_the_code(self):
        ids = [tool["id"] for tool in self.described["tools"]]
        for file in PLUGIN.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            self.assertEqual([name for name in ids if name in text], [], file)

    def test_without_the_executable_the_tools_stay_and_say_what_is_missing(self):
        good = os.environ["TESSERAY_EXECUTABLE"]
        os.environ["TESSERAY_EXECUTABLE"] = str(self.folder / "absent")
        try:
            self.provider.refreshAlgorithms()
            for tool in self.described["tools"]:
                algorithm = self.provider.algorithm(tool["id"])
                can_run, why = algorithm.canExecute()
                self.assertFalse(can_run)
                self.assertIn("Install the program", why)
            self.assertIn("absent", self.provider.warningMessage())
            self.assertEqual(self.provider.versionInfo(), "")
        finally:
            os.environ["TESSERAY_EXECUTABLE"] = good
            self.provider.refreshAlgorithms()
        self.assertTrue(self.provider.algorithms()[0].canExecute()[0])

    def test_a_program_that_fails_is_asked_once_while_the_plugin_loads(self):
        from tesseray.provider import TesserayProvider

        asked, program = self.folder / "asked", self.folder / "tesseray"
        program.write_text(f"#!/bin/sh\necho >> '{asked}'\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
        provider, loaded = TesserayProvider(with_models=False), []
        provider.algorithmsLoaded.connect(lambda: loaded.append(len(provider.algorithms())))
        with unittest.mock.patch.dict(os.environ, {"TESSERAY_EXECUTABLE": str(program)}):
            provider.refreshAlgorithms()
            provider.load_models()
        self.assertEqual(asked.read_text().count("\n"), 1)
        tools = len(self.described["tools"])
        self.assertEqual(loaded, [tools, tools + 3])

    def test_a_program_that_is_gone_since_it_was_found_is_said(self):
        """As one that is just being replaced."""
        from tesseray import executable, installation

        with unittest.mock.patch.object(installation, "executable", lambda: self.folder / "tesseray"):
            description, problem = installation.description()
        self.assertEqual(description, executable.snapshot())
        self.assertIn("tesseray cannot be used: [Errno 2] No such file", problem)

    def test_a_program_that_fails_is_left_alone_until_it_changes_or_time_has_passed(self):
        from tesseray import installation

        asked, program = self.folder / "times", self.folder / "failing"
        program.write_text(f"#!/bin/sh\necho >> '{asked}'\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)

        tools = [self.provider.algorithm(tool["id"]) for tool in self.described["tools"]]

        def times_asked(times=1):
            for algorithm in tools * times:
                can_run, why = algorithm.canExecute()
                self.assertFalse(can_run)
                self.assertIn("cannot be used", why)
            return asked.read_text().count("\n")

        with unittest.mock.patch.dict(os.environ, {"TESSERAY_EXECUTABLE": str(program)}):
            self.assertEqual(times_asked(2), 1)
            os.utime(program, ns=(1, 1))
            self.assertEqual(times_asked(), 2)
            with unittest.mock.patch.object(installation.time, "monotonic", lambda: float("inf")):
                self.assertEqual(times_asked(), 2 + len(tools))
        self.assertTrue(tools[0].canExecute()[0])


class UnusualToolTest(unittest.TestCase):
    """A tool that nobody has yet, with every kind of parameter: it appears without a change of the plugin."""

    def test_every_kind_becomes_a_parameter(self):
        harness.start_qgis()
        from tesseray import description
        from tesseray.algorithm import TesserayAlgorithm

        parameters = [{"name": f"P{i}", "label": "p", "help": "h", "kind": kind, "parent": "P0",
                       "choices": ["a", "b"] if kind == "enum" else []} for i, kind in enumerate(TYPES)]
        outputs = [{"name": item["name"], "label": "p", "kind": "layer" if "layer" in item["kind"] else "file",
                    "layer": "new_layer", "geometry": "MultiLineString Z"} for item in parameters
                   if "destination" in item["kind"]]
        text = json.dumps({"version": "0.2.0", "schema_version": 1, "options": [], "tools": [
            {"id": "newtool", "title": "New tool", "group": "New", "help": "h", "roles": [],
             "parameters": parameters, "outputs": outputs}]})
        parsed = description.parse_description(text)
        algorithm = TesserayAlgorithm(parsed.tools[0], parsed).create()
        self.assertEqual([definition.type() for definition in algorithm.parameterDefinitions()
                          if definition.type() not in ("sink", "fileDestination")],
                         [kind for kind in TYPES.values() if kind not in ("sink", "fileDestination")])
        self.assertEqual(len(algorithm.destinationParameterDefinitions()), 2)


if __name__ == "__main__":
    run_tests()
