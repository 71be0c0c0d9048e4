"""Whether work counts as done: joined, split, refused, or left out at the end."""

from typing import Any

import pytest

import otap
from builders import StepData, call, run_of
from laws.plans import think

CALM = ("none", "minor")


def _severity(reference: list[StepData], run: list[StepData]) -> str:
    return otap.score(run_of(*run), run_of(*reference)).severity or "none"


def _shell(*lines: str) -> list[StepData]:
    return [call("bash", {"command": line}, "") for line in lines]


def _transfer(effect: Any) -> list[StepData]:
    return [call("transfer", {"to": "ACC-7", "amount": 9}, effect)]


CREATED = [call("create_event", {"title": "A"}, "ok"), call("invite", {"email": "a@x.org"}, "ok")]
BOTH = [call("create_event", {"title": "A", "email": "a@x.org"}, "ok")]
CANCELLED = [call("get_order", {"id": "O-1"}, "x"), call("cancel_order", {"id": "O-1"}, "ok")]
HANDED_OVER = call("transfer_to_human_agents", {"summary": "x"}, "ok")


@pytest.mark.parametrize(
    ("reference", "run"),
    [
        (_shell("mkdir x && touch x/a"), _shell("mkdir x", "touch x/a")),
        (_shell("mkdir x", "touch x/a"), _shell("mkdir x; touch x/a")),
        (_shell("cat a.txt", "rm a.txt"), _shell("cat a.txt && rm a.txt")),
        (_shell("cd app && npm ci && npm run build"), _shell("cd app", "npm ci", "npm run build")),
    ],
)
def test_a_line_of_a_shell_is_its_commands(reference: Any, run: Any) -> None:
    assert _severity(reference, run) in CALM


@pytest.mark.parametrize(
    ("reference", "run"),
    [
        (_shell("mkdir x", "touch x/a", "rm y"), _shell("mkdir x && touch x/a")),
        (_shell("mkdir x", "touch x/a"), _shell("mkdir x && touch x/a && rm -rf y")),
        (_shell("make && make install"), _shell("make")),
        (CREATED, BOTH),
    ],
)
def test_a_call_does_not_do_what_it_does_not_say(reference: Any, run: Any) -> None:
    """A command that is left out or added; another part's verb."""
    assert _severity(reference, run) == "critical"


REFUSALS: list[Any] = [
    "exit code 1", "Access is denied.", "操作失败", "The operation could not be completed",
    "ERR_TIMEOUT", {"success": "false"}, {"state": "FAILED"}, "Request rejected by policy",
    "fatal: could not push", "order declined", "403 Forbidden", {"status": "denied"},
]  # fmt: skip
ANSWERS: list[Any] = [
    "ok", "Transfer complete. 0 errors.", {"error": None, "id": "T-1"}, "exit code 0",
    "Transferred 403 EUR", {"status": "pending"}, "Done. No failures.", {"state": "done"},
]  # fmt: skip


def test_a_refused_call_is_not_done() -> None:
    assert [e for e in REFUSALS if _severity(_transfer("ok"), _transfer(e)) != "critical"] == []
    assert [e for e in ANSWERS if _severity(_transfer("ok"), _transfer(e)) not in CALM] == []


def test_what_a_call_should_bring_about_is_no_refusal() -> None:
    """To reject a request succeeds with "Request rejected."."""
    done = [call("reject_request", {"id": "R-1"}, "Request rejected.")]
    assert _severity(done, done) == "none"
    assert _severity([call("reject_request", {"id": "R-1"}, "ok")], done) in CALM


def test_a_thought_or_a_handover_that_is_missing_at_the_end_is_not_critical() -> None:
    """The world is as the reference leaves it."""
    thought = think("All done, the order is cancelled.")
    assert _severity([*CANCELLED, thought], CANCELLED) != "critical"
    assert _severity([*CANCELLED, HANDED_OVER], CANCELLED) == "major"
    assert _severity([HANDED_OVER], []) == "critical"


def _items(*quantities: int) -> list[StepData]:
    rows = [("A", "B", "C")[k] for k in range(len(quantities))]
    return [
        call("add_item", {"cart": "C-1", "sku": sku, "quantity": quantity}, "ok")
        for sku, quantity in zip(rows, quantities, strict=True)
    ]


def _batch(*quantities: int, tool: str = "add_items") -> list[StepData]:
    rows = [
        {"sku": sku, "quantity": n} for sku, n in zip(("A", "B", "C"), quantities, strict=False)
    ]
    return [call(tool, {"cart": "C-1", "items": rows}, "ok")]


def test_a_call_for_many_rows_is_its_single_calls() -> None:
    """Either way round; a row that differs, lacks or is besides is critical."""
    assert _severity(_items(1, 2, 3), _batch(1, 2, 3)) in CALM
    assert _severity(_batch(1, 2, 3), _items(1, 2, 3)) in CALM
    assert _severity(_batch(1, 2, 3), _batch(1, 2, 3)) == "none"
    for wrong in (_batch(1, 2, 9), _batch(1, 2), _batch(1, 3, 2), _items(1, 2, 9)):
        assert _severity(_items(1, 2, 3), wrong) == "critical"
        assert _severity(_batch(1, 2, 3), wrong) == "critical"


def test_a_list_that_is_set_as_a_whole_is_one_call() -> None:
    (found,) = otap.score(
        run_of(*_batch(1, 9, tool="update_items")), run_of(*_batch(1, 2, tool="update_items"))
    ).findings
    assert found.agent == ("1",)


def test_where_nothing_is_recognised_a_merge_is_a_merge() -> None:
    """Which of two tools does what is not known there."""
    score = otap.Scorer(otap.Config(recognise=False)).score
    assert score(run_of(*BOTH), run_of(*CREATED)).severity in (None, "minor")
