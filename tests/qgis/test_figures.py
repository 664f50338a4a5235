# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a run as lines of the log. No QGIS."""

import json
import unittest

import qgis_harness  # noqa: F401, finds the plugin
from qgis_harness import SOURCE, run_tests

from tesseray.figures import is_table, single_figures, table_html, table_text
from tesseray.round_numbers import round_step


class FiguresTest(unittest.TestCase):
    def test_numbers_and_words(self):
        figures = {"crs": "EPSG:25832", "tiles": 2134, "mean_of_mean_db": -1.7e-15, "share": 63.1985, "rows": [{"a": 1}],
                   "line_of_sight": False}
        self.assertEqual(single_figures(figures), ["crs: EPSG:25832", "tiles: 2134", "mean_of_mean_db: 0.00",
                                                   "share: 63.20", "line_of_sight: false"])

    def test_tables_are_those_of_the_executable(self):
        """Which outcome_report_test.cpp compares with the same."""
        for case in json.loads((SOURCE / "tests" / "support" / "log_tables.json").read_text(encoding="utf-8")):
            with self.subTest(case["what"]):
                self.assertEqual(is_table(case["value"]), case["lines"] is not None)
                if case["lines"]:
                    self.assertEqual(table_text("sites", case["value"]).splitlines(),
                                     ["sites", *(f"  {line}" for line in case["lines"])])

    def test_a_table_for_a_dialog_is_html(self):
        html = table_html("coverage", [{"site": "<A & B>", "how": "x" * 90, "n": 1}])
        self.assertIn("<b>coverage</b>", html)
        no_break = 'style="white-space:nowrap"'  # in narrow logs
        self.assertIn(f"<td {no_break}>&lt;A &amp; B&gt;</td><td {no_break} align=right>1</td>", html)
        self.assertTrue(html.endswith("<br>how: " + "x" * 90))

    def test_round_steps(self):
        for span, parts, step in ((10, 5, 2), (11, 5, 5), (100, 10, 10), (0.3, 3, 0.1), (70, 6, 20), (1e-12, 4, 5e-10)):
            self.assertAlmostEqual(round_step(span, parts), step, delta=1e-6 * step)


if __name__ == "__main__":
    run_tests()
