"""Placeholders for secrets and personal data, in a recorded reference.

Whatever is copied out of a run is redacted by one law, names and ids included. Equal values of a
recording have one placeholder such as ``redacted-email-1``, however they are spelled, and different
values have different ones. So an id that a later step uses is still the same id.
:mod:`otap.run.bindings` finds the value of a placeholder in another run.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from otap._patterns import regex
from otap.run.known_values import KnownValues, fold, is_distinctive
from otap.run.private_values import (
    MIN_ANYWHERE,
    MIN_NAME,
    PrivateValue,
    find_private,
    name_kind,
)
from otap.trajectory import Step, ToolFacts, Trajectory, Unread
from otap.values.literals import find_amounts

REDACTED = "redacted"  # the key of the metadata that says how many values of a kind are hidden
MAX_DATED = 20_000  # characters of a text in which birthdays in another notation are looked for
MAX_DEPTH = 100  # levels of data; deeper data becomes one placeholder
PLACEHOLDER = regex(r"redacted-([a-z]+)-(\d+)")
# The suffix of a file, which is no part of an address.
_SUFFIX = regex(r"(?i)\.(?:jsonl?|toml|ya?ml|txt|log|gz|zip|csv|parquet|md|html?|db|sqlite)$")
_Span = tuple[int, int, str]  # start, end and placeholder
_USER = "redacted-user-"  # the owner of a home folder, who may be named as a common word
# An address of a mailbox that was cut.
_CUT_ADDRESS = regex(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{0,64}$")
MIN_CUT = 3  # characters of a private value at the end of a text that was cut
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
        for path, text in _list_names(self.run):
            for match in PLACEHOLDER.finditer(text):
                sites.setdefault(match[0], path)
        return {name: sites.get(name, "metadata") for name in self.originals}

    @property
    def counts(self) -> dict[str, int]:
        """The number of different values by their kind."""
        return count_kinds(self.originals)


def count_kinds(placeholders: Iterable[str]) -> dict[str, int]:
    """Returns the number of placeholders by their kind."""
    counts: dict[str, int] = {}
    for placeholder in placeholders:
        kind = placeholder.split("-")[1]
        counts[kind] = counts.get(kind, 0) + 1
    return dict(sorted(counts.items()))


class Placeholders:
    """Gives equal values equal placeholders, and replaces them in runs and texts."""

    def __init__(self) -> None:
        self.originals: dict[str, Any] = {}
        self._by_text: dict[str, str] = {}
        self._by_value: dict[str, str] = {}
        self._by_folded: dict[str, str] = {}
        self._by_date: dict[str, str] = {}  # birthdays, in canonical form
        self._counts: dict[str, int] = {}
        self._index = KnownValues()
        self._parts: dict[tuple[str, bool], list[PrivateValue]] = {}  # of texts, which recur

    def redact(self, run: Trajectory) -> Redaction:
        """Returns a run with placeholders for its private values, in texts, data and names."""
        return self.redact_all([run])[0]

    def redact_all(self, runs: Sequence[Trajectory]) -> list[Redaction]:
        """Returns runs as :meth:`redact` does; a value that is private in one is private in all."""
        self._collect_content(runs)
        for run in runs:
            for _, name in _list_names(run):
                self._collect_name(name)
        return [Redaction(self._map_run(run), dict(self.originals)) for run in runs]

    def learn(self, runs: Iterable[Trajectory]) -> None:
        """Makes the private values of runs known, in whose texts they are then hidden."""
        self._collect_content(list(runs))
        self._parts.clear()
        self._index.forget_texts()

    def redact_content(self, run: Trajectory) -> Redaction:
        """Returns a run with placeholders in what comparisons read; its names and ids stay."""
        self._collect_content([run])
        return Redaction(map_run(run, self._replace_data), dict(self.originals))

    def hide(self, message: str) -> str:
        """Returns a message about the runs without private values, also where it cuts them."""
        self._collect_name(message)
        return self._hide_cuts(self._replace_name(message))

    def hide_data(self, data: Any) -> Any:
        """Returns data about the runs without private values, in names, keys and texts."""
        if isinstance(data, dict):
            return {self.hide(str(key)): self.hide_data(member) for key, member in data.items()}
        if isinstance(data, list | tuple):
            return [self.hide_data(member) for member in data]
        return self.hide(data) if isinstance(data, str) else data

    def _collect_content(self, runs: Sequence[Trajectory]) -> None:
        """Gives every private value its placeholder before any text is changed.

        A run that was redacted before has placeholders already, whose numbers are taken.
        """
        for run in runs:
            if run.metadata.get(REDACTED):
                self._skip_numbers(run)
        for run in runs:
            for data in _list_data(run):
                self._collect(data, "", 0)
        if self.originals:
            for run in runs:
                for data in _list_data(run):
                    for _, text in list_texts(data):
                        self._collect_spellings(text)

    def _skip_numbers(self, run: Trajectory) -> None:
        texts = [text for data in _list_data(run) for _, text in list_texts(data)]
        for text in (*texts, *(name for _, name in _list_names(run))):
            for match in PLACEHOLDER.finditer(text):
                number = max(self._counts.get(match[1], 0), int(match[2][:9]))
                self._counts[match[1]] = number

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
            for part in self._find_private(text):
                is_whole = part.end - part.start == len(text)
                self._add(part.kind, data if is_whole else text[part.start : part.end])

    def _collect_spellings(self, text: str) -> None:
        """Gives each other spelling of a private value a placeholder, its own or the same.

        Other separators are another text, which a run's values can then replace.
        """
        for match in self._index.find(text):
            spelling = text[match.start : match.end]
            if match.is_apart and spelling not in self._by_text and is_distinctive(spelling):
                self._add(self._by_folded[match.folded].split("-")[1], spelling)
        if self._by_date:
            self._collect_dates(text[:MAX_DATED])

    def _collect_dates(self, text: str) -> None:
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

    def _collect_name(self, name: str) -> None:
        """Gives the private values in a name placeholders, unless their parts are known."""
        occurrences = list(self._index.find(name))
        for part in self._find_private(name, is_name=True):
            if not any(part.start < match.end and match.start < part.end for match in occurrences):
                self._add(part.kind, name[part.start : part.end])

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
        if not self._by_text:
            return text
        return _replace_spans(text, [*self._list_forms(text), *self._list_occurrences(text)])

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
        """Yields where a text has a value that another place of the run shows to be private."""
        for match in self._index.find(text):
            spelling = text[match.start : match.end]
            placeholder = self._by_text.get(spelling)
            if placeholder is None or not match.is_apart:
                continue
            is_word = match.is_word or not spelling.islower()  # a name, as in send_Ann_2
            is_word = is_word and not placeholder.startswith(_USER)
            if is_word or is_distinctive(spelling):
                yield match.start, match.end, placeholder

    def _replace_name(self, name: str) -> str:
        """Returns a name with placeholders, one for all spellings of a value."""
        if not self._by_text:
            return name
        suffix = _SUFFIX.search(name)
        end = suffix.start() if suffix else len(name)
        stem = name[:end]
        spans = [
            (match.start, match.end, self._by_folded[match.folded])
            for match in self._index.find(stem)
        ]
        return _replace_spans(stem, [*spans, *self._list_forms(stem, is_name=True)]) + name[end:]

    def _hide_cuts(self, message: str) -> str:
        """Hides the beginning of a private value before an ellipsis."""
        head, *tails = message.split("…")
        parts = [head]
        for tail in tails:
            before = parts[-1]
            sizes = [_count_cut(before, text) for text in self._by_text]
            size = max(sizes, default=0)
            parts[-1] = _CUT_ADDRESS.sub("", before[: len(before) - size])
            parts.append(tail)
        return "…".join(parts)

    def _map_run(self, run: Trajectory) -> Trajectory:
        rename = self._replace_name
        mapped = map_run(run, self._replace_data)
        source = run.source
        if source is not None and source.path is not None:
            source = source.model_copy(update={"path": rename(source.path)})
        names = {
            "id": None if run.id is None else rename(run.id),
            "task": None if run.task is None else rename(run.task),
            "trial": rename(run.trial) if isinstance(run.trial, str) else run.trial,
            "tools": self._replace_tools(run.tools),
            "unread": Unread(
                unknown=_merge_counts(run.unread.unknown, rename),
                ignored=_merge_counts(run.unread.ignored, rename),
            ),
            "source": source,
        }
        update = {name: value for name, value in names.items() if value != getattr(run, name)}
        return mapped.model_copy(update={**update, "steps": self._map_names(mapped.steps)})

    def _replace_tools(self, tools: Mapping[str, ToolFacts]) -> dict[str, ToolFacts]:
        return {self.replace_text(name): facts for name, facts in tools.items()}

    def _map_names(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Renames steps; the ids of a list stay unique, and their links stay."""
        ids: dict[str, str] = {}
        used_ids = {step.id for step in steps}
        for step in steps:
            name = self._replace_name(step.id)
            if name != step.id:
                name = _name_unused(name, used_ids)
                used_ids.add(name)
            ids[step.id] = name
        mapped = []
        for step in steps:
            parents = step.depends_on
            update: dict[str, Any] = {
                "id": ids[step.id],
                "tool": None if step.tool is None else self.replace_text(step.tool),
                "agent": None if step.agent is None else self._replace_name(step.agent),
                "depends_on": parents and tuple(ids[parent] for parent in parents),
                "substeps": self._map_names(step.substeps),
            }
            changes = {
                name: value for name, value in update.items() if value != getattr(step, name)
            }
            mapped.append(step.model_copy(update=changes) if changes else step)
        return tuple(mapped)


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


def _name_unused(name: str, used_names: Collection[str]) -> str:
    unused, number = name, 2
    while unused in used_names:
        unused, number = f"{name}-{number}", number + 1
    return unused


def _merge_counts(counts: Mapping[str, int], rename: Callable[[str], str]) -> dict[str, int]:
    merged: dict[str, int] = {}
    for name, count in counts.items():
        merged[rename(name)] = merged.get(rename(name), 0) + count
    return merged


def _list_data(run: Trajectory) -> Iterator[Any]:
    """Yields everything that comparisons read and that may be private, in the order of reading."""
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


def _list_names(run: Trajectory) -> Iterator[tuple[str, str]]:
    """Yields the names and ids of a run, each after the name of its field."""
    texts = {"id": run.id, "task": run.task, "trial": run.trial}
    texts["source.path"] = run.source.path if run.source else None
    for field, text in texts.items():
        if isinstance(text, str):
            yield field, _SUFFIX.sub("", text)
    yield from (("tools", name) for name in run.tools)
    yield from (("unread", name) for name in (*run.unread.unknown, *run.unread.ignored))
    yield from _list_step_names(run.steps)


def _list_step_names(steps: tuple[Step, ...]) -> Iterator[tuple[str, str]]:
    for step in steps:
        yield "id of a step", step.id
        yield from (
            (field, text) for field, text in (("tool", step.tool), ("agent", step.agent)) if text
        )
        yield from _list_step_names(step.substeps)


def map_run(run: Trajectory, change: Callable[[Any], Any]) -> Trajectory:
    """Returns a run with a change of each text and each piece of data that comparisons read."""
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
