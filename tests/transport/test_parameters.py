"""The native core's own constants are those of parameters.py."""

import re
from pathlib import Path

import pytest

from otap.transport import parameters

HEADER = Path(__file__).resolve().parents[2] / "core" / "parameters.hpp"
RENAMED = {"first_round": parameters.ROUNDS[0], "second_round": parameters.ROUNDS[1]}


@pytest.mark.skipif(not HEADER.exists(), reason="no sources of the native core")
def test_the_core_has_the_same_numbers():
    """Every constant of core/parameters.hpp stands under its name in parameters.py."""
    text = HEADER.read_text(encoding="utf-8")
    found = dict(re.findall(r"(\w+) = ([-.\de]+)[,;]", text))
    assert len(found) > 20
    for name, value in found.items():
        wanted = RENAMED.get(name, getattr(parameters, name.upper(), None))
        assert float(value) == wanted, name
    (factors,) = re.findall(r"factors\[\] = \{(.*?)\}", text)
    assert tuple(map(float, factors.split(","))) == parameters.FACTORS
