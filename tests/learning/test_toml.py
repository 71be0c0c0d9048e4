"""Plain data as TOML: what is written is read back, whatever texts hold."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.errors import ConfigError
from otap.learning.toml import comment_lines, toml_document

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.one_of(
    TEXTS, st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
)
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        VALUES,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner)),
        max_leaves=8,
    ),
    max_size=4,
)


@given(DATA)
def test_it_is_read_back(data: dict[str, Any]) -> None:
    """Any names and values."""
    text = toml_document(data)
    assert tomllib.loads(text) == data
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_comment_stays_one() -> None:
    """No line of a text leaves the comment, nor reaches a terminal unescaped."""
    lines = list(comment_lines("a\nfailed = 'dropped'\x1b[31m\r\n" + "word " * 60))
    assert all(line.startswith("#") and line.isprintable() for line in lines)
    assert max(map(len, lines)) <= 100


def test_a_comment_goes_on_further_in() -> None:
    """So that entries of a list are told from their second lines; no word is endless."""
    lines = list(comment_lines("  " + "word " * 30 + "x" * 500))
    assert lines[0].startswith("#   word") and all(one.startswith("#     ") for one in lines[1:])
    assert max(map(len, lines)) <= 104


def test_what_toml_cannot_hold() -> None:
    """Null has no place in TOML; the place is said."""
    with pytest.raises(ConfigError, match=r"parameters\.pay\.defaults\.x: TOML cannot hold None"):
        toml_document({"parameters": {"pay": {"defaults": {"x": None}}}})
