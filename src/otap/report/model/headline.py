"""The main differences of a run in one sentence, made by rule from its worst findings."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from otap._numbers import count_text, number_text
from otap.errors import shown
from otap.findings import SEVERITIES, Finding
from otap.report.model.marks import CallMarks
from otap.report.model.vocabulary import name_step
from otap.trajectory import Step

CLAUSES = 3  # kinds of findings in the sentence
MAX_NAMES = 2  # steps or arguments that one clause names
GOOD = 0.8  # the score above which slight differences are called slight
_NAME = 40  # characters of a name
_NO_NAMES = ("all ", "the run ", "the answer ", "step ")  # a clause that begins so gets a capital
_SMALL = 0.05  # the share of the loss below which a finding does not explain a failed run
_NEAREST = "; the nearest number it gave is "
_COUNTS = {2: "two", 3: "three", 4: "four"}
# Several findings of these kinds may be about one step.
_SEVERAL_PER_STEP = ("reversed", "inverted", "broken", "ungrounded")
# The clause of several findings of one kind; ``givers`` are the first steps that they name.
_SENTENCES: Mapping[str, str] = {
    "invented": "{ran} {was} done in addition",
    "reversed": "{ran} ran too early",
    "inverted": "{ran} ran too early",
    "broken": "{ran} {does} not build on {givers}",
    "ungrounded": "{ran} {was} given {values} that nothing showed",
    "tool": "{ran} was called instead of {expected}",
    "split": "{ran} was done in other portions",
    "merged": "{ran} was done in other portions",
}


def list_clauses(marks: CallMarks) -> list[str]:
    """Returns the clauses of the headline, the worst first; not escaped for HTML.

    Minor findings are mentioned only if there are no others.
    """
    against = marks.against
    bad = [finding for finding in against.score.findings if finding.severity != SEVERITIES[-1]]
    if not bad:
        return [_praise(marks, len(against.score.findings))]
    kinds: dict[str, list[Finding]] = {}
    for finding in _select_causes(bad):
        kinds.setdefault(finding.kind, []).append(finding)
    first, *more = [write_clause(marks, findings) for findings in list(kinds.values())[:CLAUSES]]
    if not against.run.steps:
        suffix = " that counts" if against.run.left_out else ""
        return [f"The run called nothing{suffix}: {first}", *more]
    if first.startswith(_NO_NAMES):
        first = first[:1].upper() + first[1:]
    return [first, *more]


def write_clause(marks: CallMarks, findings: Sequence[Finding]) -> str:
    """Returns the clause of some findings of one kind."""
    kind = findings[0].kind
    if kind in _WRITERS:
        return _WRITERS[kind](marks, findings)
    if kind not in _SENTENCES:
        count = len(findings) - 1
        return findings[0].sentence + (f" (and {number_text(count)} more like it)" if count else "")
    run, reference = marks.against.run.steps, marks.against.reference.steps
    last = [finding.agent[-1:] for finding in findings]
    first = [finding.agent[:1] for finding in findings]
    if kind in _SEVERAL_PER_STEP:
        last, first = list(dict.fromkeys(last)), list(dict.fromkeys(first))
    is_one = len(last) == 1
    return _SENTENCES[kind].format(
        ran=_name_steps(run, last),
        givers=_name_steps(run, first),
        expected=_name_steps(reference, [finding.reference for finding in findings]),
        values="a value" if len(findings) == 1 else f"{_count_in_words(len(findings))} values",
        was="was" if is_one else "were",
        does="does" if is_one else "do",
    )


def _count_in_words(count: int) -> str:
    return _COUNTS.get(count, number_text(count))


def _select_causes(bad: Sequence[Finding]) -> list[Finding]:
    """The findings that explain why a run failed.

    If one is critical, a kind of less severe findings with next to no loss is no explanation.
    """
    shares: dict[tuple[str, str], list[float]] = {}
    for finding in bad:
        share = 1.0 if finding.share is None else finding.share
        shares.setdefault((finding.severity, finding.kind), []).append(share)
    worst = bad[0].severity
    return [
        finding
        for finding in bad
        if finding.severity == worst or fsum(shares[finding.severity, finding.kind]) >= _SMALL
    ]


def _praise(marks: CallMarks, slight: int) -> str:
    """The headline of a run without critical or major findings."""
    score = marks.against.score
    if not score.understood:
        return "Nothing was understood of the run"
    if score.score < GOOD:
        return "No single difference is bad, but together the steps differ much"
    if slight:
        return f"Nothing critical or major: {count_text(slight, 'slight difference')}"
    if score.loss > 0:
        return "No finding; some steps differ a little"
    return "No differences found"


def _write_missing(marks: CallMarks, findings: Sequence[Finding]) -> str:
    steps = marks.against.reference.steps
    missing = Counter(_list_names(steps, (finding.reference for finding in findings)))
    expected = Counter(_list_names(steps, [[step.id for step in steps]]))
    if len(missing) == 1 and len(findings) < expected[min(missing)]:
        return _write_missing_calls(marks, findings, min(missing), expected[min(missing)])
    names = [
        name if expected[name] == 1 else f"{name} ({_word_share(count, expected[name])})"
        for name, count in missing.items()
    ]
    if len(findings) <= MAX_NAMES or len(names) == 1 or not marks.against.run.steps:
        return f"{_join_names(names)} {'is' if len(findings) == 1 else 'are'} missing"
    share = _word_share(len(findings), len(steps), "step")
    return f"{share} are missing: {_join_names(names)}"


def _write_missing_calls(
    marks: CallMarks, findings: Sequence[Finding], name: str, expected: int
) -> str:
    """Returns which calls of one tool are missing, if the run has others of its calls."""
    ids = {step for finding in findings for step in finding.reference}
    steps = [step for step in marks.against.reference.steps if step.id in ids]
    values = list(dict.fromkeys(marks.mark_step(step, brief=True) for step in steps))
    which = f": {_join_names(values, MAX_NAMES + 1)}" if all(values) else ""
    times = count_text(expected, "time")
    return f"{name} is missing {number_text(len(steps))} of {times}{which}"


def _word_share(count: int, total: int, noun: str | None = None) -> str:
    total_words = count_text(total, noun) if noun else number_text(total)
    return f"all {total_words}" if count == total else f"{number_text(count)} of {total_words}"


def _write_repeated(marks: CallMarks, findings: Sequence[Finding]) -> str:
    run = marks.against.run.steps
    repeats = [finding.agent[-1:] for finding in findings]
    failed = marks.against.run.failed
    failed_ids = {step.id for step, has_failed in zip(run, failed, strict=True) if has_failed}
    if all(set(ids) <= failed_ids for ids in repeats):
        return f"{_name_steps(run, repeats)} failed first, and was then done again"
    is_single = len({*_list_names(run, repeats)}) == 1
    clause = f"{_name_steps(run, repeats)} {'was' if is_single else 'were'} done again"
    steps = [step for step_id in findings[0].agent for step in run if step.id == step_id]
    is_same = len({repr(step.arguments) for step in steps}) < 2
    if len(findings) > 1 or is_same or len({name_step(step) for step in steps}) > 1:
        return clause
    return f"{clause}, with {marks.mark_step(steps[-1]) or 'other values'}"


def _write_failed(marks: CallMarks, findings: Sequence[Finding]) -> str:
    last = [finding.agent[-1:] for finding in findings]
    names = _list_names(marks.against.run.steps, last)
    if len(findings) > 1 and len({*names}) == 1:
        return f"{names[0]} failed {number_text(len(findings))} times"
    return f"{_name_steps(marks.against.run.steps, last)} failed"


def _write_arguments(marks: CallMarks, findings: Sequence[Finding]) -> str:
    details = marks.against.details
    pairs = [
        (finding.agent[0], finding.reference[0])
        for finding in findings
        if finding.agent and finding.reference
    ]
    changes = [change for p in pairs if p in details for change in details[p].changes]
    names = _name_steps(marks.against.run.steps, [finding.agent[-1:] for finding in findings])
    if len(findings) == 1 and changes:
        clause = f"{names}: {', '.join(str(change) for change in changes[:MAX_NAMES])}"
        more = len(changes) - MAX_NAMES
        return f"{clause}, and {number_text(more)} more" if more > 0 else clause
    paths = list(dict.fromkeys(shown(change.path, _NAME) for change in changes))
    where = f": {_join_names(paths)}" if paths else ""
    return f"{names} {'has' if len(findings) == 1 else 'have'} other values{where}"


def _write_untold(_: CallMarks, findings: Sequence[Finding]) -> str:
    if len(findings) > 1:
        return f"the run never gave {count_text(len(findings), 'required answer')}"
    answer, separator, nearest = findings[0].sentence.partition(_NEAREST)
    return f"{answer} (the nearest is {nearest})" if separator else answer


def _name_steps(steps: Sequence[Step], ids: Iterable[Sequence[str]]) -> str:
    """The names of steps, each once, with the number of steps of that name."""
    counts = Counter(_list_names(steps, ids))
    return _join_names(
        [name if k == 1 else f"{name} ({number_text(k)} times)" for name, k in counts.items()]
    )


def _list_names(steps: Sequence[Step], ids: Iterable[Sequence[str]]) -> list[str]:
    names = {step.id: shown(name_step(step), _NAME) for step in steps}
    return [names[step_id] for step_ids in ids for step_id in step_ids if step_id in names]


def _join_names(names: Sequence[str], most: int = MAX_NAMES) -> str:
    """The first names as an enumeration, and the number of the others."""
    more = len(names) - most
    if more > 0:
        return f"{', '.join(names[:most])} and {number_text(more)} more"
    if not names:
        return "a step"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


_WRITERS: Mapping[str, Callable[[CallMarks, Sequence[Finding]], str]] = {
    "missing": _write_missing,
    "failed": _write_failed,
    "missing_answer": _write_untold,
    "arguments": _write_arguments,
    "repeated": _write_repeated,
}
