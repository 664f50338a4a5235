# SPDX-License-Identifier: GPL-3.0-or-later
"""The receiver's antenna and gain, from the command line to powers, rays and comparisons."""

import json
import math
import unittest

from tesseray_process import (DRIVE_TEST, PipelineTest, environment_with_visibility, json_lines, made, module_folder, rows,
                              tesseray, transmitters_csv)

GAIN = 6.5


def setUpModule():
    """The environment and its visibility, and the predictions of an isotropic receiver without and with gain."""
    global FOLDER, ENVIRONMENT, SITES, PLAIN, WITH_GAIN
    FOLDER = module_folder()
    ENVIRONMENT, SITES = environment_with_visibility(FOLDER), transmitters_csv(FOLDER)
    PLAIN, WITH_GAIN = predict("plain"), predict("gain", "--receiver-gain", GAIN)


def predict(name, *options):
    output, receivers = FOLDER / f"{name}.gpkg", FOLDER / "receivers.csv"
    # In streets, and around the mast of Market, 40 m above the ground: below, beside and above it.
    receivers.write_text("x,y,height\n340520,6020520,1.5\n340431,6020497,1.5\n340505,6020500,45\n340500,6020530,60\n"
                         "340560,6020500,40\n")
    made("predictcoverage", "--environment", ENVIRONMENT, *SITES, "--receivers", receivers, "--receivers-crs",
         "EPSG:25832", "--max-bounces", 1, "--output", output, *options)
    return output


def dipole_db(elevation_deg):
    """A half-wave dipole over its maximum: cos(π/2 · sin ε) / cos ε in amplitude."""
    elevation = math.radians(elevation_deg)
    return 20 * math.log10(abs(math.cos(math.pi / 2 * math.sin(elevation)) / math.cos(elevation)))


class ReceiverAntenna(PipelineTest):
    def test_transmitters_at_right_angles_to_the_receiver_are_named(self):
        sites = self.folder / "sites.csv"
        sites.write_text("name,x,y,height,freq,erp,pol\n" + "".join(
            f"{name},340500,6020500,40,600,60,{pol}\n"
            for name, pol in [("Up", "V"), ("TV", "H"), ("Plus", "+45"), ("Minus", "-45"), ("FM", "H")]))
        # In sight high above the ground, so that nothing but the straight ray arrives.
        receivers = self.folder / "receivers.csv"
        receivers.write_text("x,y,height\n340505,6020500,45\n")

        def told_of(polarization):
            process = tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", sites, "--transmitters-crs",
                               "EPSG:25832", "--receivers", receivers, "--receivers-crs", "EPSG:25832", "--max-bounces", 0,
                               "--over-rooftop", "none", "--receiver-polarization", polarization, "--overwrite",
                               "--progress", "json", "--receiver-path-loss", self.folder / "crossed.gpkg")
            self.assert_done(process)
            told = [line["warning"]["message"] for line in json_lines(process.stderr)
                    if line.get("warning", {}).get("code") == "crossed_polarization"]
            self.assertEqual(len(told), 1)
            losses = {row["transmitter_id"]: row["path_loss_db"]
                      for row in rows(self.folder / "crossed.gpkg", "receiver_path_loss")}
            return told[0], [name for i, name in enumerate(["Up", "TV", "Plus", "Minus", "FM"]) if losses[i + 1] is None]

        for polarization, crossed in [("vertical", ["TV", "FM"]), ("horizontal", ["Up"]), ("slant+45", ["Plus"]),
                                      ("slant-45", ["Minus"])]:
            message, empty = told_of(polarization)
            self.assertEqual(empty, crossed, polarization)
            self.assertIn(f"{len(crossed)} of 5 transmitters {'is' if len(crossed) == 1 else 'are'} polarised", message)
            self.assertIn("RECEIVER_POLARIZATION", message)
            for name in ["Up", "TV", "Plus", "Minus", "FM"]:
                self.assertEqual(f"{name} (" in message, name in crossed, message)

    def test_a_gain_is_in_power_and_path_loss_alone(self):
        for layer in ("path_loss", "receiver_path_loss"):
            pairs = [pair for pair in zip(rows(PLAIN, layer), rows(WITH_GAIN, layer), strict=True)
                     if pair[0]["path_loss_db"]]
            self.assertTrue(pairs)
            for before, after in pairs:
                self.assertEqual((before["receiver_gain_dbi"], after["receiver_gain_dbi"]), (0, GAIN))
                self.assertAlmostEqual(after["received_power_dbm"] - before["received_power_dbm"], GAIN, places=3)
                self.assertAlmostEqual(after["path_loss_db"] - before["path_loss_db"], -GAIN, places=3)
                for field in ("basic_loss_db", "field_dbuvm", "delay_spread_ns", "first_delay_ns"):
                    self.assertAlmostEqual(after[field], before[field], places=2)
                self.assertEqual(after["mechanism"], before["mechanism"])

    def test_rays_contain_it(self):
        pairs = list(zip(rows(PLAIN, "rays"), rows(WITH_GAIN, "rays"), strict=True))
        self.assertTrue(pairs)
        for before, after in pairs:
            self.assertEqual(after["interactions"], before["interactions"])
            self.assertAlmostEqual(after["power_dbm"] - before["power_dbm"], GAIN, places=6)

    def test_the_greatest_gain_is_whole_beside_an_antenna(self):
        site, receivers = self.folder / "site.csv", self.folder / "beside.csv"
        site.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nMarket,340500,6020500,40,100,30\n")
        receivers.write_text("x,y,height\n340509,6020500,40\n340526,6020500,35\n340431,6020497,1.5\n")
        for tool in ("predictcoverage", "traceimage"):
            layers = []
            for gain in (0, 50):
                output = self.folder / f"{tool}_{gain}.gpkg"
                made(tool, "--environment", ENVIRONMENT, "--transmitters", site, "--transmitters-crs", "EPSG:25832",
                     "--receivers", receivers, "--receivers-crs", "EPSG:25832", "--receiver-gain", gain,
                     "--receiver-path-loss", output, "--rays", output)
                layers.append([rows(output, layer) for layer in ("receiver_path_loss", "rays")])
            for before, after in zip(*(of_run[0] for of_run in layers), strict=True):
                self.assertAlmostEqual(after["path_loss_db"] - before["path_loss_db"], -50, places=3)
                self.assertAlmostEqual(after["basic_loss_db"], before["basic_loss_db"], places=3)
            for before, after in zip(*(of_run[1] for of_run in layers), strict=True):
                self.assertAlmostEqual(after["power_dbm"] - before["power_dbm"], 50, places=6)

    def test_a_dipole_takes_rays_by_their_elevation(self):
        dipole = predict("dipole", "--receiver-antenna", "half_wave_dipole")
        direct = {(row["transmitter_id"], row["target_id"]): row for row in rows(PLAIN, "rays")
                  if row["interactions"] == "T"}
        steep = 0
        for row in rows(dipole, "rays"):
            if row["interactions"] != "T":
                continue
            isotropic = direct.pop((row["transmitter_id"], row["target_id"]))
            expected = dipole_db(row["arrival_elevation_deg"])
            self.assertAlmostEqual(row["power_dbm"] - isotropic["power_dbm"], expected, places=6)
            steep += expected < -1
        self.assertGreater(steep, 0)
        self.assertFalse(direct)

    def test_a_dipole_has_its_gain_where_it_is_told(self):
        dipole = predict("dipole_0", "--receiver-antenna", "half_wave_dipole")
        real = predict("dipole_215", "--receiver-antenna", "half_wave_dipole", "--receiver-gain", 2.15)
        pairs = list(zip(rows(dipole, "receiver_path_loss"), rows(real, "receiver_path_loss"), strict=True))
        self.assertTrue(pairs)
        for before, after in pairs:
            self.assertAlmostEqual(after["received_power_dbm"] - before["received_power_dbm"], 2.15, places=3)
            self.assertAlmostEqual(after["field_dbuvm"], before["field_dbuvm"], places=3)

    def errors(self, prediction, name, *options):
        output = self.folder / f"{name}.gpkg"
        self.assert_done(tesseray("comparewithdrivetest", "--path-loss", prediction, *DRIVE_TEST, *options, "--output",
                                  output))
        return [(row["measured_db"], row["predicted_db"], row["error_db"]) for row in rows(output, "prediction_error")
                if row["error_db"] is not None]

    def test_a_comparison_is_between_0_dbi_receivers(self):
        plain = self.errors(PLAIN, "plain")
        self.assertGreater(len(plain), 100)
        for one, other in zip(plain, self.errors(WITH_GAIN, "gain"), strict=True):
            for a, b in zip(one, other):
                self.assertAlmostEqual(a, b, places=3)
        measured = self.errors(WITH_GAIN, "measured", "--receiver-gain", GAIN)
        for (_, _, before), (_, _, after) in zip(plain, measured, strict=True):
            self.assertAlmostEqual(after - before, GAIN, places=3)

    def test_an_explained_point_has_it(self):
        def figures(*options):
            process = tesseray("explainpoint", "--environment", ENVIRONMENT, *SITES, "--point", "340520,6020520",
                               "--progress", "json", "--overwrite", "--output", self.folder / "why.gpkg", *options)
            return json.loads(self.assert_done(process).stdout)["figures"]
        plain, gain = figures(), figures("--receiver-gain", GAIN)
        for name, sign in (("received_power_dbm", 1), ("power_sum_dbm", 1), ("path_loss_db", -1)):
            self.assertAlmostEqual(gain[name] - plain[name], sign * GAIN, places=3)

    def test_an_unknown_antenna_is_refused(self):
        process = tesseray("predictcoverage", "--environment", ENVIRONMENT, *SITES, "--receiver-antenna", "loop",
                           "--progress", "json", "--output", self.folder / "x.gpkg")
        self.assert_refused(process, words=["RECEIVER_ANTENNA", "half_wave_dipole"])


if __name__ == "__main__":
    unittest.main()
