"""A whole page: one file with its style and its script inside, which asks for nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from markupsafe import Markup

from otap.report.rendering import render_template


def render_document(title: str, body: Markup, parts: Sequence[str] = ()) -> str:
    """Returns a page.

    Its content security policy allows its own style and script by their digests and nothing else:
    no request, no other script, whatever a trace holds.

    Args:
        title: of the window; text.
        body: what it shows.
        parts: the names of what it shows, each a file in ``style`` and in ``script`` if it needs
            one.
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
    return str(page)  # no markup any more: nobody puts a page into another


def _join_files(folder: str, end: str, names: Sequence[str]) -> str:
    """The files of a kind, one after the other; ours alone."""
    found = (files("otap.report.pages") / folder / f"{name}.{end}" for name in names)
    return "\n".join(one.read_text(encoding="utf-8") for one in found if one.is_file())


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
