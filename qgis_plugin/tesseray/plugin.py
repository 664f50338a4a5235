# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin as QGIS loads it: the provider everywhere, windows and map tools only where there is a main window."""

from __future__ import annotations

from typing import Any

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QTimer

from .provider import TesserayProvider, add_provider


class TesserayPlugin:
    """iface: QgisInterface, or None under qgis_process."""

    def __init__(self, iface: Any) -> None:
        self._iface = iface
        self._provider: TesserayProvider | None = None
        self._options_factory: Any = None
        self._why_this_value: Any = None

    def initProcessing(self) -> None:  # noqa: N802, QGIS's name
        """Called alone by qgis_process, which needs the models at once; windows get them when QGIS has started."""
        self._provider = add_provider(with_models=self._iface is None)
        if self._iface is not None:
            QTimer.singleShot(0, self._load_models)
        QgsApplication.processingRegistry().providerAdded.connect(self._refresh_models)

    def _load_models(self) -> None:
        if self._provider:
            self._provider.load_models()

    def _refresh_models(self, provider_id: str) -> None:
        if self._provider and provider_id != self._provider.id() and self._provider.has_unresolved_models():
            self._provider.refreshAlgorithms()

    def initGui(self) -> None:  # noqa: N802
        self.initProcessing()
        if self._iface is None:
            return
        from .options_page import OptionsFactory
        from .why_this_value.map_tool import WhyThisValue

        self._options_factory = OptionsFactory(self._provider)
        self._iface.registerOptionsWidgetFactory(self._options_factory)
        self._why_this_value = WhyThisValue(self._iface)
        self._why_this_value.add_to(self._iface)

    def unload(self) -> None:
        registry = QgsApplication.processingRegistry()
        if self._provider:
            registry.providerAdded.disconnect(self._refresh_models)
            registry.removeProvider(self._provider)
            self._provider = None
        if self._iface is None:
            return
        if self._options_factory:
            self._iface.unregisterOptionsWidgetFactory(self._options_factory)
            self._options_factory = None
        if self._why_this_value:
            self._why_this_value.remove()
            self._why_this_value = None
