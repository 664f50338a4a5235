# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the parameters of a run, found before it begins.

The executable checks everything anew; this says at once, in the dialog, what would cost a wait otherwise, and what only
QGIS can know. Nothing is refused here that the executable would take.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from math import cos, hypot, radians
from pathlib import Path
from typing import Any, Iterator

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsExpression,
    QgsPointXY,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProperty,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QMetaType

from .description import Parameter, Tool
from .extents import CrsFinder
from .inputs.chosen_rows import chosen_rows, expressions_of, leave_geometries, read_attributes
from .inputs.companions import holds_best_servers, path_losses_in
from .inputs.export_reasons import export_reason, has_lost_header
from .inputs.layers_of_file import GEOMETRIES, ambiguous_layers
from .inputs.sources import file_of, geometries_of, layer_of, text_of_source
from .places import (
    BORDER_TOLERANCE_M,
    SITE_MARGIN_M,
    Site,
    corners,
    geopackage_extent,
    is_placed,
    point_in,
    with_margin,
)
from .service_keys import public_source
from .service_rows import SERVICES
from .values import number_of, plain_problem

NUMBERS = {QMetaType.Type.Int, QMetaType.Type.UInt, QMetaType.Type.LongLong, QMetaType.Type.ULongLong,
           QMetaType.Type.Double, QMetaType.Type.Float, QMetaType.Type.Short, QMetaType.Type.UShort}
# Texts that begin like a number: "12 m", "12,5", "40'", "-3.2", ".5".
NUMBER_TEXT = re.compile(r"^\s*[-+]?([0-9]|[.,][0-9])")
# As browsers and servers write spaces in names of files: "%20".
PERCENT_CODE = re.compile(r"%[0-9A-Fa-f]{2}")
# How many rows are looked at; where there are more, and these do not tell, the run does.
ROWS_LOOKED_AT = 10_000
GEOMETRY_WORDS = {Qgis.GeometryType.Polygon: "polygons", Qgis.GeometryType.Point: "points",
                  Qgis.GeometryType.Line: "lines"}
GIBIBYTE = 1024.0 ** 3
# Of extents that anybody would give: that of Iceland. The executable's own.
GREATEST_AREA_M2 = 1e11
# The points of which those outside are left out where that is asked for, and the parameter and choice that ask for it.
RECEIVERS, MISPLACED_RECEIVERS, DROP = "RECEIVERS", "MISPLACED_RECEIVERS", "drop"

class Validation:
    """The checks of one run. Each gives messages; the first one is shown."""

    def __init__(self, algorithm: QgsProcessingAlgorithm, tool: Tool, parameters: dict[str, Any],
                 context: QgsProcessingContext) -> None:
        self._algorithm, self._tool = algorithm, tool
        self._values, self._context = parameters, context
        self._layers: dict[str, QgsVectorLayer | None] = {}

    def unopened_files(self) -> Iterator[str]:
        """Files that are there and cannot be opened, of which QGIS says that they are not found."""
        for parameter in self._tool.parameters:
            text = self._values.get(parameter.name)
            is_raster = parameter.kind == "raster"
            if not (parameter.is_layer or is_raster) or not isinstance(text, str):
                continue
            path = Path(text.split("|")[0])
            if _may_not_be_read(path):
                yield _say_may_not_be_read(parameter, path)
            if not os.path.isfile(path):
                continue
            if is_raster:
                if self._algorithm.parameterAsRasterLayer(self._values, parameter.name, self._context) is None:
                    yield f"{parameter.label}: QGIS opens no raster from {path}, though it is there. Give a raster layer."
                continue
            if self._layer(parameter.name) is not None:
                continue
            is_coded = path.suffix.lower() == ".gpkg" and PERCENT_CODE.search(str(path))
            yield f"{parameter.label}: QGIS cannot open {path}, though it is there. " + (
                f"Some versions of GDAL open no GeoPackage with “{is_coded[0]}” in its name or folder: rename it."
                if is_coded else "Check that it is a vector layer, and that the layer's name is right.")

    def missing_files(self) -> Iterator[str]:
        """Files of Tesseray's own kinds, of which QGIS takes any name. What GDAL alone opens is the program's to judge."""
        for parameter in self._tool.parameters:
            if parameter.kind != "file" or not self._is_given(parameter.name):
                continue
            text = self._algorithm.parameterAsFile(self._values, parameter.name, self._context)
            path = Path(text.split("|")[0])
            if _may_not_be_read(path):
                yield _say_may_not_be_read(parameter, path)
            if not text.startswith("/vsi") and "://" not in text and not os.path.exists(path):
                yield f"{parameter.label}: there is no file {path}. Check its name and folder."

    def plain_values(self, options: list[Parameter]) -> Iterator[str]:
        """Values of which QGIS says no more than that they are incorrect, or nothing."""
        finder = CrsFinder(self._algorithm, self._tool, self._values, self._context)
        for parameter in (*self._tool.parameters, *options):
            value = self._values.get(parameter.name)
            is_known = value not in (None, "") and not isinstance(value, QgsProperty)
            problem = (plain_problem(parameter, value) or finder.place_problem(parameter)) if is_known else ""
            if problem:
                yield problem

    def messages(self) -> Iterator[str]:
        for parameter in self._tool.parameters:
            if parameter.is_layer and self._is_given(parameter.name):
                yield from self._check_layer(parameter)
        for parameter in self._tool.parameters:
            if parameter.content and self._is_given(parameter.name):
                yield from self._check_content(parameter)
            if parameter.within and self._is_given(parameter.name):
                check = self._check_point if parameter.kind == "point" else self._check_place
                yield from check(parameter)
        yield from self._check_memory()

    def _is_given(self, name: str) -> bool:
        return self._values.get(name) not in (None, "")

    def _layer(self, name: str) -> QgsVectorLayer | None:
        if name not in self._layers:
            self._layers[name] = layer_of(self._algorithm, self._tool.parameter(name), self._values, self._context)
        return self._layers[name]

    def _check_layer(self, parameter: Parameter) -> Iterator[str]:
        value = self._values[parameter.name]
        names = ambiguous_layers(parameter, value)
        if names:
            yield (f"{parameter.label}: the file has several layers ({', '.join(names)}). Say which one, as "
                   f"{Path(text_of_source(value)).name}|layername=NAME.")
            return
        layer = self._layer(parameter.name)
        if layer is None:
            return  # QGIS itself says so
        if not layer.isValid():
            yield (f"{parameter.label}: “{layer.name()}” cannot be opened ({public_source(layer)}). Check that its "
                   "file or server is there.")
            return
        wanted = GEOMETRIES.get(parameter.kind)
        has_geometry = layer.wkbType() != Qgis.WkbType.NoGeometry
        is_table_of_points = parameter.kind == "vector point" and not has_geometry
        known = layer.geometryType() in GEOMETRY_WORDS
        if wanted is not None and not is_table_of_points and known and wanted not in geometries_of(layer):
            yield (f"{parameter.label}: “{layer.name()}” holds {GEOMETRY_WORDS[layer.geometryType()]}, and "
                   f"{GEOMETRY_WORDS[wanted]} are needed.")
        if wanted == Qgis.GeometryType.Polygon and not has_geometry:
            yield f"{parameter.label}: “{layer.name()}” is a table without geometry, and polygons are needed."
        if isinstance(value, QgsProcessingFeatureSourceDefinition) and value.selectedFeaturesOnly \
                and layer.selectedFeatureCount() == 0:
            yield (f"{parameter.label}: only selected features of “{layer.name()}” are wanted, and none is selected. "
                   "Select some, or untick “Selected features only”.")
        if parameter.companions and holds_best_servers(layer):
            yield self._say_best_servers(parameter, layer)
        yield from self._check_header(parameter, layer)
        yield from self._check_filter(parameter, layer)
        if has_geometry and layer.isSpatial():  # of a layer with collections QGIS reads no CRS
            yield from self._check_crs(parameter, layer)

    @staticmethod
    def _say_best_servers(parameter: Parameter, layer: QgsVectorLayer) -> str:
        file = file_of(layer)
        names = path_losses_in(str(file)) if file else []
        wanted = f"; its file has {' and '.join(names)}" if names else ""
        return (f"{parameter.label}: “{layer.name()}” is a layer of best servers: of the other transmitters at a place it "
                f"tells nothing. Choose the path losses that it was made from{wanted}.")

    def _check_header(self, parameter: Parameter, layer: QgsVectorLayer) -> Iterator[str]:
        """A spreadsheet that QGIS hands over, or names fields of, without its header."""
        are_numbers_named = any(self._values.get(field.name) in layer.fields().names() for field in self._tool.parameters
                                if field.kind == "field" and field.parent == parameter.name)
        if has_lost_header(layer) and (are_numbers_named or export_reason(layer, self._values[parameter.name])):
            yield (f"{parameter.label}: QGIS has taken the header of “{layer.name()}” for a row of values, since all "
                   f"cells are texts, and calls its fields {', '.join(layer.fields().names()[:2])} and so on. Format "
                   "its numbers as numbers, save it as CSV, or give the whole layer without naming fields.")

    def _check_filter(self, parameter: Parameter, layer: QgsVectorLayer) -> Iterator[str]:
        """An expression that QGIS cannot ask rows by, of which it takes none without a word, and one that chooses none."""
        value = self._values[parameter.name]
        text = value.filterExpression if isinstance(value, QgsProcessingFeatureSourceDefinition) else ""
        if not text:
            return
        expression = QgsExpression(text)
        if expression.hasParserError() or not expression.prepare(expressions_of(layer, self._context)):
            reason = (expression.parserErrorString() or expression.evalErrorString()).strip()
            yield (f"{parameter.label}: “{layer.name()}” cannot be filtered by “{text}”: {reason}. Its fields: "
                   f"{', '.join(layer.fields().names())}.")
        elif layer.providerType() not in SERVICES and layer.featureCount() and not self._is_any_chosen(layer, value):
            kind = "selected features" if value.selectedFeaturesOnly else "features"
            yield f"{parameter.label}: the expression “{text}” chooses none of the {kind} of “{layer.name()}”. Correct it."

    def _is_any_chosen(self, layer: QgsVectorLayer, value: QgsProcessingFeatureSourceDefinition) -> bool:
        """By its expression, whatever else is left out."""
        rows, request = chosen_rows(layer, value, self._context)
        request.setInvalidGeometryCheck(Qgis.InvalidGeometryCheck.NoCheck).setLimit(1)
        leave_geometries(request)
        return next(rows.getFeatures(request), None) is not None

    def _check_crs(self, parameter: Parameter, layer: QgsVectorLayer) -> Iterator[str]:
        if layer.crs().isValid() or not parameter.crs_from or self._has_crs_from_elsewhere(parameter):
            return
        tellers = (self._tool.parameter(name) for name in parameter.crs_from)
        others = " or ".join(f"“{teller.label}”" for teller in tellers if not _is_site(teller))
        yield (f"{parameter.label}: “{layer.name()}” has no CRS, so that nobody knows where it lies. Set it in the "
               f"layer's properties, or give {others}.")

    def _has_crs_from_elsewhere(self, parameter: Parameter) -> bool:
        """Something else tells the CRS, or the input that the layer belongs to has none either (local metres)."""
        site = self._tool.parameter(parameter.within) if parameter.within else None
        names = [*parameter.crs_from, *(site.crs_from if site else [])]
        tellers = [*map(self._tool.parameter, names), *([site] if site else [])]
        return any(not is_placed(self._extent_of(teller)[1]) if _is_site(teller) else self._values.get(teller.name)
                   for teller in tellers)

    def _check_content(self, parameter: Parameter) -> Iterator[str]:
        layer = self._layer(parameter.parent or "")
        name = str(self._values[parameter.name])
        index = layer.fields().lookupField(name) if layer else -1
        if layer is None:
            return
        if index < 0:
            yield (f"{parameter.label}: “{layer.name()}” has no field {name}. Its fields: "
                   f"{', '.join(field.name() for field in layer.fields())}.")
            return
        kind = layer.fields()[index].type()
        if kind in NUMBERS:
            return
        if kind != QMetaType.Type.QString:
            yield (f"{parameter.label}: the field {name} of “{layer.name()}” is of type "
                   f"{layer.fields()[index].typeName()}, and numbers are needed.")
            return
        yield from self._check_texts(parameter, layer, index)

    def _check_texts(self, parameter: Parameter, layer: QgsVectorLayer, index: int) -> Iterator[str]:
        """Texts are taken when any of them begins like a number; which ones are left out, the run says."""
        rows, request = chosen_rows(layer, self._values[parameter.parent], self._context)
        leave_geometries(request)
        read_attributes(request, [index])
        first = None
        for number, feature in enumerate(rows.getFeatures(request)):
            if number == ROWS_LOOKED_AT:
                return
            text = feature[index]
            if not isinstance(text, str) or not text.strip():
                continue
            if NUMBER_TEXT.match(text):
                return
            first = first if first is not None else text
        if first is not None:
            examples = "“12”, “12 m” or “40 ft”" if parameter.content == "length" else "“-87.5”"
            yield (f"{parameter.label}: the field {layer.fields()[index].name()} of “{layer.name()}” is not numeric: "
                   f"its first value is “{first}”. Choose a field with numbers, or texts like {examples}.")

    def _extent_of(self, parameter: Parameter) -> tuple[QgsRectangle, QgsCoordinateReferenceSystem]:
        """Where an input lies: a layer, or the GeoPackage of a file parameter. Empty when it cannot be told."""
        if parameter.is_layer:
            layer = self._layer(parameter.name)
            return (layer.extent(), layer.crs()) if layer else (QgsRectangle(), QgsCoordinateReferenceSystem())
        return geopackage_extent(Path(str(self._values.get(parameter.name) or "")))

    def _check_place(self, parameter: Parameter) -> Iterator[str]:
        """Points outside of the site: the executable takes none of them. Where it may drop them, some are to remain."""
        layer = self._layer(parameter.name)
        if layer is None or layer.wkbType() == Qgis.WkbType.NoGeometry:
            return
        site = self._site_of(parameter)
        told = CrsFinder(self._algorithm, self._tool, self._values, self._context).crs_of(parameter)
        crs = told if told.isValid() else layer.crs()
        if site is None or crs.isValid() != site.crs.isValid():
            return
        to_site = QgsCoordinateTransform(crs, site.crs, self._context.transformContext())
        rows, request = chosen_rows(layer, self._values[parameter.name], self._context)
        read_attributes(request, [])
        # Of a row without geometry the executable says more.
        points = [point_in(feature, to_site) for feature in islice(rows.getFeatures(request), ROWS_LOOKED_AT)
                  if feature.hasGeometry()]
        outside = [point for point in points if not (point and site.extent.contains(point))]
        are_all = len(outside) == len(points) < ROWS_LOOKED_AT
        if outside and (are_all or not self._may_drop(parameter)):
            first = f"{outside[0].x():.7g}, {outside[0].y():.7g}" if outside[0] else "nowhere"
            yield (f"{parameter.label}: {len(outside)} of {len(points)} points of "
                   f"“{layer.name()}” lie outside the extent of “{site.label}”. The first is at {first}, and "
                   f"the extent is {corners(site.extent)} in {site.crs.authid() or 'its CRS'}. Check the CRS of both, "
                   "and whether x and y are swapped.")

    def _may_drop(self, parameter: Parameter) -> bool:
        has_choice = any(other.name == MISPLACED_RECEIVERS for other in self._tool.parameters)
        return parameter.name == RECEIVERS and has_choice and self._values.get(MISPLACED_RECEIVERS) == DROP

    def _check_point(self, parameter: Parameter) -> Iterator[str]:
        """A point of the map outside of the site. One without a CRS is in the site's."""
        site = self._site_of(parameter)
        if site is None:
            return
        try:
            point = CrsFinder(self._algorithm, self._tool, self._values, self._context).point(parameter, site.crs)
        except QgsCsException:
            point = None
        if not (point and site.extent.contains(point)):
            place = f"{point.x():.7g}, {point.y():.7g}" if point else "the point"
            yield (f"{parameter.label}: {place} lies outside the extent of “{site.label}”, "
                   f"{corners(site.extent)} in {site.crs.authid() or 'its CRS'}. Choose a point inside.")

    def _site_of(self, parameter: Parameter) -> Site | None:
        """Where points may lie: the extent that is given for the work, or the input that they should lie within."""
        within = self._tool.parameter(parameter.within)
        drawn = next((other for other in self._tool.parameters if other.kind == "extent"
                      and parameter.within in other.crs_from and self._is_given(other.name)), None)
        if drawn:
            area = CrsFinder(self._algorithm, self._tool, self._values, self._context).area(drawn)
            return area and Site(drawn.label, with_margin(area, area.crs(), BORDER_TOLERANCE_M), area.crs())
        extent, crs = self._extent_of(within)
        if extent.isEmpty():
            return None
        return Site(within.label, with_margin(extent, crs, SITE_MARGIN_M), crs)

    def _drawn_extent(self, parameter: Parameter, as_corners: bool = False) -> QgsReferencedRectangle | None:
        """Where it lies; None where that cannot be told."""
        try:
            return CrsFinder(self._algorithm, self._tool, self._values, self._context).extent(parameter, as_corners)
        except QgsCsException:
            return None

    def _is_meant_as_corners(self, extent_name: str, layer: QgsVectorLayer) -> bool:
        """Whether an extent far too large would meet the layer as xmin,ymin,xmax,ymax: the run says what to write."""
        box = self._drawn_extent(self._tool.parameter(extent_name), as_corners=True)
        if box is None or box.isEmpty():
            return False
        to_layer = QgsCoordinateTransform(box.crs(), layer.crs(), self._context.transformContext())
        area_m2 = self._ground_area_m2(box)
        try:
            meets = to_layer.transformBoundingBox(box).intersects(layer.extent())
        except QgsCsException:
            return False
        return meets and area_m2 is not None and area_m2 <= GREATEST_AREA_M2

    def _check_memory(self) -> Iterator[str]:
        """What the pieces of the area alone would take; the run itself counts exactly."""
        need = self._tool.memory
        if need is None:
            return
        area_m2 = self._area_m2(need.layer, need.extent)
        piece_m2 = self._algorithm.parameterAsDouble(self._values, need.piece_area, self._context)
        if area_m2 is None or piece_m2 <= 0:
            return
        bytes_needed = area_m2 / piece_m2 * need.bytes_per_piece
        bytes_there = self._memory_limit()
        if bytes_there is not None and bytes_needed > bytes_there:
            if self._is_given(need.extent) and self._is_meant_as_corners(need.extent, self._layer(need.layer)):
                return
            piece = self._tool.parameter(need.piece_area)
            yield (f"The memory does not suffice: {area_m2 / piece_m2:.3g} pieces of {piece_m2:g} {piece.unit} take at "
                   f"least {bytes_needed / GIBIBYTE:.1f} GiB, and {bytes_there / GIBIBYTE:.1f} GiB are there. Choose a "
                   f"smaller “{self._tool.parameter(need.extent).label}” or a larger “{piece.label}”; "
                   "one feature far from all others can be the cause.")

    def _area_m2(self, layer_name: str, extent_name: str) -> float | None:
        layer = self._layer(layer_name)
        if layer is None:
            return None
        if self._is_given(extent_name):
            extent = self._drawn_extent(self._tool.parameter(extent_name))
        else:
            extent = QgsReferencedRectangle(self._extent_of_rows(layer_name), layer.crs())
        return None if extent is None or extent.isEmpty() else self._ground_area_m2(extent)

    def _ground_area_m2(self, box: QgsReferencedRectangle) -> float | None:
        """By the lines through its middle; a check of orders of magnitude needs no more. None where it is not on Earth."""
        if not is_placed(box.crs()):
            return box.area()
        to_degrees = QgsCoordinateTransform(box.crs(), QgsCoordinateReferenceSystem("EPSG:4326"),
                                            self._context.transformContext())
        middle = box.center()
        lines = ((QgsPointXY(box.xMinimum(), middle.y()), QgsPointXY(box.xMaximum(), middle.y())),
                 (QgsPointXY(middle.x(), box.yMinimum()), QgsPointXY(middle.x(), box.yMaximum())))
        try:
            width_m, height_m = (_length_m(to_degrees.transform(start), to_degrees.transform(end)) for start, end in lines)
        except QgsCsException:
            return None
        return width_m * height_m

    def _extent_of_rows(self, name: str) -> QgsRectangle:
        """Of a layer as far as it is wanted: its selected features may lie close together in a country."""
        if not isinstance(self._values[name], QgsProcessingFeatureSourceDefinition):
            return self._layer(name).extent()
        rows, request = chosen_rows(self._layer(name), self._values[name], self._context)
        read_attributes(request, [])
        extent = QgsRectangle()
        for feature in rows.getFeatures(request):
            extent.combineExtentWith(feature.geometry().boundingBox())
        return extent

    def _memory_limit(self) -> float | None:
        """What the user allows, else what the machine has, in bytes."""
        allowed = number_of(self._values.get("MEMORY"))
        return allowed * GIBIBYTE if allowed is not None else machine_memory_bytes()


def _length_m(start: QgsPointXY, end: QgsPointXY) -> float:
    """Between places in degrees, of which one of latitude is as long everywhere."""
    across = (end.x() - start.x()) * cos(radians((start.y() + end.y()) / 2))
    return hypot(across, end.y() - start.y()) * 111_320.0


def _is_site(parameter: Parameter) -> bool:
    """An input with an extent, in a CRS or in local metres."""
    return parameter.is_layer or parameter.kind == "file"


def _may_not_be_read(path: Path) -> bool:
    """As the executable tells; not of what is not there."""
    try:
        os.stat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return not os.access(path, os.R_OK)


def _say_may_not_be_read(parameter: Parameter, path: Path) -> str:
    return (f"{parameter.label}: the permission to read {path} is missing. Let its owner give it, or take a copy that you "
            "may read.")


def machine_memory_bytes() -> float | None:
    """The memory of the machine; None where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
