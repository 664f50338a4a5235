# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of the executable beside QGIS, one after the other, as one task of QGIS's task manager."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qgis.core import QgsTask
from qgis.PyQt.QtCore import pyqtSignal

from ..description import Description, Tool
from ..runner import RunCancelled, RunFailed, run_tool
from .calls import Call
from ..wording import Wording


class _Feedback:
    """What the runner tells, on its way to a task."""

    def __init__(self, task: "ExplainTask") -> None:
        self._task = task

    def isCanceled(self) -> bool:  # noqa: N802, the runner's names
        return self._task.isCanceled()

    def setProgress(self, percent: float) -> None:  # noqa: N802
        self._task.setProgress(percent)

    def setProgressText(self, text: str) -> None:  # noqa: N802
        self._task.stage_begun.emit(text)

    def pushInfo(self, text: str) -> None:  # noqa: N802
        pass

    def pushWarning(self, text: str) -> None:  # noqa: N802
        self._task.warnings.append(text)

    def reportError(self, text: str, fatal: bool = False) -> None:  # noqa: N802
        self._task.warnings.append(text)


class ExplainTask(QgsTask):
    """result: what the last call gave, as the executable says it. problem: why there is none, "" when cancelled.

    parameters: those that the last call had. Warnings and problem are in the words of the dialogs.
    """

    stage_begun = pyqtSignal(str)
    ended = pyqtSignal()

    def __init__(self, executable: Path, calls: list[Call], description: Description) -> None:
        super().__init__(calls[-1].tool.title, QgsTask.Flag.CanCancel)
        self._executable, self._calls, self._description = executable, calls, description
        self.result: dict[str, Any] | None = None
        self.parameters: dict[str, Any] = {}
        self.problem = ""
        self.warnings: list[str] = []

    def run(self) -> bool:
        """In a thread of its own."""
        try:
            result: dict[str, Any] = {}
            for call in self._calls:
                self.warnings = []  # those about files made anew were told when the layer was made
                self.parameters = call.parameters | (call.from_result(result) if call.from_result else {})
                result = self._run(call.tool)
            self.result = result
        except RunCancelled:
            return False
        except RunFailed as problem:
            self.problem = str(problem)
            return False
        except Exception as problem:  # an exception that leaves a task's thread would take QGIS with it
            self.problem = f"{type(problem).__name__}: {problem}"
            return False
        return True

    def _run(self, tool: Tool) -> dict[str, Any]:
        in_words = Wording(tool, self._description).of_dialog
        try:
            return run_tool([self._executable, tool.id], self.parameters, _Feedback(self), in_words=in_words)
        except RunFailed as problem:
            raise RunFailed(in_words(str(problem)), problem.code) from None

    def finished(self, result: bool) -> None:
        """In the thread of the windows."""
        self.ended.emit()
