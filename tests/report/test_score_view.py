"""A score in the terminal: what is on it, and what never is."""

import functools

import pytest
from hypothesis import given, settings

import hotel
import otap
from otap._numbers import percent_text, score_text
from otap.alignment import Severity
from otap.report.alignment import ROWS_SHOWN
from otap.report.findings import FINDINGS_SHOWN
from otap.report.score import score_view
from otap.report.view import plain, show
from otap.trajectory import parse_trajectory
from otap.transport import solve_batch
from strategies import trajectories

SCORER = otap.Scorer()
HOSTILE = "\x1b[31mred\x1b]0;title\x07\u202e\x9b2J\n[bold]x[/bold] :smile:"


def drawn(run: otap.Trajectory, gold: otap.Trajectory, scorer: otap.Scorer = SCORER) -> str:
    """What a person sees, without colours."""
    return shown(scorer.score(run, gold), run, gold)


def shown(score: otap.Score, run: otap.Trajectory, gold: otap.Trajectory) -> str:
    """A score as plain text."""
    return plain(score_view(score, run, gold))


def test_what_is_on_it() -> None:
    """Numbers with what 0 and 1 mean, losses, alignment, findings, signature."""
    run, gold = hotel.run_of("missing_book"), hotel.reference()
    result = SCORER.score(run, gold)
    text = shown(result, run, gold)
    (finding,) = result.findings
    assert finding.share is not None
    assert text.startswith(
        "hotel-booking/missing_book (5 steps) against hotel-booking/reference (6 steps)\n"
    )
    for part in (
        f"score      {score_text(result.score)}  1 is the same as a reference; exp(-loss)",
        f"skill      {score_text(result.skill)}  0 has nothing to do with the task, 1 is the same",
        "precision  ", "recall     ", "\nLoss\n", "\nAlignment\n", "\nFindings\n",
        "search  hotel_search                 ─  search  hotel_search",
        "findings   1      1 critical",
        "step book (book_room) of the reference is missing from the run",
        f"critical  missing   {percent_text(finding.share)}  {finding.sentence}",
    ):  # fmt: skip
        assert part in text
    assert text.splitlines()[-1] == str(result.signature)


def test_findings_are_counted_by_severity() -> None:
    """Beside the score, the worst first; that there is none is said too."""
    run, gold = hotel.run_of("missing_book"), hotel.reference()
    result = SCORER.score(run, gold)
    (found,) = result.findings
    minor, major = (found.model_copy(update={"severity": one}) for one in ("minor", "major"))
    several = result.model_copy(update={"findings": (found, major, minor, minor)})
    assert "findings   4      1 critical, 1 major, 2 minor" in shown(several, run, gold)
    assert "findings   0      none" in drawn(hotel.run_of("same"), gold)


@pytest.mark.parametrize(
    ("severity", "colour"),
    [("critical", "\x1b[1;31m"), ("major", "\x1b[33m"), ("minor", "\x1b[36m")],
)
def test_a_finding_has_the_colour_of_its_severity(
    severity: Severity,
    colour: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On a terminal; in a pipe there is the word alone."""
    run, gold = hotel.run_of("missing_book"), hotel.reference()
    result = SCORER.score(run, gold)
    (finding,) = (one.model_copy(update={"severity": severity}) for one in result.findings)
    made = result.model_copy(update={"findings": (finding,), "severity": severity})
    view = score_view(made, run, gold)
    assert f"{severity}  missing" in plain(view)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    show(view)
    text = capsys.readouterr().out
    assert f"{colour}{severity}" in text
    assert f"{colour}missing" in text[text.index("Findings") :]


def test_a_failure_is_told_in_the_alignment() -> None:
    """In the place of what would have been invented."""
    steps = [{"id": "1", "tool": "pay", "arguments": {"to": "x"}, "status": "error"}]
    gold = parse_trajectory({"steps": [{"id": "g", "tool": "pay", "arguments": {"to": "x"}}]})
    text = drawn(parse_trajectory({"steps": steps}), gold)
    rows = text[text.index("Alignment") : text.index("Findings")].splitlines()
    assert [row.split()[-1] for row in rows if "pay" in row] == ["failed", "missing"]


def test_the_same_run_has_nothing_to_show() -> None:
    """No losses, no findings."""
    text = drawn(hotel.run_of("same"), hotel.reference())
    assert "none: the run is the same as the reference" in text
    assert "\nFindings\n  none" in text
    assert text.count("1.000") == 4 + 6


def test_what_is_not_1_never_reads_1() -> None:
    """Not where a loss is but a hair's breadth."""
    run, gold = hotel.run_of("same"), hotel.reference()
    nearly = SCORER.score(run, gold).model_copy(
        update={"score": 1 - 1e-12, "skill": 1 - 1e-12, "precision": 1 - 1e-12, "recall": 1 - 1e-12}
    )
    assert shown(nearly, run, gold).count("1.000") == 6  # the six pairs, which are the same


def test_the_alignment_has_every_step_once_a_side() -> None:
    """Counterparts side by side; what is left over says why."""
    text = drawn(hotel.run_of("merged_filters"), hotel.reference())
    rows = text[text.index("Alignment") : text.index("Findings")].splitlines()[2:-1]
    assert len(rows) == 6
    assert all("─" in row for row in rows)
    assert [row.split()[-1] for row in rows if "filter_hotels" in row] == ["merged", "merged"]
    text = drawn(hotel.run_of("invented_steps"), hotel.reference())
    rows = text[text.index("Alignment") : text.index("Findings")].splitlines()
    assert sum(row.endswith("invented") or "  invented" in row for row in rows) == 2
    text = drawn(hotel.run_of("missing_book"), hotel.reference())
    assert any("book" in row and "missing" in row for row in text.splitlines())


def test_an_unconverged_solve_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss is then only a bound."""
    words = "The solver did not converge: the loss is an upper bound."
    run, gold = hotel.run_of("paraphrased"), hotel.reference()
    assert words not in drawn(run, gold)
    monkeypatch.setattr(
        "otap.scoring.compare.solve.solve_batch", functools.partial(solve_batch, max_outer=1)
    )
    assert not SCORER.score(run, gold).converged
    assert words in drawn(run, gold)


def test_a_side_without_steps() -> None:
    """There is nothing to align, and precision is absent, not 0."""
    empty = otap.Trajectory(steps=(), id="idle")
    text = drawn(empty, hotel.reference())
    assert "nothing to align: a side has no steps" in text
    assert "precision  -" in text
    assert "none" in drawn(empty, empty)


def test_many_findings_are_cut() -> None:
    """The first ones are shown, the others counted."""
    steps = [{"id": str(k), "tool": f"t{k}", "arguments": {"k": k}} for k in range(20)]
    run = parse_trajectory({"steps": steps})
    gold = parse_trajectory({"steps": [{"id": "g", "tool": "other", "arguments": {"z": "y"}}]})
    text = drawn(run, gold)
    assert f"and {21 - FINDINGS_SHOWN} more; --json has them all" in text


def test_the_nearest_of_several_references_is_named() -> None:
    """And out of how many."""
    run, gold = hotel.run_of("same"), hotel.reference()
    result = SCORER.score(run, [gold, hotel.run_of("unrelated")])
    assert "(6 steps), the nearest of 2 references" in shown(result, run, gold)


def test_nothing_of_a_trace_reaches_the_terminal_raw() -> None:
    """Escapes, bidirectional overrides and markup are shown, never obeyed."""
    step = {"id": HOSTILE, "tool": HOSTILE, "action": HOSTILE, "arguments": {HOSTILE: HOSTILE}}
    run = parse_trajectory({"id": HOSTILE, "task": HOSTILE, "steps": [step]})
    other = {"id": HOSTILE, "tool": "\x1b[2J", "arguments": {"\x1b": ["\x9b"]}}
    gold = parse_trajectory({"id": HOSTILE, "steps": [other, {"id": "\x1b", "action": "\x07"}]})
    for text in (drawn(run, gold), drawn(gold, run), drawn(run, run)):
        assert all(character == "\n" or character.isprintable() for character in text)
        assert "\\x1b[31mred" in text


@settings(max_examples=30)
@given(run=trajectories(), gold=trajectories())
def test_every_score_can_be_drawn(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """Whatever is missing, repeated, split or merged, at any weight of unmatched mass."""
    for penalty in (1.0, 0.01):
        config = otap.Config(lambda_agent=penalty, lambda_reference=penalty)
        scorer = otap.Scorer(config, encoder=SCORER._metric.encoder)
        text = drawn(run, gold, scorer)
        rows = text[text.index("Alignment") : text.index("Findings")].splitlines()[2:-1]
        score = scorer.score(run, gold)
        groups = [one for one in score.findings if one.kind in ("split", "merged")]
        did = {step for one in groups for step in one.agent}
        wanted = {step for one in groups for step in one.reference}
        rest = [
            s for s in score.alignment.reference if s.counterpart is None and s.id not in wanted
        ]
        together = sum(len(one.agent) * len(one.reference) for one in groups)
        assert len(rows) == len(run.steps) - len(did) + together + len(rest)


def test_a_pipe_gets_no_colour_and_a_terminal_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same text in either."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    view = score_view(
        SCORER.score(hotel.run_of("same"), hotel.reference()),
        hotel.run_of("same"),
        hotel.reference(),
    )
    show(view)
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    show(view)
    assert "\x1b[" in capsys.readouterr().out


def test_a_score_without_skill_shows_none() -> None:
    """A dash, with what it would mean."""
    scorer = otap.Scorer(encoder=lambda texts: [[1.0, len(text)] for text in texts])
    assert "skill      -" in drawn(hotel.run_of("paraphrased"), hotel.reference(), scorer)
    run = hotel.run_of("wrong_tool")
    result = SCORER.score(run, hotel.reference())
    unshared = tuple(one.model_copy(update={"share": None}) for one in result.findings)
    text = shown(result.model_copy(update={"findings": unshared}), run, hotel.reference())
    assert "%" not in text[text.index("Findings") :]


def test_two_long_runs_stay_short() -> None:
    """However many steps and findings there are, a person sees the first of them."""
    run, gold = (
        parse_trajectory(
            {"steps": [{"id": str(k), "tool": f"update_{tag}_{k}"} for k in range(2 * ROWS_SHOWN)]}
        )
        for tag in "ab"
    )
    text = drawn(run, gold)
    assert len(text.splitlines()) < ROWS_SHOWN + FINDINGS_SHOWN + 40
    assert f"and {3 * ROWS_SHOWN} more; --json has them all" in text
