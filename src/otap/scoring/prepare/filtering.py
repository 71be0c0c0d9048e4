"""The filter: a trajectory in, the filtered run out, which has only the steps that count.

Ids stay, so that alignment and findings name the steps that were recorded; a sub-step that took the
place of the step that it was part of is named after both, as ``3/1``. Dependencies are found before
anything is left out, and steps are then eliminated: a step that needed one that does not count
needs what that one needed.
"""

import hashlib
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from otap._caching import cached_property
from otap.dependencies import DependencyGraph, dependency_graph, subgraph
from otap.dependencies.mechanisms import explicit_edges
from otap.dependencies.tool_names import ByTool
from otap.matrices import Rule, Rules, below, canonical_json, plain
from otap.scoring.config import Config, Parameters
from otap.scoring.config.what_counts import EVERY_TOOL, tolerance_parts
from otap.scoring.prepare.flattening import Flattened, flattened
from otap.scoring.prepare.weighing import Weighing
from otap.trajectory import Step, Trajectory


@dataclass(frozen=True, eq=False)
class FilteredRun:
    """The steps of a trajectory that count, and the graph between them.

    ``whole`` is all of it; ``kept`` are the positions of the steps of ``trajectory`` in it.
    """

    whole: Flattened
    kept: Sequence[int]
    trajectory: Trajectory

    @property
    def left_out(self) -> tuple[str, ...]:
        """The ids of the steps that do not count."""
        kept = set(self.kept)
        steps = self.whole.trajectory.steps
        return tuple(step.id for place, step in enumerate(steps) if place not in kept)

    def graph(self, mechanism: str, *, capitals: bool) -> DependencyGraph:
        """Returns the dependencies between the steps that count, direct or through eliminated ones.

        Args:
            mechanism: how dependencies are found.
            capitals: whether a capitalised word in texts is evidence of value flow.

        Raises:
            DependencyError: if the trajectory does not record what the mechanism needs.
        """
        if mechanism == "sequential":
            return dependency_graph(self.trajectory, mechanism)
        graph = dependency_graph(self.whole.trajectory, mechanism, capitals=capitals)
        return subgraph(self.whole.joined(graph), self.kept)


class RunFilter:
    """Which steps and arguments of a run count under a configuration.

    Args:
        config: its tools, parameters, failed attempts and sub-agents decide.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._left_out = ByTool(dict.fromkeys(config.tools.left_out, True))
        self.order = config.order
        self.weighing = Weighing(config)
        self._read_only = ByTool(dict.fromkeys(config.tools.read_only, True))
        self._by_tool = ByTool(config.parameters)
        self._parameters: dict[str | None, Parameters] = {}
        self._rules: dict[str | None, Rules | None] = {}

    def changes_nothing(self, trajectory: Trajectory) -> bool:
        """Whether every step of a trajectory counts as it was recorded."""
        return self._says_nothing and (
            self._config.subagents == "nested" or not any(s.substeps for s in trajectory.steps)
        )

    @property
    def opens(self) -> bool:
        """Whether steps inside a step count beside it."""
        return self._config.subagents == "opened"

    @cached_property
    def _says_nothing(self) -> bool:
        """Whether it leaves all that is no sub-step as it is."""
        return _said(self._config) == _said(Config(subagents=self._config.subagents))

    @property
    def capitals(self) -> bool:
        """Whether a capitalised word in texts is evidence of value flow, as it is in ``paper``."""
        return self._config.arguments == "text"

    @property
    def renames(self) -> bool:
        """Whether a run is compared in the names of its reference: of tools, and what was drawn."""
        return self._config.arguments == "structured"

    @property
    def digest(self) -> str:
        """A short digest of the settings, for the signature; equal for equal ones."""
        text = json.dumps(_said(self._config), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def of(self, trajectory: Trajectory, unseen: Container[int] = ()) -> FilteredRun:
        """Returns the filtered run of a trajectory; the trajectory itself is not kept.

        Args:
            trajectory: the run.
            unseen: positions, after flattening, of steps that are not compared.

        Raises:
            FormatError: if two steps have one id after flattening.
            LimitError: if sub-steps nest deeper than ``max_depth``.
        """
        flat = self._config.subagents in ("opened", "flattened")
        whole = (
            flattened(trajectory, self._config.max_depth)
            if flat
            else Flattened(trajectory.model_copy())
        )
        kept = [place for place in self._kept(whole) if place not in unseen]
        graph = DependencyGraph(
            len(whole.trajectory.steps), explicit_edges(whole.trajectory), "explicit"
        )
        needed = subgraph(whole.joined(graph), kept).parents
        names = [whole.trajectory.steps[place].id for place in kept]
        steps = tuple(
            self._step(whole.trajectory, place, [names[k] for k in needed[index]])
            for index, place in enumerate(kept)
        )
        metadata = _with_goals(whole.trajectory, {step.id for step in steps})
        update = {"steps": steps, "metadata": metadata}
        return FilteredRun(whole, kept, whole.trajectory.model_copy(update=update))

    def rules(self, tool: str | None) -> Rules | None:
        """How the arguments of a tool are compared; None: no rule."""
        if tool not in self._rules:
            parameters = self._of_tool(tool)
            self._rules[tool] = _rules(parameters) if parameters.compares else None
        return self._rules[tool]

    def _of_tool(self, tool: str | None) -> Parameters:
        if tool not in self._parameters:
            named = self._config.parameters
            general = named.get(EVERY_TOOL, Parameters())
            own = self._by_tool.get(tool) if tool != EVERY_TOOL else None
            self._parameters[tool] = own.over(general) if own else general
        return self._parameters[tool]

    def _kept(self, whole: Flattened) -> list[int]:
        steps = whole.trajectory.steps
        counting = [
            place
            for place, step in enumerate(steps)
            if (self.opens or place not in whole.inside) and not self._left_out.get(step.tool)
        ]
        if self._config.failed == "kept":
            return counting
        folded = self._config.failed == "folded"
        return [
            place
            for index, place in enumerate(counting)
            if steps[place].status != "error"
            or (folded and not _tried_again(steps[place], self._after(whole, counting, index)))
        ]

    def _after(self, whole: Flattened, counting: Sequence[int], index: int) -> Iterator[Step]:
        """The later steps among which one is looked for that tries a step again: of its list."""
        outer = whole.outer if self.opens else {}
        within = outer.get(counting[index])
        return (
            whole.trajectory.steps[place]
            for place in counting[index + 1 :]
            if outer.get(place) == within
        )

    def _step(self, whole: Trajectory, place: int, needed: Sequence[str]) -> Step:
        step = whole.steps[place]
        update: dict[str, Any] = {"arguments": self._arguments(step)}
        if step.depends_on is not None:
            update["depends_on"] = tuple(needed)
        if step.substeps and not self._has_substeps(whole, step):
            update["substeps"] = ()
        if self._read_only.get(step.tool) and "changes_state" not in step.metadata:
            update["metadata"] = {**step.metadata, "changes_state": False}
        return step.model_copy(update=update)

    def _has_substeps(self, whole: Trajectory, step: Step) -> bool:
        """Whether some step inside counts; which ones is seen when they are compared."""
        if self._config.subagents == "dropped":
            return False
        inside = whole.model_copy(update={"steps": step.substeps, "metadata": {}})
        return bool(self.of(inside).kept)

    def _arguments(self, step: Step) -> JsonValue:
        """The arguments without those that are ignored, or that have their default value."""
        parameters = self._of_tool(step.tool)
        if not parameters.ignore and not parameters.defaults:
            return step.arguments
        defaults = {path: canonical_json(value) for path, value in parameters.defaults.items()}
        return _pruned(step.arguments, "", frozenset(parameters.ignore), defaults)


def _said(config: Config) -> dict[str, Any]:
    """The settings of the filter in canonical form: those of equal effect are equal."""
    tools, parameters = config.tools, config.parameters
    return {
        "failed": config.failed,
        "subagents": config.subagents,
        "ignore": sorted(tools.ignore),
        "read_only": sorted(tools.read_only),
        "writes": sorted(tools.writes),
        "thinks": sorted(tools.thinks),
        "hands_over": sorted(tools.hands_over),
        "weight": dict(sorted(tools.weight.items())),
        "parameters": {
            tool: {
                name: sorted(value) if isinstance(value, list) else value
                for name, value in one.model_dump(mode="json").items()
            }
            for tool, one in parameters.items()
            if one != Parameters()
        },
    }


def _tried_again(failed: Step, later: Iterator[Step]) -> bool:
    """Whether the next step of the same agent, after the turn of one that failed, is its retry."""
    for step in later:
        together = step.turn is not None and step.turn == failed.turn
        if step.agent == failed.agent and not together:
            return step.tool is not None and step.tool == failed.tool
    return False


def _with_goals(trajectory: Trajectory, counted: set[str]) -> dict[str, JsonValue]:
    """The metadata with those of its goals that count; what is no step of it stays an error."""
    goals = trajectory.metadata.get("goals")
    if not isinstance(goals, list):
        return trajectory.metadata
    known = {step.id for step in trajectory.steps}
    left = [goal for goal in goals if goal in counted or goal not in known]
    rest = {key: value for key, value in trajectory.metadata.items() if key != "goals"}
    return {**rest, "goals": left} if left else rest


def _pruned(
    data: JsonValue, path: str, ignored: frozenset[str], defaults: Mapping[str, str]
) -> JsonValue:
    data = plain(data)
    if isinstance(data, list):
        return [_pruned(member, path, ignored, defaults) for member in data]
    if not isinstance(data, dict):
        return data
    found = {}
    for key, value in data.items():
        place = below(path, key)
        if place in ignored or (place in defaults and canonical_json(value) == defaults[place]):
            continue
        rest = _pruned(value, place, ignored, defaults)
        if not _emptied(value, rest):
            found[key] = rest
    return found


def _emptied(value: JsonValue, rest: JsonValue) -> bool:
    """Whether an object or list lost all that it held: it goes too."""
    return bool(value) and isinstance(rest, dict | list) and not rest


def _rules(parameters: Parameters) -> Rules:
    found: dict[str, Rule] = {}
    lists = {*parameters.sets, *parameters.ordered}
    for path in {*parameters.exact, *parameters.text, *parameters.tolerance, *lists}:
        absolute, relative = tolerance_parts(parameters.tolerance.get(path, 0.0))
        found[path] = Rule(
            exact=path in parameters.exact,
            text=path in parameters.text,
            as_set=path in parameters.sets,
            ordered=path in parameters.ordered,
            absolute=absolute,
            relative=relative,
        )
    return Rules(found)
