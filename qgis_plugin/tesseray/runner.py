# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a tool of the executable in a process of its own. Imports no QGIS.

The parameters go in as one JSON line on standard input, which then stays open: its end cancels the run, also when QGIS
dies. Progress, warnings and errors come as JSON lines on standard error, the result as one JSON object on standard
output (docs/command_line.md).
"""

from __future__ import annotations

import collections
import json
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import IO, Any, Callable, Protocol, Sequence

from .executable import child_environment, no_window

POLL_S = 0.1
# How long a cancelled run may take to clean up before it is killed; the promise is 1 s altogether.
CANCEL_PATIENCE_S = 0.7
# A line of remaining time in the log now and then, not with every step.
ETA_INTERVAL_S = 10
LAST_LINES = 12
PARTIAL_STATUS = 4
CANCELLED_STATUS = 130


class Feedback(Protocol):
    """What the runner tells; QgsProcessingFeedback is one."""

    def isCanceled(self) -> bool: ...  # noqa: N802
    def setProgress(self, percent: float) -> None: ...  # noqa: N802
    def setProgressText(self, text: str) -> None: ...  # noqa: N802
    def pushInfo(self, text: str) -> None: ...  # noqa: N802
    def pushWarning(self, text: str) -> None: ...  # noqa: N802
    def reportError(self, text: str, fatal: bool = False) -> None: ...  # noqa: N802


class RunFailed(Exception):
    """The run gave no result. The text says what, where and what to do. code: as the executable names it."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class RunCancelled(Exception):
    """The run was cancelled, and nothing half-written is left."""


def text_of(error: dict[str, Any]) -> str:
    """An error object as two lines: where and what (both in its message), and what to do."""
    message, hint = str(error.get("message", "it failed")), str(error.get("hint", ""))
    begins_with_file = message.startswith(str(error.get("file") or "\0"))
    first = message if begins_with_file else message[:1].upper() + message[1:]
    first += "" if message.endswith("?") else "."
    return f"{first}\n{hint[:1].upper()}{hint[1:]}." if hint else first


def _signal_name(number: int) -> str:
    try:
        return f"signal {number}, {signal.Signals(number).name}"
    except ValueError:
        return f"signal {number}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


class _Listener:
    """Turns the lines of standard error into feedback."""

    def __init__(self, feedback: Feedback, in_words: Callable[[str], str]) -> None:
        self._feedback, self._in_words = feedback, in_words
        self._stage = ""
        self._eta_told_at = 0.0
        self.error: dict[str, Any] | None = None
        self.last_lines: collections.deque[str] = collections.deque(maxlen=LAST_LINES)

    def hear(self, line: str) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            self._hear_text(line)
        elif "stage" in said:
            self._hear_progress(said)
        elif "warning" in said:
            self._feedback.pushWarning(self._in_words(str(said["warning"].get("message", said["warning"]))))
        elif "error" in said:
            self.error = said["error"]

    def _hear_text(self, line: str) -> None:
        """What is no JSON comes from a library or a crash: shown as it is, and kept for the message of a crash."""
        if line.strip():
            self.last_lines.append(line.rstrip())
            self._feedback.pushInfo(line.rstrip())

    def _hear_progress(self, said: dict[str, Any]) -> None:
        stage, eta_s, now = str(said["stage"]), said.get("eta_s"), time.monotonic()
        if stage != self._stage:
            self._stage, self._eta_told_at = stage, now
            self._feedback.setProgressText(stage[:1].upper() + stage[1:])
        elif eta_s and now - self._eta_told_at > ETA_INTERVAL_S:
            self._eta_told_at = now
            self._feedback.setProgressText(f"{stage[:1].upper()}{stage[1:]}: {_duration(eta_s)} left")
        self._feedback.setProgress(100.0 * float(said.get("progress", 0)))


def _read_lines(stream: IO[bytes], name: str, lines: "queue.Queue[tuple[str, str | None]]") -> None:
    """Puts every line of a stream into the queue, and None at its end."""
    for line in stream:
        lines.put((name, line.decode("utf-8", "replace")))
    lines.put((name, None))


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Asks the process to end by closing its standard input, and kills it when it does not."""
    try:
        if process.stdin and not process.stdin.closed:
            process.stdin.close()
    except OSError:
        pass  # it is gone already
    try:
        process.wait(CANCEL_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _crash_message(status: int, last_lines: Sequence[str]) -> str:
    how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
    told = "\nIts last lines:\n" + "\n".join(last_lines) if last_lines else "\nIt said nothing."
    return f"tesseray {how} without a result. Nothing half-written is used; please report it.{told}"


def _outcome(status: int, listener: _Listener, output: str) -> dict[str, Any]:
    """The result object. Throws RunFailed or RunCancelled."""
    if listener.error is not None and status != CANCELLED_STATUS:
        raise RunFailed(text_of(listener.error), str(listener.error.get("code", "")))
    if status == CANCELLED_STATUS:
        raise RunCancelled("The run was cancelled from outside.")
    if status not in (0, PARTIAL_STATUS):
        raise RunFailed(_crash_message(status, listener.last_lines), "crash")
    try:
        return json.loads(output)
    except ValueError:
        raise RunFailed(f"tesseray ended without its result:\n{output[-500:]}", "no_result") from None


def run_tool(command: Sequence[str | Path], parameters: dict[str, Any], feedback: Feedback,
             process_events: Callable[[], None] | None = None,
             in_words: Callable[[str], str] = str) -> dict[str, Any]:
    """Runs `command` and returns its result object.

    command: the executable, the tool and options; `--json - --cancel-on-eof` is added. parameters: name → value.
    process_events: called while waiting, where the caller is the thread of the windows. in_words: what turns a warning
    into the words of the caller. Throws RunFailed, RunCancelled.
    """
    arguments = [str(word) for word in command] + ["--json", "-", "--cancel-on-eof", "--progress", "json"]
    try:
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=child_environment(), **no_window())
    except OSError as problem:
        raise RunFailed(f"{command[0]} cannot be started: {problem}", "not_started") from None
    lines: queue.Queue[tuple[str, str | None]] = queue.Queue()
    readers = [threading.Thread(target=_read_lines, args=(stream, name, lines), daemon=True)
               for stream, name in ((process.stdout, "output"), (process.stderr, "error"))]
    for reader in readers:
        reader.start()
    listener, output = _Listener(feedback, in_words), []
    try:
        _send(process, parameters)
        open_streams = len(readers)
        while open_streams:
            if feedback.isCanceled():
                raise RunCancelled("The run was cancelled.")
            if process_events:
                process_events()
            try:
                name, line = lines.get(timeout=POLL_S)
            except queue.Empty:
                continue
            if line is None:
                open_streams -= 1
            elif name == "output":
                output.append(line)
            else:
                listener.hear(line)
        status = process.wait()
    finally:
        _stop(process)
        for reader in readers:
            reader.join(timeout=1)
        for stream in (process.stdout, process.stderr):
            stream.close()
    return _outcome(status, listener, "".join(output))


def _send(process: "subprocess.Popen[bytes]", parameters: dict[str, Any]) -> None:
    """The parameters as one line. A process that is gone says why by its status."""
    try:
        process.stdin.write(json.dumps(parameters, ensure_ascii=False).encode("utf-8") + b"\n")
        process.stdin.flush()
    except OSError:
        return
