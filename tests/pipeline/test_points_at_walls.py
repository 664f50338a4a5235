# SPDX-License-Identifier: GPL-3.0-or-later
"""Antennas and receivers on the walls of houses, as façade antennas are drawn."""

import unittest

from tesseray_process import PipelineTest, json_lines, made, module_folder, rows, tesseray


def setUpModule():
    """A house of 40 m × 40 m with a lower one at its east side, on flat ground."""
    global ENVIRONMENT
    folder = module_folder()
    ENVIRONMENT = folder / "house.gpkg"
    (folder / "buildings.csv").write_text(
        'id,height_m,WKT\n1,15,"POLYGON((80 80,120 80,120 120,80 120,80 80))"\n'
        '2,9,"POLYGON((120 80,140 80,140 120,120 120,120 80))"\n')
    made("tileenvironment", "--buildings", folder / "buildings.csv", "--height-field", "height_m", "--local-metres",
         "--extent", "0,200,0,200", "--tile-area", 16, "--environment", ENVIRONMENT)


# A place on a wall, the way out, and the way along the wall.
WALLS = {"north": ((100, 120), (0, 1), (1, 0)), "west": ((80, 100), (-1, 0), (0, 1)),
         "south": ((100, 80), (0, -1), (1, 0))}


class PointsAtWalls(PipelineTest):
    def predict(self, antenna, receivers, *options):
        sites, points, output = self.folder / "sites.csv", self.folder / "points.csv", self.folder / "losses.gpkg"
        sites.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nMast,{!r},{!r},{!r},900,40\n".format(*antenna))
        points.write_text("x,y,height\n" + "".join("{!r},{!r},{!r}\n".format(*point) for point in receivers))
        return tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", sites, "--receivers",
                        points, "--receiver-path-loss", output, "--progress", "json", "--overwrite", *options), output

    def losses(self, antenna, receivers):
        process, output = self.predict(antenna, receivers)
        self.assert_done(process)
        return [row["path_loss_db"] for row in rows(output, "receiver_path_loss", order="receiver_id")]

    def test_an_antenna_on_a_wall_has_the_losses_of_one_before_it(self):
        for side, (wall, outwards, along) in WALLS.items():
            receivers = [(wall[0] + far * outwards[0] + beside * along[0], wall[1] + far * outwards[1] + beside * along[1], 1.5)
                         for far in (5, 20, 50) for beside in (-40, -13, 1, 8, 35)]
            expected = None
            # Nearly at the place that it is moved to: it and its image cancel, and each millimetre leaves more of them.
            for in_front_m in (0.0101, 0.01, 0.005, 0.0011, 0.0006, 0, -0.0006):
                losses = self.losses((wall[0] + in_front_m * outwards[0], wall[1] + in_front_m * outwards[1], 10), receivers)
                expected = expected or losses
                for loss, other in zip(losses, expected):
                    self.assertAlmostEqual(loss, other, delta=0.05, msg=f"{side} {in_front_m}")

    def test_points_that_were_moved_are_told_of(self):
        process, output = self.predict((100, 120, 10), [(90, 80, 3), (150, 150, 1.5)])
        self.assert_done(process)
        told = [line["warning"] for line in json_lines(process.stderr) if "warning" in line]
        self.assertEqual([warning["code"] for warning in told], ["moved_before_walls", "moved_before_walls"])
        self.assertIn("1 transmitter is on a wall", told[0]["message"])
        self.assertIn("1 cm in front of it: Mast", told[0]["message"])
        self.assertEqual(len(rows(output, "receiver_path_loss")), 2)

    def test_a_party_wall_is_inside(self):
        for across in (-0.0004, 0, 0.0004):
            self.assert_refused(self.predict((100, 180, 10), [(120 + across, 100, 8)])[0], "receiver_place",
                                ["is inside a building"])
            self.assert_refused(self.predict((120 + across, 100, 8), [(100, 180, 10)])[0], "transmitter_place",
                                ["is inside a building"])
        receivers = [(120, 100, 8), (150, 150, 1.5)]
        process, output = self.predict((100, 180, 10), receivers, "--misplaced-receivers", "drop")
        self.assert_done(process)
        self.assertIn("receivers_left_out", process.stderr)
        self.assertEqual([row["receiver_id"] for row in rows(output, "receiver_path_loss")], [2])

    def test_receivers_without_a_place_or_a_height_that_can_be_are_dropped(self):
        receivers = [(150, 150, 1.5), (150, 152, -1), (150, 152, 2500), (None, None, 1.5), (150, 152, 0)]
        process, output = self.predict((100, 180, 10), receivers, "--misplaced-receivers", "drop")
        self.assert_done(process)
        told = [line["warning"]["message"] for line in json_lines(process.stderr) if "warning" in line]
        for text in ("4 receivers", 'receiver 2 (height "-1" is not', 'receiver 3 (height "2500" is not', 'receiver 4 (x "None" is not',
                     "receiver 5 is not above the ground"):
            self.assertIn(text, told[-1])
        self.assertEqual([row["receiver_id"] for row in rows(output, "receiver_path_loss")], [1])
        self.assert_refused(self.predict((100, 180, 10), receivers)[0], "bad_value", ["of up to 2,000 m"])


if __name__ == "__main__":
    unittest.main()
