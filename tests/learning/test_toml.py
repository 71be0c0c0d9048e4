"""Plain data as TOML: what is written is read back, whatever texts hold."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otap.errors import ConfigError
from otap.learning.settings_file import comment, document

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


class Everywhere(dict[Any, str]):
    """One text above each value and each member."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: object) -> str:
        return self.text

    def __init__(self, text: str) -> None:
        self.text = text


@given(DATA, TEXTS)
def test_it_is_read_back(data: dict[str, Any], said: str) -> None:
    """Any names and values, and any text above each of them."""
    text = document(data, Everywhere(said))
    assert tomllib.loads(text) == data
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_comment_stays_one() -> None:
    """No line of a text leaves the comment, nor reaches a terminal unescaped."""
    lines = list(comment("a\nfailed = 'dropped'\x1b[31m\r\n" + "word " * 60))
    assert all(line.startswith("#") and line.isprintable() for line in lines)
    assert max(map(len, lines)) <= 100


def test_a_comment_goes_on_further_in() -> None:
    """So that entries of a list are told from their second lines; no word is endless."""
    lines = list(comment("  " + "word " * 30 + "x" * 500))
    assert lines[0].startswith("#   word") and all(one.startswith("#     ") for one in lines[1:])
    assert max(map(len, lines)) <= 104


def test_what_toml_cannot_hold() -> None:
    """Null has no place in TOML; the place is said."""
    with pytest.raises(ConfigError, match=r"parameters\.pay\.defaults\.x: TOML cannot hold None"):
        document({"parameters": {"pay": {"defaults": {"x": None}}}}, {})
