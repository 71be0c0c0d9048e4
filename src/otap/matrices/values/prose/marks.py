"""What of a text is held exact."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from otap._caching import cached_property
from otap._patterns import regex
from otap.matrices.values.prose.amounts import SCRIPT, Piece, amounts
from otap.matrices.values.prose.lexicon import Place, lexicon, longest_words

_SCRIPT = regex(f"[{SCRIPT}]+")
_TOKEN = regex(
    rf"[{SCRIPT}]|[^\W{SCRIPT}]+(?:[.,:/@'&+-][^\W{SCRIPT}]+)*'?|->|=>|[,、]|[.!?;\n。]+|[$€£]"
)
_END = regex(r"[.!?;\n。]+\Z")
_URL = regex(r"\bhttps?://[^\s<>\"')\]]+[^\s<>\"')\].,;:!?。]", re.IGNORECASE)
_MAIL = regex(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}")
_PATH = regex(
    r"(?<![\w/.])(?:~|\.{0,2})/?(?:[\w.@-]{1,80}/){1,40}[\w.@*-]{0,80}|(?<![\w/])/[\w.@-]{1,80}|"
    r"(?<![\w-])[\w-]{1,80}\.(?:py|js|ts|md|txt|csv|json|toml|ya?ml|html?|pdf|docx?|xlsx?|png|jpe?g|zip|sql|sh|"
    r"log|xml|rs|go|c|cpp|h|java|rb|ini|cfg|lock|exe)\b"
)
_CODE = regex(
    rf"#?(?<!\w)(?=[\w-]{{0,40}}\d)(?=[\w-]{{0,40}}[^\W\d_{SCRIPT}])"
    rf"[^\W_{SCRIPT}](?:[^\W{SCRIPT}]|-(?=\w)){{0,80}}"
)
_UNIT_TAIL = regex(
    r"\d[\d.,]*(?:st|nd|rd|th|[a-zµ%]{1,3})\Z|\d\d?h\d\d\Z|(?:\d+-)?[^\W\d_]+-\d+\Z|\d+-[^\W\d_]+\Z"
)
_SNAKE = regex(r"\b[^\W_]+(?:_[^\W_]+)+\b")
_CAPITAL = regex(rf"[^\W\d_{SCRIPT}][^\W\d_{SCRIPT}'-]*")
_LISTED = regex(r"^ ?\d{1,2}[.)]\s", re.MULTILINE)
_NOT = regex(r"n't\b|\bne\b|\bn'(?!t)|\bkein(?:e[nmrs]?)?\b")
_BLANKS = regex(r"\s+")
_DIGITS = regex(r"\d+")
# Each with a sign that a text must have; most have none.
_FORMS = (
    ("url", _URL, regex("/")),
    ("mail", _MAIL, regex("@")),
    ("path", _PATH, regex("[/.]")),
    ("code", _CODE, _DIGITS),
)


class Marks:
    """What is read out of a text: each part once, when it is first asked for.

    Args:
        text: in normal spelling.

    Attributes:
        asks: whether it is a question.
        words: in small letters and in order, with commas and ends of sentences.
    """

    def __init__(self, text: str) -> None:
        self._text, self._small = text, text.lower()
        self.asks = "?" in text
        self.words = tuple(_words(self._small))

    @cached_property
    def _plain(self) -> list[str]:
        """The words without signs."""
        return [word for word in self.words if word[0] not in ",、.!?;\n。"]

    @cached_property
    def content(self) -> frozenset[str]:
        """The different words, without those that a sentence may have or lack."""
        return frozenset(word for word in {*self._plain} if not _is_plain(word))

    @cached_property
    def pieces(self) -> Mapping[str, Mapping[str, str]]:
        """What is exact, by its kind: numbers, dates, names, codes, addresses."""
        found: dict[str, dict[str, str]] = {}
        for kind, piece, shown in _pieces(self._text, self._plain):
            found.setdefault(kind, {}).setdefault(piece, shown)
        return found

    @cached_property
    def loose(self) -> frozenset[str]:
        """Every number and word of the text, whatever it is part of."""
        numbers = (number.lstrip("0") for number in _DIGITS.findall(self._text))
        return frozenset([*self._plain, *numbers])

    @property
    def negations(self) -> int:
        """How many negations there are."""
        return self._denial[0]

    @property
    def hedged(self) -> bool:
        """Whether it says no in words that are no negations."""
        return self._denial[1]

    @cached_property
    def _denial(self) -> tuple[int, bool]:
        return _negations(self._small)

    @cached_property
    def places(self) -> Mapping[str, Mapping[Place, str]]:
        """The words that have opposites, by table and place."""
        names = "opposites", "turns", "classes"
        return {name: _places(name, self._small, self._plain) for name in names}


def marks(text: str) -> Marks:
    """Returns what of a text is held exact; each part takes time linear in its length."""
    return Marks(normal(text))


def _blank(match: re.Match[str]) -> str:
    return "\n" if "\n" in match[0] else " "


def _is_plain(word: str) -> bool:
    """Whether a sentence may have or lack a word; most Hiragana signs are endings."""
    return word in lexicon()["plain"] or (len(word) == 1 and "\u3040" <= word <= "\u309f")


def normal(text: str) -> str:
    """Returns a text in one spelling: full-width digits are digits, and an umlaut is one letter."""
    text = _BLANKS.sub(_blank, unicodedata.normalize("NFKC", text))
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("\u2032", "'").strip()


def _words(small: str) -> list[str]:
    found = [_END.sub(".", token).removesuffix("'s") for token in _TOKEN.findall(small)]
    while found and found[-1] == ".":
        found.pop()
    return found


def _places(name: str, small: str, words: list[str]) -> dict[Place, str]:
    table = lexicon().tables[name]
    found: dict[Place, str] = {}
    for word in dict.fromkeys(words):
        for place in table.places(word):
            found.setdefault(place, word)
    for run in dict.fromkeys(_SCRIPT.findall(small)):
        for word, places in table.within(run):
            for place in places:
                found.setdefault(place, word)
    return found


def _negations(small: str) -> tuple[int, bool]:
    """How often a text says no, and whether it does so in words that are no negations."""
    known = lexicon()
    for phrase in known.idle:
        small = small.replace(phrase, " ")
    runs = _SCRIPT.findall(small)
    kept = [word.strip("'") for word in _TOKEN.findall(small)]
    strong = sum(w in known["negations"] and w not in known["concord"] for w in kept)
    strong += len(_NOT.findall(small)) + sum(map(_script_negations, runs))
    weak = any(word in known["concord"] for word in kept)
    return strong or int(weak), _is_hedged(kept, runs)


def _is_hedged(words: list[str], runs: list[str]) -> bool:
    known = lexicon()
    return any(word in known["hedges"] for word in words) or any(
        sign in run for run in runs for sign in known["script_hedges"]
    )


def _script_negations(run: str) -> int:
    known = lexicon()
    return sum(word in known["script_negations"] for word in longest_words(run, known.script))


def _pieces(text: str, words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each exact piece: its kind, its one spelling, and how it is shown."""
    text = _LISTED.sub(" ", text) if _DIGITS.search(text) else text
    rest: list[Piece] = []
    for kind, pattern, sign in _FORMS:
        if sign.search(text):
            text = _without(text, kind, pattern, rest)
    for kind, piece, shown in rest:
        yield kind, piece.lower().lstrip("#").rstrip("./"), shown
    for name in _names(text, words):
        yield "name", name.lower(), name
    for name in _SNAKE.findall(text):
        yield "code", name.lower(), name
    yield from amounts(text.lower())


def _without(text: str, kind: str, pattern: re.Pattern[str], into: list[Piece]) -> str:
    def take(match: re.Match[str]) -> str:
        if _is_none(kind, match[0]):
            return match[0]
        into.append((kind, match[0], match[0]))
        return " "

    return pattern.sub(take, text)


def _is_none(kind: str, piece: str) -> bool:
    """Whether it only looks like a path (and/or) or a code (5kg, covid-19)."""
    if kind == "path":
        return bool(re.fullmatch(r"[^\W\d_]+/[^\W\d_]+|[\d/]+", piece))
    return kind == "code" and _UNIT_TAIL.match(piece.lower()) is not None


def _names(text: str, words: list[str]) -> Iterator[str]:
    """Words with capitals that no sentence begins with; none where capitals name nothing."""
    known = lexicon()
    found = list(_CAPITAL.finditer(text))
    capitals_name = _capitals_name([match[0] for match in found], words)
    loud = text.isupper()
    before = ""
    for match in found:
        word = match[0].removesuffix("'s")
        opens = _opens(text, match.start())
        shouts = word.isupper() and len(word) > 1 and not loud
        may = before in known["titles"] or (not opens and (shouts or capitals_name))
        if may and not _names_nothing(word):
            yield word
        before = word.lower()


def _capitals_name(found: list[str], words: list[str]) -> bool:
    """Whether capitals name something: in German and in titles they do not."""
    german = sum(word in lexicon()["german"] for word in words) * 8 > len(words)
    long = [word for word in found if len(word) > 3]
    return not german and sum(word[0].isupper() for word in long) * 5 <= len(long) * 4


def _names_nothing(word: str) -> bool:
    small = word.lower()
    known = lexicon()
    lists = ("shouted", "plain", "negations", "titles")
    return (
        small[0] == word[0]
        or any(small in known[name] for name in lists)
        or any(table.places(small) for table in known.tables.values())
    )


def _opens(text: str, at: int) -> bool:
    """Whether a sentence, a line or a quotation begins at a place."""
    before = text[max(0, at - 4) : at].rstrip(" \t")
    return not before.strip() or before[-1] in ".!?;:\n\"'([{*-•“„«—>|/=。"
