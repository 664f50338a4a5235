# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of places of an unmanned aircraft in one run, with receivers on the ground and no tiles written."""

import json
import math
import struct
import unittest

from tesseray_process import PipelineTest, environment_with_visibility, layers, module_folder, rows, tesseray

# In streets and in a yard of the sample town.
PLACES = ((340520, 6020520), (340431.25, 6020497.5), (340600.3, 6020400.7))
FLIGHT = 200
FREQUENCY_MHZ, ERP_DBM, BEAM_DEG = 2400, 20, 80
DIPOLE_DBI = 2.15
# Of the town's middle in UTM zone 32: true north is at this grid azimuth.
LATITUDE, LONGITUDE_OFF_MERIDIAN = 54.3067, 6.5485 - 9
CONVERGENCE_DEG = math.degrees(math.atan(math.tan(math.radians(LONGITUDE_OFF_MERIDIAN)) *
                                         math.sin(math.radians(LATITUDE))))


def setUpModule():
    """The environment and its visibility, made once."""
    global ENVIRONMENT
    ENVIRONMENT = environment_with_visibility(module_folder())


def azimuth_deg(number):
    return 37 * number % 360


def height_m(number):
    """And what it counts from; the ground is some 55 m above the sea."""
    return (115 + 0.5 * number, "sea") if number % 2 else (60 + 0.5 * number, "ground")


def flight_csv(places=FLIGHT):
    """Rows over the whole town, by turns above the ground and above the sea; the first three 3 m south of a place."""
    lines = ["name,x,y,height_m,height_reference,azimuth,downtilt"]
    for number in range(places):
        x, y = (340360 + 14 * (number // 10), 6020365 + 30 * (number % 10))
        if number < len(PLACES):
            x, y = PLACES[number][0], PLACES[number][1] - 3
        height, reference = height_m(number)
        lines.append(f"P{number:03},{x},{y},{height},{reference},{azimuth_deg(number)},90")
    return "\n".join(lines) + "\n"


def point(geometry):
    """A Point Z: the last 24 bytes are x, y and z."""
    return struct.unpack("<3d", geometry[-24:])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def across(axis, direction):
    """The unit vector of the field along an antenna's axis in a wave that travels along `direction`."""
    field = [a - dot(axis, direction) * d for a, d in zip(axis, direction)]
    return [component / math.sqrt(dot(field, field)) for component in field]


def direct_power_dbm(antenna, receiver, grid_azimuth_deg):
    """Free space, with the beam that looks down and both polarisations, and the cosine between these."""
    way = [b - a for a, b in zip(antenna, receiver)]
    length = math.sqrt(dot(way, way))
    direction = [component / length for component in way]
    azimuth = math.radians(grid_azimuth_deg)
    sent = across((math.sin(azimuth), math.cos(azimuth), 0), direction)
    alike = abs(dot(sent, across((0, 0, 1), direction)))
    exponent = math.log(0.5) / math.log(math.cos(math.radians(BEAM_DEG / 2)))
    free_space_db = 20 * math.log10(4 * math.pi * length * FREQUENCY_MHZ * 1e6 / 299792458)
    return (ERP_DBM + DIPOLE_DBI + 10 * exponent * math.log10(-direction[2]) + 20 * math.log10(alike) -
            free_space_db), alike


def tolerance_db(alike):
    """Near the null of crossed polarisations an azimuth counts: that of true north changes by 0.004° over the town."""
    return 0.001 + 0.001 / alike


class FlyingTransmittersTest(PipelineTest):
    def fly(self, *options, places=FLIGHT, into="flight.gpkg"):
        """The figures of a run that is done, and its file."""
        flight, receivers, output = (self.folder / name for name in ("flight.csv", "receivers.csv", into))
        flight.write_text(flight_csv(places))
        receivers.write_text("id,x,y\n" + "".join(f"{number},{x},{y}\n" for number, (x, y) in enumerate(PLACES)))
        process = self.assert_done(tesseray(
            "predictcoverage", "--environment", ENVIRONMENT, "--transmitters", flight, "--transmitters-crs",
            "EPSG:25832", "--frequency", FREQUENCY_MHZ, "--erp", ERP_DBM, "--antenna", f"beam_{BEAM_DEG}",
            "--receivers", receivers, "--receivers-crs", "EPSG:25832", "--receiver-path-loss", output, "--progress",
            "json", *options))
        return json.loads(process.stdout), output

    def test_receivers_have_the_same_with_and_without_tiles(self):
        """Rays arrive at them alone where no layer wants the tiles."""
        _, alone = self.fly("--wideband", "true", places=8)
        result, with_tiles = self.fly("--wideband", "true", "--path-loss", self.folder / "tiles.gpkg", "--kinds", "roof",
                                      places=8, into="with_tiles.gpkg")
        self.assertIn("ground_tiles_reached", result["figures"]["coverage"][0])
        self.assertEqual(rows(alone, "receiver_path_loss"), rows(with_tiles, "receiver_path_loss"))

    def expected(self, output):
        """(transmitter, receiver): the power of the direct ray, and how alike the polarisations are."""
        antennas = [(row["transmitter_id"], point(row["geom"])) for row in rows(output, "transmitters")]
        receivers = {row["receiver_id"]: point(row["geom"]) for row in rows(output, "receiver_path_loss")}
        return {(number, receiver): direct_power_dbm(place, receivers[receiver],
                                                     azimuth_deg(number - 1) - CONVERGENCE_DEG)
                for number, place in antennas for receiver in receivers}

    def test_all_places_are_predicted_at_all_receivers(self):
        result, output = self.fly("--max-bounces", 1, "--over-rooftop", "none", "--rays", self.folder / "flight.gpkg")
        coverage = result["figures"]["coverage"]
        self.assertEqual([row["transmitter"] for row in coverage], [f"P{number:03}" for number in range(FLIGHT)])
        self.assertEqual({row["receivers_reached"] for row in coverage}, {len(PLACES)})
        self.assertEqual(layers(output), {"transmitters", "receiver_path_loss", "rays", "tesseray_runs", "layer_styles"})
        losses = rows(output, "receiver_path_loss")
        self.assertEqual(len({(row["transmitter_id"], row["receiver_id"]) for row in losses}), FLIGHT * len(PLACES))
        # Each direct ray, beside whatever else arrives.
        expected = self.expected(output)
        direct = {(row["transmitter_id"], row["target_id"]): row["power_dbm"]
                  for row in rows(output, "rays") if row["interactions"] == "T"}
        in_sight = {(row["transmitter_id"], row["receiver_id"]) for row in losses if row["line_of_sight"]}
        self.assertEqual(set(direct), in_sight)
        self.assertGreater(len(in_sight), FLIGHT)
        for pair, power_dbm in direct.items():
            closed_form_dbm, alike = expected[pair]
            self.assertAlmostEqual(power_dbm, closed_form_dbm, delta=tolerance_db(alike))

    def test_the_power_below_one_of_them_is_that_of_free_space(self):
        _, output = self.fly("--max-bounces", 0, "--over-rooftop", "none")
        expected = self.expected(output)
        antennas = [point(row["geom"]) for row in rows(output, "transmitters")]
        below = 0
        for row in rows(output, "receiver_path_loss"):
            number, (x, y, z) = row["transmitter_id"] - 1, point(row["geom"])
            if row["line_of_sight"]:
                closed_form_dbm, alike = expected[row["transmitter_id"], row["receiver_id"]]
                self.assertAlmostEqual(row["received_power_dbm"], closed_form_dbm, delta=tolerance_db(alike))
            if number >= len(PLACES) or math.dist(PLACES[number], (x, y)) > 0.001:
                continue
            self.assertTrue(row["line_of_sight"])
            height, reference = height_m(number)
            ground_z = z - 1.5  # slopes by less than 0.5 m over 3 m
            found, delta = (antennas[number][2], 1e-6) if reference == "sea" else (antennas[number][2] - ground_z, 0.5)
            self.assertAlmostEqual(found, height, delta=delta)
            below += 1
        self.assertEqual(below, len(PLACES))


if __name__ == "__main__":
    unittest.main()
