#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/layers.md: every layer that a tool writes, and every field of it with its type and what it says.

Runs each tool on the sample town, quickly, and reads its GeoPackages, so that the page says what is in them.
Usage: write_layers_page.py TESSERAY [PAGE]
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = SOURCE / "sample_data"
PAGE = SOURCE / "docs" / "layers.md"
MIDDLE = "340350,340650,6020350,6020650"  # of the town
POINT = "340520,6020520"
SITE = "Market"
NAMES_OF_TYPES = {"INTEGER": "integer", "REAL": "real", "TEXT": "text", "BOOLEAN": "boolean"}
HEAD = """# Layers

What the tools write into their GeoPackages: each layer with its fields, as the column descriptions (`gpkg_data_columns`) of the files
say it. Every layer has `fid`, and all but tables a geometry `geom`. NULL means undefined. Fields of a threshold (`minus_95`) or of a
transmitter (`t1`) are there for each. This page is made by `scripts/write_layers_page.py`.
In `path_loss` and `receiver_path_loss` the fields from `arrival_elevation_deg` to `k_factor_db` are there with WIDEBAND (in `explainpoint`
always), `delay_profile` is with DELAY_PROFILE_RAYS. `visible_count` is NULL where `tileenvironment` wrote it. Comparisons of arrival times have
`_ns` in place of `_db`, and in `error_statistics` `removed_offset_ns` and `within_resolution_percent` besides
([comparison.md](comparison.md#arrival-times)).
How a layer is stored is in [formats.md](formats.md), what a tool takes in [tools.md](tools.md).
"""


def run(executable, tool, *arguments):
    done = subprocess.run([executable, tool, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{tool}: {done.stderr}")


def write_inputs(folder):
    """Receivers, a district, a site, measured fingerprints to locate and an antenna, as small files."""
    (folder / "receivers.csv").write_text("id,x,y\n1,340520,6020520\n")
    ring = [[340400, 6020400], [340600, 6020400], [340600, 6020600], [340400, 6020600], [340400, 6020400]]
    district = {"type": "Feature", "properties": {"name": "Middle", "population": 100},
                "geometry": {"type": "Polygon", "coordinates": [ring]}}
    (folder / "districts.geojson").write_text(json.dumps({
        "type": "FeatureCollection", "features": [district],
        "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}}))
    (folder / "sites.csv").write_text(f"name,x,y,height_m,frequency_mhz,erp_dbm\n{SITE},340500,6020500,40,900,43\n")
    (folder / "queries.csv").write_text(f"query,transmitter,power_dbm,x,y\n1,{SITE},-60,340520,6020520\n")
    cut = "".join(f"{degree} 0\n" for degree in range(360))
    (folder / "all_around.msi").write_text(f"NAME all around\nGAIN 2 dBi\nHORIZONTAL 360\n{cut}VERTICAL 360\n{cut}")


def run_all_tools(executable, folder):
    """All GeoPackages, so that each layer and each field that depends on a parameter is in one of them."""
    write_inputs(folder)
    environment, study = folder / "environment.gpkg", folder / "study.gpkg"
    scene = ["--buildings", SAMPLE / "buildings.gpkg", "--dem", SAMPLE / "dem.tif", "--extent", MIDDLE]
    sites = ["--transmitters", folder / "sites.csv", "--transmitters-crs", "EPSG:25832", "--max-bounces", 1]
    receivers = ["--receivers", folder / "receivers.csv", "--receivers-crs", "EPSG:25832"]
    run(executable, "tileenvironment", *scene, "--environment", environment)
    run(executable, "computevisibility", "--environment", environment)
    run(executable, "coveragestudy", *scene, *sites, *receivers, "--wideband", "--delay-profile-rays", 3,
        "--rays-per-receiver", 3, "--drive-test", SAMPLE / "drive_test_SYNTHETIC.gpkg", "--value-field",
        "received_power_dbm", "--value-kind", "received_power", "--transmitter-field", "transmitter", "--output", study)
    run(executable, "bestserver", "--path-loss", study, "--output", folder / "bestserver.gpkg")
    run(executable, "coveragebydistrict", "--path-loss", study, "--districts", folder / "districts.geojson",
        "--population-field", "population", "--output", folder / "districts.gpkg")
    run(executable, "fingerprints", "--path-loss", study, "--queries", folder / "queries.csv", "--queries-crs",
        "EPSG:25832", "--output", folder / "fingerprints.gpkg")
    run(executable, "visiblefrom", "--environment", environment, "--point", POINT, "--output", folder / "seen.gpkg")
    run(executable, "explainpoint", "--environment", environment, *sites, "--point", POINT, "--output",
        folder / "explained.gpkg")
    run(executable, "traceimage", "--environment", environment, *sites[:4], *receivers, "--max-reflections", 1,
        "--max-diffractions", 1, "--output", folder / "traced.gpkg")
    run(executable, "importantenna", "--antenna-file", folder / "all_around.msi", "--output", folder / "pattern.gpkg")


def fields_of(database, layer):
    """(name, type, description) of each field, in the order of the table, without fid and geometry."""
    described = dict(database.execute(
        "SELECT column_name, description FROM gpkg_data_columns WHERE table_name = ?", (layer,)))
    for _, name, kind, *_ in database.execute(f'PRAGMA table_info("{layer}")'):
        if name in described:
            yield name, NAMES_OF_TYPES[kind.split("(")[0]], described[name]


def gather(folder):
    """{layer: {field: (type, description)}} and {layer: {field: the tools that wrote it}}, over all files of a folder."""
    gathered, writers = {}, {}
    for file in sorted(folder.glob("*.gpkg")):
        if file.name == "environment.gpkg":
            continue
        with sqlite3.connect(file) as database:
            for layer, in database.execute("SELECT table_name FROM gpkg_contents ORDER BY table_name").fetchall():
                fields, wrote = gathered.setdefault(layer, {}), writers.setdefault(layer, {})
                tools = [tool for tool, layers in database.execute("SELECT tool, layers FROM tesseray_runs")
                         if layer in json.loads(layers)]
                for name, kind, description in fields_of(database, layer):
                    fields.setdefault(name, (kind, description))
                    wrote.setdefault(name, set()).update(tools)
    return gathered, writers


def only_by(name, writers):
    """What to say of a field that not all tools that write its layer write; "" of others."""
    of_layer = set().union(*writers.values()) if writers else set()
    lacking = sorted(of_layer - writers.get(name, set()))
    if not lacking:
        return ""
    having = sorted(writers[name])
    # coveragestudy stands for predictcoverage, too.
    if having == ["explainpoint"]:
        return " (`explainpoint` alone)"
    return f" (not {', '.join(f'`{tool}`' for tool in lacking)})"


def makers(executable):
    """{layer: (the tools that write it, its geometry)}"""
    described = json.loads(subprocess.run([executable, "describe", "--json"], check=True, capture_output=True,
                                          text=True).stdout)
    made = {}
    for tool in described["tools"]:
        for output in tool["outputs"]:
            if output.get("layer"):
                made.setdefault(output["layer"], ([], output["geometry"]))[0].append(tool["id"])
    return made


def page(executable, folder):
    run_all_tools(executable, folder)
    (gathered, wrote), made = gather(folder), makers(executable)
    text = [HEAD]
    for layer in [*made, "tesseray_runs"]:
        tools, geometry = made.get(layer, ([], "None"))
        shape = {"None": "A table", "Geometry": "Points, lines or polygons"}.get(geometry, geometry)
        writers = ", ".join(f"`{tool}`" for tool in tools) or "every tool that writes a GeoPackage"
        text.append(f"## {layer}\n\n{shape}; written by {writers}.\n")
        text.append("| field | type | |\n|---|---|---|")
        for name, (kind, description) in gathered[layer].items():
            said = description.replace("|", "\\|").replace(SITE, "the transmitter")
            text.append(f"| {name} | {kind} | {said}"
                        f"{only_by(name, wrote.get(layer, {}))} |")
        text.append("")
    return "\n".join(text)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as made_in:
        pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else PAGE).write_text(
            page(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(made_in)), encoding="utf-8")
