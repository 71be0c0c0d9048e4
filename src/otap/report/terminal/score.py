"""One score as people read it: how good, why, and step by step beside the reference."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from otap._numbers import brief_text, count_text, number_text, percent_text, score_text
from otap.alignment import SEVERITIES, Finding
from otap.dependencies import Edge
from otap.errors import shown
from otap.report.model.score import (
    AlignmentReport,
    Group,
    LossPart,
    ScoreNumber,
    describe_alignment,
    list_doubts,
    list_numbers,
    list_parts,
    list_uncounted,
    name_most,
)
from otap.report.model.words import ORDER_KINDS, word_kind
from otap.report.terminal.alignment import alignment_lines, whole_alignment_lines
from otap.report.view import SEVERITY_STYLES, Cell, Line, Table, View, line, quality_style
from otap.scoring import Explanation, Score, Side

SHOWN = 8  # findings before the rest is counted
SLIGHT = SEVERITIES[-1]
SLIGHT_SHOWN = 3  # where nothing is worse than slight
TOOLS = 3  # named of one kind of slight findings
EVIDENCE = 3  # values of an edge
_BAR = 46  # columns of the bar of the score
_FILLS = tuple(zip("▓▒░·", ("red", "yellow", "magenta", "dim"), strict=True))
_UNCOUNTED = 190  # characters of what did not count, in short


def score_view(explained: Explanation) -> View:
    """Returns a score in short: what a person needs to see why it is what it is."""
    report, score = describe_alignment(explained.best), explained.score
    uncounted = "; ".join(list_uncounted(score))
    return (
        *_head_lines(report, score),
        *(line(), line("Why", "bold"), Table(list(_list_reasons(report)))),
        *(line(), line("Side by side", "bold"), *alignment_lines(report)),
        *([line(), line(shown(uncounted, _UNCOUNTED), "dim")] if uncounted else []),
        line(),
        *(line(shown(text, 10_000), "dim") for text in (score.conditions, score.signature)),
    )


def whole_score_view(explained: Explanation) -> View:
    """Returns everything about one score."""
    from otap.report.rendering import render_view

    report, score = describe_alignment(explained.best), explained.score
    parts = list_parts(score, explained.best.calculation)
    given = {"score": score, "report": report, "losses": parts}
    order = [one for one in report.against.score.findings if one.kind in ORDER_KINDS]
    uncounted, words = list_uncounted(score), {"word_edge": _word_edge}
    return (
        *_head_lines(report, score),
        *render_view("score_parts.txt", **given),
        *whole_alignment_lines(report),
        *render_view("score_rest.txt", **given, order=order, uncounted=uncounted, **words),
    )


def _head_lines(report: AlignmentReport, score: Score) -> Iterator[Line | Table]:
    style = SEVERITY_STYLES[score.severity]
    yield line(report.title(score), "bold")
    yield line(report.headline, style)
    yield from (line(shown(doubt, 1000), "bold red") for doubt in list_doubts(score))
    yield line()
    yield from _draw_bar(score, list_parts(score, report.against.calculation))
    yield line()
    first = ScoreNumber("score", score.score, "1 is the same as a reference; exp(-loss)")
    numbers = [
        (
            Cell(f"{one.name:<9}"),
            Cell(score_text(one.value), quality_style(one.value)),
            Cell(one.meaning, "dim"),
        )
        for one in (first, *list_numbers(score))
    ]
    counts = Counter(finding.severity for finding in score.findings)
    said = ", ".join(f"{number_text(counts[one])} {one}" for one in SEVERITIES if counts[one])
    total = Cell(number_text(len(score.findings)), style)
    yield Table([*numbers, (Cell("findings"), total, Cell(said or "none", style))], indent=2)


def _draw_bar(score: Score, parts: Sequence[LossPart]) -> Iterator[Line]:
    """The score as one bar: the part that is kept, and the part that each difference takes."""
    shown_parts = _join_smallest(parts, len(_FILLS))
    lost = min(max(round((1 - score.score) * _BAR), 1), _BAR - 1) if parts else 0
    ends = [round(lost * end / score.loss) for end in accumulate(part.loss for part in shown_parts)]
    sizes = [end - begin for begin, end in pairwise([0, *ends])]
    fills = [Cell(fill * size, style) for (fill, style), size in zip(_FILLS, sizes, strict=False)]
    yield Line((Cell("  "), Cell("█" * (_BAR - lost), "green"), *fills))
    cells = [Cell("  "), Cell("█", "green"), Cell(f" kept {score_text(score.score)}", "dim")]
    for (fill, style), part in zip(_FILLS, shown_parts, strict=False):
        lead = "   lost to " if part is shown_parts[0] else "   "
        share = "" if part.share is None else f" {percent_text(part.share)}"
        cells += [Cell(lead, "dim"), Cell(fill, style), Cell(f" {part.word}{share}", "dim")]
    yield Line(tuple(cells), Cell("  "))


def _join_smallest(parts: Sequence[LossPart], limit: int) -> list[LossPart]:
    """At most ``limit`` parts: the smallest become one, but never that a finding is critical."""
    with_share = [part for part in parts if part.share is not None]
    others = [part for part in parts if part.share is None]
    room = limit - len(others)
    if len(with_share) > room:
        rest = with_share[room - 1 :]
        loss = sum(part.loss for part in rest)
        share = sum(part.share or 0.0 for part in rest)
        with_share = [*with_share[: room - 1], LossPart("", "the rest", loss, share)]
    return [*with_share, *others]


def _list_reasons(report: AlignmentReport) -> Iterator[Sequence[Cell] | Line]:
    """The findings in short; what is slight takes one line together, if anything is worse."""
    findings = report.against.score.findings
    if not findings:
        yield _nothing_found(report.against.score)
    yield from (_finding_cells(one) for one in report.bad[:SHOWN])
    if rest := sum(one.size for one in report.bad[SHOWN:]):
        text = f"{count_text(rest, 'more finding')}; --explain has all"
        yield Cell("  and", "dim"), Cell(""), Cell(text, "dim")
    slight = [one for one in findings if one.severity == SLIGHT]
    first = [] if report.bad else slight[:SLIGHT_SHOWN]
    yield from map(_finding_cells, first)
    if slight[len(first) :]:
        text = _count_slight(slight[len(first) :])
        yield Cell(f"  {SLIGHT}", SEVERITY_STYLES[SLIGHT]), Cell(""), Cell(text, "dim")


def _finding_cells(one: Finding | Group) -> Sequence[Cell]:
    share = "" if one.share is None else percent_text(one.share)
    lead = Cell(f"  {one.severity:<8}", SEVERITY_STYLES[one.severity])
    return lead, Cell(f"{share:>5}"), Cell(one.sentence)


def _nothing_found(score: Score) -> Line:
    lost = "none: every step has a counterpart; what was lost is in the parts above"
    return line(lost, indent=2) if score.loss > 0 else line("none", "green", 2)


def _count_slight(findings: Sequence[Finding]) -> str:
    """Findings that hardly matter, by their kinds, with the tools that most of them name."""
    kinds: dict[str, list[Finding]] = {}
    for one in findings:
        kinds.setdefault(one.kind, []).append(one)
    return ", ".join(
        f"{number_text(len(found))} {word_kind(kind)}"
        + name_most(Counter(tool for one in found for tool in one.tools[:1]), TOOLS)
        for kind, found in kinds.items()
    )


def _word_edge(side: Side, edge: Edge) -> str:
    source, target = (shown(side.steps[k].id, 24) for k in (edge.source, edge.target))
    found = "; ".join(word_evidence(edge))
    sure = f"{target} needs {source}, {brief_text(edge.confidence)} sure"
    return f"{sure}: {found}" if found else sure


def word_evidence(edge: Edge) -> Iterator[str]:
    """Yields the values that prove an edge, each with where it was shown and where it was used."""
    for one in edge.evidence[:EVIDENCE]:
        source, target = shown(one.source_path, 60), shown(one.target_path, 60)
        yield f"{shown(one.value, 40)}: {source} → {target}"
    if (rest := len(edge.evidence) - EVIDENCE) > 0:
        yield f"and {rest} more {'value' if rest == 1 else 'values'}"
