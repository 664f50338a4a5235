# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the executable as other programs do, and reads what it wrote with SQLite alone."""

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = os.environ.get("TESSERAY_EXECUTABLE", str(SOURCE / "build" / "bin" / "tesseray"))
SAMPLE = SOURCE / "sample_data"

# The middle of the sample town, 300 m × 300 m, with two of its three transmitters inside.
EXTENT = "340350,340650,6020350,6020650"


def without_predictions_of_others(*arguments):
    """The same command, which predicts by itself what an earlier one of a test has predicted, unless it says more."""
    arguments = [str(argument) for argument in arguments]
    is_prediction = arguments and arguments[0] in ("predictcoverage", "coveragestudy")
    says_more = any(argument in ("--kept-predictions", "--json", "--help") for argument in arguments)
    return [*arguments, "--kept-predictions", "0"] if is_prediction and not says_more else arguments


def tesseray(*arguments, executable=EXECUTABLE, stdin=None, timeout=300, **options):
    """The finished process, its output as text."""
    return subprocess.run([executable, *without_predictions_of_others(*arguments)], input=stdin, capture_output=True,
                          text=True, timeout=timeout, **options)


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def processor_seconds_so_far(process_id):
    """Of a running process, all threads."""
    with open(f"/proc/{process_id}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor_seconds_of_ended_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def error_of(process):
    """The error object on standard error, where progress is told in JSON."""
    errors = [line["error"] for line in json_lines(process.stderr) if "error" in line]
    assert len(errors) == 1, process.stderr
    return errors[0]


def sizes_in(message):
    """In bytes: "103.8 MiB of memory are needed …"."""
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    return [float(size) * units[unit] for size, unit in re.findall(r"([\d.]+) ([KMG]iB)", message)]


def rows(file, table, columns="*", order="rowid"):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f'SELECT {columns} FROM "{table}" ORDER BY {order}')]


def layers(file):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return {row[0] for row in database.execute("SELECT table_name FROM gpkg_contents")}


def drop_triggers_of_indices(database):
    """Of a GeoPackage whose rows are changed by SQLite alone, without the functions of geometries that these call."""
    triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'rtree%'").fetchall()
    for name, in triggers:
        database.execute(f'DROP TRIGGER "{name}"')


def with_copies_of_transmitters(prediction, file, copies):
    """A prediction with so many copies of each transmitter and its rows beside themselves."""
    shutil.copy(prediction, file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        drop_triggers_of_indices(database)
        count, = database.execute("SELECT max(transmitter_id) FROM transmitters").fetchone()
        for table in ("transmitters", "path_loss"):
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if not row[5]]
            values = ", ".join(f"{column} + :more" if column == "transmitter_id" else column for column in columns)
            for copy in range(1, copies + 1):
                database.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table} "
                                 "WHERE transmitter_id <= :count ORDER BY rowid", {"more": copy * count, "count": count})
    return file


def module_folder():
    """A folder for what the tests of a module share, gone after them. For setUpModule alone."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tesseray-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    return folder


def made(*arguments, **options):
    """Runs a tool whose result tests start from."""
    process = tesseray(*arguments, **options)
    assert process.returncode == 0, process.stderr
    return process


def environment_with_visibility(folder):
    """The environment of EXTENT as a file, with its visibility beside it."""
    environment = folder / "environment.gpkg"
    made("tileenvironment", *SCENE, "--environment", environment)
    made("computevisibility", "--environment", environment)
    return environment


def interrupted_by(happening, *command):
    """The finished process of a run that tells its progress in JSON, in whose first stage something happens."""
    with subprocess.Popen([EXECUTABLE, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        told = process.stderr.readline()
        process.send_signal(signal.SIGSTOP)
        try:
            happening()
        finally:
            process.send_signal(signal.SIGCONT)
        out, rest = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, out, told + rest)


def limited_to(file_bytes):
    """For `preexec_fn`: no file of the process may grow beyond so many bytes, which stands for a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, resource.RLIM_INFINITY))


class PipelineTest(unittest.TestCase):
    """A test with a folder of its own, that is gone afterwards."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="tesseray-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def assert_done(self, process):
        self.assertEqual(process.returncode, 0, process.stderr)
        return process

    def assert_refused(self, process, code=None, words=(), status=2):
        """A bad input: exit status, code, words of the message; nothing on standard output, nothing written."""
        self.assertEqual(process.returncode, status, process.stderr)
        self.assertEqual(process.stdout, "")
        error = error_of(process)
        if code:
            self.assertEqual(error["code"], code, error)
        for word in words:
            self.assertIn(word, error["message"] + " " + error["hint"])
        self.assertTrue(error["hint"], "an error says what to do")
        return error

    def within_address_space(self, size):
        """For `preexec_fn`: as containers and shared machines limit it. Skips the test where the build takes more by
        itself, as with sanitizers."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        if tesseray("--version", preexec_fn=limit).returncode != 0:
            self.skipTest("this build takes more address space by itself")
        return limit

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())


SCENE = ["--buildings", SAMPLE / "buildings.gpkg", "--height-field", "height_m", "--base-field", "base_m",
         "--dem", SAMPLE / "dem.tif", "--extent", EXTENT]
SITES = ["--transmitters", SAMPLE / "transmitters.csv"]
DRIVE_TEST = ["--drive-test", SAMPLE / "drive_test_SYNTHETIC.gpkg", "--value-field", "received_power_dbm",
              "--transmitter-field", "transmitter", "--censor-below", "-110"]


def transmitters_csv(folder, text="name,x,y,height_m,frequency_mhz,erp_dbm\nMarket,340500,6020500,40,900,43\n"
                                  "Hill,340420,6020580,45,1800,40\n"):
    """Transmitters above the roofs of EXTENT, in the sample town's CRS."""
    path = pathlib.Path(folder) / "transmitters.csv"
    path.write_text(text)
    return ["--transmitters", path, "--transmitters-crs", "EPSG:25832"]
