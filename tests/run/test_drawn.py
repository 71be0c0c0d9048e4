"""Identifiers that the environment drew: what is one, what names it, and which are the same."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from otap.run.generated_ids import Drawn, Renaming, find_drawn, find_renaming
from otap.trajectory import Step, Trajectory
from work import calls

READS = ("get", "list", "search", "browser_snapshot")


def call(tool: str, arguments: Any = None, effect: Any = None, **more: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments or {}, "effect": effect, **more}


def run_of(*calls: Mapping[str, Any], said: str = "") -> Trajectory:
    steps = tuple(Step(id=str(k), **one) for k, one in enumerate(calls))
    return Trajectory(steps=steps, request=(said,) if said else ())


def drawn(run: Trajectory) -> Drawn:
    return find_drawn(run, [not (step.tool or "").startswith(READS) for step in run.steps])


def same(run: Trajectory, reference: Trajectory) -> Mapping[str, str]:
    return find_renaming(drawn(run), drawn(reference), {}).values


def order(number: str, **more: Any) -> Trajectory:
    return run_of(
        call("place_order", {"sku": "TEA-100"}, {"order_id": number}, **more),
        call("cancel_order", {"order_id": number}),
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("W-771203", "W-904418"),
        ("rep_8fk2", "rep_q07z"),
        ("3f2b8c1e-0d5a-4b7e-9a51-77c0e1d2f3a4", "a8f0c2d4-1b3e-4f5a-8c7d-0e9f8a7b6c5d"),
        ("i-0f3a77c1d2", "i-09be41aa87"),
        ("48213377", "59320011"),
        ("17", "42"),
        ("eyJwIjoxfQ==", "a9f8e7d6c5"),
        ("QWxhZGRpbg", "T3BlblNlc2"),
        ("#W123", "#W987"),
    ],
)
def test_what_is_drawn_for_the_same_call_is_the_same(ours: str, theirs: str) -> None:
    """Numbers, codes, UUIDs, tokens: the result of an equal call at the same place."""
    renamed = Renaming(same(order(ours), order(theirs))).of(order(ours))
    assert [step.arguments for step in renamed.steps] == [
        step.arguments for step in order(theirs).steps
    ]


def test_whole_numbers_stay_numbers() -> None:
    """An id that is a number in the data is one in the other names."""
    runs = [
        run_of(call("create_issue", {"repo": "x"}, {"number": n}), call("close", {"number": n}))
        for n in (17, 42)
    ]
    renamed = Renaming(same(*runs)).of(runs[0])
    assert renamed.steps[1].arguments == {"number": 42}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("150ms", "210ms"), ("2026-06-12", "2026-06-13"), ("12:30", "14:45"), ("19.5", "21.5")],
)
def test_quantities_dates_and_times_are_not_drawn(ours: str, theirs: str) -> None:
    """They are what a call tells, and not what it is called."""
    runs = [run_of(call("get_slot", {}, {"best": value})) for value in (ours, theirs)]
    assert not same(*runs)


def test_a_small_number_is_one_only_under_a_key_that_says_so() -> None:
    """A quantity is none."""
    runs = [run_of(call("add", {}, {"quantity": n})) for n in (3, 4)]
    assert not same(*runs)


def test_what_the_user_said_is_not_drawn() -> None:
    """Who names an order means this one."""
    runs = [
        run_of(*(step.model_dump(exclude={"id"}) for step in order(n).steps), said=f"cancel {n}")
        for n in ("W-771203", "W-904418")
    ]
    assert not same(*runs)


def test_what_a_call_had_among_its_arguments_is_not_drawn() -> None:
    """An effect that echoes the call shows nothing new."""
    runs = [
        run_of(call("cancel_order", {"order_id": n}, {"order_id": n, "status": "cancelled"}))
        for n in ("W-771203", "W-904418")
    ]
    assert not same(*runs)


def test_a_call_with_other_arguments_gives_another_thing() -> None:
    """The orders of another user are a stranger's."""
    runs = [
        run_of(call("get_user", {"name": name}, {"orders": [n]}))
        for name, n in (("Li", "W-771203"), ("Bo", "W-904418"))
    ]
    assert not same(*runs)


def test_a_chain_is_named_link_by_link() -> None:
    """Three identifiers, each drawn by a call that uses the one before."""

    def chain(a: str, b: str, c: str) -> Trajectory:
        return run_of(
            call("create_cart", {"user": "li"}, {"cart_id": a}),
            call("checkout", {"cart_id": a}, f"Order {b} placed."),
            call("ship", {"order": b}, {"parcel": {"tracking_id": c}}),
        )

    first, second = ("c_1a2b", "ORD-10001", "TRK77aa"), ("c_9z8y", "ORD-20002", "TRK11bb")
    assert same(chain(*first), chain(*second)) == dict(zip(first, second, strict=True))


def test_the_order_of_calls_says_nothing() -> None:
    """Arguments name, positions do not."""
    a, b = call("create", {"city": "Rom"}, {"id": "t_01a"}), call("create", {"city": "Ulm"})
    run = run_of(a, {**b, "effect": {"id": "t_02b"}})
    reference = run_of({**b, "effect": {"id": "t_88x"}}, {**a, "effect": {"id": "t_77w"}})
    assert same(run, reference) == {"t_01a": "t_77w", "t_02b": "t_88x"}


def test_numbers_that_both_runs_drew_for_different_things_change_places() -> None:
    """A counter gives the first ticket the same number, whatever it is."""
    rome, ulm = {"city": "Rom"}, {"city": "Ulm"}
    run = run_of(call("create", rome, {"id": "T-1"}), call("create", ulm, {"id": "T-2"}))
    reference = run_of(call("create", ulm, {"id": "T-1"}), call("create", rome, {"id": "T-2"}))
    assert same(run, reference) == {"T-1": "T-2", "T-2": "T-1"}


def test_how_parallel_calls_are_listed_says_nothing() -> None:
    """Two equal calls of one turn."""
    calls = [call("create", {"kind": "x"}, {"id": n}, turn=0) for n in ("t_01a", "t_02b")]
    assert drawn(run_of(*calls)).named == drawn(run_of(*reversed(calls))).named


def test_a_failed_call_counts_apart() -> None:
    """The retry is the first that worked."""
    failed = call("place_order", {"sku": "TEA-100"}, "error: trace ab12cd34", status="error")
    run = run_of(failed, *(step.model_dump(exclude={"id"}) for step in order("W-771203").steps))
    assert same(run, order("W-904418")) == {"W-771203": "W-904418"}


def test_of_equal_calls_the_first_is_the_first() -> None:
    """Who places an order twice has two."""
    twice = [
        run_of(*(call("place_order", {"sku": "x"}, {"order_id": n}) for n in pair))
        for pair in (("W-100001", "W-100002"), ("W-200001", "W-200002"))
    ]
    assert same(*twice) == {"W-100001": "W-200001", "W-100002": "W-200002"}


def test_a_call_besides_changes_no_name() -> None:
    """One more thing made, of other arguments."""
    more = call("place_order", {"sku": "MUG-7"}, {"order_id": "W-555555"})
    run = run_of(more, *(step.model_dump(exclude={"id"}) for step in order("W-771203").steps))
    assert same(run, order("W-904418")) == {"W-771203": "W-904418"}


def test_another_title_makes_the_same_thing() -> None:
    """A write is named without its prose, if one is left on either side."""
    runs = [
        run_of(call("create_issue", {"repo": "x", "title": title}, {"id": n}))
        for title, n in (("Login is broken", "i_1a2b"), ("Users cannot log in", "i_9z8y"))
    ]
    assert same(*runs) == {"i_1a2b": "i_9z8y"}


def test_a_search_in_other_words_does_not() -> None:
    """A look-up is named by all that it asks for."""
    runs = [
        run_of(call("search_items", {"query": query}, {"id": n}))
        for query, n in (("red mug with handle", "p_1a2b"), ("blue lamp for desk", "p_9z8y"))
    ]
    assert not same(*runs)


def test_a_thing_made_with_another_amount_is_the_one_that_was_made() -> None:
    """What is wrong with it is told where it was made, not again where it is used."""
    runs = [
        run_of(call("create_payment", {"amount": a}, {"id": n}), call("capture", {"payment": n}))
        for a, n in ((4990, "pi_3Nk2Lq"), (49900, "pi_9Tz8Wd"))
    ]
    assert same(*runs) == {"pi_3Nk2Lq": "pi_9Tz8Wd"}


def listing(*records: Any) -> Trajectory:
    return run_of(call("list_mails", {"box": "in"}, list(records)))


def test_a_member_of_a_list_is_named_by_what_it_says() -> None:
    """Whatever the order in which a list comes."""
    run = listing({"id": "m_01a", "title": "Rent"}, {"id": "m_02b", "title": "Tax"})
    reference = listing({"id": "m_88x", "title": "Tax"}, {"id": "m_77w", "title": "Rent"})
    assert same(run, reference) == {"m_01a": "m_77w", "m_02b": "m_88x"}


def test_a_member_that_says_something_else_is_another() -> None:
    """At the same position of the list."""
    assert not same(
        listing({"id": "m_01a", "title": "Rent"}), listing({"id": "m_88x", "title": "Tax"})
    )


def test_keys_that_are_identifiers_are_members_of_a_list() -> None:
    """Variants of a product, by their numbers."""
    runs = [
        run_of(call("get_product", {"name": "tea"}, {a: {"size": "L"}, b: {"size": "S"}}))
        for a, b in (("4821337710", "5932001122"), ("9932001122", "1821337710"))
    ]
    assert same(*runs) == {"4821337710": "9932001122", "5932001122": "1821337710"}


def test_members_that_say_the_same_are_numbered() -> None:
    """And then are the same only if neither value occurs on the other side."""
    fresh = listing("m_01a", "m_02b"), listing("m_88x", "m_77w")
    assert same(*fresh) == {"m_01a": "m_88x", "m_02b": "m_77w"}
    assert not same(listing("m_01a", "m_02b"), listing("m_02b", "m_01a"))


def test_elements_of_a_page_are_named_by_their_lines() -> None:
    """The browser numbers them anew, and may give one's number to another."""
    page = 'textbox "E-mail" [ref={}]\nbutton "Sign up" [ref={}]'
    runs = [
        run_of(call("browser_snapshot", {}, page.format(*refs)))
        for refs in (("e17", "e20"), ("e14", "e17"))
    ]
    assert same(*runs) == {"e17": "e14", "e20": "e17"}


def test_two_values_never_become_one() -> None:
    """A name that the run uses for something else is not given away."""
    run = run_of(
        call("close", {"order_id": "W-904418"}),
        *(step.model_dump(exclude={"id"}) for step in order("W-771203").steps),
    )
    assert not same(run, order("W-904418"))


def test_explicit_dependencies_say_what_came_before() -> None:
    """How the steps are listed then says nothing."""
    made = Step(id="a", tool="create", arguments={}, effect={"id": "t_01a"}, depends_on=())
    used = Step(id="b", tool="close", arguments={"id": "t_01a"}, depends_on=("a",))
    one, other = (drawn(Trajectory(steps=steps)) for steps in ((made, used), (used, made)))
    assert one.named == other.named
    assert set(one.named.values()) == {"t_01a"}


def test_names_inside_texts_addresses_and_json_in_a_string() -> None:
    """Wherever a value stands, it has the other name."""
    renaming = Renaming({"W-771203": "W-904418"})
    step = Step(
        id="1",
        action="Cancel W-771203.",
        tool="http",
        arguments={"url": "https://x.io/orders/W-771203?full=1", "body": '{"id": "W-771203"}'},
    )
    renamed = renaming.of(Trajectory(steps=(step,))).steps[0]
    assert "W-771203" not in json.dumps(renamed.model_dump(mode="json"))
    assert renamed.arguments["url"] == "https://x.io/orders/W-904418?full=1"


def test_the_work_on_hostile_effects() -> None:
    """Many identifiers, deep data, one long line: so many calls an identifier."""
    deep: Any = "x1y2"
    for _ in range(200):
        deep = [deep]
    many = [{"id": f"k{n}z"} for n in range(5_000)]
    run = run_of(call("list_a", {}, many), call("list_b", {}, deep), call("c", {}, "a1-" * 300_000))
    assert calls(lambda: drawn(run)) < 200 * len(many)
