#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wave along a row of houses by a parabolic equation: the reference of launcher_houses_test.cpp.

In the plan, along the x axis: a source on the left, houses of 10 m with gaps of 5 m behind a line y = 0, and receivers as
far before that line as the source. Within a house the field is zero at each small step, which makes its front a wall
that reflects with Γ = −1; the gaps are open. Gains are over those without houses, as means of power over a fifth of the
distance from the line.

Needs NumPy.

Usage: row_of_houses.py           prints the table row_of_houses.csv
       row_of_houses.py --check   compares it with the one beside this file
"""
import pathlib
import sys

import numpy as np

SPEED_OF_LIGHT = 299792458.0  # m/s
SOURCE_X, FIRST_HOUSE, PITCH, LENGTH, DEPTH, HOUSES = 20.0, 30.0, 15.0, 10.0, 12.0, 10  # m
RECEIVERS_X = (75.3, 120.3, 165.3, 210.3, 255.3)
CASES = ((900, 0.5), (900, 1.5), (2000, 0.5), (2000, 1.0))  # MHz, m before the line
STEP, ACROSS, SAMPLES, ABSORBING = 0.1, 0.025, 8192, 15.0  # m, m, their number, m
TABLE = pathlib.Path(__file__).with_name("row_of_houses.csv")


def is_beside_house(x):
    return any(FIRST_HOUSE + PITCH * h - 1e-9 <= x <= FIRST_HOUSE + PITCH * h + LENGTH + 1e-9 for h in range(HOUSES))


def powers(frequency_mhz, before_m, has_houses):
    """At the receivers, in any unit."""
    wave_number = 2 * np.pi * frequency_mhz * 1e6 / SPEED_OF_LIGHT
    y = (np.arange(SAMPLES) - SAMPLES // 2) * ACROSS
    across = 2 * np.pi * np.fft.fftfreq(SAMPLES, ACROSS)
    along = np.sqrt(np.maximum(wave_number**2 - across**2, 0))
    turn = np.exp(-1j * STEP * across**2 / (wave_number + along))
    from_edge = np.minimum(y - y[0], y[-1] - y)
    window = 0.5 - 0.5 * np.cos(np.pi * np.minimum(from_edge / ABSORBING, 1))
    field = np.exp(-(((y + before_m) * wave_number / 3) ** 2)).astype(complex)
    house = (y >= 0) & (y <= DEPTH)
    near = np.abs(y + before_m) <= 0.1 * before_m
    steps = [round((x - SOURCE_X) / STEP) for x in RECEIVERS_X]
    found = []
    for step in range(1, steps[-1] + 1):
        field = window * np.fft.ifft(turn * np.fft.fft(field))
        if has_houses and is_beside_house(SOURCE_X + step * STEP):
            field[house] = 0
        if step in steps:
            found.append(np.mean(np.abs(field[near]) ** 2))
    return np.array(found)


def rows():
    for frequency_mhz, before_m in CASES:
        gains = 10 * np.log10(powers(frequency_mhz, before_m, True) / powers(frequency_mhz, before_m, False))
        for x, gain in zip(RECEIVERS_X, gains):
            yield f"{frequency_mhz},{before_m},{x},{gain:.1f}"


def table():
    head = ["# SPDX-License-Identifier: GPL-3.0-or-later", "# Written by row_of_houses.py.",
            "frequency_mhz,before_m,receiver_x_m,gain_db"]
    return "\n".join([*head, *rows()]) + "\n"


def differs(mine, theirs):
    for a, b in zip(mine.splitlines(), theirs.splitlines(), strict=True):
        *where, gain = a.split(",")
        *there, known = b.split(",")
        if where != there or (gain != known and not abs(float(gain) - float(known)) <= 0.15):
            return f"{a} is {b} in {TABLE.name}"
    return None


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(differs(table(), TABLE.read_text()))
    sys.stdout.write(table())
