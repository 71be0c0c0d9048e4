"""Pages that are watched: what they say on the console, what goes wrong, what they ask for."""

import sys
from pathlib import Path
from typing import Any

AXE = Path(sys.prefix, "axe", "node_modules", "axe-core", "axe.min.js")
WIDE = {"width": 1200, "height": 800}


class Watched:
    """Opens pages, each in a profile of its own.

    Args:
        browser: chromium.
        folder: where the pages are put.
    """

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self._contexts: list[Any] = []
        self.complaints: list[str] = []

    def open(self, html: str, *, fragment: str = "", axe: bool = False, **options: Any) -> Any:
        """Returns the page that a reader has who opens a file with this HTML.

        Args:
            html: all of the file.
            fragment: what stands behind the # in the address.
            axe: whether the page is to be judged by axe-core, see ``violations``.
            **options: of the browser, as ``color_scheme`` and ``viewport``.
        """
        file = self._folder / f"page{len(self._contexts)}.html"
        file.write_text(html, encoding="utf-8")
        context = self._browser.new_context(**{"viewport": WIDE, **options})
        self._contexts.append(context)
        context.set_default_timeout(10_000)
        if axe:
            context.add_init_script(path=AXE)
        page = context.new_page()
        self._watch(page, file.as_uri())
        page.goto(file.as_uri() + (f"#{fragment}" if fragment else ""))
        return page

    def close(self) -> None:
        """Closes all pages."""
        for context in self._contexts:
            context.close()

    def _watch(self, page: Any, own: str) -> None:
        complain = self.complaints.append
        page.on("console", lambda said: complain(f"console: {said.text}"))
        page.on("pageerror", lambda error: complain(f"error: {error}"))
        page.on("dialog", lambda dialog: complain(f"dialog: {dialog.message}"))
        page.on("popup", lambda other: complain(f"window: {other.url}"))
        page.on("download", lambda file: complain(f"download: {file.url}"))
        page.on("request", lambda asked: _is_own(asked.url, own) or complain(f"asks: {asked.url}"))


def _is_own(url: str, own: str) -> bool:
    return url.partition("#")[0] == own or url.startswith("data:")
