"""What a person should look at first: each departure from the reference as one sentence.

The rules, one a kind, and their constants (MATCHED and FLOW are in :mod:`otap.alignment.matching`):

missing     a reference step without a counterpart that no step of the run does along with its own
invented    a step of the run without a counterpart that neither repeats nor splits anything
reversed    counterparts of a reference edge of which the later ran before the earlier
broken      counterparts of a reference edge without a path between them in the run
ungrounded  a telling argument of the run that nothing before it showed (:mod:`otap.dependencies.
            grounding`), the first use of its value; not where the reference uses that value
            without a ground too, nor where its counterpart makes the same argument up
tool        counterparts that call different tools, neither of them split nor merged
arguments   counterparts that call the same tool with other values, neither of them split nor
            merged; rewording does not count
repeated    a leftover step that calls the same tool with the same arguments as another step, or as
            the counterpart of a reference step from which it differs by at most REPEATED
split       steps of the run whose union stands for a step of the reference; or leftover steps whose
            mass flows to a reference step that has a counterpart, and of which each adds something
merged      the same with the sides exchanged

``share`` is the part of the loss that the steps or the edge account for, in [0, 1]; None for what
is no part of the loss. Shares of different findings may overlap: a missing step also breaks what
depended on it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pydantic import BaseModel, ConfigDict

from otap.alignment.arguments import SHOWN, Change, changes
from otap.alignment.comparison import Comparison
from otap.alignment.matching import Matching, same_call
from otap.dependencies.grounding import Ungrounded
from otap.errors import shown
from otap.trajectory import Step, Trajectory

REPEATED = 0.25  # node cost up to which a second step does the job of the first again
NAMED_CHANGES = 3  # changed arguments that a sentence names

KINDS = (
    "missing", "invented", "reversed", "broken", "ungrounded", "tool", "arguments", "repeated",
    "split", "merged",
)  # fmt: skip


class Finding(BaseModel):
    """One departure from the reference; ``agent`` and ``reference`` are step ids."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    agent: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    critical: bool = False
    share: float | None
    sentence: str


def find(comparison: Comparison) -> tuple[Finding, ...]:
    """Returns the findings of a comparison, the most important first.

    Missing critical steps lead; then by kind, in the order of KINDS; then by share of the loss.
    """
    reader = _Reader(comparison)
    found = [finding for rule in reader.rules for finding in rule()]
    return tuple(
        sorted(found, key=lambda f: (not f.critical, KINDS.index(f.kind), -round(f.share or 0, 9)))
    )


def find_without_coupling(run: Trajectory, reference: Trajectory) -> tuple[Finding, ...]:
    """Returns the findings where a side has no steps: all steps of the other are left over."""
    share = 1.0 / max(1, len(run.steps) + len(reference.steps))
    return (
        *(_missing(step, share, critical=False) for step in reference.steps),
        *(_invented(step, share) for step in run.steps),
    )


class _Reader:
    """Reads the findings off one comparison, one method a rule."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.run, self.reference = comparison.run.steps, comparison.reference.steps
        self.matching = Matching(comparison)
        self.repeats = {i: self._repeats(i) for i in self.matching.extra}
        self.parts: dict[int, list[int]] = {}
        for i in self.matching.extra:
            j = self.matching.part_of(i) if self.repeats[i] is None else None
            if j is not None:
                self.parts.setdefault(j, []).append(i)
        self.wholes: dict[int, list[int]] = {}
        for j in self.matching.unmet:
            whole = self.matching.merged_into(j)
            if whole is not None:
                self.wholes.setdefault(whole, []).append(j)

    @property
    def rules(self) -> tuple[Callable[[], Iterator[Finding]], ...]:
        return (
            self.missing, self.invented, self.edges, self.ungrounded, self.tools, self.arguments,
            self.repeated, self.split, self.merged,
        )  # fmt: skip

    def missing(self) -> Iterator[Finding]:
        merged = {j for parts in self.wholes.values() for j in parts}
        for j in self.matching.unmet:
            if j not in merged:
                share = self._share(self.comparison.reference_contribution[j])
                critical = bool(self.comparison.critical[j])
                yield from (_missing(step, share, critical) for step in self._wanted(j))

    def invented(self) -> Iterator[Finding]:
        split = {i for parts in self.parts.values() for i in parts}
        for i in self.matching.extra:
            if self.repeats[i] is None and i not in split:
                share = self._share(self.comparison.agent_contribution[i])
                yield from (_invented(step, share) for step in self._did(i))

    def edges(self) -> Iterator[Finding]:
        problem = self.comparison.solution.problem
        if not self.comparison.order_scored:
            return
        for edge in self.comparison.reference.graph.edges:
            i, k = self.matching.run_of.get(edge.source), self.matching.run_of.get(edge.target)
            if i is not None and k is not None and problem.D_p[i, k] <= 0:
                yield self._lost_edge(i, k, edge.source, edge.target)

    def _lost_edge(self, i: int, k: int, j: int, target: int) -> Finding:
        solution = self.comparison.solution
        problem, T = solution.problem, solution.T
        gap = (problem.D_p[i, k] - problem.D_r[j, target]) ** 2
        listed_backwards = k < i and self.comparison.run.graph.mechanism != "explicit"
        backwards = problem.D_p[i, k] < 0 or listed_backwards
        earlier, later = _labels(self._did(i)), _labels(self._did(k))
        sentence = (
            f"{later} ran before {earlier}, whose result the reference needs there"
            if backwards
            else f"{later} does not use the result of {earlier}, which the reference needs there"
        )
        return Finding(
            kind="reversed" if backwards else "broken",
            agent=_ids(self._did(i), self._did(k)),
            reference=_ids(self._wanted(j), self._wanted(target)),
            share=self._share(2 * problem.theta * gap * T[i, j] * T[k, target]),
            sentence=sentence,
        )

    def ungrounded(self) -> Iterator[Finding]:
        run, reference = self.comparison.recorded
        # What a step that does not count has shown is a ground all the same.
        found = [one for one in run.ungrounded if one.step in run.kept]
        if not found:
            return
        told = set(reference.assumed)
        made_up = {(one.step, _general(one.path)) for one in reference.ungrounded}
        for one in found:
            wanted = [reference.kept[j] for j in self._wanted_places(run.kept.index(one.step))]
            if one.value not in told and not made_up & {(j, _general(one.path)) for j in wanted}:
                told.add(one.value)
                steps = reference.trajectory.steps
                yield Finding(
                    kind="ungrounded",
                    agent=(run.trajectory.steps[one.step].id,),
                    reference=tuple(steps[j].id for j in wanted),
                    share=None,
                    sentence=_without_ground(run.trajectory.steps, one),
                )

    def _wanted_places(self, place: int) -> tuple[int, ...]:
        """The steps of the reference that a step of the run stands for, by place."""
        nodes = self.comparison.run.parts
        i = next(node for node, parts in enumerate(nodes) if place in parts)
        j = self.matching.reference_of.get(i)
        return () if j is None else tuple(sorted(self.comparison.reference.parts[j]))

    def tools(self) -> Iterator[Finding]:
        for i, j in self._counterparts():
            step, wanted = self.run[i], self.reference[j]
            if (step.kind, step.tool) != (wanted.kind, wanted.tool) and self._cost("tool", i, j):
                yield Finding(
                    kind="tool",
                    agent=(step.id,),
                    reference=(wanted.id,),
                    share=self._field_share("tool", i, j),
                    sentence=f"{_label(step)} stands where the reference calls {_tool(wanted)}",
                )

    def arguments(self) -> Iterator[Finding]:
        for i, j in self._counterparts():
            step, wanted = self.run[i], self.reference[j]
            if step.tool != wanted.tool or not self._cost("arguments", i, j):
                continue
            alike = partial(self.comparison.alike, step.tool)
            found = changes(step.arguments, wanted.arguments, alike)
            if found:
                yield Finding(
                    kind="arguments",
                    agent=(step.id,),
                    reference=(wanted.id,),
                    share=self._field_share("arguments", i, j),
                    sentence=f"{_label(step)} has other arguments: {_named(found)}",
                )

    def repeated(self) -> Iterator[Finding]:
        for i, first in self.repeats.items():
            if first is not None:
                yield Finding(
                    kind="repeated",
                    agent=_ids(self._did(first), self._did(i)),
                    reference=self._reference_id(first),
                    share=self._share(self.comparison.agent_contribution[i]),
                    sentence=self._repetition(first, i),
                )

    def split(self) -> Iterator[Finding]:
        for j, i in self.matching.run_of.items():
            nodes = [i, *self.parts.get(j, ())]
            steps = [step for node in sorted(nodes) for step in self._did(node)]
            if len(steps) == 1 or len(self._wanted(j)) > 1:
                continue
            total = sum(self.comparison.agent_contribution[node] for node in nodes)
            yield Finding(
                kind="split",
                agent=_ids(steps),
                reference=_ids(self._wanted(j)),
                share=self._share(total),
                sentence=f"{_labels(steps)} do together what "
                f"{_label(self.reference[j])} of the reference does in one step",
            )

    def merged(self) -> Iterator[Finding]:
        for i, j in self.matching.reference_of.items():
            nodes = [j, *self.wholes.get(i, ())]
            steps = [step for node in sorted(nodes) for step in self._wanted(node)]
            if len(steps) == 1 or len(self._did(i)) > 1:
                continue
            total = sum(self.comparison.reference_contribution[node] for node in nodes)
            yield Finding(
                kind="merged",
                agent=_ids(self._did(i)),
                reference=_ids(steps),
                share=self._share(total),
                sentence=f"{_label(self.run[i])} does in one step what "
                f"{_labels(steps)} of the reference do",
            )

    def _repeats(self, i: int) -> int | None:
        """The step that leftover step i repeats: an equal call, or a counterpart much like it."""
        step = self.run[i]
        for k, other in enumerate(self.run):
            if k != i and same_call(step, other) and (k < i or k in self.matching.reference_of):
                return k
        alike = [
            (self.comparison.cost[i, j], k)
            for k, j in self.matching.reference_of.items()
            if step.tool == self.run[k].tool and self.comparison.cost[i, j] <= REPEATED
        ]
        return min(alike)[1] if alike else None

    def _counterparts(self) -> list[tuple[int, int]]:
        """The pairs of steps that stand for each other alone."""
        pairs = sorted(self.matching.reference_of.items())
        return [
            (i, j)
            for i, j in pairs
            if i not in self.wholes and j not in self.parts
            if len(self._did(i)) == len(self._wanted(j)) == 1
        ]

    def _repetition(self, first: int, again: int) -> str:
        """The counterpart may be the later of the two: the earlier was a first attempt then."""
        one, other = _labels(self._did(first)), _labels(self._did(again))
        if again > first:
            return f"{other} does again what {one} did"
        return f"{other} did before what {one} does again"

    def _did(self, i: int) -> list[Step]:
        """The steps of the run that a node consists of."""
        return self.comparison.run.of(i)

    def _wanted(self, j: int) -> list[Step]:
        """The same of the reference."""
        return self.comparison.reference.of(j)

    def _reference_id(self, i: int) -> tuple[str, ...]:
        j = self.matching.reference_of.get(i)
        return () if j is None else _ids(self._wanted(j))

    def _cost(self, field: str, i: int, j: int) -> float:
        matrix = self.comparison.field_costs.get(field)
        return 0.0 if matrix is None else float(matrix[i, j])

    def _field_share(self, field: str, i: int, j: int) -> float:
        solution = self.comparison.solution
        return self._share(
            (1 - solution.problem.theta) * self._cost(field, i, j) * solution.T[i, j]
        )

    def _share(self, part: float) -> float:
        loss = self.comparison.loss
        return min(1.0, float(part) / loss) if loss > 0 else 0.0


def _missing(step: Step, share: float, critical: bool) -> Finding:
    end = ", and without it the goal cannot be reached" if critical else ""
    sentence = f"{_label(step)} of the reference is missing from the run{end}"
    return Finding(
        kind="missing", reference=(step.id,), critical=critical, share=share, sentence=sentence
    )


def _invented(step: Step, share: float) -> Finding:
    sentence = f"{_label(step)} has no counterpart in the reference"
    return Finding(kind="invented", agent=(step.id,), share=share, sentence=sentence)


def _without_ground(steps: Sequence[Step], found: Ungrounded) -> str:
    value, path = shown(found.value, SHOWN), shown(found.path, 40)
    later = "" if found.shown_by is None else f"; {_label(steps[found.shown_by])} shows it later"
    return (
        f"{_label(steps[found.step])} uses {path} '{value}', which nothing before it showed{later}"
    )


def _general(path: str) -> str:
    """A path without places in lists."""
    return re.sub(r"\[\d+\]", "[]", path)


def _label(step: Step) -> str:
    """A step as people know it: its id, and its tool or else its action."""
    what = step.tool or step.action or step.kind
    return f"step {shown(step.id, 24)} ({shown(what, 40)})"


def _labels(steps: list[Step]) -> str:
    named = [_label(step) for step in steps]
    return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]


def _ids(*steps: list[Step]) -> tuple[str, ...]:
    return tuple(step.id for found in steps for step in found)


def _tool(step: Step) -> str:
    return shown(step.tool, 40) if step.tool else "no tool"


def _named(found: list[Change]) -> str:
    named = [str(change) for change in found[:NAMED_CHANGES]]
    rest = len(found) - len(named)
    return "; ".join([*named, f"and {rest} more"] if rest else named)
