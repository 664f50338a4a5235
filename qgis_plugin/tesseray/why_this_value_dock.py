# SPDX-License-Identifier: GPL-3.0-or-later
"""The dock that tells why a place gets its value: a sentence, the strongest rays, the power-delay profile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import (
    QAbstractItemView,
    QDockWidget,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from .why_this_value_plot import DelayProfile, Stem

# Heading, field of the rays layer, decimals.
_COLUMNS: tuple[tuple[str, str, int | None], ...] = (
    ("#", "rank", 0), ("Power, dBm", "power_dbm", 1), ("Share, %", "share_percent", 1), ("Delay, ns", "delay_ns", 0),
    ("Path", "interactions", None), ("Interactions", "route", None))

INVITATION = "Click a place of a predicted layer."


@dataclass
class Explanation:
    """What the dock shows. rays: rows of the rays layer, strongest first. notes: lines below the sentence."""

    sentence: str
    rays: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)


class WhyThisValueDock(QDockWidget):
    """ray_chosen: the ranks of the rows that the user selected."""

    ray_chosen = pyqtSignal(list)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setObjectName("TesserayWhyThisValue")
        self.sentence = QLabel(INVITATION)
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.table = self._make_table()
        self.profile = DelayProfile()
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self.table)
        parts.addWidget(self.profile)
        parts.setSizes([300, 220])
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.addWidget(self.sentence)
        layout.addWidget(parts, 1)
        self.setWidget(content)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(_COLUMNS))
        table.setHorizontalHeaderLabels([heading for heading, _, _ in _COLUMNS])
        table.verticalHeader().hide()
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setStretchLastSection(True)
        table.itemSelectionChanged.connect(self._tell_selection)
        return table

    def show_waiting(self, text: str) -> None:
        self._clear()
        self.sentence.setText(text)

    def show_problem(self, text: str) -> None:
        self._clear()
        self.sentence.setText(text)

    def show_explanation(self, explanation: Explanation) -> None:
        self._clear()
        self.sentence.setText("\n".join([explanation.sentence, *explanation.notes]))
        self.table.setRowCount(len(explanation.rays))
        for row, ray in enumerate(explanation.rays):
            for column, (_, name, decimals) in enumerate(_COLUMNS):
                self.table.setItem(row, column, _cell(ray.get(name), decimals))
        self.profile.show_stems([Stem(ray["rank"], ray["delay_ns"], ray["power_dbm"], ray["mechanism"])
                                 for ray in explanation.rays])

    def _clear(self) -> None:
        self.table.setRowCount(0)
        self.profile.show_stems([])

    def _tell_selection(self) -> None:
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        ranks = [int(self.table.item(row, 0).text()) for row in rows]
        self.profile.select(set(ranks))
        self.ray_chosen.emit(ranks)


def _cell(value: Any, decimals: int | None) -> QTableWidgetItem:
    """Numbers stand to the right; the direct ray interacts with nothing."""
    if decimals is None:
        text = str(value) if value else "direct"
        item = QTableWidgetItem(text[:1].upper() + text[1:])
        item.setToolTip(item.text())
        return item
    item = QTableWidgetItem(f"{value:.{decimals}f}".replace("-", "−"))
    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item
