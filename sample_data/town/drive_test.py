# SPDX-License-Identifier: GPL-3.0-or-later
"""The synthetic drive test: a scanner that steps through the three sites while it drives."""
from dataclasses import dataclass

from .city import City
from .empirical_model import FLOOR_DBM, Shadowing, received_power_dbm
from .route import SPACING_M, drive
from .shapes import Neighbourhood, point, polygon

SPEED_MPS = 11.0


@dataclass
class Measurement:
    x: float
    y: float
    transmitter: str
    received_power_dbm: float
    time_s: float


def all_measurements(buildings, transmitters):
    city = City(buildings)
    shadowing = {t.name: Shadowing(t.name) for t in transmitters}
    walls = Neighbourhood([polygon(b.outline) for b in buildings])
    measurements = []
    for k, stop in enumerate(drive()):
        site = transmitters[k % len(transmitters)]
        if walls.any_within(point(stop.x, stop.y), 1.0):
            raise RuntimeError(f"drive-test point {k} is at a wall")
        power = received_power_dbm(site, stop, city) + shadowing[site.name].at(stop.x, stop.y)
        measurements.append(Measurement(stop.x, stop.y, site.name, round(max(power, FLOOR_DBM), 1),
                                        k * SPACING_M / SPEED_MPS))
    return measurements
