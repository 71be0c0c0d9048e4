"""What a calibrated threshold stops of good and of bad runs, of tasks that it has not seen.

    python -m reproduction.studies.calibrating ../shared/data

Runs of tau-bench, airline tasks 0-24 and retail tasks 0-49, with their rewards; a run is good if
its reward is 1. Scored with nothing said (and, for comparison, with nothing recognised), against
gold and against one good run a task. The protocol, written before its figures were looked at:

- 200 splits by task, seeded. The tasks that have good runs and those that have none are each
  divided: on a half of the first the threshold is calibrated, at 5 %, and everything is measured on
  the good and bad runs of the other tasks. Where half of the tasks are fewer than the 19 that it
  takes, it is calibrated on 19.
- Airline alone has 15 tasks with good runs, 7 against its own: no threshold at 5 % can be
  calibrated on it. It is measured twice: in splits of both domains together; and one airline task
  after the other left out, with all other tasks of both domains calibrated on. That is no proof for
  airline alone: retail makes most of that threshold.
- Retail likewise, one task after the other left out: with 41 tasks to calibrate on and not 21.
- Airline alone at 10 %, which takes 9 tasks: three left out, 200 times.

False alarms: the share of good runs stopped, each task counting once; the mean of all splits, and
the quantiles 5 and 95 % of single ones. Caught: the share of all bad runs, the mean of all splits.
A split that allows no threshold stops nothing. Added after the first look, to see what the number
of tasks does: retail with three quarters of the tasks calibrated on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import otap
from otap.findings import SEVERITIES
from otap.learning.calibration import (
    Calibration,
    ScoredSample,
    calibrate_scored,
    make_promise,
    score_sample,
)
from otap.learning.calibration.calibration import On
from otap.learning.samples import build_sample, label_runs
from reproduction.paper.rows import head, print_lines, row

FILES = {
    "airline": Path("tau-bench") / "gpt-4o-airline.tasks-0-24.json",
    "retail": Path("tau-bench-retail") / "tasks-0-49.json",
}
CONFIGS = {"default": otap.Config(), "nothing recognised": otap.Config(recognise=False)}
MEASURES: Sequence[On] = ("score", "skill", "severity")
SPLITS = 200
Divided = tuple[set[str], set[str]]  # tasks to calibrate on, and tasks to measure on


@dataclass(frozen=True)
class Outcome:
    """What a threshold did to runs of tasks that it has not seen.

    Args:
        found: whether there was one.
        stopped: the share of the good runs, each task counting once; None: there were none.
        caught: the share of the bad runs, by domain.
    """

    found: bool
    stopped: float | None
    caught: Mapping[str, float]


def scored(data: Path, domain: str, *, gold: bool, config: otap.Config) -> ScoredSample:
    """The runs of a domain with their scores; a task is named by its domain too."""
    file = data / FILES[domain]
    references = otap.read_references(file) if gold else None
    found = score_sample(build_sample(label_runs(otap.read_all(file)), references), config, 2)
    return replace(found, runs=[replace(one, task=f"{domain} {one.task}") for one in found.runs])


def parts(runs: ScoredSample, on: On, share: float = 0.5) -> Iterator[Divided]:
    """Splits of the tasks, those with good runs and those without each by itself."""
    good, others = _tasks(runs, on)
    size = max(int(len(good) * share), make_promise().min_tasks)
    random = np.random.default_rng(0)
    for _ in range(SPLITS if size < len(good) else 0):
        drawn = list(map(str, random.permutation(good)))
        rest = list(map(str, random.permutation(others)))[: (len(others) + 1) // 2]
        yield set(drawn[:size]), {*drawn[size:], *rest}


def one_out(runs: ScoredSample, domain: str, on: On) -> Iterator[Divided]:
    """Each task of a domain left out, with all others calibrated on."""
    good, others = _tasks(runs, on)
    for task in (*good, *others):
        if task.startswith(domain):
            yield set(good) - {task}, {task}


def three_out(runs: ScoredSample, on: On) -> Iterator[Divided]:
    """Three tasks with good runs left out, and three of the others."""
    good, others = _tasks(runs, on)
    random = np.random.default_rng(0)
    for _ in range(SPLITS if len(good) > 3 else 0):
        drawn = list(map(str, random.permutation(good)))
        yield set(drawn[3:]), {*drawn[:3], *map(str, random.permutation(others)[:3])}


def _tasks(runs: ScoredSample, on: On) -> tuple[list[str], list[str]]:
    known = [run for run in runs.runs if run.measure(on) is not None]
    good = {run.task for run in known if run.good and not run.is_copy}
    return sorted(good), sorted({run.task for run in known} - good)


def _bound_of(found: Calibration) -> float:
    """The number below which a value raises the alarm."""
    if found.threshold is not None:
        return found.threshold
    return float(SEVERITIES.index(found.severity or SEVERITIES[0]) + 1)


def outcome(runs: ScoredSample, divided: Divided, rate: float, on: On) -> Outcome:
    """What a threshold does that one part of the tasks calibrates; none stops nothing."""
    chosen, unseen = divided
    part = replace(runs, runs=[run for run in runs.runs if run.task in chosen])
    found = calibrate_scored(part, make_promise(rate), on)
    bound = _bound_of(found) if found.has_gate else -np.inf
    good: dict[str, list[bool]] = {}
    bad: dict[str, list[bool]] = {}
    for run in runs.runs:
        value = run.measure(on)
        if run.task not in unseen or run.is_copy or value is None:
            continue
        key, held = (run.task, good) if run.good else (run.task.split()[0], bad)
        held.setdefault(key, []).append(value < bound)
    stopped = float(np.mean([np.mean(alarms) for alarms in good.values()])) if good else None
    caught = {domain: float(np.mean(alarms)) for domain, alarms in bad.items()}
    return Outcome(found.has_gate, stopped, caught)


def figures(found: Sequence[Outcome]) -> list[str]:
    """The cells of a row: splits with a threshold, false alarms, caught by domain."""
    stopped = [one.stopped for one in found if one.stopped is not None]
    cells = [f"{sum(one.found for one in found)} of {len(found)}", _spread(stopped)]
    return cells + [_spread([one.caught[d] for one in found if d in one.caught]) for d in FILES]


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    low, high = 100 * np.quantile(values, (0.05, 0.95))
    return f"{100 * np.mean(values):.1f} [{low:.0f}, {high:.0f}]"


def protocols(airline: ScoredSample, retail: ScoredSample, on: On) -> Iterator[Sequence[str]]:
    """The rows of one way to score: what was done, and its figures."""
    both = replace(retail, runs=[*airline.runs, *retail.runs])
    done = (
        ("retail, halves", retail, parts(retail, on), 0.05),
        ("retail, three quarters", retail, parts(retail, on, 0.75), 0.05),
        ("both, halves", both, parts(both, on), 0.05),
        ("both, an airline task out", both, one_out(both, "airline", on), 0.05),
        ("both, a retail task out", both, one_out(both, "retail", on), 0.05),
        ("airline at 10 %, three out", airline, three_out(airline, on), 0.1),
    )
    for name, runs, splits, rate in done:
        yield name, *figures([outcome(runs, divided, rate, on) for divided in splits])


def lines(data: Path) -> Iterator[str]:
    """The rows of a Markdown table."""
    columns = ("splits", "false alarms, %", "airline caught, %", "retail caught, %")
    yield from head(("settings", "references", "on", "calibrated on"), columns)
    for settings, config in CONFIGS.items():
        for gold in (True, False):
            airline, retail = (scored(data, d, gold=gold, config=config) for d in FILES)
            for on in MEASURES if settings == "default" else MEASURES[:1]:
                for name, *cells in protocols(airline, retail, on):
                    yield row((settings, "gold" if gold else "own", on, name), cells)


if __name__ == "__main__":
    print_lines(__doc__ or "", lines)
