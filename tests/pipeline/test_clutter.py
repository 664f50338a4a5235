# SPDX-License-Identifier: GPL-3.0-or-later
"""Clutter: the loss of the class around a receiver is what a prediction loses there, no more and no less."""

import json
import unittest

from osgeo import ogr, osr

from tesseray_process import (SCENE, PipelineTest, error_of, json_lines, made, module_folder, rows, tesseray,
                              transmitters_csv)

ogr.UseExceptions()
# West of the line there is forest, with a pond in it; the strip in the east has no clutter.
FOREST, POND, NOTHING_FROM = (340300, 340500), (340400, 340440, 6020400, 6020440), 340600
LOSSES = "Forest=7.5; fields = -1.25, POND=0"


def clutter_areas(file, fields="fields"):
    """Polygons of three classes, the last called `fields`, in WGS 84, so that they have to be transformed."""
    dataset = ogr.GetDriverByName("GPKG").CreateDataSource(str(file))
    town, wgs84 = osr.SpatialReference(), osr.SpatialReference()
    town.ImportFromEPSG(25832)
    wgs84.ImportFromEPSG(4326)
    for system in (town, wgs84):
        system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    layer = dataset.CreateLayer("cover", wgs84, ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("landuse", ogr.OFTString))
    for name, (x0, x1, y0, y1) in (("forest", (*FOREST, 6020300, 6020700)), ("pond", POND),
                                   (fields, (FOREST[1], NOTHING_FROM, 6020300, 6020700))):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["landuse"] = name
        corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
        polygon = ogr.CreateGeometryFromWkt("POLYGON((" + ",".join(f"{x} {y}" for x, y in corners) + "))")
        polygon.Transform(osr.CoordinateTransformation(town, wgs84))
        feature.SetGeometry(polygon)
        layer.CreateFeature(feature)
    return file


def expected_loss(x, y):
    """The loss at a place, or None within 1.5 m of a border, where the cells of 1 m decide."""
    if any(abs(x - border) < 1.5 for border in (FOREST[1], NOTHING_FROM, *POND[:2])):
        return None
    if any(abs(y - border) < 1.5 for border in POND[2:]):
        return None
    if POND[0] < x < POND[1] and POND[2] < y < POND[3]:
        return 0.0
    return 7.5 if x < FOREST[1] else -1.25 if x < NOTHING_FROM else 0.0


def setUpModule():
    """An environment with clutter and its visibility, made once."""
    global ENVIRONMENT, SITES
    folder = module_folder()
    ENVIRONMENT, SITES = folder / "environment.gpkg", transmitters_csv(folder)
    made("tileenvironment", *SCENE, "--clutter-areas", clutter_areas(folder / "cover.gpkg"), "--environment",
         ENVIRONMENT)
    made("computevisibility", "--environment", ENVIRONMENT)


class Clutter(PipelineTest):
    def predict(self, name, *options, environment=None):
        """The process and its file."""
        output = self.folder / f"{name}.gpkg"
        receivers = self.folder / "receivers.csv"
        receivers.write_text("x,y,height\n340431,6020497,1.5\n340425,6020425,60\n340580,6020520,1.5\n")
        return tesseray("predictcoverage", "--environment", environment or ENVIRONMENT, *SITES, "--receivers", receivers,
                        "--receivers-crs", "EPSG:25832", "--max-bounces", 1, "--progress", "json", "--output", output,
                        *options), output

    def assert_lost(self, before, after, loss):
        self.assertEqual(after["clutter_loss_db"], loss)
        for field, sign in (("path_loss_db", 1), ("basic_loss_db", 1), ("received_power_dbm", -1), ("field_dbuvm", -1)):
            if before[field] is None:
                self.assertIsNone(after[field])
            else:
                self.assertAlmostEqual(after[field] - before[field], sign * loss, places=4)
        for field in ("mechanism", "ray_count", "delay_spread_ns", "line_of_sight"):
            self.assertEqual(after[field], before[field])

    def test_each_place_loses_what_its_class_takes(self):
        process, plain = self.predict("plain")
        self.assert_done(process)
        process, covered = self.predict("covered", "--clutter-loss", LOSSES)
        self.assert_done(process)
        self.assertNotIn("clutter_without_loss", process.stderr)
        tiles = self.folder / "tiles.gpkg"
        self.assert_done(tesseray("computevisibility", "--environment", ENVIRONMENT, "--visibility",
                                  self.folder / "v.tvis", "--tiles", tiles))
        places = {row["tile_id"]: row for row in rows(tiles, "tiles", "tile_id, kind, x, y")}
        found = set()
        for before, after in zip(rows(plain, "path_loss"), rows(covered, "path_loss"), strict=True):
            place = places[after["tile_id"]]
            loss = expected_loss(place["x"], place["y"]) if place["kind"] == "ground" else 0.0
            if loss is not None:
                self.assert_lost(before, after, loss)
                found.add(loss)
        self.assertEqual(found, {7.5, -1.25, 0.0})
        loss_of = {1: 7.5, 2: 0.0, 3: -1.25}
        pairs = list(zip(rows(plain, "receiver_path_loss"), rows(covered, "receiver_path_loss"), strict=True))
        self.assertEqual({after["receiver_id"] for _, after in pairs}, loss_of.keys())
        for before, after in pairs:
            self.assert_lost(before, after, loss_of[after["receiver_id"]])

    def test_names_in_quotes_may_hold_commas(self):
        process, output = self.predict("quoted", "--clutter-loss", '"forest"=7.5; fields=-1.25, "pond"=0')
        _, plain = self.predict("plain", "--clutter-loss", LOSSES)
        self.assertEqual(rows(output, "path_loss"), rows(plain, "path_loss"))
        process, _ = self.predict("comma", "--clutter-loss", '"forest, old"=3')
        self.assert_refused(process, "unknown_clutter_class", ["forest, old"])
        process, _ = self.predict("open", "--clutter-loss", '"forest=3')
        self.assert_refused(process, "bad_clutter_loss", ["quotation mark"])

    def test_classes_are_listed_as_they_must_be_written(self):
        environment = self.folder / "old.gpkg"
        areas = clutter_areas(self.folder / "cover.gpkg", "fields, old")
        self.assert_done(tesseray("tileenvironment", *SCENE, "--clutter-areas", areas, "--environment", environment))
        process, _ = self.predict("typo", "--clutter-loss", '"fields, odl"=3', environment=environment)
        error = self.assert_refused(process, "unknown_clutter_class", ['Did you mean "fields, old"?'])
        self.assertRegex(error["hint"], r'^its classes: (forest|pond|"fields, old"|, )*$')
        self.assertIn('"fields, old"', error["hint"])
        process, _ = self.predict("some", "--clutter-loss", "forest=3, pond=1",
                                  environment=environment)
        self.assert_done(process)
        self.assertIn('lose nothing: \\"fields, old\\"', process.stderr)

    def test_names_may_hold_quotation_marks(self):
        environment = self.folder / "pipes.gpkg"
        areas = clutter_areas(self.folder / "cover.gpkg", '5" "old" pipes')
        self.assert_done(tesseray("tileenvironment", *SCENE, "--clutter-areas", areas, "--environment", environment))
        process, _ = self.predict("some", "--clutter-loss", "forest=7.5, pond=0", environment=environment)
        self.assert_done(process)
        (warning,) = [line["warning"] for line in json_lines(process.stderr)
                      if line.get("warning", {}).get("code") == "clutter_without_loss"]
        as_written = '"5"" ""old"" pipes"'
        self.assertIn("lose nothing: " + as_written, warning["message"])
        process, quoted = self.predict("quoted", "--clutter-loss", f"forest=7.5, {as_written}=-1.25, pond=0",
                                       environment=environment)
        self.assert_done(process)
        _, plain = self.predict("plain", "--clutter-loss", LOSSES)
        self.assertEqual(rows(quoted, "path_loss"), rows(plain, "path_loss"))

    def test_classes_without_a_loss_lose_nothing_and_are_named(self):
        process, output = self.predict("some", "--clutter-loss", "forest=3")
        self.assert_done(process)
        (warning,) = [line["warning"] for line in json_lines(process.stderr)
                      if line.get("warning", {}).get("code") == "clutter_without_loss"]
        self.assertIn("pond, fields", warning["message"])
        self.assertEqual({row["clutter_loss_db"] for row in rows(output, "path_loss")}, {0.0, 3.0})

    def test_an_explained_point_says_class_and_loss(self):
        options = ("--environment", ENVIRONMENT, *SITES, "--point", "340431,6020497", "--progress", "json",
                   "--overwrite", "--output", self.folder / "why.gpkg")
        plain = json.loads(self.assert_done(tesseray("explainpoint", *options)).stdout)["figures"]
        covered = json.loads(self.assert_done(tesseray("explainpoint", *options, "--clutter-loss",
                                                       LOSSES)).stdout)["figures"]
        self.assertEqual((covered["clutter_class"], covered["clutter_loss_db"]), ("forest", 7.5))
        self.assertIn("clutter around the receiver (forest) takes 7.5 dB", covered["explanation"])
        self.assertAlmostEqual(covered["path_loss_db"] - plain["path_loss_db"], 7.5, places=4)
        self.assertAlmostEqual(covered["received_power_dbm"],
                               covered["power_sum_dbm"] + covered["interference_db"] - 7.5, places=3)
        self.assertEqual(plain["clutter_loss_db"], 0)
        self.assertNotIn("clutter", plain["explanation"])

    def test_the_scene_file_keeps_it(self):
        scene = self.folder / "s.tscene"
        self.assert_done(tesseray("exportscene", "--environment", ENVIRONMENT, "--scene", scene))
        hashes = set()
        for environment in (ENVIRONMENT, scene):
            process = tesseray("predictcoverage", "--environment", environment, "--visibility",
                               ENVIRONMENT.with_suffix(".tvis"), *SITES, "--max-bounces", 0, "--clutter-loss", LOSSES,
                               "--path-loss", self.folder / f"{len(hashes)}.gpkg", "--progress", "json")
            hashes.add(json.loads(self.assert_done(process).stdout)["result_hash"])
        self.assertEqual(len(hashes), 1)

    def test_what_is_wrong_is_said_before_the_work(self):
        for text, code, words in (("forest", "bad_clutter_loss", "has no ="),
                                  ("forest=much", "bad_clutter_loss", "no number from -30 to 100"),
                                  ("forest=500", "bad_clutter_loss", "no number from -30 to 100"),
                                  ("forest=1, Forest=2", "bad_clutter_loss", "twice"),
                                  ("forrest=1", "unknown_clutter_class", "Did you mean forest")):
            process, output = self.predict("bad", "--clutter-loss", text)
            self.assertEqual(process.returncode, 2, process.stderr)
            error = error_of(process)
            self.assertEqual(error["code"], code)
            self.assertIn(words, error["message"])
            self.assertFalse(output.exists())

    def test_losses_need_clutter(self):
        plain = self.folder / "plain.gpkg"
        self.assert_done(tesseray("tileenvironment", *SCENE, "--environment", plain))
        process = tesseray("predictcoverage", "--environment", plain, *SITES, "--clutter-loss", "forest=1",
                           "--progress", "json", "--output", self.folder / "x.gpkg")
        self.assertEqual(error_of(process)["code"], "no_clutter")
        self.assertEqual(process.returncode, 2)


if __name__ == "__main__":
    unittest.main()
