# SPDX-License-Identifier: GPL-3.0-or-later
"""The height of a clicked receiver, wall or roof above the ground.

Layers have their absolute heights, and only the environment knows the ground below, as the run had it.
So the explaining tool is asked twice: first for a point as high as may be, in the open above every roof, with as few
rays as may be. Where that point lies tells the ground.
"""

from __future__ import annotations

from typing import Any

from qgis.core import QgsProcessingUtils, QgsVectorLayer

from ..description import Tool
from .calls import Call

HEIGHT = "RECEIVER_HEIGHT"
_POINT_LAYER = "receiver_path_loss"
_EFFORTS = ("MAX_BOUNCES", "MAX_RAYS")
# Millionths of a metre are rounding: without them a height is what it was when a receiver was predicted.
_DIGITS = 6


def calls_at_height(call: Call, z: float) -> list[Call]:
    """What explains a place at its own height, in turn."""
    tool = call.tool
    top = tool.parameter(HEIGHT).maximum
    least = {name: tool.parameter(name).minimum for name in _EFFORTS}
    layer = next(output.name for output in tool.layer_outputs if output.layer == _POINT_LAYER)
    output = {tool.collector.name: QgsProcessingUtils.generateTempFilename(f"{tool.id}.gpkg")}

    def own_height(result: dict[str, Any]) -> dict[str, Any]:
        return {HEIGHT: round(z - (_z_of(result["outputs"][layer]) - top), _DIGITS)}

    return [Call(tool, call.parameters | least | {HEIGHT: top} | output), Call(tool, call.parameters, own_height)]


def _z_of(source: str) -> float:
    feature = next(QgsVectorLayer(source, _POINT_LAYER, "ogr").getFeatures())
    return feature.geometry().vertexAt(0).z()
