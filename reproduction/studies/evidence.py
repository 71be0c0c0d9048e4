"""Public runs with outcomes, scored by OTAP and by its rivals: docs/evidence.md.

    scripts/evidence [DATA]

Every metric with no settings. Two figures a data set: the AUROC of the runs that succeeded against
those that did not, over all pairs of runs and over pairs of one task, where a tie counts half. In
brackets is the 95 % interval of a bootstrap over tasks with a fixed seed (over runs, where there is
one task). A rival is ahead or behind where the interval of its paired difference from OTAP leaves
out 0, and level elsewhere.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

import otap
from otap.encoders import Encoder, load_encoder
from reproduction.corpora import planbench, tau_bench
from reproduction.corpora.cases import Benchmark, Case
from reproduction.paper.measures import (
    Interval,
    Weighted,
    by_task,
    interval_of,
    labelled_auroc,
    ranked,
)
from reproduction.paper.otap_metrics import scores
from reproduction.paper.rows import cell, head, row
from reproduction.rivals import rivals
from reproduction.studies.tau_bench_reward import MODES, domains

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
DATA = Path(__file__).parents[3] / "shared" / "data"
MEASURES = ("all pairs", "same task")
MIN_PAIRS = 10  # of one task; fewer decide nothing


@dataclass(frozen=True)
class DataSet:
    """Runs with outcomes, and the group of each run, which the bootstrap draws as a whole."""

    name: str
    outcome: str
    runs: Benchmark
    groups: Sequence[str]

    @property
    def good(self) -> int:
        """The number of runs that succeeded."""
        return sum(bool(case.valid) for case in self.runs.cases)


@dataclass(frozen=True)
class Figures:
    """The figures of a metric on a data set by measure, and their differences from OTAP's."""

    metric: str
    values: Mapping[str, Interval]
    differences: Mapping[str, Interval]

    def verdict(self, measure: str) -> str:
        """Returns "ahead" or "behind" where the difference from OTAP is certain, else "level"."""
        difference = self.differences[measure]
        if difference.low > 0:
            return "ahead"
        return "behind" if difference.high < 0 else "level"


def read_data_sets(data: Path) -> list[DataSet]:
    """Returns the public runs with outcomes; those of tau-bench that are held back stay out."""
    airline, retail = (domain.runs for domain in domains(data, "develop"))
    return [
        _by_task("tau-bench airline", "the reward", airline),
        _by_task("tau-bench retail", "the reward", retail),
        _by_task("PlanBench", "the validator", planbench.oracle(data / "planbench")),
        _tau2(data / "tau2"),
    ]


def _by_task(name: str, outcome: str, runs: Benchmark) -> DataSet:
    return DataSet(name, outcome, runs, [case.task for case in runs.cases])


def _tau2(folder: Path) -> DataSet:
    """The simulations of the one task that the folder has results of."""
    runs = list(otap.read_all(folder / "results"))
    cases = [Case(str(run.task), "reward", str(run.trial), run.outcome == 1, run) for run in runs]
    # Their own gold: these runs had a task that was changed.
    made = Benchmark("tau2", tau_bench.gold_by_task(folder / "results"), cases)
    return DataSet("tau2 airline", "the reward", made, [str(index) for index in range(len(runs))])


def scores_by_metric(
    data_set: DataSet, encoder: Encoder, names: Sequence[str] = MODES
) -> dict[str, list[float]]:
    """Returns the scores of the runs by metric, OTAP first."""
    metrics = rivals(encoder)
    made = data_set.runs
    found = {"OTAP": scores(made, otap.Config(), encoder)}
    for name in names:
        found[name] = [metrics[name](case.run, made.references[case.task]) for case in made.cases]
    return found


def compare(data_set: DataSet, by_metric: Mapping[str, Sequence[float]]) -> list[Figures]:
    """Returns the figures of each metric, and their paired differences from the first one."""
    first, *_ = by_metric
    weighted = {name: _measure(data_set, values) for name, values in by_metric.items()}
    count = len(set(data_set.groups))
    return [
        Figures(
            name,
            {measure: interval_of([figure], count) for measure, figure in of_metric.items()},
            {
                measure: interval_of([_difference(figure, weighted[first][measure])], count)
                for measure, figure in of_metric.items()
            },
        )
        for name, of_metric in weighted.items()
    ]


def _difference(figure: Weighted, other: Weighted) -> Weighted:
    return lambda weights: figure(weights) - other(weights)


def _measure(data_set: DataSet, values: Sequence[float]) -> dict[str, Weighted]:
    """The figures of a metric as functions of the weights of groups; too few pairs have none."""
    valid = np.array([bool(case.valid) for case in data_set.runs.cases])
    measures = {"all pairs": labelled_auroc(np.array(values), valid, data_set.groups, None)}
    tasks = [case.task for case in data_set.runs.cases]
    if list(data_set.groups) == tasks and same_task_pairs(data_set) >= MIN_PAIRS:
        families = ["good" if good else "bad" for good in valid]
        measures["same task"] = ranked(["good"], ["bad"])(by_task(tasks, families, values))
    return measures


def same_task_pairs(data_set: DataSet) -> int:
    """Returns the number of pairs of a good and a bad run of one task."""
    good = [case.task for case in data_set.runs.cases if case.valid]
    bad = [case.task for case in data_set.runs.cases if not case.valid]
    return sum(good.count(task) for task in bad)


def describe_sets(data_sets: Sequence[DataSet]) -> Iterator[str]:
    """Yields the rows of a Markdown table of the data sets."""
    yield from head(("data set", "outcome by"), ("runs", "good", "tasks", "pairs of one task"))
    for one in data_sets:
        counts = (len(one.runs.cases), one.good, len(one.runs.references), same_task_pairs(one))
        yield row((one.name, one.outcome), [f"{count}" for count in counts])


def tabulate(results: Mapping[str, Sequence[Figures]]) -> Iterator[str]:
    """Yields the rows of a Markdown table: a metric, its figures on each data set."""
    columns = [
        (name, measure)
        for name, figures in results.items()
        for measure in MEASURES
        if measure in figures[0].values
    ]
    yield from head(("metric",), [f"{name}, {measure}" for name, measure in columns])
    by_name = {
        name: {one.metric: one.values for one in figures} for name, figures in results.items()
    }
    for metric in (one.metric for one in next(iter(results.values()))):
        cells = [cell(by_name[name][metric][measure], 1) for name, measure in columns]
        yield row((metric,), cells)


def judge(results: Mapping[str, Sequence[Figures]]) -> Iterator[str]:
    """Yields the rows of a Markdown table: where OTAP is first, and who is ahead or level."""
    yield from head(
        ("data set", "measure"), ("place of OTAP", "certainly ahead", "level with OTAP")
    )
    for name, figures in results.items():
        ours, *others = figures
        for measure, value in ours.values.items():
            higher = sum(one.values[measure].value > value.value for one in others)
            sides = [
                ", ".join(one.metric for one in others if one.verdict(measure) == verdict) or "none"
                for verdict in ("ahead", "level")
            ]
            yield row((name, measure), [f"{higher + 1} of {len(figures)}", *sides])


def write_parts(parts: Mapping[str, Sequence[str]], page: Path = PAGE) -> None:
    """Writes each part between its marks in the page."""
    text = page.read_text("utf-8")
    for name, lines in parts.items():
        before, _, rest = text.partition(f"<!-- {name} -->\n")
        _, _, after = rest.partition(f"<!-- /{name} -->")
        text = "\n".join([f"{before}<!-- {name} -->", *lines, f"<!-- /{name} -->{after}"])
    page.write_text(text, "utf-8")


def main() -> None:
    """The command: computes the tables and writes them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, nargs="?", default=DATA, help="the folder of the runs")
    data_sets = read_data_sets(parser.parse_args().data)
    encoder = load_encoder("wordllama")
    results = {one.name: compare(one, scores_by_metric(one, encoder)) for one in data_sets}
    made = f"Made on {date.today():%d %B %Y} with OTAP {otap.__version__}."
    parts = {
        "made": [made],
        "sets": list(describe_sets(data_sets)),
        "table": list(tabulate(results)),
        "first": list(judge(results)),
    }
    for lines in parts.values():
        print(*lines, "", sep="\n")
    write_parts(parts)


if __name__ == "__main__":
    main()
