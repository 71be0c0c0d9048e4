"""Matchers over tool calls, as the field's libraries have them: yes or no, a share, and two F1.

A call is a tool with its arguments; a step of reasoning is none. Arguments are compared exactly,
as all do by default, but by the two F1, which compare names. Gold without a call is met by every
run where only gold is asked for (superset, in order, gold share), and by a run without a call
elsewhere. Sources, held to by ``tests/reproduction/rivals/test_originals.py``: agentevals 0.0.9,
create_trajectory_match_evaluator; Google ADK 2.13.0, TrajectoryEvaluator; pydantic-evals 2.62.0,
TrajectoryMatch, which leaves out calls that its framework has seen fail (here they count, as with
include_failed); tau2-bench, commit d887264, ActionEvaluator.
"""

from collections import Counter
from collections.abc import Collection

from pydantic import JsonValue

from otap import Step, Trajectory
from otap.compat import ToolCall, list_turns, trajectory_match
from reproduction.rivals.metric import f1
from reproduction.rivals.subsequence import common_length


def strict_match(run: Trajectory, reference: Trajectory) -> float:
    """The same calls in the same order, turn by turn; calls of one turn in any: agentevals."""
    return trajectory_match(run, reference, "strict")


def sequence_match(run: Trajectory, reference: Trajectory) -> float:
    """The same calls in the same order: Google ADK EXACT."""
    return trajectory_match(run, reference, "exact")


def unordered_match(run: Trajectory, reference: Trajectory) -> float:
    """The same calls in any order: agentevals "unordered"."""
    return trajectory_match(run, reference, "unordered")


def subset_match(run: Trajectory, reference: Trajectory) -> float:
    """No call that the reference does not have: agentevals "subset"."""
    return trajectory_match(run, reference, "subset")


def superset_match(run: Trajectory, reference: Trajectory) -> float:
    """Every call that the reference has: agentevals "superset", Google ADK ANY_ORDER."""
    return trajectory_match(run, reference, "superset")


def in_order_match(run: Trajectory, reference: Trajectory) -> float:
    """Every call that the reference has, in its order, others between: Google ADK IN_ORDER."""
    return trajectory_match(run, reference, "in_order")


def gold_share(run: Trajectory, reference: Trajectory) -> float:
    """The share of the reference's calls that the run makes: tau2-bench's checks of actions.

    One call of the run may stand for several. Compared are the arguments that the run's call
    gives, or those that the task names, so that a call that says less than the gold meets it.
    """
    calls, gold = _calling(run), _calling(reference)
    met = sum(any(_meets(call, action) for call in calls) for action in gold)
    return met / len(gold) if gold else 1.0


def ordered_f1(run: Trajectory, reference: Trajectory) -> float:
    """F1 of the longest common subsequence of tool names: pydantic-evals "in_order"."""
    names, others = _names(run), _names(reference)
    return f1(common_length(names, others), len(names), len(others))


def unordered_f1(run: Trajectory, reference: Trajectory) -> float:
    """F1 of the tool names as multisets: pydantic-evals "any_order"."""
    names, others = Counter(_names(run)), Counter(_names(reference))
    return f1((names & others).total(), names.total(), others.total())


def _meets(call: tuple[Step, ToolCall], action: tuple[Step, ToolCall]) -> bool:
    said, asked = call[1].arguments, action[1].arguments
    if call[1].tool != action[1].tool or not (isinstance(said, dict) and isinstance(asked, dict)):
        return call[1] == action[1]
    named = action[0].metadata.get("compare_args")
    compared = named if isinstance(named, list) else list(said)
    return _only(said, compared) == _only(asked, compared)


def _only(arguments: dict[str, JsonValue], names: Collection[JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in arguments.items() if name in names}


def _names(trajectory: Trajectory) -> list[str]:
    return [call.tool for _, call in _calling(trajectory)]


def _calling(trajectory: Trajectory) -> list[tuple[Step, ToolCall]]:
    steps = [step for step in trajectory.steps if step.kind == "tool"]
    calls = [call for turn in list_turns(trajectory) for call in turn]
    return list(zip(steps, calls, strict=True))
