# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual layers, which show rows of others."""

from __future__ import annotations

from qgis.core import QgsProject, QgsProviderRegistry, QgsVectorLayer, QgsVirtualLayerDefinition
from qgis.PyQt.QtCore import QUrl

from .sources import exported_source, file_of


def _named_in_query(layer: QgsVectorLayer, project: QgsProject) -> list[QgsVectorLayer]:
    """The layers of the project that a virtual layer shows rows of."""
    named = (project.mapLayer(used.layerId()) for used in layer.dataProvider().dependencies())
    return [shown for shown in named if isinstance(shown, QgsVectorLayer)]


def _layers_of_query(layer: QgsVectorLayer, project: QgsProject) -> list[QgsVectorLayer]:
    """The layers that a virtual layer shows rows of."""
    embedded = QgsVirtualLayerDefinition.fromUrl(QUrl(layer.source())).sourceLayers()
    found = [QgsVectorLayer(source.source(), source.name(), source.provider()) for source in embedded
             if not source.isReferenced()]
    return found + _named_in_query(layer, project)


def needed_by_query(layer: QgsVectorLayer, project: QgsProject) -> list[QgsVectorLayer]:
    """The layers without which the rows of a virtual layer end early: itself, and those that it names in turn; none for
    other layers."""
    if layer.providerType() != "virtual":
        return []
    named = _named_in_query(layer, project)
    return [layer, *named, *(needed for shown in named for needed in needed_by_query(shown, project))]


def file_sources_of(layer: QgsVectorLayer, project: QgsProject) -> list[str]:
    """The layers in files that a layer shows rows of, itself and those that are joined to it, as the executable
    spells sources."""
    file = file_of(layer)
    name = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("layerName")
    sources = [exported_source(str(file), name or "")] if file else []
    others = [join.joinLayer() for join in layer.vectorJoins() if join.joinLayer()]
    if layer.providerType() == "virtual":
        others += _layers_of_query(layer, project)
    for other in others:
        sources += file_sources_of(other, project)
    return sources
