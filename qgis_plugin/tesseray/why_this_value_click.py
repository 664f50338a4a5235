# SPDX-License-Identifier: GPL-3.0-or-later
"""What a click is about: the predicted layer that shows something there, its features, and the run that made it."""

from __future__ import annotations

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
    QgsVectorLayer,
)

from .description import Description, Tool
from .inputs import table_of
from .why_this_value_inputs import RecordedRun, UnknownRun, predicting_run

VALUE_FIELD = "path_loss_db"
TRANSMITTER_FIELD = "transmitter_id"
RECEIVER_FIELD = "receiver_id"
# Geometries of two transmitters' rows are the same to the last bit; distances to them may differ by rounding, m or °.
_SAME_PLACE_DIGITS = 9


@dataclass(frozen=True)
class Click:
    """A place of the map, in `crs`. radius: how far from it a point may lie to be meant."""

    point: QgsPointXY
    crs: QgsCoordinateReferenceSystem
    radius: float


@dataclass(frozen=True)
class Clicked:
    """A predicted layer under the click, and the run that made it.

    point: what is to be explained, in the layer's CRS; of a layer of points the clicked one. features: those that lie
    there, tiles of the ground first. receiver_z: the height of a clicked receiver, in the environment's heights.
    """

    layer: QgsVectorLayer
    point: QgsPointXY
    features: list[QgsFeature]
    receiver_z: float | None
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
    receiver_z: float | None = None


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
            return Clicked(place.layer, place.point, place.features, place.receiver_z, run)
    if reasons:
        raise NothingClicked(reasons[0], to_be_asked=True)
    hint = " Click on one of the points." if any(map(_has_points, predicted)) else ""
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


def words_of_features(clicked: Clicked) -> str:
    """What the layer says of the place, where that is about one transmitter, the explained one; else ""."""
    index = clicked.layer.fields().indexOf(TRANSMITTER_FIELD)
    if index < 0 or len({feature[index] for feature in clicked.features}) != 1:
        return ""
    value = clicked.features[0][VALUE_FIELD]
    if not isinstance(value, float):
        return ""
    return f"The layer has {value:.1f} dB at this point" if _has_points(clicked.layer) else \
        f"The tile has {value:.1f} dB at its middle"


def is_null(value: Any) -> bool:
    return value is None or (hasattr(value, "isNull") and value.isNull())


def _tells_path_loss(layer: QgsMapLayer) -> bool:
    return (isinstance(layer, QgsVectorLayer) and layer.providerType() == "ogr"
            and layer.geometryType() in (Qgis.GeometryType.Polygon, Qgis.GeometryType.Point)
            and layer.fields().indexOf(VALUE_FIELD) >= 0)


def _has_points(layer: QgsVectorLayer) -> bool:
    return layer.geometryType() == Qgis.GeometryType.Point


def _place_in(layer: QgsVectorLayer, click: Click) -> _Place | None:
    """None where the layer's CRS does not reach."""
    transform = QgsCoordinateTransform(click.crs, layer.crs(), QgsProject.instance())
    try:
        point = transform.transform(click.point)
        around = transform.transformBoundingBox(QgsRectangle(click.point, click.point).buffered(click.radius))
    except QgsCsException:
        return None
    return _place_of_points(layer, point, around) if _has_points(layer) else _place_of_areas(layer, point)


def _place_of_areas(layer: QgsVectorLayer, point: QgsPointXY) -> _Place:
    place = QgsGeometry.fromPointXY(point)
    request = QgsFeatureRequest().setFilterRect(QgsRectangle(point, point).buffered(1e-3))
    found = [feature for feature in layer.getFeatures(request) if feature.geometry().intersects(place)]
    kind = layer.fields().indexOf("kind")
    found.sort(key=lambda feature: kind >= 0 and feature["kind"] != "ground")
    return _Place(layer, point, found, layer.extent().contains(point))


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
    there = _point_of(features[0])
    is_receiver = there.is3D() and layer.fields().indexOf(RECEIVER_FIELD) >= 0
    return _Place(layer, QgsPointXY(there), features, receiver_z=there.z() if is_receiver else None)


def _point_of(feature: QgsFeature) -> QgsPoint:
    return feature.geometry().vertexAt(0)


def _run_of(layer: QgsVectorLayer, description: Description) -> RecordedRun:
    source = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
    return predicting_run(Path(source["path"]), table_of(layer), description)
