#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How well a run tells the time that it still needs: the greatest error of the total that is predicted after the first
tenth of each stage, as a row of a Markdown table per stage.

Usage: progress_accuracy.py EXECUTABLE TOOL PARAMETERS...

Runs the tool with --progress json. At each line after the first tenth the predicted total of the stage is what has gone
by and what is said to be left; beside wall seconds, the same in processor seconds, which other work does not disturb.
Stages shorter than MIN_SECONDS (environment, default 1) are left out.
"""
import json
import os
import subprocess
import sys
import time


def processor_seconds(process: subprocess.Popen) -> float:
    """Of a running process so far, all threads."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told_progress(command: list[str]) -> dict[str, list[tuple[float, float, float]]]:
    """Per stage: progress, wall and processor seconds at each line; raises RuntimeError when the run fails."""
    lines, stage = {}, None
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        for text in process.stderr:
            line = json.loads(text)
            if "error" in line:
                raise RuntimeError(line["error"]["message"])
            if "stage" in line:
                # A stage that is named again begins anew.
                if line["stage"] != stage:
                    stage = line["stage"]
                    lines[stage] = []
                lines[stage].append((line["progress"], time.monotonic(), processor_seconds(process)))
    return lines


def greatest_errors(lines: list[tuple[float, float, float]]) -> tuple[float, float, float, float]:
    """Seconds and processor seconds of a stage, and the greatest relative error of each when predicted."""
    _, wall_begin, processor_begin = lines[0]
    _, wall_end, processor_end = lines[-1]
    errors = [(0.0, 0.0)]
    for progress, wall, processor in lines:
        totals = wall_end - wall_begin, processor_end - processor_begin
        gone = wall - wall_begin, processor - processor_begin
        # The first tenth of the time, and of what is said.
        if progress > 0 and gone[1] >= 0.1 * totals[1]:
            errors.append(tuple(abs(part / progress / total - 1) for part, total in zip(gone, totals)))
    return (wall_end - wall_begin, processor_end - processor_begin,
            max(error[0] for error in errors), max(error[1] for error in errors))


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    least_s = float(os.environ.get("MIN_SECONDS", "1"))
    print("| stage | s | processor s | greatest error of the total | of the processor's |\n|---|---|---|---|---|")
    for stage, lines in told_progress([*sys.argv[1:], "--progress", "json"]).items():
        if lines[-1][1] - lines[0][1] < least_s:
            continue
        wall, processor, wall_error, processor_error = greatest_errors(lines)
        print(f"| {stage} | {wall:.1f} | {processor:.1f} | {100 * wall_error:.0f} % | {100 * processor_error:.0f} % |")


if __name__ == "__main__":
    main()
