"""Pages in Debian's chromium; every complaint of the console and every request fails a test."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from watched import Watched

REQUIRED = os.environ.get("OTAP_REQUIRE_BROWSER") == "1"
HOW = "scripts/setup browser installs it"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; without it a test skips, or fails if OTAP_REQUIRE_BROWSER=1 is set."""
    program = shutil.which(os.environ.get("OTAP_CHROMIUM", "chromium"))
    if program is None:
        (pytest.fail if REQUIRED else pytest.skip)(f"no chromium here; {HOW}")
    driven = _playwright().sync_playwright().start()
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    browser = driven.chromium.launch(executable_path=program, args=quiet)
    yield browser
    browser.close()
    driven.stop()


def _playwright() -> Any:
    """What drives the browser."""
    if REQUIRED:
        import playwright.sync_api  # fails where it is not

        return playwright.sync_api
    return pytest.importorskip("playwright.sync_api", reason=f"no playwright here; {HOW}")


@pytest.fixture(scope="session")
def bare_window(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A window of a reader who lets no script run."""
    watched = Watched(chromium, tmp_path_factory.mktemp("bare"), java_script_enabled=False)
    yield watched
    watched.close()


@pytest.fixture
def opened_without_script(bare_window: Watched) -> Iterator[Callable[..., Any]]:
    """Opens a page where no script runs; nothing may be complained of but that."""
    yield bare_window.open
    bare_window.forget()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page from disk, as a reader does; at the end nothing may have been complained of.

    What it is given beside the HTML goes to the browser: ``color_scheme``, ``viewport``.
    """
    watched = Watched(chromium, tmp_path)
    yield watched.open
    watched.close()
    assert watched.complaints == []
