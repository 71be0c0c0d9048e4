"""The findings of one run, each with the rows that it is about; slight ones apart."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from otap.alignment import SEVERITIES, Finding, Severity
from otap.errors import shown
from otap.report.story.headline import clause
from otap.report.story.rows import Row
from otap.report.story.short import called_with
from otap.report.story.telling import Telling
from otap.scoring import Against

FEW = 2  # findings that say the same have a line each; more have one together
SHOWN = 100  # findings of a group; their rows have them all
_BACK = 160  # characters of what came back


class Told(NamedTuple):
    """A finding, the places of the rows that it is about, and the call that it is about."""

    finding: Finding
    rows: tuple[int, ...]
    call: str


class Group(NamedTuple):
    """Findings that say the same of several steps.

    Attributes:
        severity: of all of them.
        kind: the same.
        sentence: what they say together.
        told: the findings one by one.
        rows: that they are about.
        call: what the step was called with; of one that failed what came back.
        share: of the loss that they account for together.
        size: how many there are.
    """

    severity: Severity
    kind: str
    sentence: str
    told: tuple[Told, ...]
    rows: tuple[int, ...]
    call: str
    share: float | None
    size: int


class Findings(NamedTuple):
    """What a reader should know, and what they may leave folded.

    Attributes:
        bad: critical and major ones, the worst first.
        slight: the minor ones.
        differences: how many are slight, one by one.
    """

    bad: tuple[Group, ...]
    slight: tuple[Group, ...]
    differences: int


def findings(against: Against, rows: Sequence[Row]) -> Findings:
    """Returns the findings against one reference.

    Args:
        against: the run and the reference.
        rows: the alignment in reading order.
    """
    where: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        for one in (*row.findings, *row.order):
            where.setdefault(id(one), []).append(place)
    telling = Telling(against)
    told = [
        Told(one, tuple(where.get(id(one), ())), _call(against, one, telling))
        for one in against.score.findings
    ]
    bad = [one for one in told if one.finding.severity != SEVERITIES[-1]]
    slight = [one for one in told if one.finding.severity == SEVERITIES[-1]]
    return Findings(_grouped(against, bad), _grouped(against, slight), len(slight))


def worst(found: Sequence[Finding]) -> Severity | None:
    """Returns how bad the worst of some findings is; None if there are none."""
    return min((one.severity for one in found), key=SEVERITIES.index, default=None)


def _grouped(against: Against, told: Sequence[Told]) -> tuple[Group, ...]:
    """Findings as groups of what is as bad, of one kind and of the same tools."""
    groups: dict[tuple[object, ...], list[Told]] = {}
    for one in told:
        found = one.finding
        groups.setdefault((found.severity, found.kind, found.tools), []).append(one)
    return tuple(
        group
        for some in groups.values()
        for group in ([_group(against, some)] if len(some) > FEW else [_single(t) for t in some])
    )


def _group(against: Against, told: Sequence[Told]) -> Group:
    together = clause(against, [one.finding for one in told])
    rows = dict.fromkeys(row for one in told for row in one.rows)
    known = [one.finding.share for one in told if one.finding.share is not None]
    share = min(1.0, fsum(known)) if known else None
    first = told[0].finding
    listed = tuple(told[:SHOWN])
    said = first.severity, first.kind, together
    return Group(*said, listed, tuple(rows), "", share, size=len(told))


def _single(told: Told) -> Group:
    found = told.finding
    said = found.severity, found.kind, found.sentence
    return Group(*said, (), told.rows, told.call, found.share, size=1)


def _call(against: Against, finding: Finding, telling: Telling) -> str:
    """What the step of a finding was called with, or what came back where it failed."""
    side, ids = against.run, finding.agent[-1:]
    if not ids:
        side, ids = against.reference, finding.reference[:1]
    step = next((step for step in side.steps if step.id in ids), None)
    if step is None:
        return ""
    if finding.kind == "failed" and step.effect:
        return shown(step.effect, _BACK)
    return called_with(telling.given(step))
