"""What can be said of a run by what it and its reference recorded, step against step apart.

untold: an answer that the reference says must be given, and that no text of the run gives.
ungrounded: a telling argument of the run that nothing before it showed. Each value is reported
    once, at its first use; not where the reference uses the value without a ground too, nor where
    the counterpart makes up an argument at the same path. What a ground is says
    :mod:`otap.dependencies.grounding`. No part of the loss.
unseen: changes inside a call of which the reference tells no more than the call itself. What a
    reference did not record is not held against a run: it is reported, and no part of the loss.
"""

import re
from collections.abc import Iterator

from otap.alignment.comparison import Compared
from otap.alignment.findings.finding import (
    SHOWN,
    WRITES,
    Departure,
    list_ids,
    name_step,
    name_steps,
)
from otap.alignment.findings.reading import Reading
from otap.dependencies.grounding import Ungrounded
from otap.errors import shown

NAMED = 4  # changes that a sentence names


def find_untold(compared: Compared) -> Iterator[Departure]:
    """Yields the answers that were never given."""
    answers = compared.answers
    for one in answers.missing:
        nearest = f"; the number told that is nearest is {one.nearest}" if one.nearest else ""
        yield Departure(
            kind="untold",
            severity="critical",
            share=min(1.0, answers.share / compared.loss) if compared.loss > 0 else 0.0,
            sentence=f"the answer '{shown(one.answer, 2 * SHOWN)}' was never told{nearest}",
        )


def find_ungrounded(reading: Reading) -> Iterator[Departure]:
    """Yields the arguments of the run without a ground, in the order in which they were used."""
    run, reference = reading.recorded
    if not run.ungrounded:
        return
    assumed = set(reference.assumed)
    made_up = {(one.step, _generalise_path(one.path)) for one in reference.ungrounded}
    for one in run.ungrounded:
        # What a step that does not count has shown is a ground all the same.
        if one.step not in run.kept or one.value in assumed:
            continue
        wanted = _list_counterparts(reading, one)
        if made_up.isdisjoint([(j, _generalise_path(one.path)) for j in wanted]):
            assumed.add(one.value)
            yield _report_ungrounded(reading, one, wanted)


def _report_ungrounded(reading: Reading, found: Ungrounded, wanted: list[int]) -> Departure:
    run, reference = reading.recorded
    steps, counterparts = run.whole.steps, [reference.whole.steps[j] for j in wanted]
    role = run.roles[run.kept.index(found.step)]
    value, path = shown(found.value, SHOWN), shown(found.path, 40)
    step = name_step(steps[found.step])
    later = ""
    if found.shown_by is not None:
        later = f"; {name_step(steps[found.shown_by])} shows it later"
    return Departure(
        kind="ungrounded",
        severity="major" if role == WRITES else "minor",
        agent=(steps[found.step].id,),
        reference=list_ids(counterparts),
        share=None,
        sentence=f"{step} uses {path} '{value}', which nothing before it showed{later}",
    )


def _list_counterparts(reading: Reading, found: Ungrounded) -> list[int]:
    """The steps of the whole reference that the step of an argument stands for, by place."""
    run, reference = reading.recorded
    place = run.kept.index(found.step)
    i = next(node for node, parts in enumerate(reading.run.parts) if place in parts)
    j = reading.reference_of.get(i)
    if j is None:
        return []
    return [reference.kept[k] for k in sorted(reading.reference.parts[j])]


def _generalise_path(path: str) -> str:
    """A path without places in lists."""
    return re.sub(r"\[\d+\]", "[]", path)


def find_unseen(reading: Reading) -> Iterator[Departure]:
    """Yields the calls of the run that change something inside, unseen by the reference."""
    for call, changes, destroys in reading.recorded[0].unseen:
        more = f" and {len(changes) - NAMED} more" if len(changes) > NAMED else ""
        yield Departure(
            kind="unseen",
            severity="critical" if destroys else "minor",
            agent=list_ids(changes),
            share=None,
            sentence=f"inside {name_step(call)} are changes that the reference does not show: "
            f"{name_steps(changes[:NAMED])}{more}",
        )
