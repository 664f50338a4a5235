# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison with measured powers: drives of known offset, and what is told of them."""

import sqlite3
import unittest

from tesseray_process import SCENE, PipelineTest, json_lines, made, module_folder, tesseray, transmitters_csv


def setUpModule():
    """A prediction, and places with their powers."""
    global PREDICTION, PLACES
    folder = module_folder()
    environment, PREDICTION = folder / "environment.gpkg", folder / "prediction.gpkg"
    made("tileenvironment", *SCENE, "--tile-area", 400, "--environment", environment)
    made("predictcoverage", "--environment", environment, *transmitters_csv(folder), "--max-bounces", 1, "--kinds",
         "ground", "--geometry", "point", "--output", PREDICTION)
    with sqlite3.connect(PREDICTION) as database:
        PLACES = database.execute(
            "SELECT t.name, p.received_power_dbm, r.minx, r.miny FROM path_loss p JOIN transmitters t USING "
            "(transmitter_id) JOIN rtree_path_loss_geom r ON r.id = p.fid WHERE p.received_power_dbm IS NOT NULL"
        ).fetchall()


class ComparisonOfPowers(PipelineTest):
    def warnings(self, offset_db, *options):
        drive = self.folder / f"drive{offset_db}.csv"
        drive.write_text("site,x,y,RSRP\n" + "".join(
            f"{site},{x!r},{y!r},{power - offset_db!r}\n" for site, power, x, y in PLACES))
        process = self.assert_done(tesseray(
            "comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--drive-test-crs", "EPSG:25832",
            "--progress", "json", "--output", self.folder / "errors.gpkg", "--overwrite", *options))
        return {line["warning"]["code"]: line["warning"]["message"] for line in json_lines(process.stderr)
                if "warning" in line}

    def test_powers_far_above_those_of_one_resource_element_are_told_of(self):
        told = self.warnings(27.8)
        self.assertIn("27.8 dB above the measured ones", told["predicted_far_above"])
        self.assertIn("resource element", told["predicted_far_above"])
        self.assertEqual(self.warnings(27.8, "--remove-mean"), {})
        self.assertEqual(self.warnings(8), {})
        self.assertEqual(self.warnings(-27.8), {})


if __name__ == "__main__":
    unittest.main()
