"""Arguments of a run in the notation of its reference, where the two prove each other equal.

The other side may decide how a value is read: "ja" is true against a boolean, "a, b"
a list against a list, and a range is two dates against a start and an end. Nothing is guessed: an
argument takes the reference's notation only if it is equal in it.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice, permutations

from pydantic import JsonValue

from otap._patterns import regex
from otap.trajectory import Step
from otap.values.identifiers import write_cell
from otap.values.keys import canonical_key, is_secret_key, last_word, singular
from otap.values.literals import words_in_digits
from otap.values.numbers import parse_number, read_section
from otap.values.tool_names import canonical_tool
from otap.values.units import split_key
from otap.values.value import Value, canonical_leaf

MAX_PAIRS = 200  # of calls of a run and of its reference
MAX_KEYS, MAX_TEXT, MAX_LEVELS = 40, 400, 3
MAX_COMPOSED = 12  # pairs of keys of one object that may be one value
MAX_NUMBERS = 200  # that a text such as 3-7 lists
_Object = Mapping[str, JsonValue]
Shapes = Mapping[str, Mapping[object, list[_Object]]]
# A sign between two parts, or the end of a line; a run of blanks is read once.
_SIGN = r"[,;\u3001\uff0c\u060c]"
_BETWEEN = regex(rf"{_SIGN}\s*+|(?<!\s)\s++{_SIGN}\s*+|(?<!\s)(?=[^\S\n]*+\n)\s++")
_SPAN = regex(r"(\d{1,6})(?:\s?[-\u2013]\s?(\d{1,6}))?\Z")
# Two values that are one together: the last words of their keys, and how they are joined. The key
# of the whole may have any name if the value shows its kind, else one of the last words.
_ENDS = "{} \u2013 {}"
_COMPOSITIONS = tuple(
    (frozenset(first.split()), frozenset(second.split()), form, frozenset(key_words.split()))
    for first, second, form, key_words in (
        (
            "start from begin checkin since",
            "end to until checkout",
            _ENDS,
            "",
        ),
        ("date day", "time hour", "{}T{}", ""),
        ("date day", "time hour", "{} {}", ""),
        ("amount price total value sum cost cents", "currency", "{} {}", ""),
        ("value amount quantity size", "unit", "{} {}", ""),
        ("start end datetime time at date", "timezone tz zone", "{} {}", ""),
        ("width", "height", "{}x{}", ""),
        ("host hostname server", "port", "{}:{}", "host address server endpoint target url"),
        ("owner org", "repo repository name", "{}/{}", "repo repository project fullname"),
        (
            "first given firstname forename",
            "last family lastname surname",
            "{} {}",
            "name fullname",
        ),
        (
            "lat latitude",
            "lng lon long longitude",
            "{},{}",
            "location coordinate position point latlng",
        ),
        ("column col", "row", "cell", "cell range anchor"),
    )
)
_FLAG = "flag"
MAX_FLAG = 12  # letters
_PLAIN_FLAGS = frozenset(("true", "false", "yes", "no", "on", "off"))
_KINDS = frozenset(("range", "moment", "quantity", "size"))
_HASHES = frozenset(("md5", "sha1", "sha256", "sha384", "sha512", "hash", "digest", "checksum"))


def list_shapes(steps: Iterable[Step]) -> Shapes:
    """Returns the arguments of some calls by the tool, and by the keys and types of the values."""
    shapes: dict[str, dict[object, list[_Object]]] = {}
    for step in steps:
        if step.tool is not None and isinstance(step.arguments, dict) and step.arguments:
            tool = canonical_tool(step.tool).bare
            shape = _shape_of(step.arguments, 0)
            shapes.setdefault(tool, {}).setdefault(shape, []).append(step.arguments)
    return shapes


def _shape_of(data: JsonValue, level: int) -> object:
    if isinstance(data, dict) and level < MAX_LEVELS and len(data) <= MAX_KEYS:
        return frozenset((key, _shape_of(member, level + 1)) for key, member in data.items())
    if isinstance(data, str) and len(data) <= MAX_FLAG and data.lower() in _flags():
        return _FLAG
    return type(data)


@cache
def _flags() -> Mapping[str, bool]:
    """The words for true and false of all languages."""
    words = dict.fromkeys(read_section("no").split(), False)
    return words | dict.fromkeys(read_section("yes").split(), True)


def pair_notations(run: Shapes, reference: Shapes) -> Mapping[str, str]:
    """Returns for arguments of a run the same ones in the reference's notation, all as JSON.

    Calls of one shape write their arguments in the same way, and are not compared.
    """
    pairs: dict[str, str] = {}
    budget = MAX_PAIRS
    for tool, shapes in run.items():
        others = reference.get(tool, {})
        for shape, calls in shapes.items():
            candidates = [
                call
                for other, listed in others.items()
                if can_adopt(shape, other)
                for call in listed
            ]
            for call in calls if candidates else ():
                for candidate in candidates:
                    budget -= 1
                    if budget < 0:
                        return pairs
                    adopted = _adopt_object(call, candidate, 0)
                    if adopted is not None:
                        pairs[write_arguments(call)] = write_arguments(adopted)
                        break
    return pairs


@lru_cache(maxsize=4096)
def can_adopt(shape: object, other: object) -> bool:
    """Returns whether the keys and types of some arguments allow another notation at all."""
    if shape == other or not (isinstance(shape, frozenset) and isinstance(other, frozenset)):
        return False
    run, reference = dict(shape), dict(other)
    for key in run.keys() & reference.keys():
        types = {run[key], reference[key]}
        if len(types) == 2 and (types & {str, _FLAG} or types == {bool, int} or can_adopt(*types)):
            return True
    only_run, only_reference = run.keys() - reference.keys(), reference.keys() - run.keys()
    if any(map(is_hash_key, only_run)) and any(map(is_hash_key, only_reference)):
        return True
    return _composes(run, only_run) or _composes(reference, only_reference)


def _composes(keys: Iterable[str], unshared: Collection[str]) -> bool:
    """Whether two keys, of which one or both are the object's own, may be one value together."""
    roles = {key: roles_of(key) for key in keys}
    return any(
        first != second and roles[first][0] & roles[second][1]
        for first in roles
        for second in roles
        if first in unshared or second in unshared
    )


@lru_cache(maxsize=4096)
def roles_of(key: str) -> tuple[frozenset[int], frozenset[int]]:
    """Returns the numbers of the compositions in which a key is the first or the second part."""
    words = _last_words(key)
    first = frozenset(n for n, parts in enumerate(_COMPOSITIONS) if words & parts[0])
    second = frozenset(n for n, parts in enumerate(_COMPOSITIONS) if words & parts[1])
    return first, second


def is_hash_key(key: str) -> bool:
    """Returns whether the text under a key is a hash."""
    return last_word(key) in _HASHES or key.lower() in _HASHES


def write_arguments(arguments: object) -> str:
    """Returns arguments as one text."""
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False)


def _adopt_object(run: _Object, reference: _Object, level: int) -> dict[str, JsonValue] | None:
    """Returns an object in the notation of another one; None if nothing changes."""
    if len(run) > MAX_KEYS or len(reference) > MAX_KEYS:
        return None
    adopted = dict(run)
    for key, parts in list(_list_compositions(adopted, reference)):
        del adopted[key]
        adopted.update({part: reference[part] for part in parts})
    for key, parts in list(_list_compositions(reference, adopted)):
        for part in parts:
            del adopted[part]
        adopted[key] = reference[key]
    for key, other in _pair_hashes(adopted, reference):
        del adopted[key]
        adopted[other] = reference[other]
    for key in adopted.keys() & reference.keys():
        value, expected = adopted[key], reference[key]
        is_other = isinstance(value, str) and value != expected
        if (is_other or type(value) is not type(expected)) and is_same_value(value, expected, key):
            adopted[key] = expected
        elif isinstance(value, dict) and isinstance(expected, dict) and level < MAX_LEVELS:
            adopted[key] = _adopt_object(value, expected, level + 1) or value
    is_same = adopted.keys() == run.keys() and all(adopted[key] is run[key] for key in run)
    return None if is_same else adopted


def is_same_value(value: JsonValue, other: JsonValue, key: str) -> bool:
    """Returns whether two values of different types are equal under a key; secrets never are."""
    if is_secret_key(key):
        return False
    if isinstance(value, str) and isinstance(other, str):
        flags = {_flags().get(text.strip().lower()) for text in (value, other)}
        is_plain = not _PLAIN_FLAGS.isdisjoint((value.strip().lower(), other.strip().lower()))
        return is_plain and len(flags) == 1 and None not in flags
    if isinstance(value, str):
        return _is_text_of(value, other, key)
    if isinstance(other, str):
        return _is_text_of(other, value, key)
    if isinstance(value, bool) or isinstance(other, bool):
        return value in (0, 1) and value == other
    return False


def _is_text_of(text: str, data: JsonValue, key: str) -> bool:
    if len(text) > MAX_TEXT:
        return False
    if isinstance(data, bool):
        return _flags().get(text.strip().lower()) is data
    if isinstance(data, int | float):
        number = parse_number(words_in_digits(text.lower()))
        return number is not None and number == parse_number(str(data))
    if isinstance(data, list):
        return len(data) > 1 and _lists_members(text, data, key)
    if isinstance(data, dict):
        return len(data) == 2 and _compose(data, _list_pairs(data), text, key) is not None
    return False


def _lists_members(text: str, members: Sequence[JsonValue], key: str) -> bool:
    """Whether a text lists the members of a list, as numbers or between commas or blanks."""
    if len(members) > MAX_NUMBERS:
        return False
    if all(isinstance(member, int) and not isinstance(member, bool) for member in members):
        numbers = _read_numbers(text)
        if numbers == list(members):
            return True
    if not all(isinstance(member, str | int | float) for member in members):
        return False
    parts: list[JsonValue] = [*_BETWEEN.split(text.strip())]
    if len(parts) == 1:
        parts = [*text.split()]
    listed, expected = Value(parts, key=key), Value(list(members), key=key)
    return len(parts) == len(members) and listed.identity == expected.identity


def _read_numbers(text: str) -> list[int]:
    """The numbers of 3-7 or 1, 3-5."""
    numbers: list[int] = []
    for part in _BETWEEN.split(text.strip()):
        span = _SPAN.match(part)
        if not span:
            return []
        first, last = int(span[1]), int(span[2] or span[1])
        if not 0 <= last - first <= MAX_NUMBERS:
            return []
        numbers += range(first, last + 1)
    return numbers


def _list_compositions(wholes: _Object, parts: _Object) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yields keys of an object whose value is that of two keys of the other one together."""
    pairs = _list_pairs(parts)
    used: set[str] = set()
    for key in wholes if pairs else ():
        if not _is_short(wholes[key]) or is_secret_key(key):
            continue
        if key in parts and parts[key] == wholes[key]:
            continue
        free = [
            pair for pair in pairs if all(name == key or name not in wholes for name in pair[:2])
        ]
        composed = _compose(parts, free, str(wholes[key]), key)
        if composed and used.isdisjoint(composed):
            used.update(composed)
            yield key, composed


def _list_pairs(parts: _Object) -> list[tuple[str, str, int]]:
    """The pairs of keys of an object that may be one value, with the way of composing it."""
    names = [name for name in parts if _is_short(parts[name])]
    pairs = (
        (first, second, number)
        for first, second in permutations(names, 2)
        for number in sorted(roles_of(first)[0] & roles_of(second)[1])
    )
    return list(islice(pairs, MAX_COMPOSED))


def _compose(
    parts: _Object, pairs: Iterable[tuple[str, str, int]], text: str, key: str
) -> tuple[str, str] | None:
    """Returns the two keys whose values together are a value, or None."""
    for first, second, number in pairs:
        _, _, form, words = _COMPOSITIONS[number]
        if not words or words & _last_words(key):
            joined = _join(parts[first], first, parts[second], form)
            if joined and _reads_as(joined, text, key, bool(words)):
                return first, second
    return None


def _reads_as(joined: str, text: str, key: str, is_named: bool) -> bool:
    value = Value(joined, key=key, in_list=True)
    return value.canonical == canonical_leaf(text, key) and (
        is_named or value.scalar.kind in _KINDS
    )


def _join(first: JsonValue, key: str, second: JsonValue, form: str) -> str | None:
    if form == "cell":
        return write_cell(str(first), str(second))
    # 4550 under amount_cents is 45.5.
    text = canonical_leaf(first, key) if isinstance(first, int | float) else str(first)
    return form.format(text, second)


def _is_short(data: JsonValue) -> bool:
    is_leaf = isinstance(data, str | int | float) and not isinstance(data, bool)
    return is_leaf and len(str(data)) <= MAX_TEXT


def _last_words(key: str) -> frozenset[str]:
    words = [word.lower() for word in split_key(key)]
    return frozenset((canonical_key(key), singular(last_word(key)), *words[:1], *words[-1:]))


def _pair_hashes(run: _Object, reference: _Object) -> list[tuple[str, str]]:
    """The keys of equal hashes, each of which only one side has: sha256 and digest."""
    forms, others = (
        {
            canonical_leaf(str(side[key]), key): key
            for key in side
            if key not in other and is_hash_key(key)
        }
        for side, other in ((run, reference), (reference, run))
    )
    return [(key, others[form]) for form, key in forms.items() if form in others]
