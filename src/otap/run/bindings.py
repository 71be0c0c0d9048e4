"""The values in another run for which the placeholders of a recording stand.

A value of a recording comes from the first text that shows it: the task, a message of the user, a
result. In another run the placeholder stands for the value that the same text has at the same spot,
whatever the run then does with it. Where the agent itself wrote the value first, no text says which
one is right: the run's own value counts, and the binding names it as unbound.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, NamedTuple

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.identifiers import list_identifiers
from otap.run.placeholders import (
    PLACEHOLDER,
    REDACTED,
    fill_data,
    has_placeholder,
    list_texts,
    match_template,
    normalize,
)
from otap.run.private_values import MIN_NAME, find_private
from otap.run.recorded_texts import iterate_recorded_steps, map_run
from otap.run.redaction import MAX_DEPTH, RunRedactor
from otap.trajectory import Step, Trajectory
from otap.values.keys import canonical_key
from otap.values.tool_names import canonical_tool

UNBOUND = "unbound"  # the key of the metadata with the arguments that could not be compared
CONTEXT = 3  # words on each side of a value that say where it stands
MAX_VALUE = 1_000  # characters of a value within a text
MAX_CALLS = 20  # of a tool that may be the counterpart of one call
MAX_CANDIDATES = 50  # values of a kind that a run shows elsewhere
MAX_PAIRS = 200_000  # members of two lists that are compared, in all lists of a run
MAX_CELLS = 300_000  # pairs of words of all texts of a run that are compared
# A word keeps the signs within it, so an address of a mailbox is one.
_WORD = regex(r"\w(?:[^\s\"'`{}\[\](),;=<>|]*\w)?|[^\w\s]")
Values = Mapping[str, Any]


class Unbound(NamedTuple):
    """An argument whose value nothing in the recording explains.

    Attributes:
        placeholder: that stands for the value.
        path: of the argument.
        reference: the id of the call in the recording.
        agent: the id of its counterpart in the run.
    """

    placeholder: str
    path: str
    reference: str
    agent: str

    @property
    def is_secret(self) -> bool:
        """Whether the value is a secret, which may be another one in each run."""
        return _kind(self.placeholder) == "secret"


class Binding(NamedTuple):
    """The values in a run for which the placeholders of a recording stand.

    Attributes:
        values: the value of each placeholder; one without a value stays.
        spellings: for the id of a call, the run's other spellings of the same values.
        unbound: the arguments that could not be compared.
    """

    values: Values
    spellings: Mapping[str, Values]
    unbound: Sequence[Unbound]


def bind_placeholders(recording: Trajectory, run: Trajectory) -> Binding:
    """Returns the values in a run for which the placeholders of a recording stand.

    Args:
        recording: the recording.
        run: the run, as it was recorded.
    """
    binder = _Binder(recording, run)
    return Binding(binder.values, binder.spellings, binder.unbound)


class _Binder:
    """Binds the placeholders in the order in which the recording shows them."""

    def __init__(self, recording: Trajectory, run: Trajectory) -> None:
        self.values: dict[str, Any] = {}
        self.spellings: dict[str, dict[str, Any]] = {}
        self.unbound: list[Unbound] = []
        self._run = run
        self._matcher = _TextMatcher()
        self._pairs = MAX_PAIRS
        self._calls: dict[str, list[Step]] = {}
        for step in iterate_recorded_steps(run.steps):
            self._calls.setdefault(_name_tool(step), []).append(step)
        self._used: set[int] = set()  # calls that are the counterpart of a call
        self._bound_texts: set[str] = set()  # the values so far, in one spelling
        self._sources: set[str] = set()  # placeholders that a source shows first
        self._misread: set[str] = set()  # those of a call that the run made about another object
        self._bind_source(" \n".join(recording.request), " \n".join(run.request))
        self._bind_source(recording.task, run.task)
        self._bind_steps(recording.steps)
        self._bind_messages(recording)

    def _bind_steps(self, steps: Sequence[Step]) -> None:
        tools = {_name_tool(step) for step in iterate_recorded_steps(steps) if _is_redacted(step)}
        for step in iterate_recorded_steps(steps):
            if _name_tool(step) not in tools:
                continue
            arguments = fill_data(step.arguments, self.values)
            self._bind_elsewhere(arguments)
            arguments = fill_data(step.arguments, self.values)
            call = self._find_counterpart(step, arguments)
            if call is None:
                self._bind_source([step.effect, step.state], None)
                continue
            is_about_another = self._is_about_another(arguments, call.arguments)
            self._bind_arguments(step, call)
            if is_about_another:
                self._misread |= set(_list_names([step.effect, step.state]))
                self._bind_source([step.effect, step.state], None)
            else:
                self._used.add(id(call))
                self._bind_source([step.effect, step.state], [call.effect, call.state])

    def _bind_messages(self, recording: Trajectory) -> None:
        """Binds the values that only the messages of the agent have."""
        messages = " \n".join(recording.messages_to_user or ())
        for name, value in self._match(messages, " \n".join(self._run.messages_to_user or ())):
            if name not in self._sources and not self._is_taken(value):
                self._bind(name, value)
        self._bind_elsewhere([messages, recording.required_answers])

    def _bind_source(self, template: Any, data: Any) -> None:
        """Binds placeholders that a source of the recording shows first to the run's source."""
        names = set(_list_names(template))
        self._sources |= names
        if names <= self.values.keys():
            return
        for name, value in self._match(template, data):
            if not has_placeholder(value):  # the task of a run can be named after its reference
                self._bind(name, value)

    def _bind_arguments(self, step: Step, call: Step) -> None:
        """Takes the run's own values where only the agent knew them, and the run's spellings."""
        for name, value in self._match(step.arguments, call.arguments):
            if name in self.values:
                if self._is_same(name, value):
                    self.spellings.setdefault(step.id, {}).setdefault(name, value)
            elif name not in self._sources and not self._is_taken(value):
                self._bind(name, value)
                path = _find_path(step.arguments, name)
                self.unbound.append(Unbound(name, path, step.id, call.id))

    def _is_same(self, name: str, value: Any) -> bool:
        """Whether a value is another spelling of the bound one, or most of a guessed one."""
        bound_text, text = normalize(str(self.values[name])), normalize(str(value))
        is_most = f" {text} " in f" {bound_text} " and 2 * len(text) >= len(bound_text)
        return bound_text == text or (is_most and name in self._matcher.guessed)

    def _is_taken(self, value: Any) -> bool:
        """Whether another placeholder stands for the value: different ones never do."""
        return normalize(str(value)) in self._bound_texts

    def _bind(self, name: str, value: Any) -> None:
        """Binds a placeholder, unless it has a value already."""
        if name not in self.values:
            self.values[name] = value
            self._bound_texts.add(normalize(str(value)))

    def _bind_elsewhere(self, data: Any) -> None:
        """Binds a value that the run read elsewhere, if it is the only one of its kind there."""
        for name in _list_names(data):
            if name not in self._sources or name in self._misread or name in self.values:
                continue
            candidates = [
                value
                for value in self._private_values.get(_kind(name), ())
                if not self._is_taken(value)
            ]
            if len(candidates) == 1:
                self._bind(name, candidates[0])

    @cached_property
    def _private_values(self) -> dict[str, list[Any]]:
        """The private values that sources of the run show by themselves, by kind.

        The arguments of its calls do not count: the agent may have made them up.
        """
        steps = tuple(
            Step(id=step.id, effect=step.effect, state=step.state)
            for step in iterate_recorded_steps(self._run.steps)
        )
        sources = Trajectory(task=self._run.task, request=self._run.request, steps=steps)
        redaction = RunRedactor().redact_content(sources)
        shown: dict[str, list[Any]] = {}
        for name, value in redaction.originals.items():
            shown.setdefault(_kind(name), []).append(value)
        return {kind: values for kind, values in shown.items() if len(values) <= MAX_CANDIDATES}

    def _find_counterpart(self, step: Step, arguments: Any) -> Step | None:
        """The unused call of the same tool whose arguments agree most; the first of equal ones."""
        calls = self._calls.get(_name_tool(step), ())
        unused = (call for call in calls if id(call) not in self._used)
        return max(
            islice(unused, MAX_CALLS),
            key=lambda call: (_count_equal(arguments, call.arguments), call.status != "error"),
            default=None,
        )

    def _is_about_another(self, arguments: Any, data: Any) -> bool:
        """Whether a call names another object, although the run was given the reference's."""
        names = {name for name in list_identifiers(arguments) if name in self._run_identifiers}
        names |= self._bound_texts.intersection(
            normalize(text) for _, text in list_texts(arguments)
        )
        call_names = {*list_identifiers(data), *(normalize(text) for _, text in list_texts(data))}
        return not names <= call_names

    @cached_property
    def _run_identifiers(self) -> set[str]:
        """The identifiers that the user and the results gave to the run."""
        texts = [self._run.task, *self._run.request]
        names = {name for text in texts for name in list_identifiers(text)}
        for step in iterate_recorded_steps(self._run.steps):
            names.update(list_identifiers(step.effect))
        return names

    def _match(self, template: Any, data: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
        """Yields each placeholder of a template with the value at the same spot of other data."""
        if depth > MAX_DEPTH or data is None:
            return
        if isinstance(data, str) and isinstance(template, dict | list | tuple):
            data = _parse_json(data)
        if isinstance(template, str):
            yield from self._match_text(template, data, depth)
        elif isinstance(template, dict) and isinstance(data, dict):
            for key, member in template.items():
                if key in data:
                    yield from self._match(member, data[key], depth + 1)
            yield from self._match_keys(template, data, depth)
        elif isinstance(template, list | tuple) and isinstance(data, list | tuple):
            for member, other in self._pair_members(template, data):
                yield from self._match(member, other, depth + 1)

    def _match_text(self, template: str, data: Any, depth: int) -> Iterator[tuple[str, Any]]:
        if PLACEHOLDER.fullmatch(template):
            if isinstance(data, str | int | float) and str(data).strip():
                yield template, data
        elif isinstance(data, str) and PLACEHOLDER.search(template):
            parsed = _parse_json(template)
            if parsed is None or (other := _parse_json(data)) is None:
                yield from self._matcher.match(template, data)
            else:
                yield from self._match(parsed, other, depth + 1)

    def _match_keys(self, template: Values, data: Values, depth: int) -> Iterator[tuple[str, Any]]:
        """Pairs the keys with placeholders with the keys that only the other data has."""
        redacted = [key for key in template if key not in data and PLACEHOLDER.search(key)]
        others = [key for key in data if key not in template] if redacted else []
        if len(redacted) == len(others):
            for key, other in zip(redacted, others, strict=True):
                yield from self._match_text(key, other, depth)
                yield from self._match(template[key], data[other], depth + 1)

    def _pair_members(
        self, template: Sequence[Any], data: Sequence[Any]
    ) -> Iterator[tuple[Any, Any]]:
        """Pairs each redacted member with the member that agrees most, or has its position."""
        self._pairs -= len(template) * len(data)
        if self._pairs < 0:
            yield from zip(template, data, strict=False)
            return
        unused = list(range(len(data)))
        for index, member in enumerate(template):
            if not unused or not has_placeholder(member):
                continue
            filled = fill_data(member, self.values)
            agreements = {k: (_count_equal(filled, data[k]), k == index, -k) for k in unused}
            best = max(unused, key=agreements.__getitem__)
            unused.remove(best)
            yield member, data[best]


class _TextMatcher:
    """Finds the values of placeholders within texts of a run; its work is bounded.

    Attributes:
        guessed: the placeholders whose words may have others beside them, as the texts differ.
    """

    def __init__(self) -> None:
        self.guessed: set[str] = set()
        self._cells = MAX_CELLS

    def match(self, template: str, text: str) -> Iterator[tuple[str, str]]:
        """Yields each placeholder of a template with the words of a text in its spot."""
        names = [match[0] for match in PLACEHOLDER.finditer(template)]
        exact = match_template(template, text)
        pairs = exact or [*_match_kinds(names, text), *self._align_words(template, text)]
        values: dict[str, str] = {}
        for name, value in pairs:
            if 0 < len(value) <= MAX_VALUE:
                values.setdefault(name, value)
        yield from values.items()

    def _align_words(self, template: str, text: str) -> Iterator[tuple[str, str]]:
        """Yields the words between those around a placeholder, or else those that replace it."""
        old = [match[0] for match in _WORD.finditer(template)]
        words = list(_WORD.finditer(text))
        cells = len(old) * len(words)
        if cells > self._cells:
            return
        self._cells -= cells
        new = [word[0] for word in words]
        redacted = [index for index, word in enumerate(old) if PLACEHOLDER.search(word)]
        spans = [(index, _find_between(old, index, new)) for index in redacted]
        for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "replace" and j - i in (1, m - k):
                size = (m - k) // (j - i)
                spans += [(i + n, (k + n * size, k + (n + 1) * size)) for n in range(j - i)]
        for index, span in spans:
            if span is not None and PLACEHOLDER.search(old[index]):
                part = text[words[span[0]].start() : words[span[1] - 1].end()]
                for name, value in match_template(old[index], part) or ():
                    self.guessed.add(name)
                    yield name, value


def _find_between(old: Sequence[str], index: int, new: Sequence[str]) -> tuple[int, int] | None:
    """Where the words around one word stand in another text, if this is clear."""
    old, new, index = ["", *old, ""], ["", *new, ""], index + 1  # the ends are words too
    before, after = old[max(0, index - CONTEXT) : index], old[index + 1 : index + 1 + CONTEXT]
    begins = _find_all(before, new, 0)
    ends = _find_all(after, new, begins[0] + len(before) + 1) if len(begins) == 1 else []
    return (begins[0] + len(before) - 1, ends[0] - 1) if len(ends) == 1 else None


def _find_all(words: Sequence[str], text: Sequence[str], begin: int) -> list[int]:
    """The positions at which some words stand in a text of words."""
    size = len(words)
    ends = range(begin, len(text) - size + 1)
    return [k for k in ends if text[k] == words[0] and text[k : k + size] == words]


def fill_placeholders(reference: Trajectory, run: Trajectory) -> Trajectory:
    """Returns a reference with the run's own values in place of its placeholders.

    Args:
        reference: a reference; it is returned itself if nothing in it was redacted.
        run: the run, as it was recorded.
    """
    if not reference.metadata.get(REDACTED):
        return reference
    binding = bind_placeholders(reference, run)
    filled = map_run(reference, lambda data: fill_data(data, binding.values))
    steps = _spell_arguments(filled.steps, reference.steps, binding)
    metadata = {
        **reference.metadata,
        UNBOUND: [entry._asdict() for entry in binding.unbound],
    }
    return filled.model_copy(update={"steps": steps, "metadata": metadata})


def hide_values(data: Any, binding: Binding) -> Any:
    """Returns data of the run with the placeholders of the recording in place of their values.

    Args:
        data: arguments of the run.
        binding: of the recording and the run.
    """
    names: dict[str, str] = {}
    for values in (binding.values, *binding.spellings.values()):
        for name, value in values.items():
            names.setdefault(str(value), name)
    longest_first = sorted(names, key=len, reverse=True)

    def hide(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: hide(member) for key, member in node.items()}
        if isinstance(node, list):
            return [hide(member) for member in node]
        if isinstance(node, str | int | float) and str(node) in names:
            return names[str(node)]
        if not isinstance(node, str):
            return node
        text = node
        for value in longest_first:
            if len(value) >= MIN_NAME:
                text = text.replace(value, names[value])
        return text

    return hide(data)


def list_unbound(reference: Trajectory) -> list[Unbound]:
    """Returns the arguments that a filled reference could not compare."""
    entries = reference.metadata.get(UNBOUND) if reference.metadata.get(REDACTED) else None
    return [
        Unbound(*(str(entry.get(name, "")) for name in Unbound._fields))
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    ]


def _spell_arguments(
    steps: Sequence[Step], redacted: Sequence[Step], binding: Binding
) -> tuple[Step, ...]:
    """The steps, whose arguments have the run's spellings of the values."""
    spelled = []
    for step, original in zip(steps, redacted, strict=True):
        update: dict[str, Any] = {}
        if original.substeps:
            update["substeps"] = _spell_arguments(step.substeps, original.substeps, binding)
        if original.id in binding.spellings:
            values = {**binding.values, **binding.spellings[original.id]}
            update["arguments"] = fill_data(original.arguments, values)
        spelled.append(step.model_copy(update=update) if update else step)
    return tuple(spelled)


def _match_kinds(names: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    """Pairs placeholders with the private values of a text, if it has as many of their kind."""
    parts: dict[str, list[str]] = {}
    for part in find_private(text):
        parts.setdefault(part.kind, []).append(text[part.start : part.end])
    for kind, values in parts.items():
        of_kind = [name for name in names if _kind(name) == kind]
        if len(of_kind) == len(values):
            yield from zip(of_kind, values, strict=True)


def _parse_json(text: str) -> Any:
    """The object or list that a text writes as JSON; None for other texts."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _count_equal(template: Any, data: Any) -> int:
    """How many members of two objects are the same; 1 or 0 for other values."""
    if isinstance(template, dict) and isinstance(data, dict):
        others = {canonical_key(key): member for key, member in data.items()}
        return sum(others.get(canonical_key(key)) == member for key, member in template.items())
    return int(template == data)


def _is_redacted(step: Step) -> bool:
    return has_placeholder([step.arguments, step.effect, step.state])


def _name_tool(step: Step) -> str:
    return canonical_tool(step.tool or "").bare


def _kind(name: str) -> str:
    return name.split("-")[1] if "-" in name else ""


def _list_names(data: Any) -> Iterator[str]:
    for _, text in list_texts(data):
        for match in PLACEHOLDER.finditer(text):
            yield match[0]


def _find_path(arguments: Any, name: str) -> str:
    """The path of the first argument with a placeholder, as findings write it."""
    return next((path.lstrip(".") for path, text in list_texts(arguments) if name in text), "")
