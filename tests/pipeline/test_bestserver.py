# SPDX-License-Identifier: GPL-3.0-or-later
"""The best server of several transmitters, against SQL over the path losses that it was made from."""

import contextlib
import math
import shutil
import sqlite3
import unittest
import xml.etree.ElementTree as ElementTree

from tesseray_process import (SCENE, PipelineTest, drop_triggers_of_indices, error_of, made, module_folder, rows,
                              tesseray)


def setUpModule():
    """A prediction of two transmitters on one frequency and one on another, made once."""
    global ENVIRONMENT, SITES, PREDICTION
    folder = module_folder()
    ENVIRONMENT, SITES = folder / "environment.gpkg", folder / "sites.csv"
    PREDICTION = folder / "Netz Süd.gpkg"
    SITES.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nWest,340450,6020500,40,1800,43\n"
                     "East,340560,6020520,40,1800,43\nUmbrella,340500,6020450,60,900,50\n")
    made("tileenvironment", *SCENE, "--environment", ENVIRONMENT)
    predict(PREDICTION, "--max-bounces", 1)


def predict(output, *options):
    return made("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", SITES, "--transmitters-crs",
                "EPSG:25832", "--output", output, *options)


class BestServer(PipelineTest):
    def serve(self, *options, source=None):
        output = self.folder / "served.gpkg"
        return tesseray("bestserver", "--path-loss", source or PREDICTION, "--progress", "json", "--output", output,
                        *options), output

    def test_environments_hold_nothing_else(self):
        for layer in ("best_server", "buildings"):
            with self.subTest(layer=layer):
                before = ENVIRONMENT.read_bytes()
                process = tesseray("bestserver", "--path-loss", PREDICTION, "--best-server",
                                   f"{ENVIRONMENT}|layername={layer}", "--overwrite", "--progress", "json")
                self.assert_refused(process, "output_in_environment", [])
                self.assertEqual(ENVIRONMENT.read_bytes(), before)

    def test_what_is_read_is_never_replaced(self):
        for layer in ("path_loss", "PATH_LOSS", "transmitters", "Transmitters"):
            with self.subTest(layer=layer):
                process = tesseray("bestserver", "--path-loss", PREDICTION, "--best-server",
                                   f"{PREDICTION}|layername={layer}", "--overwrite", "--progress", "json")
                self.assert_refused(process, "output_is_input", ["PATH_LOSS"])

    def test_what_is_read_is_never_replaced_whatever_it_is_called(self):
        mine = self.folder / "mine.gpkg"
        self.assert_done(tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", SITES,
                                  "--transmitters-crs", "EPSG:25832", "--path-loss", f"{mine}|layername=mine",
                                  "--transmitters-out", f"{mine}|layername=my sites", "--max-bounces", 0))
        before = mine.read_bytes()
        for source in (mine, f"{mine}|LayerName=MINE", f"{mine}|layername=mine", f"{mine}|layerid=1"):
            for layer in ("mine", "Mine", "my sites"):
                with self.subTest(source=source, layer=layer):
                    process = tesseray("bestserver", "--path-loss", source, "--best-server",
                                       f"{mine}|layername={layer}", "--overwrite", "--progress", "json")
                    self.assert_refused(process, "output_is_input", ["PATH_LOSS"])
        self.assertEqual(mine.read_bytes(), before)
        # Beside what is read.
        self.assert_done(tesseray("bestserver", "--path-loss", mine, "--output", mine))
        self.assertTrue(rows(mine, "best_server"))
        # Best servers are no second path loss.
        self.assert_done(tesseray("bestserver", "--path-loss", mine, "--output", mine, "--overwrite"))

    def test_best_servers_are_no_path_loss(self):
        """They have its fields, but tell nothing of the interference, nor what each transmitter covers."""
        alone = self.folder / "alone.gpkg"
        self.assert_done(self.serve()[0])
        both = self.folder / "both.gpkg"
        shutil.copy(PREDICTION, both)
        self.assert_done(tesseray("bestserver", "--path-loss", both, "--output", both))
        self.assert_done(tesseray("bestserver", "--path-loss", PREDICTION, "--best-server", f"{alone}|layername=servers"))
        out = self.folder / "out.gpkg"
        for tool, *options in (("bestserver", "--output", out), ("coverageraster", "--raster", self.folder / "r.tif"),
                               ("coveragebydistrict", "--districts", SCENE[1], "--output", out),
                               ("fingerprints", "--output", out),
                               ("comparewithdrivetest", "--drive-test", SITES, "--output", out)):
            for source, words in ((f"{both}|layername=best_server", ["this file has path_loss"]),
                                  (f"{alone}|layername=servers", ["as predictcoverage wrote them"])):
                with self.subTest(tool=tool, source=source):
                    process = tesseray(tool, "--path-loss", source, *options, "--progress", "json")
                    self.assert_refused(process, "best_servers", words)
        self.assertFalse(out.exists())
        # Beside them the path losses are still found.
        self.assert_done(tesseray("bestserver", "--path-loss", both, "--output", out))

    def test_rows_without_their_transmitters_say_how_to_give_both(self):
        alone = self.folder / "extracted.gpkg"
        with contextlib.closing(sqlite3.connect(shutil.copy(PREDICTION, alone))) as database:
            drop_triggers_of_indices(database)
            database.execute("DROP TABLE transmitters")
            for table in ("gpkg_contents", "gpkg_geometry_columns"):
                database.execute(f"DELETE FROM {table} WHERE table_name = 'transmitters'")
            database.commit()
        process, _ = self.serve(source=alone)
        self.assert_refused(process, "no_transmitters", ["with a filter", "Package layers"])

    def test_transmitters_of_another_run_are_warned_of(self):
        shared = self.folder / "shared.gpkg"
        others = self.folder / "others.csv"
        others.write_text(SITES.read_text().replace("340450", "340455"))

        def predict_from(sites, layer, *options):
            self.assert_done(tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", sites,
                                      "--transmitters-crs", "EPSG:25832", "--path-loss",
                                      f"{shared}|layername={layer}", "--transmitters-out", shared, "--overwrite",
                                      "--max-bounces", 0, *options))

        def warned(layer):
            process, _ = self.serve("--overwrite", source=f"{shared}|layername={layer}")
            self.assert_done(process)
            return "other_transmitters" in process.stderr

        predict_from(SITES, "first")
        predict_from(SITES, "same sites", "--receiver-height", 3)
        self.assertFalse(warned("first"))
        predict_from(others, "second")
        self.assertTrue(warned("first"))
        self.assertFalse(warned("second"))
        predict_from(SITES, "third", "--frequency-field", "frequency_mhz")
        self.assertTrue(warned("second"))

    def test_transmitters_are_those_of_the_run_whatever_their_layer_is_called(self):
        shared, others = self.folder / "shared.gpkg", self.folder / "others.csv"
        others.write_text(SITES.read_text().replace("West", "North").replace("East", "South"))

        def predict_as(sites, path_loss, transmitters):
            self.assert_done(tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", sites,
                                      "--transmitters-crs", "EPSG:25832", "--path-loss",
                                      f"{shared}|layername={path_loss}", "--transmitters-out",
                                      f"{shared}|layername={transmitters}", "--max-bounces", 0))

        def servers(source):
            process, output = self.serve("--overwrite", source=source)
            self.assert_done(process)
            self.assertNotIn("other_transmitters", process.stderr)
            return {row["transmitter"] for row in rows(output, "best_server")} - {None}

        predict_as(SITES, "pl1", "my sites")
        self.assertLessEqual(servers(shared), {"West", "East", "Umbrella"})  # the only path loss needs no name
        predict_as(SITES, "pl2", "transmitters")
        predict_as(others, "pl3", "t3")
        self.assertLessEqual(servers(f"{shared}|layername=pl1"), {"West", "East", "Umbrella"})
        self.assertLessEqual(servers(f"{shared}|layername=pl3"), {"North", "South", "Umbrella"})
        process, _ = self.serve("--overwrite", source=shared)
        self.assert_refused(process, "no_layer")

    def test_another_programs_table_of_runs_tells_nothing(self):
        foreign = self.folder / "foreign.gpkg"
        shutil.copy(PREDICTION, foreign)
        with sqlite3.connect(foreign) as database:
            database.execute("DROP TABLE tesseray_runs")
            database.execute("CREATE TABLE tesseray_runs (runner TEXT)")
        process, output = self.serve(source=foreign)
        self.assert_done(process)
        self.assertEqual({row["transmitter"] for row in rows(output, "best_server")} - {None},
                         {"West", "East", "Umbrella"})

    def test_it_is_what_sql_finds(self):
        process, output = self.serve("--bandwidth", 20, "--noise-figure", 9, "--load", 50)
        self.assert_done(process)
        served = rows(output, "best_server")
        names = {row["transmitter_id"]: row["name"] for row in rows(PREDICTION, "transmitters")}
        frequency = {row["transmitter_id"]: row["frequency_mhz"] for row in rows(PREDICTION, "transmitters")}
        power = {}
        for row in rows(PREDICTION, "path_loss"):
            power.setdefault(row["tile_id"], {})[row["transmitter_id"]] = row["received_power_dbm"]
        self.assertEqual([row["tile_id"] for row in served], sorted(power))
        noise_mw = 1.380649e-23 * 290 * 20e6 * 1e3 * 10 ** 0.9
        found = set()
        for row in served:
            reached = {t: p for t, p in power[row["tile_id"]].items() if p is not None}
            if not reached:
                self.assertIsNone(row["transmitter_id"])
                self.assertIsNone(row["sinr_db"])
                continue
            best = max(reached, key=lambda t: (reached[t], -t))
            self.assertEqual(row["transmitter_id"], best)
            self.assertEqual(row["transmitter"], names[best])
            others = sum(10 ** (p / 10) for t, p in reached.items() if t != best and frequency[t] == frequency[best])
            sinr = reached[best] - 10 * math.log10(0.5 * others + noise_mw)
            self.assertAlmostEqual(row["sinr_db"], sinr, places=4)
            self.assertEqual(row["server_count"], sum(p >= reached[best] - 6 for p in reached.values()))
            found.add(best)
        self.assertEqual(found, set(names))

    def test_it_joins_the_prediction_in_a_spatialite_database(self):
        network = self.folder / "network.sqlite"
        predict(network, "--max-bounces", 0)
        serve = ["bestserver", "--path-loss", network, "--output", network, "--progress", "json"]
        self.assert_done(tesseray(*serve))
        self.assertEqual(len(rows(network, "best_server")), len(rows(network, "path_loss")) // 3)
        self.assert_refused(tesseray(*serve), "layer_exists")

    def test_path_loss_without_geometry_is_refused(self):
        predict(self.folder / "table.gpkg", "--geometry", "none", "--max-bounces", 0)
        self.assert_refused(self.serve(source=self.folder / "table.gpkg")[0], "no_geometry", ["GEOMETRY polygon"])

    def test_shapes_are_the_tiles(self):
        process, output = self.serve()
        self.assert_done(process)
        with sqlite3.connect(output) as served:
            served.execute("ATTACH ? AS prediction", (str(PREDICTION),))
            same, all_rows = served.execute(
                "SELECT SUM(b.geom = p.geom), COUNT(*) FROM best_server b JOIN prediction.path_loss p ON"
                " p.tile_id = b.tile_id AND p.transmitter_id = (SELECT MIN(transmitter_id) FROM"
                " prediction.path_loss)").fetchone()
            styles = [row[0] for row in served.execute("SELECT styleName FROM layer_styles ORDER BY useAsDefault DESC")]
        self.assertEqual(same, all_rows)
        self.assertGreater(all_rows, 100)
        self.assertEqual(styles[0], "Best server")

    def test_points_stay_points(self):
        points = self.folder / "points.gpkg"
        predict(points, "--geometry", "point", "--max-bounces", 1)
        process, output = self.serve(source=points)
        self.assert_done(process)
        with sqlite3.connect(output) as served:
            kind = served.execute("SELECT geometry_type_name FROM gpkg_geometry_columns"
                                  " WHERE table_name = 'best_server'").fetchone()
        self.assertEqual(kind, ("POINT",))
        polygons = self.serve("--overwrite")[1]
        self.assertEqual([row["sinr_db"] for row in rows(output, "best_server")],
                         [row["sinr_db"] for row in rows(polygons, "best_server")])

    def test_weak_transmitters_serve_nobody(self):
        process, output = self.serve("--min-received-power", 99)
        self.assert_done(process)
        self.assertEqual({row["transmitter_id"] for row in rows(output, "best_server")}, {None})

    def test_styles_are_xml_whatever_transmitters_are_called(self):
        network = self.folder / "network.gpkg"
        shutil.copy(PREDICTION, network)
        names = {"West": "We\x01\x0bst", "East": 'E\ta\n"s"\rt', "Umbrella": "Umbrella <\uffff☂>"}
        with contextlib.closing(sqlite3.connect(network)) as database, database:
            drop_triggers_of_indices(database)
            for name, new in names.items():
                database.execute("UPDATE transmitters SET name = ? WHERE name = ?", (new, name))
        process, output = self.serve(source=network)
        self.assert_done(process)
        styles = [ElementTree.fromstring(row["styleQML"]) for row in rows(output, "layer_styles")]
        values = {category.get("value") for style in styles for category in style.iter("category")}
        self.assertEqual(values, {"NULL", "We\ufffd\ufffdst", 'E\ta\n"s"\rt', "Umbrella <\ufffd☂>"})

    def test_what_is_no_prediction_is_refused(self):
        process, output = self.serve(source=f"{PREDICTION}|layername=transmitters")
        self.assertEqual(process.returncode, 2)
        error = error_of(process)
        self.assertIn("predictcoverage", error["hint"])
        self.assertFalse(output.exists())

    def test_a_filter_that_leaves_nothing_is_refused(self):
        process, output = self.serve(source=f"{PREDICTION}|layername=path_loss|subset=transmitter_id = 9")
        self.assert_refused(process, "no_rows", ["transmitter_id = 9", "path_loss"])
        self.assertFalse(output.exists())

    def test_a_wrong_filter_is_called_so(self):
        for wrong in ("nofield = 3", "transmitter_id ="):
            process, output = self.serve(source=f"{PREDICTION}|layername=path_loss|subset={wrong}")
            self.assert_refused(process, "bad_filter", [f'"{wrong}" is not valid', "path_loss", "|subset="])
            self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
