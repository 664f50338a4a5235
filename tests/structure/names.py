#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A name is one thing. Two headers that define a type of the same name in the same namespace make a program whose linker
takes one of the two for both, without a word; files that are compiled as one (tesseray_compile_together) are not
compiled at all where what is theirs alone has the same name, which a build with a compiler cache does not find out.

Usage: names.py [REPOSITORY]      prints each name that two have; exit status 1 if there is one.

Reads source text as clang-format leaves it: what a namespace holds begins in the first column.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("core", "cuda", "processing_algorithms", "tests/support")
HEADERS = {".h", ".cuh"}

OPENS_NAMESPACE = re.compile(r"namespace ?([\w:]*) ?\{$")
CLOSES_NAMESPACE = re.compile(r"\}  // namespace\b")
TYPE = re.compile(r"(?:template <.*?> )?(?:class|struct|union|enum class|enum) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^{]*)? \{")
OTHER_NAME = re.compile(r"(?:using|namespace) (?:[\w:]*::|enum )?(\w+)(?: =|;)")
FUNCTION = re.compile(r"[^={]*?[ &*>](\w+)(\(.*?\))(?: const)? \{")
VARIABLE = re.compile(r"[\w:<>,&*\[\] ]+ (\w+)(?: = |\{|\[|;)")
TOGETHER = re.compile(r"tesseray_compile_together\(([^)]*)\)")
NAMELESS = ""


def statements(text):
    """(namespaces around it, number of its line, text up to its first '{' or its end) of what namespaces hold."""
    around, open_statement, begin = [], "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if open_statement:
            open_statement += ("" if open_statement.endswith("(") else " ") + line.strip()
        elif namespace := OPENS_NAMESPACE.match(line):
            around.append(namespace[1])
            continue
        elif CLOSES_NAMESPACE.match(line):
            around.pop()
            continue
        elif line and line[0] not in " \t}#/":
            open_statement, begin = line, number
        if open_statement and re.search(r"[{;]$|[{;] *//|\{.*\};?$", line):
            yield tuple(around), begin, open_statement
            open_statement = ""


def types_in(text):
    """(qualified name, number of its line, nothing) of the types that a header defines in namespaces with names."""
    for around, number, statement in statements(text):
        found = TYPE.match(statement)
        if found and NAMELESS not in around:
            yield "::".join([*around, found[1]]), number, None


def own_names_in(text):
    """(name, with the parameters of a function; number of its line; what it stands for, if more than one may say so) of
    what a file's nameless namespaces hold."""
    for around, number, statement in statements(text):
        if NAMELESS not in around:
            continue
        if found := OTHER_NAME.match(statement):
            yield found[1], number, statement
        elif found := FUNCTION.match(statement):
            yield found[1] + re.sub(r" \w+(?=[,)])", "", found[2]), number, None
        elif found := TYPE.match(statement) or VARIABLE.match(statement):
            yield found[1], number, None


def clashes(files, names_in):
    """files: path → text. A line for each name that more than one file has, for more than one thing."""
    places = collections.defaultdict(dict)
    for path in sorted(files):
        for name, number, meaning in names_in(files[path]):
            places[name].setdefault(path, (number, meaning or path))
    for name in list(places):  # functions may share a name that nothing else has
        for function in (other for other in places if other.startswith(f"{name}(")):
            places[name] |= places[function]
    for name, found in sorted(places.items()):
        if len({meaning for _, meaning in found.values()}) > 1:
            yield f"{name}: " + ", ".join(f"{path}:{number}" for path, (number, _) in found.items())


def compiled_together(lists):
    """lists: the text of a folder's CMakeLists.txt. For each target that is compiled as one, its files."""
    for targets in TOGETHER.findall(lists):
        for target in targets.split():
            sources = re.search(r"\(\s*" + target + r"\s([^)]*)\)", lists)[1]
            for variable, of in re.findall(r"(?:set\(|list\(APPEND )(\w+)\s([^)]*)\)", lists):
                sources = sources.replace(f"${{{variable}}}", f"{of} ${{{variable}}}")
            yield [name for name in sources.split() if name.endswith(".cpp")]


def main():
    repository = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    headers = {str(file.relative_to(repository)): file.read_text(encoding="utf-8")
               for folder in FOLDERS for file in (repository / folder).rglob("*") if file.suffix in HEADERS}
    found, groups = list(clashes(headers, types_in)), 0
    for lists in repository.rglob("CMakeLists.txt"):
        if "build" in lists.relative_to(repository).parts:
            continue
        for names in compiled_together(lists.read_text(encoding="utf-8")):
            files = [lists.parent / name for name in names]
            groups += 1
            found += clashes({str(file.relative_to(repository)): file.read_text(encoding="utf-8") for file in files},
                             own_names_in)
    print("\n".join(found) if found else f"{len(headers)} headers and {groups} groups of files have no name twice")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
