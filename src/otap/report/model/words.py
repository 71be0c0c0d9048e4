"""The signs and words of all views, and the values of traces as text."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from otap._numbers import count_text
from otap._patterns import regex
from otap.errors import shown
from otap.trajectory import Step

Relation = Literal[
    "same", "close", "arguments", "tool", "split", "merged", "missing", "invented", "repeated",
    "failed",
]  # fmt: skip
ORDER_KINDS = ("reversed", "broken", "inverted")  # findings that say that steps are out of order

DEEPEST = 6  # levels of keys that have paths of their own
LONGEST = 4000  # characters of one text of a page
# Line ends and tabs are drawn by the page; all else that is not printable could hide or turn text.
_HIDDEN = regex(r"[^\n\t\x20-\x7e]")


_SPECIAL = regex(r"([\\`*_\[\]#|~$@^]|:(?=//)|(?<=www)\.)")
_ISSUE = regex(r"(?i)\b(gh-)(?=\d)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


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
UNLINKED = Sign("⤳", "?", "lost link", "does not use a result that the reference uses there")
_KINDS: Mapping[str, str] = {
    **{relation: sign.word for relation, sign in SIGNS.items()},
    **dict.fromkeys(ORDER_KINDS, MOVED.word),
    "broken": UNLINKED.word,
    "ungrounded": "value from nowhere",
    "unseen": "hidden change",
    "untold": "missing answer",
}
PARTS: Mapping[str, str] = {
    "action": "wording",
    "arguments": "other values",
    "effect": "other results",
    "tool": "other tools",
    "structure": "order",
    "agent_mass": "extra steps",
    "reference_mass": "missing steps",
    "told": "missing answers",
    "references": "other references",
    "critical": "critical finding x 0.9",
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


def value_text(value: JsonValue, limit: int) -> str:
    """Returns a value on one line: texts as they are, all else as JSON; nothing for null.

    Args:
        value: from a trace.
        limit: the most characters.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return shown(text[: limit + 1], limit)


def arguments_text(given: JsonValue, limit: int = 120, longest: int = 60) -> str:
    """Returns what a step was given on one line: its arguments by name.

    Args:
        given: from a trace.
        limit: the most characters.
        longest: the most characters of one value.
    """
    if not isinstance(given, dict):
        return value_text(given, limit)
    pairs = (f"{shown(key, 40)}: {value_text(v, longest) or 'null'}" for key, v in given.items())
    return shown(", ".join(pairs), limit)


def iterate_leaves(value: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Yields each single value of arguments with its path of keys.

    What is empty, or deeper than DEEPEST, is a value as it is.
    """
    members: Iterable[tuple[str, object]] = ()
    if depth < DEEPEST and isinstance(value, Mapping):
        members = ((f"{path}.{key}" if path else key, one) for key, one in value.items())
    elif depth < DEEPEST and isinstance(value, Sequence) and not isinstance(value, str):
        members = ((f"{path}[{place}]", one) for place, one in enumerate(value))
    if not members or not value:
        yield path, value
    for name, member in members:
        yield from iterate_leaves(member, name, depth + 1)


def visible(text: object, limit: int = LONGEST) -> str:
    """Returns a text as a page can show it: control and direction marks as escapes, long ones cut.

    It is not escaped for HTML: the template does that.

    Args:
        text: anything; its ``str`` is shown.
        limit: the most characters.
    """
    whole = str(text)
    seen = _HIDDEN.sub(_escape_hidden, whole[:limit])
    rest = len(whole) - limit
    return f"{seen}… and {count_text(rest, 'more character')}" if rest > 0 else seen


def _escape_hidden(found: re.Match[str]) -> str:
    character = found[0]
    return character if character.isprintable() else shown(character)


def escape_markdown(text: str, limit: int = 160) -> str:
    """Returns foreign text on one line, with all that Markdown or HTML would obey escaped.

    No mention, link, reference to an issue or picture is made of it. Plain words stay as they are.
    """
    one = shown(text, limit).translate(_MARKUP).replace("&", "\0")
    # GitHub makes mentions and links after Markdown is rendered: only what stands between helps.
    one = _ISSUE.sub("\\1\1", _SPECIAL.sub(_escape_special, one)).replace("\1", "&#8203;")
    return one.replace("\0", "&")


def _escape_special(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[1])};" + ("\1" if sign[1] in "@#" else "")
