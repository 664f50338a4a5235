# SPDX-License-Identifier: GPL-3.0-or-later
"""A tool of the executable as a Processing algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qgis.core import (
    QgsApplication,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputString,
    QgsProcessingParameterFileDestination,
)
from qgis.PyQt.QtCore import QCoreApplication, QThread
from qgis.PyQt.QtGui import QIcon

from . import antenna_page, installation, reporting
from .description import Description, Parameter, Tool
from .executable import ExecutableProblem
from .figures import is_table, single_figures, table_html, table_text
from .help import html_of, icon_of
from .layers import edited_layer, group_name, register, reload_replaced, take_layer_to_load
from .wording import Wording
from .outputs import (
    BadDestination,
    Destination,
    Plan,
    check_destinations,
    check_earlier_steps,
    destination_text,
    expression_problem,
    is_temporary,
    note_written,
    path_of,
    places_beside,
    plan_outputs,
    temporary_geopackage,
)
from .page_files import PageNotWritten, require_replaceable
from .parameters import definitions, file_filter
from .runner import RunCancelled, RunFailed, run_tool
from .validation import Validation
from .values import InputValues, evaluated, is_given, option_words, plain_problem, truth_of

# What makes a page from the results of the tools of a role: ROLE, PARAMETER, LABEL, HELP, NEEDED_LAYERS, make_report.
PAGES = (reporting, antenna_page)
PAGE_EXTENSIONS = (".html", ".htm")
# The option that allows replacing, and what a run tells beside its layers and files.
OVERWRITE = "OVERWRITE"
RESULT_HASH = "RESULT_HASH"


class TesserayAlgorithm(QgsProcessingAlgorithm):
    """Parameters, help and outputs come from the tool's description; roles say what else to do."""

    def __init__(self, tool: Tool, description: Description) -> None:
        super().__init__()
        self._tool, self._description, self._options = tool, description, description.options
        self._values: dict[str, Any] = {}
        self._inputs: InputValues | None = None
        self._executable = Path()
        self._problem = ""
        self._written: list[Destination] = []
        self._to_load: dict[str, QgsProcessingContext.LayerDetails] = {}
        self._outputs: dict[str, str] = {}
        self._group = ""
        self._page = next((page for page in PAGES if page.ROLE in tool.roles), None)

    # What the toolbox shows. The names are QGIS's.

    def createInstance(self) -> "TesserayAlgorithm":  # noqa: N802
        return TesserayAlgorithm(self._tool, self._description)

    def name(self) -> str:
        return self._tool.id

    def displayName(self) -> str:  # noqa: N802
        return self._tool.title

    def group(self) -> str:
        return self._tool.group

    def groupId(self) -> str:  # noqa: N802
        return self._tool.group.lower().replace(" ", "_")

    def shortDescription(self) -> str:  # noqa: N802
        return self._tool.help

    def shortHelpString(self) -> str:  # noqa: N802
        """Of qgis_process the first sentence: a terminal shows no HTML, and the parameters are listed there anyway."""
        if QgsApplication.platform() == "qgis_process":
            return self._tool.help
        pages = {self._page.LABEL: self._page.HELP} if self._page else {}
        return html_of(self._tool, self._description, pages)

    def icon(self) -> QIcon:
        return QIcon(str(icon_of(self._tool)))

    def svgIconPath(self) -> str:  # noqa: N802
        return str(icon_of(self._tool))

    def tags(self) -> list[str]:
        return ["radio", "coverage", "propagation", "path loss", "ray", "wireless", "antenna"]

    def initAlgorithm(self, configuration: dict[str, Any] | None = None) -> None:  # noqa: N802
        for definition in definitions(self._tool, self._options):
            self.addParameter(definition)
        if self._page:
            page = QgsProcessingParameterFileDestination(
                self._page.PARAMETER, self._page.LABEL, file_filter("html"), optional=True, createByDefault=True)
            page.setHelp(self._page.HELP)
            self.addParameter(page)
        self.addOutput(QgsProcessingOutputString(RESULT_HASH, "Hash over the rows of all layers"))

    def canExecute(self) -> tuple[bool, str]:  # noqa: N802
        try:
            installation.live_description()
        except ExecutableProblem as problem:
            return False, str(problem)
        return True, ""

    # Before a run.

    def checkParameterValues(self, parameters: dict[str, Any],  # noqa: N802
                             context: QgsProcessingContext) -> tuple[bool, str]:
        parameters = evaluated(self._tool, self._options, parameters, context)
        problem = self._destination_problem(parameters, context)
        if problem:
            return False, problem
        validation = Validation(self, self._tool, parameters, context)
        problem = next(validation.unopened_files(), "") or next(validation.missing_files(), "") \
            or next(validation.plain_values(self._options), "")
        if problem:
            return False, problem
        is_good, problem = super().checkParameterValues(parameters, context)
        if not is_good:
            return False, problem
        problem = next(validation.messages(), "")
        return not problem, problem

    def _destination_problem(self, parameters: dict[str, Any], context: QgsProcessingContext,
                             feedback: QgsProcessingFeedback | None = None) -> str:
        """Why the destinations do not do, "" if they do. Temporary ones always do. To be called in the main thread.

        feedback: of the run, which knows what earlier steps of a model have written; None where there is none yet.
        """
        texts = {name: destination_text(parameters.get(name), context) for name in self._makeable(parameters, context)}
        labels = {parameter.name: parameter.label for parameter in self._tool.parameters}
        labels |= {self._page.PARAMETER: self._page.LABEL} if self._page else {}
        overwrite = next(option for option in self._options if option.name == OVERWRITE)
        problem = plain_problem(overwrite, parameters[OVERWRITE]) if is_given(parameters, OVERWRITE) else ""
        problem = problem or self._expression_problem(parameters, labels, context)
        if problem:
            return problem
        try:
            plan = plan_outputs(self._tool, texts, Path())
            places = {name: place for name, place in plan.places.items() if not self._is_temporary(place, texts[name])}
            places |= plan.layers
            labels |= self._labels_of_collected(places, texts)
            page_place = self._page_place(parameters, context)
            written = (*places.values(), *places_beside(self._tool, plan.places))
            if feedback:
                check_earlier_steps((*written, *page_place.values()), feedback)
            check_destinations(places | page_place, labels, self._replaces(parameters),
                               f"“{overwrite.label}” ({OVERWRITE})")
            for place in page_place.values():
                require_replaceable(Path(place.file))
        except (BadDestination, PageNotWritten) as problem:
            return str(problem)
        problem = self._needless_problem(parameters, texts, labels, context)
        if problem:
            return problem
        edited = edited_layer(context.project(), written) if context.project() else None
        return (f"The open layer “{edited.name()}” would be replaced, and it is being edited. Save or discard its edits, "
                "and end editing it (Layer ▸ Toggle Editing).") if edited else ""

    def _needless_problem(self, parameters: dict[str, Any], texts: dict[str, str | None], labels: dict[str, str],
                          context: QgsProcessingContext) -> str:
        """What is wrong where all outputs that are asked for lack an input, "" where something is made. texts: what the
        makeable ones are set to."""
        is_for_page = self._page and destination_text(parameters.get(self._page.PARAMETER), context) \
            and any(self._tool.parameter(name).layer in self._page.NEEDED_LAYERS for name in texts)
        lacking = [parameter for parameter in self._tool.parameters if parameter.is_destination
                   and parameter.name not in texts and destination_text(parameters.get(parameter.name), context)]
        if is_for_page or any(texts.values()) or not lacking:
            return ""
        return (f"“{labels[lacking[0].name]}” is asked for without “{labels[lacking[0].needs]}”. Give that, or ask for "
                "another output.")

    def _expression_problem(self, parameters: dict[str, Any], labels: dict[str, str], context: QgsProcessingContext) -> str:
        """Why an expression gives no destination, "" where all do. labels: by the names of parameters."""
        names = [parameter.name for parameter in self._tool.parameters if parameter.is_destination]
        names += [self._page.PARAMETER] if self._page else []
        problems = ((name, expression_problem(parameters.get(name), context)) for name in names)
        return next((f"{labels[name]} ({name}): {problem}" for name, problem in problems if problem), "")

    def _labels_of_collected(self, places: dict[str, Destination], texts: dict[str, str | None]) -> dict[str, str]:
        """By the name of an output that goes to the file for all layers, what the user set in its stead: the label of
        that."""
        collector = self._tool.collector
        file = texts.get(collector.name) if collector else None
        return {name: collector.label for name, place in places.items()
                if file and place.file == Path(file) and (not texts[name] or is_temporary(texts[name]))}

    def _page_place(self, parameters: dict[str, Any], context: QgsProcessingContext) -> dict[str, Destination]:
        """Where the page goes, if to a place of the user's. Throws BadDestination for what is no name of a page."""
        text = destination_text(parameters.get(self._page.PARAMETER), context) if self._page else None
        if text is None or is_temporary(text):
            return {}
        if Path(text).suffix.lower() not in PAGE_EXTENSIONS:
            raise BadDestination(f"{self._page.LABEL}: {text} is no name of a page. Choose one that ends in .html.")
        return {self._page.PARAMETER: Destination(Path(text))}

    @staticmethod
    def _is_temporary(place: Destination, text: str | None) -> bool:
        """Whether a planned place is in the temporary file, or a temporary file of its own. text: what asked for it."""
        return place.file == Path() or (place.layer is None and is_temporary(text or ""))

    def _makeable(self, parameters: dict[str, Any], context: QgsProcessingContext) -> list[str]:
        """The destinations whose output there can be: those that need an input that is not given are left out.

        But those of a name, of which the program says what they lack: a dialog fills in temporary ones by itself.
        """
        def is_named(parameter: Parameter) -> bool:
            text = destination_text(parameters.get(parameter.name), context)
            return bool(text) and not is_temporary(text)

        return [parameter.name for parameter in self._tool.parameters
                if parameter.is_destination
                and (not parameter.needs or is_given(parameters, parameter.needs) or is_named(parameter))]

    def _replaces(self, parameters: dict[str, Any]) -> bool:
        return bool(truth_of(parameters.get(OVERWRITE)))

    def prepareAlgorithm(self, parameters: dict[str, Any], context: QgsProcessingContext,  # noqa: N802
                         feedback: QgsProcessingFeedback) -> bool:
        """In the thread of the windows: finds the executable, and takes what the run needs from layers and expressions,
        which live in this thread: it goes on with that, whatever becomes of them."""
        self._values = evaluated(self._tool, self._options, parameters, context)
        try:
            installation.live_description()
            self._executable = installation.executable()
            self._inputs = InputValues(self, self._tool, self._values, context)
            # Models and scripts come here unchecked.
            self._problem = self._destination_problem(self._values, context, feedback)
        except (ExecutableProblem, QgsProcessingException) as problem:
            # QGIS shows what goes wrong here only as "There were errors"; it is said when the run begins.
            self._problem = str(problem)
        return True

    # The run.

    def processAlgorithm(self, parameters: dict[str, Any], context: QgsProcessingContext,  # noqa: N802
                         feedback: QgsProcessingFeedback) -> dict[str, Any]:
        if self._problem:
            raise QgsProcessingException(self._problem)
        parameters = self._values
        temporary = temporary_geopackage(context, self._tool.id)
        plan = self._planned(parameters, context, temporary)
        if plan.idle:
            feedback.pushWarning(f"{self._tool.collector.label}: {plan.idle} is not written, since every layer that is "
                                 "wanted has a place of its own. Ask for temporary ones, and they go there.")
        html = self._page_path(parameters, context)
        if html and not plan.collected:
            self._add_places_for_page(plan, temporary, parameters, context)
        self._written = [*plan.places.values(), *plan.layers.values(), *places_beside(self._tool, plan.places)]
        self._group = group_name(self._tool, plan.places, temporary)
        result = self._run(plan, parameters, context, feedback)
        note_written(self._written, feedback)
        self._outputs = dict(result["outputs"])
        results: dict[str, Any] = {**self._outputs, **self._file_for_all(plan),
                                   RESULT_HASH: result.get("result_hash")}
        if html:
            feedback.setProgressText(self._page.LABEL)
            page = self._make_page(Path(html), result, parameters, context, feedback)
            results |= {self._page.PARAMETER: page} if page else {}
        return results

    def _file_for_all(self, plan: Plan) -> dict[str, str]:
        """The file for all layers, for later steps of a model; nothing where none of them went to it."""
        return {self._tool.collector.name: str(plan.home)} if self._tool.collector and plan.home else {}

    def _make_page(self, html: Path, result: dict[str, Any], parameters: dict[str, Any], context: QgsProcessingContext,
                   feedback: QgsProcessingFeedback) -> str | None:
        """The page's path; None, with a line in the log, where there is none."""
        working_file = temporary_geopackage(context, "report")
        try:
            return self._page.make_report(self._tool, result, html, working_file, context, feedback)
        except reporting.NothingToReport as problem:
            # A temporary one is what dialogs ask for by themselves.
            is_default = is_temporary(destination_text(parameters.get(self._page.PARAMETER), context) or "")
            (feedback.pushInfo if is_default else feedback.pushWarning)(str(problem))
            return None

    def _add_places_for_page(self, plan: Plan, temporary: Path, parameters: dict[str, Any],
                             context: QgsProcessingContext) -> None:
        """Layers that the page is made from and nobody asked for go to the run's temporary file."""
        makeable = set(self._makeable(parameters, context))
        for output in self._tool.layer_outputs:
            if output.layer in self._page.NEEDED_LAYERS and output.name in makeable and output.name not in plan.places:
                plan.places[output.name] = Destination(temporary, output.layer)

    def _planned(self, parameters: dict[str, Any], context: QgsProcessingContext, temporary: Path) -> Plan:
        """Where the outputs go. QGIS is asked for each, and tells so which ones to load.

        Nothing is to be loaded before it is written: the dialog would miss what a failed run leaves out.
        """
        texts: dict[str, str | None] = {}
        for name in self._makeable(parameters, context):
            parameter = self._tool.parameter(name)
            is_shown = parameter.is_layer_destination or parameter.is_raster_destination
            ask = self.parameterAsOutputLayer if is_shown else self.parameterAsFileOutput
            asked = ask(parameters, name, context)
            texts[name] = path_of(asked) or None
            details = take_layer_to_load(context, asked)  # of an empty one, too, as batches have for what is skipped
            if asked and details is not None:
                self._to_load[name] = details
        try:
            return plan_outputs(self._tool, texts, temporary)
        except BadDestination as problem:
            raise QgsProcessingException(str(problem)) from None

    def _page_path(self, parameters: dict[str, Any], context: QgsProcessingContext) -> str:
        return path_of(self.parameterAsFileOutput(parameters, self._page.PARAMETER, context)) if self._page else ""

    def _run(self, plan: Plan, parameters: dict[str, Any], context: QgsProcessingContext,
             feedback: QgsProcessingFeedback) -> dict[str, Any]:
        """The result object of the executable. Throws QgsProcessingException with a message for the user."""
        values = self._inputs.as_json(context, feedback)
        values |= {name: str(place) for name, place in plan.places.items()}
        if plan.collected:
            values[self._tool.collector.name] = str(plan.collected)
        if self._inputs.origins:
            values["COPIES"] = self._inputs.origins
        command = [self._executable, self._tool.id, *option_words(self, self._options, parameters, context)]
        words = Wording(self._tool, self._description)

        def in_words(text: str) -> str:
            return words.of_dialog(text, self._inputs.copies, self._inputs.layer_names)

        try:
            result = run_tool(command, values, feedback, _events_of_this_thread(), in_words)
        except (RunFailed, RunCancelled) as problem:
            raise QgsProcessingException(in_words(str(problem))) from None
        _tell(result, feedback)
        return result

    def postProcessAlgorithm(self, context: QgsProcessingContext,  # noqa: N802
                             feedback: QgsProcessingFeedback) -> dict[str, Any]:
        """In the thread of the windows, which alone may ask for the layers of the project."""
        reload_replaced(context.project(), self._written, feedback)
        register(context, self._tool, self._to_load, self._outputs, self._group)
        return {}


def _events_of_this_thread() -> Any:
    """What keeps the windows alive while waiting, where this is their thread; None in any other."""
    application = QCoreApplication.instance()
    return QCoreApplication.processEvents if application and QThread.currentThread() == application.thread() else None


def _tell(result: dict[str, Any], feedback: QgsProcessingFeedback) -> None:
    """Figures and failed transmitters into the log."""
    feedback.pushInfo(f"Computed on {result.get('device', 'an unknown device')}.")
    figures = result.get("figures", {})
    for line in single_figures(figures):
        feedback.pushInfo(line)
    for name, value in figures.items():
        if is_table(value):
            feedback.pushFormattedMessage(table_html(name, value), table_text(name, value))
    for failed in result.get("failed_transmitters", []):
        feedback.reportError(f"The transmitter {failed['name']} failed: {failed['message']}")
