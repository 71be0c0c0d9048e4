"""The signs and words of all views: of relations, kinds of findings, parts of a loss, steps."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from otap.errors import shown
from otap.trajectory import Step

Relation = Literal[
    "same", "close", "arguments", "tool", "split", "merged", "missing", "invented", "repeated",
    "failed",
]  # fmt: skip
RELATIONS: tuple[Relation, ...] = get_args(Relation)
ORDER_KINDS = ("reversed", "broken", "inverted")  # findings that say that steps are out of order


class Sign(NamedTuple):
    """How a relation is told apart without its colour.

    Attributes:
        sign: one character.
        plain: the same where there is only ASCII.
        word: what it is called, one or two words.
        meaning: one sentence for a legend.
    """

    sign: str
    plain: str
    word: str
    meaning: str


SIGNS: Mapping[Relation, Sign] = {
    "same": Sign("=", "=", "same", "does the same as the step of the reference"),
    "close": Sign("≈", "~", "nearly", "does the same in other words, or with another result"),
    "arguments": Sign("≠", "/", "other values", "calls the same tool with other values"),
    "tool": Sign("⇄", "%", "other tool", "calls another tool than the reference does there"),
    "split": Sign("<", "<", "split", "several steps do what the reference does in one"),
    "merged": Sign(">", ">", "merged", "one step does what the reference does in several"),
    "missing": Sign("\u2212", "-", "missing", "the reference has this step and the run does not"),
    "invented": Sign("+", "+", "extra", "the run has this step and the reference does not"),
    "repeated": Sign("↻", "@", "again", "does again what another step of the run did"),
    "failed": Sign("✗", "x", "failed", "failed, and no later step made up for it"),
}
MOVED = Sign("↕", "^", "out of order", "ran before or beside a step that it had to follow")
_KINDS: Mapping[str, str] = {
    **{relation: sign.word for relation, sign in SIGNS.items()},
    **dict.fromkeys(ORDER_KINDS, MOVED.word),
    "ungrounded": "value from nowhere",
    "unseen": "unseen inside",
    "untold": "not told",
}
PARTS: Mapping[str, str] = {
    "action": "wording",
    "arguments": "values",
    "effect": "results",
    "tool": "tools",
    "structure": "order",
    "agent_mass": "extra steps",
    "reference_mass": "missing steps",
    "told": "answers not told",
    "references": "other references",
}


def word_kind(kind: str) -> str:
    """Returns what people call a kind of finding."""
    return _KINDS.get(kind, kind)


def name_step(step: Step) -> str:
    """Returns what a step is called beside its id: its tool, else its action, else its kind."""
    return step.tool or step.action or step.kind


def label_step(step: Step) -> str:
    """Returns a step's id and its name, on one line; it is not escaped for any markup."""
    return f"{shown(step.id, 24)} {shown(name_step(step), 40)}"
