# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages as files, which replace earlier pages of Tesseray's and nothing else."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

# By this in its head a page is known as one of Tesseray's.
GENERATOR = "<meta name=generator content=Tesseray>"
_HEAD_BYTES = 1024


class PageNotWritten(Exception):
    """Says of which file, why, and what to do."""


class NoRoomForPage(PageNotWritten):
    """The disk, a quota or a limit of file sizes takes no more."""


def require_replaceable(page: Path) -> None:
    """Throws PageNotWritten where a page must not be written, since it would destroy something else."""
    try:
        if not page.exists():
            return
        if not page.is_file():
            raise PageNotWritten(f"{page} exists and is no file that can be replaced. Name another file.")
        with page.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as problem:
        raise _not_written(page, problem) from problem
    if head and GENERATOR.encode() not in head:
        raise PageNotWritten(f"{page} exists and is no page that Tesseray wrote, so it is not replaced. "
                             "Name another file, or delete this one.")


def write_page(text: str, page: Path) -> None:
    """Writes the page, as a whole or not at all; where its name is a link, to what that leads to.

    Throws PageNotWritten.
    """
    require_replaceable(page)
    file = page.resolve()
    try:
        # In a folder, since a temporary file alone would be nobody's but its owner's to read.
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=file.parent) as folder:
            unfinished = Path(folder, "page.html")
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(file)
    except OSError as problem:
        raise _not_written(page, problem) from problem


def _not_written(page: Path, problem: OSError) -> PageNotWritten:
    if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return NoRoomForPage(f"{page} cannot be written: the disk (or a quota or file-size limit) is full "
                             f"({problem.strerror}). Free some space, or name a file on another disk.")
    return PageNotWritten(f"{page} cannot be written ({problem.strerror}). Name a file in a folder that exists and that "
                          "you may write to.")
