"""Which reads of the reference a run had no need of: another step had shown what they show."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from otap.alignment.findings import severity
from otap.dependencies import Edge
from otap.dependencies.content import content, values_of
from otap.dependencies.specificity import specificity
from otap.trajectory import Step

if TYPE_CHECKING:
    from otap.alignment.comparison import Comparison


def gone_round(comparison: "Comparison") -> frozenset[int]:
    """Returns the missing reads of the reference whose values the run had by other steps.

    All that a later step of the reference has from such a read was shown to the run before it did
    that step; or that step was gone round in its turn.
    """
    reference, run_of = comparison.reference, comparison.matching.run_of
    needed: dict[int, list[Edge]] = defaultdict(list)
    for edge in reference.graph.edges:
        if not _orders(edge):
            needed[edge.source].append(edge)
    shown, found = _first_shown(comparison.run.listed), set[int]()
    for j in reversed(reference.graph.order):
        reads = reference.roles[j] == severity.READS and j not in run_of
        if reads and needed[j] and all(_had(comparison, edge, shown, found) for edge in needed[j]):
            found.add(j)
    return frozenset(found)


def _orders(edge: Edge) -> bool:
    """Whether an edge says in which order two steps come, and not what one has from the other."""
    return bool(edge.evidence) and not _by_flow(edge)


def _by_flow(edge: Edge) -> set[str]:
    return {one.value for one in edge.evidence if one.source_path.startswith("effect")}


def _had(comparison: "Comparison", edge: Edge, shown: dict[str, int], found: set[int]) -> bool:
    """Whether the run had the values of an edge before it did the later step, or went round it."""
    k = comparison.matching.run_of.get(edge.target)
    if k is None:
        return edge.target in found
    steps = comparison.reference.steps
    values = _by_flow(edge) or _handed_on(steps[edge.source], steps[edge.target])
    place = min(comparison.run.parts[k])
    return bool(values) and all(shown.get(value, place) < place for value in values)


def _handed_on(source: Step, target: Step) -> set[str]:
    """The telling values that one step shows and another uses."""
    used = content(target.arguments).read(values_of)
    return {value for value in _values_shown(source) & used if specificity(value)}


def _first_shown(steps: Sequence[Step]) -> dict[str, int]:
    """For each value the place of the first step that showed it."""
    found: dict[str, int] = {}
    for place, step in enumerate(steps):
        for value in _values_shown(step):
            found.setdefault(value, place)
    return found


def _values_shown(step: Step) -> frozenset[str]:
    """The values in the effect of a step; an echo of its own arguments shows nothing."""
    return content(step.effect).read(values_of) - content(step.arguments).read(values_of)
