# SPDX-License-Identifier: GPL-3.0-or-later
"""What `tesseray describe --json` says, as Python objects. Imports no QGIS."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field, fields, replace
from typing import Any

# The executables that this plugin takes: the first version, and the first that is too new.
OLDEST_VERSION = (0, 1)
FIRST_TOO_NEW_VERSION = (2, 0)
SCHEMA_VERSION = 1

LAYER_KINDS = frozenset({"vector polygon", "vector point", "vector any", "table"})
INPUT_KINDS = LAYER_KINDS | {"raster", "field", "number", "distance", "string", "enum", "crs", "extent", "point", "boolean",
                             "file"}
KNOWN_KINDS = INPUT_KINDS | {"layer destination", "file destination"}


class UnsupportedDescription(Exception):
    """The executable is of a version that this plugin does not know how to use, or says nothing readable."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a tool; every key of docs/command_line.md's `describe` that the plugin acts on."""

    name: str
    label: str
    help: str
    kind: str
    default: Any = None
    unit: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = field(default_factory=list)
    other_texts: bool = False
    integer: bool = False
    multiple: bool = False
    optional: bool = False
    advanced: bool = False
    parent: str | None = None
    extension: str | None = None
    layer: str | None = None
    beside: list[str] = field(default_factory=list)
    needs: str | None = None
    skipped_by_default: bool = False
    content: str | None = None
    within: str | None = None
    crs_from: list[str] = field(default_factory=list)
    companions: list[str] = field(default_factory=list)
    folder_of: str | None = None
    kept_as: str | None = None
    collects_layers: bool = False

    @property
    def is_layer_destination(self) -> bool:
        return self.kind == "layer destination"

    @property
    def is_file_destination(self) -> bool:
        return self.kind == "file destination"

    @property
    def is_raster_destination(self) -> bool:
        """A file that QGIS can show as a layer."""
        return self.is_file_destination and self.extension == "tif"

    @property
    def is_destination(self) -> bool:
        return self.is_layer_destination or self.is_file_destination

    @property
    def is_layer(self) -> bool:
        """An input that is a vector layer or table."""
        return self.kind in LAYER_KINDS

    @property
    def option(self) -> str:
        """The command line's spelling: HEIGHT_FIELD → --height-field."""
        return "--" + self.name.lower().replace("_", "-")


@dataclass(frozen=True)
class Output:
    """A layer or file that a tool gives. layer, geometry: of a layer, as OGR spells the type ("None": a table)."""

    name: str
    label: str
    kind: str
    layer: str | None = None
    geometry: str | None = None

    @property
    def shape(self) -> str:
        """The geometry's own word: "Polygon Z" and "MultiPolygon" → "Polygon"; "" for an unknown one."""
        return (self.geometry or "").split(" ")[0].removeprefix("Multi")


@dataclass(frozen=True)
class PieceMemory:
    """The least memory: bytes_per_piece × area of the extent (or of the layer) / piece_area. Names of parameters."""

    layer: str
    extent: str
    piece_area: str
    bytes_per_piece: int


@dataclass(frozen=True)
class Tool:
    """A tool of the executable."""

    id: str
    title: str
    group: str
    help: str
    roles: list[str]
    parameters: list[Parameter]
    outputs: list[Output]
    memory: PieceMemory | None = None

    def parameter(self, name: str) -> Parameter:
        return next(parameter for parameter in self.parameters if parameter.name == name)

    def output(self, name: str) -> Output:
        return next(output for output in self.outputs if output.name == name)

    @property
    def layer_outputs(self) -> list[Output]:
        return [output for output in self.outputs if output.kind == "layer"]

    @property
    def collector(self) -> Parameter | None:
        """The file that takes every layer without a destination of its own."""
        return next((parameter for parameter in self.parameters if parameter.collects_layers), None)


@dataclass(frozen=True)
class Description:
    """All tools of an executable, and the options that each of their runs takes.

    left_out: what a later version has and this plugin does not know, in words; "" for nothing.
    """

    version: str
    options: list[Parameter]
    tools: list[Tool]
    left_out: str = ""


def _known(kind: type, values: dict[str, Any]) -> Any:
    """A dataclass from JSON; keys of later versions that it does not know are left out."""
    return kind(**{item.name: values[item.name] for item in fields(kind) if item.name in values})


def _tool(values: dict[str, Any]) -> Tool:
    memory = values.get("memory")
    return _known(Tool, {**values, "parameters": [_known(Parameter, item) for item in values["parameters"]],
                         "outputs": [_known(Output, item) for item in values["outputs"]],
                         "memory": _known(PieceMemory, memory) if memory else None})


@dataclass(frozen=True)
class _Choice:
    """The parameters of which this plugin knows the kind, and those of later versions that it leaves out.

    Left out are those, too, that say how one of these is read: its fields, say.
    """

    known: list[Parameter]
    left_out: list[Parameter]

    @staticmethod
    def of(parameters: list[Parameter]) -> "_Choice":
        left_out = [parameter for parameter in parameters if parameter.kind not in KNOWN_KINDS]
        names = {parameter.name for parameter in left_out}
        left_out += [parameter for parameter in parameters
                     if parameter not in left_out and names & {parameter.parent, parameter.within}]
        known = [replace(parameter, crs_from=[name for name in parameter.crs_from if name not in names])
                 for parameter in parameters if parameter not in left_out]
        return _Choice(known, left_out)

    @property
    def is_enough(self) -> bool:
        """Whether a run can do without what is left out."""
        return all(parameter.optional or parameter.default is not None for parameter in self.left_out)


def _description(version: str, options: list[Parameter], tools: list[Tool]) -> Description:
    """As far as this plugin knows the kinds of parameters: a program of a later version may have others."""
    of_runs, taken = _Choice.of(options), []
    left_out = [f"“{parameter.label}”" for parameter in of_runs.left_out]
    for tool in tools:
        choice = _Choice.of(tool.parameters)
        if choice.is_enough and of_runs.is_enough:
            taken.append(replace(tool, parameters=choice.known))
            left_out += [f"“{parameter.label}” of “{tool.title}”" for parameter in choice.left_out]
        else:
            left_out.append(f"the tool “{tool.title}”")
    words = f"The program is of the later version {version}, and this plugin does not know all that it takes. Left out: " \
            f"{', '.join(left_out)}. Install the plugin that came with the program." if left_out else ""
    return Description(version, of_runs.known, taken, words)


def check_version(version: str) -> None:
    """Throws UnsupportedDescription, saying which versions are taken."""
    try:
        numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
    except ValueError:
        raise UnsupportedDescription(f"it calls itself version “{version}”, which is no version number") from None
    if OLDEST_VERSION <= numbers < FIRST_TOO_NEW_VERSION:
        return
    oldest, newest = (".".join(map(str, numbers)) for numbers in (OLDEST_VERSION, FIRST_TOO_NEW_VERSION))
    raise UnsupportedDescription(f"it is version {version}, and this plugin takes {oldest} and later, below {newest}")


@functools.lru_cache(maxsize=4)
def parse_description(text: str) -> Description:
    """What `describe --json` printed. Throws UnsupportedDescription.

    QGIS asks every algorithm again and again whether it can run; the same text is parsed once.
    """
    try:
        values = json.loads(text)
        version, schema = str(values["version"]), values["schema_version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnsupportedDescription("what it says of itself is not the JSON of `tesseray describe --json`") from None
    check_version(version)
    if schema != SCHEMA_VERSION:
        raise UnsupportedDescription(f"it describes its tools by schema {schema}; this plugin reads {SCHEMA_VERSION}")
    try:
        return _description(version, [_known(Parameter, item) for item in values.get("options", [])],
                            [_tool(item) for item in values["tools"]])
    except (KeyError, TypeError, AttributeError) as problem:
        raise UnsupportedDescription(f"its description of its tools is incomplete: {problem}") from None
