"""The findings of one run, each with the rows that it is about; slight ones apart."""

from collections.abc import Sequence
from typing import NamedTuple

from otap.alignment import SEVERITIES, Finding
from otap.report.rows import Row
from otap.scoring import Against

SHOWN = 100  # findings of one kind of importance; the rows have them all


class Told(NamedTuple):
    """A finding and the places of the rows that it is about."""

    finding: Finding
    rows: tuple[int, ...]


class Findings(NamedTuple):
    """What a reader should know, and what they may leave folded.

    Attributes:
        bad: critical and major ones, the worst first.
        slight: the minor ones.
        more: how many are in neither list, which are bounded.
    """

    bad: tuple[Told, ...]
    slight: tuple[Told, ...]
    more: int


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
    told = [Told(one, tuple(where.get(id(one), ()))) for one in against.score.findings]
    bad = [one for one in told if one.finding.severity != SEVERITIES[-1]]
    slight = [one for one in told if one.finding.severity == SEVERITIES[-1]]
    more = max(0, len(bad) - SHOWN) + max(0, len(slight) - SHOWN)
    return Findings(tuple(bad[:SHOWN]), tuple(slight[:SHOWN]), more)
