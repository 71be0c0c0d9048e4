"""Judges how much two texts differ that do not contradict each other.

- critical: the texts have nearly nothing in common, or only one of them has an address, a link, an
  account or an amount of money.
- major: only one of them makes a statement, a label has another content word, or no words are
  known of the language.
- minor: the same content in other words.

The verdict depends on the two texts alone. Sentences that both texts have are set aside first, so a
difference at the end of a long text counts as much as one at its beginning.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from otap._caching import cached_property
from otap._patterns import regex
from otap.values.contradiction import Contradiction
from otap.values.languages import (
    MAX_READ,
    STEM,
    Language,
    count_negations,
    find_prefixed,
    find_stems,
    identify_language,
    is_joined,
    split_words,
)
from otap.values.lexicon import lexicon
from otap.values.literals import number_in_prose, unit_of, words_in_digits
from otap.values.normalization import compose, drop_invisible
from otap.values.parameters import (
    COVERED,
    LABEL_WORDS,
    NEARLY_NOTHING,
    NEGATED,
    SAME_FRAME,
    SAME_SENTENCE,
)

Severity = Literal["critical", "major", "minor"]
# The languages whose negations the contradictions of prose know in more detail.
MAX_SENTENCES = 60  # sentences of one text that are compared with each sentence of the other
MAX_SAMPLE = 4_000  # characters of a text by which its language is known
_READ_IN_DETAIL = frozenset(("en", "de", "es", "fr", "chinese", ""))

_PROHIBITIONS = str.maketrans("\u52ff\u522b\u83ab\u672a", "\u4e0d\u4e0d\u4e0d\u6ca1")  # one for all
_MARKS = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'", "\u201c": '"', "\u201d": '"',
    "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-",
    "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2026": "...",
})  # fmt: skip
_BULLET = regex(r"(?m)^[ \t]*(?:[-*\u2022\u2013]|#{1,6})[ \t]+")
_BLANKS = regex(r"\s+")
_SENTENCES = regex(
    r"(?<=[^\d\s.]{3}[.!?\u2026\u06d4\u0964\u061f])[\"')\]]*\s+|(?<=\d{3}[.!?])\s+(?=[^\W\d_a-z])|(?<=[\u3002\uff01\uff1f])|\n+"
)
_LAST_SIGNS = regex(r"[\s.!\u3002\u0964\u06d4,;:\u2026]+\Z")

_MAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}")
_LINK = regex(
    r"(?:https?://|www\.)[^\s<>\"')\]]+|\b(?:[a-z0-9-]{1,63}\.){1,4}"
    r"(?:com|org|net|io|co|info|biz|app|dev|xyz|ru|cn|top|site|link|me|ly|online|shop)\b(?:/[^\s<>\"')\]]*)?"
)
_IBAN = regex(r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b")
_CARD = regex(r"(?<![\w+])\d(?:[ -]?\d){11,18}(?![\w])")
_CURRENCY = (
    r"[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd\u20aa\u0e3f\u20ab\u20b4]|usd|eur|gbp|chf|jpy|cny|inr|sek|nok|dkk|pln|czk|huf|"
    r"brl|cad|aud|try|rub|krw|aed|sar"
)
_AFTER = (
    rf"{_CURRENCY}|euros?|dollars?|pounds?|bucks?|yen|rupees?|pesos?|reais|francs?|franken|kronor|kroner|"
    r"kr|z\u0142|k\u010d|ft|lei|lira|tl|\u0440\u0443\u0431\w*|\u0433\u0440\u043d\w*|\u5143|\u5186|\uc6d0|\u0e1a\u0e32\u0e17|\u4e07|"
    r"\u0930\u0941\u092a\u092f\u0947|\u062f\u0631\u0647\u0645|\u0631\u064a\u0627\u0644|\u06cc\u0648\u0631\u0648"
)
_MONEY = regex(
    rf"(?:{_CURRENCY})\s?(\d(?:[\d.,'\u00a0]*\d)?)(k\b)?|(\d(?:[\d.,'\u00a0]*\d)?)(k)?\s?(?:{_AFTER})(?![^\W\d_])"
)
_NUMBER = regex(r"\d(?:[\d.,'\u00a0]*\d)?")


class Wording(NamedTuple):
    """How a text differs from the reference's.

    Attributes:
        severity: how bad it is in a call that writes.
        kind: "reworded", "only", "replaced", "unjudged", or "contradiction".
        run: the part that only the run's text has; empty if there is none.
        reference: the part that only the reference's text has.
        contradiction: the contradiction, for this kind.
    """

    severity: Severity
    kind: str
    run: str = ""
    reference: str = ""
    contradiction: Contradiction | None = None

    @property
    def is_critical(self) -> bool:
        """Whether the texts say different things."""
        return self.severity == "critical"


class _Text:
    """One text, read once.

    Attributes:
        plain: the text with plain signs.
        sentences: its sentences as written, by the form that equal sentences share.
    """

    def __init__(self, text: str, language: Language | None = None) -> None:
        self.plain, self.language = tidy_text(text), language
        self.small = self.plain.casefold()
        self.sentences: dict[str, str] = {}
        for sentence in _SENTENCES.split(self.plain):
            if sentence.strip():
                self.sentences.setdefault(_form_of(sentence), sentence.strip())

    @cached_property
    def words(self) -> list[str]:
        """The words in small letters and in order; short forms are spelled out."""
        return split_words(_spell_out(self.small[:MAX_READ]))

    @cached_property
    def length(self) -> int:
        """The number of words; five characters of a script without blanks count as four."""
        return sum(1 if word[0] < "\u0e00" else len(word) * 4 // 5 for word in self.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words with content, by what they mean where synonyms are known."""
        return frozenset(_read_meanings(self.words, self.language))

    @cached_property
    def exact_parts(self) -> Mapping[tuple[str, str], str]:
        """The addresses, links, accounts and amounts of money: as written, by kind and form."""
        return dict(_find_exact_parts(self.small[:MAX_READ]))

    @cached_property
    def numbers(self) -> frozenset[float]:
        small = words_in_digits(self.small[:MAX_READ])
        return frozenset(number_in_prose(number) for number in _NUMBER.findall(small))


def tidy_text(text: str) -> str:
    """Returns a text with plain signs: quotes, dashes, full-width letters, marks of lists."""
    if not text.isascii():
        text = compose(drop_invisible(text), "NFKC").translate(_MARKS)
    return _BULLET.sub("", text).replace("*", "").replace("`", "").replace("\u00a1", "").strip()


def _form_of(sentence: str) -> str:
    """The form that sentences share which differ in letter case, blanks and the last signs."""
    return _LAST_SIGNS.sub("", _BLANKS.sub(" ", sentence).casefold().strip())


_read_text = lru_cache(maxsize=8192)(_Text)


def _spell_out(small: str) -> str:
    """Returns a text in small letters with "not" for "n't" and the like."""
    for short, long in lexicon().short_forms:
        small = small.replace(short, long)
    return small


def judge_wording(run: str, reference: str) -> Wording | None:
    """Returns how a text differs from the reference's, or None if only its notation does.

    Args:
        run: a text of the run.
        reference: the text that the reference has there.
    """
    if run == reference:
        return None
    judge = _judge_cached if len(run) + len(reference) <= MAX_READ else _judge_pair
    return judge(run, reference)


def _judge_pair(run: str, reference: str) -> Wording | None:
    sample = f"{tidy_text(run[:MAX_SAMPLE])}\n{tidy_text(reference[:MAX_SAMPLE])}"
    language = identify_language(sample)
    read = _read_text if len(run) + len(reference) <= MAX_READ else _Text
    return _judge(read(run, language), read(reference, language), language)


_judge_cached = lru_cache(maxsize=16_384)(_judge_pair)


def _judge(run: _Text, reference: _Text, language: Language | None) -> Wording | None:
    run_only = [run.sentences[form] for form in run.sentences if form not in reference.sentences]
    reference_only = [
        reference.sentences[form] for form in reference.sentences if form not in run.sentences
    ]
    if not run_only and not reference_only:
        if list(run.sentences) == list(reference.sentences):
            return None
        return Wording("minor", "reworded")
    exact = _find_one_sided_part(run, reference)
    if exact:
        return exact
    run_rest, reference_rest = (
        _read_text("\n".join(rest), language) for rest in (run_only, reference_only)
    )
    if language is None:
        replaced = _find_replacement(run, reference, run_rest, reference_rest)
        return replaced or Wording("major", "unjudged", *_clip(run_only, reference_only))
    if _are_translated(run, reference):
        return _find_replacement(run, reference, run_rest, reference_rest) or Wording(
            "major", "translated", *_clip(run_only, reference_only)
        )
    negated = _find_negation(run_only, reference_only, language)
    if negated:
        return negated
    return (
        _find_replacement(run, reference, run_rest, reference_rest)
        or _judge_label(run, reference)
        or _find_one_sided_statement(run_only, reference_only, run, reference)
        or _judge_frames(run_only, reference_only, language)
        or Wording("minor", "reworded")
    )


def _are_translated(run: _Text, reference: _Text) -> bool:
    """Whether the texts are in two languages and have few words in common."""
    languages = [identify_language(text.plain[:MAX_SAMPLE]) for text in (run, reference)]
    names = {language.name for language in languages if language is not None and language.name}
    return len(names) > 1 and _share_of_both(run, reference) < NEGATED


def _clip(run_only: Sequence[str], reference_only: Sequence[str]) -> tuple[str, str]:
    return " ".join(run_only)[:MAX_READ], " ".join(reference_only)[:MAX_READ]


def _find_exact_parts(small: str) -> Iterator[tuple[tuple[str, str], str]]:
    for match in _MAIL.findall(small):
        yield ("address", match.strip(".")), match
    without_mail = _MAIL.sub(" ", small)
    for match in _LINK.findall(without_mail):
        form = match.removeprefix("https://").removeprefix("http://").removeprefix("www.")
        yield ("link", form.rstrip("/.,;:!?")), match.rstrip(".,;:!?")
    text = _LINK.sub(" ", without_mail)
    for pattern in (_IBAN, _CARD):
        for match in pattern.findall(text):
            if any(character.isdigit() for character in match[4:]):
                yield ("account", match.replace(" ", "").replace("-", "")), match
        text = pattern.sub(" ", text)
    for money in _MONEY.finditer(words_in_digits(text)):
        number = number_in_prose(money[1] or money[3]) * (1000 if money[2] or money[4] else 1)
        yield ("amount", f"{number:.12g}"), money[0].strip()


def has_exact_part(text: str) -> bool:
    """Returns whether a text names an address, a link, an account or an amount of money."""
    return bool(_Text(text[:MAX_READ]).exact_parts)


def _find_one_sided_part(run: _Text, reference: _Text) -> Wording | None:
    """An address, link, account or amount that only one of the texts has."""
    for text, other in ((run, reference), (reference, run)):
        for key, written in text.exact_parts.items():
            kind, form = key
            if key in other.exact_parts or (kind == "amount" and float(form) in other.numbers):
                continue
            if kind != "amount" and form in other.small:
                continue
            sides = (written, "") if text is run else ("", written)
            return Wording("critical", f"only {kind}", *sides)
    return None


def _read_meanings(words: Sequence[str], language: Language | None) -> Iterator[str]:
    synonyms, formulas = _read_synonyms()
    for stem in find_stems(list(words), language):
        if stem not in formulas:
            yield synonyms.get(stem, stem)


@cache
def _read_synonyms() -> tuple[Mapping[str, str], Collection[str]]:
    """Returns the meaning of each stem with synonyms, and the stems of greetings and the like."""
    tables = lexicon()
    by_stem = {}
    for line in tables.synonyms:
        first, *_ = line
        by_stem.update({word[:5]: f"={first}" for word in line})
    return by_stem, {word[:5] for word in tables["formulas"]}


def _share(stems: Collection[str], others: Collection[str]) -> float:
    """The share of the shorter side's stems that both sides have; 1 if a side has none."""
    shorter = min(len(stems), len(others))
    return len(set(stems) & set(others)) / shorter if shorter else 1.0


def _find_replacement(
    run: _Text, reference: _Text, run_rest: _Text, reference_rest: _Text
) -> Wording | None:
    """A text, or the larger part of one, that has nearly no content in common with the other."""
    if bool(run.stems) != bool(reference.stems):
        return Wording("critical", "replaced")
    if run.stems and _share(run.stems, reference.stems) < NEARLY_NOTHING:
        return Wording("critical", "replaced")
    if not (run_rest.stems and reference_rest.stems) or not run.stems:
        return None
    is_most = 2 * len(run_rest.stems) >= len(run.stems) or (
        2 * len(reference_rest.stems) >= len(reference.stems)
    )
    is_elsewhere = run_rest.stems <= reference.stems or reference_rest.stems <= run.stems
    share = _share(run_rest.stems, reference_rest.stems)
    if is_most and not is_elsewhere and share < NEARLY_NOTHING:
        return Wording("critical", "replaced", run_rest.plain, reference_rest.plain)
    return None


def _judge_label(run: _Text, reference: _Text) -> Wording | None:
    """Labels and titles have few words, so each word with content counts."""
    if max(run.length, reference.length) > LABEL_WORDS:
        return None
    if "".join(run.words) == "".join(reference.words):
        return Wording("minor", "reworded")
    idle = _generic_stems() | lexicon()["titles"]
    run_only = run.stems - reference.stems - idle
    reference_only = reference.stems - run.stems - idle
    if not run_only and not reference_only:
        return Wording("minor", "reworded")
    return Wording("major", "label")


@cache
def _generic_stems() -> frozenset[str]:
    return frozenset(_read_meanings(sorted(lexicon()["generic"]), None))


def _find_one_sided_statement(
    run_only: Sequence[str], reference_only: Sequence[str], run: _Text, reference: _Text
) -> Wording | None:
    """A sentence of which the other text has hardly a word."""
    language = run.language
    for sentences, other, is_run in ((run_only, reference, True), (reference_only, run, False)):
        for sentence in sentences:
            text = _read_text(sentence, language)
            stems = text.stems
            if _is_formula(text):
                continue
            if len(sentence) > MAX_READ:  # only the beginning was read
                return Wording("major", "only statement", *_sides(sentence, is_run))
            if stems and len(stems & other.stems) < COVERED * len(stems):
                severity: Severity = "critical" if _is_grave(sentence, stems) else "major"
                return Wording(severity, "only statement", *_sides(sentence, is_run))
    return None


def _is_formula(text: _Text) -> bool:
    """Whether a sentence is a greeting or a closing, perhaps with a name."""
    _, formulas = _read_synonyms()
    return text.length <= LABEL_WORDS and bool(text.words) and text.words[0][:STEM] in formulas


def _is_grave(sentence: str, stems: Collection[str]) -> bool:
    """Whether a statement asks for a secret or money, ends a contract, or orders a loss."""
    small = sentence.casefold()
    return any(
        word in stems if word.isascii() and len(word) <= STEM else word.replace("_", " ") in small
        for word in lexicon()["grave"]
    )


def _sides(part: str, is_run: bool) -> tuple[str, str]:
    return (part, "") if is_run else ("", part)


def _judge_frames(
    run_only: Sequence[str], reference_only: Sequence[str], language: Language
) -> Wording | None:
    for text, other in _pair_sentences(run_only, reference_only, language):
        wording = _judge_frame(text, other)
        if wording:
            return wording
    return None


def _judge_frame(run: _Text, reference: _Text) -> Wording | None:
    """Other words in the middle of the same words: nothing is reworded, so the words count."""
    x, y = (list(_explode(text.words)) for text in (run, reference))
    start = _count_equal(x, y)
    end = _count_equal(x[start:][::-1], y[start:][::-1])
    if start + end < SAME_FRAME * max(len(x), len(y)) or not (x and y):
        return None
    language = run.language
    idle = _generic_stems() | (language.words if language else frozenset())
    left, right = (
        {*_read_meanings(words[start : len(words) - end], language)} - idle for words in (x, y)
    )
    if left == right or "".join(x) == "".join(y):
        return None
    parts = [words[start : len(words) - end] for words in (x, y)]
    are_units = all(part and all(unit_of(word) for word in part) for part in parts)
    severity: Severity = "critical" if are_units else "major"
    run_part, reference_part = (" ".join(part) for part in parts)
    return Wording(severity, "only words", run_part, reference_part)


def _explode(words: Sequence[str]) -> Iterator[str]:
    """Yields words, and each character of a script without blanks."""
    for word in words:
        yield from word.translate(_PROHIBITIONS) if is_joined(word) else (word,)


def _count_equal(x: Sequence[str], y: Sequence[str]) -> int:
    count = 0
    for word, other_word in zip(x, y, strict=False):
        if word != other_word:
            break
        count += 1
    return count


def _find_negation(
    run_only: Sequence[str], reference_only: Sequence[str], language: Language
) -> Wording | None:
    """A sentence that is negated in one of the texts alone."""
    if language.name in _READ_IN_DETAIL:
        return None
    for text, other in _pair_sentences(run_only, reference_only, language):
        sentence, other_sentence = text.plain, other.plain
        counts = [count_negations(each.small, each.words, language) for each in (text, other)]
        words = frozenset(text.words), frozenset(other.words)
        prefixed = find_prefixed(*words, language) or find_prefixed(*words[::-1], language)
        if bool(counts[0]) != bool(counts[1]) or prefixed:
            contradiction = Contradiction("negated", sentence, other_sentence)
            return Wording("critical", "contradiction", sentence, other_sentence, contradiction)
    return None


def _pair_sentences(
    run_only: Sequence[str], reference_only: Sequence[str], language: Language
) -> Iterator[tuple[_Text, _Text]]:
    """Yields sentences of the run with the nearest of the reference, if both make one statement."""
    others = [_read_text(sentence, language) for sentence in reference_only[:MAX_SENTENCES]]
    for sentence in run_only[:MAX_SENTENCES]:
        text = _read_text(sentence, language)
        nearest = max(others, key=lambda other: _share_of_both(text, other), default=None)
        if nearest is not None and _share_of_both(text, nearest) >= SAME_SENTENCE:
            yield text, nearest


def _share_of_both(a: _Text, b: _Text) -> float:
    return _share(a.stems, b.stems) if a.stems and b.stems else 0.0
