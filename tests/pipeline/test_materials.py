# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials in names and numbers, from the buildings' table and the command line to path losses."""

import json
import shutil
import unittest

from osgeo import ogr

from tesseray_process import SAMPLE, EXTENT, PipelineTest, made, module_folder, rows, tesseray, transmitters_csv

ogr.UseExceptions()
FREQUENCY_GHZ = 0.9
# ITU-R P.2040-3: glass is 6.31 and 0.0036 f^1.3394 S/m.
GLASS = f"6.31/{0.0036 * FREQUENCY_GHZ ** 1.3394!r}"
MIXED = ["brick", "5,31; 0,0326 S/m", "5.31/0.0326", "0.5/0.01", "straw", "5.31 32.6 mS/m", "steel"]


def environment_of(folder, name, materials):
    """The environment of the sample town's middle whose buildings have these materials in turn."""
    buildings = folder / f"{name}_buildings.gpkg"
    shutil.copy(SAMPLE / "buildings.gpkg", buildings)
    data = ogr.Open(str(buildings), update=1)
    layer = data.GetLayer(0)
    for number, feature in enumerate(list(layer)):
        feature["material"] = materials[number % len(materials)]
        layer.SetFeature(feature)
    data.FlushCache()
    del layer, data
    environment = folder / f"{name}.gpkg"
    made("tileenvironment", "--buildings", buildings, "--height-field", "height_m", "--base-field", "base_m", "--dem",
         SAMPLE / "dem.tif", "--extent", EXTENT, "--tile-area", 400, "--material-field", "material", "--environment",
         environment)
    made("computevisibility", "--environment", environment)
    return environment


def setUpModule():
    """Environments whose buildings are of glass by its name, of glass in numbers, and mixed; made once."""
    global FOLDER, BY_NAME, IN_NUMBERS, MIXED_UP
    FOLDER = module_folder()
    BY_NAME = environment_of(FOLDER, "name", ["glass"])
    IN_NUMBERS = environment_of(FOLDER, "numbers", [GLASS])
    MIXED_UP = environment_of(FOLDER, "mixed", MIXED)


class Materials(PipelineTest):
    def predict(self, environment, *options, name="prediction"):
        """The finished process and its file; one transmitter above the roofs."""
        sites = transmitters_csv(self.folder, "name,x,y,height_m,frequency_mhz,erp_dbm\n"
                                              f"Mast,340500,6020500,40,{1000 * FREQUENCY_GHZ},43\n")
        output = self.folder / f"{name}.gpkg"
        return tesseray("predictcoverage", "--environment", environment, *sites, "--max-bounces", 2, "--progress",
                        "json", "--output", output, "--overwrite", *options), output

    def losses(self, environment, *options):
        process, output = self.predict(environment, *options)
        self.assert_done(process)
        return [row["path_loss_db"] for row in rows(output, "path_loss", "path_loss_db", "tile_id")]

    def assert_nearly_equal(self, a, b):
        self.assertEqual(len(a), len(b))
        for one, other in zip(a, b):
            self.assertEqual(one is None, other is None)
            if one is not None:
                self.assertAlmostEqual(one, other, places=6)

    def test_the_environment_holds_one_material_for_each_pair(self):
        materials = {row["name"]: (row["a"], row["b"], row["c"], row["d"]) for row in rows(MIXED_UP, "materials")}
        self.assertEqual(set(materials), {"default", "brick", "steel", "5.31/0.0326"})
        self.assertEqual(materials["5.31/0.0326"], (5.31, 0, 0.0326, 0))
        # 3 of 7 buildings each have the pair or none.
        of_buildings = [row["material"] for row in rows(MIXED_UP, "buildings", "material")]
        for name, share in (("5.31/0.0326", 3), ("default", 2), ("brick", 1), ("steel", 1)):
            self.assertAlmostEqual(of_buildings.count(name) / len(of_buildings), share / 7, delta=0.08)
        self.assertIn("5.31/0.0326", {row["material"] for row in rows(MIXED_UP, "tiles", "material")})
        issues = rows(MIXED_UP, "issues")
        unusable = [issue for issue in issues if issue["code"] == "unusable_material"]
        self.assertTrue(unusable and all(issue["source_feature"] > 0 for issue in unusable))
        self.assertIn('material "0.5/0.01": the permittivity 0.5 is below 1', unusable[0]["message"])
        self.assertIn('"straw"', next(i for i in issues if i["code"] == "unknown_material")["message"])

    def test_glass_in_numbers_reflects_as_glass_by_its_name(self):
        # Walls in numbers lose what concrete loses where a ray goes through them: none does here.
        self.assert_nearly_equal(self.losses(BY_NAME), self.losses(IN_NUMBERS))

    def test_walls_roofs_and_ground_each_in_numbers_of_their_own(self):
        surfaces = ("wall", "roof", "ground")
        by_name = self.losses(MIXED_UP, *[word for of in surfaces for word in (f"--{of}-material", "glass")])
        in_numbers = self.losses(MIXED_UP, *[word for of in surfaces for word in (f"--{of}-material", GLASS)])
        self.assert_nearly_equal(by_name, in_numbers)
        plain = self.losses(MIXED_UP)
        for of in surfaces:
            with self.subTest(of):
                alone = self.losses(MIXED_UP, f"--{of}-material", GLASS)
                self.assertNotEqual(alone, plain)
                self.assertNotEqual(alone, in_numbers)
        # Beside these, PERMITTIVITY and CONDUCTIVITY are those of what is given by_numbers.
        self.assertEqual(self.losses(MIXED_UP, "--wall-material", "7; 0,2", "--roof-material", "3/0"),
                         self.losses(MIXED_UP, "--wall-material", "by_numbers", "--permittivity", 7, "--conductivity",
                                     0.2, "--roof-material", "3/0", "--ground-material", "5/0.01"))

    def test_scattering_of_a_pair_by_its_name(self):
        plain = self.losses(MIXED_UP)
        rough = self.losses(MIXED_UP, "--scattering-by-material", "5.310/0.0326=0.8")
        self.assertNotEqual(plain, rough)
        self.assertEqual(rough, self.losses(MIXED_UP, "--scattering-by-material", "5.31/0.0326=0.8"))
        process, _ = self.predict(MIXED_UP, "--scattering-by-material", "5.32/0.0326=0.8")
        self.assert_refused(process, "bad_scattering", ["5.32/0.0326"])

    def test_scattering_of_a_material_holds_where_it_has_another_name(self):
        plain = self.losses(MIXED_UP)
        metal = self.losses(MIXED_UP, "--scattering-by-material", "metal=0.8")
        self.assertNotEqual(plain, metal)
        self.assertEqual(metal, self.losses(MIXED_UP, "--scattering-by-material", "steel=0.8"))
        self.assertEqual(metal, self.losses(MIXED_UP, "--scattering-by-material", "metal=0.1 Steel=0.8"))

    def test_names_of_the_prediction_are_spelled_as_those_of_buildings(self):
        ground = self.losses(MIXED_UP, "--ground-material", "medium_dry_ground", "--wall-material", "metal")
        self.assertEqual(ground, self.losses(MIXED_UP, "--ground-material", "Medium dry ground", "--wall-material", "Steel"))

    def test_the_scene_file_holds_what_the_environment_holds(self):
        scene, visibility = self.folder / "town.tscene", self.folder / "town.tvis"
        self.assert_done(tesseray("exportscene", "--environment", MIXED_UP, "--scene", scene))
        self.assert_done(tesseray("computevisibility", "--environment", scene, "--visibility", visibility))
        hashes = []
        for name, options in (("a", [MIXED_UP]), ("b", [scene, "--visibility", visibility])):
            process, _ = self.predict(*options, "--wall-material", "7; 0,2", name=name)
            hashes.append(json.loads(self.assert_done(process).stdout)["result_hash"])
        self.assertEqual(*hashes)

    def test_what_is_neither_name_nor_numbers_is_refused_before_any_work(self):
        for text, words in (("straw", ["WALL_MATERIAL", "'straw' is neither one of by_numbers", "5.31/0.0326"]),
                            ("concrte", ["Did you mean concrete?"]), ("5.31", ["neither", "5.31/0.0326"]),
                            ("0.5/0.01", ["the permittivity 0.5 is below 1, that of vacuum"]),
                            ("5/-1", ["the conductivity -1 S/m is below 0"]), ("500/1", ["above 100"])):
            with self.subTest(text):
                process, output = self.predict(MIXED_UP, f"--wall-material={text}")
                self.assert_refused(process, "bad_parameters", words)
                self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
