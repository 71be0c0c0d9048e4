"""A table of private values and their placeholders, which replaces them in texts and names."""

from collections.abc import Iterable, Iterator
from typing import Any

from otap._patterns import regex
from otap.run.known_values import KnownValues, fold, is_distinctive
from otap.run.placeholders import PLACEHOLDER, normalize
from otap.run.private_values import MIN_ANYWHERE, MIN_NAME, PrivateValue, find_private, name_kind
from otap.run.recorded_texts import FILE_SUFFIX
from otap.values.literals import find_amounts

MAX_DATED = 20_000  # characters of a text in which birthdays in another notation are looked for
MIN_CUT = 3  # characters of a private value at the end of a text that was cut
_Span = tuple[int, int, str]  # start, end and placeholder
_USER = "redacted-user-"  # the owner of a home folder, who may be named as a common word
# An address of a mailbox that was cut.
_CUT_ADDRESS = regex(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{0,64}$")


class PrivateTable:
    """Equal values have one placeholder, however they are spelled; different ones differ."""

    def __init__(self) -> None:
        self.originals: dict[str, Any] = {}
        self._by_text: dict[str, str] = {}
        self._by_value: dict[str, str] = {}
        self._by_folded: dict[str, str] = {}
        self._by_date: dict[str, str] = {}  # birthdays, in canonical form
        self._counts: dict[str, int] = {}
        self._index = KnownValues()
        self._parts: dict[tuple[str, bool], list[PrivateValue]] = {}  # of texts, which recur

    def forget_texts(self) -> None:
        """Forgets the texts that were searched, but not the values."""
        self._parts.clear()
        self._index.forget_texts()

    def skip_numbers(self, text: str) -> None:
        """Takes the numbers of the placeholders that a text has already."""
        for match in PLACEHOLDER.finditer(text):
            number = max(self._counts.get(match[1], 0), int(match[2][:9]))
            self._counts[match[1]] = number

    def add_scalar(self, value: str | float, key: str) -> None:
        """Adds a value if its key says that it is private, or else its private parts."""
        text = str(value)
        kind = name_kind(key, value) if key else None
        if kind is not None and text.strip() and not PLACEHOLDER.fullmatch(text):
            self._add(kind, value)
            return
        for part in self._find_private(text):
            is_whole = not isinstance(value, str) or part.end - part.start == len(text)
            self._add(part.kind, value if is_whole else text[part.start : part.end])

    def add_spellings(self, text: str) -> None:
        """Gives each other spelling of a private value a placeholder, its own or the same.

        Other separators are another text, which a run's values can then replace.
        """
        for match in self._index.find(text):
            spelling = text[match.start : match.end]
            if match.is_apart and spelling not in self._by_text and is_distinctive(spelling):
                self._add(self._by_folded[match.folded].split("-")[1], spelling)
        if self._by_date:
            self._add_dates(text[:MAX_DATED])

    def add_name(self, name: str) -> None:
        """Adds the private values in a name, unless their parts are known."""
        occurrences = list(self._index.find(name))
        for part in self._find_private(name, is_name=True):
            if not any(part.start < match.end and match.start < part.end for match in occurrences):
                self._add(part.kind, name[part.start : part.end])

    def replace_scalar(self, value: str | float, key: str) -> str | float:
        """Returns a value with placeholders; a number only as a whole."""
        is_private = bool(key and name_kind(key, value)) or not isinstance(value, str)
        if is_private and str(value) in self._by_text:
            return self._by_text[str(value)]
        return self.replace_text(value) if isinstance(value, str) else value

    def replace_text(self, text: str) -> str:
        """Returns a text with placeholders for its private parts."""
        if text in self._by_text and len(text) >= MIN_NAME:
            return self._by_text[text]
        if not self._by_text:
            return text
        return _replace_spans(text, [*self._list_forms(text), *self._list_occurrences(text)])

    def replace_name(self, name: str) -> str:
        """Returns a name with placeholders, one for all spellings of a value."""
        if not self._by_text:
            return name
        suffix = FILE_SUFFIX.search(name)
        end = suffix.start() if suffix else len(name)
        stem = name[:end]
        spans = [
            (match.start, match.end, self._by_folded[match.folded])
            for match in self._index.find(stem)
        ]
        return _replace_spans(stem, [*spans, *self._list_forms(stem, is_name=True)]) + name[end:]

    def hide_cuts(self, message: str) -> str:
        """Returns a message without the beginnings of private values before an ellipsis."""
        head, *tails = message.split("…")
        parts = [head]
        for tail in tails:
            before = parts[-1]
            sizes = [_count_cut(before, text) for text in self._by_text]
            size = max(sizes, default=0)
            parts[-1] = _CUT_ADDRESS.sub("", before[: len(before) - size])
            parts.append(tail)
        return "…".join(parts)

    def _add(self, kind: str, value: Any) -> None:
        text = str(value)
        if text in self._by_text or PLACEHOLDER.search(text):
            return
        placeholder = self._by_value.get(normalize(text))
        if placeholder is None:
            self._counts[kind] = number = self._counts.get(kind, 0) + 1
            placeholder = self._by_value[normalize(text)] = f"redacted-{kind}-{number}"
            self.originals[placeholder] = value
        self._by_text[text] = placeholder
        self._by_folded.setdefault(fold(text), placeholder)
        for literal in find_amounts(text.lower()[:MAX_DATED]) if kind == "birthday" else ():
            if literal.kind == "date":
                self._by_date.setdefault(literal.canonical, placeholder)
        if len(text) >= (MIN_NAME if kind in ("name", "user") else MIN_ANYWHERE):
            self._index.add(text)

    def _add_dates(self, text: str) -> None:
        """Gives a birthday in another notation its placeholder: 2 December 1988 for 1988-12-02."""
        small = text.lower()
        for literal in find_amounts(small):
            placeholder = self._by_date.get(literal.canonical)
            start = small.find(literal.text)
            if placeholder is None or start < 0 or len(small) != len(text):
                continue
            spelling = text[start : start + len(literal.text)]
            self._by_text.setdefault(spelling, placeholder)
            self._by_folded.setdefault(fold(spelling), placeholder)
            self._index.add(spelling)

    def _list_forms(self, text: str, *, is_name: bool = False) -> Iterator[_Span]:
        for part in self._find_private(text, is_name=is_name):
            placeholder = self._by_text.get(text[part.start : part.end])
            if placeholder is not None:
                yield part.start, part.end, placeholder

    def _find_private(self, text: str, *, is_name: bool = False) -> list[PrivateValue]:
        key = text, is_name
        if key not in self._parts:
            self._parts[key] = find_private(text, is_name=is_name)
        return self._parts[key]

    def _list_occurrences(self, text: str) -> Iterator[_Span]:
        """Yields where a text has a value that another part of the run shows to be private."""
        for match in self._index.find(text):
            spelling = text[match.start : match.end]
            placeholder = self._by_text.get(spelling)
            if placeholder is None or not match.is_apart:
                continue
            is_word = match.is_word or not spelling.islower()  # a name, as in send_Ann_2
            is_word = is_word and not placeholder.startswith(_USER)
            if is_word or is_distinctive(spelling):
                yield match.start, match.end, placeholder


def _replace_spans(text: str, spans: Iterable[_Span]) -> str:
    """Replaces parts of a text; of two that overlap the first, or else the longer one."""
    parts, end = [], 0
    for start, stop, placeholder in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            parts += [text[end:start], placeholder]
            end = stop
    return "".join([*parts, text[end:]])


def _count_cut(text: str, value: str) -> int:
    """Returns how many characters at the end of a text begin a value."""
    sizes = range(min(len(text), len(value)), MIN_CUT - 1, -1)
    return next((size for size in sizes if text.endswith(value[:size])), 0)
