"""Findings without values: what is so, and of which tools."""

from collections.abc import Iterable, Sequence

from otap.alignment import Finding
from otap.report.kinds import FINDINGS
from otap.report.redaction.stand_ins import StandIns


def hidden_findings(findings: Iterable[Finding], names: StandIns) -> tuple[Finding, ...]:
    """Returns findings whose sentences are made anew."""
    return tuple(_hidden(one, names) for one in findings)


def sentence(kind: str, tools: Sequence[str]) -> str:
    """Returns what a finding says by its kind and its tools alone."""
    meaning = FINDINGS[kind].meaning if kind in FINDINGS else "differs from the reference"
    return f"{', '.join(tools)}: {meaning}" if tools else meaning


def _hidden(one: Finding, names: StandIns) -> Finding:
    return one.model_copy(
        update={
            "agent": tuple(map(names.step, one.agent)),
            "reference": tuple(map(names.step, one.reference)),
            "sentence": sentence(one.kind, one.tools),
        }
    )
