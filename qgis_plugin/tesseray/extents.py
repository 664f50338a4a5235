# SPDX-License-Identifier: GPL-3.0-or-later
"""Extents and points as the executable reads them, and where they lie."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from qgis.core import (
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
)

from .description import Parameter, Tool
from .inputs.sources import crs_text, layer_of
from .places import geopackage_extent

# The executable takes the box around an extent in the CRS that it chooses. Turned by the convergence of the meridians, that
# is larger on each side by less than so much of the greater side.
_TURN = 0.06
# "1,2" or "1,2,3,4".
_NUMBERS = r"[-+.\deE\s]+(,[-+.\deE\s]+)+"
_BARE_NUMBERS = re.compile(_NUMBERS)
# "1,2 [EPSG:4326]"; a CRS without a code has nothing in its brackets.
_NUMBERS_IN_CRS = re.compile(rf"\(?{_NUMBERS}\[(?P<crs>[^\]]+)\]\s*\)?")
# The parameter by which coordinates are metres of no known CRS.
LOCAL_METRES = "LOCAL_METRES"


def _is_bare(value: Any) -> bool:
    """Whether an extent or point is numbers without a CRS."""
    if isinstance(value, (QgsReferencedRectangle, QgsReferencedPointXY)):
        return not value.crs().isValid()
    if isinstance(value, str):
        return _BARE_NUMBERS.fullmatch(value) is not None
    return isinstance(value, (QgsRectangle, QgsPointXY, QgsGeometry))


def _in_brackets(crs: QgsCoordinateReferenceSystem) -> str:
    """What stands behind the numbers of a point; nothing for a CRS that only QGIS has a code for: they are in the
    environment's without a name, too."""
    return f" [{crs.authid()}]" if crs.authid() and crs_text(crs) == crs.authid() else ""


class CrsFinder:
    """Finds the CRS that the numbers of an extent or point are in, from what is given and the parameters that tell it."""

    def __init__(self, algorithm: QgsProcessingAlgorithm, tool: Tool, parameters: dict[str, Any],
                 context: QgsProcessingContext) -> None:
        self._algorithm, self._tool = algorithm, tool
        self._values, self._context = parameters, context

    def crs_of(self, parameter: Parameter) -> QgsCoordinateReferenceSystem:
        """Invalid where nothing tells it: local metres. Of an extent over layers, their own, in which numbers without a
        CRS are unless the executable chooses another."""
        for name in parameter.crs_from:
            if self._values.get(name) in (None, "", False):
                continue
            found = self._told_by(self._tool.parameter(name))
            if found is not None:
                return found
        return QgsCoordinateReferenceSystem()

    def _told_by(self, source: Parameter) -> QgsCoordinateReferenceSystem | None:
        if source.kind == "crs":
            return self._algorithm.parameterAsCrs(self._values, source.name, self._context)
        if source.kind == "file":
            return geopackage_extent(Path(self._algorithm.parameterAsFile(self._values, source.name,
                                                                          self._context)))[1]
        layer = layer_of(self._algorithm, source, self._values, self._context) if source.is_layer else None
        return layer.crs() if layer else None

    def _is_crs_given(self, parameter: Parameter) -> bool:
        return any(self._values.get(name) not in (None, "") for name in parameter.crs_from
                   if self._tool.parameter(name).kind == "crs")

    def _is_over_layers(self, box: QgsRectangle, parameter: Parameter) -> bool:
        """Whether numbers are among those of the layers' coordinates."""
        sources = (self._tool.parameter(name) for name in parameter.crs_from)
        layers = (layer_of(self._algorithm, source, self._values, self._context) for source in sources if source.is_layer)
        return any(layer is not None and box.intersects(layer.extent()) for layer in layers)

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

    def _drawn(self, parameter: Parameter, as_corners: bool = False) -> QgsReferencedRectangle:
        """As it was given; without a CRS where it is numbers alone. In local metres in the coordinates of the layers.
        as_corners: with its numbers as xmin,ymin,xmax,ymax, which the executable explains."""
        numbers = self._algorithm.parameterAsExtent(self._values, parameter.name, self._context)
        if as_corners:
            numbers = QgsRectangle(numbers.xMinimum(), numbers.xMaximum(), numbers.yMinimum(), numbers.yMaximum())
        drawn = QgsReferencedRectangle(numbers, self._drawn_in(parameter))
        if not self._in_local_metres():
            return drawn
        box = self._way(drawn.crs(), self.crs_of(parameter)).transformBoundingBox(drawn)
        return QgsReferencedRectangle(box, QgsCoordinateReferenceSystem())

    def extent(self, parameter: Parameter, as_corners: bool = False) -> QgsReferencedRectangle | None:
        """Where an extent lies; in local metres in the CRS of the layers whose coordinates are taken as they are. None
        where that cannot be told, of numbers in a CRS that the executable chooses. Throws QgsCsException."""
        drawn, told = self._drawn(parameter, as_corners), self.crs_of(parameter)
        if drawn.crs().isValid():
            target = told if self._is_crs_given(parameter) else drawn.crs()
            return QgsReferencedRectangle(self._way(drawn.crs(), target).transformBoundingBox(drawn), target)
        is_known = self._in_local_metres() or self._is_crs_given(parameter) or (
            not told.isGeographic() and self._is_over_layers(drawn, parameter))
        return QgsReferencedRectangle(drawn, told) if is_known else None

    def area(self, parameter: Parameter) -> QgsReferencedRectangle | None:
        """What the executable takes of the map for an extent lies within it, whatever CRS it chooses; without a CRS in
        local metres, which all coordinates are in then. None where it cannot be told."""
        try:
            box = self.extent(parameter)
        except QgsCsException:
            return None
        if box is None or self._in_local_metres():
            return box and QgsReferencedRectangle(box, QgsCoordinateReferenceSystem())
        reach = _TURN * max(box.width(), box.height()) if self._may_turn(parameter) else 0.0
        return QgsReferencedRectangle(box.buffered(reach), box.crs())

    def area_in_metres(self, parameter: Parameter) -> QgsReferencedRectangle | None:
        """The same in metres on the ground: in a plane around its middle where it was drawn in another CRS than the
        environment's may be."""
        area = self.area(parameter)
        if area is None or not self._may_turn(parameter):
            return area
        try:
            middle = self._way(area.crs(), QgsCoordinateReferenceSystem("EPSG:4326")).transform(area.center())
            plane = QgsCoordinateReferenceSystem.fromProj(f"+proj=aeqd +lat_0={middle.y():.6f} +lon_0={middle.x():.6f} "
                                                          "+datum=WGS84 +units=m")
            return QgsReferencedRectangle(self._way(area.crs(), plane).transformBoundingBox(area), plane)
        except QgsCsException:
            return None

    def _may_turn(self, parameter: Parameter) -> bool:
        return self._drawn_in(parameter).isValid() and not (self._is_crs_given(parameter) or self._in_local_metres())

    def point(self, parameter: Parameter, target: QgsCoordinateReferenceSystem) -> QgsPointXY:
        """A point in the CRS `target`, which bare numbers are in."""
        numbers = self._algorithm.parameterAsPoint(self._values, parameter.name, self._context)
        return self._way(self._drawn_in(parameter), target).transform(numbers)

    def _way(self, drawn_in: QgsCoordinateReferenceSystem,
             target: QgsCoordinateReferenceSystem) -> QgsCoordinateTransform:
        """Leaves numbers as they are where one CRS is invalid. QGIS itself leaves those, too, that a widget gave in a
        CRS without a code."""
        return QgsCoordinateTransform(drawn_in, target, self._context.transformContext())

    def extent_text(self, parameter: Parameter) -> str:
        """The extent as the executable reads it, "xmin,xmax,ymin,ymax [CRS]", in the CRS that it was given in."""
        box = self._drawn(parameter)
        numbers = ",".join(f"{value:.10g}" for value in
                           (box.xMinimum(), box.xMaximum(), box.yMinimum(), box.yMaximum()))
        return f"{numbers} [{crs_text(box.crs())}]" if box.crs().isValid() else numbers

    def point_text(self, parameter: Parameter) -> str:
        """A point as the executable reads it: "x,y [CRS]", without a CRS where it has bare numbers."""
        drawn_in = self._drawn_in(parameter)
        target = self.crs_of(parameter) if drawn_in.isValid() else QgsCoordinateReferenceSystem()
        point = self.point(parameter, target)
        named = target if target.isValid() else drawn_in
        numbers = f"{point.x():.10g},{point.y():.10g}"
        return numbers + _in_brackets(named)
