"""The edits by name, and the families and the ladder of [Barazandeh2026], section 5.

Other words, orders and granularities leave a run valid; the rest is damage.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from pydantic import JsonValue

from otap.perturbation.flow import (
    annotated,
    consumed,
    free_id,
    graph_of,
    listed,
    produced,
    regrouped,
    retraced,
    with_flow,
)
from otap.perturbation.material import Material
from otap.run import DependencyGraph
from otap.run.scalars import opens_json
from otap.trajectory import Step, Trajectory

DRAWS = 50  # random orders tried before two neighbours are exchanged instead
SHARE = 0.8  # of the lexicon's phrases that are replaced
_AND = re.compile(r",?\s+(?:and then|and|then)\s+|;\s+")
_COMMA = re.compile(r",\s+")
Parts = tuple[dict[str, Any], dict[str, Any]]
Ways = Sequence[tuple[str, str | None]]  # a phrase, and how it will be said; None: as it is


def paraphrase_steps(
    trajectory: Trajectory, random: Random, material: Material
) -> Trajectory | None:
    """Replaces phrases by synonyms of the lexicon; None if it knows none of the phrases.

    A share SHARE of the phrases is replaced, each by the same synonym throughout. Only prose
    changes, which is the action unless the material says more; structured data never does.
    Sub-steps keep their words.

    Args:
        trajectory: the run.
        random: draws phrases and synonyms.
        material: its lexicon, and which fields are prose.
    """
    ways = _ways(material.lexicon, random)
    if not ways:
        return None
    # A group for each phrase says which one was found.
    groups = "|".join(f"({re.escape(phrase)})" for phrase, _ in ways)
    pattern = re.compile(rf"(?<!\w)(?:{groups})(?!\w)", re.IGNORECASE)
    steps = tuple(_reworded(step, material.prose, pattern, ways) for step in trajectory.steps)
    return trajectory.model_copy(update={"steps": steps}) if steps != trajectory.steps else None


def _ways(lexicon: Mapping[str, Sequence[str]], random: Random) -> Ways:
    """The phrases, the longest first: 'search for' before 'search'."""
    ways: list[tuple[str, str | None]] = []
    for phrase in sorted(lexicon):
        is_replaced, way = random.random() < SHARE, random.choice(lexicon[phrase])
        ways.append((phrase, way if is_replaced else None))
    return sorted(ways, key=lambda way: (-len(way[0]), way[0]))


def _reworded(step: Step, prose: Sequence[str], pattern: re.Pattern[str], ways: Ways) -> Step:
    before = {name: getattr(step, name) for name in prose}
    after = {name: _paraphrase(text, pattern, ways) for name, text in before.items()}
    changes = {name: text for name, text in after.items() if text != before[name]}
    return step.model_copy(update=changes) if changes else step


def _paraphrase(text: JsonValue, pattern: re.Pattern[str], ways: Ways) -> JsonValue:
    if not isinstance(text, str) or opens_json(text):
        return text

    def other(match: re.Match[str]) -> str:
        phrase, way = ways[(match.lastindex or 1) - 1]
        return match[0] if way is None else _cased(way, phrase, match[0])

    return pattern.sub(other, text)


def _cased(way: str, phrase: str, found: str) -> str:
    """A capital where the phrase had one, and none that only the lexicon's own listing has."""
    if found[:1].isupper():
        return way[:1].upper() + way[1:]
    return way[:1].lower() + way[1:] if phrase[:1].isupper() else way


def reorder_steps(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Lists the steps in another linear extension of the graph; None if there is no other.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the order.
    """
    graph = graph_of(trajectory)
    order = _other_extension(graph, random)
    return listed(trajectory, [trajectory.steps[place] for place in order]) if order else None


def _other_extension(graph: DependencyGraph, random: Random) -> list[int]:
    """A linear extension of the graph that is not the listing order; empty if there is none."""
    listing = list(range(graph.size))
    for _ in range(DRAWS):
        order = random_extension(graph, random)
        if order != listing:
            return order
    for place, (one, other) in enumerate(pairwise(listing)):
        if one not in graph.parents[other]:
            return [*listing[:place], other, one, *listing[place + 2 :]]
    return []


def random_extension(graph: DependencyGraph, random: Random) -> list[int]:
    """Draws a linear extension of the graph, step by step; not uniformly among all of them."""
    waiting = [len(parents) for parents in graph.parents]
    ready = [step for step in range(graph.size) if not waiting[step]]
    order = []
    while ready:
        step = ready.pop(random.randrange(len(ready)))
        order.append(step)
        for child in graph.children[step]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return order


def merge_steps(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Contracts an edge of the transitive reduction to one step; None if there is no edge.

    The merged step does, needs and makes what both did; its tool is that of the second, which made
    the result.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the edge.
    """
    graph = graph_of(trajectory)
    needed = {*graph.reduction}
    edges = ((edge.source, edge.target) for edge in graph.edges)
    pairs = [edge for edge in edges if edge in needed]
    if not pairs:
        return None
    return regrouped(trajectory, *_merged_pair(trajectory, *random.choice(pairs)))


def split_step(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
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
        "substeps": (),
    }
    if first.substeps or second.substeps:
        inside = first.model_copy(update={"depends_on": ()})
        both["substeps"] = inside, second.model_copy(update={"depends_on": (first.id,)})
    made = [*produced(first), *produced(second)]
    needed = [name for name in consumed(second) if name not in produced(first)]
    step = with_flow(second.model_copy(update=both), made, [*consumed(first), *needed])
    return (first.id, second.id), (step,)


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
    arguments = step.arguments
    if isinstance(arguments, dict) and len(arguments) > 1:
        items, middle = list(arguments.items()), len(arguments) // 2
        return {"arguments": dict(items[:middle])}, {"arguments": dict(items[middle:])}
    if not isinstance(arguments, str) or opens_json(arguments):
        return None
    parts = _halves(arguments, _COMMA)
    return parts and ({"arguments": parts[0]}, {"arguments": parts[1]})


def _by_words(step: Step) -> Parts | None:
    words = (step.action or "").split()
    middle = len(words) // 2
    if middle < 2:
        return None
    return {"action": " ".join(words[:middle])}, {"action": " ".join(words[middle:])}


def _halves(text: str | None, separator: re.Pattern[str]) -> tuple[str, str] | None:
    match = separator.search(text or "")
    return (text[: match.start()], text[match.end() :]) if text and match else None


def invert_edge(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Exchanges the two ends of an edge, against the dependency; None if there is no edge.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the edge.
    """
    edges = [edge for edge in graph_of(trajectory).edges if edge.source < edge.target]
    if not edges:
        return None
    edge, steps = random.choice(edges), list(trajectory.steps)
    steps[edge.source], steps[edge.target] = steps[edge.target], steps[edge.source]
    return listed(trajectory, steps)


def delete_step(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Deletes a step that another needed, any step if there is none; None below two steps.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step.
    """
    if len(trajectory.steps) < 2:
        return None
    graph = graph_of(trajectory)
    critical = [step for step in range(graph.size) if graph.children[step]]
    lost = random.choice(critical or range(graph.size))
    return listed(trajectory, [s for k, s in enumerate(trajectory.steps) if k != lost])


def insert_distractor(
    trajectory: Trajectory, random: Random, material: Material
) -> Trajectory | None:
    """Inserts a step that has nothing to do with the task; None if no distractor is left.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step and its place.
        material: its distractors.
    """
    told = {(step.action, step.tool) for step in trajectory.steps}
    left = [step for step in material.distractors if (step.action, step.tool) not in told]
    if not left:
        return None
    name = free_id(trajectory, f"extra-{len(trajectory.steps) + 1}")
    extra = with_flow(random.choice(left).model_copy(update={"id": name}), [], [])
    place = random.randint(0, len(trajectory.steps))
    return listed(trajectory, [*trajectory.steps[:place], extra, *trajectory.steps[place:]])


def exchange_tool(trajectory: Trajectory, random: Random, material: Material) -> Trajectory | None:
    """Gives one step a tool that cannot do its work; None if there is no other tool.

    The step then makes nothing, so no later step can depend on it.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step and its tool.
        material: its tools.
    """
    called = [k for k, step in enumerate(trajectory.steps) if step.tool is not None]
    tools = set(material.tools or [trajectory.steps[k].tool or "" for k in called])
    called = [k for k in called if tools - {trajectory.steps[k].tool}]
    if not called:
        return None
    place = random.choice(called)
    step = trajectory.steps[place]
    other = random.choice(sorted(tools - {step.tool or ""}))
    wrong = with_flow(step.model_copy(update={"tool": other}), [], consumed(step))
    return listed(trajectory, [*trajectory.steps[:place], wrong, *trajectory.steps[place + 1 :]])


Edit = Callable[[Trajectory, Random, Material], Trajectory | None]
EDITS: Mapping[str, Edit] = {
    "paraphrase": paraphrase_steps,
    "reorder": reorder_steps,
    "merge": merge_steps,
    "split": split_step,
    "invert": invert_edge,
    "delete": delete_step,
    "distract": insert_distractor,
    "mistool": exchange_tool,
}
# Each line of a family is one way to make its edit. P1 to P3 leave a run valid, P4 and P5 break it.
FAMILIES: Mapping[str, Sequence[Sequence[str]]] = {
    "P1": (("paraphrase",),),
    "P2": (("reorder",),),
    "P3": (("merge",), ("split",)),
    "P4": (("invert",),),
    "P5": (
        ("delete",),
        ("distract",),
        ("distract", "distract"),
        ("distract", "distract", "distract"),
        ("mistool",),
        ("delete", "distract"),
        ("mistool", "distract"),
        ("delete", "mistool"),
    ),
}
# Best first. Each level adds one edit to the one above it; the last combines them all.
LADDER: Mapping[str, Sequence[str]] = {
    "Q5": ("paraphrase", "reorder"),
    "Q4": ("paraphrase", "reorder", "invert"),
    "Q3": ("paraphrase", "reorder", "invert", "invert"),
    "Q2": ("paraphrase", "reorder", "invert", "invert", "delete"),
    "Q1": ("paraphrase", "reorder", "delete", "distract", "mistool", "invert"),
}


def perturb(
    trajectory: Trajectory,
    graph: DependencyGraph,
    edits: Sequence[str],
    seed: int | str,
    material: Material | None = None,
) -> Trajectory | None:
    """Returns the trajectory after some edits, one after the other; None if none could be done.

    A pure function of its arguments. The result records in ``depends_on`` what its own order still
    allows (:func:`otap.perturbation.flow.retraced`). An edit for which the trajectory has no place,
    as another order of a chain, is left out.

    Args:
        trajectory: a known-good run.
        graph: what each of its steps needs.
        edits: names of EDITS, in the order in which they are made.
        seed: of all random choices; the same seed gives the same result.
        material: what edits take from outside; None: the defaults of Material.

    Raises:
        ValueError: for an edit that there is not.
        DependencyError: if the graph is not of this trajectory.
    """
    random = Random(f"{seed}")
    found = retraced(annotated(trajectory, graph))
    done = False
    for name in edits:
        if name not in EDITS:
            raise ValueError(f"no edit '{name}'; there are {', '.join(EDITS)}")
        edited = EDITS[name](found, random, material or Material())
        found, done = edited or found, done or edited is not None
    return found if done else None
