# SPDX-License-Identifier: GPL-3.0-or-later
"""Extents and points in the CRS that the executable works in, whatever CRS they were drawn in."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsRectangle,
    QgsReferencedPointXY,
    QgsReferencedRectangle,
    QgsVector,
    QgsVectorLayer,
)

from .description import Parameter, Tool
from .inputs.sources import crs_text, layer_of
from .places import geopackage_extent

# The executable works in the buildings' own CRS when that is true to scale within this (docs/inputs.md).
SCALE_TOLERANCE = 1e-3
_PROBE_M = 100.0
# Of WGS 84.
_SEMI_MAJOR_M, _ECCENTRICITY_2 = 6378137.0, 0.0066943799901413
# "1,2" or "1,2,3,4".
_NUMBERS = r"[-+.\deE\s]+(,[-+.\deE\s]+)+"
_BARE_NUMBERS = re.compile(_NUMBERS)
# "1,2 [EPSG:4326]"; a CRS without a code has nothing in its brackets.
_NUMBERS_IN_CRS = re.compile(rf"\(?{_NUMBERS}\[(?P<crs>[^\]]+)\]\s*\)?")
# The parameter by which coordinates are metres of no known CRS.
LOCAL_METRES = "LOCAL_METRES"


def utm_zone(longitude_deg: float, latitude_deg: float) -> QgsCoordinateReferenceSystem:
    """The WGS 84 UTM zone with the nearest central meridian."""
    zone = math.floor((longitude_deg + 180.0) / 6.0) % 60 + 1
    return QgsCoordinateReferenceSystem(f"EPSG:{(32600 if latitude_deg >= 0 else 32700) + zone}")


def _length_m(start: QgsPointXY, end: QgsPointXY) -> float:
    """Of a short way on the ellipsoid, in degrees of longitude and latitude.

    By the radii of curvature: QgsDistanceArea gives NaN when the thread that measured first has ended, as QGIS's do
    after half a minute.
    """
    latitude = math.radians((start.y() + end.y()) / 2)
    across_m = _SEMI_MAJOR_M / math.sqrt(1.0 - _ECCENTRICITY_2 * math.sin(latitude) ** 2)
    along_m = across_m**3 * (1.0 - _ECCENTRICITY_2) / _SEMI_MAJOR_M**2
    return math.hypot(math.radians(end.x() - start.x()) * across_m * math.cos(latitude),
                      math.radians(end.y() - start.y()) * along_m)


def is_metric(crs: QgsCoordinateReferenceSystem, middle: QgsPointXY, context: QgsProcessingContext) -> bool:
    """Whether lengths along both axes of the CRS around `middle` are metres on the ground."""
    if crs.isGeographic() or crs.mapUnits() != Qgis.DistanceUnit.Meters:
        return False
    to_degrees = _to_degrees(crs, context)
    start = to_degrees.transform(middle)
    ends = (to_degrees.transform(middle + way) for way in (QgsVector(_PROBE_M, 0), QgsVector(0, _PROBE_M)))
    return all(abs(_length_m(start, end) / _PROBE_M - 1.0) <= SCALE_TOLERANCE for end in ends)


def _to_degrees(crs: QgsCoordinateReferenceSystem, context: QgsProcessingContext) -> QgsCoordinateTransform:
    return QgsCoordinateTransform(crs, QgsCoordinateReferenceSystem("EPSG:4326"), context.transformContext())


def _site_crs(crs: QgsCoordinateReferenceSystem, extent: QgsRectangle,
              context: QgsProcessingContext) -> QgsCoordinateReferenceSystem:
    """The CRS that the executable takes for a layer: its own if it is metric, else the UTM zone."""
    middle = extent.center()
    if not crs.isValid() or extent.isNull() or is_metric(crs, middle, context):
        return crs
    degrees = _to_degrees(crs, context).transform(middle)
    return utm_zone(degrees.x(), degrees.y())


def _is_bare(value: Any) -> bool:
    """Whether an extent or point is numbers without a CRS."""
    if isinstance(value, (QgsReferencedRectangle, QgsReferencedPointXY)):
        return not value.crs().isValid()
    if isinstance(value, str):
        return _BARE_NUMBERS.fullmatch(value) is not None
    return isinstance(value, (QgsRectangle, QgsPointXY, QgsGeometry))


def _in_brackets(crs: QgsCoordinateReferenceSystem) -> str:
    """What stands behind numbers; nothing for a CRS that only QGIS has a code for: they are in it without a name, too."""
    return f" [{crs.authid()}]" if crs.authid() and crs_text(crs) == crs.authid() else ""


class CrsFinder:
    """Finds the CRS that the numbers of an extent or point are to be in, from the parameters that tell it."""

    def __init__(self, algorithm: QgsProcessingAlgorithm, tool: Tool, parameters: dict[str, Any],
                 context: QgsProcessingContext) -> None:
        self._algorithm, self._tool = algorithm, tool
        self._values, self._context = parameters, context

    def crs_of(self, parameter: Parameter, drawn: QgsReferencedRectangle | None = None) -> QgsCoordinateReferenceSystem:
        """Invalid where nothing tells it: local metres. drawn: the part of the layers that is worked on."""
        for name in parameter.crs_from:
            if self._values.get(name) in (None, "", False):
                continue
            found = self._told_by(self._tool.parameter(name), drawn)
            if found is not None:
                return found
        return QgsCoordinateReferenceSystem()

    def _told_by(self, source: Parameter, drawn: QgsReferencedRectangle | None) -> QgsCoordinateReferenceSystem | None:
        if source.kind == "crs":
            return self._algorithm.parameterAsCrs(self._values, source.name, self._context)
        if source.kind == "file":
            return geopackage_extent(Path(self._algorithm.parameterAsFile(self._values, source.name,
                                                                          self._context)))[1]
        layer = layer_of(self._algorithm, source, self._values, self._context) if source.is_layer else None
        return _site_crs(layer.crs(), self._part_within(drawn, layer), self._context) if layer else None

    def _part_within(self, drawn: QgsReferencedRectangle | None, layer: QgsVectorLayer) -> QgsRectangle:
        """Of a layer that reaches over a country or a continent; all of one that nothing is drawn on."""
        if drawn is None or not layer.crs().isValid():
            return layer.extent()
        try:
            there = QgsCoordinateTransform(drawn.crs(), layer.crs(), self._context.transformContext())
            part = there.transformBoundingBox(drawn).intersect(layer.extent())
        except QgsCsException:
            return layer.extent()
        return layer.extent() if part.isEmpty() else part

    def _own_crs(self, parameter: Parameter) -> QgsCoordinateReferenceSystem:
        """Of the layer whose coordinates are taken as they are."""
        sources = (self._tool.parameter(name) for name in parameter.crs_from)
        layers = (layer_of(self._algorithm, source, self._values, self._context) for source in sources if source.is_layer)
        return next((layer.crs() for layer in layers if layer), QgsCoordinateReferenceSystem())

    def _drawn_in(self, parameter: Parameter) -> QgsCoordinateReferenceSystem:
        """The CRS that an extent or point itself says; invalid for bare numbers, for which QGIS has the project's."""
        if _is_bare(self._values[parameter.name]):
            return QgsCoordinateReferenceSystem()
        told_by = self._algorithm.parameterAsPointCrs if parameter.kind == "point" \
            else self._algorithm.parameterAsExtentCrs
        return told_by(self._values, parameter.name, self._context)

    def _in_local_metres(self) -> bool:
        return self._algorithm.parameterAsBoolean(self._values, LOCAL_METRES, self._context)

    def place_problem(self, parameter: Parameter) -> str:
        """Why what is given is no extent or no point, "" if it is one, and for other kinds. QGIS takes 0,0 for a text
        that is no point, and numbers in a CRS that it does not know for bare ones."""
        if parameter.kind not in ("extent", "point"):
            return ""
        problem = self._extent_problem(parameter) if parameter.kind == "extent" else self._point_problem(parameter)
        return problem or self._named_crs_problem(parameter)

    def _named_crs_problem(self, parameter: Parameter) -> str:
        value = self._values[parameter.name]
        match = _NUMBERS_IN_CRS.fullmatch(value) if isinstance(value, str) else None
        if match is None or QgsCoordinateReferenceSystem(match["crs"]).isValid():
            return ""
        return (f"{parameter.label} ({parameter.name}): “{match['crs']}” is no CRS that QGIS knows. Give its code, such as "
                "EPSG:25832.")

    def _point_problem(self, parameter: Parameter) -> str:
        point = self._algorithm.parameterAsPoint(self._values, parameter.name, self._context)
        if not point.isEmpty() and math.isfinite(point.x()) and math.isfinite(point.y()):
            return ""
        return (f"{parameter.label} ({parameter.name}): “{self._values[parameter.name]}” is no point. Write x,y with "
                "decimal points, and the CRS in brackets where it is not the environment's: 7.1,50.7 [EPSG:4326].")

    def _extent_problem(self, parameter: Parameter) -> str:
        if not self._algorithm.parameterAsExtent(self._values, parameter.name, self._context).isNull():
            return ""
        layer = self._algorithm.parameterAsLayer(self._values, parameter.name, self._context)
        value = self._values[parameter.name]
        if layer is None and isinstance(value, str):
            return (f"{parameter.label} ({parameter.name}): “{value}” is neither an extent nor a layer. Write "
                    "xmin,xmax,ymin,ymax, and the CRS in brackets where it is not the environment's.")
        empty = f"“{layer.name()}” is empty" if layer else "what is given is empty"
        return f"{parameter.label}: {empty}, and has no extent. Give a layer with features, or draw the extent on the map."

    def extent(self, parameter: Parameter) -> QgsReferencedRectangle:
        """The extent as the executable takes it, in the environment's CRS, which bare numbers are in. In local metres
        the CRS is that of the layer whose coordinates are taken as they are."""
        drawn = QgsReferencedRectangle(self._algorithm.parameterAsExtent(self._values, parameter.name, self._context),
                                       self._drawn_in(parameter))
        if self._in_local_metres():
            target = self._own_crs(parameter)
        else:
            target = self.crs_of(parameter, drawn if drawn.crs().isValid() else None)
        return QgsReferencedRectangle(self._way(drawn.crs(), target).transformBoundingBox(drawn), target)

    def area(self, parameter: Parameter) -> QgsReferencedRectangle | None:
        """Where the executable finds an extent; without a CRS in local metres, which all coordinates are in then. None for
        bare numbers in the CRS that it chooses itself, and for what does not lie there."""
        try:
            box = self.extent(parameter)
        except QgsCsException:
            return None
        if self._in_local_metres():
            return QgsReferencedRectangle(box, QgsCoordinateReferenceSystem())
        crs_given = any(self._values.get(name) not in (None, "") for name in parameter.crs_from if self._tool.parameter(name).kind == "crs")
        is_known = crs_given or self._drawn_in(parameter).isValid() or box.crs() == self._own_crs(parameter)
        return box if is_known else None

    def point(self, parameter: Parameter, target: QgsCoordinateReferenceSystem) -> QgsPointXY:
        """A point in the CRS `target`, which bare numbers are in."""
        numbers = self._algorithm.parameterAsPoint(self._values, parameter.name, self._context)
        return self._way(self._drawn_in(parameter), target).transform(numbers)

    def _way(self, drawn_in: QgsCoordinateReferenceSystem,
             target: QgsCoordinateReferenceSystem) -> QgsCoordinateTransform:
        """Leaves numbers as they are where one CRS is invalid. QGIS itself leaves those, too, that a widget gave in a
        CRS without a code."""
        return QgsCoordinateTransform(drawn_in, target, self._context.transformContext())

    def extent_values(self, parameter: Parameter) -> dict[str, str]:
        """The extent as the executable reads it, "xmin,xmax,ymin,ymax [CRS]", and the CRS parameter that goes with it.

        Both are given, so that the executable works in the very CRS that the extent was transformed to.
        """
        box = self.extent(parameter)
        numbers = ",".join(f"{value:.10g}" for value in
                           (box.xMinimum(), box.xMaximum(), box.yMinimum(), box.yMaximum()))
        if self._in_local_metres() or not box.crs().isValid() or not self._drawn_in(parameter).isValid():
            return {parameter.name: numbers}
        values = {parameter.name: numbers + _in_brackets(box.crs())}
        told_by = next((name for name in parameter.crs_from if self._tool.parameter(name).kind == "crs"), None)
        return values | {told_by: crs_text(box.crs())} if told_by else values

    def point_text(self, parameter: Parameter) -> str:
        """A point as the executable reads it: "x,y [CRS]", without a CRS where it has bare numbers."""
        drawn_in = self._drawn_in(parameter)
        target = self.crs_of(parameter) if drawn_in.isValid() else QgsCoordinateReferenceSystem()
        point = self.point(parameter, target)
        named = target if target.isValid() else drawn_in
        numbers = f"{point.x():.10g},{point.y():.10g}"
        return numbers + _in_brackets(named)
