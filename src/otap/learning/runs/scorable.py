"""The cases of a sample that can be scored, and why others cannot."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from otap.errors import OtapError
from otap.learning.runs.sample import Case, Sample
from otap.learning.runs.scores import Scores, Tell, silent
from otap.scoring import Config, Scorer


@contextmanager
def scorable(
    sample: Sample, config: Config, jobs: int, tell: Tell = silent
) -> Iterator[tuple[Scores, list[str]]]:
    """Gives the scores of a sample without what cannot be scored, of which it says why, in lines.

    Args:
        sample: the cases.
        config: settings under which all that is left can be scored.
        jobs: processes that score.
        tell: is told what is scored, as by :class:`Scores`.

    Raises:
        OtapError: if no case can be scored.
    """
    with Scores(sample, jobs, tell) as scores:
        try:
            scores.of(config)
        except OtapError:
            pass
        else:
            yield scores, []
            return
    left, failed = _without_failing(sample, config)
    with Scores(left, jobs, tell) as scores:
        yield scores, failed


def _without_failing(sample: Sample, config: Config) -> tuple[Sample, list[str]]:
    scorer, cases, failed = Scorer(config), list[Case](), list[OtapError]()
    for case in sample.cases:
        try:
            scorer.score(case.run, case.references)
        except OtapError as error:
            failed.append(error)
        else:
            cases.append(case)
    if not cases:
        raise failed[0]
    lines = [f"a run cannot be scored and is left out: {error}" for error in failed]
    return replace(sample, cases=tuple(cases)), lines
