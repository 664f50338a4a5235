# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of tools, for programs that run many of them one after the other."""
import json
import subprocess
import sys


def figures_of(executable, tool, *parameters):
    """Runs the tool, which may write over earlier results; returns the figures of its outcome by name.

    Raises SystemExit, with what the tool says on standard error, when the tool fails.
    """
    process = subprocess.run([executable, tool, *map(str, parameters), "--overwrite", "--progress", "json"],
                             capture_output=True, text=True, check=False)
    if process.returncode != 0:
        sys.exit(f"{tool}: {process.stderr}")
    return json.loads(process.stdout.splitlines()[-1])["figures"]
