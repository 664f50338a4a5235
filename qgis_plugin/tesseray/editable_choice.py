# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of choices in a dialog, in which another text can be written as well."""

from __future__ import annotations

from typing import Any

from processing.gui.wrappers import DIALOG_MODELER, WidgetWrapper
from qgis.core import QgsProcessingParameterEnum, QgsProcessingParameterString
from qgis.PyQt.QtWidgets import QComboBox


class EditableChoice(WidgetWrapper):
    """The widget of a text, by its metadata: {"widget_wrapper": {"class": "…EditableChoice", "choices": […]}}."""

    def createWidget(self, choices: list[str]) -> QComboBox:  # noqa: N802, QGIS calls it
        widget = QComboBox()
        widget.setEditable(True)
        widget.addItems(choices)
        if self.dialogType == DIALOG_MODELER:
            # Inputs of the model, which alone have data.
            kinds = [QgsProcessingParameterEnum, QgsProcessingParameterString]
            for source in self.dialog.getAvailableValuesOfType(kinds, []):
                widget.addItem(self.dialog.resolveValueDescription(source), source)
        else:
            # A circle otherwise, that keeps dialogs alive until QGIS ends, and ends with it.
            self.dialog = None
        widget.currentTextChanged.connect(lambda: self.widgetValueHasChanged.emit(self))
        return widget

    def setValue(self, value: Any) -> None:  # noqa: N802
        self.setComboValue(value)

    def value(self) -> Any:
        text = self.widget.currentText()
        return self.widget.itemData(self.widget.findText(text)) or text.strip()
