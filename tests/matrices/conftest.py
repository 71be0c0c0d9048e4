"""What the tests of all matrices share."""

import pytest

from otap.encoders import CachedEncoder, load_encoder


@pytest.fixture(scope="session")
def encoder() -> CachedEncoder:
    """The default encoder."""
    return load_encoder("wordllama")
