"""A score in the terminal: what is on it, and what never is."""

import functools
import re
from dataclasses import replace
from typing import Any

import pytest
from digits import assert_same_digits
from hypothesis import given, settings
from rich.cells import cell_len

import hotel
import otap
from otap._numbers import percent_text, score_text
from otap.findings import Severity
from otap.findings.changes import Change
from otap.report.markdown import score_markdown
from otap.report.model.alignment_rows import list_rows
from otap.report.model.vocabulary import SIGNS
from otap.report.pages.run_page import score_page
from otap.report.terminal.alignment import ROWS_SHOWN
from otap.report.terminal.score_view import MAX_FINDINGS, score_view, whole_score_view
from otap.report.view import Terminal, plain, show
from otap.scoring import Explanation
from otap.trajectory import parse_trajectory
from otap.transport import solve_batch
from otap.values.sentences import Wording
from strategies import trajectories

SCORER = otap.Scorer()
TERMINAL = Terminal(100)
MINUS = SIGNS["missing"].sign
HOSTILE = "\x1b[31mred\x1b]0;title\x07\u202e\x9b2J\n[bold]x[/bold] :smile:"


def drawn(run: otap.Trajectory, gold: otap.Trajectory, scorer: otap.Scorer = SCORER) -> str:
    """What a person sees, without colours."""
    return shown(scorer.explain(run, gold))


def shown(explained: Explanation, terminal: Terminal = TERMINAL) -> str:
    """A score in short, as plain text."""
    return plain(score_view(explained), terminal)


def whole(explained: Explanation, terminal: Terminal = TERMINAL) -> str:
    """All of it, as plain text."""
    return plain(whole_score_view(explained), terminal)


def changed(explained: Explanation, **update: Any) -> Explanation:
    """The same with other findings or numbers."""
    score = explained.score.model_copy(update=update)
    return Explanation(score, (replace(explained.best, score=score),))


def aligned(text: str) -> list[str]:
    """The lines of the alignment."""
    part = text.split("\nSide by side\n")[1]
    return part.split("\n\n")[0].splitlines()[1:]


def called(*tools: str, **others: Any) -> otap.Trajectory:
    """A run that calls some tools, each with an argument of its own."""
    steps = [{"id": f"s{k}", "tool": t, "arguments": {"k": t}} for k, t in enumerate(tools)]
    return parse_trajectory({"steps": steps, **others})


def test_what_is_on_it() -> None:
    """A bar, numbers with what 0 and 1 mean, findings, the alignment, what hardly counts."""
    explained = SCORER.explain(hotel.run_of("missing_book"), hotel.reference())
    result, text = explained.score, shown(explained)
    (finding,) = result.findings
    assert finding.share is not None
    assert text.startswith(
        "hotel-booking/missing_book (5 steps) against hotel-booking/reference (6 steps)\n"
        "book_room is missing.\n\n  ███"
    )
    for part in (
        f"█ kept {score_text(result.score)}   lost to ▓ missing steps 100 %",
        "▒ critical finding x 0.9",
        f"  score      {score_text(result.score)}  1 is the same as a reference; exp(-loss)",
        f"  skill      {score_text(result.skill)}  0 is no better than doing nothing, 1 is the",
        "  precision  ", "  recall     ", "\nWhy\n", "\nSide by side\n",
        "    search           hotel_search        =  search           hotel_search\n",
        f"\n  !                                      {MINUS}  book             book_room  ",
        "  missing\n        offer: of-9034, guest: Maria Duarte\n",
        f"    = same   {MINUS} missing   ! critical\n",
        "  findings   1      1 critical",
        f"  critical  {percent_text(finding.share):>5}  {finding.id}  step book (book_room) of the",
        "\nlow weight: reads: hotel_search, rank_hotels",
    ):  # fmt: skip
        assert part in text
    assert str(result.signature) not in "".join(text.splitlines())


def test_findings_are_counted_by_severity() -> None:
    """Beside the score, the worst first; that there is none is said too."""
    explained = SCORER.explain(hotel.run_of("missing_book"), hotel.reference())
    (found,) = explained.score.findings
    minor, major = (found.model_copy(update={"severity": one}) for one in ("minor", "major"))
    several = changed(explained, findings=(found, major, minor, minor))
    assert "findings   4      1 critical, 1 major, 2 minor" in shown(several)
    assert "findings   0      none" in drawn(hotel.run_of("same"), hotel.reference())


def test_slight_findings_take_one_line() -> None:
    """Where anything is worse; where nothing is, the first of them are told. All are in full."""
    run = called("get_user", "search_flights", "think", "book")
    text = drawn(run, called("pay", "book"))
    assert "critical" in text
    assert "  minor                   3 extra (" in text
    slight = SCORER.explain(run, called("book"))
    assert [one.severity for one in slight.score.findings] == ["minor"] * 3
    assert shown(slight).count("is extra; the reference has no such step") == 3
    for one in slight.score.findings:
        share = percent_text(one.share or 0)
        assert f"minor     invented    {share:>5}  {one.id}  {one.sentence[:30]}" in whole(slight)


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
    explained = SCORER.explain(hotel.run_of("missing_book"), hotel.reference())
    (finding,) = explained.score.findings
    one = finding.model_copy(update={"severity": severity})
    view = score_view(changed(explained, findings=(one,), severity=severity))
    assert f"  {severity:<8}  " in plain(view)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    show(view)
    text = capsys.readouterr().out
    assert f"{colour}  {severity}" in text[text.index("Why") :]


def test_each_relation_has_a_sign_and_a_word() -> None:
    """And what makes the difference stands below its row."""
    text = drawn(hotel.other_value(), hotel.reference())
    assert aligned(text) == [
        "    search  hotel_search   =   search           hotel_search",
        "    filter  filter_hotels  >   filter-price     filter_by_price     merged",
        "                           >   filter-location  filter_by_location",
        "    rank    rank_hotels    ≠*  rank             rank_hotels         "
        "other values, lost link",
        "        hotels[] is rs-4410 instead of rs-4411",
        "        hotels[] lacks rs-4412",
        "    select  select_room    =   select           select_room",
        "    book    book_room      =   book             book_room",
        "    = same   ≠ other values   > merged   * lost link",
    ]
    lines = aligned(drawn(hotel.run_of("invented_steps"), hotel.reference()))
    alone = [line.split("+")[1].strip() for line in lines if "+" in line]
    assert alone == ["extra (reads)", "extra (reads)", "extra"]
    lines = aligned(drawn(hotel.run_of("inverted_filter"), hotel.reference()))
    assert [line.split()[0] for line in lines if "=↕" in line] == ["!", "!"]
    assert all(line.endswith("out of order") for line in lines if "=↕" in line)
    assert lines[-1] == "    = same   ↕ out of order   ! critical"
    lines = aligned(drawn(hotel.run_of("wrong_tool"), hotel.reference()))
    assert any("⇄" in line and line.endswith("other tool") for line in lines)


PARTS = (
    ("The money comes in five days.", "Goodbye to all who read this text."),
    ("Your order was refunded.", "Kind regards, the shop."),
    ("other words", "of neither"),
)


def call(tool: str, **arguments: str) -> dict[str, Any]:
    """A call without an id."""
    return {"tool": tool, "arguments": arguments, "effect": "ok"}


def run_of(*calls: dict[str, Any]) -> otap.Trajectory:
    """A run of some calls."""
    steps = [{"id": str(k), **step} for k, step in enumerate(calls, start=1)]
    return parse_trajectory({"steps": steps})


def test_other_words_have_one_sign_in_all_views() -> None:
    """In a write, where they are a finding, as in a look-up, where they are none; in every view."""
    texts = "We have refunded your order today", "Your order was refunded by us today"
    tools = ("web_search", "query"), ("send_email", "body")
    mine, good = (run_of(*(call(tool, **{key: text}) for tool, key in tools)) for text in texts)
    explained = SCORER.explain(mine, good)
    assert [finding.kind for finding in explained.score.findings] == ["arguments"]
    assert [row.relation for row in list_rows(explained.best)] == ["close", "close"]
    lines = aligned(shown(explained))
    assert ["≈" in line for line in lines if line.endswith("  nearly")] == [True, True]
    assert any("body is worded differently" in line for line in lines)
    page = score_page(explained)
    assert page.count('<tr class="alike">') == 2
    assert '<tr class="other">' not in page


def test_a_number_in_other_words_is_another_value() -> None:
    """Its sign is that of other values."""
    mine, good = (run_of(call("send_email", body=f"You get {n} EUR back")) for n in (20, 200))
    assert "≠" in aligned(shown(SCORER.explain(mine, good)))[0]


def test_a_part_of_a_text_shows_where_it_is_cut() -> None:
    """On the side on which the text goes on, and only there."""
    texts = (
        "Your order was refunded. The money comes in five days. Kind regards, the shop.",
        "Your order was refunded. Goodbye to all who read this text. Kind regards, the shop.",
    )
    changes = [Change("body", *texts, how=Wording("major", "replaced", *parts)) for parts in PARTS]
    assert [str(change) for change in changes] == [
        'body says something else: "… The money comes in five days. …", the reference says'
        ' "… Goodbye to all who read this text. …"',
        'body says something else: "Your order was refunded. …", the reference says'
        ' "… Kind regards, the shop."',
        'body says something else: "other words", the reference says "of neither"',
    ]


def test_an_assumed_role_is_named_with_its_setting() -> None:
    """If a critical finding depends on it, and until a setting declares the role."""
    mine, good = run_of(call("get_user", id="7")), run_of(call("get_user", id="7"), call("pricing"))
    said = "pricing counts as a change: nothing shows that it only reads. If it does, set tools"
    setting = 'tools.read_only = ["pricing"]'
    for text in (shown(SCORER.explain(mine, good)), whole(SCORER.explain(mine, good))):
        assert said in " ".join(text.split())
        assert setting in " ".join(text.split())
    declared = otap.Scorer(otap.Config(tools={"read_only": ["pricing"]}))
    assert "counts as a change" not in drawn(mine, good, declared)
    # A name that says "write" is no assumption, and neither is a finding that is not critical.
    assert "counts as a change" not in drawn(
        mine, run_of(*[call("get_user", id="7"), call("delete_user")])
    )
    assert "counts as a change" not in drawn(good, good)


def test_several_assumed_roles_are_in_the_plural() -> None:
    """At most three are named."""
    tools = [call(name) for name in ("pricing", "zorb", "quux", "frob")]
    text = " ".join(drawn(run_of(call("get_user")), run_of(call("get_user"), *tools)).split())
    assert "and 1 more count as changes: nothing shows that they only read. If they do" in text


def test_a_failure_is_told_in_the_alignment() -> None:
    """In the place of what would have been extra, with what came back."""
    steps = [
        {"id": "1", "tool": "pay", "arguments": {"to": "x"}, "status": "error", "effect": "broke"}
    ]
    gold = parse_trajectory({"steps": [{"id": "g", "tool": "pay", "arguments": {"to": "x"}}]})
    lines = aligned(drawn(parse_trajectory({"steps": steps}), gold))
    assert [line.split()[-1] for line in lines if "pay" in line] == ["missing", "failed"]
    assert lines[3] == "        broke"


def test_the_same_run_has_nothing_to_show() -> None:
    """The bar is whole, and nothing was found."""
    explained = SCORER.explain(hotel.run_of("same"), hotel.reference())
    text = shown(explained)
    assert f"\n  {'█' * 46}\n  █ kept 1.000\n" in text
    assert "\nWhy\n  none\n" in text
    assert text.count("1.000") == 1 + 4
    assert "none: the run is the same as the reference in action, arguments" in whole(explained)


def test_what_is_not_1_never_reads_1() -> None:
    """Not where a loss is but a hair's breadth."""
    explained = SCORER.explain(hotel.run_of("same"), hotel.reference())
    less = dict.fromkeys(("score", "skill", "precision", "recall"), 1 - 1e-12)
    assert "1.000" not in shown(changed(explained, **less))


def test_an_unconverged_solve_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss is then only a bound."""
    words = "The solver did not converge: the loss is an upper bound."
    run, gold = hotel.run_of("paraphrased"), hotel.reference()
    assert words not in drawn(run, gold)
    monkeypatch.setattr(
        "otap.scoring.solve.solve_batch", functools.partial(solve_batch, max_outer=1)
    )
    assert not SCORER.score(run, gold).converged
    assert words in drawn(run, gold)


def test_a_side_without_steps() -> None:
    """All of the other one is missing or extra; precision is absent, not 0."""
    empty = otap.Trajectory(steps=(), id="idle")
    text = drawn(empty, hotel.reference())
    assert "  the run has no step that counts" in text
    assert text.count(" missing") > len(hotel.reference().steps)
    assert "precision  -" in text
    assert "  the reference has no step that counts" in drawn(empty, empty)
    assert "Why\n  none\n" in drawn(empty, empty)


def test_the_nearest_of_several_references_is_named() -> None:
    """And out of how many; in full the score against each."""
    golds = [hotel.reference(), hotel.run_of("unrelated")]
    explained = SCORER.explain(hotel.run_of("same"), golds, most=1)
    text = whole(explained)
    assert "(6 steps), the nearest of 2 references" in " ".join(text.split())
    assert len(explained.against) == 1
    assert "  * hotel-booking/reference  score 1.000  loss 0.0000\n" in text
    unrelated = explained.score.references[1]
    line = f"{unrelated.id}       score {score_text(unrelated.score)}  loss {unrelated.loss:.4f}"
    assert f"\n    {line}" in text


def test_all_of_it() -> None:
    """Every field of every step, the cost of a pair by field, the evidence of its order."""
    explained = SCORER.explain(hotel.run_of("inverted_filter"), hotel.reference())
    text, first = whole(explained), explained.score.findings[0]
    for part in (
        '  arguments  both       {"hotels": "rs-4410", "max_price": 150, "currency": "EUR"}\n',
        "        role       both       reads, weighs 0.05\n",
        "        costs nothing\n",
        "      reference: filter-price needs search, 0.95 sure: rs-4410: effect → arguments.hotels",
        "  order                   0.0078 ",
        f"  critical  reversed     71 %  {first.id}  step filter-price (filter_by_price) ran",
    ):
        assert part in text
    text = whole(SCORER.explain(hotel.run_of("merged_filters"), hotel.reference()))
    assert '{"hotels": ["rs-4413"], "by": "guest rating"}' in text
    assert "        costs 0.0" in text


def test_nothing_of_a_trace_reaches_the_terminal_raw() -> None:
    """Escapes, bidirectional overrides and markup are shown, never obeyed."""
    step = {"id": HOSTILE, "tool": HOSTILE, "action": HOSTILE, "arguments": {HOSTILE: HOSTILE}}
    run = parse_trajectory({"id": HOSTILE, "task": HOSTILE, "steps": [step]})
    other = {"id": HOSTILE, "tool": "\x1b[2J", "arguments": {"\x1b": ["\x9b"]}}
    gold = parse_trajectory({"id": HOSTILE, "steps": [other, {"id": "\x1b", "action": "\x07"}]})
    for pair in ((run, gold), (gold, run), (run, run)):
        explained = SCORER.explain(*pair)
        for text in (shown(explained), whole(explained)):
            assert all(character == "\n" or character.isprintable() for character in text)
            assert "\\x1b[31mred" in text


@settings(max_examples=20)
@given(run=trajectories(), gold=trajectories())
def test_every_score_can_be_drawn(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """Whatever is missing, repeated, split or merged; each step has its place, once a side."""
    for penalty in (1.0, 0.01):
        config = otap.Config(lambda_agent=penalty, lambda_reference=penalty)
        scorer = otap.Scorer(config, encoder=SCORER._metric.encoder)
        explained = scorer.explain(run, gold)
        found = list_rows(explained.best)
        assert sorted(k for row in found for k in row.run) == list(range(len(run.steps)))
        assert {k for row in found for k in row.reference} == set(range(len(gold.steps)))
        for columns in (50, 200):
            for text in (shown(explained, Terminal(columns)), whole(explained, Terminal(columns))):
                assert max(map(cell_len, text.splitlines())) <= columns


def test_a_pipe_gets_no_colour_and_a_terminal_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same text in either."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    view = score_view(SCORER.explain(hotel.run_of("same"), hotel.reference()))
    show(view)
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    show(view)
    assert "\x1b[" in capsys.readouterr().out


def test_a_score_without_skill_shows_none() -> None:
    """A dash, with what it would mean; a finding without a share of the loss has none."""
    paper = otap.Config.preset("paper")
    scorer = otap.Scorer(paper, encoder=lambda texts: [[1.0, len(text)] for text in texts])
    assert "skill      -" in drawn(hotel.run_of("paraphrased"), hotel.reference(), scorer)
    explained = SCORER.explain(hotel.run_of("wrong_tool"), hotel.reference())
    found = explained.score.findings
    unshared = tuple(one.model_copy(update={"share": None}) for one in found)
    text = shown(changed(explained, findings=unshared))
    assert "%" not in text[text.index("\nWhy\n") :]


def test_two_long_runs_stay_short() -> None:
    """However many steps and findings there are, a person sees the first of them."""
    count = 2 * ROWS_SHOWN
    run, gold = (called(*(f"update_{tag}_{k % 7}" for k in range(count))) for tag in "ab")
    text = drawn(run, gold)
    assert len(text.splitlines()) < 3 * ROWS_SHOWN + MAX_FINDINGS + 40
    assert "more findings; --explain shows all" in text


def test_what_is_the_same_for_long_is_folded() -> None:
    """Of many rows that say the same those beside what differs; in full there are all."""
    tools = [f"update_{k}" for k in range(30)]
    explained = SCORER.explain(called(*tools, "pay"), called(*tools, "cancel", "pay"))
    lines = aligned(shown(explained))
    assert lines[0] == "    ⋮ 29 same"
    assert "update_29" in lines[1]
    assert len(lines) == 2 + 2 + 1 + 1
    assert "update_17" in whole(explained)


def test_steps_that_hardly_count_are_folded() -> None:
    """More than two in a row, with their tools; those that count stand alone."""
    run = called("get_user", "get_user", "think", "book")
    lines = aligned(drawn(run, called("book")))
    assert lines[0] == "    ⋮ 2 extra (1 get_user, 1 think), 1 again (1 get_user)"


def html(explained: Explanation) -> str:
    """The text of its page, without scripts, styles and tags."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", score_page(explained), flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text)


@pytest.mark.parametrize("name", ["missing_book", "merged_filters", "wrong_tool", "paraphrased"])
def test_all_views_have_the_digits_of_the_record(name: str) -> None:
    """Every number that one shows is one of JSON, rounded in one way."""
    explained = SCORER.explain(hotel.run_of(name), hotel.reference())
    before, _, calculated = whole(explained).partition("\nHow the number is computed\n")
    full = before + calculated.partition("\nOrder\n")[2]  # the calculation has tests of its own
    for text in (shown(explained), full, score_markdown(explained), html(explained)):
        assert_same_digits(text, explained)
