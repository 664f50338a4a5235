# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run as lines of the log. No QGIS."""

import unittest

import qgis_harness  # noqa: F401, finds the plugin
from qgis_harness import run_tests

from tesseray.figures import LONGEST_CELL, is_table, single_figures, table_html, table_text
from tesseray.round_numbers import round_step


class FiguresTest(unittest.TestCase):
    def test_numbers_and_words(self):
        figures = {"crs": "EPSG:25832", "tiles": 2134, "mean_of_mean_db": -1.7e-15, "share": 63.1985, "rows": [{"a": 1}],
                   "line_of_sight": False}
        self.assertEqual(single_figures(figures), ["crs: EPSG:25832", "tiles: 2134", "mean_of_mean_db: 0.00",
                                                   "share: 63.20", "line_of_sight: False"])

    def test_what_is_a_table(self):
        self.assertTrue(is_table([{"a": 1, "b": 2}, {"a": 3, "b": None}]))
        for value in ([], [1, 2], [{"a": 1}, {"b": 1}], {"a": 1}, "text"):
            self.assertFalse(is_table(value), value)

    def test_a_table_in_letters_of_one_width(self):
        rows = [{"group": "Market", "n": 54, "mean_db": 28.074}, {"group": "all", "n": 108, "mean_db": None}]
        self.assertEqual(table_text("error_statistics", rows), "error_statistics\n"
                                                               "  group     n  mean_db\n"
                                                               "  Market   54    28.07\n"
                                                               "  all     108        –")

    def test_long_texts_stand_below_once(self):
        rows = [{"site": name, "how": how, "n": 1} for name, how in (("A", "x" * 90), ("B", "y" * 70), ("C", "x" * 90))]
        self.assertEqual(table_text("coverage", rows).splitlines()[-2:],
                         ["  how of A, C: " + "x" * 90, "  how of B: " + "y" * 70])
        self.assertEqual(table_text("coverage", rows[::2]).splitlines()[-1], "  how: " + "x" * 90)

    def test_a_table_for_a_dialog_is_html(self):
        html = table_html("coverage", [{"site": "<A & B>", "how": "x" * 90, "n": 1}])
        self.assertIn("<b>coverage</b>", html)
        no_break = 'style="white-space:nowrap"'  # in narrow logs
        self.assertIn(f"<td {no_break}>&lt;A &amp; B&gt;</td><td {no_break} align=right>1</td>", html)
        self.assertTrue(html.endswith("<br>how: " + "x" * 90))

    def test_names_of_any_length_keep_the_table_in_shape(self):
        text = table_text("coverage", [{"site": "x" * 300, "n": 7}, {"site": "A\nB", "n": 8}])
        self.assertEqual({len(line) for line in text.splitlines()[1:]}, {2 + LONGEST_CELL + 2 + 1})
        self.assertIn("  A B ", text)

    def test_round_steps(self):
        for span, parts, step in ((10, 5, 2), (11, 5, 5), (100, 10, 10), (0.3, 3, 0.1), (70, 6, 20), (1e-12, 4, 5e-10)):
            self.assertAlmostEqual(round_step(span, parts), step, delta=1e-6 * step)


if __name__ == "__main__":
    run_tests()
