# SPDX-License-Identifier: GPL-3.0-or-later
"""The transmitters of a result say all that its prediction took from them: predicted again, they give the same bits."""

import json
import unittest

from test_antennas import panel_msi
from tesseray_process import PipelineTest, environment_with_visibility, module_folder, rows, tesseray

# Names, units, references and a CRS that a result does not have; House stands on a roof.
TABLE = """cell,lat,lon,band_ghz,mast_ft,height_reference,eirp_w,looks,tilt,etilt,pattern,pol
Street,54.3067405,6.5484625,3.5397,21.3,ground,61.1,-33.3,1.7,,beside.msi,x
Tilted,54.3067411,6.5484713,0.7583,241.7,,317.7,123.4,0,7.3,deeper/panel,-45
House,54.3072489,6.5480935,1.8151,11.9,roof,9.3,271.1,3.3,,beam 65,h
Plain,54.3067405,6.5484701,2.1,211.3,,20,,,,,
"""
OF_THE_TABLE = ["--name-field", "cell", "--frequency-field", "band_ghz", "--antenna-height-field", "mast_ft",
                "--erp-field", "eirp_w", "--azimuth-field", "looks", "--antenna-field", "pattern",
                "--antenna-height-reference", "sea", "--antenna", "for_all"]
PREDICTION = ["--max-bounces", "1"]


def setUpModule():
    """The environment and its visibility, made once."""
    global ENVIRONMENT
    ENVIRONMENT = environment_with_visibility(module_folder())


class OwnTransmittersTest(PipelineTest):
    def predict(self, name, transmitters, *options):
        """The result object and its file."""
        output = self.folder / f"{name}.gpkg"
        process = tesseray("predictcoverage", "--environment", ENVIRONMENT, "--transmitters", transmitters,
                           "--output", output, "--progress", "json", *PREDICTION, *options)
        return json.loads(self.assert_done(process).stdout), output

    def test_predicted_again_they_give_the_same_bits(self):
        sites = self.folder / "sites"
        (sites / "deeper").mkdir(parents=True)
        for name in ("beside.msi", "deeper/panel.msi", "for_all.msi"):
            (sites / name).write_text(panel_msi().replace("GAIN 15", "GAIN 15\nELECTRICAL_TILT 5,2"))
        (sites / "sites.csv").write_text(TABLE)
        first, file = self.predict("first", sites / "sites.csv", *OF_THE_TABLE)
        # Whatever else is set for all, the layer tells of each.
        again, other = self.predict("again", f"{file}|layername=transmitters", "--antenna-folder", sites,
                                    "--antenna-height-reference", "roof", "--frequency", "400", "--antenna", "dipole")
        self.assertEqual(rows(file, "transmitters"), rows(other, "transmitters"))
        self.assertEqual(rows(file, "path_loss", "transmitter_id, tile_id, path_loss_db"),
                         rows(other, "path_loss", "transmitter_id, tile_id, path_loss_db"))
        self.assertEqual(first["result_hash"], again["result_hash"])
        self.assertEqual([(row["height_reference"], row["electrical_tilt_deg"], row["antenna"])
                          for row in rows(file, "transmitters")],
                         [("ground", 5.2, "beside.msi"), ("ground", 7.3, "deeper/panel"), ("ground", None, "beam 65"),
                          ("ground", 5.2, "for_all")])


if __name__ == "__main__":
    unittest.main()
