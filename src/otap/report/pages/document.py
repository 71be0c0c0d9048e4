"""A whole page: one file with its style and its script inside, which asks for nothing else.

Everything that is put into a template is text, unless a template made it.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from otap import _numbers
from otap.errors import shown
from otap.report.model.words import (
    MOVED,
    SIGNS,
    escape_markdown,
    name_step,
    visible,
    word_kind,
)

_FILTERS: Mapping[str, Callable[..., Any]] = {
    "score": _numbers.score_text,
    "loss": _numbers.loss_text,
    "percent": _numbers.percent_text,
    "difference": _numbers.difference_text,
    "counted": _numbers.count_text,
    "number": _numbers.number_text,
    "brief": _numbers.brief_text,
    "given": _numbers.given_text,
    "step_name": name_step,
    "kind_word": word_kind,
    "short": shown,
    "visible": visible,
    "markdown": lambda *given: Markup(escape_markdown(*given)),
}


@cache
def _load_templates() -> Environment:
    found = Environment(
        loader=PackageLoader("otap.report.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(_FILTERS)
    found.globals.update(signs=SIGNS, moved_sign=MOVED)
    return found


def render_template(name: str, **given: object) -> Markup:
    """Returns a template filled in, as markup that other templates take as it is.

    Args:
        name: its file in ``templates``.
        **given: what it shows; texts are escaped.
    """
    return Markup(_load_templates().get_template(name).render(**given))


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
