# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped models: made by scripts/write_models.py, run by qgis_process, with the statistics of the command line."""

import json
import sqlite3
import subprocess
import sys

import numpy as np
from osgeo import ogr, osr

import qgis_harness as harness
from qgis_harness import DRIVE_TEST, EXECUTABLE, SMALL_SCENE, SOURCE, QgisTest, run_algorithm, run_tests, transmitters

sys.path.insert(0, str(SOURCE / "scripts"))
import write_models  # noqa: E402, the folder is known only now

ogr.UseExceptions()


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

    def test_models_are_in_the_toolbox_and_can_run(self):
        provider = harness.start_qgis()
        found = {a.displayName(): a for a in provider.algorithms() if a.group() == "Models"}
        self.assertEqual(set(found), {"Coverage study with drive test", "Two settings against one drive test",
                                      "Coverage by district"})
        for name, model in found.items():
            self.assertEqual(model.canExecute(), (True, ""), name)
            self.assertEqual(model.validate(), (True, []), name)
            for child in model.childAlgorithms().values():
                self.assertIn(child.algorithm().provider().id(), ("tesseray", "native"), name)

    def test_layers_of_models_are_drawn_in_classes_without_gaps(self):
        from qgis.core import QgsVectorLayer
        from qgis.PyQt.QtXml import QDomDocument

        for name, source, field, first, last in (
                ("which_is_nearer.qml", "Point?field=gain_db:double", "gain_db", "A nearer by more than 10 dB",
                 "B nearer by more than 10 dB"),
                ("coverage_by_district.qml", "Polygon?field=covered_percent:double", "covered_percent",
                 "0 to 10 % of the ground", "90 to 100 % of the ground")):
            layer, document = QgsVectorLayer(source, name, "memory"), QDomDocument()
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

    def test_coverage_by_district_is_loaded_with_its_style_and_runs_when_copied_without_it(self):
        from qgis.core import QgsApplication, QgsProcessingModelAlgorithm

        harness.start_qgis()
        inputs = {"PATH_LOSS": f"{self.study('study', MAX_BOUNCES=1)}|layername=path_loss",
                  "DISTRICTS": self.districts()[0]}
        shipped = QgsApplication.processingRegistry().createAlgorithmById("tesseray:Coverage by district")
        project, layers = self.run_here(shipped, inputs)
        self.assertEqual(layers["Coverage by district"].renderer().type(), "graduatedSymbol")

        copy = QgsProcessingModelAlgorithm()
        copy.fromFile(str(write_models.SHIPPED / "coverage_by_district.model3"))
        copy.setSourceFilePath(self.file("copy.model3"))
        project, layers = self.run_here(copy, inputs)
        self.assertEqual(layers["Coverage by district"].renderer().type(), "singleSymbol")
        self.assertEqual(layers["Coverage by district"].featureCount(), 4)

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

    def districts(self):
        """A GeoPackage in WGS 84 with two neighbours, one that reaches beyond the prediction, and one far away.

        Their outlines in the prediction's CRS, by name.
        """
        boxes = {"west": (340360, 6020360, 340505, 6020640), "east": (340505, 6020360, 340640, 6020640),
                 "across": (340555, 6020555, 340755, 6020755), "away": (350000, 6020000, 350100, 6020100)}
        metric, geographic = osr.SpatialReference(), osr.SpatialReference()
        metric.ImportFromEPSG(25832)
        geographic.ImportFromEPSG(4326)
        geographic.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        to_geographic = osr.CoordinateTransformation(metric, geographic)
        file = self.file("districts.gpkg")
        source = ogr.GetDriverByName("GPKG").CreateDataSource(file)
        layer = source.CreateLayer("districts", geographic, ogr.wkbPolygon)
        layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
        outlines = {}
        for name, (west, south, east, north) in boxes.items():
            outline = ogr.CreateGeometryFromWkt(f"POLYGON (({west} {south}, {east} {south}, {east} {north}, "
                                                f"{west} {north}, {west} {south}))")
            outlines[name] = outline.Clone()
            # A straight line here is none there: corners often enough that the difference is far below a square metre.
            outline.Segmentize(5)
            outline.Transform(to_geographic)
            feature = ogr.Feature(layer.GetLayerDefn())
            feature["name"] = name
            feature.SetGeometry(outline)
            layer.CreateFeature(feature)
        return file, outlines

    def test_the_share_of_covered_ground_is_that_of_the_tiles(self):
        study = self.study("study", MAX_BOUNCES=self.bounces)
        with sqlite3.connect(study) as database:
            levels = [row[0] for row in database.execute("SELECT max(received_power_dbm) FROM path_loss WHERE kind = "
                                                         "'ground' GROUP BY tile_id") if row[0] is not None]
        least_power_dbm = round(float(np.median(levels)), 1)
        file, outlines = self.districts()
        results = run_algorithm("tesseray:Coverage by district", {
            "PATH_LOSS": f"{study}|layername=path_loss", "DISTRICTS": file, "LEAST_POWER": least_power_dbm,
            "coverage_by_district": self.file("coverage.gpkg")})
        found = {row["name"]: row for row in rows(results["coverage_by_district"])}
        self.assertEqual(list(found), list(outlines))
        self.assertNotIn("tesseray_district", found["west"])

        source = ogr.Open(str(study))
        tiles = source.ExecuteSQL("SELECT geom, max(received_power_dbm) AS best FROM path_loss WHERE kind = 'ground' "
                                  "GROUP BY tile_id", dialect="SQLite")
        expected = {name: [0.0, 0.0] for name in outlines}
        for tile in tiles:
            for name, outline in outlines.items():
                common = tile.GetGeometryRef().Intersection(outline)
                area = common.GetArea() if common.GetDimension() == 2 else 0  # neighbours share a border
                expected[name][0] += area
                expected[name][1] += area if tile["best"] is not None and tile["best"] >= least_power_dbm else 0
        source.ReleaseResultSet(tiles)
        for name, (ground_m2, covered_m2) in expected.items():
            row = found[name]
            if ground_m2 == 0:
                self.assertEqual((row["ground_m2"], row["covered_m2"], row["covered_percent"]), (None, None, None))
                continue
            self.assertAlmostEqual(row["ground_m2"], ground_m2, delta=0.01)
            self.assertAlmostEqual(row["covered_m2"], covered_m2, delta=0.01)
            self.assertAlmostEqual(row["covered_percent"], 100 * covered_m2 / ground_m2, delta=1e-4)
            self.assertTrue(5 < row["covered_percent"] < 95, row["covered_percent"])


if __name__ == "__main__":
    run_tests()
