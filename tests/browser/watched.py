"""Pages that are watched: what they say on the console, what goes wrong, what they ask for."""

from pathlib import Path
from typing import Any

WIDE = {"width": 1200, "height": 800}
# What a reader may have set, as it is where a test does not say.
USUAL = {
    "color_scheme": "light", "reduced_motion": "no-preference", "forced_colors": "none",
    "media": "screen",
}  # fmt: skip


class Watched:
    """A window of the browser, into which one page after the other is opened from disk.

    Args:
        browser: chromium.
        folder: where the pages are put.
        **options: of the profile, as ``java_script_enabled``.
    """

    def __init__(self, browser: Any, folder: Path, **options: Any) -> None:
        self._file = folder / "page.html"
        self._context = browser.new_context(**options)
        self._context.set_default_timeout(10_000)
        self._page = self._context.new_page()
        self._watch()
        self.complaints: list[str] = []

    def open(
        self, html: str, *, fragment: str = "", viewport: dict[str, int] = WIDE, **media: str
    ) -> Any:
        """Returns the page that a reader has who opens a file with this HTML.

        Args:
            html: all of the file.
            fragment: what stands behind the # in the address.
            viewport: the size of the window.
            **media: what the reader has set, of ``USUAL``.
        """
        self._page.goto("about:blank")
        self._file.write_text(html, encoding="utf-8")
        self._page.emulate_media(**{**USUAL, **media})
        self._page.set_viewport_size(viewport)
        self._page.goto(self._file.as_uri() + (f"#{fragment}" if fragment else ""))
        return self._page

    def forget(self) -> None:
        """Forgets what the page keeps on the reader's machine.

        Raises:
            AssertionError: if it complained, or asked for something, since the last time.
        """
        complaints, self.complaints = self.complaints, []
        if self._page.url != "about:blank":
            self._page.evaluate("localStorage.clear()")
        assert complaints == []

    def close(self) -> None:
        """Closes the window."""
        self._context.close()

    def _watch(self) -> None:
        def complain(what: str) -> None:
            self.complaints.append(what)

        def asked(dialog: Any) -> None:
            complain(f"dialog: {dialog.message}")
            dialog.dismiss()  # else the page waits

        self._page.on("console", lambda said: complain(f"console: {said.text}"))
        self._page.on("pageerror", lambda error: complain(f"error: {error}"))
        self._page.on("dialog", asked)
        self._page.on("popup", lambda other: complain(f"window: {other.url}"))
        self._page.on("download", lambda file: complain(f"download: {file.url}"))
        self._page.on("request", lambda one: self._is_own(one.url) or complain(one.url))

    def _is_own(self, url: str) -> bool:
        own = {self._file.as_uri(), "about:blank"}
        return url.partition("#")[0] in own or url.startswith("data:")
