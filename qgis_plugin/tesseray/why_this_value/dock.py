# SPDX-License-Identifier: GPL-3.0-or-later
"""The dock that tells why a place gets its value: a sentence, the strongest rays, the power-delay profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from qgis.PyQt.QtCore import QSize, Qt, pyqtSignal
from qgis.PyQt.QtWidgets import (
    QAbstractItemView,
    QDockWidget,
    QFrame,
    QHeaderView,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from .plot import DelayProfile, Stem



def _words(value: Any) -> str:
    """The direct ray interacts with nothing."""
    text = str(value) if value else "direct"
    return text[:1].upper() + text[1:]


def _losses(value: Any) -> str:
    """[["free space", 71.3], ["R", 8.2]] as "free space 71.3, R 8.2"; nothing where they are not told, or in no JSON."""
    try:
        losses = json.loads(value) if isinstance(value, str) and value else []
    except ValueError:
        return ""
    return ", ".join(f"{step} {'–' if loss_db is None else _number(loss_db, 1)}" for step, loss_db in losses)


# Heading, field of the rays layer, decimals or how it is told.
_COLUMNS: tuple[tuple[str, str, int | Callable[[Any], str]], ...] = (
    ("#", "rank", 0), ("Power, dBm", "power_dbm", 1), ("Share, %", "share_percent", 1), ("Delay, ns", "delay_ns", 0),
    ("Path", "interactions", _words), ("Interactions", "route", _words), ("Losses, dB", "losses_db", _losses))

INVITATION = "Click a place of a predicted layer."


@dataclass
class Explanation:
    """What the dock shows. rays: rows of the rays layer, strongest first. notes: lines below the sentence."""

    sentence: str
    rays: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)


class ScrolledText(QScrollArea):
    """As high as its text, or with a bar where there is no room for that."""

    def __init__(self, text: QLabel) -> None:
        super().__init__()
        self.setWidget(text)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:  # noqa: N802, Qt's name
        return QSize(super().sizeHint().width(), self.widget().heightForWidth(self.viewport().width()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(super().minimumSizeHint().width(), 2 * self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: object) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.updateGeometry()  # another width makes it higher or lower


class WhyThisValueDock(QDockWidget):
    """ray_chosen: the ranks of the rows that the user selected."""

    ray_chosen = pyqtSignal(list)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setObjectName("TesserayWhyThisValue")
        self.sentence = QLabel(INVITATION)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)  # names may have angle brackets
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._scrolled = ScrolledText(self.sentence)
        self.table = self._make_table()
        self.profile = DelayProfile()
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self.table)
        parts.addWidget(self.profile)
        parts.setSizes([300, 220])
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.addWidget(self._scrolled)
        layout.addWidget(parts, 1)
        self.setWidget(content)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(_COLUMNS))
        table.setHorizontalHeaderLabels([heading for heading, _, _ in _COLUMNS])
        for column, (_, _, form) in enumerate(_COLUMNS):
            # In the middle of a text that is wider than the dock nobody would see it.
            if callable(form):
                heading = table.horizontalHeaderItem(column)
                heading.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.verticalHeader().hide()
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setStretchLastSection(True)
        table.itemSelectionChanged.connect(self._tell_selection)
        return table

    def show_text(self, text: str) -> None:
        """In place of all that is there."""
        self.table.setRowCount(0)
        self.profile.show_stems([])
        self.sentence.setText(text)
        self._scrolled.updateGeometry()

    def show_explanation(self, explanation: Explanation) -> None:
        self.show_text("\n".join([explanation.sentence, *explanation.notes]))
        self.table.setRowCount(len(explanation.rays))
        for row, ray in enumerate(explanation.rays):
            for column, (_, name, form) in enumerate(_COLUMNS):
                self.table.setItem(row, column, _cell(ray.get(name), form))
        self.profile.show_stems([Stem(ray["rank"], ray["delay_ns"], ray["power_dbm"], ray["mechanism"])
                                 for ray in explanation.rays])

    def _tell_selection(self) -> None:
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        ranks = [int(self.table.item(row, 0).text()) for row in rows]
        self.profile.select(set(ranks))
        self.ray_chosen.emit(ranks)


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def _cell(value: Any, form: int | Callable[[Any], str]) -> QTableWidgetItem:
    """Numbers stand to the right."""
    if callable(form):
        item = QTableWidgetItem(form(value))
        item.setToolTip(item.text())
        return item
    item = QTableWidgetItem(_number(value, form))
    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item
