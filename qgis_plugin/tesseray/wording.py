# SPDX-License-Identifier: GPL-3.0-or-later
"""The executable's words in those of the toolbox: labels for parameters, titles for tools. Imports no QGIS."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Iterable, Mapping

from .description import Description, Parameter, Tool

# What names something of the user's: quoted texts, paths up to the last slash before a mark or the end of a word, and
# fields as they are listed.
_NAMES = (r"""“[^”]*”|(?<!\w)"[^"\n]*"|(?<!\w)'[^\n]*?'(?!\w)"""
          r"""|[\w.~:-]*[/\\](?=\S)(?:[^:;,'"“”\n]*[/\\])?\S*"""
          r"""|\bfields: [^.)\n]*""")
# Parameters whose names are also words of the language.
_ALSO_WORDS = frozenset({"CRS", "DEM", "ERP", "MSI"})
# One that a dot, a hyphen or an equals sign joins to more is part of a file's name; layers and fields may be called so.
_ALONE = r"(?<![\w.=-])(?<!layer )(?<!field ){}(?![\w-]|\.\w)"


def _kept(layers: Iterable[str]) -> re.Pattern[str]:
    """What names something of the user's, also at the begin of a line (“roofs: 3 features …”) and behind “layer”."""
    longer_first = sorted(filter(None, layers), key=len, reverse=True)  # some begin as others do
    names = "|".join(map(re.escape, longer_first))
    of_layers = rf"^(?:{names})(?=[:,])|\blayer (?:{names})(?!\w)|" if names else ""
    return re.compile(f"({of_layers}{_NAMES})", re.MULTILINE)


class Wording:
    """Knows the labels of all tools' parameters, those of the tool itself first, and the titles of the tools."""

    def __init__(self, tool: Tool, description: Description) -> None:
        self._words: list[tuple[str, str, str]] = []
        # Messages name parameters of earlier tools, too.
        others = (parameter for other in description.tools for parameter in other.parameters)
        known: dict[str, Parameter] = {}
        for parameter in (*tool.parameters, *description.options, *others):
            known.setdefault(parameter.name, parameter)
        # Longer names first: some begin as others do.
        for parameter in sorted(known.values(), key=lambda item: -len(item.name)):
            label = f"“{parameter.label}”"
            name, option = re.escape(parameter.name), re.escape(parameter.option)
            self._add(parameter.name, rf"\b{name} \({option}\)", label)
            self._add(parameter.option, rf"{option}(?![-\w])", label)
            if parameter.name in _ALSO_WORDS:
                # “Layer > Set CRS” is in QGIS's menu.
                self._add(parameter.name, rf"(?:(?<=\b[Ll]eave )|(?<=\b[Ss]et )(?<!> Set )){name}\b", label)
            else:
                self._add(parameter.name, rf"\b{name}\b" if "_" in name else _ALONE.format(name), label)
        for other in description.tools:
            self._add(other.id, _ALONE.format(re.escape(other.id)), f"“{other.title}”")
        self._add("--help", r" \(--help\)", "")  # the dialog shows the help beside the parameters

    def _add(self, name: str, pattern: str, word: str) -> None:
        """name: what is in each text that the pattern matches."""
        self._words.append((name, pattern, word))

    def of_dialog(self, text: str, copies: Mapping[str, str] = MappingProxyType({}), layers: Iterable[str] = ()) -> str:
        """`text` with labels and titles. copies: path of a temporary file → what it stands for. layers: the names of
        those that are read.

        Paths and quoted names stay as they are, and names of layers where a message says of which it is.
        """
        for path, name in copies.items():
            text = text.replace(path, name)
        passages = _kept(layers).split(text)
        passages[::2] = map(self._with_labels, passages[::2])
        return "".join(passages)

    def _with_labels(self, text: str) -> str:
        for name, pattern, word in self._words:
            # There are hundreds, and a text names few: to compile all would take longer than many a run.
            if name in text:
                text = re.sub(pattern, lambda _, word=word: word, text)
        return text
