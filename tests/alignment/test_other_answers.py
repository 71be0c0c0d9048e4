"""The finding other_answer: the last message contradicts the reference's."""

from typing import Any

import pytest

import otap

LOOK = {
    "id": "1",
    "kind": "tool",
    "tool": "get_flight",
    "arguments": {"flight": "AX-12"},
    "effect": {"free_seats": 14, "captain": "Noor Haddad", "delay_minutes": 35},
}
BOOK = {"id": "2", "kind": "tool", "tool": "book_seat", "arguments": {"flight": "AX-12"}}
EXPECTED = "There are 14 free seats on flight AX-12."


def run_of(message: str | None, *steps: dict[str, Any], **fields: Any) -> otap.Trajectory:
    return otap.parse(
        {
            "schema_version": "otap.trajectory/1",
            "request": ["How many seats are free on flight AX-12?"],
            "steps": [LOOK, *steps],
            "messages_to_user": None if message is None else [message],
            **fields,
        }
    )


def severities(
    run: otap.Trajectory, reference: otap.Trajectory, kind: str = "other_answer"
) -> list[str]:
    findings = otap.score(run, [reference]).findings
    return [finding.severity for finding in findings if finding.kind == kind]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (EXPECTED, []),
        ("14 seats are free.", []),
        ("On AX-12, fourteen seats are free.", []),
        ("You can still book: 14 seats of flight AX-12, delayed by 35 minutes.", []),
        ("There are 41 free seats on flight AX-12.", ["critical"]),
        ("The flight is delayed.", ["critical"]),
        (None, []),
    ],
)
def test_an_answer_of_a_look_up(message: str | None, expected: list[str]) -> None:
    assert severities(run_of(message), run_of(EXPECTED)) == expected


@pytest.mark.parametrize(
    ("message", "answer", "expected"),
    [
        ("Yes, it is available.", "No, it is not available.", ["critical"]),
        ("The captain is Lena Ortiz.", "Noor Haddad is the captain.", ["critical"]),
        ("Captain: Noor Haddad", "Noor Haddad is the captain.", []),
        ("It leaves on time.", "It leaves late.", []),  # no word shows which one is right
    ],
)
def test_names_and_opposites(message: str, answer: str, expected: list[str]) -> None:
    assert severities(run_of(message), run_of(answer)) == expected


def test_where_something_is_changed_the_answer_is_minor() -> None:
    run, reference = (run_of(text, BOOK) for text in ("Seat 41 is booked.", "Seat 14 is booked."))
    assert severities(run, reference) == ["minor"]
    assert severities(run_of("Booked.", BOOK), reference) == []


def test_listed_answers_decide_alone() -> None:
    reference = run_of(EXPECTED, required_answers=["14"])
    run = run_of("There are 41 free seats on flight AX-12.")
    assert severities(run, reference) == []
    assert severities(run, reference, "missing_answer") == ["critical"]
