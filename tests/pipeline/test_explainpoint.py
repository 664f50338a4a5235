# SPDX-License-Identifier: GPL-3.0-or-later
"""Why this value: the explained value is the predicted one, and its parts add up to it."""

import json
import math
import shutil
import unittest

from tesseray_process import (PipelineTest, environment_with_visibility, error_of, layers, module_folder, rows, tesseray,
                              transmitters_csv)

# x, y and height above ground: in streets and in a yard, in sight of a transmitter and not, and over a roof.
PLACES = ((340520, 6020520, 1.5), (340431.25, 6020497.5, 1.5), (340600.3, 6020400.7, 1.5), (340385, 6020623, 60))

# What the figures tell of delays and angles, by the names of the fields that WIDEBAND adds and those of any prediction.
SPREADS = ("first_delay_ns", "delay_spread_ns", "arrival_azimuth_deg", "angle_spread_deg", "arrival_elevation_deg",
           "elevation_spread_deg", "departure_azimuth_spread_deg", "departure_elevation_spread_deg", "k_factor_db")


def setUpModule():
    """The environment and its visibility, made once."""
    global ENVIRONMENT, SITES
    folder = module_folder()
    ENVIRONMENT, SITES = environment_with_visibility(folder), transmitters_csv(folder)


class ExplainPointTest(PipelineTest):
    def explain(self, point, *options, transmitters=None):
        return tesseray("explainpoint", "--environment", ENVIRONMENT, *(transmitters or SITES), "--point", point,
                        "--progress", "json", *options)

    def explained(self, point, *options):
        """The result object of a run that is done."""
        return json.loads(self.assert_done(self.explain(point, *options)).stdout)

    def predicted(self, points, *options, outputs=("--output",)):
        """The rows of receiver_path_loss and rays that predictcoverage gives at (x, y)."""
        table, output = self.folder / "receivers.csv", self.folder / "predicted.gpkg"
        table.write_text("id,x,y\n" + "".join(f"{number},{x},{y}\n" for number, (x, y) in enumerate(points)))
        self.assert_done(tesseray("predictcoverage", "--environment", ENVIRONMENT, *SITES, "--receivers", table,
                                  "--receivers-crs", "EPSG:25832", *(word for name in outputs for word in (name, output)),
                                  "--overwrite", *options))
        return rows(output, "receiver_path_loss"), rows(output, "rays")

    def test_the_explained_value_is_the_predicted_one(self):
        """Every field of every transmitter, bit for bit, of predictions with tiles and of receivers alone."""
        sights = set()
        for options in ((), ("--max-bounces", "4", "--max-diffractions", "2", "--min-power", "-100"),
                        ("--summation", "coherent", "--edge-visibility", "parents", "--permittivity", "7")):
            # The height is a setting of the whole run: also ground tiles are met at it.
            for height in sorted({height for _, _, height in PLACES}):
                points = [(x, y) for x, y, above_ground in PLACES if above_ground == height]
                outputs = ("--receiver-path-loss", "--rays") if options else ("--output",)
                predicted, _ = self.predicted(points, "--receiver-height", height, "--wideband", *options, outputs=outputs)
                self.assertEqual(len(predicted), 2 * len(points))
                for number, (x, y) in enumerate(points, start=1):
                    with self.subTest(options=options, x=x, y=y):
                        output = self.folder / f"explained-{number}-{height}-{len(options)}.gpkg"
                        figures = self.explained(f"{x},{y}", "--receiver-height", height, "--output", output,
                                                 "--overwrite", *options)["figures"]
                        here = rows(output, "receiver_path_loss")
                        there = [row for row in predicted if row["receiver_id"] == number]
                        self.assertEqual((len(here), len(there)), (2, 2))
                        for one, other in zip(here, there):
                            self.assertEqual(one.keys(), other.keys())
                            for field in one.keys() - {"fid", "receiver_id"}:
                                self.assertEqual(one[field], other[field], field)
                        strongest = max(there, key=lambda row: row["received_power_dbm"] or -math.inf)
                        self.assertEqual(figures["line_of_sight"], bool(strongest["line_of_sight"]))
                        for field in ("path_loss_db", "received_power_dbm", "mechanism", *SPREADS):
                            self.assertEqual(figures[field], strongest[field], field)
                        self.assertAlmostEqual(figures["mean_excess_delay_ns"],
                                               strongest["mean_delay_ns"] - strongest["first_delay_ns"], places=3)
                        sights |= {bool(row["line_of_sight"]) for row in there}
        self.assertEqual(sights, {True, False})

    def test_rays_that_are_not_scattered_are_those_of_predictcoverage(self):
        (x, y, _), output = PLACES[0], self.folder / "explained.gpkg"
        self.explained(f"{x},{y}", "--transmitter", "Market", "--max-rays", "10000", "--output", output)
        _, predicted = self.predicted([(x, y)], "--rays-per-receiver", "100000")
        fields = ("interactions", "power_dbm", "delay_ns", "departure_azimuth_deg", "arrival_elevation_deg",
                  "phase_deg", "geom")
        own = [[ray[field] for field in fields] for ray in rows(output, "rays") if "S" not in ray["interactions"]]
        others = [[ray[field] for field in fields] for ray in predicted if ray["transmitter_id"] == 1]
        self.assertGreater(len(own), 20)
        self.assertEqual(own, others[:len(own)])

    def test_powers_add_up(self):
        for summation in ("local_mean", "coherent"):
            for x, y, height in PLACES:
                with self.subTest(summation=summation, x=x, y=y):
                    output = self.folder / "sums.gpkg"
                    figures = self.explained(f"{x},{y}", "--receiver-height", height, "--summation", summation,
                                             "--output", output, "--overwrite")["figures"]
                    shown = sum(10 ** (ray["power_dbm"] / 10) for ray in rows(output, "rays"))
                    sum_mw = 10 ** (figures["power_sum_dbm"] / 10)
                    left_out = (figures["other_rays_percent"] + figures["other_scattering_percent"]) / 100 * sum_mw
                    self.assertAlmostEqual(10 * math.log10(shown + left_out) + figures["interference_db"],
                                           figures["received_power_dbm"], delta=0.01)
                    mechanisms = ("direct", "reflection", "diffraction", "over_rooftop", "scattering")
                    self.assertAlmostEqual(sum(figures[f"{name}_percent"] for name in mechanisms), 100, places=6)

    def test_what_the_steps_of_each_ray_took_adds_up_to_its_loss(self):
        """Rounded to 0.01 dB each, and what rounds to nothing left out."""
        steps = set()
        for options in ((), ("--over-rooftop", "none", "--max-diffractions", "2"),
                        ("--receiver-antenna", "half_wave_dipole", "--transmission", "nearest_building", "--summation", "coherent")):
            for x, y, height in PLACES:
                with self.subTest(options=options, x=x, y=y):
                    output = self.folder / "losses.gpkg"
                    figures = self.explained(f"{x},{y}", "--receiver-height", height, "--max-rays", "300", "--output",
                                             output, "--overwrite", *options)["figures"]
                    erp_dbm = {"Market": 43, "Hill": 40}[figures["transmitter"]]
                    for ray in rows(output, "rays"):
                        losses = json.loads(ray["losses_db"])
                        left_out = 4  # at most: vegetation, roofs, the receiver and polarisation
                        self.assertAlmostEqual(sum(loss for _, loss in losses), erp_dbm - ray["power_dbm"],
                                               delta=0.005 * (len(losses) + left_out))
                        letters = [step for step, _ in losses if len(step) == 1]
                        self.assertEqual("-".join(["T", *letters]), ray["interactions"])
                        self.assertEqual([step for step, _ in losses[:2]], ["free space", "ERP"])
                        self.assertAlmostEqual(losses[1][1], -2.15)
                        steps |= {step for step, _ in losses}
        self.assertLessEqual({"R", "G", "D", "S", "O", "polarisation", "receiver"}, steps)

    def test_rays_that_the_polarisation_takes_are_none(self):
        """Vertical antennas over level ground and upright walls, horizontal receivers."""
        for x, y, height in PLACES:
            with self.subTest(x=x, y=y):
                output = self.folder / "crossed.gpkg"
                figures = self.explained(f"{x},{y}", "--receiver-height", height, "--max-rays", "10000",
                                         "--receiver-polarization", "horizontal", "--max-scatterings", "0",
                                         "--output", output, "--overwrite")["figures"]
                rays = rows(output, "rays")
                self.assertEqual(len(rays), figures["ray_count"])
                erp_dbm = {"Market": 43, "Hill": 40}[figures["transmitter"]]
                for ray in rays:
                    self.assertGreater(ray["power_dbm"], -300)
                    losses = json.loads(ray["losses_db"])
                    self.assertAlmostEqual(sum(loss for _, loss in losses), erp_dbm - ray["power_dbm"], delta=0.06)

    def test_all_scattered_rays_together_are_the_scattered_power(self):
        """Scattered power is summed by tile in the prediction, and here ray by ray."""
        output, (x, y, _) = self.folder / "all.gpkg", PLACES[0]
        figures = self.explained(f"{x},{y}", "--max-rays", "10000", "--max-after-scattering", "0", "--max-bounces", "2",
                                 "--transmitter", "Hill", "--summation", "power", "--output", output)["figures"]
        rays = rows(output, "rays")
        self.assertLess(len(rays), 10000, "all rays are there")
        scattered = sum(ray["share_percent"] for ray in rays if "S" in ray["interactions"])
        self.assertAlmostEqual(scattered, figures["scattering_percent"], places=5)
        self.assertGreater(scattered, 0.1)
        total = sum(10 ** (ray["power_dbm"] / 10) for ray in rays)
        self.assertAlmostEqual(10 * math.log10(total), figures["received_power_dbm"], delta=0.001)

    def test_layers(self):
        output = self.folder / "layers.gpkg"
        result = self.explained("340520,6020520", "--output", output, "--max-rays", "30")
        self.assertEqual(result["outputs"].keys(), {"RAYS", "PROFILE", "RECEIVER_PATH_LOSS"})
        self.assertLessEqual({"rays", "power_delay_profile", "receiver_path_loss"}, layers(output))
        rays = rows(output, "rays")
        self.assertEqual([ray["rank"] for ray in rays], list(range(1, 31)))
        powers = [ray["power_dbm"] for ray in rays]
        self.assertEqual(powers, sorted(powers, reverse=True))
        self.assertTrue(any(ray["phase_deg"] is None for ray in rays), "scattered rays have no phase")
        for ray in rays:
            self.assertEqual(ray["phase_deg"] is None, "S" in ray["interactions"])
            self.assertEqual(ray["route"] is None, ray["interactions"] == "T")
            decides = next((word for letter, word in (("S", "scattering"), ("O", "over_rooftop"), ("D", "diffraction"),
                                                      ("R", "reflection"), ("G", "reflection")) if letter in ray["interactions"]), "direct")
            self.assertEqual(ray["mechanism"], decides)
            if ray["route"]:
                self.assertEqual(ray["route"].count(", then ") + 2, len(ray["interactions"].split("-")))
        profile = rows(output, "power_delay_profile")
        self.assertEqual(sorted(row["rank"] for row in profile), list(range(1, 31)))
        delays = [row["delay_ns"] for row in profile]
        self.assertEqual(delays, sorted(delays))
        self.assertEqual(profile[0]["excess_delay_ns"], 0)
        self.assertAlmostEqual(profile[-1]["cumulative_percent"], result["figures"]["rays_shown_percent"], places=9)
        by_rank = {ray["rank"]: ray for ray in rays}
        for row in profile:
            self.assertEqual((row["delay_ns"], row["power_dbm"], row["interactions"]),
                             tuple(by_rank[row["rank"]][key] for key in ("delay_ns", "power_dbm", "interactions")))

    def test_transmitter_by_name_by_number_and_the_strongest(self):
        by_name = self.explained("340520,6020520", "--transmitter", "Hill", "--rays", self.folder / "a.gpkg")
        by_number = self.explained("340520,6020520", "--transmitter", "2", "--rays", self.folder / "b.gpkg")
        self.assertEqual(by_name["figures"], by_number["figures"])
        self.assertEqual(by_name["figures"]["transmitter"], "Hill")
        self.assertEqual(len(by_name["figures"]["transmitters"]), 1)
        strongest = self.explained("340520,6020520", "--rays", self.folder / "c.gpkg")["figures"]
        powers = {row["transmitter"]: row["received_power_dbm"] for row in strongest["transmitters"]}
        self.assertEqual(set(powers), {"Market", "Hill"})
        self.assertEqual(strongest["transmitter"], max(powers, key=powers.get))

    def test_explanation_is_a_sentence(self):
        figures = self.explained("340520,6020520", "--receiver-height", "60", "--rays", self.folder / "a.gpkg")["figures"]
        self.assertTrue(figures["line_of_sight"])
        self.assertRegex(figures["explanation"], r"^Line of sight to (Market|Hill), \d+ m away\. .* arrives directly")
        figures = self.explained("340600.3,6020400.7", "--rays", self.folder / "b.gpkg")["figures"]
        self.assertRegex(figures["explanation"], r"^No line of sight to (Market|Hill), \d+ m away\. ")
        self.assertIn(f"a delay spread of {figures['delay_spread_ns']:.0f} ns", figures["explanation"])

    def test_routes_tell_of_the_way_through_a_building(self):
        """And of what follows it, by its own letter."""
        output = self.folder / "through.gpkg"
        street = transmitters_csv(self.folder, "name,x,y,height_m,frequency_mhz,erp_dbm\n"
                                               "Street,340520,6020520,5,900,43\n")
        self.assert_done(self.explain("340431.25,6020497.5", "--transmission", "nearest_building", "--max-rays", "3000",
                                      "--output", output, transmitters=street))
        begins = {"R": "reflection at ", "G": "reflection at the ground", "S": "scattering at ", "D": "diffraction at "}
        through = [ray for ray in rows(output, "rays") if ray["interactions"].startswith("T-B-")]
        self.assertGreater(len(through), 100)
        for ray in through:
            passage, *steps = ray["route"].split(", then ")
            self.assertEqual(passage, "the way through a building")
            for letter, step in zip(ray["interactions"].split("-")[2:], steps, strict=True):
                self.assertTrue(step.startswith(begins[letter]), (ray["interactions"], ray["route"]))

    def test_nothing_arrives(self):
        output = self.folder / "nothing.gpkg"
        figures = self.explained("340600.3,6020400.7", "--max-bounces", "0", "--output", output)["figures"]
        self.assertRegex(figures["explanation"], "^Nothing arrives from ")
        self.assertIsNone(figures["path_loss_db"])
        self.assertEqual({figures[field] for field in SPREADS}, {None})
        self.assertEqual(rows(output, "rays"), [])

    def test_point_in_another_crs(self):
        own = self.explained("340520,6020520 [EPSG:25832]", "--rays", self.folder / "a.gpkg")
        other = self.explained("340520,6020520 [EPSG:32632]", "--rays", self.folder / "b.gpkg")
        self.assertAlmostEqual(own["figures"]["path_loss_db"], other["figures"]["path_loss_db"], places=3)

    def test_without_visibility_it_is_made_beside_the_environment(self):
        lone = self.folder / "lone.gpkg"
        shutil.copy(ENVIRONMENT, lone)
        first = self.assert_done(tesseray("explainpoint", "--environment", lone, *SITES, "--point", "340520,6020520",
                                          "--rays", self.folder / "a.gpkg", "--progress", "json"))
        self.assertIn('"stage":"visibility"', first.stderr)
        self.assertTrue((self.folder / "lone.tvis").exists())
        second = self.explained("340520,6020520", "--rays", self.folder / "b.gpkg")
        self.assertEqual(json.loads(first.stdout)["figures"], second["figures"])

    def test_bad_points(self):
        out = ("--rays", self.folder / "r.gpkg")
        with self.subTest("in a building"):
            error = self.assert_refused(self.explain("340480,6020480", *out), "point_place", ["inside a building"])
            self.assertIn("RECEIVER_HEIGHT", error["hint"])
        with self.subTest("outside"):
            self.assert_refused(self.explain("350000,6020480", *out), "point_place",
                                ["outside the area", "[EPSG:4326]"])
        with self.subTest("in a CRS that contradicts it"):
            self.assert_refused(self.explain("340520,6020520 [EPSG:4326]", *out), "metres_as_degrees")
        for text in ("340520", "here", "1,2,3"):
            with self.subTest(text):
                self.assert_refused(self.explain(text, *out), "bad_parameters", ["POINT"])
        with self.subTest("unknown transmitter"):
            self.assert_refused(self.explain("340520,6020520", "--transmitter", "Markt", *out), "unknown_transmitter",
                                ["Market", "Hill"])
        with self.subTest("no output"):
            self.assert_refused(self.explain("340520,6020520"))
        with self.subTest("no environment"):
            process = tesseray("explainpoint", *SITES, "--point", "340520,6020520", *out, "--progress", "json")
            self.assert_refused(process, "bad_parameters", ["ENVIRONMENT"])
        with self.subTest("no environment's file"):
            process = tesseray("explainpoint", "--environment", SITES[1], *SITES, "--point", "340520,6020520", *out,
                               "--progress", "json")
            self.assertEqual(process.returncode, 2)
            self.assertTrue(error_of(process)["hint"])
        self.assertFalse((self.folder / "r.gpkg").exists())

    def test_same_hash_for_any_number_of_threads(self):
        hashes = {self.explained("340520,6020520", "--threads", threads, "--output",
                                 self.folder / f"t{threads}.gpkg")["result_hash"] for threads in (1, 2, 7)}
        self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main()
