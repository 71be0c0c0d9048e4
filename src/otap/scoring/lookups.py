"""Other look-ups that show the values that the look-ups of a reference showed.

They count only where the reference changes nothing: its look-ups are then the work itself. The
evidence is in the results of the calls. A value that a call was given itself is no evidence.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from otap.run.index import ValueIndex
from otap.run.scalars import specificity

LEAST_SHOWN = 0.5  # the share of a result's values that must be shown
MAX_PAIRS = 5_000  # pairs of look-ups that are compared
MAX_PARTS = 8  # look-ups that together show one result
MAX_VALUES = 1_000  # a result with more values is no evidence

Values = Mapping[int, frozenset[str]]


class LookUp(NamedTuple):
    """Look-ups of the run that show the values of look-ups of the reference.

    Attributes:
        run: their indices.
        reference: the indices of those of the reference; one side has one.
        share: the share of the reference's values that they show.
    """

    run: tuple[int, ...]
    reference: tuple[int, ...]
    share: float


def list_shown(index: ValueIndex, nodes: Mapping[int, int]) -> Values:
    """Returns the specific values that the result of each node shows, without its arguments.

    Args:
        index: the values of the steps.
        nodes: the index of the step of each node.
    """
    shown = {}
    for node, step in nodes.items():
        values = index.steps[step]
        if len(values.effect.values) <= MAX_VALUES:
            results = values.effect.values - values.arguments.values
            specific = [value for value in results if _is_evidence(value)]
            shown[node] = frozenset(specific or results)
    return shown


def _is_evidence(value: str) -> bool:
    """Whether a value is more than a word or a small number."""
    return specificity(value) > 0 or not value.replace("_", "").isalnum()


def shows_same(run: ValueIndex, reference: ValueIndex) -> bool:
    """Returns whether a result of a run shows a value of a result of a reference."""
    shown, expected = (
        set[str]().union(*(step.effect.values for step in index.steps))
        for index in (run, reference)
    )
    return not shown.isdisjoint(expected)


def list_given(index: ValueIndex, nodes: Mapping[int, int]) -> Values:
    """Returns the values in the arguments of each node."""
    return {node: frozenset(index.steps[step].arguments.values) for node, step in nodes.items()}


def find_lookups(run: Values, arguments: Values, reference: Values) -> Iterator[LookUp]:
    """Yields the look-ups of a run that show the values of look-ups of a reference; each once.

    Args:
        run: the values that each look-up of the run shows.
        arguments: the values in its arguments.
        reference: the values that each look-up of the reference shows.
    """
    unused = {i: values for i, values in run.items() if values}
    unmet = {j: values for j, values in reference.items() if values}
    if len(unused) * len(unmet) > MAX_PAIRS:
        return
    covered = {
        i: {j for j in unmet if _is_shown(unmet[j], shown, arguments[i])}
        for i, shown in unused.items()
    }
    while any(covered.values()):  # the look-up that shows most results in full
        i = max(covered, key=lambda i: (len(covered[i]), -i))
        nodes = covered.pop(i)
        yield LookUp((i,), tuple(sorted(nodes)), 1.0)
        del unused[i]
        unmet = {j: values for j, values in unmet.items() if j not in nodes}
        covered = {k: others - nodes for k, others in covered.items()}
    for j, values in unmet.items():
        parts, shown = _cover(values, unused)
        used = frozenset[str]().union(*(arguments[i] for i in parts))
        share = 1.0 if _is_shown(values, shown, used) else len(values & shown) / len(values)
        if parts and share >= LEAST_SHOWN:
            yield LookUp(tuple(parts), (j,), share)
            unused = {i: shown for i, shown in unused.items() if i not in parts}


def _is_shown(values: frozenset[str], shown: frozenset[str], arguments: frozenset[str]) -> bool:
    """Whether all values were shown that were not given, and at least one."""
    return not values.isdisjoint(shown) and values <= shown | arguments


def _cover(values: frozenset[str], shown: Values) -> tuple[list[int], frozenset[str]]:
    """The look-ups that together show as many of some values as possible, and these values."""
    nodes, covered = list[int](), frozenset[str]()
    while len(nodes) < MAX_PARTS:
        missing = values - covered
        best = max(shown, key=lambda i: (len(shown[i] & missing), -i), default=None)
        if best is None or not shown[best] & missing:
            break
        nodes.append(best)
        covered |= shown[best] & values
    return sorted(nodes), covered
