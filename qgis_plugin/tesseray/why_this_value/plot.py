# SPDX-License-Identifier: GPL-3.0-or-later
"""A power-delay profile: one stem per ray, its power over its delay."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qgis.PyQt.QtCore import QPointF, QRectF, QSize, Qt
from qgis.PyQt.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTextOption
from qgis.PyQt.QtWidgets import QSizePolicy, QWidget

from ..round_numbers import round_step

# By mechanism, the colours of the rays' layer: Okabe and Ito's, told apart with every kind of colour blindness.
# None: that of the text, for the map's black would vanish in dark themes.
COLORS = {"direct": None, "reflection": QColor(0, 114, 178), "diffraction": QColor(213, 94, 0),
           "scattering": QColor(0, 158, 115), "over_rooftop": QColor(204, 121, 167),
           "through_building": QColor(86, 180, 233)}
_OTHER = QColor(120, 120, 120)
_GRID_OPACITY = 0.16  # of the text's colour
_SELECTED = QColor(230, 159, 0)
_CENTRED, _TO_THE_RIGHT = QTextOption(Qt.AlignmentFlag.AlignHCenter), QTextOption(Qt.AlignmentFlag.AlignRight)
_MARGIN = 6
_MOST_TICKS = 5
_AXES_LINES = 3.4  # above, between and below the plot, its numbers and the name of its axis


@dataclass(frozen=True)
class Stem:
    """One ray. key: what the table knows it by. mechanism: one of COLORS."""

    key: int
    delay_ns: float
    power_dbm: float
    mechanism: str


def round_range(low: float, high: float, ticks: int) -> tuple[float, float, float]:
    """A range with round ends about low … high, and its step."""
    step = round_step(max(high - low, 1e-3), ticks)
    return math.floor(low / step) * step, math.ceil(high / step) * step, step


def fitting_range(low: float, high: float, room: float, label: float) -> tuple[float, float, float]:
    """A round range with as many steps as labels of a size have room for, side by side."""
    ranges = [round_range(low, high, ticks) for ticks in range(_MOST_TICKS, 0, -1)]
    return next((one for one in ranges if (one[1] - one[0]) / one[2] * label <= room), ranges[-1])


def wrapped(widths: list[float], room: float) -> list[tuple[float, int]]:
    """Where words of these widths stand: from the left, and in which line."""
    places, left, line = [], 0.0, 0
    for width in widths:
        if left > 0 and left + width > room:
            left, line = 0.0, line + 1
        places.append((left, line))
        left += width
    return places


class DelayProfile(QWidget):
    """Shows stems; the selected one stands out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stems: list[Stem] = []
        self._selected: set[int] = set()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:  # noqa: N802, Qt's name
        return QSize(360, 200)

    def show_stems(self, stems: list[Stem]) -> None:
        self._stems, self._selected = list(stems), set()
        self._leave_room()
        self.update()

    def resizeEvent(self, event: object) -> None:  # noqa: N802
        self._leave_room()

    def _leave_room(self) -> None:
        """For some steps of power, however many lines the legend has at this width."""
        metrics = QFontMetricsF(self.font())
        lines = 1 + max((line for _, line in self._legend(metrics).values()), default=0)
        self.setMinimumHeight(int((lines + _AXES_LINES + 5) * metrics.height()))

    def _legend(self, metrics: QFontMetricsF) -> dict[str, tuple[float, int]]:
        """Where each mechanism that there is stands: from the left, and in which line."""
        shown = {stem.mechanism for stem in self._stems}
        names = [name for name in COLORS if name in shown]
        widths = [metrics.horizontalAdvance(name) + 28 for name in names]
        return dict(zip(names, wrapped(widths, self.width() - 2 * _MARGIN)))

    def select(self, keys: set[int]) -> None:
        self._selected = set(keys)
        self.update()

    def paintEvent(self, event: object) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self.palette().base())
        if self._stems:
            self._paint_plot(painter)
        painter.end()

    def _ranges(self, metrics: QFontMetricsF,
                area: QRectF) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        delays = [stem.delay_ns for stem in self._stems]
        powers = [stem.power_dbm for stem in self._stems]
        widest = metrics.horizontalAdvance(f"{max(delays):.0f}00")
        # Stems need a foot below the weakest ray, and room for one ray alone.
        return (fitting_range(min(delays), max(max(delays), min(delays) + 10), area.width(), widest),
                fitting_range(min(powers) - 2, max(powers) + 1, area.height(), 1.5 * metrics.height()))

    def _paint_plot(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(self.font())
        left = metrics.horizontalAdvance("−000 ") + metrics.height() + _MARGIN
        top = metrics.height() * 0.6 + self._paint_legend(painter, metrics)
        area = QRectF(left, top, self.width() - left - metrics.horizontalAdvance("0000"),
                      self.height() - metrics.height() * (_AXES_LINES - 0.6) - top)
        x_range, y_range = self._ranges(metrics, area)
        self._paint_axes(painter, metrics, area, x_range, y_range)

        def place(delay_ns: float, power_dbm: float) -> QPointF:
            return QPointF(area.left() + (delay_ns - x_range[0]) / (x_range[1] - x_range[0]) * area.width(),
                           area.bottom() - (power_dbm - y_range[0]) / (y_range[1] - y_range[0]) * area.height())

        for stem in sorted(self._stems, key=lambda item: item.key in self._selected):
            self._paint_stem(painter, stem, place(stem.delay_ns, stem.power_dbm), area.bottom())

    def _text_color(self) -> QColor:
        return self.palette().text().color()

    def _color(self, mechanism: str) -> QColor:
        return COLORS.get(mechanism, _OTHER) or self._text_color()

    def _paint_stem(self, painter: QPainter, stem: Stem, top: QPointF, bottom: float) -> None:
        color = self._color(stem.mechanism)
        is_selected = stem.key in self._selected
        painter.setPen(QPen(_SELECTED if is_selected else color, 3.0 if is_selected else 1.4))
        painter.drawLine(QPointF(top.x(), bottom), top)
        painter.setBrush(color)
        radius = 5.0 if is_selected else 2.6
        painter.drawEllipse(top, radius, radius)

    def _paint_axes(self, painter: QPainter, metrics: QFontMetricsF, area: QRectF, x_range: tuple[float, float, float],
                    y_range: tuple[float, float, float]) -> None:
        height, text, grid = metrics.height(), self._text_color(), self._text_color()
        grid.setAlphaF(_GRID_OPACITY)
        for number in range(int(round((x_range[1] - x_range[0]) / x_range[2])) + 1):
            value = x_range[0] + number * x_range[2]
            x = area.left() + (value - x_range[0]) / (x_range[1] - x_range[0]) * area.width()
            painter.setPen(grid)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setPen(text)
            painter.drawText(QRectF(x - 40, area.bottom() + 2, 80, height), f"{value:g}", _CENTRED)
        for number in range(int(round((y_range[1] - y_range[0]) / y_range[2])) + 1):
            value = y_range[0] + number * y_range[2]
            y = area.bottom() - (value - y_range[0]) / (y_range[1] - y_range[0]) * area.height()
            painter.setPen(grid)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(text)
            painter.drawText(QRectF(0, y - height / 2, area.left() - 4, height), f"{value:g}".replace("-", "−"),
                             _TO_THE_RIGHT)
        painter.setPen(text)
        painter.drawText(QRectF(area.left(), area.bottom() + height + 2, area.width(), height), "Delay, ns", _CENTRED)
        painter.save()
        painter.translate(height + 1, area.center().y())
        painter.rotate(-90)
        name = "Power, dBm" if metrics.horizontalAdvance("Power, dBm") <= area.height() else "dBm"
        painter.drawText(QRectF(-self.height() / 2, -height, self.height(), height), name, _CENTRED)
        painter.restore()

    def _paint_legend(self, painter: QPainter, metrics: QFontMetricsF) -> float:
        """Returns its height."""
        height, bottom = metrics.height(), 0.0
        for name, (left, line) in self._legend(metrics).items():
            x, y, bottom = _MARGIN + left, line * height, (line + 1) * height
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._color(name))
            painter.drawEllipse(QPointF(x + 4, y + height * 0.8), 3.5, 3.5)
            painter.setPen(self._text_color())
            painter.drawText(QPointF(x + 12, y + height * 1.05), name.replace("_", " "))
        return bottom
