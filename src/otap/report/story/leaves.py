"""The values of arguments one by one, each with its path of keys."""

from collections.abc import Iterator, Mapping, Sequence

DEEPEST = 6  # levels of keys that have paths of their own


def leaves(value: object, path: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Yields each value with its path; what is empty or too deep is a value as it is.

    Args:
        value: the arguments, or a part of them.
        path: where it is.
        depth: how many keys lead there.
    """
    members = list(_members(value, path)) if depth < DEEPEST else []
    for name, member in members:
        yield from leaves(member, name, depth + 1)
    if not members:
        yield path, value


def _members(value: object, path: str) -> Iterator[tuple[str, object]]:
    """What an object or a list holds, each with its path."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield f"{path}.{key}" if path else key, member
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, member in enumerate(value):
            yield f"{path}[{place}]", member
