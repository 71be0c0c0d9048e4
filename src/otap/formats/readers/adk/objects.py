"""JSON objects whose fields are written in snake_case or camelCase, as Google's models are."""

from typing import Any, NamedTuple

from otap.formats.json.places import Place


def key_of(value: dict[str, Any], name: str) -> str:
    """Returns the key of a field as it is written here.

    Args:
        value: the object.
        name: the field in snake_case.
    """
    first, *others = name.split("_")
    camel = first + "".join(word.capitalize() for word in others)
    return camel if camel in value else name


def field_of(value: dict[str, Any], name: str) -> Any:
    """Returns a field, or nothing.

    Args:
        value: the object.
        name: the field in snake_case.
    """
    return value.get(key_of(value, name))


class Fields(NamedTuple):
    """A JSON object and its place; its fields are found by either spelling of their names."""

    value: dict[str, Any]
    place: Place

    def get(self, name: str) -> Any:
        """Returns a field, or nothing."""
        return field_of(self.value, name)

    def at(self, name: str) -> Place:
        """Returns the place of a field."""
        return self.place[key_of(self.value, name)]

    def object(self, name: str) -> "Fields | None":
        """Returns a field that is an object, or null."""
        found = self.get(name)
        return None if found is None else Fields(self.at(name).object(found), self.at(name))

    def objects(self, name: str) -> "list[Fields]":
        """Returns a field that is a list of objects, or null."""
        return [Fields(item, place) for item, place in self.at(name).objects(self.get(name))]

    def label(self, name: str) -> str | None:
        """Returns a field that names something."""
        return self.at(name).label(self.get(name))
