"""Regular expressions that are compiled when first used, because one run needs few of them."""

import re
from typing import Any, cast

from otap._caching import cached_property


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Returns a pattern like ``re.compile``, but compiles it when it is first used.

    Compiling all patterns of the package takes longer than a score. The tests compile each pattern
    to find mistakes.
    """
    return cast(re.Pattern[str], _Regex(pattern, flags))


class _Regex:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._compiled, name)
        setattr(self, name, attribute)  # the next access does not call __getattr__
        return attribute
