#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the files of the sample town. Usage: make_town.py [FOLDER]      (default: the folder of this script)"""
import pathlib
import sys

from town import files
from town.buildings import all_buildings
from town.drive_test import all_measurements
from town.transmitters import all_transmitters
from town.vegetation import all_vegetation


def make_town(folder):
    buildings = all_buildings()
    transmitters = all_transmitters(buildings)
    files.write_buildings(folder / "buildings.gpkg", buildings)
    files.write_vegetation(folder / "vegetation.gpkg", all_vegetation(buildings))
    files.write_terrain(folder / "dem.tif")
    files.write_transmitters(folder / "transmitters.csv", transmitters)
    files.write_drive_test(folder / "drive_test_SYNTHETIC.gpkg", all_measurements(buildings, transmitters))


if __name__ == "__main__":
    make_town(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent))
