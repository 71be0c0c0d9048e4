"""Whether references tell the outcome of a run by themselves, before any step is compared."""

import hashlib
import json
from collections.abc import Iterator

import numpy as np

from otap._numbers import count_text
from otap.learning.card.ranking import Ranking
from otap.learning.runs import Sample
from otap.trajectory import Trajectory

# AUROC of the mere number of references, over all runs, from which on it is said.
TELLING = 0.6


def leaks(sample: Sample) -> Iterator[str]:
    """Yields why references tell the outcome, a line each."""
    yield from _runs_as_references(sample)
    if sample.cases:
        yield from _number_of_references(sample)


def _runs_as_references(sample: Sample) -> Iterator[str]:
    references = {_content(one) for case in sample.cases for one in case.references}
    own = [case for case in sample.cases if _content(case.run) in references]
    if not own:
        return
    runs = f"{count_text(len(own), 'run')}, {sum(case.good for case in own)} of them good,"
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
    good = np.array([case.good for case in sample.cases], dtype=np.bool_)
    ranking = Ranking(numbers, good, [case.task for case in sample.cases])
    within, overall = ranking.within().value, ranking.overall().value
    if within not in (None, 0.5):
        yield (
            "within tasks good runs have more or fewer references than bad ones: their mere number"
            f" has an AUROC of {100 * within:.0f}; give all runs of a task the same references"
        )
    elif overall is not None and overall >= TELLING:
        yield (
            "good runs are of tasks with more references, whose mere number has an AUROC of"
            f" {100 * overall:.0f} over all runs: believe the figure within tasks, or give each"
            " task as many references"
        )


def _content(run: Trajectory) -> bytes:
    """A digest of what was asked, done and told; equal for two copies of a run."""
    steps = [
        step.model_dump(mode="json", exclude={"id", "depends_on", "metadata"}) for step in run.steps
    ]
    text = json.dumps([run.request, steps, run.told], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
