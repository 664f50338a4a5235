# SPDX-License-Identifier: GPL-3.0-or-later
"""How result layers come into the project: name, group, order, style, aliases."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Iterable, Iterator

from osgeo import gdal
from qgis.core import (
    Qgis,
    QgsColorRampShader,
    QgsFeatureRenderer,
    QgsMapLayer,
    QgsMapLayerStyle,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingLayerPostProcessorInterface,
    QgsProcessingUtils,
    QgsProject,
    QgsRasterLayer,
    QgsRasterShader,
    QgsReadWriteContext,
    QgsSingleBandPseudoColorRenderer,
    QgsVectorLayer,
)
from qgis.PyQt.QtXml import QDomDocument

from .description import Output, Tool
from .inputs.sources import file_of, table_of
from .outputs import RASTER_EXTENSIONS, Destination
from .replaced_layers import follow_crs, reload_layer, reopen_layer

STYLES = Path(__file__).with_name("styles")
# Points are drawn over lines, lines over areas; tables come last.
_HEIGHT_IN_LEGEND = {"Point": 4, "LineString": 3, "Geometry": 2, "Polygon": 1}
_GEOMETRIES = {"Point": Qgis.GeometryType.Point, "LineString": Qgis.GeometryType.Line,
               "Polygon": Qgis.GeometryType.Polygon}
# QGIS calls a post-processor by a pointer that keeps no Python object alive; these are alive until they have run.
_waiting: set["ResultLayer"] = set()


def _sort_key(tool: Tool, output: Output) -> int:
    """Greater ones stand higher in the legend and are drawn over the others; of one kind, the first declared."""
    outputs = len(tool.outputs)
    height = _HEIGHT_IN_LEGEND.get(output.shape, 0)
    return height * (outputs + 1) + outputs - tool.outputs.index(output)


class ResultLayer(QgsProcessingLayerPostProcessorInterface):
    """Styles one result layer when it has been loaded."""

    def __init__(self, tool: Tool, output: Output) -> None:
        super().__init__()
        self._tool, self._output = tool, output
        _waiting.add(self)

    def postProcessLayer(self, layer: QgsMapLayer, context: QgsProcessingContext,  # noqa: N802, QGIS's name
                         feedback: QgsProcessingFeedback) -> None:
        _waiting.discard(self)
        style = _style_of_user(self._tool, self._output)
        if style:
            _draw_by(style, layer)
            if isinstance(layer, QgsVectorLayer):
                _fill_style_menu(layer)
        elif isinstance(layer, QgsVectorLayer):
            apply_style(layer, self._output)
        elif isinstance(layer, QgsRasterLayer):
            apply_classes(layer)


def _style_of_user(tool: Tool, output: Output) -> str | None:
    """The style that was set for an output in “Edit Rendering Styles for Outputs…”."""
    try:
        from processing.gui.RenderingStyles import RenderingStyles
    except ImportError:  # programs without windows may have none
        return None
    return RenderingStyles.getStyle(f"tesseray:{tool.id}", output.name)


def _draw_by(style: str, layer: QgsMapLayer) -> None:
    """As loadNamedStyle, which would take the default style in the layer's own file instead."""
    document = QDomDocument()
    try:
        document.setContent(Path(style).read_bytes())  # which says its encoding itself
    except OSError:
        return  # gone since it was set: the file's own style stays
    layer.importNamedStyle(document)
    layer.triggerRepaint()


def apply_style(layer: QgsVectorLayer, output: Output) -> None:
    """The shipped style where there is one for this layer and its geometry; else the one in the file.

    Processing opens layers without either.
    """
    style = STYLES / f"{output.layer}.qml"
    shipped = style.is_file() and layer.geometryType() == _GEOMETRIES.get(output.shape)
    if shipped:
        layer.loadNamedStyle(str(style))
    if not shipped or not _draws_by_its_fields(layer):
        layer.loadDefaultStyle()
    _fill_style_menu(layer)
    layer.triggerRepaint()


def _fill_style_menu(layer: QgsVectorLayer) -> None:
    """All styles of the file by their names, as QGIS does for layers that are added by hand. The drawn one stays."""
    menu = layer.styleManager()
    of_this_layer, identities, names, *_ = layer.listStylesInDatabase()
    for identity, name in zip(identities[:max(0, of_this_layer)], names):
        if name not in menu.styles():
            qml, _ = layer.getStyleFromDatabase(identity)
            menu.addStyle(name, QgsMapLayerStyle(qml))


# By the unit of a raster's band: the style of layers whose classes it is drawn in, and what to add to their limits.
# Field strengths have no style; at a 0 dBi receiver they lie 130 to 150 dB above the received power, by frequency.
_CLASSES_OF_UNIT = {"dBm": ("path_loss-received_power.qml", 0), "dB": ("path_loss.qml", 0),
                    "dB(µV/m)": ("path_loss-received_power.qml", 140)}


def apply_classes(layer: QgsRasterLayer) -> None:
    """The first band in the classes and colours that layers of the same unit have; QGIS would mix three into one colour.

    A raster of another unit stays as QGIS draws it.
    """
    dataset = gdal.Open(layer.source())
    unit = dataset.GetRasterBand(1).GetUnitType() if dataset else None
    if unit not in _CLASSES_OF_UNIT:
        return
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(_classes(unit))
    layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader))
    layer.triggerRepaint()


def _classes(unit: str) -> QgsColorRampShader:
    """REQUIRES: a unit of _CLASSES_OF_UNIT."""
    style, offset_db = _CLASSES_OF_UNIT[unit]
    document = QDomDocument()
    document.setContent((STYLES / style).read_text(encoding="utf-8"))
    element = document.documentElement().firstChildElement("renderer-v2")
    ranges = QgsFeatureRenderer.load(element, QgsReadWriteContext()).ranges()
    classes = QgsColorRampShader(ranges[0].lowerValue(), ranges[-1].upperValue(), None,
                                 Qgis.ShaderInterpolationMethod.Discrete)
    classes.setColorRampItemList([
        QgsColorRampShader.ColorRampItem(one.upperValue() + offset_db, one.symbol().color(),
                                         _label(one.label(), offset_db, unit)) for one in ranges])
    return classes


def _label(label: str, offset_db: int, unit: str) -> str:
    """ "-120 to -110 dBm" for limits that are higher by offset_db, and in another unit."""
    limits = re.sub(r"-?\d+", lambda limit: str(int(limit[0]) + offset_db), label.rsplit(" ", 1)[0])
    return f"{limits} {unit}"


def _has_classes_of_a_unit(layer: QgsRasterLayer) -> bool:
    """Whether `apply_classes` has given the classes, not the user."""
    renderer = layer.renderer()
    if not isinstance(renderer, QgsSingleBandPseudoColorRenderer):
        return False
    drawn = _drawn(renderer.shader().rasterShaderFunction())
    return any(drawn == _drawn(_classes(unit)) for unit in _CLASSES_OF_UNIT)


def _drawn(classes: QgsColorRampShader) -> list[tuple[str, str]]:
    return [(item.label, item.color.name()) for item in classes.colorRampItemList()]


def _draws_by_its_fields(layer: QgsVectorLayer) -> bool:
    """False where the style is by a field that another kind of result has: errors in dB, of a comparison of times."""
    renderer = layer.renderer()
    attribute = renderer.classAttribute() if hasattr(renderer, "classAttribute") else ""
    return not attribute or layer.fields().indexOf(attribute) >= 0


def group_name(tool: Tool, places: dict[str, Destination], temporary: Path) -> str:
    """The tool's title, with the file's name where all layers go to one file of the user's."""
    files = {place.file for place in places.values() if place.layer}
    return f"{tool.title}: {next(iter(files)).stem}" if len(files) == 1 and temporary not in files else tool.title


def take_layer_to_load(context: QgsProcessingContext, key: str) -> QgsProcessingContext.LayerDetails | None:
    """What QGIS noted of a destination when it was asked for it; None where it is not to be loaded.

    Taken at once: destinations in one file have one key, and the next one would take its place.
    """
    to_load = context.layersToLoadOnCompletion()
    details = to_load.pop(key, None)
    context.setLayersToLoadOnCompletion(to_load)
    return details


def _is_open(source: str, project: QgsProject | None) -> bool:
    """As QGIS looks for a layer that it is to load."""
    context = QgsProcessingContext()
    context.setProject(project)
    return QgsProcessingUtils.mapLayerFromString(source, context, allowLoadingNewLayers=False) is not None


def register(context: QgsProcessingContext, tool: Tool, to_load: dict[str, QgsProcessingContext.LayerDetails],
             written: dict[str, str], group: str) -> None:
    """Tells QGIS which of the written layers to load, and how. To be called in the main thread.

    Those that the project has already keep the name, place and style that they have there: QGIS would treat them as new.
    to_load: by output, what QGIS noted of those that are wanted; written: by output, "file|layername=name".
    """
    for output in tool.outputs:
        details = to_load.get(output.name)
        source = written.get(output.name)
        if details is None or source is None or _is_open(source, details.project or context.project()):
            continue
        details.groupName = details.groupName or group
        details.layerSortKey = _sort_key(tool, output)
        details.setPostProcessor(ResultLayer(tool, output))
        context.addLayerToLoadOnCompletion(source, details)


def _layers_in_files(project: QgsProject | None, places: Iterable[Destination]) -> Iterator[tuple[QgsMapLayer, bool]]:
    """The project's layers in the files of places, and whether it is one of the places itself."""
    tables: dict[str, set[str | None]] = {}
    for place in places:
        tables.setdefault(os.path.realpath(place.file), set()).add(place.layer and place.layer.lower())
    for layer in project.mapLayers().values() if project else ():
        file = file_of(layer)
        replaced = tables.get(os.path.realpath(file)) if file else None
        if replaced:
            name = table_of(layer).lower()
            yield layer, not name or None in replaced or name in replaced


def edited_layer(project: QgsProject, places: Iterable[Destination]) -> QgsVectorLayer | None:
    """A layer in edit mode in one of the places: edits would be saved to other rows than they were made in."""
    return next((layer for layer, is_place in _layers_in_files(project, places)
                 if is_place and isinstance(layer, QgsVectorLayer) and layer.isEditable()), None)


def reload_replaced(project: QgsProject | None, places: Iterable[Destination], feedback: QgsProcessingFeedback) -> None:
    """Layers of the project in files that were written to show what is there now. To be called in the main thread."""
    for layer, is_place in _layers_in_files(project, places):
        if isinstance(layer, QgsVectorLayer) and is_place:
            if layer.isModified():
                feedback.pushWarning(f"Edits of the open layer “{layer.name()}” made during the run are discarded: "
                                     "their rows were replaced.")
            if layer.isEditable():
                layer.rollBack()
            reload_layer(layer, feedback)
        elif isinstance(layer, QgsVectorLayer):
            reopen_layer(layer)
        elif isinstance(layer, QgsRasterLayer):
            _reload_raster(layer, feedback)
        layer.triggerRepaint()


def _reload_raster(layer: QgsRasterLayer, feedback: QgsProcessingFeedback) -> None:
    bands = layer.renderer().usesBands()
    with follow_crs(layer):
        _reopen_raster(layer)
    provider = layer.dataProvider()
    layer.setExtent(provider.extent())
    are_there = all(band <= provider.bandCount() for band in bands)
    if _has_classes_of_a_unit(layer) or not are_there:
        apply_classes(layer)
    if not are_there:
        feedback.pushInfo(f"The open layer “{layer.name()}” was drawn by a band that the new raster lacks. It is drawn "
                          "by its first band now.")


def _reopen_raster(layer: QgsRasterLayer) -> None:
    """Without figures of the raster that was there: QGIS keeps them, and GDAL writes them beside the new file."""
    file, provider = file_of(layer), layer.dataProvider()
    no_data = [(provider.userNoDataValues(band), provider.useSourceNoDataValue(band))
               for band in range(1, provider.bandCount() + 1)]
    provider.reloadData()
    if file.suffix[1:].lower() in RASTER_EXTENSIONS:  # in others, such as a GeoPackage, a run writes layers alone
        Path(f"{file}.aux.xml").unlink(missing_ok=True)
    layer.setDataSource(layer.source(), layer.name(), layer.providerType())
    provider = layer.dataProvider()
    for band, (values, uses_own) in enumerate(no_data[:provider.bandCount()], 1):
        provider.setUserNoDataValue(band, values)
        provider.setUseSourceNoDataValue(band, uses_own)
