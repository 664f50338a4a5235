#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts/install-dependencies says to who is not root and has no sudo, on a Debian whose own QGIS is installed."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "install-dependencies"

STUBS = {
    "id": "echo 1000",
    "apt-get": "exit 1",
    "dpkg-query": 'echo "installed 1:3.22.16"',
    # Which of two versions is later is asked of QGIS alone.
    "dpkg": "exit 1",
}


class InstallDependenciesTest(unittest.TestCase):
    def test_without_root_it_names_itself(self):
        with tempfile.TemporaryDirectory(prefix="tesseray-") as folder:
            for name, body in STUBS.items():
                stub = pathlib.Path(folder, name)
                stub.write_text(f"#!/bin/sh\n{body}\n")
                stub.chmod(0o755)
            for name in ("bash", "realpath"):
                pathlib.Path(folder, name).symlink_to(shutil.which(name))
            process = subprocess.run(["bash", SCRIPT, "test"], capture_output=True, text=True, env={"PATH": folder})
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn("qgis python3-qgis", process.stderr)
        # apt-get install qgis takes the one that is there.
        self.assertNotIn("apt-get", process.stderr)
        self.assertIn("/scripts/install-dependencies test", process.stderr)


if __name__ == "__main__":
    unittest.main()
