# SPDX-License-Identifier: GPL-3.0-or-later
"""The page in Settings ▸ Options that says where the executable is."""

from __future__ import annotations

from qgis.core import QgsProcessingProvider
from qgis.gui import QgsFileWidget, QgsOptionsPageWidget, QgsOptionsWidgetFactory
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QFormLayout, QLabel, QVBoxLayout, QWidget

from . import installation
from .executable import ExecutableProblem, Place, describe, find_executable, shown
from .help import icon_of


class OptionsPage(QgsOptionsPageWidget):
    """A file or folder, and at once whether a usable program is there."""

    def __init__(self, parent: QWidget | None, provider: QgsProcessingProvider) -> None:
        super().__init__(parent)
        self._provider = provider
        self._place = QgsFileWidget()
        self._place.setDialogTitle("The program tesseray")
        self._place.setFilePath(installation.executable_setting())
        self._status = QLabel()
        explanation = QLabel("The program “tesseray”, or the folder that it is in. Leave it empty to have it looked "
                             "for in the environment variable TESSERAY_EXECUTABLE, in the folder "
                             f"{installation.profile_folder()} and in PATH.")
        for text in (self._status, explanation):
            text.setWordWrap(True)
            text.setTextFormat(Qt.TextFormat.PlainText)  # names of folders may have angle brackets
        form = QFormLayout()
        form.addRow("Executable", self._place)
        layout = QVBoxLayout(self)
        layout.addWidget(explanation)
        layout.addLayout(form)
        layout.addWidget(self._status)
        layout.addStretch()
        self._place.fileChanged.connect(self._show_status)
        self._show_status()

    def _show_status(self) -> None:
        try:
            found = find_executable(Place(self._place.filePath(), data_folder=installation.profile_folder()))
            self._status.setText(f"Version {describe(found).version} at {shown(found)}")
        except ExecutableProblem as problem:
            self._status.setText(str(problem))

    def apply(self) -> None:
        """Called when the user accepts the options."""
        installation.set_executable_setting(self._place.filePath())
        self._provider.refreshAlgorithms()


class OptionsFactory(QgsOptionsWidgetFactory):
    """Makes the page when the options are opened."""

    def __init__(self, provider: QgsProcessingProvider) -> None:
        super().__init__("Tesseray", QIcon(str(icon_of())), "tesseray")
        self._provider = provider

    def createWidget(self, parent: QWidget | None = None) -> OptionsPage:  # noqa: N802, QGIS's name
        return OptionsPage(parent, self._provider)
