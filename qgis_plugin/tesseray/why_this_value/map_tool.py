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
    QgsLayerTreeGroup,
    QgsMapLayer,
    QgsPointXY,
    QgsProcessingUtils,
    QgsProject,
    QgsReferencedPointXY,
    QgsRenderContext,
    QgsVectorLayer,
)
from qgis.gui import QgsMapTool, QgsMapToolEmitPoint, QgsVertexMarker
from qgis.PyQt.QtCore import QObject, Qt, pyqtSignal
from qgis.PyQt.QtGui import QAction, QIcon

from .. import installation
from ..description import Description, Output, Parameter, Tool
from ..executable import ExecutableProblem, snapshot
from ..help import icon_of
from .click import (
    HERE,
    TRANSMITTER_FIELD,
    VALUE_FIELD,
    Click,
    Clicked,
    NothingClicked,
    Stand,
    find_clicked,
    has_points,
    is_null,
    losses_of_features,
    values_of_features,
)
from .dock import INVITATION, Explanation, WhyThisValueDock
from .height import HEIGHT, calls_at_height
from .calls import Call, RecordedRun, changed_inputs, plan_calls
from .task import ExplainTask

ROLE = "map_click"
TITLE = "Why this value?"
MENU = "Tesseray"
RAYS_LAYER = "rays"
EXACT_RAYS_ROLE = "exact_rays"


@dataclass(frozen=True)
class _Asked:
    """What was known of a click when its run began: the layer may be gone when it ends.

    losses: what the layer has there, in dB, by the number of the transmitter. has_points: whether that is at points and
    not at tiles. run: the one that made the layer. made: files made anew to explain it.
    exact: the tool that traced the layer's rays by the image method, or "" where they were launched as those that
    explain them.
    """

    losses: dict[int, float]
    has_points: bool
    stand: Stand | None
    run: RecordedRun
    made: list[Path]
    exact: str


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
        self.action.setChecked(True)  # pressed again, the button came up and the tool stayed
        self.dock.show()

    def _forget(self) -> None:
        """Another project has nothing of what was clicked in the one before."""
        self._cancel()
        self._remove_marker()
        self.dock.show_text(INVITATION)

    # The click.

    def _explain_click(self, point: QgsPointXY, button: Qt.MouseButton) -> None:
        if button != Qt.MouseButton.LeftButton:
            return
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
        try:
            clicked = find_clicked(self._layers(), self._click_at(point), description)
        except NothingClicked as reason:
            if reason.to_be_asked:
                there = QgsReferencedPointXY(point, self._canvas_crs())
                self._ask(tool, {_point_parameter(tool).name: there}, str(reason))
            else:
                self._tell_problem(str(reason))
            return
        self._explain(tool, clicked, executable, description)

    def _explain(self, tool: Tool, clicked: Clicked, executable: Path, description: Description) -> None:
        plan = plan_calls(description, tool, clicked.run, _session_folder())
        values = {**values_of_features(tool, clicked), **plan.values,
                  _point_parameter(tool).name: _point_text(clicked.point, clicked.layer.crs())}
        if plan.missing:
            names = ", ".join(parameter.label for parameter in plan.missing)
            reason = f"What this layer was made from is gone: {', '.join(plan.gone)}. To be given anew" if plan.gone else \
                "The file of this layer does not tell"
            self._ask(tool, values, f"{reason}: {names}.")
            return
        output = {tool.collector.name: QgsProcessingUtils.generateTempFilename(f"{tool.id}.gpkg")}
        call = Call(tool, values | output)
        calls = [call] if clicked.stand is None else calls_at_height(call, clicked.stand.z)
        exact = next((made_by.title for made_by in description.tools
                      if made_by.id == clicked.run.tool and EXACT_RAYS_ROLE in made_by.roles), "")
        asked = _Asked(losses_of_features(clicked), has_points(clicked.layer), clicked.stand, clicked.run, plan.made, exact)
        self._run(tool, ExplainTask(executable, [*plan.before, *calls], description), asked)

    def _canvas_crs(self) -> QgsCoordinateReferenceSystem:
        return self._canvas.mapSettings().destinationCrs()

    def _click_at(self, point: QgsPointXY) -> Click:
        """With the radius within which QGIS's own tools find points."""
        context = QgsRenderContext.fromMapSettings(self._canvas.mapSettings())
        return Click(point, self._canvas_crs(), QgsMapTool.searchRadiusMU(context))

    def _layers(self) -> list[QgsMapLayer]:
        """Those that the map shows: the current one first, then from the top."""
        active = self._iface.activeLayer()
        return sorted(self._canvas.layers(), key=lambda layer: active is None or layer.id() != active.id())

    def _ask(self, tool: Tool, values: dict[str, Any], reason: str) -> None:
        """Opens the tool's own dialog with what is known."""
        self.dock.show_text(f"{reason} Please fill in the dialog.")
        import processing

        dialog = processing.createAlgorithmDialog(f"tesseray:{tool.id}", values)
        if dialog:
            dialog.show()
        self.ended.emit()

    # The run.

    def _run(self, tool: Tool, task: ExplainTask, asked: _Asked) -> None:
        task.stage_begun.connect(lambda stage: self._show_stage(task, stage))
        task.ended.connect(lambda: self._end(task, tool, asked))
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

    def _end(self, task: ExplainTask, tool: Tool, asked: _Asked) -> None:
        if task is not self._task:
            return  # a later click has taken its place
        self._task = None
        if task.result is None:
            self._tell_problem(task.problem or "Cancelled.")
            return
        rays = self._add_rays(tool, task.result)
        self.dock.show_explanation(Explanation(
            str(task.result["figures"].get("explanation", "")), _rows(rays), _notes(asked, task, rays)))
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
    """As the executable reads a point. A CRS of the user's own has no name that others know, and is left out."""
    name = crs.authid()
    return f"{point.x()!r},{point.y()!r}" + (f" [{name}]" if name and not name.startswith("USER:") else "")


def _notes(asked: _Asked, task: ExplainTask, rays: QgsVectorLayer) -> list[str]:
    notes = []
    if asked.stand:
        notes.append(f"{asked.stand.what} {round(task.parameters[HEIGHT], 2):g} m above the ground.")
    here = task.result["figures"].get(VALUE_FIELD)
    transmitter = next((ray[TRANSMITTER_FIELD] for ray in rays.getFeatures()), None)
    if transmitter in asked.losses and here is not None:
        subject = "The layer has {:.1f} dB at this point" if asked.has_points else "The tile has {:.1f} dB at its middle"
        place = asked.stand.place if asked.stand else HERE
        notes.append(f"{subject.format(asked.losses[transmitter])}, {place} {here:.1f} dB.")
    if asked.exact:
        notes.append(f"The layer was made by “{asked.exact}”: it has exact rays alone, none scattered diffusely or over "
                     "the roofs, which these are.")
    explained = Path(rays.source().split("|")[0])
    changes = [f"{path} has changed since the layer was made; the value may differ."
               for path in changed_inputs(asked.run, [explained, *asked.made])]
    return [*notes, *changes, *task.warnings]


def _rows(layer: QgsVectorLayer) -> list[dict[str, Any]]:
    """The rays, strongest first; NULL is None."""
    names = layer.fields().names()
    rows = [{name: None if is_null(feature[name]) else feature[name] for name in names}
            for feature in layer.getFeatures()]
    return sorted(rows, key=lambda row: row["rank"])
