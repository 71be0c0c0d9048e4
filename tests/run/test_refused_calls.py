"""A write whose effect says that it was refused is none; what only reads is not asked."""

from typing import Any

import pytest

import otap
from otap.run.failures import is_refused
from otap.trajectory import Step, parse_trajectory

REFUSED: list[Any] = [
    "403 Forbidden",
    "HTTP/1.1 500",
    "Permission denied",
    "bash: /etc/hosts: Permission denied",
    "Traceback (most recent call last):\n  File x\nKeyError: 'a'" + "x" * 1_000,
    "ValueError: no such account",
    "Insufficient funds",
    "Failed to transfer: timeout",
    "error: denied",
    "Error: not authorised",
    "Account not found",
    "Unable to book",
    "Fehler: kein Zugriff",
    "Acceso denegado",
    "Accès refusé",
    {"status": "failed"},
    {"status": "Denied", "id": 7},
    {"statusCode": 500},
    {"status": 404},
    {"error": "no such account"},
    {"success": False},
    {"result": {"ok": False}},
    {"exit_code": 1, "stdout": ""},
    '{"status": "rejected"}',
]
DONE: list[Any] = [
    None,
    "ok",
    "Booked.",
    "Failed: 0",
    "0 failed, 12 passed",
    "Error: none",
    "Saved. The old file was not changed before, and its errors were gone: no error is left there",
    "All is well. " * 50 + "Permission denied was the old answer.",
    {"status": "open"},
    {"status": "rejected"},
    {"status": 201},
    {"code": 7},
    {"error": None, "errors": []},
    {"exit_code": 0},
    {"returncode": None},
    "{broken",
    5,
    ["Error: x"],
]


def call(effect: Any, tool: str = "transfer", **fields: Any) -> Step:
    """A call with that effect."""
    return Step(id="1", kind="tool", tool=tool, arguments={"to": "A-1"}, effect=effect, **fields)


def test_refusals() -> None:
    """Codes, states, errors and the beginnings of short texts."""
    assert [effect for effect in REFUSED if not is_refused(call(effect))] == []


def test_what_was_done() -> None:
    """A word elsewhere, a state that was asked for, and an empty error are no refusal."""
    assert [effect for effect in DONE if is_refused(call(effect, "reject_request"))] == []


def test_what_the_trace_says_is_not_read_out_of_words() -> None:
    """A status that was recorded is better than the words of a result; its fields are not words."""
    assert not is_refused(call("Permission denied", status="ok"))
    assert is_refused(call({"status": "denied"}, status="ok"))


@pytest.mark.parametrize("effect", ["403 Forbidden", {"status": "failed"}])
def test_a_refused_write_is_not_a_done_one(effect: Any) -> None:
    """It failed, and what it should have done is missing: critical, below doing it."""
    scorer = otap.Scorer()

    def run(effect: Any) -> otap.Trajectory:
        step = {"id": "1", "kind": "tool", "tool": "transfer", "arguments": {"to": "ACC-77"}}
        return parse_trajectory({"steps": [{**step, "effect": effect}]})

    gold = run("done")
    refused = scorer.score(run(effect), gold)
    assert scorer.score(run("sent"), gold).severity is None
    assert refused.severity == "critical"
    assert refused.score <= scorer.score(parse_trajectory({"steps": []}), gold).score + 1e-9
    assert "failed" in {finding.kind for finding in refused.findings}
