"""Which texts are numbers: for value flow and for comparing arguments, where they differ."""

import pytest

from otap.run.scalars import canonical_value, is_number
from otap.values.kinds import read_scalar


@pytest.mark.parametrize(
    ("text", "flowing", "compared"),
    [
        ("150.00", "150", "150"),
        ("-0", "0", "0"),
        ("+5", None, "5"),
        ("1e+20", "1e+20", "100000000000000000000"),
        ("123456789012345", "123456789012345", "123456789012345"),
        ("1234567890.123456", "1234567890.123456", "1234567890.12346"),
        ("1,000", None, "1000"),
        ("007", "7", None),
        ("x1", None, None),
    ],
)
def test_spellings(text: str, flowing: str | None, compared: str | None) -> None:
    """What is a number by each rule, and how it is spelled; None: it is none and stays itself."""
    assert is_number(text) == (flowing is not None)
    assert canonical_value(text) == (text if flowing is None else flowing)
    assert (read_scalar(text).kind == "number") == (compared is not None)
    assert read_scalar(text).canonical == (text if compared is None else compared)
