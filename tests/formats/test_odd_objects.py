"""No exception but ours leaves ``otap.parse``, whatever stands in a field of an object."""

import json
from typing import Any

import pytest

import otap
from fuzz.objects import make_objects
from fuzz.seeds import PAGES
from otap import formats
from otap.errors import OtapError

COUNT = len(make_objects())


def paths_of(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the path to each value in data."""
    paths = [above]
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            paths += paths_of(member, (*above, key))
    return paths


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Returns data with another value at a path."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def parse(value: Any) -> None:
    """Parses an object; it is a run, or one of our errors that no other error caused."""
    try:
        run = otap.parse(value)
    except OtapError as error:
        assert "\n" not in str(error)
        return
    json.loads(run.to_json())


def example(name: str) -> Any:
    """Returns the first example of a format's page."""
    text = (PAGES / f"{name}.md").read_text("utf-8")
    return json.loads(text.partition("```json\n")[2].partition("```")[0])


@pytest.mark.parametrize("name", ["otap", "openai", "anthropic", "langchain"])
def test_odd_objects_in_every_field(name: str) -> None:
    """Each object in at least one field, and each field with at least one object."""
    value = example(name)
    paths = paths_of(value)
    for number in range(max(COUNT, len(paths))):
        parse(put(value, paths[number % len(paths)], make_objects()[number % COUNT]))


@pytest.mark.parametrize("number", range(COUNT))
def test_an_odd_object(number: int) -> None:
    """Alone, in a list, and as the arguments of a step."""
    for wrap in (
        lambda odd: odd,
        lambda odd: [odd],
        lambda odd: {"steps": [{"id": "1", "tool": "a", "arguments": {"x": odd}}]},
        lambda odd: {"steps": [{"id": odd}]},
        lambda odd: [{"role": "user", "content": odd}],
    ):
        parse(wrap(make_objects()[number]))


def test_a_reader_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect of a reader refuses the file, and names the file and the defect."""
    reader = formats.load_format("otap")

    def fail(*_: Any, **__: Any) -> Any:
        raise KeyError("odd")

    monkeypatch.setattr(reader, "read", fail)
    with pytest.raises(OtapError, match=r"cannot be read \(KeyError: 'odd'\)"):
        otap.parse({"steps": [{"id": "1", "tool": "a"}]})
