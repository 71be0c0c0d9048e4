"""The same work in fewer or in more steps."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import JsonValue

from otap.dependencies import DependencyGraph, Edge
from otap.errors import DependencyError, shown
from otap.perturbation.flow import consumed, produced, with_flow
from otap.perturbation.material import Material
from otap.perturbation.order import free_id, graph_of, listed
from otap.trajectory import Step, Trajectory

_AND = re.compile(r",?\s+(?:and then|and|then)\s+|;\s+")
_COMMA = re.compile(r",\s+")


def merged(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """One step instead of two of which one needed the other; None without such a pair.

    No third step lies between the two in the graph. The merged step does, needs and makes what
    both did; its tool is that of the second, which made the result.
    """
    graph = graph_of(trajectory)
    pairs = [(e.source, e.target) for e in graph.edges if not _between(graph, e.source, e.target)]
    if not pairs:
        return None
    return regrouped(trajectory, *_merged_pair(trajectory, *random.choice(pairs)))


def split(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Two chained steps instead of one; None if no step can be told in two parts.

    A step whose action names two things is split there, if there is one; else one whose arguments,
    and else one whose action has several parts. The second part needs the first.
    """
    for parts_of in (_by_action, _by_arguments, _by_words):
        found = [(step, parts) for step in trajectory.steps if (parts := parts_of(step))]
        if found:
            step, (first, second) = random.choice(found)
            return regrouped(trajectory, (step.id,), _chained(trajectory, step, first, second))
    return None


def regrouped(trajectory: Trajectory, replaced: Sequence[str], steps: Sequence[Step]) -> Trajectory:
    """The trajectory with other steps for some; everything stays after what it needs.

    Raises:
        DependencyError: if a step that stays lies between those that are replaced, or one of them
            is no step of the trajectory.
    """
    graph = graph_of(trajectory)
    unknown = set(replaced) - {step.id for step in trajectory.steps}
    if unknown or not replaced:
        raise DependencyError(
            f"{shown(trajectory.name)}: no step {shown(', '.join(sorted(unknown)) or 'to replace')}"
        )
    group = min(k for k, step in enumerate(trajectory.steps) if step.id in replaced)
    nodes = [group if s.id in replaced else k for k, s in enumerate(trajectory.steps)]
    edges = {(nodes[edge.source], nodes[edge.target]) for edge in graph.edges}
    inside = sorted(edge for edge in edges if edge[0] != edge[1])
    quotient = DependencyGraph(graph.size, tuple(Edge(*edge) for edge in inside), graph.mechanism)
    if len(quotient.order) < graph.size:
        raise DependencyError(
            f"steps {shown(', '.join(replaced))} cannot become one: another step needs one of them "
            "and is needed by the other"
        )
    order: list[Step] = []
    for place in quotient.order:
        if nodes[place] == place:
            order += steps if place == group else [trajectory.steps[place]]
    return listed(trajectory, order)


def _between(graph: DependencyGraph, source: int, target: int) -> bool:
    """Whether a path leads from source to target through another step."""
    seen: set[int] = set()
    stack = [child for child in graph.children[source] if child != target]
    while stack:
        step = stack.pop()
        if step == target:
            return True
        if step not in seen:
            seen.add(step)
            stack.extend(graph.children[step])
    return False


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
    """Where one has sub-steps, the merged step consists of the two."""
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
    """Both, as one text or one mapping where that loses nothing, else as a list."""
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
    """What came back, and sub-steps, belong to the second part."""
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
    if isinstance(arguments, str) and arguments.lstrip()[:1] not in ("{", "["):
        return _halves(arguments, _COMMA)
    if isinstance(arguments, dict) and len(arguments) > 1:
        items = list(arguments.items())
        middle = len(items) // 2
        return dict(items[:middle]), dict(items[middle:])
    return None


def _halves(text: str | None, separator: re.Pattern[str]) -> tuple[str, str] | None:
    match = separator.search(text or "")
    return (text[: match.start()], text[match.end() :]) if text and match else None
