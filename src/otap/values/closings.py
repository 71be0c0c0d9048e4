"""The name of a firm under a letter, which is no other name than that of the person who signs."""

from functools import lru_cache

from otap._patterns import regex
from otap.values.lexicon import lexicon

MAX_CLOSING = 400  # characters at the end of a text in which a closing is looked for
MAX_CACHED_TEXT = 4_000  # characters of a text whose parts are cached
MAX_LINES, MAX_WORDS = 2, 4  # lines below a closing, and words of a line

_CLOSING = regex(
    r"(?:(?:with )?(?:best|kind|kindest|warm|many)?\s*(?:regards|wishes|greetings)|best|sincerely"
    r"|(?:yours|your) (?:sincerely|faithfully|truly)|sincerely yours|cheers|(?:many )?thanks"
    r"|thank you|mit freundlichen gr\u00fc\u00dfen|viele gr\u00fc\u00dfe|cordialement|saludos"
    r"|atentamente|cordiali saluti|atenciosamente)[,.!]?\Z",
    2,
)
_FIRM = regex(
    r"\b(?:team|inc|ltd|llc|gmbh|ag|corp|corporation|company|tech|technologies|support|services?"
    r"|group|shop|store|office|department|labs|studios?|systems|solutions|software|agency"
    r"|hotel|airlines?|university|foundation|industries|partners|association)\b",
    2,
)
_NAME = regex(r"[^\W\d_][^\d@/:.!?]*\Z")
_SMALL = frozenset(("the", "of", "and", "&", "de", "und", "et", "von", "van"))
# No name has these words, in any case: they ask for something.
_ASKING = frozenset((
    "to", "from", "pay", "send", "transfer", "call", "contact", "refund", "wire", "give", "forward",
    "buy", "sell", "cancel", "approve", "ask", "email", "visit", "please", "delete", "money", "not",
    "no", "never", "confirm", "release", "accept", "reject", "ship", "stop",
))  # fmt: skip


def has_closing(text: str) -> bool:
    """Returns whether a short text ends with a closing and names."""
    return _split_short(text) is not None


def drop_signatures(a: str, b: str) -> tuple[str, str]:
    """Returns two texts without the names below their closings, if a firm signs one of them.

    Other texts stay as they are.
    """
    a_split, b_split = (
        _split_short(text) if len(text) <= MAX_CACHED_TEXT else _split(text) for text in (a, b)
    )
    if a_split is None or b_split is None:
        return a, b
    (a_body, a_names), (b_body, b_names) = a_split, b_split
    is_firm = _FIRM.search(a_names) is not None or _FIRM.search(b_names) is not None
    return (a_body, b_body) if is_firm else (a, b)


def _split(text: str) -> tuple[str, str] | None:
    """A text up to its closing, and the names below; None if it has no closing and names."""
    end = text.rstrip()
    lines = end[-MAX_CLOSING:].split("\n")
    if len(lines) == 1:
        return None
    names: list[str] = []
    for line in reversed(lines[1:] if len(end) > MAX_CLOSING else lines):
        name = line.strip()
        if _CLOSING.match(name):
            size = len("\n".join([line, *names]))
            return (end[: len(end) - size] + line, "\n".join(names)) if names else None
        if not name:
            names.insert(0, line)
            continue
        if not _is_name(name) or sum(bool(other.strip()) for other in names) == MAX_LINES:
            return None
        names.insert(0, line)
    return None


_split_short = lru_cache(maxsize=8192)(_split)


def _is_name(line: str) -> bool:
    """Whether a line is a name: a few capitalised words, none of which asks for anything grave."""
    words = line.split()
    if _NAME.match(line) is None or len(words) > MAX_WORDS:
        return False
    small_words = {word.casefold().strip(",") for word in words}
    asks = not small_words.isdisjoint(_ASKING | lexicon()["grave"])
    return not asks and all(word[0].isupper() or word in _SMALL for word in words)
