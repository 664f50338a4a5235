# SPDX-License-Identifier: GPL-3.0-or-later
"""A click on a predicted layer tells why the place gets its value.

The tool of the executable with the role `map_click` is run for the clicked point. Its settings come from the clicked
layer's own file, which records the run that made it, so that there is nothing to fill in. The rays come as a layer, the
words, the table and the power-delay profile into a dock.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeatureRequest,
    QgsGeometry,
    QgsLayerTreeGroup,
    QgsPointXY,
    QgsProcessingUtils,
    QgsProject,
    QgsProviderRegistry,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.gui import QgsMapToolEmitPoint, QgsVertexMarker
from qgis.PyQt.QtCore import QObject, Qt, pyqtSignal
from qgis.PyQt.QtGui import QAction, QIcon

from . import installation
from .description import Description, Output, Parameter, Tool
from .executable import ExecutableProblem, snapshot
from .help import icon_of
from .why_this_value_dock import INVITATION, Explanation, WhyThisValueDock
from .why_this_value_inputs import Call, CallPlan, RecordedRun, plan_calls, predicting_run
from .why_this_value_task import ExplainTask

ROLE = "map_click"
TITLE = "Why this value?"
MENU = "Tesseray"
RAYS_LAYER = "rays"
VALUE_FIELD = "path_loss_db"


@dataclass(frozen=True)
class Clicked:
    """A predicted layer under the click. point: in the layer's CRS. run: what made it."""

    layer: QgsVectorLayer
    point: QgsPointXY
    run: RecordedRun


class WhyThisValue(QObject):
    """The action, its map tool and its dock. ended: after each click, when there is something to see."""

    ended = pyqtSignal()

    def __init__(self, iface: Any) -> None:
        super().__init__()
        self._iface = iface
        self._canvas = iface.mapCanvas()
        self._task: ExplainTask | None = None
        self._marker: QgsVertexMarker | None = None
        self._rays_id = ""
        self.action = QAction(QIcon(str(icon_of(_explaining_tool(snapshot())))), TITLE)
        self.action.setCheckable(True)
        self.action.setToolTip("Click a place of a predicted layer to see which rays arrive there")
        self.map_tool = QgsMapToolEmitPoint(self._canvas)
        self.map_tool.setAction(self.action)
        self.dock = WhyThisValueDock(TITLE)
        self.action.triggered.connect(self._start)
        self.map_tool.canvasClicked.connect(self._explain_click)
        self.dock.ray_chosen.connect(self._highlight)
        self._project_cleared = QgsProject.instance().cleared.connect(self._forget)

    def add_to(self, iface: Any) -> None:
        iface.addToolBarIcon(self.action)
        iface.addPluginToMenu(MENU, self.action)
        iface.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.dock)
        self.dock.hide()

    def remove(self) -> None:
        """Takes everything away but the layers of rays, which are the user's now."""
        QObject.disconnect(self._project_cleared)
        self._cancel()
        self._remove_marker()
        self._canvas.unsetMapTool(self.map_tool)
        self._iface.removeToolBarIcon(self.action)
        self._iface.removePluginMenu(MENU, self.action)
        self._iface.removeDockWidget(self.dock)
        self.dock.deleteLater()

    def _start(self) -> None:
        self._canvas.setMapTool(self.map_tool)
        self.dock.show()

    def _forget(self) -> None:
        """Another project has nothing of what was clicked in the one before."""
        self._cancel()
        self._remove_marker()
        self.dock.show_text(INVITATION)

    # The click.

    def _explain_click(self, point: QgsPointXY, button: Any = None) -> None:
        self._cancel()
        self.dock.show()
        self._mark(point)
        try:
            description = installation.live_description()
            executable = installation.executable()
        except ExecutableProblem as problem:
            self._tell_problem(str(problem))
            return
        tool = _explaining_tool(description)
        if tool is None:
            self._tell_problem(f"The installed program, version {description.version}, cannot explain points. "
                               "Install a later one.")
            return
        clicked = self._clicked_layer(point, description)
        if clicked is None:
            self._ask(tool, {_point_parameter(tool).name: _point_text(point, self._canvas_crs())})
            return
        plan = plan_calls(description, tool, clicked.run, _session_folder())
        values = {**_values_of_features(tool, clicked), **plan.values,
                  _point_parameter(tool).name: _point_text(clicked.point, clicked.layer.crs())}
        if plan.missing:
            self._ask(tool, values, plan.missing)
            return
        output = {tool.collector.name: QgsProcessingUtils.generateTempFilename(f"{tool.id}.gpkg")}
        task = ExplainTask(executable, [*plan.before, Call(tool, values | output)], description)
        self._run(tool, task, _tile_loss_db(clicked), plan)

    def _canvas_crs(self) -> QgsCoordinateReferenceSystem:
        return self._canvas.mapSettings().destinationCrs()

    def _clicked_layer(self, point: QgsPointXY, description: Description) -> Clicked | None:
        """The current layer if a run of Tesseray made it, else the topmost one that the map shows there."""
        for layer in [self._iface.activeLayer(), *self._canvas.layers()]:
            clicked = self._click_on(layer, point, description) if isinstance(layer, QgsVectorLayer) else None
            if clicked:
                return clicked
        return None

    def _click_on(self, layer: QgsVectorLayer, point: QgsPointXY, description: Description) -> Clicked | None:
        if layer.providerType() != "ogr" or layer.fields().indexOf(VALUE_FIELD) < 0:
            return None
        source = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
        run = predicting_run(Path(source["path"]), source.get("layerName") or layer.name(), description)
        if run is None:
            return None
        transform = QgsCoordinateTransform(self._canvas_crs(), layer.crs(), QgsProject.instance())
        try:
            return Clicked(layer, transform.transform(point), run)
        except QgsCsException:
            return None

    def _ask(self, tool: Tool, values: dict[str, Any], missing: list[Parameter] | None = None) -> None:
        """Opens the tool's own dialog with what is known."""
        names = ", ".join(parameter.label for parameter in missing or [])
        self.dock.show_text(
            f"The file of this layer does not tell: {names}. Please fill in the dialog." if names else
            "There is no layer predicted by Tesseray at this place. Please fill in the dialog.")
        import processing

        dialog = processing.createAlgorithmDialog(f"tesseray:{tool.id}", values)
        if dialog:
            dialog.show()
        self.ended.emit()

    # The run.

    def _run(self, tool: Tool, task: ExplainTask, tile_loss_db: float | None, plan: CallPlan) -> None:
        """tile_loss_db: what the clicked layer says; it may be gone when the run ends."""
        task.stage_begun.connect(lambda stage: self._show_stage(task, stage))
        task.ended.connect(lambda: self._end(task, tool, tile_loss_db, plan))
        self._task = task
        self.dock.show_text("Following the rays …")
        QgsApplication.taskManager().addTask(task)

    def _show_stage(self, task: ExplainTask, stage: str) -> None:
        if task is self._task:
            self.dock.show_text(f"{stage} …")

    def _cancel(self) -> None:
        task, self._task = self._task, None
        if task:
            task.cancel()

    def _end(self, task: ExplainTask, tool: Tool, tile_loss_db: float | None, plan: CallPlan) -> None:
        if task is not self._task:
            return  # a later click has taken its place
        self._task = None
        if task.result is None:
            self._tell_problem(task.problem or "Cancelled.")
            return
        rays = self._add_rays(tool, task.result)
        self.dock.show_explanation(Explanation(
            str(task.result["figures"].get("explanation", "")), _rows(rays),
            [*_comparison(tile_loss_db, task.result["figures"]), *_changes(plan), *task.warnings]))
        self.ended.emit()

    def _tell_problem(self, text: str) -> None:
        self.dock.show_text(text)
        self._iface.messageBar().pushMessage(TITLE, text.split("\n")[0], Qgis.MessageLevel.Warning)
        self.ended.emit()

    # The map.

    def _add_rays(self, tool: Tool, result: dict[str, Any]) -> QgsVectorLayer:
        """The rays as the first layer of a group of their own; those of earlier clicks are no longer shown."""
        output = _rays_output(tool)
        figures = result["figures"]
        layer = QgsVectorLayer(result["outputs"][output.name], f"{output.label}: {figures.get('transmitter', '')}",
                               "ogr")
        project = QgsProject.instance()
        group = _group(project, tool.title)
        for earlier in group.findLayers():
            earlier.setItemVisibilityChecked(False)
        project.addMapLayer(layer, False)
        group.insertLayer(0, layer)
        self._rays_id = layer.id()
        return layer

    def _highlight(self, ranks: list[int]) -> None:
        layer = QgsProject.instance().mapLayer(self._rays_id)
        if layer is None:
            return  # the user has removed it
        if ranks:
            layer.selectByExpression(f"\"rank\" IN ({', '.join(map(str, ranks))})")
        else:
            layer.removeSelection()

    def _mark(self, point: QgsPointXY) -> None:
        self._remove_marker()
        self._marker = QgsVertexMarker(self._canvas)
        self._marker.setCenter(point)
        self._marker.setIconType(QgsVertexMarker.IconType.ICON_CIRCLE)
        self._marker.setPenWidth(3)
        self._marker.setIconSize(12)

    def _remove_marker(self) -> None:
        marker, self._marker = self._marker, None
        if marker:
            self._canvas.scene().removeItem(marker)


def _session_folder() -> Path:
    """For files that are made anew; gone when QGIS ends."""
    folder = Path(QgsProcessingUtils.tempFolder()) / "tesseray-made-anew"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _explaining_tool(description: Description) -> Tool | None:
    return next((tool for tool in description.tools if ROLE in tool.roles), None)


def _group(project: QgsProject, name: str) -> QgsLayerTreeGroup:
    root = project.layerTreeRoot()
    return root.findGroup(name) or root.insertGroup(0, name)


def _point_parameter(tool: Tool) -> Parameter:
    return next(parameter for parameter in tool.parameters if parameter.kind == "point")


def _rays_output(tool: Tool) -> Output:
    return next(output for output in tool.layer_outputs if output.layer == RAYS_LAYER)


def _point_text(point: QgsPointXY, crs: QgsCoordinateReferenceSystem) -> str:
    """As QGIS writes a point. A CRS of the user's own has no name that others know, and is left out."""
    name = crs.authid()
    return f"{point.x()!r},{point.y()!r}" + (f" [{name}]" if name and not name.startswith("USER:") else "")


def _features_at(clicked: Clicked) -> list[Any]:
    """The features that lie under the click, tiles of the ground first."""
    place = QgsGeometry.fromPointXY(clicked.point)
    request = QgsFeatureRequest().setFilterRect(QgsRectangle(clicked.point, clicked.point).buffered(1e-3))
    found = [feature for feature in clicked.layer.getFeatures(request)
             if feature.geometry().type() == Qgis.GeometryType.Polygon and feature.geometry().intersects(place)]
    kind = clicked.layer.fields().indexOf("kind")
    return sorted(found, key=lambda feature: kind >= 0 and feature["kind"] != "ground")


def _values_of_features(tool: Tool, clicked: Clicked) -> dict[str, Any]:
    """Texts that the tool takes and that all features under the click agree on: TRANSMITTER is their transmitter_id.

    It is told as "transmitter_id=2", since a name may be the number of another one.
    """
    values = {}
    features = _features_at(clicked)
    for parameter in tool.parameters:
        name = f"{parameter.name.lower()}_id"
        if parameter.kind == "string" and clicked.layer.fields().indexOf(name) >= 0:
            found = {feature[name] for feature in features}
            if len(found) == 1 and not _is_null(number := found.pop()):
                values[parameter.name] = f"{name}={number}"
    return values


def _tile_loss_db(clicked: Clicked) -> float | None:
    """What the clicked tile says, where it is about one transmitter, the explained one."""
    features = _features_at(clicked)
    if len({feature["transmitter_id"] for feature in features}) != 1:
        return None
    value = features[0][VALUE_FIELD]
    return value if isinstance(value, float) else None


def _comparison(tile_loss_db: float | None, figures: dict[str, Any]) -> list[str]:
    here = figures.get(VALUE_FIELD)
    if tile_loss_db is None or here is None:
        return []
    return [f"The tile has {tile_loss_db:.1f} dB at its middle, this very place {here:.1f} dB."]


def _changes(plan: CallPlan) -> list[str]:
    return [f"{path} has changed since the layer was made; the value may differ." for path in plan.changed]


def _rows(layer: QgsVectorLayer) -> list[dict[str, Any]]:
    """The rays, strongest first; NULL is None."""
    names = layer.fields().names()
    rows = [{name: None if _is_null(feature[name]) else feature[name] for name in names}
            for feature in layer.getFeatures()]
    return sorted(rows, key=lambda row: row["rank"])


def _is_null(value: Any) -> bool:
    return value is None or (hasattr(value, "isNull") and value.isNull())
