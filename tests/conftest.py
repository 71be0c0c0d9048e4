"""What all tests share: where the real data lies, and how many examples hypothesis tries."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
LONG = os.environ.get("OTAP_LONG") == "1"

settings.register_profile("otap", max_examples=500 if LONG else 50, deadline=None)
settings.load_profile("otap")


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
