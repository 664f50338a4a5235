# SPDX-License-Identifier: GPL-3.0-or-later
"""Where inputs lie on the map."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsPointXY,
    QgsRectangle,
)

from .sqlite_files import read_only

# The executable works on the buildings and 50 m around them; a transformed box is a little larger.
SITE_MARGIN_M = 60.0
# Of an extent that was taken from points, which lie on its border: numbers are rounded on their way. The executable's own.
BORDER_TOLERANCE_M = 0.01
# At 60° of latitude, in both directions: rather too wide than too narrow.
DEGREES_PER_METRE = 2.0 / 111_320.0


@dataclass(frozen=True)
class Site:
    """A part of the map with the name of the parameter that tells it."""

    label: str
    extent: QgsRectangle
    crs: QgsCoordinateReferenceSystem


def is_placed(crs: QgsCoordinateReferenceSystem) -> bool:
    """Whether it tells a place on Earth. Layers of GeoPackages in local metres have a CRS that does not."""
    return crs.isValid() and crs.type() != Qgis.CrsType.Engineering


def with_margin(extent: QgsRectangle, crs: QgsCoordinateReferenceSystem, margin_m: float) -> QgsRectangle:
    return extent.buffered(margin_m * (DEGREES_PER_METRE if crs.isGeographic() else 1.0))


def point_in(feature: QgsFeature, transform: QgsCoordinateTransform) -> QgsPointXY | None:
    """The place of a point feature in the transform's target; None where it has none. Requires a geometry."""
    try:
        return transform.transform(feature.geometry().boundingBox().center())
    except QgsCsException:
        return None


def corners(box: QgsRectangle) -> str:
    return f"{box.xMinimum():.7g}, {box.yMinimum():.7g} … {box.xMaximum():.7g}, {box.yMaximum():.7g}"


def geopackage_extent(file: Path) -> tuple[QgsRectangle, QgsCoordinateReferenceSystem]:
    """The extent of all layers of a GeoPackage, and the CRS that they have in common."""
    nothing = (QgsRectangle(), QgsCoordinateReferenceSystem())
    if not os.path.isfile(file):
        return nothing
    query = ("SELECT min_x, min_y, max_x, max_y, organization, organization_coordsys_id, definition "
             "FROM gpkg_contents AS c JOIN gpkg_spatial_ref_sys AS s ON c.srs_id = s.srs_id "
             "WHERE data_type = 'features' AND min_x IS NOT NULL")
    try:
        with closing(read_only(file)) as database:
            rows = database.execute(query).fetchall()
    except sqlite3.Error:
        return nothing
    extent = QgsRectangle()
    for x_min, y_min, x_max, y_max, *_ in rows:
        extent.combineExtentWith(QgsRectangle(x_min, y_min, x_max, y_max))
    if not rows:
        return nothing
    organization, code, definition = rows[0][4:]
    crs = QgsCoordinateReferenceSystem(f"{organization}:{code}")
    return extent, crs if crs.isValid() else QgsCoordinateReferenceSystem.fromWkt(definition or "")
