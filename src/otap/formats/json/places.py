"""A place in a file, for errors that say where."""

from collections.abc import Iterator
from typing import Any

from otap.errors import FormatError, shown

KEYS_SHOWN = 5


class Place:
    """Where a value stands: the file, its line where the file is JSONL, and the path of keys.

    ``str(Place("a.json")["messages"][3])`` is ``a.json: messages[3]``. Most places are never told:
    one knows the place above it, and is written when it is.
    """

    __slots__ = ("_above", "_key", "file", "line")

    def __init__(
        self, file: str, line: int | None = None, above: "Place | None" = None, key: str | int = ""
    ) -> None:
        self.file, self.line = file, line
        self._above, self._key = above, key

    def __getitem__(self, key: str | int) -> "Place":
        """Returns the place of one key, or one index, of the value at this place."""
        return Place(self.file, self.line, self, key)

    @property
    def trail(self) -> str:
        """The path of keys, from the outermost in."""
        steps, place = [], self
        while place._above is not None:
            key = place._key
            steps.append(f"[{key}]" if isinstance(key, int) else f".{key}")
            place = place._above
        return "".join(reversed(steps)).lstrip(".")

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        return ": ".join(part for part in (self.file, line, self.trail) if part)

    def error(self, message: str) -> FormatError:
        """Returns the error that begins with this place and goes on with ``message``."""
        return FormatError(f"{self}: {message}")

    def object(self, value: Any) -> dict[str, Any]:
        """Returns ``value``, which must be a JSON object.

        Raises:
            FormatError: if it is none.
        """
        if not isinstance(value, dict):
            raise self.error(f"expected an object, found {described(value)}")
        return value

    def array(self, value: Any) -> list[Any]:
        """Returns ``value``, which must be a JSON list.

        Raises:
            FormatError: if it is none.
        """
        if not isinstance(value, list):
            raise self.error(f"expected a list, found {described(value)}")
        return value

    def objects(self, value: Any) -> Iterator[tuple[dict[str, Any], "Place"]]:
        """Yields each item of ``value``, a JSON list of objects, with its place; null has none.

        Raises:
            FormatError: if it is no list, or at the first item that is no object.
        """
        for index, item in enumerate([] if value is None else self.array(value)):
            yield self[index].object(item), self[index]

    def text(self, value: Any) -> str:
        """Returns ``value``, which must be a text that is not empty.

        Raises:
            FormatError: if it is none, or empty.
        """
        if not isinstance(value, str) or not value:
            raise self.error(f"expected text, found {described(value)}")
        return value

    def label(self, value: Any) -> str | None:
        """Returns an identifier as text; null and an empty text are no identifier.

        Raises:
            FormatError: if it is neither text, a whole number nor null.
        """
        if value is None or value == "":
            return None
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
        raise self.error(f"expected text or a whole number, found {described(value)}")

    def label_in(self, value: dict[str, Any], key: str) -> str | None:
        """Returns the identifier that an object at this place has under a key, as `label` does."""
        found = value.get(key)
        return found if found and type(found) is str else self[key].label(found)


def described(value: Any) -> str:
    """Returns what kind of JSON value this is, with the first keys of an object."""
    match value:
        case dict():
            return f"an object with {_keys(value)}" if value else "an empty object"
        case list():
            return (
                f"a list of {len(value)}, first {described(value[0])}" if value else "an empty list"
            )
        case str():
            return f"the text '{shown(value, 30)}'" if value else "an empty text"
        case None:
            return "null"
        case _:
            return f"the value {str(value).lower()[:30]}"


def _keys(value: dict[str, Any]) -> str:
    keys = [f"'{shown(key, 30)}'" for key in list(value)[:KEYS_SHOWN]]
    more = len(value) - len(keys)
    return f"the keys {', '.join(keys)}" + (f" and {more} more" if more else "")
