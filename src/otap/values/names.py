"""Names of people, places and choices: another word makes another one.

Anna Schmidt and Ben Schmidt, New York and New Orleans, read only and read write are near to a text
vector. Whether a short text is a name, its key says, or its capitals; what one name leaves
out (a title, a second name, an initial), the order of its words and accents are no difference.
"""

from otap._patterns import regex
from otap.values.spelling import fold_word

_TEXT = regex(r"[^\W_]+(?:\.?[ '\u2019,()&-]+[^\W_]+)*[.)]*\Z")
_WORD = regex(r"[^\W\d_]+")
_NUMBER = regex(r"\d")
_STREET = regex(r"str(?:asse|eet)?\Z")
_LONGEST, _FEW, _SHORT = 120, 3, 4  # characters, words of a choice, letters of an abbreviation
# What a key ends with that holds a name, an address, or a text of its author's own.
_NAMES = frozenset((
    "name", "person", "customer", "client", "passenger", "guest", "patient", "recipient",
    "receiver", "sender", "payee", "payer", "beneficiary", "holder", "owner", "assignee",
    "author", "reviewer", "approver", "user", "contact", "employee", "manager", "candidate",
    "attendee", "participant", "member", "driver", "supplier", "vendor", "company",
    "organization", "organisation", "employer", "brand", "city", "town", "country", "region",
    "origin", "destination", "venue", "airport", "from", "to", "role", "permission", "access",
    "status", "state", "type", "category", "kind", "mode", "level", "tier", "stage", "phase",
    "priority", "severity", "department", "team", "color", "colour", "size", "material",
    "method", "shipping", "delivery", "payment", "option", "plan", "cabin", "fare", "class",
    "resolution", "outcome", "decision", "format", "language", "service", "product", "item",
    "drug", "medication", "diet", "coverage", "insurance", "room", "branch", "channel",
    "environment", "zone",
))  # fmt: skip
_FORMS = frozenset((
    "co", "company", "corp", "corporation", "inc", "incorporated", "llc", "limited", "ltd",
))  # fmt: skip
_PLACES = frozenset(("address", "street"))
_FREE = frozenset((
    "title", "subject", "headline", "heading", "caption", "topic", "reason", "description",
    "desc", "summary", "comment", "note", "message", "msg", "text", "body", "content", "query",
    "question", "answer", "search", "keyword", "q", "prompt", "instruction", "thought", "goal",
    "task", "request", "response", "reply", "feedback", "remark", "explanation", "detail",
    "label", "event", "purpose", "memo", "header", "footer", "string", "line", "todo",
    "action", "change",
))  # fmt: skip


def words_of_name(text: str, key: str) -> tuple[frozenset[str], bool] | None:
    """Returns the words of a text that is a name, and whether of a place; None for other prose.

    Args:
        text: several words.
        key: the last word of the key that it stands under.
    """
    if len(text) > _LONGEST or not _TEXT.match(text):
        return None
    words = _WORD.findall(text)
    if _is_of(key, _PLACES):
        return frozenset(_STREET.sub("st", fold_word(word)) for word in words), True
    if _NUMBER.search(text) or not _is_name(words, key):
        return None
    return frozenset(fold_word(word) for word in words if len(word) > 1) - _FORMS, False


def other_name(
    ours: tuple[frozenset[str], bool], theirs: tuple[frozenset[str], bool]
) -> tuple[str, str] | None:
    """Returns the words that each of two names has and the other lacks; None where one has none."""
    left, right = sorted(ours[0] - theirs[0]), sorted(theirs[0] - ours[0])
    if ours[1] or theirs[1]:
        left, right = _long(left, right), _long(right, left)
        if len(left) != len(right):
            return None  # NY is New York
    return (" ".join(left), " ".join(right)) if left and right else None


def _is_name(words: list[str], key: str) -> bool:
    if _is_of(key, _FREE):
        return False
    capital = all(word[0].isupper() for word in words)
    return len(words) <= _FEW and (capital or _is_of(key, _NAMES))


def _is_of(key: str, keys: frozenset[str]) -> bool:
    return key in keys or key.removesuffix("s") in keys


def _long(words: list[str], others: list[str]) -> list[str]:
    """The words that neither abbreviate another nor are abbreviated by it: St and Street."""
    return [one for one in words if not any(_cuts(one, two) or _cuts(two, one) for two in others)]


def _cuts(short: str, long: str) -> bool:
    letters = iter(long)
    if not len(short) <= _SHORT < len(long) or short[0] != long[0]:
        return False
    return all(letter in letters for letter in short)
