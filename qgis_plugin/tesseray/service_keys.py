# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of services in sources and addresses, which may stand neither in messages nor in what is written."""

from __future__ import annotations

import re

from qgis.core import QgsMapLayer

# As QGIS writes passwords that it hides.
_HIDDEN = "XXXXXXXX"


def _encoded(characters: str) -> str:
    """A pattern of any of these, plain or percent-encoded, once or more often."""
    return "(?:" + "|".join(f"{re.escape(one)}|%(?:25)*{ord(one):X}" for one in characters) + ")"


# A query of an address, or a header that QGIS sends: “&api_key=secret”. A mere `key` of a source is a table's key.
_KEY = re.compile(rf"""
    ( (?: {_encoded("?&;")} | http-header: )
      (?: [\w.-]*? (?: key | token | signature | secret | password | authorization ) | sig | pass | passwd | pwd )
      {_encoded("=")} )
    ( '[^']*' | "[^"]*" | (?: (?! {_encoded("&;#")} ) [^\s'"|)\]] )+ )
""", re.VERBOSE | re.IGNORECASE)
_PASSWORD_OF_ADDRESS = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")


def without_keys(text: str) -> str:
    """A source, an address or a message with both, without their keys, tokens and passwords."""
    return _PASSWORD_OF_ADDRESS.sub(rf"\1{_HIDDEN}@", _KEY.sub(rf"\1{_HIDDEN}", text))


def public_source(layer: QgsMapLayer) -> str:
    """Of a layer, without passwords and keys."""
    return without_keys(layer.publicSource(True))
