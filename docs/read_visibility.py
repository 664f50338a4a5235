# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a .tvis file (docs/formats.md) with numpy, checksums aside. Usage: read_visibility.py FILE [ELEMENT...]"""
import sys
import numpy as np

class Visibility:
    def __init__(self, path: str) -> None:
        self.bytes = np.memmap(path, np.uint8, "r")
        words = self.bytes[:72].view("<u4")
        if bytes(self.bytes[:4]) != b"TVIS" or words[1] != 2:
            raise ValueError(f"{path} is not a visibility file of version 2")
        self.tiles, self.edges, self.rows_per_block = map(int, words[8:11])
        self.entries = int(words[12:14].view("<u8")[0])

    def row(self, element: int) -> np.ndarray:
        """The ascending numbers of the elements that `element` sees, int64 (n,)."""
        block, place = divmod(element, self.rows_per_block)
        offset, size = map(int, self.bytes[72 + 24 * block:88 + 24 * block].view("<u8"))
        data = self.bytes[offset:offset + size]
        bounds = [*data[:int(data[8:12].view("<u4")[0])].view("<u4")[2::3], size]  # the first row ends the table
        data = data[bounds[place]:bounds[place + 1]]
        head = int(np.argmax(data < 128)) + 1  # bytes of the number of runs
        end = head + 2 * int(varints(data[:head])[0])
        tokens = data[head:end].copy().view("<u2").astype(np.int64)
        gap_and_more = np.stack([tokens >> 4, tokens & 15], axis=1)
        gap_and_more[gap_and_more == [4095, 15]] += varints(data[end:])
        gap, more = gap_and_more.T  # of runs; a number is the count of those before it, unseen and seen
        return np.repeat(np.cumsum(gap) + np.arange(len(gap)), more + 1) + np.arange(np.sum(more + 1))

def varints(data: np.ndarray) -> np.ndarray:
    """Numbers of seven bits a byte, lowest first, the high bit set on all bytes of each but the last: int64 (n,)."""
    begins = np.concatenate([[0], np.flatnonzero(data < 128) + 1])
    place = np.arange(len(data)) - np.repeat(begins[:-1], np.diff(begins))
    return np.add.reduceat((data & 127).astype(np.int64) << 7 * place, begins[:-1])

if __name__ == "__main__":
    visibility = Visibility(sys.argv[1])
    print(visibility.tiles, visibility.edges, visibility.entries)
    for number in sys.argv[2:]:
        print(number, *visibility.row(int(number)))
