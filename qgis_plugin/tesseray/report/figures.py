# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's figures. Colours are told apart with every kind of colour blindness: viridis for levels, red over
white to blue for errors (red: predicted too strong), Okabe and Ito's for sites, with other line styles as well."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize
from matplotlib.figure import Figure

from ..round_numbers import round_step
from .result import Coverage, Measurements, Site
from .statistics import figures_of

SITE_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
LINE_STYLES = ("-", "--", "-.", ":")
# The classes and colours of the layer prediction_error on the map.
ERROR_BREAKS_DB = (-15, -10, -6, -3, 3, 6, 10, 15)
ERROR_COLORS = ("#124984", "#3681ba", "#7eb8d7", "#cae1ee", "#f6f7f7", "#fcd5bf", "#ec9374", "#c84440", "#8a0b25")
_GREY, _ROOF = "#555555", "#d8d4cc"
_LEVEL_SPAN_DB = 80
_HALF = (6.4, 4.9)  # inches, of figures that stand two in a row

Named = list[tuple[str, Measurements]]


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _plain(axes: Axes) -> Axes:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def _style(index: int, count: int) -> tuple[str, str]:
    """Colour and line style of a site; one grey for all where there are more than can be told apart."""
    most = len(SITE_COLORS) * len(LINE_STYLES)
    if count > most:
        return _GREY, "-"
    return SITE_COLORS[index % len(SITE_COLORS)], LINE_STYLES[index // len(SITE_COLORS)]


def _background(axes: Axes, roofs: list[np.ndarray], places: np.ndarray) -> None:
    """Roofs, and axes in metres from the south-west corner: coordinates of a CRS say nothing in a picture."""
    if roofs:
        axes.add_collection(PolyCollection(roofs, facecolors=_ROOF, edgecolors=_ROOF, linewidths=0.4))
        corners = np.concatenate([np.stack((ring.min(axis=0), ring.max(axis=0))) for ring in roofs])
        places = np.concatenate((places, corners))
    places = places[np.isfinite(places).all(axis=1)]
    if len(places) == 0:
        return
    low, high = places.min(axis=0), places.max(axis=0)
    margin = 0.03 * max(*(high - low), 1.0)
    low, high = low - margin, high + margin
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    step = round_step(float(max(high - low)), 6)
    for set_ticks, start, end in ((axes.set_xticks, low[0], high[0]), (axes.set_yticks, low[1], high[1])):
        metres = np.arange(0, end - start, step)
        set_ticks(start + metres, [f"{m:g} m" for m in metres])
    axes.tick_params(labelsize=8)
    axes.spines[:].set_color("0.8")


def _draw_sites(axes: Axes, sites: list[Site]) -> None:
    for site in sites:
        if np.isfinite(site.place).all():
            axes.plot(*site.place, marker="^", markersize=10, color="black", markeredgecolor="white", zorder=5)
            axes.annotate(site.name, site.place, xytext=(7, 5), textcoords="offset points", fontsize=8, zorder=6,
                          bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8})


def _draw_errors(figure: Figure, axes: Axes, measurements: Measurements) -> None:
    norm = BoundaryNorm(ERROR_BREAKS_DB, len(ERROR_COLORS), extend="both")
    colors = ListedColormap(ERROR_COLORS)
    size = float(np.clip(9000 / max(len(measurements), 1), 5, 22))
    # The largest errors are drawn last: they are what the map is looked at for.
    order = np.argsort(np.abs(measurements.error_db), kind="stable")
    axes.scatter(*measurements.places[order].T, c=measurements.error_db[order], cmap=colors, norm=norm, s=size,
                 edgecolors="0.35", linewidths=0.25, zorder=4)
    figure.colorbar(ScalarMappable(norm, colors), ax=axes, label="error in dB (red: predicted too strong)",
                    ticks=ERROR_BREAKS_DB, extend="both", shrink=0.8, pad=0.02)


def error_map(measurements: Measurements, roofs: list[np.ndarray], sites: list[Site]) -> Figure:
    """All used measurements, coloured by their error."""
    figure = _figure(9, 6.6)
    axes = figure.add_subplot()
    _background(axes, roofs, np.concatenate((measurements.places, *[site.place[None] for site in sites])))
    _draw_errors(figure, axes, measurements)
    _draw_sites(axes, sites)
    return figure


def _draw_levels(figure: Figure, axes: Axes, coverage: Coverage, label: str) -> None:
    top = 10 * math.ceil(float(np.percentile(coverage.level, 99.5)) / 10)
    norm = Normalize(top - _LEVEL_SPAN_DB, top)
    if coverage.outlines:
        shapes = PolyCollection(coverage.outlines, array=coverage.level, cmap="viridis", norm=norm, edgecolors="face",
                                linewidths=0.3)
    else:
        shapes = axes.scatter(*coverage.centroids.T, c=coverage.level, cmap="viridis", norm=norm, s=4, marker="s")
    shapes.set_rasterized(True)
    if coverage.outlines:
        axes.add_collection(shapes)
    figure.colorbar(shapes, ax=axes, label=label, extend="both", shrink=0.8, pad=0.02)


def site_map(name: str, measurements: Measurements, coverage: Coverage | None, roofs: list[np.ndarray],
             sites: list[Site], label: str) -> Figure:
    """Of one transmitter: the predicted levels on the ground, where they are known, beside the errors."""
    figure = _figure(13 if coverage else 9, 5.6)
    panels = figure.subplots(1, 2 if coverage else 1, squeeze=False)[0]
    shown = measurements.places
    if coverage:
        tiles = np.array([ring.mean(axis=0) for ring in coverage.outlines]) if coverage.outlines \
            else coverage.centroids
        shown = np.concatenate((shown, tiles))
    for axes in panels:
        _background(axes, roofs, shown)
        _draw_sites(axes, sites)
    if coverage:
        _draw_levels(figure, panels[0], coverage, label)
        panels[0].set_title(f"{name}: predicted", fontsize=10)
    _draw_errors(figure, panels[-1], measurements)
    panels[-1].set_title(f"{name}: error", fontsize=10)
    return figure


def scatter(of_sites: Named, label: str) -> Figure:
    """Predicted against measured, with the line of equal values."""
    figure = _figure(*_HALF)
    axes = _plain(figure.add_subplot())
    both = np.concatenate([np.concatenate((m.measured_db, m.predicted_db)) for _, m in of_sites])
    low, high = float(both.min()), float(both.max())
    margin = 0.04 * max(high - low, 1.0)
    ends = (low - margin, high + margin)
    total = sum(len(m) for _, m in of_sites)
    for i, (name, m) in enumerate(of_sites):
        color, _ = _style(i, len(of_sites))
        axes.scatter(m.measured_db, m.predicted_db, s=9 if total < 5000 else 3, color=color, linewidths=0,
                     alpha=0.55 if total < 5000 else 0.25, label=name)
    axes.plot(ends, ends, color="black", linewidth=1.2, label="predicted = measured")
    axes.set(xlim=ends, ylim=ends, aspect="equal", xlabel=f"measured {label}", ylabel=f"predicted {label}")
    if len(of_sites) <= len(SITE_COLORS):
        axes.legend(fontsize=8, markerscale=2, loc="upper left", framealpha=0.9)
    return figure


def histogram(error_db: np.ndarray) -> Figure:
    """Errors in classes of a round width, with the normal distribution of the same mean and standard deviation."""
    figure = _figure(*_HALF)
    axes = _plain(figure.add_subplot())
    step = max(round_step(float(np.ptp(error_db)), 70), 1.0)
    edges = np.arange(math.floor(error_db.min() / step) * step, error_db.max() + step, step)
    axes.hist(error_db, bins=edges, weights=np.full(len(error_db), 100 / len(error_db)), color="#56b4e9",
              edgecolor="white", linewidth=0.4, label=f"measurements, per {step:g} dB")
    axes.axvline(0, color="black", linewidth=0.8)
    mean_db = float(error_db.mean())
    std_db = float(error_db.std(ddof=1)) if len(error_db) > 1 else 0.0
    if std_db > 0:
        at = np.linspace(edges[0], edges[-1], 300)
        density = np.exp(-0.5 * ((at - mean_db) / std_db) ** 2) / (std_db * math.sqrt(2 * math.pi))
        axes.plot(at, 100 * step * density, color="#d55e00", linewidth=1.8,
                  label=f"normal distribution, µE = {mean_db:.1f} dB, σE = {std_db:.1f} dB".replace("-", "−"))
    axes.set(xlabel="error in dB (predicted − measured)", ylabel="measurements in %")
    axes.set_ylim(top=axes.get_ylim()[1] * 1.18)
    axes.legend(fontsize=8, loc="upper left")
    return figure


def distribution(of_sites: Named, error_db: np.ndarray) -> Figure:
    """Share of measurements with at most an error, of all and of each site, with the percentiles of the table."""
    figure = _figure(*_HALF)
    axes = _plain(figure.add_subplot())

    def draw(values: np.ndarray, **how: object) -> None:
        axes.step(np.sort(values), 100 * np.arange(1, len(values) + 1) / len(values), where="post", **how)

    if len(of_sites) > 1:
        for i, (name, m) in enumerate(of_sites):
            color, line = _style(i, len(of_sites))
            draw(m.error_db, color=color, linestyle=line, linewidth=1.2, label=name)
    draw(error_db, color="black", linewidth=2.2, label="all")
    low, high = float(error_db.min()) - 1, float(error_db.max()) + 1
    for share in (10, 50, 90):
        value = float(np.percentile(error_db, share))
        axes.plot([low, value, value], [share, share, 0], color=_GREY, linewidth=0.8, linestyle=":")
        axes.annotate(f"{value:.1f}".replace("-", "−"), (value, 1), xytext=(2, 2), textcoords="offset points",
                      fontsize=7, color=_GREY)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlim(low, high)
    axes.set(xlabel="error in dB (predicted − measured)", ylabel="measurements with at most this error in %",
             ylim=(0, 100))
    if len(of_sites) <= len(SITE_COLORS):
        axes.legend(fontsize=8, loc="upper left")
    return figure


def over_distance(of_sites: Named, measurements: Measurements) -> Figure:
    """Errors over the distance to the transmitter, with median and 10th to 90th percentile per class of distance."""
    figure = _figure(*_HALF)
    axes = _plain(figure.add_subplot())
    for i, (name, m) in enumerate(of_sites):
        axes.scatter(m.distance_m, m.error_db, s=7, color=_style(i, len(of_sites))[0], alpha=0.4, linewidths=0,
                     label=name)
    step = round_step(float(measurements.distance_m.max()), 14)
    bins = np.floor(measurements.distance_m / step)
    least = 5  # fewer values have no percentiles worth a line
    classes = [b for b in np.unique(bins) if np.count_nonzero(bins == b) >= least]
    if classes:
        middle = (np.array(classes) + 0.5) * step
        p10, median, p90 = np.array([np.percentile(measurements.error_db[bins == b], (10, 50, 90))
                                     for b in classes]).T
        axes.fill_between(middle, p10, p90, color="0.5", alpha=0.25, linewidth=0,
                          label=f"10th to 90th percentile, per {step:g} m")
        axes.plot(middle, median, color="black", linewidth=1.8, marker="o", markersize=4, label="median")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="distance to the transmitter in m", ylabel="error in dB (predicted − measured)")
    axes.set_xlim(left=0)
    if len(of_sites) <= len(SITE_COLORS):
        axes.legend(fontsize=7, ncols=2, loc="lower left", markerscale=2)
    return figure


def over_line_of_sight(of_sites: Named, measurements: Measurements) -> Figure:
    """Boxes of the errors with and without the transmitter in sight: quartiles, median, 10th to 90th percentile."""
    rows = [("all", measurements)] + (of_sites if 1 < len(of_sites) <= 12 else [])
    boxes, colors = [], []
    for name, m in rows:
        for in_sight, words, color in ((True, "in sight", "#e69f00"), (False, "not in sight", "#0072b2")):
            error_db = m.error_db[m.line_of_sight == in_sight]
            if len(error_db) == 0:
                continue
            p10, q1, median, q3, p90 = np.percentile(error_db, (10, 25, 50, 75, 90))
            boxes.append({"label": f"{name}, {words} (n = {len(error_db):,})", "med": median, "q1": q1, "q3": q3,
                          "whislo": p10, "whishi": p90, "mean": error_db.mean(), "fliers": []})
            colors.append(color)
    figure = _figure(9, 1.3 + 0.38 * len(boxes))
    axes = _plain(figure.add_subplot())
    drawn = axes.bxp(boxes, vert=False, showmeans=True, showfliers=False, patch_artist=True, widths=0.6,
                     medianprops={"color": "black", "linewidth": 1.6},
                     meanprops={"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black",
                                "markersize": 4})
    for patch, color in zip(drawn["boxes"], colors):
        patch.set(facecolor=color, alpha=0.65)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("error in dB (predicted − measured): median, quartiles, 10th to 90th percentile, ◇ mean")
    return figure
