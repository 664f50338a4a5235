# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the rows of a service have all come to QGIS, which downloads them once and shows what came of them."""

from __future__ import annotations

import threading

from qgis.core import QgsDataSourceUri, QgsVectorLayer
from qgis.PyQt.QtCore import QCoreApplication, QObject, Qt, QThread, pyqtSignal

SERVICES = ("WFS", "OAPIF", "arcgisfeatureserver")
# How long the thread of the windows may take to pass on what it was told; a script may keep it busy.
PATIENCE_S = 2


class _Messenger(QObject):
    """Tells in its own thread that what was told there before has arrived."""

    asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.has_arrived = threading.Event()
        self.asked.connect(self._arrive, Qt.ConnectionType.QueuedConnection)

    def _arrive(self) -> None:
        self.has_arrived.set()


def _forget_failed_download(layer: QgsVectorLayer) -> None:
    """Has the rows downloaded once more where that failed before, as for the map: QGIS would go on with what came then."""
    provider = layer.dataProvider()
    if provider.hasErrors():
        provider.clearErrors()
        provider.reloadData()


def _count_of(layer: QgsVectorLayer) -> int:
    """How many rows there are, as far as the server says, and the user wants of it by the limit of the layer's connection;
    negative where that is not known."""
    count, limit = layer.featureCount(), QgsDataSourceUri(layer.source()).param("maxNumFeatures")
    return min(count, int(limit)) if limit.isdecimal() and int(limit) else count


class ServiceRows:
    """What a service has said of a layer's rows. Reading them a second time gives those again that came the first time."""

    def __init__(self, layer: QgsVectorLayer, is_selection: bool) -> None:
        """layer: of SERVICES, in the thread it belongs to. is_selection: whether its selected rows alone are wanted."""
        _forget_failed_download(layer)
        self._count = layer.selectedFeatureCount() if is_selection else _count_of(layer)
        self._errors: list[str] = []
        self._messenger = _Messenger()
        layer.dataProvider().raiseError.connect(self._errors.append, Qt.ConnectionType.DirectConnection)

    def missing(self, came: int) -> str:
        """What is missing where `came` rows have come, in words; "" where nothing is known to."""
        told = self._told()
        if self._count <= came and not told:
            return ""
        rows = f"{came} of {self._count} rows" if self._count > came else f"{came} rows"
        return f"{rows} ({told})" if told else rows

    def _told(self) -> str:
        """The first error since this was made. The layer's own thread is told of them."""
        if QThread.currentThread() == self._messenger.thread():
            QCoreApplication.sendPostedEvents()
        else:
            self._messenger.asked.emit()
            self._messenger.has_arrived.wait(PATIENCE_S)
        return self._errors[0] if self._errors else ""
