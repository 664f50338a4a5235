# SPDX-License-Identifier: GPL-3.0-or-later
"""A study whose buildings and drive test lie in PostGIS equals one from files."""

import glob
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tesseray_process import DRIVE_TEST, SAMPLE, SCENE, PipelineTest, rows, tesseray, transmitters_csv

SERVER_PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
# For each that starts a server: a PostgreSQL alone is not enough.
needs_postgis = unittest.skipUnless(
    SERVER_PROGRAMS and glob.glob("/usr/share/postgresql/*/extension/postgis.control"),
    "PostgreSQL with PostGIS is not installed (scripts/install-dependencies postgis)")
TABLES = {"buildings": SAMPLE / "buildings.gpkg", "drive": SAMPLE / "drive_test_SYNTHETIC.gpkg"}


class Cluster:
    """A PostgreSQL of its own with PostGIS, reached through a socket in its folder alone."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tesseray-postgis-"))
        # The server refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, self.user)
        self._run("initdb", "-D", self.data, "-U", "tesseray", "--auth=trust", "--no-sync", "--encoding=UTF8")
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "start",
                  "-o", f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off")
        self._run("createdb", "-h", self.folder, "-U", "tesseray", "city")
        self.execute("CREATE EXTENSION postgis")
        self.connection = f"PG:dbname=city host={self.folder} user=tesseray"

    @property
    def data(self):
        return self.folder / "data"

    def _run(self, program, *arguments):
        subprocess.run([f"{SERVER_PROGRAMS[-1]}/{program}", *map(str, arguments)], user=self.user, cwd=self.folder,
                       check=True, stdout=subprocess.DEVNULL)

    def load(self, table, file):
        subprocess.run(["ogr2ogr", "-f", "PostgreSQL", self.connection, file, "-nln", table, "-lco", "FID=fid",
                        "-preserve_fid"], check=True, capture_output=True)

    def execute(self, sql):
        self._run("psql", "-h", self.folder, "-U", "tesseray", "-q", "-c", sql, "city")

    def execute_file(self, script):
        self._run("psql", "-h", self.folder, "-U", "tesseray", "-q", "-f", script, "city")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder)


@needs_postgis
class PostgisTest(PipelineTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        for table, file in TABLES.items():
            cls.cluster.load(table, file)

    def table(self, name):
        return f"{self.cluster.connection}|layername={name}"

    def study(self, scene, drive_test, output):
        self.assert_done(tesseray("coveragestudy", *scene, *transmitters_csv(self.folder), *drive_test,
                                  "--max-bounces", "1", "--output", output))

    def test_a_study_from_postgis_equals_one_from_files(self):
        files, database = self.folder / "files.gpkg", self.folder / "database.gpkg"
        self.study(SCENE, DRIVE_TEST, files)
        self.study(["--buildings", self.table("buildings"), *SCENE[2:]],
                   ["--drive-test", self.table("drive"), *DRIVE_TEST[2:]], database)
        for layer in ("tiles", "edges", "path_loss", "prediction_error", "error_statistics"):
            with self.subTest(layer=layer):
                self.assertTrue(rows(files, layer))
                self.assertEqual(rows(database, layer), rows(files, layer))

    def test_a_missing_table_is_named(self):
        self.assert_refused(tesseray("tileenvironment", "--buildings", self.table("houses"), "--environment",
                                     self.folder / "city.gpkg", "--progress", "json"),
                            words=["houses", "buildings"])

    def test_passwords_are_kept_nowhere(self):
        folder = self.cluster.folder
        for number, connection in enumerate((f"{self.cluster.connection} password=geheim!7",
                                             f"{self.cluster.connection} password = 'geheim!7'",
                                             f"PG:postgresql://tesseray:geheim!7@/city?host={folder}",
                                             f"postgresql:///city?host={folder}&user=tesseray&password=geheim!7")):
            with self.subTest(connection=connection):
                file = self.folder / f"city{number}.gpkg"
                done = self.assert_done(tesseray(
                    "tileenvironment", "--buildings", f"{connection}|layername=buildings", *SCENE[2:], "--environment",
                    file, "--progress", "json"))
                refused = self.assert_refused(tesseray(
                    "tileenvironment", "--buildings", f"{connection}|layername=houses", "--environment",
                    self.folder / "none.gpkg", "--progress", "json"), words=["houses", "…"])
                self.assertIn("…", rows(file, "tesseray_runs", "inputs")[0]["inputs"])
                for text in (done.stdout, done.stderr, json.dumps(refused)):
                    self.assertNotIn("geheim", text)
                self.assertNotIn(b"geheim", file.read_bytes())


if __name__ == "__main__":
    unittest.main()
