"""Null, an empty text, "null" and a missing key are one thing, whatever the other side has."""

import pytest

import otap
from battery.language import call, run

SCORER = otap.Scorer()
FORMS = ({}, {"note": None}, {"note": ""}, {"note": "null"}, {"note": []}, {"note": {}})


@pytest.mark.parametrize("value", [50, "Ring the bell twice", ["a", "b"], {"a": 1}, None, False])
@pytest.mark.parametrize("other_id", ["A77", "A78"])
def test_all_forms_of_nothing_cost_the_same(value: object, other_id: str) -> None:
    """On either side, and beside another value that differs."""
    filled = run(call("set_note", {"id": other_id, "note": value}))
    forms = [run(call("set_note", {"id": "A77", **form})) for form in FORMS]
    for pairs in (((form, filled) for form in forms), ((filled, form) for form in forms)):
        results = [SCORER.score(agent, [reference]) for agent, reference in pairs]
        assert len({(result.score, result.severity) for result in results}) == 1


def test_nothing_is_equal_to_nothing() -> None:
    """No form is a finding against another one."""
    forms = [run(call("set_note", {"id": "A77", **form})) for form in FORMS]
    for agent in forms:
        assert all(not SCORER.score(agent, [form]).findings for form in forms)
