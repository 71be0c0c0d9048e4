"""Value flow: every rule of the tracer, one small run each."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.graph import Edge, Evidence
from otap.run import dependency_graph
from otap.run.edges import CANDIDATES, EVIDENCE_LIMIT
from otap.run.index import FieldValues
from otap.run.scalars import canonical_value, is_number, specificity
from otap.trajectory import Step, Trajectory
from otap.values.value import parse_text


def edges(*steps: dict[str, Any], request: tuple[str, ...] = ()) -> dict[tuple[int, int], Edge]:
    """Returns the traced edges of a run of these steps."""
    numbered = tuple(Step(id=str(index), tool="x", **step) for index, step in enumerate(steps))
    graph = dependency_graph(Trajectory(steps=numbered, request=request), "traced")
    return {(edge.source, edge.target): edge for edge in graph.edges}


def flow(shown: Any, used: Any, request: str = "") -> bool:
    """Says whether a call depends on the one that showed what it used."""
    texts = (request,) if request else ()
    return (0, 1) in edges({"effect": shown}, {"arguments": used}, request=texts)


def test_a_value_shown_and_used() -> None:
    """A call needs the step whose effect showed a value of its arguments, or of its action."""
    assert flow({"id": "BK-118"}, {"booking": "BK-118"})
    assert flow("Your booking is BK-118.", ["BK-118"])
    assert list(edges({"effect": "BK-118"}, {"action": "Cancel BK-118 now."})) == [(0, 1)]
    assert not edges({"effect": "BK-118"}, {"arguments": "BK-119"})
    assert not edges({"arguments": "BK-118"}, {"effect": "BK-118"})


GERMAN = (
    {"effect": {"Kunde": "Jana Wei\u00df", "Ort": "Hamburg", "Auftrag": "B-77"}},
    {"effect": "Die Lampe ist im Lager. Der Kunde w\u00fcnscht eine Lieferung und die Rechnung."},
    {"arguments": {"text": "Die Lieferung und die Rechnung kommen, der Kunde hat Zeit."}},
    {"arguments": {"text": "Die Rechnung zu B-77 geht nach Hamburg."}},
    {"arguments": {"ort": "Hamburg"}},
)


def test_nouns_with_capitals_are_no_evidence() -> None:
    """A capitalised word in texts of both sides is grammar; beside a value of its own a name."""
    assert sorted(edges(*GERMAN)) == [(0, 3), (0, 4)]
    found = [item.value for item in edges(*GERMAN)[0, 3].evidence]
    assert found == ["B-77", "Hamburg"]
    assert not flow("The order is ready.", "The customer was told.")
    assert flow("It is for Hamburg.", {"city": "Hamburg"})
    assert flow({"city": "Hamburg"}, "Send it to Hamburg.")


def test_capitals_are_evidence_where_that_is_asked_for() -> None:
    """As the preset `paper` has it, whose numbers stay."""
    shows = Step(id="1", kind="tool", effect="The order is ready.")
    uses = Step(id="2", kind="tool", arguments="The customer was told.")
    trajectory = Trajectory(steps=(shows, uses))
    assert not dependency_graph(trajectory, "traced").edges
    assert dependency_graph(trajectory, "traced", capitals=True).edges


def test_evidence() -> None:
    """An edge keeps the value and where it stood on both sides."""
    flights = {"flights": [{"id": "HAT-1", "price": 95}, {"id": "HAT-2", "price": 150}]}
    found = edges({"effect": flights}, {"arguments": {"legs": [{"flight": "HAT-2"}]}})
    where = Evidence("HAT-2", "effect.flights[1].id", "arguments.legs[0].flight")
    assert found[0, 1].evidence == (where,)


def test_an_edge_is_as_sure_as_its_most_telling_value() -> None:
    """The confidence is that of the best value; values are ranked by it."""
    shown = {"nights": 12, "price": 414, "offer": "of-9034", "guest": "Maria Duarte"}
    edge = edges({"effect": shown}, {"arguments": shown})[0, 1]
    assert edge.confidence == specificity("of-9034")
    kept = [item.value for item in edge.evidence]
    assert kept[0] == "of-9034"
    assert kept[-1] == "12"
    assert edges({"effect": shown}, {"arguments": {"n": 12}})[0, 1].confidence == specificity("12")


def test_evidence_is_bounded() -> None:
    """Of many values an edge keeps a few, each once."""
    ids = [f"id-{number}" for number in range(50)]
    evidence = edges({"effect": ids}, {"arguments": ids + ids})[0, 1].evidence
    assert len(evidence) == len({item.value for item in evidence}) == EVIDENCE_LIMIT


# Rule 1: a value too common to mean anything.


@pytest.mark.parametrize(
    "value", ["economy", "one_way", "two words", "ok", "x", 1, 9, -9, 0, 5.0, True, None, ""]
)
def test_common_values_are_no_evidence(value: Any) -> None:
    """Plain lower-case words, small numbers, truth values and nothing say nothing."""
    assert not flow({"a": value}, {"b": value})


@pytest.mark.parametrize("value", ["BK-118", "a1b", "JFK", "Maria Duarte", "2026-06-12", 10, 2.5])
def test_telling_values(value: Any) -> None:
    """Identifiers, codes, names, dates and larger numbers are evidence."""
    assert flow({"a": value}, {"b": value})


def test_specificity() -> None:
    """Identifiers say more than codes, names and large numbers, those more than small numbers."""
    assert (
        specificity("BK-118")
        > specificity("JFK")
        == specificity("Maria Duarte")
        == specificity("2026-06-12")
    )
    assert (
        specificity("JFK")
        >= specificity("414")
        == specificity("2.5")
        > specificity("12")
        > specificity("9")
        == 0
    )
    assert specificity("-414") == specificity("414")
    assert specificity("9" * 400) == specificity("414")


# Rule 2: where the value entered the run.


def test_said_by_the_user_before() -> None:
    """Who was told a value by the user needed no effect to know it."""
    assert not flow({"id": "BK-118"}, {"id": "BK-118"}, "Please cancel bk-118.")
    assert not flow({"name": "Maria Duarte"}, {"name": "Maria Duarte"}, "For maria duarte!")
    assert not flow({"price": 150}, {"price": "150.0"}, "At most 150 euros.")


def test_said_means_whole_words() -> None:
    """A value inside a longer word was not said."""
    assert flow("rs-44", "rs-44", "I mean rs-440 or hrs-44.")
    assert flow({"n": 50}, {"n": 50}, "At most 150 euros.")


def test_said_by_the_user_after() -> None:
    """What the user says after the call does not count; an unsaid count means all of it."""
    requests = ("Cancel my trip.", "It is BK-118.")
    steps = [{"effect": "BK-118"}, {"arguments": "BK-118", "metadata": {"said": 1}}]
    assert (0, 1) in edges(*steps, request=requests)
    for said in (2, 9, -1, None, "1"):
        steps[1]["metadata"] = {"said": said}
        assert not edges(*steps, request=requests)


@pytest.mark.parametrize(
    "words",
    ["on May 5", "May 5th", "the 5th of May", "5 may", "Sept 1, then may the 5th", "5/5", "05/05",
     "2026-05-05", "MAY 05"],
)  # fmt: skip
def test_a_date_said_in_words(words: str) -> None:
    """A date counts as said in the ways in which people say it."""
    assert not flow({"day": "2026-05-05"}, {"day": "2026-05-05"}, f"Fly {words}, please.")


@pytest.mark.parametrize("words", ["May 15", "June 5", "15/5", "5 days", "May 2026-05-06", ""])
def test_another_date_said(words: str) -> None:
    """A date is not said by another one."""
    assert flow({"day": "2026-05-05"}, {"day": "2026-05-05"}, f"Fly {words}, please.")


def test_a_date_that_is_none() -> None:
    """Digits in the shape of a date need not be one."""
    assert flow("2026-13-05", "2026-13-05", "Fly on May 5.")


def test_a_name_said_says_its_abbreviation() -> None:
    """Who says Denver has said DEN; a code inside a word is not said."""
    assert not flow({"to": "DEN"}, {"to": "DEN"}, "To Denver, please.")
    assert flow({"to": "DEN"}, {"to": "DEN"}, "I am a resident of Ogden.")


def test_used_before_any_effect_showed_it() -> None:
    """A value that a call used first came from elsewhere, so nobody needed the effect."""
    calls = [{"arguments": {"to": "JFK"}}, {"effect": {"to": "JFK"}}, {"arguments": {"to": "JFK"}}]
    assert not edges(*calls)


def test_an_identifier_used_before_it_was_shown() -> None:
    """Who uses an identifier early made it up, and a later call can still have read it."""
    calls = [{"arguments": "BK-118"}, {"effect": "BK-118"}, {"arguments": "BK-118"}]
    assert list(edges(*calls)) == [(1, 2)]


# Rule 3: the step that showed it.


def test_an_echo_of_its_own_arguments_shows_nothing() -> None:
    """A step that repeats what it was given is not where it came from."""
    echo = {"arguments": {"id": "BK-118"}, "effect": {"id": "BK-118", "seat": "14C"}}
    assert list(edges({"effect": "BK-118"}, echo, {"arguments": "BK-118"})) == [(0, 1), (0, 2)]
    assert list(edges(echo, {"arguments": ["BK-118", "14C"]})) == [(0, 1)]
    assert not edges(echo, {"arguments": "BK-118"})


def test_the_first_of_several_that_showed_it() -> None:
    """Where nothing else tells, the first step that showed a value is its source."""
    seen = {"effect": {"id": "BK-118"}}
    assert list(edges(seen, seen, {"arguments": {"id": "BK-118"}})) == [(0, 2)]


def test_the_step_that_showed_most_of_the_record() -> None:
    """A flight number and its date belong together: the search for that date is the source."""
    searches = [
        {"arguments": {"date": f"2026-06-{day}"}, "effect": [{"flight": "HAT-1"}]}
        for day in (12, 13, 14)
    ]
    book = {"arguments": {"flights": [{"flight": "HAT-1", "date": "2026-06-13"}]}}
    assert list(edges(*searches, book)) == [(1, 3)]
    loose = {"arguments": {"flight": "HAT-1", "date": "2026-06-13"}}  # no record of its own
    assert list(edges(*searches, loose)) == [(0, 3)]


def test_only_the_first_candidates_are_asked_for_the_record() -> None:
    """A value that very many steps showed costs no more than a bounded search."""
    searches = [{"arguments": f"d-{n}", "effect": "HAT-1"} for n in range(CANDIDATES + 2)]
    last = CANDIDATES - 1
    inside = {"arguments": [{"flight": "HAT-1", "day": f"d-{last}"}]}
    beyond = {"arguments": [{"flight": "HAT-1", "day": f"d-{last + 1}"}]}
    assert list(edges(*searches, inside)) == [(last, CANDIDATES + 2)]
    assert list(edges(*searches, beyond)) == [(0, CANDIDATES + 2)]


# Rule 4: turns.


def test_steps_of_one_turn_never_depend_on_each_other() -> None:
    """Parallel calls cannot have read each other's effects; earlier turns still count."""
    shown = {"effect": "BK-118", "turn": 2}
    assert not edges(shown, {"arguments": "BK-118", "turn": 2})
    assert list(edges(shown, {"arguments": "BK-118", "turn": 3})) == [(0, 1)]
    assert list(edges(shown, {"arguments": "BK-118"})) == [(0, 1)]
    earlier = {"effect": "BK-118", "turn": 1}
    assert list(edges(earlier, shown, {"arguments": "BK-118", "turn": 2})) == [(0, 2)]


# What a value is.


def test_keys_that_are_identifiers() -> None:
    """A key that holds a digit is a value; other keys are the vocabulary of a tool."""
    found = edges({"effect": {"card_77": {"kind": "visa"}}}, {"arguments": {"pay": "card_77"}})
    assert found[0, 1].evidence == (Evidence("card_77", "effect.card_77", "arguments.pay"),)
    assert not flow({"Payment": 1}, "Payment")


def test_json_text_as_effect() -> None:
    """Text that is JSON is read as JSON, on both sides; what only looks like it is text."""
    shown, used = {"rooms": [{"id": "H-22"}]}, {"room": "H-22"}
    found = edges({"effect": json.dumps(shown)}, {"arguments": json.dumps(used)})
    assert found == edges({"effect": shown}, {"arguments": used})
    assert found[0, 1].evidence[0].source_path == "effect.rooms[0].id"
    assert flow("{rooms: H-22}", "H-22")
    assert parse_text('{"a": NaN}') == '{"a": NaN}'


def test_numbers_in_arithmetic() -> None:
    """The numbers of a calculation are values of their own, however close they stand."""
    prices = [{"price": 136}, {"price": 94.5}]
    found = edges({"effect": prices}, {"arguments": {"expression": "3*(136-94.5)+2"}})
    assert {item.value for item in found[0, 1].evidence} == {"136", "94.5"}
    assert flow({"price": 136}, "12+136")


def test_equal_numbers_in_other_spellings() -> None:
    """150, 150.0 and "150" are the same value; large numbers keep all their digits."""
    for spelling in (150, 150.0, "150", "150.00", " 150 "):
        assert flow({"price": spelling}, {"price": 150})
    assert not flow({"time": 1718000000001}, {"time": 1718000000002})
    assert canonical_value("1234567890123.5") == "1234567890123.5"


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20))
def test_canonical_values(number: float, text: str) -> None:
    """The canonical spelling is a fixed point and keeps what a number is."""
    assert canonical_value(canonical_value(number)) == canonical_value(number)
    assert canonical_value(canonical_value(text)) == canonical_value(text)
    if isinstance(number, int):
        assert is_number(canonical_value(number))
        assert int(canonical_value(number)) == number


def test_long_texts() -> None:
    """A long text gives its tokens, not itself."""
    values = [leaf.value for leaf in FieldValues("word " * 100 + "H-22").leaves]
    assert values == ["word"] * 100 + ["H-22"]


def test_edges_are_ordered() -> None:
    """Edges come by target and then by source."""
    steps = [{"effect": "A-1"}, {"effect": "B-2"}, {"arguments": ["B-2", "A-1"]}]
    assert list(edges(*steps, {"arguments": "A-1"})) == [(0, 2), (1, 2), (0, 3)]
