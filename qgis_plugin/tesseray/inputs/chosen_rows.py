# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows of a layer a run is to have: all, the selected ones, or those that an input's own choice leaves."""

from __future__ import annotations

from typing import Any, Union

from qgis.core import (
    Qgis,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
    QgsVectorLayerSelectedFeatureSource,
)


def geometry_check(value: Any) -> Qgis.InvalidGeometryCheck:
    """What the user chose to do with invalid geometries, which the executable repairs; no check where nothing was chosen,
    whatever Processing's options say."""
    if isinstance(value, QgsProcessingFeatureSourceDefinition) \
            and value.flags & Qgis.ProcessingFeatureSourceDefinitionFlag.OverrideDefaultGeometryCheck:
        return value.geometryCheck
    return Qgis.InvalidGeometryCheck.NoCheck


def choice_of_rows(value: Any) -> str:
    """Which of a layer's rows the user chose for a run, in words that say why they are copied; "" for all."""
    if not isinstance(value, QgsProcessingFeatureSourceDefinition):
        return ""
    if value.selectedFeaturesOnly:
        return "only its selected features are wanted"
    if value.featureLimit >= 0 or value.filterExpression:
        return "only some of its features are wanted"
    is_skipping = geometry_check(value) == Qgis.InvalidGeometryCheck.SkipInvalid
    return "its features with invalid geometries are to be skipped" if is_skipping else ""


def expressions_of(layer: QgsVectorLayer, context: QgsProcessingContext) -> QgsExpressionContext:
    """What expressions on rows of a layer may name: variables of QGIS and the project, and the layer, as aggregates do."""
    scopes = QgsExpressionContext(context.expressionContext())
    scopes.appendScope(layer.createExpressionContextScope())
    return scopes


def read_attributes(request: QgsFeatureRequest, columns: list[int]) -> None:
    """Has rows with these attributes alone, unless it chooses the rows by an expression, which may name others."""
    if request.filterType() != Qgis.FeatureRequestFilterType.Expression:
        request.setSubsetOfAttributes(columns)


def leave_geometries(request: QgsFeatureRequest) -> None:
    """Has rows without their geometries, unless it chooses the rows by these."""
    if request.invalidGeometryCheck() == Qgis.InvalidGeometryCheck.NoCheck:
        request.setFlags(Qgis.FeatureRequestFlag.NoGeometry)


_RowsOfLayer = Union[QgsVectorLayerFeatureSource, QgsVectorLayerSelectedFeatureSource]


def chosen_rows(layer: QgsVectorLayer, value: Any,
                context: QgsProcessingContext) -> tuple[_RowsOfLayer, QgsFeatureRequest]:
    """The rows of a layer that a run is to have, as they are now, and what to ask for them with, in any thread.

    Footprints that cross themselves are among them, which the executable repairs, unless the user chose for this input
    to skip them, whatever QGIS does with them elsewhere.
    value: what the parameter is set to.
    """
    request = QgsFeatureRequest()
    if not isinstance(value, QgsProcessingFeatureSourceDefinition):
        return QgsVectorLayerFeatureSource(layer), request
    if value.featureLimit >= 0:
        request.setLimit(value.featureLimit)
    if value.filterExpression:
        request.setFilterExpression(value.filterExpression)
        request.setExpressionContext(expressions_of(layer, context))
    if geometry_check(value) == Qgis.InvalidGeometryCheck.SkipInvalid:
        request.setInvalidGeometryCheck(Qgis.InvalidGeometryCheck.SkipInvalid)
    of_selected = QgsVectorLayerSelectedFeatureSource if value.selectedFeaturesOnly else QgsVectorLayerFeatureSource
    return of_selected(layer), request
