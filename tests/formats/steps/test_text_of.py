"""The text of a part, and the path in the error if it is no text."""

import pytest

from otap.errors import FormatError
from otap.formats.content import text_of
from otap.formats.json.paths import JsonPath

ROOT = JsonPath("f.json")


def test_the_first_of_these_keys_counts() -> None:
    """An empty text, like a missing one, is None."""
    assert text_of({"summary": "a", "text": "b"}, ROOT, "text", "summary") == "b"
    assert text_of({"text": ""}, ROOT, "text") is None
    assert text_of({"other": "a"}, ROOT, "text") is None


def test_the_error_names_the_key() -> None:
    """The path ends with the key of the value that is no text."""
    with pytest.raises(FormatError, match=r"summary: .*text"):
        text_of({"summary": 1}, ROOT, "text", "summary")
