"""The signs and words of all views, and values of traces as text."""

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
ORDER_KINDS = ("reversed", "broken", "inverted")  # findings about the order of two steps

MAX_DEPTH = 6  # levels of keys with paths of their own
LONGEST = 4000  # characters of one text on a page
SHORT = 300  # characters of a name or a sentence, of which it is not said how much is left out
# A page draws line ends and tabs; other unprintable characters could hide or reverse text.
_HIDDEN = regex(r"[^\n\t\x20-\x7e]")


_SPECIAL = regex(r"([\\`*_\[\]#|~$@^]|:(?=//)|(?<=www)\.)")
_ISSUE = regex(r"(?i)\b(gh-)(?=\d)")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Sign(NamedTuple):
    """The sign of a relation, which distinguishes it without colour.

    Attributes:
        sign: one character.
        plain: its ASCII equivalent.
        word: its name, one or two words.
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
RETRIED = Sign("↻", "@", "failed, then again", "failed, and another step of the run made up for it")
UNLINKED = Sign("*", "*", "lost link", "does not use a result that the reference uses there")
UNSIGNED = (
    "unproven",
    "ungrounded",
    "hidden_changes",
    "other_answer",
    "budget",
    "uncompared",
)  # kinds of findings without a sign
_KINDS: Mapping[str, str] = {
    **{relation: sign.word for relation, sign in SIGNS.items()},
    **dict.fromkeys(ORDER_KINDS, MOVED.word),
    "broken": UNLINKED.word,
    "ungrounded": "value from nowhere",
    "unproven": "not proven",
    "hidden_changes": "hidden change",
    "budget": "above the budget",
    "uncompared": "not compared",
    "missing_answer": "missing answer",
    "other_answer": "another answer",
}
PARTS: Mapping[str, str] = {
    "action": "wording",
    "arguments": "other values",
    "effect": "other results",
    "tool": "other tools",
    "structure": "order",
    "extra_steps": "extra steps",
    "missing_steps": "missing steps",
    "answers": "missing answers",
    "references": "other references",
    "critical": "critical finding x 0.9",
}

# The reasons of edges without a value, by the path of their evidence.
RULES: Mapping[str, str] = {
    "guard": "a check or a precaution before the change",
    "look": "a look-up before the change",
    "order": "the setting 'order'",
}


def word_kind(kind: str) -> str:
    """Returns the word for a kind of finding."""
    return _KINDS.get(kind, kind)


def name_step(step: Step) -> str:
    """Returns the name of a step: its tool, else its action, else its kind."""
    return step.tool or step.action or step.kind


def label_step(step: Step) -> str:
    """Returns a step's id and its name on one line, not escaped for any markup."""
    return f"{shown(step.id, 24)} {shown(name_step(step), 40)}"


def value_text(value: JsonValue, limit: int) -> str:
    """Returns a value on one line: a text unchanged, another value as JSON, nothing for null.

    Args:
        value: a value of a trace.
        limit: the maximum number of characters.
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return shown(text[: limit + 1], limit)


def arguments_text(arguments: JsonValue, limit: int = 120, longest: int = 60) -> str:
    """Returns the arguments of a step on one line, by name.

    Args:
        arguments: the arguments of a step of a trace.
        limit: the maximum number of characters.
        longest: the maximum number of characters of one value.
    """
    if not isinstance(arguments, dict):
        return value_text(arguments, limit)
    pairs = (f"{shown(k, 40)}: {value_text(v, longest) or 'null'}" for k, v in arguments.items())
    return shown(", ".join(pairs), limit)


def iterate_leaves(value: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Yields each single value of arguments with its path of keys.

    A value that is empty, or deeper than MAX_DEPTH, is not divided.
    """
    members: Iterable[tuple[str, object]] = ()
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        members = ((f"{path}.{key}" if path else key, member) for key, member in value.items())
    elif depth < MAX_DEPTH and isinstance(value, Sequence) and not isinstance(value, str):
        members = ((f"{path}[{index}]", member) for index, member in enumerate(value))
    if not members or not value:
        yield path, value
    for name, member in members:
        yield from iterate_leaves(member, name, depth + 1)


def visible(text: object, limit: int = LONGEST) -> str:
    """Returns a text that a page can show: unprintable characters escaped, long texts cut.

    It is not escaped for HTML: the template does that.

    Args:
        text: anything; its ``str`` is shown.
        limit: the maximum number of characters.
    """
    full = str(text)
    visible_text = _HIDDEN.sub(_escape_hidden, full[:limit])
    more = len(full) - limit
    if more > 0 and limit <= SHORT:  # the number of characters would be longer than the name
        return f"{visible_text}…"
    return f"{visible_text}… and {count_text(more, 'more character')}" if more > 0 else visible_text


def _escape_hidden(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else shown(character)


def escape_markdown(text: str, limit: int = 160) -> str:
    """Returns foreign text on one line, with all Markdown and HTML syntax escaped.

    It becomes no mention, link, reference to an issue or picture. Plain words do not change.
    """
    escaped = shown(text, limit).translate(_MARKUP).replace("&", "\0")
    # GitHub adds mentions and links after it rendered Markdown: only a character in between helps.
    escaped = _ISSUE.sub("\\1\1", _SPECIAL.sub(_escape_special, escaped)).replace("\1", "&#8203;")
    return escaped.replace("\0", "&")


def _escape_special(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[1])};" + ("\1" if sign[1] in "@#" else "")
