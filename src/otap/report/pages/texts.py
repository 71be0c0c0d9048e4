"""Foreign text in a page: what cannot be seen is spelled out, and what is too long is cut."""

from otap._numbers import count_text
from otap._patterns import regex

LONGEST = 4000  # characters of one text
# Line ends and tabs are drawn by the page; all else that is not printable could hide or turn text.
_HIDDEN = regex(r"[^\n\t\x20-\x7e]")


def visible(text: object, limit: int = LONGEST) -> str:
    """Returns a text as a page can show it: control and direction marks as escapes, long ones cut.

    It is not escaped for HTML: the template does that.

    Args:
        text: anything; its ``str`` is shown.
        limit: the most characters.
    """
    whole = str(text)
    cut = whole[:limit]
    seen = _HIDDEN.sub(lambda c: c[0] if c[0].isprintable() else _spelled(c[0]), cut)
    rest = len(whole) - len(cut)
    return f"{seen}… and {count_text(rest, 'more character')}" if rest else seen


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
