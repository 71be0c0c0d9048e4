"""Runs with outcomes in, a calibration out; ``otap.calibrate``."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import floor
from typing import Any, get_args

from otap.alignment import SEVERITIES
from otap.errors import ConfigError, shown
from otap.learning.calibration.calibration import Calibration, On, SeverityGate, Values
from otap.learning.calibration.checks import (
    BrokenRuns,
    broken_runs,
    damaged_runs,
    measure_broken,
    reference_warnings,
    run_warnings,
)
from otap.learning.calibration.conformal import (
    Array,
    Promise,
    alarms,
    caught,
    spread,
    threshold,
)
from otap.learning.calibration.scored import (
    Sampled,
    grouped,
    score_readable,
    scored_results,
)
from otap.learning.parameters import FALSE_ALARMS, MARGIN, THRESHOLD_DIGITS
from otap.learning.runs import Outcomes, Sample, labelled, sample
from otap.scoring import Config
from otap.trajectory import Trajectory


def calibrate(
    runs: Iterable[Trajectory] | str | os.PathLike[str],
    references: Sequence[Trajectory] | None = None,
    *,
    outcomes: Outcomes | None = None,
    good_from: float | None = None,
    on: On = "severity",
    false_alarms: float = FALSE_ALARMS,
    confidence: float | None = None,
    config: Config | None = None,
    jobs: int = 1,
) -> Calibration:
    """Returns the threshold that holds a rate of false alarms on good runs of new tasks.

    Args:
        runs: runs whose outcomes are known; or a file of ``otap evaluate``, whose scores are taken.
        references: known-good runs of their tasks; None: one good run a task.
        outcomes: outcomes by the id of a run or by TASK/TRIAL, or one for each run, in place of the
            recorded ones.
        good_from: the outcome from which on a run is good; None: 1.
        on: what the threshold is put on: score, skill or severity.
        false_alarms: the share of good runs that may be stopped.
        confidence: in what share of calibrations that shall hold; None: on average over them.
        config: how runs are scored; None: the preset ``default``.
        jobs: processes that score.

    Raises:
        ConfigError: for a share out of (0, 1), outcomes that name no run, or another ``on``.
        OtapError: if a run cannot be read or scored.
    """
    if on not in get_args(On):
        raise ConfigError(f"on: '{shown(on)}' is none of {', '.join(get_args(On))}")
    held = promise(false_alarms, confidence)
    if isinstance(runs, str | os.PathLike):
        if outcomes is not None and not isinstance(outcomes, Mapping):
            raise ConfigError("outcomes: of a file of results give a mapping from ids")
        return of_scored(scored_results([runs], outcomes, good_from), held, on)
    known = sample(labelled(runs, outcomes, good_from=good_from), references)
    return calibrated(known, config or Config(), held, on, jobs)


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
    sample: Sample, config: Config, held: Promise, on: On = "severity", jobs: int = 1
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
    known, sampled, failed = score_readable(sample, config, jobs)
    found = of_scored(sampled, held, on, lambda: broken_runs(known, config, jobs))
    told = (*found.warnings, *failed, *reference_warnings(known, config))
    return found.model_copy(update={"warnings": told})


def of_scored(
    sampled: Sampled,
    held: Promise,
    on: On = "severity",
    break_runs: Callable[[], BrokenRuns] | None = None,
) -> Calibration:
    """Returns the threshold on runs that have their scores, and what it catches.

    Args:
        sampled: the runs.
        held: the promise.
        on: what the threshold is put on.
        break_runs: makes and scores broken runs, which the threshold is held against if there is
            one; None: none are at hand.
    """
    good = grouped((run for run in sampled.runs if run.good and not run.copied), on)
    bad = grouped((run for run in sampled.runs if not run.good), on)
    bound = _bound(good, held, on)
    reason = _reason(len(good), bound, held, on)
    fields: dict[str, Any] = {}
    warnings, damage = [*run_warnings(sampled)], list[Array]()
    if bound is not None and reason is None:
        fields = _effects(good, bad, held, on, bound)
        if fields["bad"] is not None and fields["bad"].of_runs.share == 0:
            told = "the threshold catches none of the bad runs: they score as good ones do"
            warnings.append(told)
        if break_runs is not None:
            broken = break_runs()
            changed = fields["broken"] = tuple(measure_broken(broken, on, bound))
            damage = grouped(damaged_runs(broken), on)
            known = [one.alarms for one in changed if not one.valid and one.edits is None]
            shares = [alarms.of_runs.share for alarms in known if alarms]
            if shares and not any(shares):
                warnings.append("the threshold catches no run that was damaged")
    return Calibration(
        on=on,
        false_alarms=held.rate,
        confidence=held.confidence,
        reason=reason,
        tasks=len(good),
        runs=sum(map(len, good)),
        fewest=held.fewest,
        missing=max(0, held.fewest - len(good)),
        gates=tuple(_gates(sampled, held)),
        own_references=sampled.own_references,
        signature=dict(sampled.signature),
        warnings=tuple(warnings),
        values=Values(good=_sorted(good), bad=_sorted(bad), broken=_sorted(damage)),
        **fields,
    )


def _effects(
    good: Sequence[Array], bad: Sequence[Array], held: Promise, on: On, bound: float
) -> dict[str, Any]:
    """A threshold, and what it does."""
    is_gate = on == "severity"
    return {
        "spread": spread(good, held.allowed(good)),
        "stopped": alarms(good, bound) / len(good),
        "bad": caught(bad, bound),
        "severity": SEVERITIES[int(bound) - 1] if is_gate else None,
        "threshold": None if is_gate else bound,
    }


def rounded_down(value: float) -> float:
    """Returns a threshold with few digits, below all that scored so on any machine."""
    units = 10.0**THRESHOLD_DIGITS
    return max(0, floor((value - MARGIN) * units)) / units


def _bound(good: Sequence[Array], held: Promise, on: On) -> float | None:
    """The number below which a value raises the alarm; None: not even the lowest holds."""
    exact = threshold(good, held.allowed(good)) if good else None
    return exact if exact is None or on == "severity" else rounded_down(exact)


def _reason(tasks: int, bound: float | None, held: Promise, on: On) -> str | None:
    """Why there is no threshold, if there is none."""
    if bound is None:
        sure = "" if held.confidence is None else f", {100 * held.confidence:g} % sure"
        return (
            f"{100 * held.rate:g} % of false alarms{sure} take {held.fewest} independent tasks with"
            f" good runs; there are {tasks}, {held.fewest - tasks} are missing"
        )
    if bound > 0:
        return None
    if on == "severity":
        return (
            "too many good runs have a critical finding: no gate on findings holds the promise;"
            " --on score looks for a threshold"
        )
    return f"too many good runs have a {on} of 0, below which there is nothing"


def _gates(sampled: Sampled, held: Promise) -> Iterator[SeverityGate]:
    """What gates on findings do; where all good runs are copies of references, on these."""
    known = [run for run in sampled.runs if run.good]
    own = [run for run in known if not run.copied]
    good = grouped(own or known, "severity")
    bad = grouped((run for run in sampled.runs if not run.good), "severity")
    if not good:
        return
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
    return tuple(sorted(value for group in groups for value in group.tolist()))
