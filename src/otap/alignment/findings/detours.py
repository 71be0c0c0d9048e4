"""Which reads of the reference a run had no need of: another step had shown what they show."""

from collections import defaultdict
from collections.abc import Sequence

from otap.alignment.comparison import Comparison
from otap.alignment.findings.severity import READS
from otap.dependencies import Edge
from otap.dependencies.content import content
from otap.dependencies.values import specificity
from otap.trajectory import Step


def find_detours(comparison: Comparison) -> frozenset[int]:
    """Returns the missing reads of the reference whose values the run had by other steps.

    All that a later step of the reference has from such a read was shown to the run before it did
    that step; or that step was itself left out in this way.
    """
    problem, run_of = comparison.problem, comparison.run_of
    needed: dict[int, list[Edge]] = defaultdict(list)
    for edge in problem.reference.graph.edges:
        # Evidence without a value says only in which order two steps come.
        if not edge.evidence or _list_flows(edge):
            needed[edge.source].append(edge)
    known, found = _find_first_shown(problem.run.listed), set[int]()
    for j in reversed(problem.reference.graph.order):
        is_read = problem.reference.roles[j] == READS and j not in run_of
        if is_read and needed[j] and all(_had(comparison, e, known, found) for e in needed[j]):
            found.add(j)
    return frozenset(found)


def _list_flows(edge: Edge) -> set[str]:
    values = set()
    for one in edge.evidence:
        if one.source_path.startswith("effect"):
            values.add(one.value)
    return values


def _had(comparison: Comparison, edge: Edge, known: dict[str, int], found: set[int]) -> bool:
    """Whether the run had the values of an edge before it did the later step, or left that out."""
    k = comparison.run_of.get(edge.target)
    if k is None:
        return edge.target in found
    steps = comparison.problem.reference.steps
    values = _list_flows(edge) or _list_handed_on(steps[edge.source], steps[edge.target])
    place = min(comparison.problem.run.parts[k])
    return bool(values) and all(known.get(value, place) < place for value in values)


def _list_handed_on(source: Step, target: Step) -> set[str]:
    """The telling values that one step shows and another uses."""
    used = content(target.arguments).values
    return {value for value in _list_shown(source) & used if specificity(value)}


def _find_first_shown(steps: Sequence[Step]) -> dict[str, int]:
    """For each value the place of the first step that showed it."""
    found: dict[str, int] = {}
    for place, step in enumerate(steps):
        for value in _list_shown(step):
            found.setdefault(value, place)
    return found


def _list_shown(step: Step) -> frozenset[str]:
    """The values in the effect of a step; an echo of its own arguments shows nothing."""
    return content(step.effect).values - content(step.arguments).values
