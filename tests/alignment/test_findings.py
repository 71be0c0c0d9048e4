"""Findings: exactly those of the hotel runs, and each rule and constant by itself."""

from pathlib import Path

import numpy as np
import pytest
from comparisons import comparison, steps, without_steps

import hotel
import otap
from otap.alignment.comparison import FLOW, MATCHED, SAME
from otap.findings import KINDS, SEVERITIES, Finding, find
from otap.findings.calls import NAMED_CHANGES
from otap.findings.changes import find_changes
from otap.findings.context import REPEATED
from otap.run.grounding import find_ungrounded
from otap.run.index import ValueIndex
from otap.trajectory import parse_trajectory
from otap.values.value import read_arguments

SCORER = otap.Scorer()
Found = tuple[str, tuple[str, ...], tuple[str, ...]]
GOLD_STEPS = ("search", "filter-price", "filter-location", "rank", "select", "book")

HOTEL: dict[str, list[Found]] = {
    "same": [],
    "exchanged_filters": [],
    "paraphrased": [],
    "inverted_filter": [
        ("reversed", ("search", "filter-price"), ("search", "filter-price")),
        ("ungrounded", ("filter-price",), ("filter-price",)),
    ],
    "missing_book": [("missing", (), ("book",))],
    "invented_steps": [("invented", ("restaurants",), ()), ("invented", ("weather",), ())],
    "wrong_tool": [("tool", ("rank",), ("rank",))],
    "merged_filters": [("merged", ("filter",), ("filter-price", "filter-location"))],
}


def brief(findings: tuple[Finding, ...]) -> list[Found]:
    """Kinds and steps."""
    return [(finding.kind, finding.agent, finding.reference) for finding in findings]


@pytest.mark.parametrize("name", HOTEL)
def test_hotel_findings(name: str) -> None:
    """Each run gives exactly the findings that its name says, in this order."""
    found = SCORER.score(hotel.run_of(name), hotel.reference()).findings
    assert brief(found) == HOTEL[name]
    shares = [finding.share for finding in found if finding.kind != "ungrounded"]
    assert all(share is not None and 0 < share <= 1 for share in shares)


def test_a_value_read_before_it_was_produced() -> None:
    """The filter of the inverted run names a list of hotels that the search has yet to make."""
    _, found = SCORER.score(hotel.run_of("inverted_filter"), hotel.reference()).findings
    assert found.share is None
    assert found.sentence == (
        "step filter-price (filter_by_price) uses hotels 'rs-4410', which nothing before it "
        "showed; step search (hotel_search) shows it later"
    )


def test_nothing_of_an_unrelated_run_is_a_counterpart() -> None:
    """All reference steps are missing, all of the run invented; those of the goal are critical."""
    found = SCORER.score(hotel.run_of("unrelated"), hotel.reference()).findings
    missing = [finding for finding in found if finding.kind == "missing"]
    invented = [finding for finding in found if finding.kind == "invented"]
    assert len(found) == len(missing) + len(invented)
    assert {step for finding in missing for step in finding.reference} == set(GOLD_STEPS)
    without = [finding.sentence.endswith("leads through it") for finding in missing]
    assert sum(without) == 2
    assert {one.severity for one, vital in zip(missing, without, strict=True) if vital} == {
        "critical"
    }
    assert len(invented) == 6


def test_a_finding_of_the_booking_says_what_it_costs() -> None:
    """The missing critical step is named, with the share that it explains."""
    (finding,) = SCORER.score(hotel.run_of("missing_book"), hotel.reference()).findings
    assert finding.severity == "critical"
    assert finding.share is not None
    assert 0.99 < finding.share <= 1
    assert finding.sentence == ("step book (book_room) of the reference is missing from the run")


A, B, X = ({"tool": name, "arguments": {"of": name}} for name in "abx")


def test_missing_and_invented() -> None:
    """A pair too unlike to stand for each other is one missing and one invented step."""
    made = comparison(steps(A, X), steps(A, B), np.eye(2) / 2, [[0, 1], [1, 0.9]])
    assert brief(find(made)) == [("missing", (), ("2",)), ("invented", ("2",), ())]


def test_critical_steps_lead_all_others() -> None:
    """A missing critical step comes before everything, whatever its share."""
    made = comparison(
        steps(A), steps(A, B, X), [[0.9, 0.05, 0.01]], [[0, 0.9, 1.0]],
        critical=(1,), roles=(["reads"], ["reads"] * 3),
    )  # fmt: skip
    first, second = find(made)
    assert (first.reference, first.severity) == (("2",), "critical")
    assert (second.reference, second.severity) == (("3",), "major")
    assert first.share is not None
    assert second.share is not None
    assert second.share > first.share


@pytest.mark.parametrize(("cost", "kinds"), [(0.0, ["arguments"]), (1e-6, ["missing", "invented"])])
def test_enough_in_common_makes_a_counterpart(cost: float, kinds: list[str]) -> None:
    """Steps stand for each other up to a node cost of MATCHED."""
    other = {"tool": "a", "arguments": {"of": "z"}}
    made = comparison(steps(other), steps(A), [[1.0]], [[MATCHED + cost]])
    assert [finding.kind for finding in find(made)] == kinds


@pytest.mark.parametrize(("share", "matched"), [(1.0, True), (0.99, False)])
def test_too_little_mass_makes_no_counterpart(share: float, matched: bool) -> None:
    """At least FLOW of the lighter step's mass must move between counterparts that differ."""
    made = comparison(steps(A), steps(A), [[FLOW * share]], [[2 * SAME]])
    assert (find(made) == ()) is matched


def test_equal_steps_are_counterparts_without_any_mass() -> None:
    """One of them stands in the wrong place: it is neither missing nor invented."""
    assert find(comparison(steps(A), steps(A), [[0.0]], [[SAME]])) == ()


def test_each_step_has_one_counterpart() -> None:
    """The nearest takes it; what else resembles it repeats it."""
    run = steps({**A, "arguments": {"of": "a", "page": 2}}, A)
    made = comparison(run, steps(A), [[0.5], [0.5]], [[REPEATED], [0.0]])
    assert brief(find(made)) == [("repeated", ("2", "1"), ("1",))]
    assert find(made)[0].sentence == "step 1 (a) ran before step 2 (a), which repeats it"


@pytest.mark.parametrize("status", ["ok", "error"])
def test_among_equal_calls_the_one_that_did_not_fail_counts(status: str) -> None:
    """A failed first attempt repeats the second, and not the other way round."""
    run = steps({**A, "status": status}, {**A, "status": "ok"})
    made = comparison(run, steps(A), [[0.5], [0.5]], [[0.0], [0.0]])
    wanted = ("2", "1") if status == "error" else ("1", "2")
    assert brief(find(made)) == [("repeated", wanted, ("1",))]


def test_a_second_step_must_be_near_to_repeat() -> None:
    """Above REPEATED the same tool with other arguments is a step of its own."""
    run = steps(A, {"tool": "a", "arguments": {"of": "z"}})
    made = comparison(run, steps(A), [[0.5], [0.5]], [[0.0], [REPEATED + 1e-6]])
    assert brief(find(made)) == [("invented", ("2",), ())]


def test_an_invented_call_made_twice_is_repeated_once() -> None:
    """The second is a repetition of the first, without a counterpart."""
    made = comparison(steps(A, X, X), steps(A), [[0.4], [0.1], [0.1]], [[0], [1], [1]])
    assert brief(find(made)) == [("invented", ("2",), ()), ("repeated", ("2", "3"), ())]


def edge_run(first: list[str], second: list[str]) -> otap.Trajectory:
    """Two steps with explicit dependencies."""
    return steps({**A, "depends_on": first}, {**B, "depends_on": second})


EQUAL = np.eye(2) / 2, 1 - np.eye(2)


def test_an_edge_that_is_not_there_is_broken() -> None:
    """Both steps ran, and neither needed the other."""
    made = comparison(edge_run([], []), edge_run([], ["1"]), *EQUAL)
    (found,) = find(made)
    assert brief((found,)) == [("broken", ("1", "2"), ("1", "2"))]
    assert found.share == pytest.approx(1.0)
    assert found.sentence == (
        "step 2 (b) does not use the result of step 1 (a), which the reference needs there"
    )


def test_an_edge_the_other_way_is_reversed() -> None:
    """With explicit dependencies, listing order says nothing: the edge does."""
    made = comparison(edge_run(["2"], []), edge_run([], ["1"]), *EQUAL)
    assert brief(find(made)) == [("reversed", ("1", "2"), ("1", "2"))]


def test_a_longer_way_keeps_an_edge() -> None:
    """A path in the run is as good as an edge."""
    run = steps({**A, "depends_on": []}, {**X, "depends_on": ["1"]}, {**B, "depends_on": ["2"]})
    T, C = np.array([[0.4, 0], [0.01, 0.01], [0, 0.4]]), [[0, 1], [1, 1], [1, 0]]
    found = find(comparison(run, edge_run([], ["1"]), T, C))
    assert brief(found) == [("invented", ("2",), ())]


def test_edges_are_not_judged_where_order_is_not_scored() -> None:
    """What is not known is not found to be wrong."""
    made = comparison(edge_run([], []), edge_run([], ["1"]), *EQUAL, order_scored=False)
    assert find(made) == ()


def test_another_tool() -> None:
    """The sentence names both; a step without a tool has none."""
    made = comparison(steps({"tool": "b", "arguments": A["arguments"]}), steps(A), [[1]], [[0.2]])
    (found,) = find(made)
    assert found.kind == "tool"
    assert found.sentence == "step 1 (b): the reference calls a instead"
    thought = steps({"action": "Think.", "kind": "reasoning"})
    (found,) = find(comparison(steps(A), thought, [[1]], [[0.2]]))
    assert found.sentence == "step 1 (a): the reference calls no tool instead"


def test_a_declared_substitute_at_no_cost_is_no_finding() -> None:
    """What the user calls the same is the same."""
    config = otap.Config(substitutes=[{"tools": ["a", "b"], "distance": 0.0}])
    run, gold = steps(B | {"arguments": None}), steps(A | {"arguments": None})
    assert otap.Scorer(config).score(run, gold).findings == ()
    assert [finding.kind for finding in otap.score(run, gold).findings] != []


def test_each_of_many_changed_arguments_is_named() -> None:
    """NAMED_CHANGES are spelled out, the rest is named."""
    values = dict.fromkeys("pqrst", 1)
    run = steps({"tool": "a", "arguments": values})
    gold = steps({"tool": "a", "arguments": dict.fromkeys(values, 2)})
    (found,) = find(comparison(run, gold, [[1]], [[0.3]]))
    assert found.sentence == (
        "step 1 (a): p is 1 instead of 2; q is 1 instead of 2; "
        "r is 1 instead of 2; and other values in s, t"
    )
    assert len(values) > NAMED_CHANGES


def booking(flight: str, effect: object = "HAT001 is free", **step: object) -> otap.Trajectory:
    """A search, and a call that uses a flight."""
    search = {"tool": "search", "arguments": {"to": "Porto"}, "effect": effect}
    book = {"tool": "book", "arguments": {"flights": [{"id": flight}]}, "effect": "done", **step}
    return steps(search, book).model_copy(update={"request": ("To Porto, please.",)})


def ungrounded(run: otap.Trajectory, reference: otap.Trajectory) -> list[str]:
    """What the findings of that kind say, where the steps are each other's counterparts."""
    size = len(run.steps)
    found = find(comparison(run, reference, np.eye(size) / size, 1 - np.eye(size)))
    return [finding.sentence for finding in found if finding.kind == "ungrounded"]


def test_an_invented_identifier() -> None:
    """By step, path and value, escaped and cut."""
    assert ungrounded(booking("HAT999"), booking("HAT001")) == [
        "step 2 (book) uses flights[0].id 'HAT999', which nothing before it showed"
    ]
    assert ungrounded(booking("HAT001"), booking("HAT001")) == []
    (sentence,) = ungrounded(booking("A1\u202e" + "9" * 99), booking("HAT001"))
    assert "\u202e" not in sentence
    assert "…'" in sentence


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        (booking("HAT001", effect=None), 1),
        (booking("HAT999", effect=None), 0),
        (booking("HAT999"), 0),
        (booking("HAT555"), 0),
        (booking("HAT999", effect="HAT999 is free"), 1),
    ],
)
def test_what_the_reference_makes_up_too_is_no_departure(
    reference: otap.Trajectory, found: int
) -> None:
    """The value is used there without a ground, or something else in its place is."""
    assert len(ungrounded(booking("HAT999"), reference)) == found


def test_each_value_without_a_ground_is_told_once() -> None:
    """At its first use, wherever it is used again."""
    again = booking("HAT999").steps[1]
    run = booking("HAT999", effect="nothing")
    run = run.model_copy(update={"steps": (*run.steps, again.model_copy(update={"id": "3"}))})
    made = comparison(
        run, booking("HAT001"), [[0.3, 0], [0, 0.3], [0, 0.01]], [[0, 1], [1, 0], [1, 1]]
    )
    found = [one for one in find(made) if one.kind == "ungrounded"]
    assert brief(tuple(found)) == [("ungrounded", ("2",), ("2",))]


def test_what_a_leftover_step_makes_up_is_found() -> None:
    """It has no counterpart that could do the same."""
    made = comparison(booking("HAT999"), steps(A), [[0.5], [0.0]], [[0], [1]])
    assert ("ungrounded", ("2",), ()) in brief(find(made))


def test_where_effects_are_not_recorded_nothing_is_without_a_ground() -> None:
    """What is not known is not found to be wrong."""
    assert ungrounded(booking("HAT999", effect=None), booking("HAT001")) == []


def test_a_run_against_itself_departs_in_nothing(real_data: Path) -> None:
    """Nor does it where it made something up, as two of these runs did."""
    runs = [run for run in otap.read_all(real_data / "tau-bench") if run.task == "20"]
    made_up = {one.value for run in runs for one in find_ungrounded(run, ValueIndex(run))}
    assert made_up == {"credit_card_5634230"}
    assert all(score.findings == () for score in SCORER.score_many([(run, run) for run in runs]))


PARTS = ({"tool": "w", "arguments": {"x": 1}}, {"tool": "w", "arguments": {"y": 2}})
WHOLE = {"tool": "w", "arguments": {"x": 1, "y": 2}}


def test_split() -> None:
    """Two steps do in parts what the reference does in one; what a part lacks is no finding."""
    made = comparison(steps(*PARTS), steps(WHOLE), [[0.5], [0.4]], [[0.3], [0.4]])
    (found,) = find(made)
    assert brief((found,)) == [("split", ("1", "2"), ("1",))]
    assert found.sentence == (
        "step 1 (w) and step 2 (w) together do the job of step 1 (w) of the reference"
    )


def test_merged() -> None:
    """The same with the sides exchanged; the leftover step is not missing."""
    made = comparison(steps(WHOLE), steps(*PARTS), [[0.5, 0.4]], [[0.3, 0.4]])
    assert brief(find(made)) == [("merged", ("1",), ("1", "2"))]


@pytest.mark.parametrize("second", [{"z": 9}, {"x": 1}])
def test_a_part_that_adds_nothing_is_no_part(second: dict[str, int]) -> None:
    """A step whose arguments the whole lacks, or has from the other part, is a step too many."""
    parts = (PARTS[0], {"tool": "v", "arguments": second})
    made = comparison(steps(*parts), steps(WHOLE), [[0.5], [0.4]], [[0.3], [0.4]])
    assert ("invented", ("2",), ()) in brief(find(made))
    made = comparison(steps(WHOLE), steps(*parts), [[0.5, 0.4]], [[0.3, 0.4]])
    assert ("missing", (), ("2",)) in brief(find(made))


def test_parts_without_arguments_are_told_by_mass() -> None:
    """Where nothing is recorded, the flow of mass has to do."""
    run = steps({"tool": "a", "action": "x"}, {"tool": "b", "action": "y"})
    made = comparison(run, steps({"tool": "a", "action": "x"}), [[0.5], [0.4]], [[0], [0.4]])
    assert brief(find(made)) == [("split", ("1", "2"), ("1",))]


def test_a_part_must_lean_on_its_whole() -> None:
    """Less than half of its mass, or too little in common, makes no part."""
    gold = steps(WHOLE, X)
    T = [[0.5, 0.0], [0.1, 0.2]]
    made = comparison(steps(*PARTS), gold, T, [[0.3, 1], [0.4, 1]])
    assert ("invented", ("2",), ()) in brief(find(made))
    made = comparison(steps(*PARTS), steps(WHOLE), [[0.5], [0.4]], [[0.3], [MATCHED + 1e-6]])
    assert ("invented", ("2",), ()) in brief(find(made))


def test_findings_are_ordered_by_severity_then_kind_then_share() -> None:
    """The worst comes first, not the dearest; as SEVERITIES and KINDS list them."""
    run = SCORER.score(hotel.run_of("merged_filters"), hotel.run_of("invented_steps"))
    ranks = [
        (SEVERITIES.index(one.severity), KINDS.index(one.kind), -(one.share or 0))
        for one in run.findings
    ]
    assert len({rank[0] for rank in ranks}) > 1
    assert ranks == sorted(ranks)


def test_shares_are_shares_even_of_next_to_nothing() -> None:
    """Without loss nothing explains any of it."""
    assert find(comparison(steps(A), steps(A), [[1.0]], [[0.0]])) == ()
    made = comparison(steps(A, X), steps(A), [[1e-9], [1e-12]], [[0], [1]])
    assert all(finding.share is not None and 0 <= finding.share <= 1 for finding in find(made))


def test_a_side_without_steps() -> None:
    """All steps of the other side are left over, each with an equal share."""
    empty = otap.Trajectory(steps=())
    found = find(without_steps(empty, steps(A, B)))
    assert brief(found) == [("missing", (), ("1",)), ("missing", (), ("2",))]
    assert [finding.share for finding in found] == [0.5, 0.5]
    assert brief(find(without_steps(steps(A), empty))) == [("invented", ("1",), ())]
    assert find(without_steps(empty, empty)) == ()


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": "1"}),
        ({"a": True}, {"a": "true"}),
        ({"tags": ["x", "y"]}, {"tags": ["y", "x"]}),
        ({"items": [{"b": 1}, {"b": 2}]}, {"items": [{"b": 2}, {"b": 1}]}),
        ({"a": '[{"b": 1}]'}, {"a": [{"b": 1.0}]}),
        ({"orderId": 1}, {"order_id": 1}),
        ({"input": {"a": 1}}, {"a": 1}),
        ({"a": None}, {}),
        (None, None),
    ],
)
def test_what_is_no_change(run: object, reference: object) -> None:
    """Notation, the order of a set, and what is empty on both sides change no argument."""
    assert find_changes(read_arguments(run), read_arguments(reference)) == []


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ({"a": "a big room"}, {"a": "the large room"}),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 2}, {"b": 1}]}),
        ({"a": False}, {}),
        ({}, {"a": 0}),
    ],
)
def test_what_is_a_minor_change(run: object, reference: object) -> None:
    """Other words, the order of a list that may be a set, and the default of most options."""
    changes = find_changes(read_arguments(run), read_arguments(reference))
    assert [(change.path, change.severity) for change in changes] == [("a", "minor")]
    assert all(change.is_disclosed for change in changes)


@pytest.mark.parametrize(
    ("run", "reference", "sentence"),
    [
        ({"a": 1}, {"a": 2}, "a is 1 instead of 2"),
        ({"a": True}, {"a": 1}, "a is true instead of 1"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b is 1 instead of 2"),
        ({}, {"a": "x"}, "a is left out, in the reference x"),
        ({"a": [1]}, {"a": [1, 2]}, "a[] lacks 2"),
        (
            {"a": "", "b": 1},
            {"a": "Suite 258", "b": 1},
            "a is left out, in the reference Suite 258",
        ),
        (
            {"a": "Suite 258", "b": 1},
            {"a": "", "b": 1},
            "a is Suite 258, which the reference lacks",
        ),
        ({"a": None, "b": 1}, {"a": 1, "b": 1}, "a is left out, in the reference 1"),
        ({"input": {"aB": 1}}, {"a_b": 2}, "aB is 1 instead of 2"),
        ({"a": [2, 1]}, {"a": [1, 2]}, "a is in another order: [2, 1] instead of [1, 2]"),
        ({"a": '{"b": 1}'}, {"a": {"b": 2}}, "a.b is 1 instead of 2"),
        (
            {"a": [{"id": 1, "b": 1}, {"id": 2, "b": 2}]},
            {"a": [{"id": 2, "b": 2}, {"id": 1, "b": 3}]},
            "a[].b is 1 instead of 3",
        ),
        ({"a": [1, 3]}, {"a": [1, 2]}, "a[] is 3 instead of 2"),
        ({"a": [1, 1]}, {"a": [1]}, "a[] is 1, which the reference lacks"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "a[].b is 1 instead of 2"),
        ({"a": [1]}, {"a": {"b": 1}}, 'a is [1] instead of {"b": 1}'),
        ({"a": [[1]]}, {"a": [{"b": 1}]}, 'a[] is [1] instead of {"b": 1}'),
        ({"a": "room 12"}, {"a": "room 13"}, "a is room 12 instead of room 13"),
        ("raw", None, "arguments is raw instead of null"),
        ({"a": "x" * 40}, {"a": 1}, f"a is {'x' * 29}… instead of 1"),
        ({"\x1b[31m": "\x1b["}, {}, "\\x1b[31m is \\x1b[, which the reference lacks"),
    ],
)
def test_what_a_change_says(run: object, reference: object, sentence: str) -> None:
    """The path of keys, what the run has, what the reference has; cut and escaped."""
    assert [
        str(change) for change in find_changes(read_arguments(run), read_arguments(reference))
    ] == [sentence]


def test_shares_of_a_run_that_did_nothing_sum_to_the_loss() -> None:
    """What is missing and what was never told account for all of it together."""
    gold = parse_trajectory(
        {
            "steps": [{"id": "a", "tool": "pay"}, {"id": "b", "tool": "book"}],
            "required_answers": ["42"],
        }
    )
    found = otap.score(parse_trajectory({"steps": [], "messages_to_user": ["No."]}), gold).findings
    assert [one.kind for one in found] == ["missing", "missing", "missing_answer"]
    assert sum(one.share or 0 for one in found) == pytest.approx(1, abs=1e-12)


def test_another_value_in_a_union_is_no_union() -> None:
    """One call does not do what two do with a value that is another."""
    halves = [
        {"id": "hold", "tool": "hold_room", "arguments": {"city": "Rome", "guests": 2, "floor": 3}},
        {"id": "pay", "tool": "pay_room", "arguments": {"nights": 3, "card": "C4", "late": "no"}},
    ]
    whole = {"city": "Rome", "guests": 2, "floor": 3, "nights": 4, "card": "C4", "late": "no"}
    one = [{"id": "reserve", "tool": "reserve", "arguments": whole}]
    for run, gold in ((one, halves), (halves, one)):
        found = otap.score(
            parse_trajectory({"steps": run}), parse_trajectory({"steps": gold})
        ).findings
        assert {(each.kind, each.severity) for each in found} == {
            ("missing", "critical"), ("invented", "critical"),
        }  # fmt: skip


def test_only_a_declared_goal_is_called_the_goal() -> None:
    """Goals that are guessed are not; a missing write needs no goal to be critical."""
    gold = hotel.reference()
    declared = gold.model_copy(update={"metadata": {**gold.metadata, "goals": ["book"]}})
    (finding,) = SCORER.score(hotel.run_of("missing_book"), declared).findings
    assert finding.sentence.endswith(", and without it the goal cannot be reached")
