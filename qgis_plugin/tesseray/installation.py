# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed executable as QGIS knows it: the user's setting, and folders of the profile."""

from __future__ import annotations

from pathlib import Path

from qgis.core import QgsApplication, QgsSettings

from .description import Description
from .executable import ExecutableProblem, Place, describe, find_executable, snapshot

SETTING = "tesseray/executable"


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
    return describe(executable(), profile_folder() / "cache")


def description() -> tuple[Description, str]:
    """The tools to show, and what is wrong with the executable ("": nothing). Without it, those of the snapshot."""
    try:
        return live_description(), ""
    except ExecutableProblem as problem:
        return snapshot(), str(problem)
