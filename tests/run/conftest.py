"""What the tests of scoring share."""

import pytest

import otap


@pytest.fixture(scope="session")
def scorer() -> otap.Scorer:
    """The scorer of the preset ``default``; it keeps its vectors between tests."""
    return otap.Scorer()
