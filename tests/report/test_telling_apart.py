"""Which values tell the calls of one tool apart."""

import otap
from otap.report.model.alignment_rows import list_rows
from otap.report.model.marks import CallMarks
from otap.report.pages.run_page import run_body
from otap.scoring import Explanation
from otap.trajectory import parse_trajectory

SCORER = otap.Scorer()


def explained(run: list[dict[str, object]], gold: list[dict[str, object]]) -> Explanation:
    """A run of calls of one tool beside such a reference."""
    sides = (
        [{"id": f"{name}{k}", "tool": "pay", "arguments": one} for k, one in enumerate(calls)]
        for name, calls in (("r", run), ("g", gold))
    )
    return SCORER.explain(*(parse_trajectory({"steps": side}) for side in sides))


def test_the_value_that_differs_is_told() -> None:
    """Of values at any depth the one that tells most calls apart; what all share is not."""
    people = [{"who": [{"name": name, "sex": "f"}], "via": "card"} for name in ("Ann", "Bea")]
    best = explained([{"who": [], "via": "card"}], people).best
    telling = CallMarks(best)
    first, second = best.reference.steps
    assert (telling.mark_step(first), telling.mark_step(second, brief=True)) == ("name: Ann", "Bea")
    assert telling.order_arguments(second) == {"who": [{"name": "Bea", "sex": "f"}], "via": "card"}


def test_calls_that_are_the_same_have_nothing_to_tell() -> None:
    """Nor have those with nothing."""
    for calls in ([{"to": 1}, {"to": 1}], [{}, {}]):
        best = explained(calls, calls).best
        assert [CallMarks(best).mark_step(step) for step in best.run.steps] == ["", ""]


def test_of_counterparts_what_changed_is_told() -> None:
    """Each side with its own value."""
    best = explained([{"to": "ann", "sum": 3}], [{"to": "ann", "sum": 5}]).best
    (pair,) = list_rows(best)
    row = CallMarks(best).mark_row(pair)
    assert row == (["sum: 3"], ["sum: 5"])
    assert CallMarks(best).mark_row(pair, brief=True) == (["3"], ["5"])


def test_findings_of_a_group_cost_what_they_cost_together() -> None:
    """A run that called nothing loses all to what is missing, and the page says so."""
    found = explained([], [{"to": name} for name in ("ann", "bea", "cid")])
    page = str(run_body(found))
    assert "100 %" in page
    assert "The run called nothing.</p>" in page
