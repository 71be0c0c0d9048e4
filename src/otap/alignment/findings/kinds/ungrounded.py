"""ungrounded: a telling argument of the run that nothing before it showed.

Each value is told once, at its first use. It is not told where the reference uses the value without
a ground too, nor where the counterpart makes up an argument at the same path. What a ground is says
:mod:`otap.dependencies.grounding`. No part of the loss.
"""

import re
from collections.abc import Iterator, Sequence

from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure, Severity
from otap.alignment.findings.labels import SHOWN, label
from otap.alignment.findings.reading import Reading
from otap.dependencies.grounding import Ungrounded
from otap.errors import shown
from otap.trajectory import Step


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the arguments of the run without a ground, in the order in which they were used."""
    run, reference = reading.comparison.problem.recorded
    # What a step that does not count has shown is a ground all the same.
    found = [one for one in run.ungrounded if one.step in run.kept]
    if not found:
        return
    told = set(reference.assumed)
    made_up = {(one.step, _general(one.path)) for one in reference.ungrounded}
    for one in found:
        wanted = _wanted(reading, one)
        if one.value not in told and made_up.isdisjoint((j, _general(one.path)) for j in wanted):
            told.add(one.value)
            counterparts = [reference.whole.steps[j] for j in wanted]
            role = run.roles[run.kept.index(one.step)]
            yield _finding(run.whole.steps, one, counterparts, severity.of_no_ground(role))


def _finding(
    steps: Sequence[Step], found: Ungrounded, counterparts: Sequence[Step], how_bad: Severity
) -> Departure:
    return Departure(
        kind="ungrounded",
        severity=how_bad,
        agent=(steps[found.step].id,),
        reference=tuple(step.id for step in counterparts),
        share=None,
        sentence=_sentence(steps, found),
    )


def _wanted(reading: Reading, found: Ungrounded) -> list[int]:
    """The steps of the whole reference that the step of an argument stands for, by place."""
    run, reference = reading.comparison.problem.recorded
    place, nodes = run.kept.index(found.step), reading.comparison.run.parts
    i = next(node for node, parts in enumerate(nodes) if place in parts)
    j = reading.matching.reference_of.get(i)
    if j is None:
        return []
    return [reference.kept[k] for k in sorted(reading.comparison.reference.parts[j])]


def _sentence(steps: Sequence[Step], found: Ungrounded) -> str:
    value, path = shown(found.value, SHOWN), shown(found.path, 40)
    later = "" if found.shown_by is None else f"; {label(steps[found.shown_by])} shows it later"
    return (
        f"{label(steps[found.step])} uses {path} '{value}', which nothing before it showed{later}"
    )


def _general(path: str) -> str:
    """A path without places in lists."""
    return re.sub(r"\[\d+\]", "[]", path)
