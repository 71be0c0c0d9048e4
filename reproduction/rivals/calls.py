"""Matchers over tool calls, as the field's libraries have them: yes or no, and two F1.

A call is a tool with its arguments; a step of reasoning is none. Yes-or-no matchers compare
arguments exactly (their default), the two F1 compare names (as pydantic-evals does). Where neither
side calls a tool they agree.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from reproduction.rivals.metric import f1
from reproduction.rivals.subsequence import common_length

from otap import Step, Trajectory
from otap.matrices.texts import text_of

Call = tuple[str, str]


def strict_match(run: Trajectory, reference: Trajectory) -> float:
    """The same calls in the same order; calls of one turn in any.

    agentevals (LangChain) "strict", which ignores order inside one message; Google ADK EXACT.
    """
    return float(list(_turns(run)) == list(_turns(reference)))


def unordered_match(run: Trajectory, reference: Trajectory) -> float:
    """The same calls in any order: agentevals "unordered"."""
    return float(_counted(run) == _counted(reference))


def subset_match(run: Trajectory, reference: Trajectory) -> float:
    """No call that the reference does not have: agentevals "subset"."""
    return float(_counted(run) <= _counted(reference))


def superset_match(run: Trajectory, reference: Trajectory) -> float:
    """Every call that the reference has: agentevals "superset", Google ADK ANY_ORDER."""
    return float(_counted(run) >= _counted(reference))


def ordered_f1(run: Trajectory, reference: Trajectory) -> float:
    """F1 of the longest common subsequence of tool names: pydantic-evals "in_order"."""
    names, others = _names(run), _names(reference)
    return f1(common_length(names, others), len(names), len(others))


def unordered_f1(run: Trajectory, reference: Trajectory) -> float:
    """F1 of the tool names as multisets: pydantic-evals "any_order"."""
    names, others = Counter(_names(run)), Counter(_names(reference))
    return f1((names & others).total(), names.total(), others.total())


def _names(trajectory: Trajectory) -> list[str]:
    return [_call(step)[0] for step in trajectory.steps if step.kind == "tool"]


def _counted(trajectory: Trajectory) -> Counter[Call]:
    return Counter(_call(step) for step in trajectory.steps if step.kind == "tool")


def _turns(trajectory: Trajectory) -> Iterator[list[Call]]:
    """The calls turn by turn; steps that do not record their turn are one each."""
    calls = [step for step in trajectory.steps if step.kind == "tool"]
    places = {step.id: place for place, step in enumerate(calls)}
    for _, turn in groupby(
        calls, lambda step: (None, places[step.id]) if step.turn is None else (step.turn, None)
    ):
        yield sorted(_call(step) for step in turn)


def _call(step: Step) -> Call:
    arguments = {} if step.arguments is None else step.arguments
    return step.tool or "", text_of(arguments)
