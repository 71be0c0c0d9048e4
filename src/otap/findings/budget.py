"""Runs that take more than the settings or the plan allow.

budget: more steps, tool calls, tokens, cost or seconds than the limit. A limit of the plan replaces
the same limit of the settings. It is no part of the loss. Where a run does not record the number
that a limit is about, the finding is minor and says so.
"""

from collections.abc import Iterator

from otap._numbers import number_text
from otap.findings.finding import Deviation
from otap.run.run import Run
from otap.trajectory import Trajectory

_COSTS = ("cost", "total_cost", "cost_usd", "total_cost_usd")  # keys of a run's metadata
_WORDS = {
    "max_steps": "steps",
    "max_tool_calls": "tool calls",
    "max_tokens": "tokens",
    "max_cost": "cost",
    "max_seconds": "seconds",
}


def find_exceeded(run: Run, reference: Run) -> Iterator[Deviation]:
    """Yields the limits that a run exceeds, and those that cannot be checked."""
    limits: dict[str, float] = dict(run.settings.config.budget.limits)
    planned = reference.scored.metadata.get("budget")
    if reference.plan_constraints.is_plan and isinstance(planned, dict):
        limits |= {
            name: float(limit) for name, limit in planned.items() if isinstance(limit, int | float)
        }
    for name, limit in limits.items():
        amount = measure(name, run.scored)
        words = _WORDS[name]
        if amount is None:
            sentence = f"the run does not record its {words}, so {name} was not checked"
            yield Deviation("budget", "minor", None, sentence, paths=(name,))
        elif amount > limit:
            sentence = f"the run has {_format(amount)} {words}; {name} is {_format(limit)}"
            if name == "max_cost":
                sentence = f"the run costs {_format(amount)}; {name} is {_format(limit)}"
            yield Deviation("budget", "major", None, sentence, paths=(name,))


def measure(name: str, run: Trajectory) -> float | None:
    """Returns the number that a limit is about; None if the run does not record it.

    Args:
        name: the limit, such as ``max_steps``.
        run: the run.
    """
    if name == "max_steps":
        return len(run.steps)
    if name == "max_tool_calls":
        return sum(step.tool is not None for step in run.steps)
    if name == "max_tokens":
        counts = [run.tokens.input, run.tokens.output] if run.tokens else []
        known_counts = [count for count in counts if count is not None]
        return sum(known_counts) if known_counts else None
    if name == "max_cost":
        costs = [run.metadata.get(key) for key in _COSTS]
        return next((float(c) for c in costs if isinstance(c, int | float)), None)
    starts = [step.started_at for step in run.steps if step.started_at]
    ends = [step.ended_at or step.started_at for step in run.steps]
    moments = [end for end in ends if end is not None]
    if not starts or not moments:
        return None
    times = (
        max(moment.timestamp() for moment in moments),
        min(start.timestamp() for start in starts),
    )
    return round(times[0] - times[1], 6)


def _format(amount: float) -> str:
    return number_text(int(amount)) if float(amount).is_integer() else f"{amount:g}"
