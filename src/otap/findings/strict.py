"""Strict mode: everything that is not proven harmless is critical.

Five things are proof. Nothing else is: no name, no word list, no similarity.

- The reference makes an equal call, as often. Calls are equal if their tools have one name, their
  arguments are equal as JSON, and both failed or neither did. Generated ids are mapped first. The
  settings may say how to compare an argument: ``ignore``, ``defaults``, ``text``, ``sets`` and
  ``tolerance`` of ``[parameters]``.
- The call changes nothing: the settings say that the tool only reads, computes or hands over, or
  that its failed calls change nothing (``tools.atomic``); or the tool definitions of the reference
  say that it only reads. The definitions that the run brings along prove nothing.
- A plan allows it.
- Two calls ran in an order that the reference or the settings allow: the reference's own order;
  any order if the reference records that neither depends on the other, or made both in one turn;
  any order if ``order_free`` says so.

- The messages to the user say a required answer plainly, and as the reference's messages say it.

unproven: a difference without a proof that no other finding names. A finding that names such a
    step becomes critical.
"""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from otap.alignment.comparison import Compared
from otap.config.sections import Parameters, tolerance_parts
from otap.errors import shown
from otap.findings.finding import Deviation, name_call, name_step
from otap.findings.unmatched import REPEAT
from otap.graph import DependencyGraph
from otap.run.edges import allows, explicit_edges
from otap.run.free_order import FreeOrder
from otap.run.generated_ids import Renaming
from otap.run.run import Run, RunView
from otap.run.selection import keep_compared
from otap.run.settings import RunSettings
from otap.trajectory import Step, Trajectory
from otap.values.value import canonical_json, join_path, parse_text

MAX_VALUE = 60  # characters of a value in a sentence
MAX_DOUBT = 300  # characters of the reason why an answer is not proven
_ORDER_KINDS = ("reversed", "broken", "inverted")
Flags = npt.NDArray[np.bool_]


class _Tolerated(NamedTuple):
    """A number in an argument, and how far an equal number may be from it."""

    number: float
    absolute: float
    relative: float


@dataclass(frozen=True)
class _Call:
    """A call, by the parts that decide whether another call is equal.

    Attributes:
        outline: equal for equal calls, apart from the tolerated numbers.
        numbers: the tolerated numbers, in the order of their paths.
    """

    outline: Hashable
    numbers: tuple[_Tolerated, ...]

    def is_near(self, other: "_Call") -> bool:
        """Returns whether the numbers of two calls of one outline are near enough."""
        return all(
            abs(a.number - b.number)
            <= max(a.absolute, a.relative * max(abs(a.number), abs(b.number)))
            for a, b in zip(self.numbers, other.numbers, strict=True)
        )


def apply_strictness(compared: Compared, departures: Sequence[Deviation]) -> list[Deviation]:
    """Returns the findings of a comparison in strict mode.

    Args:
        compared: the comparison.
        departures: its findings by the other rules.
    """
    proof = Proof(compared)
    run_ids = {step.id for step in proof.unproven_run}
    reference_ids = {step.id for step in proof.unproven_reference}
    strict, reported = list[Deviation](), set[str]()
    for departure in departures:
        agent, reference = departure.agent, departure.reference
        if departure.kind == REPEAT:  # it is about the last step alone, which is done again
            agent, reference = agent[-1:], ()
        is_unproven = not run_ids.isdisjoint(agent) or not reference_ids.isdisjoint(reference)
        if departure.kind in _ORDER_KINDS:
            is_unproven = proof.has_other_order(departure)
        elif is_unproven:
            reported.update(agent)
            reported.update(f"reference {step_id}" for step_id in reference)
        strict.append(departure._replace(severity="critical") if is_unproven else departure)
    strict += proof.describe_unproven(reported)
    strict += proof.describe_order(strict)
    strict += proof.describe_unproven_answers()
    return strict


class Proof:
    """Which steps of a comparison are proven harmless, and which ran in a proven order.

    Attributes:
        unproven_run: the steps of the run without a proof, in their order.
        unproven_reference: the steps of the reference that the run lacks.
        disorder: pairs of steps of the run, the earlier one first, without a proof of their order;
            at most one pair for each earlier step.
    """

    def __init__(self, compared: Compared) -> None:
        self._compared = compared
        view, reference = compared.recorded[0], compared.recorded[1].run
        settings = view.run.settings
        self._steps = _list_comparable(view, reference), reference.flat.recorded.steps
        self._recorded = view.run.flat.recorded.steps
        run_needs = [_needs_proof(step, settings, reference) for step in self._steps[0]]
        reference_needs = [_needs_proof(step, settings, reference) for step in self._steps[1]]
        pairs = _pair_equal_calls(
            _list_calls(self._steps[0], view.run, run_needs),
            _list_calls(self._steps[1], reference, reference_needs),
        )
        allows_others = not reference.full_weight_extra
        self.unproven_run = [
            step
            for i, step in enumerate(self._recorded)
            if run_needs[i] and i not in pairs and not allows_others
        ]
        self._unproven_ids = {step.id for step in self.unproven_run}
        self._ids_that_need_proof = {
            step.id for step, needs in zip(self._recorded, run_needs, strict=True) if needs
        }
        paired = set(pairs.values())
        self.unproven_reference = [
            step for j, step in enumerate(self._steps[1]) if reference_needs[j] and j not in paired
        ]
        self._pairs = pairs
        self._paired = sorted(pairs)
        self._is_disordered = self._find_disorder(reference)
        self.disorder = [
            (self._recorded[self._paired[a]], self._recorded[self._paired[int(row.argmax())]])
            for a, row in enumerate(self._is_disordered)
            if row.any()
        ]

    def has_other_order(self, departure: Deviation) -> bool:
        """Returns whether a finding about order names a pair without a proof of its order.

        Two calls that need a proof and have none are in no proven order either.
        """
        ids = {*departure.agent}
        if departure.kind != "broken" and not ids.isdisjoint(self._unproven_ids):
            return ids <= self._ids_that_need_proof
        rows = [a for a, i in enumerate(self._paired) if self._recorded[i].id in departure.agent]
        return bool(self._is_disordered[np.ix_(rows, rows)].any())

    def describe_unproven(self, reported: set[str]) -> Iterator[Deviation]:
        """Yields the steps without a proof that no other finding names.

        Args:
            reported: the ids of the steps that another finding names; "reference ID" for those of
                the reference.
        """
        missing_by_tool: dict[str | None, list[Step]] = defaultdict(list)
        for step in self.unproven_reference:
            missing_by_tool[step.tool].append(step)
        comparable = dict(zip((step.id for step in self._recorded), self._steps[0], strict=True))
        for step in self.unproven_run:
            if step.id in reported:
                continue
            expected = next(iter(missing_by_tool[step.tool]), None)
            if expected is None:
                reason = "no call of the reference is equal"
            else:
                missing_by_tool[step.tool].remove(expected)
                reported.add(f"reference {expected.id}")
                reason = _describe_difference(comparable[step.id], expected)
            yield Deviation(
                kind="unproven",
                severity="critical",
                share=None,
                sentence=f"{name_call(step)} is not proven harmless: {reason}",
                agent=(step.id,),
                reference=() if expected is None else (expected.id,),
            )
        for step in self.unproven_reference:
            if f"reference {step.id}" not in reported:
                yield Deviation(
                    kind="unproven",
                    severity="critical",
                    share=None,
                    sentence=f"{name_call(step)} of the reference is not done: no call of the run "
                    "is equal",
                    reference=(step.id,),
                )

    def describe_order(self, departures: Sequence[Deviation]) -> Iterator[Deviation]:
        """Yields the pairs in another order that no other finding names."""
        pairs = [{*departure.agent} for departure in departures if departure.kind in _ORDER_KINDS]
        for first, second in self.disorder:
            if any({first.id, second.id} <= agent for agent in pairs):
                continue
            yield Deviation(
                kind="unproven",
                severity="critical",
                share=None,
                sentence=f"{self._describe_both_orders(first, second)}; nothing proves that their "
                "order is free",
                agent=(first.id, second.id),
            )

    def _describe_both_orders(self, first: Step, second: Step) -> str:
        """Returns in which order two calls of the run ran, and their counterparts."""
        index_of = {self._recorded[i].id: i for i in self._paired}
        counterparts = sorted(self._pairs[index_of[step.id]] for step in (first, second))
        earlier, later = (self._steps[1][j] for j in counterparts)
        order = f"{name_step(first)} ran before {name_step(second)}"
        if first.turn is not None and first.turn == second.turn:
            order = f"{name_step(first)} and {name_step(second)} ran in one turn"
        return f"{order}; in the reference {name_step(earlier)} comes before {name_step(later)}"

    def describe_unproven_answers(self) -> Iterator[Deviation]:
        """Yields the required answers that the run does not say plainly, or does not record."""
        for answer, doubt in self._compared.answers.unproven:
            yield Deviation(
                kind="missing_answer",
                severity="critical",
                share=None,
                sentence=f"the answer '{shown(answer, MAX_VALUE)}' is not proven: "
                f"{shown(doubt, MAX_DOUBT)}",
                answer=answer,
            )
        if not self._compared.answers.recorded:
            yield Deviation(
                kind="missing_answer",
                severity="critical",
                share=None,
                sentence="the required answers cannot be checked: the run does not record its "
                "messages to the user",
            )

    def _find_disorder(self, reference: Run) -> Flags:
        """Which pairs of equal calls ran in an order that the reference does not allow.

        Rows and columns are the calls of the run that have an equal one, in their order; only pairs
        above the diagonal count.
        """
        run = np.array(self._paired, dtype=np.intp)
        counterpart = np.array([self._pairs[i] for i in self._paired], dtype=np.intp)
        run_turns = _number_turns(self._recorded)[run]
        reference_turns = _number_turns(self._steps[1])[counterpart]
        # The earlier call comes later in the reference; or the run made both in one turn, and the
        # reference one after the other.
        is_disordered = counterpart[:, None] > counterpart[None, :]
        is_disordered |= run_turns[:, None] == run_turns[None, :]
        is_disordered &= reference_turns[:, None] != reference_turns[None, :]
        is_disordered = np.triu(is_disordered, 1)
        if is_disordered.any() and allows(reference.flat.trajectory, "explicit"):
            reached = _find_reached(reference)[np.ix_(counterpart, counterpart)]
            is_disordered &= reached | reached.T
        free_order = FreeOrder(reference.settings.config.order_free)
        if is_disordered.any() and not free_order.is_empty:
            names = [self._recorded[i].tool for i in self._paired]
            tools = sorted({name for name in names if name is not None})
            of_call = np.searchsorted(tools, np.array(names, dtype=object))
            is_free = np.array([[free_order.allows(a, b) for b in tools] for a in tools])
            is_disordered &= ~is_free[np.ix_(of_call, of_call)]
        return is_disordered


def _list_comparable(view: RunView, reference: Run) -> Sequence[Step]:
    """All steps of a run, with generated ids and arguments as the reference has them."""
    flat = view.run.flat.recorded
    renamed = Renaming(ids=view.names.ids).rename_run(flat) if view.names.ids else flat
    return keep_compared(renamed, reference.scored.metadata.get("compared")).steps


def _needs_proof(step: Step, settings: RunSettings, reference: Run) -> bool:
    """Whether a step is a call that neither the settings nor the reference declare harmless."""
    if step.tool is None or settings.ignored.get(step.tool):
        return False
    if step.status == "error" and settings.atomic.get(step.tool):
        return False
    role = settings.roles.get(step.tool)
    if role is not None:
        return role not in ("reads", "thinks", "handoff")
    facts = reference.flat.trajectory.tools.get(step.tool)
    return facts is None or facts.read_only is not True


def _list_calls(steps: Sequence[Step], run: Run, needs_proof: Sequence[bool]) -> dict[int, _Call]:
    """The calls that need a proof, by their index."""
    calls = {}
    for k, step in enumerate(steps):
        if needs_proof[k]:
            parameters = run.settings.parameters(step.tool)
            numbers: list[_Tolerated] = []
            data = parse_text(step.arguments)
            arguments = _outline({} if data is None else data, "", parameters, numbers)
            has_failed = bool(run.flat.failed[k]) or step.status == "error"
            outline = step.tool, has_failed, arguments
            calls[k] = _Call(outline, tuple(numbers))
    return calls


def _outline(
    data: JsonValue, path: str, parameters: Parameters, numbers: list[_Tolerated]
) -> Hashable:
    """A key that equal JSON shares; appends the numbers for which there is a tolerance."""
    if isinstance(data, dict):
        members = []
        for key in sorted(data):
            member, member_path = data[key], join_path(path, key)
            is_default = member_path in parameters.defaults and (
                canonical_json(member) == canonical_json(parameters.defaults[member_path])
            )
            if member_path not in parameters.ignore and not is_default:
                members.append((key, _outline(member, member_path, parameters, numbers)))
        return "object", tuple(members)
    if isinstance(data, list):
        items = [_outline(item, path, parameters, numbers) for item in data]
        if path in parameters.sets:
            return "set", frozenset(items)
        return "list", tuple(items)
    if isinstance(data, str) and path in parameters.text:
        return "text"
    if isinstance(data, bool) or data is None or isinstance(data, str):
        return type(data).__name__, data
    if path in parameters.tolerance:
        numbers.append(_Tolerated(float(data), *tolerance_parts(parameters.tolerance[path])))
        return "near"
    return "number", data  # 1 and 1.0 are equal, and have one hash


def _pair_equal_calls(run: dict[int, _Call], reference: dict[int, _Call]) -> dict[int, int]:
    """The index of the equal call of the reference by that of the run, each once, in order."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for j, call in reference.items():
        waiting[call.outline].append(j)
    pairs = {}
    for i, call in run.items():
        candidates = waiting.get(call.outline, [])
        position = next((k for k, j in enumerate(candidates) if call.is_near(reference[j])), None)
        if position is not None:
            pairs[i] = candidates.pop(position)
    return pairs


def _number_turns(steps: Sequence[Step]) -> npt.NDArray[np.int64]:
    """The turn of each step; a step without one has a turn of its own."""
    turns = [-k - 1 if step.turn is None else step.turn for k, step in enumerate(steps)]
    return np.array(turns, dtype=np.int64)


def _find_reached(reference: Run) -> Flags:
    """Which step of the reference depends on which, directly or not, (m, m)."""
    trajectory: Trajectory = reference.flat.trajectory
    size = len(trajectory.steps)
    edges = explicit_edges(trajectory)
    graph = reference.flat.join_substeps(DependencyGraph(size, edges, "explicit"))
    reached = np.zeros((size, size), dtype=np.bool_)
    for target in graph.order:
        for parent in graph.parents[target]:
            reached[parent, target] = True
            reached[:, target] |= reached[:, parent]
    return reached


def _describe_difference(step: Step, expected: Step) -> str:
    """The first argument in which two calls of one tool differ, with both values."""
    run, reference = (parse_text(side.arguments) for side in (step, expected))
    difference = _find_difference(run, reference, "")
    if difference is None:
        failed = "failed" if step.status == "error" else "did not fail"
        return f"the equal call of the reference ended in another way; this one {failed}"
    path, values = difference
    run_text, reference_text = (shown(value, MAX_VALUE) for value in values)
    return f"{shown(path, 40) or 'arguments'} is {run_text} instead of {reference_text}"


def _find_difference(
    run: JsonValue, reference: JsonValue, path: str
) -> tuple[str, tuple[str, str]] | None:
    if isinstance(run, dict) and isinstance(reference, dict):
        for key in sorted({*run, *reference}):
            member_path = join_path(path, key)
            if key not in run or key not in reference:
                values = [_write(side, key) for side in (run, reference)]
                return member_path, (values[0], values[1])
            difference = _find_difference(run[key], reference[key], member_path)
            if difference is not None:
                return difference
        return None
    if run == reference and isinstance(run, bool) == isinstance(reference, bool):
        return None
    return path, (_write([run], 0), _write([reference], 0))


def _write(data: Any, key: str | int) -> str:
    """A member of an object or a list as JSON."""
    is_left_out = isinstance(data, dict) and key not in data
    return "left out" if is_left_out else json.dumps(data[key], sort_keys=True, ensure_ascii=False)
