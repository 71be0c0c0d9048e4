"""The same work in fewer or in more steps."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import JsonValue

from otap.dependencies import quotient
from otap.dependencies.values import opens_json
from otap.errors import DependencyError, shown
from otap.perturbation.flow import consumed, produced, with_flow
from otap.perturbation.material import Material
from otap.perturbation.order import free_id, graph_of, listed
from otap.trajectory import Step, Trajectory

_AND = re.compile(r",?\s+(?:and then|and|then)\s+|;\s+")
_COMMA = re.compile(r",\s+")


def merged(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Contracts an edge of the transitive reduction to one step; None if there is no edge.

    The merged step does, needs and makes what both did; its tool is that of the second, which made
    the result.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the edge.
    """
    graph = graph_of(trajectory)
    edges, needed = ((edge.source, edge.target) for edge in graph.edges), {*graph.reduction}
    pairs = [edge for edge in edges if edge in needed]
    if not pairs:
        return None
    return regrouped(trajectory, *_merged_pair(trajectory, *random.choice(pairs)))


def split(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Divides one step into a chain of two; None if no step can be told in two parts.

    Tried in turn: a step whose action names two things ("search and book"), one with several
    arguments, one whose action has four words or more. The second part needs the first.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step.
    """
    for parts_of in (_by_action, _by_arguments, _by_words):
        found = [(step, parts) for step in trajectory.steps if (parts := parts_of(step))]
        if found:
            step, (first, second) = random.choice(found)
            return regrouped(trajectory, (step.id,), _chained(trajectory, step, first, second))
    return None


def regrouped(trajectory: Trajectory, replaced: Sequence[str], steps: Sequence[Step]) -> Trajectory:
    """Returns the trajectory with other steps in place of some, listed in topological order.

    Args:
        trajectory: records in ``depends_on`` what each step needs.
        replaced: ids of the steps that go; they count as one node of the quotient graph.
        steps: what comes in their place, in this order, with what they make and need
            (:mod:`otap.perturbation.flow`).

    Raises:
        DependencyError: if a step that stays lies between those that are replaced, or one of them
            is no step of the trajectory.
    """
    graph = graph_of(trajectory)
    group = _positions(trajectory, replaced)
    groups = [group if k == group[0] else (k,) for k in range(graph.size) if k not in group[1:]]
    contracted = quotient(graph, groups)
    if contracted is None:
        raise DependencyError(
            f"steps {shown(', '.join(replaced))} cannot become one: another step needs one of them "
            "and is needed by the other"
        )
    order: list[Step] = []
    for place in contracted.order:
        order += steps if groups[place] == group else [trajectory.steps[groups[place][0]]]
    return listed(trajectory, order)


def _positions(trajectory: Trajectory, ids: Sequence[str]) -> tuple[int, ...]:
    """The positions of some steps, rising; an error if one is unknown, or there are none."""
    unknown = set(ids) - {step.id for step in trajectory.steps}
    if unknown or not ids:
        raise DependencyError(
            f"{shown(trajectory.name)}: no step {shown(', '.join(sorted(unknown)) or 'to replace')}"
        )
    return tuple(place for place, step in enumerate(trajectory.steps) if step.id in ids)


def _merged_pair(
    trajectory: Trajectory, source: int, target: int
) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    first, second = trajectory.steps[source], trajectory.steps[target]
    both: dict[str, Any] = {
        "id": free_id(trajectory, f"{first.id}+{second.id}"),
        "kind": "tool" if "tool" in (first.kind, second.kind) else "reasoning",
        "action": _sentence(first.action, second.action),
        "tool": second.tool or first.tool,
        "arguments": _joined(first.arguments, second.arguments),
        "effect": _joined(first.effect, second.effect),
        "substeps": _inside(first, second) if first.substeps or second.substeps else (),
    }
    made = [*produced(first), *produced(second)]
    needed = [name for name in consumed(second) if name not in produced(first)]
    step = with_flow(second.model_copy(update=both), made, [*consumed(first), *needed])
    return (first.id, second.id), (step,)


def _inside(first: Step, second: Step) -> tuple[Step, Step]:
    """The two steps as sub-steps of the merged one, the second depending on the first."""
    return (
        first.model_copy(update={"depends_on": ()}),
        second.model_copy(update={"depends_on": (first.id,)}),
    )


def _sentence(first: str | None, second: str | None) -> str | None:
    if first is None or second is None:
        return first or second
    acronym = second[:2].isupper() or second[:2] == "I "
    following = second if acronym else second[:1].lower() + second[1:]
    return f"{first.rstrip(' .')} and then {following}"


def _joined(first: JsonValue, second: JsonValue) -> JsonValue:
    """Both values, as one text or one mapping where that loses nothing, else as a list."""
    if first is None or second is None or first == second:
        return second if first is None else first
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}; {second}"
    if isinstance(first, dict) and isinstance(second, dict) and not first.keys() & second.keys():
        return {**first, **second}
    return [first, second]


Parts = tuple[dict[str, Any], dict[str, Any]]


def _chained(
    trajectory: Trajectory, step: Step, first: dict[str, Any], second: dict[str, Any]
) -> tuple[Step, Step]:
    """The two parts of a step; what came back, and sub-steps, belong to the second."""
    ids = [free_id(trajectory, f"{step.id}.{part}") for part in (1, 2)]
    opened = {"effect": None, "state": None, "substeps": (), **first, "id": ids[0]}
    opening = step.model_copy(update=opened)
    closing = step.model_copy(update={**second, "id": ids[1]})
    return (
        with_flow(opening, [ids[0]], consumed(step)),
        with_flow(closing, produced(step), [ids[0]]),
    )


def _by_action(step: Step) -> Parts | None:
    parts = _halves(step.action, _AND)
    return parts and ({"action": parts[0]}, {"action": parts[1][:1].upper() + parts[1][1:]})


def _by_arguments(step: Step) -> Parts | None:
    parts = _divided(step.arguments)
    return parts and ({"arguments": parts[0]}, {"arguments": parts[1]})


def _by_words(step: Step) -> Parts | None:
    words = (step.action or "").split()
    if len(words) < 4:
        return None
    middle = len(words) // 2
    return {"action": " ".join(words[:middle])}, {"action": " ".join(words[middle:])}


def _divided(arguments: JsonValue) -> tuple[JsonValue, JsonValue] | None:
    if isinstance(arguments, str) and not opens_json(arguments):
        return _halves(arguments, _COMMA)
    if isinstance(arguments, dict) and len(arguments) > 1:
        items = list(arguments.items())
        middle = len(items) // 2
        return dict(items[:middle]), dict(items[middle:])
    return None


def _halves(text: str | None, separator: re.Pattern[str]) -> tuple[str, str] | None:
    match = separator.search(text or "")
    return (text[: match.start()], text[match.end() :]) if text and match else None
