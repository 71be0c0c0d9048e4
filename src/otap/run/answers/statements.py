"""Whether messages affirm a value or a name that they mention.

A mention is no answer if its clause denies it or makes it a conjecture, if it is one of several
guesses, if it is all that a question asks, or if a later statement replaces it or takes it back.
The last statement counts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.answers.clauses import (
    MAX_ITEM_WORDS,
    asks_for,
    bare_words,
    has_script,
    is_conjecture,
    is_denied,
    is_question,
    joins,
    list_other_phrases,
    offers_choice,
    split_words,
)
from otap.run.answers.words import idle_words, list_signs, markers, word_list
from otap.values.lexicon import lexicon
from otap.values.moments import month_of

SHORT_CORRECTION = 2  # so few words of content replace a name, whatever they are
MIN_FRAME = 2  # words of a statement beside its value
MAX_SUFFIX = 2  # words after the value that a statement ends with
MAX_ALTERNATIVES = 20
COMPETING_SIZE = 1000.0  # numbers within this factor may be meant as the same thing
WINDOW = 240  # characters on each side of a mention that decide about it
LEAD = 60  # characters before a list of values that may say that it is a choice
MAX_LATER = 400  # later sentences, or corrections, that may replace a statement

Reason = Literal["denied", "conjecture", "guess", "question", "corrected", "contrary"]
Part = tuple[int, int, int]  # the index of a text, and the begin and end of a part

_STOPS = r".!?\u3002\uff01\uff1f\n"
_SENTENCE = regex(rf"[^{_STOPS}]*(?:\.(?=\S)[^{_STOPS}]*)*[{_STOPS}]*")
_DAY = regex(r"\b\d{1,2}\.\s*\Z")
_SIGNS = "$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd"
_MONEY = regex(rf"[{_SIGNS}]")
_MONEY_AFTER = regex(
    rf"\s?(?:[{_SIGNS}]|(?:eur|usd|gbp|chf|jpy|cny|euros?|dollars?|pounds?|yen|yuan|francs?)\b"
    r"|[\u5143\u5186])"
)
_LABEL = regex(r"[:=|][\s*_]*\Z")
_LIST_ITEM = regex(r"\s*(?:[-*\u2022|]|\d{1,3}[.)]\s)")


class Mention(NamedTuple):
    """Where a text mentions something.

    Attributes:
        text: the index of the text.
        start: the index of its first character.
        end: the index after its last character.
        kind: the kind of a value; empty for a name or another phrase.
        canonical: the form that equal values share.
    """

    text: int
    start: int
    end: int
    kind: str = ""
    canonical: str = ""


class Doubt(NamedTuple):
    """Why a mention is no answer.

    Attributes:
        reason: in one word.
        quote: the words that make it none.
        rivals: the competing answers in them; for a contrary, the words of the reference.
    """

    reason: Reason
    quote: str
    rivals: tuple[str, ...] = ()


class _Marker(NamedTuple):
    """A phrase that corrects an earlier statement, with the list that it is from."""

    text: int
    start: int
    end: int
    list_name: str


class Statements:
    """The statements of some texts, in order.

    Args:
        texts: in small letters.
        originals: the same texts as they were written.
        values: returns the values that each text mentions, in order, by the index of the text.
    """

    def __init__(
        self,
        texts: Sequence[str],
        originals: Sequence[str],
        values: Callable[[int], Sequence[Mention]],
    ) -> None:
        self._texts, self._originals, self._values = texts, originals, values
        self._starts: dict[int, list[int]] = {}

    def find_doubt(
        self, mention: Mention, mentions: Sequence[Mention], *, is_name: bool = False
    ) -> Doubt | None:
        """Returns why a mention is no answer, or None if it is one.

        Args:
            mention: the mention.
            mentions: all mentions of the same answer, in order.
            is_name: whether the answer is a name or a code.
        """
        doubt = self.find_own_doubt(mention) or self._find_correction(mention, mentions)
        if doubt is None and (mention.kind or is_name):
            doubt = self._find_restatement(mention, mentions)
        return doubt

    def find_own_doubt(self, mention: Mention) -> Doubt | None:
        """Returns why a mention is no answer by its own sentence, or None."""
        text, begin, end = self._sentence_around(mention)
        source = self._texts[text]
        before = source[max(begin, mention.start - WINDOW) : mention.start]
        after = source[mention.end : min(end, mention.end + WINDOW)]
        quote = self.quote((text, begin, end))
        if is_denied(before, after):
            return Doubt("denied", quote)
        alternatives = (
            self._list_other_values(mention) if mention.kind else list_other_phrases(before, after)
        )
        if alternatives:
            return Doubt("guess", quote, tuple(alternatives))
        if is_conjecture(before, after):
            return Doubt("conjecture", quote)
        return Doubt("question", quote) if asks_for(before, after) else None

    def list_rivals(self, mention: Mention) -> Iterator[Mention]:
        """Yields the other values in all texts that may be meant as the same thing."""
        for index in range(len(self._texts)):
            for value in self._values(index):
                if _is_rival(value, mention) and self._competes(value, mention):
                    yield value

    def sentence_of(self, mention: Mention) -> str:
        """The sentence that holds a mention."""
        text, begin, end = self._sentence_around(mention)
        return self._texts[text][begin:end]

    def statement_of(self, mention: Mention) -> str:
        """The part of a sentence that holds a mention, as it was written: up to a semicolon."""
        text, begin, end = self._sentence_around(mention)
        begin = max(begin, self._texts[text].rfind(";", begin, mention.start) + 1)
        stop = self._texts[text].find(";", mention.end, end)
        return self.quote((text, begin, end if stop < 0 else stop))

    def text_after(self, mention: Mention) -> str:
        """The text right after a mention, where its unit would stand."""
        return self._texts[mention.text][mention.end : mention.end + 20]

    def has_minus(self, mention: Mention) -> bool:
        """Returns whether a minus sign stands right before a mention."""
        before = self._texts[mention.text][max(mention.start - 2, 0) : mention.start]
        return before[-1:] in ("-", "\u2212") and not before[:-1].isalnum()

    def quote(self, part: Part) -> str:
        """A part of a text as it was written, if that has the same length."""
        text, begin, end = part
        original, source = self._originals[text], self._texts[text]
        return (original if len(original) == len(source) else source)[begin:end].strip()

    # Alternatives

    def _list_other_values(self, mention: Mention) -> list[str]:
        """The values that a sentence offers as alternatives to one."""
        text = self._texts[mention.text]
        values = [value for value in self._values(mention.text) if value.kind == mention.kind]
        index = bisect_left(values, mention)
        members, links = [mention], list[str]()
        for step in (1, -1):
            k = index
            while 0 <= k + step < len(values) and len(members) < MAX_ALTERNATIVES:
                first, second = sorted((values[k], values[k + step]))
                link = text[first.end : second.start]
                if not joins(link):
                    break
                members.append(values[k + step])
                links.append(link)
                k += step
        if len({member.canonical for member in members}) < 2:
            return []
        members.sort()
        lead = text[max(0, members[0].start - LEAD) : members[0].start]
        return list(self._write(members)) if offers_choice(lead, links) else []

    # Corrections

    @cached_property
    def _markers(self) -> list[_Marker]:
        listed = []
        for index, text in enumerate(self._texts):
            pattern, list_of = markers(is_ascii=text.isascii())
            for match in pattern.finditer(text):
                marker = _Marker(index, match.start(), match.end(), list_of[match[0]])
                listed.append(marker)
        return listed

    def _find_correction(self, mention: Mention, mentions: Sequence[Mention]) -> Doubt | None:
        """Returns a later statement that says that it replaces an earlier one, or takes it back."""
        subject = self._content(self._context(mention), mention)
        first = bisect_left(self._markers, (mention.text, mention.end))
        for marker in self._markers[first : first + MAX_LATER]:
            parts = list(self._list_corrected(marker, mention))
            later = [other for other in mentions if other > mention and _holds(parts, other)]
            if any(self.find_own_doubt(other) is None for other in later):
                continue  # it says the answer again
            rivals = [value for part in parts for value in self._rivals_in(part, mention)]
            quote = self.quote((marker.text, marker.start, parts[-1][2]))
            if marker.list_name == "retractions" and self._is_just_before(mention, marker):
                return Doubt("corrected", quote, self._write(rivals))
            if not rivals and (mention.kind or not self._names_another(marker, parts)):
                continue
            content = frozenset[str]().union(*(self._content(part) for part in parts))
            if self._is_about(content - idle_words(), subject, marker, mention):
                return Doubt("corrected", quote, self._write(rivals))
        return None

    @staticmethod
    def _is_about(
        content: frozenset[str], subject: frozenset[str], marker: _Marker, mention: Mention
    ) -> bool:
        """Whether the words of a correction and of a mention's sentence have one subject."""
        if marker.list_name == "apologies":
            is_near = mention.kind != "" or marker.text == mention.text
            return is_near and 2 * len(content & subject) >= len(content)
        is_short = not mention.kind and len(content) <= SHORT_CORRECTION
        return not content or is_short or not content.isdisjoint(subject)

    def _list_corrected(self, marker: _Marker, mention: Mention) -> Iterator[Part]:
        """The statement that a marker introduces: the rest of its sentence, and the next one."""
        text, begin, end = self._sentence_around(marker)
        if mention.text == text and mention.end > begin:
            begin = marker.end
        yield text, begin, end
        if not self._rivals_in((text, begin, end), mention):
            following = islice(self._sentences_after(text, end), 1)
            yield from (part for part in following if part[0] == text)

    def _is_just_before(self, mention: Mention, marker: _Marker) -> bool:
        """Whether a mention stands in the sentence before a marker, or in the same one."""
        _, begin, _ = self._sentence_around(marker)
        text, _, end = self._sentence_around(mention)
        if text == marker.text:
            return mention.end > begin or not self._texts[text][end:begin].strip()
        is_last = not self._texts[text][end:].strip()
        return is_last and text + 1 == marker.text and begin == 0

    def _names_another(self, marker: _Marker, parts: Sequence[Part]) -> bool:
        """Whether the correction of a phrase says anything instead."""
        text = " ".join(self._texts[k][begin:end] for k, begin, end in parts)
        words = set(bare_words(text)) - lexicon()["plain"]
        return marker.list_name == "corrections" and not is_question(text) and bool(words)

    # Statements that contradict an earlier one without saying so

    def _find_restatement(self, mention: Mention, mentions: Sequence[Mention]) -> Doubt | None:
        """Returns a later sentence that differs from that of the mention by its value alone.

        Items of a list, and sentences that go on after the value, may speak of other things.
        """
        text, begin, end = self._context(mention)
        source = self._texts[text]
        prefix = bare_words(source[begin : mention.start])
        suffix = bare_words(source[mention.end : end])
        is_label = _LABEL.search(source[begin : mention.start]) is not None
        if not prefix or len(suffix) > (MAX_SUFFIX if mention.kind else 0):
            return None
        if _LIST_ITEM.match(source[begin:end]) or (is_label and not idle_words() >= {*prefix}):
            return None
        if not is_label and len(prefix) + len(suffix) < MIN_FRAME:
            return None
        subject = frozenset[str]() if is_label else self._content((text, begin, end), mention)
        latest = max(*mentions, mention)
        _, _, position = self._sentence_around(latest)
        for part in islice(self._sentences_after(latest.text, position), MAX_LATER):
            statement = self._texts[part[0]][part[1] : part[2]]
            if len(statement) > 3 * WINDOW or is_question(statement):
                continue
            rivals = self._rivals_in(part, mention)
            if mention.kind and not rivals:
                continue
            is_same = _fills_frame(bare_words(statement), prefix, suffix)
            if not is_same and subject and part[0] > text and len(rivals) == 1:
                is_same = self._has_subject(part, rivals[0], subject)
            if is_same:
                return Doubt("corrected", self.quote(part), self._write(rivals))
        return None

    def _has_subject(self, part: Part, rival: Mention, subject: frozenset[str]) -> bool:
        """Whether a statement that ends with a value speaks of nothing else than some words."""
        text, begin, end = part
        source, content = self._texts[text], self._content(part)
        is_item = _LIST_ITEM.match(source[begin:end]) or _LABEL.search(source[begin : rival.start])
        suffix = bare_words(source[rival.end : end])
        return bool(content) and content <= subject and not is_item and len(suffix) <= MAX_SUFFIX

    # Parts of texts

    def _sentence_starts(self, text: int) -> list[int]:
        if text not in self._starts:
            source, starts = self._texts[text], list[int]()
            for match in _SENTENCE.finditer(source):
                before = source[max(0, match.start() - 4) : match.start()]
                if starts and _DAY.search(before):
                    first = bare_words(match[0][:20])[:1]
                    if first and month_of(first[0], in_prose=True):
                        continue  # the point of a date: 3. Mai
                if match[0]:
                    starts.append(match.start())
            self._starts[text] = starts
        return self._starts[text]

    def _sentence_around(self, mention: Mention | _Marker) -> Part:
        starts = self._sentence_starts(mention.text)
        index = max(bisect_right(starts, mention.start) - 1, 0)
        # A mention may go on beyond a line end.
        last = max(bisect_left(starts, mention.end), index + 1)
        end = starts[last] if last < len(starts) else len(self._texts[mention.text])
        return mention.text, starts[index] if starts else 0, end

    def _sentences_after(self, text: int, position: int) -> Iterator[Part]:
        """Yields the sentences that begin at or after a position."""
        for k in range(text, len(self._texts)):
            starts = self._sentence_starts(k)
            first = bisect_left(starts, position) if k == text else 0
            ends = [*starts[first + 1 :], len(self._texts[k])]
            yield from ((k, start, end) for start, end in zip(starts[first:], ends, strict=False))

    def _context(self, mention: Mention) -> Part:
        text, begin, end = self._sentence_around(mention)
        return text, max(begin, mention.start - WINDOW), min(end, mention.end + WINDOW)

    def _values_in(self, part: Part) -> Sequence[Mention]:
        text, begin, end = part
        values = self._values(text)
        first, last = (bisect_left(values, (text, position)) for position in (begin, end))
        return values[first : min(last, first + WINDOW)]

    def _rivals_in(self, part: Part, mention: Mention) -> list[Mention]:
        """The values of the same kind in a part, other than that of a mention."""
        if not mention.kind:
            return []
        rivals = [value for value in self._values_in(part) if _is_rival(value, mention)]
        is_money = self._is_money(mention)
        return [value for value in rivals if self._is_money(value) or not is_money]

    def _competes(self, value: Mention, mention: Mention) -> bool:
        """Whether another value of a mention's kind may be meant as the same thing.

        Not if each is a number of other things, or if one is a thousand times the other.
        """
        is_money = self._is_money(mention)
        if is_money and not self._is_money(value):
            return False
        if mention.kind != "number":
            return True
        nouns = [bare_words(self.text_after(either))[:1] for either in (value, mention)]
        if not is_money and all(nouns) and nouns[0] != nouns[1]:
            return False
        smaller, larger = sorted(abs(float(either.canonical)) for either in (value, mention))
        return smaller == 0 or larger <= COMPETING_SIZE * smaller

    def _is_money(self, value: Mention) -> bool:
        text = self._texts[value.text]
        before = text[max(0, value.start - 2) : value.start + 1]
        return bool(_MONEY.search(before) or _MONEY_AFTER.match(text, value.end))

    def _content(self, part: Part, mention: Mention | None = None) -> frozenset[str]:
        """The words of a part that carry content, without its values and a mention."""
        text, begin, end = part
        end = min(end, begin + 3 * WINDOW)
        omitted = [*self._values_in((text, begin, end)), *([mention] if mention else ())]
        source, parts, position = self._texts[text], list[str](), begin
        for value in sorted(omitted):
            parts.append(source[position : max(position, value.start)])
            position = max(position, value.end)
        plain, words = lexicon()["plain"] | word_list("copulas"), set[str]()
        for word in split_words(" ".join([*parts, source[position:end]])):
            if has_script(word):
                words.update(list_signs(word))
            elif word[0].isalpha() and word not in plain and len(word) > 1:
                words.add(word)
        return frozenset(words)

    def _write(self, values: Sequence[Mention]) -> tuple[str, ...]:
        """The values as they were written, each once."""
        return tuple(dict.fromkeys(self.quote(value[:3]) for value in values))


def _holds(parts: Sequence[Part], mention: Mention) -> bool:
    return any(mention.text == text and begin <= mention.start < end for text, begin, end in parts)


def _is_rival(value: Mention, mention: Mention) -> bool:
    """Whether a value is another one of the same kind; a day may lack its year."""
    if value.kind != mention.kind:
        return False
    if mention.kind == "date" and "-" in (value.canonical[0], mention.canonical[0]):
        return value.canonical[-6:] != mention.canonical[-6:]
    return value.canonical != mention.canonical


def _fills_frame(words: Sequence[str], prefix: Sequence[str], suffix: Sequence[str]) -> bool:
    """Whether words begin and end with others, and have a few of their own between them."""
    middle = len(words) - len(prefix) - len(suffix)
    if not 1 <= middle <= MAX_ITEM_WORDS or words[: len(prefix)] != prefix:
        return False
    return not suffix or words[-len(suffix) :] == suffix
