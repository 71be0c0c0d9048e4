"""What a person should look at first: each departure from the reference as one sentence.

One module a kind, which says in its first lines what it finds; a new finding is a module in
``kinds`` and a line in this table, whose order is that of importance among findings that are as
bad.
"""

from collections.abc import Callable, Iterable, Iterator

from otap.alignment.comparison import Compared, WithoutSteps
from otap.alignment.findings.finding import SEVERITIES, Finding, Severity
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

RULES: tuple[tuple[tuple[str, ...], Callable[[Reading], Iterator[Finding]]], ...] = (
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
    return tuple(_with_tools(compared, found)) if found else ()


def _with_tools(compared: Compared, found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, each with the tools of the steps of either side that it names."""
    recorded = (
        compared.recorded if isinstance(compared, WithoutSteps) else compared.problem.recorded
    )
    run, reference = ({step.id: step.tool for step in side.counted.steps} for side in recorded)
    for one in found:
        named = [*map(run.get, one.agent), *map(reference.get, one.reference)]
        tools = tuple(dict.fromkeys(tool for tool in named if tool))
        yield one.model_copy(update={"tools": tools}) if tools else one


def _rank(finding: Finding) -> tuple[int, int, float]:
    how_bad, kind = SEVERITIES.index(finding.severity), KINDS.index(finding.kind)
    return how_bad, kind, -round(finding.share or 0, SHARE_DIGITS)
