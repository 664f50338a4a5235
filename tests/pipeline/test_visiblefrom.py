# SPDX-License-Identifier: GPL-3.0-or-later
"""What a point or a tile sees, against the visibility of the whole environment."""

import unittest

from tesseray_process import SCENE, PipelineTest, error_of, made, module_folder, rows, tesseray


def setUpModule():
    """The environment and what its tiles see, made once."""
    global ENVIRONMENT, TILES
    folder = module_folder()
    ENVIRONMENT, counts = folder / "environment.gpkg", folder / "counts.gpkg"
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT)
    made("computevisibility", "--environment", ENVIRONMENT, "--tiles", counts)
    TILES = rows(counts, "tiles")


class VisibleFrom(PipelineTest):
    def look(self, *options):
        output = self.folder / "seen.gpkg"
        return tesseray("visiblefrom", "--environment", ENVIRONMENT, "--progress", "json", "--overwrite", "--output",
                        output, *options), output

    def error(self, *options):
        process, output = self.look(*options)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertFalse(output.exists())
        return error_of(process)

    def test_a_tile_sees_what_the_matrix_says(self):
        for kind in ("ground", "wall", "roof"):
            of_kind = [tile for tile in TILES if tile["kind"] == kind]
            for tile in (of_kind[len(of_kind) // 3], max(of_kind, key=lambda row: row["visible_count"])):
                process, output = self.look("--tile", tile["tile_id"])
                self.assert_done(process)
                self.assertEqual(len(rows(output, "visible_tiles")), tile["visible_count"], tile)

    def test_a_point_far_above_sees_roofs_and_no_walls_from_behind(self):
        process, output = self.look("--point", "340500,6020500", "--height", 30000)
        self.assert_done(process)
        seen = rows(output, "visible_tiles")
        roofs = [tile for tile in TILES if tile["kind"] == "roof"]
        self.assertEqual(sum(row["kind"] == "roof" for row in seen), len(roofs))
        heights = {tile["tile_id"]: tile["z"] for tile in TILES}
        for row in seen:
            self.assertLess(row["elevation_deg"], 0)
            self.assertGreater(row["distance_m"], 29900 - heights[row["tile_id"]])

    def test_the_greatest_distance_is_kept(self):
        process, output = self.look("--point", "340500,6020500", "--height", 60, "--max-distance", 100)
        self.assert_done(process)
        distances = [row["distance_m"] for row in rows(output, "visible_tiles")]
        self.assertGreater(len(distances), 10)
        self.assertLessEqual(max(distances), 100.1)

    def test_what_cannot_be_looked_from_is_refused(self):
        self.assertEqual(self.error()["code"], "one_viewpoint")
        self.assertEqual(self.error("--tile", 1, "--point", "340500,6020500")["code"], "one_viewpoint")
        self.assertEqual(self.error("--tile", "12x")["code"], "unknown_tile")
        self.assertEqual(self.error("--point", "0,0")["code"], "point_place")


if __name__ == "__main__":
    unittest.main()
