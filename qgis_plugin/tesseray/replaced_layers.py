# SPDX-License-Identifier: GPL-3.0-or-later
"""Open vector layers in files that a run wrote to: those whose table it has replaced show the new rows and columns, in a
style that fits them; the others stay as they are."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsExpression,
    QgsFeatureRenderer,
    QgsGraduatedSymbolRenderer,
    QgsMapLayer,
    QgsProcessingFeedback,
    QgsProviderRegistry,
    QgsRenderContext,
    QgsRendererCategory,
    QgsVariantUtils,
    QgsVectorLayer,
)

# What the executable calls the class of tiles that no transmitter serves.
UNSERVED = "no server"


def reload_layer(layer: QgsVectorLayer, feedback: QgsProcessingFeedback) -> None:
    """Shows what the table has now. To be called in the main thread.

    The user's style stays where its fields and values are still there. Else the layer gets the one of its file, and the
    log tells of it. Tesseray's own gives way to that of the file without a word.
    """
    columns, shape = set(layer.fields().names()), layer.geometryType()
    renderer = layer.renderer().clone() if layer.renderer() else None
    with follow_crs(layer):
        _drop_filter_of_gone_columns(layer, columns, feedback)
        _reopen(layer)
    fresh = QgsVectorLayer(layer.source(), layer.name(), layer.providerType())
    if not fresh.isValid():
        return
    is_own = _draws_alike(renderer, fresh.renderer())
    is_old = is_own and _has_other_categories(renderer, fresh.renderer())
    if layer.geometryType() == shape and not is_old and _fits(layer, columns - set(layer.fields().names())):
        _name_new_fields(layer, fresh)
        return
    _, is_loaded = layer.loadDefaultStyle()
    if is_loaded and not is_own:
        feedback.pushInfo(f"The style of the open layer “{layer.name()}” does not fit its new rows. The layer has the "
                          "style of its file now.")


def reopen_layer(layer: QgsVectorLayer) -> None:
    """Reads a table anew that no run has replaced, in a file that one wrote to. To be called in the main thread."""
    selected = layer.selectedFeatureIds()
    with follow_crs(layer):
        _reopen(layer)
    layer.selectByIds(selected)


@contextmanager
def follow_crs(layer: QgsMapLayer) -> Iterator[None]:
    """While its file is read anew, a layer has the new rows' CRS; one that the user gave it stays."""
    crs, is_given = layer.crs(), layer.crs() != layer.dataProvider().crs()
    yield
    layer.setCrs(crs if is_given else layer.dataProvider().crs())


def _drop_filter_of_gone_columns(layer: QgsVectorLayer, columns: set[str], feedback: QgsProcessingFeedback) -> None:
    """It would show nothing, and hide the other columns too. columns: those that there were, since what a filter names
    may be another thing of its database (rowid, geom, "a text")."""
    condition = QgsExpression(layer.subsetString())
    if not layer.subsetString() or condition.hasParserError():
        return
    provider = QgsProviderRegistry.instance().providerMetadata(layer.providerType())
    place = provider.decodeUri(layer.source())
    for condition_of in ("subset", "sql"):  # of files, of databases
        place.pop(condition_of, None)
    whole = QgsVectorLayer(provider.encodeUri(place), layer.name(), layer.providerType())
    named = {name.lower() for name in condition.referencedColumns()}
    gone = {column for column in columns - set(whole.fields().names()) if column.lower() in named}
    if whole.isValid() and gone and layer.setSubsetString(""):
        feedback.pushInfo(f"The filter of the open layer “{layer.name()}” is removed: its new rows have no "
                          f"{', '.join(sorted(gone))}.")


def _reopen(layer: QgsVectorLayer) -> None:
    provider = layer.dataProvider()
    keeps_file_open = layer.providerType() == "spatialite"  # the one that was there, whatever it is called now
    if keeps_file_open:
        place = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
        provider.invalidateConnections(place["path"])
    provider.reloadData()
    if layer.wkbType() == provider.wkbType() and not keeps_file_open:
        layer.updateFields()
        layer.updateExtents()
    else:
        layer.setDataSource(layer.source(), layer.name(), layer.providerType())


def _fits(layer: QgsVectorLayer, gone: set[str]) -> bool:
    """Whether the style is of fields and values that are there now. gone: columns that are there no more."""
    renderer = layer.renderer()
    if renderer is None:
        return True  # a table
    if gone & _fields_of_style(layer):
        return False
    if not isinstance(renderer, QgsCategorizedSymbolRenderer):
        return True
    column = layer.fields().lookupField(renderer.classAttribute())
    if column < 0:
        return True  # an expression
    drawn = _values_of_categories(renderer)
    there = {str(value) for value in layer.uniqueValues(column) if not QgsVariantUtils.isNull(value)}
    # Some values may be left out on purpose, and some may be missing by chance.
    return "" in drawn or there <= drawn or drawn <= there


def _fields_of_style(layer: QgsVectorLayer) -> set[str]:
    """What the renderer and the labels use."""
    context, labels = QgsRenderContext(), layer.labeling()
    fields = set(layer.renderer().usedAttributes(context))
    for rule in labels.subProviders() if labels else ():
        fields |= labels.settings(rule).referencedFields(context)
    return fields


def _named_categories(renderer: QgsCategorizedSymbolRenderer) -> list[QgsRendererCategory]:
    """Without that of best servers for tiles that none serves, which QGIS takes for one of all other values."""
    return [category for category in renderer.categories() if category.label() != UNSERVED]


def _values_of_categories(renderer: QgsCategorizedSymbolRenderer) -> set[str]:
    """As texts; "" stands for all others."""
    values = set()
    for category in _named_categories(renderer):
        merged = category.value() if isinstance(category.value(), list) else [category.value()]
        values |= {"" if QgsVariantUtils.isNull(value) else str(value) for value in merged}
    return values


def _draws_alike(one: QgsFeatureRenderer | None, other: QgsFeatureRenderer | None) -> bool:
    """Whether two renderers differ in fields and values alone, as those that Tesseray gives to results of one kind."""
    if one is None or other is None:
        return True  # tables are not drawn
    if isinstance(one, QgsGraduatedSymbolRenderer) and isinstance(other, QgsGraduatedSymbolRenderer):
        return _classes(one) == _classes(other)
    if isinstance(one, QgsCategorizedSymbolRenderer) and isinstance(other, QgsCategorizedSymbolRenderer):
        # One colour after the other, for as many values as there are.
        pairs = list(zip(_named_categories(one), _named_categories(other)))
        return (bool(pairs) and one.classAttribute() == other.classAttribute()
                and _names_are_values(one) == _names_are_values(other)
                and all(mine.symbol().color() == given.symbol().color() for mine, given in pairs))
    return False


def _has_other_categories(one: QgsFeatureRenderer | None, other: QgsFeatureRenderer | None) -> bool:
    return (isinstance(one, QgsCategorizedSymbolRenderer) and isinstance(other, QgsCategorizedSymbolRenderer)
            and _values_of_categories(one) != _values_of_categories(other))


def _classes(renderer: QgsGraduatedSymbolRenderer) -> list[tuple[float, float, str, str]]:
    # The threshold of "above 95 % at ≥ -85 dBm" goes with the field.
    return [(each.lowerValue(), each.upperValue(), each.label().split(" at ≥ ")[0], each.symbol().color().name())
            for each in renderer.ranges()]


def _names_are_values(renderer: QgsCategorizedSymbolRenderer) -> bool:
    return all(category.label() == str(category.value()) for category in _named_categories(renderer))


def _name_new_fields(layer: QgsVectorLayer, fresh: QgsVectorLayer) -> None:
    """Aliases for columns that the style does not know. fresh: the same layer in the style of its file."""
    for column, field in enumerate(layer.fields()):
        if not field.alias():
            layer.setFieldAlias(column, fresh.attributeAlias(fresh.fields().lookupField(field.name())))
