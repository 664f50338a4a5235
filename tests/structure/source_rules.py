#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every file: its licence line, a telling name, no work left without an issue,
no broken link in a page, no page that the index of docs/ leaves out, no section of docs/physics.md named that is not there,
docs/formats.md states the version of each format, and docs/qgis.md says what each module of the plugin is for.

Usage: source_rules.py [REPOSITORY]      prints each offence; exit status 1 if there is one.
"""
import fnmatch
import pathlib
import re
import sys

FOLDERS = (".ci", "cmake", "core", "cuda", "docs", "processing_algorithms", "qgis_plugin", "sample_data", "scripts",
           "tests")
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".py", ".cmake", ".sh"}
SOURCE_NAMES = {"CMakeLists.txt", "Makefile"}
LICENCE = "SPDX-License-Identifier: GPL-3.0-or-later"

LEFT_OVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\s*\(#\d+\))")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
PHYSICS_HEADING = re.compile(r"^(?:###? |\*\*)(\d+(?:\.\d+)?)", re.MULTILINE)
PHYSICS_REFERENCE = re.compile(r"docs/physics\.md((?:,? §\d+(?:\.\d+)?)+)")

# What a format's files begin with, and its version, as the code has them.
MAGIC = re.compile(r"\bmagic = (.*)")
CODED_VERSION = re.compile(r"\w*version = (\d+);")
STATED_VERSION = re.compile(r"version,? \(?(\d+)")


def is_source(path, text):
    return path.suffix in SOURCE_SUFFIXES or path.name in SOURCE_NAMES or (not path.suffix and text.startswith("#!"))


def offences_in(path, text):
    """path: relative to the repository."""
    if is_source(path, text):
        if LICENCE not in "\n".join(text.split("\n", 2)[:2]):
            yield f"{path}: the first line (the second after #!) is not {LICENCE}"
        if re.fullmatch(r"utils?|helpers?|misc|common", path.stem):
            yield f"{path}: the name does not say what is in it"
        for number, line in enumerate(text.splitlines(), 1):
            if LEFT_OVER.search(line):
                yield f"{path}:{number}: work left over without an issue number, as in (#12)"


def broken_links(repository, path, text):
    if path.suffix == ".md":
        for target in LINK.findall(text):
            if not (repository / path.parent / target).exists():
                yield f"{path}: links to {target}, which does not exist"


def unknown_sections(path, text, physics):
    """physics: the text of docs/physics.md."""
    sections = set(PHYSICS_HEADING.findall(physics))
    for number, line in enumerate(text.splitlines(), 1):
        for named in PHYSICS_REFERENCE.findall(line):
            for section in re.findall(r"§([\d.]+)", named):
                if section not in sections:
                    yield f"{path}:{number}: docs/physics.md has no §{section}"


def coded_versions(text):
    """(name, version) of the formats that a source file defines; their names are the letters that their files begin with."""
    environment = re.search(r"\benvironment_format_version = (\d+);", text)
    if environment:
        yield "tesseray_environment", environment[1]
    magic, version = MAGIC.search(text), CODED_VERSION.search(text)
    if magic and version:
        letters = "".join(re.findall(r"'([A-Z])'", magic[1])) or re.search(r'"([A-Z]{4})"', magic[1])[1]
        yield letters, version[1]


def stated_versions(page):
    """name → version, the first that the page states behind each name."""
    names = list(re.finditer(r"`([A-Z]{4}|tesseray_environment)`", page))
    stated = {}
    for name, following in zip(names, [*names[1:], None]):
        version = STATED_VERSION.search(page, name.end(), following.start() if following else len(page))
        if version:
            stated.setdefault(name[1], version[1])
    return stated


def wrong_versions(page, sources):
    """page: the text of docs/formats.md; sources: of the files that define formats."""
    coded, stated = dict(format for text in sources for format in coded_versions(text)), stated_versions(page)
    for name in sorted(coded.keys() | stated.keys()):
        if coded.get(name) != stated.get(name):
            yield f"docs/formats.md: {name} is of version {stated.get(name)} there and {coded.get(name)} in the code"


def unlisted_pages(repository):
    """Pages that nobody finds, because the index does not name them."""
    docs = repository / "docs"
    index = (docs / "README.md").read_text(encoding="utf-8")
    listed = {(docs / target).resolve() for target in LINK.findall(index)}
    for page in sorted(docs.rglob("*.md")):
        if page.resolve() not in listed and page != docs / "README.md":
            yield f"{page.relative_to(repository)}: docs/README.md does not list it"


def unlisted_modules(repository):
    """Modules and folders of the plugin that the page for its developers does not name."""
    plugin = repository / "qgis_plugin" / "tesseray"
    page = (repository / "docs" / "qgis.md").read_text(encoding="utf-8")
    listed = re.findall(r"`([\w*]+(?:\.py|/))`", page)
    for path in sorted(plugin.iterdir()):
        name = path.name + ("/" if path.is_dir() else "")
        is_module = path.is_dir() or path.suffix == ".py"
        if is_module and not name.startswith("__") and not any(fnmatch.fnmatchcase(name, pattern) for pattern in listed):
            yield f"qgis_plugin/tesseray/{name}: docs/qgis.md does not say what it is for"


def main():
    repository = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    files = [f for f in repository.iterdir() if f.is_file()]
    files += [f for top in FOLDERS for f in (repository / top).rglob("*")
              if f.is_file() and "__pycache__" not in f.parts]
    physics = (repository / "docs" / "physics.md").read_text(encoding="utf-8")
    found, checked, core = [], 0, []
    for file in sorted(files):
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # data
        path = file.relative_to(repository)
        checked += 1
        if path.parts[0] == "core":
            core.append(text)
        found += [*offences_in(path, text), *broken_links(repository, path, text),
                  *unknown_sections(path, text, physics)]
    found += unlisted_pages(repository)
    found += unlisted_modules(repository)
    found += wrong_versions((repository / "docs" / "formats.md").read_text(encoding="utf-8"), core)
    print("\n".join(found) if found else f"{checked} files keep the rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
