# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result layer's own file says about how it was made, and which runs explain it. Imports no QGIS.

Each GeoPackage of Tesseray keeps the parameters of the run that wrote it (`tesseray_runs`). A tool that explains the
result takes those that it has in common with that run. A file that it needs and that nobody kept is made anew by the
tool that makes such files, with the recorded settings. What a run keeps of a layer (its transmitters, say) takes the
layer's place, so that one that was never saved, or has changed since, does no harm.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

from ..description import Description, Parameter, Tool
from ..folders import SEPARATOR, folders_in, with_folder
from ..recorded_runs import RecordedRun, recorded_run, recorded_runs, source_in

FILE_KINDS = frozenset({"vector polygon", "vector point", "vector any", "table", "raster", "file"})
# The prediction, and what tools call the one that they go on from.
PATH_LOSS = "PATH_LOSS"
# A raster in a GeoPackage: "GPKG:town.gpkg:dem".
_GEOPACKAGE_RASTER = re.compile(r"GPKG:(.+):[^:]*")
# "PG:dbname=…", "/vsizip/…": what is no path of a file.
_CONNECTION = re.compile(r"^([A-Za-z]{2,}[A-Za-z0-9_]*:|/vsi)")


class UnknownRun(Exception):
    """Why it is not known which run predicted what a layer tells of, in words."""


@dataclass(frozen=True)
class Call:
    """One run of a tool. from_result: parameters that only the result of the call before tells."""

    tool: Tool
    parameters: dict[str, Any]
    from_result: Callable[[dict[str, Any]], dict[str, Any]] | None = None


@dataclass
class CallPlan:
    """What to run, in turn, before the explaining tool itself.

    values: the explaining tool's parameters as far as they are known. missing: those that only the user can tell.
    gone: recorded files without which those are not known. made: files made anew in the stead of those that nobody kept,
    now or earlier.
    """

    before: list[Call] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    missing: list[Parameter] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    made: list[Path] = field(default_factory=list)


def predicting_run(file: Path, layer: str, description: Description) -> RecordedRun:
    """The run that predicted what `layer` tells of: of a best server the one of the path loss that it was made from.

    Throws UnknownRun for files that Tesseray did not write, and where a file is gone.
    """
    run = _known_run(file, layer)
    tool = next((tool for tool in description.tools if tool.id == run.tool), None)
    made_from = next((parameter for parameter in tool.parameters
                      if parameter.name == PATH_LOSS and not parameter.is_destination), None) if tool else None
    if made_from is None:
        return run
    recorded = str(run.parameters.get(PATH_LOSS))
    text = _recorded_input(recorded, run).get("copy_of", "")
    original = source_in(text)
    known = recorded_run(*_file_and_layer(original)) if original else None
    if known:
        return known  # the copy may be gone, and chosen rows have numbers and transmitters of their own in it
    source = _found(recorded, run)
    if source is None or _CONNECTION.match(source):
        raise UnknownRun(f"the path loss that it was made from is gone ({text or recorded})")
    return _known_run(*_file_and_layer(source))


def _file_and_layer(path_loss: str) -> tuple[Path, str]:
    name = re.search(r"\|layername=([^|]*)", path_loss)
    return Path(_source_path(path_loss)), name[1] if name else PATH_LOSS.lower()


def _known_run(file: Path, layer: str) -> RecordedRun:
    run = recorded_run(file, layer)
    if run is None and not os.path.exists(file) and not _CONNECTION.match(str(file)):
        raise UnknownRun(f"its file is gone ({file})")
    if run is None:
        raise UnknownRun(f"its file does not tell which run made it ({file})")
    return run


def _recorded_input(source: str, run: RecordedRun) -> Mapping[str, Any]:
    """What the run recorded of the file of an input."""
    name = _source_path(source)
    return next((item for item in run.inputs if _source_path(item["path"]) == name), {})


def _source_path(source: str) -> str:
    """A source without "|layername=…" and the like."""
    return source.split("|")[0]


def _found(source: str, run: RecordedRun) -> str | None:
    """A recorded source with an absolute path; None where its file is gone.

    It is looked for where it was, and where it may have moved with the result; of two that are there the one that has its
    size. Records of before do not tell where a relative one was: there it may count from the working folder.
    """
    if _CONNECTION.match(source):
        return source
    name, recorded = _source_path(source), _recorded_input(source, run)
    places = (recorded.get("absolute_path", ""), run.file.parent / name, "absolute_path" not in recorded and name,
              _moved_along(name, run))
    there = [Path(place).absolute() for place in places if place and os.path.exists(place)]
    beside = run.file.parent.absolute() / Path(name).name  # another file may have its name there
    unchanged = [place for place in (*there, beside)
                 if os.path.isfile(place) and place.stat().st_size == recorded.get("bytes")]
    place = next(iter(unchanged + there), None)
    return str(place) + source[len(name):] if place else None


def _moved_along(name: str, run: RecordedRun) -> str:
    """The place that lies to the result as that of a recorded file lay to it when it was written; "": not known."""
    texts = (_source_path(value) for value in run.parameters.values() if isinstance(value, str))
    written = next((text for text in texts if os.path.isabs(text) and Path(text).name == run.file.name), "")
    if not written or not os.path.isabs(name):
        return ""
    return os.path.normpath(run.file.parent.absolute() / os.path.relpath(name, Path(written).parent))


def _found_folders(text: str, run: RecordedRun) -> str | None:
    """Those of several folders that are there."""
    found = [there for each in folders_in(text) if (there := _found(each, run))]
    return SEPARATOR.join(found) if found else None


def _recorded_values(tool: Tool, run: RecordedRun) -> tuple[dict[str, Any], list[Parameter]]:
    """The inputs of `tool` as the run had them, and the optional files among them that are gone."""
    values, lost = {}, []
    for parameter in tool.parameters:
        value = run.parameters.get(parameter.name)
        if parameter.is_destination or value is None:
            continue
        if parameter.kind in FILE_KINDS:
            value = _found(str(value), run)
        elif parameter.folder_of:
            value = _found_folders(str(value), run)
        if value is not None:
            values[parameter.name] = value
        elif parameter.optional:
            lost.append(parameter)
    return values, lost


def _kept(tool: Tool, run: RecordedRun) -> list[Parameter]:
    """The inputs of which all that was read is in a layer that the same run wrote to the same file."""
    kept = []
    for parameter in tool.parameters:
        writer = recorded_run(run.file, parameter.kept_as) if parameter.kept_as else None
        if writer and writer.number == run.number:
            kept.append(parameter)
    return kept


def _folder_of(source: str, run: RecordedRun) -> str:
    """The folder of a recorded file, which may be gone itself. "": not there."""
    if not source or _CONNECTION.match(source):
        return ""
    file = Path(_found(source, run) or run.file.parent / source)  # an absolute path stays as it is
    place = Path(_source_path(str(file))).parent
    return str(place) if os.path.isdir(place) else ""


def _take_kept_layer(parameter: Parameter, tool: Tool, run: RecordedRun, values: dict[str, Any]) -> None:
    """The run's own layer in place of the input, without what said how to read that one."""
    values[parameter.name] = f"{run.file.absolute()}|layername={parameter.kept_as}"
    original = str(run.parameters.get(parameter.name) or "")
    for other in tool.parameters:
        if other.parent == parameter.name or other.name in parameter.crs_from:
            values.pop(other.name, None)
        elif other.folder_of == parameter.name:
            values[other.name] = with_folder(values.get(other.name, ""), _folder_of(original, run))


def _maker(description: Description, tool: Tool, needed: Parameter) -> Tool | None:
    """The simplest tool that gives a file of that name."""
    makers = [other for other in description.tools if other.id != tool.id
              and any(item.is_file_destination and item.name == needed.name for item in other.parameters)]
    return min(makers, key=lambda maker: len(maker.parameters), default=None)


def _own_settings(maker: Tool, tool: Tool, run: RecordedRun) -> list[str]:
    """The settings that `maker` alone knows and that the run had."""
    known = {parameter.name for parameter in tool.parameters}
    return [parameter.name for parameter in maker.parameters
            if parameter.name not in known and parameter.kind not in FILE_KINDS and not parameter.is_destination
            and run.parameters.get(parameter.name) not in (None, parameter.default)]


def _digest(maker: Tool, values: Mapping[str, Any], folder: Path) -> str:
    """Changes when a setting or an input does. Files that were made in `folder` have a digest in their names."""
    state: list[Any] = [maker.id, sorted(values.items())]
    for value in values.values():
        path = Path(_source_path(str(value)))
        if path.parent != folder and os.path.isfile(path):
            state.append((path.stat().st_size, path.stat().st_mtime_ns))
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:12]


def _making(maker: Tool, needed: Parameter, run: RecordedRun, known: Mapping[str, Any], folder: Path) -> Call | None:
    """The run that makes the file for `needed` in `folder`; None when its own inputs are not all there."""
    values, lost = _recorded_values(maker, run)
    values |= {name: known[name] for name in known if any(item.name == name and not item.is_destination
                                                          for item in maker.parameters)}
    required = (item for item in maker.parameters if not item.is_destination and not item.optional
                and item.default is None)
    if lost or any(item.name not in values for item in required):
        return None
    place = folder / f"{needed.name.lower()}-{_digest(maker, values, folder)}.{needed.extension}"
    return Call(maker, {**values, needed.name: str(place)})


def _add_made_file(plan: CallPlan, description: Description, tool: Tool, parameter: Parameter, run: RecordedRun,
                   folder: Path) -> bool:
    maker = _maker(description, tool, parameter)
    if maker is None:
        return False
    call = _making(maker, parameter, run, plan.values, folder)
    if call is None:
        return False
    plan.values[parameter.name] = call.parameters[parameter.name]
    plan.made.append(Path(call.parameters[parameter.name]))
    if not os.path.exists(call.parameters[parameter.name]):
        plan.before.append(call)
    return True


def plan_calls(description: Description, tool: Tool, run: RecordedRun, folder: Path) -> CallPlan:
    """What explains a layer of `run` by `tool`; files that are made anew go to `folder`.

    The point of the map is not among the values: a parameter of the kind `point` never counts as missing.
    """
    plan = CallPlan()
    plan.values, lost = _recorded_values(tool, run)
    kept = _kept(tool, run)
    for parameter in kept:
        _take_kept_layer(parameter, tool, run, plan.values)
    for parameter in tool.parameters:
        if parameter.is_destination or parameter.kind == "point" or parameter.name in plan.values:
            continue
        required = not parameter.optional and parameter.default is None
        maker = _maker(description, tool, parameter) if parameter.kind == "file" else None
        wanted = required or parameter in lost or (maker and _own_settings(maker, tool, run))
        if wanted and not _add_made_file(plan, description, tool, parameter, run, folder):
            plan.missing.append(parameter)
            plan.gone += _gone_files([parameter, *(maker.parameters if maker else [])], run)
    return plan


def _gone_files(parameters: list[Parameter], run: RecordedRun) -> list[str]:
    """Of the files that the run read for these parameters those that are gone, as the user knows them."""
    values = (run.parameters.get(parameter.name) for parameter in parameters
              if parameter.kind in FILE_KINDS and not parameter.is_destination)
    gone = [value for value in values if value and _found(str(value), run) is None]
    return [_in_words(str(value), run) for value in gone]


def _in_words(source: str, run: RecordedRun) -> str:
    """The layer of which a recorded source was a copy, or its file."""
    recorded = _recorded_input(source, run)
    return recorded.get("copy_of") or recorded.get("absolute_path") or _source_path(source)


def changed_inputs(run: RecordedRun, written: list[Path]) -> list[str]:
    """Of the files that a run read those that are others, by their hashes, where the runs that wrote the files `written`
    have read them again; each once.

    The run's own file is left out: its results have changed it themselves.
    """
    hashes = {_source_path(item["path"]): item.get("hash") for file in written for again in recorded_runs(file)[:1]
              for item in again.inputs}
    places = ((item, _source_path(_found(item["path"], run) or "")) for item in run.inputs)
    changed = (_source_path(item["path"]) for item, place in places
               if place in hashes and hashes[place] != item.get("hash") and not _is_own_file(place, run))
    return list(dict.fromkeys(changed))


def _is_own_file(place: str, run: RecordedRun) -> bool:
    raster = _GEOPACKAGE_RASTER.fullmatch(place)
    file = raster[1] if raster else place
    return os.path.exists(file) and os.path.samefile(file, run.file)
