"""The alignment of one score: the steps of the run beside those of the reference."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from otap._numbers import count_text, loss_text, two_digit_text
from otap.alignment import SEVERITIES
from otap.errors import shown
from otap.report.model.rows import SMALLEST, Row, fold_rows, list_signs
from otap.report.model.score import AlignmentReport, count_rows
from otap.report.model.words import SIGNS, name_step, value_text
from otap.report.view import SEVERITY_STYLES, Cell, Line, Table, line
from otap.scoring import Side

ROWS_SHOWN = 60
WHOLE = 24  # so many rows are shown one by one
CRITICAL = "!"  # before a row of which a finding is critical
INDENT = 8  # of what stands below a row
CHANGES = 4  # of a row
LONGEST = 160  # characters of one note
LONGEST_FIELD = 1000
_APART = ("id", "substeps", "depends_on")  # fields that are not shown as values
_ROLES = {"reads": " (reads)", "thinks": " (thinks)", "hands_over": " (hands over)"}


def alignment_lines(report: AlignmentReport) -> Iterator[Line | Table]:
    """Yields the rows in short, and below each what differs in it; dull neighbours are folded."""
    found = fold_rows(report.rows, WHOLE)
    drawn = found[:ROWS_SHOWN]
    body: list[Sequence[Cell] | Line] = []
    for one in drawn:
        if isinstance(one, Row):
            body += [*_row_cells(report, one), *_note_lines(report, one)]
        else:
            body.append(line(f"⋮ {count_rows(one)}", "dim", 4))
    yield from _table_lines(report, body)
    rest = sum(1 if isinstance(one, Row) else len(one) for one in found[ROWS_SHOWN:])
    if rest:
        yield line(f"and {count_text(rest, 'more row')}; --explain has all", "dim", 4)
    yield from _legend_lines([one for one in drawn if isinstance(one, Row)])


def whole_alignment_lines(report: AlignmentReport) -> Iterator[Line | Table]:
    """Yields every row, and below it what the pair costs and every field of its steps."""
    body: list[Sequence[Cell] | Line] = []
    for row in report.rows:
        body += [*_row_cells(report, row), *_field_lines(report, row)]
    yield from _table_lines(report, body)
    yield from _legend_lines(report.rows)


def _table_lines(
    report: AlignmentReport, body: Sequence[Sequence[Cell] | Line]
) -> Iterator[Line | Table]:
    """The rows; and that there is nothing to align, where a side has no step that counts."""
    for whose, side in (("run", report.against.run), ("reference", report.against.reference)):
        if not side.steps:
            yield line(f"  the {whose} has no step that counts")
    if body:
        yield Table(body, ("  run", "", "", "reference", "", ""), indent=2)


def _row_cells(report: AlignmentReport, row: Row) -> Iterator[Sequence[Cell]]:
    """A row: a line for each step of the side that has more of them."""
    style = "dim" if row.severity is None else SEVERITY_STYLES[row.severity]
    pale = "dim" if row.is_slight and not row.is_paired else ""
    sign, word = Cell("".join(one.sign for one in row.signs), style), _word_row(report, row)
    mark, marked = (CRITICAL, style) if row.severity == SEVERITIES[0] else (" ", pale)
    for number, steps in enumerate(zip_longest(*row.steps)):
        (ours, run), (theirs, reference) = (
            ("", "") if one is None else (shown(one.id, 20), shown(name_step(one), 60))
            for one in steps
        )
        left = Cell(f"{' ' if number else mark} {ours}", marked), Cell(run, pale), sign
        yield *left, Cell(theirs, pale), Cell(reference, pale), Cell("" if number else word, style)


def _word_row(report: AlignmentReport, row: Row) -> str:
    """What is said of a row at its end; nothing where it is the same."""
    role = ""
    if not row.is_paired:
        side = report.against.run if row.run else report.against.reference
        role = _ROLES.get(side.roles[(*row.run, *row.reference)[0]], "")
    words = [one.word for one in row.signs if one is not SIGNS["same"]]
    return ", ".join([f"{one}{role}" for one in words[:1]] + words[1:])


def _note_lines(report: AlignmentReport, row: Row) -> Iterator[Line]:
    """What differs: values, what a step that is alone was given, how one failed."""
    if row.relation in ("arguments", "tool"):
        style = "dim" if row.is_slight else ""
        yield from (line(str(change), style, INDENT) for change in row.changes[:CHANGES])
        if len(row.changes) > CHANGES:
            yield line(f"and {len(row.changes) - CHANGES} more", "dim", INDENT)
        return
    note = ""
    if row.relation == "failed":
        note = value_text(row.first_step.effect, LONGEST)
    elif not row.is_paired and not row.is_slight:
        note = report.explain_row(row, LONGEST, LONGEST)
    if note:
        yield line(note, "dim", INDENT)


def _field_lines(report: AlignmentReport, row: Row) -> Iterator[Line]:
    """The cost of a pair by field, then the fields of its steps; both at once if alike."""
    if row.cost is not None:
        fields = {} if row.details is None else row.details.fields
        named = [f"{name} {loss_text(cost)}" for name, cost in fields.items() if cost > SMALLEST]
        text = f"costs {loss_text(row.cost)}: {', '.join(named)}" if named else "costs nothing"
        yield line(text, "dim", INDENT)
    run, reference = report.against.run, report.against.reference
    steps = [("run", _read_fields(run, place)) for place in row.run]
    steps += [("reference", _read_fields(reference, place)) for place in row.reference]
    is_pair = len(row.run) == len(row.reference) == 1
    for name in dict.fromkeys(name for _, fields in steps for name in fields):
        told = [(whose, fields[name]) for whose, fields in steps if name in fields]
        if is_pair and len(told) == 2 and told[0][1] == told[1][1]:
            told = [("both", told[0][1])]
        for number, (whose, text) in enumerate(told):
            lead = f"{'':{INDENT}}{'' if number else name:<11}{whose:<11}"
            yield Line((Cell(lead, "dim"), Cell(text)), Cell(" " * len(lead)))


def _read_fields(side: Side, place: int) -> Mapping[str, str]:
    """The fields of a step by name, its role first."""
    given = side.steps[place].model_dump(mode="json", exclude_defaults=True)
    role = f"{side.roles[place].replace('_', ' ')}, weighs {two_digit_text(side.weights[place])}"
    return {"role": role} | {
        name: value_text(value, LONGEST_FIELD)
        for name, value in given.items()
        if name not in _APART and value not in (None, {}, [])
    }


def _legend_lines(rows: Sequence[Row]) -> Iterator[Line]:
    """What the signs mean that occur, and no others."""
    named = [f"{one.sign} {one.word}" for one in list_signs(rows)]
    critical = any(row.severity == SEVERITIES[0] for row in rows)
    named += [f"{CRITICAL} critical"] if critical else []
    if named:
        yield line("   ".join(named), "dim", 4)
