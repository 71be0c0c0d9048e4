"""What calls and texts say that the reference does not.

tool: counterparts that call different tools, neither of them split nor merged.
arguments: counterparts that call the same tool with other values; rewording does not count. Another
    value is also what the reference has, where the run was given another one for that thing.
untold: an answer that the reference says must be given, and that no text of the run gives.
ungrounded: a telling argument of the run that nothing before it showed. Each value is reported
    once, at its first use; not where the reference uses the value without a ground too, nor where
    the counterpart makes up an argument at the same path. What a ground is says
    :mod:`otap.dependencies.grounding`. No part of the loss.
unseen: changes inside a call of which the reference tells no more than the call itself. What a
    reference did not record is not held against a run: it is reported, and no part of the loss.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from otap.alignment.comparison import Compared
from otap.alignment.findings.changes import Change, find_changes
from otap.alignment.findings.finding import (
    SHOWN,
    WRITES,
    Departure,
    list_ids,
    name_step,
    name_steps,
    rate_another_tool,
    rate_arguments,
)
from otap.alignment.findings.reading import Reading, list_leaves
from otap.dependencies.content import MAX_TEXT
from otap.dependencies.grounding import Ungrounded
from otap.dependencies.identifiers import SMALL, names_identifiers, parts
from otap.errors import shown
from otap.matrices import FIELDS, at_least_cost, fields_compared
from otap.transport import FORBIDDEN
from otap.values.keys import spelled_path

NAMED_CHANGES = 3  # changed arguments that a sentence names
NAMED = 4  # changes inside a call that a sentence names


def find_other_calls(reading: Reading) -> Iterator[Departure]:
    """Yields the counterparts that call another tool, or with other arguments."""
    run, reference = reading.run.steps, reading.reference.steps
    for i, j in reading.counterparts:
        step, wanted = run[i], reference[j]
        if (step.kind, step.tool) != (wanted.kind, wanted.tool):
            if reading.cost_of_field("tool", i, j):
                yield _report_tool(reading, i, j)
            if step.tool != wanted.tool:
                continue
        yield from _report_arguments(reading, i, j, with_penalties=step.kind == wanted.kind)
    for i, j in sorted(reading.unions):
        yield from _report_arguments(reading, i, j)


def _report_tool(reading: Reading, i: int, j: int) -> Departure:
    step, wanted = reading.run.steps[i], reading.reference.steps[j]
    tool = shown(wanted.tool, 40) if wanted.tool else "no tool"
    roles = reading.run.roles[i], reading.reference.roles[j]
    return Departure(
        kind="tool",
        severity=rate_another_tool(*roles, reading.in_full),
        agent=(step.id,),
        reference=(wanted.id,),
        share=reading.share_of_field("tool", i, j),
        sentence=f"{name_steps(reading.list_run_steps(i))} stands where the reference calls {tool}",
    )


def _report_arguments(
    reading: Reading, i: int, j: int, *, with_penalties: bool = True
) -> Iterator[Departure]:
    changes = differing_arguments(reading, i, j)
    if not changes:
        return
    another = reading.problem.arrays.C[i, j] >= FORBIDDEN
    roles = reading.run.roles[i], reading.reference.roles[j]
    # One more option of a look is another way to look.
    forbidden_value = any(one.allowed for one in changes)
    exact = (
        another
        or forbidden_value
        or any(one.is_exact and (WRITES in roles or not one.is_added) for one in changes)
    )
    severity = rate_arguments(*roles, reading.in_full, exact=exact)
    if forbidden_value and severity == "minor":
        severity = "major"  # a plan says itself what a look is to ask
    steps = reading.list_run_steps(i)
    named = list(map(str, changes[:NAMED_CHANGES]))
    if len(changes) > NAMED_CHANGES:
        named.append(f"and {len(changes) - NAMED_CHANGES} more")
    yield Departure(
        kind="arguments",
        severity=severity,
        agent=list_ids(steps),
        reference=list_ids(reading.reference.of(j)),
        share=reading.share_of_field("arguments", i, j, with_penalties=with_penalties),
        sentence=f"{name_steps(steps)} {'has' if len(steps) == 1 else 'have'} other arguments: "
        f"{'; '.join(named)}",
    )


def differing_arguments(reading: Reading, i: int, j: int) -> list[Change]:
    """Returns the arguments that differ from the counterpart's, as the run recorded them.

    Of a union only exact values that are others or lacking: what its parts say together may be more
    than is said in one call.

    Args:
        reading: the comparison.
        i: the node of the run.
        j: the node of the reference, its counterpart.
    """
    changes, names = list[Change](), reading.recorded[0].names
    if reading.cost_of_field("arguments", i, j):
        field = fields_compared("structured")[FIELDS.index("arguments")]
        ours, theirs = reading.run.read.of(field)[i], reading.reference.read.of(field)[j]
        differing = find_changes(ours, theirs, cheapest=at_least_cost(ours, theirs))
        changes = [change.in_names(names) for change in differing]
    if (i, j) in reading.unions:
        return [change for change in changes if change.is_exact and not change.is_added]
    allowed = reading.demands.allowed.get(reading.reference.steps[j].id)
    if allowed:
        changes = list(_say_allowed(changes, allowed, reading, i, j))
    if names.copied:
        run, reference = reading.run.steps[i].arguments, reading.reference.steps[j].arguments
        return [*_list_copied(run, reference, names.copied), *changes]
    return changes


def _say_allowed(
    changes: Sequence[Change], allowed: Mapping[str, str], reading: Reading, i: int, j: int
) -> Iterator[Change]:
    """Changes in the words of a plan; also prose that it does not allow, of whatever meaning."""
    told = set[str]()
    for one in changes:
        path = spelled_path(one.path.replace("[]", ""))
        told.add(path)
        yield replace(one, allowed=allowed.get(path, ""))
    sides = reading.run.steps[i].arguments, reading.reference.steps[j].arguments
    texts = [
        {spelled_path(path): (path, text) for path, text in list_leaves(side)} for side in sides
    ]
    for path, words in allowed.items():
        if path not in told and path in texts[0] and path in texts[1]:
            (name, own), (_, other) = texts[0][path], texts[1][path]
            yield Change(name, own, other, is_exact=True, allowed=words)


def _list_copied(
    run: JsonValue, reference: JsonValue, known: Mapping[str, str]
) -> Iterator[Change]:
    """Yields the arguments that name somebody else's thing, each identifier once.

    Args:
        run: the arguments of the run's call.
        reference: those of its counterpart.
        known: identifiers of the reference that the run used out of nowhere, each with what the
            run was given in its place.
    """
    theirs = dict(_list_identifiers(reference))
    for value, path in dict(_list_identifiers(run)).items():
        if value in theirs and value in known:
            own, other = (one.removeprefix(SMALL) for one in (known[value], value))
            yield Change(path, other, other, is_exact=True, here=own)


def _list_identifiers(arguments: JsonValue) -> Iterator[tuple[str, str]]:
    """The identifiers among some arguments, each with its path."""
    for path, text in list_leaves(arguments):
        named = names_identifiers(path.rpartition(".")[2])
        for _, _, value in parts(text[:MAX_TEXT], named):
            yield value, path


def find_untold(compared: Compared) -> Iterator[Departure]:
    """Yields the answers that were never given."""
    answers = compared.answers
    for one in answers.missing:
        nearest = f"; the number told that is nearest is {one.nearest}" if one.nearest else ""
        yield Departure(
            kind="untold",
            severity="critical",
            share=min(1.0, answers.share / max(answers.share, compared.unjudged_loss)),
            sentence=f"the answer '{shown(one.answer, 2 * SHOWN)}' was never told{nearest}",
        )


def find_ungrounded(reading: Reading) -> Iterator[Departure]:
    """Yields the arguments of the run without a ground, in the order in which they were used."""
    run, reference = reading.recorded
    if (
        reference.demands.is_plan or not run.ungrounded
    ):  # a plan says itself which values are allowed
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
