"""What is learned of tools from tau-bench's outcomes, and what it is worth on other tasks.

    python -m reproduction.studies.learning ../shared/data

The protocol. Runs are scored against their gold actions; outcome: full reward. What is learned of
the runs of some tasks is used on the runs of others:

- airline has tasks 0-24 (100 runs). Half on half is 0-12 and 13-24, both ways.
- retail has tasks 0-49 (100 runs). Everything was chosen on airline and on retail's tasks 0-24
  (``--half develop``). With ``--half report`` both ways between 0-24 and 25-49; looked at once.
- A name is hidden by another that says nothing, in runs and gold. One reading (or thinking, or
  handing over) name at a time: learned on four fifths of the tasks, used on the last, five times,
  in as many shuffles of the tasks as ``--seeds`` says; only runs of one fifth are held against
  each other. Below "all right", the figure with all names. A writing name is made a reading one
  likewise.
- Shuffled outcomes: how often anything is kept where outcomes mean nothing (among all runs, runs
  of a task apart), with all names, with one reading name hidden, and with none.

AUROC x 100 of good against other runs: over all, and over pairs of one task, a tie counting half.
In brackets the 95 % interval of a bootstrap over tasks.
"""

import argparse
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import otap
from otap.learning.learned import Tool
from otap.learning.roles import learned_tools
from otap.learning.runs import LabelledRun, Sample, labelled, sample
from otap.learning.scores import Outline, Scores
from otap.learning.setting import with_settings
from otap.scoring import Config
from reproduction.paper.measures import (
    Array,
    Interval,
    Weighted,
    by_task,
    interval_of,
    labelled_auroc,
    ranked,
)
from reproduction.paper.rows import cell, head, row

SILENT = (
    *("alpha", "bravo", "charlie", "delta", "foxtrot", "golf", "hotel", "india", "juliett"),
    *("kilo", "lima", "mike", "november", "oscar", "papa", "quebec", "romeo", "sierra", "tango"),
    *("uniform", "victor", "whiskey", "xray", "yankee", "zulu"),
)
FOLDS = 5
READING = "lookup_record"  # what a writing tool is called that is misnamed
Names = Mapping[str, str]


@dataclass(frozen=True)
class Domain:
    """Runs with their gold, and the two parts of their tasks that are learned on in turn."""

    name: str
    runs: Sequence[otap.Trajectory]
    gold: Sequence[otap.Trajectory]
    halves: tuple[frozenset[str], frozenset[str]]

    @property
    def tasks(self) -> frozenset[str]:
        """All tasks."""
        return self.halves[0] | self.halves[1]

    def of(self, tasks: Collection[str]) -> "Domain":
        """The part that some tasks make."""
        runs, gold = ([t for t in ts if t.task in tasks] for ts in (self.runs, self.gold))
        return replace(self, runs=runs, gold=gold)

    def sample(self, names: Names) -> Sample:
        """The runs, with some tools called otherwise."""
        runs, gold = (_renamed(ts, names) for ts in (self.runs, self.gold))
        return sample(labelled(runs), gold)

    def tools(self) -> dict[str, str]:
        """What was recognised of each tool."""
        with Scores(self.sample({})) as scores:
            found = learned_tools(scores, self.tasks, Config())
        return {one.name: one.role for one in found}


def domains(data: Path, half: str) -> list[Domain]:
    """Airline, and of retail what a half allows."""
    air = _domain("airline", data / "tau-bench", 13, 25)
    last = 50 if half == "report" else 25
    return [air, _domain("retail", data / "tau-bench-retail", 25 if last == 50 else 13, last)]


def _domain(name: str, folder: Path, middle: int, last: int) -> Domain:
    parts = range(middle), range(middle, last)
    one, other = (frozenset(map(str, part)) for part in parts)
    whole = Domain(name, list(otap.read_all(folder)), otap.read_references(folder), (one, other))
    return whole.of(whole.tasks)


def _renamed(trajectories: Iterable[otap.Trajectory], names: Names) -> list[otap.Trajectory]:
    return [
        one.model_copy(
            update={
                "steps": tuple(
                    step.model_copy(update={"tool": names.get(str(step.tool), step.tool)})
                    for step in one.steps
                )
            }
        )
        for one in trajectories
    ]


class Relabelled(Scores):
    """The scores of a sample whose outcomes are others."""

    def __init__(self, scores: Scores, good: Sequence[bool]) -> None:
        cases = zip(scores.sample.cases, good, strict=True)
        changed = tuple(replace(case, good=bool(one)) for case, one in cases)
        super().__init__(replace(scores.sample, cases=changed))
        self._scores = scores

    def of(self, config: Config) -> list[Outline]:
        """The scores that were made, which no outcome changes."""
        return self._scores.of(config)


def learned(scores: Scores, tasks: Collection[str]) -> tuple[Config, Sequence[Tool]]:
    """What is learned on some tasks."""
    found = learned_tools(scores, tasks, Config())
    return with_settings(Config(), [tool.setting for tool in found if tool.setting]), found


def crossed(scores: Scores, parts: Sequence[Collection[str]]) -> list[float]:
    """Scores of the cases of each part, under what was learned on the other parts."""
    found = [0.0] * len(scores.sample.cases)
    for part in parts:
        rest = [task for task in scores.sample.tasks if task not in part]
        made = scores.of(learned(scores, rest)[0])
        for place, case in enumerate(scores.sample.cases):
            if case.task in part:
                found[place] = made[place].score
    return found


def figures(
    cases: Sequence[LabelledRun], values: Sequence[float], parts: Sequence[str] | None = None
) -> tuple[Weighted, Weighted, int]:
    """The AUROC of scores over all cases, and within tasks, as functions of weights of tasks.

    With parts, runs of one part alone are held against each other: others had other settings.
    """
    tasks = [case.task for case in cases]
    good = np.array([case.good for case in cases])
    families = ["good" if one else "bad" for one in good]
    pairs = ranked(["good"], ["bad"])(by_task(tasks, families, values))
    return labelled_auroc(np.array(values), good, tasks, parts), pairs, len(set(tasks))


def beside(
    cases: Sequence[LabelledRun],
    values: Sequence[float],
    base: Sequence[float],
    parts: Sequence[str] | None = None,
) -> list[Interval]:
    """Figures over all and within tasks, and by how much each is above that of other scores."""
    *mine, count = figures(cases, values, parts)
    *others, _ = figures(cases, base, parts)
    found = [interval_of([one], count) for one in mine]
    return found + [
        interval_of([_difference(one, other)], count)
        for one, other in zip(mine, others, strict=True)
    ]


def _difference(one: Weighted, other: Weighted) -> Weighted:
    def at(weights: Array) -> Array:
        return one(weights) - other(weights)

    return at


def half_on_half(domain: Domain, names: Names, jobs: int) -> Iterator[str]:
    """Rows: learned on each half, used on the other."""
    with Scores(domain.sample({}), jobs) as right:
        known = [one.score for one in right.of(Config())]
    with Scores(domain.sample(names), jobs) as scores:
        plain = [one.score for one in scores.of(Config())]
        for part in domain.halves:
            config, found = learned(scores, domain.tasks - part)
            made = [one.score for one in scores.of(config)]
            places = [k for k, case in enumerate(scores.sample.cases) if case.task in part]
            cases = [scores.sample.cases[place] for place in places]
            chosen = [[values[place] for place in places] for values in (made, plain, known)]
            kept = {value: key for key, value in names.items()}
            changed = [kept.get(one.name, one.name) for one in found if one.kept]
            label = domain.name, "all" if names else "none", _span(part), _listed(changed)
            against = chosen[2] if names else chosen[1]
            yield row(label, [cell(one, 1) for one in beside(cases, chosen[0], against)])


def _span(tasks: Iterable[str]) -> str:
    numbers = sorted(map(int, tasks))
    return f"{numbers[0]}-{numbers[-1]}"


def _listed(tools: Sequence[str]) -> str:
    return ", ".join(tools) if len(tools) < 4 else f"{len(tools)} tools"


def one_renamed(
    domain: Domain, roles: Collection[str], name: str, seeds: int, jobs: int
) -> Iterator[str]:
    """Rows: each tool of some roles renamed; what is learned on four fifths, used on the last."""
    with Scores(domain.sample({}), jobs) as right:
        known = [one.score for one in right.of(Config())]
    total: list[tuple[Array, Array]] = []
    for tool, role in domain.tools().items():
        if role not in roles:
            continue
        with Scores(domain.sample({tool: name}), jobs) as scores:
            below = [_below(scores, known, _parts(domain.tasks, seed)) for seed in range(seeds)]
        total += below
        yield row((domain.name, tool), _summary(below))
    yield row((domain.name, "mean"), _summary(total))


def _summary(below: Sequence[tuple[Array, Array]]) -> list[str]:
    """Over all runs and within tasks: nothing learned, and the mean and worst of what was."""
    missed, learnt = (np.array([pair[place] for pair in below]) for place in (0, 1))
    columns = zip(missed.mean(axis=0), learnt.mean(axis=0), learnt.min(axis=0), strict=True)
    return [" / ".join(f"{figure:+.1f}" for figure in figures) for figures in columns]


def _below(
    scores: Scores, known: Sequence[float], parts: Sequence[Sequence[str]]
) -> tuple[Array, Array]:
    """By how much figures are below those of known names: nothing learned, and learned."""
    cases = scores.sample.cases
    part = {task: str(k) for k, tasks in enumerate(parts) for task in tasks}
    groups = [part[case.task] for case in cases]
    plain = [one.score for one in scores.of(Config())]
    one, other = (
        np.array([figure.value for figure in beside(cases, values, known, groups)[2:]])
        for values in (plain, crossed(scores, parts))
    )
    return one, other


def _parts(tasks: Iterable[str], seed: int) -> list[list[str]]:
    order = sorted(tasks, key=int)
    random.Random(seed).shuffle(order)
    return [order[k::FOLDS] for k in range(FOLDS)]


def shuffled(domain: Domain, names: Names, draws: int, jobs: int) -> str:
    """A row: how often anything is kept where outcomes are shuffled, and what it costs."""
    with Scores(domain.sample(names), jobs) as scores:
        cases, kept, below = scores.sample.cases, 0, []
        truth = [one.score for one in scores.of(Config())]
        for seed in range(draws):
            good = _shuffled(scores.sample.good.tolist(), seed)
            config, found = learned(Relabelled(scores, good), domain.tasks)
            kept += any(one.kept for one in found)
            made = [one.score for one in scores.of(config)]
            below.append(beside(cases, made, truth)[2].value)
    shown = "none" if not names else "all" if len(names) > 1 else _listed(list(names))
    return row((domain.name, shown), [f"{kept} of {draws}", f"{np.mean(below):+.1f}"])


def _shuffled(good: Sequence[bool], seed: int) -> list[bool]:
    order = list(good)
    random.Random(seed).shuffle(order)
    return order


def lines(data: Path, half: str, seeds: int, jobs: int) -> Iterator[str]:
    """All tables."""
    compared = domains(data, half)
    yield from head(
        ("learned elsewhere, used on", "names hidden", "tasks", "kept"),
        ["all runs", "within tasks", "all, against all names", "within, against all names"],
    )
    for domain in compared:
        hidden = dict(zip(sorted(domain.tools()), SILENT, strict=False))
        for names in ({}, hidden):
            yield from half_on_half(domain, names, jobs)
    told = ["all runs: not learned / mean / worst", "within tasks: the same"]
    for title, roles, name in (
        ("reading name hidden, below all names", ("reads", "thinks", "hands_over"), SILENT[0]),
        ("writing name that reads, below all names", ("writes",), READING),
    ):
        yield from ("", *head(("runs", title), told))
        for domain in compared:
            yield from one_renamed(domain, roles, name, seeds, jobs)
    yield from ("", *head(("outcomes shuffled", "names hidden"), ["kept", "all runs, true"]))
    for domain in compared:
        tools = domain.tools()
        reading = next(tool for tool, role in tools.items() if role == "reads")
        hidden = dict(zip(sorted(tools), SILENT, strict=False))
        for names in ({}, {reading: SILENT[0]}, hidden):
            yield shuffled(domain, names, 4 * seeds, jobs)


def main() -> None:
    """The command: the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=("develop", "report"), default="develop")
    parser.add_argument("--seeds", type=int, default=3, help="shuffles of tasks, and of outcomes")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    for line in lines(options.data, options.half, options.seeds, options.jobs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
