# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene file stands for its environment: every later tool gives the same from either."""

import json
import struct
import unittest

from tesseray_process import SCENE, PipelineTest, interrupted_by, tesseray


class ExportSceneTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.environment, self.scene = self.folder / "town.gpkg", self.folder / "town.tscene"
        self.assert_done(tesseray("tileenvironment", *SCENE, "--environment", self.environment))
        self.sites = self.transmitters("beam_80")

    def transmitters(self, antenna):
        """The options for one transmitter above the roofs."""
        table = self.folder / "sites.csv"
        table.write_text("name,x,y,height_m,frequency_mhz,erp_dbm,antenna\n"
                         f"Mast,340500,6020500,40,900,43,{antenna}\n")
        return ["--transmitters", table, "--transmitters-crs", "EPSG:25832"]

    def export(self, *options):
        return tesseray("exportscene", "--environment", self.environment, "--scene", self.scene, "--progress", "json",
                        *options)

    def result(self, tool, *options):
        process = self.assert_done(tesseray(tool, "--progress", "json", *options))
        return json.loads(process.stdout)

    def test_the_tools_give_the_same_from_the_scene_file(self):
        self.assert_done(self.export(*self.sites))
        self.assertLess(self.scene.stat().st_size, 1 << 20)
        of = {}
        for name, environment in (("environment", self.environment), ("scene", self.scene)):
            visibility = self.folder / f"{name}.tvis"
            self.result("computevisibility", "--environment", environment, "--visibility", visibility)
            predicted = self.result("predictcoverage", "--environment", environment, "--visibility", visibility,
                                    *self.sites, "--max-bounces", 1,
                                    "--path-loss", self.folder / f"{name}_path_loss.gpkg")
            of[name] = visibility.read_bytes(), predicted["result_hash"]
        self.assertEqual(of["environment"], of["scene"])

    def test_a_second_export_gives_the_same_bytes(self):
        self.assert_done(self.export(*self.sites))
        first = self.scene.read_bytes()
        self.assert_refused(self.export(*self.sites), "file_exists")
        self.assert_done(self.export(*self.sites, "--overwrite"))
        self.assertEqual(self.scene.read_bytes(), first)
        again = self.folder / "again.tscene"
        self.assert_done(tesseray("exportscene", "--environment", self.scene, "--scene", again, *self.sites))
        self.assertEqual(again.read_bytes(), first)

    def test_a_file_that_comes_meanwhile_is_not_replaced(self):
        process = interrupted_by(lambda: self.scene.write_text("precious"), "exportscene", "--environment",
                                 self.environment, "--scene", self.scene, "--progress", "json")
        self.assert_refused(process, "file_exists", ["town.tscene", "another program made the file meanwhile"])
        self.assertEqual(self.scene.read_text(), "precious")

    def test_transmitters_may_be_left_out(self):
        figures = json.loads(self.assert_done(self.export()).stdout)
        self.assertIn("SCENE", json.dumps(figures))
        # The last list of the file, of transmitters, is empty.
        self.assertEqual(struct.unpack("<I", self.scene.read_bytes()[-4:]), (0,))

    def test_a_damaged_scene_file_is_refused_with_its_reason(self):
        self.assert_done(self.export())
        whole = self.scene.read_bytes()
        for damaged, code in ((whole[:-5], "truncated_scene"), (whole[:50] + b"?" + whole[51:], "damaged_scene")):
            self.scene.write_bytes(damaged)
            process = tesseray("computevisibility", "--environment", self.scene, "--progress", "json",
                               "--visibility", self.folder / "none.tvis")
            self.assert_refused(process, code, words=("exportscene",))
        self.assertNotIn("none.tvis", self.files())

    def test_an_antenna_from_a_file_is_refused(self):
        cut = "".join(f"{angle} {min(angle, 360 - angle) / 9}\n" for angle in range(0, 360, 45))
        (self.folder / "panel.msi").write_text(
            f"NAME P\nFREQUENCY 900\nGAIN 15 dBi\nHORIZONTAL 8\n{cut}VERTICAL 8\n{cut}")
        self.assert_refused(self.export(*self.transmitters("panel.msi")), "antenna_not_storable",
                            words=("Mast", "panel.msi"))
        self.assertFalse(self.scene.exists())


if __name__ == "__main__":
    unittest.main()
