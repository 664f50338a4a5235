#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the pictures of the plugin's help, of docs/qgis.md and docs/report.md: real results of the sample town, drawn
by QGIS.

Usage: draw_qgis_pictures.py TESSERAY      (the executable; QGIS 3.40 with Qt 5 and its WebKit for Debian's Python)
"""

import os
import pathlib
import sys
import tempfile
import unittest.mock

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = SOURCE / "sample_data"
HELP = SOURCE / "qgis_plugin" / "tesseray" / "help"
IMAGES = SOURCE / "docs" / "images"

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["GDAL_PAM_ENABLED"] = "NO"  # no statistics beside the sample data
sys.path[:0] = [str(SOURCE / "qgis_plugin"), "/usr/share/qgis/python/plugins"]

from qgis.core import (  # noqa: E402, after the environment that it needs
    QgsApplication,
    QgsCategorizedSymbolRenderer,
    QgsClassificationQuantile,
    QgsColorRampShader,
    QgsCoordinateReferenceSystem,
    QgsFillSymbol,
    QgsGraduatedSymbolRenderer,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsMarkerSymbol,
    QgsProject,
    QgsRasterLayer,
    QgsRasterShader,
    QgsRectangle,
    QgsRendererCategory,
    QgsSingleBandPseudoColorRenderer,
    QgsStyle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QSize  # noqa: E402
from qgis.PyQt.QtGui import QColor, QImage, QPainter  # noqa: E402

# Twice the width of the picture beside a dialog, for fine screens.
HELP_SIZE = QSize(480, 300)
REPORT_SIZE = QSize(1120, 1500)
TOWN = QgsRectangle(340030, 6020165, 341070, 6020815)
OLD_TOWN = QgsRectangle(340350, 6020420, 340650, 6020608)
MAST = 3  # transmitter_id of the site that most of the town sees
POINT = "340520,6020610"
SQUARE = "340500,6020500"


def inputs():
    """The parameters of the whole sample town, as far as they are data."""
    return {"BUILDINGS": str(SAMPLE / "buildings.gpkg"), "HEIGHT_FIELD": "height_m", "BASE_FIELD": "base_m",
            "DEM": str(SAMPLE / "dem.tif"), "VEGETATION": str(SAMPLE / "vegetation.gpkg"),
            "VEGETATION_HEIGHT_FIELD": "height_m", "TRANSMITTERS": str(SAMPLE / "transmitters.csv"),
            "DRIVE_TEST": str(SAMPLE / "drive_test_SYNTHETIC.gpkg"), "VALUE_FIELD": "received_power_dbm",
            "TRANSMITTER_FIELD": "transmitter", "CENSOR_BELOW": -110, "TILE_AREA": 25}


class Town:
    """The results of the sample town, made once, as layers."""

    def __init__(self, folder):
        import processing

        self._result = str(folder / "town.gpkg")
        environment = str(folder / "environment.gpkg")
        processing.run("tesseray:coveragestudy", {**inputs(), "OUTPUT": self._result, "ENVIRONMENT": environment})
        transmitters = {name: value for name, value in inputs().items() if name == "TRANSMITTERS"}
        self.explained = processing.run("tesseray:explainpoint", {
            "ENVIRONMENT": environment, "POINT": POINT, "TRANSMITTER": "Hill", **transmitters,
            "RAYS": str(folder / "rays.gpkg")})["RAYS"]
        receivers = folder / "receivers.csv"
        receivers.write_text(f"id,x,y\n1,{SQUARE}\n", encoding="utf-8")
        self.traced = processing.run("tesseray:traceimage", {
            "ENVIRONMENT": environment, **transmitters, "RECEIVERS": str(receivers), "RECEIVERS_CRS": "EPSG:25832",
            "MAX_LENGTH": 700, "RAYS": str(folder / "exact.gpkg")})["RAYS"]
        self.served = processing.run("tesseray:bestserver", {
            "PATH_LOSS": f"{self._result}|layername=path_loss",
            "BEST_SERVER": str(folder / "served.gpkg")})["BEST_SERVER"]
        self.rasterized = processing.run("tesseray:coverageraster", {
            "PATH_LOSS": f"{self._result}|layername=path_loss", "RESOLUTION": 2, "BUILDINGS": str(SAMPLE / "buildings.gpkg"),
            "RASTER": str(folder / "coverage.tif")})["RASTER"]
        hexagons = processing.run("native:creategrid", {
            "TYPE": 4, "EXTENT": TOWN, "HSPACING": 75, "VSPACING": 75, "CRS": "EPSG:25832",
            "OUTPUT": str(folder / "hexagons.gpkg")})["OUTPUT"]
        self.covered = processing.run("tesseray:coveragebydistrict", {
            "PATH_LOSS": f"{self._result}|layername=path_loss", "DISTRICTS": hexagons, "THRESHOLDS": "-65",
            "DISTRICT_COVERAGE": str(folder / "districts.gpkg")})["DISTRICT_COVERAGE"]
        self.fingerprinted = processing.run("tesseray:fingerprints", {
            "PATH_LOSS": f"{self._result}|layername=path_loss", "MIN_RECEIVED_POWER": -95,
            "FINGERPRINTS": str(folder / "fingerprints.gpkg")})["FINGERPRINTS"]
        self.seen = processing.run("tesseray:visiblefrom", {
            "ENVIRONMENT": environment, "POINT": SQUARE,
            "VISIBLE_TILES": str(folder / "seen.gpkg")})["VISIBLE_TILES"]

    def layer(self, name, subset=""):
        layer = QgsVectorLayer(f"{self._result}|layername={name}", name, "ogr")
        layer.setSubsetString(subset)
        return layer

    def rays(self):
        return QgsVectorLayer(self.explained, "rays", "ogr")

    def exact_rays(self):
        return QgsVectorLayer(self.traced, "exact rays", "ogr")

    def best_servers(self):
        layer = QgsVectorLayer(self.served, "best server", "ogr")
        layer.setSubsetString("kind = 'ground'")
        return layer

    def districts(self):
        return QgsVectorLayer(self.covered, "districts", "ogr")

    def fingerprints(self):
        """Places by how many transmitters are heard there."""
        layer = QgsVectorLayer(self.fingerprinted, "fingerprints", "ogr")
        colors = ("#fde725", "#21918c", "#440154")
        layer.setRenderer(QgsCategorizedSymbolRenderer("transmitter_count", [
            QgsRendererCategory(count + 1, QgsMarkerSymbol.createSimple({
                "color": color, "outline_color": color, "size": "1.2"}), str(count + 1))
            for count, color in enumerate(colors)]))
        return layer

    def seen_tiles(self):
        return QgsVectorLayer(self.seen, "visible tiles", "ogr")

    def raster(self):
        """Received power of MAST in the colours of viridis."""
        layer = QgsRasterLayer(self.rasterized, "coverage")
        colors = QgsColorRampShader(-110, -40, QgsStyle.defaultStyle().colorRamp("Viridis"))
        colors.classifyColorRamp(8, MAST)
        shader = QgsRasterShader()
        shader.setRasterShaderFunction(colors)
        layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), MAST, shader))
        return layer

    def grey_tiles(self):
        layer = self.layer("tiles")
        for category in layer.renderer().categories():
            symbol = category.symbol().clone()
            light = {"ground": 245, "roof": 200, "wall": 160}[category.value()]
            symbol.setColor(QColor(light, light, light))
            symbol.symbolLayer(0).setStrokeColor(QColor(225, 225, 225))
            layer.renderer().updateCategorySymbol(layer.renderer().categoryIndexForValue(category.value()), symbol)
        return layer

    def tiles_by_visible_count(self):
        layer = self.layer("tiles", "kind <> 'wall'")
        renderer = QgsGraduatedSymbolRenderer("visible_count")
        renderer.setSourceSymbol(QgsFillSymbol.createSimple({"outline_style": "no"}))
        renderer.setClassificationMethod(QgsClassificationQuantile())
        renderer.updateClasses(layer, 9)
        renderer.updateColorRamp(QgsStyle.defaultStyle().colorRamp("Viridis"))
        layer.setRenderer(renderer)
        return layer


def draw(layers, extent, size, file):
    """layers: the uppermost first."""
    settings = QgsMapSettings()
    settings.setLayers(layers)
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:25832"))
    settings.setExtent(extent)
    settings.setOutputSize(size)
    settings.setBackgroundColor(QColor("white"))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    file.parent.mkdir(parents=True, exist_ok=True)
    job.renderedImage().convertToFormat(QImage.Format.Format_RGB888).save(str(file), "PNG", 10)


def draw_maps(town):
    power = town.layer("path_loss", f"transmitter_id = {MAST} AND kind = 'ground'")
    sites, city = town.layer("transmitters"), town.grey_tiles()
    errors = town.layer("prediction_error", f"transmitter_id = {MAST}")
    pictures = {
        "coveragestudy": ([sites, errors, power, city], TOWN),
        "tileenvironment": ([town.layer("edges"), town.layer("tiles")], OLD_TOWN),
        "computevisibility": ([town.tiles_by_visible_count()], TOWN),
        "exportscene": ([sites, town.layer("tiles")], TOWN),
        "predictcoverage": ([sites, power, city], TOWN),
        "comparewithdrivetest": ([errors, city], TOWN),
        "bestserver": ([sites, town.best_servers(), city], TOWN),
        "coverageraster": ([sites, town.raster(), city], OLD_TOWN),
        "coveragebydistrict": ([sites, town.districts(), city], TOWN),
        "fingerprints": ([sites, town.fingerprints(), city], TOWN),
        "visiblefrom": ([town.seen_tiles(), city], OLD_TOWN),
        "explainpoint": ([town.rays(), sites, city], TOWN),
        "traceimage": ([town.exact_rays(), sites, city], TOWN),
    }
    for name, (layers, extent) in pictures.items():
        draw(layers, extent, HELP_SIZE, HELP / f"{name}.png")
    draw([sites, errors, power, city], TOWN, QSize(1120, 700), IMAGES / "qgis_map.png")


def sector_antenna():
    """A sector antenna of 65° by 10° as an MSI file: the parabolas of 3GPP TR 38.901, table 7.3-1."""
    def cut(beamwidth_deg):
        return [f"{angle} {min(12 * (min(angle, 360 - angle) / beamwidth_deg) ** 2, 30):.2f}" for angle in range(360)]
    return "\n".join(["NAME Sector", "FREQUENCY 1800", "GAIN 17 dBi", "HORIZONTAL 360", *cut(65), "VERTICAL 360",
                      *cut(10), ""])


def draw_antenna(folder, file):
    """Both cuts of an antenna, as the tool tells them."""
    import math
    import sqlite3

    import matplotlib
    import processing

    matplotlib.use("Agg")
    from matplotlib import pyplot

    source, result = folder / "sector.msi", folder / "pattern.gpkg"
    source.write_text(sector_antenna(), encoding="ascii")
    processing.run("tesseray:importantenna", {"ANTENNA_FILE": str(source), "PATTERN": str(result)})
    figure, axes = pyplot.subplots(1, 2, figsize=(4.8, 3.0), dpi=100, subplot_kw={"projection": "polar"})
    with sqlite3.connect(result) as database:
        for axis, cut in zip(axes, ("horizontal", "vertical")):
            rows = database.execute("SELECT angle_deg, gain_dbi FROM antenna_pattern WHERE cut = ?", (cut,)).fetchall()
            axis.plot([math.radians(angle) for angle, _ in rows], [gain for _, gain in rows], color="#31688e")
            axis.set_theta_zero_location("N" if cut == "horizontal" else "E")
            axis.set_theta_direction(-1)
            axis.set_rlim(-20, 20)
            axis.set_rticks([-10, 0, 10])
            axis.tick_params(labelsize=6)
            axis.set_title(f"{cut} cut, dBi", fontsize=8)
    figure.tight_layout()
    figure.savefig(file, metadata={"Software": None})


def draw_report(folder, file):
    """The beginning of the report on the sample town, in tiles of the default area."""
    import processing
    from qgis.PyQt.QtCore import QEventLoop, Qt, QUrl
    from qgis.PyQt.QtWebKitWidgets import QWebPage

    html = folder / "report.html"
    given = {name: value for name, value in inputs().items() if name != "TILE_AREA"}
    processing.run("tesseray:coveragestudy", {**given, "OUTPUT": str(folder / "coverage.gpkg"), "REPORT": str(html)})
    page, loaded = QWebPage(), QEventLoop()
    page.setViewportSize(REPORT_SIZE)
    page.mainFrame().setScrollBarPolicy(Qt.Orientation.Vertical, Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    page.loadFinished.connect(loaded.quit)
    page.mainFrame().load(QUrl.fromLocalFile(str(html)))
    loaded.exec()
    image = QImage(REPORT_SIZE, QImage.Format.Format_RGB888)
    painter = QPainter(image)
    page.mainFrame().render(painter)
    painter.end()
    image.save(str(file), "PNG", 10)


def draw_dialog(file):
    """The dialog of the whole study, with the sample town in the project."""
    import qgis.utils
    from processing.gui.AlgorithmDialog import AlgorithmDialog
    from qgis.gui import QgsGui
    from qgis.PyQt.QtWidgets import QApplication

    qgis.utils.iface = unittest.mock.MagicMock()
    QgsGui.instance()
    project = QgsProject.instance()
    csv = f"file://{SAMPLE / 'transmitters.csv'}?type=csv&xField=lon&yField=lat&crs=EPSG:4326&detectTypes=yes"
    layers = {"DEM": QgsRasterLayer(inputs()["DEM"], "terrain"),
              "BUILDINGS": QgsVectorLayer(f"{inputs()['BUILDINGS']}|layername=buildings", "buildings", "ogr"),
              "VEGETATION": QgsVectorLayer(inputs()["VEGETATION"], "vegetation", "ogr"),
              "DRIVE_TEST": QgsVectorLayer(inputs()["DRIVE_TEST"], "drive test", "ogr"),
              "TRANSMITTERS": QgsVectorLayer(csv, "transmitters", "delimitedtext")}
    project.addMapLayers(list(layers.values()))
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:coveragestudy")
    dialog = AlgorithmDialog(algorithm, False, None)
    dialog.mainWidget().setParameters({**inputs(), **{name: layer.id() for name, layer in layers.items()}})
    dialog.resize(1100, 860)
    dialog.show()
    for _ in range(3):
        QApplication.processEvents()
    dialog.grab().save(str(file), "PNG", 10)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.environ["TESSERAY_EXECUTABLE"] = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QGIS_CUSTOM_CONFIG_PATH"] = folder
        application = QgsApplication([], True)
        application.initQgis()
        from processing.core.Processing import Processing

        from tesseray.provider import add_provider

        Processing.initialize()
        provider = add_provider()  # QGIS keeps no reference to the Python object
        draw_maps(Town(pathlib.Path(folder)))
        draw_antenna(pathlib.Path(folder), HELP / "importantenna.png")
        draw_report(pathlib.Path(folder), IMAGES / "report.png")
        draw_dialog(IMAGES / "qgis_dialog.png")
        print(f"drawn with {provider.longName()}")
    os._exit(0)  # QGIS's own end may crash under Python


if __name__ == "__main__":
    main()
