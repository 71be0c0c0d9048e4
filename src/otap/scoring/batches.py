"""Calls that together do the work of one call of the other side: rows of a list, or fields.

The union of their arguments is written in the form of the whole. The usual comparison then
decides whether both are the same. A part has no argument that the whole lacks.

rows: a list or an object at the top or under any key of the whole. A part does the same for some
    of the rows; the arguments next to the list hold for each row.
appended: the whole creates something with a list in it. One part creates it without the list, and
    each other part adds some rows.
fields: the whole sets several fields. A part names one field and its value.
statements: the rows of an INSERT in SQL are such a list.
commands: the commands of a line for a shell are such a list.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import JsonValue

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.columns import Column
from otap.run.kinds import kind_of
from otap.run.settings import RulesOf
from otap.run.verbs import read_deed
from otap.trajectory import Step
from otap.values.commands import normalize_line, parse_shell, split_line
from otap.values.keys import canonical_key, last_word, singular, unwrap_arguments
from otap.values.value import plain

MAX_ROWS = 200  # a call for more rows is compared as one call
MAX_LISTS = 8  # so is one with more lists or objects
MAX_PAIRS = 5_000  # pairs of a whole and a part that are tried
MAX_BASES = 4  # calls that may create an object, one of which is tried
MAX_KEYS = 20  # arguments of a part that names an object or a field
MAX_DEPTH = 8  # of an effect that shows an identifier
# Keys that do not describe the value under them.
_PLAIN_KEYS = frozenset(
    ("", "item", "id", "value", "name", "entry", "element", "row", "record", "data", "object")
)
# The last words of keys under which a part names a field, and its value.
_FIELD_KEYS = frozenset(("field", "name", "key", "property", "attribute", "column", "label"))
_VALUE_KEYS = frozenset(("value", "content", "text", "to"))
# Objects of a call that sets one field.
_FIELD_OBJECTS = frozenset(("field", "value", "property", "attribute", "input", "setting", "text"))
_SETTING = frozenset(("update", "fill", "enter", "type", "input", "put", "write", "assign"))
_ADDING = frozenset(("create", "push", "put", "attach", "include"))

MAX_STATEMENT = 20_000  # characters; a longer statement stays one text
_ROW = r"\((?:[^()']|'[^']*'|\([^()']*\))*\)"
_INSERT = regex(
    rf"\s*(insert\s+into\s[^;']*?\bvalues)\s*({_ROW}(?:\s*,\s*{_ROW})*)\s*;?\s*\Z", re.IGNORECASE
)
_INSERTED = regex(_ROW)
_WORD = regex(r"[^\W_][\w-]*")
Object = Mapping[str, JsonValue]


class Batch(NamedTuple):
    """Steps that together do the work of one step of the other side, in full or in part.

    Attributes:
        parts: their indices.
        target: the index of the whole.
        arguments: everything that the parts say, in the form of the whole.
        size: the number of rows or fields that they say.
    """

    parts: tuple[int, ...]
    target: int
    arguments: JsonValue
    size: int


@dataclass(frozen=True, eq=False)
class Call:
    """A call that may be a part or a whole.

    Attributes:
        step: the step.
        arguments: without a key that only wraps them; a list at the top is under an empty key, and
            the rows of an INSERT are a list.
        heads: by the key of a statement, its text before the rows.
    """

    step: Step
    arguments: Object
    heads: Mapping[str, str]

    @property
    def is_whole(self) -> bool:
        """Whether it may be a whole: it has rows, or sets several fields."""
        return bool(self.row_keys) or self.sets_fields

    @cached_property
    def row_keys(self) -> Sequence[str]:
        """The keys of lists and objects, whose members or which themselves are rows."""
        keys = [
            key
            for key, argument in self.arguments.items()
            if isinstance(argument, list | dict) and 0 < len(argument) <= MAX_ROWS
        ]
        return keys if len(keys) <= MAX_LISTS else []

    @cached_property
    def sets_fields(self) -> bool:
        """Whether it sets several fields."""
        deed = read_deed(self.step.tool or "")
        return deed is not None and deed.verb in _SETTING and len(self.arguments) > 1

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The text of each argument, which equal arguments share."""
        return {
            key: _write([self.heads[key], argument] if key in self.heads else argument)
            for key, argument in self.arguments.items()
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The keys by their canonical forms."""
        return {canonical_key(key): key for key in self.arguments}

    @cached_property
    def rows_of(self) -> Mapping[str, Counter[str]]:
        """The texts of the members of each list; anything else is one row."""
        return {
            key: Counter(map(_write, argument))
            if isinstance(argument, list) and len(argument) <= MAX_ROWS
            else Counter([self.texts[key]])
            for key, argument in self.arguments.items()
        }

    @cached_property
    def created(self) -> frozenset[str]:
        """The texts by which later calls may name the object that it created."""
        shown = [*self.arguments.values(), plain(self.step.effect)]
        texts = [text for data in shown for text in _list_scalars(data)]
        return frozenset([*texts, *(word for text in texts for word in _WORD.findall(text))])


class _Fit(NamedTuple):
    """The rows that a part says, and the other arguments that it shares with the whole."""

    part: Call
    rows: Sequence[JsonValue]
    texts: Counter[str]
    shared: Object


class Calls(Column[Call | None]):
    """Each step as a call that may be a part or a whole; None if it is no such call."""

    attributes = "arguments", "tool", "substeps", "effect"

    def read(self, steps: Sequence[Step], rules_of: RulesOf) -> list[Call | None]:  # noqa: ARG002
        """Returns each step as a call."""
        return [_read_call(step) for step in steps]


CALLS = Calls()


class _Joined(NamedTuple):
    """Parts of a whole, their arguments in its form, and the number of rows or fields."""

    parts: tuple[Call, ...]
    arguments: JsonValue
    size: int


def find_wholes(calls: Mapping[int, Call | None]) -> dict[int, Call]:
    """Returns those of some steps that may be wholes."""
    return {k: call for k, call in calls.items() if call is not None and call.is_whole}


def find_batches(
    wholes: Mapping[int, Call], parts: Mapping[int, Call | None], order: Sequence[int]
) -> Iterator[Batch]:
    """Yields steps that together do the work of one step of the other side; each step once.

    Args:
        wholes: calls of one side that may be wholes, by the indices of their steps.
        parts: steps of the other side by their indices.
        order: the indices of that side, ordered by dependencies.
    """
    if len(parts) * len(wholes) > MAX_PAIRS:
        return
    indices = {call: k for k, call in (*wholes.items(), *parts.items()) if call is not None}
    waiting = [call for k in order if (call := parts.get(k)) is not None]
    for target in sorted(
        wholes.values(), key=lambda call: (call.step.tool, sorted(call.texts.items()))
    ):
        # Commands of a line run in order, as recorded.
        parts_in_order = sorted(waiting, key=indices.__getitem__) if _is_line(target) else waiting
        batches = [*_join_all_rows(target, parts_in_order), *_join_fields(target, waiting)]
        if batches:
            best = max(batches, key=lambda batch: batch.size)
            waiting = [call for call in waiting if call not in best.parts]
            used = tuple(indices[call] for call in best.parts)
            yield Batch(used, indices[target], best.arguments, best.size)


def find_batchable(
    wholes: Mapping[int, Call], parts: Mapping[int, Call | None]
) -> set[tuple[int, int]]:
    """Returns the pairs (whole, part) of steps that may be in a batch.

    Args:
        wholes: calls of one side that may be wholes, by the indices of their steps.
        parts: steps of the other side by their indices.
    """
    if len(parts) * len(wholes) > MAX_PAIRS:
        return set()
    part_calls = {call: k for k, call in parts.items() if call is not None}
    pairs = set()
    for index, target in wholes.items():
        fitting = {part for part, *_ in _list_fields(target, [*part_calls])}
        for key in target.row_keys:
            bases = _list_bases(target, key, [*part_calls])
            if len(bases) > MAX_BASES:
                fitting.update(part_calls)
                continue
            for base in [None, *bases]:
                fits = [fit.part for fit in _list_fits(target, key, base, [*part_calls])]
                fitting.update(fits)
                if fits and base is not None:
                    fitting.add(base)
        pairs |= {(index, part_calls[part]) for part in fitting}
    return pairs


def _read_call(step: Step) -> Call | None:
    if step.tool is None or step.substeps or step.arguments is None:
        return None
    arguments = plain(step.arguments)
    if isinstance(arguments, list):
        return Call(step, {"": arguments}, {})
    if not isinstance(arguments, dict):
        return None
    unwrapped, _ = unwrap_arguments(arguments)
    if not isinstance(unwrapped, dict) or "" in unwrapped:
        return None
    inserts = {
        key: (match[1], _INSERTED.findall(match[2]))
        for key, argument in unwrapped.items()
        if isinstance(argument, str) and len(argument) <= MAX_STATEMENT
        if (match := _INSERT.match(argument))
    }
    rows = {key: list(rows) for key, (_, rows) in inserts.items()}
    heads = {key: head for key, (head, _) in inserts.items()}
    lines = {
        key: _split_command(argument)
        for key, argument in unwrapped.items()
        if isinstance(argument, str) and kind_of(step.tool) == "shell"
    }
    return Call(step, unwrapped | lines | rows, heads)


def _split_command(text: str) -> JsonValue:
    """The commands of a line that run in sequence, as a list if there are several."""
    lines = split_line(text)
    if isinstance(lines, list):
        return [normalize_line(str(line)) for line in lines]
    return text if parse_shell(text) is None else normalize_line(text)


def _join_all_rows(target: Call, parts: Sequence[Call]) -> Iterator[_Joined]:
    """The batches of rows, under each key and with and without a call that creates the rest."""
    for key in target.row_keys:
        for base in [None, *_list_bases(target, key, parts)[:1]]:
            batch = _join_rows(target, key, base, _list_fits(target, key, base, parts))
            if batch is not None:
                yield batch


def _join_rows(target: Call, key: str, base: Call | None, fits: Iterator[_Fit]) -> _Joined | None:
    """The parts that say some of the rows of a call, each row once."""
    left = Counter(target.rows_of[key])
    shared = {} if base is None else {k: base.arguments[k] for k in base.arguments if k != key}
    calls = [] if base is None else [base]
    rows = list[JsonValue]()
    for fit in fits:
        if fit.texts <= left:
            left -= fit.texts
            rows += fit.rows
            shared.update(fit.shared)
            calls.append(fit.part)
    if not rows or (_is_line(target) and rows != target.arguments[key]):
        return None
    written: JsonValue = rows if isinstance(target.arguments[key], list) else rows[0]
    if key in target.heads:
        written = f"{target.heads[key]} {', '.join(map(str, rows))}"
    arguments = {**shared, key: written} if key else written
    return _Joined(tuple(calls), arguments, len(rows))


def _is_line(call: Call) -> bool:
    """Whether the rows of a call are commands, which run in order and all together."""
    return kind_of(call.step.tool) == "shell"


def _list_fits(target: Call, key: str, base: Call | None, parts: Sequence[Call]) -> Iterator[_Fit]:
    """The calls that say some of the rows under a key of a whole, and nothing else."""
    for part in parts:
        is_same_head = _write(part.heads.get(key)) == _write(target.heads.get(key))
        if (
            part is not base
            and is_same_head
            and _is_part(part.step, target.step, is_adding=base is not None)
        ):
            fit = _fit_rows(target, key, base, part)
            if fit is not None:
                yield fit


def _is_part(part: Step, target: Step, *, is_adding: bool) -> bool:
    """Whether a call does the work of the whole for some rows, by the names of both."""
    if part.tool == target.tool:
        return not is_adding
    deed, whole_deed = read_deed(part.tool or ""), read_deed(target.tool or "")
    if deed is None or whole_deed is None:
        return False
    if is_adding:
        return deed.verb in _ADDING
    is_same_object = deed.object == whole_deed.object or not deed.object or not whole_deed.object
    return deed.verb == whole_deed.verb and is_same_object


def _list_bases(target: Call, key: str, parts: Sequence[Call]) -> list[Call]:
    """The calls of the same tool that create the same thing without the rows."""
    deed = read_deed(target.step.tool or "")
    is_appended = key and isinstance(target.arguments[key], list)
    if not is_appended or deed is None or deed.verb not in _ADDING:
        return []
    bases = []
    for part in parts:
        keys = [part_key for part_key in part.arguments if part.arguments[part_key] != []]
        is_without_rows = bool(keys) and key not in keys and part.step.tool == target.step.tool
        if is_without_rows and len(_share(part, target, keys)) == len(keys):
            bases.append(part)
    return bases


def _share(part: Call, target: Call, keys: Sequence[str]) -> dict[str, JsonValue]:
    """The arguments of a part that the whole has too, under the keys of the whole."""
    shared = {}
    for key in keys:
        name = target.names.get(canonical_key(key))
        if name is not None and part.texts[key] == target.texts[name]:
            shared[name] = part.arguments[key]
    return shared


def _fit_rows(target: Call, key: str, base: Call | None, part: Call) -> _Fit | None:
    """The rows that a part says; None if it says anything that the whole does not say."""
    names = {name for name in target.arguments if name != key}
    canonical = {canonical_key(name) for name in names}
    own_keys = [part_key for part_key in part.arguments if canonical_key(part_key) in canonical]
    shared = {name: value for name, value in _share(part, target, own_keys).items() if name != key}
    shared_keys = {
        part_key for part_key in own_keys if target.names[canonical_key(part_key)] in shared
    }
    others = [part_key for part_key in part.arguments if part_key not in shared_keys]
    variants = [others]
    if (
        base is not None and len(others) <= MAX_KEYS
    ):  # one argument names the object that the base created
        variants += [
            [k for k in others if k != part_key]
            for part_key in others
            if part.texts[part_key] in base.created
        ]
    for keys in variants:
        mentioned = _say_rows(target, key, part, keys)
        if mentioned is not None:
            return _Fit(part, *mentioned, shared)
    return None


def _say_rows(
    target: Call, key: str, part: Call, keys: Sequence[str]
) -> tuple[Sequence[JsonValue], Counter[str]] | None:
    """The rows that some arguments of a part say; None if they are no rows of the whole."""
    if not keys:
        return None
    rows = target.rows_of[key]
    row = _write({part_key: part.arguments[part_key] for part_key in keys})
    if row in rows:
        return [_spell_as_row(part, keys, target.arguments[key])], Counter([row])
    if len(keys) != 1 or not _is_key_of(keys[0], key):
        return None
    argument, text = part.arguments[keys[0]], part.texts[keys[0]]
    if text in rows:
        return [argument], Counter([text])
    texts = part.rows_of[keys[0]]
    return (argument, texts) if isinstance(argument, list) and texts <= rows else None


def _spell_as_row(part: Call, keys: Sequence[str], rows: JsonValue) -> JsonValue:
    """Some arguments as an object with the keys of the rows."""
    first = rows[0] if isinstance(rows, list) else rows
    names = {canonical_key(key): key for key in first} if isinstance(first, dict) else {}
    return {names.get(canonical_key(key), key): part.arguments[key] for key in keys}


def _is_key_of(key: str, whole_key: str) -> bool:
    """Whether the key of one row belongs to the key of all: email to emails, id to ticket_ids."""
    if not whole_key or canonical_key(key) == canonical_key(whole_key):
        return True
    part_key, others = singular(last_word(key)), singular(last_word(whole_key))
    return part_key == others or part_key in _PLAIN_KEYS or others in _PLAIN_KEYS


def _join_fields(target: Call, parts: Sequence[Call]) -> Iterator[_Joined]:
    """The parts that each set one field of a call, each field once."""
    mentioned, fields = dict[str, JsonValue](), dict[str, Call]()
    for part, name, value, shared in _list_fields(target, parts):
        if name not in fields:
            fields[name] = part
            mentioned.update(shared)
            mentioned[name] = value
    if fields:
        yield _Joined(tuple(fields.values()), mentioned, len(fields))


def _list_fields(
    target: Call, parts: Sequence[Call]
) -> Iterator[tuple[Call, str, JsonValue, Object]]:
    """The parts that set a field of a call: the part, key, value, and other arguments."""
    deed = read_deed(target.step.tool or "")
    if deed is None or not target.sets_fields:
        return
    for part in parts:
        part_deed = read_deed(part.step.tool or "")
        if part_deed is None or part_deed.verb not in _SETTING:
            continue
        is_field = not _FIELD_OBJECTS.isdisjoint(part_deed.object)
        if is_field or part_deed.object == deed.object:
            field = _read_field(target, part)
            if field is not None:
                yield part, *field


def _read_field(target: Call, part: Call) -> tuple[str, JsonValue, Object] | None:
    """The field that a part sets as the whole does, its value, and the other arguments."""
    value_keys = [key for key in part.arguments if last_word(key) in _VALUE_KEYS]
    if len(value_keys) != 1 or len(part.arguments) > MAX_KEYS:
        return None
    [value_key] = value_keys
    for key, argument in part.arguments.items():
        if key == value_key or last_word(key) not in _FIELD_KEYS or not isinstance(argument, str):
            continue
        name = target.names.get(canonical_key(argument.strip().replace(" ", "_")))
        others = [part_key for part_key in part.arguments if part_key not in (key, value_key)]
        shared = _share(part, target, others)
        is_equal = name is not None and part.texts[value_key] == target.texts[name]
        if name is not None and is_equal and len(shared) == len(others):
            return name, part.arguments[value_key], shared
    return None


def _list_scalars(data: JsonValue, depth: int = 0) -> Iterator[str]:
    if isinstance(data, dict | list) and depth < MAX_DEPTH:
        members = data.values() if isinstance(data, dict) else data[:MAX_ROWS]
        for member in members:
            yield from _list_scalars(member, depth + 1)
    elif data is not None and not isinstance(data, dict | list):
        yield _write(data)


def _write(data: JsonValue) -> str:
    """A text that equal data shares, whatever the spelling and the order of its keys."""
    form = _fold(data)
    return form if isinstance(form, str) else repr(form)


def _fold(data: JsonValue) -> object:
    if isinstance(data, dict):
        members = [(canonical_key(key), _fold(member)) for key, member in data.items()]
        return sorted(members, key=repr)
    if isinstance(data, list):
        return [_fold(member) for member in data]
    return "" if data is None else " ".join(str(data).split()).casefold()
