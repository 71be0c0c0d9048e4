"""The page on values: each of its examples is so."""

import re
from pathlib import Path

import pytest

import otap
from battery.language import call, run
from otap.findings.changes import find_changes
from otap.values.distance import find_value_contradiction
from otap.values.kinds import read_scalar
from otap.values.value import Value

PAGE = Path(__file__).parents[2] / "docs" / "values.md"
SECTIONS = {
    section.partition("\n")[0]: section for section in PAGE.read_text("utf-8").split("\n## ")
}
KINDS = next(iter(SECTIONS.values()))
NOTATIONS, PROSE = SECTIONS["Notations"], SECTIONS["Prose"]


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


_KEYED = re.compile(r"[a-zA-Z_]+: (?=.)")


def _read(text: str) -> list[tuple[str, str]]:
    """The arguments of an example by key, each in its canonical form."""
    if not _KEYED.match(text):
        return [("", read_scalar(text).canonical)]
    key, _, value = text.partition(": ")
    number = float(value) if re.fullmatch(r"\d+(?:\.\d+)?", value) else value
    data = {key: number if key != "pin" else value}
    return [(name, member.canonical) for name, member in Value(data).members.items()]


def _pairs(cell: str) -> list[tuple[str, str]]:
    quoted = _QUOTED.findall(cell)
    return list(zip(quoted[::2], quoted[1::2], strict=True))


@pytest.mark.parametrize("row", _rows(NOTATIONS), ids=lambda row: row[0])
def test_notations(row: list[str]) -> None:
    """What is the same in any notation is one value; what is nearly the same is another one."""
    _, same, different = row
    assert [pair for pair in _pairs(same) if _read(pair[0]) != _read(pair[1])] == []
    assert [pair for pair in _pairs(different) if _read(pair[0]) == _read(pair[1])] == []


@pytest.mark.parametrize("row", _rows(NOTATIONS), ids=lambda row: row[0])
def test_costs_and_findings_agree_on_notations(row: list[str]) -> None:
    """Nothing that is the same has a finding, and whatever is different has one."""
    for cell, is_same in ((row[1], True), (row[2], False)):
        for texts in _pairs(cell):
            run, reference = (
                Value(dict([text.split(": ", 1)] if _KEYED.match(text) else [("value", text)]))
                for text in texts
            )
            assert (find_changes(run, reference) == []) is is_same, texts


def _leaf(text: str, key: str) -> Value:
    return next(iter(Value({key: text}).members.values()))


@pytest.mark.parametrize("row", _rows(SECTIONS["Kinds by key"]), ids=lambda row: row[0])
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
