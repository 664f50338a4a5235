# SPDX-License-Identifier: GPL-3.0-or-later
"""The executable's words in those of the toolbox: labels for parameters, titles for tools. Imports no QGIS."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Mapping

from .description import Description, Tool


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
            self._add(rf"\b{re.escape(other.id)}\b", f"“{other.title}”")

    def _add(self, pattern: str, word: str) -> None:
        self._words.append((re.compile(pattern), word))

    def of_dialog(self, text: str, copies: Mapping[str, str] = MappingProxyType({})) -> str:
        """`text` with labels and titles. copies: path of a temporary file → what it stands for."""
        for path, name in copies.items():
            text = text.replace(path, name)
        for pattern, word in self._words:
            text = pattern.sub(lambda _, word=word: word, text)
        return text
