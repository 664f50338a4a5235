# SPDX-License-Identifier: GPL-3.0-or-later
"""The executable's messages in the words of the dialog. Imports no QGIS."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Mapping

from .description import Parameter


def in_words_of_dialog(message: str, parameters: list[Parameter],
                       copies: Mapping[str, str] = MappingProxyType({})) -> str:
    """Spellings of the command line become labels, and temporary copies the names of their layers.

    copies: path of a temporary file → what it stands for.
    """
    for path, name in copies.items():
        message = message.replace(path, name)
    for parameter in sorted(parameters, key=lambda item: -len(item.name)):
        label = f"“{parameter.label}”"
        name, option = re.escape(parameter.name), re.escape(parameter.option)
        message = re.sub(rf"\b{name} \({option}\)", label, message)
        message = re.sub(rf"{option}(?![-\w])", label, message)
        if "_" in parameter.name:
            message = re.sub(rf"\b{name}\b", label, message)
    return message
