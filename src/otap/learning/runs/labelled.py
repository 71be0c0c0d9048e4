"""Runs, and whether they were good."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from otap.errors import ConfigError, shown, shown_path
from otap.formats import label
from otap.trajectory import Trajectory

FULL = 1.0  # the outcome from which on a run is good

# By the id of a run or by TASK/TRIAL, or one for each run, None where it is not known.
Outcomes = Mapping[str, float | bool] | Sequence[float | bool | None]


@dataclass(frozen=True, eq=False)
class Labelled:
    """A run, and whether it was good; None: that is not known."""

    run: Trajectory
    good: bool | None


def labelled(
    runs: Iterable[Trajectory],
    outcomes: Mapping[str, float | bool] | None = None,
    *,
    good_from: float | None = None,
) -> list[Labelled]:
    """Returns runs with whether they were good.

    Args:
        runs: the runs, with the outcomes that their files record.
        outcomes: outcomes by the id of a run or by TASK/TRIAL, in place of the recorded ones: a
            number, or whether it was good.
        good_from: the outcome from which on a run is good; None: 1, the full reward.

    Raises:
        ConfigError: if outcomes name a run that is not there, or name two alike; if an outcome is
            above 1 and nobody said which ones are good; or for a bound that is no number.
    """
    if good_from is not None and not math.isfinite(good_from):
        raise ConfigError(f"the outcome from which on a run is good is {good_from}, no number")
    listed = list(runs)
    said = outcomes or {}
    known = {name for run in listed for name in names_of(run)}
    missing = sorted(said.keys() - known)
    if missing:
        raise ConfigError(
            f"outcomes: no run is called '{shown(missing[0])}'; a run is named by its id, or as"
            " TASK/TRIAL"
        )
    return [Labelled(run, _is_good(_outcome(run, said), run, good_from)) for run in listed]


def as_told(
    runs: Iterable[Trajectory], outcomes: Outcomes | None, *, good_from: float | None
) -> list[Labelled]:
    """Returns runs with whether they were good, as a caller in Python tells it.

    Args:
        runs: the runs, with the outcomes that their files record.
        outcomes: as of ``labelled``, or one for each run; None: what the runs record.
        good_from: as of ``labelled``.

    Raises:
        ConfigError: as ``labelled``; for the name of a file in place of runs; or if there are more
            or fewer outcomes than runs.
    """
    refuse_name(runs)
    if outcomes is None or isinstance(outcomes, Mapping):
        return labelled(runs, outcomes, good_from=good_from)
    listed = list(runs)
    if len(outcomes) != len(listed):
        raise ConfigError(
            f"outcomes: there are {len(outcomes):,} of {len(listed):,} runs; give one for each, or"
            " a mapping from ids"
        )
    pairs = zip(listed, outcomes, strict=True)
    return [Labelled(run, _is_good(outcome, run, good_from)) for run, outcome in pairs]


def refuse_name(runs: object) -> None:
    """Refuses the name of a file in place of runs.

    Raises:
        ConfigError: that says what to give.
    """
    if isinstance(runs, str | PathLike):
        raise ConfigError(
            f"runs: '{shown(runs)}' is the name of a file; give what otap.read_all returns of it"
        )


def names_of(run: Trajectory) -> set[str]:
    """Returns what a table of outcomes may call a run: its id, and TASK/TRIAL."""
    return {name for name in (run.id, label(run)) if name is not None}


def _outcome(run: Trajectory, said: Mapping[str, float | bool]) -> float | bool | None:
    found = {said[name] for name in names_of(run) if name in said}
    if len(found) > 1:
        raise ConfigError(f"outcomes: '{shown(run.name)}' has two that differ; keep one of them")
    return found.pop() if found else run.outcome


def _is_good(outcome: float | bool | None, run: Trajectory, good_from: float | None) -> bool | None:
    if outcome is None or isinstance(outcome, bool):
        return outcome
    if not isinstance(outcome, int | float) or math.isnan(outcome):
        raise ConfigError(
            f"{_named(run)}: its outcome is '{shown(outcome)}'; give a number, or whether it"
            " was good"
        )
    if outcome > FULL and good_from is None:
        raise ConfigError(
            f"{_named(run)}: its outcome is {outcome:g}, above 1; say with --good-from X from"
            " which on a run is good"
        )
    return outcome >= (FULL if good_from is None else good_from)


def _named(run: Trajectory) -> str:
    """A run for people: its file, if it is of one, and what it is called there."""
    file = f"{shown_path(run.source.path)}: " if run.source and run.source.path else ""
    return f"{file}run '{shown(label(run))}'"
