"""Pages in Debian's chromium; every complaint of the console and every request fails a test."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from watched import Watched

REQUIRED = os.environ.get("OTAP_REQUIRE_BROWSER") == "1"
HOW = "scripts/setup browser installs it"
# No sandbox: whoever is root has none. No word to its makers at each start.
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; without it a test skips, or fails if OTAP_REQUIRE_BROWSER=1 is set."""
    program = shutil.which(os.environ.get("OTAP_CHROMIUM", "chromium"))
    if program is None:
        (pytest.fail if REQUIRED else pytest.skip)(f"no chromium here; {HOW}")
    driven = _playwright().sync_playwright().start()
    browser = driven.chromium.launch(executable_path=program, args=QUIET)
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
def window(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """One window for all tests: to open another takes longer than most of them."""
    watched = Watched(chromium, tmp_path_factory.mktemp("pages"))
    yield watched
    watched.close()


@pytest.fixture
def opened(window: Watched) -> Iterator[Callable[..., Any]]:
    """Opens a page as a reader does, see ``Watched.open``; nothing may be complained of."""
    yield window.open
    window.forget()


@pytest.fixture(scope="session")
def bare_window(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A window of a reader who lets no script run."""
    watched = Watched(chromium, tmp_path_factory.mktemp("bare"), java_script_enabled=False)
    yield watched
    watched.close()


@pytest.fixture
def opened_without_script(bare_window: Watched) -> Iterator[Callable[..., Any]]:
    """Opens a page where no script runs; nothing else may be complained of."""
    yield bare_window.open
    bare_window.forget()
