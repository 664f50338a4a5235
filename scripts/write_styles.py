#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the styles that the plugin ships: those that the executable puts into its results, and no others.

Usage: write_styles.py [EXECUTABLE]      (default: build/bin/tesseray)

The executable predicts the sample town; what layer_styles holds then becomes one QML file per style:
LAYER.qml for a layer's default, LAYER-STYLE_NAME.qml for others. tests/qgis/test_styles.py runs the same and compares.
"""
from __future__ import annotations

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = SOURCE / "sample_data"
SHIPPED = SOURCE / "qgis_plugin" / "tesseray" / "styles"

# The whole town, for its buildings without a height are issues, in few large tiles.
_STUDY = {"BUILDINGS": str(SAMPLE / "buildings.gpkg"), "HEIGHT_FIELD": "height_m", "DEM": str(SAMPLE / "dem.tif"),
          "VEGETATION": str(SAMPLE / "vegetation.gpkg"), "VEGETATION_HEIGHT_FIELD": "height_m",
          "TILE_AREA": 1600, "TRANSMITTERS_CRS": "EPSG:25832",
          "MAX_BOUNCES": 1, "DRIVE_TEST": str(SAMPLE / "drive_test_SYNTHETIC.gpkg"),
          "VALUE_FIELD": "received_power_dbm", "TRANSMITTER_FIELD": "transmitter"}


def _points(folder: pathlib.Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def make_study(executable: str, folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """A result of two transmitters with all layers, and its environment.

    Raises CalledProcessError when the executable fails.
    """
    result, environment = folder / "study.gpkg", folder / "environment.gpkg"
    parameters = {
        **_STUDY, "OUTPUT": str(result), "RAYS": str(result), "ENVIRONMENT": str(environment),
        "TRANSMITTERS": _points(folder, "transmitters.csv", "name,x,y,height_m,frequency_mhz,erp_dbm\n"
                                                            "Market,340500,6020500,40,900,43\n"
                                                            "Church,340650,6020350,30,900,43\n"),
        "RECEIVERS": _points(folder, "receivers.csv", "x,y\n340520,6020480\n340450,6020550\n"),
        "RECEIVERS_CRS": "EPSG:25832"}
    subprocess.run([executable, "coveragestudy", "--json", "-"], input=json.dumps(parameters), text=True,
                   capture_output=True, check=True)
    return result, environment


def styles_in(*files: pathlib.Path) -> dict[str, str]:
    """QML by the name of the file that ships it."""
    found = {}
    for file in files:
        with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as database:
            rows = database.execute("SELECT f_table_name, styleName, useAsDefault, styleQML FROM layer_styles")
            for layer, style, is_default, qml in rows:
                name = layer if is_default else f"{layer}-{style.lower().replace(' ', '_')}"
                found[f"{name}.qml"] = qml
    return found


def main() -> int:
    executable = sys.argv[1] if len(sys.argv) > 1 else str(SOURCE / "build" / "bin" / "tesseray")
    with tempfile.TemporaryDirectory() as folder:
        styles = styles_in(*make_study(executable, pathlib.Path(folder)))
    SHIPPED.mkdir(exist_ok=True)
    for file in SHIPPED.glob("*.qml"):
        file.unlink()
    for name, qml in sorted(styles.items()):
        (SHIPPED / name).write_text(qml, encoding="utf-8")
        print(SHIPPED / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
