# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified footprints, against what GEOS says of their union, on the sample town and on real roofs that share walls."""

import json
import unittest

from osgeo import ogr

from tesseray_process import SCENE, SOURCE, PipelineTest, rows, tesseray

ogr.UseExceptions()
LYON = SOURCE.parent / "shared" / "data" / "lyon"
LYON_SCENE = ["--buildings", LYON / "roofs.shp", "--height-field", "htotale", "--dem", LYON / "dem.tif", "--extent",
              "1842300,1842900,5175200,5175800"]


def plan(environment):
    """Of the prisms on the ground: {source feature: polygon}, number of corners."""
    polygons, corners = {}, 0
    dataset = ogr.Open(str(environment))
    for feature in dataset.GetLayerByName("buildings"):
        if not feature["on_ground"]:
            continue
        polygon = feature.GetGeometryRef().Clone()
        polygon.FlattenTo2D()
        corners += sum(polygon.GetGeometryRef(ring).GetPointCount() - 1
                       for ring in range(polygon.GetGeometryCount()))
        polygons.setdefault(feature["source_feature"], ogr.Geometry(ogr.wkbMultiPolygon)).AddGeometry(polygon)
    return polygons, corners


def overlap_m2(polygons):
    """The area that polygons have in common."""
    everything = ogr.Geometry(ogr.wkbMultiPolygon)
    for parts in polygons.values():
        for i in range(parts.GetGeometryCount()):
            everything.AddGeometry(parts.GetGeometryRef(i))
    return everything.Area() - everything.UnionCascaded().Area()


class NarrowWalls(PipelineTest):
    def test_figures_count_walls_and_issues_buildings(self):
        file = self.folder / "narrow.gpkg"
        process = self.assert_done(tesseray("tileenvironment", *SCENE, "--min-wall-width", 100, "--environment", file,
                                            "--progress", "json"))
        figures = json.loads(process.stdout)["figures"]
        self.assertGreater(figures["walls_without_tiles"], 3 * figures["prisms"])
        issues = [row for row in rows(file, "issues") if row["code"] == "walls_too_small"]
        self.assertLessEqual(len(issues), figures["prisms"])
        self.assertNotIn("walls_too_small", figures, "which is what issues of buildings are called")


class Simplification(PipelineTest):
    def environment(self, scene, *options):
        """The plan, the number of its corners, and the issues."""
        file = self.folder / f"e{len(self.files())}.gpkg"
        self.assert_done(tesseray("tileenvironment", *scene, *options, "--environment", file))
        return *plan(file), rows(file, "issues")

    def check(self, scene, tolerance_m, least_m2):
        exact, corners, _ = self.environment(scene)
        large, of_large, issues = self.environment(scene, "--min-building-area", least_m2)
        small = [row for row in issues if row["code"].startswith("small_footprint")]
        gone = set(exact) - set(large)
        self.assertTrue(gone)
        self.assertLessEqual(gone, {row["source_feature"] for row in small})
        for polygon in large.values():
            self.assertGreaterEqual(polygon.Area(), 0.99 * least_m2)

        simple, fewer, issues = self.environment(scene, "--min-building-area", least_m2, "--simplify-tolerance",
                                                 tolerance_m)
        self.assertEqual(set(simple), set(large))
        self.assertEqual(len([row for row in issues if row["code"] == "simplified"]), int(fewer < of_large))
        # Walls that should be one are inexact in the data, by strips of up to a few cm: common corners take them away.
        self.assertLess(overlap_m2(simple), overlap_m2(exact) + 1.0)
        area = sum(polygon.Area() for polygon in exact.values())
        self.assertAlmostEqual(sum(polygon.Area() for polygon in simple.values()) / area, 1, delta=0.02)
        return fewer / corners

    def test_the_sample_town(self):
        self.check(SCENE, 2, 120)

    def test_roofs_that_share_walls(self):
        if not LYON.exists():
            self.skipTest("the data of Lyon are not here")
        self.assertLess(self.check(LYON_SCENE, 1, 20), 0.75)

    def test_neither_is_done_unasked(self):
        asked, unasked = self.folder / "a.gpkg", self.folder / "b.gpkg"
        self.assert_done(tesseray("tileenvironment", *SCENE, "--environment", unasked))
        self.assert_done(tesseray("tileenvironment", *SCENE, "--simplify-tolerance", 0, "--min-building-area", 0,
                                  "--environment", asked))
        hashes = {rows(file, "tesseray_environment")[0]["environment_hash"] for file in (asked, unasked)}
        self.assertEqual(len(hashes), 1)

    def test_a_tolerance_that_is_none_is_refused(self):
        process = tesseray("tileenvironment", *SCENE, "--simplify-tolerance", -1, "--progress", "json",
                           "--environment", self.folder / "e.gpkg")
        self.assert_refused(process, words=["SIMPLIFY_TOLERANCE"])


if __name__ == "__main__":
    unittest.main()
