# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials and scattering of surfaces, from the command line to path losses."""

import unittest

from tesseray_process import (SAMPLE, SCENE, PipelineTest, environment_with_visibility, error_of, json_lines, made,
                              module_folder, rows, tesseray)


def setUpModule():
    """The environment and its visibility, made once."""
    global ENVIRONMENT
    ENVIRONMENT = environment_with_visibility(module_folder())


class Surfaces(PipelineTest):
    def predict(self, name, *options, frequency="900 MHz"):
        """The process and its file; one transmitter above the roofs."""
        table = self.folder / "sites.csv"
        table.write_text(f"name,x,y,height_m,frequency,erp_dbm\nMast,340500,6020500,40,{frequency},43\n")
        output = self.folder / f"{name}.gpkg"
        return tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", table, "--transmitters-crs",
                        "EPSG:25832", "--max-bounces", 2, "--progress", "json", "--output", output, *options), output

    def losses(self, name, *options):
        """path_loss_db by tile."""
        process, output = self.predict(name, *options)
        self.assert_done(process)
        return {row["tile_id"]: row["path_loss_db"] for row in rows(output, "path_loss")}

    def warnings(self, process):
        return [line["warning"] for line in json_lines(process.stderr) if "warning" in line]

    def test_a_material_by_name_is_the_one_by_its_numbers(self):
        # ITU-R P.2040-3: glass is 6.31 and 0.0036 f^1.3394 S/m.
        conductivity = repr(0.0036 * 0.9 ** 1.3394)
        by_name = self.losses("name", "--wall-material", "glass", "--roof-material", "glass", "--ground-material",
                              "glass")
        by_numbers = self.losses("numbers", "--permittivity", "6.31", "--conductivity", conductivity)
        self.assertEqual(by_name.keys(), by_numbers.keys())
        for tile, loss in by_name.items():
            if loss is not None:
                self.assertAlmostEqual(loss, by_numbers[tile], places=6)
        self.assertNotEqual(by_name, self.losses("default"))

    def test_a_frequency_outside_of_a_materials_range_is_warned_of(self):
        process, _ = self.predict("clamped", "--ground-material", "medium_dry_ground", "--wall-material", "glass")
        self.assert_done(process)
        found = [warning for warning in self.warnings(process) if warning["code"] == "material_frequency"]
        self.assertEqual(len(found), 1, found)
        # Some of the town's buildings are of brick and of concrete; glass is defined from 0.1 GHz on.
        for words in ("brick (1 to 40 GHz)", "concrete (1 to 100 GHz)", "medium_dry_ground (1 to 10 GHz)", "900 MHz"):
            self.assertIn(words, found[0]["message"])
        self.assertNotIn("glass", found[0]["message"])

    def test_a_frequency_outside_of_the_range_of_wall_losses_is_warned_of(self):
        through = ["--transmission", "nearest_building"]
        for frequency, options, expected in (("300 MHz", through, 1), ("900 MHz", through, 0),
                                             ("300 MHz", [*through, "--wall-loss", 10], 0)):
            process, _ = self.predict("walls", "--overwrite", *options, frequency=frequency)
            self.assert_done(process)
            found = [warning["message"] for warning in self.warnings(process) if warning["code"] == "wall_frequency"]
            self.assertEqual(len(found), expected, found)
            self.assertTrue(all("from 500 to 100000 MHz; at 300 MHz" in message for message in found), found)

    def test_a_frequency_outside_of_the_range_of_woodland_is_warned_of(self):
        environment, sites = self.folder / "wooded.gpkg", self.folder / "sites.csv"
        made("tileenvironment", *SCENE, "--vegetation", SAMPLE / "vegetation.gpkg", "--environment", environment)
        sites.write_text("name,x,y,height_m,frequency_mhz,erp_dbm\nMast,340500,6020500,40,5800,43\n"
                         "Roof,340420,6020580,45,1800,40\n")
        receivers = self.folder / "receivers.csv"
        receivers.write_text("id,x,y\n1,340520,6020520\n")
        for model, expected in (("p833", 1), ("per_metre", 0)):
            process = self.assert_done(tesseray(
                "traceimage", "--environment", environment, "--transmitters", sites, "--transmitters-crs",
                "EPSG:25832", "--receivers", receivers, "--receivers-crs", "EPSG:25832", "--max-reflections", 0,
                "--max-diffractions", 0, "--vegetation-loss", model, "--progress", "json", "--overwrite", "--output",
                self.folder / "traced.gpkg"))
            found = [warning["message"] for warning in self.warnings(process) if warning["code"] == "vegetation_frequency"]
            self.assertEqual(len(found), expected, found)
            self.assertTrue(all("from 105.9 to 2117.5 MHz; at 5800 MHz" in message for message in found), found)

    def test_scattering_of_a_kind_of_surface(self):
        smooth = self.losses("smooth", "--scattering-coefficient", 0)
        by_kind = self.losses("kinds", "--scattering-by-material", "brick=0, concrete=0; glass=0 metal=0 wood=0 wall=0 roof=0 ground=0")
        self.assertEqual(smooth, by_kind)
        self.assertNotEqual(smooth, self.losses("ground", "--scattering-by-material", "brick=0 concrete=0 glass=0 metal=0 wood=0 wall=0 roof=0"))

    def test_a_directive_lobe_changes_what_is_scattered_alone(self):
        smooth = self.losses("smooth", "--max-scatterings", 0)
        self.assertEqual(smooth, self.losses("lobe", "--max-scatterings", 0, "--scattering-lobe", "directive"))
        self.assertNotEqual(self.losses("lambertian"), self.losses("directive", "--scattering-lobe", "directive"))

    def test_bad_scattering_is_refused_before_any_work(self):
        for text, reason in (("glass", "has no ="), ("glass=2", "no number from 0 to 1"), ("gold=0.1", "gold"),
                             ("glass=0.1 brick=0.2 Glass=0.3", '"glass" is there twice'),
                             ("5.31/0.0326=0.1; 5.310/0.0326=0.2", '"5.310/0.0326" is there twice'),
                             ("=0.2", "has no name"), ("wall=0 wall=0.2", '"wall" is there twice')):
            process, output = self.predict("bad", "--scattering-by-material", text)
            self.assertEqual(process.returncode, 2, process.stderr)
            error = error_of(process)
            self.assertEqual(error["code"], "bad_scattering")
            self.assertIn(reason, error["message"])
            self.assertIn("glass=0.1", error["hint"])
            self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
