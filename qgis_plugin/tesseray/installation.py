# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed executable as QGIS knows it: the user's setting, and folders of the profile."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from qgis.core import QgsApplication, QgsSettings

from .description import Description
from .executable import ExecutableProblem, Place, describe, find_executable, snapshot, state_of

SETTING = "tesseray/executable"
# The toolbox asks of each tool whether it can run. A program that could not be used, or hung, is left alone so long.
REFUSAL_HOLDS_S = 30


@dataclass(frozen=True)
class _Refusal:
    """Why a program could not be used, until it changes or some time has passed. program: its state."""

    program: str
    until: float
    why: str


_refusals: list[_Refusal] = []  # the last one


def profile_folder() -> Path:
    """Where the plugin keeps what belongs to the user's profile; an executable may lie there, too."""
    return Path(QgsApplication.qgisSettingsDirPath()) / "tesseray"


def executable_setting() -> str:
    return str(QgsSettings().value(SETTING, "") or "")


def set_executable_setting(text: str) -> None:
    QgsSettings().setValue(SETTING, text.strip())


def executable() -> Path:
    """The program to run. Throws ExecutableProblem."""
    return find_executable(Place(executable_setting(), data_folder=profile_folder()))


def live_description() -> Description:
    """What the installed program says of itself. Throws ExecutableProblem, also for a version that is not taken."""
    file = executable()
    program = state_of(file)
    for refusal in _refusals:
        if refusal.program == program and time.monotonic() < refusal.until:
            raise ExecutableProblem(refusal.why)
    try:
        return describe(file, profile_folder() / "cache")
    except ExecutableProblem as problem:
        _refusals[:] = [_Refusal(program, time.monotonic() + REFUSAL_HOLDS_S, str(problem))]
        raise


def description() -> tuple[Description, str]:
    """The tools to show, and what is wrong with the executable ("": nothing). Without it, those of the snapshot."""
    try:
        return live_description(), ""
    except ExecutableProblem as problem:
        return snapshot(), str(problem)
