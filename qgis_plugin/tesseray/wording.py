# SPDX-License-Identifier: GPL-3.0-or-later
"""The executable's words in those of the toolbox: labels for parameters, titles for tools. Imports no QGIS."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Mapping

from .description import Description, Tool

# What names something of the user's: quoted texts, and paths up to the last slash before a mark or the end of a word.
_NAMES = re.compile(r"""(“[^”]*”|(?<!\w)"[^"\n]*"|(?<!\w)'[^\n]*?'(?!\w)"""
                    r"""|[\w.~:-]*[/\\](?=\S)(?:[^:;,'"“”\n]*[/\\])?\S*)""")


class Wording:
    """Knows the labels of a tool's parameters and the titles of all tools."""

    def __init__(self, tool: Tool, description: Description) -> None:
        self._words: list[tuple[re.Pattern[str], str]] = []
        # Longer names first: some begin as others do.
        for parameter in sorted([*tool.parameters, *description.options], key=lambda item: -len(item.name)):
            label = f"“{parameter.label}”"
            name, option = re.escape(parameter.name), re.escape(parameter.option)
            self._add(rf"\b{name} \({option}\)", label)
            self._add(rf"{option}(?![-\w])", label)
            # A name without an underscore may be a word of the language: CRS, DEM.
            if "_" in parameter.name:
                self._add(rf"\b{name}\b", label)
        for other in description.tools:
            # One that a dot, a hyphen or an equals sign joins to more is part of a file's name.
            # A layer may be called so, too.
            self._add(rf"(?<![\w.=-])(?<!layer ){re.escape(other.id)}(?![\w-]|\.\w)", f"“{other.title}”")

    def _add(self, pattern: str, word: str) -> None:
        self._words.append((re.compile(pattern), word))

    def of_dialog(self, text: str, copies: Mapping[str, str] = MappingProxyType({})) -> str:
        """`text` with labels and titles. copies: path of a temporary file → what it stands for.

        Paths and quoted names stay as they are.
        """
        for path, name in copies.items():
            text = text.replace(path, name)
        passages = _NAMES.split(text)
        passages[::2] = map(self._with_labels, passages[::2])
        return "".join(passages)

    def _with_labels(self, text: str) -> str:
        for pattern, word in self._words:
            text = pattern.sub(lambda _, word=word: word, text)
        return text
