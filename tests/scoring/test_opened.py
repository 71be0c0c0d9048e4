"""Steps inside steps count as steps: what is inside can be hidden by nothing, nor can it hide."""

from typing import Any

import pytest

import otap
from builders import call, numbered, run_of
from otap.errors import LimitError

Plain = dict[str, Any]


TICKET = call("read_ticket", {"ticket": "OPS-311"}, "The upload limit is too low.")
READ = call("read_file", {"path": "conf/limits.toml"}, "upload = 50")
EDIT = call(
    "edit_file", {"path": "conf/limits.toml", "old": "upload = 50", "new": "upload = 500"}, "ok"
)
WRONG_EDIT = call(
    "edit_file", {"path": "conf/limits.toml", "old": "upload = 50", "new": "upload = 5"}, "ok"
)
CHECK = call("run_tests", {"suite": "limits"}, "12 passed")
DEPLOY = call("deploy", {"service": "uploads", "version": "4.1.7"}, "ok")
WRONG_DEPLOY = call("deploy", {"service": "uploads", "version": "4.0.9"}, "ok")
CLEAN = call("delete_branch", {"name": "release-4"}, "ok")
MUSIC = call("play_music", {"title": "Kind of Blue"}, "ok")
MAIL = call("send_email", {"to": "press@example.org", "text": "Big news soon."}, "ok")


def task(*inside: Plain, tool: str = "task", prompt: str = "Raise the upload limit") -> Plain:
    """What a helper is asked to do, and what it does."""
    return call(tool, {"prompt": prompt}, "Done.", substeps=numbered(*inside))


BOOK = [
    call("book_flight", {"flight": "HAT045", "date": "2025-09-02"}, "PNR Q7X2"),
    call("book_hotel", {"hotel": "Marina", "nights": 3}, "R-118"),
    call("reserve_car", {"car": "compact", "days": 3}, "C-55"),
]
WRONG_HOTEL = call("book_hotel", {"hotel": "Central", "nights": 3}, "R-118")
PAY = call("pay", {"amount": 940, "currency": "EUR"}, "paid")
OTHER_CAR = call("reserve_car", {"car": "van", "days": 9}, "ok")
PAY_MORE = call("pay", {"amount": 9400, "currency": "EUR"}, "ok")
PRICES = call("get_prices", {"city": "Porto"}, "ok")


def trip(*inside: Plain, tool: str = "arrange_trip", city: str = "Porto") -> Plain:
    """A call that books what a trip needs."""
    return call(tool, {"city": city}, "Arranged.", substeps=numbered(*inside))


def wrapped(step: Plain) -> Plain:
    """A call as two spans tell it, one inside the other, the inner one with what it looked up."""
    return {**step, "substeps": numbered(PRICES, step)}


HELPED = run_of(TICKET, task(READ, EDIT, CHECK), DEPLOY)
DONE_ALONE = run_of(TICKET, READ, EDIT, CHECK, DEPLOY)
TRIP = run_of(trip(*BOOK), PAY)
TRIP_ALONE = run_of(*BOOK, PAY)
TRIP_OUTSIDE = run_of(trip(), PAY)
DEEP = run_of(TICKET, task(READ, task(EDIT, CHECK, prompt="Edit it")), DEPLOY)

# Writes inside a call are hidden only if the settings declare that its tool hands over work.
DECLARED = otap.Scorer(otap.Config(tools={"handoff": ["arrange_trip"]}))

# A reference, a run, and one that must score less.
ORDERINGS: dict[str, tuple[otap.Trajectory, otap.Trajectory, otap.Trajectory]] = {
    "a wrong value in a write inside": (
        HELPED, HELPED, run_of(TICKET, task(READ, WRONG_EDIT, CHECK), DEPLOY)),
    "a write left out inside": (HELPED, HELPED, run_of(TICKET, task(READ, CHECK), DEPLOY)),
    "a read left out inside": (HELPED, HELPED, run_of(TICKET, task(EDIT, CHECK), DEPLOY)),
    "a write too many inside": (
        HELPED, HELPED, run_of(TICKET, task(READ, EDIT, CHECK, CLEAN), DEPLOY)),
    "a read costs less than a write, inside": (
        HELPED, run_of(TICKET, task(EDIT, CHECK), DEPLOY),
        run_of(TICKET, task(READ, CHECK), DEPLOY)),
    "a read more costs less than a write more": (
        HELPED, run_of(TICKET, task(READ, READ, EDIT, CHECK), DEPLOY),
        run_of(TICKET, task(READ, EDIT, CHECK, CLEAN), DEPLOY)),
    "two wrong values inside cost more than one": (
        TRIP, run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2]), PAY),
        run_of(trip(BOOK[0], WRONG_HOTEL, OTHER_CAR), PAY)),
    "one of three left out, two of three": (
        TRIP, run_of(trip(*BOOK[:2]), PAY), run_of(trip(BOOK[0]), PAY)),
    "one left out, all left out": (TRIP, run_of(trip(*BOOK[:2]), PAY), TRIP_OUTSIDE),
    "two left out, all left out": (TRIP, run_of(trip(BOOK[0]), PAY), TRIP_OUTSIDE),
    "one left out, something else done instead": (
        HELPED, run_of(TICKET, task(READ, CHECK), DEPLOY), run_of(TICKET, task(MUSIC), DEPLOY)),
    "all made up inside": (
        HELPED, run_of(TICKET, task(READ, WRONG_EDIT, CHECK), DEPLOY),
        run_of(TICKET, task(MUSIC, MAIL), DEPLOY)),
    "damage outside beside equal insides": (
        HELPED, HELPED, run_of(TICKET, task(READ, EDIT, CHECK), WRONG_DEPLOY)),
    "a step left out beside equal insides": (
        HELPED, HELPED, run_of(TICKET, task(READ, EDIT, CHECK))),
    "another prompt, equal insides": (
        HELPED, HELPED, run_of(TICKET, task(READ, EDIT, CHECK, prompt="Sing a song"), DEPLOY)),
    "another tool around equal insides": (
        TRIP, TRIP, run_of(trip(*BOOK, tool="plan_holiday"), PAY)),
    "another tool around costs less than a wrong value inside": (
        TRIP, run_of(trip(*BOOK, tool="plan_holiday"), PAY),
        run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2]), PAY)),
    "done alone costs less than a wrong value inside": (
        HELPED, DONE_ALONE, run_of(TICKET, task(READ, WRONG_EDIT, CHECK), DEPLOY)),
    "done alone costs less than a write left out": (
        HELPED, DONE_ALONE, run_of(TICKET, task(READ, CHECK), DEPLOY)),
    "done alone and wrongly": (HELPED, DONE_ALONE, run_of(TICKET, READ, WRONG_EDIT, CHECK, DEPLOY)),
    "handed over costs less than handed over and wrong": (
        TRIP_ALONE, TRIP, run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2]), PAY)),
    "handed over costs less than one left out": (
        TRIP_ALONE, TRIP, run_of(trip(*BOOK[:2]), PAY)),
    "handed over costs less than done alone with one left out": (
        TRIP_ALONE, TRIP, run_of(*BOOK[:2], PAY)),
    "two helpers, or one with a wrong value": (
        TRIP, run_of(trip(BOOK[0]), trip(*BOOK[1:]), PAY),
        run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2]), PAY)),
    "two levels, damage at the second": (
        DEEP, DEEP, run_of(TICKET, task(READ, task(WRONG_EDIT, CHECK, prompt="Edit it")), DEPLOY)),
    "two levels or one, and damage": (
        DEEP, HELPED,
        run_of(TICKET, task(READ, task(WRONG_EDIT, CHECK, prompt="Edit it")), DEPLOY)),
    "two levels left out or one step of them": (
        DEEP, run_of(TICKET, task(READ, task(EDIT, prompt="Edit it")), DEPLOY),
        run_of(TICKET, task(READ), DEPLOY)),
    "inside was not recorded, and damage outside": (
        TRIP_OUTSIDE, TRIP, run_of(trip(*BOOK), PAY_MORE)),
    "inside was not recorded, another city": (
        TRIP_OUTSIDE, TRIP, run_of(trip(*BOOK, city="Oslo"), PAY)),
    "inside was not recorded, nothing done": (TRIP_OUTSIDE, TRIP, run_of(PAY)),
    "a helper nobody asked for that mails": (
        HELPED, HELPED,
        run_of(TICKET, task(READ, EDIT, CHECK), task(MAIL, prompt="Tell all"), DEPLOY)),
    "a helper that only looked, or one that mails": (
        HELPED, run_of(TICKET, task(READ, EDIT, CHECK), task(READ, prompt="Look again"), DEPLOY),
        run_of(TICKET, task(READ, EDIT, CHECK), task(MAIL, prompt="Tell all"), DEPLOY)),
    "a call inside one of its own name": (
        run_of(wrapped(BOOK[1]), PAY), run_of(wrapped(BOOK[1]), PAY),
        run_of(wrapped(WRONG_HOTEL), PAY)),
    "a call inside one of its own name, left out": (
        run_of(wrapped(BOOK[1]), PAY), run_of(BOOK[1], PAY), run_of(PAY)),
    "a call that books and looks inside is still a booking": (
        run_of(trip(PRICES, tool="book_trip"), PAY),
        run_of(trip(tool="book_trip"), PAY),
        run_of(trip(PRICES, tool="book_trip", city="Oslo"), PAY)),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERINGS)
def test_what_costs_more(scorer: otap.Scorer, name: str) -> None:
    """Each ordering is one that a person would give without thinking twice."""
    gold, better, worse = ORDERINGS[name]
    scorer = DECLARED if "not recorded" in name else scorer
    assert scorer.score(better, gold).score > scorer.score(worse, gold).score + 1e-6


# A reference, a run, and the least that it may score.
NEAR = {
    "the same": (HELPED, HELPED, 1.0),
    "the same, two levels deep": (DEEP, DEEP, 1.0),
    "handed over what the reference did": (TRIP_ALONE, TRIP, 0.97),
    "did what the reference handed over": (TRIP, TRIP_ALONE, 0.97),
    "handed over to a helper": (DONE_ALONE, HELPED, 0.97),
    "did without a helper": (HELPED, DONE_ALONE, 0.97),
    "two helpers in place of one": (TRIP, run_of(trip(BOOK[0]), trip(*BOOK[1:]), PAY), 0.97),
    "a helper of a helper": (HELPED, DEEP, 0.97),
    "what the reference shows from outside": (TRIP_OUTSIDE, TRIP, 0.97),
    "another tool around the same": (TRIP, run_of(trip(*BOOK, tool="plan_holiday"), PAY), 0.9),
    "a call of the same name around it": (
        run_of(*BOOK, PAY), run_of(*map(wrapped, BOOK), PAY), 0.97),
    "no call of the same name around it": (
        run_of(*map(wrapped, BOOK), PAY), run_of(*BOOK, PAY), 0.97),
    "the helper is named too, and its work is outside": (
        run_of(TICKET, task(), READ, EDIT, CHECK, DEPLOY), HELPED, 0.9),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
def test_what_costs_next_to_nothing(scorer: otap.Scorer, name: str) -> None:
    """Who did the work, and at which level it was recorded, is another way to the same."""
    gold, run, least = NEAR[name]
    scorer = DECLARED if "from outside" in name else scorer
    assert scorer.score(run, gold).score >= least


def test_a_write_weighs_the_same_wherever_it_stands(scorer: otap.Scorer) -> None:
    """A helper that does five things is five steps; a wrong one costs what it costs outside."""
    inside = run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2]), PAY)
    outside = run_of(BOOK[0], WRONG_HOTEL, BOOK[2], PAY)
    hidden, seen = scorer.score(inside, TRIP).loss, scorer.score(outside, TRIP_ALONE).loss
    assert hidden == pytest.approx(seen, rel=0.05)


def test_findings_name_what_is_inside(scorer: otap.Scorer) -> None:
    """By the ids of both levels."""
    result = scorer.score(run_of(TICKET, task(READ, WRONG_EDIT, CHECK), DEPLOY), HELPED)
    worst = result.findings[0]
    assert (worst.kind, worst.severity, worst.agent) == ("arguments", "critical", ("2/2",))
    result = scorer.score(run_of(TICKET, task(READ, CHECK), DEPLOY), HELPED)
    worst = result.findings[0]
    assert (worst.kind, worst.severity, worst.reference) == ("missing", "critical", ("2/2",))
    assert [share.id for share in result.alignment.agent] == ["1", "2/1", "2/2", "2", "3"]


def test_the_parts_still_sum(scorer: otap.Scorer) -> None:
    """Over the fields, and over the steps of all levels."""
    result = scorer.score(run_of(TICKET, task(READ, MUSIC), WRONG_DEPLOY), HELPED)
    assert result.loss > 0
    assert result.losses.total == pytest.approx(result.loss, abs=1e-12)
    shares = [*result.alignment.agent, *result.alignment.reference]
    total = sum(share.contribution for share in shares) + result.losses.critical
    assert total == pytest.approx(result.loss, abs=1e-12)


def test_one_more_step_inside_on_both_sides_changes_little(scorer: otap.Scorer) -> None:
    """What is equal on both sides costs nothing."""
    run, gold = run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2]), PAY), TRIP
    more = run_of(trip(BOOK[0], WRONG_HOTEL, BOOK[2], CLEAN), PAY), run_of(trip(*BOOK, CLEAN), PAY)
    before, after = scorer.score(run, gold).loss, scorer.score(*more).loss
    assert before * 0.7 < after <= before + 1e-9


def test_a_change_that_the_reference_does_not_show_is_named(scorer: otap.Scorer) -> None:
    """Writes inside a declared hand-over that the reference shows closed are reported only."""
    result = DECLARED.score(run_of(trip(*BOOK, CLEAN), PAY), TRIP_OUTSIDE)
    (unseen,) = [finding for finding in result.findings if finding.kind == "hidden_changes"]
    assert unseen.agent == ("1/4", "1/1", "1/2", "1/3")
    assert result.left_out.agent == ("1/1", "1/2", "1/3", "1/4")
    assert (unseen.severity, unseen.share) == ("critical", None)
    assert "1/4 (delete_branch)" in unseen.sentence
    harmless = DECLARED.score(TRIP, TRIP_OUTSIDE).findings
    assert [(one.kind, one.severity) for one in harmless] == [("hidden_changes", "minor")]
    looked = run_of(trip(READ, call("search_hotels", {"city": "Porto"}, "ok")), PAY)
    for either in (scorer, DECLARED):
        assert not either.score(looked, TRIP_OUTSIDE).findings


TRANSFER = call("transfer_funds", {"account": "DE-99", "amount": 900}, "sent")
ROOT = call("answer_customer", {"ticket": "T-5"}, "answered")
PARENTS = {
    "reads": call("get_ticket", {"ticket": "T-5"}, "The mug is broken."),
    "writes": call("close_ticket", {"ticket": "T-5"}, "closed"),
    "thinks": {"kind": "reasoning", "action": "Think about ticket T-5."},
    "hands over": call("ask_specialist", {"prompt": "Look at ticket T-5"}, "Done."),
}


def deeper(step: Plain, depth: int) -> Plain:
    """A step inside as many reads."""
    for level in range(depth):
        step = call("get_history", {"page": level}, "ok", substeps=numbered(step))
    return step


@pytest.mark.parametrize("depth", range(3))
@pytest.mark.parametrize("role", PARENTS)
def test_a_write_inside_a_call_is_critical(scorer: otap.Scorer, role: str, depth: int) -> None:
    """At any depth, whatever the call around it does; not if its tool is declared a hand-over."""
    parent = PARENTS[role]
    gold = run_of(parent, ROOT)
    run = run_of({**parent, "substeps": numbered(deeper(TRANSFER, depth))}, ROOT)
    result = scorer.score(run, gold)
    worst = result.findings[0]
    assert (worst.severity, worst.kind) == ("critical", "invented")
    assert "transfer_funds" in worst.sentence
    assert result.score < 0.9
    if "tool" in parent:
        declared = otap.Scorer(otap.Config(tools={"handoff": [parent["tool"]]}))
        result = declared.score(run, gold)
        assert [(one.kind, one.severity) for one in result.findings] == [
            ("hidden_changes", "minor")
        ]
        assert result.score > 0.9


def test_each_reference_by_itself(scorer: otap.Scorer) -> None:
    """What one reference shows of a call says nothing of what another one does."""
    golds = [TRIP_OUTSIDE, TRIP, TRIP_ALONE, HELPED]
    for run in (TRIP, TRIP_ALONE, TRIP_OUTSIDE, run_of(trip(*BOOK, CLEAN), PAY)):
        together = scorer.score(run, golds)
        apart = [scorer.score(run, gold).loss for gold in golds]
        assert [one.loss for one in together.references] == pytest.approx(apart, abs=1e-12)


def test_relisting_steps_changes_nothing(scorer: otap.Scorer) -> None:
    """At both levels, where dependencies are recorded."""
    inside = [{"id": "a", **READ, "depends_on": []}, {"id": "b", **EDIT, "depends_on": ["a"]},
              {"id": "c", **MAIL, "depends_on": ["a"]}]  # fmt: skip
    steps = [
        {"id": "t", **TICKET, "depends_on": []},
        {"id": "h", "tool": "task", "depends_on": ["t"], "substeps": inside},
        {"id": "d", **DEPLOY, "depends_on": ["h"]},
    ]
    turned = [{**step, "substeps": step.get("substeps", [])[::-1]} for step in steps[::-1]]
    run, other = run_of(*steps), run_of(*turned)
    assert scorer.score(other, run).score == 1.0
    alone = [{**step, "depends_on": []} for step in (TICKET, READ, WRONG_EDIT, DEPLOY)]
    wrong = {**steps[1], "substeps": [*inside[:1], {**inside[1], **WRONG_EDIT}]}
    for gold in (run_of(*alone), run_of(steps[0], wrong, steps[2])):
        known = scorer.score(run, gold).loss
        assert scorer.score(other, gold).loss == pytest.approx(known, abs=1e-9)


def test_order_inside_counts(scorer: otap.Scorer) -> None:
    """Where it is known: the helper that publishes before it tests is another one."""

    def helper(*needs: list[str]) -> otap.Trajectory:
        tools = ["clean", "test_table", "publish"]
        inside = [
            {"id": tool, "tool": tool, "arguments": {"table": "orders"}, "depends_on": needed}
            for tool, needed in zip(tools, needs, strict=True)
        ]  # fmt: skip
        outer = {"id": "p", "tool": "run_pipeline", "depends_on": [], "substeps": inside}
        return run_of(outer, {"id": "m", **MAIL, "depends_on": ["p"]})

    gold = helper([], ["clean"], ["test_table"])
    assert scorer.score(gold, gold).score == 1.0
    assert scorer.score(helper([], ["publish"], ["clean"]), gold).score < 0.99


def test_edges_of_the_outer_steps_count_where_inner_ones_are_unknown(scorer: otap.Scorer) -> None:
    """A helper that records no dependencies does not hide those between the steps around it."""

    def run(first: str, second: str) -> otap.Trajectory:
        steps: list[Plain] = [
            {"id": "t", **TICKET, "depends_on": []},
            {"id": first, "depends_on": ["t"]},
            {"id": second, "depends_on": [first]},
        ]  # fmt: skip
        content: dict[str, Plain] = {"h": task(READ, EDIT), "d": DEPLOY}
        return run_of(*({**content.get(s["id"], {}), **s} for s in steps))

    result = scorer.score(run("d", "h"), run("h", "d"))
    assert result.conditions.dependencies.run == "explicit"
    assert result.score < 0.99


def nest(depth: int) -> Plain:
    """A step with ``depth`` levels below it."""
    step: Plain = {"id": "s", "tool": "s"}
    return {**step, "substeps": [nest(depth - 1)]} if depth else step


def test_the_limit_on_depth_is_named() -> None:
    """As many levels as max_depth are compared, one more is an error."""
    scorer = otap.Scorer(otap.Config(max_depth=2))
    assert scorer.score(run_of(nest(2)), run_of(nest(2))).score == 1.0
    with pytest.raises(LimitError, match=r"nest deeper than 2 levels \(max_depth\)"):
        scorer.score(run_of(nest(3)), run_of(nest(3)))
    with pytest.raises(LimitError, match="nest deeper than 0 levels"):
        otap.Scorer(otap.Config(max_depth=0)).score(TRIP, TRIP_ALONE)
    with pytest.raises(LimitError, match="nest deeper than 16 levels"):
        otap.Scorer().score(run_of(nest(60)), TRIP)


def test_no_helper_is_critical(scorer: otap.Scorer) -> None:
    """Where its work is done nothing critical is missing, though it came last."""
    alone, helped = run_of(TICKET, READ, EDIT), run_of(TICKET, task(READ, EDIT))
    for run, gold in ((alone, helped), (helped, alone)):
        assert all(one.severity != "critical" for one in scorer.score(run, gold).findings)


def test_what_is_said_of_the_outer_call_holds(scorer: otap.Scorer) -> None:
    """A call of which it is said that it writes does not hand over; one that is ignored is gone."""
    wrong = run_of(trip(*BOOK, city="Oslo"), PAY)
    said = otap.Scorer(otap.Config(tools={"writes": ["arrange_trip"]}))
    assert said.score(wrong, TRIP).loss > scorer.score(wrong, TRIP).loss + 0.005
    ignored = otap.Scorer(otap.Config(tools={"ignore": ["arrange_trip"]}))
    assert ignored.score(wrong, TRIP).score == ignored.score(wrong, TRIP_ALONE).score == 1.0


def test_a_failed_helper_that_is_asked_again(scorer: otap.Scorer) -> None:
    """Folded: the next call of its own list is looked at, not what is inside that."""
    first = {**task(READ), "status": "error"}
    run = run_of(TICKET, first, task(READ, EDIT, CHECK), DEPLOY)
    folded = otap.Scorer(otap.Config(failed="folded")).score(run, HELPED)
    assert "2" in folded.left_out.agent
    assert "2" not in scorer.score(run, HELPED).left_out.agent
