# SPDX-License-Identifier: GPL-3.0-or-later
"""The page: figures and tables in one HTML text that needs nothing else."""

from __future__ import annotations

import base64
import io
import math
from html import escape
from pathlib import Path
from typing import Any, Callable

import matplotlib
from matplotlib.figure import Figure
from matplotlib.image import imsave

from ..page_files import GENERATOR
from . import figures
from .result import Group, Measurements, Result, Run
from .statistics import DistanceLine, ErrorFigures, figures_of, line_over_distance

# More sites than this are in the tables alone; those with the largest errors are drawn.
MOST_SITE_MAPS = 8
# The slope of fewer measurements over distance is chance.
_LEAST_FOR_SLOPE_IN_SIGHT = 20
_DOTS_PER_INCH = 110
# Names of sites are text, not formulas, whatever the user's own settings of matplotlib.
_SETTINGS = {"text.parse_math": False, "text.usetex": False}
_STYLE = Path(__file__).with_name("page.css")

_COLUMNS = (("n", "n"), ("mean_db", "mean µE"), ("std_db", "std. dev. σE"), ("rmse_db", "RMSE"), ("mae_db", "MAE"),
            ("median_db", "median"), ("p10_db", "10th perc."), ("p90_db", "90th perc."),
            ("correlation", "correlation"))


def _number(value: float | int | None, digits: int = 2) -> str:
    """With the minus sign of print; a dash where nothing is defined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    text = f"{value:,}" if isinstance(value, int) else f"{round(value, digits) + 0.0:,.{digits}f}"  # no negative zero
    return text.replace("-", "−")


# A figure as HTML, with words for those who cannot see it.
ImageOf = Callable[[Figure, str], str]


def _image(figure: Figure, words: str) -> str:
    """words: what is to be seen, for those who cannot see it."""
    png = io.BytesIO()
    figure.set_dpi(_DOTS_PER_INCH)
    figure.canvas.draw()  # savefig draws all twice, the first time for the layout alone
    imsave(png, figure.canvas.buffer_rgba(), format="png", dpi=figure.dpi)
    width = int(figure.get_figwidth() * 80)
    return (f'<img style="width:{width}px" alt="{escape(words)}" '
            f'src="data:image/png;base64,{base64.b64encode(png.getvalue()).decode("ascii")}">')


def _table(head: list[str], rows: list[list[str]], marked: set[int] = frozenset(), kind: str = "") -> str:
    """The first column is the row's name; cells are HTML. marked: numbers of rows that sum up others."""
    lines = ["<tr class=head>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"] if head else []
    for i, row in enumerate(rows):
        cells = f"<th>{row[0]}</th>" + "".join(f"<td>{cell}</td>" for cell in row[1:])
        lines.append(f'<tr{" class=sum" if i in marked else ""}>{cells}</tr>')
    return f'<table class="{kind}">' + "\n".join(lines) + "</table>"


def _figures_row(name: str, found: ErrorFigures) -> list[str]:
    return [escape(name)] + [_number(getattr(found, column)) for column, _ in _COLUMNS]


def _has_removed_mean(groups: list[Group]) -> bool:
    return any(group.removed_mean_db for group in groups if not math.isnan(group.removed_mean_db))


def _statistics_table(result: Result, above_ground: bool) -> str:
    groups = result.site_groups(above_ground)
    every = result.group("all", above_ground)
    rows = [_figures_row(group.label, group.figures) for group in groups]
    marked = set()
    if every:
        marked.add(len(rows))
        rows.append(_figures_row("all measurements", every.figures))
    head = [""] + [title for _, title in _COLUMNS]
    if _has_removed_mean(groups):
        head.append("removed mean")
        for row, group in zip(rows, groups):
            row.append(_number(group.removed_mean_db))
        for row in rows[len(groups):]:
            row.append("–")
    return _table(head, rows, marked, "figures")


def _over_sites_table(sites: Group) -> str:
    values = sites.over_sites
    rows = [["mean over sites", _number(values["mean_of_mean_db"]), _number(values["mean_of_std_db"])],
            ["standard deviation over sites", _number(values["std_of_mean_db"]), _number(values["std_of_std_db"])]]
    return _table([f"{sites.figures.n} sites", "of the sites’ µE", "of the sites’ σE"], rows, kind="figures")


def _line_of_sight_table(measurements: Measurements) -> str:
    rows = []
    for in_sight, words in ((True, "transmitter in sight"), (False, "not in sight")):
        part = measurements.where(measurements.line_of_sight == in_sight)
        rows.append(_figures_row(words, figures_of(part.predicted_db, part.measured_db)))
    return _table([""] + [title for _, title in _COLUMNS], rows, kind="figures")


def _distance_table(named: list[tuple[Group, Measurements]]) -> str:
    rows = []
    for group, m in named:
        in_sight = m.where(m.line_of_sight)
        measured, predicted, measured_in_sight, predicted_in_sight = (
            line_over_distance(part.distance_m, level) for part in (m, in_sight)
            for level in (part.measured_db, part.predicted_db))
        if len(in_sight) < _LEAST_FOR_SLOPE_IN_SIGHT:
            measured_in_sight = predicted_in_sight = DistanceLine()
        rows.append([escape(group.label), _number(len(m)), _number(group.figures.std_db), _number(measured.std_db),
                     _number(measured.db_per_decade, 1), _number(predicted.db_per_decade, 1), _number(len(in_sight)),
                     _number(measured_in_sight.db_per_decade, 1), _number(predicted_in_sight.db_per_decade, 1)])
    return _table(["", "n", "σE of the prediction", "σ about the line", "dB/decade measured", "predicted",
                   "n in sight", "in sight, measured", "in sight, predicted"], rows, kind="figures")


def _excluded_section(result: Result) -> str:
    if not result.excluded:
        return "<h2>Measurements not used</h2><p>All measurements were used.</p>"
    rows = [[escape(reason), escape(name), _number(count)] for reason, name, count in result.excluded]
    count = sum(count for _, _, count in result.excluded)
    return (f"<h2>Measurements not used</h2><p>{_number(count)} of {_number(result.total)} measurements were not used; "
            "they stay in the layer <i>prediction_error</i>, each with its reason.</p>"
            + _table(["reason", "transmitter", "n"], rows, kind="words"))


def _key_figures(group: Group, n: int, total: int) -> str:
    found = group.figures
    cards = ((_number(found.mean_db), "dB", "mean error µE"), (_number(found.std_db), "dB", "standard deviation σE"),
             (_number(found.rmse_db), "dB", "root mean square"), (_number(found.mae_db), "dB", "mean absolute error"),
             (_number(found.correlation), "", "correlation"),
             (_number(n), f"of {_number(total)}", "measurements used"))
    return '<div class="cards">' + "".join(
        f'<div class="card"><div class="value">{value}<span> {unit}</span></div>{words}</div>'
        for value, unit, words in cards) + "</div>"


def _site_maps(result: Result, named: list[tuple[Group, Measurements]], image: ImageOf) -> str:
    drawn = sorted(named, key=lambda pair: -pair[0].figures.rmse_db)[:MOST_SITE_MAPS]
    kept = {group.transmitter_id for group, _ in drawn}
    words, unit = result.level
    parts = []
    for group, measurements in named:
        if group.transmitter_id in kept:
            sites = [site for site in result.sites if site.transmitter_id == group.transmitter_id]
            figure = figures.site_map(group.label, measurements, result.coverage(group.transmitter_id), result.roofs,
                                      sites, f"predicted {words} in {unit}")
            parts.append(image(figure, f"Map of {group.label}: predicted {words}, and errors"))
    if len(named) > len(drawn):
        parts.append(f"<p>The {len(drawn)} sites with the largest root mean square errors, of {len(named)}.</p>")
    return "".join(parts)


def _population(result: Result, above_ground: bool, title: str, image: ImageOf) -> str:
    """All about the measurements at street level, or those with heights of their own."""
    measurements = result.used.where(result.used.above_ground == above_ground)
    named = [(group, measurements.where(measurements.transmitter_id == group.transmitter_id))
             for group in result.site_groups(above_ground)]
    of_sites = [(group.label, m) for group, m in named]
    words, unit = result.level
    every, sites = result.group("all", above_ground), result.group("sites", above_ground)
    many = len(named) > 1
    parts = [f"<h2>{title}</h2>" if title else "",
             _key_figures(every, len(measurements), result.total) if every else "",
             "<h2>Site by site</h2>", _statistics_table(result, above_ground),
             "<p class=note>In dB, but n and correlation. σE with n − 1; percentiles by linear interpolation; "
             "correlation by Pearson, of predicted and measured levels.</p>"]
    if sites and many:
        parts += ["<h2>Over sites</h2>", _over_sites_table(sites),
                  "<p class=note>In dB. Standard deviations with one less than the number of sites.</p>"]
    parts.append("<h2>Where</h2>")
    if many:
        parts.append(image(figures.error_map(measurements, result.roofs, result.sites),
                            "Map of the errors over the buildings"))
    parts += [_site_maps(result, named, image),
              "<h2>Values, errors, distance</h2>",
              image(figures.scatter(of_sites, f"{words} in {unit}"), "Predicted against measured values"),
              image(figures.histogram(measurements.error_db), "Histogram of the errors with a normal curve"),
              image(figures.distribution(of_sites, measurements.error_db), "Cumulative distribution of the errors"),
              image(figures.over_distance(of_sites, measurements), "Errors over the distance to the transmitter"),
              "<h2>Against distance alone</h2>", _distance_table(named),
              "<p class=note>In dB. The line is fitted to the measured levels of each site over the logarithm of the "
              "distance: it knows no buildings, and holds for this site alone. A prediction whose σE is the larger one "
              "explains less than the distance does. Fewer than "
              f"{_LEAST_FOR_SLOPE_IN_SIGHT} measurements in sight have no slope of their own. Levels that fall faster in "
              "sight than predicted tell what the inputs lack there: trees, buildings, terrain.</p>",
              "<h2>Line of sight</h2>",
              image(figures.over_line_of_sight(of_sites, measurements), "Errors with and without line of sight"),
              _line_of_sight_table(measurements)]
    return "".join(parts)


def _size(count: Any) -> str:
    if not isinstance(count, (int, float)):
        return ""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"


def _value(value: Any) -> str:
    """A parameter's value as one would give it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _run_facts(run: Run) -> str:
    facts = [["tool", f"{run.text('tool')}, Tesseray {run.text('version')} ({run.text('git_commit')})"],
             ["finished", run.text("finished_at").replace("T", " ").replace("Z", " UTC")],
             ["inputs", ", ".join(i.get("copy_of") or Path(str(i.get("path"))).name for i in run.json("inputs", []))],
             ["CRS", run.text("crs")]]
    failed = run.json("failed_transmitters", [])
    if failed:
        facts.append(["failed transmitters", "; ".join(f"{f.get('name')}: {f.get('message')}" for f in failed)])
    return _table([], [[name, escape(value)] for name, value in facts], kind="words")


def _run_section(run: Run, title: str, with_facts: bool = False) -> str:
    seconds = ", ".join(f"{stage} {value:.1f}" for stage, value in run.json("seconds_per_stage", {}).items())
    facts = [["computed on", escape(run.text("device"))], ["seconds per stage", escape(seconds)],
             ["hash of the result", f"<code>{escape(run.text('result_hash'))}</code>"]]
    inputs = [[escape(str(i.get("copy_of") or i.get("path"))), _size(i.get("bytes")),
               f"<code>{escape(str(i.get('hash')))}</code>"]
              for i in run.json("inputs", [])]
    parameters = "".join(f"<div><b>{escape(name)}</b> {escape(_value(value))}</div>"
                         for name, value in sorted(run.parameters.items()))
    return (f"<h2>{title}</h2>" + (_run_facts(run) if with_facts else "") + _table([], facts, kind="words")
            + "<h3>Inputs</h3>" + _table(["file", "size", "hash"], inputs, kind="words")
            + f"<h3>Parameters</h3><div class=parameters>{parameters}</div>")


def _runs(result: Result) -> str:
    compared, predicted = result.comparison_run, result.prediction_run
    if compared is None:
        return ("<h2>The run</h2><p>The file does not say which run wrote these layers: they were copied from "
                "another file.</p>")
    text = _run_section(compared, "The run")
    if predicted is not None and predicted is not compared:
        text += _run_section(predicted, "The run that predicted", with_facts=True)
    return text


def _head(result: Result) -> str:
    words, unit = result.level
    warning = ""
    if result.replaced_since:
        warning += (f"<p class=warning>A later run has written {escape(' and '.join(result.replaced_since))} anew: the "
                    "maps show what is there now, the errors and their statistics compare what was there before. "
                    "Compare again.</p>")
    if result.differing_groups:
        warning += (f"<p class=warning>The statistics of {escape(', '.join(result.differing_groups))} are not those "
                    "of the rows of <i>prediction_error</i>: one of the two layers was changed after the comparison. "
                    "The tables show <i>error_statistics</i>, the figures the rows.</p>")
    removed = ""
    if any(_has_removed_mean(result.site_groups(above)) for above in (False, True)):
        removed = ("<p><b>The mean error of each site was taken off its predictions</b> (“removed mean” in the table), "
                   "so that µE tells nothing: judge by the standard deviation and the correlation. The maps of predicted "
                   "levels show the prediction as it is.</p>")
    run = result.comparison_run
    return (f"<h1>Prediction against drive test</h1><p class=facts>{escape(result.file.name)}</p>"
            f"{_run_facts(run) if run else ''}{warning}"
            f"<p>Compared is the {escape(words)}, in {escape(unit)}. <b>Error = predicted − measured, in dB</b>: where "
            f"it is positive (red), the prediction is too strong; where it is negative (blue), too weak.</p>{removed}")


def page(result: Result, before_figure: Callable[[], None]) -> str:
    """The whole page. before_figure: called before each figure is drawn, which takes most of the time."""
    def image(figure: Figure, words: str) -> str:
        before_figure()
        return _image(figure, words)

    have = [above for above in (False, True) if (result.used.above_ground == above).any()]
    titles = {False: "At street level", True: "Above ground"} if len(have) > 1 else {False: "", True: "Above ground"}
    with matplotlib.rc_context(_SETTINGS):
        body = "".join(_population(result, above, titles[above], image) for above in have)
    return (f"<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8>{GENERATOR}"
            "<meta name=viewport content='width=device-width, initial-scale=1'>"
            f"<title>{escape(result.file.stem)}: prediction against drive test</title>"
            f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head>\n<body>\n"
            f"{_head(result)}{body}{_excluded_section(result)}{_runs(result)}</body>\n</html>\n")
