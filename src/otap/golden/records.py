"""Freezes good runs as references: one file for each task, without secrets and personal data.

One run of a task becomes a recording in OTAP's own format. Several become a plan.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import JsonValue

from otap._version import __version__
from otap.config import Config
from otap.errors import FormatError, shown
from otap.learning.plans import draft_plan
from otap.learning.toml import toml_value
from otap.plans import Plan, parse_plan
from otap.plans.model import PlanFile, iterate_tool_steps
from otap.run.identifiers import list_identifiers
from otap.run.placeholders import PLACEHOLDER, REDACTED, count_kinds
from otap.run.redaction import RunRedactor
from otap.scoring import Score, Scorer
from otap.scoring.signature import METRIC
from otap.tasks import assign_tasks
from otap.trajectory import SCHEMA_VERSION, Trajectory
from otap.values.value import text_of

RECORDED = "recorded"  # the key of the metadata with the provenance
MAX_SOURCES = 30  # runs that the provenance names
MAX_RECORDED = 5  # runs of one task that are recorded where no plan can join them
SAME = 0.9999  # a run with this score needs no recording of its own


@dataclass(frozen=True)
class Recording:
    """A reference made from good runs of one task.

    Attributes:
        task: the task; None if the runs name none.
        suffix: of its file: ``.json`` for a run, ``.toml`` for a plan.
        text: the content of its file.
        reference: the same as a reference.
        redacted: for each placeholder the first site of the value that it replaces.
        scores: of each run against the recording.
        unbound: the argument for which no plan of several runs can say where its value comes
            from. The runs themselves are then the references.
        others: in this case the content of further files, one for each run that differs.
        hide: returns a text about the runs without their private values.
    """

    task: str | None
    suffix: str
    text: str
    reference: Trajectory
    redacted: Mapping[str, str]
    scores: Sequence[Score]
    unbound: str | None = None
    others: Sequence[str] = ()
    hide: Callable[[str], str] = str

    @property
    def uncompared(self) -> list[str]:
        """Sentences on the arguments that no run can be compared in, because they are hidden."""
        sentences = (
            finding.sentence
            for score in self.scores
            for finding in score.findings
            if finding.kind == "uncompared"
        )
        return list(dict.fromkeys(sentences))

    @property
    def unlike(self) -> list[Score]:
        """The scores of the runs that differ critically from their own recording."""
        return [score for score in self.scores if score.severity == "critical"]


def record_runs(
    runs: Sequence[Trajectory],
    recorded_on: date,
    config: Config | None = None,
    *,
    redact: bool = True,
) -> list[Recording]:
    """Returns a recording for each task of some good runs, in the order of the tasks' names.

    Args:
        runs: the runs.
        recorded_on: the day, for the provenance.
        config: the settings; None for the preset ``default``.
        redact: whether secrets and personal data become placeholders.

    Raises:
        FormatError: if there is no run, or nothing was understood of one.
        LimitError: if a run is too long to be scored.
    """
    config = config or Config()
    if not runs:
        raise FormatError("references are recorded from good runs, and there is none")
    for run in runs:
        if not run.understood:
            raise FormatError(f"{shown(run.name)}: nothing was understood of it")
    by_task: dict[str | None, list[Trajectory]] = {}
    for run in assign_tasks(runs, config.task_rule):
        by_task.setdefault(run.task, []).append(run)
    return [
        _record_task(by_task[task], recorded_on, config, redact)
        for task in sorted(by_task, key=lambda name: name or "")
    ]


def _record_task(
    runs: Sequence[Trajectory], recorded_on: date, config: Config, redact: bool
) -> Recording:
    redactor = RunRedactor()
    redactions = redactor.redact_all(runs) if redact else []
    recorded = [redaction.run for redaction in redactions] or list(runs)
    sites: dict[str, str] = {}
    for redaction in redactions:
        for name, site in redaction.sites.items():
            if site != "metadata" or name not in sites:
                sites[name] = site
    scorer = Scorer(config)
    draft = draft_plan(recorded, config) if len(recorded) > 1 else None
    unbound = None if draft is None else _find_unbound(draft.plan, recorded)
    provenance: dict[str, Any] = {RECORDED: _describe_sources(recorded, recorded_on)}
    if sites:
        provenance[REDACTED] = count_kinds(sites)
    reference: Trajectory
    others: list[Trajectory] = []
    if draft is None or unbound is not None:
        chosen = _choose_different(recorded, scorer) if unbound else [0]
        reference, *others = (
            _freeze(
                recorded[k], {**provenance, RECORDED: _describe_sources([recorded[k]], recorded_on)}
            )
            for k in chosen
        )
        suffix, text = ".json", write_recording(reference)
    else:
        suffix = ".toml"
        text = f"{draft.text}\n[metadata]\n" + "".join(
            f"{key} = {toml_value(value)}\n" for key, value in provenance.items()
        )
        reference = _with_metadata(draft.plan, provenance)
    scores = [scorer.score(run, [reference, *others]) for run in runs]
    other_texts = [write_recording(other) for other in others]
    task = recorded[0].task
    hide = redactor.hide if redact else str
    return Recording(task, suffix, text, reference, sites, scores, unbound, other_texts, hide)


def _find_unbound(plan: Plan, runs: Sequence[Trajectory]) -> str | None:
    """The first argument of a plan that would allow too much, or refuse a good run's own ids.

    A placeholder there would be any value, such as any recipient. A text with an id that the run
    was given cannot be alike in the next run. A recording binds both to their source.
    """
    for step in iterate_tool_steps(PlanFile.model_validate(plan.written).steps):
        patterns = step.arguments if isinstance(step.arguments, dict) else {}
        for key, pattern in patterns.items():
            if not isinstance(pattern, dict):
                continue
            texts = [text_of(value) for value in _list_values(runs, step.tool, key)]
            # A secret may be another one in each run; a person may not.
            kinds = {match[1] for text in texts for match in PLACEHOLDER.finditer(text)}
            is_hidden = _allows_any(pattern) and not kinds <= {"secret"}
            if is_hidden or ("like" in pattern and _have_shown_ids(runs, texts)):
                return f"{step.tool}: {key}"
    return None


def _allows_any(pattern: Any) -> bool:
    """Whether a pattern allows any value, or any value somewhere within it."""
    if isinstance(pattern, dict):
        return pattern == {"any": True} or any(map(_allows_any, pattern.values()))
    return isinstance(pattern, list) and any(map(_allows_any, pattern))


def _list_values(
    runs: Sequence[Trajectory], tool: str | list[str] | None, key: str
) -> Iterator[JsonValue]:
    for run in runs:
        for step in run.steps:
            is_call = step.tool == tool or (isinstance(tool, list) and step.tool in tool)
            if is_call and isinstance(step.arguments, dict) and key in step.arguments:
                yield step.arguments[key]


def _have_shown_ids(runs: Sequence[Trajectory], texts: Sequence[str]) -> bool:
    """Whether a text has an identifier that a result of its run showed, and not its request."""
    for run in runs:
        requested = {name for text in run.request for name in list_identifiers(text)}
        shown_ids = {name for step in run.steps for name in list_identifiers(step.effect)}
        if any(shown_ids.intersection(list_identifiers(text)) - requested for text in texts):
            return True
    return False


def _choose_different(runs: Sequence[Trajectory], scorer: Scorer) -> list[int]:
    """The indices of the first run and of those that differ from all chosen before, at most a few.

    Each time the run is added that the chosen ones fit worst.
    """
    chosen = [0]
    while len(chosen) < MAX_RECORDED:
        references = [runs[k] for k in chosen]
        scores = [scorer.score(run, references).score for run in runs]
        worst = min(range(len(runs)), key=scores.__getitem__)
        if scores[worst] >= SAME:
            break
        chosen.append(worst)
    return chosen


def _with_metadata(plan: Plan, metadata: Mapping[str, Any]) -> Plan:
    return parse_plan({**plan.written, "metadata": dict(metadata)}, "recording")


def _describe_sources(runs: Sequence[Trajectory], recorded_on: date) -> dict[str, Any]:
    sources = [run.source.model_dump(exclude_none=True) for run in runs if run.source]
    provenance: dict[str, Any] = {
        "on": recorded_on.isoformat(),
        "otap": __version__,
        "metric": METRIC,
    }
    return {**provenance, "from": sources[:MAX_SOURCES]} if sources else provenance


def _freeze(run: Trajectory, provenance: Mapping[str, Any]) -> Trajectory:
    metadata = {**run.metadata, **provenance}
    return run.model_copy(update={"source": None, "metadata": metadata})


def write_recording(run: Trajectory) -> str:
    """Returns a run as JSON for people: one key a line, without keys that say nothing."""
    data = run.model_dump(mode="json", exclude_defaults=True)
    content = {"schema_version": SCHEMA_VERSION, **data}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class Replacement:
    """A recording beside the references of its task that exist already.

    Attributes:
        recording: the new one.
        existing: the references that it would replace.
        scores: of the new runs against the existing references.
    """

    recording: Recording
    existing: Sequence[Trajectory]
    scores: Sequence[Score]

    @property
    def is_unchanged(self) -> bool:
        """Whether the new runs are the same as the recording that exists."""
        return bool(self.existing) and all(
            score.score == 1 and all(finding.kind == "uncompared" for finding in score.findings)
            for score in self.scores
        )


def compare_with_existing(
    recordings: Sequence[Recording],
    runs: Sequence[Trajectory],
    references: Sequence[Trajectory],
    config: Config | None = None,
) -> Iterator[Replacement]:
    """Yields each recording with the references of its task and how the runs differ from them.

    Args:
        recordings: the recordings.
        runs: the runs that they were made from.
        references: all references that exist.
        config: the settings; None for the preset ``default``.
    """
    config = config or Config()
    scorer = Scorer(config)
    named_runs = assign_tasks(runs, config.task_rule)
    for recording in recordings:
        tasks = {recording.task, *(score.task for score in recording.scores)}
        existing = [reference for reference in references if reference.task in tasks]
        own_runs = [run for run in named_runs if run.task in tasks] if existing else []
        scores = [scorer.score(run, existing) for run in own_runs]
        yield Replacement(recording, existing, scores)


def name_stem(task: str | None, used_names: set[str]) -> str:
    """Returns the name of a recording's file without its suffix, and adds it to ``used_names``.

    Args:
        task: the task.
        used_names: the names of other files, in lower case.
    """
    safe = "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in task or "")
    stem = safe.encode("ascii", "replace").decode().replace("?", "-").strip("-.")[:60] or "run"
    name, number = stem, 2
    while name.lower() in used_names:
        name, number = f"{stem}-{number}", number + 1
    used_names.add(name.lower())
    return name
