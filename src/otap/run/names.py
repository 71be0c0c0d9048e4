"""The words of the names of tools, keys and paths."""

from otap._patterns import regex
from otap.run.scalars import cache_short
from otap.values.normalization import fold_word

_PARTS = regex(r"[^\W_]+")
_CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PREFIX = regex(r"v?[0-9]+|api|tool|functions|web")


def split_name(name: str) -> list[str]:
    """Returns the words of a name in lower case, without accents and prefixes such as "api"."""
    return [*_split_name(name)]


@cache_short
def _split_name(name: str) -> tuple[str, ...]:
    parts = [word for part in _PARTS.findall(name) for word in _CAMEL.split(part)]
    words = [fold_word(part) for part in parts]
    while len(words) > 1 and _PREFIX.fullmatch(words[0]):
        words = words[1:]
    return tuple(words)
