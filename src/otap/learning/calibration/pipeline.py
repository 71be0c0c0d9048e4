"""``otap.calibrate``: finds the gate for runs with outcomes, and measures its alarms."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor
from typing import Any, get_args

from otap.errors import ConfigError, shown
from otap.findings import SEVERITIES
from otap.learning.calibration.calibration import Calibration, On, SeverityGate, Values
from otap.learning.calibration.checks import reference_warnings, run_warnings
from otap.learning.calibration.conformal import (
    Array,
    Promise,
    alarm_total,
    measure_alarms,
    spread,
    threshold,
)
from otap.learning.calibration.scored import (
    ScoredSample,
    read_scored_results,
    score_readable,
    values_by_task,
)
from otap.learning.samples import Outcomes, Sample, build_sample, label_runs
from otap.scoring import Config
from otap.trajectory import Trajectory

FALSE_ALARMS = 0.05  # default limit of the rate of false alarms
MARGIN = 1e-9  # difference of one score between machines
THRESHOLD_DIGITS = 6  # decimals of a threshold


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
    """Finds the gate that limits the rate of false alarms on good runs of new tasks.

    Args:
        runs: runs with known outcomes, or a file of ``otap evaluate``, whose scores are used.
        references: known-good runs of their tasks; None: one good run of each task.
        outcomes: outcomes that replace the recorded ones, by run id or TASK/TRIAL, or one for each
            run.
        good_from: minimum outcome of a good run; None: 1.
        on: the kind of gate: score, skill or severity.
        false_alarms: share of good runs that the gate may stop, in (0, 1).
        confidence: share of calibrations in which this limit holds, in (0, 1); None: it holds on
            average over calibrations.
        config: the settings; None: the preset ``default``.
        jobs: number of processes; it changes no number.

    Raises:
        ConfigError: for a share outside of (0, 1), outcomes that name no run, or another ``on``.
        OtapError: if no run can be read or scored.
    """
    if on not in get_args(On):
        raise ConfigError(f"on: '{shown(on)}' is none of {', '.join(get_args(On))}")
    promise = make_promise(false_alarms, confidence)
    if isinstance(runs, str | os.PathLike):
        if outcomes is not None and not isinstance(outcomes, Mapping):
            raise ConfigError("outcomes: for a file of results, give a mapping from ids")
        return calibrate_scored(read_scored_results([runs], outcomes, good_from), promise, on)
    sample = build_sample(label_runs(runs, outcomes, good_from=good_from), references)
    return calibrate_sample(sample, config or Config(), promise, on, jobs)


def make_promise(false_alarms: float | None = None, confidence: float | None = None) -> Promise:
    """Returns the promise with this limit of the rate of false alarms.

    Args:
        false_alarms: the limit, in (0, 1); None: FALSE_ALARMS.
        confidence: share of calibrations in which it holds, in (0, 1); None: it holds on average.

    Raises:
        ConfigError: for a share outside of (0, 1).
    """
    rate = FALSE_ALARMS if false_alarms is None else false_alarms
    if not 0 < rate < 1:
        raise ConfigError("the share of false alarms must be between 0 and 1, such as 0.05")
    if confidence is not None and not 0 < confidence < 1:
        raise ConfigError("the confidence must be between 0 and 1, such as 0.9")
    return Promise(rate, confidence)


def calibrate_sample(
    sample: Sample, config: Config, promise: Promise, on: On = "severity", jobs: int = 1
) -> Calibration:
    """Scores a sample, finds its gate, and measures the alarms.

    Args:
        sample: runs with outcomes and references.
        config: the settings.
        promise: the limit of the rate of false alarms.
        on: the kind of gate.
        jobs: number of processes; it changes no number.

    Raises:
        OtapError: if no run can be scored.
    """
    readable, scored, failed = score_readable(sample, config, jobs)
    calibration = calibrate_scored(scored, promise, on)
    warnings = (*calibration.warnings, *failed, *reference_warnings(readable, config))
    return calibration.model_copy(update={"warnings": warnings})


def calibrate_scored(scored: ScoredSample, promise: Promise, on: On = "severity") -> Calibration:
    """Finds the gate for scored runs, and measures the alarms.

    Args:
        scored: the runs with their scores.
        promise: the limit of the rate of false alarms.
        on: the kind of gate.
    """
    good = values_by_task((run for run in scored.runs if run.good and not run.is_copy), on)
    bad = values_by_task((run for run in scored.runs if not run.good), on)
    bound = _find_bound(good, promise, on)
    reason = _find_reason(len(good), bound, promise, on)
    fields: dict[str, Any] = {}
    warnings = list(run_warnings(scored))
    if bound is not None and reason is None:
        fields = _measure_gate(good, bad, promise, on, bound)
        if fields["bad"] is not None and fields["bad"].of_runs.share == 0:
            warnings.append(
                "the threshold catches none of the bad runs: they score as high as good ones"
            )
    return Calibration(
        on=on,
        false_alarms=promise.rate,
        confidence=promise.confidence,
        reason=reason,
        tasks=len(good),
        runs=sum(len(group) for group in good),
        fewest=promise.min_tasks,
        missing=max(0, promise.min_tasks - len(good)),
        gates=tuple(_severity_gates(scored, promise)),
        own_references=scored.own_references,
        signature=dict(scored.signature),
        warnings=tuple(warnings),
        values=Values(good=_sorted(good), bad=_sorted(bad)),
        **fields,
    )


def _measure_gate(
    good: Sequence[Array], bad: Sequence[Array], promise: Promise, on: On, bound: float
) -> dict[str, Any]:
    """Returns the fields of a calibration that describe its gate."""
    is_severity = on == "severity"
    return {
        "spread": spread(good, promise.allowed_alarms(good)),
        "stopped": alarm_total(good, bound) / len(good),
        "bad": measure_alarms(bad, bound),
        "severity": SEVERITIES[int(bound) - 1] if is_severity else None,
        "threshold": None if is_severity else bound,
    }


def round_down(number: float) -> float:
    """Returns a threshold with few decimals, below the same score on any machine."""
    units = 10.0**THRESHOLD_DIGITS
    return max(0, floor((number - MARGIN) * units)) / units


def _find_bound(good: Sequence[Array], promise: Promise, on: On) -> float | None:
    """Returns the value below which a run raises an alarm; None: there are too few tasks."""
    exact = threshold(good, promise.allowed_alarms(good)) if good else None
    return exact if exact is None or on == "severity" else round_down(exact)


def _find_reason(tasks: int, bound: float | None, promise: Promise, on: On) -> str | None:
    """Returns why there is no gate; None: there is one."""
    if bound is None:
        sure = ""
        if promise.confidence is not None:
            sure = f" with {100 * promise.confidence:g} % confidence"
        return (
            f"at most {100 * promise.rate:g} % false alarms{sure} need {promise.min_tasks}"
            f" independent tasks with good runs; there are {tasks},"
            f" {promise.min_tasks - tasks} are missing"
        )
    if bound > 0:
        return None
    if on == "severity":
        return (
            "too many good runs have a critical finding, so no gate on findings keeps the promise;"
            " try --on score"
        )
    return f"too many good runs have a {on} of 0, and no threshold is lower"


def _severity_gates(scored: ScoredSample, promise: Promise) -> Iterator[SeverityGate]:
    """Measures the gates on findings; on copies of references if all good runs are such."""
    good_runs = [run for run in scored.runs if run.good]
    originals = [run for run in good_runs if not run.is_copy]
    good = values_by_task(originals or good_runs, "severity")
    bad = values_by_task((run for run in scored.runs if not run.good), "severity")
    if not good:
        return
    allowed = promise.allowed_alarms(good)
    for rank, severity in enumerate(SEVERITIES, 1):
        total = alarm_total(good, float(rank))
        caught = measure_alarms(bad, float(rank))
        yield SeverityGate(
            severity=severity,
            stopped=total / len(good),
            most=promise.rate_bound(good, total),
            allowed=total <= allowed + MARGIN,
            caught=caught and caught.of_runs,
        )


def _sorted(groups: Sequence[Array]) -> tuple[float, ...]:
    return tuple(sorted(number for group in groups for number in group.tolist()))
