# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields and rows of a layer as a GeoPackage can hold them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from qgis.core import (
    NULL,
    Qgis,
    QgsExpression,
    QgsExpressionContext,
    QgsFeature,
    QgsFeatureRequest,
    QgsField,
    QgsFields,
    QgsVariantUtils,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QMetaType

from ..service_rows import SERVICES

# What a GeoPackage calls the number of a row and its geometry: in a copy no other field can be called so.
ID_FIELD = "fid"
OWN_COLUMNS = (ID_FIELD, "geom")
# To GDAL a row with this number has none, and gets one that another may have.
_NO_NUMBER = -1
_WHOLE_NUMBERS = {QMetaType.Type.Int, QMetaType.Type.UInt, QMetaType.Type.LongLong, QMetaType.Type.ULongLong}
# What a GeoPackage has columns for.
_PLAIN_TYPES = _WHOLE_NUMBERS | {QMetaType.Type.Bool, QMetaType.Type.Double, QMetaType.Type.QString,
                                 QMetaType.Type.QDate, QMetaType.Type.QTime, QMetaType.Type.QDateTime,
                                 QMetaType.Type.QByteArray}


@dataclass(frozen=True)
class CopiedFields:
    """What a copy of a layer is to hold. names: by a field's name, its name in the copy.

    fields: the number of each row first. columns: of the others, their places in the layer. number_column: of the field
    that numbers the rows, if one does, else QGIS's numbers count; a row without gets one from `first_free` on.
    """

    names: dict[str, str]
    fields: QgsFields
    columns: list[int]
    number_column: int | None
    first_free: int


def _number_column(fields: QgsFields) -> int:
    """Of the field `fid`, in any case; -1 where there is none. QGIS's own look-up finds fields by their aliases, too."""
    names = fields.names()
    called_so = [column for column, name in enumerate(names) if name.lower() == ID_FIELD]
    return min(called_so, key=lambda column: names[column] != ID_FIELD, default=-1)


def _own_numbers(layer: QgsVectorLayer, column: int) -> list[int]:
    """The numbers that a field gives to rows; [] where it numbers none, or two of them alike, or one by a number
    that no row of a GeoPackage has."""
    if column < 0 or layer.fields()[column].type() not in _WHOLE_NUMBERS:
        return []
    request = QgsFeatureRequest().setFlags(Qgis.FeatureRequestFlag.NoGeometry).setSubsetOfAttributes([column])
    # New rows have none yet, or a text such as "Autogenerate".
    numbers = [value for value in (row[column] for row in layer.getFeatures(request)) if isinstance(value, int)]
    return numbers if len(set(numbers)) == len(numbers) and _NO_NUMBER not in numbers else []


def _has_new_rows(layer: QgsVectorLayer) -> bool:
    edits = layer.editBuffer()
    return bool(edits and edits.addedFeatures())


def _has_unnumbered_row(layer: QgsVectorLayer) -> bool:
    """Whether QGIS calls a row so that a GeoPackage has none of that number, as keys of queries and tables may. Services
    have no such rows, and are not to be asked before the run."""
    return layer.providerType() not in SERVICES and layer.getFeature(_NO_NUMBER).isValid()


def _first_free_number(layer: QgsVectorLayer, numbers: list[int]) -> int:
    """The first that no row has. numbers: the values of the field that numbers the rows, if one does."""
    if not numbers and not _has_new_rows(layer) and not _has_unnumbered_row(layer):
        return 0  # all have one
    edits = layer.editBuffer()
    deleted = edits.deletedFeatureIds() if edits else []
    return max([0, *(numbers or layer.allFeatureIds()), *deleted]) + 1


def _names_in_copy(layer: QgsVectorLayer, own: QgsField | None) -> dict[str, str]:
    """Names have no case there, and some are taken."""
    fields = layer.fields().names()
    names = {own.name(): ID_FIELD} if own else {}
    taken = set(OWN_COLUMNS)
    for name in fields:
        if name in names:
            continue
        wanted = f"{name}_of_source" if name.lower() in OWN_COLUMNS else name
        candidates = (wanted, *(f"{wanted}_{count}" for count in range(2, len(fields) + 3)))
        names[name] = next(candidate for candidate in candidates if candidate.lower() not in taken)
        taken.add(names[name].lower())
    return names


def _field_in_copy(field: QgsField, name: str) -> QgsField:
    """As a GeoPackage can hold it."""
    if field.type() not in _PLAIN_TYPES:
        return QgsField(name, QMetaType.Type.QString)
    copied = QgsField(name, field.type(), "", field.length(), field.precision())
    copied.setSubType(field.subType())
    return copied


def fields_in_copy(layer: QgsVectorLayer) -> CopiedFields:
    """A copy with these has rows with the numbers that QGIS shows, which messages and results tell.

    A field `fid` of whole numbers is the number where there is one. layer: in the thread it belongs to.
    """
    column = _number_column(layer.fields())
    own_numbers = _own_numbers(layer, column)
    number_column = column if own_numbers else None
    names = _names_in_copy(layer, layer.fields()[column] if own_numbers else None)
    fields = QgsFields()
    fields.append(QgsField(ID_FIELD, QMetaType.Type.LongLong))
    columns = [other for other in range(layer.fields().count()) if other != number_column]
    for other in columns:
        field = layer.fields()[other]
        fields.append(_field_in_copy(field, names[field.name()]))
    return CopiedFields(names, fields, columns, number_column, _first_free_number(layer, own_numbers))


def _placeholders(layer: QgsVectorLayer) -> dict[int, str]:
    """By the columns in which new rows have texts such as “Autogenerate” until the provider works their values out: the
    text."""
    fields, texts = layer.fields(), {}
    for column in range(fields.count()) if _has_new_rows(layer) else ():
        if fields.fieldOrigin(column) == Qgis.FieldOrigin.Provider:
            clause = layer.dataProvider().defaultValueClause(fields.fieldOriginIndex(column))
            if clause and not re.fullmatch(r"-?[\d.]+", clause):  # a number is a value
                texts[column] = clause
    return texts


class RowsOfCopy:
    """Makes rows of a copy from those of a layer. layer: in the thread it belongs to."""

    def __init__(self, layer: QgsVectorLayer, copied: CopiedFields) -> None:
        self._copied, self._free_number = copied, copied.first_free
        self._has_new_rows, self._placeholders = _has_new_rows(layer), _placeholders(layer)
        self._as_json = {column: QgsExpression(f"to_json({QgsExpression.quotedColumnRef(field.name())})")
                         for column, field in enumerate(layer.fields()) if field.type() not in _PLAIN_TYPES}

    def row(self, original: QgsFeature) -> QgsFeature:
        values = self._values(original)
        copy = QgsFeature(self._copied.fields)
        copy.setGeometry(original.geometry())
        copy.setAttributes([self._number(original, values), *(values[column] for column in self._copied.columns)])
        return copy

    def _values(self, original: QgsFeature) -> list[Any]:
        """Maps and lists, such as the tags of OpenStreetMap, as JSON."""
        values = original.attributes()
        if self._is_new(original):
            for column, text in self._placeholders.items():
                values[column] = NULL if values[column] == text else values[column]
        if self._as_json:
            context = QgsExpressionContext()
            context.setFeature(original)
            for column, expression in self._as_json.items():
                values[column] = expression.evaluate(context)
        return values

    def _number(self, original: QgsFeature, values: list[Any]) -> int:
        column = self._copied.number_column
        number = values[column] if column is not None else NULL if self._is_new(original) else original.id()
        if QgsVariantUtils.isNull(number) or number == _NO_NUMBER:
            number, self._free_number = self._free_number, self._free_number + 1
        return number

    def _is_new(self, original: QgsFeature) -> bool:
        """Whether the row is not saved yet."""
        return self._has_new_rows and original.id() < 0
