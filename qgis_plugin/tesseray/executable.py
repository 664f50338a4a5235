# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program `tesseray` is, and what it says of its tools. Imports no QGIS."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping

from .description import Description, UnsupportedDescription, parse_description

ENVIRONMENT_VARIABLE = "TESSERAY_EXECUTABLE"
PROGRAM = "tesseray.exe" if sys.platform == "win32" else "tesseray"
SNAPSHOT = Path(__file__).with_name("describe.json")
HOW_TO_GET_IT = (
    "Install the program “tesseray” (a Debian package, or built from the sources with “make executable”; see the "
    "homepage of the plugin), then set its file or folder in Settings ▸ Options ▸ Tesseray, or in the environment "
    f"variable {ENVIRONMENT_VARIABLE}, or put it into a folder of PATH.")
# An executable that describes itself takes 0.05 s; one that hangs must not hang QGIS.
DESCRIBE_TIMEOUT_S = 10


def shown(path: str | Path) -> str:
    """With question marks for bytes that are no UTF-8, which Qt's texts cannot hold."""
    return str(path).encode("utf-8", "replace").decode("utf-8")


class ExecutableProblem(Exception):
    """There is no usable executable: why, and what to do."""

    def __init__(self, words: str) -> None:
        super().__init__(shown(words))


@dataclass(frozen=True)
class Place:
    """Where the executable may be. setting: file or folder, "" for none; data_folder: the plugin's, or None."""

    setting: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    data_folder: Path | None = None


def _in(place: str) -> Path | None:
    """The program that a file or folder stands for: itself, in it, or in its bin/."""
    path = Path(os.path.expanduser(place))
    for candidate in (path, path / PROGRAM, path / "bin" / PROGRAM):
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate.absolute()
    return None


def _as_meant(path: str) -> str:
    """Without blanks around it, and the quotes in which Windows and terminals copy a path."""
    path = path.strip()
    is_quoted = len(path) > 1 and path[0] == path[-1] and path[0] in "\"'"
    return path[1:-1].strip() if is_quoted else path


def find_executable(place: Place) -> Path:
    """By setting, environment, data folder, PATH; the first that says anything decides.

    Throws ExecutableProblem when there is none, or when the setting or the environment names none.
    """
    for named, source in ((place.setting, "The setting"),
                          (place.environment.get(ENVIRONMENT_VARIABLE, ""), ENVIRONMENT_VARIABLE)):
        path = _as_meant(named)
        if path:
            found = _in(path)
            if found is None:
                raise ExecutableProblem(f"{source} says that tesseray is at {named}, but no program that may be run "
                                        f"is there. {HOW_TO_GET_IT}")
            return found
    found = _in(str(place.data_folder)) if place.data_folder else None
    if found is None:
        on_path = shutil.which(PROGRAM, path=place.environment.get("PATH", os.defpath))
        found = Path(on_path).absolute() if on_path else None
    if found is None:
        raise ExecutableProblem(f"The program “tesseray” was not found. {HOW_TO_GET_IT}")
    return found


def child_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment without what QGIS sets for its own libraries and Python; the program has its own."""
    own = ("PROJ_", "GDAL_", "PYTHON")
    single = {"LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "QT_PLUGIN_PATH"}
    return {name: value for name, value in environment.items() if not name.startswith(own) and name not in single}


def no_window() -> dict[str, int]:
    """Options of Popen with which Windows opens no console."""
    return {"creationflags": subprocess.CREATE_NO_WINDOW} if sys.platform == "win32" else {}


def _unusable(executable: Path, why: object) -> ExecutableProblem:
    return ExecutableProblem(f"{executable} cannot be used: {why}. {HOW_TO_GET_IT}")


def _reason(problem: OSError | subprocess.SubprocessError) -> str:
    """What went wrong and the program's own last line on it, without a full stop."""
    told = (getattr(problem, "stderr", None) or b"").decode("utf-8", "replace").split("\n")
    last_line = next((line.strip() for line in reversed(told) if line.strip()), "")
    return ": ".join(text.rstrip(".") for text in (str(problem), last_line) if text)


def _described_by(executable: Path) -> str:
    try:
        finished = subprocess.run([str(executable), "describe", "--json"], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=DESCRIBE_TIMEOUT_S, env=child_environment(),
                                  check=True, **no_window())
    except (OSError, subprocess.SubprocessError) as problem:
        raise _unusable(executable, _reason(problem)) from None
    return finished.stdout.decode("utf-8", "replace")


def state_of(executable: Path) -> str:
    """What changes when the program is replaced. Throws ExecutableProblem where it is gone since it was found."""
    try:
        state = executable.stat()
    except OSError as problem:
        raise _unusable(executable, problem) from None
    return f"{executable}\n{state.st_size}\n{state.st_mtime_ns}"


def _cache_file(executable: Path, cache_folder: Path) -> Path:
    key = os.fsencode(state_of(executable))  # the path may be no UTF-8
    return cache_folder / f"describe-{hashlib.sha256(key).hexdigest()[:16]}.json"


def _kept_in(file: Path) -> Description | None:
    """What was kept; None where nothing was, where it is damaged, and where another QGIS has just replaced it."""
    try:
        return parse_description(file.read_text(encoding="utf-8"))
    except (UnsupportedDescription, OSError, UnicodeDecodeError):
        return None


def _keep(text: str, file: Path) -> None:
    """Keeps at most one description; a folder that cannot be written to only costs time at the next start."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        for old in file.parent.glob("describe-*.json"):
            old.unlink()
        # Its name is one of those that are swept away, should the disk be full.
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, prefix="describe-", suffix=".json",
                                         delete=False) as fresh:
            fresh.write(text)
        os.replace(fresh.name, file)
    except OSError:
        return


def describe(executable: Path, cache_folder: Path | None = None) -> Description:
    """What the executable says of itself, from the cache where it has not changed since.

    Throws ExecutableProblem, also for a version that this plugin does not take.
    """
    file = _cache_file(executable, cache_folder) if cache_folder else None
    kept = _kept_in(file) if file else None
    if kept:
        return kept
    text = _described_by(executable)
    try:
        description = parse_description(text)
    except UnsupportedDescription as problem:
        raise _unusable(executable, problem) from None
    if file:
        _keep(text, file)
    return description


def snapshot() -> Description:
    """The description shipped with the plugin: what the toolbox shows while there is no executable."""
    return parse_description(SNAPSHOT.read_text(encoding="utf-8"))
