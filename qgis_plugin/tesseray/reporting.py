# SPDX-License-Identifier: GPL-3.0-or-later
"""The report after a run of a tool with the role `report_input`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from qgis.core import (
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from .description import Tool
from .layer_writing import write_layer
from .recorded_runs import copy_runs

ROLE = "report_input"
PARAMETER = "REPORT"
LABEL = "Report"
HELP = ("How well the prediction agrees with the drive test: tables, plots and maps of its errors, per site and over all, "
        "as an HTML page. Without a drive test there is none.")
# The layers that the report reads, and those that make it better.
NEEDED_LAYERS = ("prediction_error", "error_statistics")


class NothingToReport(Exception):
    """The results are not of the kind that a report is about, which is nothing wrong with them."""


class _Cancelled(Exception):
    """While the report was made."""


def _in_one_file(tool: Tool, written: dict[str, str], folder_file: Path, context: QgsProcessingContext) -> Path:
    """A GeoPackage with all written layers under their own names: the results' own, or one that they are copied to.

    Throws QgsProcessingException where they cannot be copied.
    """
    sources = {output.layer: written[output.name] for output in tool.layer_outputs if output.name in written}
    files = {source.split("|")[0] for source in sources.values()}
    own_names = all(source.endswith(f"|layername={layer}") for layer, source in sources.items())
    if len(files) == 1 and own_names and next(iter(files)).lower().endswith(".gpkg"):
        return Path(next(iter(files)))
    for layer, source in sources.items():
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName, options.layerName = "GPKG", layer
        options.actionOnExistingFile = QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteLayer \
            if os.path.exists(folder_file) else QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteFile
        write_layer(QgsVectorLayer(source, layer, "ogr"), folder_file, context, options)
    # What the values are is told by the record of the run, which is beside each of its layers.
    file = sources[NEEDED_LAYERS[0]].split("|")[0]
    copy_runs(Path(file), folder_file, {source.partition("|layername=")[2] or layer: layer
                                        for layer, source in sources.items() if source.split("|")[0] == file})
    return folder_file


def make_report(tool: Tool, result: dict[str, Any], html: Path, working_file: Path, context: QgsProcessingContext,
                feedback: QgsProcessingFeedback) -> str | None:
    """Writes the report and returns its path; None, with a line in the log, where it cannot be made.

    Throws NothingToReport, saying why, and QgsProcessingException when the run is cancelled meanwhile. result: the
    executable's. working_file: a name for a temporary GeoPackage.
    """
    written = result["outputs"]
    layers = {output.layer for output in tool.layer_outputs if output.name in written}
    if not layers.issuperset(NEEDED_LAYERS):
        return None
    try:
        from .report import NoLevelsError, write_report
    except ImportError as problem:
        feedback.pushWarning(f"There is no report: {problem}. Install matplotlib for QGIS's Python "
                             "(Debian: python3-matplotlib) to get one.")
        return None
    def stop_when_cancelled() -> None:
        if feedback.isCanceled():
            raise _Cancelled

    try:
        write_report(_in_one_file(tool, written, working_file, context), html, stop_when_cancelled)
    except _Cancelled:
        files = sorted({source.split("|")[0] for source in written.values()})
        raise QgsProcessingException("The run was cancelled while its report was made. Its layers were complete and "
                                     f"stay: {', '.join(files)}") from None
    except NoLevelsError:
        raise NothingToReport("There is no report on arrival times: it is about levels in dB.") from None
    except Exception as problem:  # the results are good and stay, whatever is wrong with their report
        feedback.pushWarning(f"The report could not be made: {problem}")
        return None
    return str(html)
