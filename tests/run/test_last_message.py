"""The answer of a run stands in its last message with facts."""

import pytest

from otap.run.answers import find_contradiction

REQUEST = ["How many customers cancelled?"]
REFERENCE = ["143 customers cancelled, a loss of 8,212.50 EUR."]


@pytest.mark.parametrize(
    "run",
    [
        ["A loss of EUR 8,212.50 by 143 customers.", "The query was read only."],
        ["143 customers.", "Is there anything else?", "Goodbye."],
        ["I shall look.", "143 customers."],
    ],
)
def test_a_farewell_does_not_take_an_answer_back(run: list[str]) -> None:
    """What follows the answer has no facts of its own."""
    assert find_contradiction(run, REFERENCE, REQUEST, is_task=True) is None


@pytest.mark.parametrize(
    "run",
    [
        ["The query was read only."],
        ["143 customers.", "Sorry, 88 customers."],
        ["I shall look at 2 tables.", "Done."],
    ],
)
def test_a_run_that_answers_nothing_of_it(run: list[str]) -> None:
    """It never gave the facts, or replaced them later."""
    assert find_contradiction(run, REFERENCE, REQUEST, is_task=True)
