"""Runs with known outcomes in, settings with their evidence and a report card out."""

import hashlib
from collections.abc import Collection, Iterable, Sequence

from otap.errors import NoReferenceError
from otap.learning.calls import Calls, calls_of
from otap.learning.card import doubts, report_card
from otap.learning.learned import Learned, Line, Rule, Runs, Tool
from otap.learning.runs import (
    Labelled,
    Outcomes,
    Sample,
    Scores,
    Tell,
    as_told,
    digest_of,
    sample,
    scorable,
    silent,
)
from otap.learning.setting import Setting, with_settings
from otap.learning.taught import Taught, taught
from otap.learning.weights import ToolWeight
from otap.scoring import Config
from otap.trajectory import Trajectory


def learn(
    runs: Iterable[Trajectory],
    references: Trajectory | Iterable[Trajectory] | None = None,
    *,
    outcomes: Outcomes | None = None,
    good_from: float | None = None,
    config: Config | None = None,
    jobs: int = 1,
) -> Learned:
    """Learns from runs whose outcomes are known what counts, and says what that is worth.

    Args:
        runs: the runs, good and bad, of several tasks.
        references: known-good runs of these tasks; None: of each task one of its good runs.
        outcomes: how the runs ended, in place of what they record: by id or TASK/TRIAL, or one for
            each run; a number, or whether it was good, or None. Left out: what they record.
        good_from: the outcome from which on a run is good; None: 1.
        config: the settings to begin with; None: the preset ``default``.
        jobs: how many processes score; the result is the same.

    Raises:
        ConfigError: if outcomes fit no runs.
        NoReferenceError: if no reference is of a task of these runs.
    """
    known = as_told(runs, outcomes, good_from=good_from)
    if isinstance(references, Trajectory):
        references = [references]
    gold = None if references is None else list(references)
    return learned(known, gold, config or Config(), jobs)


def learned(
    runs: Sequence[Labelled],
    references: Sequence[Trajectory] | None,
    config: Config,
    jobs: int = 1,
    tell: Tell = silent,
) -> Learned:
    """Learns from runs that were read with their outcomes.

    Args:
        runs: with whether they were good.
        references: known-good runs of their tasks; None: of each task one of its good runs.
        config: the settings to begin with.
        jobs: how many processes score.
        tell: is told how many runs are "scored" and parts of the tasks "held out", of how many.

    Raises:
        NoReferenceError: if no reference is of a task of these runs.
    """
    found = sample(runs, references)
    if found.unmatched and not found.cases and references is not None:
        raise NoReferenceError("no reference is of a task of these runs; a run's task pairs them")
    with scorable(found, config, jobs, tell) as (scores, failed):
        return _learned(runs, scores, config, failed, tell)


def _learned(
    runs: Sequence[Labelled], scores: Scores, config: Config, failed: Sequence[str], tell: Tell
) -> Learned:
    found, what, card = scores.sample, Taught(), None
    if len({case.good for case in found.cases}) == 2:
        what = taught(scores, found.tasks, config)
        card = report_card(scores, config, _settings, tell)
    calls, weights = calls_of(one.run for one in runs), {one.tool: one for one in what.weights}
    return Learned(
        runs=_runs(runs, found),
        began_with=config.model_dump(mode="json", exclude_defaults=True),
        tools=tuple(
            _tool(name, calls.get(name, Calls()), weights.get(name))
            for name in dict.fromkeys((*calls, *weights))
        ),
        rules=tuple(
            Rule(kind=one.kind, about=one.about, evidence=one.evidence, kept=one.kept)
            for one in what.rules
        ),
        settings=tuple(
            Line(path=one.path, value=one.value, evidence=one.evidence) for one in what.settings
        ),
        card=card,
        warnings=(*failed, *doubts(found, card, what.settings)),
        config=with_settings(config, what.settings),
    )


def _settings(scores: Scores, tasks: Collection[str], config: Config) -> Sequence[Setting]:
    return taught(scores, tasks, config).settings


def _runs(runs: Sequence[Labelled], found: Sample) -> Runs:
    has_outcome = any(one.good is not None for one in runs)
    references = "none" if not has_outcome else "runs" if found.of_runs else "given"
    parts = sorted(f"{digest_of(one.run)} {one.good}" for one in runs)
    return Runs(
        runs=len(runs), learned_from=len(found.cases), tasks=len(found.tasks),
        good=sum(case.good for case in found.cases), references=references,
        without_outcome=found.unlabelled, without_reference=found.unmatched,
        digest=hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16],
    )  # fmt: skip


def _tool(name: str, calls: Calls, found: ToolWeight | None) -> Tool:
    seen = Tool(
        name=name, recognised=dict(sorted(calls.roles.items())), runs=calls.runs,
        arguments=calls.named_keys,
    )  # fmt: skip
    if found is None:
        return seen
    said = {
        "learned": found.learned, "weight": found.weight, "low": found.low, "high": found.high,
        "kept": found.kept, "evidence": found.evidence,
    }  # fmt: skip
    return seen.model_copy(update=said)
