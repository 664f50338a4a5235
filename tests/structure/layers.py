#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may include whom: the table of folders in docs/architecture.md, checked on every source file.

Usage: layers.py [REPOSITORY]      prints each include that the table does not allow, and each row that docs and data
                                   do not have in common; exit status 1 if there is one.
"""
import fnmatch
import pathlib
import re
import sys

# Each folder may include itself, these, and what these may include: data flows one way. A folder that has rows below it
# stands for the files directly in it.
FOLDERS = {
    "core/base": [],
    "core/geometry": ["core/base"],
    "core/physics": ["core/geometry"],
    "core/scene": ["core/geometry"],
    "core/scene/ground_plan": ["core/scene"],
    "core/scene/landscape": ["core/scene/ground_plan"],
    "core/scene/footprints": ["core/scene/ground_plan"],
    "core/scene/clean_up": ["core/scene/footprints", "core/scene/landscape"],
    "core/scene/file": ["core/scene"],
    "core/tiling": ["core/scene/landscape"],
    "core/visibility": ["core/tiling"],
    "core/visibility/occlusion": ["core/visibility"],
    "core/visibility/search": ["core/visibility/occlusion"],
    "core/visibility/rows": ["core/visibility/search"],
    "core/visibility/file": ["core/visibility/rows"],
    "core/visibility/updates": ["core/visibility/file"],
    "core/propagation/rays": ["core/physics", "core/visibility/file"],
    "core/propagation/rows": ["core/propagation/rays"],
    "core/propagation/vegetation": ["core/propagation/rows"],
    "core/propagation/rooftops": ["core/propagation/rays"],
    "core/propagation/tubes": ["core/propagation/vegetation"],
    "core/propagation/scattering": ["core/propagation/tubes"],
    "core/propagation/launching": ["core/propagation/scattering", "core/propagation/rooftops"],
    "core/propagation/images": ["core/propagation/tubes"],
    "core/prediction": ["core/propagation/launching", "core/propagation/images"],
    "core/comparison": ["core/prediction"],
    "core/io/sources": ["core/comparison"],
    "core/io/antennas": ["core/io/sources"],
    "core/io/readers": ["core/io/antennas"],
    "core/io/results": ["core/io/antennas", "core/scene/file"],
    "cuda": ["core/comparison"],
    "processing_algorithms/run": ["core/io/readers", "core/io/results", "cuda/backend.h"],
    "processing_algorithms/stages": ["processing_algorithms/run"],
    "processing_algorithms/command_line": ["processing_algorithms/run", "processing_algorithms/registry.h"],
    "processing_algorithms": ["processing_algorithms/stages", "processing_algorithms/command_line"],
    "tests": ["processing_algorithms", "cuda", "core/scene/clean_up", "core/visibility/updates"],
}

# Libraries and the only folders (or files) that may know them; what is not listed is a standard or system header.
LIBRARIES = {
    "GDAL": (["gdal*", "ogr*", "cpl_*"], ["core/io", "tests"]),
    "PROJ": (["proj.h", "proj_*"], ["core/io", "tests"]),
    "SQLite": (["sqlite3*"], ["core/io", "tests"]),
    "GEOS": (["geos*"], ["core/scene/*.cpp", "tests"]),
    "Embree": (["embree*"], ["tests"]),
    "CUDA": (["cuda*", "cub/*", "thrust/*"], ["cuda", "tests/gpu"]),
    "oneTBB": (["tbb/*", "oneapi/tbb*"], ["core", "processing_algorithms", "tests"]),
    "CLI11": (["CLI/*"], ["processing_algorithms", "tests/bench"]),
    "JSON": (["nlohmann/*"], ["processing_algorithms", "tests"]),
    "spdlog": (["spdlog/*"], ["processing_algorithms"]),
    "Boost": (["boost/*"], ["tests/support/emulated_gpu"]),
    "GoogleTest": (["gtest/*", "gmock/*"], ["tests"]),
    "Google Benchmark": (["benchmark/*"], ["tests/bench"]),
}
ONE_FILE_ONLY = {"GEOS": "core/scene"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".hpp", ".inc"}


def reachable(folder):
    found = [folder]
    for other in FOLDERS.get(folder, []):
        found += reachable(other)
    return found


def folder_of(path):
    """The row of the table that a file of the repository belongs to."""
    folder = max((f for f in FOLDERS if path.startswith(f + "/")), key=len, default=None)
    is_divided = any(f.startswith(f"{folder}/") for f in FOLDERS)
    return None if is_divided and path.rpartition("/")[0] != folder else folder


def lies_in(path, places):
    return any(fnmatch.fnmatch(path, p) if "*" in p else path == p or path.startswith(p + "/") for p in places)


def library_of(header):
    return next((name for name, (patterns, _) in LIBRARIES.items()
                 if any(fnmatch.fnmatch(header, p) for p in patterns)), None)


def offences_in(path, text):
    """Each forbidden include of one file, as a sentence."""
    folder = folder_of(path)
    if folder is None:
        yield f"{path}: lies in no folder of the table"
        return
    for bracket, header in INCLUDE.findall(text):
        library = library_of(header)
        if folder_of(header):
            if not {header, folder_of(header)} & set(reachable(folder)):
                yield f"{path}: {folder} may not include {header}"
        elif library:
            if not lies_in(path, LIBRARIES[library][1]):
                yield f"{path}: {library} ({header}) belongs to {' and '.join(LIBRARIES[library][1])} alone"
        elif bracket == '"' and folder != "tests":  # a bare name would hide the folder; tests may know all folders
            yield f'{path}: "{header}" is not named from the repository root'


def offences(sources):
    """sources: path from the repository root → text."""
    users = {library: set() for library in ONE_FILE_ONLY}
    for path, text in sorted(sources.items()):
        yield from offences_in(path, text)
        for _, header in INCLUDE.findall(text):
            library = library_of(header)
            if library in users and path.startswith(ONE_FILE_ONLY[library] + "/"):
                users[library].add(path)
    for library, paths in users.items():
        if len(paths) > 1:
            yield f"{library} is included by more than one file: {', '.join(sorted(paths))}"


def documented_rows(page):
    """The rows of the page's tables: (folder that the table is about, or "") → {folder: what it may include}."""
    tables, about, is_table = {}, "", False
    for line in page.splitlines():
        if heading := re.match(r"## Inside (\w+)", line):
            about = f"core/{heading[1]}"
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            is_table = False
        elif cells[-1].startswith("may include"):
            is_table = True
        elif is_table and (folder := re.match(r"`([\w/]+)`", cells[0])):
            tables.setdefault(about, {})[folder[1]] = cells[-1]
    return tables


def top_of(folder):
    """The row of the page's first table that a folder belongs to."""
    return "/".join(folder.split("/")[:2]) if folder.startswith("core/") else folder.split("/")[0]


def documented_closure(tables, about, folder):
    """All that a row says may be included, with what that may include: folders of its own table by their whole names."""
    words = tables[about].get(folder, "nothing").replace("`", "")
    found = set()
    for word in [] if words in ("nothing", "all") else re.split(r", | and ", words):
        if about and word in tables[about]:
            found |= {f"{about}/{word}"} | documented_closure(tables, about, word)
        elif about and (word == "the root" or word == f"{about.rpartition('/')[2]}.h"):
            found |= {about} | documented_closure(tables, "", about)
        else:
            name = word if "/" in word else f"core/{word}"
            found |= {name} | documented_closure(tables, "", name)
    return found


def data_closure(about, whole):
    """The same by FOLDERS; a folder with parts stands for all of them."""
    parts = [folder for folder in FOLDERS if folder == whole or folder.startswith(whole + "/")]
    found = {other for part in parts for other in reachable(part) if other not in parts and not other.startswith(whole + "/")}
    return {f if f.endswith(".h") or about and (f + "/").startswith(about + "/") else top_of(f) for f in found}


def differences(page):
    """Each row of docs/architecture.md that FOLDERS does not agree with, as a sentence."""
    tables = documented_rows(page)
    rows = {f"{about}/{name}" if about else name: (about, name) for about, table in tables.items() for name in table}
    for folder in FOLDERS:
        if folder not in rows and (top_of(folder) not in rows or top_of(folder) in tables):
            yield f"{folder}: docs/architecture.md has no row of it"
    for whole, (about, name) in rows.items():
        if top_of(whole) not in map(top_of, FOLDERS) or tables[about][name] == "all":
            continue
        if apart := data_closure(about, whole) ^ documented_closure(tables, about, name):
            yield f"{whole}: docs/architecture.md and the table differ in {', '.join(sorted(apart))}"


def read_sources(repository):
    files = (f for top in ("core", "cuda", "processing_algorithms", "tests") for f in (repository / top).rglob("*"))
    return {f.relative_to(repository).as_posix(): f.read_text(encoding="utf-8") for f in files if f.suffix in SUFFIXES}


def main():
    repository = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    sources = read_sources(repository)
    page = (repository / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = [*offences(sources), *differences(page)]
    print("\n".join(found) if found else f"{len(sources)} source files include only what they may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
