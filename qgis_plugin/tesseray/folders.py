# SPDX-License-Identifier: GPL-3.0-or-later
"""Several folders in one text, as the executable reads them: "/panels;/omni". Imports no QGIS."""

from __future__ import annotations

import os

SEPARATOR = ";"


def folders_in(text: str) -> list[str]:
    """The folders of a text; one that is there counts as it is written, whatever its name."""
    if os.path.isdir(text):
        return [text]
    return [folder.strip() for folder in text.split(SEPARATOR) if folder.strip()]


def with_folder(text: str, folder: str) -> str:
    """`text` with one more folder, the last to be looked into; as it is where it names that one or cannot name both."""
    folders = folders_in(text)
    if not folder or folder in folders or (folders and any(SEPARATOR in each for each in [*folders, folder])):
        return text
    return SEPARATOR.join([*folders, folder])
