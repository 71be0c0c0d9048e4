"""Freezes good runs as references: one file for each task, without secrets and personal data.

One run of a task becomes a recording in OTAP's own format. Several become a plan.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from otap._version import __version__
from otap.config import Config
from otap.errors import FormatError, shown
from otap.learning.plans import draft_plan
from otap.learning.toml import toml_value
from otap.plans import Plan, parse_plan
from otap.run.placeholders import REDACTED, Placeholders
from otap.scoring import Score, Scorer
from otap.scoring.signature import METRIC
from otap.tasks import assign_tasks
from otap.trajectory import SCHEMA_VERSION, Trajectory

RECORDED = "recorded"  # the key of the metadata with the provenance
MAX_SOURCES = 30  # runs that the provenance names


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
    """

    task: str | None
    suffix: str
    text: str
    reference: Trajectory
    redacted: Mapping[str, str]
    scores: Sequence[Score]

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
    placeholders = Placeholders()
    redactions = [placeholders.redact(run) for run in runs] if redact else []
    recorded = [redaction.run for redaction in redactions] or list(runs)
    sites: dict[str, str] = {}
    for redaction in redactions:
        for name, site in redaction.sites.items():
            if site != "metadata" or name not in sites:
                sites[name] = site
    provenance: dict[str, Any] = {RECORDED: _describe_sources(runs, recorded_on)}
    if sites:
        provenance[REDACTED] = _count_kinds(sites)
    scorer = Scorer(config)
    reference: Trajectory
    if len(recorded) == 1:
        reference = _freeze(recorded[0], provenance)
        suffix, text = ".json", write_recording(reference)
    else:
        draft = draft_plan(recorded, config)
        suffix = ".toml"
        text = f"{draft.text}\n[metadata]\n" + "".join(
            f"{key} = {toml_value(value)}\n" for key, value in provenance.items()
        )
        reference = _with_metadata(draft.plan, provenance)
    scores = [scorer.score(run, [reference]) for run in runs]
    return Recording(recorded[0].task, suffix, text, reference, sites, scores)


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


def _count_kinds(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        kind = name.split("-")[1]
        counts[kind] = counts.get(kind, 0) + 1
    return dict(sorted(counts.items()))


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
            score.score == 1 and not score.findings for score in self.scores
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
