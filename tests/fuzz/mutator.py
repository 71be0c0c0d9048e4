"""Changes of traces, drawn by a seed: of what stands in them, and of the bytes of their files."""

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def nested(levels: int, inner: Any = 1) -> Any:
    """Returns lists and objects in each other."""
    for level in range(levels):
        inner = [inner] if level % 2 else {"steps": inner}
    return inner


HOSTILE = [
    *(None, True, False, 0, -1, 1.5, -0.0, 1e308, 2**31, 2**63, 2**64, -(10**30), 10**4000),
    *("", " ", "0", "-1", "null", "{}", "[]", '"', "true", "\x00", "\x1b[31m", "\u202e"),
    *("9" * 40, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2020-02-30", "1e999"),
    *([], {}, [[]], [{}], {"": ""}, [None], [0], ["a"], {"text": 5}, {"type": "text"}, {"type": 0}),
    *("x" * 100_000, "(" * 20_000, "1: \n" * 5000, "[" * 5000, '{"a":' * 2000, " " * 50_000 + "x"),
    *(nested(20), nested(85), nested(99), nested(150), json.dumps(nested(95)), [[0] * 50] * 50),
    *('{"a": "\\ud800"}', '{"a": 1e999}', '[{"role": "tool", "content": []}]', "\ufeff{}", "NaN"),
    *({"error": "x"}, {"isError": True}, "Error: no", {"type": "tool-call"}, {"type": "error"}),
]  # fmt: skip
_WRITTEN = [json.dumps(value) for value in HOSTILE]
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "utf-7", "cp1252")


def embedded(text: str) -> Any:
    """Returns the list or object that stands in a text, if there is one."""
    if text[:1] not in ("[", "{", " ", "\n"):
        return None
    try:
        inside = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return inside if isinstance(inside, dict | list) and inside else None


class Mutator:
    """Changes traces in ways that are drawn by a seed.

    Args:
        seed: the same one draws the same changes.
        others: traces of any format, of which parts are put in.
    """

    def __init__(self, seed: str, others: Sequence[Any]) -> None:
        self.rng = random.Random(seed)
        self._others = others
        self._changes: list[Callable[[list[Any]], None]] = [
            *(self._drop, self._repeat, self._replace, self._retype),
            *(self._splice, self._swap, self._rename, self._inside),
        ]

    def mutated(self, value: Any) -> Any:
        """Returns a changed copy."""
        top = [_copy(value)]
        for _ in range(self.rng.choice((1, 1, 2, 3, 6))):
            self.rng.choice(self._changes)(top)
        return top[0]

    def with_object(self, value: Any, odd: Any) -> Any:
        """Returns data with an object that JSON need not express in one of its fields."""
        top = [value]
        holder, key = self._spot(top)
        holder[key] = odd
        return top[0]

    def damaged(self, data: bytes) -> bytes:
        """Returns the bytes of a file with some cut off, put in or changed; or encoded anew."""
        if self.rng.random() < 0.2:
            return self._encoded(data)
        start, end = sorted(self.rng.randrange(len(data) + 1) for _ in range(2))
        between = self.rng.choice(
            [b"", self.rng.randbytes(4), b"\xff", b"(", b'"', b"[" * 300, data[:50]]
        )
        end = self.rng.choice([start, start + 1, end, len(data)])
        return data[:start] + between + data[end:]

    def packed(self, members: Mapping[str, bytes]) -> bytes:
        """Returns a zip archive of members, some of which are damaged, renamed or left out."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                change = self.rng.random()
                if change < 0.1:
                    continue
                odd = self.rng.choice(["../x", "/x", "a\\b", "x" * 300, name + "/", "header.json"])
                inside = self.damaged(data) if data and change > 0.7 else data
                named = odd if 0.1 <= change < 0.2 else name
                if named not in archive.namelist():
                    archive.writestr(named, inside)
        whole = target.getvalue()
        return self.damaged(whole) if self.rng.random() < 0.3 else whole

    def _encoded(self, data: bytes) -> bytes:
        """The same text in another encoding, or packed."""
        if self.rng.random() < 0.3:
            return gzip.compress(data, 1)
        text = data.decode("utf-8", "replace")
        return text.encode(self.rng.choice(_ENCODINGS), "replace")

    def _spot(self, top: list[Any]) -> tuple[Any, Any]:
        """Returns a list or object and one of its keys, as often near the top as deep inside."""
        holder: Any = top
        key: Any = 0
        while self.rng.random() < 0.85:
            child = holder[key]
            if not isinstance(child, dict | list) or not child:
                break
            holder = child
            key = self.rng.choice(list(child) if isinstance(child, dict) else range(len(child)))
        return holder, key

    def _drop(self, top: list[Any]) -> None:
        """Takes something out."""
        holder, key = self._spot(top)
        if holder is not top:
            del holder[key]

    def _repeat(self, top: list[Any]) -> None:
        """Puts something in again, under another name or many times."""
        holder, key = self._spot(top)
        times = self.rng.choice((1, 1, 2, 40))
        if isinstance(holder, dict):
            holder[self.rng.choice(("id", "name", "x"))] = _copy(holder[key])
        elif holder is not top:
            holder[key:key] = [_copy(holder[key]) for _ in range(times)]

    def _replace(self, top: list[Any]) -> None:
        """Puts a hostile value in."""
        holder, key = self._spot(top)
        holder[key] = json.loads(self.rng.choice(_WRITTEN))

    def _retype(self, top: list[Any]) -> None:
        """Makes something of another type of it."""
        holder, key = self._spot(top)
        value = holder[key]
        way = self.rng.randrange(6)
        if way == 0:
            holder[key] = [value]
        elif way == 1:
            holder[key] = {"value": value}
        elif way == 2:
            holder[key] = [value, _copy(value)]
        else:
            holder[key] = (json.dumps, str, bool)[way - 3](value)

    def _splice(self, top: list[Any]) -> None:
        """Puts in what stands elsewhere, or in another trace."""
        holder, key = self._spot(top)
        other, at = self._spot(self.rng.choice([top, top, [self.rng.choice(self._others)]]))
        holder[key] = _copy(other[at])

    def _swap(self, top: list[Any]) -> None:
        """Exchanges two things."""
        (one, at), (two, to) = self._spot(top), self._spot(top)
        one[at], two[to] = _copy(two[to]), _copy(one[at])

    def _rename(self, top: list[Any]) -> None:
        """Gives something the name of another."""
        (holder, key), (other, name) = self._spot(top), self._spot(top)
        if isinstance(holder, dict) and isinstance(other, dict):
            holder[name] = holder.pop(key)

    def _inside(self, top: list[Any]) -> None:
        """Changes the JSON that stands inside a text."""
        holder, key = self._spot(top)
        value = embedded(holder[key]) if isinstance(holder[key], str) else None
        if value is not None:
            holder[key] = json.dumps(self.mutated(value))


def _copy(value: Any) -> Any:
    """Returns a copy; JSON's own, as it is the fastest."""
    return json.loads(json.dumps(value))
