# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped models: made by scripts/write_models.py, run by qgis_process, with the statistics of the command line."""

import json
import sqlite3
import subprocess
import sys

import numpy as np

import qgis_harness as harness
from qgis_harness import DRIVE_TEST, EXECUTABLE, SMALL_SCENE, SOURCE, QgisTest, run_algorithm, run_tests, transmitters

sys.path.insert(0, str(SOURCE / "scripts"))
import write_models  # noqa: E402, the folder is known only now


def rows(source, columns="*", order="rowid"):
    """The rows of "file.gpkg|layername=name", or of the only layer of a file, as dictionaries."""
    file, _, layer = str(source).partition("|layername=")
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        if not layer:
            layer, = database.execute("SELECT table_name FROM gpkg_contents WHERE table_name NOT IN "
                                      "('layer_styles', 'tesseray_runs', 'transmitters')").fetchone()
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f'SELECT {columns} FROM "{layer}" ORDER BY {order}')]


def command_line(tool, **parameters):
    subprocess.run([EXECUTABLE, tool, "--json", "-"], input=json.dumps(parameters), capture_output=True, text=True,
                   check=True)


class ModelsTest(QgisTest):
    def setUp(self):
        super().setUp()
        sites = transmitters(self.folder)
        self.bounces = sites.pop("MAX_BOUNCES")
        self.inputs = {**SMALL_SCENE, **sites, **DRIVE_TEST}

    def study(self, name, **parameters):
        """What coveragestudy on the command line writes with the models' inputs."""
        file = self.folder / f"{name}.gpkg"
        command_line("coveragestudy", **{**self.inputs, "EXTENT": self.inputs["EXTENT"].split(" ")[0], **parameters},
                     OUTPUT=str(file))
        return file

    def file(self, name):
        return str(self.folder / name)

    def test_shipped_models_are_those_of_the_script(self):
        from qgis.core import QgsProcessingModelAlgorithm

        harness.start_qgis()
        made = write_models.models()
        self.assertEqual({file.name for file in write_models.SHIPPED.glob("*.model3")}, set(made))
        for name, model in made.items():
            self.assertTrue(model.toFile(self.file(name)))
            contents = []
            for folder in (write_models.SHIPPED, self.folder):
                read = QgsProcessingModelAlgorithm()
                self.assertTrue(read.fromFile(str(folder / name)))
                contents.append(read.toVariant())
            self.assertEqual(*contents, f"{name}: run scripts/write_models.py")
        shipped = {file.name: file.read_text(encoding="utf-8") for file in write_models.SHIPPED.glob("*.qml")}
        self.assertEqual(shipped, write_models.styles(), "run scripts/write_models.py")

    def test_the_help_of_models_is_in_the_words_of_the_dialogs(self):
        harness.start_qgis()
        for model in write_models.models().values():
            for name, text in model.helpContent().items():
                self.assertNotRegex(text, r"\b[A-Z]+_[A-Z_]+\b|\bRAYS\b", name)

    def test_the_help_of_models_explains_each_input_and_output(self):
        provider = harness.start_qgis()
        for model in (a for a in provider.algorithms() if a.group() == "Models"):
            shown = model.shortHelpString()
            for definition in model.parameterDefinitions():
                with self.subTest(f"{model.displayName()}, {definition.name()}"):
                    text = model.helpContent().get(definition.name(), "")
                    self.assertGreater(len(text), 15)
                    self.assertIn(text, shown)

    def test_outputs_that_later_steps_read_cannot_be_left_out(self):
        harness.start_qgis()
        for model in write_models.models().values():
            optional = {definition.name() for definition in model.destinationParameterDefinitions()
                        if definition.flags() & definition.FlagOptional}
            read = {(source.outputChildId(), source.outputName()) for child in model.childAlgorithms().values()
                    for sources in child.parameterSources().values() for source in sources}
            for child in model.childAlgorithms().values():
                for output in child.modelOutputs().values():
                    is_read = (child.childId(), output.childOutputName()) in read
                    self.assertEqual(output.isMandatory(), is_read, output.name())
            self.assertTrue(model.parameterDefinition("OVERWRITE"))
            self.assertTrue(optional)

    def test_models_are_in_the_toolbox_and_can_run(self):
        provider = harness.start_qgis()
        found = {a.displayName(): a for a in provider.algorithms() if a.group() == "Models"}
        self.assertEqual(set(found), {"Coverage study with drive test", "Two settings against one drive test",
                                      "Ray launching against exact rays"})
        for name, model in found.items():
            self.assertEqual(model.canExecute(), (True, ""), name)
            self.assertEqual(model.validate(), (True, []), name)
            for child in model.childAlgorithms().values():
                self.assertIn(child.algorithm().provider().id(), ("tesseray", "native"), name)

    def test_a_model_offers_no_measurements_that_it_makes_nothing_of(self):
        provider = harness.start_qgis()
        models = {a.displayName(): a for a in provider.algorithms() if a.group() == "Models"}
        kinds = {name: set(model.parameterDefinition("VALUE_KIND").options()) for name, model in models.items()
                 if model.parameterDefinition("VALUE_KIND")}
        of_delays = {"time_of_arrival", "timing_advance"}
        self.assertLess(of_delays, kinds["Coverage study with drive test"])
        self.assertEqual(kinds["Two settings against one drive test"],
                         kinds["Coverage study with drive test"] - of_delays)

    def test_layers_of_models_are_drawn_in_classes_without_gaps(self):
        from qgis.core import QgsVectorLayer
        from qgis.PyQt.QtXml import QDomDocument

        for name, field, first, last in (
                ("which_is_nearer.qml", "gain_db", "A nearer by more than 10 dB", "B nearer by more than 10 dB"),
                ("ray_launching_against_exact_rays.qml", "difference_db", "launched weaker by more than 10 dB",
                 "launched stronger by more than 10 dB")):
            layer, document = QgsVectorLayer(f"Point?field={field}:double", name, "memory"), QDomDocument()
            self.assertTrue(document.setContent(write_models.styles()[name])[0])
            self.assertEqual(layer.importNamedStyle(document), (True, ""))
            ranges = layer.renderer().ranges()
            self.assertEqual(layer.renderer().classAttribute(), field)
            self.assertEqual((ranges[0].label(), ranges[-1].label()), (first, last))
            self.assertEqual([r.upperValue() for r in ranges[:-1]], [r.lowerValue() for r in ranges[1:]])
            self.assertEqual(len({r.symbol().color().name() for r in ranges}), len(ranges))

    def run_here(self, model, inputs):
        """Runs a model in this process as its dialog does, and loads its layers into a project; returns them."""
        from processing.gui.Postprocessing import handleAlgorithmResults
        from qgis.core import (QgsProcessingContext, QgsProcessingFeedback, QgsProcessingOutputLayerDefinition,
                               QgsProject)

        project = QgsProject()
        context, feedback = QgsProcessingContext(), QgsProcessingFeedback()
        context.setProject(project)
        destinations = {d.name(): QgsProcessingOutputLayerDefinition("TEMPORARY_OUTPUT", project)
                        for d in model.destinationParameterDefinitions()}
        results, is_done = model.run({**inputs, **destinations}, context, feedback)
        self.assertTrue(is_done, feedback.textLog())
        handleAlgorithmResults(model, context, feedback, results)
        return project, {layer.name(): layer for layer in project.mapLayers().values()}

    def test_two_settings_are_loaded_with_their_style_and_run_when_copied_without_it(self):
        from qgis.core import QgsApplication, QgsProcessingModelAlgorithm

        harness.start_qgis()
        inputs = {**self.inputs, "MAX_BOUNCES_A": 1, "MAX_BOUNCES_B": 1, "SCATTERING_COEFFICIENT_B": 0.2}
        shipped = QgsApplication.processingRegistry().createAlgorithmById(
            "tesseray:Two settings against one drive test")
        project, layers = self.run_here(shipped, inputs)
        self.assertEqual(layers["Which is nearer"].renderer().type(), "graduatedSymbol")
        self.assertFalse(layers["Nearer per transmitter and line of sight"].isSpatial())

        copy = QgsProcessingModelAlgorithm()
        copy.fromFile(str(write_models.SHIPPED / "two_settings_against_one_drive_test.model3"))
        copy.setSourceFilePath(self.file("copy.model3"))
        project, layers = self.run_here(copy, inputs)
        self.assertEqual(layers["Which is nearer"].renderer().type(), "singleSymbol")
        self.assertGreater(layers["Which is nearer"].featureCount(), 50)

    def test_the_staged_study_equals_the_study_of_the_command_line(self):
        results = run_algorithm("tesseray:Coverage study with drive test", {
            **self.inputs, "MAX_BOUNCES": self.bounces, "prediction_error": self.file("errors.gpkg"),
            "error_statistics": self.file("statistics.gpkg"), "path_loss": self.file("path_loss.gpkg"),
            "tiles": self.file("tiles.gpkg"), "report": self.file("report.html")})
        study = self.study("study", MAX_BOUNCES=self.bounces)
        for output, layer in (("error_statistics", "error_statistics"), ("prediction_error", "prediction_error"),
                              ("path_loss", "path_loss")):
            expected = rows(f"{study}|layername={layer}")
            self.assertGreater(len(expected), 3)
            self.assertEqual(rows(results[output]), expected, output)
        self.assertIn("Prediction against drive test", (self.folder / "report.html").read_text(encoding="utf-8"))

    def test_two_settings_are_compared_measurement_by_measurement(self):
        settings = {"A": {"MAX_BOUNCES": 1, "SCATTERING_COEFFICIENT": 0.4},
                    "B": {"MAX_BOUNCES": 2, "SCATTERING_COEFFICIENT": 0.2}}
        results = run_algorithm("tesseray:Two settings against one drive test", {
            **self.inputs, **{f"{name}_{which}": value for which in "AB" for name, value in settings[which].items()},
            **{f"{layer}_of_{which.lower()}": self.file(f"{layer}_{which}.gpkg")
               for layer in ("prediction_error", "error_statistics") for which in "AB"},
            "which_is_nearer": self.file("nearer.gpkg"),
            "nearer_per_transmitter_and_line_of_sight": self.file("summary.gpkg")})
        errors = {}
        for which in "AB":
            study = self.study(which, **settings[which])
            expected = rows(f"{study}|layername=error_statistics")
            self.assertGreater(len(expected), 3)
            self.assertEqual(rows(results[f"error_statistics_of_{which.lower()}"]), expected)
            errors[which] = {row["measurement_id"]: row for row in rows(f"{study}|layername=prediction_error")
                             if row["excluded_because"] is None}
        self.assertNotEqual(errors["A"], errors["B"])
        both = errors["A"].keys() & errors["B"].keys()
        nearer = {row["measurement_id"]: row for row in rows(results["which_is_nearer"])}
        self.assertEqual(nearer.keys(), both)
        self.assertGreater(len(both), 50)
        for identity, row in nearer.items():
            a, b = errors["A"][identity], errors["B"][identity]
            gain = abs(a["error_db"]) - abs(b["error_db"])
            self.assertEqual((row["transmitter_id"], row["measured_db"], row["predicted_a_db"], row["predicted_b_db"]),
                             (a["transmitter_id"], a["measured_db"], a["predicted_db"], b["predicted_db"]))
            self.assertEqual((row["error_a_db"], row["error_b_db"], row["gain_db"]),
                             (a["error_db"], b["error_db"], gain))
            self.assertEqual(row["nearer"], "B" if gain > 0 else "A" if gain < 0 else "equal")
        self.assertEqual({row["nearer"] for row in nearer.values()} - {"equal"}, {"A", "B"})
        self.assert_summary(rows(results["nearer_per_transmitter_and_line_of_sight"]), list(nearer.values()))

    def assert_summary(self, summary, nearer):
        groups = {}
        for row in nearer:
            groups.setdefault((row["transmitter_id"], row["line_of_sight"]), []).append(row)
        self.assertEqual({(row["transmitter_id"], row["line_of_sight"]) for row in summary}, set(groups))
        for row in summary:
            members = groups[row["transmitter_id"], row["line_of_sight"]]
            expected = {"n": len(members), "mean_gain_db": np.mean([m["gain_db"] for m in members]),
                        "a_nearer_percent": 100 * np.mean([m["nearer"] == "A" for m in members]),
                        "b_nearer_percent": 100 * np.mean([m["nearer"] == "B" for m in members]),
                        "mae_a_db": np.mean(np.abs([m["error_a_db"] for m in members])),
                        "mae_b_db": np.mean(np.abs([m["error_b_db"] for m in members]))}
            for name, value in expected.items():
                self.assertAlmostEqual(row[name], value, places=9, msg=name)

    def test_ray_launching_is_compared_with_exact_rays_receiver_by_receiver(self):
        environment, sites = self.file("environment.gpkg"), transmitters(self.folder)
        del sites["MAX_BOUNCES"]
        command_line("tileenvironment", **{**SMALL_SCENE, "EXTENT": SMALL_SCENE["EXTENT"].split(" ")[0]},
                     ENVIRONMENT=environment)
        ground = rows(f"{environment}|layername=tiles", "x, y, kind")
        places = [(row["x"], row["y"]) for row in ground if row["kind"] == "ground"][::12]
        receivers = self.folder / "receivers.csv"
        receivers.write_text("id,x,y\n" + "".join(f"{i},{x},{y}\n" for i, (x, y) in enumerate(places)),
                             encoding="utf-8")
        settings = {**sites, "RECEIVERS": str(receivers), "RECEIVERS_CRS": "EPSG:25832", "SUMMATION": "power",
                    "MAX_REFLECTIONS": 1, "MAX_DIFFRACTIONS": 1, "MAX_REFLECTIONS_WITH_DIFFRACTIONS": 1}
        results = run_algorithm("tesseray:Ray launching against exact rays", {
            **SMALL_SCENE, **settings, "MAX_LENGTH": 500, "exact_rays": self.file("rays.gpkg"),
            "ray_launching_against_exact_rays": self.file("difference.gpkg"),
            "difference_per_transmitter_and_line_of_sight": self.file("summary.gpkg")})
        expected = {}
        for tool, options in (("predictcoverage", {"MAX_BOUNCES": 1, "MAX_SCATTERINGS": 0, "OVER_ROOFTOP": "none",
                                                   "MIN_POWER": -300}), ("traceimage", {"MAX_LENGTH": 500})):
            output = self.file(f"{tool}.gpkg")
            command_line(tool, **settings, **options, ENVIRONMENT=environment, RECEIVER_PATH_LOSS=output, RAYS=output)
            expected[tool] = {(row["transmitter_id"], row["receiver_id"]): row
                              for row in rows(f"{output}|layername=receiver_path_loss")}
        found = {(row["transmitter_id"], row["receiver_id"]): row
                 for row in rows(results["ray_launching_against_exact_rays"])}
        self.assertEqual(found.keys(), expected["traceimage"].keys())
        self.assertGreater(len(found), 20)
        for pair, row in found.items():
            launched, exact = (expected[tool][pair]["received_power_dbm"] for tool in ("predictcoverage", "traceimage"))
            self.assertEqual((row["launched_dbm"], row["exact_dbm"]), (launched, exact))
            known = launched is not None and exact is not None
            self.assertEqual(row["difference_db"], launched - exact if known else None)
            self.assertEqual(row["reached_by"], "both" if known else "none" if launched is None and exact is None
                             else "exact rays" if launched is None else "ray launching")
            self.assertEqual(row["line_of_sight"], expected["traceimage"][pair]["line_of_sight"])
            self.assertEqual(row["exact_rays"], expected["traceimage"][pair]["ray_count"])
        self.assertEqual(rows(results["exact_rays"]), rows(f"{self.file('traceimage.gpkg')}|layername=rays"))
        self.assertNotIn("geom", rows(results["difference_per_transmitter_and_line_of_sight"])[0])
        self.assert_differences(rows(results["difference_per_transmitter_and_line_of_sight"]), list(found.values()))

    def assert_differences(self, summary, pairs):
        groups = {}
        for row in pairs:
            groups.setdefault((row["transmitter_id"], row["line_of_sight"]), []).append(row)
        self.assertEqual({(row["transmitter_id"], row["line_of_sight"]) for row in summary}, set(groups))
        for row in summary:
            members = groups[row["transmitter_id"], row["line_of_sight"]]
            differences = [m["difference_db"] for m in members if m["difference_db"] is not None]
            self.assertEqual(row["n"], len(differences))
            for name, value in (("mean_difference_db", np.mean(differences)), ("deviation_db", np.std(differences, ddof=1)),
                                ("median_difference_db", np.median(differences))):
                self.assertAlmostEqual(row[name], value, places=9, msg=name)
            for name, by in (("only_exact", "exact rays"), ("only_launched", "ray launching")):
                self.assertEqual(row[name], sum(m["reached_by"] == by for m in members))


if __name__ == "__main__":
    run_tests()
