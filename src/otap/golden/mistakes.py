"""Mistaken findings as lines for a report: the pair of values and the verdict, no private text."""

import json
from typing import Any

from otap.findings import Finding
from otap.golden.acceptance import Case
from otap.run.redaction import RunRedactor
from otap.scoring import Scorer
from otap.scoring.signature import METRIC
from otap.trajectory import Step, Trajectory

SCHEMA_VERSION = "otap.mistake/1"
MAX_TEXT = 200  # characters of a value; longer texts are private in all likelihood


def describe_mistake(case: Case, finding: Finding, why: str = "") -> str:
    """Returns a mistaken finding as one line of JSON.

    Args:
        case: the run and its references.
        finding: the finding.
        why: the reason why it is mistaken.
    """
    best = case.references[case.score().best_place]
    explained = Scorer(case.config).explain(case.run, [best])
    sides = explained.best.run, explained.best.reference
    ids = finding.agent, finding.reference
    redactor = RunRedactor()
    redactor.learn([case.run, best])  # a value is private wherever it is
    calls = [
        [_hide_call(step, finding.paths, redactor) for step in side.steps if step.id in step_ids]
        for side, step_ids in zip(sides, ids, strict=True)
    ]
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "metric": METRIC,
        "id": finding.id,
        "kind": finding.kind,
        "severity": finding.severity,
        "verdict": "mistaken",
        "paths": [redactor.hide(path) for path in finding.paths],
        "run": calls[0],
        "reference": calls[1],
    }
    if why.strip():
        record["why"] = redactor.hide(" ".join(why.split()))
    return json.dumps(record, ensure_ascii=False, sort_keys=False)


def _hide_call(step: Step, paths: tuple[str, ...], redactor: RunRedactor) -> dict[str, Any]:
    """The tool of a step, and the arguments that the finding is about, without private values."""
    keys = {path.partition(".")[0].partition("[")[0] for path in paths}
    arguments = step.arguments
    if isinstance(arguments, dict) and keys:
        arguments = {key: value for key, value in arguments.items() if key in keys}
    bare = Step(id="step", tool=step.tool, arguments=_cut(arguments))
    hidden = redactor.redact(Trajectory(steps=(bare,))).run.steps[0]
    return {"tool": hidden.tool, "arguments": hidden.arguments}


def _cut(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _cut(member) for key, member in data.items()}
    if isinstance(data, list):
        return [_cut(member) for member in data]
    return f"text of {len(data)} characters" if _is_long(data) else data


def _is_long(data: object) -> bool:
    return isinstance(data, str) and len(data) > MAX_TEXT
