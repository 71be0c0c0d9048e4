"""What went wrong in one sentence, made by rule of the worst findings: for those in a hurry."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from otap._numbers import count_text, number_text
from otap.alignment import SEVERITIES, Finding
from otap.errors import shown
from otap.report.model.marks import CallMarks
from otap.report.model.words import name_step
from otap.trajectory import Step

CLAUSES = 3  # kinds of findings that the sentence tells of
NAMED = 2  # steps or arguments that one clause names
GOOD = 0.8  # a score from which on slight differences are called slight
_NAME = 40  # characters of a name
_OURS = ("all ", "the answer ", "step ")  # beginnings that are no names
_SMALL = 0.05  # share of the loss below which what is not critical does not say why a run failed
_NEAREST = "; the number told that is nearest is "
# What findings of a kind say together; ``givers`` are the first steps that they name.
_SENTENCES: Mapping[str, str] = {
    "invented": "{ran} {was} done in addition",
    "reversed": "{late} ran too early",
    "inverted": "{late} ran too early",
    "broken": "{ran} does not build on {givers}",
    "ungrounded": "{ran} was given a value that nothing showed",
    "tool": "{ran} was called instead of {wanted}",
    "split": "{ran} was done in other portions",
    "merged": "{ran} was done in other portions",
}


def list_clauses(marks: CallMarks) -> list[str]:
    """Returns what the headline says, one by one, the worst first; not escaped for HTML.

    What is slight is told only where there is nothing else.
    """
    against = marks.against
    bad = [one for one in against.score.findings if one.severity != SEVERITIES[-1]]
    if not bad:
        return [_praise(marks, len(against.score.findings))]
    kinds: dict[str, list[Finding]] = {}
    for one in _select_causes(bad):
        kinds.setdefault(one.kind, []).append(one)
    first, *rest = [write_clause(marks, found) for found in list(kinds.values())[:CLAUSES]]
    if not against.run.steps:
        counted = " that counts" if against.run.left_out else ""
        return [f"The run called nothing{counted}: {first}", *rest]
    return [first[:1].upper() + first[1:] if first.startswith(_OURS) else first, *rest]


def write_clause(marks: CallMarks, found: Sequence[Finding]) -> str:
    """Returns what findings of one kind say together."""
    kind = found[0].kind
    if kind in _WRITERS:
        return _WRITERS[kind](marks, found)
    if kind not in _SENTENCES:
        more = f" (and {number_text(len(found) - 1)} more like it)" if len(found) > 1 else ""
        return found[0].sentence + more
    run, reference = marks.against.run.steps, marks.against.reference.steps
    last = [one.agent[-1:] for one in found]
    return _SENTENCES[kind].format(
        ran=_name_steps(run, last),
        late=_name_steps(run, dict.fromkeys(last)),
        givers=_name_steps(run, [one.agent[:1] for one in found]),
        wanted=_name_steps(reference, [one.reference for one in found]),
        was="was" if len(found) == 1 else "were",
    )


def _select_causes(bad: Sequence[Finding]) -> list[Finding]:
    """The findings that say why a run failed.

    Beside something critical it is not for what costs next to nothing: a lookup that is missing.
    """
    costs: dict[tuple[str, str], list[float]] = {}
    for one in bad:
        known = 1.0 if one.share is None else one.share
        costs.setdefault((one.severity, one.kind), []).append(known)
    kept = {key for key, shares in costs.items() if fsum(shares) >= _SMALL}
    worst = bad[0].severity
    return [one for one in bad if one.severity == worst or (one.severity, one.kind) in kept]


def _praise(marks: CallMarks, slight: int) -> str:
    """What is said of a run in which nothing bad was found."""
    score = marks.against.score
    if not score.understood:
        return "Nothing was understood of the run"
    if score.score < GOOD:
        return "Nothing is bad by itself, but the steps differ much in all"
    if slight:
        return f"Does what the reference does, with {count_text(slight, 'slight difference')}"
    if score.loss > 0:
        return "Does what the reference does; some steps differ a little"
    return "The same as the reference"


def _write_missing(marks: CallMarks, found: Sequence[Finding]) -> str:
    steps = marks.against.reference.steps
    lacking = Counter(_list_names(steps, (one.reference for one in found)))
    wanted = Counter(_list_names(steps, [[step.id for step in steps]]))
    if len(lacking) == 1 and len(found) < wanted[min(lacking)]:
        return _write_missing_calls(marks, found, min(lacking), wanted[min(lacking)])
    names = [
        name if wanted[name] == 1 else f"{name} ({_word_share(count, wanted[name])})"
        for name, count in lacking.items()
    ]
    if len(found) <= NAMED or len(names) == 1 or not marks.against.run.steps:
        return f"{_join_names(names)} {'is' if len(found) == 1 else 'are'} missing"
    return f"{_word_share(len(found), len(steps), 'step')} are missing: {_join_names(names)}"


def _write_missing_calls(marks: CallMarks, found: Sequence[Finding], name: str, wanted: int) -> str:
    """Says which calls of one tool are missing, where others of them are there."""
    ids = {step for one in found for step in one.reference}
    steps = [step for step in marks.against.reference.steps if step.id in ids]
    values = list(dict.fromkeys(marks.mark_step(step, brief=True) for step in steps))
    which = f": {_join_names(values, NAMED + 1)}" if all(values) else ""
    return f"{name} is missing {number_text(len(steps))} of {count_text(wanted, 'time')}{which}"


def _word_share(count: int, of: int, noun: str | None = None) -> str:
    whole = count_text(of, noun) if noun else number_text(of)
    return f"all {whole}" if count == of else f"{number_text(count)} of {whole}"


def _write_repeated(marks: CallMarks, found: Sequence[Finding]) -> str:
    run = marks.against.run.steps
    names = _name_steps(run, [one.agent[-1:] for one in found])
    said = f"{names} {'was' if len(found) == 1 else 'were'} done again"
    both = [step for id_ in found[0].agent for step in run if step.id == id_]
    is_same = len({repr(step.arguments) for step in both}) < 2
    if len(found) > 1 or is_same or len({name_step(step) for step in both}) > 1:
        return said
    return f"{said}, with {marks.mark_step(both[-1]) or 'other values'}"


def _write_failed(marks: CallMarks, found: Sequence[Finding]) -> str:
    last = [one.agent[-1:] for one in found]
    names = _list_names(marks.against.run.steps, last)
    if len(found) > 1 and len({*names}) == 1:
        return f"{names[0]} failed {number_text(len(found))} times"
    return f"{_name_steps(marks.against.run.steps, last)} failed"


def _write_arguments(marks: CallMarks, found: Sequence[Finding]) -> str:
    details = marks.against.details
    pairs = [(one.agent[0], one.reference[0]) for one in found if one.agent and one.reference]
    changes = [c for pair in pairs if pair in details for c in details[pair].changes]
    names = _name_steps(marks.against.run.steps, [one.agent[-1:] for one in found])
    if len(found) == 1 and changes:
        rest = len(changes) - NAMED
        some = ", ".join(map(str, changes[:NAMED]))
        return f"{names}: {some}" + (f", and {number_text(rest)} more" if rest > 0 else "")
    keys = list(dict.fromkeys(shown(change.path, _NAME) for change in changes))
    about = f": {_join_names(keys)}" if keys else ""
    return f"{names} {'has' if len(found) == 1 else 'have'} other values{about}"


def _write_untold(_: CallMarks, found: Sequence[Finding]) -> str:
    if len(found) > 1:
        return f"{count_text(len(found), 'answer')} were never told"
    answer, between, nearest = found[0].sentence.partition(_NEAREST)
    return f"{answer} (the nearest told is {nearest})" if between else answer


def _name_steps(steps: Sequence[Step], ids: Iterable[Sequence[str]]) -> str:
    """The names of steps, each once, with how often it is there."""
    counted = Counter(_list_names(steps, ids)).items()
    return _join_names(
        [name if k == 1 else f"{name} ({number_text(k)} times)" for name, k in counted]
    )


def _list_names(steps: Sequence[Step], ids: Iterable[Sequence[str]]) -> list[str]:
    names = {step.id: shown(name_step(step), _NAME) for step in steps}
    return [names[one] for some in ids for one in some if one in names]


def _join_names(names: Sequence[str], most: int = NAMED) -> str:
    """Some of the names as an enumeration, and how many there are besides."""
    rest = len(names) - most
    if rest > 0:
        return f"{', '.join(names[:most])} and {number_text(rest)} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "a step"


_WRITERS: Mapping[str, Callable[[CallMarks, Sequence[Finding]], str]] = {
    "missing": _write_missing,
    "failed": _write_failed,
    "untold": _write_untold,
    "arguments": _write_arguments,
    "repeated": _write_repeated,
}
