"""Which step stands for which, one to one, and which steps share a counterpart."""

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap._caching import cached_property
from otap.alignment.shares import MATCHED, ROUNDING
from otap.trajectory import Step

if TYPE_CHECKING:
    from otap.alignment.comparison import Comparison

Array = npt.NDArray[np.float64]


class Matching:
    """The one-to-one counterparts of a comparison, and the unmatched steps.

    An unmatched step leans on the step of the other side that most of its mass flows to.

    Args:
        comparison: the problem, with its solution.
        counterparts: pairs of a step of the run and one of the reference, each step once.
    """

    def __init__(self, comparison: "Comparison", counterparts: Iterable[tuple[int, int]]) -> None:
        self.comparison = comparison
        self.reference_of: dict[int, int] = dict(counterparts)
        self.run_of = {j: i for i, j in self.reference_of.items()}

    @cached_property
    def extra(self) -> list[int]:
        """Steps of the run without a counterpart, in order."""
        return [i for i in range(len(self.comparison.run.steps)) if i not in self.reference_of]

    @cached_property
    def unmet(self) -> list[int]:
        """Steps of the reference without a counterpart, in order."""
        return [j for j in range(len(self.comparison.reference.steps)) if j not in self.run_of]

    def merged_into(self, j: int) -> int | None:
        """The step of the run that unmatched reference step j was merged into, if there is one.

        Most of the mass of j flows to it. Where arguments are recorded, it has one of j's that its
        own counterpart lacks.
        """
        steps, reference = self.comparison.run.steps, self.comparison.reference.steps
        i = self._leans_on(self.comparison.solution.T[:, j], self.comparison.cost[:, j])
        if i is None or i not in self.reference_of:
            return None
        return i if _adds(reference[j], reference[self.reference_of[i]], steps[i]) else None

    def part_of(self, i: int) -> int | None:
        """The reference step that unmatched run step i is a part of, if there is one.

        Most of the mass of i flows to it. Where arguments are recorded, i has one of its arguments
        that its counterpart lacks.
        """
        steps, reference = self.comparison.run.steps, self.comparison.reference.steps
        j = self._leans_on(self.comparison.solution.T[i], self.comparison.cost[i])
        if j is None or j not in self.run_of:
            return None
        return j if _adds(steps[i], steps[self.run_of[j]], reference[j]) else None

    @staticmethod
    def _leans_on(flow: Array, cost: Array) -> int | None:
        """The step that at least half of the flow goes to, if it costs at most MATCHED."""
        main = int(flow.argmax())
        most = flow[main] >= flow.sum() / 2 and flow[main] > 0
        return main if most and cost[main] <= MATCHED + ROUNDING else None


def same_call(step: Step, other: Step) -> bool:
    """Whether two steps call the same tool with the same arguments."""
    same_tool = step.tool is not None and step.tool == other.tool
    return same_tool and step.arguments == other.arguments


def outline(step: Step) -> Hashable:
    """Returns what is equal for equal calls: the tool, and the arguments without what is nested."""
    if not isinstance(step.arguments, dict):
        return step.tool, _shallow(step.arguments)
    return step.tool, frozenset((key, _shallow(value)) for key, value in step.arguments.items())


def _shallow(data: JsonValue) -> Hashable:
    return type(data) if isinstance(data, dict | list) else data


def _adds(part: Step, known: Step, whole: Step) -> bool:
    """Whether ``whole`` has something of ``part`` that ``known`` does not have.

    Arguments tell, where both parts record some; otherwise the flow of mass has to do.
    """
    if not part.arguments or not known.arguments:
        return True
    new = leaf_values(part.arguments) - leaf_values(known.arguments)
    return bool(new & leaf_values(whole.arguments))


def leaf_values(data: JsonValue) -> set[str]:
    """Returns the leaves of ``data``, each under the key that holds it."""
    return {f"{key}={value}" for key, value in leaf_items(data)}


def leaf_items(data: JsonValue, key: str = "") -> Iterator[tuple[str, str]]:
    """Yields (path of keys, text) of each leaf; the members of a list share its path."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from leaf_items(value, f"{key}.{name}" if key else name)
    elif isinstance(data, list):
        for value in data:
            yield from leaf_items(value, key)
    elif data is not None:
        yield key, str(data)
