"""Placeholders for secrets and personal data, in a recorded reference.

Equal values of a recording have one placeholder such as ``redacted-email-1``, however they are
spelled, and different values have different ones. So an id that a later step uses is still the
same id. :mod:`otap.run.bindings` finds the value of a placeholder in another run.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from otap._patterns import regex
from otap.run.private_values import MIN_ANYWHERE, MIN_NAME, find_private, name_kind
from otap.trajectory import Step, Trajectory

REDACTED = "redacted"  # the key of the metadata that says how many values of a kind are hidden
MAX_DEPTH = 100  # levels of data; deeper data becomes one placeholder
PLACEHOLDER = regex(r"redacted-([a-z]+)-(\d+)")
_TOKEN = regex(r"\w+")
_SIGNS = regex(r"[\W_]+")
_STEP_FIELDS = ("arguments", "effect", "state", "action")
_RUN_FIELDS = ("request", "messages_to_user", "required_answers")


class Redaction(NamedTuple):
    """A run without its private values.

    Attributes:
        run: the run, with placeholders.
        originals: the value of each placeholder.
    """

    run: Trajectory
    originals: Mapping[str, Any]

    @property
    def sites(self) -> dict[str, str]:
        """The first site of each placeholder: the tool and the path, in words."""
        sites: dict[str, str] = {}
        for (tool, path), text in _list_sites(self.run):
            for match in PLACEHOLDER.finditer(text):
                sites.setdefault(match[0], f"{path} of {tool}" if tool else path)
        return {name: sites.get(name, "metadata") for name in self.originals}

    @property
    def counts(self) -> dict[str, int]:
        """The number of different values by their kind."""
        counts: dict[str, int] = {}
        for placeholder in self.originals:
            kind = placeholder.split("-")[1]
            counts[kind] = counts.get(kind, 0) + 1
        return dict(sorted(counts.items()))


class Placeholders:
    """Gives equal values equal placeholders, and replaces them in runs and texts."""

    def __init__(self) -> None:
        self.originals: dict[str, Any] = {}
        self._by_text: dict[str, str] = {}
        self._by_value: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._by_first_token: dict[str, list[str]] = {}

    def redact(self, run: Trajectory) -> Redaction:
        """Returns a run with placeholders for its private values, in texts, data and names."""
        self._collect_run(run)
        return Redaction(map_run(run, self._replace_data), dict(self.originals))

    def _collect_run(self, run: Trajectory) -> None:
        """Gives every private value its placeholder before any text is changed.

        A run that was redacted before has placeholders already, whose numbers are taken.
        """
        if run.metadata.get(REDACTED):
            for data in _list_data(run):
                for _, text in list_texts(data):
                    for match in PLACEHOLDER.finditer(text):
                        number = max(self._counts.get(match[1], 0), int(match[2][:9]))
                        self._counts[match[1]] = number
        for data in _list_data(run):
            self._collect(data, "", 0)

    def _collect(self, data: Any, key: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            return
        if isinstance(data, dict):
            for name, member in data.items():
                self._collect(name, "", depth + 1)
                self._collect(member, name, depth + 1)
        elif isinstance(data, list | tuple):
            for member in data:
                self._collect(member, key, depth + 1)
        elif isinstance(data, str | int | float) and not isinstance(data, bool):
            text = str(data)
            kind = name_kind(key, data) if key else None
            if kind is not None and text.strip() and not PLACEHOLDER.fullmatch(text):
                self._add(kind, data)
                return
            for part in find_private(text):
                is_whole = part.end - part.start == len(text)
                self._add(part.kind, data if is_whole else text[part.start : part.end])

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
        first = _TOKEN.search(text)
        if first is not None and len(text) >= (MIN_NAME if kind == "name" else MIN_ANYWHERE):
            self._by_first_token.setdefault(first[0], []).append(text)

    def _replace_data(self, data: Any, key: str = "", depth: int = 0) -> Any:
        if isinstance(data, dict):
            if depth > MAX_DEPTH:
                return "redacted-data-1"
            return {
                self.replace_text(name): self._replace_data(member, name, depth + 1)
                for name, member in data.items()
            }
        if isinstance(data, list | tuple):
            if depth > MAX_DEPTH:
                return "redacted-data-1"
            members = [self._replace_data(member, key, depth + 1) for member in data]
            return tuple(members) if isinstance(data, tuple) else members
        if isinstance(data, bool) or data is None:
            return data
        text = str(data)
        is_private = bool(key and name_kind(key, data)) or not isinstance(data, str)
        if is_private and text in self._by_text:
            return self._by_text[text]
        return self.replace_text(data) if isinstance(data, str) else data

    def replace_text(self, text: str) -> str:
        """Returns a text with placeholders for its private parts."""
        if text in self._by_text and len(text) >= MIN_NAME:
            return self._by_text[text]
        spans = [
            (part.start, part.end, self._by_text[text[part.start : part.end]])
            for part in find_private(text)
            if text[part.start : part.end] in self._by_text
        ]
        spans += self._list_known(text)
        parts, end = [], 0
        for start, stop, placeholder in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= end:
                parts += [text[end:start], placeholder]
                end = stop
        return "".join([*parts, text[end:]])

    def _list_known(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yields where a text has a value that another place of the run shows to be private."""
        if not self._by_first_token:
            return
        for token in _TOKEN.finditer(text):
            for value in self._by_first_token.get(token[0], ()):
                start = token.start() - value.index(token[0])
                end = start + len(value)
                is_whole = start >= 0 and not text[end : end + 1].isalnum()
                if is_whole and text.startswith(value, start):
                    yield start, end, self._by_text[value]


def _list_data(run: Trajectory) -> Iterator[Any]:
    """Yields everything in a run that may hold a private value, in the order of reading."""
    yield run.id
    yield run.task
    for name in _RUN_FIELDS:
        yield getattr(run, name)
    yield from _list_step_data(run.steps)
    yield {key: value for key, value in run.metadata.items() if key != REDACTED}


def _list_step_data(steps: tuple[Step, ...]) -> Iterator[Any]:
    for step in steps:
        for name in _STEP_FIELDS:
            yield getattr(step, name)
        yield step.metadata
        yield from _list_step_data(step.substeps)


def map_run(run: Trajectory, change: Callable[[Any], Any]) -> Trajectory:
    """Returns a run with a change of each text and each piece of data that can be private."""
    fields: dict[str, Any] = {name: change(getattr(run, name)) for name in _RUN_FIELDS}
    fields |= {"id": change(run.id), "task": change(run.task)}
    own_metadata = {key: value for key, value in run.metadata.items() if key != REDACTED}
    counts = {key: value for key, value in run.metadata.items() if key == REDACTED}
    fields["metadata"] = {**change(own_metadata), **counts}
    return run.model_copy(update={**fields, "steps": _map_steps(run.steps, change)})


def _map_steps(steps: tuple[Step, ...], change: Callable[[Any], Any]) -> tuple[Step, ...]:
    return tuple(
        step.model_copy(
            update={
                **{name: change(getattr(step, name)) for name in _STEP_FIELDS},
                "metadata": change(step.metadata),
                "substeps": _map_steps(step.substeps, change),
            }
        )
        for step in steps
    )


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


def _mask(text: str) -> str:
    return PLACEHOLDER.sub(r"redacted-\1", text)


def _list_sites(run: Trajectory) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields each text of a run with its tool and its path."""
    for name in _RUN_FIELDS:
        for path, text in list_texts(getattr(run, name), name):
            yield ("", path), text
    yield from _list_step_sites(run.steps)


def _list_step_sites(steps: tuple[Step, ...]) -> Iterator[tuple[tuple[str, str], str]]:
    for step in steps:
        for name in _STEP_FIELDS:
            for path, text in list_texts(getattr(step, name), name):
                yield (step.tool or "", path), text
        yield from _list_step_sites(step.substeps)


def iterate_recorded_steps(steps: Sequence[Step]) -> Iterator[Step]:
    """Yields steps and their sub-steps, each before those within it."""
    for step in steps:
        yield step
        yield from iterate_recorded_steps(step.substeps)


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
