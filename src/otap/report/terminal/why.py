"""Why a run is not the same as its reference: its findings as sentences, the worst first."""

from collections import Counter
from collections.abc import Iterator, Sequence

from otap._numbers import count_text, number_text, percent_text
from otap.alignment import SEVERITIES, Finding
from otap.report.cells import severity_style
from otap.report.story.findings import Group, findings
from otap.report.story.kinds import kind_word
from otap.report.story.rows import rows
from otap.report.terminal.paper import Paper, padded
from otap.report.view import Cell, Line
from otap.scoring import Against, Score

SHOWN = 8  # findings before the rest is counted
SLIGHT = SEVERITIES[-1]
SLIGHT_SHOWN = 3  # where nothing is worse than slight
TOOLS = 3  # named of one kind of slight findings
_SEVERITY, _SHARE, _KIND = 8, 5, 10  # columns


def why_view(against: Against, paper: Paper) -> Iterator[Line]:
    """Yields the findings in short: those that say the same of several steps take one line.

    What is slight takes one line together, if anything is worse.
    """
    score, found = against.score, findings(against, rows(against))
    if not score.findings:
        yield from _nothing(score, paper)
    for one in found.bad[:SHOWN]:
        yield from _sentence(one, paper)
    rest = sum(one.size for one in found.bad[SHOWN:])
    if rest:
        yield from _in_short("and", f"{count_text(rest, 'more finding')}; --explain has all", paper)
    slight = [one for one in score.findings if one.severity == SLIGHT]
    first = [] if found.bad else slight[:SLIGHT_SHOWN]
    for each in first:
        yield from _sentence(each, paper)
    if slight[len(first) :]:
        yield from _in_short(SLIGHT, _folded(slight[len(first) :], paper), paper)


def findings_view(score: Score, paper: Paper) -> Iterator[Line]:
    """Yields every finding with its kind, by which a gate can be set, and its share of the loss."""
    if not score.findings:
        yield from _nothing(score, paper)
    for one in score.findings:
        yield from _sentence(one, paper, one.kind)


def counts_text(score: Score) -> str:
    """Returns how many findings there are of each severity, the worst first."""
    found = Counter(finding.severity for finding in score.findings)
    counts = (f"{number_text(found[one])} {one}" for one in SEVERITIES if found[one])
    return ", ".join(counts) or "none"


def _nothing(score: Score, paper: Paper) -> Iterator[Line]:
    lost = "every step has a counterpart; what was lost is in the parts above"
    text, style = (f"none: {lost}", "") if score.loss > 0 else ("none", "green")
    yield from paper.paragraph(text, style, 2)


def _sentence(finding: Finding | Group, paper: Paper, kind: str | None = None) -> Iterator[Line]:
    share = "" if finding.share is None else percent_text(finding.share)
    style = severity_style(finding.severity)
    lead = [Cell(f"  {padded(finding.severity, _SEVERITY)}  ", style)]
    lead += [] if kind is None else [Cell(padded(kind, _KIND) + "  ")]
    lead += [Cell(f"{share:>{_SHARE}}  ")]
    indent = sum(len(cell.text) for cell in lead)
    yield from paper.paragraph(paper.own(finding.sentence), "", indent, tuple(lead))


def _in_short(word: str, text: str, paper: Paper) -> Iterator[Line]:
    lead = f"  {padded(word, _SEVERITY)}  {'':{_SHARE}}  "
    style = severity_style(SLIGHT) if word == SLIGHT else "dim"
    yield from paper.paragraph(text, "dim", len(lead), (Cell(lead, style),))


def _folded(findings: Sequence[Finding], paper: Paper) -> str:
    """Findings that hardly matter, by their kinds, with the tools that most of them name."""
    kinds: dict[str, list[Finding]] = {}
    for one in findings:
        kinds.setdefault(one.kind, []).append(one)
    named = (
        f"{number_text(len(found))} {kind_word(kind)}{_tools(found, paper)}"
        for kind, found in kinds.items()
    )
    return ", ".join(named)


def _tools(findings: Sequence[Finding], paper: Paper) -> str:
    """The tools of one kind of findings, those of most findings first."""
    counted = Counter(tool for one in findings for tool in one.tools[:1])
    named = [paper.text(tool, 40) for tool, _ in counted.most_common(TOOLS)]
    more = ["and others"] if len(counted) > TOOLS else []
    return f" ({', '.join([*named, *more])})" if named else ""
