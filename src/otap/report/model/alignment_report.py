"""The content of every view of a score, which terminal, Markdown and pages lay out.

Texts of traces are on one line, as ``errors.shown`` returns them, and not escaped for any markup.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import fsum
from typing import NamedTuple, get_args

from otap._numbers import ABSENT, count_text, number_text
from otap.errors import shown
from otap.findings import SEVERITIES, Finding, Severity
from otap.report.model.alignment_rows import SMALLEST, Row, list_rows
from otap.report.model.headline import list_clauses, write_clause
from otap.report.model.marks import CallMarks
from otap.report.model.vocabulary import (
    PARTS,
    RETRIED,
    SIGNS,
    arguments_text,
    label_step,
    name_step,
)
from otap.run.roles import Role
from otap.scoring import Against, Score, Side, summary
from otap.scoring.calculation import Calculation
from otap.trajectory import Step, kinds_text

FEW = 2  # up to this number, similar findings have a line each; more share one line
MAX_MEMBERS = 100  # findings listed in a group; their rows have them all
ASSUMED_TOOLS = 3  # tools named whose role is assumed
TOOLS = 6  # tools named among the steps that matter little
_RESULT_SHOWN = 160  # characters of the result of a failed call
_LIGHT: frozenset[Role] = frozenset(get_args(Role)) - {"writes"}


class ScoreNumber(NamedTuple):
    """A number in [0, 1] with its name and its meaning."""

    name: str
    value: float | None
    meaning: str


class LossPart(NamedTuple):
    """A part of the loss.

    Attributes:
        name: its key in the record.
        word: its name in views.
        loss: the part, in nats.
        share: of the loss before the severity band, in [0, 1], as the shares of findings are; None
            for the penalty of a critical finding, which multiplies the score by 0.9.
    """

    name: str
    word: str
    loss: float
    share: float | None


class Group(NamedTuple):
    """A finding, or similar findings of several steps.

    Attributes:
        severity: the severity of all of them.
        kind: the kind of all of them.
        sentence: one sentence for all of them.
        share: the share of the loss that they account for together.
        rows: the indices of the rows that they are about.
        call: the arguments of the step; the result of a failed one.
        size: the number of findings.
        id: of the finding, if it is a single one.
        members: the single findings, if there are several.
    """

    severity: Severity
    kind: str
    sentence: str
    share: float | None
    rows: Sequence[int]
    call: str = ""
    size: int = 1
    id: str = ""
    members: "tuple[Group, ...]" = ()


class AlignmentReport(NamedTuple):
    """A run compared with one reference.

    Attributes:
        against: the run and the reference.
        marks: the values that distinguish its steps.
        rows: the alignment in reading order.
        clauses: the clauses of the headline, the worst first.
        bad: the critical and major findings, the worst first.
        slight: the minor findings.
        parts: the parts of the loss, the largest first.
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
        """The main differences of the run in one sentence."""
        return f"{'; '.join(self.clauses)}."

    @property
    def slight_count(self) -> int:
        """The number of minor findings."""
        return sum(group.size for group in self.slight)

    def title(self, score: Score) -> str:
        """Returns the names of the run and of the reference, their number, and strict mode."""
        run, reference = self.against.run, self.against.reference
        count = len(score.references)
        nearest = f", the nearest of {count_text(count, 'reference')}" if count > 1 else ""
        mode = ", in strict mode" if score.signature.strict else ""
        return f"{_name_side(run)} against {_name_side(reference)}{nearest}{mode}"

    def differing(self) -> list[tuple[Row, tuple[str, ...]]]:
        """Returns the rows that are not practically the same, each in words.

        The words are its signs, both sides, and the values that differ, or the arguments of a
        single step.
        """
        return [
            (
                row,
                (
                    relate_row(row),
                    *[_label_steps(side) for side in row.steps],
                    self.explain_row(row),
                ),
            )
            for row in self.rows
            if not row.is_dull
        ]

    def explain_row(self, row: Row, limit: int = 120, longest: int = 60) -> str:
        """Returns the values that differ, or the arguments of a single step."""
        if row.is_paired:
            return "; ".join(str(change) for change in row.changes)
        arguments = self.marks.order_arguments(row.first_step)
        return arguments_text(arguments, limit, longest)

    def choose_rows(self, count: int) -> list[int]:
        """Returns the indices of at most ``count`` rows; rows with bad findings come first."""
        ranked = sorted(range(len(self.rows)), key=lambda index: self.rows[index].is_slight)
        return sorted(ranked[:count])

    def rest_sentence(self) -> str | None:
        """Returns a sentence about the other rows; None if there are none."""
        dull = [row for row in self.rows if row.is_dull]
        if not dull:
            return None
        begin = "All" if len(dull) == len(self.rows) else "All else"
        return f"{begin} is the same or differs slightly: {count_rows(dull)}."


def count_rows(rows: Sequence[Row]) -> str:
    """Returns the number of rows of each relation, with the tools of extra steps.

    An example is: 5 same, 2 extra (2 get_user).
    """
    counts = []
    for sign in (*SIGNS.values(), RETRIED):
        related = [row for row in rows if row.signs[0] == sign]
        extra = Counter(name_step(row.first_step) for row in related if not row.reference)
        if related:
            tools = name_most(extra, TOOLS, "{} ")
            counts.append(f"{number_text(len(related))} {sign.word}{tools}")
    return ", ".join(counts)


def name_most(counts: Counter[str], most: int, form: str = "") -> str:
    """Returns the most frequent names in brackets; empty if there is none.

    Args:
        counts: the count of each name.
        most: the maximum number of names.
        form: the format of the count before each name.
    """
    names = [
        f"{form.format(number_text(k))}{shown(name, 40)}" for name, k in counts.most_common(most)
    ]
    names += ["and others"] if len(counts) > most else []
    return f" ({', '.join(names)})" if names else ""


def describe_alignment(against: Against) -> AlignmentReport:
    """Returns the content of every view of a run and one reference."""
    marks, rows = CallMarks(against), list_rows(against)
    rows_of: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        for finding in row.all_findings:
            rows_of.setdefault(id(finding), []).append(index)
    similar: dict[tuple[object, ...], list[Finding]] = {}
    for finding in against.score.findings:
        key = finding.severity, finding.kind, finding.tools
        similar.setdefault(key, []).append(finding)
    groups = [
        group
        for findings in similar.values()
        for group in _group_findings(marks, findings, rows_of)
    ]
    return AlignmentReport(
        against,
        marks,
        rows,
        list_clauses(marks),
        [group for group in groups if group.severity != SEVERITIES[-1]],
        [group for group in groups if group.severity == SEVERITIES[-1]],
        list_parts(against.score, against.calculation),
    )


def _group_findings(
    marks: CallMarks, findings: Sequence[Finding], rows_of: Mapping[int, Sequence[int]]
) -> list[Group]:
    """Similar findings: a few of them each alone, more as one group."""
    groups = [
        _describe_finding(marks, finding, rows_of.get(id(finding), ())) for finding in findings
    ]
    if len(groups) <= FEW:
        return groups
    shares = [group.share for group in groups if group.share is not None]
    joined = groups[0]._replace(
        sentence=write_clause(marks, findings),
        share=min(1.0, fsum(shares)) if shares else None,
        rows=tuple(dict.fromkeys(row for group in groups for row in group.rows)),
        call="",
        size=len(groups),
        id="",
        members=tuple(groups[:MAX_MEMBERS]),
    )
    return [joined]


def _describe_finding(marks: CallMarks, finding: Finding, rows: Sequence[int]) -> Group:
    """A finding, with the arguments of its step, or the result of a failed one."""
    ids = finding.agent[-1:] or finding.reference[:1]
    side = marks.against.run if finding.agent else marks.against.reference
    call = ""
    step = side.by_id.get(ids[0]) if ids else None
    if step is not None and finding.kind == "failed" and step.effect:
        call = shown(step.effect, _RESULT_SHOWN)
    elif step is not None:
        call = arguments_text(marks.order_arguments(step))
    return Group(
        finding.severity, finding.kind, finding.sentence, finding.share, rows, call, id=finding.id
    )


def relate_row(row: Row) -> str:
    """Returns the relation of the two sides of a row, with the signs."""
    signs = [f"{sign.sign} {sign.word}" for sign in row.signs]
    words = {sign.word for sign in row.signs}
    return ", ".join([*signs, *(word for word in row.words if word not in words)])


def _label_steps(steps: Sequence[Step]) -> str:
    return " + ".join(label_step(step) for step in steps) or ABSENT


def _name_side(side: Side) -> str:
    left = f", {number_text(len(side.left_out))} more do not count" if side.left_out else ""
    return f"{shown(side.recorded.readable_name)} ({count_text(len(side.steps), 'step')}{left})"


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
    """Returns the numbers next to the score."""
    numbers = [
        ScoreNumber("skill", score.skill, "0 is no better than doing nothing, 1 is the same"),
        ScoreNumber("precision", score.precision, "how much of the run the reference has"),
        ScoreNumber("recall", score.recall, "how much of the reference the run has"),
    ]
    if score.order_agreement is not None:
        meaning = "pairs of steps in the order of the reference's list; not part of the score"
        numbers.append(ScoreNumber("in order", score.order_agreement, meaning))
    return numbers


def list_doubts(score: Score) -> list[str]:
    """Returns the reasons to trust a score less; they quote names from a trace."""
    doubts = []
    if not score.understood:
        unknown = kinds_text(score.unknown.agent)
        doubts.append(f"NOTHING WAS UNDERSTOOD of the run, the score means nothing: {unknown}")
    elif score.unknown.agent:
        doubts.append(f"not understood of the run: {kinds_text(score.unknown.agent)}")
    if score.unknown.reference:
        doubts.append(f"not understood of the reference: {kinds_text(score.unknown.reference)}")
    if score.conditions.answers_recorded is False:
        doubts.append("Required answers are not scored: the run records no messages to its user.")
    if not score.converged:
        doubts.append("The solver did not converge: the loss is an upper bound.")
    return doubts


def describe_order(score: Score) -> str:
    """Returns a sentence if the order of some steps was not compared; else an empty text."""
    if score.conditions.order_scored or min(score.steps.agent, score.steps.reference) < 2:
        return ""
    if not score.conditions.changes_in_order:
        return "order was not checked: no dependencies of the reference are known"
    return "order: only that of changes was checked, no dependencies of the reference are known"


def list_uncounted(score: Score) -> list[str]:
    """Returns sentences about the steps that do not count, or with little weight.

    They quote names of tools from a trace.
    """
    left, roles = score.left_out, score.conditions.inferred_roles
    full = set(score.conditions.full_weight) & _LIGHT
    sentences = []
    if left.agent or left.reference:
        run, reference = (count_text(len(side), "step") for side in (left.agent, left.reference))
        sentences.append(f"does not count: {run} of the run, {reference} of the reference")
    light = summary(_select_roles(roles, _LIGHT - full))
    if light:
        sentences.append(f"low weight: {light}")
    in_full = summary(_select_roles(roles, full))
    if in_full:
        sentences.append(f"full weight, as the reference does nothing weightier: {in_full}")
    if score.conditions.renamed_ids:
        number = count_text(score.conditions.renamed_ids, "identifier")
        sentences.append(f"{number} with a new value for the same object")
    order = describe_order(score)
    return [*sentences, order] if order else sentences


def describe_assumed_roles(against: Against) -> str:
    """Returns a sentence if critical findings are about calls whose role nothing shows.

    It says how to correct the role. It quotes names of tools from a trace; it is empty if there are
    no such calls.
    """
    run, reference = (_find_assumed(side) for side in (against.run, against.reference))
    tools = [
        tools_by_id[step_id]
        for finding in against.score.findings
        if finding.severity == SEVERITIES[0]
        for tools_by_id, ids in ((run, finding.agent), (reference, finding.reference))
        for step_id in ids
        if step_id in tools_by_id
    ]
    if not tools:
        return ""
    names = list(dict.fromkeys(shown(tool) for tool in tools))
    more = len(names) - ASSUMED_TOOLS
    setting = ", ".join(f'"{name}"' for name in names[:ASSUMED_TOOLS])
    count = "" if more <= 0 else f" and {number_text(more)} more"
    words = "counts as a change: nothing shows that it only reads. If it does"
    if len(names) > 1:
        words = "count as changes: nothing shows that they only read. If they do"
    listing = f"{', '.join(names[:ASSUMED_TOOLS])}{count}"
    return f"{listing} {words}, set tools.read_only = [{setting}]"


def _find_assumed(side: Side) -> dict[str, str]:
    """The tools of the steps whose role is assumed, by the ids of the steps."""
    return {
        step.id: step.tool
        for step, is_assumed in zip(side.steps, side.is_assumed, strict=True)
        if is_assumed and step.tool is not None
    }


def _select_roles(
    roles_of: Mapping[str, Sequence[Role]], roles: AbstractSet[Role]
) -> dict[str, list[Role]]:
    """The tools with one of some roles, each with these roles and with "writes" if it writes."""
    return {
        tool: [role for role in tool_roles if role in roles or role == "writes"]
        for tool, tool_roles in roles_of.items()
        if roles & {*tool_roles}
    }
