# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison with measured powers: drives of known offset, and what is told of them."""

import shutil
import sqlite3
import unittest

from tesseray_process import SCENE, PipelineTest, json_lines, made, module_folder, rows, tesseray, transmitters_csv


def setUpModule():
    """A prediction, and places with their powers."""
    global ENVIRONMENT, PREDICTION, PLACES
    folder = module_folder()
    ENVIRONMENT, PREDICTION = folder / "environment.gpkg", folder / "prediction.gpkg"
    made("tileenvironment", *SCENE, "--tile-area", 400, "--environment", ENVIRONMENT)
    predict(PREDICTION, transmitters_csv(folder))
    PLACES = places_of(PREDICTION)


def predict(file, transmitters):
    made("predictcoverage", "--environment", ENVIRONMENT, *transmitters, "--max-bounces", 1, "--kinds", "ground",
         "--geometry", "point", "--output", file)


def places_of(prediction, level="received_power_dbm"):
    with sqlite3.connect(prediction) as database:
        return database.execute(
            f"SELECT t.name, p.{level}, r.minx, r.miny FROM path_loss p JOIN transmitters t USING (transmitter_id) "
            f"JOIN rtree_path_loss_geom r ON r.id = p.fid WHERE p.{level} IS NOT NULL"
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

    def test_fields_that_are_compared_must_be_there(self):
        drive = self.folder / "drive.csv"
        drive.write_text("site,x,y,value\nWest,340450,6020500,-80\n")
        for kind, field in (("received_power", "receiver_gain_dbi"), ("path_loss", "line_of_sight"),
                            ("basic_loss", "basic_loss_db"), ("field_strength", "field_dbuvm"),
                            ("time_of_arrival", "first_delay_ns")):
            with self.subTest(kind=kind):
                changed = shutil.copy(PREDICTION, self.folder / "changed.gpkg")
                with sqlite3.connect(changed) as database:
                    database.execute(f"ALTER TABLE path_loss RENAME COLUMN {field} TO other")
                process = tesseray("comparewithdrivetest", "--path-loss", changed, "--drive-test", drive,
                                   "--drive-test-crs", "EPSG:25832", "--value-field", "value", "--value-kind", kind,
                                   "--progress", "json", "--output", self.folder / "errors.gpkg")
                error = self.assert_refused(process, "no_field")
                self.assertEqual((error["layer"], error["field"]), ("path_loss", field))

    def test_texts_in_place_of_heights_are_told_of(self):
        drive = self.folder / "storeys.csv"
        drive.write_text("site,x,y,RSRP,storey\n" + "".join(
            f"{site},{x!r},{y!r},{power!r},{('3', 'second floor', '4000')[i] if i < 3 else ''}\n"
            for i, (site, power, x, y) in enumerate(PLACES)))
        process = self.assert_done(tesseray(
            "comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--drive-test-crs", "EPSG:25832",
            "--measurement-height-field", "storey", "--progress", "json", "--output", self.folder / "errors.gpkg"))
        told = {line["warning"]["code"]: line["warning"]["message"] for line in json_lines(process.stderr)
                if "warning" in line}
        self.assertRegex(told["unreadable_heights"], r"^1 of \d+ measurements is .* such as the text of measurement 2\. ")
        self.assertRegex(told["implausible_heights"], r"^1 of \d+ measurements is ")
        self.assertIn("such as 4000 m of measurement 3", told["implausible_heights"])

    def test_field_strengths_in_another_unit_are_told_of(self):
        fields = places_of(PREDICTION, "field_dbuvm")

        def told(name, unit_db, of_value=1.0):
            drive = self.folder / "fields.csv"
            drive.write_text(f"site,x,y,{name}\n" + "".join(
                f"{site},{x!r},{y!r},{of_value * 10 ** ((level - unit_db) / 20)!r}\n" for site, level, x, y in fields))
            process = self.assert_done(tesseray(
                "comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--drive-test-crs",
                "EPSG:25832", "--value-kind", "field_strength", "--value-field", name, "--progress", "json",
                "--overwrite", "--output", self.folder / "errors.gpkg"))
            return [line["warning"]["message"] for line in json_lines(process.stderr) if "warning" in line]

        messages = told("E", 120)
        self.assertEqual(len(messages), 1)
        self.assertIn(" above the measured ones in the mean. Those count as dBµV/m, unless", messages[0])
        self.assertEqual(told("E [V/m]", 120), [])
        self.assertEqual(told("E_mV_m", 60), [])
        self.assertEqual(told("E_mV_m", 60, of_value=10), [])

    def test_levels_that_fall_where_predicted_ones_rise_are_told_of(self):
        def told(kind, level, sign):
            drive = self.folder / "levels.csv"
            drive.write_text("site,x,y,level\n" + "".join(
                f"{site},{x!r},{y!r},{sign * value!r}\n" for site, value, x, y in places_of(PREDICTION, level)))
            process = self.assert_done(tesseray(
                "comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--drive-test-crs",
                "EPSG:25832", "--value-kind", kind, "--value-field", "level", "--progress", "json", "--overwrite",
                "--output", self.folder / "errors.gpkg"))
            return {line["warning"]["code"]: line["warning"]["message"] for line in json_lines(process.stderr)
                    if "warning" in line}

        self.assertIn("their correlation is -1.", told("field_strength", "path_loss_db", 1)["opposite_levels"])
        self.assertEqual(told("path_loss", "path_loss_db", 1), {})
        self.assertNotIn("opposite_levels", told("field_strength", "field_dbuvm", 1))

    def compared(self, prediction, measurements):
        """The warnings about a drive of (site, power, x, y), and the file with its errors."""
        drive, output = self.folder / "drive.csv", self.folder / "errors.gpkg"
        drive.write_text("site,x,y,RSRP\n" + "".join(f"{site},{x!r},{y!r},{power!r}\n"
                                                     for site, power, x, y in measurements))
        process = self.assert_done(tesseray("comparewithdrivetest", "--path-loss", prediction, "--drive-test", drive,
                                            "--drive-test-crs", "EPSG:25832", "--progress", "json", "--output", output))
        return [line["warning"] for line in json_lines(process.stderr) if "warning" in line], output

    def test_measurements_at_receivers_over_one_another_fit_those_of_their_heights(self):
        places = [(340420.5 + 35 * i, 6020470.25 + 20 * (i % 3), height) for i in range(5) for height in (21, 16.5, 35)]
        receivers, prediction = self.folder / "receivers.csv", self.folder / "receivers.gpkg"
        receivers.write_text("x,y,height\n" + "".join("{!r},{!r},{!r}\n".format(*place) for place in places))
        made("predictcoverage", "--environment", ENVIRONMENT, *transmitters_csv(self.folder), "--max-bounces", 1,
             "--receivers", receivers, "--receivers-crs", "EPSG:25832", "--misplaced-receivers", "drop",
             "--receiver-path-loss", prediction)
        with sqlite3.connect(prediction) as database:
            predicted = database.execute("SELECT receiver_id, name, received_power_dbm, r.height_m FROM "
                                         "receiver_path_loss r JOIN transmitters USING (transmitter_id)").fetchall()
        self.assertGreater(len({id for id, *_ in predicted}), 10)
        drive, output = self.folder / "drive.csv", self.folder / "errors.gpkg"
        drive.write_text("site,x,y,h,RSRP\n")
        with drive.open("a") as lines:
            for id, site, power, height in predicted:
                x, y, given = places[id - 1]
                self.assertEqual(height, given)
                lines.write(f"{site},{x!r},{y!r},{given!r},{power!r}\n")
        for snapping in ("nearest_ground", "nearest_3d"):
            self.assert_done(tesseray(
                "comparewithdrivetest", "--path-loss", prediction, "--drive-test", drive, "--drive-test-crs",
                "EPSG:25832", "--measurement-height-field", "h", "--snapping", snapping, "--output", output,
                "--overwrite"))
            compared = rows(output, "prediction_error", order="measurement_id")
            self.assertEqual([row["tile_id"] for row in compared], [id for id, *_ in predicted])
            self.assertEqual({(row["error_db"], row["excluded_because"]) for row in compared}, {(0, None)})

    def test_walls_alone_are_told_of_in_place_of_a_wrong_crs(self):
        prediction = self.folder / "walls.gpkg"
        made("predictcoverage", "--environment", ENVIRONMENT, *transmitters_csv(self.folder), "--max-bounces", 1,
             "--kinds", "wall", "--output", prediction)
        warnings, _ = self.compared(prediction, [*PLACES[:3], (PLACES[0][0], -70, 300000.0, 6000000.0)])
        told = [warning["message"] for warning in warnings if warning["code"] == "no_measurement_used"]
        self.assertEqual(len(told), 1, warnings)
        self.assertIn("4 no ground tile in the prediction. ", told[0])
        self.assertIn("KINDS", told[0])
        self.assertNotIn("CRS", told[0])

    def test_a_floor_that_leaves_nothing_is_told_with_its_sign(self):
        """Losses are positive: all are above −110."""
        drive = self.folder / "drive.csv"
        for kind, field, value, floor, advice in (
                ("path_loss", "path_loss", 120, -110, "CENSOR_BELOW -110 is taken as a loss, and losses at or above it"),
                ("received_power", "rsrp", -90, -50, "Check CENSOR_BELOW: values at or below -50 are not used")):
            with self.subTest(kind):
                drive.write_text(f"site,x,y,{field}\n" + "".join(f"{site},{x!r},{y!r},{value}\n"
                                                                 for site, _, x, y in PLACES))
                process = self.assert_done(tesseray(
                    "comparewithdrivetest", "--path-loss", PREDICTION, "--drive-test", drive, "--drive-test-crs",
                    "EPSG:25832", "--value-kind", kind, f"--censor-below={floor}", "--progress", "json", "--output",
                    self.folder / "errors.gpkg", "--overwrite"))
                told = [line["warning"]["message"] for line in json_lines(process.stderr) if "warning" in line
                        and line["warning"]["code"] == "no_measurement_used"]
                self.assertEqual(len(told), 1)
                self.assertIn(advice, told[0])

    def test_a_transmitter_may_be_called_all(self):
        prediction = self.folder / "prediction.gpkg"
        predict(prediction, transmitters_csv(self.folder, "name,x,y,height_m,frequency_mhz,erp_dbm\n"
                                             "all,340500,6020500,40,900,43\nsites,340420,6020580,45,1800,40\n"))
        # The one 20 dB too strong, the other 10 dB too weak: nothing to warn of.
        warnings, output = self.compared(prediction, [(site, power - (20 if site == "all" else -10), x, y)
                                                      for site, power, x, y in places_of(prediction)])
        self.assertEqual(warnings, [])
        means = {(row["group"], row["transmitter_id"] is None): row["mean_db"]
                 for row in rows(output, "error_statistics")}
        self.assertAlmostEqual(means["all", False], 20, places=3)
        self.assertAlmostEqual(means["sites", False], -10, places=3)
        self.assertLess(means["all", True], 15)

    def test_measurements_of_unknown_transmitters_have_none(self):
        site, power, x, y = PLACES[0]
        _, output = self.compared(PREDICTION, [("Nobody", power, x, y), (site, power, x, y)])
        self.assertEqual([(row["transmitter_id"], row["excluded_because"])
                          for row in rows(output, "prediction_error", order="measurement_id")],
                         [(None, "unknown transmitter"), (1, None)])

    def test_transmitters_may_be_spelled_in_other_letters(self):
        exact, as_written = self.compared(PREDICTION, PLACES)
        expected = rows(as_written, "prediction_error", order="measurement_id")
        as_written.unlink()
        warnings, output = self.compared(PREDICTION, [(site.upper(), *rest) for site, *rest in PLACES])
        self.assertEqual(rows(output, "prediction_error", order="measurement_id"), expected)
        told = [warning for warning in warnings if warning not in exact]
        self.assertEqual([warning["code"] for warning in told], ["other_spelling"])
        self.assertIn('"MARKET" for "Market"', told[0]["message"])


if __name__ == "__main__":
    unittest.main()
