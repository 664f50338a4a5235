# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad values of parameters and destinations: each is refused before any work, with what is wrong and what to do."""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import unittest

from osgeo import gdal

from tesseray_process import (EXECUTABLE, SAMPLE, SCENE, PipelineTest, interrupted_by, json_lines, made, tesseray,
                              transmitters_csv)

BUILDINGS = ["--buildings", SAMPLE / "buildings.gpkg"]
# GDAL waits for another program's lock on what it reads, five seconds if nothing is said.
IMPATIENT = {**os.environ, "SQLITE_BUSY_TIMEOUT": "300"}


class BadValuesTest(PipelineTest):
    def refuse(self, arguments, code, words, tool="tileenvironment"):
        before = self.files()
        error = self.assert_refused(tesseray(tool, *arguments, "--progress", "json"), code, words)
        self.assertEqual(self.files(), before, "nothing is written")
        return error

    def refuse_value(self, name, value, words):
        with self.subTest(parameter=name, value=value):
            self.refuse([*BUILDINGS, "--environment", self.folder / "e.gpkg", f"--{name}={value}"], "bad_parameters",
                        [name.upper().replace("-", "_"), *words])

    def test_numbers(self):
        self.refuse_value("tile-area", "0", ["below the minimum"])
        self.refuse_value("tile-area", "-100", ["below the minimum"])
        self.refuse_value("tile-area", "1e9", ["above the maximum"])
        self.refuse_value("tile-area", "ten", ["no number"])
        self.refuse_value("tile-area", "10m", ["no number"])
        self.refuse_value("tile-area", "10,5", ["no number"])
        self.refuse_value("tile-area", "nan", ["no number"])
        self.refuse_value("tile-area", "inf", ["no number"])
        self.refuse_value("storey-height", "0", ["below the minimum"])
        self.refuse_value("default-height", "-3", ["below the minimum"])
        self.refuse_value("ridge-angle", "90", ["below the minimum"])

    def test_entrance_without_its_field(self):
        self.refuse([*BUILDINGS, "--environment", self.folder / "e.gpkg", "--ground-reference", "entrance"],
                    "no_entrance_field", ["ENTRANCE_FIELD", "mean or lowest"])

    def test_fields_that_nothing_is_read_from_are_told_of(self):
        process = self.assert_done(tesseray(
            "tileenvironment", *SCENE, "--tile-area", 400, "--entrance-field", "base_m", "--vegetation-height-field",
            "height", "--clutter-field", "class", "--environment", self.folder / "e.gpkg", "--progress", "json"))
        told = [line["warning"]["message"] for line in json_lines(process.stderr) if "warning" in line
                and line["warning"]["code"] == "field_not_used"]
        self.assertEqual(sorted(message.split(":")[0] for message in told), [
            "CLUTTER_FIELD is not used, since there is no CLUTTER_AREAS that it would be a field of",
            "ENTRANCE_FIELD is not used, since GROUND_REFERENCE is mean",
            "VEGETATION_HEIGHT_FIELD is not used, since there is no VEGETATION that it would be a field of"])

    def test_buildings_that_cannot_be_used_are_named_with_their_file(self):
        town = self.folder / "town.geojson"
        for height, last, arguments, code in ((None, (6.549, 54.306), ["--missing-height", "fail"], "missing_height"),
                                              (None, (6.549, 54.306), ["--missing-height", "drop"], "no_buildings"),
                                              (9, (1.5, 50.5), [], "far_building")):
            features = []
            for x, y in ((6.546, 54.306), (6.547, 54.306), (6.548, 54.306), last):
                ring = [[x, y], [x + 3e-4, y], [x + 3e-4, y + 2e-4], [x, y]]
                features.append({"type": "Feature", "properties": {"height": height},
                                 "geometry": {"type": "Polygon", "coordinates": [ring]}})
            town.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
            with self.subTest(code=code):
                self.refuse(["--buildings", town, "--crs", "EPSG:25832", "--environment", self.folder / "e.gpkg",
                             *arguments], code, ["town.geojson, layer town"])

    def test_missing_heights_are_counted_in_words(self):
        town = self.folder / "town.geojson"
        for heights, words in (([9, None], "1 building has no height (feature 1)"),
                               ([None, 9, None], "2 buildings have no height (features 0, 2)")):
            ring = [[6.546, 54.306], [6.5463, 54.306], [6.5463, 54.3062], [6.546, 54.306]]
            features = [{"type": "Feature", "properties": {"height": height}, "geometry": {
                "type": "Polygon", "coordinates": [[[x + number * 1e-3, y] for x, y in ring]]}}
                for number, height in enumerate(heights)]
            town.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
            self.refuse(["--buildings", town, "--crs", "EPSG:25832", "--environment", self.folder / "e.gpkg",
                         "--missing-height", "fail"], "missing_height", [words])

    def test_choices(self):
        self.refuse_value("height-kind", "storey", ["above_ground, roof_elevation, storeys", "Did you mean storeys?"])
        self.refuse_value("height-unit", "feet", ["m, ft"])
        self.refuse_value("missing-height", "ignore", ["default, fail, drop"])
        self.refuse_value("local-metres", "perhaps", ["true nor false"])

    def test_a_parameter_is_called_no_field(self):
        error = self.refuse([*BUILDINGS, "--environment", self.folder / "e.gpkg", "--crs", "Gauss"], "unknown_crs",
                            ["EPSG:3946"])
        self.assertEqual(error["message"], 'CRS: "Gauss" is not a CRS')

    def test_a_missing_database_of_crss_is_found_before_the_work(self):
        environment = self.folder / "e.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        path_loss = self.folder / "p.gpkg"
        made("predictcoverage", "--environment", environment, *transmitters_csv(self.folder), "--max-bounces", 0,
             "--path-loss", path_loss)
        nowhere = {**os.environ, "PROJ_DATA": str(self.folder / "none"), "PROJ_LIB": str(self.folder / "none")}
        new = self.folder / "new.gpkg"
        for command in (["tileenvironment", *SCENE, "--environment", new],
                        ["tileenvironment", *SCENE, "--crs", "EPSG:25832", "--environment", new],
                        ["predictcoverage", "--environment", environment, "--transmitters",
                         SAMPLE / "transmitters.csv", "--path-loss", new],
                        ["bestserver", "--path-loss", path_loss, "--output", new]):
            with self.subTest(command=command[0]):
                process = tesseray(*command, "--progress", "json", env=nowhere)
                self.assert_refused(process, "no_proj_database", ["proj.db", "PROJ_DATA and PROJ_LIB"])
                self.assertFalse(new.exists())

    def test_extents(self):
        self.refuse_value("extent", "1,2,3", ["xmin,xmax,ymin,ymax"])
        self.refuse_value("extent", "a,b,c,d", ["no number"])
        self.refuse_value("extent", "10,0,0,10", ["empty"])
        self.refuse_value("extent", "0,10,10,10", ["empty"])
        self.refuse_value("extent", "2600000,1200000,2600300,1200300", ["empty", "looks like xmin,ymin,xmax,ymax"])

    def test_corners_in_place_of_an_extent(self):
        """Most programs give xmin,ymin,xmax,ymax, which is half the globe as xmin,xmax,ymin,ymax."""
        self.refuse([*SCENE[:-1], "340350,6020350,340650,6020650", "--environment", self.folder / "e.gpkg"],
                    "extent_order", ["buildings.gpkg", "xmin,xmax,ymin,ymax: 340350,340650,6020350,6020650"])

    def test_missing_ones(self):
        error = self.refuse([], "bad_parameters", ["BUILDINGS", "ENVIRONMENT", "--buildings"])
        self.assertIn("2 parameters are wrong", error["message"])
        self.refuse(["--output", self.folder / "x.gpkg"], "bad_parameters", ["BUILDINGS", "TRANSMITTERS"],
                    tool="coveragestudy")

    def test_all_at_once(self):
        error = self.refuse(["--tile-area", "0", "--height-kind", "x", "--dem", "none.tif"], "bad_parameters",
                            ["TILE_AREA", "HEIGHT_KIND", "DEM", "none.tif", "BUILDINGS", "ENVIRONMENT"])
        self.assertIn("5 parameters are wrong", error["message"])

    def test_files_that_are_not_there(self):
        self.refuse(["--buildings", self.folder / "none.shp", "--environment", self.folder / "e.gpkg"],
                    "bad_parameters", ["BUILDINGS", "none.shp"])
        self.refuse(["--environment", self.folder / "none.gpkg"], "bad_parameters", ["ENVIRONMENT", "none.gpkg"],
                    tool="computevisibility")

    def test_texts_end_where_they_end(self):
        """What a file is called ends for the operating system at the first NUL."""
        for name, text in (("ENVIRONMENT", f"{self.folder}/a\0b.gpkg"), ("OUTPUT", f"{self.folder}/a\0b.gpkg"),
                           ("BUILDINGS", f"{SAMPLE}/buildings.gpkg\0|layername=x"), ("CRS", "EPSG:25832\0")):
            with self.subTest(parameter=name):
                parameters = {"BUILDINGS": f"{SAMPLE}/buildings.gpkg", "ENVIRONMENT": f"{self.folder}/e.gpkg", name: text}
                process = tesseray("tileenvironment", "--json", "-", "--progress", "json", stdin=json.dumps(parameters))
                self.assert_refused(process, "bad_parameters", [name, "NUL"])
                self.assertEqual(self.files(), [])

    def test_whole_numbers_and_multiple_choices(self):
        environment = self.folder / "e.gpkg"
        environment.touch()
        basis = ["--environment", environment, "--transmitters", SAMPLE / "transmitters.csv", "--path-loss",
                 self.folder / "p.gpkg"]
        for name, value, words in (("max-bounces", "2.5", "whole number"), ("max-bounces", "99", "above the maximum"),
                                   ("max-scatterings", "2", "above the maximum"),
                                   ("scattering-coefficient", "1.2", "above the maximum"),
                                   ("permittivity", "0.5", "below the minimum"),
                                   ("kinds", "ground,tree", "ground, wall, roof"), ("kinds", "wall,wall", "twice"),
                                   ("kinds", "ground,", "is not one of"), ("receiver-height", "0", "below the minimum"),
                                   ("frequency", "-900", "below the minimum"),
                                   ("receiver-polarization", "round", "vertical, horizontal")):
            with self.subTest(parameter=name, value=value):
                self.refuse([*basis, f"--{name}={value}"], "bad_parameters", [words], tool="predictcoverage")


class BadDestinationsTest(PipelineTest):
    def refuse(self, arguments, code, words=(), tool="tileenvironment"):
        before = self.files()
        self.assert_refused(tesseray(tool, *BUILDINGS, *arguments, "--progress", "json"), code, words)
        self.assertEqual(self.files(), before, "nothing is written")

    def test_no_output_at_all(self):
        self.refuse(["--transmitters", SAMPLE / "transmitters.csv"], "no_output", ["--output"], tool="coveragestudy")

    def test_folder_that_is_not_there(self):
        self.refuse(["--environment", self.folder / "none" / "e.gpkg"], "no_such_folder", ["none"])

    def test_folder_in_place_of_a_file(self):
        self.refuse(["--environment", self.folder], "is_a_folder")

    def test_layer_file_that_is_no_geopackage(self):
        for name in ("tiles.shp", "tiles.geojson", "tiles"):
            with self.subTest(name=name):
                self.refuse(["--environment", self.folder / "e.gpkg", "--tiles", self.folder / name],
                            "unsupported_format", [".gpkg"])

    def test_environment_that_is_not_named_as_geopackage(self):
        for name in ("e.tscene", "e.sqlite", "e"):
            with self.subTest(name=name):
                self.refuse(["--environment", self.folder / name], "unsupported_format",
                            ["a name that ends in .gpkg"])

    def test_reserved_layer_name(self):
        self.refuse(["--environment", self.folder / "e.gpkg", "--tiles",
                     f"{self.folder / 't.gpkg'}|layername=gpkg_contents"], "bad_layer_name", ["gpkg_contents"])

    def test_passwords_are_shown_in_no_error(self):
        secret = "PG:dbname=city password=geheim"
        environment = self.folder / "e.gpkg"
        for command in (["computevisibility", "--environment", secret],
                        ["computevisibility", f"--environment={secret}"],
                        ["predictcoverage", "--environment", SAMPLE / "dem.tif", "--visibility", secret],
                        ["importantenna", "--antenna-file", secret],
                        ["importantenna", "--antenna-file", SAMPLE / "dem.tif", secret],
                        ["coverageraster", "--path-loss", SAMPLE / "buildings.gpkg", "--raster", secret],
                        ["tileenvironment", *SCENE, "--environment", secret],
                        ["tileenvironment", *SCENE, "--environment", environment, "--crs", secret]):
            for style in ("json", "none"):
                with self.subTest(command=command, style=style):
                    process = tesseray(*command, "--progress", style)
                    self.assertEqual(process.returncode, 2, process.stderr)
                    self.assertNotIn("geheim", process.stdout + process.stderr)
        parameters = json.dumps({"ENVIRONMENT": secret})
        process = tesseray("computevisibility", "--json", "-", "--progress", "json", stdin=parameters)
        self.assert_refused(process, words=["password=…"])
        self.assertNotIn("geheim", process.stderr)

    def test_layers_of_others_are_never_replaced(self):
        for name in ("city.gpkg", "city.sqlite"):
            with self.subTest(name=name):
                city = self.folder / name
                gdal.VectorTranslate(str(city), str(SAMPLE / "vegetation.gpkg"), layerName="tiles")
                before = city.read_bytes()
                command = ["tileenvironment", *SCENE, "--environment", self.folder / "e.gpkg", "--overwrite",
                           "--progress", "json"]
                process = tesseray(*command, "--tiles", city)
                error = self.assert_refused(process, "layer_of_others", ["tesseray_runs", "another name"])
                self.assertEqual((error["file"], error["layer"]), (str(city), "tiles"))
                self.assertNotIn('"stage"', process.stderr, "before any work")
                self.assertEqual(city.read_bytes(), before)
                for _ in range(2):
                    self.assert_done(tesseray(*command, "--tiles", f"{city}|layername=our tiles"))

    def test_names_that_would_be_taken_for_layers(self):
        self.refuse(["--environment", self.folder / "a|b.gpkg"], "bad_name", ["|"])

    def test_names_that_would_be_taken_for_addresses(self):
        for option in ("--environment", "--tiles"):
            others = ["--environment", self.folder / "e.gpkg"] if option == "--tiles" else []
            process = tesseray("tileenvironment", *SCENE, *others, option, "file:n.gpkg", "--progress", "json",
                               cwd=self.folder)
            self.assert_refused(process, "bad_name", ["./file:n.gpkg"])
            self.assertEqual(self.files(), [])
        made("tileenvironment", *SCENE, "--environment", "./file:n.gpkg", cwd=self.folder)
        made("computevisibility", "--environment", "./file:n.gpkg", cwd=self.folder)

    def test_two_outputs_in_one_place(self):
        self.refuse(["--environment", self.folder / "e.gpkg", "--tiles", f"{self.folder / 't.gpkg'}|layername=x",
                     "--edges", f"{self.folder / 't.gpkg'}|layername=X"], "outputs_collide")
        self.refuse(["--environment", self.folder / "e.gpkg", "--tiles", self.folder / "e.gpkg"], "outputs_collide")

    def test_existing_file(self):
        existing = self.folder / "e.gpkg"
        existing.write_text("precious")
        self.refuse(["--environment", existing], "file_exists", ["--overwrite"])
        self.assertEqual(existing.read_text(), "precious")

    def test_existing_file_that_is_no_geopackage(self):
        existing = self.folder / "t.gpkg"
        existing.write_text("precious")
        self.refuse(["--environment", self.folder / "e.gpkg", "--tiles", existing], "file_exists", ["--overwrite"])
        self.assertEqual(existing.read_text(), "precious")

    def test_files_that_are_no_earlier_results_are_not_replaced(self):
        environment, scene = self.folder / "e.gpkg", self.folder / "s.tscene"
        made("tileenvironment", *SCENE, "--environment", environment)
        antenna = self.folder / "a.msi"
        cut = "".join(f"{angle} {angle % 7}\n" for angle in range(0, 360, 45))
        antenna.write_text(f"NAME a\nGAIN 5 dBi\nHORIZONTAL 8\n{cut}VERTICAL 8\n{cut}")
        project = self.folder / "project.gpkg"
        shutil.copy(SAMPLE / "vegetation.gpkg", project)
        before = project.read_bytes()
        of_files = [["computevisibility", "--environment", environment, "--visibility"],
                    ["exportscene", "--environment", environment, "--scene"],
                    ["importantenna", "--antenna-file", antenna, "--msi"]]
        overwrite = ["--overwrite", "--progress", "json"]
        for command in of_files:
            notes = self.folder / "notes.txt"
            notes.write_text("precious")
            for file, word in ((project, "GeoPackage"), (notes, "not one that Tesseray wrote")):
                with self.subTest(command=command[0], file=file.name):
                    self.assert_refused(tesseray(*command, file, *overwrite), "file_of_another_kind", [word])
            self.assertEqual(notes.read_text(), "precious")
        # A manufacturer's file, and a terrain.
        another, terrain = self.folder / "another.msi", self.folder / "terrain.tif"
        another.write_text(antenna.read_text())
        self.assert_refused(tesseray("importantenna", "--antenna-file", antenna, "--msi", another, *overwrite),
                            "file_of_another_kind", ["not one that Tesseray wrote"])
        self.assertEqual(another.read_text(), antenna.read_text())
        shutil.copy(SAMPLE / "dem.tif", terrain)
        path_loss = self.folder / "p.gpkg"
        made("predictcoverage", "--environment", environment, *transmitters_csv(self.folder), "--max-bounces", 1,
             "--path-loss", path_loss)
        raster = ["coverageraster", "--path-loss", path_loss, "--resolution", 20, "--raster", terrain]
        self.assert_refused(tesseray(*raster, *overwrite), "file_of_another_kind", ["not one that Tesseray wrote"])
        self.assertEqual(terrain.read_bytes(), (SAMPLE / "dem.tif").read_bytes())
        process = tesseray("tileenvironment", *SCENE, "--environment", project, *overwrite)
        self.assert_refused(process, "layers_would_be_lost", ["vegetation"])
        self.assertEqual(project.read_bytes(), before)
        # What they wrote themselves, and what a run was broken off in, they replace.
        scene.write_text("TSC")
        for _ in range(2):
            made("exportscene", "--environment", environment, "--scene", scene, "--overwrite")
            made("tileenvironment", *SCENE, "--environment", environment, "--overwrite")
            made("importantenna", "--antenna-file", antenna, "--msi",
                 self.folder / "plain.txt", "--overwrite")
            made(*raster[:-1], self.folder / "coverage.tif", "--overwrite")

    def test_what_others_put_into_a_file_meanwhile_is_not_lost(self):
        environment, path_loss = self.folder / "e.gpkg", self.folder / "p.gpkg"
        command = ["tileenvironment", *SCENE, "--environment", environment, "--overwrite", "--progress", "json"]
        made(*command)

        def take_notes():
            with contextlib.closing(sqlite3.connect(environment)) as database, database:
                database.execute("CREATE TABLE mine (text)")

        process = interrupted_by(take_notes, *command)
        self.assert_refused(process, "layers_would_be_lost", ["mine"])
        with contextlib.closing(sqlite3.connect(environment)) as database, database:
            self.assertEqual(database.execute("SELECT count(*) FROM mine").fetchone(), (0,))
            database.execute("DROP TABLE mine")
        # Of other files, too.
        made("predictcoverage", "--environment", environment, *transmitters_csv(self.folder), "--max-bounces", 0,
             "--path-loss", path_loss)
        raster = self.folder / "r.tif"
        command = ["coverageraster", "--path-loss", path_loss, "--resolution", 20, "--raster", raster, "--overwrite",
                   "--progress", "json"]
        made(*command)
        process = interrupted_by(lambda: shutil.copy(SAMPLE / "dem.tif", raster), *command)
        self.assert_refused(process, "file_of_another_kind")
        self.assertEqual(raster.read_bytes(), (SAMPLE / "dem.tif").read_bytes())

    def assert_sound(self, database):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(list(self.folder.glob(f"{database.name}-*")), [])

    def test_a_database_that_others_have_open_with_a_log_of_changes_is_not_replaced(self):
        environment = self.folder / "e.gpkg"
        command = ["tileenvironment", *SCENE, "--environment", environment, "--overwrite", "--progress", "json"]
        made(*command)
        with contextlib.closing(sqlite3.connect(environment, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode = WAL")
            other.execute("UPDATE gpkg_contents SET description = 'changed'")
            self.assert_refused(tesseray(*command), "file_locked", ["holds it open"])
        made(*command)
        self.assert_sound(environment)

    def test_a_log_of_changes_without_its_database_is_not_taken_for_that_of_a_new_one(self):
        earlier, new = self.folder / "earlier.gpkg", self.folder / "new.gpkg"
        for mode, log in (("WAL", "-wal"), ("DELETE", "-journal")):
            with self.subTest(log=log):
                made("tileenvironment", *SCENE, "--environment", earlier, "--overwrite")
                with contextlib.closing(sqlite3.connect(earlier, isolation_level=None)) as other:
                    other.execute(f"PRAGMA journal_mode = {mode}")
                    other.execute("PRAGMA cache_spill = 1")
                    other.execute("PRAGMA cache_size = 1")
                    other.execute("UPDATE gpkg_contents SET description = 'earlier'")
                    other.execute("BEGIN")
                    other.execute("UPDATE gpkg_contents SET description = 'earlier' || hex(zeroblob(400000))")
                    other.execute("COMMIT" if mode == "WAL" else "SELECT 1")
                    shutil.copy(f"{earlier}{log}", f"{new}{log}")
                made("tileenvironment", *SCENE, "--default-height", "9", "--environment", new)
                self.assert_sound(new)
                with contextlib.closing(sqlite3.connect(new)) as database:
                    self.assertEqual(database.execute("SELECT table_name FROM gpkg_contents "
                                                      "WHERE description LIKE 'earlier%'").fetchall(), [])
                new.unlink()

    def test_layers_beside_those_of_an_environment_are_not_replaced(self):
        environment = self.folder / "e.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        gdal.VectorTranslate(str(environment), str(SAMPLE / "vegetation.gpkg"), layerName="my parks",
                             accessMode="update")
        process = tesseray("tileenvironment", *SCENE, "--environment", environment, "--overwrite", "--progress", "json")
        error = self.assert_refused(process, "layers_would_be_lost", ["my parks"])
        self.assertNotIn("buildings", error["message"])

    def test_output_on_an_input(self):
        existing = self.folder / "city.gpkg"
        existing.write_bytes((SAMPLE / "buildings.gpkg").read_bytes())
        before = existing.read_bytes()
        for arguments in (["--environment", existing], ["--environment", self.folder / "e.gpkg", "--tiles", existing],
                          ["--environment", self.folder / "e.gpkg", "--tiles", f"{existing}|layername=buildings"]):
            with self.subTest(arguments=arguments):
                process = tesseray("tileenvironment", "--buildings", existing, *arguments, "--overwrite", "--progress",
                                   "json")
                self.assert_refused(process, "output_is_input", ["BUILDINGS"])
        self.assertEqual(existing.read_bytes(), before)

    def test_output_on_an_input_by_another_name(self):
        existing = self.folder / "city.gpkg"
        existing.write_bytes((SAMPLE / "buildings.gpkg").read_bytes())
        link = self.folder / "link.gpkg"
        link.symlink_to(existing)
        process = tesseray("tileenvironment", "--buildings", existing, "--environment", link, "--overwrite",
                           "--progress", "json")
        self.assert_refused(process, "output_is_input", ["BUILDINGS"])

    def test_output_on_an_input_that_another_file_shows(self):
        existing, link = self.folder / "city.gpkg", self.folder / "link.gpkg"
        existing.write_bytes((SAMPLE / "buildings.gpkg").read_bytes())
        link.hardlink_to(existing)
        source = (f"<SrcDataSource relativeToVRT=\"1\">{existing.name}</SrcDataSource><SrcLayer>buildings</SrcLayer>")
        plain = f'<OGRVRTLayer name="buildings">{source}</OGRVRTLayer>'
        for name, layers in (("union.vrt", f'<OGRVRTUnionLayer name="all">{plain}</OGRVRTUnionLayer>'),
                             ("warped.vrt", f"<OGRVRTWarpedLayer>{plain}<TargetSRS>EPSG:25832</TargetSRS>"
                                            "</OGRVRTWarpedLayer>"),
                             ("plain.xml", plain)):
            (self.folder / name).write_text(f"<OGRVRTDataSource>{layers}</OGRVRTDataSource>")
        before = existing.read_bytes()
        for shown, place in ((f"{existing}|layername=buildings", link), (f"GPKG:{existing}", existing),
                             (f"GPKG:{existing}:buildings", existing), (self.folder / "union.vrt", existing),
                             (self.folder / "warped.vrt", existing), (self.folder / "plain.xml", existing)):
            with self.subTest(shown=shown):
                process = tesseray("tileenvironment", "--buildings", shown, "--environment", self.folder / "e.gpkg",
                                   "--tiles", f"{place}|layername=buildings", "--overwrite", "--progress", "json")
                self.assert_refused(process, "output_is_input", ["BUILDINGS"])
        self.assertEqual(existing.read_bytes(), before)

    def test_links_to_nowhere_are_refused_before_the_work(self):
        environment = self.folder / "e.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        for ending, command in ((".gpkg", ["tileenvironment", *SCENE, "--environment"]),
                                (".gpkg", ["tileenvironment", *SCENE, "--tiles"]),
                                (".tvis", ["computevisibility", "--environment", environment, "--visibility"]),
                                (".tscene", ["exportscene", "--environment", environment, "--scene"])):
            far, circle = self.folder / f"far{ending}", self.folder / f"circle{ending}"
            if not far.is_symlink():
                far.symlink_to(f"none/file{ending}")
                circle.symlink_to(circle.name)
            for link, code, words in ((far, "no_such_folder", ["far", "none"]), (circle, "bad_link", ["circle"])):
                for more in ([], ["--overwrite"]):
                    with self.subTest(command=command[0], link=link.name, more=more):
                        others = ["--environment", self.folder / "new.gpkg"] if command[-1] == "--tiles" else []
                        process = tesseray(*command, link, *others, *more, "--progress", "json")
                        self.assert_refused(process, code, words)
                        self.assertNotIn('"stage"', process.stderr, "before any work")
                        self.assertTrue(link.is_symlink())

    def test_what_a_link_points_at_is_written(self):
        environment, elsewhere = self.folder / "e.gpkg", self.folder / "elsewhere"
        made("tileenvironment", *SCENE, "--environment", environment)
        elsewhere.mkdir()
        for ending, command in ((".tvis", ["computevisibility", "--environment", environment, "--visibility"]),
                                (".tscene", ["exportscene", "--environment", environment, "--scene"])):
            link = self.folder / f"link{ending}"
            link.symlink_to(f"elsewhere/file{ending}")
            for _ in range(2):
                made(*command, link, "--overwrite")
                self.assertTrue(link.is_symlink())
                self.assertEqual([path.name for path in elsewhere.iterdir()], [f"file{ending}"])
            (elsewhere / f"file{ending}").unlink()

    def test_output_on_a_raster_in_a_geopackage(self):
        city = self.folder / "city.gpkg"
        city.write_bytes((SAMPLE / "buildings.gpkg").read_bytes())
        gdal.Translate(str(city), str(SAMPLE / "dem.tif"), format="GPKG",
                       creationOptions=["APPEND_SUBDATASET=YES", "RASTER_TABLE=terrain"])
        shown = self.folder / "shown.vrt"
        gdal.BuildVRT(str(shown), [str(city)])
        before = city.read_bytes()
        for dem, destinations in ((f"GPKG:{city}:terrain", ["--environment", city]),
                                  (f"GPKG:{city}:terrain", ["--environment", self.folder / "e.gpkg", "--tiles", f"{city}|layername=Terrain"]),
                                  (shown, ["--environment", city]), (shown, ["--environment", self.folder / "e.gpkg", "--tiles", city])):
            with self.subTest(dem=dem, destinations=destinations):
                process = tesseray("tileenvironment", "--buildings", SAMPLE / "buildings.gpkg", "--height-field",
                                   "height_m", "--dem", dem, *destinations,
                                   "--overwrite", "--progress", "json")
                self.assert_refused(process, "output_is_input", ["DEM"])
        self.assertEqual(city.read_bytes(), before)

    def run_tool_by_somebody(self, tool, *options):
        # The superuser may write anywhere, so the run is somebody else's, who may not see the superuser's folders.
        self.folder.chmod(0o755)
        somebody = {"user": 65534} if os.geteuid() == 0 else {}
        program = shutil.copy(EXECUTABLE, self.folder)
        return tesseray(tool, *options, "--progress", "json", executable=program, cwd=self.folder, **somebody)

    def run_by_somebody(self, options):
        buildings = shutil.copy(SAMPLE / "buildings.gpkg", self.folder)
        return self.run_tool_by_somebody("tileenvironment", "--buildings", buildings, "--height-field", "height_m",
                                         *options)

    def refuse_to_somebody(self, destinations, code, words):
        process = self.run_by_somebody(destinations)
        self.assert_refused(process, code, words)
        self.assertNotIn('"stage"', process.stdout + process.stderr, "refused before any work")

    def test_files_that_may_not_be_read(self):
        open_to_all = self.folder / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        for option, name in (("--dem", "dem.tif"), ("--vegetation", "vegetation.gpkg")):
            with self.subTest(option=option):
                locked = shutil.copy(SAMPLE / name, self.folder / name)
                locked.chmod(0o000)
                process = self.run_by_somebody(["--environment", open_to_all / "e.gpkg", option, locked])
                self.assert_refused(process, "unreadable_file", [name, "permission to read"])
        environment = self.folder / "locked.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        environment.chmod(0o000)
        process = self.run_tool_by_somebody("computevisibility", "--environment", environment, "--visibility",
                                            open_to_all / "v.tvis")
        self.assert_refused(process, "unreadable_file", ["locked.gpkg", "permission to read"])

    def test_changes_that_are_not_in_the_file_yet_are_not_left_out(self):
        """As a program that still has it open keeps them beside it, in a folder that may not be written to."""
        open_to_all, folder = self.folder / "open", self.folder / "changed"
        for made_folder, mode in ((open_to_all, 0o777), (folder, 0o755)):
            made_folder.mkdir()
            made_folder.chmod(mode)
        raster = self.folder / "raster.gpkg"
        gdal.Translate(str(raster), str(SAMPLE / "dem.tif"), format="GPKG", creationOptions=["RASTER_TABLE=terrain"])
        environment = self.folder / "environment.gpkg"
        made("tileenvironment", *SCENE, "--environment", environment)
        for original in (SAMPLE / "vegetation.gpkg", raster, environment):
            self.copy_with_changes(original, folder)
        new = ["--environment", open_to_all / "e.gpkg", "--overwrite"]
        inputs = ((folder / "vegetation.gpkg", [*new, "--vegetation", folder / "vegetation.gpkg"]),
                  (folder / "raster.gpkg", [*new, "--dem", folder / "raster.gpkg"]),
                  (folder / "raster.gpkg", [*new, "--dem", f"GPKG:{folder / 'raster.gpkg'}:terrain"]),
                  (folder / "environment.gpkg", None))
        for changed, options in inputs:
            log, index = (changed.with_name(changed.name + end) for end in ("-wal", "-shm"))

            def run():
                folder.chmod(0o555)
                process = self.run_by_somebody(options) if options else self.run_tool_by_somebody(
                    "computevisibility", "--environment", changed, "--visibility", open_to_all / "v.tvis", "--overwrite")
                folder.chmod(0o755)
                return process

            with self.subTest(options=options):
                self.assertEqual(run().returncode, 0, "SQLite's index of the changes is there")
                kept = index.read_bytes()
                index.unlink()
                self.assert_refused(run(), "unread_changes", [str(changed), log.name, "folder of your own"])
                index.write_bytes(kept)
                log.chmod(0o000)
                self.assert_refused(run(), "unread_changes", [str(changed), log.name])
                log.chmod(0o644)

    def copy_with_changes(self, original, folder):
        """A copy of a GeoPackage while it is written to, with its latest changes in the files beside it."""
        source = shutil.copy(original, self.folder / f"open {original.name}")
        writer = sqlite3.connect(source)
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE note (text)")
        writer.commit()
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{source}{end}", f"{folder / original.name}{end}")
        writer.close()

    def test_changes_that_a_killed_program_began_are_taken_back_by_who_reads(self):
        prediction = self.folder / "prediction.gpkg"
        made("coveragestudy", *SCENE, *transmitters_csv(self.folder), "--max-bounces", "0", "--output", prediction)
        vegetation = SAMPLE / "vegetation.gpkg"
        output = ["--output", self.folder / "out.gpkg", "--overwrite", "--progress", "json"]
        for original, command in ((prediction, ["bestserver", "--path-loss"]),
                                  (vegetation, ["tileenvironment", *SCENE, "--vegetation"])):
            where = output if command[0] == "bestserver" else ["--environment", *output[1:]]
            expected = json.loads(made(*command, original, *where).stdout)["result_hash"]
            with self.subTest(tool=command[0]):
                left = self.copy_with_unfinished_changes(original)
                result = json.loads(made(*command, left, *where).stdout)
                self.assertEqual(result["result_hash"], expected)
                self.assertFalse(left.with_name(left.name + "-journal").exists())

    def test_changes_that_cannot_be_taken_back_are_told(self):
        left = self.copy_with_unfinished_changes(SAMPLE / "vegetation.gpkg")
        open_to_all = self.folder / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        process = self.run_by_somebody(["--environment", open_to_all / "e.gpkg", "--vegetation", left])
        self.assert_refused(process, "unfinished_changes", [left.name + "-journal", "folder of your own"])
        self.assertTrue(left.with_name(left.name + "-journal").exists())

    def test_changes_of_a_program_that_is_at_work_are_not_taken_back(self):
        changed = pathlib.Path(shutil.copy(SAMPLE / "vegetation.gpkg", self.folder / "changed.gpkg"))
        with contextlib.closing(self.change_unfinished(changed)) as writer:
            self.assert_refused(tesseray("tileenvironment", *SCENE, "--vegetation", changed, "--environment",
                                         self.folder / "e.gpkg", "--progress", "json", env=IMPATIENT), "file_locked")
            writer.execute("COMMIT")
            self.assertEqual(writer.execute("SELECT count(*) FROM large").fetchone(), (1,))

    def change_unfinished(self, file):
        """A connection in whose transaction parts of the file are changed already, and beside it how they were."""
        writer = sqlite3.connect(file, isolation_level=None)
        for sql in ("PRAGMA cache_spill = 1", "PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE large (bytes)",
                    "INSERT INTO large VALUES (zeroblob(1000000))",
                    "UPDATE gpkg_contents SET description = hex(zeroblob(100000))"):
            writer.execute(sql)
        return writer

    def copy_with_unfinished_changes(self, original):
        """What is left of a GeoPackage when a program that writes to it is killed."""
        changed, left = self.folder / f"changed {original.name}", self.folder / f"left {original.name}"
        shutil.copy(original, changed)
        with contextlib.closing(self.change_unfinished(changed)):
            for end in ("", "-journal"):
                shutil.copy(f"{changed}{end}", f"{left}{end}")
        return left

    def test_read_only_folder(self):
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        self.refuse_to_somebody(["--environment", locked / "e.gpkg"], "folder_not_writable", ["locked"])

    def test_folder_that_may_not_be_entered(self):
        locked, open_to_all = self.folder / "locked", self.folder / "open"
        for folder, mode in ((locked, 0o666), (open_to_all, 0o777)):
            folder.mkdir()
            folder.chmod(mode)
        for destinations in (["--environment", locked / "e.gpkg"],
                             ["--environment", open_to_all / "e.gpkg", "--tiles", locked / "t.gpkg"]):
            with self.subTest(destinations=destinations):
                self.refuse_to_somebody(destinations, "folder_not_writable", ["locked"])

    def test_read_only_files(self):
        open_to_all = self.folder / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        kept = shutil.copy(SAMPLE / "buildings.gpkg", open_to_all / "kept.gpkg")
        kept.chmod(0o444)
        before = kept.read_bytes()
        for destinations in (["--environment", kept, "--overwrite"],
                             ["--environment", open_to_all / "e.gpkg", "--tiles", kept]):
            with self.subTest(destinations=destinations):
                self.refuse_to_somebody(destinations, "cannot_write", ["kept.gpkg", "permissions"])
        self.assertEqual(kept.read_bytes(), before)

    def test_receivers_and_drive_test_that_outputs_need(self):
        basis = ["--transmitters", SAMPLE / "transmitters.csv", "--height-field", "height_m"]
        self.refuse([*basis, "--rays", self.folder / "r.gpkg"], "no_receivers", ["RECEIVERS"], tool="coveragestudy")
        self.refuse([*basis, "--prediction-error", self.folder / "e.gpkg"], "no_drive_test", ["DRIVE_TEST"],
                    tool="coveragestudy")

    def test_locked_geopackage_is_said_at_once(self):
        existing = self.folder / "t.gpkg"
        with sqlite3.connect(existing) as database:
            database.execute("CREATE TABLE gpkg_contents (table_name TEXT)")
            database.execute("PRAGMA application_id = 1196444487")
        other = sqlite3.connect(existing, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN EXCLUSIVE")
        self.refuse(["--environment", self.folder / "e.gpkg", "--tiles", existing], None)

    def test_results_that_another_program_is_writing_to_are_found_before_the_work(self):
        """A lock for writing, which readers of the file do not notice."""
        environment = self.folder / "e.gpkg"
        for name in ("t.gpkg", "t.sqlite"):
            made("tileenvironment", *SCENE, "--environment", environment, "--tiles", self.folder / name, "--overwrite")
        into_it = [(name, ["--environment", self.folder / "new.gpkg", "--edges", self.folder / name, *more])
                   for name in ("t.gpkg", "t.sqlite") for more in ([], ["--overwrite"])]
        for name, destinations in [*into_it, ("e.gpkg", ["--environment", environment, "--overwrite"])]:
            with self.subTest(destinations=destinations):
                before = (self.folder / name).read_bytes()
                other = sqlite3.connect(self.folder / name, isolation_level=None)
                other.execute("BEGIN IMMEDIATE")
                process = tesseray("tileenvironment", *SCENE, *destinations, "--progress", "json")
                self.assert_refused(process, "file_locked", ["another program"])
                self.assertNotIn('"stage"', process.stderr, "before any work")
                other.close()
                self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertNotIn("new.gpkg", self.files())

    def test_locked_inputs_are_called_so(self):
        vectors = shutil.copy(SAMPLE / "buildings.gpkg", self.folder / "vectors.gpkg")
        raster, environment = self.folder / "raster.gpkg", self.folder / "environment.gpkg"
        gdal.Translate(str(raster), str(SAMPLE / "dem.tif"), format="GPKG")
        made("tileenvironment", *SCENE, "--environment", environment)
        new = self.folder / "new.gpkg"
        scene = [*BUILDINGS, "--environment", new]
        for locked, tool, arguments in ((vectors, "tileenvironment", [*scene, "--vegetation", vectors]),
                                        (raster, "tileenvironment", [*scene, "--dem", raster]),
                                        (environment, "computevisibility", ["--environment", environment]),
                                        (vectors, "bestserver", ["--path-loss", vectors, "--output", new])):
            with self.subTest(tool=tool, locked=locked.name):
                other = sqlite3.connect(locked, isolation_level=None)
                other.execute("BEGIN EXCLUSIVE")
                process = tesseray(tool, *arguments, "--progress", "json", env=IMPATIENT)
                other.close()
                self.assert_refused(process, "file_locked", [locked.name, "another program"])


if __name__ == "__main__":
    unittest.main()
