# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact rays: closed forms at the ends of the whole tool, and the launcher beside it."""

import json
import math
import struct
import unittest

from tesseray_process import SCENE, PipelineTest, error_of, made, module_folder, rows, tesseray, transmitters_csv

# x and y of receivers in streets and yards.
PLACES = ((340520, 6020520), (340431.25, 6020497.5), (340600.3, 6020400.7))
SPEED_OF_LIGHT = 299792458.0


def setUpModule():
    """The environment of the sample town, made once."""
    global ENVIRONMENT, SITES, RECEIVERS
    folder = module_folder()
    ENVIRONMENT, SITES = folder / "environment.gpkg", transmitters_csv(folder)
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT)
    table = folder / "receivers.csv"
    table.write_text("id,x,y\n" + "".join(f"{number},{x},{y}\n" for number, (x, y) in enumerate(PLACES)))
    RECEIVERS = ["--receivers", table, "--receivers-crs", "EPSG:25832"]


def line(geometry):
    """The points of a LineString Z in a GeoPackage, as (x, y, z)."""
    envelope = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}[(geometry[3] >> 1) & 7]
    order = "<" if geometry[8 + envelope] == 1 else ">"
    count, = struct.unpack_from(order + "I", geometry, 13 + envelope)
    return [struct.unpack_from(order + "3d", geometry, 17 + envelope + 24 * i) for i in range(count)]


class TraceImageTest(PipelineTest):
    def trace(self, *options):
        output = self.folder / "traced.gpkg"
        return tesseray("traceimage", "--environment", ENVIRONMENT, *SITES, *RECEIVERS, "--progress", "json",
                        "--overwrite", "--output", output, *options), output

    def test_lines_have_the_length_of_their_delay_and_powers_add_up(self):
        process, output = self.trace("--rays-per-receiver", 100000, "--summation", "power", "--max-length", 450)
        figures = json.loads(self.assert_done(process).stdout)["figures"]
        rays = rows(output, "rays")
        self.assertEqual(len(rays), sum(of_transmitter["rays"] for of_transmitter in figures["traced"]))
        self.assertGreater(len(rays), 50)
        for ray in rays:
            points = line(ray["geom"])
            length = sum(math.dist(a, b) for a, b in zip(points, points[1:]))
            self.assertAlmostEqual(length, ray["delay_ns"] * 1e-9 * SPEED_OF_LIGHT, places=5)
            self.assertLessEqual(length, 450)
            self.assertEqual(len(points), len(ray["interactions"].split("-")) + 1)
        for row in rows(output, "receiver_path_loss"):
            own = [ray for ray in rays if (ray["transmitter_id"], ray["target_id"]) ==
                   (row["transmitter_id"], row["receiver_id"])]
            self.assertEqual(row["ray_count"], len(own))
            if own:
                sum_mw = sum(10 ** (ray["power_dbm"] / 10) for ray in own)
                self.assertAlmostEqual(row["received_power_dbm"], 10 * math.log10(sum_mw), places=3)

    def test_direct_rays_are_those_of_the_launcher(self):
        process, output = self.trace("--max-reflections", 0, "--max-diffractions", 0)
        self.assert_done(process)
        launched = self.folder / "launched.gpkg"
        made("predictcoverage", "--environment", ENVIRONMENT, *SITES, *RECEIVERS, "--max-bounces", 0,
             "--max-scatterings", 0, "--over-rooftop", "none", "--output", launched)
        fields = ("path_loss_db", "basic_loss_db", "line_of_sight", "first_delay_ns", "arrival_azimuth_deg", "ray_count")
        exact, other = rows(output, "receiver_path_loss"), rows(launched, "receiver_path_loss")
        self.assertEqual([[row[field] for field in fields] for row in exact],
                         [[row[field] for field in fields] for row in other])
        self.assertTrue(any(row["line_of_sight"] for row in exact))

    def test_a_street_without_walls_is_two_rays(self):
        """Antenna at 20 m, receiver at 2 m, 100 m apart over flat ground."""
        folder = self.folder
        (folder / "buildings.csv").write_text('id,height_m,WKT\n1,5,"POLYGON((900 900,910 900,910 910,900 910,900 900))"\n')
        made("tileenvironment", "--buildings", folder / "buildings.csv", "--height-field", "height_m", "--local-metres",
             "--extent", "0,1000,0,1000", "--environment", folder / "plain.gpkg")
        (folder / "sites.csv").write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nMast,100,100,20,900,40\n")
        (folder / "points.csv").write_text("id,x,y\n7,200,100\n")
        output = folder / "two.gpkg"
        made("traceimage", "--environment", folder / "plain.gpkg", "--transmitters", folder / "sites.csv",
             "--receivers", folder / "points.csv", "--receiver-height", 2, "--max-length", 500, "--output", output)
        lengths = [ray["delay_ns"] * 1e-9 * SPEED_OF_LIGHT for ray in rows(output, "rays")]
        self.assertEqual([ray["interactions"] for ray in rows(output, "rays")], ["T", "T-G"])
        self.assertAlmostEqual(lengths[0], math.hypot(100, 18), places=6)
        self.assertAlmostEqual(lengths[1], math.hypot(100, 22), places=6)
        self.assertEqual([row["receiver_id"] for row in rows(output, "receiver_path_loss")], [1])

    def test_the_same_rows_for_any_number_of_threads(self):
        hashes = set()
        for threads in (1, 2):
            process, _ = self.trace("--threads", threads, "--max-length", 250, "--max-diffractions", 2,
                                    "--max-reflections-with-diffractions", 2)
            hashes.add(json.loads(self.assert_done(process).stdout)["result_hash"])
        self.assertEqual(len(hashes), 1)

    def test_receivers_beyond_the_greatest_length_are_said(self):
        process, output = self.trace("--max-length", 30)
        self.assert_done(process)
        self.assertIn("beyond_max_length", process.stderr)
        self.assertTrue(all(row["path_loss_db"] is None for row in rows(output, "receiver_path_loss")))

    def test_what_cannot_be_traced_is_refused(self):
        for options, word in ((("--max-reflections", 5), "MAX_REFLECTIONS"), (("--max-diffractions", 3), "MAX_DIFFRACTIONS")):
            process, output = self.trace(*options)
            self.assert_refused(process, "bad_parameters", [word, "above the maximum"])
            self.assertFalse(output.exists())
        process = tesseray("traceimage", "--environment", ENVIRONMENT, *SITES, "--progress", "json", "--output",
                           self.folder / "none.gpkg")
        self.assertEqual(process.returncode, 2)
        self.assertIn("RECEIVERS", error_of(process)["message"])


if __name__ == "__main__":
    unittest.main()
