"""What went wrong in one sentence, made by rule of the worst findings: for those in a hurry."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from otap._numbers import count_text, number_text
from otap.alignment import SEVERITIES, Change, Finding
from otap.errors import shown
from otap.report.cells import GOOD, step_name
from otap.report.story.telling import Telling
from otap.scoring import Against
from otap.trajectory import Step

CLAUSES = 3  # kinds of findings that the sentence tells of
NAMED = 2  # steps or arguments that one clause names
_NAME = 40  # characters of a name
_OURS = ("all ", "the answer ", "step ")  # beginnings that are no names
_SMALL = 0.05  # share of the loss below which what is not critical does not say why a run failed


def headline(against: Against) -> str:
    """Returns one sentence that says in which way a run departs; plain text, not escaped for HTML.

    Args:
        against: the run and its reference.
    """
    return f"{'; '.join(clauses(against))}."


def clauses(against: Against) -> list[str]:
    """Returns what the headline says, one by one, the worst first.

    What is slight is told only where there is nothing else.

    Args:
        against: the run and its reference.
    """
    bad = [one for one in against.score.findings if one.severity != SEVERITIES[-1]]
    if not bad:
        return [_well(against, len(against.score.findings))]
    kinds: dict[str, list[Finding]] = {}
    for one in _telling(bad):
        kinds.setdefault(one.kind, []).append(one)
    first, *rest = [clause(against, found) for found in list(kinds.values())[:CLAUSES]]
    if not against.run.steps:
        return [f"{_did_nothing(against)}: {first}", *rest]
    return [_begun(first), *rest]


def _telling(bad: Sequence[Finding]) -> list[Finding]:
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


def _did_nothing(against: Against) -> str:
    return f"The run called nothing{' that counts' if against.run.left_out else ''}"


def _begun(text: str) -> str:
    """A text as the beginning of a sentence; the name of a step stays as it is."""
    return text[:1].upper() + text[1:] if text.startswith(_OURS) else text


def clause(against: Against, found: Sequence[Finding]) -> str:
    """Returns what findings of one kind say together.

    Args:
        against: the run and its reference.
        found: of the score of these two.
    """
    return _CLAUSES.get(found[0].kind, _sentence)(against, found)


def _well(against: Against, slight: int) -> str:
    """What is said of a run in which nothing bad was found."""
    score = against.score
    if not score.understood:
        return "Nothing was understood of the run"
    if score.score < GOOD:
        return "Nothing is bad by itself, but the steps differ much in all"
    if slight:
        return f"Does what the reference does, with {count_text(slight, 'slight difference')}"
    if score.loss > 0:
        return "Does what the reference does; some steps differ a little"
    return "The same as the reference"


def _missing(against: Against, found: Sequence[Finding]) -> str:
    lacking = Counter(_names(against.reference.steps, (one.reference for one in found)))
    wanted = Counter(shown(step_name(step), _NAME) for step in against.reference.steps)
    if len(lacking) == 1 and len(found) < sum(wanted[name] for name in lacking):
        return _missing_of(against, found, wanted)
    names = [_of(name, count, wanted[name]) for name, count in lacking.items()]
    if len(found) <= NAMED or len(names) == 1 or not against.run.steps:
        return f"{_listed(names)} {_are(len(found), 'is missing', 'are missing')}"
    return f"{_of_all(len(found), len(against.reference.steps))} are missing: {_listed(names)}"


def _of_all(count: int, all_: int) -> str:
    if count == all_:
        return f"all {count_text(count, 'step')}"
    return f"{number_text(count)} of {count_text(all_, 'step')}"


def _missing_of(against: Against, found: Sequence[Finding], wanted: Mapping[str, int]) -> str:
    """Says which calls of one tool are missing, where others of them are there."""
    ids = {step for one in found for step in one.reference}
    steps = [step for step in against.reference.steps if step.id in ids]
    name = shown(step_name(steps[0]), _NAME)
    telling = Telling(against)
    values = list(dict.fromkeys(telling.values(step) for step in steps))
    which = f": {_listed(values, NAMED + 1)}" if all(values) else ""
    times = f"{number_text(len(steps))} of {count_text(wanted[name], 'time')}"
    return f"{name} is missing {times}{which}"


def _of(name: str, count: int, wanted: int) -> str:
    """A name of steps that are missing, and how many of them where that is not plain."""
    if wanted == 1:
        return name
    times = f"{number_text(count)} of {number_text(wanted)}"
    return f"{name} ({f'all {number_text(count)}' if count == wanted else times})"


def _extra(against: Against, found: Sequence[Finding]) -> str:
    names = _ran(against, found)
    return f"{_listed(names)} {_are(len(found), 'was', 'were')} done in addition"


def _again(against: Against, found: Sequence[Finding]) -> str:
    names = _ran(against, found)
    said = f"{_listed(names)} {_are(len(found), 'was', 'were')} done again"
    steps = {step.id: step for step in against.run.steps}
    both = [steps[one] for one in found[0].agent if one in steps]
    is_same = len({(step_name(step), repr(step.arguments)) for step in both}) < 2
    if len(found) > 1 or is_same or len({step_name(step) for step in both}) > 1:
        return said
    return f"{said}, with {Telling(against).line(both[-1]) or 'other values'}"


def _failed(against: Against, found: Sequence[Finding]) -> str:
    names = _ran(against, found)
    if len(found) > 1 and len(names) == 1:
        times = f"{number_text(len(found))} times"
        return f"{names[0].removesuffix(f' ({times})')} failed {times}"
    return f"{_listed(names)} failed"


def _other_values(against: Against, found: Sequence[Finding]) -> str:
    changes = [change for one in found for change in _changes(against, one)]
    names = _ran(against, found)
    if len(found) == 1 and changes:
        return f"{_listed(names)}: {_some([str(change) for change in changes])}"
    keys = list(dict.fromkeys(shown(change.path, _NAME) for change in changes))
    about = f": {_listed(keys)}" if keys else ""
    return f"{_listed(names)} {_are(len(found), 'has', 'have')} other values{about}"


def _changes(against: Against, finding: Finding) -> Sequence[Change]:
    if not finding.agent or not finding.reference:
        return ()
    details = against.details.get((finding.agent[0], finding.reference[0]))
    return details.changes if details else ()


def _other_tool(against: Against, found: Sequence[Finding]) -> str:
    wanted = _named(against.reference.steps, (one.reference for one in found))
    return f"{_listed(_ran(against, found))} was called instead of {_listed(wanted)}"


def _order(against: Against, found: Sequence[Finding]) -> str:
    late = _named(against.run.steps, dict.fromkeys(one.agent[-1:] for one in found))
    return f"{_listed(late)} ran too early"


def _lost(against: Against, found: Sequence[Finding]) -> str:
    users = _named(against.run.steps, (one.agent[-1:] for one in found))
    givers = _named(against.run.steps, (one.agent[:1] for one in found))
    return f"{_listed(users)} does not build on {_listed(givers)}"


def _groundless(against: Against, found: Sequence[Finding]) -> str:
    return f"{_listed(_ran(against, found))} was given a value that nothing showed"


def _in_parts(against: Against, found: Sequence[Finding]) -> str:
    return f"{_listed(_ran(against, found))} was done in other portions"


def _untold(_: Against, found: Sequence[Finding]) -> str:
    if len(found) > 1:
        return f"{count_text(len(found), 'answer')} were never told"
    answer, between, nearest = found[0].sentence.partition("; the number told that is nearest is ")
    return f"{answer} (the nearest told is {nearest})" if between else answer


def _sentence(_: Against, found: Sequence[Finding]) -> str:
    more = f" (and {number_text(len(found) - 1)} more like it)" if len(found) > 1 else ""
    return found[0].sentence + more


def _ran(against: Against, found: Sequence[Finding]) -> list[str]:
    return _named(against.run.steps, (one.agent[-1:] for one in found))


def _named(steps: Sequence[Step], ids: Iterable[Sequence[str]]) -> list[str]:
    """The names of steps, each once, with how often it is there."""
    counted = Counter(_names(steps, ids))
    return [
        name if count == 1 else f"{name} ({number_text(count)} times)"
        for name, count in counted.items()
    ]


def _names(steps: Sequence[Step], ids: Iterable[Sequence[str]]) -> list[str]:
    names = {step.id: shown(step_name(step), _NAME) for step in steps}
    return [names[one] for some in ids for one in some if one in names]


def _some(texts: Sequence[str]) -> str:
    """Some of several texts, one after the other, and how many there are besides."""
    rest = len(texts) - NAMED
    return ", ".join(texts[:NAMED]) + (f", and {number_text(rest)} more" if rest > 0 else "")


def _listed(names: Sequence[str], most: int = NAMED) -> str:
    """Some of the names as an enumeration, and how many there are besides."""
    rest = len(names) - most
    if rest > 0:
        return f"{', '.join(names[:most])} and {number_text(rest)} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "a step"


def _are(count: int, one: str, many: str) -> str:
    return one if count == 1 else many


_CLAUSES: Mapping[str, Callable[[Against, Sequence[Finding]], str]] = {
    "missing": _missing,
    "failed": _failed,
    "untold": _untold,
    "invented": _extra,
    "reversed": _order,
    "broken": _lost,
    "inverted": _order,
    "ungrounded": _groundless,
    "tool": _other_tool,
    "arguments": _other_values,
    "repeated": _again,
    "split": _in_parts,
    "merged": _in_parts,
}
