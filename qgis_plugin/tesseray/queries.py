# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of layers that are whole queries: the table that their rows are from. Imports no QGIS."""

from __future__ import annotations

import itertools
import re
from typing import Iterator

_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|\w+|\S""", re.DOTALL)
# What follows the tables of a query.
_AFTER_TABLES = {"WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", ";"}
_IS_NAME = re.compile(r'\w|["`\[]')


def is_query(subset: str) -> bool:
    """Whether a filter is a whole query and no condition."""
    return subset.lstrip().upper().startswith("SELECT")


def table_of_query(query: str) -> str:
    """The table that a query shows rows of; "" where they are from several, or it cannot be told."""
    words = list(_words_outside_of_brackets(query))
    if sum(word.upper() == "FROM" for word in words) != 1:
        return ""
    behind = itertools.dropwhile(lambda word: word.upper() != "FROM", words)
    table, *alias = [*itertools.takewhile(lambda word: word.upper() not in _AFTER_TABLES, behind)][1:] or [""]
    is_alone = len(alias) < 2 or (len(alias) == 2 and alias[0].upper() == "AS")
    return _unquoted(table) if is_alone and all(map(_IS_NAME.match, (table, *alias))) else ""


def _words_outside_of_brackets(query: str) -> Iterator[str]:
    """Names, quoted or not, and signs; of what stands in brackets the opening one alone. Comments are left out."""
    depth = 0
    for word in _TOKEN.findall(query):
        if word == ")":
            depth -= 1
        elif depth == 0 and not word.startswith(("--", "/*")):
            yield word
        if word == "(":
            depth += 1


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name[0] in '"`[' else name
