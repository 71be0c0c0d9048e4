"""Single values by kind: one canonical form for equal ones, for any text, in bounded time."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from otap.matrices.values.scalars import scalar

PIECES = st.sampled_from(
    ["1", "0", "24", "2024", "05", "May", "may", "-", "/", ".", "..", ":", " ", "  ", "\n", ",",
     "#", "$", "\u20ac", "%", "kg", "h", "m", "USD", "T", "Z", "+", "'", '"', "\\", "a", "B",
     "src", "x_y", "select", "from", "where", "=", "*", ";", "ls", "grep", "find", "the",
     "--flag", "|", ">", "(", ")", "http://", "http:", "?", "&", "@", ".com", "v", "e5", "true",
     "\u53d6\u6d88", "\uff11", "u\u0308", "\u00a0", "abc", "DEF", "{", "}", "def f():", "return",
     "PT", "AM", "#W1"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=9).map("".join) | st.text(max_size=30)


@given(TEXTS)
@example("select a flight FROM the list WHERE x=1")
def test_a_canonical_form_is_its_own(text: str) -> None:
    """No text raises, and reading a canonical form again changes nothing."""
    canonical = scalar(text).canonical
    assert scalar(canonical).canonical == canonical


@given(st.integers() | st.floats(allow_nan=False))
def test_equal_json_numbers_are_equal(number: float) -> None:
    """Whether a number is written as an integer or as a float, or as a text of 15 digits."""
    assert scalar(number).canonical == scalar(float(number)).canonical or number != float(number)
    if abs(number) < 10**15:
        assert scalar(str(number)).canonical == scalar(number).canonical


def test_one_instant_has_one_form() -> None:
    """The same instant in another zone, in another spelling."""
    for text in ("2024-05-20T16:30:00+02:00", "20240520T143000Z", "May 20, 2024 2:30 PM UTC"):
        assert scalar(text) == ("moment", "2024-05-20T14:30:00Z")


HOSTILE = [
    unit * (100_000 // len(unit))
    for unit in (
        " ", "1", ".", "1.", "1,", "/", "../", "\\", "'", '"', "a ", "a", "-", "(", "/*", "--",
        "a@", "select ", "select (", "select a,", "from ", "ls ", "ls -", "$", "#", "\n", "=\n",
        "a=", "{\n", "\u53d6", "\u0e01", "u\u0308", "A=b ", "\\\n", "if ", "f(", "x.", "1 ",
        "1:", "http://", "%", "aB", "a_", "a-", "with a as (", "1d ", "\x00", "&", "+[", "a[",
    )
]  # fmt: skip


@pytest.mark.parametrize("before", ["", "select ", "ls -l ", "x = ", "http://a/", "C:"])
def test_long_texts_take_linear_time(before: str) -> None:
    """A hundred thousand characters of anything, and as many as are still read, in no time."""
    for text in HOSTILE:
        for length in (45, 75, 190, 1_900, 19_900, 100_000):
            start = time.perf_counter()
            scalar((before + text)[:length] + "!")
            assert time.perf_counter() - start < 0.5, (text[:10], length)
