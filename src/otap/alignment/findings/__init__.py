"""What a person should look at first: each departure from the reference as one sentence.

One module a kind, which says in its first lines what it finds; a new finding is a module in
``kinds`` and a line in this table, whose order is that of importance among findings that are as
bad.
"""

from collections.abc import Callable, Iterable, Iterator

from pydantic import TypeAdapter

from otap.alignment.comparison import Compared, WithoutSteps
from otap.alignment.findings.finding import SEVERITIES, Departure, Finding, Severity
from otap.alignment.findings.kinds import (
    arguments,
    failed,
    invented,
    inverted,
    merged,
    missing,
    order,
    repeated,
    split,
    tool,
    ungrounded,
    unseen,
    untold,
    without_steps,
)
from otap.alignment.findings.reading import Reading

__all__ = ["KINDS", "SEVERITIES", "Finding", "Severity", "find"]

RULES: tuple[tuple[tuple[str, ...], Callable[[Reading], Iterator[Departure]]], ...] = (
    (("missing",), missing.find),
    (("failed",), failed.find),
    (("untold",), untold.find),
    (("invented",), invented.find),
    (("reversed", "broken"), order.find),
    (("inverted",), inverted.find),
    (("ungrounded",), ungrounded.find),
    (("tool",), tool.find),
    (("arguments",), arguments.find),
    (("unseen",), unseen.find),
    (("repeated",), repeated.find),
    (("split",), split.find),
    (("merged",), merged.find),
)
KINDS = tuple(kind for kinds, _ in RULES for kind in kinds)
_FINDINGS = TypeAdapter(tuple[Finding, ...])
_KIND = {kind: place for place, kind in enumerate(KINDS)}


# Shares that differ by less are alike: the solver ends within its tolerance of the minimum.
SHARE_DIGITS = 6


def find(compared: Compared) -> tuple[Finding, ...]:
    """Returns the findings of a comparison: the worst come first, not the dearest.

    By severity; then by kind, in the order of KINDS; then by share of the loss.
    """
    if isinstance(compared, WithoutSteps):
        found = [*without_steps.lost(compared), *without_steps.extra(compared)]
        found += untold.untold(compared)
    else:
        reading = Reading(compared)
        found = [finding for _, rule in RULES for finding in rule(reading)]
    found.sort(key=_rank)
    return _FINDINGS.validate_python(list(_with_tools(compared, found))) if found else ()


def _with_tools(compared: Compared, found: Iterable[Departure]) -> Iterator[dict[str, object]]:
    """The fields of each finding, with the tools of the steps of either side that it names."""
    recorded = (
        compared.recorded if isinstance(compared, WithoutSteps) else compared.problem.recorded
    )
    run, reference = ({step.id: step.tool for step in side.counted.steps} for side in recorded)
    for one in found:
        named = [*map(run.get, one.agent), *map(reference.get, one.reference)]
        yield {**one._asdict(), "tools": [tool for tool in dict.fromkeys(named) if tool]}


def _rank(found: Departure) -> tuple[int, int, float]:
    how_bad = SEVERITIES.index(found.severity)
    return how_bad, _KIND[found.kind], -round(found.share or 0, SHARE_DIGITS)
