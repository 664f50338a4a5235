# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers written to files."""

from __future__ import annotations

from pathlib import Path

from qgis.core import QgsProcessingContext, QgsProcessingException, QgsVectorFileWriter, QgsVectorLayer


def write_layer(layer: QgsVectorLayer, file: Path, context: QgsProcessingContext,
                options: QgsVectorFileWriter.SaveVectorOptions) -> None:
    """Writes a layer as the options say. Throws QgsProcessingException, saying why, where that fails."""
    problem, message = QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(file), context.transformContext(),
                                                                 options)[:2]
    if problem != QgsVectorFileWriter.WriterError.NoError:
        raise QgsProcessingException(f"The layer {options.layerName} could not be copied to {file}: {message}")
