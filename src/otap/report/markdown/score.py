"""One score as Markdown: why it is not better, what differs, and a flowchart of both sides."""

from collections.abc import Iterator, Sequence

from otap._numbers import count_text, number_text, percent_text, score_text
from otap.report.markdown.flowchart import alignment_flowchart
from otap.report.markdown.texts import table_lines, text_of
from otap.report.story.findings import Findings, Group, findings
from otap.report.story.headline import headline
from otap.report.story.rows import Row, rows
from otap.report.story.short import Short, rest_sentence, short_rows
from otap.scoring import Against, Explanation, Score, Side
from otap.trajectory import Trajectory

FINDINGS_SHOWN = 12  # of those that matter, and again of the slight ones
ROWS_SHOWN = 20
_SENTENCE, _CELL = 400, 240  # characters


def score_markdown(found: Explanation) -> str:
    """Returns a score as Markdown; what comes out of traces is text in it, never markup."""
    return "\n".join(_lines(found.score, found.best)) + "\n"


def _lines(score: Score, best: Against) -> Iterator[str]:
    listed = rows(best)
    yield f"### OTAP: score {score_text(score.score)}, {score.severity or 'no findings'}"
    yield ""
    yield f"**{text_of(headline(best), _SENTENCE)}**"
    yield ""
    yield _sides(score, best)
    yield ""
    yield from _warnings(score)
    yield from _findings(findings(best, listed))
    yield from _differences(best, listed)
    if listed:
        yield from ("```mermaid", alignment_flowchart(best, listed), "```", "")
    yield from _numbers(score)


def _sides(score: Score, best: Against) -> str:
    ours, theirs = (_named(side.recorded, side) for side in (best.run, best.reference))
    count = len(score.references)
    nearest = f", the nearest of {count_text(count, 'reference')}" if count > 1 else ""
    return f"{ours} against {theirs}{nearest}."


def _named(recorded: Trajectory, side: Side) -> str:
    left = f", {number_text(len(side.left_out))} more do not count" if side.left_out else ""
    return f"**{text_of(recorded.name, 80)}** ({count_text(len(side.steps), 'step')}{left})"


def _warnings(score: Score) -> Iterator[str]:
    """What makes a score say less than it seems to."""
    if not score.understood:
        yield "> Nothing was understood of the run: the score says nothing."
        yield ""
    if not score.converged:
        yield "> The solver did not converge: the true score is at least this one."
        yield ""


def _findings(found: Findings) -> Iterator[str]:
    """The findings, the worst first; what is slight can be unfolded."""
    yield from _listed(found.bad)
    if found.slight:
        yield f"<details><summary>{count_text(found.differences, 'minor finding')}</summary>"
        yield ""
        yield from _listed(found.slight)
        yield "</details>"
        yield ""


def _listed(groups: Sequence[Group]) -> Iterator[str]:
    for one in groups[:FINDINGS_SHOWN]:
        yield f"- **{one.severity}**: {text_of(one.sentence, _SENTENCE)}{_share(one)}"
    rest = len(groups) - FINDINGS_SHOWN
    if rest > 0:
        yield f"- and {number_text(rest)} more; `--json` has them all"
    if groups:
        yield ""


def _share(one: Group) -> str:
    """What it costs, of several all of them together."""
    return "" if one.share is None else f" ({percent_text(one.share)} of the loss)"


def _differences(best: Against, listed: Sequence[Row]) -> Iterator[str]:
    """What differs, as a table, and what does not, in a sentence."""
    seen = short_rows(best, listed)
    if seen:
        yield from table_lines(("", "run", "reference", ""), map(_cells, seen[:ROWS_SHOWN]))
    if len(seen) > ROWS_SHOWN:
        yield f"And {count_text(len(seen) - ROWS_SHOWN, 'more row')} like these."
        yield ""
    rest = rest_sentence(best, listed)
    if rest is not None:
        yield text_of(rest, _SENTENCE)
        yield ""


def _cells(row: Short) -> Sequence[str]:
    return [text_of(text, _CELL) for text in (row.relation, row.run, row.reference, row.what)]


def _numbers(score: Score) -> Iterator[str]:
    yield from table_lines(
        ("score", "skill", "precision", "recall"),
        [[score_text(one) for one in (score.score, score.skill, score.precision, score.recall)]],
    )
    yield (
        "<sub>score: 1 is the same as a reference. skill: 0 has nothing to do with the task. "
        "precision: how much of the run the reference has. recall: how much of the reference "
        "the run has.</sub>"
    )
