# SPDX-License-Identifier: GPL-3.0-or-later
"""The Processing provider: one algorithm per tool of the executable, and the models shipped with the plugin."""

from __future__ import annotations

from pathlib import Path

from qgis.core import QgsApplication, QgsProcessingModelAlgorithm, QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from . import installation
from .algorithm import TesserayAlgorithm
from .help import icon_of
from .outputs import LAYER_EXTENSIONS, RASTER_EXTENSIONS

MODELS = Path(__file__).with_name("models")


class TesserayProvider(QgsProcessingProvider):
    """Lists the tools, from the executable or, without it, from the description shipped with the plugin."""

    def __init__(self, with_models: bool = True) -> None:
        """with_models: False leaves the models to `load_models`, for a start that is not held up by them."""
        super().__init__()
        self._with_models = with_models
        self._problem = ""
        self._version = ""

    def id(self) -> str:
        return "tesseray"

    def name(self) -> str:
        return "Tesseray"

    def longName(self) -> str:  # noqa: N802, QGIS's name
        return f"Tesseray ({self._version})" if self._version else "Tesseray"

    def versionInfo(self) -> str:  # noqa: N802
        return self._version

    def icon(self) -> QIcon:
        return QIcon(str(icon_of()))

    def svgIconPath(self) -> str:  # noqa: N802
        return str(icon_of())

    def warningMessage(self) -> str:  # noqa: N802
        return self._problem

    def supportedOutputVectorLayerExtensions(self) -> list[str]:  # noqa: N802
        return list(LAYER_EXTENSIONS)

    def supportedOutputTableExtensions(self) -> list[str]:  # noqa: N802
        return list(LAYER_EXTENSIONS)

    def supportedOutputRasterLayerExtensions(self) -> list[str]:  # noqa: N802
        return list(RASTER_EXTENSIONS)

    def defaultRasterFileExtension(self) -> str:  # noqa: N802
        return RASTER_EXTENSIONS[0]

    def defaultVectorFileExtension(self, hasGeometry: bool = True) -> str:  # noqa: N802, N803
        return LAYER_EXTENSIONS[0]

    def load(self) -> bool:
        """Algorithms come later, when the registry knows this provider: models look their steps up in it."""
        return True

    def loadAlgorithms(self) -> None:  # noqa: N802
        description, problem = installation.description()
        self._version = "" if problem else description.version
        self._problem = problem or description.left_out
        for tool in description.tools:
            self.addAlgorithm(TesserayAlgorithm(tool, description))
        if self._with_models:
            self._add_models()

    def load_models(self) -> None:
        """Lists the models, too, from now on. The tools stay: asking a program that hangs twice takes twice as long."""
        self._with_models = True
        self._add_models()
        self.algorithmsLoaded.emit()

    def _add_models(self) -> None:
        for file in sorted(MODELS.glob("*.model3")):
            self._add_model(file)

    def _add_model(self, file: Path) -> None:
        model = QgsProcessingModelAlgorithm()
        if model.fromFile(str(file)):
            model.setSourceFilePath(str(file))
            self.addAlgorithm(model)

    def has_unresolved_models(self) -> bool:
        """Whether a model uses an algorithm of a provider that came to the registry after it."""
        return any(isinstance(algorithm, QgsProcessingModelAlgorithm) and not algorithm.canExecute()[0]
                   for algorithm in self.algorithms())


def add_provider(with_models: bool = True) -> TesserayProvider:
    """Registers the provider and fills it. The caller keeps it: QGIS holds no reference to the Python object."""
    provider = TesserayProvider(with_models)
    registry = QgsApplication.processingRegistry()
    registry.addProvider(provider)
    provider.refreshAlgorithms()
    return provider
