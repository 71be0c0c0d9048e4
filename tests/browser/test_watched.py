"""The watch itself: what a page may not do is noticed, and what it does wrong is judged."""

import time

import pytest
from contrast import pale
from judged import violations
from watched import Watched

BAD = """<!doctype html><html lang="en"><title>Bad</title><h1>Bad</h1>
<p style="color:#bbb;background:#fff">pale</p><img src="https://127.0.0.1:9/x.png">
<script>console.error("said"); setTimeout(() => { throw new Error("thrown"); }); alert("asked");
</script>"""


def test_complaints_requests_and_what_is_pale_are_noticed(window: Watched) -> None:
    """Else the other tests of pages would prove nothing."""
    page = window.open(BAD)
    # The error is thrown by a timer, after the page has loaded.
    until = time.monotonic() + 10
    while time.monotonic() < until and not any("thrown" in one for one in window.complaints):
        page.wait_for_timeout(20)
    found = " ".join(window.complaints)
    for part in ("console: said", "error: thrown", "dialog: asked", "https://127.0.0.1:9"):
        assert part in found
    broken = " ".join(violations(page))
    assert "color-contrast" in broken
    assert "image-alt" in broken
    assert pale(page) == ["1.92 p.null: pale"]
    with pytest.raises(AssertionError):
        window.forget()
    window.forget()
