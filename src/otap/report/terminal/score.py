"""One score as people read it: how good, why, and step by step beside the reference."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from otap._numbers import brief_text, number_text
from otap.alignment import SEVERITIES, Finding
from otap.dependencies import Edge
from otap.errors import shown
from otap.report.model.rows import Row, fold_rows, list_signs
from otap.report.model.score import (
    AlignmentReport,
    LossPart,
    count_rows,
    describe_alignment,
    list_doubts,
    list_numbers,
    list_parts,
    list_uncounted,
)
from otap.report.model.words import ORDER_KINDS, value_text, word_kind
from otap.report.rendering import render_view
from otap.report.view import SEVERITY_STYLES, View
from otap.scoring import Explanation, Score, Side

SHOWN = 8  # findings before the rest is counted
ROWS_SHOWN = 60
WHOLE = 24  # so many rows are shown one by one
TOOLS = 3  # named of one kind of slight findings
EVIDENCE = 3  # values of an edge
LONGEST_FIELD = 1000
_SLIGHT_SHOWN = 3  # where nothing is worse than slight
_BAR = 46  # columns of the bar of the score
_FILLS = tuple(zip("▓▒░·", ("red", "yellow", "magenta", "dim"), strict=True))
_APART = ("id", "substeps", "depends_on")  # fields that are not shown as values
_ROLES = {"reads": " (reads)", "thinks": " (thinks)", "hands_over": " (hands over)"}


def score_view(explained: Explanation) -> View:
    """Returns a score in short: what a person needs to see why it is what it is."""
    report = describe_alignment(explained.best)
    slight = [one for one in report.against.score.findings if one.severity == SEVERITIES[-1]]
    first = 0 if report.bad else _SLIGHT_SHOWN
    parts = fold_rows(report.rows, WHOLE)
    return _render_score(
        "score.txt",
        explained.score,
        report,
        shown_findings=SHOWN,
        slight=slight[:first],
        slight_rest=_count_slight(slight[first:]),
        parts=parts[:ROWS_SHOWN],
        rest=sum(1 if isinstance(one, Row) else len(one) for one in parts[ROWS_SHOWN:]),
    )


def whole_score_view(explained: Explanation) -> View:
    """Returns everything about one score."""
    report = describe_alignment(explained.best)
    return _render_score(
        "whole_score.txt",
        explained.score,
        report,
        parts=report.rows,
        rest=0,
        order=[one for one in report.against.score.findings if one.kind in ORDER_KINDS],
        word_edge=_word_edge,
    )


def _render_score(name: str, score: Score, report: AlignmentReport, **given: Any) -> View:
    counts = Counter(finding.severity for finding in score.findings)
    rows = [one for one in given["parts"] if isinstance(one, Row)]
    return render_view(
        name,
        score=score,
        report=report,
        doubts=list_doubts(score),
        bar=_divide_bar(score),
        numbers=list_numbers(score),
        counts=[f"{number_text(counts[one])} {one}" for one in SEVERITIES if counts[one]],
        losses=list_parts(score),
        uncounted=list_uncounted(score),
        styles=SEVERITY_STYLES,
        legend=list_signs(rows),
        count_rows=count_rows,
        value_text=value_text,
        read_fields=_read_fields,
        role=lambda row: _ROLES.get(_side_of(report, row).roles[(*row.run, *row.reference)[0]], ""),
        **given,
    )


def _side_of(report: AlignmentReport, row: Row) -> Side:
    return report.against.run if row.run else report.against.reference


def _divide_bar(score: Score) -> Sequence[tuple[str, str, int, LossPart]]:
    """What each part of the loss took of the bar: a sign, its style, how many of it, the part."""
    found = list_parts(score)
    if len(found) > len(_FILLS):
        rest = found[len(_FILLS) - 1 :]
        share = sum(one.share for one in rest)
        found = [*found[: len(_FILLS) - 1], LossPart("", "the rest", 0.0, share)]
    lost = min(max(round((1 - score.score) * _BAR), 1), _BAR - 1) if found else 0
    ends = [round(lost * end) for end in accumulate(one.share for one in found)]
    sizes = [end - begin for begin, end in pairwise([0, *ends])]
    return [(*fill, size, one) for fill, size, one in zip(_FILLS, sizes, found, strict=False)]


def _count_slight(findings: Sequence[Finding]) -> str:
    """Findings that hardly matter, by their kinds, with the tools that most of them name."""
    kinds: dict[str, list[Finding]] = {}
    for one in findings:
        kinds.setdefault(one.kind, []).append(one)
    return ", ".join(
        f"{number_text(len(found))} {word_kind(kind)}{_name_tools(found)}"
        for kind, found in kinds.items()
    )


def _name_tools(findings: Sequence[Finding]) -> str:
    counts = Counter(tool for one in findings for tool in one.tools[:1])
    named = [shown(tool, 40) for tool, _ in counts.most_common(TOOLS)]
    named += ["and others"] if len(counts) > TOOLS else []
    return f" ({', '.join(named)})" if named else ""


def _read_fields(report: AlignmentReport, row: Row) -> Iterator[tuple[str, str, str]]:
    """The fields of the steps of a row: its name, whose it is, what it says; both if alike."""
    run, reference = report.against.run, report.against.reference
    steps = [("run", _list_fields(run, place)) for place in row.run]
    steps += [("reference", _list_fields(reference, place)) for place in row.reference]
    is_pair = len(row.run) == len(row.reference) == 1
    for name in dict.fromkeys(name for _, fields in steps for name in fields):
        told = [(whose, fields[name]) for whose, fields in steps if name in fields]
        if is_pair and len(told) == 2 and told[0][1] == told[1][1]:
            told = [("both", told[0][1])]
        for number, (whose, text) in enumerate(told):
            yield "" if number else name, whose, text


def _list_fields(side: Side, place: int) -> Mapping[str, str]:
    """The fields of a step by name, its role first."""
    given = side.steps[place].model_dump(mode="json", exclude_defaults=True)
    role = f"{side.roles[place].replace('_', ' ')}, weighs {brief_text(side.weights[place])}"
    return {"role": role} | {
        name: value_text(value, LONGEST_FIELD)
        for name, value in given.items()
        if name not in _APART and value not in (None, {}, [])
    }


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
