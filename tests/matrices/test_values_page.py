"""The page on values: each of its examples is so."""

import re
from pathlib import Path

import pytest

from otap.matrices.scalars import scalar
from otap.matrices.values import Value

PAGE = Path(__file__).parents[2] / "docs" / "values.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| kind ")
]
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
    assert scalar(same[0]).canonical == scalar(same[1]).canonical
    if different:
        assert scalar(different[0]).canonical != scalar(different[1]).canonical


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
