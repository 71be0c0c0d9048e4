"""Whole scores: one run against a few references, and the nearest of a corpus."""

from dataclasses import dataclass
from functools import partial
from itertools import repeat
from pathlib import Path

import numpy as np

import otap
from benchmarks.sample import Sample, Task, interleaved, ratios, say, times

_HOTEL = Path(__file__).parents[1] / "examples" / "hotel-booking"
_RUN = _HOTEL / "runs" / "wrong_tool.json"
_REFERENCES = (
    _HOTEL / "reference.json",
    _HOTEL / "runs" / "exchanged_filters.json",
    _HOTEL / "runs" / "paraphrased.json",
)
_VERBS = ("search", "book", "cancel", "compare", "list", "open", "read", "rank")
_NOUNS = ("flights", "hotels", "invoices", "tickets", "reports", "users", "orders", "files")
_PLACES = ("Lisbon", "Oslo", "Kyoto", "Lima", "Cairo", "Quito", "Delhi", "Perth")


@dataclass(frozen=True)
class NearestFigures:
    """The nearest of a corpus against scoring a run against all of it, a query a round."""

    references: int
    nearest: Sample
    all: Sample
    faster: Sample
    solved_share: Sample


def score_ms(seconds: float) -> Sample:
    """Milliseconds of a score of six steps against three references, vectors cached."""
    say("  one score, six steps against three references")
    run, references = otap.read(_RUN), [otap.read(path) for path in _REFERENCES]
    scorer = otap.Scorer()
    scorer.score(run, references)
    found = interleaved(repeat({"score": partial(scorer.score, run, references)}), seconds)
    return Sample.of(1e3 * run.seconds for run in found["score"])


def nearest(tasks: int, variants: int, queries: int) -> NearestFigures:
    """Searches a corpus of so many variants of so many tasks, as all of it is scored."""
    scorer = otap.Scorer(otap.Config(contraction=False))  # as the search compares
    say(f"  nearest of {tasks * variants} references, {queries} queries")
    rng = np.random.default_rng(3)
    plans = [plan(rng, int(rng.integers(5, 13))) for _ in range(tasks)]
    corpus = [variant(rng, one, f"{k}") for k, one in enumerate(plans) for _ in range(variants)]
    runs = [variant(rng, plans[int(rng.integers(tasks))], "query") for _ in range(queries)]
    scorer.score_many([(run, reference) for run in runs[:1] for reference in corpus])
    for run in runs:
        scorer.score(run, corpus[0])  # all texts are encoded beforehand
    found = interleaved([_ways(scorer, run, corpus) for run in runs])
    return NearestFigures(
        references=len(corpus),
        nearest=times(found["nearest"]),
        all=times(found["all"]),
        faster=ratios(found["all"], found["nearest"]),
        solved_share=Sample.of(run.result.solved / len(corpus) for run in found["nearest"]),
    )


def _ways(
    scorer: otap.Scorer, run: otap.Trajectory, corpus: list[otap.Trajectory]
) -> dict[str, Task]:
    pairs = [(run, reference) for reference in corpus]
    return {
        "nearest": partial(scorer.nearest, run, corpus, 1),
        "all": partial(scorer.score_many, pairs),
    }


def plan(rng: np.random.Generator, length: int) -> list[otap.Step]:
    """So many steps, each needing a recent one."""
    return [_step(rng, k) for k in range(length)]


def _step(rng: np.random.Generator, k: int) -> otap.Step:
    verb, noun, place = (str(rng.choice(words)) for words in (_VERBS, _NOUNS, _PLACES))
    return otap.Step(
        id=str(k),
        action=f"{verb} the {noun} of {place}",
        tool=f"{verb}_{noun}",
        arguments={"place": place, "limit": int(rng.integers(1, 50))},
        effect=f"found {int(rng.integers(2, 90))} {noun} in {place}",
        depends_on=[str(int(rng.integers(max(0, k - 3), k)))] if k else [],
    )


def variant(rng: np.random.Generator, steps: list[otap.Step], name: str) -> otap.Trajectory:
    """A plan with about a step in five replaced by something else."""
    found = [
        _step(rng, k).model_copy(update={"depends_on": step.depends_on})
        if rng.random() < 0.2
        else step
        for k, step in enumerate(steps)
    ]
    return otap.Trajectory(id=name, steps=found)
