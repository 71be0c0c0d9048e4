"""Runs with known outcomes in, settings with their evidence and a report card out."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from otap.errors import NoReferenceError
from otap.learning.card import report_card
from otap.learning.doubts import doubts
from otap.learning.learned import Learned, Runs, Tool
from otap.learning.roles import learned_tools
from otap.learning.runs import LabelledRun, Outcomes, Sample, digest_of, labelled, sample
from otap.learning.scores import Scores, Tell, scorable, silent
from otap.learning.setting import Setting, with_settings
from otap.run.roles import infer_role
from otap.scoring import Config
from otap.trajectory import Step, Trajectory

KEYS = 8  # of arguments, that are named


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
    known = labelled(runs, outcomes, good_from=good_from)
    if isinstance(references, Trajectory):
        references = [references]
    gold = None if references is None else list(references)
    return learned(known, gold, config or Config(), jobs)


def learned(
    runs: Sequence[LabelledRun],
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
    runs: Sequence[LabelledRun], scores: Scores, config: Config, failed: Sequence[str], tell: Tell
) -> Learned:
    found, tools, card = scores.sample, list[Tool](), None
    if len(set(found.good.tolist())) == 2:
        tools = learned_tools(scores, found.tasks, config)
        card = report_card(scores, config, _learned_settings, tell)
    settings = tuple(tool.setting for tool in tools if tool.setting is not None)
    return Learned(
        runs=_runs(runs, found),
        began_with=config.model_dump(mode="json", exclude_defaults=True),
        tools=tuple(_merge_tools(_called_tools(one.run for one in runs), tools)),
        settings=settings,
        card=card,
        warnings=(*failed, *doubts(found, card, settings)),
        config=with_settings(config, settings),
    )


def _learned_settings(scores: Scores, tasks: Collection[str], config: Config) -> list[Setting]:
    """What some tasks teach; nothing where their outcomes are all the same."""
    if len({case.good for case in scores.sample.cases if case.task in tasks}) < 2:
        return []
    tools = learned_tools(scores, tasks, config)
    return [tool.setting for tool in tools if tool.setting is not None]


def _runs(runs: Sequence[LabelledRun], found: Sample) -> Runs:
    has_outcome = any(one.good is not None for one in runs)
    references = "none" if not has_outcome else "runs" if found.of_runs else "given"
    parts = sorted(f"{digest_of(one.run)} {one.good}" for one in runs)
    return Runs(
        runs=len(runs), learned_from=len(found.cases), tasks=len(found.tasks),
        good=int(found.good.sum()), references=references,
        without_outcome=found.unlabelled, without_reference=found.unmatched,
        digest=hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16],
    )  # fmt: skip


def _called_tools(runs: Iterable[Trajectory]) -> list[Tool]:
    """The tools that runs call, the most runs first."""
    roles: dict[str, Counter[str]] = {}
    keys: dict[str, Counter[str]] = {}
    count: Counter[str] = Counter()
    for run in runs:
        called = set()
        for tool, step in _calls(run.steps):
            called.add(tool)
            roles.setdefault(tool, Counter())[infer_role(step, run.tools)] += 1
            arguments = step.arguments if isinstance(step.arguments, dict) else {}
            keys.setdefault(tool, Counter()).update(arguments.keys())
        count.update(called)
    return [
        Tool(
            name=name,
            recognised=dict(sorted(roles[name].items())),
            runs=count[name],
            arguments=tuple(sorted(keys[name], key=lambda key: (-keys[name][key], key))[:KEYS]),
        )
        for name in sorted(count, key=lambda name: (-count[name], name))
    ]


def _calls(steps: Iterable[Step]) -> Iterator[tuple[str, Step]]:
    """The calls among steps and those inside them, each behind its tool."""
    for step in steps:
        if step.tool:
            yield step.tool, step
        yield from _calls(step.substeps)


def _merge_tools(called: Iterable[Tool], taught: Iterable[Tool]) -> Iterator[Tool]:
    """What outcomes say of tools beside what all runs call, in the order of the latter."""
    learned_of = {tool.name: tool for tool in taught}
    for tool in called:
        if (known := learned_of.pop(tool.name, None)) is None:
            yield tool
        else:
            update = {"recognised": tool.recognised, "runs": tool.runs, "arguments": tool.arguments}
            yield known.model_copy(update=update)
    for tool in learned_of.values():  # tools of references alone
        yield tool.model_copy(update={"recognised": {}})
