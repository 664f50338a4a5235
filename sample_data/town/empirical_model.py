# SPDX-License-Identifier: GPL-3.0-or-later
"""Received power from published empirical laws alone: no method, formula of interaction or code is Tesseray's.

  free of obstacles   two slopes, 20 dB per decade up to the breakpoint 4 h1 h2 / wavelength and 40 dB beyond
  over the roofs      COST 231 Walfisch-Ikegami (COST 231 final report, section 4.4.1), medium-sized city
  along the streets   Berg's recursive model (VTC 1995), for antennas below the roofs; the smaller loss counts
  antenna             vertical dipole, or the 3GPP TR 38.901 sector (table 7.3-1)
  shadowing           log-normal, 7 dB, correlation exp(-d / 50 m) (Gudmundson, Electronics Letters 1991)
"""
import math

import numpy

from . import terrain
from .geometry import direction, distance, random_stream
from .plan import NODES
from .route import neighbours, shortest_ways, turn

MOBILE_HEIGHT_M = 1.5
SHADOWING_DB, SHADOWING_CORRELATION_M, SHADOWING_WAVES = 7.0, 50.0, 300
ROOF_HEIGHT_M, STREET_WIDTH_M, BUILDING_SEPARATION_M = 13.0, 15.0, 45.0
DIPOLE_GAIN_DBI = 2.15
FLOOR_DBM = -110.0


def received_power_dbm(transmitter, point, city):
    """What the scanner shows at a RoutePoint, without shadowing and floor."""
    return (transmitter.erp_dbm + DIPOLE_GAIN_DBI + antenna_gain_db(transmitter, point, city.convergence_deg)
            - basic_loss_db(transmitter, point, city))


def basic_loss_db(transmitter, point, city):
    ground = float(terrain.ground_height(point.x, point.y))
    distance_m = math.dist((transmitter.x, transmitter.y, transmitter.elevation_m),
                           (point.x, point.y, ground + MOBILE_HEIGHT_M))
    height_m = max(transmitter.elevation_m - ground, 4.0)
    if city.is_free(transmitter, point):
        return two_slope_loss_db(distance_m, height_m, transmitter.frequency_mhz)
    street_bearing = direction(NODES[point.street[0]], NODES[point.street[1]])
    to_site = direction((point.x, point.y), (transmitter.x, transmitter.y))
    cosine = min(1.0, abs(street_bearing[0] * to_site[0] + street_bearing[1] * to_site[1]))
    over_roofs = walfisch_ikegami_loss_db(max(distance_m, 20.0), height_m, transmitter.frequency_mhz,
                                          math.degrees(math.acos(cosine)))
    if transmitter.name != "Market":
        return over_roofs
    return min(over_roofs, berg_loss_db(transmitter, point, height_m))


def two_slope_loss_db(distance_m, height_m, frequency_mhz):
    breakpoint_m = 4 * height_m * MOBILE_HEIGHT_M / _wavelength_m(frequency_mhz)
    free_space = 32.45 + 20 * math.log10(frequency_mhz * min(distance_m, breakpoint_m) / 1000)
    return free_space + 40 * math.log10(max(distance_m, breakpoint_m) / breakpoint_m)


def walfisch_ikegami_loss_db(distance_m, height_m, frequency_mhz, street_angle_deg):
    """height_m: of the antenna above the ground at the mobile, so that the terrain has its part."""
    kilometres, above_roofs = distance_m / 1000, height_m - ROOF_HEIGHT_M
    free_space = 32.4 + 20 * math.log10(kilometres) + 20 * math.log10(frequency_mhz)
    if street_angle_deg < 35:
        orientation = -10 + 0.354 * street_angle_deg
    elif street_angle_deg < 55:
        orientation = 2.5 + 0.075 * (street_angle_deg - 35)
    else:
        orientation = 4.0 - 0.114 * (street_angle_deg - 55)
    roof_to_street = (-16.9 - 10 * math.log10(STREET_WIDTH_M) + 10 * math.log10(frequency_mhz)
                      + 20 * math.log10(ROOF_HEIGHT_M - MOBILE_HEIGHT_M) + orientation)
    frequency_factor = -4 + 0.7 * (frequency_mhz / 925 - 1)
    if above_roofs > 0:
        base, ka, kd = -18 * math.log10(1 + above_roofs), 54.0, 18.0
    else:
        base, ka, kd = 0.0, 54 - 0.8 * above_roofs * min(1.0, kilometres / 0.5), 18 - 15 * above_roofs / ROOF_HEIGHT_M
    multiscreen = (base + ka + kd * math.log10(kilometres) + frequency_factor * math.log10(frequency_mhz)
                   - 9 * math.log10(BUILDING_SEPARATION_M))
    return free_space + max(0.0, roof_to_street + multiscreen)


def berg_loss_db(transmitter, point, height_m):
    """Each corner lengthens the illusory distance by a share q that grows with its angle."""
    way = _street_way((transmitter.x, transmitter.y), point)
    k, illusory_m, length_m = 1.0, 0.0, 0.0
    for n in range(len(way) - 1):
        if n > 0:
            k += illusory_m * (0.5 * abs(turn(*way[n - 1:n + 2])) / 90) ** 1.5
        illusory_m += k * distance(way[n], way[n + 1])
        length_m += distance(way[n], way[n + 1])
    breakpoint_m = 4 * height_m * MOBILE_HEIGHT_M / _wavelength_m(transmitter.frequency_mhz)
    return (20 * math.log10(4 * math.pi * illusory_m / _wavelength_m(transmitter.frequency_mhz))
            + 20 * math.log10(max(1.0, length_m / breakpoint_m)))


def _street_way(site, point):
    """The shortest way from a site at a square to the point: over one of the four nearest crossings, then by street."""
    crossings = sorted(NODES, key=lambda n: distance(NODES[n], site))[:4]
    lengths, reached_from = shortest_ways({n: distance(NODES[n], site) for n in crossings}, neighbours())
    node = min(point.street, key=lambda n: lengths[n] + distance(NODES[n], (point.x, point.y)))
    way = [(point.x, point.y), NODES[node]]
    while node in reached_from:
        node = reached_from[node]
        way.append(NODES[node])
    return (way + [site])[::-1]


def antenna_gain_db(transmitter, point, convergence_deg):
    """Relative to the maximum; half of a slanted antenna's power is vertical."""
    dx, dy = point.x - transmitter.x, point.y - transmitter.y
    drop = transmitter.elevation_m - float(terrain.ground_height(point.x, point.y)) - MOBILE_HEIGHT_M
    below_horizon_deg = math.degrees(math.atan2(drop, math.hypot(dx, dy)))
    if transmitter.antenna == "half_wave_dipole":
        below = math.radians(max(-89.0, min(89.0, below_horizon_deg)))
        return 20 * math.log10(math.cos(math.pi / 2 * math.sin(below)) / math.cos(below))
    bearing_deg = math.degrees(math.atan2(dx, dy)) + convergence_deg
    off_azimuth = (bearing_deg - transmitter.azimuth_deg + 180) % 360 - 180
    horizontal = min(12 * (off_azimuth / 65) ** 2, 30)
    vertical = min(12 * ((below_horizon_deg - transmitter.downtilt_deg) / 65) ** 2, 30)
    return -min(horizontal + vertical, 30) - (3.0 if transmitter.polarization.startswith("slant") else 0.0)


class Shadowing:
    """A Gaussian field over the town with standard deviation SHADOWING_DB: a sum of plane waves whose wave numbers
    follow the spectrum of the exponential correlation in two dimensions. A place always has the same shadowing."""

    def __init__(self, site_name):
        dice = random_stream(f"shadowing {site_name}")
        draws = [[dice.random() for _ in range(3)] for _ in range(SHADOWING_WAVES)]
        radial, bearing, phase = numpy.array(draws).T
        wave_number = numpy.sqrt((1 - radial) ** -2 - 1) / SHADOWING_CORRELATION_M
        self._kx = wave_number * numpy.cos(2 * numpy.pi * bearing)
        self._ky = wave_number * numpy.sin(2 * numpy.pi * bearing)
        self._phase = 2 * numpy.pi * phase

    def at(self, x, y):
        waves = numpy.cos(self._kx * x + self._ky * y + self._phase)
        return SHADOWING_DB * math.sqrt(2 / SHADOWING_WAVES) * float(waves.sum())


def _wavelength_m(frequency_mhz):
    return 299.792458 / frequency_mhz
