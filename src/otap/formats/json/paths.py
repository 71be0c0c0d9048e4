"""The path to a value in a JSON file, for error messages."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from otap.errors import FormatError, OtapError, ReaderError, shown

MAX_KEYS_SHOWN = 5  # in the description of an object


class JsonPath:
    """The path to a JSON value: the file, the line of a JSONL file, then keys and indices.

    ``str(JsonPath("a.json")["messages"][3])`` is ``a.json: messages[3]``. Few paths are ever
    printed. Each one stores its parent and its last key only, and builds its text on demand.
    """

    __slots__ = ("_key", "_parent", "file", "line")

    def __init__(
        self,
        file: str,
        line: int | None = None,
        parent: "JsonPath | None" = None,
        key: str | int = "",
    ) -> None:
        self.file, self.line = file, line
        self._parent, self._key = parent, key

    def __getitem__(self, key: str | int) -> "JsonPath":
        """Returns the path to one key, or one index, of the value at this path."""
        return JsonPath(self.file, self.line, self, key)

    def at(self, *keys: str | int) -> "JsonPath":
        """Returns the path to the value that some keys and indices lead to."""
        path = self
        for key in keys:
            path = path[key]
        return path

    @property
    def expression(self) -> str:
        """The keys and indices from the root, as in ``messages[3].content``."""
        segments, path = [], self
        while path._parent is not None:
            key = path._key
            segments.append(f"[{key}]" if isinstance(key, int) else f".{key}")
            path = path._parent
        return "".join(reversed(segments)).lstrip(".")

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        return ": ".join(part for part in (self.file, line, self.expression) if part)

    def error(self, message: str) -> FormatError:
        """Returns an error whose text is this path, a colon and ``message``."""
        return FormatError(f"{self}: {message}")

    def own_error(self, error: Exception) -> OtapError:
        """Returns one of our errors unchanged, and an error at this path for any other.

        A reader may meet a value that no test of ours has; the file is then refused like any other
        that cannot be read.
        """
        if isinstance(error, OtapError):
            return error
        reason = f"{type(error).__name__}: {shown(error, 200)}"
        reader_error = ReaderError(
            f"{self}: cannot be read ({reason}); if the file is right, please report it to OTAP's"
            " developers"
        )
        reader_error.__cause__ = error
        return reader_error

    def object(self, value: Any) -> dict[str, Any]:
        """Returns ``value``, which must be a JSON object.

        Raises:
            FormatError: if it is not an object.
        """
        if not isinstance(value, dict):
            raise self.error(f"expected an object, found {described(value)}")
        return value

    def array(self, value: Any) -> list[Any]:
        """Returns ``value``, which must be a JSON list.

        Raises:
            FormatError: if it is not a list.
        """
        if not isinstance(value, list):
            raise self.error(f"expected a list, found {described(value)}")
        return value

    def items(self, value: Any) -> list[tuple[Any, "JsonPath"]]:
        """Returns each item of ``value``, which must be a JSON list, with its path.

        Raises:
            FormatError: if it is not a list.
        """
        return [(item, self[index]) for index, item in enumerate(self.array(value))]

    def objects(self, value: Any) -> Iterator[tuple[dict[str, Any], "JsonPath"]]:
        """Yields each object of a JSON list with its path, and nothing for null.

        Raises:
            FormatError: if ``value`` is not a list, or at the first item that is not an object.
        """
        for index, item in enumerate([] if value is None else self.array(value)):
            yield self[index].object(item), self[index]

    def text(self, value: Any) -> str:
        """Returns ``value``, which must be a non-empty text.

        Raises:
            FormatError: if it is not a text, or is empty.
        """
        if not isinstance(value, str) or not value:
            raise self.error(f"expected text, found {described(value)}")
        return value

    def label(self, value: Any) -> str | None:
        """Returns an identifier as text, or None for null and for an empty text.

        Raises:
            FormatError: if it is neither text, a whole number nor null.
        """
        if value is None or value == "":
            return None
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
        raise self.error(f"expected text or a whole number, found {described(value)}")

    def label_in(self, value: Mapping[str, Any], key: str) -> str | None:
        """Returns the identifier under a key of the object at this path, as `label` does."""
        identifier = value.get(key)
        if identifier and type(identifier) is str:
            return identifier
        return self[key].label(identifier)


class JsonObject(NamedTuple):
    """A JSON object and its path. Each method reads the field under one key.

    A subclass may spell keys in another way (:meth:`key_of`).
    """

    mapping: dict[str, Any]
    path: JsonPath

    def key_of(self, name: str) -> str:
        """Returns the key of a field in this object."""
        return name

    def get(self, name: str) -> Any:
        """Returns a field, or None."""
        return self.mapping.get(self.key_of(name))

    def at(self, name: str) -> JsonPath:
        """Returns the path to a field."""
        return self.path[self.key_of(name)]

    def object(self, name: str) -> Self:
        """Returns a field that must be an object. It is empty if it is missing, null or "".

        Raises:
            FormatError: if it is anything else.
        """
        inner, path = self.get(name), self.at(name)
        return type(self)({} if inner in (None, "") else path.object(inner), path)

    def object_if_any(self, name: str) -> Self | None:
        """Returns a field that must be an object, or None if it is missing or null.

        Raises:
            FormatError: if it is anything else.
        """
        inner, path = self.get(name), self.at(name)
        return None if inner is None else type(self)(path.object(inner), path)

    def objects(self, name: str) -> list[Self]:
        """Returns a field that must be a list of objects. It is empty if it is missing or null.

        Raises:
            FormatError: if it is anything else.
        """
        return [type(self)(*item) for item in self.at(name).objects(self.get(name))]

    def text(self, name: str) -> str:
        """Returns a field that must be a text, and not empty.

        Raises:
            FormatError: if it is anything else.
        """
        return self.at(name).text(self.get(name))

    def label(self, name: str) -> str | None:
        """Returns a field that must be an identifier, or None.

        Raises:
            FormatError: if it is neither text, a whole number nor null.
        """
        return self.path.label_in(self.mapping, self.key_of(name))


def described(value: Any) -> str:
    """Describes a JSON value in a few words, with the first keys of an object."""
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
    keys = [f"'{shown(key, 30)}'" for key in list(value)[:MAX_KEYS_SHOWN]]
    more = len(value) - len(keys)
    return f"the keys {', '.join(keys)}" + (f" and {more} more" if more else "")
