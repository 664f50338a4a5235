# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a raster that a run needs: the surroundings of its extent, copied alone and read in the place of the whole."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from osgeo import gdal
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsProcessingException,
    QgsRasterBlock,
    QgsRasterDataProvider,
    QgsRectangle,
    QgsReferencedRectangle,
)

# The executable reads rasters to 500 m around the extent (docs/inputs.md). QGIS and it may take different ways between two
# CRS, which end less than 500 m apart.
MARGIN_M = 1000.0


@dataclass(frozen=True)
class RasterWindow:
    """Some of a raster's pixels, from its upper left corner on. extent, size: of the whole raster."""

    extent: QgsRectangle
    size: tuple[int, int]
    column: int
    row: int
    columns: int
    rows: int

    @property
    def is_whole(self) -> bool:
        return (self.columns, self.rows) == self.size

    @property
    def rectangle(self) -> QgsRectangle:
        """Where it lies."""
        if self.is_whole:
            return self.extent
        width, height = self._pixel()
        left, top = self.extent.xMinimum() + self.column * width, self.extent.yMaximum() - self.row * height
        return QgsRectangle(left, top - self.rows * height, left + self.columns * width, top)

    def _pixel(self) -> tuple[float, float]:
        return self.extent.width() / self.size[0], self.extent.height() / self.size[1]

    def bytes(self, provider: QgsRasterDataProvider) -> int:
        """What its values take."""
        of_pixel = sum(QgsRasterBlock.typeSize(provider.dataType(band)) for band in range(1, provider.bandCount() + 1))
        return of_pixel * self.columns * self.rows

    def as_part_of_whole(self, file: str) -> str:
        """A raster of the pixels that the whole has, so that these come out as they do of that; those that are not in the
        window are not to be read. file: the copy of the window, a GeoTIFF that is closed."""
        if self.is_whole:
            return file
        whole = str(Path(file).with_suffix(".vrt"))
        gdal.Translate(whole, file, format="VRT")  # with all that is told of the bands
        tree = ElementTree.parse(whole)
        root = tree.getroot()
        root.set("rasterXSize", str(self.size[0]))
        root.set("rasterYSize", str(self.size[1]))
        width, height = self._pixel()
        corner = (self.extent.xMinimum(), width, 0, self.extent.yMaximum(), 0, -height)
        root.find("GeoTransform").text = ", ".join(f"{value:.17g}" for value in corner)
        for place in root.iter("DstRect"):
            place.set("xOff", str(self.column))
            place.set("yOff", str(self.row))
        tree.write(whole)
        return whole


def whole_window(extent: QgsRectangle, size: tuple[int, int]) -> RasterWindow:
    return RasterWindow(extent, size, 0, 0, *size)


def window_around(area: QgsReferencedRectangle | None, extent: QgsRectangle, size: tuple[int, int],
                  crs: QgsCoordinateReferenceSystem, transforms: QgsCoordinateTransformContext) -> RasterWindow:
    """The pixels of a raster that a run in an area may need; all where there is no area, or its place is not known.

    area: in metres. extent, size, crs: of the raster; one without a CRS is in that of the area.
    """
    whole = whole_window(extent, size)
    if area is None or not all(size):
        return whole
    try:
        there = QgsCoordinateTransform(area.crs(), crs, transforms).transformBoundingBox(area.buffered(MARGIN_M))
    except QgsCsException:
        return whole
    if not there.isFinite():
        return whole

    def pixels(begin: float, end: float, step: float, count: int) -> tuple[int, int]:
        """The first and the number of those between two places, and one more on each side."""
        first, last = math.floor(begin / step) - 1, math.ceil(end / step) + 1
        first = min(max(first, 0), max(count - 2, 0))
        return first, max(min(last, count) - first, min(2, count))

    column, columns = pixels(there.xMinimum() - extent.xMinimum(), there.xMaximum() - extent.xMinimum(),
                             extent.width() / size[0], size[0])
    row, rows = pixels(extent.yMaximum() - there.yMaximum(), extent.yMaximum() - there.yMinimum(),
                       extent.height() / size[1], size[1])
    return RasterWindow(extent, size, column, row, columns, rows)


def require_space(needed: int, folder: Path, called: str) -> None:
    """Throws QgsProcessingException where a copy does not fit on its disk. called: the input and the raster, in words."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise QgsProcessingException(f"{called} has to be copied, which takes {needed / 2**30:.3g} GiB in {folder}, where "
                                     f"{free / 2**30:.3g} GiB are free. Give an extent, around which alone it is copied, or "
                                     "save the part that you need as a GeoTIFF.")
