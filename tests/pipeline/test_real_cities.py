# SPDX-License-Identifier: GPL-3.0-or-later
"""Lyon and Duke, real files as they came; what whole runs gave is in docs/benchmarks/real-cities.md.

Lyon as a whole takes minutes: it runs with TESSERAY_WHOLE_CITIES=1 (make cities), a quarter of it always.
"""

import json
import os
import unittest

from tesseray_process import SOURCE, PipelineTest, rows, tesseray

DATA = SOURCE.parent / "shared" / "data"
LYON, DUKE = DATA / "lyon", DATA / "duke"


def needs(folder):
    return unittest.skipUnless(folder.is_dir(), f"the data of {folder.name} are not here ({folder})")


@needs(LYON)
class LyonTest(PipelineTest):
    """15,725 roof pieces that share party walls, on hills, in EPSG:3946."""

    SCENE = ["--buildings", LYON / "roofs.shp", "--height-field", "htotale", "--dem", LYON / "dem.tif"]

    def test_whole_city_is_cleaned_and_tiled(self):
        environment = self.folder / "lyon.gpkg"
        process = self.assert_done(tesseray("tileenvironment", *self.SCENE, "--environment", environment,
                                            "--progress", "json"))
        figures = json.loads(process.stdout)["figures"]
        self.assertEqual(figures["crs"], "EPSG:3946")
        self.assertGreater(figures["tiles"], 200_000)
        # No building is lost without an issue that says so.
        kept = {row["source_feature"] for row in rows(environment, "buildings", "source_feature", "building_id")}
        told = {row["source_feature"] for row in rows(environment, "issues", "source_feature", "1")
                if row["source_feature"] is not None}
        self.assertEqual(set(range(15_725)) - kept - told, set())
        self.assertGreater(len(kept), 15_700)

    def test_row_of_a_quarter(self):
        sites = self.folder / "sites.csv"
        sites.write_text("name,x,y,frequency_mhz,height_m,height_reference,erp_dbm\n"
                         "Part-Dieu,1843925.33,5175375.88,850,3,roof,40\n"
                         "Mast,1843950,5175450,1900,60,ground,43\n")
        output = self.folder / "quarter.gpkg"
        self.assert_done(tesseray("coveragestudy", *self.SCENE, "--extent", "1843750,1844100,5175200,5175550",
                                  "--transmitters", sites, "--transmitters-crs", "EPSG:3946", "--output", output,
                                  "--progress", "none"))
        tiles = len(rows(output, "tiles", "tile_id", "tile_id"))
        self.assertEqual(len(rows(output, "path_loss", "tile_id", "tile_id")), 2 * tiles)
        reached = rows(output, "path_loss", "path_loss_db, line_of_sight, basic_loss_db, first_delay_ns", "tile_id")
        losses = [row["path_loss_db"] for row in reached if row["path_loss_db"] is not None]
        self.assertGreater(len(losses), 0.8 * 2 * tiles)
        self.assertGreater(min(losses), 30)
        self.assertTrue(any(row["line_of_sight"] for row in reached))
        self.assertTrue(all(row["first_delay_ns"] > 0 for row in reached if row["path_loss_db"] is not None))


    @unittest.skipUnless(os.environ.get("TESSERAY_WHOLE_CITIES"), "set TESSERAY_WHOLE_CITIES=1: it takes minutes")
    def test_row_of_the_whole_city(self):
        sites = self.folder / "sites.csv"
        sites.write_text("name,x,y,frequency_mhz,height_m,height_reference,erp_dbm\n"
                         "Part-Dieu,1843925.33,5175375.88,850,3,roof,40\n"
                         "Street,1842600,5175512,850,6,ground,30\n"
                         "Hill,1841900,5176000,850,25,ground,40\n")
        output = self.folder / "lyon.gpkg"
        self.assert_done(tesseray("coveragestudy", *self.SCENE, "--transmitters", sites, "--transmitters-crs",
                                  "EPSG:3946", "--output", output, "--progress", "none", timeout=3600))
        tiles = len(rows(output, "tiles", "tile_id"))
        self.assertGreater(tiles, 200_000)
        losses = rows(output, "path_loss", "transmitter_id, kind, path_loss_db")
        self.assertEqual(len(losses), 3 * tiles)
        for transmitter in (1, 2, 3):
            ground = [row["path_loss_db"] for row in losses
                      if row["transmitter_id"] == transmitter and row["kind"] == "ground"]
            # What no ray reaches lies in courtyards behind several roofs.
            self.assertGreater(sum(loss is not None for loss in ground), 0.9 * len(ground))


@needs(DUKE)
class DukeTest(PipelineTest):
    """A measured network without a terrain model, with missing heights; EIRP, tilt and height are not known."""

    def test_error_against_the_drive_test(self):
        sites = self.folder / "sites.csv"
        lines = (DUKE / "transmitters.csv").read_text().splitlines()
        sites.write_text("\n".join([lines[0] + ",antenna,height_m,erp_dbm"] +
                                   [line + ",sector_3gpp,24,40" for line in lines[1:]]) + "\n")
        output = self.folder / "duke.gpkg"
        # Tiles of 20 m make this a test of seconds; one free offset per cell, since the EIRP is not known.
        self.assert_done(tesseray("coveragestudy", "--buildings", DUKE / "buildings.gpkg", "--height-field", "height_m",
                                  "--transmitters", sites, "--tile-area", "400", "--receiver-height", "2",
                                  "--drive-test", DUKE / "drive_test.csv", "--value-field", "rsrp",
                                  "--transmitter-field", "PCI", "--censor-below", "-138", "--remove-mean",
                                  "--output", output, "--progress", "none"))
        statistics = {row["group"]: row for row in rows(output, "error_statistics")}
        self.assertLessEqual(set("ABCDEF"), set(statistics))
        for cell in "ABCDEF":
            row = statistics[cell]
            self.assertGreater(row["n"], 1_500, cell)
            self.assertAlmostEqual(row["mean_db"], 0, places=6)
            self.assertLess(row["std_db"], 14, cell)
            self.assertGreater(row["correlation"], 0.4, cell)
        self.assertEqual(len(rows(output, "prediction_error", "measurement_id", "1")), 46_655)
        missing = [row for row in rows(output, "issues", "code", "1") if row["code"] == "missing_height"]
        self.assertGreater(len(missing), 50)


if __name__ == "__main__":
    unittest.main()
