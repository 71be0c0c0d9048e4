"""The templates: everything that is put into one is text, unless a template made it."""

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from otap import _numbers
from otap._caching import cached_property
from otap.errors import shown
from otap.report.cells import step_name
from otap.report.pages.texts import visible

FILTERS: Mapping[str, Callable[..., Any]] = {
    "score": _numbers.score_text,
    "loss": _numbers.loss_text,
    "percent": _numbers.percent_text,
    "difference": _numbers.difference_text,
    "counted": _numbers.count_text,
    "number": _numbers.number_text,
    "brief": _numbers.brief_text,
    "given": _numbers.given_text,
    "step_name": step_name,
    "short": shown,
    "visible": visible,
}


class Templates:
    """The templates of all pages, loaded when the first is asked for."""

    @cached_property
    def _environment(self) -> Environment:
        found = Environment(
            loader=PackageLoader("otap.report.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        found.filters.update(FILTERS)
        return found

    def render(self, name: str, **given: object) -> Markup:
        """Returns a template filled in, as markup that other templates take as it is.

        Args:
            name: its file in ``templates``.
            **given: what it shows; texts are escaped.
        """
        return Markup(self._environment.get_template(name).render(**given))


TEMPLATES = Templates()
