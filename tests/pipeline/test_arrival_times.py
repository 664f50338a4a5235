# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison with measured arrival times: a synthetic drive of known offset and quantisation, and Python's own figures."""

import json
import sqlite3
import statistics
import unittest

from tesseray_process import SCENE, PipelineTest, error_of, made, module_folder, rows, tesseray

OFFSET_NS = 1234.5
STEP_NS = 8e9 / (15000 * 2048)


def setUpModule():
    """The prediction of two sites."""
    global PREDICTION
    folder = module_folder()
    environment, sites = folder / "environment.gpkg", folder / "sites.csv"
    PREDICTION = folder / "prediction.gpkg"
    sites.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nWest,340450,6020500,40,1800,43\n"
                     "East,340560,6020520,40,1800,43\n")
    made("tileenvironment", *SCENE, "--environment", environment)
    made("predictcoverage", "--environment", environment, "--transmitters", sites, "--transmitters-crs", "EPSG:25832",
         "--max-bounces", 2, "--kinds", "ground", "--geometry", "point", "--output", PREDICTION)


class ArrivalTimes(PipelineTest):
    def setUp(self):
        super().setUp()
        self.names = {row["transmitter_id"]: row["name"] for row in rows(PREDICTION, "transmitters")}
        with sqlite3.connect(PREDICTION) as database:
            places = database.execute(
                "SELECT p.transmitter_id, p.first_delay_ns, p.line_of_sight, r.minx, r.miny FROM path_loss p"
                " JOIN rtree_path_loss_geom r ON r.id = p.fid WHERE p.first_delay_ns IS NOT NULL ORDER BY p.fid")
            self.places = places.fetchall()[::7]

    def compare(self, name, value_of, *options, field="ta"):
        """The finished comparison of a drive whose values are `value_of(delay in ns)`, and its file."""
        drive = self.folder / f"{name}.csv"
        drive.write_text(f"site,x,y,{field}\n" + "".join(
            f"{self.names[site]},{x!r},{y!r},{value_of(delay)}\n" for site, delay, _, x, y in self.places))
        output = self.folder / f"{name}.gpkg"
        process = self.assert_done(tesseray(
            "comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--value-field", field,
            "--drive-test-crs", "EPSG:25832", "--progress", "json", "--output", output, *options))
        return json.loads(process.stdout), output

    def test_timing_advances_are_offset_and_quantised(self):
        _, output = self.compare("advance", lambda delay: round((delay + OFFSET_NS) / STEP_NS),
                                 "--value-kind", "timing_advance")
        errors = rows(output, "prediction_error")
        self.assertEqual(len(errors), len(self.places))
        expected_offset = {}
        for site in self.names:
            in_sight = [(round((delay + OFFSET_NS) / STEP_NS), delay)
                        for of, delay, sight, _, _ in self.places if of == site and sight]
            earliest = min(steps for steps, _ in in_sight)
            expected_offset[site] = earliest * STEP_NS - statistics.fmean(
                delay for steps, delay in in_sight if steps == earliest)
        used = {site: [] for site in self.names}
        for row in errors:
            self.assertIsNone(row["excluded_because"])
            _, delay, sight, _, _ = self.places[row["measurement_id"] - 1]
            measured = round((delay + OFFSET_NS) / STEP_NS) * STEP_NS - expected_offset[row["transmitter_id"]]
            self.assertAlmostEqual(row["measured_ns"], measured, places=2)
            self.assertAlmostEqual(row["predicted_ns"], delay, places=2)
            self.assertAlmostEqual(row["error_ns"], delay - measured, places=2)
            self.assertEqual(bool(row["line_of_sight"]), bool(sight))
            used[row["transmitter_id"]].append(row["error_ns"])
        for row in rows(output, "error_statistics"):
            if row["transmitter_id"] is None:
                continue
            of_site = used[row["transmitter_id"]]
            self.assertAlmostEqual(row["mean_ns"], statistics.fmean(of_site), places=6)
            self.assertAlmostEqual(row["std_ns"], statistics.stdev(of_site), places=6)
            self.assertAlmostEqual(row["removed_offset_ns"], expected_offset[row["transmitter_id"]], places=2)
            within = 100 * sum(abs(error) <= STEP_NS / 2 for error in of_site) / len(of_site)
            self.assertAlmostEqual(row["within_resolution_percent"], within, places=6)
            # Quantisation leaves a uniform error: its deviation is the step over √12.
            self.assertAlmostEqual(row["std_ns"], STEP_NS / 12 ** 0.5, delta=0.15 * STEP_NS / 12 ** 0.5)

    def test_exact_times_leave_nothing(self):
        result, output = self.compare("exact", lambda delay: delay + OFFSET_NS, "--value-kind", "time_of_arrival")
        figures = {row["group"]: row for row in result["figures"]["error_statistics"]}
        self.assertEqual(set(figures), {"West", "East", "all"})
        for site in ("West", "East"):
            self.assertAlmostEqual(figures[site]["removed_offset_ns"], OFFSET_NS, places=2)
            self.assertAlmostEqual(figures[site]["rmse_ns"], 0, places=2)
            self.assertEqual(figures[site]["within_resolution_percent"], 100)
        with sqlite3.connect(output) as database:
            style, = database.execute("SELECT styleQML FROM layer_styles WHERE f_table_name = 'prediction_error'"
                                      " AND useAsDefault").fetchone()
            units = dict(database.execute("SELECT column_name, description FROM gpkg_data_columns"
                                          " WHERE table_name = 'prediction_error'").fetchall())
        self.assertIn("error_ns", style)
        self.assertIn("ns", units["measured_ns"])

    def test_microseconds_are_read_as_such(self):
        exact = self.compare("ns", lambda delay: delay + OFFSET_NS, "--value-kind", "time_of_arrival")[0]
        for field, value_of in (("toa_us", lambda delay: (delay + OFFSET_NS) / 1000),
                                ("toa", lambda delay: f"{(delay + OFFSET_NS) / 1000} us"),
                                ("ta", lambda delay: f"{delay + OFFSET_NS} ns")):
            result = self.compare(field + "x", value_of, "--value-kind", "time_of_arrival", field=field)[0]
            pairs = list(zip(result["figures"]["error_statistics"], exact["figures"]["error_statistics"], strict=True))
            self.assertTrue(pairs)
            for row, expected in pairs:
                self.assertAlmostEqual(row["rmse_ns"], 0, places=2)
                self.assertEqual(row["removed_offset_ns"] is None, expected["removed_offset_ns"] is None)
                if row["removed_offset_ns"] is not None:
                    self.assertAlmostEqual(row["removed_offset_ns"], OFFSET_NS, places=2)

    def test_none_is_taken_off_when_none_is_wanted(self):
        result, _ = self.compare("late", lambda delay: delay + OFFSET_NS, "--value-kind", "time_of_arrival",
                                 "--timing-offset", "none")
        everything = result["figures"]["error_statistics"][-1]
        self.assertAlmostEqual(everything["mean_ns"], -OFFSET_NS, places=2)
        self.assertIsNone(everything["removed_offset_ns"])

    def test_averaging_powers_of_times_is_refused(self):
        drive = self.folder / "drive.csv"
        drive.write_text("site,x,y,ta\nWest,340450,6020500,3\n")
        process = tesseray("comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--value-field",
                           "ta", "--drive-test-crs", "EPSG:25832", "--value-kind", "timing_advance",
                           "--averaging-distance", 10, "--progress", "json", "--output", self.folder / "x.gpkg")
        self.assertEqual(process.returncode, 2)
        self.assertIn("AVERAGING_DISTANCE", error_of(process)["message"])


if __name__ == "__main__":
    unittest.main()
