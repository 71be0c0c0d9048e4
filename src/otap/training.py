"""Rewards of many runs at once, for trainers."""

from collections.abc import Sequence
from typing import Any, Literal, overload

from otap.errors import ConfigError, OtapError
from otap.formats import parse, parse_references
from otap.scoring import Scorer
from otap.scoring.progress import Progress, StepReward
from otap.trajectory import Trajectory

By = Literal["run", "turn"]


@overload
def rewards(
    completions: Sequence[Any],
    references: Any,
    *,
    by: Literal["run"] = ...,
    value: Literal["skill", "score"] = ...,
    scorer: Scorer | None = ...,
) -> list[float | None]: ...


@overload
def rewards(
    completions: Sequence[Any],
    references: Any,
    *,
    by: Literal["turn"],
    value: Literal["skill", "score"] = ...,
    scorer: Scorer | None = ...,
) -> list[list[float] | None]: ...


def rewards(
    completions: Sequence[Any],
    references: Any,
    *,
    by: By = "run",
    value: Literal["skill", "score"] = "skill",
    scorer: Scorer | None = None,
) -> list[float | None] | list[list[float] | None]:
    """Returns the reward of each completion, or of each of its turns.

    The rewards of the turns depend on the steps so far alone; the last turn pays for the
    missing steps. They sum to the reward of the run. A run without steps has one turn.

    Args:
        completions: runs in any form that :func:`otap.parse` accepts, such as lists of messages.
        references: a list with the references of each completion, in the same order. Anything else
            is the reference of all completions.
        by: "run" for one number each, "turn" for a list each.
        value: the sum of the rewards of a run: its skill, which is 0 for doing nothing, or its
            score.
        scorer: the settings and the encoder (default: the preset ``default``).

    Returns:
        For each completion its reward or rewards, in [0, 1] for a run. None if it cannot be read or
        scored.

    Raises:
        ConfigError: if the numbers of completions and of references differ, or ``by`` is unknown.
        FormatError: if a reference cannot be read.
    """
    if by not in ("run", "turn"):
        raise ConfigError(f"rewards: by is {by!r}; use 'run' or 'turn'")
    scorer = scorer or Scorer()
    pairs = zip(completions, _list_references(references, len(completions)), strict=True)
    readable = [(_read(completion), gold) for completion, gold in pairs]
    if by == "turn":
        followers: dict[int, Progress] = {}  # runs of a group share their references
        return [
            None if run is None else _by_turn(run, gold, scorer, value, followers)
            for run, gold in readable
        ]
    scored = iter(
        scorer.score_many(
            [(run, gold) for run, gold in readable if run is not None], return_errors=True
        )
    )
    values: list[float | None] = []
    for run, _ in readable:
        score = None if run is None else next(scored)
        if score is None or isinstance(score, Exception) or not score.understood:
            values.append(None)
        else:
            values.append(score.score if value == "score" or score.skill is None else score.skill)
    return values


def _list_references(references: Any, count: int) -> list[Sequence[Trajectory]]:
    """The references of each of some completions."""
    if not isinstance(references, (list, tuple)):
        return [parse_references(references)] * count
    if len(references) != count:
        raise ConfigError(
            f"rewards: {count} completions, but {len(references)} references; give one entry for "
            "each completion, or one reference for all that is no list"
        )
    by_id: dict[int, Sequence[Trajectory]] = {}  # groups of completions share their references
    for reference in references:
        if id(reference) not in by_id:
            by_id[id(reference)] = parse_references(reference)
    return [by_id[id(reference)] for reference in references]


def _read(completion: Any) -> Trajectory | None:
    try:
        return parse(completion)
    except OtapError:
        return None


def _by_turn(
    run: Trajectory,
    references: Sequence[Trajectory],
    scorer: Scorer,
    value: Literal["skill", "score"],
    followers: dict[int, Progress],
) -> list[float] | None:
    if not run.understood:
        return None
    try:
        key = id(references)
        if key not in followers:
            followers[key] = scorer.progress(references, value=value)
        progress = followers[key].restart()
        steps = [progress.add(step) for step in run.steps]
        end: StepReward = progress.stop(run)
    except OtapError:
        return None
    by_turn: dict[object, float] = {}
    for k, (step, reward) in enumerate(zip(run.steps, steps, strict=True)):
        turn = ("step", k) if step.turn is None else step.turn
        by_turn[turn] = by_turn.get(turn, 0.0) + reward.reward
    last = next(reversed(by_turn), "stop")
    by_turn[last] = by_turn.get(last, 0.0) + end.reward
    return list(by_turn.values())
