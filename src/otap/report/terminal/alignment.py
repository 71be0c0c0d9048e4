"""The alignment of one score: the steps of the run beside those of the reference."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from otap._numbers import count_text, loss_text, two_digit_text
from otap.errors import shown
from otap.findings import SEVERITIES
from otap.report.model.alignment_report import AlignmentReport, count_rows
from otap.report.model.alignment_rows import SMALLEST, Row, fold_rows, list_signs
from otap.report.model.vocabulary import name_step, value_text
from otap.report.view import SEVERITY_STYLES, Cell, ViewLine, ViewTable, line
from otap.scoring import Side

ROWS_SHOWN = 60
UNFOLDED = 24  # up to this number of rows, dull rows are not folded
CRITICAL = "!"  # before a row with a critical finding
INDENT = 8  # spaces before the notes below a row
CHANGES = 4  # of a row
LONGEST = 160  # characters of one note
LONGEST_FIELD = 1000
_HIDDEN_FIELDS = ("id", "substeps", "depends_on")
_ROLES = {"reads": " (reads)", "thinks": " (thinks)", "handoff": " (hands over)"}


def alignment_lines(report: AlignmentReport) -> Iterator[ViewLine | ViewTable]:
    """Yields the rows in short, each with its differences below; dull neighbours are folded."""
    parts = fold_rows(report.rows, UNFOLDED)
    visible = parts[:ROWS_SHOWN]
    body: list[Sequence[Cell] | ViewLine] = []
    for part in visible:
        if isinstance(part, Row):
            body += [*_row_cells(report, part), *_note_lines(report, part)]
        else:
            body.append(line(f"⋮ {count_rows(part)}", "dim", 4))
    yield from _table_lines(report, body)
    more = sum(1 if isinstance(part, Row) else len(part) for part in parts[ROWS_SHOWN:])
    if more:
        yield line(f"and {count_text(more, 'more row')}; --explain shows all", "dim", 4)
    yield from _legend_lines([part for part in visible if isinstance(part, Row)])


def whole_alignment_lines(report: AlignmentReport) -> Iterator[ViewLine | ViewTable]:
    """Yields every row, with the cost of the pair and every field of its steps below it."""
    body: list[Sequence[Cell] | ViewLine] = []
    for row in report.rows:
        body += [*_row_cells(report, row), *_field_lines(report, row)]
    yield from _table_lines(report, body)
    yield from _legend_lines(report.rows)


def _table_lines(
    report: AlignmentReport, body: Sequence[Sequence[Cell] | ViewLine]
) -> Iterator[ViewLine | ViewTable]:
    """The rows, and a line for each side without a step that counts."""
    for name, side in (("run", report.against.run), ("reference", report.against.reference)):
        if not side.steps:
            yield line(f"  the {name} has no step that counts")
    if body:
        yield ViewTable(body, ("  run", "", "", "reference", "", ""), indent=2)


def _row_cells(report: AlignmentReport, row: Row) -> Iterator[Sequence[Cell]]:
    """A row, with a line for each step of the longer side."""
    style = "dim" if row.severity is None else SEVERITY_STYLES[row.severity]
    pale = "dim" if row.is_slight and not row.is_paired else ""
    sign, words = Cell("".join(sign.sign for sign in row.signs), style), _word_row(report, row)
    mark, mark_style = (CRITICAL, style) if row.severity == SEVERITIES[0] else (" ", pale)
    for number, steps in enumerate(zip_longest(*row.steps)):
        (run_id, run), (reference_id, reference) = (
            ("", "") if step is None else (shown(step.id, 20), shown(name_step(step), 60))
            for step in steps
        )
        left = Cell(f"{' ' if number else mark} {run_id}", mark_style), Cell(run, pale), sign
        right = Cell(reference_id, pale), Cell(reference, pale)
        yield *left, *right, Cell("" if number else words, style)


def _word_row(report: AlignmentReport, row: Row) -> str:
    """The words at the end of a row; nothing if both sides are the same."""
    role = ""
    if not row.is_paired:
        side = report.against.run if row.run else report.against.reference
        role = _ROLES.get(side.roles[(*row.run, *row.reference)[0]], "")
    words = row.words
    return ", ".join([f"{word}{role}" for word in words[:1]] + words[1:])


def _note_lines(report: AlignmentReport, row: Row) -> Iterator[ViewLine]:
    """The values that differ, the arguments of a single step, or the result of a failed one."""
    if row.relation in ("close", "arguments", "tool"):
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


def _field_lines(report: AlignmentReport, row: Row) -> Iterator[ViewLine]:
    """The cost of a pair by field, then the fields of its steps; both sides at once if equal."""
    if row.cost is not None:
        yield line(_word_cost(row, row.cost), "dim", INDENT)
    run, reference = report.against.run, report.against.reference
    steps = [("run", _read_fields(run, index)) for index in row.run]
    steps += [("reference", _read_fields(reference, index)) for index in row.reference]
    is_pair = len(row.run) == len(row.reference) == 1
    for name in dict.fromkeys(name for _, fields in steps for name in fields):
        texts = [(side, fields[name]) for side, fields in steps if name in fields]
        if is_pair and len(texts) == 2 and texts[0][1] == texts[1][1]:
            texts = [("both", texts[0][1])]
        for number, (side, text) in enumerate(texts):
            lead = f"{'':{INDENT}}{'' if number else name:<11}{side:<11}"
            yield ViewLine((Cell(lead, "dim"), Cell(text)), Cell(" " * len(lead)))


def _word_cost(row: Row, cost: float) -> str:
    details = row.details
    fields = {} if details is None else details.fields
    parts = [f"{name} {loss_text(part)}" for name, part in fields.items() if part > SMALLEST]
    if not parts:
        return "costs nothing"
    text = f"costs {loss_text(cost)}: {', '.join(parts)}"
    if details is None or details.is_allowed:
        return text
    return f"{text}; no mass may move between them, so the loss charges both steps as unmatched"


def _read_fields(side: Side, index: int) -> Mapping[str, str]:
    """The fields of a step by name, its role first."""
    fields = side.steps[index].model_dump(mode="json", exclude_defaults=True)
    role = f"{side.roles[index].replace('_', ' ')}, weighs {two_digit_text(side.weights[index])}"
    return {"role": role} | {
        name: value_text(value, LONGEST_FIELD)
        for name, value in fields.items()
        if name not in _HIDDEN_FIELDS and value not in (None, {}, [])
    }


def _legend_lines(rows: Sequence[Row]) -> Iterator[ViewLine]:
    """The meaning of the signs that occur."""
    signs = [f"{sign.sign} {sign.word}" for sign in list_signs(rows)]
    if any(row.severity == SEVERITIES[0] for row in rows):
        signs.append(f"{CRITICAL} critical")
    if signs:
        yield line("   ".join(signs), "dim", 4)
