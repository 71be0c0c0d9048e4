"""Texts that take the square of their length to bring into one form are cut first."""

import unicodedata

import pytest

from otap.values.normalization import compose


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\uff9e\u0345", "\u0f73\u0f71"])
def test_marks_are_counted(marks: str) -> None:
    """A few are kept as they are; of many those after the first thirty are dropped."""
    few, many = "a" + marks * 10, "a" + marks * 100_000
    assert compose(few, "NFKC") == unicodedata.normalize("NFKC", few)
    assert compose(many, "NFKC") == compose("a" + marks * 15, "NFKC")


def test_signs_are_no_marks() -> None:
    """Lines that are drawn stay as long as they are."""
    drawn = "\u2550" * 80 + "\u2026"
    assert compose(drawn, "NFC") == drawn
