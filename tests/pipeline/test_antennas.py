# SPDX-License-Identifier: GPL-3.0-or-later
"""Antenna files: imported, checked, and used by a prediction like the built-in antenna that they tabulate."""

import json
import math
import struct
import unittest

from tesseray_process import (PipelineTest, environment_with_visibility, interrupted_by, json_lines, module_folder,
                              rows, tesseray)

SITE = "340500,6020500,40"  # above the roofs, x, y and height


def dipole_msi(step_deg=1.0):
    """A half-wave dipole as an MSI file: attenuations in dB, at most 60."""
    def attenuation_db(angle_deg):
        cosine, sine = math.sin(math.radians(angle_deg)), math.cos(math.radians(angle_deg))
        field = abs(math.cos(0.5 * math.pi * cosine) / sine) if abs(sine) > 1e-9 else 0.0
        return min(-20 * math.log10(field), 60.0) if field > 0 else 60.0

    angles = [step_deg * i for i in range(round(360 / step_deg))]
    return (f"NAME DIPOLE\nFREQUENCY 900\nGAIN 0 dBd\nELECTRICAL_TILT 0\nHORIZONTAL {len(angles)}\n"
            + "".join(f"{angle} 0\n" for angle in angles) + f"VERTICAL {len(angles)}\n"
            + "".join(f"{angle} {attenuation_db(angle):.6f}\n" for angle in angles))


def panel_msi(gain="GAIN 15"):
    """A 60° panel, 10 dB/(30°)² in both cuts, 20 dB at most, tilted by 6°; a decimal comma and no unit of the gain."""
    def cut(name, centre):
        return f"{name} 361\n" + "".join(
            f"{angle},0\t{min(10 * (((angle - centre + 180) % 360 - 180) / 30) ** 2, 20):.2f}\n".replace(".", ",")
            for angle in range(361))
    return f"name Panel\n{gain}\n" + cut("horizontal", 0) + cut("vertical", 6)


def setUpModule():
    """The environment and its visibility, made once."""
    global ENVIRONMENT
    ENVIRONMENT = environment_with_visibility(module_folder())


class AntennasInPredictions(PipelineTest):
    def predict(self, name, antenna, *options, downtilt=5, bounces=2):
        """The process and its file; one transmitter with `antenna` in its table."""
        table = self.folder / "sites.csv"
        table.write_text("name,x,y,height_m,frequency_mhz,erp_dbm,azimuth_deg,downtilt_deg,antenna\n"
                         f"Mast,{SITE},900,43,40,{downtilt},{antenna}\n")
        output = self.folder / f"{name}.gpkg"
        return tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", table, "--transmitters-crs",
                        "EPSG:25832", "--max-bounces", bounces, "--progress", "json", "--output", output, *options), output

    def losses(self, name, antenna, *options, **more):
        """path_loss_db by tile."""
        process, output = self.predict(name, antenna, *options, **more)
        self.assert_done(process)
        return {row["tile_id"]: row["path_loss_db"] for row in rows(output, "path_loss")}

    def warnings(self, process):
        return [line["warning"] for line in json_lines(process.stderr) if "warning" in line]

    def test_a_tabulated_dipole_is_the_built_in_one(self):
        (self.folder / "dipole.msi").write_text(dipole_msi())
        expected = self.losses("built_in", "half_wave_dipole")
        for synthesis in ("hpi", "sum", "cross_weighted"):
            found = self.losses(synthesis, "dipole.msi", "--antenna-synthesis", synthesis)
            both = [tile for tile, loss in expected.items() if loss is not None and found[tile] is not None]
            self.assertGreater(len(both), 1000)
            self.assertLess(abs(len(both) - sum(loss is not None for loss in expected.values())), 5)
            # Near the null the file is linear between points where the pattern is not.
            errors = sorted(abs(found[tile] - expected[tile]) for tile in both)
            self.assertLess(errors[len(errors) * 99 // 100], 0.01)
            self.assertLess(errors[-1], 0.3)

    def test_the_pattern_is_named_recorded_and_its_gain_left_out(self):
        (self.folder / "antennas").mkdir()
        antenna = self.folder / "antennas" / "panel.msi"
        antenna.write_text(panel_msi())
        process, output = self.predict("panel", "panel", "--antenna-folder", self.folder / "antennas")
        self.assert_done(process)
        codes = [warning["code"] for warning in self.warnings(process)]
        self.assertEqual(codes.count("antenna_gain_not_used"), 1)
        self.assertEqual(codes.count("antenna_electrical_tilt"), 1)
        self.assertEqual(rows(output, "transmitters")[0]["antenna"], "panel")
        inputs = json.loads(rows(output, "tesseray_runs")[0]["inputs"])
        self.assertIn(str(antenna), [each["path"] for each in inputs])
        # Other gains, same prediction; ERP counts from the maximum.
        antenna.write_text(panel_msi("GAIN 3 dBi"))
        other, other_output = self.predict("other", "panel", "--antenna-folder", self.folder / "antennas")
        self.assert_done(other)
        self.assertEqual(rows(output, "path_loss", "path_loss_db"), rows(other_output, "path_loss", "path_loss_db"))

    def test_a_file_for_all_transmitters(self):
        antenna = self.folder / "elsewhere.msi"
        antenna.write_text(panel_msi())
        by_parameter = self.losses("parameter", "", "--antenna", antenna)
        (self.folder / "panel.msi").write_text(panel_msi())
        self.assertEqual(by_parameter, self.losses("field", "panel.msi"))

    def test_a_beam_that_looks_down(self):
        # The tilt turns the polarisation as well, of the isotropic antenna too.
        down = self.losses("down", "beam_80", "--over-rooftop", "none", downtilt=90, bounces=0)
        everywhere = self.losses("isotropic", "isotropic", "--over-rooftop", "none", downtilt=90, bounces=0)
        tiles = {row["tile_id"]: row for row in rows(self.folder / "down.gpkg", "path_loss",
                                                     "tile_id, kind, line_of_sight")}
        places = {row["tile_id"]: row for row in rows(ENVIRONMENT, "tiles", "tile_id, x, y, z")}
        # The last 24 bytes of the geometry are x, y and z.
        mast = struct.unpack("<3d", rows(self.folder / "down.gpkg", "transmitters", "geom")[0]["geom"][-24:])
        exponent = math.log(0.5) / math.log(math.cos(math.radians(40)))
        compared = 0
        for tile, loss in down.items():
            if tiles[tile]["kind"] != "roof" or loss is None or everywhere[tile] is None:
                continue
            place = places[tile]
            across, below = math.hypot(place["x"] - mast[0], place["y"] - mast[1]), mast[2] - place["z"]
            if across < 60 and below > 0:
                expected = -10 * exponent * math.log10(below / math.hypot(across, below))
                self.assertAlmostEqual(loss - everywhere[tile], expected, delta=0.001)
                compared += 1
        self.assertGreater(compared, 5)

    def test_what_is_no_antenna_is_refused(self):
        process, output = self.predict("none", "yagi")
        self.assert_refused(process, "bad_value", ["neither a built-in antenna nor a pattern file", "beam_80"])
        (self.folder / "broken.msi").write_text("HORIZONTAL 2\n0 0\n180 x\n")
        error = self.assert_refused(self.predict("broken", "broken.msi")[0], "bad_point", ["180 x"])
        self.assertIn("line 3", error["message"])
        self.assert_refused(self.predict("parameter", "", "--antenna", "nowhere.msi")[0], "bad_parameter",
                            ["nowhere.msi", "the current folder"])
        self.assertFalse(output.exists())


class ImportAntenna(PipelineTest):
    def test_figures_pattern_and_plain_file(self):
        source, output, msi = (self.folder / name for name in ("panel.PLN", "panel.gpkg", "plain.msi"))
        source.write_bytes(panel_msi().replace("Panel", "Für oben").encode("latin-1").replace(b"\n", b"\r\n"))
        process = self.assert_done(tesseray("importantenna", "--antenna-file", source, "--output", output, "--msi", msi,
                                            "--progress", "json"))
        result = json.loads(process.stdout)
        figures = result["figures"]
        self.assertEqual(result["outputs"], {"PATTERN": f"{output}|layername=antenna_pattern", "MSI": str(msi)})
        self.assertEqual((figures["name"], figures["format"], figures["frequency_mhz"]), ("Für oben", "MSI", None))
        self.assertAlmostEqual(figures["gain_dbi"], 17.15, places=9)
        width = 2 * 30 * math.sqrt(0.30103)
        self.assertAlmostEqual(figures["horizontal_beamwidth_deg"], width, delta=0.05)
        self.assertAlmostEqual(figures["vertical_beamwidth_deg"], width, delta=0.05)
        self.assertAlmostEqual(figures["front_to_back_db"], 20)
        self.assertAlmostEqual(figures["downtilt_deg"], 6)
        self.assertAlmostEqual(figures["electrical_tilt_deg"], 6)
        warned = {line["warning"]["code"] for line in json_lines(process.stderr) if "warning" in line}
        self.assertEqual(warned, {"gain_unit", "electrical_tilt", "no_frequency", "gain_contradiction"})
        pattern = rows(output, "antenna_pattern")
        self.assertEqual(len(pattern), 720)
        self.assertEqual([row["cut"] for row in pattern[::360]], ["horizontal", "vertical"])
        self.assertEqual((pattern[30]["angle_deg"], pattern[30]["attenuation_db"]), (30, 10))
        self.assertAlmostEqual(pattern[30]["gain_dbi"], 7.15)
        # The plain file says the same, without assumptions but for the frequency that nobody knows.
        again = json.loads(self.assert_done(tesseray("importantenna", "--antenna-file", msi, "--output",
                                                     self.folder / "again.gpkg", "--progress",
                                                     "json")).stdout)["figures"]
        self.assertEqual(again["assumptions"], ["no frequency is given"])
        self.assertEqual(rows(self.folder / "again.gpkg", "antenna_pattern"), pattern)

    def test_both_files_are_written_or_none(self):
        source, output, msi = (self.folder / name for name in ("dipole.msi", "pattern.gpkg", "plain.msi"))
        source.write_text(dipole_msi(0.01))  # long enough to be interrupted
        process = interrupted_by(lambda: msi.write_text("precious"), "importantenna", "--antenna-file", source,
                                 "--output", output, "--msi", msi, "--progress", "json")
        self.assert_refused(process, "file_exists", ["plain.msi", "another program made the file meanwhile"])
        self.assertEqual(msi.read_text(), "precious")
        self.assertEqual(self.files(), ["dipole.msi", "plain.msi"])

    def test_without_an_output_it_tells_what_it_read(self):
        source = self.folder / "panel.msi"
        source.write_text(panel_msi())
        process = self.assert_done(tesseray("importantenna", "--antenna-file", source, "--progress", "json"))
        result = json.loads(process.stdout)
        self.assertEqual((result["outputs"], result["figures"]["format"]), ({}, "MSI"))
        self.assertEqual(self.files(), ["panel.msi"])
        source.write_text("a,b\n1,2\n")
        self.assert_refused(tesseray("importantenna", "--antenna-file", source, "--progress", "json"), "not_an_antenna")

    def test_refuses_what_is_no_antenna_and_leaves_nothing(self):
        source = self.folder / "table.csv"
        source.write_text("a,b\n1,2\n")
        process = tesseray("importantenna", "--antenna-file", source, "--output", self.folder / "x.gpkg", "--progress",
                           "json")
        self.assert_refused(process, "not_an_antenna", ["HORIZONTAL", "PATCUT"])
        self.assertEqual(self.files(), ["table.csv"])


if __name__ == "__main__":
    unittest.main()
