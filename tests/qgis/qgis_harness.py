# SPDX-License-Identifier: GPL-3.0-or-later
"""A QGIS without windows and with a profile of its own, in this process or as qgis_process.

A test file ends with `run_tests()`; it imports this module before anything of QGIS.
"""

import atexit
import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLUGINS = SOURCE / "qgis_plugin"
PLUGIN = PLUGINS / "tesseray"
EXECUTABLE = os.environ.setdefault("TESSERAY_EXECUTABLE", str(SOURCE / "build" / "bin" / "tesseray"))
SKIPPED = 77  # SKIP_RETURN_CODE of CMakeLists.txt

PROFILE = pathlib.Path(tempfile.mkdtemp(prefix="tesseray-qgis-"))
atexit.register(shutil.rmtree, PROFILE, ignore_errors=True)
os.environ.update({"QT_QPA_PLATFORM": "offscreen", "QGIS_CUSTOM_CONFIG_PATH": str(PROFILE / "config"),
                   "QGIS_PLUGINPATH": str(PLUGINS), "XDG_RUNTIME_DIR": str(PROFILE), "TMPDIR": str(PROFILE),
                   "PYTHONDONTWRITEBYTECODE": "1"})
tempfile.tempdir = str(PROFILE)
# A copy: QGIS writes beside and into files that it opens.
SAMPLE = PROFILE / "sample_data"
shutil.copytree(SOURCE / "sample_data", SAMPLE, ignore=shutil.ignore_patterns("town", "*.py"))
sys.path.insert(0, str(PLUGINS))

# The middle of the sample town, 300 m × 300 m, with few and large tiles: a run takes a second.
EXTENT = "340350,340650,6020350,6020650 [EPSG:25832]"
SMALL_SCENE = {"BUILDINGS": str(SAMPLE / "buildings.gpkg"), "HEIGHT_FIELD": "height_m", "BASE_FIELD": "base_m",
               "DEM": str(SAMPLE / "dem.tif"), "EXTENT": EXTENT, "TILE_AREA": 400}
DRIVE_TEST = {"DRIVE_TEST": str(SAMPLE / "drive_test_SYNTHETIC.gpkg"), "VALUE_FIELD": "received_power_dbm",
              "TRANSMITTER_FIELD": "transmitter", "CENSOR_BELOW": -110}
# Above the roofs of EXTENT, in the sample town's CRS; the names are those of the drive test.
TRANSMITTERS_CSV = ("name,x,y,height_m,frequency_mhz,erp_dbm\n"
                    "Market,340500,6020500,40,900,43\nHill,340420,6020580,45,1800,40\n")


def transmitters(folder):
    """The transmitters of the small scene, as parameters."""
    path = pathlib.Path(folder) / "transmitters.csv"
    path.write_text(TRANSMITTERS_CSV, encoding="utf-8")
    return {"TRANSMITTERS": str(path), "TRANSMITTERS_CRS": "EPSG:25832", "MAX_BOUNCES": 1}


@functools.lru_cache
def start_qgis():
    """QGIS in this process, with Processing's own providers and Tesseray's; returns the provider."""
    import qgis.utils
    from qgis.testing import start_app

    start_app()
    sys.path.insert(0, "/usr/share/qgis/python/plugins")
    from processing.core.Processing import Processing

    Processing.initialize()
    qgis.utils.iface = None
    from tesseray.provider import add_provider

    return add_provider()


def qgis_process(*arguments, inputs=None, environment=None):
    """The finished qgis_process, with the plugin enabled; inputs: sent as JSON."""
    # A QGIS started in this process sets a profile of its own.
    env = {**os.environ, "QGIS_CUSTOM_CONFIG_PATH": str(PROFILE / "config"), **(environment or {})}
    settings = PROFILE / "config" / "profiles" / "default" / "QGIS" / "QGIS3.ini"
    if not settings.exists():  # as after `qgis_process plugins enable tesseray`, which starts QGIS for it
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("[PythonPlugins]\ntesseray=true\n", encoding="ascii")
    text = json.dumps({"inputs": inputs}) if inputs is not None else None
    return subprocess.run(["qgis_process", *arguments], input=text, env=env, capture_output=True, text=True,
                          timeout=300)


def run_algorithm(name, inputs):
    """The results of `qgis_process run NAME -`; a failed run fails the test with QGIS's words."""
    finished = qgis_process("run", name, "-", inputs=inputs)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)["results"]


NOBODY = 65534  # a user without rights, of any Unix


@contextlib.contextmanager
def as_another_user():
    """What is done in here has no rights of root's, who may enter every folder. Tests of other users keep their own.

    Root's own folders, as that of a test, may not be entered then; modules are imported before.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)


class QgisTest(unittest.TestCase):
    """A test with a folder of its own, that is gone afterwards."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="test-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def open_folder(self):
        """A folder that other users may enter, too."""
        folder = tempfile.TemporaryDirectory(prefix="tesseray-test-", dir=PROFILE.parent)
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        return pathlib.Path(folder.name)


class ProjectTest(QgisTest):
    """A test in a running QGIS, with an empty project that is the one of its processing context."""

    @classmethod
    def setUpClass(cls):
        start_qgis()

    def setUp(self):
        super().setUp()
        from qgis.core import QgsProcessingContext, QgsProject

        self.project = QgsProject.instance()
        self.addCleanup(self.project.clear)
        self.context = QgsProcessingContext()
        self.context.setProject(self.project)


def run_tests():
    """Runs the tests of the calling file; exit status 77 where there is no QGIS."""
    try:
        import qgis.core  # noqa: F401
    except ImportError:
        print("skipped: there is no QGIS for", sys.executable, file=sys.stderr)
        sys.exit(SKIPPED)
    outcome = unittest.main(exit=False, verbosity=2).result
    shutil.rmtree(PROFILE, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Tearing down QGIS's application from Python may crash after all tests have passed.
    os._exit(0 if outcome.wasSuccessful() else 1)
