# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints against SQL over the path losses they are made of, and queries whose places are known."""

import json
import math
import random
import sqlite3
import unittest

from osgeo import ogr

from tesseray_process import SCENE, PipelineTest, error_of, made, module_folder, rows, tesseray


def setUpModule():
    """A wideband prediction of four sites."""
    global PREDICTION
    folder = module_folder()
    environment, sites = folder / "environment.gpkg", folder / "sites.csv"
    PREDICTION = folder / "prediction.gpkg"
    sites.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nWest,340390,6020500,40,1800,43\n"
                     "East,340610,6020520,40,1800,43\nSouth,340500,6020390,45,1800,43\n"
                     "North,340520,6020610,40,900,43\n")
    made("tileenvironment", *SCENE, "--environment", environment)
    made("predictcoverage", "--environment", environment, "--transmitters", sites, "--transmitters-crs", "EPSG:25832",
         "--max-bounces", 2, "--wideband", "--output", PREDICTION)


def middle(geometry):
    """The middle of a geometry's box, as easting and northing in metres."""
    west, east, south, north = geometry.GetEnvelope()
    return 0.5 * (west + east), 0.5 * (south + north)


def features(file, layer, where=None):
    """The features of a layer, one after the other; the file stays open while they are read."""
    data = ogr.Open(str(file))
    opened = data.GetLayer(layer)
    opened.SetAttributeFilter(where)
    yield from opened


class Fingerprints(PipelineTest):
    def run_tool(self, *options, source=None):
        output = self.folder / "fingerprints.gpkg"
        return tesseray("fingerprints", "--path-loss", source or PREDICTION, "--progress", "json", "--output", output,
                        *options), output

    def test_rows_are_what_sql_finds(self):
        process, output = self.run_tool("--kinds", "ground,wall", "--min-received-power", -95)
        self.assert_done(process)
        expected = {}
        for row in rows(PREDICTION, "path_loss"):
            if row["kind"] != "roof" and row["received_power_dbm"] is not None and row["received_power_dbm"] >= -95:
                expected.setdefault(row["tile_id"], {})[row["transmitter_id"]] = row
        found = rows(output, "fingerprints")
        self.assertEqual([row["tile_id"] for row in found], sorted(expected))
        self.assertEqual({row["kind"] for row in found}, {"ground", "wall"})
        unheard = 0
        for row in found:
            heard = expected[row["tile_id"]]
            self.assertEqual(row["transmitter_count"], len(heard))
            for site in (1, 2, 3, 4):
                for column, field in (("power_dbm", "received_power_dbm"), ("delay_ns", "first_delay_ns"),
                                      ("azimuth_deg", "arrival_azimuth_deg"),
                                      ("elevation_deg", "arrival_elevation_deg")):
                    value = heard[site][field] if site in heard else None
                    self.assertEqual(row[f"t{site}_{column}"], value)
                unheard += site not in heard
        self.assertGreater(unheard, 10)

    def queries(self, noise_db, count, with_delay=False, with_places=True):
        """A CSV of noisy measurements at ground tiles, and the tiles."""
        tiles = {}
        with sqlite3.connect(PREDICTION) as database:
            for tile, site, power, delay, minx, maxx, miny, maxy in database.execute(
                    "SELECT p.tile_id, p.transmitter_id, p.received_power_dbm, p.first_delay_ns, r.minx, r.maxx,"
                    " r.miny, r.maxy FROM path_loss p JOIN rtree_path_loss_geom r ON r.id = p.fid"
                    " WHERE p.kind = 'ground' AND p.received_power_dbm IS NOT NULL ORDER BY p.fid"):
                tiles.setdefault(tile, (0.5 * (minx + maxx), 0.5 * (miny + maxy), {}))[2][site] = (power, delay)
        whole = [tile for tile, (_, _, heard) in tiles.items() if len(heard) == 4]
        generator = random.Random(1)
        chosen = generator.sample(whole, count)
        lines = ["query,site,rsrp" + (",delay_ns" if with_delay else "") + (",x,y" if with_places else "")]
        for tile in chosen:
            x, y, heard = tiles[tile]
            for site, (power, delay) in heard.items():
                line = f"q{tile},{site},{power + generator.gauss(0, noise_db)!r}"
                line += f",{delay + generator.gauss(0, 20 * noise_db)!r}" if with_delay else ""
                lines.append(line + (f",{x!r},{y!r}" if with_places else ""))
        file = self.folder / "queries.csv"
        file.write_text("\n".join(lines) + "\n")
        return file, chosen

    def located(self, noise_db, *options, **how):
        file, chosen = self.queries(noise_db, 60, **how)
        process, output = self.run_tool("--queries", file, "--queries-crs", "EPSG:25832", "--kinds", "ground",
                                        "--overwrite", *options)
        self.assert_done(process)
        return json.loads(process.stdout)["figures"], rows(output, "located"), chosen

    def test_exact_queries_are_found(self):
        figures, found, chosen = self.located(0, "--neighbours", 1)
        self.assertEqual([row["query"] for row in found], [f"q{tile}" for tile in chosen])
        for row, tile in zip(found, chosen):
            self.assertEqual(row["tile_id"], tile)
            self.assertEqual(row["mismatch"], 0)
            self.assertLess(row["error_m"], 0.5)  # tiles cut by a border have their middle elsewhere than their bounds
        self.assertEqual(figures["located"], 60)
        self.assertLess(figures["p90_error_m"], 0.5)

    def test_noise_costs_metres_and_delays_win_them_back(self):
        by_power = self.located(4)[0]
        with_delays = self.located(4, with_delay=True)[0]
        # 300 m × 300 m: at random the mean error would be over 100 m.
        self.assertTrue(3 < by_power["median_error_m"] < 60, by_power)
        self.assertLess(with_delays["median_error_m"], 0.6 * by_power["median_error_m"])

    def test_a_receivers_unknown_gain_does_no_harm_when_said(self):
        file, chosen = self.queries(0, 20)
        lines = file.read_text().splitlines()
        shifted = [lines[0]] + [",".join([*line.split(",")[:2], repr(float(line.split(",")[2]) - 17.0),
                                          *line.split(",")[3:]]) for line in lines[1:]]
        file.write_text("\n".join(shifted) + "\n")
        for options, expected in ((["--unknown-gain"], True), ([], False)):
            process, output = self.run_tool("--queries", file, "--queries-crs", "EPSG:25832", "--neighbours", 1,
                                            "--overwrite", *options)
            self.assert_done(process)
            self.assertEqual([row["tile_id"] for row in rows(output, "located")] == chosen, expected)

    def test_queries_need_no_places(self):
        figures, found, chosen = self.located(0, "--neighbours", 1, with_places=False)
        self.assertEqual([row["tile_id"] for row in found], chosen)
        self.assertEqual({row["error_m"] for row in found}, {None})
        self.assertIsNone(figures["mean_error_m"])

    def test_fillers_are_left_out_and_any_row_may_have_the_place(self):
        file = self.folder / "queries.csv"
        x, y = 340500, 6020500
        with sqlite3.connect(PREDICTION) as database:
            heard = database.execute("SELECT transmitter_id, received_power_dbm, first_delay_ns FROM path_loss WHERE "
                                     "tile_id = (SELECT tile_id FROM path_loss WHERE kind = 'ground' GROUP BY 1 "
                                     "HAVING count(received_power_dbm) = 4 LIMIT 1)").fetchall()
        lines = ["query,site,rsrp,delay_ns,x,y"]
        for n, (site, power, delay) in enumerate(heard):
            lines.append(f"q,{site},{power},{(delay, -999, -9999, 99999)[n]},{',' if n == 0 else f'{x},{y}'}")
        file.write_text("\n".join([*lines, ",1,-70,300,1,1"]) + "\n")
        process, output = self.run_tool("--queries", file, "--queries-crs", "EPSG:25832", "--neighbours", 1)
        self.assert_done(process)
        found, = rows(output, "located")
        self.assertEqual(found["mismatch"], 0)
        self.assertIsNotNone(found["error_m"])
        self.assertEqual({warning["code"] for warning in json.loads(process.stdout)["warnings"]},
                         {"unreadable_values", "rows_without_query"})

    def test_positions_are_the_tiles(self):
        process, output = self.run_tool()
        self.assert_done(process)
        middles = {feature["tile_id"]: middle(feature.GetGeometryRef())
                   for feature in features(PREDICTION, "path_loss", "transmitter_id = 1")}
        places = list(features(output, "fingerprints"))
        self.assertGreater(len(places), 100)
        for place in places:
            for found, expected in zip(middle(place.GetGeometryRef()), middles[place["tile_id"]]):
                self.assertAlmostEqual(found, expected, delta=0.01)

    def test_bad_queries_are_refused(self):
        file = self.folder / "queries.csv"
        for text, code in (("site,rsrp\n1,-80\n", "QUERY_FIELD"), ("query,site\n1,1\n", "POWER_FIELD")):
            file.write_text(text)
            process, _ = self.run_tool("--queries", file)
            self.assertEqual(process.returncode, 2)
            self.assertIn(code, json.dumps(error_of(process)))

    def test_only_received_powers_are_taken_for_such(self):
        file = self.folder / "queries.csv"
        for text, code in (("query,site,path_loss_db\n1,West,83\n", "POWER_FIELD"),
                           ("query,site,field_dbuvm\n1,West,73\n", "POWER_FIELD"),
                           ("query,site,power\n1,West,83\n", "values_of_another_kind")):
            file.write_text(text)
            process, output = self.run_tool("--queries", file)
            self.assertEqual(process.returncode, 2, text)
            self.assertIn(code, json.dumps(error_of(process)))
            self.assertFalse(output.exists())

    def first_located(self, text):
        """The run with queries in a CSV file, and where it places the first of them."""
        file = self.folder / "queries.csv"
        file.write_text(text)
        process, output = self.run_tool("--queries", file, "--overwrite")
        self.assert_done(process)
        return process, {name: value for name, value in rows(output, "located")[0].items() if name != "fid"}

    def test_values_that_say_another_thing_or_nothing_are_warned_of(self):
        def located(text):
            process, found = self.first_located("query,site,rsrp,Azimuth [°]\n" + text)
            warnings = [json.loads(line)["warning"] for line in process.stderr.splitlines() if "warning" in line]
            return {warning["code"]: warning["message"] for warning in warnings}, found["tile_id"]

        warned, tile = located("1,West,-70,20\n1,East,-80,30\n")
        self.assertEqual(warned, {})
        warned, same_tile = located("1,West,-70,20\n1,East,-80,30\n2,West,-999,9999\n2,East,-75,30\n")
        self.assertEqual(list(warned), ["unreadable_values"])
        self.assertTrue(warned["unreadable_values"].startswith("2 values"), warned)
        self.assertRegex(warned["unreadable_values"], r'such as "-999" \(.*csv, field rsrp, line 4\)$')
        self.assertEqual(same_tile, tile)
        for filler in (0, 99, 255):
            warned, same_tile = located(f"1,West,-70,20\n1,West,{filler},20\n1,East,-80,30\n2,East,-75,30\n")
            self.assertRegex(warned["unreadable_values"], rf'^1 value .* such as "{filler}" ')
            self.assertEqual((list(warned), same_tile), (["unreadable_values"], tile))
        warned, same_tile = located("1,West,-95,20\n1,West,-70,20\n1,East,-80,30\n")
        self.assertEqual(list(warned), ["repeated_values"])
        self.assertTrue(warned["repeated_values"].startswith("1 value "), warned)
        self.assertEqual(same_tile, tile)

    def test_rows_of_one_query_and_transmitter_are_joined(self):
        def located(text):
            return self.first_located("query,site,rsrp,delay\n" + text)

        whole = located("1,West,-70,200\n1,East,-80,300\n")[1]
        self.assertIsNotNone(whole["tile_id"])
        for text in ("1,West,-70,200\n1,West,,\n1,East,-80,300\n1,East,,\n",
                     "1,West,-70,\n1,East,-80,\n1,West,,200\n1,East,,300\n"):
            process, found = located(text)
            self.assertEqual(found, whole)
            self.assertNotIn("unreadable", process.stderr)
        self.assertIn("unreadable_values", located("1,West,weak,200\n1,East,-80,300\n")[0].stderr)

    def test_rows_of_unknown_transmitters_are_counted(self):
        file = self.folder / "queries.csv"
        for unknown in ("Nowhere", "2"):  # an id, where others have names
            file.write_text(f"query,site,rsrp\n1,{unknown},-80\n1,West,-70\n")
            process, output = self.run_tool("--queries", file, "--overwrite")
            self.assert_done(process)
            self.assertIn("unknown_transmitters", process.stderr)
            self.assertEqual([row["transmitter_count"] for row in rows(output, "located")], [1])
            self.assertTrue(math.isfinite(rows(output, "located")[0]["mismatch"]))

    def test_transmitters_may_be_spelled_in_other_letters(self):
        file = self.folder / "queries.csv"
        file.write_text("query,site,rsrp\n1,WEST,-70\n")
        process, output = self.run_tool("--queries", file)
        self.assert_done(process)
        warned, = (line["warning"]["message"] for line in map(json.loads, process.stderr.splitlines())
                   if line.get("warning", {}).get("code") == "other_spelling")
        self.assertTrue(warned.startswith("1 of the rows of the queries names its transmitter in "), warned)
        self.assertEqual([row["transmitter_count"] for row in rows(output, "located")], [1])


if __name__ == "__main__":
    unittest.main()
