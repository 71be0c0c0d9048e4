"""What went wrong in a sentence: made by rule of the worst findings."""

from dataclasses import replace

import pytest

import hotel
import otap
from otap.findings import KINDS, Finding, Severity
from otap.report.model.alignment_report import describe_alignment
from otap.scoring import Against
from otap.trajectory import parse_trajectory

SCORER = otap.Scorer()


def against(run: otap.Trajectory, gold: otap.Trajectory | None = None) -> Against:
    """A run beside its best reference."""
    return SCORER.explain(run, gold or hotel.reference()).best


def with_findings(*found: Finding) -> Against:
    """A run of the example of which something is said."""
    known = against(hotel.reference())
    score = known.score.model_copy(update={"findings": found})
    return replace(known, score=score)


def headline(found: Against) -> str:
    """What all views say first."""
    return describe_alignment(found).headline


def said(kind: str, *steps: str, severity: Severity = "critical", more: str = "") -> Finding:
    """A finding of some steps of both sides."""
    sentence = f"what is said of it{more}"
    return Finding(
        kind=kind, severity=severity, agent=steps, reference=steps, share=None, sentence=sentence
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("same", "No differences found."),
        ("merged_filters", "Nothing critical or major: 1 slight difference."),
        ("missing_book", "book_room is missing."),
        ("inverted_filter", "filter_by_price ran too early; "),
        ("invented_steps", "Nothing critical or major: 2 slight differences."),
        ("wrong_tool", "currency_converter was called instead of rank_hotels"),
        ("unrelated", "All 6 steps are missing: "),
    ],
)
def test_the_runs_of_the_example(name: str, sentence: str) -> None:
    """Each says in its first words what is wrong with it."""
    assert headline(against(hotel.run_of(name))).startswith(sentence)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ([said("failed", "book")], "book_room failed."),
        ([said("failed", "book"), said("failed", "book")], "book_room failed 2 times."),
        ([said("failed", "book"), said("failed", "rank")], "book_room and rank_hotels failed."),
        ([said("broken", "rank", "book")], "book_room does not build on rank_hotels."),
        ([said("inverted", "rank", "book")], "book_room ran too early."),
        ([said("ungrounded", "book")], "book_room was given a value that nothing showed."),
        ([said("repeated", "book", "rank")], "rank_hotels was done again."),
        ([said("repeated", "book", "rank")] * 3, "rank_hotels (3 times) was done again."),
        ([said("split", "book")], "book_room was done in other portions."),
        ([said("hidden_changes", "book")], "what is said of it."),
        (
            [said("hidden_changes"), said("hidden_changes")],
            "what is said of it (and 1 more like it).",
        ),
        (
            [said("missing_answer", more="; the nearest number it gave is 3")],
            "what is said of it (the nearest is 3).",
        ),
        (
            [said("missing_answer"), said("missing_answer")],
            "The run never gave 2 required answers.",
        ),
        ([said("arguments", "book")], "book_room has other values."),
        ([said("invented", *["book"])] * 3, "book_room (3 times) were done in addition."),
    ],
)
def test_each_kind_has_a_clause(found: list[Finding], sentence: str) -> None:
    """Findings of one kind are one clause, which names the steps."""
    assert headline(with_findings(*found)) == sentence


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_said(kind: str) -> None:
    """A new kind of finding needs its clause."""
    assert headline(with_findings(said(kind, "book"))).endswith(".")


def test_three_kinds_are_told_and_no_slight_ones() -> None:
    """The worst first; who wants more reads the findings."""
    bad = [said(kind, "book") for kind in ("missing", "failed", "tool", "repeated")]
    slight = said("invented", "rank", severity="minor")
    told = headline(with_findings(*bad, slight))
    assert told.count(";") == 2
    assert told.startswith("book_room is missing; book_room failed; ")
    assert "rank_hotels" not in told


def test_a_value_that_differs_is_told() -> None:
    """Of one call the values, of several the names of their keys."""
    calls = [{"id": str(k), "tool": "pay", "arguments": {"amount": k}} for k in (10, 20)]
    wrong = [{**call, "arguments": {"amount": 77 + k}} for k, call in enumerate(calls)]
    gold, one, both = (
        parse_trajectory({"steps": steps}) for steps in (calls, [calls[0], wrong[1]], wrong)
    )
    assert headline(against(one, gold)) == "pay: amount is 78 instead of 20."
    assert headline(against(both, gold)) == "pay (2 times) have other values: amount."


def test_how_many_of_a_tools_calls_are_missing() -> None:
    """Where others of them are there."""
    calls = [{"id": str(k), "tool": "pay", "arguments": {"to": f"acct-{k}"}} for k in range(3)]
    gold, run = (parse_trajectory({"steps": steps}) for steps in (calls, calls[:2]))
    assert headline(against(run, gold)) == "pay is missing 1 of 3 times: acct-2."


def test_many_slight_differences_are_not_called_the_same() -> None:
    """A low score without a bad finding says that it is low."""
    known = against(hotel.reference())
    low = known.score.model_copy(update={"score": 0.4, "loss": 0.92})
    assert headline(replace(known, score=low)).startswith("No single difference is bad, but")
    near = known.score.model_copy(update={"score": 0.99, "loss": 0.01})
    assert "some steps differ a little" in headline(replace(known, score=near))


def test_names_are_one_line() -> None:
    """A tool's name is foreign text."""
    gold = parse_trajectory({"steps": [{"id": "1", "tool": "pay\n\x1b[31m" + "x" * 99}]})
    told = headline(against(parse_trajectory({"steps": []}), gold))
    assert "\n" not in told
    assert "\x1b" not in told
    assert "…" in told


def test_nothing_was_understood() -> None:
    """A run that cannot be judged is not called the same."""
    run = parse_trajectory({"steps": [], "unread": {"unknown": {"blob": 3}}})
    assert headline(against(run, parse_trajectory({"steps": []}))) == (
        "Nothing was understood of the run."
    )


def test_a_run_that_called_nothing() -> None:
    """It is said before what is missing."""
    steps = [{"id": str(k), "tool": tool} for k, tool in enumerate(("look", "pay", "pay", "pay"))]
    gold, none = (parse_trajectory({"steps": each}) for each in (steps, []))
    told = headline(against(none, gold))
    assert told == "The run called nothing: pay (all 3) and look are missing."


def test_next_to_nothing_is_not_told_beside_what_is_critical() -> None:
    """A lookup that costs 1 % does not say why a run failed, one that costs much does."""
    critical = said("missing", "book")
    for share, sentence in ((0.01, "book_room is missing."), (0.3, "book_room is missing; ")):
        major = said("failed", "rank", severity="major").model_copy(update={"share": share})
        assert headline(with_findings(critical, major)).startswith(sentence)
        assert headline(with_findings(major)) == "rank_hotels failed."


def test_our_own_words_begin_with_a_capital() -> None:
    """Names of tools stay as they are."""
    missing_answer = said("missing_answer").model_copy(
        update={"sentence": "the run never gave the answer '3'"}
    )
    assert headline(with_findings(missing_answer)) == "The run never gave the answer '3'."
    both = headline(with_findings(said("missing", "book"), missing_answer))
    assert both == "book_room is missing; the run never gave the answer '3'."


def test_what_is_done_again_with_another_value() -> None:
    """It is told, for the second call is not the same as the first."""
    calls = [{"id": str(k), "tool": "cancel", "arguments": {"order": f"W-{k}"}} for k in (1, 2)]
    run, gold = (parse_trajectory({"steps": steps}) for steps in (calls, calls[:1]))
    known = against(run, gold)
    again = Finding(
        kind="repeated", severity="critical", agent=("1", "2"), reference=(), share=None,
        sentence="",
    )  # fmt: skip
    score = known.score.model_copy(update={"findings": (again,)})
    assert headline(replace(known, score=score)) == "cancel was done again, with order: W-2."


def given(*values: tuple[str, str]) -> str:
    """The headline of a run whose calls use values that nothing showed: (tool, argument)."""
    calls: dict[str, dict[str, str]] = {}
    for number, (tool, name) in enumerate(values):
        calls.setdefault(tool, {})[name] = f"X-{70 + number}1{number}"
    steps = [
        {"id": str(k), "tool": tool.rstrip("_"), "arguments": arguments, "effect": "ok", "turn": k}
        for k, (tool, arguments) in enumerate(calls.items(), 1)
    ]
    values_shown = " ".join(value for call in calls.values() for value in call.values())
    look = {"id": "0", "tool": "get_all", "arguments": {"of": "all"}, "turn": 0,
            "effect": values_shown}  # fmt: skip
    gold, run = (
        parse_trajectory({"steps": chosen, "request": ["Do it."]})
        for chosen in ([look, *steps], steps)
    )
    return headline(against(run, gold)).rstrip(".").rpartition("; ")[2]


@pytest.mark.parametrize(
    ("values", "clause"),
    [
        ([("pay", "to")], "pay was given a value that nothing showed"),
        ([("pay", "to"), ("pay", "from")], "pay was given two values that nothing showed"),
        (
            [("pay", "to"), ("pay", "from"), ("pay", "by")],
            "pay was given three values that nothing showed",
        ),
        ([("pay", "to"), ("book", "at")], "pay and book were given two values that nothing showed"),
        (
            [("pay", "to"), ("pay_", "to")],
            "pay (2 times) were given two values that nothing showed",
        ),
        (
            [("pay", "to"), ("pay_", "to"), ("pay_", "from")],
            "pay (2 times) were given three values that nothing showed",
        ),
    ],
)
def test_calls_and_values_are_counted_apart(values: list[tuple[str, str]], clause: str) -> None:
    """One call with two values is one call."""
    assert given(*values) == clause


def test_a_step_with_two_lost_links_is_one_step() -> None:
    """It is named once, and so is each step that it does not build on."""
    gold = [{"id": "1", "tool": "a", "depends_on": []}, {"id": "2", "tool": "b", "depends_on": []},
            {"id": "3", "tool": "c", "depends_on": ["1", "2"]}]  # fmt: skip
    run = [*gold[:2], {**gold[2], "depends_on": []}]
    best = against(*(parse_trajectory({"steps": steps}) for steps in (run, gold)))
    assert headline(best) == "c does not build on a and b."
