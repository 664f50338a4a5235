# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip for "Install from ZIP": what QGIS's plugin site asks for, and that QGIS installs and loads it."""

import configparser
import os
import re
import subprocess
import zipfile

import qgis_harness as harness
from qgis_harness import SOURCE, QgisTest, run_tests

REQUIRED = ("name", "description", "version", "qgisminimumversion", "author", "email", "about", "tracker",
            "repository")
BINARIES = {".so", ".dll", ".dylib", ".exe", ".pyd", ".pyc", ".a", ".o", ".whl", ".zip"}
PICTURES = {".png"}


class ZipTest(QgisTest):
    def setUp(self):
        super().setUp()
        self.zip = self.folder / "tesseray.zip"
        self.build(self.zip)
        self.archive = zipfile.ZipFile(self.zip)
        self.addCleanup(self.archive.close)

    def build(self, target):
        subprocess.run([str(SOURCE / "scripts" / "build-plugin"), str(target)], check=True, capture_output=True)

    def metadata(self):
        parser = configparser.ConfigParser()
        parser.read_string(self.archive.read("tesseray/metadata.txt").decode("utf-8"))
        return parser["general"]

    def test_it_is_one_folder_with_licence_and_metadata(self):
        names = self.archive.namelist()
        self.assertEqual({name.split("/")[0] for name in names}, {"tesseray"})
        self.assertLessEqual({"tesseray/__init__.py", "tesseray/metadata.txt", "tesseray/LICENSE",
                              "tesseray/describe.json"}, set(names))
        licence = self.archive.read("tesseray/LICENSE")
        self.assertEqual(licence, (SOURCE / "LICENSE").read_bytes())
        self.assertLess(self.zip.stat().st_size, 25_000_000)

    def test_it_is_pure_python_without_leftovers(self):
        for name in self.archive.namelist():
            self.assertNotRegex(name, r"(^|/)(\.|__pycache__|__MACOSX)")
            suffix = os.path.splitext(name)[1].lower()
            self.assertNotIn(suffix, BINARIES, name)
            if suffix not in PICTURES:
                self.archive.read(name).decode("utf-8")

    def test_no_path_of_a_machine_is_in_it(self):
        for name in self.archive.namelist():
            if os.path.splitext(name)[1] in {".py", ".txt", ".json", ".model3", ".qml"}:
                text = self.archive.read(name).decode("utf-8")
                found = re.findall(r"(?<![\w.])(?:/home/|/work/|/tmp/|/root/|/usr/|[A-Z]:\\\\)\S*", text)
                self.assertEqual(found, [], name)

    def test_metadata(self):
        metadata = self.metadata()
        for key in REQUIRED:
            self.assertTrue(metadata.get(key), key)
        self.assertEqual(metadata["hasprocessingprovider"], "yes")
        self.assertEqual(metadata["supportsqt6"], "True")
        self.assertEqual((metadata["qgisminimumversion"], metadata["qgismaximumversion"]), ("3.40", "4.99"))
        self.assertRegex(metadata["version"], r"^\d+\.\d+\.\d+$")
        self.assertIn(f"tesseray/{metadata['icon']}", self.archive.namelist())
        for key in ("tracker", "repository", "homepage"):
            self.assertTrue(metadata[key].startswith("https://"), key)
        project = re.search(r"project\(tesseray VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())
        self.assertEqual(metadata["version"], project.group(1))

    def test_the_same_files_give_the_same_bytes(self):
        self.build(self.folder / "again.zip")
        self.assertEqual((self.folder / "again.zip").read_bytes(), self.zip.read_bytes())

    def test_qgis_loads_the_plugin_from_it(self):
        plugins = self.folder / "plugins"
        self.archive.extractall(plugins)
        listed = harness.qgis_process("list", environment={"QGIS_PLUGINPATH": str(plugins)})
        self.assertIn("tesseray:", listed.stdout, listed.stderr)


if __name__ == "__main__":
    run_tests()
