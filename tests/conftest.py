"""What all tests share: where the real data lies."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real traces; without it a test skips, and fails where OTAP_REAL_DATA names one."""
    named = os.environ.get("OTAP_REAL_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    folder = folder if folder.is_absolute() else ROOT / folder
    if not folder.is_dir():
        message = f"no real data in {folder}; set OTAP_REAL_DATA to the folder that holds it"
        (pytest.fail if named else pytest.skip)(message)
    return folder
