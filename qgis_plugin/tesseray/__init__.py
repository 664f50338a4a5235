# SPDX-License-Identifier: GPL-3.0-or-later
"""Tesseray in QGIS: urban radio coverage as Processing algorithms.

QGIS is imported only when it loads the plugin, so that `python3 -m tesseray.report` runs without it.
"""


def classFactory(iface):  # noqa: N802, the name that QGIS calls
    """The plugin. iface: QgisInterface, or None under qgis_process."""
    from .plugin import TesserayPlugin

    return TesserayPlugin(iface)
