# SPDX-License-Identifier: GPL-3.0-or-later
"""The help beside a tool's dialog: a picture, what the tool does, and every parameter. Imports no QGIS."""

from __future__ import annotations

from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Mapping

from .description import Description, Parameter, Tool
from .wording import Wording

PICTURES = Path(__file__).with_name("help")
ICONS = Path(__file__).with_name("icons")
PICTURE_WIDTH = 220


def picture_of(tool: Tool) -> Path | None:
    """The tool's own picture; a tool without one has none."""
    picture = PICTURES / f"{tool.id}.png"
    return picture if picture.is_file() else None


def icon_of(tool: Tool | None = None) -> Path:
    """The tool's icon, or the plugin's."""
    own = ICONS / f"{tool.id}.svg" if tool else ICONS / "tesseray.svg"
    return own if own.is_file() else ICONS / "tesseray.svg"


def _values(parameter: Parameter) -> str:
    """ (1 … 20 m) of a number, or its choices."""
    unit = f" {parameter.unit}" if parameter.unit else ""
    if parameter.choices:
        return f" ({', '.join(parameter.choices)})"
    if parameter.minimum is not None and parameter.maximum is not None:
        return f" ({parameter.minimum:g} … {parameter.maximum:g}{unit})"
    return f" ({parameter.unit})" if parameter.unit else ""


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _paragraph(html: str) -> str:
    """In the colour of the theme's texts: those that QGIS gives to p and b are for light themes."""
    return f'<div style="margin-top: 10px; margin-bottom: 10px">{html}</div>'


def _item(label: str, text: str) -> str:
    return _paragraph(f"<strong>{escape(label, quote=False)}</strong><br/>{escape(text, quote=False)}")


def _items(parameters: list[Parameter], wording: Wording) -> list[str]:
    return [_item(parameter.label, _sentence(wording.of_dialog(parameter.help)) + _values(parameter))
            for parameter in parameters]


def html_of(tool: Tool, description: Description, pages: Mapping[str, str] = MappingProxyType({})) -> str:
    """The whole help text. pages: label → help of what is made from the tool's results."""
    picture = picture_of(tool)
    image = _paragraph(f'<img src="{picture.as_uri()}" width="{PICTURE_WIDTH}"/>') if picture else ""
    inputs = [parameter for parameter in [*tool.parameters, *description.options] if not parameter.is_destination]
    wording = Wording(tool, description)
    groups = {"Inputs": _items([parameter for parameter in inputs if not parameter.advanced], wording),
              "Advanced": _items([parameter for parameter in inputs if parameter.advanced], wording),
              "Outputs": [*_items([parameter for parameter in tool.parameters if parameter.is_destination], wording),
                          *(_item(label, _sentence(text)) for label, text in pages.items())]}
    lists = "".join(f"<h3>{title}</h3>{''.join(items)}" for title, items in groups.items() if items)
    # QGIS begins a paragraph, in whose colour everything would be.
    return f"</p>{image}{_paragraph(escape(wording.of_dialog(tool.help), quote=False))}{lists}"
