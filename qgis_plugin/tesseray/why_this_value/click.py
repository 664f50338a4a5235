# SPDX-License-Identifier: GPL-3.0-or-later
"""What a click is about: the predicted layer that shows something there, its features, and the run that made it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureRequest,
    QgsGeometry,
    QgsMapLayer,
    QgsPoint,
    QgsPointXY,
    QgsProject,
    QgsProviderRegistry,
    QgsRectangle,
    QgsVector3D,
    QgsVectorLayer,
)

from ..description import Description, Tool
from ..inputs.sources import table_of
from .calls import RecordedRun, UnknownRun, predicting_run

VALUE_FIELD = "path_loss_db"
TRANSMITTER_FIELD = "transmitter_id"
RECEIVER_FIELD = "receiver_id"
TILE_FIELD = "tile_id"
KIND_FIELD = "kind"
WALL, ROOF = "wall", "roof"
# Where a value is explained, in words.
HERE, BESIDE = "this very place", {WALL: "just in front of it", ROOF: "just above it"}
# Of a wall or roof tile the place this far in front of its middle is explained: nearer than 1 cm a point is on it.
_CLEARANCE_M = 0.02
# Geometries of two transmitters' rows are the same to the last bit; distances to them may differ by rounding, m or °.
_SAME_PLACE_DIGITS = 9


@dataclass(frozen=True)
class Click:
    """A place of the map, in `crs`. radius: how far from it a point may lie to be meant."""

    point: QgsPointXY
    crs: QgsCoordinateReferenceSystem
    radius: float


@dataclass(frozen=True)
class Stand:
    """Where something is that has a height of its own, z in the environment's heights.

    what: how a sentence on it begins. place: where the value is explained, beside that of the layer.
    """

    what: str
    z: float
    place: str = HERE


@dataclass(frozen=True)
class Clicked:
    """A predicted layer under the click, and the run that made it.

    point: what is to be explained, in the layer's CRS; of a layer of points the clicked one, of tiles of walls and roofs
    their middle. features: those that lie there, of one tile alone where it is not on the ground. stand: of a receiver,
    wall or roof.
    """

    layer: QgsVectorLayer
    point: QgsPointXY
    features: list[QgsFeature]
    stand: Stand | None
    run: RecordedRun


class NothingClicked(Exception):
    """Why nothing can be explained, in words. to_be_asked: whether the user may know what no layer tells."""

    def __init__(self, words: str, to_be_asked: bool) -> None:
        super().__init__(words)
        self.to_be_asked = to_be_asked


@dataclass(frozen=True)
class _Place:
    """What a layer has under the click, in its CRS. is_within: whether it lies in the extent of a layer of areas."""

    layer: QgsVectorLayer
    point: QgsPointXY
    features: list[QgsFeature] = field(default_factory=list)
    is_within: bool = False
    stand: Stand | None = None


def find_clicked(layers: list[QgsMapLayer], click: Click, description: Description) -> Clicked:
    """The first of the layers that has something at the place, else the first one around it, so that gaps and places
    which a filter hides are explained, too. Throws NothingClicked."""
    predicted = [layer for layer in layers if _tells_path_loss(layer)]
    if not predicted:
        raise NothingClicked("The map shows no layer predicted by Tesseray.", to_be_asked=True)
    places = [place for layer in predicted if (place := _place_in(layer, click))]
    reasons = []
    for place in [*(place for place in places if place.features),
                  *(place for place in places if not place.features and place.is_within)]:
        try:
            run = _run_of(place.layer, description)
        except UnknownRun as reason:
            reasons.append(f"“{place.layer.name()}” cannot be explained: {reason}.")
        else:
            return Clicked(place.layer, place.point, place.features, place.stand, run)
    if reasons:
        raise NothingClicked(reasons[0], to_be_asked=True)
    hint = " Click on one of the points." if any(map(has_points, predicted)) else ""
    raise NothingClicked(f"No layer predicted by Tesseray has anything here.{hint}", to_be_asked=False)


def values_of_features(tool: Tool, clicked: Clicked) -> dict[str, Any]:
    """Texts that the tool takes and that all features under the click agree on: TRANSMITTER is their transmitter_id.

    Where there is none, those of the whole layer count: its filter says what it is about. It is told as
    "transmitter_id=2", since a name may be the number of another one.
    """
    values = {}
    for parameter in tool.parameters:
        name = f"{parameter.name.lower()}_id"
        index = clicked.layer.fields().indexOf(name)
        if parameter.kind != "string" or index < 0:
            continue
        # Of a whole layer one, another and NULL are enough to know.
        found = [feature[index] for feature in clicked.features] or clicked.layer.uniqueValues(index, 3)
        numbers = {number for number in found if not is_null(number)}
        if len(numbers) == 1:
            values[parameter.name] = f"{name}={numbers.pop()}"
    return values


def losses_of_features(clicked: Clicked) -> dict[int, float]:
    """What the layer has at the place that is explained, in dB, by the number of the transmitter."""
    has_fields = clicked.layer.fields().indexOf(TRANSMITTER_FIELD) >= 0
    is_elsewhere = clicked.stand is None and any(map(_building_surface, clicked.features))
    if not has_fields or is_elsewhere:
        return {}
    return {feature[TRANSMITTER_FIELD]: feature[VALUE_FIELD] for feature in reversed(clicked.features)
            if isinstance(feature[VALUE_FIELD], float)}


def is_null(value: Any) -> bool:
    return value is None or (hasattr(value, "isNull") and value.isNull())


def _tells_path_loss(layer: QgsMapLayer) -> bool:
    return (isinstance(layer, QgsVectorLayer) and layer.providerType() == "ogr"
            and layer.geometryType() in (Qgis.GeometryType.Polygon, Qgis.GeometryType.Point)
            and layer.fields().indexOf(VALUE_FIELD) >= 0)


def has_points(layer: QgsVectorLayer) -> bool:
    return layer.geometryType() == Qgis.GeometryType.Point


def _place_in(layer: QgsVectorLayer, click: Click) -> _Place | None:
    """None where the layer's CRS does not reach."""
    transform = QgsCoordinateTransform(click.crs, layer.crs(), QgsProject.instance())
    try:
        point = transform.transform(click.point)
        around = transform.transformBoundingBox(QgsRectangle(click.point, click.point).buffered(click.radius))
    except QgsCsException:
        return None
    return _place_of_points(layer, point, around) if has_points(layer) else _place_of_areas(layer, point, around)


def _place_of_areas(layer: QgsVectorLayer, point: QgsPointXY, around: QgsRectangle) -> _Place:
    """What lies there; walls, which are lines on the map, also close by. Ground comes before roofs, roofs before walls."""
    place = QgsGeometry.fromPointXY(point)
    request = QgsFeatureRequest().setFilterRect(QgsRectangle(point, point).buffered(1e-3))
    found = [feature for feature in layer.getFeatures(request) if feature.geometry().intersects(place)]
    is_within = layer.extent().contains(point)
    ground = [feature for feature in found if not _building_surface(feature)]
    roofs = [feature for feature in found if _building_surface(feature) == ROOF]
    features = ground or _highest(roofs) or _nearest_walls(layer, point, around)
    if ground or not features or not features[0].geometry().constGet().is3D():
        return _Place(layer, point, features, is_within)
    before = _before(features[0])
    return _Place(layer, QgsPointXY(before.x(), before.y()), features, is_within, _stand_of_tile(features[0], before.z()))


def _building_surface(feature: QgsFeature) -> str:
    """Wall or roof; "" for the ground, and where nothing tells."""
    index = feature.fields().indexOf(KIND_FIELD)
    return feature[index] if index >= 0 and feature[index] in (WALL, ROOF) else ""


def _stand_of_tile(feature: QgsFeature, z: float) -> Stand:
    surface = _building_surface(feature)
    return Stand(f"The middle of the {surface} tile lies", z, BESIDE[surface])


def _rows_of_first_tile(features: list[QgsFeature], order: Callable[[QgsFeature], Any]) -> list[QgsFeature]:
    """Of the tile that comes first the rows of all transmitters."""
    found: dict[Any, list[QgsFeature]] = {}
    for feature in features:
        index = feature.fields().indexOf(TILE_FIELD)
        found.setdefault((order(feature), feature[index] if index >= 0 else 0), []).append(feature)
    return found[min(found)] if found else []


def _highest(roofs: list[QgsFeature]) -> list[QgsFeature]:
    """The roof that is to be seen."""
    return _rows_of_first_tile(roofs, lambda feature: -_middle(feature).z())


def _nearest_walls(layer: QgsVectorLayer, point: QgsPointXY, around: QgsRectangle) -> list[QgsFeature]:
    """Of walls the nearest tile, of several over each other the lowest, as of points."""
    if layer.fields().indexOf(KIND_FIELD) < 0:
        return []
    place = QgsGeometry.fromPointXY(point)

    def distance(feature: QgsFeature) -> float:  # polygons without an area have none that GEOS knows
        return round(QgsGeometry(feature.geometry().constGet().boundary()).distance(place), _SAME_PLACE_DIGITS)

    request = QgsFeatureRequest().setFilterRect(around).setFilterExpression(f"\"{KIND_FIELD}\" = '{WALL}'")
    walls = [feature for feature in layer.getFeatures(request) if distance(feature) <= around.width() / 2]
    return _rows_of_first_tile(walls, lambda feature: (distance(feature), _middle(feature).z()))


def _corners(feature: QgsFeature) -> list[QgsVector3D]:
    return [QgsVector3D(corner.x(), corner.y(), corner.z() if corner.is3D() else 0.0)
            for corner in feature.geometry().vertices()][:-1]


def _middle(feature: QgsFeature) -> QgsVector3D:
    corners = _corners(feature)
    return sum(corners, QgsVector3D()) / len(corners)


def _before(feature: QgsFeature) -> QgsVector3D:
    """The place just in front of the middle of a tile, whose corners go round its normal."""
    middle = _middle(feature)
    ways = [corner - middle for corner in _corners(feature)]
    normal = sum(map(QgsVector3D.crossProduct, ways, [*ways[1:], ways[0]]), QgsVector3D())
    return middle + normal / normal.length() * _CLEARANCE_M


def _place_of_points(layer: QgsVectorLayer, point: QgsPointXY, around: QgsRectangle) -> _Place:
    """The nearest point, with the rows of all transmitters; of several over each other the lowest."""
    found: dict[tuple[float, float], list[QgsFeature]] = {}
    for feature in layer.getFeatures(QgsFeatureRequest().setFilterRect(around)):
        there = _point_of(feature)
        distance = round(QgsPointXY(there).distance(point), _SAME_PLACE_DIGITS)
        found.setdefault((distance, there.z() if there.is3D() else 0.0), []).append(feature)
    if not found:
        return _Place(layer, point)
    features = found[min(found)]
    return _Place(layer, QgsPointXY(_point_of(features[0])), features, stand=_stand_of_point(features[0]))


def _stand_of_point(feature: QgsFeature) -> Stand | None:
    """Of a receiver, or the middle of a wall or roof tile; the program itself puts what is on a wall in front of it."""
    there = _point_of(feature)
    if not there.is3D():
        return None
    if feature.fields().indexOf(RECEIVER_FIELD) >= 0:
        return Stand("The receiver stands", there.z())
    surface = _building_surface(feature)
    return _stand_of_tile(feature, there.z() + (_CLEARANCE_M if surface == ROOF else 0.0)) if surface else None


def _point_of(feature: QgsFeature) -> QgsPoint:
    return feature.geometry().vertexAt(0)


def _run_of(layer: QgsVectorLayer, description: Description) -> RecordedRun:
    source = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
    return predicting_run(Path(source["path"]), table_of(layer), description)
