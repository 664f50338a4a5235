#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws what a click with “Why this value?” shows: the map with the rays, and the dock beside it.

Usage: draw_why_this_value.py COVERAGE.gpkg X Y PICTURE.png      X, Y: in the CRS of the result

Needs QGIS's Python; the executable is found as the plugin does (TESSERAY_EXECUTABLE, PATH).
"""

import os
import sys
from pathlib import Path
from unittest import mock

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "qgis_plugin"))

from qgis.core import QgsPointXY, QgsProject, QgsVectorLayer  # noqa: E402
from qgis.gui import QgsMapCanvas  # noqa: E402
from qgis.PyQt.QtCore import QEventLoop, QPoint, Qt, QTimer  # noqa: E402
from qgis.PyQt.QtGui import QColor, QImage, QPainter  # noqa: E402
from qgis.PyQt.QtWidgets import QApplication  # noqa: E402
from qgis.testing import start_app  # noqa: E402

MAP_WIDTH, DOCK_WIDTH, HEIGHT = 620, 560, 620
PATIENCE_MS = 300_000


def wait_for(signal, act=lambda: None):
    """Acts, and processes events until the signal comes."""
    loop = QEventLoop()
    QTimer.singleShot(PATIENCE_MS, loop.quit)
    signal.connect(loop.quit)
    QTimer.singleShot(0, act)
    loop.exec()


def canvas_with(file):
    canvas = QgsMapCanvas()
    canvas.setCanvasColor(QColor("white"))
    canvas.resize(MAP_WIDTH, HEIGHT)
    layers = [QgsVectorLayer(f"{file}|layername={name}", name, "ogr") for name in ("transmitters", "path_loss")]
    layers[1].setSubsetString("kind = 'ground' AND transmitter_id = 1")
    for layer in layers:
        QgsProject.instance().addMapLayer(layer)
    canvas.setDestinationCrs(layers[1].crs())
    canvas.setLayers(layers)
    return canvas


def explained(canvas, point):
    """The map tool after a click that has been answered."""
    from tesseray.why_this_value.map_tool import WhyThisValue

    iface = mock.MagicMock()
    iface.mapCanvas.return_value = canvas
    iface.activeLayer.return_value = None
    why = WhyThisValue(iface)
    wait_for(why.ended, lambda: why.map_tool.canvasClicked.emit(point, Qt.MouseButton.LeftButton))
    return why


def side_by_side(left, right):
    picture = QImage(left.width() + right.width(), HEIGHT, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    painter.drawPixmap(QPoint(0, 0), left)
    painter.drawPixmap(QPoint(left.width(), 0), right)
    painter.end()
    return picture


def main():
    file, x, y, picture = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    start_app()
    canvas = canvas_with(file)
    why = explained(canvas, QgsPointXY(x, y))
    rays = next(node.layer() for group in QgsProject.instance().layerTreeRoot().findGroups()
                for node in group.findLayers())
    canvas.setLayers([rays, *canvas.layers()])
    extent = rays.extent()
    extent.scale(1.25)
    canvas.show()
    canvas.setExtent(extent)
    wait_for(canvas.mapCanvasRefreshed, canvas.refresh)
    why.dock.setFloating(True)
    why.dock.resize(DOCK_WIDTH, HEIGHT)
    why.dock.show()
    QApplication.processEvents()  # which lays out what is in the dock
    side_by_side(canvas.grab(), why.dock.grab()).save(picture)
    sys.stdout.flush()
    # Tearing QGIS down from Python may crash when all is done.
    os._exit(0)


if __name__ == "__main__":
    main()
