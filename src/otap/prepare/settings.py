"""What of a run counts: its steps and arguments, what the steps do, and what each weighs.

Ids stay, so that alignment and findings name the steps that were recorded; a sub-step that took the
place of the step that it was part of is named after both, as ``3/1``. Dependencies are found before
anything is left out, and steps are then eliminated: a step that needed one that does not count
needs what that one needed.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from itertools import chain
from operator import attrgetter, is_
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from otap.config import Config, Parameters
from otap.config.tables import EVERY_TOOL, tolerance_parts
from otap.dependencies import DependencyGraph, subgraph
from otap.dependencies.mechanisms import explicit_edges
from otap.dependencies.tool_names import MAX_NAME, ByTool, last_part
from otap.matrices import Rule, Rules, below, canonical_json, plain
from otap.prepare.recognition import ROLES, Role, drop_drawn, is_refused, recognised
from otap.prepare.substeps import Marks, WholeRun, flattened
from otap.trajectory import Step, Trajectory

Array = NDArray[np.float64]
RulesOf = Callable[[str | None], Rules | None]


MOST_ROWS = 200  # of a call for many
# Verbs of a call that sets a list as a whole: the flights of a booking.
WHOLES = ("update", "set", "change", "edit", "modify", "patch", "replace", "fill")


class RunSettings:
    """The settings that decide what of a run is compared.

    Args:
        config: all settings.

    Attributes:
        roles: what is said of tools, which beats what is recognised.
        leaves_all: whether they leave all that is no sub-step as it was recorded.
        opens: whether steps inside a step count beside it.
        digest: short, and equal for settings of equal effect.
        rules: how the arguments of a tool are compared, by its name; None: no rule.
    """

    def __init__(self, config: Config) -> None:
        tools, canonical = config.tools, _canonical(config)
        said: Mapping[Role, Sequence[str]] = {
            "reads": tools.read_only,
            "writes": tools.writes,
            "thinks": tools.thinks,
            "hands_over": tools.hands_over,
        }
        self.config = config
        self.roles = ByTool({tool: role for role, names in said.items() for tool in names})
        self.weights = ByTool(tools.weight)
        self.ignored = ByTool(dict.fromkeys(tools.ignore, True))
        self.leaves_all = canonical == _canonical(Config(subagents=config.subagents))
        self.opens = config.subagents == "opened"
        self.digest = hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()[
            :16
        ]
        self._by_tool = ByTool(config.parameters)
        self._known: dict[str | None, tuple[Parameters, Rules | None]] = {}
        none: Mapping[str | None, Rules] = {}
        self.rules: RulesOf = self._rules if config.parameters else none.get

    def _rules(self, tool: str | None) -> Rules | None:
        return (self._known.get(tool) or self._look_up(tool))[1]

    def parameters(self, tool: str | None) -> Parameters:
        """How the arguments of a tool count."""
        return (self._known.get(tool) or self._look_up(tool))[0]

    def _look_up(self, tool: str | None) -> tuple[Parameters, Rules | None]:
        found = self.config.parameters.get(EVERY_TOOL, Parameters())
        own = self._by_tool.get(tool) if tool != EVERY_TOOL else None
        if own is not None:
            found = own.over(found)
        self._known[tool] = found, _rules_of(found) if found.compares else None
        return self._known[tool]


def step_roles(
    trajectory: Trajectory, settings: RunSettings, handing: Container[int] = ()
) -> list[Role]:
    """Returns what each step does; without ``recognise`` every step writes.

    Args:
        trajectory: the run.
        settings: say of some tools what they do.
        handing: the positions of calls whose work is done by the steps inside them.
    """
    if not settings.config.recognise:
        return ["writes"] * len(trajectory.steps)
    roles: list[Role] = []
    for place, step in enumerate(trajectory.steps):
        role = settings.roles.get(step.tool) or ("hands_over" if place in handing else None)
        roles.append(role or recognised(step, trajectory.tools))
    return roles


def failed_steps(steps: Sequence[Step], settings: RunSettings) -> Marks:
    """Returns which steps failed; none where nothing is recognised."""
    if not settings.config.recognise:
        return np.zeros(len(steps), dtype=np.bool_)
    failed: Marks = np.array(list(map(attrgetter("status"), steps)), dtype=object) == "error"
    return failed


def roles_in_full(
    reference: Trajectory, roles: Sequence[Role], settings: RunSettings
) -> frozenset[Role]:
    """Returns what counts in full against a reference: its changes.

    Where it changes nothing, and does not say that only changes count, what it does instead.
    """
    if reference.metadata.get("only_changes", settings.config.only_changes) is True:
        return frozenset({"writes"})
    return frozenset({"writes", next(filter(roles.__contains__, ROLES), "writes")})


def step_weights(
    steps: Sequence[Step], roles: Sequence[Role], in_full: frozenset[Role], settings: RunSettings
) -> Array:
    """Returns what each step weighs where some roles count in full; an ordinary one weighs 1."""
    counts = settings.config.counts
    by_role = {"forbidden": 1.0, "writes": 1.0, "reads": counts.reads, "thinks": counts.thinks}
    by_role |= {"hands_over": counts.hands_over, **dict.fromkeys(in_full, 1.0)}
    weights = list(map(by_role.__getitem__, roles))
    if settings.config.tools.weight:
        said = (settings.weights.get(step.tool) for step in steps)
        weights = [own or weight for own, weight in zip(said, weights, strict=True)]
    failed = failed_steps(steps, settings)
    return np.where(failed, np.minimum(weights, counts.failed), weights)


def read_whole(trajectory: Trajectory, settings: RunSettings) -> WholeRun:
    """Returns all steps of a run in one list, as far as those inside others are opened.

    A write whose effect says that it was refused has failed.

    Raises:
        FormatError: if two steps have one id after flattening.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    nested = any(map(attrgetter("substeps"), trajectory.steps))
    if nested and settings.config.subagents in ("opened", "flattened"):
        whole, inside = flattened(trajectory, settings.config.max_depth)
        nested = False
    else:
        whole, inside = trajectory.model_copy(), {}
    if settings.config.recognise and not inside:
        whole = split_batches(whole)
    roles = step_roles(whole, settings)
    if settings.config.recognise:
        # As its calls mean it: without keys that agents draw, and refused writes as failed.
        steps = list(map(drop_drawn, whole.steps))
        for place, (step, role) in enumerate(zip(steps, roles, strict=True)):
            if role == "writes" and step.status != "error" and is_refused(step):
                steps[place] = step.model_copy(update={"status": "error"})
        if not all(map(is_, steps, whole.steps)):
            whole = whole.model_copy(update={"steps": tuple(steps)})
    return WholeRun(whole, inside, roles, failed_steps(whole.steps, settings), nested)


def split_batches(trajectory: Trajectory) -> Trajectory:
    """Returns a run in which a call for many is its single calls: one for each row of its list.

    Such a call has one list of objects, all else that it says is said of each, and its
    tool's name is in the plural (``add_items``). What came back is one result a row, one text of
    each, or else of the last.
    """
    steps = list(chain.from_iterable(map(_split_batch, trajectory.steps)))
    if len(steps) == len(trajectory.steps) and all(map(is_, steps, trajectory.steps)):
        return trajectory
    names = set(map(attrgetter("id"), steps))
    if len(names) < len(steps) or any(step.depends_on is not None for step in steps):
        return trajectory  # what is recorded goes by the ids
    return trajectory.model_copy(update={"steps": tuple(steps)})


def _split_batch(step: Step) -> list[Step]:
    name, said = last_part(step.tool or ""), step.arguments
    if not isinstance(said, dict) or step.substeps or not name.endswith("s"):
        return [step]
    if len(name) > MAX_NAME or name.lower().startswith(WHOLES):
        return [step]
    shared, several = dict[str, JsonValue](), list[list[JsonValue]]()
    for key, value in said.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            several.append(value)
        elif isinstance(value, list | dict):
            return [step]
        else:
            shared[key] = value
    rows = several[0] if len(several) == 1 else []
    if not 1 <= len(rows) <= MOST_ROWS or not all(map(_is_row, rows)):
        return [step]
    effects: list[JsonValue] = [step.effect] * len(rows)
    if isinstance(step.effect, list) and len(step.effect) == len(rows):
        effects = step.effect
    elif not isinstance(step.effect, str):
        effects[:-1] = [None] * (len(rows) - 1)
    ends = [f"/{k}" for k in range(1, len(rows) + 1)] if len(rows) > 1 else [""]
    return [
        step.model_copy(
            update={"id": f"{step.id}{end}", "arguments": shared | row, "effect": effect}
        )
        for end, row, effect in zip(ends, rows, effects, strict=True)
        if isinstance(row, dict)
    ]


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and not any(isinstance(v, list | dict) for v in value.values())


def leave_out(
    whole: WholeRun, settings: RunSettings, hidden: Collection[int] = ()
) -> tuple[Sequence[int], Trajectory]:
    """Returns the positions of the steps that count, and the trajectory of these alone.

    Args:
        whole: the run.
        settings: say what counts.
        hidden: positions of steps that are not compared.
    """
    trajectory = whole.trajectory
    as_recorded = settings.leaves_all and not (whole.inside or hidden)
    if as_recorded and (settings.config.subagents == "nested" or not whole.nested):
        return range(len(trajectory.steps)), trajectory
    kept = [place for place in _counting(whole, settings) if place not in hidden]
    graph = DependencyGraph(len(trajectory.steps), explicit_edges(trajectory), "explicit")
    needed = subgraph(whole.joined(graph), kept).parents
    names = [trajectory.steps[place].id for place in kept]
    steps = tuple(
        _counted_step(trajectory, place, [names[k] for k in needed[index]], settings)
        for index, place in enumerate(kept)
    )
    metadata = _with_goals(trajectory, set(names))
    return kept, trajectory.model_copy(update={"steps": steps, "metadata": metadata})


def _counting(whole: WholeRun, settings: RunSettings) -> list[int]:
    """The positions of the steps that count by their tool and their status."""
    steps, outer = whole.trajectory.steps, whole.outer if settings.opens else {}
    counting = [
        place
        for place, step in enumerate(steps)
        if (settings.opens or place not in whole.inside) and not settings.ignored.get(step.tool)
    ]
    failed = settings.config.failed
    if failed == "kept":
        return counting
    found = []
    for index, place in enumerate(counting):
        later = counting[index + 1 :]
        # Only steps of the same list try a step again.
        near = [steps[k] for k in later if outer.get(k) == outer.get(place)]
        gone = steps[place].status == "error"
        if not gone or (failed == "folded" and not _is_tried_again(steps[place], near)):
            found.append(place)
    return found


def _is_tried_again(failed: Step, later: Sequence[Step]) -> bool:
    """Whether the next step of the same agent, after the turn of one that failed, is its retry."""
    for step in later:
        together = step.turn is not None and step.turn == failed.turn
        if step.agent == failed.agent and not together:
            return step.tool is not None and step.tool == failed.tool
    return False


def _counted_step(
    whole: Trajectory, place: int, needed: Sequence[str], settings: RunSettings
) -> Step:
    step, parameters = whole.steps[place], settings.parameters(whole.steps[place].tool)
    update: dict[str, Any] = {}
    if parameters.ignore or parameters.defaults:
        # Arguments that are ignored or have their default value say nothing.
        defaults = {path: canonical_json(value) for path, value in parameters.defaults.items()}
        ignored = frozenset(parameters.ignore)
        update["arguments"] = _pruned(step.arguments, "", ignored, defaults)
    if step.depends_on is not None:
        update["depends_on"] = tuple(needed)
    if step.substeps and not _counts_inside(whole, step, settings):
        update["substeps"] = ()
    if settings.roles.get(step.tool) == "reads" and "changes_state" not in step.metadata:
        update["metadata"] = {**step.metadata, "changes_state": False}
    return step.model_copy(update=update) if update else step


def _counts_inside(whole: Trajectory, step: Step, settings: RunSettings) -> bool:
    """Whether some step inside counts; which ones is seen when they are compared."""
    if settings.config.subagents == "dropped":
        return False
    inside = whole.model_copy(update={"steps": step.substeps, "metadata": {}})
    return bool(_counting(read_whole(inside, settings), settings))


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
        # An object or list that lost all that it held goes too.
        if rest or not value or not isinstance(rest, dict | list):
            found[key] = rest
    return found


def keep_compared(run: Trajectory, compared: JsonValue) -> Trajectory:
    """Returns a run with the arguments alone that count against a reference.

    Args:
        run: a run.
        compared: what the reference says of its tools: a list of arguments by tool.
    """
    if not isinstance(compared, dict):
        return run
    steps = []
    for step in run.steps:
        keys, said = compared.get(step.tool or ""), step.arguments
        if isinstance(keys, list) and isinstance(said, dict):
            kept = {key: value for key, value in said.items() if key in keys}
            step = step.model_copy(update={"arguments": kept})
        steps.append(step)
    return run.model_copy(update={"steps": tuple(steps)})


def writing(trajectory: Trajectory) -> list[bool]:
    """Returns which steps of a trajectory change something, as far as that is recognised.

    Args:
        trajectory: the run as it was recorded.
    """
    settings = RunSettings(Config())
    writes = np.array(step_roles(trajectory, settings), dtype=object) == "writes"
    found: list[bool] = (writes & ~failed_steps(trajectory.steps, settings)).tolist()
    return found


def _canonical(config: Config) -> dict[str, Any]:
    """What decides what counts, such that settings of equal effect are equal."""
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


def _rules_of(parameters: Parameters) -> Rules:
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
