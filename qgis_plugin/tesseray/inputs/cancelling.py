# SPDX-License-Identifier: GPL-3.0-or-later
"""Copying that ends when the run is cancelled."""

from __future__ import annotations

from qgis.core import QgsFeedback, QgsProcessingException, QgsProcessingFeedback
from qgis.PyQt.QtCore import Qt


def stop_if_cancelled(feedback: QgsProcessingFeedback) -> None:
    if feedback.isCanceled():
        raise QgsProcessingException("The run was cancelled.")


def cancelled_with(feedback: QgsProcessingFeedback, copying: QgsFeedback) -> QgsFeedback:
    """`copying`, which is cancelled at once when the run is: its own thread, busy with copying, hears of nothing."""
    feedback.canceled.connect(copying.cancel, Qt.ConnectionType.DirectConnection)
    return copying
