"""The page on values: each of its examples is so."""

import re
from pathlib import Path

import pytest

import otap
from battery.language import call, run
from otap.values.distance import find_value_contradiction
from otap.values.kinds import read_scalar
from otap.values.value import Value

PAGE = Path(__file__).parents[2] / "docs" / "values.md"
SECTIONS = {
    section.partition("\n")[0]: section for section in PAGE.read_text("utf-8").split("\n## ")
}
KINDS = next(iter(SECTIONS.values()))
PROSE = SECTIONS["Prose"]


def _rows(text: str) -> list[list[str]]:
    """The cells of the rows of a table, but for its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


ROWS = _rows(KINDS)
_QUOTED = re.compile(r"`([^`]+)`")


def test_every_row_has_all_columns() -> None:
    """Kind, looks, what is no difference with a pair, what is one with a pair."""
    assert len(ROWS) > 20
    assert {len(row) for row in ROWS} == {6}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_examples(row: list[str]) -> None:
    """What the page calls the same has one canonical form, what it calls different has two."""
    same, different = (_QUOTED.findall(row[place]) for place in (3, 5))
    assert len(same) == 2
    assert read_scalar(same[0]).canonical == read_scalar(same[1]).canonical
    if different:
        assert read_scalar(different[0]).canonical != read_scalar(different[1]).canonical


def _leaf(text: str, key: str) -> Value:
    return next(iter(Value({key: text}).members.values()))


@pytest.mark.parametrize("row", _rows(SECTIONS["What the key says"]), ids=lambda row: row[0])
def test_examples_by_key(row: list[str]) -> None:
    """What the page calls the same under a key is so, and what it calls different is not."""
    for key in _QUOTED.findall(row[0]):
        if row[2]:
            one, other = (_leaf(text, key).canonical for text in _QUOTED.findall(row[2]))
            assert one == other
        one, other = (_leaf(text, key).canonical for text in _QUOTED.findall(row[3]))
        assert one != other


@pytest.mark.parametrize("row", _rows(SECTIONS["Statements of SQL"]), ids=lambda row: row[0])
def test_examples_of_statements(row: list[str]) -> None:
    """In a score: equal statements are no finding, different ones are critical."""
    for cell, severity in ((row[1], None), (row[2], "critical")):
        agent, reference = (run(call("execute", {"sql": sql})) for sql in _QUOTED.findall(cell))
        for pair in ((agent, reference), (reference, agent)):
            result = otap.score(*pair)
            assert result.severity == severity
            assert (result.score == 1) is (severity is None)


@pytest.mark.parametrize("row", _rows(PROSE), ids=lambda row: row[0])
def test_prose_that_contradicts(row: list[str]) -> None:
    """What the page calls a contradiction is one, of two texts that are prose."""
    one, other = (Value(text) for text in _QUOTED.findall(row[1]))
    assert one.is_prose and other.is_prose
    assert find_value_contradiction(one, other)


def test_a_version_says_so_by_its_key() -> None:
    """As a text, 1.10 is another version than 1.1, and the same number."""
    for key, same in (
        ("python_version", False),
        ("python", False),
        ("imageTag", False),
        ("section", False),
        ("price", True),
        ("stage", True),
    ):
        a, b = (next(iter(Value({key: text}).members.values())) for text in ("1.10", "1.1"))
        assert (a.canonical == b.canonical) is same
