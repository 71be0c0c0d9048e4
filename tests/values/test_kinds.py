"""Single values by kind: one canonical form for equal ones, for any text, in bounded time."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from otap.values import numbers
from otap.values.kinds import read_scalar

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
@example("\ufb01 of")
@example("./ 05/01/2024 ")
@example("+ 05/01/2024")
@example("00\\   Z")
@example("../\t2024-05-01")
@example("select\u00a01$\u0130")
def test_a_canonical_form_is_its_own(text: str) -> None:
    """No text raises, and reading a canonical form again changes nothing."""
    canonical = read_scalar(text).canonical
    assert read_scalar(canonical).canonical == canonical


@given(st.integers() | st.floats(allow_nan=False))
def test_equal_json_numbers_are_equal(number: float) -> None:
    """Whether a number is written as an integer or as a float, or as a text of 15 digits."""
    assert read_scalar(number).canonical == read_scalar(float(number)).canonical or number != float(
        number
    )
    if abs(number) < 10**15:
        assert read_scalar(str(number)).canonical == read_scalar(number).canonical


def test_one_instant_has_one_form() -> None:
    """The same instant in another zone, in another spelling."""
    for text in ("2024-05-20T16:30:00+02:00", "20240520T143000Z", "May 20, 2024 2:30 PM UTC"):
        assert read_scalar(text) == ("moment", "2024-05-20T14:30:00Z")


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
def test_long_texts_are_read(before: str) -> None:
    """A hundred thousand characters of anything, and as many as are still read: none hangs."""
    for text in HOSTILE:
        for length in (45, 75, 190, 1_900, 19_900, 100_000):
            read_scalar((before + text)[:length] + "!")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("4111 1111 1111 1111", "4111 1111 1111 1112", False),
        ("a@x.org, b@x.org", "a@x.org,b@x.org", True),
        ("500 mW", "500 MW", False),
        ("1 m", "1 M", False),
        ("Plan A", "plan a", True),
    ],
)
def test_what_sets_parts_apart(one: str, other: str, same: bool) -> None:
    """Blanks behind a comma say nothing, the letter case of a unit does."""
    assert (read_scalar(one).canonical == read_scalar(other).canonical) is same


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("rm -rf build", "rm -r -f build", "shell"),
        ("git commit -am 'Fix it'", "git commit -a -m 'Fix it'", "shell"),
        ("GRANT SELECT ON orders TO kim", "grant select on orders to kim;", "sql"),
        ("return age > 18", "return age > 18  ", "code"),
    ],
)
def test_one_spelling(one: str, other: str, kind: str) -> None:
    """What means the same to a shell, a database or a compiler is one value."""
    assert read_scalar(one) == read_scalar(other)
    assert read_scalar(one).kind == kind


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rm -rf build", "rm -rf ."),
        ("rm -r build", "rm -f build"),
        ("tar -xf a.tar", "tar -cf a.tar"),
        ("GRANT SELECT ON orders TO kim", "GRANT DELETE ON orders TO kim"),
        ("REVOKE ALL PRIVILEGES ON a.b FROM kim", "REVOKE ALL PRIVILEGES ON a.c FROM kim"),
        ("return age > 18", "return age < 18"),
    ],
)
def test_another_command(one: str, other: str) -> None:
    """Exact, so that nothing of it is a rewording."""
    assert read_scalar(one).canonical != read_scalar(other).canonical
    assert read_scalar(one).kind != "prose"


@pytest.mark.parametrize(
    "text", ["Grant access on Monday to Kim", "grant her access on monday", "return it by friday"]
)
def test_words_of_prose(text: str) -> None:
    """A verb alone makes no statement."""
    assert read_scalar(text).kind == "prose"


def test_each_word_that_multiplies_begins_with_a_letter() -> None:
    """The pattern tries these words only where a letter follows the number."""
    words = numbers._scales()
    assert all(word[0].isalpha() for word in words)
    latin = [word for word in words if word.isascii() and len(word) > 1]
    assert len(latin) > 50
    assert all(numbers.in_full(f"2 {word}").isdecimal() for word in latin)
