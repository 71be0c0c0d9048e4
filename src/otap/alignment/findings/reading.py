"""A comparison as the rules of findings read it: unmatched steps that repeat, split or merge."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

from pydantic import JsonValue

from otap._caching import cached_property
from otap.alignment.comparison import Comparison
from otap.alignment.findings.attempts import mended_by
from otap.alignment.findings.detours import gone_round
from otap.alignment.matching import outline, same_call
from otap.dependencies.names.renaming import Renaming
from otap.matrices import FIELDS, Value, fields_compared
from otap.trajectory import Step

REPEATED = 0.25  # node cost up to which a second step does the job of the first again


class Reading:
    """What the rules of all findings share of one comparison.

    run, reference: the nodes' steps, all in the names of the reference. matching: the one-to-one
    counterparts. repeats: for each leftover node of the run the one that it repeats, or that made
    up for its failure, or None. given_up: those that failed and that nothing made up for. parts:
    for a node of the reference the leftover nodes of the run that do its job in part. wholes: for a
    node of the run the leftover nodes of the reference whose job it does along with its own.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.run, self.reference = comparison.run.steps, comparison.reference.steps
        self.matching = comparison.matching
        self.repeats = {i: self._repeats(i) for i in self.matching.extra}
        alone = [i for i, first in self.repeats.items() if first is None]
        self.given_up = [i for i in alone if comparison.run.failed[i]]
        self.parts = _grouped(alone, self._part_of)
        self.wholes = _grouped(self.matching.unmet, self.matching.merged_into)

    @cached_property
    def gone_round(self) -> Collection[int]:
        """The missing reads of the reference whose values the run had by other steps."""
        return gone_round(self.comparison)

    @property
    def in_full(self) -> Collection[str]:
        """The roles that count in full against the reference."""
        return self.comparison.problem.recorded[1].in_full

    @property
    def in_full_besides(self) -> Collection[str]:
        """The same of what the run does besides it."""
        return self.comparison.problem.recorded[1].in_full_besides

    def roles(self, i: int, j: int) -> tuple[str, str]:
        """Returns what a step of the run and one of the reference do."""
        return self.comparison.run.roles[i], self.comparison.reference.roles[j]

    @cached_property
    def counterparts(self) -> list[tuple[int, int]]:
        """The pairs of counterparts that are single steps: neither split, merged nor in a union."""
        pairs = sorted(self.matching.reference_of.items())
        return [
            (i, j)
            for i, j in pairs
            if i not in self.wholes and j not in self.parts
            if len(self.comparison.run.parts[i]) == len(self.comparison.reference.parts[j]) == 1
        ]

    @cached_property
    def unions(self) -> Collection[tuple[int, int]]:
        """The pairs of counterparts of which one is a union."""
        return {
            (i, j)
            for i, j in self.matching.reference_of.items()
            if len(self.comparison.run.parts[i]) + len(self.comparison.reference.parts[j]) > 2
        }

    def did(self, i: int) -> list[Step]:
        """Returns the steps that a node of the run consists of, as they were recorded."""
        counted = self.comparison.problem.recorded[0].counted.steps
        return [counted[place] for place in sorted(self.comparison.run.parts[i])]

    @property
    def names(self) -> Renaming:
        """The names of the reference in which the run is compared."""
        return self.comparison.problem.recorded[0].names

    def recorded(self, thing: str) -> JsonValue:
        """Returns how the run calls a thing that both sides name."""
        return self.names.back.data(thing, "id")

    def wanted(self, j: int) -> list[Step]:
        """Returns the steps that a node of the reference consists of."""
        return self.comparison.reference.of(j)

    def cost(self, field: str, i: int, j: int) -> float:
        """Returns what a field adds to the node cost of a pair; 0 where it takes no part.

        Args:
            field: its name.
            i: the node of the run.
            j: the node of the reference.
        """
        costs = self.comparison.problem.costs
        if field not in costs.distances:
            return 0.0
        return costs.weights[field] * float(costs.distances[field][i, j])

    def arguments(self, i: int, j: int) -> tuple[Value, Value]:
        """Returns the arguments of two steps as they are compared.

        Args:
            i: the node of the run.
            j: the node of the reference.
        """
        field = fields_compared("structured")[FIELDS.index("arguments")]
        run, reference = self.comparison.run.read, self.comparison.reference.read
        return run.of(field)[i], reference.of(field)[j]

    def field_share(self, field: str, i: int, j: int) -> float:
        """Returns the share of the loss that a field of a pair accounts for, in [0, 1].

        Args:
            field: its name.
            i: the node of the run.
            j: the node of the reference.
        """
        solution = self.comparison.solution
        return self.share((1 - solution.problem.theta) * self.cost(field, i, j) * solution.T[i, j])

    def share(self, part: float) -> float:
        """Returns a part of the loss as a share of it, in [0, 1]."""
        loss = self.comparison.loss
        return min(1.0, float(part) / loss) if loss > 0 else 0.0

    def _part_of(self, i: int) -> int | None:
        """The step of the reference whose job leftover step i does in part; never if it failed."""
        return None if self.comparison.run.failed[i] else self.matching.part_of(i)

    def _repeats(self, i: int) -> int | None:
        """The step that leftover step i repeats: an equal call, or a counterpart much like it."""
        if self.comparison.run.failed[i]:
            return mended_by(self.comparison, i)
        again = self._same_call(i)
        if again is not None:
            return again
        alike = [
            (self.comparison.cost[i, j], k)
            for k, j in self.matching.reference_of.items()
            if self.run[i].tool == self.run[k].tool and self.comparison.cost[i, j] <= REPEATED
        ]
        return min(alike)[1] if alike else None

    def _same_call(self, i: int) -> int | None:
        """The equal call that came before and worked, or that is a counterpart."""
        for k in self._alike[outline(self.run[i])]:
            did = k in self.matching.reference_of or (k < i and not self.comparison.run.failed[k])
            if k != i and did and same_call(self.run[i], self.run[k]):
                return k
        return None

    @cached_property
    def _alike(self) -> Mapping[Hashable, Sequence[int]]:
        """The steps of the run by what their calls are in outline, in their order."""
        found: dict[Hashable, list[int]] = {}
        for k, step in enumerate(self.run):
            found.setdefault(outline(step), []).append(k)
        return found


def _grouped(nodes: Sequence[int], whole: Callable[[int], int | None]) -> dict[int, list[int]]:
    """The nodes by what they lean on, those that lean on nothing left out."""
    found: dict[int, list[int]] = {}
    for node in nodes:
        on = whole(node)
        if on is not None:
            found.setdefault(on, []).append(node)
    return found
