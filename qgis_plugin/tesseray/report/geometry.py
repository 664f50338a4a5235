# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates out of the geometry blobs of a GeoPackage (OGC 12-128r18, 2.1.3), as far as the report's layers need."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

_ENVELOPE_BYTES = (0, 32, 48, 48, 64)
_POINT, _POLYGON = 1, 3
_EMPTY = np.empty((0, 2))


def _well_known_binary(blob: bytes) -> tuple[int, str, int, int]:
    """Where the coordinates begin, their byte order, the geometry's type without Z and M, and numbers per vertex."""
    start = 8 + _ENVELOPE_BYTES[blob[3] >> 1 & 7]
    order = "<" if blob[start] else ">"
    code, = struct.unpack_from(order + "I", blob, start + 1)
    flat, dimensions = code % 1000, code // 1000
    if code & 0xE0000000:  # the older way to say Z and M
        flat, dimensions = code & 0xFF, (1 if code & 0x80000000 else 0) | (2 if code & 0x40000000 else 0)
    return start + 5, order, flat, (2, 3, 3, 4)[dimensions]


def points(blobs: Sequence[bytes | None]) -> np.ndarray:
    """x and y of points, shape (n, 2), in the layer's CRS; NaN where there is no point."""
    found = np.full((len(blobs), 2), np.nan)
    for i, blob in enumerate(blobs):
        if blob:
            start, order, kind, _ = _well_known_binary(blob)
            if kind == _POINT:
                found[i] = struct.unpack_from(order + "2d", blob, start)
    return found


def outlines(blobs: Sequence[bytes | None]) -> list[np.ndarray]:
    """The outer rings of polygons, each of shape (vertices, 2), in the layer's CRS; empty where there is none."""
    rings = []
    for blob in blobs:
        ring = _EMPTY
        if blob:
            start, order, kind, width = _well_known_binary(blob)
            if kind == _POLYGON:
                ring_count, = struct.unpack_from(order + "I", blob, start)
                if ring_count:
                    vertices, = struct.unpack_from(order + "I", blob, start + 4)
                    numbers = np.frombuffer(blob, order + "f8", vertices * width, start + 8)
                    ring = numbers.reshape(vertices, width)[:, :2]
        rings.append(ring)
    return rings
