"""Names in several words: another is another value, and what only leaves something out is none."""

import pytest

import otap
from otap.findings import Finding
from otap.trajectory import Step, Trajectory

OTHERS = [
    ("name", "Anna Schmidt", "Ben Schmidt"),
    ("name", "anna schmidt", "ben schmidt"),
    ("kunde", "Anna Schmidt", "Eva Schmidt"),
    ("city", "New York", "New Orleans"),
    ("city", "Frankfurt (Oder)", "Frankfurt (Main)"),
    ("city", "S\u00e3o Paulo", "S\u00e3o Lu\u00eds"),
    ("role", "read only", "read write"),
    ("payment_method", "credit card", "gift card"),
    ("address", "5 Oak Street, Boston", "5 Elm Street, Boston"),
    ("guests", ["Anna Schmidt", "Ben Bauer"], ["Anna Schmidt", "Eva Bauer"]),
]
THE_SAME = [
    ("name", "Anna Schmidt", "Dr. Anna Schmidt"),
    ("name", "Anna Schmidt", "Schmidt, Anna"),
    ("name", "John F. Kennedy", "John Fitzgerald Kennedy"),
    ("name", "Jos\u00e9 Garc\u00eda", "Jose Garcia"),
    ("city", "New York", "New York City"),
    ("company", "Acme Corp", "Acme Corporation"),
    ("address", "12 Baker St, Boston, MA", "12 Baker Street, Boston, Massachusetts"),
    ("address", "Musterstr. 5, 10115 Berlin", "Musterstra\u00dfe 5, 10115 Berlin"),
    ("guests", ["Anna Schmidt", "Ben Bauer"], ["Ben Bauer", "Anna Schmidt"]),
    ("title", "Login Bug", "Broken Login"),
    ("reason", "No Longer Needed", "Not Required"),
]


def _findings(key: str, run: object, reference: object) -> tuple[Finding, ...]:
    made = [_call({"order_id": "W-77", "count": 2, key: value}) for value in (run, reference)]
    return tuple(otap.score(*made).findings)


def _call(arguments: dict[str, object]) -> Trajectory:
    return Trajectory(steps=(Step(id="1", tool="create_booking", arguments=arguments),))


@pytest.mark.parametrize(("key", "run", "reference"), OTHERS)
def test_another_name_is_another_call(key: str, run: object, reference: object) -> None:
    """However near a text vector takes two names to be, who is booked is told, and critical."""
    for one, two in ((run, reference), (reference, run)):
        assert [(f.kind, f.severity) for f in _findings(key, one, two)] == [
            ("arguments", "critical")
        ]


@pytest.mark.parametrize(("key", "run", "reference"), THE_SAME)
def test_the_same_name_is_at_most_minor(key: str, run: object, reference: object) -> None:
    """A title, a second name, a text in other words are shown; the order of the words is not."""
    for one, two in ((run, reference), (reference, run)):
        assert [f.severity for f in _findings(key, one, two)] in ([], ["minor"])


def test_a_sentence_quotes_both_names() -> None:
    """What is another in a name is not told apart from it."""
    (found,) = _findings("name", "Ben Schmidt", "Anna Schmidt")
    assert found.sentence.endswith("name is Ben Schmidt instead of Anna Schmidt")


def test_another_name_costs_more_than_a_contradiction() -> None:
    """Nearly the same name and quite another are both another one."""
    scores = {
        otap.score(
            _call({"name": name, "count": 2}), _call({"name": "Anna Schmidt", "count": 2})
        ).score
        for name in ("Anna Schmitz", "Wei Chen")
    }
    assert len(scores) == 1


@pytest.mark.parametrize(
    "beside", [[5, 7], ["Well done.", "Try again."], ["2024-05-20", "2024-05-21"]]
)
def test_lists_beside_each_other_keep_their_pairs(beside: list[object]) -> None:
    """Who gets what: listed in another order together it is the same, alone it is another."""
    reference = _call({"payees": ["Ann", "Bob"], "values": beside})
    together = _call({"payees": ["Bob", "Ann"], "values": beside[::-1]})
    alone = _call({"payees": ["Bob", "Ann"], "values": beside})
    assert otap.score(together, reference).score == 1
    (found,) = otap.score(alone, reference).findings
    assert found.kind == "arguments"


@pytest.mark.parametrize("key", ["queue", "stages", "rotation", "pair"])
def test_lists_whose_key_says_order(key: str) -> None:
    """Who is first in a queue matters."""
    (found,) = otap.score(_call({key: ["b", "a"]}), _call({key: ["a", "b"]})).findings
    assert "in another order" in found.sentence
