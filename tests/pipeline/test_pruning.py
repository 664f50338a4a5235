# SPDX-License-Identifier: GPL-3.0-or-later
"""Weak rays drawn by chance: chosen by transmitter without the user's help, told of in the summary, reproducible."""

import json
import unittest

from tesseray_process import SCENE, PipelineTest, environment_with_visibility, made, module_folder, rows, tesseray

SITES = """name,x,y,height_m,height_reference,frequency_mhz,erp_dbm
Street,340520,6020520,6,ground,900,43
Roof,340420,6020580,3,roof,900,43
Mast,340500,6020500,60,ground,900,43
"""
# docs/propagation-cost.md.
FEW_IN_SIGHT = ("40 scattering tiles at an edge, 80 at a mirror, 32 tubes at either; tubes and diffractions below "
                "-33 dB, scattered rays below -13 dB or below -23 dB of their sum, by way of an edge below -27 dB")
MANY_IN_SIGHT = ("16 scattering tiles at an edge, 32 at a mirror, 16 tubes at either; tubes and diffractions below "
                 "-25 dB, scattered rays below -13 dB or below -23 dB of their sum, by way of an edge below -27 dB")


def setUpModule():
    """An environment in tiles so small that there are more than 20,000, and one of usual tiles."""
    global SMALL_TILES, USUAL_TILES
    SMALL_TILES, USUAL_TILES = module_folder() / "small.gpkg", environment_with_visibility(module_folder())
    made("tileenvironment", *SCENE, "--tile-area", 8, "--min-wall-width", 0, "--environment", SMALL_TILES)
    made("computevisibility", "--environment", SMALL_TILES)


class PruningTest(PipelineTest):
    def predict(self, environment, *options):
        """The finished process and the file of its path losses."""
        sites, output = self.folder / "sites.csv", self.folder / "r.gpkg"
        sites.write_text(SITES)
        return self.assert_done(tesseray("predictcoverage", "--environment", environment, "--transmitters", sites,
                                         "--transmitters-crs", "EPSG:25832", "--geometry", "none", "--overwrite",
                                         "--path-loss", output, *options)), output

    def result(self, environment, *options):
        return json.loads(self.predict(environment, "--progress", "json", *options)[0].stdout)

    def pruning(self, environment, *options):
        """What the figures say, by transmitter."""
        coverage = self.result(environment, *options)["figures"]["coverage"]
        return {row["transmitter"]: row["pruning"] for row in coverage}

    def test_each_transmitter_gets_and_tells_its_own(self):
        process, output = self.predict(SMALL_TILES, "--max-bounces", 0, "--over-rooftop", "none")
        self.assertIn(f"\n  pruning of Street, Roof: {FEW_IN_SIGHT}\n  pruning of Mast: {MANY_IN_SIGHT}\n",
                      process.stdout)
        tiles = rows(output, "path_loss", "transmitter_id, line_of_sight")
        self.assertGreater(len(tiles), 3 * 20000)
        shares = [sum(bool(tile["line_of_sight"]) for tile in tiles if tile["transmitter_id"] == number) /
                  (len(tiles) / 3) for number in (1, 2, 3)]
        self.assertEqual([share >= 0.15 for share in shares], [False, False, True], shares)

    def test_nothing_is_drawn_where_there_are_few_tiles_or_it_is_not_wanted(self):
        nothing = dict.fromkeys(("Street", "Roof", "Mast"), "none")
        few = ("--max-bounces", 0)
        self.assertEqual(self.pruning(USUAL_TILES, *few), nothing)
        self.assertEqual(self.pruning(SMALL_TILES, *few, "--pruning=false"), nothing)
        self.assertEqual(self.pruning(SMALL_TILES, *few),
                         {"Street": FEW_IN_SIGHT, "Roof": FEW_IN_SIGHT, "Mast": MANY_IN_SIGHT})

    def test_it_is_the_same_again_and_for_any_number_of_threads(self):
        options = ("--max-bounces", 2, "--max-after-scattering", 0)
        hashes = {self.result(SMALL_TILES, *options, "--threads", threads)["result_hash"] for threads in (1, 3, 3)}
        self.assertEqual(len(hashes), 1)
        self.assertNotIn(self.result(SMALL_TILES, *options, "--pruning=false")["result_hash"], hashes)


if __name__ == "__main__":
    unittest.main()
