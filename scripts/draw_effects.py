#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/images/effect_*.png, each effect alone on a small scene, and prints the figures of docs/effects.md.

Usage: draw_effects.py TESSERAY [FOLDER]      TESSERAY: the executable; FOLDER: where pictures go

Needs numpy, matplotlib and GDAL's Python. Everything shown is output of the executable.
"""

import csv
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import numpy
from osgeo import gdal, ogr, osr

gdal.UseExceptions()
ogr.UseExceptions()
# Where the scenes lie: any place of a metric CRS.
CRS, EAST, NORTH = 25832, 500_000, 5_800_000
# Okabe and Ito's colours.
COLORS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
WALLS, TREES, SITE = "#b0b0b0", "#8fbf7f", "#d55e00"


@dataclass
class Effect:
    """A scene and the settings that are compared on it. Coordinates in metres from the scene's corner.

    boxes: buildings as (x0, y0, x1, y1, height). trees: the same. ground: height above (x, y), None for flat.
    site: x, y, height above the ground. line: where receivers stand 1.5 m high, from and to. settings: by label, the
    options; the first is what others are compared with. always: options of all.
    """

    name: str
    title: str
    size: tuple[float, float]
    boxes: list[tuple[float, ...]]
    site: tuple[float, float, float]
    line: tuple[tuple[float, float], tuple[float, float]]
    settings: dict[str, list]
    trees: list[tuple[float, ...]] = field(default_factory=list)
    ground: object = None
    always: list = field(default_factory=list)
    along: str = "Metres along the line"


def hill(x, _y):
    return 18 * numpy.exp(-((x - 200) / 35) ** 2)


CORNER = [(0, 20, 120, 100, 20), (140, 20, 260, 100, 20), (0, -60, 120, 0, 20), (140, -60, 260, 0, 20)]
ONLY_DIRECT = ["--max-bounces", 0]
NO_ROOFS = ["--over-rooftop", "none"]

EFFECTS = [
    Effect("over_rooftop", "Rays over the roofs", (400, 120),
           [(120, -400, 140, 520, 15), (180, -400, 200, 520, 15), (240, -400, 260, 520, 12)], (30, 60, 12),
           ((262, 60), (390, 60)),
           {"none": NO_ROOFS, "screens (exact)": [], "Deygout": ["--over-rooftop", "deygout"]},
           always=["--max-scatterings", 0]),
    Effect("vegetation", "Vegetation", (400, 120), [], (30, 60, 8), ((120, 60), (390, 60)),
           {"none": ["--vegetation-loss", "none"], "0.04 dB/m": [], "0.2 dB/m": ["--vegetation-db-per-m", 0.2],
            "ITU-R P.833": ["--vegetation-loss", "p833"]},
           trees=[(150, 0, 250, 120, 15)], always=ONLY_DIRECT),
    Effect("transmission", "Through the nearest building", (300, 120), [(60, 20, 90, 100, 20)], (50, 60, 6),
           ((95, 60), (290, 60)),
           {"none": [], "nearest building": ["--transmission", "nearest_building"],
            "the same, 20 dB a wall": ["--transmission", "nearest_building", "--wall-loss", 20]},
           always=[*NO_ROOFS, "--max-scatterings", 0]),
    Effect("terrain", "Terrain", (400, 120), [], (30, 60, 15), ((60, 60), (390, 60)),
           {"flat": [], "hill of 18 m": [], "the same, no rays over it": NO_ROOFS}, ground=hill,
           always=["--max-scatterings", 0, "--summation", "power"]),
    Effect("scattering", "Diffuse scattering around a corner", (260, 160), [(x0, y0 + 60, x1, y1 + 60, h)
                                                                     for x0, y0, x1, y1, h in CORNER],
           (20, 70, 6), ((130, 90), (130, 158)),
           {"none": ["--max-scatterings", 0], "Lambert, S = 0.4": [],
            "directive, S = 0.4": ["--scattering-lobe", "directive"],
            "Lambert, S = 0.2": ["--scattering-coefficient", 0.2]},
           always=[*NO_ROOFS, "--tile-area", 25], along="Metres into the side street"),
    Effect("materials", "Materials of walls around a corner", (260, 160), [(x0, y0 + 60, x1, y1 + 60, h)
                                                                   for x0, y0, x1, y1, h in CORNER],
           (20, 70, 6), ((130, 90), (130, 158)),
           {"concrete": ["--wall-material", "concrete"], "glass": ["--wall-material", "glass"],
            "wood": ["--wall-material", "wood"], "metal": ["--wall-material", "metal"]},
           always=[*NO_ROOFS, "--max-scatterings", 0, "--tile-area", 25], along="Metres into the side street"),
    Effect("antennas", "Antennas that look along the line", (500, 120), [], (20, 60, 30), ((25, 60), (490, 60)),
           {"isotropic": [], "half-wave dipole": ["--antenna", "half_wave_dipole"],
            "sector, 6° down": ["--antenna", "sector_3gpp", "--tilt", 6],
            "sector, 20° down": ["--antenna", "sector_3gpp", "--tilt", 20]},
           always=[*ONLY_DIRECT, "--summation", "power"]),
]


def write_boxes(path, boxes):
    """A GeoPackage of rectangles with a height."""
    system = osr.SpatialReference()
    system.ImportFromEPSG(CRS)
    dataset = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = dataset.CreateLayer(path.stem, system, ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("height", ogr.OFTReal))
    for x0, y0, x1, y1, height in boxes:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["height"] = height
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))
        feature.SetGeometry(ogr.CreateGeometryFromWkt(
            "POLYGON((" + ",".join(f"{EAST + x} {NORTH + y}" for x, y in corners) + "))"))
        layer.CreateFeature(feature)
    return path


def write_ground(path, effect):
    """A DEM of 5 m pixels, wider than the scene."""
    step, margin = 5, 200
    columns, rows = (int((size + 2 * margin) / step) for size in effect.size)
    x = (numpy.arange(columns) + 0.5) * step - margin
    y = effect.size[1] + margin - (numpy.arange(rows) + 0.5) * step
    heights = numpy.array([[effect.ground(a, b) for a in x] for b in y], dtype="float32")
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), columns, rows, 1, gdal.GDT_Float32)
    dataset.SetGeoTransform((EAST - margin, step, 0, NORTH + effect.size[1] + margin, 0, -step))
    system = osr.SpatialReference()
    system.ImportFromEPSG(CRS)
    dataset.SetProjection(system.ExportToWkt())
    dataset.GetRasterBand(1).WriteArray(heights)
    return path


def receivers_of(effect):
    """Distances along the line, m, every 2 m, and the places."""
    start, end = (numpy.array(point, dtype=float) for point in effect.line)
    length = numpy.linalg.norm(end - start)
    distances = numpy.arange(0, length + 0.1, 2)
    return distances, start + distances[:, None] / length * (end - start)


def write_table(path, heading, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([heading, *rows])
    return path


class Runner:
    """Runs the executable for one effect, in a folder of its own."""

    def __init__(self, executable, effect, folder):
        self._executable, self._effect, self._folder = executable, effect, folder
        # A study needs one building; this one is far off the line and low.
        boxes = effect.boxes or [(2, 2, 6, 6, 1)]
        self._scene = ["--buildings", write_boxes(folder / "buildings.gpkg", boxes), "--extent",
                       f"{EAST},{EAST + effect.size[0]},{NORTH},{NORTH + effect.size[1]}"]
        if effect.trees:
            self._scene += ["--vegetation", write_boxes(folder / "trees.gpkg", effect.trees)]
        self.distances, places = receivers_of(effect)
        self._receivers = write_table(folder / "receivers.csv", ["x", "y"],
                                      [(EAST + x, NORTH + y) for x, y in places])

    def path_loss(self, label, options):
        """Along the line, dB; NaN where nothing arrives."""
        effect, options = self._effect, list(options)
        tilt = options.pop(options.index("--tilt") + 1) if "--tilt" in options else 0
        options = [option for option in options if option != "--tilt"]
        x, y, height = effect.site
        sites = write_table(self._folder / "sites.csv", ["name", "x", "y", "height", "frequency_mhz", "erp_dbm",
                                                         "azimuth", "downtilt"],
                            [["site", EAST + x, NORTH + y, height, 900, 40, 90, tilt]])
        scene = list(self._scene)
        if effect.ground and label != "flat":
            scene += ["--dem", write_ground(self._folder / "dem.tif", effect)]
        output = self._folder / "result.gpkg"
        subprocess.run([self._executable, "coveragestudy", *map(str, scene), "--transmitters", sites,
                        "--transmitters-crs", f"EPSG:{CRS}", "--receivers", self._receivers, "--receivers-crs",
                        f"EPSG:{CRS}", "--receiver-path-loss", output, *map(str, [*effect.always, *options]),
                        "--progress", "none", "--overwrite"], check=True, capture_output=True, text=True)
        with sqlite3.connect(output) as database:
            found = dict(database.execute("SELECT receiver_id, path_loss_db FROM receiver_path_loss"))
        return numpy.array([numpy.nan if found[i] is None else found[i] for i in sorted(found)])


def pyplot():
    """matplotlib's, which those who want figures alone need not have."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot

    return matplotlib.pyplot


def draw_plan(axes, effect):
    plot = pyplot()
    for x0, y0, x1, y1, _ in effect.boxes:
        axes.add_patch(plot.Rectangle((x0, y0), x1 - x0, y1 - y0, color=WALLS))
    for x0, y0, x1, y1, _ in effect.trees:
        axes.add_patch(plot.Rectangle((x0, y0), x1 - x0, y1 - y0, color=TREES))
    if effect.ground:
        x = numpy.linspace(0, effect.size[0], 200)
        axes.contour(x, [0, effect.size[1]], [effect.ground(x, 0)] * 2, levels=[2, 6, 10, 14, 17], colors="#8a6d3b",
                     linewidths=0.8)
    (x0, y0), (x1, y1) = effect.line
    axes.plot([x0, x1], [y0, y1], color=COLORS[1], linewidth=1.5)
    axes.plot(*effect.site[:2], marker="^", color=SITE, markersize=8)
    axes.set(xlim=(0, effect.size[0]), ylim=(0, effect.size[1]), aspect="equal")
    axes.set_xlabel("m", fontsize=8)
    axes.tick_params(labelsize=7)


def draw(effect, distances, losses, path):
    plot = pyplot()
    figure, (plan, curves) = plot.subplots(2, 1, figsize=(7.2, 4.8), height_ratios=(1, 2.1), layout="constrained")
    draw_plan(plan, effect)
    plan.set_title(effect.title, fontsize=11)
    for (label, loss), color in zip(losses.items(), COLORS):
        label += " (nothing arrives)" if numpy.isnan(loss).all() else ""
        curves.plot(distances, loss, label=label, color=color, linewidth=1.6)
    curves.invert_yaxis()
    curves.grid(color="#dddddd")
    curves.set_xlabel(effect.along, fontsize=9)
    curves.set_ylabel("Path loss, dB", fontsize=9)
    curves.tick_params(labelsize=8)
    curves.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plot.close(figure)


@dataclass
class Figures:
    """Of one setting; None where nothing is reached. Differences: from the first setting, where both have a value."""

    label: str
    reached_percent: float
    median_db: float | None = None
    mean_db: float | None = None
    least_db: float | None = None
    most_db: float | None = None

    def row(self):
        """Of a Markdown table."""
        median = "" if self.median_db is None else f"{self.median_db:.1f}"
        against = " | " if self.mean_db is None else f"{self.mean_db:+.1f} | {self.least_db:+.1f} … {self.most_db:+.1f}"
        return f"| {self.label} | {self.reached_percent:.0f} % | {median} | {against} |".replace(" -", " −")


def figures_of(losses):
    first = next(iter(losses.values()))
    every = []
    for label, loss in losses.items():
        figures = Figures(label, 100 * numpy.mean(~numpy.isnan(loss)))
        if figures.reached_percent > 0:
            figures.median_db = numpy.nanmedian(loss)
        difference = (loss - first)[~numpy.isnan(loss - first)]
        if len(difference) > 0:
            figures.mean_db, figures.least_db, figures.most_db = difference.mean(), difference.min(), difference.max()
        every.append(figures)
    return every


def main():
    executable = sys.argv[1]
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else
                          pathlib.Path(__file__).resolve().parents[1] / "docs" / "images")
    for effect in EFFECTS:
        with tempfile.TemporaryDirectory(prefix="tesseray-effects-") as work:
            runner = Runner(executable, effect, pathlib.Path(work))
            losses = {label: runner.path_loss(label, options) for label, options in effect.settings.items()}
        draw(effect, runner.distances, losses, folder / f"effect_{effect.name}.png")
        print(f"\n{effect.title}", *(figures.row() for figures in figures_of(losses)), sep="\n")


if __name__ == "__main__":
    main()
