# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on an imported antenna: both cuts where they belong in the picture, drawn by Qt as by a browser."""

import math
import os
import pathlib
import re

from qgis_harness import QgisTest, run_algorithm, run_tests, start_qgis

PICTURES = os.environ.get("TESSERAY_TEST_PICTURES")
RADIUS, DEEPEST_DB = 150.0, 40.0


def attenuation_db(angle_deg, centre_deg, width_deg):
    """A panel: 3 dB at half its width from the middle, 25 dB at most."""
    off = (angle_deg - centre_deg + 180) % 360 - 180
    return min(12 * (off / width_deg) ** 2, 25.0)


def panel(folder):
    def cut(name, centre_deg, width_deg):
        return f"{name} 360\n" + "".join(f"{angle} {attenuation_db(angle, centre_deg, width_deg):.3f}\n"
                                         for angle in range(360))
    file = pathlib.Path(folder) / "panel.msi"
    file.write_text("NAME Panel <65>\nMAKE Example\nFREQUENCY 900\nGAIN 17.5 dBi\nELECTRICAL_TILT 8\n"
                    + cut("HORIZONTAL", 0, 65) + cut("VERTICAL", 8, 10))
    return file


class AntennaPage(QgisTest):
    def page(self, **more):
        """The text of the page of a run."""
        start_qgis()
        import processing

        results = processing.run("tesseray:importantenna", {
            "ANTENNA_FILE": str(panel(self.folder)), "PLOT": str(self.folder / "panel.html"), **more})
        return pathlib.Path(results["PLOT"]).read_text(encoding="utf-8")

    def test_curves_are_the_cuts(self):
        text = self.page()
        curves = [[tuple(map(float, point.split(","))) for point in points.split()]
                  for points in re.findall(r'<polygon points="([^"]+)"', text)]
        self.assertEqual([len(curve) for curve in curves], [360, 360])
        # From above the boresight is up and angles run clockwise; from the side it is to the right, and angles go down.
        for curve, middle_x, centre_deg, width_deg, turn_deg in ((curves[0], 184, 0, 65, 0),
                                                                 (curves[1], 552, 8, 10, 90)):
            for angle, (x, y) in enumerate(curve):
                radius = RADIUS * (1 - attenuation_db(angle, centre_deg, width_deg) / DEEPEST_DB)
                self.assertAlmostEqual(x, middle_x + radius * math.sin(math.radians(angle + turn_deg)), delta=0.02)
                self.assertAlmostEqual(y, 210 - radius * math.cos(math.radians(angle + turn_deg)), delta=0.02)

    def test_lines_are_where_half_the_power_is_left(self):
        file = pathlib.Path(self.folder) / "shaped.msi"
        # Flat over 10°, falls by 1 dB a degree on one side and by 0.25 dB on the other, and across 0°.
        above = [min(max(angle - 10, 0), max(360 - angle, 0) / 4, 25.0) for angle in range(360)]
        file.write_text("NAME Shaped\nFREQUENCY 900\nGAIN 15 dBi\n" + "".join(
            f"{name} 360\n" + "".join(f"{angle} {attenuation:.3f}\n" for angle, attenuation in enumerate(above))
            for name in ("HORIZONTAL", "VERTICAL")))
        text = self.page(ANTENNA_FILE=str(file))
        lines = re.findall(r'<line x1="([^"]+)" y1="([^"]+)" x2="([^"]+)" y2="([^"]+)" stroke="#d55e00"', text)
        ends = [(float(x2) - float(x1), float(y1) - float(y2)) for x1, y1, x2, y2 in lines]
        angles = [math.degrees(math.atan2(x, y)) - turn for (x, y), turn in zip(ends, (0, 0, 90, 90))]
        for found, expected in zip(angles, 2 * [-4 * 3.0103, 13.0103]):
            self.assertAlmostEqual((found - expected + 180) % 360 - 180, 0, delta=0.1)
        self.assertEqual(len(angles), 4)

    def test_figures_and_names_are_told(self):
        text = self.page()
        for words in ("background:#fff", "<h1>Panel &lt;65&gt;</h1>", "17.5 dBi", "<td>65.1°</td>", "<td>10°</td>", "8° down", "25 dB"):
            self.assertIn(words, text)

    def test_tilts_are_up_or_down(self):
        """And gains have the decimals that dBd need."""
        text = panel(self.folder).read_text().replace("GAIN 17.5 dBi\nELECTRICAL_TILT 8", "GAIN 15 dBd")
        file = pathlib.Path(self.folder) / "tilted.msi"
        for centre, words, assumed in ((-10, "10° up", "10.0° above the horizon"), (8, "8° down", "8.0° below the horizon"),
                                       (0, "0°", "0.0° below")):
            vertical = "".join(f"{angle} {attenuation_db(angle, centre, 10):.3f}\n" for angle in range(360))
            file.write_text(text[:text.index("VERTICAL")] + "VERTICAL 360\n" + vertical)
            page = self.page(ANTENNA_FILE=str(file), OVERWRITE=True)
            self.assertIn(f"<th>Tilt of the vertical maximum</th><td>{words}</td>", page)
            self.assertIn("<th>Gain</th><td>17.15 dBi</td>", page)
            self.assertIn(assumed, page)

    def test_a_plot_takes_the_place_of_an_earlier_page_alone(self):
        start_qgis()
        from qgis.core import QgsProcessingException

        self.page()
        self.page(OVERWRITE=True)
        own = pathlib.Path(self.folder) / "panel.html"
        own.write_text("<p>Mine</p>")
        with self.assertRaisesRegex(QgsProcessingException, "no page that Tesseray wrote"):
            self.page(OVERWRITE=True)
        self.assertEqual(own.read_text(), "<p>Mine</p>")

    def test_the_pattern_is_made_for_it_alone_where_it_is_not_wanted(self):
        results = run_algorithm("tesseray:importantenna", {
            "ANTENNA_FILE": str(panel(self.folder)), "PLOT": str(self.folder / "panel.html"), "PATTERN": None})
        self.assertIn("<polygon", pathlib.Path(results["PLOT"]).read_text(encoding="utf-8"))
        self.assertTrue(results["RESULT_HASH"])

    def test_without_a_place_there_is_no_page(self):
        results = run_algorithm("tesseray:importantenna", {"ANTENNA_FILE": str(panel(self.folder)), "PLOT": None,
                                                           "PATTERN": str(self.folder / "p.gpkg")})
        self.assertNotIn("PLOT", {name for name, value in results.items() if value})

    def test_nothing_is_replaced_unasked(self):
        start_qgis()
        from qgis.core import (QgsApplication, QgsProcessingContext, QgsProcessingException,
                               QgsProcessingFeedback)

        antenna, other = panel(self.folder), self.folder / "index.html"
        other.write_text("a page of the user's")
        algorithm = QgsApplication.processingRegistry().createAlgorithmById("tesseray:importantenna")
        for place, overwrite, words in (
                (other, False, "is there already"), (other, True, "no page that Tesseray wrote"), (antenna, True, "ends in .html"),
                (self.folder / "no such" / "x.html", False, "there is no folder"), (self.folder / "x.html", False, "")):
            inputs = {"ANTENNA_FILE": str(antenna), "PLOT": str(place), "OVERWRITE": overwrite}
            is_good, message = algorithm.checkParameterValues(inputs, QgsProcessingContext())
            self.assertIn(words, message)
            self.assertEqual(is_good, not words, message)
        # As a model's step runs, without the dialog's check.
        feedback = QgsProcessingFeedback(False)
        inputs = {"ANTENNA_FILE": str(antenna), "PLOT": str(other)}
        self.assertTrue(algorithm.prepare(inputs, QgsProcessingContext(), feedback))
        with self.assertRaisesRegex(QgsProcessingException, "is there already"):
            algorithm.runPrepared(inputs, QgsProcessingContext(), feedback)
        self.assertEqual(other.read_text(), "a page of the user's")

    def test_qt_draws_it(self):
        text = self.page()
        start_qgis()
        from qgis.PyQt.QtCore import QByteArray
        from qgis.PyQt.QtGui import QColor, QImage, QPainter
        from qgis.PyQt.QtSvg import QSvgRenderer

        svg = text[text.index("<svg"):text.index("</svg>") + 6]
        renderer = QSvgRenderer(QByteArray(svg.encode("utf-8")))
        self.assertTrue(renderer.isValid())
        picture = QImage(736, 394, QImage.Format.Format_RGB32)
        picture.fill(QColor("red"))
        painter = QPainter(picture)
        renderer.render(painter)
        painter.end()
        if PICTURES:
            picture.save(os.path.join(PICTURES, "antenna_page.png"))
        white, tinted = QColor("white"), picture.pixelColor(184 + 7, 110)
        self.assertNotEqual(tinted, white, "in the main lobe, 25 dB above the middle, beside the spoke")
        self.assertGreater(tinted.blue(), tinted.red())
        self.assertEqual(picture.pixelColor(184 + 7, 210 + 100), white, "behind: 25 dB down, so nothing out there")
        self.assertEqual(picture.pixelColor(2, 392), white)
        # The tilt of 8° down: the main lobe to the right is below the horizon.
        angle = math.radians(8)
        x, y = 552 + 140 * math.cos(angle), 210 + 140 * math.sin(angle)
        self.assertNotEqual(picture.pixelColor(round(x), round(y)), white)
        self.assertEqual(picture.pixelColor(round(x), round(420 - y)), white)


if __name__ == "__main__":
    run_tests()
