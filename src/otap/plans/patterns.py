"""The values that a plan allows, and the allowed value nearest to a run's.

A pattern is an object with one of a few keys. Patterns occur only in plans; in a recorded run the
same object is an ordinary value.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from numpy.typing import NDArray
from pydantic import JsonValue

from otap._work import WorkAccount
from otap.errors import shown
from otap.values.distance import is_same
from otap.values.keys import canonical_keys
from otap.values.value import Value, join_path, plain

MAX_GLOB, MAX_STARS = 200, 8  # characters of a glob, and its number of '*'
MAX_TEXT = 10_000  # characters of a value that is matched with a glob
MAX_DEPTH = 16  # levels of objects and lists in the arguments of a step
COMPARISON_WORK = 25  # units of work of one comparison of a value of a run with one of a plan
# Texts at a larger cosine distance have different meanings. Of nine pairs of paraphrases the
# furthest is at .77; of nine pairs of unlike texts all but one are at .82 or more.
MAX_LIKE_DISTANCE = 0.8
MAX_SHOWN = 40  # characters of a value in the description of a pattern
MAX_LISTED = 4  # values in this description

ANY, ONE_OF, GLOB, LIKE, FROM = "any", "one_of", "glob", "like", "from"
OPTIONAL, EQUALS = "optional", "equals"
RANGE = frozenset({"min", "max"})
_SINGLE_KEYS = frozenset({ANY, ONE_OF, GLOB, LIKE, FROM, OPTIONAL, EQUALS})
KEYS = _SINGLE_KEYS | RANGE
_ABSENT: Any = object()


class Fit(NamedTuple):
    """The fit of a run's data to a pattern.

    Attributes:
        nearest: the allowed data nearest to the run's; _ABSENT for an omitted key.
        misses: the allowed values in words, by path, where the run's value is not allowed.
        leaves: the number of compared values.
    """

    nearest: Any
    misses: Mapping[str, str]
    leaves: int


Vectors = Callable[[list[str]], NDArray[Any]]
SourceValues = Mapping[str, Sequence[JsonValue]]  # values from results, by the text of ``from``


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Checks the patterns in the arguments of a step.

    Raises:
        ValueError: with the key and the problem of an invalid pattern.
    """
    for key, pattern in arguments.items():
        try:
            _check_pattern(pattern, 1)
        except ValueError as error:
            raise ValueError(f"{shown(key, MAX_SHOWN)}: {error}") from None


def _check_pattern(pattern: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    inner_patterns: list[Any] = []
    if isinstance(pattern, list):
        inner_patterns = pattern
    elif is_pattern(pattern):
        _check_keys(pattern)
        inner_patterns = [*pattern.get(ONE_OF, ()), pattern.get(OPTIONAL)]
    elif isinstance(pattern, dict):
        similar_key = find_near_key(pattern)
        if similar_key:
            raise ValueError(
                f"unknown pattern key '{shown(next(iter(pattern)), MAX_SHOWN)}'; did you mean"
                f" '{similar_key}'? Write a literal object as {{ equals = ... }}"
            )
        if pattern and pattern.keys() <= KEYS:
            keys = " and ".join(f"'{key}'" for key in sorted(pattern))
            raise ValueError(f"a pattern has one key, or 'min' and 'max'; this one has {keys}")
        inner_patterns = list(pattern.values())
    for inner_pattern in inner_patterns:
        _check_pattern(inner_pattern, depth + 1)


def _check_keys(pattern: Mapping[str, Any]) -> None:
    for key, operand in pattern.items():
        if key == ANY and operand is not True:
            raise ValueError("'any' can only be true")
        if key in (ONE_OF, LIKE) and not (isinstance(operand, list) and operand):
            raise ValueError(f"'{key}' must be a list with at least one value")
        if key == LIKE and not all(isinstance(text, str) for text in operand):
            raise ValueError("'like' must be a list of texts")
        if key in (GLOB, FROM) and not isinstance(operand, str):
            raise ValueError(f"'{key}' must be a text")
        if key == GLOB:
            check_glob(operand)
        if key in RANGE and _measure(operand) is None:
            raise ValueError(f"'{key}' must be a number, an amount or a date")
    if pattern.keys() >= RANGE and not _is_at_most(pattern["min"], pattern["max"]):
        raise ValueError("'min' is above 'max', or of another kind")


def check_glob(glob: str) -> None:
    """Checks the length of a glob and its number of stars.

    Raises:
        ValueError: with the exceeded limit.
    """
    if len(glob) > MAX_GLOB:
        raise ValueError(f"a glob has {len(glob)} characters, above the limit of {MAX_GLOB}")
    if glob.count("*") > MAX_STARS:
        raise ValueError(f"a glob has {glob.count('*')} '*', above the limit of {MAX_STARS}")


def is_pattern(data: object) -> bool:
    """Returns whether an object is a pattern: it has a pattern key and no other keys."""
    if not isinstance(data, dict) or not data:
        return False
    return (len(data) == 1 and not _SINGLE_KEYS.isdisjoint(data)) or data.keys() <= RANGE


class Comparer:
    """Compares values of a run with those of a plan.

    Args:
        vectors: returns the unit vectors of texts.
        account: the work of the score, from which each comparison draws.
    """

    def __init__(self, vectors: Vectors, account: WorkAccount) -> None:
        self._vectors, self._account = vectors, account
        self._texts: dict[str, Value] = {}

    def read(self, data: Any) -> Value:
        """Returns a value; each text is read once."""
        if type(data) is not str:
            return Value(data)
        if data not in self._texts:
            self._texts[data] = Value(data)
        return self._texts[data]

    def count(self) -> None:
        """Counts a comparison.

        Raises:
            LimitError: if the score takes too much work.
        """
        self._account.draw(COMPARISON_WORK, "this comparison with a value of a plan")

    def are_same(self, allowed: Any, data: Any) -> bool:
        """Returns whether two values are equal under the metric."""
        self.count()
        return _are_same(self.read(allowed), self.read(data))

    def is_prose(self, data: Any) -> bool:
        """Returns whether data is a text of prose."""
        return isinstance(data, str) and self.read(data).is_embedded

    def contains(self, text: Any, data: Any) -> bool:
        """Returns whether an answer in words contains a value."""
        self.count()
        return _contains(text, data)

    def find_nearest_text(self, allowed: Sequence[str], text: str) -> tuple[str, float]:
        """Returns the text nearest in meaning, and its cosine distance in [0, 2]."""
        for _ in allowed:
            self.count()
        first, *allowed_vectors = self._vectors([text, *allowed])
        similarities = [float(first @ vector) for vector in allowed_vectors]
        best = similarities.index(max(similarities))
        return allowed[best], 1 - similarities[best]


def find_near_key(data: Mapping[str, Any]) -> str | None:
    """Returns the pattern key of which the only key of an object is probably a typo, or None."""
    if len(data) != 1 or not KEYS.isdisjoint(data):
        return None
    (key,) = data
    matches = get_close_matches(key.lower(), sorted(KEYS), n=1, cutoff=0.66)
    return matches[0] if matches else None


def as_literal(data: Any) -> Any:
    """Returns data for a plan, with each object that looks like a pattern wrapped in 'equals'."""
    if isinstance(data, dict):
        if data and (data.keys() <= KEYS or find_near_key(data)):
            return {EQUALS: data}
        return {name: as_literal(member) for name, member in data.items()}
    return [as_literal(member) for member in data] if isinstance(data, list) else data


def fit_arguments(
    arguments: Mapping[str, Any],
    data: JsonValue,
    sources: SourceValues,
    comparer: Comparer,
    *,
    partial: bool = False,
) -> Fit:
    """Returns the fit of the arguments of a call to those of a plan.

    Args:
        arguments: the allowed values by key; values may be patterns.
        data: the arguments of the call.
        sources: the values for each ``from``; an unknown source allows any value.
        comparer: compares values.
        partial: whether an object may have keys that the pattern lacks.

    Raises:
        LimitError: if there are too many values to compare.
    """
    fitting = _Fitting(sources, partial, comparer)
    nearest = fitting.fit_object(arguments, data, "")
    return Fit(nearest, fitting.misses, fitting.leaves)


def list_sources(arguments: Mapping[str, Any] | None) -> Iterator[str]:
    """Yields the text of each ``from`` in the arguments of a step."""
    for pattern in (arguments or {}).values():
        yield from _list_sources(pattern)


def _list_sources(pattern: Any) -> Iterator[str]:
    if isinstance(pattern, list):
        for member in pattern:
            yield from _list_sources(member)
    elif isinstance(pattern, dict):
        if is_pattern(pattern) and FROM in pattern:
            yield pattern[FROM]
        else:
            for member in pattern.values():
                yield from _list_sources(member)


def describe_pattern(pattern: Any) -> str:
    """Returns a pattern or a value in words."""
    if not is_pattern(pattern) or EQUALS in pattern:
        data = pattern[EQUALS] if is_pattern(pattern) else pattern
        text = Value(data).text
        return shown(text if text.strip() else json.dumps(data), MAX_SHOWN)
    if ANY in pattern:
        return "any value"
    if ONE_OF in pattern or LIKE in pattern:
        members = pattern.get(ONE_OF, pattern.get(LIKE))
        words = " or ".join(describe_pattern(member) for member in members[:MAX_LISTED])
        words += " or others" if len(members) > MAX_LISTED else ""
        return words if ONE_OF in pattern else f"like {words}"
    if GLOB in pattern:
        return f"'{shown(pattern[GLOB], MAX_SHOWN)}'"
    if FROM in pattern:
        return f"a value from {shown(pattern[FROM], MAX_SHOWN)}"
    if OPTIONAL in pattern:
        return f"nothing or {describe_pattern(pattern[OPTIONAL])}"
    least, most = (shown(str(pattern.get(key, "")), MAX_SHOWN) for key in ("min", "max"))
    if least and most:
        return f"{least} to {most}"
    return f"at least {least}" if least else f"at most {most}"


class _Fitting:
    """Fits data to a pattern and collects the misses."""

    def __init__(self, sources: SourceValues, partial: bool, comparer: Comparer) -> None:
        self.sources, self.partial, self._comparer = sources, partial, comparer
        self.misses: dict[str, str] = {}
        self.leaves = 0

    def fit(self, pattern: Any, data: Any, path: str) -> Any:
        """Returns the nearest allowed value, and records a miss if the data is not allowed."""
        if is_pattern(pattern):
            return self._fit_pattern(pattern, data, path)
        if isinstance(pattern, dict):
            return self.fit_object(pattern, data, path)
        if isinstance(pattern, list):
            return self._fit_list(pattern, data, path)
        return self._fit_any_of([pattern], data, path, describe_pattern(pattern))

    def _fit_pattern(self, pattern: Mapping[str, Any], data: Any, path: str) -> Any:
        if OPTIONAL in pattern:
            return data if data is _ABSENT else self.fit(pattern[OPTIONAL], data, path)
        words = describe_pattern(pattern)
        if EQUALS in pattern:
            return self._fit_any_of([pattern[EQUALS]], data, path, words)
        if ONE_OF in pattern:
            return self._fit_one_of(pattern[ONE_OF], data, path, words)
        if FROM in pattern and pattern[FROM] in self.sources:
            return self._fit_source(self.sources[pattern[FROM]], data, path, words)
        if LIKE in pattern and isinstance(data, str):
            return self._fit_prose(pattern[LIKE], data, path, words)
        self.leaves += 1
        self._comparer.count()
        if data is not _ABSENT and _is_allowed(pattern, data):
            return data
        self.misses[path] = words
        return _make_example(pattern, data)

    def _fit_one_of(self, members: Sequence[Any], data: Any, path: str, words: str) -> Any:
        """Fits a list of allowed values, which may be patterns, objects or lists."""
        if data is not _ABSENT:
            for member in members:
                if isinstance(member, dict | list) and self._is_fit(member, data):
                    return self.fit(member, data, path)
        literals = [member for member in members if not is_pattern(member)]
        if literals:
            return self._fit_any_of(literals, data, path, words)
        nearest = self._fit_pattern(members[0], data, path)
        self.misses[path] = words
        return nearest

    def _fit_source(self, values: Sequence[Any], data: Any, path: str, words: str) -> Any:
        """Fits values from results, also as a part of an answer in words."""
        if any(self._comparer.contains(text, data) for text in values):
            self.leaves += 1
            return data
        shortened = [self._shorten(value, data) for value in values]
        return self._fit_any_of(shortened, data, path, words)

    def _shorten(self, value: Any, data: Any) -> Any:
        """Returns the beginning of a long text that is not the data, which any call may repeat."""
        if type(value) is not str or len(value) <= MAX_TEXT or self._comparer.are_same(value, data):
            return value
        return value[:MAX_TEXT]

    def _fit_any_of(self, allowed: Sequence[Any], data: Any, path: str, words: str) -> Any:
        """Returns an equal value, else the nearest number, amount or date, else the first."""
        nearest = _ABSENT
        if data is not _ABSENT:
            equal = (value for value in allowed if self._comparer.are_same(value, data))
            nearest = next(equal, _ABSENT)
        if nearest is _ABSENT and self._comparer.is_prose(data):
            texts = [text for text in allowed if self._comparer.is_prose(text)]
            if texts:
                return self._fit_prose(texts, data, path, words)
        self.leaves += 1
        if nearest is _ABSENT:
            self.misses[path] = words
            nearest = self._find_nearest(allowed, data)
        return nearest

    def _find_nearest(self, allowed: Sequence[Any], data: Any) -> Any:
        """Returns the value nearest in size, else the first; "nothing" for an empty list."""
        measure = _measure(data, self._comparer.read)
        best, least = next(iter(allowed), "nothing"), float("inf")
        for candidate in allowed if measure else ():
            other = _measure(candidate, self._comparer.read)
            if measure and other and measure[0] == other[0]:
                distance = abs(measure[1] - other[1])
                if distance < least:
                    best, least = candidate, distance
        return best

    def _fit_prose(self, allowed: Sequence[str], data: str, path: str, words: str) -> str:
        """Returns the text nearest in meaning; the metric measures how near it is."""
        self.leaves += 1
        nearest, distance = self._comparer.find_nearest_text(allowed, data)
        if distance > MAX_LIKE_DISTANCE and not any(
            self._comparer.are_same(text, data) for text in allowed
        ):
            self.misses[path] = words
        return nearest

    def fit_object(self, pattern: Mapping[str, Any], data: Any, path: str) -> Any:
        """Fits an object, with its keys in any spelling."""
        data = plain(data)
        members: Mapping[str, Any] = data if isinstance(data, dict) else {}
        if data and data is not _ABSENT and not isinstance(data, dict):
            self.leaves += 1
            self.misses[path] = "an object"
        unmatched_keys = {name: key for key, name in canonical_keys(members).items()}
        nearest: dict[str, Any] = {}
        for key, name in canonical_keys(pattern).items():
            member = members.get(unmatched_keys.pop(name, ""), _ABSENT)
            nearest_member = self.fit(pattern[key], member, join_path(path, key))
            if nearest_member is not _ABSENT:
                nearest[key] = nearest_member
        for key in unmatched_keys.values():
            if self.partial:
                nearest[key] = members[key]
            elif Value(members[key]).is_filled:
                self.leaves += 1
                self.misses[join_path(path, key)] = "nothing"
        return nearest

    def _is_fit(self, pattern: Any, data: Any) -> bool:
        fitting = _Fitting(self.sources, self.partial, self._comparer)
        fitting.fit(pattern, data, "")
        return not fitting.misses

    def _fit_list(self, pattern: Sequence[Any], data: Any, path: str) -> Any:
        """Pairs the members that fit, then the others in their order."""
        data = plain(data)
        unpaired = [] if data is _ABSENT else list(data) if isinstance(data, list) else [data]
        path = f"{path}[]"
        paired = [_ABSENT] * len(pattern)
        for only_fitting in (True, False):
            for k, expected in enumerate(pattern):
                if paired[k] is not _ABSENT:
                    continue
                for index, member in enumerate(unpaired):
                    if not only_fitting or self._is_fit(expected, member):
                        paired[k] = unpaired.pop(index)
                        break
        members = [
            self.fit(expected, member, path)
            for expected, member in zip(pattern, paired, strict=True)
        ]
        if unpaired and self.partial:
            members += unpaired
        elif unpaired:
            self.leaves += len(unpaired)
            self.misses[path] = "no more"
        return [member for member in members if member is not _ABSENT]


def _is_allowed(pattern: Mapping[str, Any], data: Any) -> bool:
    """Whether a pattern of one leaf allows a value; an unknown ``from`` allows any."""
    if GLOB in pattern:
        text = Value(data).text
        return len(text) <= MAX_TEXT and fnmatchcase(text, pattern[GLOB])
    if LIKE in pattern:
        return False
    if "min" in pattern and not _is_at_most(pattern["min"], data):
        return False
    return "max" not in pattern or _is_at_most(data, pattern["max"])


def _make_example(pattern: Mapping[str, Any], data: Any) -> Any:
    """Returns an allowed value, near to a value that is not allowed."""
    for key in (GLOB, ANY, FROM, LIKE):
        if key in pattern:
            return pattern[LIKE][0] if key == LIKE else str(pattern[key])
    least, most = pattern.get("min"), pattern.get("max")
    is_below = data is not _ABSENT and least is not None and not _is_at_most(least, data)
    return least if is_below or most is None else most


def _contains(text: Any, data: Any) -> bool:
    """Whether an answer in words contains a value, not as a part of a longer name or number."""
    if type(data) not in (str, int, float) or not isinstance(text, str):
        return False
    value = Value(data).text
    if not value or len(text) > MAX_TEXT or " " not in text.strip():
        return False
    for match in re.finditer(re.escape(value), text):
        start, end = match.span()
        before, after = text[max(0, start - 2) : start][::-1], text[end : end + 2]
        if not _continues_name(before) and not _continues_name(after):
            return True
    return False


def _continues_name(adjacent: str) -> bool:
    """Whether adjacent characters continue a name, directly or after a sign inside names."""
    return adjacent[:1].isalnum() or (adjacent[:1] in tuple("-_./:@") and adjacent[1:2].isalnum())


def are_same(first: Any, second: Any) -> bool:
    """Returns whether two values are equal under the metric."""
    return _are_same(Value(first), Value(second))


def _are_same(a: Value, b: Value) -> bool:
    if a.kind != "leaf" or b.kind != "leaf":
        return a.kind == b.kind and a.identity == b.identity
    if a.is_embedded and b.is_embedded:
        return a.text.casefold() == b.text.casefold()
    return is_same(a, b)


def _measure(data: Any, read: Callable[[Any], Value] = Value) -> tuple[str, float] | None:
    """Returns the unit and the size of a number, an amount or a date; None for other values."""
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        return None
    scalar = read(data).scalar
    try:
        if scalar.kind in ("number", "quantity"):
            number, _, unit = scalar.canonical.partition(" ")
            is_currency = len(unit) == 3 and unit.isupper()
            return "" if is_currency else unit, float(number)
        if scalar.kind == "moment":
            digits = "".join(sign for sign in scalar.canonical if sign.isdigit())
            return f"moment {min(len(digits), 14)}", float(digits[:14])
    except ValueError:
        pass
    return None


def _is_at_most(first: Any, second: Any) -> bool:
    a, b = _measure(first), _measure(second)
    if a is None or b is None or a[0][:6] != b[0][:6]:
        return False
    if a[0] != b[0] and a[0].startswith("moment"):  # a day includes its last moment
        return int(str(int(a[1]))[:8]) <= int(str(int(b[1]))[:8])
    return a[0] == b[0] and a[1] <= b[1]
