# SPDX-License-Identifier: GPL-3.0-or-later
"""Three sites: one below the roofs, one on a roof, one on the hill."""
from dataclasses import dataclass

from . import terrain
from .geometry import centre, distance, in_quad
from .plan import cells


@dataclass
class Transmitter:
    name: str
    x: float
    y: float
    height_m: float
    height_reference: str   # what height_m counts from: ground or roof
    frequency_mhz: float
    erp_dbm: float          # relative to a half-wave dipole, in the antenna's maximum
    antenna: str
    azimuth_deg: float      # from true north
    downtilt_deg: float
    polarization: str
    elevation_m: float      # of the antenna above the sea


def all_transmitters(buildings):
    market = in_quad(next(ground for kind, _, ground in cells() if kind == "m"), 0.42, 0.3)
    house = min((b for b in buildings if b.use == "apartments" and b.height_m and not b.courtyards),
                key=lambda b: distance(centre(b.outline), (585.0, 160.0)))
    roof, hill = centre(house.outline), terrain.HILL_TOP
    return [
        Transmitter("Market", *market, 6.0, "ground", 3600.0, 40.0, "half_wave_dipole", 0.0, 0.0, "vertical",
                    float(terrain.ground_height(*market)) + 6.0),
        Transmitter("Rooftop", *roof, 3.0, "roof", 1900.0, 46.0, "half_wave_dipole", 0.0, 0.0, "vertical",
                    float(terrain.ground_height(*roof)) + house.height_m + 3.0),
        Transmitter("Hill", *hill, 25.0, "ground", 850.0, 46.0, "sector_3gpp", 230.0, 8.0, "slant+45",
                    float(terrain.ground_height(*hill)) + 25.0),
    ]
