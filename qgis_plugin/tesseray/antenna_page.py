# SPDX-License-Identifier: GPL-3.0-or-later
"""A page on an antenna after a run of a tool with the role `antenna_page`: both cuts of its pattern as polar plots."""

from __future__ import annotations

import html
import math
from pathlib import Path
from typing import Any

from qgis.core import QgsProcessingContext, QgsProcessingFeedback, QgsVectorLayer

from .description import Tool
from .page_files import GENERATOR, PageNotWritten, write_page

ROLE = "antenna_page"
PARAMETER = "PLOT"
LABEL = "Plot of the pattern"
HELP = "Both cuts of the pattern as polar plots, with the antenna's figures and what had to be assumed, as an HTML page."
NEEDED_LAYERS = ("antenna_pattern",)

# (angle in degrees, attenuation in dB), by angle.
Cut = list[tuple[float, float]]

_RADIUS, _MARGIN, _HEADING = 150.0, 34.0, 26.0
_SIZE = 2 * (_RADIUS + _MARGIN)
_DEEPEST_DB, _RING_DB, _SPOKE_DEG = 40.0, 10.0, 30
_HALF_POWER_DB = 10 * math.log10(2)
_CURVE, _HALF_POWER, _GRID, _TEXT = "#0072b2", "#d55e00", "#cccccc", "#333333"
_DOWN = "° down"
# Figure of the tool's result, heading, unit, decimals. Gains as the log has them: 17.15 dBi are 15 dBd.
_FIGURES = (("make", "Make", "", 0), ("format", "Format", "", 0), ("frequency_mhz", "Frequency", " MHz", 3),
            ("polarization", "Polarisation", "", 0), ("gain_dbi", "Gain", " dBi", 2),
            ("directivity_dbi", "Directivity of the pattern", " dBi", 2),
            ("horizontal_beamwidth_deg", "Half-power width, horizontal", "°", 1),
            ("vertical_beamwidth_deg", "Half-power width, vertical", "°", 1),
            ("front_to_back_db", "Front to back", " dB", 1), ("downtilt_deg", "Tilt of the vertical maximum", _DOWN, 1))


class _Plot:
    """One polar plot. zero_deg: where 0° is drawn, clockwise from the top; attenuations of _DEEPEST_DB and more are in
    the middle."""

    def __init__(self, left: float, heading: str, zero_deg: float) -> None:
        self._x, self._y = left + _SIZE / 2, _HEADING + _SIZE / 2
        self._zero_deg = zero_deg
        self.parts = [self._text(self._x, 16, heading, size=14)]

    def place(self, angle_deg: float, attenuation_db: float) -> tuple[float, float]:
        """In the picture, x to the right and y down."""
        radius = _RADIUS * (1 - min(max(attenuation_db, 0.0), _DEEPEST_DB) / _DEEPEST_DB)
        turned = math.radians(angle_deg + self._zero_deg)
        return self._x + radius * math.sin(turned), self._y - radius * math.cos(turned)

    @staticmethod
    def _text(x: float, y: float, text: str, size: int = 10) -> str:
        return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{_TEXT}" text-anchor="middle">'
                f'{html.escape(text)}</text>')

    def add_grid(self, label_of: Any) -> None:
        """label_of: the text of a spoke, by its angle in degrees."""
        for attenuation in range(0, int(_DEEPEST_DB), int(_RING_DB)):
            radius = _RADIUS * (1 - attenuation / _DEEPEST_DB)
            self.parts.append(f'<circle cx="{self._x:.1f}" cy="{self._y:.1f}" r="{radius:.1f}" fill="none" '
                              f'stroke="{_GRID}"/>')
        for angle in range(0, 360, _SPOKE_DEG):
            (x0, y0), (x1, y1) = self.place(angle, _DEEPEST_DB), self.place(angle, 0)
            self.parts.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{_GRID}"/>')
            x, y = self._x + (x1 - x0) * (1 + 18 / _RADIUS), self._y + (y1 - y0) * (1 + 18 / _RADIUS)
            self.parts.append(self._text(x, y + 4, label_of(angle)))
        for attenuation in range(int(_RING_DB), int(_DEEPEST_DB), int(_RING_DB)):
            x, y = self.place(15 - self._zero_deg, attenuation)
            self.parts.append(self._text(x, y + 3, f"−{attenuation} dB", size=9))

    def add_half_power(self, angles_deg: tuple[float, ...]) -> None:
        for angle in angles_deg:
            (x0, y0), (x1, y1) = self.place(angle, _DEEPEST_DB), self.place(angle, 0)
            self.parts.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" '
                              f'stroke="{_HALF_POWER}" stroke-dasharray="4 3"/>')

    def add_cut(self, cut: Cut) -> None:
        points = " ".join("{:.2f},{:.2f}".format(*self.place(*point)) for point in cut)
        self.parts.append(f'<polygon points="{points}" fill="{_CURVE}" fill-opacity="0.12" stroke="{_CURVE}" '
                          'stroke-width="1.8" stroke-linejoin="round"/>')


def half_power_angles_deg(cut: Cut) -> tuple[float, ...]:
    """Before and behind the maximum; none of a cut that never falls so far. Angles may be below 0 or from 360° on."""
    strongest = min(range(len(cut)), key=lambda k: (cut[k][1], abs(cut[k][0])))
    limit = cut[strongest][1] + _HALF_POWER_DB
    angles = []
    for step in (-1, 1):
        near = cut[strongest]
        for k in range(strongest + step, strongest + step * (len(cut) + 1), step):
            angle, attenuation = cut[k % len(cut)]
            far = (angle + 360.0 * (k // len(cut)), attenuation)
            if attenuation >= limit:
                part = (limit - near[1]) / (far[1] - near[1])
                angles.append(near[0] + part * (far[0] - near[0]))
                break
            near = far
    return tuple(angles) if len(angles) == 2 else ()


def _signed(angle_deg: float) -> float:
    return (angle_deg + 180) % 360 - 180


def _elevation(angle_deg: float) -> str:
    """The label of a spoke of the vertical cut: degrees above the horizon, over the back as well."""
    above = -_signed(angle_deg)
    return f"{180 - above if above > 90 else -180 - above if above < -90 else above:+g}°".replace("-", "−") \
        if angle_deg % 180 else "0°"


def pattern_svg(horizontal: Cut, vertical: Cut) -> str:
    """Both cuts side by side: from above with the boresight up, and from the side with the boresight to the right.

    Angles are clockwise from the boresight, and down from the horizon. Requires points in both cuts.
    """
    above = _Plot(0, "Horizontal, seen from above", 0)
    above.add_grid(lambda angle: f"{angle:g}°")
    side = _Plot(_SIZE, "Vertical, seen from the side", 90)
    side.add_grid(_elevation)
    for plot, cut in ((above, horizontal), (side, vertical)):
        plot.add_half_power(half_power_angles_deg(cut))
        plot.add_cut(cut)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _SIZE:g} {_SIZE + _HEADING:g}" '
            f'width="{2 * _SIZE:g}" height="{_SIZE + _HEADING:g}" font-family="sans-serif">'
            f'<rect width="{2 * _SIZE:g}" height="{_SIZE + _HEADING:g}" fill="white"/>{"".join(above.parts + side.parts)}</svg>')


def _cut(layer: QgsVectorLayer, name: str) -> Cut:
    rows = [(feature["angle_deg"], feature["attenuation_db"]) for feature in layer.getFeatures()
            if feature["cut"] == name]
    return sorted(rows)


def _text(value: Any, unit: str, decimals: int) -> str:
    """A figure with its unit; a tilt says to which side of the horizon it is."""
    if isinstance(value, str):
        return f"{value}{unit}"
    number = round(value, decimals) + 0.0  # no negative zero
    if unit == _DOWN and number <= 0:
        number, unit = abs(number), "° up" if number < 0 else "°"
    return f"{number:.10g}{unit}"


def _rows(figures: dict[str, Any]) -> str:
    rows = []
    for name, heading, unit, decimals in _FIGURES:
        value = figures.get(name)
        if value is not None and value != "":
            rows.append(f"<tr><th>{heading}</th><td>{html.escape(_text(value, unit, decimals))}</td></tr>")
    return "".join(rows)


def _page(figures: dict[str, Any], svg: str) -> str:
    title = html.escape(str(figures.get("name") or "Antenna"))
    assumed = "".join(f"<li>{html.escape(text)}</li>" for text in figures.get("assumptions", []))
    return (f"<!DOCTYPE html><html><head><meta charset=\"utf-8\">{GENERATOR}<title>{title}</title><style>"
            "body{font-family:sans-serif;color:#333;background:#fff;margin:1.5em}"
            "th{text-align:left;padding-right:1.5em;font-weight:normal;color:#777}"
            f"</style></head><body><h1>{title}</h1>{svg}<p>Attenuation below the maximum; the lines in orange are where "
            f"half the power is left.</p><table>{_rows(figures)}</table>"
            + (f"<h2>What was assumed</h2><ul>{assumed}</ul>" if assumed else "") + "</body></html>\n")


def make_report(tool: Tool, result: dict[str, Any], page: Path, working_file: Path, context: QgsProcessingContext,
                feedback: QgsProcessingFeedback) -> str | None:
    """Writes the page and returns its path; None where the pattern was not written."""
    written = result["outputs"]
    source = next((written[output.name] for output in tool.layer_outputs
                   if output.layer == NEEDED_LAYERS[0] and output.name in written), None)
    if source is None:
        return None
    layer = QgsVectorLayer(source, "pattern", "ogr")
    horizontal, vertical = _cut(layer, "horizontal"), _cut(layer, "vertical")
    if not horizontal or not vertical:
        feedback.pushWarning("The pattern is not plotted: its table has no rows for both cuts.")
        return None
    page_text = _page(result.get("figures", {}), pattern_svg(horizontal, vertical))
    try:
        write_page(page_text, page)
    except PageNotWritten as problem:  # the pattern is good and stays
        feedback.pushWarning(f"The plot could not be written: {problem}")
        return None
    return str(page)
