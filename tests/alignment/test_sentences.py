"""Sentences quote the command or the values, so that nobody has to look them up."""

from typing import Any

import pytest

import otap
from builders import run_of
from otap.findings import Finding


def findings(run: list[dict[str, Any]], gold: list[dict[str, Any]]) -> tuple[Finding, ...]:
    """The findings of some steps against others."""
    sides = ([{"turn": k, **step} for k, step in enumerate(side, 1)] for side in (run, gold))
    return otap.score(*(run_of(*side) for side in sides)).findings


LOOK = {"tool": "bash", "arguments": {"command": "ls build"}, "effect": "a.o"}
REMOVE = {"tool": "bash", "arguments": {"command": "rm -rf build/"}, "effect": ""}


@pytest.mark.parametrize(
    "arguments",
    [{"command": "rm -rf build/"}, {"cmd": "rm -rf build/"}, "rm -rf build/"],
)
def test_an_extra_command_is_quoted(arguments: Any) -> None:
    """Whatever the key of the command is called."""
    (found,) = findings([LOOK, {**REMOVE, "arguments": arguments}], [LOOK])
    assert found.kind == "invented"
    assert found.sentence == (
        "step 2 (bash `rm -rf build/`) is extra; the reference has no such step"
    )


def test_a_missing_command_is_quoted() -> None:
    """A long one to its first characters, on one line."""
    (found,) = findings([LOOK], [LOOK, REMOVE])
    assert found.sentence.startswith(
        "step 2 (bash `rm -rf build/`) of the reference is missing from the run"
    )
    long = {**REMOVE, "arguments": {"command": "rm -rf build/\n" + "x" * 999}}
    (found,) = findings([LOOK], [LOOK, long])
    assert "\n" not in found.sentence
    assert len(found.sentence) < 200


def test_other_calls_have_their_names() -> None:
    """Their arguments stand beside the finding."""
    book = {"tool": "book_room", "arguments": {"offer": "of-9034"}}
    (found,) = findings([LOOK, book], [LOOK])
    assert found.sentence == "step 2 (book_room) is extra; the reference has no such step"


def test_a_negated_text_is_quoted_beside_the_other() -> None:
    """Who reads it sees both, and needs no word for what a negation is."""
    texts = "Your order A-1001 was not refunded to you.", "Your order A-1001 was refunded to you."
    run, gold = (
        [{"tool": "send_email", "arguments": {"to": "ana@example.com", "body": text}}]
        for text in texts
    )
    (found,) = findings(run, gold)
    assert found.kind == "arguments"
    assert f'body says "{texts[0]}", the reference says "{texts[1]}"' in found.sentence
