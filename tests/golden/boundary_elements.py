#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wave behind a house by boundary elements: the reference of image_tracer_golden_test.cpp.

In two dimensions, a line source before a solid house of lossy walls: the field and its slope on the outline solve the
integral equations of Helmholtz for the air outside and for the solid inside, by point matching with constant elements
of a ninth of the wavelength in the solid. Polarisation vertical: the electric field along
the corners; horizontal: the magnetic field. Both long walls may bend inwards in their middle, by so many metres. Levels
are over that of the free wave at 1 m: 0 dB at 1 m, −10 dB at 10 m. Elements of a twelfth change them by 0.1 dB.

Needs NumPy and SciPy, and a minute.

Usage: boundary_elements.py           prints the table waves_behind_house.csv
       boundary_elements.py --check   compares it with the one beside this file
"""
import pathlib
import sys

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.special import hankel2

SPEED_OF_LIGHT = 299792458.0  # m/s
VACUUM_PERMITTIVITY = 8.8541878128e-12  # F/m
WALL = (5.0, 0.05)  # relative permittivity, conductivity (S/m)
LENGTH, WIDTH = 10.0, 12.0  # m, from x = 0 on and from y = 0 on
ELEMENTS_PER_WAVELENGTH = 9
PLACES = ((25, 6), (40, 3), (13, 6), (11.5, 11), (15, 14), (30, 20))
# Frequency (MHz), bend (m), antenna.
CASES = (
    (150, 0, (-15, 3)),
    (150, 0, (-15, 0.7)),
    (150, 0, (-15, -0.7)),
    (150, 0.1, (-15, 3)),
    (150, 0.4, (-15, 3)),
    (300, 0, (-15, 3)),
)
TABLE = pathlib.Path(__file__).with_name("waves_behind_house.csv")


def outline(bend):
    if bend == 0:
        return [(0, 0), (LENGTH, 0), (LENGTH, WIDTH), (0, WIDTH)]
    middle = LENGTH / 2
    return [(0, 0), (middle, bend), (LENGTH, 0), (LENGTH, WIDTH), (middle, WIDTH - bend), (0, WIDTH)]


class Outline:
    """Elements from begin to end, counterclockwise."""

    def __init__(self, corners, wavelength):
        begin, end = [], []
        for a, b in zip(corners, corners[1:] + corners[:1]):
            a, b = np.array(a, float), np.array(b, float)
            count = max(4, int(np.ceil(np.linalg.norm(b - a) / wavelength * ELEMENTS_PER_WAVELENGTH)))
            points = a + np.outer(np.linspace(0, 1, count + 1), b - a)
            begin += list(points[:-1])
            end += list(points[1:])
        self.begin, self.end = np.array(begin), np.array(end)
        along = self.end - self.begin
        self.middle, self.length = (self.begin + self.end) / 2, np.hypot(*along.T)
        self.outwards = np.stack([along[:, 1], -along[:, 0]], 1) / self.length[:, None]

    def integrals(self, points, elements, k, nodes):
        """Of Green's function −(j/4) H₀(kr) and of its slope along the outward normal, over elements; by broadcasting."""
        single = double = 0
        for x, weight in zip(*np.polynomial.legendre.leggauss(nodes)):
            way = points - (self.middle + x / 2 * (self.end - self.begin))[elements]
            r = np.hypot(way[..., 0], way[..., 1]) + 1e-12
            scale = weight / 2 * self.length[elements]
            single = single - scale * 0.25j * hankel2(0, k * r)
            across = (way * self.outwards[elements]).sum(-1) / r
            double = double - scale * 0.25j * k * hankel2(1, k * r) * across
        return single, double

    def on_itself(self, k):
        all_elements = np.arange(len(self.length))
        single, double = self.integrals(self.middle[:, None], all_elements[None, :], k, 6)
        apart = np.hypot(*(self.middle[:, None] - self.middle[None, :]).transpose(2, 0, 1))
        here, near = np.nonzero((apart < 1.5 * self.length[None, :]) & (apart > 0))
        single[here, near], double[here, near] = self.integrals(self.middle[here], near, k, 24)
        # The logarithm by itself: −(j/4) H₀(kr) ≈ −ln r/2π.
        half = self.length / 2
        own = -(half * np.log(half) - half) / np.pi
        for x, weight in zip(*np.polynomial.legendre.leggauss(16)):
            r = half * (x + 1) / 2
            own = own + weight * half * (np.log(r) / (2 * np.pi) - 0.25j * hankel2(0, k * r))
        np.fill_diagonal(single, own)
        np.fill_diagonal(double, 0)
        return single, double


class House:
    def __init__(self, corners, frequency, is_vertical):
        permittivity = WALL[0] - 1j * WALL[1] / (2 * np.pi * frequency * VACUUM_PERMITTIVITY)
        self.k = 2 * np.pi * frequency / SPEED_OF_LIGHT
        inside_k = self.k * np.sqrt(permittivity)
        self.outline = Outline(corners, 2 * np.pi / self.k / np.sqrt(abs(permittivity)))
        single, double = self.outline.on_itself(self.k)
        inside_single, inside_double = self.outline.on_itself(inside_k)
        half = np.eye(len(single)) / 2
        ratio = 1 if is_vertical else permittivity  # of the slopes inside and outside
        self.factors = lu_factor(np.block([[half - double, single], [half + inside_double, -ratio * inside_single]]))

    def levels_db(self, antenna, places):
        def free(points):
            r = np.hypot(*(points - np.array(antenna, float)).T)
            return hankel2(0, self.k * r) * np.sqrt(np.pi * self.k / 2)

        right = np.concatenate([free(self.outline.middle), np.zeros(len(self.outline.length))])
        field, slope = np.split(lu_solve(self.factors, right), 2)
        points = np.array(places, float)
        elements = np.arange(len(self.outline.length))[None, :]
        single, double = self.outline.integrals(points[:, None], elements, self.k, 6)
        return 20 * np.log10(abs(free(points) + double @ field - single @ slope))


def rows():
    for polarization in ("vertical", "horizontal"):
        houses = {}
        for megahertz, bend, antenna in CASES:
            key = megahertz, bend
            if key not in houses:
                houses[key] = House(outline(bend), 1e6 * megahertz, polarization == "vertical")
            for place, level in zip(PLACES, houses[key].levels_db(antenna, PLACES)):
                yield f"{polarization},{megahertz},{bend},{antenna[0]},{antenna[1]},{place[0]},{place[1]}", level


def table():
    lines = [
        "# SPDX-License-Identifier: GPL-3.0-or-later",
        "# Written by boundary_elements.py.",
        "polarization,frequency_mhz,bend_m,antenna_x_m,antenna_y_m,receiver_x_m,receiver_y_m,level_db",
    ]
    return "\n".join(lines + [f"{row},{level:.2f}" for row, level in rows()]) + "\n"


def differences():
    """Lines of the table that are not what this computer makes of them, but for rounding."""
    held = [line.rsplit(",", 1) for line in TABLE.read_text().splitlines()[3:]]
    made = list(rows())
    if [row for row, _ in held] != [row for row, _ in made]:
        return ["other cases"]
    return [f"{row}: {level} instead of {made_level:.3f}"
            for (row, level), (_, made_level) in zip(held, made) if abs(float(level) - made_level) > 0.02]


def main():
    if sys.argv[1:] != ["--check"]:
        sys.stdout.write(table())
        return 0
    wrong = differences()
    print("\n".join(wrong) or f"{TABLE.name} is what boundary_elements.py makes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
