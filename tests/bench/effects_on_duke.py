#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured network of Duke predicted with the defaults, and with each effect left out or added.

Prints the tables of docs/benchmarks/real-cities.md: standard deviation of the error (dB) and correlation of each cell;
the same for a distance law that knows no buildings; and the mean error by distance, in sight and not. One set of
defaults for all; nothing is tuned.

Usage: effects_on_duke.py TESSERAY DUKE FOLDER      the executable, the folder of the data, a folder for the results;
with Debian's Python (/usr/bin/python3), which has GDAL and numpy
"""
import csv
import math
import pathlib
import sys

import numpy as np
from osgeo import ogr

from tool_figures import figures_of

ogr.UseExceptions()

# Each against the defaults: what is left out, then what is added.
VARIANTS = {
    "defaults": [],
    "without rays over the roofs": ["--over-rooftop", "none"],
    "without reflections": ["--max-reflections", 0],
    "without any diffraction": ["--max-diffractions", 0, "--over-rooftop", "none"],
    "without scattering": ["--max-scatterings", 0],
    "scattering as the last interaction only": ["--max-after-scattering", 0],
    "two interactions after scattering": ["--max-after-scattering", 2],
    "directive lobes": ["--scattering-lobe", "directive"],
    "through the nearest building": ["--transmission", "nearest_building"],
    "two diffractions": ["--max-diffractions", 2],
    "five bounces, two diffractions": ["--max-bounces", 5, "--max-diffractions", 2],
    "walls of brick": ["--wall-material", "brick"],
    "walls of concrete": ["--wall-material", "concrete"],
    "walls of glass": ["--wall-material", "glass"],
}

# TR 38.901, 7.4.1: UMi street canyon without line of sight, dB per decade of distance; 7.3: the sector's horizontal
# cut.
DECADE_DB = 35.3
BEAMWIDTH_DEG, BACK_DB = 65, 30
DISTANCES_M = [0, 100, 200, 300, 450, 700, math.inf]


def write_sites(duke, file):
    """The published cells with what is assumed of them: 3GPP sectors at 24 m without downtilt."""
    with open(duke / "transmitters.csv", encoding="utf-8", newline="") as source:
        cells = list(csv.DictReader(source))
    with open(file, "w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, [*cells[0], "antenna", "height_m", "erp_dbm"])
        writer.writeheader()
        for cell in cells:
            writer.writerow({**cell, "antenna": "sector_3gpp", "height_m": 24, "erp_dbm": 40})


def row_of(variant, cells):
    """A row of the table: σE and correlation of each cell, and their means over the cells."""
    texts = [f"{deviation:.1f}, {correlation:.2f}" for deviation, correlation in cells]
    deviation, correlation = np.mean(cells, axis=0)
    return f"| {' | '.join([variant, *texts])} | {deviation:.2f}, {correlation:.3f} |"


def cells_in(figures):
    """(σE, correlation) of each cell."""
    return [(row["std_db"], row["correlation"]) for row in figures["error_statistics"] if row["group"] != "all"]


def rows_in(file, layer, fields, condition=None):
    """The features of a layer as (x, y, values of the fields)."""
    source = ogr.Open(str(file))
    features = source.GetLayerByName(layer)
    features.SetAttributeFilter(condition)
    return [(feature.geometry().GetX(), feature.geometry().GetY(), *(feature[name] for name in fields))
            for feature in features]


def used_measurements(file):
    """Of the comparison in `file`, an array of each cell: x, y, measured, predicted, distance, in sight."""
    found = {}
    fields = ["transmitter_id", "measured_db", "predicted_db", "distance_m", "line_of_sight"]
    for x, y, cell, *values in rows_in(file, "prediction_error", fields, "excluded_because IS NULL"):
        found.setdefault(cell, []).append((x, y, *values))
    return {cell: np.array(rows, dtype=float) for cell, rows in found.items()}


def of_distance_law(prediction, measurements):
    """(σE, correlation) of each cell by distance and azimuth alone, buildings or not; the mean of each is removed."""
    cells = []
    for x, y, cell, azimuth in rows_in(prediction, "transmitters", ["transmitter_id", "azimuth_deg"]):
        east, north, measured, _, distance, _ = measurements[cell].T
        off = (np.degrees(np.arctan2(east - x, north - y)) - azimuth + 180) % 360 - 180
        law = -DECADE_DB * np.log10(distance) - np.minimum(12 * (off / BEAMWIDTH_DEG) ** 2, BACK_DB)
        cells.append(((law - measured).std(), np.corrcoef(law, measured)[0, 1]))
    return cells


def print_errors_by_distance(measurements):
    """Mean and deviation of the error, in sight of the transmitter and not, with the mean of each cell removed."""
    rows = np.concatenate(list(measurements.values()))
    _, _, measured, predicted, distance, in_sight = rows.T
    error, in_sight = predicted - measured, in_sight != 0
    print("\n| m | n in sight | mean, dB | σ | n not | mean, dB | σ |\n|" + "---|" * 7)
    for low, high in zip(DISTANCES_M, DISTANCES_M[1:]):
        ring = (distance >= low) & (distance < high)
        texts = [f"{part.sum():,} | {error[part].mean():.1f} | {error[part].std():.1f}"
                 for part in (ring & in_sight, ring & ~in_sight)]
        print(f"| {low} … {high} | {' | '.join(texts)} |")


def main(executable, duke, folder):
    sites, environment = folder / "sites.csv", folder / "duke.gpkg"
    visibility = folder / "duke.tvis"
    write_sites(duke, sites)
    figures_of(executable, "tileenvironment", "--buildings", duke / "buildings.gpkg", "--height-field", "height_m",
               "--environment", environment)
    figures_of(executable, "computevisibility", "--environment", environment, "--visibility", visibility)
    print(f"| | {' | '.join('ABCDEF')} | mean |\n|{'---|' * 8}")
    by_defaults = None
    for variant, parameters in VARIANTS.items():
        prediction = folder / "prediction.gpkg"
        figures_of(executable, "predictcoverage", "--environment", environment, "--visibility", visibility,
                   "--transmitters", sites, "--receiver-height", 2, *parameters, "--output", prediction)
        figures = figures_of(executable, "comparewithdrivetest", "--path-loss", prediction, "--drive-test",
                             duke / "drive_test.csv", "--value-field", "rsrp", "--transmitter-field", "PCI",
                             "--censor-below", -138, "--remove-mean", "--output", folder / "errors.gpkg")
        print(row_of(variant, cells_in(figures)), flush=True)
        if by_defaults is None:
            by_defaults = used_measurements(folder / "errors.gpkg")
    print(row_of("a distance law", of_distance_law(folder / "prediction.gpkg", by_defaults)))
    print_errors_by_distance(by_defaults)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[3]).mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
