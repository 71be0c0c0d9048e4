"""The edits by name, and the families and the ladder of [Barazandeh2026], section 5.

Edits of wording, order and granularity leave a run valid; all others damage it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from pydantic import JsonValue

from examples.perturbation.flow import (
    annotated,
    consumed,
    graph_of,
    produced,
    regrouped,
    retraced,
    unused_id,
    with_flow,
    with_steps,
)
from examples.perturbation.material import Material
from otap.graph import DependencyGraph
from otap.trajectory import Step, Trajectory

MAX_DRAWS = 50  # random orders that are tried before two neighbours are exchanged instead
REPLACED_SHARE = 0.8  # probability that a phrase of the lexicon is replaced
_AND = re.compile(r",?\s+(?:and then|and|then)\s+|;\s+")
_COMMA = re.compile(r",\s+")
Parts = tuple[dict[str, Any], dict[str, Any]]  # the changed fields of the parts of a step
Replacements = Sequence[tuple[str, str | None]]  # a phrase and its synonym; None: it stays


def paraphrase_steps(
    trajectory: Trajectory, random: Random, material: Material
) -> Trajectory | None:
    """Replaces phrases by synonyms of the lexicon; None if nothing changes.

    A phrase is replaced with probability REPLACED_SHARE, everywhere by the same synonym. Only the
    prose fields of the material change, and no JSON in them. Sub-steps keep their wording.

    Args:
        trajectory: the run.
        random: draws phrases and synonyms.
        material: has the lexicon and the prose fields.
    """
    replacements = _draw_replacements(material.lexicon, random)
    if not replacements:
        return None
    # The number of the matching group is the index of the phrase.
    groups = "|".join(f"({re.escape(phrase)})" for phrase, _ in replacements)
    pattern = re.compile(rf"(?<!\w)(?:{groups})(?!\w)", re.IGNORECASE)
    steps = tuple(
        _reword_step(step, material.prose, pattern, replacements) for step in trajectory.steps
    )
    return trajectory.model_copy(update={"steps": steps}) if steps != trajectory.steps else None


def _draw_replacements(lexicon: Mapping[str, Sequence[str]], random: Random) -> Replacements:
    """Returns the phrases with their synonyms, longer phrases first ('search for', 'search')."""
    replacements: list[tuple[str, str | None]] = []
    for phrase in sorted(lexicon):
        is_replaced = random.random() < REPLACED_SHARE
        synonym = random.choice(lexicon[phrase])
        replacements.append((phrase, synonym if is_replaced else None))
    return sorted(replacements, key=lambda pair: (-len(pair[0]), pair[0]))


def _reword_step(
    step: Step, prose: Sequence[str], pattern: re.Pattern[str], replacements: Replacements
) -> Step:
    changes = {}
    for name in prose:
        text = getattr(step, name)
        reworded = _reword_text(text, pattern, replacements)
        if reworded != text:
            changes[name] = reworded
    return step.model_copy(update=changes) if changes else step


def _reword_text(
    text: JsonValue, pattern: re.Pattern[str], replacements: Replacements
) -> JsonValue:
    if not isinstance(text, str) or _opens_json(text):
        return text

    def replace(match: re.Match[str]) -> str:
        phrase, synonym = replacements[(match.lastindex or 1) - 1]
        return match[0] if synonym is None else _match_case(synonym, phrase, match[0])

    return pattern.sub(replace, text)


def _opens_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _match_case(synonym: str, phrase: str, occurrence: str) -> str:
    """Capitalises a synonym as in the text; a capital of the lexicon entry alone is dropped."""
    if occurrence[:1].isupper():
        return synonym[:1].upper() + synonym[1:]
    return synonym[:1].lower() + synonym[1:] if phrase[:1].isupper() else synonym


def reorder_steps(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Lists the steps in another linear extension of the graph; None if there is no other.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the order.
    """
    graph = graph_of(trajectory)
    order = _draw_other_order(graph, random)
    return with_steps(trajectory, [trajectory.steps[index] for index in order]) if order else None


def _draw_other_order(graph: DependencyGraph, random: Random) -> list[int]:
    """Draws a linear extension of the graph other than 0, 1, 2, ...; empty if there is none."""
    original = list(range(graph.size))
    for _ in range(MAX_DRAWS):
        order = random_extension(graph, random)
        if order != original:
            return order
    for first, second in pairwise(original):
        if first not in graph.parents[second]:
            return [*original[:first], second, first, *original[second + 1 :]]
    return []


def random_extension(graph: DependencyGraph, random: Random) -> list[int]:
    """Draws a linear extension of the graph step by step, which is not uniform."""
    open_parents = [len(parents) for parents in graph.parents]
    ready = [step for step in range(graph.size) if not open_parents[step]]
    order = []
    while ready:
        step = ready.pop(random.randrange(len(ready)))
        order.append(step)
        for child in graph.children[step]:
            open_parents[child] -= 1
            if not open_parents[child]:
                ready.append(child)
    return order


def merge_steps(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Contracts an edge of the transitive reduction to one step; None if there is no edge.

    The merged step has the actions, arguments and artifacts of both. It calls the tool of the
    second, which produced the result.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the edge.
    """
    graph = graph_of(trajectory)
    reduction = {*graph.reduction}
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    pairs = [pair for pair in pairs if pair in reduction]
    if not pairs:
        return None
    return regrouped(trajectory, *_merge_pair(trajectory, *random.choice(pairs)))


def split_step(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Splits one step into a chain of two; None if no step can be split.

    The first kind of step that exists is split: one whose action names two things ("search and
    book"), one with several arguments, one whose action has four words or more. The second part
    depends on the first.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step.
    """
    for split in (_split_by_action, _split_by_arguments, _split_by_words):
        splits = [(step, split(step)) for step in trajectory.steps]
        candidates = [(step, parts) for step, parts in splits if parts]
        if candidates:
            step, parts = random.choice(candidates)
            return regrouped(trajectory, (step.id,), _make_chain(trajectory, step, *parts))
    return None


def _merge_pair(
    trajectory: Trajectory, source: int, target: int
) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    first, second = trajectory.steps[source], trajectory.steps[target]
    fields: dict[str, Any] = {
        "id": unused_id(trajectory, f"{first.id}+{second.id}"),
        "kind": "tool" if "tool" in (first.kind, second.kind) else "reasoning",
        "action": _join_sentences(first.action, second.action),
        "tool": second.tool or first.tool,
        "arguments": _join_values(first.arguments, second.arguments),
        "effect": _join_values(first.effect, second.effect),
        "substeps": (),
    }
    if first.substeps or second.substeps:
        fields["substeps"] = (
            first.model_copy(update={"depends_on": ()}),
            second.model_copy(update={"depends_on": (first.id,)}),
        )
    consumes = [name for name in consumed(second) if name not in produced(first)]
    step = with_flow(
        second.model_copy(update=fields),
        [*produced(first), *produced(second)],
        [*consumed(first), *consumes],
    )
    return (first.id, second.id), (step,)


def _join_sentences(first: str | None, second: str | None) -> str | None:
    if first is None or second is None:
        return first or second
    keeps_capital = second[:2].isupper() or second[:2] == "I "
    following = second if keeps_capital else second[:1].lower() + second[1:]
    return f"{first.rstrip(' .')} and then {following}"


def _join_values(first: JsonValue, second: JsonValue) -> JsonValue:
    """Joins two values to one text or object if nothing is lost, else to a list."""
    if first is None or second is None or first == second:
        return second if first is None else first
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}; {second}"
    if isinstance(first, dict) and isinstance(second, dict) and not first.keys() & second.keys():
        return {**first, **second}
    return [first, second]


def _make_chain(
    trajectory: Trajectory, step: Step, first: dict[str, Any], second: dict[str, Any]
) -> tuple[Step, Step]:
    """Returns the two parts of a step; the second keeps the result and the sub-steps."""
    ids = [unused_id(trajectory, f"{step.id}.{part}") for part in (1, 2)]
    first = {"effect": None, "state": None, "substeps": (), **first, "id": ids[0]}
    second = {**second, "id": ids[1]}
    return (
        with_flow(step.model_copy(update=first), [ids[0]], consumed(step)),
        with_flow(step.model_copy(update=second), produced(step), [ids[0]]),
    )


def _split_by_action(step: Step) -> Parts | None:
    parts = _split_text(step.action, _AND)
    return parts and ({"action": parts[0]}, {"action": parts[1][:1].upper() + parts[1][1:]})


def _split_by_arguments(step: Step) -> Parts | None:
    arguments = step.arguments
    if isinstance(arguments, dict) and len(arguments) > 1:
        names = list(arguments)
        middle = len(names) // 2
        first = {name: arguments[name] for name in names[:middle]}
        second = {name: arguments[name] for name in names[middle:]}
        return {"arguments": first}, {"arguments": second}
    if not isinstance(arguments, str) or _opens_json(arguments):
        return None
    parts = _split_text(arguments, _COMMA)
    return parts and ({"arguments": parts[0]}, {"arguments": parts[1]})


def _split_by_words(step: Step) -> Parts | None:
    words = (step.action or "").split()
    middle = len(words) // 2
    if middle < 2:
        return None
    return {"action": " ".join(words[:middle])}, {"action": " ".join(words[middle:])}


def _split_text(text: str | None, separator: re.Pattern[str]) -> tuple[str, str] | None:
    match = separator.search(text or "")
    return (text[: match.start()], text[match.end() :]) if text and match else None


def invert_edge(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Swaps the two steps of an edge, against the dependency; None if there is no edge.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the edge.
    """
    edges = [edge for edge in graph_of(trajectory).edges if edge.source < edge.target]
    if not edges:
        return None
    edge = random.choice(edges)
    steps = list(trajectory.steps)
    steps[edge.source], steps[edge.target] = steps[edge.target], steps[edge.source]
    return with_steps(trajectory, steps)


def delete_step(trajectory: Trajectory, random: Random, _: Material) -> Trajectory | None:
    """Deletes a step that another depends on, else any step; None below two steps.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step.
    """
    if len(trajectory.steps) < 2:
        return None
    graph = graph_of(trajectory)
    required = [index for index in range(graph.size) if graph.children[index]]
    deleted = random.choice(required or range(graph.size))
    return with_steps(trajectory, [*trajectory.steps[:deleted], *trajectory.steps[deleted + 1 :]])


def insert_distractor(
    trajectory: Trajectory, random: Random, material: Material
) -> Trajectory | None:
    """Inserts a step that is unrelated to the task; None if no distractor is left.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step and its position.
        material: has the distractors.
    """
    used = {(step.action, step.tool) for step in trajectory.steps}
    unused = [step for step in material.distractors if (step.action, step.tool) not in used]
    if not unused:
        return None
    step_id = unused_id(trajectory, f"extra-{len(trajectory.steps) + 1}")
    extra = with_flow(random.choice(unused).model_copy(update={"id": step_id}), [], [])
    index = random.randint(0, len(trajectory.steps))
    return with_steps(trajectory, [*trajectory.steps[:index], extra, *trajectory.steps[index:]])


def exchange_tool(trajectory: Trajectory, random: Random, material: Material) -> Trajectory | None:
    """Gives one step a wrong tool; None if there is no other tool.

    The step then produces nothing, so no later step can depend on it.

    Args:
        trajectory: the run, with the artifacts of each step.
        random: draws the step and its tool.
        material: has the tools.
    """
    calls = [index for index, step in enumerate(trajectory.steps) if step.tool is not None]
    tools = set(material.tools or [trajectory.steps[index].tool or "" for index in calls])
    calls = [index for index in calls if tools - {trajectory.steps[index].tool}]
    if not calls:
        return None
    index = random.choice(calls)
    step = trajectory.steps[index]
    tool = random.choice(sorted(tools - {step.tool or ""}))
    wrong = with_flow(step.model_copy(update={"tool": tool}), [], consumed(step))
    return with_steps(
        trajectory, [*trajectory.steps[:index], wrong, *trajectory.steps[index + 1 :]]
    )


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
# Each line of a family is one way to edit a run. P1 to P3 leave it valid, P4 and P5 damage it.
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
# Best level first. Each level adds one edit to the one above it; the last combines all.
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
    """Applies edits to a trajectory, one after the other; None if none was possible.

    This is a pure function. ``depends_on`` of the result has the dependencies that its order still
    allows (``retraced``). Edits that are impossible, such as another order of a chain, are skipped.

    Args:
        trajectory: a known-good run.
        graph: the dependencies between its steps.
        edits: names of EDITS, in the order of application.
        seed: of all random choices; the same seed gives the same result.
        material: synonyms, distractors and tools; None: the defaults of Material.

    Raises:
        ValueError: for an unknown edit.
        DependencyError: if the graph is not of this trajectory.
    """
    random = Random(f"{seed}")
    material = material or Material()
    current = retraced(annotated(trajectory, graph))
    is_edited = False
    for name in edits:
        if name not in EDITS:
            raise ValueError(f"no edit is called '{name}'; there are {', '.join(EDITS)}")
        edited = EDITS[name](current, random, material)
        if edited is not None:
            current = edited
            is_edited = True
    return current if is_edited else None
