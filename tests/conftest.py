"""What all tests share: the real data, the encoder, and how many examples hypothesis tries."""

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from otap import encoders

ROOT = Path(__file__).parents[1]
LONG = os.environ.get("OTAP_LONG") == "1"

# POT loads torch where it is there, of which no test has need.
os.environ.setdefault("POT_BACKEND_DISABLE_PYTORCH", "1")
# The same examples each time, so that a commit passes or fails; --long looks for new ones.
settings.register_profile(
    "otap", max_examples=500 if LONG else 15, deadline=None, derandomize=not LONG
)
settings.load_profile("otap")


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from visiting all modules and tests again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may run in CI, where OTAP records no references, but they act as a person."""
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real traces; without it a test skips, or fails if OTAP_REAL_DATA is set."""
    named = os.environ.get("OTAP_REAL_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    folder = folder if folder.is_absolute() else ROOT / folder
    if not folder.is_dir():
        message = f"no real data in {folder}; set OTAP_REAL_DATA to the folder that holds it"
        (pytest.fail if named else pytest.skip)(message)
    return folder


@pytest.fixture(scope="session", autouse=True)
def weights_read_once() -> Iterator[None]:
    """One set of wordllama's weights for all scorers: to read them takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoders, "WordLlama", cache(encoders.WordLlama))
        yield


@pytest.fixture(scope="session")
def encoder() -> encoders.CachedEncoder:
    """The default encoder."""
    return encoders.load_encoder("wordllama")
