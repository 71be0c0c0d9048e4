"""Texts and data in which placeholders such as ``redacted-email-1`` stand for private values."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from otap._patterns import regex

REDACTED = "redacted"  # the key of the metadata that says how many values of a kind are hidden
PLACEHOLDER = regex(r"redacted-([a-z]+)-(\d+)")
_SIGNS = regex(r"[\W_]+")


def count_kinds(placeholders: Iterable[str]) -> dict[str, int]:
    """Returns the number of placeholders by their kind."""
    counts: dict[str, int] = {}
    for placeholder in placeholders:
        kind = placeholder.split("-")[1]
        counts[kind] = counts.get(kind, 0) + 1
    return dict(sorted(counts.items()))


def has_placeholder(data: Any) -> bool:
    """Returns whether data holds a placeholder, in a text or a key."""
    return any(PLACEHOLDER.search(text) for _, text in list_texts(data))


def match_template(template: str, text: str) -> list[tuple[str, str]] | None:
    """Returns the values of a text that equals a template but for them; None if it does not."""
    names = list(PLACEHOLDER.finditer(template))
    if not names:
        return None
    begin, end = 0, len(text)
    head, tail = template[: names[0].start()], template[names[-1].end() :]
    if not text.startswith(head) or not text.endswith(tail) or len(head) + len(tail) > end:
        return None
    begin, end = len(head), end - len(tail)
    values: list[tuple[str, str]] = []
    for name, following in pairwise(names):
        literal = template[name.end() : following.start()]
        stop = text.find(literal, begin, end) if literal else -1
        if stop < 0:
            return None
        values.append((name[0], text[begin:stop]))
        begin = stop + len(literal)
    return [*values, (names[-1][0], text[begin:end])]


def list_texts(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each leaf and each key, without recursion."""
    waiting = [(path, data)]
    while waiting:
        where, node = waiting.pop()
        if isinstance(node, dict):
            for key, member in reversed(node.items()):
                waiting.append((f"{where}.{_mask(key)}", member))
                waiting.append((f"{where}{{}}", key))
        elif isinstance(node, list | tuple):
            waiting += [(f"{where}[]", member) for member in reversed(node)]
        elif isinstance(node, str):
            yield where, node


def _mask(text: str) -> str:
    return PLACEHOLDER.sub(r"redacted-\1", text)


def fill_data(data: Any, values: Mapping[str, Any]) -> Any:
    """Returns data with values in place of its placeholders; one without a value stays."""
    if isinstance(data, dict):
        return {
            str(_fill_text(key, values)): fill_data(member, values) for key, member in data.items()
        }
    if isinstance(data, list):
        return [fill_data(member, values) for member in data]
    if isinstance(data, tuple):
        return tuple(fill_data(member, values) for member in data)
    return _fill_text(data, values) if isinstance(data, str) else data


def _fill_text(text: str, values: Mapping[str, Any]) -> Any:
    if text in values:
        return values[text]
    is_json = text[:1] in ("{", "[")

    def write(match: re.Match[str]) -> str:
        value = str(values.get(match[0], match[0]))
        return json.dumps(value, ensure_ascii=False)[1:-1] if is_json else value

    return PLACEHOLDER.sub(write, text)


def normalize(text: str) -> str:
    """Returns the same text for spellings of one value: case, spaces, and signs in a number."""
    signs = _SIGNS.sub("", text)
    if 2 * sum(sign.isdigit() for sign in signs) >= len(signs) > 0:
        return signs.casefold()
    return " ".join(text.casefold().split())
