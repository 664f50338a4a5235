# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results go: files, tables of a GeoPackage, temporary places; and what is refused."""

import contextlib
import os
import pathlib
import sqlite3
import unittest.mock

import qgis_harness as harness
from qgis_harness import SMALL_SCENE, ProjectTest, run_tests

TEMPORARY = "TEMPORARY_OUTPUT"


def tables(file):
    with sqlite3.connect(file) as database:
        return {row[0] for row in database.execute("SELECT table_name FROM gpkg_contents")}


class OutputTest(ProjectTest):
    def tile(self, **outputs):
        import processing

        return processing.run("tesseray:tileenvironment", {**SMALL_SCENE, "ENVIRONMENT": TEMPORARY, **outputs},
                              context=self.context)

    def refused(self, **outputs):
        return self.refused_by("tileenvironment", {**SMALL_SCENE, "ENVIRONMENT": TEMPORARY, **outputs})

    def refused_by(self, tool, parameters):
        from qgis.core import QgsApplication

        algorithm = QgsApplication.processingRegistry().createAlgorithmById(f"tesseray:{tool}")
        return algorithm.checkParameterValues(parameters, self.context)[1]

    def predicted_path_loss(self):
        import processing

        scene = self.tile(ENVIRONMENT=self.path("scene.gpkg"))["ENVIRONMENT"]
        return processing.run("tesseray:predictcoverage", {
            "ENVIRONMENT": scene, **harness.transmitters(self.folder), "PATH_LOSS": TEMPORARY},
            context=self.context)["PATH_LOSS"]

    def path(self, name="x.gpkg"):
        return str(self.folder / name)

    def table(self, name, file="x.gpkg"):
        """As "Save to GeoPackage…" of a dialog says it."""
        return f"ogr:dbname='{self.path(file)}' table=\"{name}\" (geom)"

    def test_files_tables_and_temporary_places(self):
        results = self.tile(TILES=self.path(), EDGES=self.table("ridges", "y.gpkg"),
                            ISSUES=f"{self.path('y.gpkg')}|layername=notes")
        self.assertEqual(results["TILES"], f"{self.path()}|layername=tiles")
        self.assertEqual(results["EDGES"], f"{self.path('y.gpkg')}|layername=ridges")
        self.assertLessEqual({"ridges", "notes"}, tables(self.path("y.gpkg")))

        temporary = self.tile(TILES=TEMPORARY, EDGES=TEMPORARY)
        self.assertNotIn("ISSUES", temporary)
        file = temporary["TILES"].split("|")[0]
        self.assertEqual(temporary["EDGES"], f"{file}|layername=edges")
        self.assertTrue(pathlib.Path(temporary["ENVIRONMENT"]).exists())

    def test_the_file_for_all_layers_is_a_result_where_any_goes_to_it(self):
        """Later steps of a model read it."""
        self.assertEqual(self.tile(OUTPUT=self.path("all.gpkg"))["OUTPUT"], self.path("all.gpkg"))
        some = self.tile(OUTPUT=self.path("some.gpkg"), TILES=TEMPORARY, EDGES=self.path("y.gpkg"))
        self.assertEqual((some["OUTPUT"], some["TILES"]),
                         (self.path("some.gpkg"), f"{self.path('some.gpkg')}|layername=tiles"))
        self.assertIn("tiles", tables(self.tile(OUTPUT=TEMPORARY)["OUTPUT"]))
        self.assertNotIn("OUTPUT", self.tile(OUTPUT=self.path("idle.gpkg"), TILES=self.path("z.gpkg")))
        self.assertNotIn("OUTPUT", self.tile(TILES=TEMPORARY))

    def test_two_outputs_on_one_file_both_survive(self):
        results = self.tile(TILES=self.path(), EDGES=self.path())
        self.assertLessEqual({"tiles", "edges"}, tables(self.path()))
        self.assertEqual(results["EDGES"], f"{self.path()}|layername=edges")

    def test_layers_that_go_to_one_file_are_all_loaded_each_with_its_name(self):
        from qgis.core import QgsProcessingOutputLayerDefinition

        def shown(name="x.gpkg"):
            return QgsProcessingOutputLayerDefinition(self.path(name), self.project)

        self.tile(TILES=shown(), EDGES=shown(), ISSUES=shown("y.gpkg"))
        to_load = self.context.layersToLoadOnCompletion()
        self.assertEqual({key: details.name for key, details in to_load.items()},
                         {f"{self.path()}|layername=tiles": "Tiles", f"{self.path()}|layername=edges": "Edges",
                          f"{self.path('y.gpkg')}|layername=issues": "Issues"})

    def test_an_output_that_a_batch_leaves_empty_is_not_to_be_loaded(self):
        from qgis.core import QgsProcessingOutputLayerDefinition

        self.tile(TILES=QgsProcessingOutputLayerDefinition(self.path(), self.project),
                  EDGES=QgsProcessingOutputLayerDefinition("", self.project))
        self.assertEqual(list(self.context.layersToLoadOnCompletion()), [f"{self.path()}|layername=tiles"])
        self.assertNotIn("edges", tables(self.path()))

    def test_two_outputs_on_one_layer_are_refused(self):
        os.symlink(self.folder, self.folder / "same")
        for other in (self.table("tiles"), f"{self.path()}|layername=TILES", self.path("same/x.gpkg|layername=tiles")):
            self.assertIn("only one of them would survive", self.refused(TILES=self.path(), EDGES=other))
        self.assertIn("only one of them would survive", self.refused(ENVIRONMENT=self.path(), TILES=self.path()))
        self.assertEqual(self.refused(TILES=self.path(), EDGES=self.table("edges")), "")

    def two_steps(self, **places):
        """A model of two steps, each of which gives tiles of its own; by the step, where these go."""
        from qgis.core import (QgsProcessingModelAlgorithm, QgsProcessingModelChildAlgorithm,
                               QgsProcessingModelChildDependency, QgsProcessingModelChildParameterSource,
                               QgsProcessingModelOutput)

        model = QgsProcessingModelAlgorithm()
        for before, step in ((None, "first"), ("first", "second")):
            child = QgsProcessingModelChildAlgorithm("tesseray:tileenvironment")
            child.setChildId(step)
            for name, value in {**SMALL_SCENE, "OVERWRITE": places["OVERWRITE"]}.items():
                child.addParameterSources(name, [QgsProcessingModelChildParameterSource.fromStaticValue(value)])
            child.setDependencies([QgsProcessingModelChildDependency(before)] if before else [])
            output = QgsProcessingModelOutput("tiles", f"Tiles of {step}")
            output.setChildId(step)
            output.setChildOutputName("TILES")
            child.setModelOutputs({f"tiles_of_{step}": output})
            model.addChildAlgorithm(child)
        model.updateDestinationParameters()
        return model, {definition.name(): places[definition.name().rpartition("_")[2]]
                       for definition in model.destinationParameterDefinitions()}

    def run_two_steps(self, **places):
        """What the log says; whether the run went well."""
        from qgis.core import QgsProcessingContext, QgsProcessingFeedback

        feedback, context = QgsProcessingFeedback(False), QgsProcessingContext()
        context.setProject(self.project)
        model, parameters = self.two_steps(**places)
        _, is_good = model.run(parameters, context, feedback)
        return feedback.textLog(), is_good

    def test_a_step_of_a_model_does_not_replace_what_another_one_has_written(self):
        for overwrite in (False, True):
            log, is_good = self.run_two_steps(first=self.path(), second=self.table("TILES"), OVERWRITE=overwrite)
            self.assertFalse(is_good)
            self.assertIn(f"{self.path()}|layername=TILES has what an earlier step has just written", log)
            self.assertNotIn("tick", log)
        for _ in range(2):  # what an earlier run wrote may be replaced
            log, is_good = self.run_two_steps(first=self.path(), second=self.table("other"), OVERWRITE=True)
            self.assertTrue(is_good, log)

    def test_what_is_no_file_on_a_disk_is_refused(self):
        for place in ("/vsimem/new.gpkg", "/vsimem/new.gpkg|layername=t", "/vsizip/new.zip/new.gpkg",
                      "ogr:dbname='/vsimem/new.gpkg' table=\"t\" (geom)"):
            self.assertRegex(self.refused(TILES=place), "^Tiles: /vsi.*/new.gpkg.* cannot be written to. Choose a file on")
        self.assertIn("Environment: /vsimem/e.gpkg cannot be written to", self.refused(ENVIRONMENT="/vsimem/e.gpkg"))
        self.assertIn("/vsimem/x.gpkg cannot be written to", self.refused_by("coveragestudy", {
            **SMALL_SCENE, **harness.transmitters(self.folder), "OUTPUT": "/vsimem/x.gpkg"}))

    def test_what_is_wrong_with_the_file_for_all_layers_is_said_of_it(self):
        study = {**SMALL_SCENE, **harness.transmitters(self.folder), "OUTPUT": "/no/such/x.gpkg"}
        label = "Output GeoPackage: there is no folder /no/such. "
        for places in ({}, {"PATH_LOSS": TEMPORARY, "TRANSMITTERS_OUT": TEMPORARY}):
            self.assertTrue(self.refused_by("coveragestudy", {**study, **places}).startswith(label))
        self.assertTrue(self.refused_by("coveragestudy", {**study, "PATH_LOSS": "/no/such/y.gpkg"}).startswith(
            "Path loss: there is no folder"))

    def test_a_table_goes_into_a_geopackage_and_leaves_the_others(self):
        self.tile(TILES=self.table("first"))
        self.tile(TILES=self.table("second"))
        self.assertLessEqual({"first", "second"}, tables(self.path()))

    def test_nothing_is_replaced_unasked(self):
        self.tile(TILES=self.path(), ENVIRONMENT=self.path("e.gpkg"))
        before = pathlib.Path(self.path()).read_bytes()
        for again in ({"TILES": self.path()}, {"TILES": self.table("Tiles")}, {"ENVIRONMENT": self.path("e.gpkg")}):
            self.assertIn("is there already", self.refused(**again))
            self.assertIn("tick “Replace existing files and layers” (OVERWRITE).", self.refused(**again))
            self.assertEqual(self.refused(**again, OVERWRITE=True), "")
        from qgis.core import QgsProcessingException

        with self.assertRaisesRegex(QgsProcessingException, "Replace existing files and layers"):
            self.run_unchecked(TILES=self.path())
        self.assertEqual(pathlib.Path(self.path()).read_bytes(), before)
        self.assertEqual(self.refused(EDGES=self.path()), "", "another layer in the same file replaces nothing")

    def run_unchecked(self, **outputs):
        """As a model's step runs: without the dialog's check."""
        from qgis.core import QgsApplication, QgsProcessingFeedback

        algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:tileenvironment")
        parameters = {**SMALL_SCENE, "ENVIRONMENT": TEMPORARY, **outputs}
        feedback = QgsProcessingFeedback(False)
        self.assertTrue(algorithm.prepare(parameters, self.context, feedback))
        return algorithm.runPrepared(parameters, self.context, feedback)

    def test_a_layer_that_is_open_shows_the_new_rows_when_it_is_replaced(self):
        from qgis.core import QgsVectorLayer

        self.tile(TILES=self.path())
        layer = QgsVectorLayer(f"{self.path()}|layername=tiles", "tiles", "ogr")
        self.project.addMapLayer(layer)
        few = layer.featureCount()
        self.tile(TILES=self.path(), TILE_AREA=100, OVERWRITE=True)
        self.assertGreater(len(list(layer.getFeatures())), 1.5 * few)

    def rasterizing_a_prediction(self):
        """What writes the raster of a small prediction, always to the same file, and returns the file."""
        import processing

        def run(tool, **inputs):
            return processing.run(f"tesseray:{tool}", inputs, context=self.context)

        environment = self.tile(ENVIRONMENT=self.path("environment.gpkg"))["ENVIRONMENT"]
        path_loss = run("predictcoverage", ENVIRONMENT=environment, PATH_LOSS=self.path("p.gpkg"),
                        **{**harness.transmitters(self.folder), "MAX_BOUNCES": 0})["PATH_LOSS"]
        inputs = {"PATH_LOSS": path_loss, "RASTER": self.path("x.tif")}
        return lambda **more: run("coverageraster", **{**inputs, **more})["RASTER"]

    def test_a_raster_that_is_open_shows_the_new_values_when_it_is_replaced(self):
        from qgis.core import QgsProject, QgsRasterLayer

        rasterize = self.rasterizing_a_prediction()
        layer = QgsRasterLayer(rasterize(), "open")
        QgsProject.instance().addMapLayer(layer)
        before = layer.dataProvider().bandStatistics(1).maximumValue
        rasterize(VALUE="path_loss", OVERWRITE=True)
        block = layer.dataProvider().block(1, layer.extent(), layer.width(), layer.height())
        values = [block.value(i) for i in range(layer.width() * layer.height()) if not block.isNoData(i)]
        # Path losses are positive, received powers are not.
        self.assertLess(before, 0)
        self.assertGreater(min(values), 0)

    def test_all_figures_of_a_raster_that_is_replaced_are_those_of_the_new_one(self):
        """Of open layers and of those that are opened later, to which GDAL gives what lies beside the file."""
        from osgeo import gdal
        from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsRasterRange

        rasterize = self.rasterizing_a_prediction()
        raster = rasterize()
        plain, changed = QgsRasterLayer(raster, "plain"), QgsRasterLayer(raster, "changed")
        changed.setCrs(QgsCoordinateReferenceSystem("EPSG:3044"))
        changed.dataProvider().setUserNoDataValue(1, [QgsRasterRange(-1, -1)])
        self.project.addMapLayers([plain, changed])
        for layer in (plain, changed):
            self.assertLess(layer.dataProvider().bandStatistics(1).maximumValue, 0)
            self.assertLess(layer.dataProvider().histogram(1).maximum, 0)
        # Path losses are positive, received powers are not.
        rasterize(VALUE="path_loss", OVERWRITE=True)
        for layer in (plain, changed, QgsRasterLayer(raster, "opened later")):
            self.assertGreater(layer.dataProvider().bandStatistics(1).minimumValue, 0, layer.name())
            self.assertGreater(layer.dataProvider().histogram(1).maximum, 0, layer.name())
        dataset = gdal.Open(raster)
        self.assertGreater(dataset.GetRasterBand(1).GetStatistics(True, True)[0], 0)
        self.assertEqual(changed.crs().authid(), "EPSG:3044")
        self.assertEqual([values.min() for values in changed.dataProvider().userNoDataValues(1)], [-1])

    def test_an_open_raster_is_drawn_as_far_as_the_new_one_and_by_a_band_that_it_has(self):
        from qgis.core import QgsRasterLayer, QgsSingleBandGrayRenderer

        rasterize = self.rasterizing_a_prediction()
        layer = QgsRasterLayer(rasterize(RESOLUTION=10), "open")
        whole = layer.extent()
        layer.setRenderer(QgsSingleBandGrayRenderer(layer.dataProvider(), layer.bandCount()))
        self.project.addMapLayer(layer)
        east = f"{self.path('p.gpkg')}|layername=path_loss|subset=ST_MinX(geom) > {whole.center().x()}"
        rasterize(RESOLUTION=10, PATH_LOSS=east, OVERWRITE=True)
        self.assertLess(layer.extent().width(), 0.8 * whole.width())
        self.assertEqual(layer.renderer().type(), "singlebandgray")
        rasterize(RESOLUTION=10, BANDS="strongest", OVERWRITE=True)
        self.assertEqual(layer.extent(), whole)
        self.assertEqual((layer.renderer().type(), layer.renderer().band()), ("singlebandpseudocolor", 1))

    def test_classes_of_an_open_raster_follow_its_unit_unless_the_user_made_them(self):
        from qgis.core import QgsRasterLayer, QgsSingleBandGrayRenderer
        from tesseray.layers import apply_classes

        rasterize = self.rasterizing_a_prediction()
        raster = rasterize()
        classed, grey = QgsRasterLayer(raster, "classed"), QgsRasterLayer(raster, "grey")
        apply_classes(classed)
        grey.setRenderer(QgsSingleBandGrayRenderer(grey.dataProvider(), 1))
        self.project.addMapLayers([classed, grey])
        for value, label in (("field_strength", "20 to 30 dB(µV/m)"), ("path_loss", "60 to 70 dB")):
            rasterize(VALUE=value, OVERWRITE=True)
            classes = classed.renderer().shader().rasterShaderFunction().colorRampItemList()
            self.assertEqual(classes[1].label, label)
            self.assertEqual(grey.renderer().type(), "singlebandgray")

    def test_what_cannot_be_written_is_refused(self):
        for outputs, words in (({"TILES": self.path("x.shp")}, "Choose a file that ends in .gpkg"),
                               ({"TILES": self.path("x.geojson")}, "Choose a file that ends in .gpkg"),
                               ({"TILES": "postgres://dbname='city' table=\"public\".\"t\" (geom)"}, "database"),
                               ({"TILES": "postgres:dbname='city' table=\"t\" (geom)"}, "database"),
                               ({"TILES": "memory"}, "cannot be written to “memory”"),
                               ({"TILES": self.path("nowhere/x.gpkg")}, "there is no folder"),
                               ({"ENVIRONMENT": self.path("nowhere/x.gpkg")}, "there is no folder"),
                               ({"TILES": str(self.folder)}, "gpkg")):
            with self.subTest(str(outputs)):
                self.assertIn(words, self.refused(**outputs))

    def test_a_place_may_be_the_address_of_a_file(self):
        from qgis.PyQt.QtCore import QUrl

        url = QUrl.fromLocalFile(self.path("a b.gpkg")).toString()
        results = self.tile(TILES=f"{url}|layername=t 1", ENVIRONMENT=QUrl.fromLocalFile(self.path("scene.gpkg")).toString())
        self.assertEqual(results["TILES"], f"{self.path('a b.gpkg')}|layername=t 1")
        self.assertEqual(results["ENVIRONMENT"], self.path("scene.gpkg"))
        self.assertIn("is there already", self.refused(TILES=f"{url}|layername=t 1"))

    def test_an_expression_that_gives_no_place_is_refused(self):
        from qgis.core import QgsProcessingException, QgsProcessingOutputLayerDefinition, QgsProperty

        for expression in ("nonsense(", "to_date('x') + no_function()", "'a' + to_int('b')"):
            place = QgsProperty.fromExpression(expression)
            for outputs in ({"TILES": place}, {"TILES": QgsProcessingOutputLayerDefinition(place, self.project)},
                            {"ENVIRONMENT": place}, {"OUTPUT": place}):
                with self.subTest(expression=expression, outputs=list(outputs)):
                    self.assertIn(f"the expression “{expression}” gives no place (", self.refused(**outputs))
        with self.assertRaisesRegex(QgsProcessingException, "gives no place"):
            self.run_unchecked(TILES=QgsProperty.fromExpression("nonsense("))
        given = QgsProperty.fromExpression(f"'{self.path('x')}' || '.gpkg'")
        self.assertEqual(self.tile(TILES=given)["TILES"], f"{self.path('x.gpkg')}|layername=tiles")

    def test_an_unwritable_folder_is_refused(self):
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        may_write = os.access(locked, os.W_OK)  # root may write anywhere
        with unittest.mock.patch("tesseray.outputs.os.access", return_value=False) if may_write \
                else contextlib.nullcontext():
            for outputs in ({"TILES": str(locked / "x.gpkg")}, {"ENVIRONMENT": str(locked / "x.gpkg")}):
                self.assertIn("cannot be written to", self.refused(**outputs))

    def test_a_place_where_no_file_can_be_is_a_message(self):
        from qgis.core import QgsProcessingException

        with self.assertRaisesRegex(QgsProcessingException, "/proc/x.gpkg"):
            self.run_unchecked(TILES="/proc/x.gpkg")

    def test_blanks_around_a_place_are_none_of_it(self):
        results = self.tile(OUTPUT=f" {self.path('all.gpkg')} ", ENVIRONMENT=f"{self.path('scene.gpkg')} ")
        self.assertEqual(results["TILES"], f"{self.path('all.gpkg')}|layername=tiles")
        self.assertEqual(results["ENVIRONMENT"], self.path("scene.gpkg"))
        self.assertEqual(self.tile(TILES=f"{self.path()} ")["TILES"], f"{self.path()}|layername=tiles")

    def test_one_file_for_all_layers(self):
        results = self.tile(OUTPUT=self.path())
        self.assertLessEqual({"tiles", "edges", "issues"}, tables(self.path()))
        self.assertEqual(results["ISSUES"], f"{self.path()}|layername=issues")
        self.assertIn("is there already", self.refused(OUTPUT=self.path()))

        # What a dialog says: some layers are wanted, some are skipped; none has a file of its own.
        results = self.tile(OUTPUT=self.path("some.gpkg"), TILES=TEMPORARY)
        self.assertEqual(results["TILES"], f"{self.path('some.gpkg')}|layername=tiles")
        self.assertNotIn("edges", tables(self.path("some.gpkg")))
        self.assertIn("is there already", self.refused(OUTPUT=self.path("some.gpkg"), TILES=TEMPORARY))

    def test_a_file_for_all_layers_that_none_goes_to_is_told(self):
        import processing
        from qgis.core import QgsProcessingFeedback

        for edges, is_told in ((self.path("edges.gpkg"), True), (TEMPORARY, False)):
            with self.subTest(edges=edges):
                feedback = QgsProcessingFeedback(False)
                processing.run("tesseray:tileenvironment", {
                    **SMALL_SCENE, "ENVIRONMENT": self.path(f"scene_{is_told}.gpkg"), "EDGES": edges,
                    "OUTPUT": self.path("all.gpkg")}, context=self.context, feedback=feedback)
                self.assertEqual(pathlib.Path(self.path("all.gpkg")).exists(), not is_told)
                self.assertEqual("all.gpkg is not written" in feedback.textLog(), is_told, feedback.textLog())

    def test_transmitters_are_kept_where_the_path_loss_is(self):
        import processing

        scene = self.tile(ENVIRONMENT=self.path("scene.gpkg"))["ENVIRONMENT"]
        prediction = {"ENVIRONMENT": scene, **harness.transmitters(self.folder), "TRANSMITTERS_OUT": TEMPORARY}
        results = processing.run("tesseray:predictcoverage", {**prediction, "PATH_LOSS": self.table("mine")},
                                 context=self.context)
        self.assertEqual(results["TRANSMITTERS_OUT"], f"{self.path()}|layername=transmitters")
        served = processing.run("tesseray:bestserver", {"PATH_LOSS": results["PATH_LOSS"], "BEST_SERVER": TEMPORARY},
                                context=self.context)
        self.assertIn("best_server", served["BEST_SERVER"])
        # Those of another prediction would be taken for this one's.
        self.assertIn("is there already", self.refused_by("predictcoverage", {**prediction,
                                                                              "PATH_LOSS": self.table("another")}))
        self.assertEqual(self.refused_by("predictcoverage", {
            **prediction, "PATH_LOSS": self.table("another"), "TRANSMITTERS_OUT": self.path("elsewhere.gpkg")}), "")

    def test_outputs_that_need_an_input_that_is_not_given_are_left_out_unless_they_have_a_name(self):
        import processing
        from qgis.core import QgsProcessingException

        results = processing.run("tesseray:coveragestudy", {
            **SMALL_SCENE, **harness.transmitters(self.folder), "PATH_LOSS": TEMPORARY, "RAYS": TEMPORARY,
            "PREDICTION_ERROR": TEMPORARY, "REPORT": TEMPORARY}, context=self.context)
        self.assertIn("PATH_LOSS", results)
        self.assertFalse({"RAYS", "PREDICTION_ERROR", "REPORT"} & results.keys())
        with self.assertRaisesRegex(QgsProcessingException, "Rays"):
            processing.run("tesseray:coveragestudy", {
                **SMALL_SCENE, **harness.transmitters(self.folder), "PATH_LOSS": TEMPORARY,
                "RAYS": self.path("rays.gpkg")}, context=self.context)

    def test_no_report_on_arrival_times_is_worth_a_warning_to_who_asked_for_one_alone(self):
        """Dialogs ask for a temporary report by themselves."""
        import processing
        from qgis.core import QgsProcessingFeedback

        path_loss = self.predicted_path_loss()
        times = self.folder / "times.csv"
        times.write_text("site,x,y,ns\n" + "".join(f"Market,{x},6020520,400\n" for x in range(340510, 340530)))
        comparison = {"PATH_LOSS": path_loss, "DRIVE_TEST": str(times), "DRIVE_TEST_CRS": "EPSG:25832",
                      "VALUE_FIELD": "ns", "VALUE_KIND": "time_of_arrival", "TRANSMITTER_FIELD": "site",
                      "PREDICTION_ERROR": TEMPORARY, "ERROR_STATISTICS": TEMPORARY}
        for report, is_warned in ((TEMPORARY, False), (self.path("asked.html"), True)):
            with self.subTest(report=report):
                feedback = QgsProcessingFeedback(False)
                results = processing.run("tesseray:comparewithdrivetest", {**comparison, "REPORT": report},
                                         context=self.context, feedback=feedback)
                self.assertNotIn("REPORT", results)
                self.assertIn("no report on arrival times", feedback.textLog())
                warned = "<span" in feedback.htmlLog().split("no report on arrival times")[0].rsplit("<br/>", 1)[-1]
                self.assertEqual(warned, is_warned, feedback.htmlLog())

    def test_a_report_on_layers_of_other_names_is_about_the_values_that_were_compared(self):
        import processing

        path_loss = self.predicted_path_loss()
        losses = self.folder / "losses.csv"
        losses.write_text("site,x,y,db\n" + "".join(f"Market,{x},6020520,{x % 7 + 90}\n" for x in range(340510, 340530)))
        results = processing.run("tesseray:comparewithdrivetest", {
            "PATH_LOSS": path_loss, "DRIVE_TEST": str(losses), "DRIVE_TEST_CRS": "EPSG:25832",
            "VALUE_FIELD": "db", "VALUE_KIND": "path_loss", "TRANSMITTER_FIELD": "site",
            "PREDICTION_ERROR": self.table("errors of mine"), "ERROR_STATISTICS": self.path("statistics.gpkg"),
            "REPORT": self.path("report.html")}, context=self.context)
        page = pathlib.Path(results["REPORT"]).read_text(encoding="utf-8")
        self.assertTrue("Compared is the path loss, sign changed, in dB" in page, "which levels are told otherwise")

    def test_a_report_takes_the_place_of_no_other_page(self):
        own = self.folder / "mine.html"
        own.write_text("<p>Mine</p>")
        comparison = {"PATH_LOSS": self.path("x.gpkg"), "DRIVE_TEST": self.path("d.csv"), "REPORT": str(own)}
        self.assertIn("is there already", self.refused_by("comparewithdrivetest", comparison))
        self.assertIn("no page that Tesseray wrote",
                      self.refused_by("comparewithdrivetest", {**comparison, "OVERWRITE": True}))

    def test_cancelling_the_report_leaves_none_and_tells_of_the_layers_that_stay(self):
        import processing
        from qgis.core import QgsProcessingException, QgsProcessingFeedback

        class CancelledAtReport(QgsProcessingFeedback):
            def setProgressText(self, text):  # noqa: N802, QGIS's name
                if text == "Report":
                    self.cancel()

        with self.assertRaisesRegex(QgsProcessingException, "cancelled while its report.*x.gpkg"):
            processing.run("tesseray:coveragestudy", {
                **SMALL_SCENE, **harness.transmitters(self.folder), **harness.DRIVE_TEST,
                "PATH_LOSS": self.table("path_loss"), "PREDICTION_ERROR": self.table("prediction_error"),
                "ERROR_STATISTICS": self.table("error_statistics"), "REPORT": self.path("report.html")},
                context=self.context, feedback=CancelledAtReport(False))
        self.assertIn("path_loss", tables(self.path("x.gpkg")))
        self.assertEqual(list(self.folder.glob("*report*")), [])

    def test_a_spatialite_file(self):
        results = self.tile(TILES=self.path("x.sqlite"))
        from qgis.core import QgsVectorLayer

        self.assertTrue(QgsVectorLayer(results["TILES"], "tiles", "ogr").isValid())


if __name__ == "__main__":
    run_tests()
