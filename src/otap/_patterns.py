"""Regular expressions that are compiled when they are first used: one run needs few of them."""

import re
from typing import Any, cast

from otap._caching import cached_property


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression like that of ``re.compile``, which waits with compiling it.

    Compiling all that the package has takes longer than a score, and a mistake in one is found by
    the tests, which compile each.
    """
    return cast(re.Pattern[str], _Regex(pattern, flags))


class _Regex:
    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._given)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._compiled, name)
        setattr(self, name, value)  # from now on found like any attribute
        return value
