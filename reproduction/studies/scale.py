"""Calibration of the scale: ``skill`` on real corpora, beside ``score``.

    python -m reproduction.studies.scale ../shared/data [--encoder wordllama] [--part NAME]

Five tables: runs of one task against the references of another; what their matched steps cost;
levels of damage and families of edits; an agent that has one tool; and whether a threshold chosen
on some tasks or corpora carries over to the one left out. The corpora are those to choose by, and
tau-bench's runs.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

import otap
from otap import Score, Step, Trajectory
from otap.encoders import Encoder, load_encoder
from otap.run import FIELDS
from reproduction.corpora.cases import LADDER, Benchmark
from reproduction.paper.measures import Interval, interval_of
from reproduction.paper.rows import head, row
from reproduction.studies.choosing import corpora
from reproduction.studies.unrelated_cost import BY_COSTS, costs_of_matched

PAIRS = 400  # of unrelated tasks a corpus, drawn where there are more
FAMILIES = ("P1", "P2", "P3", "P4", "P5")
ONE = "python"  # the tool of an agent that has one
WRITTEN = "hand, written references"
OTHER = "search"  # what it does not have
Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]
References = Sequence[Trajectory]
Pair = tuple[Trajectory, References]


@dataclass(frozen=True)
class Corpus:
    """Tasks with a run that can be held against the references of others, and judged cases."""

    name: str
    references: Mapping[str, References]
    runs: Mapping[str, References]
    judged: Sequence[tuple[str, Trajectory, bool]]


def perturbed(made: Benchmark) -> Corpus:
    """A benchmark's canonical solutions as runs, and its cases of which the label is known."""
    judged = [(case.task, case.run, case.valid) for case in made.cases if case.valid is not None]
    runs = {task: several[:1] for task, several in made.references.items()}
    return Corpus(made.name, made.references, runs, judged)


def airline(data: Path) -> Corpus:
    """tau-bench's runs, good where they were rewarded; tasks with nothing to do are left out."""
    golds = [gold for gold in otap.read_references(data / "tau-bench") if gold.steps]
    references = {str(gold.task): [gold] for gold in golds}
    runs: dict[str, list[Trajectory]] = {task: [] for task in references}
    for run in otap.read_all(data / "tau-bench"):
        if run.task in runs and run.steps:
            runs[str(run.task)].append(run)
    judged = [(task, run, run.outcome == 1.0) for task, found in runs.items() for run in found]
    return Corpus("tau-bench airline", references, runs, judged)


def unrelated(one: Corpus, other: Corpus) -> list[Pair]:
    """Runs of a task of one corpus against the references of another task of the other."""
    found = [
        (run, references)
        for (name, runs), (task, references) in product(one.runs.items(), other.references.items())
        for run in runs
        if (one.name, name) != (other.name, task)
    ]
    return random.Random(0).sample(found, min(PAIRS, len(found)))


def unrelated_lines(every: Sequence[Corpus], encoder: Encoder) -> Iterator[str]:
    """The scores of runs against references of unrelated tasks, as table rows."""
    scorer = otap.Scorer(encoder=encoder)
    yield "| runs of | references of | pairs | score, median | skill, median | 95 % below | most |"
    yield "|---|---|---|---|---|---|---|"
    pairs = [(one, other) for one in every for other in every if _apart(one, other)]
    for one, other in pairs:
        found = scorer.score_many(unrelated(one, other))
        skills, scores = _skills(found), np.array([score.score for score in found])
        middle, high, most = np.percentile(skills, [50, 95, 100])
        theirs = "another task of it" if one is other else other.name
        yield (
            f"| {one.name} | {theirs} | {len(found)} | {np.median(scores):.2f} | "
            f"{middle:.3f} | {high:.3f} | {most:.2f} |"
        )


def _apart(one: Corpus, other: Corpus) -> bool:
    """Each corpus with itself, and all with the hand corpus."""
    return one is other or (other.name == WRITTEN and _foreign(one.name, other.name))


def _skills(found: Sequence[Score]) -> Array:
    return np.array([score.skill for score in found], dtype=float)


def level_lines(benchmarks: Sequence[Benchmark], encoder: Encoder) -> Iterator[str]:
    """The mean score and skill of each level of damage and each family of edits."""
    scorer = otap.Scorer(encoder=encoder)
    columns = [*LADDER, *FAMILIES]
    yield from head(("corpus", "number"), columns)
    for made in benchmarks:
        found = scorer.score_many((case.run, made.references[case.task]) for case in made.cases)
        families = np.array([case.family for case in made.cases])
        numbers = {"score": np.array([score.score for score in found]), "skill": _skills(found)}
        for name, values in numbers.items():
            cells = [_mean(values[families == family]) for family in columns]
            yield row((made.name, name), cells)


def _mean(values: Array) -> str:
    return f"{values.mean():.2f}" if len(values) else "-"


def paper_scorer(encoder: Encoder, settings: Mapping[str, object]) -> otap.Scorer:
    """A scorer by the paper's metric, whose skill 0 is an unrelated run."""
    return otap.Scorer(otap.Config.preset("paper", paper=settings), encoder=encoder)


def own_costs(corpus: Corpus, encoder: Encoder) -> dict[str, float]:
    """What matched steps of different tasks of one corpus cost, by field, all fields in use.

    The median over every second pair; as shipped for what the corpus does not record.
    """
    scorer = paper_scorer(encoder, BY_COSTS)
    pairs = [(run, references[:1]) for run, references in unrelated(corpus, corpus)[::2]]
    found: dict[str, list[float]] = {}
    for score in scorer.score_many(pairs):
        if score.mass is not None:
            for name, cost in costs_of_matched(score).items():
                found.setdefault(name, []).append(cost)
    medians = {name: float(np.median(costs)) for name, costs in found.items()}
    return {**as_shipped(scorer), **medians}


def as_shipped(scorer: otap.Scorer) -> dict[str, float]:
    """The unrelated costs of a scorer by field, read off the signature of any score."""
    anything = Trajectory(steps=(Step(id="1", action="look"),))
    return dict(scorer.score(anything, anything).signature.unrelated_cost or {})


def own_scale(corpus: Corpus, encoder: Encoder) -> otap.Scorer:
    """A scorer by the paper's metric for which skill 0 is another task of the same corpus."""
    return paper_scorer(encoder, {"unrelated_cost": own_costs(corpus, encoder)})


def cost_lines(every: Sequence[Corpus], encoder: Encoder) -> Iterator[str]:
    """c0 of each corpus, and the skill of its other unrelated runs with it."""
    shipped = as_shipped(paper_scorer(encoder, {}))
    yield from head(("c0 of",), (*FIELDS, "unrelated skill, median", "95 % below"))
    yield row(("as shipped",), (*(f"{shipped[name]:.2f}" for name in FIELDS), "", ""))
    for corpus in every:
        scorer = own_scale(corpus, encoder)
        costs = as_shipped(scorer)
        seen = {name: cost for name, cost in costs.items() if cost != shipped[name]}
        skills = _skills(scorer.score_many(unrelated(corpus, corpus)[1::2]))
        middle, high = np.percentile(skills, [50, 95])
        cells = [f"{seen[name]:.2f}" if name in seen else "-" for name in FIELDS]
        yield row((corpus.name,), (*cells, f"{middle:.3f}", f"{high:.3f}"))


def one_tool(run: Trajectory) -> Trajectory:
    """The run of an agent that has one tool: what was called is part of the arguments."""
    return _stepwise(run, _as_code)


def _as_code(step: Step) -> Step:
    if step.kind != "tool" or not isinstance(step.arguments, dict):
        return step.model_copy(update={"tool": ONE})
    return step.model_copy(update={"tool": ONE, "arguments": {"call": step.tool, **step.arguments}})


def _stepwise(run: Trajectory, change: Callable[[Step], Step]) -> Trajectory:
    return run.model_copy(update={"steps": tuple(change(step) for step in run.steps)})


def mistooled(run: Trajectory) -> Trajectory:
    """The run with another tool in its first step."""
    first = run.steps[0].model_copy(update={"tool": OTHER})
    return run.model_copy(update={"steps": (first, *run.steps[1:])})


@dataclass(frozen=True)
class OneTool:
    """Treatments of the tool where every run calls the same one; ``outside``: where some do not."""

    scorer: otap.Scorer
    outside: otap.Scorer


def one_tool_ways(corpus: Corpus, encoder: Encoder) -> Mapping[str, OneTool]:
    """The tool as a field like others; left out of the pair; no cost in what skill 0 is.

    The last by the pair, by its reference alone, and with all costs of the corpus's own tasks.
    """
    plain = otap.Scorer(encoder=encoder)
    costs = {**as_shipped(paper_scorer(encoder, {})), "tool": 0.0}
    without = otap.Config.preset("default", weights={"tool": 0.0})
    skill, own = paper_scorer(encoder, {"unrelated_cost": costs}), own_scale(corpus, encoder)
    return {
        "as it is": OneTool(plain, plain),
        "left out": OneTool(otap.Scorer(without, encoder=encoder), plain),
        "left out of skill 0": OneTool(skill, plain),
        "the same, by the reference": OneTool(skill, skill),
        "skill 0 is another task": OneTool(own, own),
    }


def one_tool_lines(every: Sequence[Corpus], encoder: Encoder) -> Iterator[str]:
    """Unrelated runs of an agent with one tool, its good and bad runs, and a wrong tool."""
    yield (
        "| corpus | the tool | unrelated skill, median | 95 % below | AUROC of score | "
        "a wrong tool raises the score | the skill |"
    )
    yield "|---|---|---|---|---|---|---|"
    for corpus in every:
        converted = _converted(corpus)
        for name, way in one_tool_ways(converted, encoder).items():
            skills = _skills(way.scorer.score_many(unrelated(converted, converted)))
            middle, high = np.percentile(skills, [50, 95])
            raised = _raised(converted, way)
            auroc = _auroc(converted, way)
            yield (
                f"| {corpus.name} | {name} | {middle:.3f} | {high:.3f} | {auroc:.0f} | "
                f"{100 * raised[0]:.0f} % | {100 * raised[1]:.0f} % |"
            )


def _converted(corpus: Corpus) -> Corpus:
    return Corpus(
        corpus.name,
        {task: [one_tool(one) for one in several] for task, several in corpus.references.items()},
        {task: [one_tool(one) for one in several] for task, several in corpus.runs.items()},
        [(task, one_tool(run), valid) for task, run, valid in corpus.judged],
    )


def _auroc(corpus: Corpus, way: OneTool) -> float:
    """Of runs with the one tool against the references of their task."""
    pairs = [(run, corpus.references[task]) for task, run, _ in corpus.judged]
    scores = np.array([found.score for found in way.scorer.score_many(pairs)])
    valid = np.array([good for _, _, good in corpus.judged])
    difference = np.round(scores[valid][:, None] - scores[~valid][None, :], 9)
    return float(100 * ((difference > 0) + 0.5 * (difference == 0)).mean())


def _raised(corpus: Corpus, way: OneTool) -> tuple[float, float]:
    """How often a run's score, and its skill, rise when its first step takes a wrong tool."""
    whole = [(run, corpus.references[task]) for task, run, _ in corpus.judged if run.steps]
    before = way.scorer.score_many(whole)
    after = way.outside.score_many((mistooled(run), references) for run, references in whole)
    scores = [b.score < a.score - 1e-9 for b, a in zip(before, after, strict=True)]
    skills = _skills(before) < _skills(after) - 1e-9
    return float(np.mean(scores)), float(skills.mean())


def curve(values: Array, valid: Labels, thresholds: Array) -> Array:
    """The balanced accuracy at each threshold: what reaches it is called valid."""
    reach = values[:, None] >= thresholds[None, :]
    found: Array = (reach[valid].mean(axis=0) + 1 - reach[~valid].mean(axis=0)) / 2
    return found


def chosen(groups: Sequence[tuple[Array, Labels]]) -> float:
    """The threshold of the largest mean balanced accuracy over groups; of several the middle."""
    values = np.unique(np.round(np.concatenate([found for found, _ in groups]), 9))
    thresholds = (values[1:] + values[:-1]) / 2
    total = sum(curve(found, valid, thresholds) for found, valid in groups)
    best = thresholds[total >= np.max(total) - 1e-12]
    return float(best[len(best) // 2])


@dataclass(frozen=True)
class Judged:
    """Numbers of judged cases, their labels and their tasks."""

    numbers: Mapping[str, Array]
    valid: Labels
    tasks: Sequence[str]


def judged(corpus: Corpus, encoder: Encoder) -> Judged:
    """Score and skill of each judged case, with skill 0 as shipped and as the corpus has it."""
    pairs = [(run, corpus.references[task]) for task, run, _ in corpus.judged]
    found = otap.Scorer(encoder=encoder).score_many(pairs)
    numbers = {
        "score": np.array([score.score for score in found]),
        "skill": _skills(found),
        "skill, own scale": _skills(own_scale(corpus, encoder).score_many(pairs)),
    }
    valid = np.array([valid for _, _, valid in corpus.judged])
    return Judged(numbers, valid, [task for task, _, _ in corpus.judged])


def over_tasks(values: Array, valid: Labels, tasks: Sequence[str]) -> Interval:
    """The mean balanced accuracy on a task with the threshold of the others of its corpus."""
    names, found = np.array(tasks), []
    for task in dict.fromkeys(tasks):
        mine = names == task
        if valid[mine].all() or not valid[mine].any():
            continue
        threshold = np.array([chosen([(values[~mine], valid[~mine])])])
        found.append(curve(values[mine], valid[mine], threshold)[0])
    rows = np.array(found)
    return interval_of([lambda weights: 100 * weights @ rows / weights.sum(axis=1)], len(rows))


def threshold_lines(every: Sequence[Corpus], encoder: Encoder) -> Iterator[str]:
    """Balanced accuracy with thresholds of other tasks, and with those of other corpora."""
    found = {corpus.name: judged(corpus, encoder) for corpus in every}
    yield "| left out | number | its own best | other tasks' threshold | other corpora's | at |"
    yield "|---|---|---|---|---|---|"
    carried: dict[str, list[float]] = {}
    for name, mine in found.items():
        others = [other for key, other in found.items() if _foreign(name, key)]
        for number, values in mine.numbers.items():
            own = np.array([chosen([(values, mine.valid)])])
            threshold = np.array([chosen([(one.numbers[number], one.valid) for one in others])])
            within = over_tasks(values, mine.valid, mine.tasks)
            carried.setdefault(number, []).append(_balanced(values, mine.valid, threshold))
            best = _balanced(values, mine.valid, own)
            yield (
                f"| {name} | {number} | {best:.0f} (at {own[0]:.2f}) | "
                f"{within.value:.0f} [{within.low:.0f}, {within.high:.0f}] | "
                f"{carried[number][-1]:.0f} | {threshold[0]:.2f} |"
            )
    for number, values_of in carried.items():
        yield f"| all, the mean | {number} | | | {np.mean(values_of):.1f} | |"


def _balanced(values: Array, valid: Labels, threshold: Array) -> float:
    return float(100 * curve(values, valid, threshold)[0])


def _foreign(name: str, other: str) -> bool:
    """Whether two corpora have no task in common: variants of one begin with the same word."""
    return name.split()[0].rstrip(",") != other.split()[0].rstrip(",")


def main() -> None:
    """Prints the tables, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--encoder", default="wordllama")
    parser.add_argument(
        "--part", choices=("unrelated", "costs", "levels", "one tool", "thresholds")
    )
    options = parser.parse_args()
    encoder = load_encoder(options.encoder)
    benchmarks = list(corpora(options.data, "development"))
    every = [*map(perturbed, benchmarks), airline(options.data)]
    called = [corpus for corpus in every if corpus.name.startswith(("hand, written", "tau"))]
    parts: Mapping[str, Callable[[], Iterator[str]]] = {
        "unrelated": lambda: unrelated_lines(every, encoder),
        "costs": lambda: cost_lines(every, encoder),
        "levels": lambda: level_lines(benchmarks, encoder),
        "one tool": lambda: one_tool_lines(called, encoder),
        "thresholds": lambda: threshold_lines(every, encoder),
    }
    for name, lines in parts.items():
        if options.part in (None, name):
            print("\n".join([*lines(), ""]))


if __name__ == "__main__":
    main()
