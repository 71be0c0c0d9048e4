"""One score as people read it: how good it is, why, and the steps beside the reference's."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from otap._numbers import count_text, number_text, percent_text, score_text, two_digit_text
from otap.errors import shown
from otap.findings import SEVERITIES, Finding
from otap.graph import Edge
from otap.report.model.alignment_report import (
    AlignmentReport,
    Group,
    LossPart,
    ScoreNumber,
    describe_alignment,
    describe_assumed_roles,
    describe_order,
    list_doubts,
    list_numbers,
    list_parts,
    list_uncounted,
    name_most,
)
from otap.report.model.vocabulary import ORDER_KINDS, RULES, word_kind
from otap.report.terminal.alignment import alignment_lines, whole_alignment_lines
from otap.report.terminal.sums import calculation_lines
from otap.report.view import SEVERITY_STYLES, Cell, View, ViewLine, ViewTable, line, quality_style
from otap.scoring import Explanation, Score, Side

MAX_FINDINGS = 8  # findings that are listed; the others are counted
SLIGHT = SEVERITIES[-1]
SLIGHT_SHOWN = 3  # minor findings that are listed if there are no others
TOOLS = 3  # tools named for one kind of minor findings
EVIDENCE = 3  # values of an edge
_BAR = 46  # columns of the bar of the score
_FILLS = tuple(zip("▓▒░·", ("red", "yellow", "magenta", "dim"), strict=True))
_UNCOUNTED = 190  # characters about steps with little weight, in the short view
_NO_FINDINGS = "none: every step has a counterpart; the parts above show the loss"


def score_view(explained: Explanation) -> View:
    """Returns a score in short: how good it is, and why."""
    report, score = describe_alignment(explained.best), explained.score
    uncounted = "; ".join(list_uncounted(score))
    return (
        *_head_lines(report, score),
        *(line(), line("Why", "bold"), ViewTable(list(_list_reasons(report)))),
        *_assumed_lines(report),
        *(line(), line("Side by side", "bold"), *alignment_lines(report)),
        *([line(), line(shown(uncounted, _UNCOUNTED), "dim")] if uncounted else []),
    )


def whole_score_view(explained: Explanation) -> View:
    """Returns everything about one score, with all numbers that it follows from."""
    from otap.report.rendering import render_view

    report, score = describe_alignment(explained.best), explained.score
    parts = list_parts(score, explained.best.calculation)
    context = {"score": score, "report": report, "losses": parts, "no_findings": _NO_FINDINGS}
    context["order_sentence"] = describe_order(score)
    findings = report.against.score.findings
    order = [finding for finding in findings if finding.kind in ORDER_KINDS]
    uncounted, words = list_uncounted(score), {"word_edge": _word_edge}
    return (
        *_head_lines(report, score),
        *render_view("score_parts.txt", **context),
        *_assumed_lines(report),
        *whole_alignment_lines(report),
        line(),
        *calculation_lines(score, explained.best),
        *render_view("score_rest.txt", **context, order=order, uncounted=uncounted, **words),
    )


def _head_lines(report: AlignmentReport, score: Score) -> Iterator[ViewLine | ViewTable]:
    style = SEVERITY_STYLES[score.severity]
    yield line(report.title(score), "bold")
    yield line(report.headline, style)
    yield from (line(shown(doubt, 1000), "bold red") for doubt in list_doubts(score))
    yield line()
    yield from _draw_bar(score, list_parts(score, report.against.calculation))
    yield line()
    meaning = "1 is the same as a reference; exp(-loss)"
    if score.score == 1 and score.findings:
        meaning = "the findings below cost nothing, and are differences all the same"
    first = ScoreNumber("score", score.score, meaning)
    numbers = [
        (
            Cell(f"{number.name:<9}"),
            Cell(score_text(number.value), quality_style(number.value)),
            Cell(number.meaning, "dim"),
        )
        for number in (first, *list_numbers(score))
    ]
    counts = Counter(finding.severity for finding in score.findings)
    words = [f"{number_text(counts[name])} {name}" for name in SEVERITIES if counts[name]]
    total = Cell(number_text(len(score.findings)), style)
    findings = Cell("findings"), total, Cell(", ".join(words) or "none", style)
    yield ViewTable([*numbers, findings], indent=2)


def _draw_bar(score: Score, parts: Sequence[LossPart]) -> Iterator[ViewLine]:
    """The score as one bar: the part that is kept, and the part that each difference takes."""
    visible = _join_smallest(parts, len(_FILLS))
    lost = min(max(round((1 - score.score) * _BAR), 1), _BAR - 1) if parts else 0
    ends = [round(lost * end / score.loss) for end in accumulate(part.loss for part in visible)]
    sizes = [end - begin for begin, end in pairwise([0, *ends])]
    fills = [Cell(fill * size, style) for (fill, style), size in zip(_FILLS, sizes, strict=False)]
    yield ViewLine((Cell("  "), Cell("█" * (_BAR - lost), "green"), *fills))
    cells = [Cell("  "), Cell("█", "green"), Cell(f" kept {score_text(score.score)}", "dim")]
    for (fill, style), part in zip(_FILLS, visible, strict=False):
        lead = "   lost to " if part is visible[0] else "   "
        share = "" if part.share is None else f" {percent_text(part.share)}"
        cells += [Cell(lead, "dim"), Cell(fill, style), Cell(f" {part.word}{share}", "dim")]
    yield ViewLine(tuple(cells), Cell("  "))


def _join_smallest(parts: Sequence[LossPart], limit: int) -> list[LossPart]:
    """At most ``limit`` parts: the smallest are joined, except the one for a critical finding."""
    shared = [part for part in parts if part.share is not None]
    critical = [part for part in parts if part.share is None]
    room = limit - len(critical)
    if len(shared) > room:
        smallest = shared[room - 1 :]
        loss = sum(part.loss for part in smallest)
        share = sum(part.share or 0.0 for part in smallest)
        shared = [*shared[: room - 1], LossPart("", "the rest", loss, share)]
    return [*shared, *critical]


def _list_reasons(report: AlignmentReport) -> Iterator[Sequence[Cell] | ViewLine]:
    """The findings in short; minor ones share one line if there are others."""
    findings = report.against.score.findings
    if not findings:
        yield _nothing_found(report.against.score)
    yield from (_finding_cells(group) for group in report.bad[:MAX_FINDINGS])
    more = sum(group.size for group in report.bad[MAX_FINDINGS:])
    if more:
        text = f"{count_text(more, 'more finding')}; --explain shows all"
        yield Cell("  and", "dim"), Cell(""), Cell(""), Cell(text, "dim")
    slight = [finding for finding in findings if finding.severity == SLIGHT]
    first = [] if report.bad else slight[:SLIGHT_SHOWN]
    yield from (_finding_cells(finding) for finding in first)
    remaining = slight[len(first) :]
    if remaining:
        yield (
            Cell(f"  {SLIGHT}", SEVERITY_STYLES[SLIGHT]),
            Cell(""),
            Cell(""),
            Cell(_count_slight(remaining), "dim"),
        )


def _assumed_lines(report: AlignmentReport) -> Iterator[ViewLine]:
    """Says which roles are assumed, if a severity depends on them."""
    sentence = describe_assumed_roles(report.against)
    if sentence:
        yield line(shown(sentence, 400), "yellow", 2)


def _finding_cells(finding: Finding | Group) -> Sequence[Cell]:
    share = "" if finding.share is None else percent_text(finding.share)
    lead = Cell(f"  {finding.severity:<8}", SEVERITY_STYLES[finding.severity])
    return lead, Cell(f"{share:>5}"), Cell(finding.id, "dim"), Cell(finding.sentence)


def _nothing_found(score: Score) -> ViewLine:
    return line(_NO_FINDINGS, indent=2) if score.loss > 0 else line("none", "green", 2)


def _count_slight(findings: Sequence[Finding]) -> str:
    """Minor findings, counted by kind, with the tools that most of them name."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.kind, []).append(finding)
    counts = []
    for kind, members in kinds.items():
        tools = Counter(tool for finding in members for tool in finding.tools[:1])
        counts.append(f"{number_text(len(members))} {word_kind(kind)}{name_most(tools, TOOLS)}")
    return ", ".join(counts)


def _word_edge(side: Side, edge: Edge) -> str:
    source, target = (shown(side.steps[k].id, 24) for k in (edge.source, edge.target))
    evidence = "; ".join(word_evidence(edge))
    sentence = f"{target} needs {source}, {two_digit_text(edge.confidence)} sure"
    return f"{sentence}: {evidence}" if evidence else sentence


def word_evidence(edge: Edge) -> Iterator[str]:
    """Yields the reasons of an edge: values with the paths where they were shown and used."""
    for proof in edge.evidence[:EVIDENCE]:
        if proof.source_path in RULES:
            chain = f": {shown(proof.value, 80)}" if proof.value else ""
            yield f"{RULES[proof.source_path]}{chain}"
            continue
        source, target = shown(proof.source_path, 60), shown(proof.target_path, 60)
        yield f"{shown(proof.value, 40)}: {source} → {target}"
    more = len(edge.evidence) - EVIDENCE
    if more > 0:
        yield f"and {count_text(more, 'more value')}"
