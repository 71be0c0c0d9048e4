"""What a report card cannot be believed for, in words."""

import hashlib
import json
from collections.abc import Iterator, Sequence

import numpy as np

from otap._numbers import count_text
from otap.learning.card import Card, Ranking, gain_text
from otap.learning.parameters import ENOUGH_RUNS, ENOUGH_TASKS, REVEALING
from otap.learning.runs import HOW, Sample
from otap.learning.setting import Setting
from otap.trajectory import Trajectory


def doubts(sample: Sample, card: Card | None, settings: Sequence[Setting]) -> list[str]:
    """Returns what to mind, a line each without its end.

    Args:
        sample: the cases.
        card: what was found of them; None: there are none of both outcomes.
        settings: what was learned.
    """
    if sample.unlabelled and not sample.cases and not sample.unmatched:
        return [f"no run has an outcome; {HOW}"]
    lines = [*_left_out(sample), *_one_sided(sample)]
    if card is not None:
        lines += [*_few_tasks(card), *_nothing_gained(card, settings)]
    lines += _runs_as_references(sample)
    return [*lines, *_number_of_references(sample)] if sample.cases else lines


def _left_out(sample: Sample) -> Iterator[str]:
    if sample.unlabelled:
        yield f"{count_text(sample.unlabelled, 'run')} without an outcome: left out"
    if sample.unmatched:
        why = "good run of its task" if sample.of_runs else "reference of its task"
        yield f"{count_text(sample.unmatched, 'run')} without a {why} to compare with: left out"
    elif sample.of_runs and not sample.cases:
        yield "no run is left to compare: the one good run of each task is its reference"


def _one_sided(sample: Sample) -> Iterator[str]:
    count = len(sample.cases)
    good = int(sample.good.sum())
    fewer, which, other = min((good, "good", "bad"), (count - good, "bad", "good"))
    if not count or fewer >= ENOUGH_RUNS:
        return
    beside = "beside the references " if sample.of_runs and which == "good" else ""
    if not fewer:
        yield (
            f"{beside}no run is {which}, so that nothing can be said of what makes a run {other}:"
            f" {ENOUGH_RUNS} at least of each are needed"
        )
    else:
        is_are = "is" if fewer == 1 else "are"
        yield (
            f"{beside}only {count_text(fewer, 'run')} of {count:,} {is_are} {which}: what is said"
            f" of them may be chance; {ENOUGH_RUNS} at least are needed"
        )


def _few_tasks(card: Card) -> Iterator[str]:
    count = card.tasks_with_pairs
    if not card.folds:
        yield "of one task nothing can be held out, so that what is learned was tried on no other"
    if not count:
        yield (
            "no task has both good and bad runs, so that nothing can be said within tasks, and over"
            " all runs hard tasks cannot be told from bad runs; run each task several times"
        )
    elif count < ENOUGH_TASKS:
        missed = 0.9**count
        yield (
            f"only {count_text(count, 'task')} {'has' if count == 1 else 'have'} both good and bad"
            f" runs: a score that ranks one task in ten wrongly looks perfect on so few in"
            f" {100 * missed:.0f} of 100 samples; on {ENOUGH_TASKS} in 5"
        )


def _nothing_gained(card: Card, settings: Sequence[Setting]) -> Iterator[str]:
    """By the loss of the outcome: a figure of few pairs moves by chance."""
    gain = card.gain
    if not settings or gain is None or gain.mean > gain.standard_error:
        return
    said = "loses" if gain.mean < -gain.standard_error else "gains nothing"
    yield f"what was learned {said} on tasks held out ({gain_text(gain)}): leave it out"


def _runs_as_references(sample: Sample) -> Iterator[str]:
    references = {_digest_run(one) for case in sample.cases for one in case.references}
    own = [case for case in sample.cases if _digest_run(case.run) in references]
    if not own:
        return
    runs = f"{count_text(len(own), 'run')}, {sum(case.good is True for case in own)} of them good,"
    if sample.of_runs:
        yield f"{runs} no different from the reference of the task, step by step: a score of 1"
        return
    yield (
        f"{runs} {'is' if len(own) == 1 else 'are'} among the references:"
        " compared with itself a run scores 1, and a good one has one other reference fewer than a"
        " bad one; leave them out of the runs or of the references"
    )


def _number_of_references(sample: Sample) -> Iterator[str]:
    numbers = np.array([float(len(case.references)) for case in sample.cases])
    ranking = Ranking(numbers, sample.good, sample.owners)
    within, overall = ranking.within().value, ranking.overall().value
    if within not in (None, 0.5):
        yield (
            "within tasks good runs have more or fewer references than bad ones: their mere number"
            f" has an AUROC of {100 * within:.0f}; give all runs of a task the same references"
        )
    elif overall is not None and overall >= REVEALING:
        yield (
            "good runs are of tasks with more references, whose mere number has an AUROC of"
            f" {100 * overall:.0f} over all runs: believe the figure within tasks, or give each"
            " task as many references"
        )


def _digest_run(run: Trajectory) -> bytes:
    """A digest of what was asked, done and told; equal for two copies of a run."""
    steps = [
        step.model_dump(mode="json", exclude={"id", "depends_on", "metadata"}) for step in run.steps
    ]
    text = json.dumps([run.request, steps, run.told], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
