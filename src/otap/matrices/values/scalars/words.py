"""Words without digits: flags, what stands for nothing, enumerations in any spelling."""

from otap._patterns import regex

_FLAGS = {"true": "true", "yes": "true", "on": "true", "y": "true",
          "false": "false", "no": "false", "off": "false", "n": "false"}  # fmt: skip
_NOTHING = frozenset(("null", "none", "nil", "undefined", "n/a"))
_WORD = regex(r"[^\W\d_]+(?:[_\-][^\W\d_]+)*\Z")
_SPACED = regex(r"[^\W\d_]+(?: [^\W\d_]+){1,2}\Z")
_HUMP = regex(r"[^\W\d_][^\W\d_A-Z]*")
_PART = regex(r"[_\- ]")
_LONGEST = 80


def flag(text: str) -> str | None:
    """Reads yes and no: true, yes, on and y are one; 1 is a number."""
    return _FLAGS.get(text.lower()) if len(text) <= 5 else None


def nothing(text: str) -> str | None:
    """Reads a word that stands for no value."""
    return "none" if text.lower() in _NOTHING else None


def word(text: str) -> str | None:
    """Reads a word or the name of a choice: in_progress, IN-PROGRESS and inProgress are one."""
    if len(text) > _LONGEST or not _WORD.match(text) or _is_drawn(text):
        return None
    return together(text)


def together(text: str) -> str:
    """Returns a word without letter case; parts of two letters and more are put together."""
    folded = text.casefold()
    parts = _PART.split(folded)
    return "".join(parts) if all(len(part) > 1 for part in parts) else "-".join(parts)


def few(text: str) -> bool:
    """Whether a text is two or three words and nothing else, which a choice may be as well."""
    return len(text) <= _LONGEST and _SPACED.match(text) is not None


def _is_drawn(text: str) -> bool:
    """Whether letter case changes as in QgXwdT, by chance, and not as in camelCase."""
    if text.islower() or text.isupper() or not text.isascii():
        return False
    humps = _HUMP.findall(text)
    return len(humps) > 2 and len(text) < 2.5 * len(humps)
