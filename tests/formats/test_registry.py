"""The format of a file is found, never guessed."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap import formats
from otap.errors import ConfigError, FormatError
from otap.formats import registry
from otap.formats.json.documents import first_of

OWN = {"id": "a", "steps": [{"id": "1"}]}
CHAT = [{"role": "user", "content": "hi"}]
KEYS = {key for reader in registry.FORMATS.values() for key in (reader.keys or "").split()}
TAU = {"task_id": 3, "trial": 0, "reward": 1.0, "info": {}, "traj": CHAT}


def message_of(path, **options):
    """Returns why a file cannot be read."""
    with pytest.raises(FormatError) as caught:
        formats.read(path, **options)
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", formats.FORMATS)
def test_each_format_describes_itself(name):
    """Every format in the table says, in a line each, what it is and what becomes a step."""
    module = formats.load_format(name)
    assert name == module.NAME
    assert all(text and "\n" not in text for text in (module.DESCRIPTION, module.STEP))


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (OWN, "otap"),
        ([OWN], "otap"),
        (CHAT, "openai"),
        (CHAT[0], "openai"),
        ([CHAT], "openai"),
        ({"messages": CHAT}, "openai"),
        ([{"messages": CHAT}], "openai"),
        ([{"role": "user", "messages": CHAT}], "openai"),
        (TAU, "tau-bench"),
        ([TAU], "tau-bench"),
        ({"type": "tool_call", "id": "c", "name": "f", "args": {}}, "bare-calls"),
    ],
)
def test_exactly_one_format_recognises(document, name):
    """No two formats recognise the same document."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == [name]


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        5,
        "text",
        None,
        [1],
        [[]],
        [[[]]],
        [None],
        {"messages": []},
        {"messages": {"a": 1}},
        {"messages": [1]},
        {"role": "user", "messages": 5},
        {"role": "model", "parts": []},
        {"schema_version": "ATIF-v1.4", "steps": [{"step_id": 1}]},
        {"schema_version": None, "steps": [1]},
        [{"from": "human", "value": "hi"}],
        [{"name": "pay", "parameters": {"type": "object", "properties": {}}}],
        [
            {
                "type": "function",
                "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
            }
        ],
        {"task_id": 1, "traj": []},
    ],
)
def test_nothing_recognises_what_is_no_trace(document):
    """JSON that is no trace belongs to no format."""
    assert [n for n in formats.FORMATS if formats.load_format(n).recognises(document)] == []


def test_no_trace_says_what_was_found(write):
    """The error says what is at the top of the file, escaped, and which formats there are."""
    assert message_of(write({"a": 1, "b\x1b": 2})) == (
        "no format recognises it: it holds an object with the keys 'a', 'b\\x1b';"
        f" 'otap formats' lists the {len(formats.FORMATS)} formats that OTAP reads"
    )
    assert "it holds an empty list" in message_of(write([]))


def test_ambiguous(write, monkeypatch):
    """A document that two formats recognise is an error that names both."""
    monkeypatch.setattr(formats.load_format("anthropic"), "recognises", bool)
    path = write(OWN)
    assert message_of(path) == "could be otap and anthropic; name one with --format"
    assert formats.read(path, format="otap").id == "a"


def test_named_format_must_recognise(write):
    """A format that the user names and that does not fit is an error, not an empty run."""
    assert message_of(write(OWN), format="openai") == (
        "is not in the format 'openai', it holds an object with the keys 'id', 'steps';"
        " leave out --format to recognise the format"
    )


def test_unknown_format(write):
    """A format that does not exist is an error that lists those that do."""
    with pytest.raises(
        ConfigError, match="unknown format 'csv'; OTAP reads otap, otap-plan, openai, "
    ):
        formats.read(write(OWN), format="csv")


def test_modules_are_loaded_on_use(write, monkeypatch):
    """A format is imported when a file may be in it, not before."""
    monkeypatch.delitem(sys.modules, "otap.formats.readers.tau_bench", raising=False)
    formats.read(write(OWN), format="otap")
    assert "otap.formats.readers.tau_bench" not in sys.modules
    assert registry.FORMATS is formats.FORMATS


def test_keys_change_no_format(real_data: Path) -> None:
    """Of each file, real or made: a format that is not asked for want of keys does not know it."""
    folders = real_data, Path(__file__).parent / "made"
    for file in (file for folder in folders for file in formats.trace_files(folder)):
        value = formats.read_document(file).value
        for item in (value, *(value[:20] if isinstance(value, list) else ())):
            _asked_where_known(item)


@given(
    st.dictionaries(
        st.sampled_from(sorted({"type", "id", "steps", "role", *KEYS})),
        st.sampled_from(["x", "llm", [], {}, [{}], [{"messages": []}], {"spans": []}, None]),
    )
)
def test_keys_that_a_format_needs(first: dict[str, object]) -> None:
    """The same of objects that have any of these keys."""
    _asked_where_known(first)
    _asked_where_known([first])


def _asked_where_known(value: object) -> None:
    first = first_of(value)
    if isinstance(first, dict):
        for name in formats.FORMATS:
            asked = registry.may_be(name, first)
            assert asked or not formats.load_format(name).recognises(value), name
