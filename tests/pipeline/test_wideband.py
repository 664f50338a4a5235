# SPDX-License-Identifier: GPL-3.0-or-later
"""Wideband fields of predictions: there when asked for, readable as docs/wideband.md says, and in step with the rest."""

import json
import sqlite3
import unittest

from tesseray_process import SCENE, PipelineTest, error_of, made, module_folder, rows, tesseray

ANGLES = {"arrival_elevation_deg", "elevation_spread_deg", "departure_azimuth_spread_deg",
          "departure_elevation_spread_deg", "k_factor_db"}


def setUpModule():
    """One prediction with everything and one without, of the same inputs."""
    global ENVIRONMENT, SITES, WIDE, PLAIN
    folder = module_folder()
    ENVIRONMENT, SITES = folder / "environment.gpkg", folder / "sites.csv"
    WIDE, PLAIN = folder / "wide.gpkg", folder / "plain.gpkg"
    SITES.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nWest,340450,6020500,40,1800,43\n")
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT)
    predict(PLAIN)
    predict(WIDE, "--wideband", "--delay-profile-rays", 6)


def predict(output, *options):
    return made("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", SITES, "--transmitters-crs",
                "EPSG:25832", "--max-bounces", 2, "--output", output, *options)


class Wideband(PipelineTest):
    def test_fields_come_only_when_asked_for(self):
        wide, plain = set(rows(WIDE, "path_loss")[0]), set(rows(PLAIN, "path_loss")[0])
        self.assertEqual(wide - plain, ANGLES | {"delay_profile"})

    def test_the_other_fields_stay_as_they_are(self):
        for wide, plain in zip(rows(WIDE, "path_loss"), rows(PLAIN, "path_loss"), strict=True):
            self.assertEqual({name: wide[name] for name in plain}, plain)

    def test_angles_are_where_something_arrives(self):
        spread = 0
        for row in rows(WIDE, "path_loss"):
            reached = row["received_power_dbm"] is not None
            for field in ANGLES - {"k_factor_db"}:
                self.assertEqual(row[field] is not None, reached, field)
            if not reached:
                continue
            self.assertLessEqual(abs(row["arrival_elevation_deg"]), 90)
            for field in ("elevation_spread_deg", "departure_azimuth_spread_deg", "departure_elevation_spread_deg"):
                self.assertTrue(0 <= row[field] <= 57.3, field)
            self.assertEqual(row["k_factor_db"] is None, row["ray_count"] == 1)
            spread += row["departure_elevation_spread_deg"] > 0.5
        self.assertGreater(spread, 50)

    def test_profiles_are_read_as_the_guide_says(self):
        with sqlite3.connect(WIDE) as database:
            in_sql = database.execute(
                "SELECT p.fid, json_extract(ray.value, '$[0]'), json_extract(ray.value, '$[1]') FROM path_loss AS p,"
                " json_each(p.delay_profile) AS ray ORDER BY p.fid, ray.key").fetchall()
        in_python = []
        for row in rows(WIDE, "path_loss"):
            if row["delay_profile"] is None:
                self.assertIsNone(row["received_power_dbm"])
                continue
            profile = json.loads(row["delay_profile"])
            in_python += [(row["fid"], *ray) for ray in profile]
            powers = [power for _, power in profile]
            self.assertEqual(powers, sorted(powers, reverse=True))
            self.assertTrue(0 < len(profile) <= 6)
            self.assertGreaterEqual(min(delay for delay, _ in profile), row["first_delay_ns"] - 0.1)
        self.assertEqual(in_sql, in_python)

    def test_a_negative_number_of_rays_is_refused(self):
        process = tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", SITES,
                           "--delay-profile-rays", -1, "--progress", "json", "--output", self.folder / "x.gpkg")
        self.assertEqual(process.returncode, 2)
        self.assertIn("DELAY_PROFILE_RAYS", json.dumps(error_of(process)).upper().replace("-", "_"))


if __name__ == "__main__":
    unittest.main()
