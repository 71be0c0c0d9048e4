"""Findings without values: what is so, and of which tools."""

from collections.abc import Iterable, Mapping, Sequence

from otap.alignment import Finding
from otap.report.redaction.stand_ins import StandIns

# What is so, by kind: behind the tools that it is about, a sentence.
_MEANINGS: Mapping[str, str] = {
    "missing": "a step of the reference is missing from the run",
    "failed": "a step failed",
    "untold": "an answer that the user must be told was not told",
    "invented": "a step of the run has no counterpart in the reference",
    "reversed": "steps ran the other way round than they depend on each other",
    "broken": "a step does not follow from what it needs",
    "inverted": "steps on one thing ran in another order",
    "ungrounded": "an argument was used that nothing showed before",
    "tool": "another tool was called than in the reference",
    "arguments": "a call has other arguments than in the reference",
    "unseen": "changes inside a call that the reference does not show",
    "repeated": "a step does again what another one did",
    "split": "several steps do what the reference does in one",
    "merged": "one step does what the reference does in several",
}


def hidden_findings(findings: Iterable[Finding], names: StandIns) -> tuple[Finding, ...]:
    """Returns findings whose sentences are made anew."""
    return tuple(_hidden(one, names) for one in findings)


def sentence(kind: str, tools: Sequence[str]) -> str:
    """Returns what a finding says by its kind and its tools alone."""
    meaning = _MEANINGS.get(kind, "the run differs from the reference")
    return f"{', '.join(tools)}: {meaning}" if tools else meaning


def _hidden(one: Finding, names: StandIns) -> Finding:
    return one.model_copy(
        update={
            "agent": tuple(map(names.step, one.agent)),
            "reference": tuple(map(names.step, one.reference)),
            "sentence": sentence(one.kind, one.tools),
        }
    )
