"""Stand-ins for what is hidden: short, numbered, equal where what they stand for is equal."""

import hashlib
from collections import defaultdict

from otap._patterns import regex

# Short numbers, also several as in 3/1, say nothing of whom a run is about.
_PLAIN = regex(r"\d{1,6}(?:[./:#]\d{1,6}){0,2}")
# What a program may call an argument; anything else may be data that somebody keyed by it.
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_NOT_WORD = regex(r"[\W_]")


class StandIns:
    """Gives the same stand-in for the same value, on one page; it cannot be read back."""

    def __init__(self) -> None:
        self._known: defaultdict[str, dict[bytes, int]] = defaultdict(dict)
        self._arguments: set[str] = set()  # names of arguments, as they are compared
        self._steps: dict[str, str] = {}

    def hide_name(self, kind: str, name: str) -> str:
        """Returns an id, or what stands for it, as task #3: short numbers are shown."""
        return name if _PLAIN.fullmatch(name) else self._number_value(kind, name)

    def hide_step(self, name: str, tool: str | None = None) -> str:
        """Returns the id of a step: short numbers are shown, also behind the name of its tool.

        Args:
            name: the id.
            tool: of the step, where that is known; else it is as it was shown before.
        """
        if name not in self._steps:
            rest = name.removeprefix(tool).lstrip("#_.:/-") if tool else name
            shown = name == tool or _PLAIN.fullmatch(rest)
            self._steps[name] = name if shown else self._number_value("step", name)
        return self._steps[name]

    def hide_text(self, value: str) -> str:
        """Returns what stands for a text; an empty one is shown."""
        if not value:
            return value
        is_number = (
            _hash_value(value) in self._known["number"]
        )  # as it is spelled where it is proof
        return self._number_value("number" if is_number else "text", value)

    def hide_value(self, value: object) -> object:
        """Returns what stands for data: its shape stays, its keys and values do not."""
        if isinstance(value, dict):
            return {self.hide_key(str(key)): self.hide_value(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_value(one) for one in value]
        return self.hide_text(value) if isinstance(value, str) else self._hide_scalar(value)

    def hide_arguments(self, value: object) -> object:
        """Returns what stands for the arguments of a call; their own names stay."""
        if not isinstance(value, dict):
            return self.hide_value(value)
        self._arguments |= {_normalise_key(key) for key in value if _NAME.fullmatch(key)}
        return {self.hide_argument(key): self.hide_value(one) for key, one in value.items()}

    def hide_argument(self, key: str) -> str:
        """Returns the name of an argument, or what stands for a key that is no such name."""
        known = _NAME.fullmatch(key) and _normalise_key(key) in self._arguments
        return key if known else self.hide_key(key)

    def hide_key(self, key: str) -> str:
        """Returns what stands for a key."""
        return self._number_value("key", key)

    def _hide_scalar(self, value: object) -> object:
        if isinstance(value, bool):
            return self._number_value("yes or no", str(value))
        if isinstance(value, float) and value.is_integer():
            return self._number_value("number", str(int(value)))
        if isinstance(value, int | float):
            return self._number_value("number", str(value))
        return value  # null, or that there is no value at all

    def _number_value(self, kind: str, value: str) -> str:
        known = self._known[kind]
        return f"{kind} #{known.setdefault(_hash_value(value), len(known) + 1)}"


def _hash_value(value: str) -> bytes:
    """What a value is known by, so that texts are not kept."""
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _normalise_key(key: str) -> str:
    return _NOT_WORD.sub("", key).casefold()
