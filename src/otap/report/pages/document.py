"""Writes a page as one file that contains its style and its script and requests nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from markupsafe import Markup

from otap.report.rendering import render_template


def render_document(title: str, body: Markup, parts: Sequence[str] = ()) -> str:
    """Returns a page.

    Its content security policy allows its own style and script by their digests. It forbids all
    requests and other scripts, whatever a trace contains.

    Args:
        title: of the window, as text.
        body: the markup of the page.
        parts: names of its parts; each has a file in ``style``, and in ``script`` if it needs one.
    """
    names = ["base", *parts]
    style, script = _join_files("style", "css", names), _join_files("script", "js", names)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = render_template(
        "document.html", title=title, policy=policy, style=Markup(style), script=Markup(script),
        body=body,
    )  # fmt: skip
    return str(page)  # a complete page is not part of other markup


def _join_files(folder: str, suffix: str, names: Sequence[str]) -> str:
    """Joins files of this package; those that do not exist are skipped."""
    paths = [files("otap.report.pages") / folder / f"{name}.{suffix}" for name in names]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
