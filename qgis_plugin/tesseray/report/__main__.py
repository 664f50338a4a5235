# SPDX-License-Identifier: GPL-3.0-or-later
"""The report from the command line; a message and exit status 2 where there is nothing to report on, 3 where the disk is
full."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import NoRoomError, ReportError, write_report


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tesseray.report",
                                     description="Writes a page on how well a prediction agrees with a drive test.")
    parser.add_argument("result", type=Path, metavar="RESULT.gpkg",
                        help="a GeoPackage that a prediction was compared with a drive test in")
    parser.add_argument("-o", "--output", type=Path, metavar="REPORT.html",
                        help="default: beside the GeoPackage, with its name")
    chosen = parser.parse_args(arguments)
    html = chosen.output or chosen.result.with_suffix(".html")
    try:
        write_report(chosen.result, html)
    except ReportError as problem:
        print(problem, file=sys.stderr)
        return 3 if isinstance(problem, NoRoomError) else 2
    print(html)
    return 0


if __name__ == "__main__":
    sys.exit(main())
