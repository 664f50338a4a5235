# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of docs/effects.md are what the executable gives on the page's scenes."""
import pathlib
import re
import sys
import tempfile
import unittest

from tesseray_process import EXECUTABLE

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import draw_effects  # noqa: E402

# The page has one decimal.
WITHIN = 0.0501


def tables_of(page):
    """By heading, the rows of the table below it: cells by column."""
    tables = {}
    for section in page.split("\n## ")[1:]:
        lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
        names = [cell.strip() for cell in lines[0]]
        tables[section.splitlines()[0]] = [dict(zip(names, map(str.strip, cells))) for cells in lines[2:]]
    return tables


def numbers_in(cell):
    return [float(number.replace("−", "-")) for number in re.findall(r"[+−-]?\d+(?:\.\d+)?", cell)]


class Effects(unittest.TestCase):
    def expect(self, cell, expected):
        numbers = numbers_in(cell)
        self.assertEqual(len(numbers), len(expected), cell)
        for number, value in zip(numbers, expected):
            self.assertAlmostEqual(number, value, delta=WITHIN)

    def test_page_has_the_figures(self):
        tables = tables_of((ROOT / "docs" / "effects.md").read_text(encoding="utf-8"))
        self.assertEqual(len(tables), len(draw_effects.EFFECTS))
        for effect, rows in zip(draw_effects.EFFECTS, tables.values()):
            with tempfile.TemporaryDirectory() as folder:
                runner = draw_effects.Runner(EXECUTABLE, effect, pathlib.Path(folder))
                losses = {label: runner.path_loss(label, options) for label, options in effect.settings.items()}
            self.assertEqual(len(rows), len(losses), effect.name)
            figures = draw_effects.figures_of(losses)
            for number, (row, figure) in enumerate(zip(rows, figures)):
                with self.subTest(effect=effect.name, setting=figure.label):
                    if "reached" in row:
                        self.expect(row["reached"], [round(figure.reached_percent)])
                    self.expect(row["median, dB"], [] if figure.median_db is None else [figure.median_db])
                    if "extremes, dB" in row and number > 0:
                        self.expect(row["mean difference, dB"], [figure.mean_db])
                        self.expect(row["extremes, dB"], [figure.least_db, figure.most_db])


if __name__ == "__main__":
    unittest.main()
