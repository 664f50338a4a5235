#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a visibility file (docs/formats.md) with numpy alone.  Usage: read_visibility.py FILE [ELEMENT...]

Prints the number of tiles, edge segments and entries, then for each element the numbers of those that it sees.
"""
import sys

import numpy as np


class Visibility:
    """The rows of one file, mapped into memory; raises ValueError for another format. Checksums are not looked at."""

    def __init__(self, path: str) -> None:
        self.bytes = np.memmap(path, np.uint8, "r")
        words = self.bytes[:72].view("<u4")
        if bytes(self.bytes[:4]) != b"TVIS" or words[1] != 2:
            raise ValueError(f"{path} is not a visibility file of version 2")
        self.tiles, self.edges, self.rows_per_block, blocks = (int(w) for w in words[8:12])
        self.entries = int(self.bytes[48:56].view("<u8")[0])
        self.blocks = self.bytes[72:72 + 24 * blocks].view("<u8").reshape(blocks, 3)  # offset, size, checksum

    def row(self, element: int) -> np.ndarray:
        """The ascending numbers of the elements that `element` sees, int64 (n,)."""
        block, place = divmod(element, self.rows_per_block)
        offset, size = (int(n) for n in self.blocks[block, :2])
        rows = min(self.rows_per_block, self.tiles + self.edges - block * self.rows_per_block)
        data = self.bytes[offset:offset + size]
        begins = data[:12 * rows].view("<u4").reshape(rows, 3)[:, 2]
        data = data[begins[place]:begins[place + 1] if place + 1 < rows else size]
        head = int(np.argmax(data < 128)) + 1  # bytes of the number of runs
        runs = int(varints(data[:head])[0])
        tokens = data[head:head + 2 * runs].copy().view("<u2").astype(np.int64)
        gap_and_more = np.stack([tokens >> 4, tokens & 15], axis=1)
        gap_and_more[gap_and_more == [4095, 15]] += varints(data[head + 2 * runs:])
        gap, more = gap_and_more.T
        first = np.cumsum(gap) + np.cumsum(more + 2) - (more + 2)
        return np.repeat(first - np.cumsum(more + 1) + more + 1, more + 1) + np.arange(int(np.sum(more + 1)))


def varints(data: np.ndarray) -> np.ndarray:
    """Numbers of seven bits a byte, lowest first, the high bit set on all bytes of each but the last: int64 (n,)."""
    begins = np.concatenate([[0], np.flatnonzero(data < 128) + 1])
    if len(data) == 0:
        return np.zeros(0, np.int64)
    place = np.arange(len(data)) - np.repeat(begins[:-1], np.diff(begins))
    return np.add.reduceat((data & 127).astype(np.int64) << 7 * place, begins[:-1])


if __name__ == "__main__":
    visibility = Visibility(sys.argv[1])
    print(visibility.tiles, visibility.edges, visibility.entries)
    for number in sys.argv[2:]:
        print(number, *visibility.row(int(number)))
