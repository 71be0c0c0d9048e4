"""Calls and texts that differ from the reference.

tool: counterparts that call different tools, neither of them split nor merged.
arguments: counterparts that call the same tool with other values; rewording does not count. A value
    that equals the reference's also counts, if the run was given another value for that thing.
missing_answer: an answer that the reference requires, and that no text of the run gives; or that
    the run denies, guesses, takes back, or gives in a sentence that contradicts the reference's.
ungrounded: an identifying argument of the run that nothing before it showed. Each value is reported
    once, at its first use; not where the reference uses the value without a ground too, nor where
    the counterpart makes up an argument at the same path. :mod:`otap.run.grounding`
    defines a ground. It is no part of the loss.
unseen: changes inside a call for which the reference records only the call itself. A run is not
    blamed for a gap in the reference: they are reported, and no part of the loss.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from otap.alignment.comparison import Compared
from otap.alignment.problem import MissingAnswer
from otap.costs import COMPARED
from otap.errors import shown
from otap.findings.changes import Change, find_changes
from otap.findings.context import FindingContext, TextsElsewhere, list_leaves
from otap.findings.finding import (
    MAX_VALUE,
    SEVERITIES,
    WRITES,
    Deviation,
    Severity,
    list_ids,
    name_call,
    name_calls,
    name_step,
    name_steps,
    rate_another_tool,
    rate_arguments,
)
from otap.run.answers import Reason
from otap.run.columns import FIELDS
from otap.run.grounding import Ungrounded, write_plain
from otap.run.identifiers import SHORT_NUMBER, identifier_spans, names_identifiers
from otap.run.scalars import MAX_TEXT, identifying_parts
from otap.run.verbs import are_synonyms
from otap.trajectory import Step
from otap.values.budget import is_paired_at_least_cost
from otap.values.keys import canonical_path
from otap.values.sentences import Wording
from otap.values.wording import find_nearer_contradiction

NAMED_CHANGES = 3  # changed arguments that a sentence names
NAMED_STEPS = 4  # changes inside a call that a sentence names
NAMED_RIVALS = 5  # competing answers that a sentence names
MAX_QUOTE = 120  # characters of a quoted sentence
# The sentences about an answer that a run mentions without giving it.
_DOUBTS: Mapping[Reason, str] = {
    "denied": "the run does not give the answer '{answer}' but denies it: '{quote}'",
    "conjecture": "the run gives the answer '{answer}' only as a conjecture: '{quote}'",
    "guess": "the run gives the answer '{answer}' only as one of several: {rivals}",
    "question": "the run gives the answer '{answer}' only as a question: '{quote}'",
    "corrected": "the run gives the answer '{answer}', but later replaces it: '{quote}'",
    "contrary": "the run says '{quote}' about the answer '{answer}', where the reference says "
    "'{rivals}'",
}


_ARGUMENTS = COMPARED[FIELDS.index("arguments")]


def find_other_calls(context: FindingContext) -> Iterator[Deviation]:
    """Yields the counterparts that call another tool, or the same tool with other arguments."""
    run, reference = context.run_steps, context.reference_steps
    lookups = {pair for pair in context.reference_of.items() if context.is_lookup(*pair)}
    for i, j in sorted(lookups):
        yield from _report_lookup(context, i, j)
    for i, j in context.counterparts:
        if (i, j) in lookups:
            continue
        step, expected = run[i], reference[j]
        is_other_kind = (step.kind, step.tool) != (expected.kind, expected.tool)
        is_other_tool = is_other_kind and bool(context.cost_of_field("tool", i, j))
        if is_other_tool:
            yield _report_tool(context, i, j)
        if step.tool == expected.tool or (is_other_tool and _are_synonyms(step, expected)):
            yield from _report_arguments(context, i, j, with_penalties=not is_other_tool)
    for i, j in sorted(set(context.merged_pairs) - lookups):
        yield from _report_arguments(context, i, j)


def _report_lookup(context: FindingContext, i: int, j: int) -> Iterator[Deviation]:
    """The finding of another look-up with the same values, unless it is reported as a split."""
    steps, expected = context.list_run_steps(i), context.reference.of(j)
    is_partial = context.problem.share_shown(i, j) != 1
    if len(steps) + len(expected) > 2 and not is_partial:
        return
    share = "some of the" if is_partial else "the"
    shows, expected_shows = ("shows" if len(side) == 1 else "show" for side in (steps, expected))
    is_same_tool = {step.tool for step in steps} == {step.tool for step in expected}
    yield Deviation(
        kind="arguments" if is_same_tool else "tool",
        severity="major" if is_partial else "minor",
        agent=list_ids(steps),
        reference=list_ids(expected),
        share=context.share_of_field("arguments" if is_same_tool else "tool", i, j),
        sentence=f"{name_calls(steps)} {shows} {share} values that {name_calls(expected)} of the "
        f"reference {expected_shows}",
    )


def _are_synonyms(step: Step, expected: Step) -> bool:
    return are_synonyms(step.tool or "", expected.tool or "")


def _report_tool(context: FindingContext, i: int, j: int) -> Deviation:
    step, expected = context.run_steps[i], context.reference_steps[j]
    tool = shown(expected.tool, 40) if expected.tool else "no tool"
    roles = context.run.roles[i], context.reference.roles[j]
    severity = rate_another_tool(*roles, context.full_weight_roles)
    if severity == "critical" and context.is_allowed(i, j) and _are_synonyms(step, expected):
        severity = "major"
    return Deviation(
        kind="tool",
        severity=severity,
        agent=(step.id,),
        reference=(expected.id,),
        share=context.share_of_field("tool", i, j),
        sentence=f"{name_calls(context.list_run_steps(i))}: the reference calls {tool} instead",
    )


def _report_arguments(
    context: FindingContext, i: int, j: int, *, with_penalties: bool = True
) -> Iterator[Deviation]:
    changes = differing_arguments(context, i, j)
    if not changes:
        return
    roles = context.run.roles[i], context.reference.roles[j]
    is_against_plan = any(change.allowed for change in changes)
    severities = [_rate_change(context, change, roles, i) for change in changes]
    in_write = min(severities, key=SEVERITIES.index)
    is_given = any(
        _is_given_amount(context, change) or _is_own_number(context, change, i)
        for change in changes
    )
    if is_against_plan or not (is_given or context.is_allowed(i, j)):
        in_write = "critical"
    severity = rate_arguments(*roles, context.full_weight_roles, in_write=in_write)
    if is_against_plan and severity == "minor":
        severity = "major"  # a plan states the arguments of a look itself
    steps = context.list_run_steps(i)
    changes = sorted(changes, key=lambda change: SEVERITIES.index(change.severity))
    descriptions = [str(change) for change in changes[:NAMED_CHANGES]]
    if len(changes) > NAMED_CHANGES:
        names = dict.fromkeys(change.name for change in changes[NAMED_CHANGES:])
        descriptions.append(f"and other values in {', '.join(names)}")
    yield Deviation(
        kind="arguments",
        severity=severity,
        agent=list_ids(steps),
        reference=list_ids(context.reference.of(j)),
        share=context.share_of_field("arguments", i, j, with_penalties=with_penalties),
        sentence=f"{name_steps(steps)}: {'; '.join(descriptions)}",
        paths=tuple(dict.fromkeys(change.path for change in changes)),
    )


def _is_own_number(context: FindingContext, change: Change, i: int) -> bool:
    """Whether a text of a node has the number of an earlier result of the run."""
    contradiction = change.how.contradiction if isinstance(change.how, Wording) else None
    if contradiction is None or contradiction.kind != "other number":
        return False
    sides = contradiction.run, contradiction.reference
    if not all(re.fullmatch(r"\d{1,12}(?:\.\d{1,12})?", side) for side in sides):
        return False
    source = context.replaced_numbers.get((float(sides[0]), float(sides[1])))
    return source is not None and context.comes_before(0, source, i)


def _rate_change(
    context: FindingContext, change: Change, roles: Collection[str], i: int
) -> Severity:
    """How bad a change is.

    One more option of a look is another way to look. A statement that the request asks for may not
    be left out. A text may have no percentage or price that nothing gave to the run, and may have
    any amount that something gave to it.
    """
    if _is_own_number(context, change, i):
        return "minor"
    if _is_given_amount(context, change):
        return "major"
    is_text = WRITES in roles and isinstance(change.how, Wording) and change.severity == "major"
    if is_text and context.record.find_made_up(*_list_texts(change)):
        return "critical"
    is_option = change.is_added and WRITES not in roles and change.severity == "critical"
    is_dropped = is_text and bool(change.dropped)
    if is_dropped and context.left_out.is_statement(change.dropped, str(change.run)):
        return "critical"
    return "major" if is_option else change.severity


def _is_given_amount(context: FindingContext, change: Change) -> bool:
    """Whether a text only has more amounts, and the run was given each of its numbers."""
    if not isinstance(change.how, Wording) or change.how.kind != "only amount" or change.allowed:
        return False
    text, _ = _list_texts(change)
    return bool(change.how.run) and context.record.gives(text)


def _list_texts(change: Change) -> tuple[str, str]:
    run, reference = (
        side if isinstance(side, str) else "" for side in (change.run, change.reference)
    )
    return run, reference


def _compare_elsewhere(texts: TextsElsewhere, tool: str, change: Change) -> Change:
    """A change of a text; critical if the text contradicts a nearer one of another reference."""
    is_text = isinstance(change.run, str) and isinstance(change.reference, str)
    if not is_text or change.severity == "critical" or not isinstance(change.how, Wording):
        return change
    others = texts(tool, change.path)
    nearer = find_nearer_contradiction(str(change.run), str(change.reference), others)
    return change if nearer is None else replace(change, severity="critical", how=nearer)


def differing_arguments(context: FindingContext, i: int, j: int) -> list[Change]:
    """Returns the arguments that differ from the counterpart's, as the run recorded them.

    Of a call that does not write, other words and defaults do not count. For a merged step, only
    exact values that differ or are missing do: its parts together may have more arguments than one
    call, unless the two may not be matched.

    Args:
        context: the context of the comparison.
        i: the node of the run.
        j: the node of the reference, its counterpart.
    """
    names = context.recorded[0].names
    run_value = context.run.columns.of(_ARGUMENTS)[i]
    reference_value = context.reference.columns.of(_ARGUMENTS)[j]
    roles = context.run.roles[i], context.reference.roles[j]
    has_weight = WRITES in roles or roles[1] in context.full_weight_roles
    changes = list[Change]()
    is_recorded = "arguments" in context.problem.costs.distances  # on both sides, somewhere
    if context.cost_of_field("arguments", i, j) or (
        is_recorded and has_weight and run_value.content_id != reference_value.content_id
    ):
        cheapest = is_paired_at_least_cost(run_value, reference_value)
        differing = find_changes(run_value, reference_value, cheapest=cheapest)
        changes = [
            change.in_names(names) for change in differing if has_weight or not change.is_disclosed
        ]
    if WRITES in roles and context.texts_elsewhere is not None:
        tool = context.reference_steps[j].tool or ""
        changes = [_compare_elsewhere(context.texts_elsewhere, tool, c) for c in changes]
    if (i, j) in context.merged_pairs:
        is_allowed = context.is_allowed(i, j)
        changes = [change for change in changes if change.severity == "critical"]
        return [change for change in changes if not (change.is_added and is_allowed)]
    allowed = context.plan_constraints.allowed.get(context.reference_steps[j].id)
    if context.plan_constraints.is_plan:  # it decides about other words itself
        changes = [
            change
            for change in changes
            if not isinstance(change.how, Wording)
            or change.how.is_critical
            or canonical_path(change.path.replace("[]", "")) in (allowed or ())
        ]
    if allowed:
        changes = list(_explain_by_plan(changes, allowed, context, i, j))
    if names.copied:
        run, reference = context.run_steps[i].arguments, context.reference_steps[j].arguments
        return [*_list_copied(run, reference, names.copied), *changes]
    return changes


def _explain_by_plan(
    changes: Sequence[Change], allowed: Mapping[str, str], context: FindingContext, i: int, j: int
) -> Iterator[Change]:
    """Yields the changes in the words of a plan, and prose that the plan does not allow.

    The plan decides about prose whatever its meaning.
    """
    explained = set[str]()
    for change in changes:
        path = canonical_path(change.path.replace("[]", ""))
        explained.add(path)
        yield replace(change, allowed=allowed.get(path, ""))
    run_texts, reference_texts = (
        {canonical_path(path): (path, text) for path, text in list_leaves(arguments)}
        for arguments in (context.run_steps[i].arguments, context.reference_steps[j].arguments)
    )
    for path, words in allowed.items():
        if path not in explained and path in run_texts and path in reference_texts:
            (name, run_text), (_, reference_text) = run_texts[path], reference_texts[path]
            yield Change(name, run_text, reference_text, "critical", allowed=words)


def _list_copied(
    run: JsonValue, reference: JsonValue, copied: Mapping[str, str]
) -> Iterator[Change]:
    """Yields the arguments that name another run's object, each identifier once.

    Args:
        run: the arguments of the run's call.
        reference: the arguments of its counterpart.
        copied: identifiers of the reference that the run used without having been given them,
            each with the identifier that the run was given instead.
    """
    reference_identifiers = dict(_list_identifiers(reference))
    for value, path in dict(_list_identifiers(run)).items():
        if value in reference_identifiers and value in copied:
            own_value, used = (name.removeprefix(SHORT_NUMBER) for name in (copied[value], value))
            yield Change(path, used, used, "critical", here=own_value)


def _list_identifiers(arguments: JsonValue) -> Iterator[tuple[str, str]]:
    """The identifiers among some arguments, each with its path."""
    for path, text in list_leaves(arguments):
        is_named = names_identifiers(path.rpartition(".")[2])
        for _, _, value in identifier_spans(text[:MAX_TEXT], is_named):
            yield value, path


def find_missing_answers(compared: Compared) -> Iterator[Deviation]:
    """Yields the required answers that the run never gave."""
    answers = compared.answers
    for missing in answers.missing:
        yield Deviation(
            kind="missing_answer",
            severity="critical",
            share=min(1.0, answers.share / max(answers.share, compared.loss_before_band)),
            sentence=_describe_missing_answer(missing),
            answer=missing.answer,
        )


def _describe_missing_answer(missing: MissingAnswer) -> str:
    """Why an answer is missing: the words that deny or replace it, or the nearest number."""
    answer, doubt = shown(missing.answer, 2 * MAX_VALUE), missing.doubt
    if doubt is None:
        nearest = f"; the nearest number it gave is {missing.nearest}" if missing.nearest else ""
        return f"the run never gave the answer '{answer}'{nearest}"
    quote = shown(doubt.quote, MAX_QUOTE)
    limit = MAX_QUOTE if doubt.reason == "contrary" else MAX_VALUE
    rivals = ", ".join(shown(rival, limit) for rival in doubt.rivals[:NAMED_RIVALS])
    return _DOUBTS[doubt.reason].format(answer=answer, quote=quote, rivals=rivals)


def find_ungrounded(context: FindingContext) -> Iterator[Deviation]:
    """Yields the arguments of the run without a ground, in the order of their use."""
    run, reference = (view.run for view in context.recorded)
    # A plan itself says which values are allowed.
    if reference.plan_constraints.is_plan or not run.ungrounded:
        return
    assumed = {*reference.find_assumed({write_plain(use.value) for use in run.ungrounded})}
    made_up = {
        (argument.step, _generalise_path(argument.path)) for argument in reference.ungrounded
    }
    common: dict[int, set[str]] = {}
    for argument in run.ungrounded:
        # A value is grounded by any earlier step, even one that does not count.
        if argument.step not in run.scored_indices or write_plain(argument.value) in assumed:
            continue
        counterparts = _list_counterparts(context, argument)
        path = _generalise_path(argument.path)
        for j in counterparts:
            if j not in common:
                common[j] = _list_common(context, j)
        if any(write_plain(argument.value) in common[j] for j in counterparts):
            continue
        if made_up.isdisjoint([(j, path) for j in counterparts]):
            assumed.add(write_plain(argument.value))
            yield _report_ungrounded(context, argument, counterparts)


def _list_common(context: FindingContext, index: int) -> set[str]:
    """The values of a step of the reference in a notation that can come from anywhere.

    DOUBLE may be a code, and 0.30000000000000004 a measurement; double and 0.3 are neither.
    """
    step = context.recorded[1].run.flat.trajectory.steps[index]
    texts = {text for _, text in list_leaves(step.arguments)}
    return {write_plain(text) for text in texts if not identifying_parts(text)}


def _report_ungrounded(
    context: FindingContext, argument: Ungrounded, counterparts: list[int]
) -> Deviation:
    run, reference = (view.run for view in context.recorded)
    steps = run.flat.trajectory.steps
    role = run.roles[run.scored_indices.index(argument.step)]
    value, path = shown(argument.value, MAX_VALUE), shown(argument.path, 40)
    later = ""
    if argument.shown_by is not None:
        later = f"; {name_call(steps[argument.shown_by])} shows it later"
    return Deviation(
        kind="ungrounded",
        severity="major" if role == WRITES else "minor",
        agent=(steps[argument.step].id,),
        reference=list_ids([reference.flat.trajectory.steps[j] for j in counterparts]),
        share=None,
        sentence=f"{name_call(steps[argument.step])} uses {path} '{value}', "
        f"which nothing before it showed{later}",
        paths=(argument.path,),
    )


def _list_counterparts(context: FindingContext, argument: Ungrounded) -> list[int]:
    """The indices of the reference's steps that the step of an argument stands for."""
    run, reference = (view.run for view in context.recorded)
    index = run.scored_indices.index(argument.step)
    i = next(node for node, steps in enumerate(context.run.parts) if index in steps)
    j = context.reference_of.get(i)
    if j is None:
        return []
    return [reference.scored_indices[k] for k in sorted(context.reference.parts[j])]


def _generalise_path(path: str) -> str:
    """A path without indices of lists."""
    return re.sub(r"\[\d+\]", "[]", path)


def find_hidden_changes(context: FindingContext) -> Iterator[Deviation]:
    """Yields the calls of the run with changes inside that the reference does not show."""
    for call, changes, destroys in context.recorded[0].run.hidden_changes:
        more = f" and {len(changes) - NAMED_STEPS} more" if len(changes) > NAMED_STEPS else ""
        yield Deviation(
            kind="hidden_changes",
            severity="critical" if destroys else "minor",
            agent=list_ids(changes),
            share=None,
            sentence=f"{name_step(call)} makes changes inside that the reference does not show: "
            f"{name_steps(changes[:NAMED_STEPS])}{more}",
        )
