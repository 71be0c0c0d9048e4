"""A score as every view shows it: made once, and laid out by terminal, Markdown and pages.

Texts of traces are on one line, as ``errors.shown`` leaves them; they are escaped for no markup.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import fsum
from typing import NamedTuple, get_args

from otap._numbers import ABSENT, count_text, number_text
from otap.alignment import SEVERITIES, Calculation, Finding, Severity
from otap.errors import shown
from otap.prepare.recognition import Role
from otap.report.model.headline import list_clauses, write_clause
from otap.report.model.marks import CallMarks
from otap.report.model.rows import SMALLEST, Row, list_rows
from otap.report.model.words import (
    PARTS,
    SIGNS,
    arguments_text,
    label_step,
    name_step,
)
from otap.scoring import Against, Score, Side, summary
from otap.trajectory import Step, counted

FEW = 2  # findings that say the same have a line each; more have one together
SHOWN = 100  # findings of a group; their rows have them all
TOOLS = 6  # named of the steps that matter little
_BACK = 160  # characters of what came back
_LIGHT: frozenset[Role] = frozenset(get_args(Role)) - {"writes"}


class ScoreNumber(NamedTuple):
    """A number in [0, 1] with its name and what it means."""

    name: str
    value: float | None
    meaning: str


class LossPart(NamedTuple):
    """A part of the loss.

    Attributes:
        name: its key in the record.
        word: what people call it.
        loss: the part, in nats.
        share: of the loss before the severity band, in [0, 1], as the shares of findings are; None
            for the penalty of a critical finding, which multiplies the score by 0.9.
    """

    name: str
    word: str
    loss: float
    share: float | None


class Group(NamedTuple):
    """A finding; or findings of several steps that say the same.

    Attributes:
        severity: of all of them.
        kind: the same.
        sentence: what they say together.
        share: of the loss that they account for together.
        rows: the places of the rows that they are about.
        call: what the step was called with; of one that failed what came back.
        size: how many findings there are.
        members: of several, each of them.
    """

    severity: Severity
    kind: str
    sentence: str
    share: float | None
    rows: Sequence[int]
    call: str = ""
    size: int = 1
    members: "tuple[Group, ...]" = ()


class AlignmentReport(NamedTuple):
    """A run beside one reference.

    Attributes:
        against: the run and the reference.
        marks: which values tell its steps apart.
        rows: the alignment in reading order.
        clauses: what the headline says, the worst first.
        bad: critical and major findings, the worst first.
        slight: the minor ones.
        parts: of the loss, the largest first.
    """

    against: Against
    marks: CallMarks
    rows: Sequence[Row]
    clauses: Sequence[str]
    bad: Sequence[Group]
    slight: Sequence[Group]
    parts: Sequence[LossPart]

    @property
    def headline(self) -> str:
        """One sentence that says in which way the run departs."""
        return f"{'; '.join(self.clauses)}."

    @property
    def slight_count(self) -> int:
        """How many findings are minor."""
        return sum(one.size for one in self.slight)

    def title(self, score: Score) -> str:
        """Returns which run this is, and what it is held against, of all that its score knows."""
        run, reference = self.against.run, self.against.reference
        count = len(score.references)
        return f"{_name_side(run)} against {_name_side(reference)}" + (
            f", the nearest of {count_text(count, 'reference')}" if count > 1 else ""
        )

    def differing(self) -> list[tuple[Row, tuple[str, ...]]]:
        """Returns the rows that are not as good as the same, each in words.

        Those are its signs, both sides, and the values that differ; of a step that is alone, what
        it was called with.
        """
        return [
            (row, (relate_row(row), *map(_label_steps, row.steps), self.explain_row(row)))
            for row in self.rows
            if not row.is_dull
        ]

    def explain_row(self, row: Row, limit: int = 120, longest: int = 60) -> str:
        """Returns the values that differ; of a step that is alone, what it was called with."""
        if row.is_paired:
            return "; ".join(map(str, row.changes))
        given = self.marks.order_arguments(row.first_step)
        return arguments_text(given, limit, longest)

    def choose_rows(self, count: int) -> list[int]:
        """Returns the places of so many rows: of too many, first what has to be said."""
        telling = sorted(range(len(self.rows)), key=lambda place: self.rows[place].is_slight)
        return sorted(telling[:count])

    def rest_sentence(self) -> str | None:
        """Returns what the other rows are in one sentence; None: there are none."""
        dull = [row for row in self.rows if row.is_dull]
        if not dull:
            return None
        begin = "All" if len(dull) == len(self.rows) else "All else"
        return f"{begin} is the same or slight: {count_rows(dull)}."


def count_rows(rows: Sequence[Row]) -> str:
    """Returns how many rows of each relation there are, and tools that are called besides.

    That reads: 5 same, 2 extra (2 get_user).
    """
    told = []
    for relation, sign in SIGNS.items():
        found = [row for row in rows if row.relation == relation]
        counts = Counter(name_step(row.first_step) for row in found if not row.reference)
        besides = name_most(counts, TOOLS, "{} ")
        told += [f"{number_text(len(found))} {sign.word}{besides}"] if found else []
    return ", ".join(told)


def name_most(counts: Counter[str], most: int, form: str = "") -> str:
    """Returns the names that are there most often, in brackets: empty where there is none.

    Args:
        counts: how often each name is there.
        most: how many are named.
        form: how the count of each is written before it.
    """
    named = [
        f"{form.format(number_text(k))}{shown(one, 40)}" for one, k in counts.most_common(most)
    ]
    named += ["and others"] if len(counts) > most else []
    return f" ({', '.join(named)})" if named else ""


def describe_alignment(against: Against) -> AlignmentReport:
    """Returns a run beside one reference as every view shows it."""
    marks, rows = CallMarks(against), list_rows(against)
    where: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        for one in (*row.findings, *row.order):
            where.setdefault(id(one), []).append(place)
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for one in against.score.findings:
        alike.setdefault((one.severity, one.kind, one.tools), []).append(one)
    groups = [group for found in alike.values() for group in _group_findings(marks, found, where)]
    return AlignmentReport(
        against,
        marks,
        rows,
        list_clauses(marks),
        [one for one in groups if one.severity != SEVERITIES[-1]],
        [one for one in groups if one.severity == SEVERITIES[-1]],
        list_parts(against.score, against.calculation),
    )


def _group_findings(
    marks: CallMarks, found: Sequence[Finding], where: Mapping[int, Sequence[int]]
) -> list[Group]:
    """Findings that say the same: few of them each alone, more together."""
    told = [_describe_finding(marks, one, where.get(id(one), ())) for one in found]
    if len(told) <= FEW:
        return told
    known = [one.share for one in told if one.share is not None]
    whole = told[0]._replace(
        sentence=write_clause(marks, found),
        share=min(1.0, fsum(known)) if known else None,
        rows=tuple(dict.fromkeys(row for one in told for row in one.rows)),
        call="",
        size=len(told),
        members=tuple(told[:SHOWN]),
    )
    return [whole]


def _describe_finding(marks: CallMarks, one: Finding, rows: Sequence[int]) -> Group:
    """A finding, and what its step was called with, or what came back where it failed."""
    ids = one.agent[-1:] or one.reference[:1]
    side = marks.against.run if one.agent else marks.against.reference
    call = ""
    for step in side.steps:
        if step.id in ids and one.kind == "failed" and step.effect:
            call = shown(step.effect, _BACK)
        elif step.id in ids:
            call = arguments_text(marks.order_arguments(step))
    return Group(one.severity, one.kind, one.sentence, one.share, rows, call)


def relate_row(row: Row) -> str:
    """Returns how the two sides of a row stand to each other, with the signs."""
    return ", ".join(f"{one.sign} {one.word}" for one in row.signs)


def _label_steps(steps: Sequence[Step]) -> str:
    return " + ".join(map(label_step, steps)) or ABSENT


def _name_side(side: Side) -> str:
    left = f", {number_text(len(side.left_out))} more do not count" if side.left_out else ""
    return f"{shown(side.recorded.name)} ({count_text(len(side.steps), 'step')}{left})"


def list_parts(score: Score, calculation: Calculation | None = None) -> list[LossPart]:
    """Returns the parts of a loss, the largest first, and that a finding is critical last.

    The penalties of two steps that a finding pairs count as the values or the tool that differ.
    Parts that are no more than rounding are left out.

    Args:
        score: the score.
        calculation: of the loss against its best reference; without it, the parts are those that
            the transport charges.
    """
    losses = score.losses.model_dump()
    critical = losses.pop("critical")
    total = fsum(losses.values())
    is_of_one = len(score.references) == 1 or score.signature.temperature == 0
    if calculation is not None and is_of_one and calculation.loss_before_band > 0:
        factor = total / calculation.loss_before_band
        losses = {name: factor * part for name, part in calculation.parts.items()}
    parts = [
        LossPart(name, PARTS.get(name, name), loss, loss / total)
        for name, loss in losses.items()
        if loss > SMALLEST
    ]
    parts.sort(key=lambda part: -part.loss)
    if critical > 0:
        parts.append(LossPart("critical", PARTS["critical"], critical, None))
    return parts


def list_numbers(score: Score) -> list[ScoreNumber]:
    """Returns the numbers beside the score."""
    found = [
        ScoreNumber("skill", score.skill, "0 is no better than doing nothing, 1 is the same"),
        ScoreNumber("precision", score.precision, "how much of the run the reference has"),
        ScoreNumber("recall", score.recall, "how much of the reference the run has"),
    ]
    if score.order_agreement is not None:
        meaning = "pairs of steps in the order of the reference's list; not part of the score"
        found.append(ScoreNumber("in order", score.order_agreement, meaning))
    return found


def list_doubts(score: Score) -> list[str]:
    """Returns what makes a score say less than it seems to; a trace names parts of it."""
    doubts = []
    if not score.understood:
        seen = counted(score.unknown.agent)
        doubts.append(f"NOTHING WAS UNDERSTOOD of the run, the score says nothing: {seen}")
    elif score.unknown.agent:
        doubts.append(f"not understood of the run: {counted(score.unknown.agent)}")
    if score.unknown.reference:
        doubts.append(f"not understood of the reference: {counted(score.unknown.reference)}")
    if score.conditions.told is False:
        doubts.append("what must be told is not scored: the run does not record what was told")
    if not score.converged:
        doubts.append("The solver did not converge: the loss is an upper bound.")
    return doubts


def list_uncounted(score: Score) -> list[str]:
    """Returns what did not count, or not in full: sentences in which a trace names its tools."""
    left, found = score.left_out, score.conditions.recognised
    full = set(score.conditions.in_full) & _LIGHT
    told = []
    if left.agent or left.reference:
        run, reference = (count_text(len(side), "step") for side in (left.agent, left.reference))
        told.append(f"does not count: {run} of the run, {reference} of the reference")
    if little := summary(_select_roles(found, _LIGHT - full)):
        told.append(f"counts little: {little}")
    if in_full := summary(_select_roles(found, full)):
        told.append(f"counts in full, as the reference does nothing weightier: {in_full}")
    if score.conditions.redrawn:
        number = count_text(score.conditions.redrawn, "identifier")
        told.append(f"{number} drawn anew for the same thing")
    return told


def _select_roles(
    found: Mapping[str, Sequence[Role]], roles: AbstractSet[Role]
) -> dict[str, list[Role]]:
    """The tools that have one of some roles, with it; and that they write, too, where they do."""
    return {
        tool: [role for role in own if role in roles or role == "writes"]
        for tool, own in found.items()
        if roles & {*own}
    }
