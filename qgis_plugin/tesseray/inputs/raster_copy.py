# SPDX-License-Identifier: GPL-3.0-or-later
"""A raster that is copied for a run."""

from __future__ import annotations

import math
from pathlib import Path

from osgeo import gdal
from qgis.core import (
    Qgis,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingUtils,
    QgsProviderRegistry,
    QgsRasterBlockFeedback,
    QgsRasterDataProvider,
    QgsRasterFileWriter,
    QgsRasterLayer,
    QgsRasterNuller,
    QgsRasterPipe,
    QgsReferencedRectangle,
)
from qgis.PyQt.QtCore import QThread

from ..description import Parameter
from ..provider_messages import FAILURES, ProviderMessages, in_one_line
from ..raster_windows import require_space, window_around
from .cancelling import cancelled_with, stop_if_cancelled


def _nuller_of(provider: QgsRasterDataProvider) -> QgsRasterNuller:
    """What gives a copy the no-data values that were set in QGIS: of each band one, which all of them become."""
    nuller = QgsRasterNuller()
    for band in range(1, provider.bandCount() + 1):
        ranges = provider.userNoDataValues(band)
        bounds = [bound for one in ranges for bound in (one.min(), one.max()) if math.isfinite(bound)]
        if bounds:
            nuller.setNoData(band, ranges)
            nuller.setOutputNoDataValue(band, bounds[0])
    return nuller


def _describe_bands(copy: gdal.Dataset, uri: str, name: str) -> None:
    """Units of heights and names of classes, which QGIS leaves out of a copy. REQUIRES: a raster of GDAL's.

    uri, name: of the raster, as QGIS has them.

    Throws QgsProcessingException for one that QGIS alone opens, as with a password that it keeps.
    """
    registry = QgsProviderRegistry.instance()
    parts = registry.decodeUri("gdal", uri)
    options = list(parts.pop("openOptions", None) or [])
    try:
        source = gdal.OpenEx(registry.encodeUri("gdal", parts), gdal.OF_RASTER, open_options=options)
    except RuntimeError:  # as GDAL raises where Processing is loaded
        source = None
    if source is None:
        raise QgsProcessingException(f"The unit and the classes of “{name}” cannot be read, and it has to be "
                                     "copied for this run. Save it as a GeoTIFF first.")
    for band in range(1, min(source.RasterCount, copy.RasterCount) + 1):
        original, copied = source.GetRasterBand(band), copy.GetRasterBand(band)
        copied.SetUnitType(original.GetUnitType())
        if original.GetCategoryNames():
            copied.SetCategoryNames(original.GetCategoryNames())


def _mask_by(copy: gdal.Dataset, alpha: int, feedback: QgsProcessingFeedback) -> None:
    """Makes no-data what QGIS shows as transparent in the first band, which alone is read. alpha: the band that tells
    it, as which QGIS copies a mask."""
    band, transparency = copy.GetRasterBand(1), copy.GetRasterBand(alpha)
    no_data = band.GetNoDataValue()
    if no_data is None:
        copy.CreateMaskBand(gdal.GMF_PER_DATASET)
    for row in range(copy.RasterYSize):
        stop_if_cancelled(feedback)
        is_opaque = transparency.ReadAsArray(0, row, copy.RasterXSize, 1) > 0
        if no_data is None:
            band.GetMaskBand().WriteArray(255 * is_opaque.astype("uint8"), 0, row)
            continue
        values = band.ReadAsArray(0, row, copy.RasterXSize, 1)
        values[~is_opaque] = no_data  # a mask would count in place of no-data values
        band.WriteArray(values, 0, row)


# Which messages of providers say that a part of a raster could not be read, for which they give 0 or no data. Warnings of
# PostGIS also tell of a connection that was made anew and then gave all.
_UNREAD_PARTS = {"WCS": FAILURES, "WMS": FAILURES, "PostGIS": (Qgis.MessageLevel.Critical,)}


class RasterCopy:
    """A raster that is copied for a run, as it is when this is made, in the thread that it belongs to; see LayerCopy."""

    def __init__(self, parameter: Parameter, layer: QgsRasterLayer, reason: str, area: QgsReferencedRectangle | None,
                 context: QgsProcessingContext) -> None:
        """reason: why it is copied. area: where the run works, in metres; None where only the executable knows."""
        self.name = layer.name()
        self._label, self._reason = parameter.label, reason
        self._uri, self._is_of_gdal = layer.source(), layer.providerType() == "gdal"
        self._crs = layer.crs()
        provider = layer.dataProvider().clone()
        self._window = window_around(area, layer.extent(), (provider.xSize(), provider.ySize()), layer.crs(),
                                     context.transformContext())
        self._pipe = QgsRasterPipe()
        self._can_be_read = self._pipe.set(provider) and self._pipe.insert(1, _nuller_of(provider))
        self._pipe.moveToThread(None)  # the thread of the run takes it from there

    def made(self, context: QgsProcessingContext, feedback: QgsProcessingFeedback) -> str:
        """What the executable opens for it: a temporary GeoTIFF, or a virtual raster with a part of it in its place. Throws
        QgsProcessingException."""
        feedback.pushInfo(f"{self._label}: “{self.name}” is copied for this run, since {self._reason}.")
        target = QgsProcessingUtils.generateTempFilename("raster.tif", context)
        self._pipe.moveToThread(QThread.currentThread())
        window = self._window
        if not all(window.size) or not self._can_be_read:
            raise QgsProcessingException(f"{self._label}: “{self.name}” has no size in pixels and cannot be copied. Save "
                                         "it as a GeoTIFF first.")
        require_space(window.bytes(self._pipe.provider()), Path(target).parent, f"{self._label}: “{self.name}”")
        reading = cancelled_with(feedback, QgsRasterBlockFeedback())
        with ProviderMessages(_UNREAD_PARTS) as told:
            failed = QgsRasterFileWriter(target).writeRaster(self._pipe, window.columns, window.rows,
                                                             window.rectangle, self._crs,
                                                             context.transformContext(), reading)
        stop_if_cancelled(feedback)
        self._require_all_parts([*reading.errors(), *told.texts])
        if failed != Qgis.RasterFileWriterResult.Success:
            raise QgsProcessingException(f"{self._label}: “{self.name}” could not be copied to a temporary file.")
        copy = gdal.Open(target, gdal.GA_Update)
        if self._is_of_gdal:
            _describe_bands(copy, self._uri, self.name)
        provider = self._pipe.provider()
        alphas = [band for band in range(1, copy.RasterCount + 1)
                  if provider.colorInterpretation(band) == Qgis.RasterColorInterpretation.AlphaBand]
        if alphas:
            _mask_by(copy, alphas[0], feedback)
        del copy  # which closes the file
        return window.as_part_of_whole(target)

    def _require_all_parts(self, problems: list[str]) -> None:
        """Throws where a part could not be read: QGIS writes 0 or no data there, and says that the copy is a success."""
        if problems:
            raise QgsProcessingException(f"{self._label}: “{self.name}” could not be read completely "
                                         f"({in_one_line(problems[0])}). Run it again once its server answers or its file "
                                         "is whole, or choose another.")
