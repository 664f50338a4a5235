# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: its figures are the rows' own, it needs no QGIS, and it says what is wrong with files without one."""

import base64
import contextlib
import html.parser
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import numpy as np

from qgis_harness import DRIVE_TEST, EXECUTABLE, PLUGINS, SMALL_SCENE, QgisTest, as_another_user, transmitters

from tesseray.recorded_runs import recorded_run
from tesseray.report import ReportError, figures, write_report
from tesseray.report.result import read_result


# Width and height of a page in a view of a width. In a process of its own, with windows: that of the tests has none.
SIZE_IN_A_VIEW = """
import sys
from qgis.PyQt.QtCore import QEventLoop, QSize, QUrl
from qgis.PyQt.QtWebKitWidgets import QWebPage
from qgis.PyQt.QtWidgets import QApplication
application = QApplication(["size", "-platform", "offscreen"])
page, loaded = QWebPage(), QEventLoop()
page.setViewportSize(QSize(int(sys.argv[2]), 800))
page.loadFinished.connect(loaded.quit)
page.mainFrame().load(QUrl.fromLocalFile(sys.argv[1]))
loaded.exec()
size = page.mainFrame().contentsSize()
print(size.width(), size.height())
"""


class _Page(html.parser.HTMLParser):
    """The tables of a page by heading, rows of texts; its images; what it would fetch."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.images, self.fetched, self.text = {}, [], [], []
        self._heading, self._in_heading, self._cell = "", False, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("h1", "h2", "h3"):
            self._heading, self._in_heading = "", True
        elif tag == "tr":
            self.tables.setdefault(self._heading, []).append([])
        elif tag in ("th", "td"):
            self._cell = ""
        elif tag == "img":
            self.images.append(values["src"])
        for name in ("src", "href"):
            if values.get(name) and not values[name].startswith("data:"):
                self.fetched.append(values[name])

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3"):
            self._in_heading = False
        elif tag in ("th", "td"):
            self.tables[self._heading][-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        self.text.append(data)
        if self._in_heading:
            self._heading += data
        if self._cell is not None:
            self._cell += data

    def figures(self, heading):
        """The rows of a table with a head: {first cell: {column: value}}; numbers as floats, None for a dash."""
        head, *rows = self.tables[heading]
        return {row[0]: {name: _number(cell) for name, cell in zip(head[1:], row[1:])} for row in rows}


def _number(text):
    return None if text == "–" else float(text.replace("−", "-").replace(",", ""))


def _used(file, condition="1"):
    """Predicted, measured and line of sight of the used rows, read anew."""
    with sqlite3.connect(file) as database:
        rows = database.execute("SELECT predicted_db, measured_db, line_of_sight FROM prediction_error "
                                f"WHERE excluded_because IS NULL AND {condition}").fetchall()
    return np.array(rows, dtype=float).reshape(-1, 3).T


def _expected(predicted, measured):
    """What the columns of the table must show."""
    error = predicted - measured
    return {"n": len(error), "mean µE": np.mean(error), "std. dev. σE": np.std(error, ddof=1),
            "RMSE": np.sqrt(np.mean(error ** 2)), "MAE": np.mean(np.abs(error)), "median": np.median(error),
            "10th perc.": np.quantile(error, 0.1), "90th perc.": np.quantile(error, 0.9),
            "correlation": np.corrcoef(predicted, measured)[0, 1]}


def _classes_on_the_map(layer):
    """Breaks and colours of the style that the plugin ships for a layer."""
    style = ElementTree.parse(PLUGINS / "tesseray" / "styles" / f"{layer}.qml").getroot()
    colors = {symbol.get("name"): tuple(map(int, option.get("value").split(",")[:3]))
              for symbol in style.findall("renderer-v2/symbols/symbol")
              for option in symbol.findall("layer/Option/Option[@name='color']")}
    ranges = style.findall("renderer-v2/ranges/range")
    return [float(one.get("upper")) for one in ranges[:-1]], [colors[one.get("symbol")] for one in ranges]


class ClassesTest(unittest.TestCase):
    def test_errors_have_the_classes_and_colours_of_the_map(self):
        breaks, colors = _classes_on_the_map("prediction_error")
        self.assertEqual(list(figures.ERROR_BREAKS_DB), breaks)
        self.assertEqual([tuple(bytes.fromhex(color[1:])) for color in figures.ERROR_COLORS], colors)


class ReportTest(QgisTest):
    @classmethod
    def setUpClass(cls):
        """One study of the sample town's middle for all; tests change copies of it."""
        folder = tempfile.TemporaryDirectory(prefix="report-")
        cls.addClassCleanup(folder.cleanup)
        cls.study = pathlib.Path(folder.name) / "étude.gpkg"
        parameters = {**SMALL_SCENE, **DRIVE_TEST, **transmitters(folder.name), "OUTPUT": str(cls.study),
                      "EXTENT": SMALL_SCENE["EXTENT"].split(" ")[0]}
        subprocess.run([EXECUTABLE, "coveragestudy", "--json", "-"], input=json.dumps(parameters), text=True,
                       capture_output=True, check=True)
        write_report(cls.study, cls.study.with_suffix(".html"))
        cls.of_study = _Page(cls.study.with_suffix(".html").read_text(encoding="utf-8"))

    def changed(self, *statements):
        """A copy of the study on which SQL statements have run. Their triggers need functions that only GDAL has."""
        file = self.folder / "changed.gpkg"
        shutil.copy(self.study, file)
        with sqlite3.connect(file) as database:
            for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                database.execute(f'DROP TRIGGER "{name}"')
            for statement in statements:
                database.execute(statement)
        return file

    def page(self, file):
        target = self.folder / "report.html"
        write_report(file, target)
        return _Page(target.read_text(encoding="utf-8"))

    def assert_figures(self, shown, expected):
        for name, value in expected.items():
            self.assertAlmostEqual(shown[name], value, delta=0.00501, msg=name)  # two digits are shown

    def test_tables_show_what_numpy_computes_from_the_rows(self):
        page = self.of_study
        shown = page.figures("Site by site")
        self.assertEqual(list(shown), ["Market", "Hill", "all measurements"])
        for name, condition in (("Market", "transmitter_id = 1"), ("Hill", "transmitter_id = 2"),
                                ("all measurements", "1")):
            predicted, measured, _ = _used(self.study, condition)
            self.assertGreater(len(predicted), 20)
            self.assert_figures(shown[name], _expected(predicted, measured))

        predicted, measured, in_sight = _used(self.study)
        shown = page.figures("Line of sight")
        for name, chosen in (("transmitter in sight", in_sight == 1), ("not in sight", in_sight == 0)):
            self.assertGreater(np.count_nonzero(chosen), 20)
            self.assert_figures(shown[name], _expected(predicted[chosen], measured[chosen]))
        errors = [p - m for p, m, _ in (_used(self.study, f"transmitter_id = {i}") for i in (1, 2))]
        means, deviations = [np.mean(e) for e in errors], [np.std(e, ddof=1) for e in errors]
        shown = page.figures("Over sites")
        self.assert_figures(shown["mean over sites"],
                            {"of the sites’ µE": np.mean(means), "of the sites’ σE": np.mean(deviations)})
        self.assert_figures(shown["standard deviation over sites"],
                            {"of the sites’ µE": np.std(means, ddof=1), "of the sites’ σE": np.std(deviations, ddof=1)})

    def test_the_prediction_is_held_against_a_line_over_distance(self):
        shown = self.of_study.figures("Against distance alone")
        self.assertGreater(len(shown), 1)
        with sqlite3.connect(self.study) as database:
            names = dict(database.execute("SELECT name, transmitter_id FROM transmitters").fetchall())
            for name, row in shown.items():
                rows = database.execute("SELECT distance_m, measured_db, predicted_db, line_of_sight "
                                        "FROM prediction_error WHERE excluded_because IS NULL AND transmitter_id = ?",
                                        (names[name],)).fetchall()
                distance, measured, predicted, in_sight = np.array(rows, dtype=float).T
                decades, lit = np.log10(distance), in_sight == 1
                # By the correlation instead of least squares: slope r·σy/σx, and what the line leaves (1 − r²).
                r = np.corrcoef(decades, measured)[0, 1]
                self.assertEqual(row["n"], len(rows))
                self.assertAlmostEqual(row["dB/decade measured"], r * measured.std() / decades.std(), delta=0.051)
                self.assertAlmostEqual(row["predicted"], np.polyfit(decades, predicted, 1)[0], delta=0.051)
                self.assertAlmostEqual(row["σE of the prediction"], np.std(predicted - measured, ddof=1), delta=0.0051)
                left = (1 - r**2) * np.sum((measured - measured.mean()) ** 2)
                self.assertAlmostEqual(row["σ about the line"], np.sqrt(left / (len(rows) - 2)), delta=0.0051)
                self.assertEqual(row["n in sight"], np.count_nonzero(lit))
                for column, level in (("in sight, measured", measured), ("in sight, predicted", predicted)):
                    if np.count_nonzero(lit) >= 20:
                        self.assertAlmostEqual(row[column], np.polyfit(decades[lit], level[lit], 1)[0], delta=0.051)

    def test_few_measurements_in_sight_give_no_slope(self):
        for counts in ((20, 19), (0, 20)):
            chosen = [f"fid IN (SELECT fid FROM prediction_error WHERE transmitter_id = {site} AND excluded_because IS NULL "
                      f"ORDER BY fid LIMIT {count})" for site, count in enumerate(counts, start=1)]
            file = self.changed(f"UPDATE prediction_error SET line_of_sight = {' OR '.join(chosen)}")
            shown = self.page(file).figures("Against distance alone")
            for site, (name, count) in enumerate(zip(("Market", "Hill"), counts), start=1):
                row = shown[name]
                self.assertEqual(row["n in sight"], count)
                self.assertIsNotNone(row["dB/decade measured"])
                with sqlite3.connect(file) as database:
                    distance, measured, predicted = np.array(database.execute(
                        "SELECT distance_m, measured_db, predicted_db FROM prediction_error WHERE "
                        f"transmitter_id = {site} AND excluded_because IS NULL AND line_of_sight").fetchall(),
                        dtype=float).reshape(-1, 3).T
                for column, level in (("in sight, measured", measured), ("in sight, predicted", predicted)):
                    if count < 20:
                        self.assertIsNone(row[column], (count, column))
                    else:
                        self.assertAlmostEqual(row[column], np.polyfit(np.log10(distance), level, 1)[0], delta=0.051)

    def test_measurements_not_used_are_counted_by_reason(self):
        page = self.of_study
        with sqlite3.connect(self.study) as database:
            counts = dict(database.execute("SELECT excluded_because, count(*) FROM prediction_error WHERE "
                                           "excluded_because IS NOT NULL GROUP BY 1"))
        self.assertGreater(len(counts), 1)
        shown = {}
        for reason, _, count in page.tables["Measurements not used"][1:]:
            shown[reason] = shown.get(reason, 0) + _number(count)
        self.assertEqual(shown, counts)

    def test_the_page_needs_nothing_else_and_says_units_sign_and_parameters(self):
        page = self.of_study
        text = " ".join(page.text)
        self.assertEqual(page.fetched, [])
        # The map of all, one per site, four figures of values, one of line of sight.
        self.assertEqual(len(page.images), 1 + 2 + 4 + 1)
        for image in page.images:
            png = base64.b64decode(image.removeprefix("data:image/png;base64,"), validate=True)
            width, height = struct.unpack(">II", png[16:24])
            self.assertGreater(min(width, height), 250)
        for words in ("received power, in dBm", "Error = predicted − measured, in dB", "étude.gpkg", "EPSG:25832",
                      "coveragestudy"):
            self.assertIn(words, text)
        self.assertRegex(text, r"TILE_AREA\s+400\b")
        self.assertNotIn("Above ground", text)

    def test_the_page_is_no_wider_than_a_view_of_usual_width(self):
        process = subprocess.run([sys.executable, "-c", SIZE_IN_A_VIEW, self.study.with_suffix(".html"), "1120"],
                                 capture_output=True, text=True)
        if "ImportError" in process.stderr or "ModuleNotFoundError" in process.stderr:
            self.skipTest("this QGIS comes without a web view")
        self.assertEqual(process.returncode, 0, process.stderr)
        width, height = map(int, process.stdout.split())
        self.assertGreater(height, 2000)
        self.assertLessEqual(width, 1120)

    def test_a_mean_that_was_taken_off_is_told_at_the_top(self):
        words = "was taken off its predictions"
        self.assertNotIn(words, " ".join(self.of_study.text))
        result = self.folder / "without_mean.gpkg"
        subprocess.run([EXECUTABLE, "comparewithdrivetest", "--path-loss", self.study, "--remove-mean",
                        "--drive-test", DRIVE_TEST["DRIVE_TEST"], "--censor-below", "-110", "--output", result],
                       capture_output=True, check=True)
        write_report(result, self.folder / "without_mean.html")
        page = _Page((self.folder / "without_mean.html").read_text(encoding="utf-8"))
        text = " ".join(page.text)
        self.assertLess(text.index(words), text.index("Site by site"))
        for name, row in page.figures("Site by site").items():
            self.assertEqual(row["mean µE"], 0, name)
        self.assertNotIn("−0.00", text, "there is no negative zero")

    def test_sizes_of_small_inputs_are_told(self):
        sizes = {pathlib.Path(row[0]).name: row[1] for row in self.of_study.tables["Inputs"]}
        self.assertRegex(sizes["transmitters.csv"], r"^0\.\d kB$")
        self.assertRegex(sizes["drive_test_SYNTHETIC.gpkg"], r"^\d+\.\d (MB|kB)$")

    def test_maps_show_tiles_and_buildings_where_the_file_has_them(self):
        result = read_result(self.study)
        with sqlite3.connect(self.study) as database:
            tiles, = database.execute("SELECT count(*) FROM path_loss WHERE transmitter_id = 2 AND kind = 'ground' AND "
                                      "received_power_dbm IS NOT NULL").fetchone()
            west, south, east, north = database.execute("SELECT min_x, min_y, max_x, max_y FROM gpkg_contents WHERE "
                                                        "table_name = 'tiles'").fetchone()
        coverage = result.coverage(2)
        self.assertEqual((len(coverage.outlines), len(coverage.level)), (tiles, tiles))
        corners = np.concatenate(coverage.outlines + result.roofs)
        self.assertTrue((corners >= (west, south)).all() and (corners <= (east, north)).all())
        self.assertTrue(np.ptp(corners, axis=0).min() > 250)
        self.assertEqual([site.name for site in result.sites], ["Market", "Hill"])
        np.testing.assert_allclose(result.sites[0].place, (340500, 6020500), atol=0.01)

    def test_a_comparison_alone_gives_a_report_with_points_alone(self):
        file = self.changed("DROP TABLE path_loss", "DROP TABLE tiles", "DROP TABLE transmitters",
                            "DROP TABLE tesseray_runs",
                            "DELETE FROM gpkg_contents WHERE table_name NOT IN "
                            "('prediction_error', 'error_statistics')")
        page = self.page(file)
        self.assertEqual(len(page.images), 8)
        predicted, measured, _ = _used(self.study)
        self.assert_figures(page.figures("Site by site")["all measurements"], _expected(predicted, measured))
        self.assertIn("does not say which run", " ".join(page.text))

    def test_tiles_written_as_points_are_drawn(self):
        file = self.changed("CREATE TABLE p AS SELECT * FROM path_loss", "UPDATE p SET geom = (SELECT geom FROM "
                            "transmitters WHERE transmitters.transmitter_id = p.transmitter_id)",
                            "DROP TABLE path_loss", "ALTER TABLE p RENAME TO path_loss")
        coverage = read_result(file).coverage(1)
        self.assertEqual(coverage.outlines, [])
        np.testing.assert_allclose(coverage.centroids, np.tile((340500, 6020500), (len(coverage.level), 1)), atol=0.01)
        self.assertEqual(len(self.page(file).images), 8)

    def test_measurements_with_a_height_have_tables_and_figures_apart(self):
        file = self.changed(
            "UPDATE prediction_error SET above_ground = 1 WHERE measurement_id / 3 % 3 = 0",
            *(f"INSERT INTO error_statistics (\"group\", transmitter_id, n) VALUES ('{name}, above ground', {identity},"
              f" (SELECT count(*) FROM prediction_error WHERE above_ground AND excluded_because IS NULL AND {which}))"
              for name, identity, which in (("Market", 1, "transmitter_id = 1"), ("Hill", 2, "transmitter_id = 2"),
                                            ("all", "NULL", "1"), ("sites", "NULL", "1"))))
        page = self.page(file)
        self.assertEqual(len(page.images), 16)
        self.assertIn("At street level", " ".join(page.text))
        # Both statistics are wrong now: the first still count all, the second have no figures.
        self.assertIn("are not those of the rows", " ".join(page.text))

    def test_a_site_may_be_called_as_if_it_were_above_ground(self):
        name = "Mast, above ground"
        file = self.changed(f"UPDATE error_statistics SET \"group\" = '{name}' WHERE transmitter_id = 1")
        page = self.page(file)
        self.assertEqual(list(page.figures("Site by site")), [name, "Hill", "all measurements"])
        self.assertNotIn("are not those of the rows", " ".join(page.text))

    def test_names_are_text_whatever_is_in_them(self):
        name = "<b>$\\frac{1}{2$ & \"Köln\"</b>"
        file = self.changed(f"UPDATE error_statistics SET \"group\" = '{name}' WHERE transmitter_id = 1",
                            f"UPDATE transmitters SET name = '{name}' WHERE transmitter_id = 1")
        self.assertEqual(list(self.page(file).figures("Site by site")), [name, "Hill", "all measurements"])

    def test_inputs_that_were_copied_are_told_by_what_they_are_copies_of(self):
        page = self.page(self.changed("UPDATE tesseray_runs SET inputs = "
                                      "json_set(inputs, '$[0].copy_of', '“Häuser” <PG>')"))
        text = "".join(page.text)
        self.assertEqual(text.count("“Häuser” <PG>"), 2)
        self.assertNotIn(str(SMALL_SCENE["BUILDINGS"]), "".join(page.tables["Inputs"][1]))

    def test_names_of_files_that_are_not_utf_8_are_shown_as_far_as_they_can_be(self):
        """As older versions of the program recorded them."""
        name = f"CAST(x'{'Türme.csv'.encode('latin-1').hex()}' AS TEXT)"
        path = str(SMALL_SCENE["BUILDINGS"]).replace("/", "\\/")
        file = self.changed(f"UPDATE tesseray_runs SET inputs = replace(inputs, '{path}', {name})")
        self.assertIn("T�rme.csv", "".join(self.page(file).text))
        self.assertIsNotNone(recorded_run(file, "prediction_error"))

    def test_more_sites_than_can_be_drawn_are_in_the_table(self):
        copies = [f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} WHERE transmitter_id = 1 {condition}"
                  for i in range(3, 43)
                  for table, columns, values, condition in (
                      ("prediction_error",
                       "geom, transmitter_id, measurement_id, measured_db, predicted_db, distance_m",
                       f"geom, {i}, measurement_id, measured_db, predicted_db, distance_m",
                       "AND excluded_because IS NULL LIMIT 3"),
                      ("error_statistics", "\"group\", transmitter_id, n", f"'S{i}', {i}, 3", ""))]
        page = self.page(self.changed(*copies))
        self.assertEqual(len(page.figures("Site by site")), 43)
        self.assertEqual(len(page.images), 1 + 8 + 4 + 1)
        self.assertIn("8 sites with the largest root mean square errors, of 42", " ".join(page.text))

    def test_one_site_with_one_measurement(self):
        one = "(SELECT min(fid) FROM prediction_error WHERE excluded_because IS NULL)"
        file = self.changed(f"DELETE FROM prediction_error WHERE fid <> {one}",
                            "DELETE FROM error_statistics WHERE transmitter_id = 2")
        self.assertEqual(len(self.page(file).images), 1 + 4 + 1)

    def test_a_prediction_that_came_after_the_comparison_is_told(self):
        self.assertNotIn("A later run", " ".join(self.of_study.text))
        later = ("INSERT INTO tesseray_runs (tool, parameters, inputs, layers) "
                 "VALUES ('predictcoverage', '{{}}', '[]', '[\"{}\"]')")
        self.assertIn("A later run has written path_loss and transmitters anew",
                      " ".join(self.page(self.changed(later.format("path_loss"), later.format("transmitters"))).text))
        self.assertNotIn("A later run", " ".join(self.page(self.changed(later.format("best_server"))).text))

    def test_statistics_that_are_not_those_of_the_rows_are_told(self):
        self.assertEqual(read_result(self.study).differing_groups, [])
        file = self.changed("UPDATE prediction_error SET predicted_db = predicted_db + 1 WHERE transmitter_id = 2")
        text = " ".join(self.page(file).text)
        self.assertIn("The statistics of Hill, all are not those", text)

    def test_losses_are_told_with_their_unit(self):
        file = self.changed("UPDATE tesseray_runs SET parameters = "
                            "replace(parameters, '\"received_power\"', '\"path_loss\"')")
        self.assertEqual(read_result(file).level, ("path loss, sign changed", "dB"))

    def refused(self, file, *words):
        with self.assertRaises(ReportError) as refusal:
            write_report(file, self.folder / "report.html")
        for word in (str(file), *words):
            self.assertIn(word, str(refusal.exception))
        self.assertFalse((self.folder / "report.html").exists())

    def test_files_without_a_comparison_are_refused_with_what_to_do(self):
        self.refused(self.folder / "absent.gpkg", "does not exist")
        (self.folder / "text.gpkg").write_text("name,x,y\n" * 100)
        self.refused(self.folder / "text.gpkg", "cannot be read as a GeoPackage")
        sqlite3.connect(self.folder / "other.sqlite").execute("CREATE TABLE t (a)").connection.close()
        self.refused(self.folder / "other.sqlite", "is no GeoPackage")
        self.refused(self.changed("DELETE FROM gpkg_contents WHERE table_name = 'prediction_error'"),
                     "no layer prediction_error", "drive test", "both layers of the comparison")
        self.refused(self.changed("UPDATE prediction_error SET excluded_because = 'no place'"),
                     "no measurement was used (no place)")

    def test_a_page_that_cannot_be_written_is_an_error_that_says_so(self):
        with self.assertRaises(ReportError) as refusal:
            write_report(self.study, self.folder / "absent" / "report.html")
        self.assertIn("cannot be written", str(refusal.exception))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_page_takes_the_place_of_an_earlier_page_alone(self):
        page = self.folder / "report.html"
        for text in (None, "", self.study.with_suffix(".html").read_text(encoding="utf-8")):
            if text is not None:
                page.write_text(text, encoding="utf-8")
            write_report(self.study, page)
            self.assertEqual(page.read_bytes(), self.study.with_suffix(".html").read_bytes())
        own, folder = self.folder / "my.html", self.folder / "folder.html"
        own.write_text("<html><p>Mine</p></html>")
        folder.mkdir()
        copy = self.folder / "copy.gpkg"
        shutil.copy(self.study, copy)
        link = self.folder / "link.html"
        link.symlink_to(copy)
        for target, words in ((own, "no page that Tesseray wrote"), (copy, "no page that Tesseray wrote"),
                              (link, "no page that Tesseray wrote"), (folder, "is no file")):
            with self.subTest(target=target.name), self.assertRaisesRegex(ReportError, f"{target.name} exists.*{words}"):
                write_report(copy, target)
        self.assertEqual(own.read_text(), "<html><p>Mine</p></html>")
        self.assertEqual(copy.read_bytes(), self.study.read_bytes())
        finished = self.command(copy, "-o", copy)
        self.assertEqual((finished.returncode, finished.stdout), (2, ""))
        self.assertEqual(copy.read_bytes(), self.study.read_bytes())

    def test_a_page_goes_to_where_a_link_leads(self):
        page, link = self.folder / "pages" / "page.html", self.folder / "link.html"
        page.parent.mkdir()
        link.symlink_to(page)
        for _ in range(2):
            write_report(self.study, link)
            self.assertTrue(link.is_symlink())
            self.assertEqual(page.read_bytes(), self.study.with_suffix(".html").read_bytes())
        self.assertEqual([file.name for file in page.parent.iterdir()], ["page.html"])

    def command(self, *arguments, **options):
        """The command line where QGIS cannot be imported."""
        without_qgis = self.folder / "without_qgis" / "qgis"
        without_qgis.mkdir(parents=True, exist_ok=True)
        (without_qgis / "__init__.py").write_text("raise ImportError('no QGIS here')\n")
        path = os.pathsep.join((str(without_qgis.parent), str(PLUGINS)))
        return subprocess.run([sys.executable, "-B", "-m", "tesseray.report", *map(str, arguments)],
                              env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, **options)

    def test_the_command_line_needs_no_qgis(self):
        file = self.folder / "a b.gpkg"
        shutil.copy(self.study, file)
        finished = self.command(file)
        self.assertEqual((finished.returncode, finished.stdout.strip()), (0, str(self.folder / "a b.html")),
                         finished.stderr)
        self.assertEqual(self.command(file, "-o", self.folder / "c.html").returncode, 0)
        self.assertEqual((self.folder / "c.html").read_text(), (self.folder / "a b.html").read_text())

    def test_a_full_disk_leaves_nothing_and_is_told(self):
        page = self.folder / "pages" / "report.html"
        page.parent.mkdir()
        page.write_bytes(self.study.with_suffix(".html").read_bytes())
        finished = self.command(self.study, "-o", page, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (page.stat().st_size // 2, resource.RLIM_INFINITY)))
        self.assertEqual((finished.returncode, finished.stdout), (3, ""), finished.stderr)
        self.assertRegex(finished.stderr, r"report\.html cannot be written: the disk .* is full .*Free some space")
        self.assertEqual([path.name for path in page.parent.iterdir()], ["report.html"])
        self.assertEqual(page.read_bytes(), self.study.with_suffix(".html").read_bytes())

    def test_changes_that_a_killed_program_began_are_taken_back(self):
        file, left = self.changed(), self.open_folder() / "left.gpkg"
        journal = left.with_name("left.gpkg-journal")
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as writer:
            for sql in ("PRAGMA cache_spill = 1", "PRAGMA cache_size = 1", "BEGIN", "DELETE FROM prediction_error",
                        "CREATE TABLE large (bytes)", "INSERT INTO large VALUES (zeroblob(1000000))"):
                writer.execute(sql)
            shutil.copy(file, left)
            shutil.copy(f"{file}-journal", journal)
        with as_another_user(), self.assertRaisesRegex(ReportError, "left.gpkg-journal, by which .* folder of your own"):
            read_result(left)
        self.assertTrue(journal.exists())
        self.assertEqual(self.page(left).tables, self.of_study.tables)
        self.assertFalse(journal.exists())

    def test_the_command_line_refuses_in_one_line(self):
        finished = self.command(self.folder / "absent.gpkg")
        self.assertEqual((finished.returncode, finished.stdout), (2, ""))
        self.assertEqual(len(finished.stderr.strip().splitlines()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
