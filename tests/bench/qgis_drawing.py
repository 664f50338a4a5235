#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Seconds from opening a result layer in a QGIS without windows to its first full view, styled as it comes.

Usage: qgis_drawing.py RESULT.gpkg [LAYER]      (default layer: path_loss)

The bar: 3 s for 466,000 tiles, which `qgis_drawing_layer RESULT.gpkg` makes. Each run is a new process. One reads the
file from the disk; the others find it in the system's memory, as right after the run that wrote it. Use Debian's
Python (/usr/bin/python3), which QGIS's belongs to. PICTURE=view.png keeps the view.
"""
import json
import os
import statistics
import subprocess
import sys
import time

RUNS = 5
WIDTH, HEIGHT = 1920, 1080
BAR_SECONDS = 3.0


def forget(file):
    """The next run reads the file from the disk, as far as the system follows the advice."""
    with open(file, "rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure(file, layer_name, picture):
    """One run in this process."""
    from qgis.core import Qgis, QgsApplication, QgsMapRendererParallelJob, QgsMapSettings, QgsVectorLayer
    from qgis.PyQt.QtCore import QSize

    application = QgsApplication([], False)
    application.initQgis()
    start = time.perf_counter()
    layer = QgsVectorLayer(f"{file}|layername={layer_name}", layer_name, "ogr")
    if not layer.isValid():
        sys.exit(f"{file} has no layer {layer_name}")
    opened = time.perf_counter()
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setOutputSize(QSize(WIDTH, HEIGHT))
    settings.setExtent(layer.extent())
    for flag in (Qgis.MapSettingsFlag.Antialiasing, Qgis.MapSettingsFlag.UseRenderingOptimization):
        settings.setFlag(flag)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    drawn = time.perf_counter()
    image = job.renderedImage()
    if picture:
        image.save(picture)
    middle = image.pixelColor(WIDTH // 2, HEIGHT // 2)
    print(json.dumps({"open": opened - start, "draw": drawn - opened, "rows": layer.featureCount(),
                      "drawn": middle.alpha() == 255 and middle.name() != "#ffffff", "qgis": Qgis.version()}))
    sys.stdout.flush()
    os._exit(0)


def main():
    file, layer_name = sys.argv[1], (sys.argv[2:] or ["path_loss"])[0]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    forget(file)
    runs = []
    for i in range(RUNS + 1):
        picture = os.environ.get("PICTURE", "") if i == 0 else ""
        finished = subprocess.run([sys.executable, __file__, "--one", file, layer_name, picture], env=environment,
                                  capture_output=True, text=True, check=True)
        runs.append(json.loads(finished.stdout.splitlines()[-1]))
    if not all(run["drawn"] for run in runs):
        sys.exit("the view is empty: nothing was measured")
    from_disk, *runs = runs
    totals = [run["open"] + run["draw"] for run in runs]
    print(f"QGIS {runs[0]['qgis']}, {runs[0]['rows']:,} rows, {WIDTH} x {HEIGHT} pixels, {RUNS} runs")
    print(f"opening {statistics.median(r['open'] for r in runs):.2f} s, "
          f"drawing {statistics.median(r['draw'] for r in runs):.2f} s, "
          f"together {statistics.median(totals):.2f} s (of {min(totals):.2f} to {max(totals):.2f} s); "
          f"the bar is {BAR_SECONDS:g} s")
    print(f"from the disk: {from_disk['open'] + from_disk['draw']:.2f} s")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--one":
        measure(*sys.argv[2:5])
    main()
