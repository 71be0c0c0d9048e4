"""Law: an attempt at a missing step costs little beyond it, and never less than nothing."""

from typing import Any

import numpy as np
import pytest

import otap
from otap.scoring.near_misses import compute_nearness
from otap.transport import Problem
from otap.transport.parameters import FORBIDDEN

Call = tuple[str, dict[str, Any]]
BOOK: Call = ("book_room", {"hotel": "H-17", "room": "R-204", "nights": 3, "guest": "Ada Byron"})
MAIL: Call = ("send_invoice", {"to": "ada@byron.org", "invoice": "INV-7731"})
WRONG_ROOM: Call = ("book_room", {**BOOK[1], "room": "R-205"})
WRONG_ROOM_AND_NIGHTS: Call = ("book_room", {**BOOK[1], "room": "R-205", "nights": 9})
UNRELATED: Call = ("delete_account", {"account": "ACC-9", "reason": "unused"})


def run_of(*calls: Call) -> otap.Trajectory:
    steps = [
        {"id": str(index), "kind": "tool", "tool": tool, "arguments": arguments}
        for index, (tool, arguments) in enumerate(calls, 1)
    ]
    return otap.parse({"schema_version": "otap.trajectory/1", "steps": steps})


def score_of(*calls: Call) -> float:
    return otap.score(run_of(*calls), [run_of(BOOK, MAIL)]).score


def test_an_attempt_costs_less_than_unrelated_work() -> None:
    assert score_of(MAIL, UNRELATED) < score_of(MAIL, WRONG_ROOM) < score_of(MAIL)
    missing, attempt = -np.log(score_of(MAIL)), -np.log(score_of(MAIL, WRONG_ROOM))
    assert attempt < 1.15 * missing


def test_two_wrong_values_cost_more_than_one() -> None:
    assert score_of(MAIL, WRONG_ROOM_AND_NIGHTS) < score_of(MAIL, WRONG_ROOM)


def test_one_missing_step_excuses_one_attempt() -> None:
    once, twice = score_of(MAIL, WRONG_ROOM), score_of(MAIL, WRONG_ROOM, WRONG_ROOM_AND_NIGHTS)
    assert -np.log(twice / once) > 0.25


def test_the_step_after_a_wrong_attempt_still_counts() -> None:
    assert score_of(MAIL, WRONG_ROOM, BOOK) > score_of(MAIL, WRONG_ROOM)


def test_an_attempt_beside_the_step_itself_is_harm() -> None:
    assert score_of(MAIL, BOOK, WRONG_ROOM) < score_of(MAIL, BOOK) == 1


@pytest.mark.parametrize("seed", range(200))
def test_a_further_step_makes_no_run_cheaper(seed: int) -> None:
    """Without allowed pairs: the prices of any rows are at most those of more rows."""
    random = np.random.default_rng(seed)
    n, m = random.integers(1, 6, 2)
    C, weights = random.uniform(0, 1, (n + 1, m)), random.uniform(0.1, 1, n + 1)
    emphasis = random.uniform(0.5, 2, m)
    totals = []
    for rows in (n, n + 1):
        nowhere = np.full((rows, m), FORBIDDEN)
        flat = np.zeros((rows, rows)), np.zeros((m, m))
        problem = Problem(nowhere, *flat, weights[:rows], np.ones(m), 0.5, 1.0, emphasis)
        nearness = compute_nearness(problem, C[:rows])
        assert ((nearness > 0) & (nearness <= 1)).all()
        totals.append(nearness @ weights[:rows])
    assert totals[0] < totals[1]
