# SPDX-License-Identifier: GPL-3.0-or-later
"""Which names of Qt and QGIS a Python file uses, and which of them Qt 5, Qt 6 or QGIS does not have."""

import ast
import importlib
import json
import subprocess
import sys

QT = "qgis.PyQt."
# Methods that PyQt 6 has no more; on an instance, nothing but the name tells.
GONE = {"exec_", "print_", "toTime_t", "fromTime_t", "setMargin"}


def chain_of(node):
    """["Qt", "AlignmentFlag", "AlignLeft"] of such an expression; [] where it begins with anything but a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def used_names(text):
    """(module, chain) of every name imported from qgis, with the attributes that follow it; and forbidden methods."""
    tree = ast.parse(text)
    modules, used, forbidden = {}, set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("qgis", "PyQt")):
            for alias in node.names:
                modules[alias.asname or alias.name] = (node.module, alias.name)
                used.add((node.module, (alias.name,)))
        elif isinstance(node, ast.Import):
            forbidden += [f"import {alias.name}" for alias in node.names if alias.name.startswith("PyQt")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in GONE:
                forbidden.append(f".{node.attr}")
            chain = chain_of(node)
            if chain and chain[0] in modules:
                module, name = modules[chain[0]]
                used.add((module, (name, *chain[1:])))
    return used, forbidden


def missing_from(names, prefix):
    """The names that a binding does not have. names: (module of qgis.PyQt, chain); prefix: of the binding's modules."""
    missing = []
    for module, chain in names:
        try:
            found = importlib.import_module(prefix + module[len(QT):])
            for name in chain:
                found = getattr(found, name)
        except (ImportError, AttributeError):
            missing.append([module, list(chain)])
    return missing


def missing_from_qt6(names):
    """In a process of its own: two Qts do not live well together."""
    code = (f"import json, sys; sys.path.insert(0, {str(__file__.rpartition('/')[0])!r})\n"
            "from qt_names import missing_from\n"
            "import PyQt6.QtCore\n"
            "print(json.dumps(missing_from([(m, tuple(c)) for m, c in json.load(sys.stdin)], 'PyQt6.')))")
    finished = subprocess.run([sys.executable, "-B", "-c", code], input=json.dumps(sorted(names)), text=True,
                              capture_output=True, check=True)
    return json.loads(finished.stdout)


def unscoped_members(names):
    """Members of QGIS's enumerations that are named without their enumeration, and names that QGIS does not have."""
    wrong = []
    for module, chain in names:
        try:
            found = importlib.import_module(module)
            for depth, name in enumerate(chain):
                owner, found = found, getattr(found, name)
                is_constant = depth == 1 and name[:1].isupper() and not isinstance(found, type)
                if is_constant and isinstance(owner, type) and not callable(found) and not isinstance(found, str):
                    wrong.append((module, chain, "is not scoped"))
        except (ImportError, AttributeError):
            wrong.append((module, chain, "is not there"))
    return wrong
