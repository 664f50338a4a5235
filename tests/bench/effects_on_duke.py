#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured network of Duke predicted with the defaults, and with each effect left out or added.

Prints the table of docs/benchmarks/real-cities.md: standard deviation of the error (dB) and correlation of each cell.
One set of defaults for all; nothing is tuned.

Usage: effects_on_duke.py TESSERAY DUKE FOLDER      the executable, the folder of the data, a folder for the results
"""
import csv
import json
import pathlib
import subprocess
import sys

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
}


def run(executable, tool, *parameters):
    """The figures of a tool's outcome."""
    process = subprocess.run([executable, tool, *map(str, parameters), "--progress", "json", "--overwrite"],
                             capture_output=True, text=True, check=False)
    if process.returncode != 0:
        sys.exit(f"{tool}: {process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])["figures"]


def write_sites(duke, file):
    """The published cells with what is assumed of them: 3GPP sectors at 24 m without downtilt."""
    with open(duke / "transmitters.csv", encoding="utf-8", newline="") as source:
        cells = list(csv.DictReader(source))
    with open(file, "w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, [*cells[0], "antenna", "height_m", "erp_dbm"])
        writer.writeheader()
        for cell in cells:
            writer.writerow({**cell, "antenna": "sector_3gpp", "height_m": 24, "erp_dbm": 40})


def row_of(variant, figures):
    """A row of the table: σE and correlation of each cell, and their means over the cells."""
    cells = [row for row in figures["error_statistics"] if row["group"] != "all"]
    texts = [f"{row['std_db']:.1f}, {row['correlation']:.2f}" for row in cells]
    deviation, correlation = (sum(row[name] for row in cells) / len(cells) for name in ("std_db", "correlation"))
    return f"| {' | '.join([variant, *texts])} | {deviation:.2f}, {correlation:.3f} |"


def main(executable, duke, folder):
    sites, environment = folder / "sites.csv", folder / "duke.gpkg"
    visibility = folder / "duke.tvis"
    write_sites(duke, sites)
    run(executable, "tileenvironment", "--buildings", duke / "buildings.gpkg", "--height-field", "height_m",
        "--environment", environment)
    run(executable, "computevisibility", "--environment", environment, "--visibility", visibility)
    print(f"| | {' | '.join('ABCDEF')} | mean |\n|{'---|' * 8}")
    for variant, parameters in VARIANTS.items():
        prediction = folder / "prediction.gpkg"
        run(executable, "predictcoverage", "--environment", environment, "--visibility", visibility,
            "--transmitters", sites, "--receiver-height", 2, *parameters, "--output", prediction)
        figures = run(executable, "comparewithdrivetest", "--path-loss", prediction, "--drive-test",
                      duke / "drive_test.csv", "--value-field", "rsrp", "--transmitter-field", "PCI",
                      "--censor-below", -138, "--remove-mean", "--output", folder / "errors.gpkg")
        print(row_of(variant, figures), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[3]).mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
