"""Runs with outcomes in, a calibration out."""

from collections.abc import Iterator, Sequence
from math import floor
from typing import Any

import numpy as np

from otap.alignment import SEVERITIES
from otap.errors import ConfigError
from otap.learning.calibration import warnings
from otap.learning.calibration.broken import BrokenRuns, broken_runs
from otap.learning.calibration.calibration import Calibration, On, SeverityGate, Values
from otap.learning.calibration.conformal import Array, Promise, alarms, spread, threshold
from otap.learning.calibration.proportion import caught
from otap.learning.calibration.scored import Sampled, grouped, scored_cases
from otap.learning.runs import Sample, scorable
from otap.scoring import Config

FALSE_ALARMS = 0.05
DIGITS = 6  # of a threshold
MARGIN = 1e-9  # what scores of other machines may differ by


def promise(false_alarms: float | None = None, confidence: float | None = None) -> Promise:
    """Returns what a calibration shall hold; None: FALSE_ALARMS, on average over calibrations.

    Raises:
        ConfigError: for a share that is none.
    """
    rate = FALSE_ALARMS if false_alarms is None else false_alarms
    if not 0 < rate < 1:
        raise ConfigError("the share of false alarms must lie between 0 and 1, as 0.05")
    if confidence is not None and not 0 < confidence < 1:
        raise ConfigError("the confidence must lie between 0 and 1, as 0.9")
    return Promise(rate, confidence)


def calibrated(
    sample: Sample, config: Config, held: Promise, on: On = "score", jobs: int = 1
) -> Calibration:
    """Returns the threshold on runs that are scored for it, and what it catches.

    Args:
        sample: runs with outcomes, each with its references.
        config: how they are scored.
        held: the promise.
        on: what the threshold is put on.
        jobs: processes that score.

    Raises:
        OtapError: if no run can be scored.
    """
    with scorable(sample, config, jobs) as (scores, failed):
        known, sampled = scores.sample, scored_cases(scores, config)
    found = of_scored(sampled, held, on)
    if found.found:
        found = with_broken(found, broken_runs(known, config, jobs))
    return _warned(found, [*failed, *warnings.of_references(known, config)])


def of_scored(sampled: Sampled, held: Promise, on: On = "score") -> Calibration:
    """Returns the threshold on runs that have their scores, and what it catches of the bad ones."""
    good = grouped((run for run in sampled.runs if run.good and not run.copied), on)
    bad = grouped((run for run in sampled.runs if not run.good), on)
    bound = _bound(good, held, on)
    reason = _reason(len(good), bound, held, on)
    found = Calibration(
        on=on,
        false_alarms=held.rate,
        confidence=held.confidence,
        reason=reason,
        tasks=len(good),
        runs=sum(map(len, good)),
        fewest=held.fewest,
        missing=max(0, held.fewest - len(good)),
        gates=tuple(_gates(good, bad, held)) if on == "severity" and good else (),
        own_references=sampled.own_references,
        warnings=tuple(warnings.of_runs(sampled)),
        values=Values(good=_sorted(good), bad=_sorted(bad)),
        signature=dict(sampled.signature),
    )
    return found if reason or bound is None else _with_bound(found, good, bad, held, bound)


def _with_bound(
    found: Calibration,
    good: Sequence[Array],
    bad: Sequence[Array],
    held: Promise,
    bound: float,
) -> Calibration:
    """A calibration with its threshold, and what this does."""
    of_bad = caught(bad, bound)
    update: dict[str, Any] = {
        "spread": spread(good, held.allowed(good)),
        "stopped": alarms(good, bound) / len(good),
        "bad": of_bad,
    }
    if found.on == "severity":
        update["severity"] = SEVERITIES[int(bound) - 1]
    else:
        update["threshold"] = bound
    none = of_bad is not None and of_bad.of_runs.share == 0
    told = ["the threshold catches none of the bad runs: they score as good ones do"]
    return _warned(found.model_copy(update=update), told if none else ())


def with_broken(found: Calibration, broken: BrokenRuns) -> Calibration:
    """Returns a calibration with what its threshold makes of changed runs."""
    bound = bound_of(found)
    changed = broken.measured(found.on, bound)
    values = found.values.model_copy(update={"broken": _sorted([broken.damaged(found.on)])})
    update = {"broken": changed, "values": values}
    damage = [one.alarms for one in changed if not one.valid and one.edits is None]
    known = [one for one in damage if one is not None]
    if known and not any(one.of_runs.share for one in known):
        return _warned(
            found.model_copy(update=update), ["the threshold catches no run that was damaged"]
        )
    return found.model_copy(update=update)


def bound_of(found: Calibration) -> float:
    """Returns the number below which a value raises the alarm."""
    if found.on == "severity":
        assert found.severity is not None
        return float(SEVERITIES.index(found.severity) + 1)
    assert found.threshold is not None
    return found.threshold


def rounded_down(value: float) -> float:
    """Returns a threshold with few digits, below all that scored so on any machine."""
    units = 10.0**DIGITS
    return max(0, floor((value - MARGIN) * units)) / units


def _bound(good: Sequence[Array], held: Promise, on: On) -> float | None:
    """The number below which a value raises the alarm; None: not even the lowest holds."""
    exact = threshold(good, held.allowed(good)) if good else None
    return exact if exact is None or on == "severity" else rounded_down(exact)


def _reason(tasks: int, bound: float | None, held: Promise, on: On) -> str | None:
    """Why there is no threshold, if there is none."""
    if bound is None:
        return _too_few(tasks, held)
    if bound > 0:
        return None
    if on == "severity":
        return "too many good runs have a critical finding: no gate on findings holds the promise"
    return f"too many good runs have a {on} of 0, below which there is nothing"


def _too_few(tasks: int, held: Promise) -> str:
    sure = "" if held.confidence is None else f", {100 * held.confidence:g} % sure"
    return (
        f"{100 * held.rate:g} % of false alarms{sure} take {held.fewest} independent tasks with"
        f" good runs; there are {tasks}, {held.fewest - tasks} are missing"
    )


def _gates(good: Sequence[Array], bad: Sequence[Array], held: Promise) -> Iterator[SeverityGate]:
    allowed = held.allowed(good)
    for place, severity in enumerate(SEVERITIES, 1):
        total, of_bad = alarms(good, float(place)), caught(bad, float(place))
        yield SeverityGate(
            severity=severity,
            stopped=total / len(good),
            most=held.most(good, total),
            allowed=total <= allowed + MARGIN,
            caught=of_bad and of_bad.of_runs,
        )


def _sorted(groups: Sequence[Array]) -> tuple[float, ...]:
    return tuple(map(float, np.sort(np.concatenate(groups)))) if groups else ()


def _warned(found: Calibration, told: Iterator[str] | Sequence[str]) -> Calibration:
    return found.model_copy(update={"warnings": (*found.warnings, *told)})
