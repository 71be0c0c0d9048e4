"""The values that a plan allows, and of these the one that is nearest to a run's.

A pattern is an object with one of a few keys. It stands in plans alone: nothing here is ever asked
of a recorded trace.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from numpy.typing import NDArray
from pydantic import JsonValue

from otap.errors import LimitError, shown
from otap.values.distance import is_same
from otap.values.keys import spellings
from otap.values.value import Value, below, plain

MAX_GLOB, MAX_STARS = 200, 8  # characters of a glob, and how many '*' it may have
MAX_TEXT = 10_000  # characters of a value that a glob is held against
MAX_DEPTH = 16  # levels of objects and lists in the arguments of a step
MAX_COMPARED = 1_000_000  # values of a run and of a plan that are compared, some seconds' work
# Texts of which the nearest is further away, by cosine distance, say something else altogether. Of
# nine pairs of paraphrases the furthest is .77 apart, of nine of unlike texts all but one are .82.
UNLIKE = 0.8
SHOWN = 40  # characters of a value in the words of a pattern
NAMED = 4  # values in these words

ANY, ONE_OF, GLOB, LIKE, FROM = "any", "one_of", "glob", "like", "from"
OPTIONAL, EQUALS = "optional", "equals"
RANGE = frozenset({"min", "max"})
_ALONE = frozenset({ANY, ONE_OF, GLOB, LIKE, FROM, OPTIONAL, EQUALS})
KEYS = _ALONE | RANGE
_ABSENT: Any = object()


class Fit(NamedTuple):
    """How a run's data fits a pattern.

    Attributes:
        value: the allowed data that is nearest to the run's; _ABSENT for a key that is left out.
        misses: what is allowed where the run's is not, in words, by path.
        leaves: how many values were looked at.
    """

    value: Any
    misses: Mapping[str, str]
    leaves: int


Vectors = Callable[[list[str]], NDArray[Any]]
Shown = Mapping[str, Sequence[JsonValue]]  # values that results showed, by what ``from`` says


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuses arguments of which a value looks like a pattern and is none.

    Raises:
        ValueError: that says what is wrong, and under which key.
    """
    for key, one in arguments.items():
        try:
            _check_pattern(one, 1)
        except ValueError as error:
            raise ValueError(f"{shown(key, SHOWN)}: {error}") from None


def _check_pattern(pattern: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    if isinstance(pattern, list):
        for one in pattern:
            _check_pattern(one, depth + 1)
    elif is_pattern(pattern):
        _check_keys(pattern)
        for one in [*pattern.get(ONE_OF, ()), pattern.get(OPTIONAL)]:
            _check_pattern(one, depth + 1)
    elif isinstance(pattern, dict):
        near = find_near_key(pattern)
        if near:
            raise ValueError(
                f"no pattern has the key '{shown(next(iter(pattern)), SHOWN)}'; is it '{near}'? An"
                " object that is meant as it stands is { equals = ... }"
            )
        if pattern and pattern.keys() <= KEYS:
            keys = " and ".join(f"'{key}'" for key in sorted(pattern))
            raise ValueError(f"a pattern has one key, or 'min' and 'max'; this one has {keys}")
        for one in pattern.values():
            _check_pattern(one, depth + 1)


def _check_keys(pattern: Mapping[str, Any]) -> None:
    for key, value in pattern.items():
        if key == ANY and value is not True:
            raise ValueError("'any' can only be true")
        if key in (ONE_OF, LIKE) and not (isinstance(value, list) and value):
            raise ValueError(f"'{key}' must be a list with at least one value")
        if key == LIKE and not all(isinstance(one, str) for one in value):
            raise ValueError("'like' must be a list of texts")
        if key in (GLOB, FROM) and not isinstance(value, str):
            raise ValueError(f"'{key}' must be a text")
        if key == GLOB:
            check_glob(value)
        if key in RANGE and _place(value) is None:
            raise ValueError(f"'{key}' must be a number, an amount or a date")
    if pattern.keys() >= RANGE and not _is_at_most(pattern["min"], pattern["max"]):
        raise ValueError("'min' is above 'max', or of another kind")


def check_glob(glob: str) -> None:
    """Refuses a glob that is too long, or has too many stars.

    Raises:
        ValueError: that names the limit.
    """
    if len(glob) > MAX_GLOB:
        raise ValueError(f"a glob has {len(glob)} characters, above the limit of {MAX_GLOB}")
    if glob.count("*") > MAX_STARS:
        raise ValueError(f"a glob has {glob.count('*')} '*', above the limit of {MAX_STARS}")


def is_pattern(data: object) -> bool:
    """Says whether an object is a pattern: it has one of the keys, and nothing else."""
    if not isinstance(data, dict) or not data:
        return False
    return (len(data) == 1 and not _ALONE.isdisjoint(data)) or data.keys() <= RANGE


class Comparer:
    """Compares values with those of a plan, so many at most.

    Args:
        vectors: gives the unit vectors of texts.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors, self._left = vectors, MAX_COMPARED

    def count(self) -> None:
        """Counts a comparison.

        Raises:
            LimitError: if there were too many.
        """
        self._left -= 1
        if self._left < 0:
            raise LimitError(
                f"the values of the plan take more than {MAX_COMPARED:,} comparisons with the run,"
                " the limit; name fewer of them"
            )

    def are_same(self, one: Any, other: Any) -> bool:
        """Says whether two values are the same, as the metric compares values."""
        self.count()
        return are_same(one, other)

    def is_inside(self, text: Any, data: Any) -> bool:
        """Says whether an answer in words holds a value."""
        self.count()
        return _is_inside(text, data)

    def find_likest(self, allowed: Sequence[str], text: str) -> tuple[str, float]:
        """Returns the text that is nearest in meaning, and how far away it is, in [0, 2]."""
        for _ in allowed:
            self.count()
        first, *others = self._vectors([text, *allowed])
        near = [float(first @ other) for other in others]
        best = near.index(max(near))
        return allowed[best], 1 - near[best]


def find_near_key(data: Mapping[str, Any]) -> str | None:
    """Returns the key of a pattern that the one key of an object is nearly, as a typo is."""
    if len(data) != 1 or not KEYS.isdisjoint(data):
        return None
    (key,) = data
    near = get_close_matches(key.lower(), sorted(KEYS), n=1, cutoff=0.66)
    return near[0] if near else None


def as_literal(data: Any) -> Any:
    """Returns data as a plan says it, where an object that looks like a pattern is none."""
    if isinstance(data, dict):
        if data and (data.keys() <= KEYS or find_near_key(data)):
            return {EQUALS: data}
        return {name: as_literal(one) for name, one in data.items()}
    return [as_literal(one) for one in data] if isinstance(data, list) else data


def fit(
    arguments: Mapping[str, Any],
    data: JsonValue,
    shown_by: Shown,
    comparer: Comparer,
    *,
    partial: bool = False,
) -> Fit:
    """Returns how the arguments of a call fit those of a plan.

    Args:
        arguments: what is allowed, by key; values may be patterns.
        data: what the run has.
        shown_by: the values that ``from`` may mean; what is not in it is not known, and fits.
        comparer: compares values.
        partial: whether an object may have keys that the pattern lacks.

    Raises:
        LimitError: if there is too much to compare.
    """
    one = _Fitting(shown_by, partial, comparer)
    value = one.fit_object(arguments, data, "")
    return Fit(value, one.misses, one.leaves)


def list_from(arguments: Mapping[str, Any] | None) -> Iterator[str]:
    """Yields what each ``from`` in the arguments of a plan says."""
    for one in (arguments or {}).values():
        yield from _list_from(one)


def _list_from(pattern: Any) -> Iterator[str]:
    if isinstance(pattern, list):
        for one in pattern:
            yield from _list_from(one)
    elif isinstance(pattern, dict):
        if is_pattern(pattern) and FROM in pattern:
            yield pattern[FROM]
        else:
            for one in pattern.values():
                yield from _list_from(one)


def say_pattern(pattern: Any) -> str:
    """Returns a pattern, or a value, in words."""
    if not is_pattern(pattern) or EQUALS in pattern:
        data = pattern[EQUALS] if is_pattern(pattern) else pattern
        text = Value(data).text
        return shown(text if text.strip() else json.dumps(data), SHOWN)
    if ANY in pattern:
        return "any value"
    if ONE_OF in pattern or LIKE in pattern:
        several = pattern.get(ONE_OF, pattern.get(LIKE))
        words = " or ".join(map(say_pattern, several[:NAMED]))
        words += " or others" if len(several) > NAMED else ""
        return words if ONE_OF in pattern else f"like {words}"
    if GLOB in pattern:
        return f"'{shown(pattern[GLOB], SHOWN)}'"
    if FROM in pattern:
        return f"what {shown(pattern[FROM], SHOWN)} showed"
    if OPTIONAL in pattern:
        return f"nothing or {say_pattern(pattern[OPTIONAL])}"
    least, most = (shown(str(pattern.get(key, "")), SHOWN) for key in ("min", "max"))
    if least and most:
        return f"{least} to {most}"
    return f"at least {least}" if least else f"at most {most}"


class _Fitting:
    """One fit: what is read on the way down a pattern."""

    def __init__(self, shown_by: Shown, partial: bool, comparer: Comparer) -> None:
        self.shown_by, self.partial, self._comparer = shown_by, partial, comparer
        self.misses: dict[str, str] = {}
        self.leaves = 0

    def fit(self, pattern: Any, data: Any, path: str) -> Any:
        """Returns the allowed value that is nearest, and notes what is not allowed."""
        if is_pattern(pattern):
            return self._fit_pattern(pattern, data, path)
        if isinstance(pattern, dict):
            return self.fit_object(pattern, data, path)
        if isinstance(pattern, list):
            return self._fit_list(pattern, data, path)
        return self._fit_one_of([pattern], data, path, say_pattern(pattern))

    def _fit_pattern(self, pattern: Mapping[str, Any], data: Any, path: str) -> Any:
        if OPTIONAL in pattern:
            return data if data is _ABSENT else self.fit(pattern[OPTIONAL], data, path)
        words = say_pattern(pattern)
        if EQUALS in pattern:
            return self._fit_one_of([pattern[EQUALS]], data, path, words)
        if ONE_OF in pattern:
            nested = [one for one in pattern[ONE_OF] if isinstance(one, dict | list)]
            fitting = (one for one in nested if data is not _ABSENT and self._is_fit(one, data))
            found = next(fitting, _ABSENT)
            if found is not _ABSENT:
                return self.fit(found, data, path)
            values = [one for one in pattern[ONE_OF] if not is_pattern(one)]
            if not values:
                return self._miss(pattern[ONE_OF][0], data, path, words)
            return self._fit_one_of(values, data, path, words)
        if FROM in pattern and pattern[FROM] in self.shown_by:
            known = self.shown_by[pattern[FROM]]
            if any(self._comparer.is_inside(one, data) for one in known):
                self.leaves += 1
                return data
            return self._fit_one_of(known, data, path, words)
        if LIKE in pattern and isinstance(data, str):
            return self._fit_prose(pattern[LIKE], data, path, words)
        self.leaves += 1
        self._comparer.count()
        if data is not _ABSENT and _is_allowed(pattern, data):
            return data
        self.misses[path] = words
        return _make_example(pattern, data)

    def _miss(self, pattern: Mapping[str, Any], data: Any, path: str, words: str) -> Any:
        """Notes that nothing is allowed; returns what one pattern has in its place."""
        found = self._fit_pattern(pattern, data, path)
        self.misses[path] = words
        return found

    def _fit_one_of(self, allowed: Sequence[Any], data: Any, path: str, words: str) -> Any:
        """An equal one of some values, else the nearest number, amount or date, else the first."""
        same = (
            one for one in allowed if data is not _ABSENT and self._comparer.are_same(one, data)
        )
        found = next(same, _ABSENT)
        if found is _ABSENT and _is_prose(data):
            texts = list(filter(_is_prose, allowed))
            if texts:
                return self._fit_prose(texts, data, path, words)
        self.leaves += 1
        if found is _ABSENT:
            self.misses[path] = words
            found = _find_nearest(allowed, data)
        return found

    def _fit_prose(self, allowed: Sequence[str], data: str, path: str, words: str) -> str:
        """The text that is nearest in meaning; how near it is, is for the metric to say."""
        self.leaves += 1
        found, distance = self._comparer.find_likest(allowed, data)
        if distance > UNLIKE and not any(self._comparer.are_same(one, data) for one in allowed):
            self.misses[path] = words
        return found

    def fit_object(self, pattern: Mapping[str, Any], data: Any, path: str) -> Any:
        """The same of an object, whatever its keys are."""
        data = plain(data)
        own: Mapping[str, Any] = data if isinstance(data, dict) else {}
        if data and data is not _ABSENT and not isinstance(data, dict):
            self.leaves += 1
            self.misses[path] = "an object"
        rest = {name: key for key, name in spellings(own).items()}
        found: dict[str, Any] = {}
        for key, name in spellings(pattern).items():
            value = self.fit(pattern[key], own.get(rest.pop(name, ""), _ABSENT), below(path, key))
            if value is not _ABSENT:
                found[key] = value
        for key in rest.values():
            if self.partial:
                found[key] = own[key]
            elif Value(own[key]).is_filled:
                self.leaves += 1
                self.misses[below(path, key)] = "nothing"
        return found

    def _is_fit(self, pattern: Any, data: Any) -> bool:
        one = _Fitting(self.shown_by, self.partial, self._comparer)
        one.fit(pattern, data, "")
        return not one.misses

    def _fit_list(self, pattern: Sequence[Any], data: Any, path: str) -> Any:
        """Members that fit are paired first, and the others in their order."""
        data = plain(data)
        rest = data if isinstance(data, list) else [] if data is _ABSENT else [data]
        rest, place = list(rest), f"{path}[]"
        taken = [_ABSENT] * len(pattern)
        for only_fitting in (True, False):
            for k, wanted in enumerate(pattern):
                if taken[k] is _ABSENT:
                    fits = (
                        n
                        for n, one in enumerate(rest)
                        if not only_fitting or self._is_fit(wanted, one)
                    )
                    n = next(fits, None)
                    taken[k] = _ABSENT if n is None else rest.pop(n)
        values = [self.fit(one, own, place) for one, own in zip(pattern, taken, strict=True)]
        if rest and self.partial:
            values += rest
        elif rest:
            self.leaves += len(rest)
            self.misses[place] = "no more"
        return [value for value in values if value is not _ABSENT]


def _is_allowed(pattern: Mapping[str, Any], data: Any) -> bool:
    """Whether a pattern of one leaf allows a value; what ``from`` means may be unknown."""
    if GLOB in pattern:
        text = Value(data).text
        return len(text) <= MAX_TEXT and fnmatchcase(text, pattern[GLOB])
    if LIKE in pattern:
        return False
    if "min" in pattern and not _is_at_most(pattern["min"], data):
        return False
    return "max" not in pattern or _is_at_most(data, pattern["max"])


def _make_example(pattern: Mapping[str, Any], data: Any) -> Any:
    """The allowed value nearest to one that is not, or to none."""
    for key in (GLOB, ANY, FROM, LIKE):
        if key in pattern:
            return pattern[LIKE][0] if key == LIKE else str(pattern[key])
    least, most = pattern.get("min"), pattern.get("max")
    is_below = data is not _ABSENT and least is not None and not _is_at_most(least, data)
    return least if is_below or most is None else most


def _is_inside(text: Any, data: Any) -> bool:
    """Whether an answer in words holds a value: not as a part of a longer name or number."""
    if type(data) not in (str, int, float) or not isinstance(text, str):
        return False
    value = Value(data).text
    if not value or len(text) > MAX_TEXT or " " not in text.strip():
        return False
    return any(
        not (_joins(text[max(0, start - 2) : start][::-1]) or _joins(text[end : end + 2]))
        for start, end in (found.span() for found in re.finditer(re.escape(value), text))
    )


def _joins(behind: str) -> bool:
    """Whether what stands behind a value goes on with it: at once, or after a sign inside names."""
    return behind[:1].isalnum() or (behind[:1] in tuple("-_./:@") and behind[1:2].isalnum())


def _find_nearest(allowed: Sequence[Any], data: Any) -> Any:
    """The value that is nearest by size; the first where nothing says; a word if there is none."""
    ours, best, least = _place(data), next(iter(allowed), "nothing"), float("inf")
    for one in allowed:
        place = _place(one)
        if ours and place and ours[0] == place[0] and abs(ours[1] - place[1]) < least:
            best, least = one, abs(ours[1] - place[1])
    return best


def _is_prose(data: Any) -> bool:
    return isinstance(data, str) and Value(data).worded


def are_same(one: Any, other: Any) -> bool:
    """Says whether two values are the same, as the metric compares values."""
    a, b = Value(one), Value(other)
    if a.kind != "leaf" or b.kind != "leaf":
        return a.identity == b.identity and a.kind == b.kind
    if a.worded and b.worded:
        return a.text.casefold() == b.text.casefold()
    return is_same(a, b)


def _place(data: Any) -> tuple[str, float] | None:
    """Where a number, an amount or a date stands in the order of its kind; None for others."""
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        return None
    scalar = Value(data).scalar
    try:
        if scalar.kind in ("number", "quantity"):
            number, _, unit = scalar.canonical.partition(" ")
            return "" if len(unit) == 3 and unit.isupper() else unit, float(number)
        if scalar.kind == "moment":
            digits = "".join(c for c in scalar.canonical if c.isdigit())
            return f"moment {min(len(digits), 14)}", float(digits[:14])
    except ValueError:
        pass
    return None


def _is_at_most(one: Any, other: Any) -> bool:
    a, b = _place(one), _place(other)
    if a is None or b is None or a[0][:6] != b[0][:6]:
        return False
    if a[0] != b[0] and a[0].startswith("moment"):  # a day ends at its end
        return int(str(int(a[1]))[:8]) <= int(str(int(b[1]))[:8])
    return a[0] == b[0] and a[1] <= b[1]
