#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/read_visibility.py against the library: a file that the program wrote and the rows that it holds, as text.

Usage: read_visibility_test.py PROGRAM...   (PROGRAM... FOLDER writes FOLDER/city.tvis and FOLDER/rows.txt)
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "docs"))
import read_visibility  # noqa: E402

PROGRAM = sys.argv[1:]
del sys.argv[1:]


class ReadVisibility(unittest.TestCase):
    def test_rows_are_those_of_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*PROGRAM, folder], check=True)
            visibility = read_visibility.Visibility(f"{folder}/city.tvis")
            expected = [[int(n) for n in line.split()]
                        for line in pathlib.Path(folder, "rows.txt").read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(expected), visibility.tiles + visibility.edges)
        self.assertEqual(sum(map(len, expected)), visibility.entries)
        self.assertGreater(visibility.entries, 50_000)
        for element, row in enumerate(expected):
            self.assertEqual(visibility.row(element).tolist(), row)

    def test_the_example_of_the_formats_page(self):
        self.assertEqual(read_visibility.varints(read_visibility.np.array([2, 0x80, 1], "u1")).tolist(), [2, 128])

    def test_another_file_or_version_is_refused(self):
        for begin in (b"SQLite format 3", b"TVIS" + (3).to_bytes(4, "little")):
            with tempfile.NamedTemporaryFile(suffix=".tvis") as file:
                file.write(begin + bytes(100))
                file.flush()
                with self.assertRaises(ValueError):
                    read_visibility.Visibility(file.name)


if __name__ == "__main__":
    unittest.main()
