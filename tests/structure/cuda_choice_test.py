#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether CUDA is built, as cmake/Cuda.cmake decides it: by TESSERAY_CUDA in any of CMake's spellings, and by an nvcc
that compiles.

Usage: cuda_choice_test.py [CMAKE]
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHOICE = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "Cuda.cmake"
CMAKE = "cmake"

# An nvcc that knows not the host's compiler, in the words of a real one.
USELESS_NVCC = """#!/bin/sh
[ "$1" = --version ] && { echo "Cuda compilation tools, release 12.4, V12.4.131"; exit 0; }
echo "host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 13 are not supported!" >&2
exit 1
"""


class CudaChoiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tesseray-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.nvcc = self.folder / "nvcc"
        self.nvcc.write_text(USELESS_NVCC)
        self.nvcc.chmod(0o755)

    def choose(self, wish):
        return subprocess.run([CMAKE, f"-DTESSERAY_CUDA={wish}", f"-DTESSERAY_NVCC={self.nvcc}", "-P", CHOICE],
                              cwd=self.folder, capture_output=True, text=True)

    def test_false_in_any_spelling_leaves_it_out(self):
        for wish in ("OFF", "off", "False", "no", "0"):
            with self.subTest(wish=wish):
                process = self.choose(wish)
                self.assertEqual(process.returncode, 0, process.stderr)
                self.assertIn(f"CUDA: not built (TESSERAY_CUDA={wish})", process.stdout)

    def test_true_in_any_spelling_needs_an_nvcc_that_compiles(self):
        for wish in ("ON", "on", "True", "yes", "1"):
            with self.subTest(wish=wish):
                process = self.choose(wish)
                self.assertNotEqual(process.returncode, 0)
                self.assertIn("unsupported GNU version", process.stderr)

    def test_auto_goes_on_without_one(self):
        for wish in ("AUTO", "auto"):
            with self.subTest(wish=wish):
                process = self.choose(wish)
                self.assertEqual(process.returncode, 0, process.stderr)
                self.assertIn("CUDA: not built", process.stdout)
                self.assertIn("unsupported GNU version", process.stdout)

    def test_other_words_are_refused(self):
        process = self.choose("perhaps")
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("AUTO, ON or OFF", process.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        CMAKE = sys.argv.pop(1)
    unittest.main()
