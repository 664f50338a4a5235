# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of a small result, drawn by QGIS with the layers' own styles, is the stored picture.

The values are made up from distances, so that the picture changes with styles and tiles, not with the physics. After a
wanted change: TESSERAY_UPDATE_PICTURES=1 python3 test_map_picture.py, and look at it.
"""

import os
import pathlib

import qgis_harness as harness
from qgis_harness import DRIVE_TEST, SMALL_SCENE, QgisTest, run_tests

STORED = pathlib.Path(__file__).parent / "pictures"
SIDE = 300
# Lines and symbols are smoothed a little differently by other versions of Qt; a wrong colour or place is far beyond.
COLOUR_TOLERANCE = 40
PIXELS_THAT_MAY_DIFFER = 0.01


def rgb(image, x, y):
    colour = image.pixelColor(x, y)
    return colour.red(), colour.green(), colour.blue()


def share_that_differs(one, other):
    """The share of pixels with a channel that differs by more than the tolerance; 1 for pictures of other sizes."""
    if one.size() != other.size():
        return 1.0
    places = [(x, y) for x in range(one.width()) for y in range(one.height())]
    wrong = sum(any(abs(a - b) > COLOUR_TOLERANCE for a, b in zip(rgb(one, x, y), rgb(other, x, y)))
                for x, y in places)
    return wrong / len(places)


# Losses that grow with the distance from the middle by 1 dB every 2 m, errors in stripes.
MADE_UP = ("UPDATE path_loss SET path_loss_db = 60 + (SELECT abs(x - 340500) + abs(y - 6020500) FROM tiles AS t "
           "WHERE t.tile_id = path_loss.tile_id) / 2",
           "UPDATE prediction_error SET error_db = CAST(distance_m AS INTEGER) % 61 - 30")


class MapPictureTest(QgisTest):
    def draw(self, sources):
        """sources: "file|layername=name", the uppermost first."""
        from qgis.core import QgsMapRendererParallelJob, QgsMapSettings, QgsRectangle, QgsVectorLayer
        from qgis.PyQt.QtCore import QSize
        from qgis.PyQt.QtGui import QColor, QImage

        layers = [QgsVectorLayer(source, source.rpartition("=")[2], "ogr") for source in sources]
        for layer in layers:
            self.assertTrue(layer.isValid(), layer.source())
            # Letters are drawn with the fonts of the machine.
            layer.setLabelsEnabled(False)
        settings = QgsMapSettings()
        settings.setLayers(layers)
        settings.setDestinationCrs(layers[0].crs())
        settings.setExtent(QgsRectangle(340350, 6020350, 340650, 6020650))
        settings.setOutputSize(QSize(SIDE, SIDE))
        settings.setOutputDpi(96)
        settings.setBackgroundColor(QColor("white"))
        job = QgsMapRendererParallelJob(settings)
        job.start()
        job.waitForFinished()
        self.assertEqual(job.errors(), [])
        return job.renderedImage().convertToFormat(QImage.Format.Format_RGB888)

    def test_the_map_is_the_stored_one(self):
        harness.start_qgis()
        import processing
        from osgeo import ogr
        from qgis.PyQt.QtGui import QImage

        results = processing.run("tesseray:coveragestudy", {
            **SMALL_SCENE, **DRIVE_TEST, **harness.transmitters(self.folder),
            "OUTPUT": str(self.folder / "result.gpkg")})
        database = ogr.Open(str(self.folder / "result.gpkg"), update=1)
        for statement in MADE_UP:
            database.ExecuteSQL(statement)
        database = None  # closes it
        maps = {"loss_and_errors": ["TRANSMITTERS_OUT", "PREDICTION_ERROR", "PATH_LOSS"],
                "tiles_and_edges": ["EDGES", "TILES"]}
        for name, outputs in maps.items():
            with self.subTest(name):
                drawn = self.draw([results[output] for output in outputs])
                file = STORED / f"{name}.png"
                if os.environ.get("TESSERAY_UPDATE_PICTURES"):
                    STORED.mkdir(exist_ok=True)
                    drawn.save(str(file), "PNG", 10)
                stored = QImage(str(file))
                self.assertFalse(stored.isNull(), f"there is no {file}")
                self.assertLessEqual(share_that_differs(drawn, stored), PIXELS_THAT_MAY_DIFFER)
        one, other = (QImage(str(STORED / f"{name}.png")) for name in maps)
        self.assertGreater(share_that_differs(one, other), 0.5, "the comparison tells maps apart")


if __name__ == "__main__":
    run_tests()
