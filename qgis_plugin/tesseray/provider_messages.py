# SPDX-License-Identifier: GPL-3.0-or-later
"""What data providers tell QGIS's log while they are read: where something is missing, some say so nowhere else."""

from __future__ import annotations

import threading
from typing import Collection, Mapping

from qgis.core import Qgis, QgsApplication
from qgis.PyQt.QtCore import Qt

from .service_keys import without_keys

FAILURES = (Qgis.MessageLevel.Warning, Qgis.MessageLevel.Critical)


class ProviderMessages:
    """Collects what providers tell in the thread that enters this, as those do that it reads: others, as of the map, are
    read in threads of their own."""

    def __init__(self, wanted: Mapping[str, Collection[Qgis.MessageLevel]]) -> None:
        """wanted: by the name that a provider has in the log, the levels that count."""
        self._wanted, self._thread = wanted, 0
        self.texts: list[str] = []

    def __enter__(self) -> "ProviderMessages":
        self._thread = threading.get_ident()
        # At once, in the thread that tells it.
        QgsApplication.messageLog().messageReceived.connect(self._hear, Qt.ConnectionType.DirectConnection)
        return self

    def __exit__(self, *_: object) -> None:
        QgsApplication.messageLog().messageReceived.disconnect(self._hear)

    def _hear(self, text: str, provider: str, level: Qgis.MessageLevel) -> None:
        if threading.get_ident() == self._thread and level in self._wanted.get(provider, ()):
            self.texts.append(text.strip())


def in_one_line(text: str) -> str:
    """A provider's message as part of a sentence: its first line without keys, cut where it is as long as addresses
    make it."""
    line = without_keys(next(iter(text.splitlines()), "").rstrip(" ."))
    return line if len(line) <= 300 else f"{line[:299]}…"
