"""Judges two sentences that make one statement: only one is negated, or has another number.

The prose facts know a few languages in more detail. Here each language with words has its
negations, numbers, and words of scope: only, except, all, some, must and may.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Literal, NamedTuple

from otap._patterns import regex
from otap.values.contradiction import (
    MAX_ORDERED,
    NEGATED,
    Contradiction,
    count_own_negations,
    find_prefix_opposite,
)
from otap.values.languages import (
    MAX_READ,
    Language,
    count_negations,
    find_negated_stems,
    find_prefixed,
    find_stems,
)
from otap.values.lexicon import GroupSide, lexicon
from otap.values.prose_facts import MAX_CACHED_TEXT, read_prose_facts
from otap.values.texts import ReadText, read_meanings, read_text, share, share_of_both

# From this share of common content words on, two sentences make one statement, perhaps negated.
SAME_SENTENCE = 0.5

Severity = Literal["critical", "major", "minor"]
_SEVERITIES = ("critical", "major", "minor")
MAX_SENTENCES = 60  # sentences of one text that are compared with each sentence of the other
MAX_COMPARED = 100_000  # characters of these sentences
# The languages whose negations the contradictions of prose know in more detail.
_READ_IN_DETAIL = frozenset(("en", "de", "es", "fr", "chinese", ""))
_AUXILIARY = frozenset(("able", "going", "ready", "willing"))  # not able to accept
_DENIED_WORDS = 3  # words behind a negation that it may deny
_SINGLE = "one"  # elsewhere it is an article, too
_HOURS = 12  # between 3 pm and 15:00
_DATE_OR_TIME = regex(r"\d+(?:[-/.:]\d+)+")
_CODE = regex(r"(?<![\w.-])[a-z][a-z_/-]{0,30}\d[\w/-]*")
_THOUSANDS = regex(r"(?<=\d),(?=\d{3}(?!\d))")
_LIST_MARK = regex(r"(?<![\w.,])(\d{1,2})[.)](?=\s)")
_CLAUSE_END = regex(r"[,;:)]\s|\s\(|\s-\s|[\u3001\uff0c]")
_MINUS = regex(r"(?:(?<=[\s(:=])|^)(?:-|minus\s)(\d+(?:[.,]\d+)?)(?![\w-])")


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


class _Decision(NamedTuple):
    """A word with an opposite, such as accept.

    Attributes:
        side: the index of its group, and of its side there.
        is_denied: whether a word right before it denies it.
        written: the word, with the words that deny it.
    """

    side: GroupSide
    is_denied: bool
    written: str


def judge_sentences(
    run_only: Sequence[str],
    reference_only: Sequence[str],
    language: Language,
    full_texts: tuple[ReadText, ReadText],
) -> Wording | None:
    """Returns how a sentence of the run denies or changes one of the reference, or None.

    Args:
        run_only: the sentences that only the run's text has.
        reference_only: those that only the reference's has.
        language: the language of both.
        full_texts: both texts, with the sentences in common.
    """
    wordings = [
        wording
        for run, reference in pair_sentences(run_only, reference_only, language)
        for wording in (
            _find_prefix_opposite(run, reference, language),
            _find_negation(run, reference, language, (run_only, reference_only)),
            _find_swapped_opposites(run, reference),
            _find_moved_negation(run, reference),
            _find_other_number(run, reference, full_texts),
            _find_other_scope(run, reference),
        )
        if wording
    ]
    other_code = _find_other_code(run_only, reference_only)
    wordings += [other_code] if other_code else []
    is_critical = any(wording.is_critical for wording in wordings)
    if not is_critical and share_of_both(*full_texts) >= SAME_SENTENCE:
        refused = _find_refusal(*(_read_all(side, language) for side in (run_only, reference_only)))
        wordings += [refused] if refused else []
    return min(wordings, key=lambda wording: _SEVERITIES.index(wording.severity), default=None)


def _find_other_code(run_only: Sequence[str], reference_only: Sequence[str]) -> Wording | None:
    """Two sentences that differ in their identifiers alone."""
    left, right = (
        [_mask_codes(sentence) for sentence in _take_first(sentences)] if sentences else []
        for sentences in (run_only, reference_only)
    )
    codes_by_form: dict[str, set[tuple[str, ...]]] = {}
    for form, codes in right:
        codes_by_form.setdefault(form, set()).add(codes)
    for form, codes in left:
        expected = codes_by_form.get(form, {codes})
        if codes not in expected:
            return _contradict("other identifier", ", ".join(codes), ", ".join(min(expected)))
    return None


def _mask_codes(sentence: str) -> tuple[str, tuple[str, ...]]:
    """A sentence without its identifiers, and these."""
    small = sentence[:MAX_READ].casefold()
    return _CODE.sub("\0", small), tuple(_CODE.findall(small))


def _read_all(sentences: Sequence[str], language: Language) -> list[ReadText]:
    return [read_text(sentence, language) for sentence in _take_first(sentences)]


def _find_refusal(run: Sequence[ReadText], reference: Sequence[ReadText]) -> Wording | None:
    """One text only denies a word that the other only affirms, such as accept."""
    left, right = (
        [decision for text in texts for decision in text.recall(_list_decisions)]
        for texts in (run, reference)
    )
    for side in sorted({decision.side for decision in left}):
        pair = [
            [decision for decision in decisions if decision.side == side]
            for decisions in (left, right)
        ]
        are_denied = [{decision.is_denied for decision in decisions} for decisions in pair]
        if sorted(map(list, are_denied)) == [[False], [True]]:
            return _contradict("opposite", pair[0][0].written, pair[1][0].written)
    return None


def _list_decisions(text: ReadText) -> list[_Decision]:
    """The words with opposites, such as accept, outside of questions and conditions."""
    table = lexicon().tables["opposites"]
    negations = text.language.negations if text.language else frozenset()
    conditions = frozenset().union(*text.language.conditions) if text.language else frozenset()
    denying = negations | lexicon()["negations"] | lexicon()["refusals"]
    function_words = denying | _AUXILIARY | (text.language.words if text.language else frozenset())
    decisions = []
    for words in [] if text.is_question else text.recall(_list_clauses):
        if not conditions.isdisjoint(words):
            continue
        for k, word in enumerate(words[:MAX_ORDERED]):
            before = words[max(0, k - _DENIED_WORDS) : k]
            first = next((n for n, other in enumerate(before) if other in denying), None)
            if first is not None and not function_words.issuperset(before[first + 1 :]):
                first = None  # it denies a word in between
            written = " ".join([*(before[first:] if first is not None else []), word])
            decisions += [
                _Decision(side, first is not None, written) for side in table.groups_of(word)
            ]
    return decisions


def pair_sentences(
    run_only: Sequence[str], reference_only: Sequence[str], language: Language
) -> Iterator[tuple[ReadText, ReadText]]:
    """Yields sentences of the run with the nearest of the reference, if both make one statement."""
    left, right = (
        [read_text(sentence, language) for sentence in _take_first(sentences)]
        for sentences in (run_only, reference_only)
    )
    for text, other in dict.fromkeys(_pair_nearest(left, right)):
        if share_of_both(text, other) >= SAME_SENTENCE:
            yield text, other


def _take_first(sentences: Sequence[str]) -> list[str]:
    lengths = accumulate(len(sentence) for sentence in sentences[:MAX_SENTENCES])
    return [
        sentence
        for sentence, length in zip(sentences, lengths, strict=False)
        if length <= max(MAX_COMPARED, len(sentences[0]))
    ]


def _pair_nearest(
    left: Sequence[ReadText], right: Sequence[ReadText]
) -> Iterator[tuple[ReadText, ReadText]]:
    """Yields each text of a side with the text of the other side that shares most stems.

    Each text is a number with a bit for each of its stems, so that a pair takes one operation.
    """
    if not left or not right:
        return
    bits: dict[str, int] = {}
    left_stems, right_stems = (
        [_number_stems(text, bits) for text in side] for side in (left, right)
    )
    for text, stems in zip(left, left_stems, strict=True):
        yield text, right[_find_nearest(stems, right_stems)]
    for text, stems in zip(right, right_stems, strict=True):
        yield left[_find_nearest(stems, left_stems)], text


def _number_stems(text: ReadText, bits: dict[str, int]) -> int:
    number = 0
    for stem in text.stems:
        number |= bits.setdefault(stem, 1 << len(bits))
    return number


def _find_nearest(stems: int, others: Sequence[int]) -> int:
    """The index of the first text with the most stems in common."""
    common = [(stems & other).bit_count() for other in others]
    return common.index(max(common))


def _contradict(kind: str, run: str, reference: str, severity: Severity = "critical") -> Wording:
    contradiction = Contradiction(kind, run, reference)
    return Wording(severity, "contradiction", run, reference, contradiction)


def _find_swapped_opposites(run: ReadText, reference: ReadText) -> Wording | None:
    """Both sentences have a word and its opposite, in another order: left open, close it."""
    if share_of_both(run, reference) < NEGATED:
        return None
    orders = [text.recall(_list_opposites) for text in (run, reference)]
    if orders[0] == orders[1] or sorted(orders[0]) != sorted(orders[1]):
        return None
    return _contradict("exchanged", run.plain, reference.plain, "major")


def _list_opposites(text: ReadText) -> list[GroupSide]:
    """The sides of the words whose opposites the text has, too, in their order."""
    sides = [
        side
        for word in text.words[:MAX_ORDERED]
        for name in ("opposites", "turns")
        for side in lexicon().tables[name].groups_of(word)
    ]
    both = {group for group, side in sides if (group, 1 - side) in sides}
    return [side for side in sides if side[0] in both]


def _find_prefix_opposite(run: ReadText, reference: ReadText, language: Language) -> Wording | None:
    """One sentence has a word that the other negates by a prefix: refundable, non-refundable."""
    if language.name not in _READ_IN_DETAIL:
        return None
    facts = read_prose_facts(run.plain), read_prose_facts(reference.plain)
    opposite = find_prefix_opposite(*facts)
    return _contradict("opposite", *opposite) if opposite else None


def _find_negation(
    run: ReadText,
    reference: ReadText,
    language: Language,
    sentences: tuple[Sequence[str], Sequence[str]],
) -> Wording | None:
    """One sentence is negated, the other is not."""
    facts = read_prose_facts(run.plain), read_prose_facts(reference.plain)
    if language.name in _READ_IN_DETAIL:
        counts = count_own_negations(*facts)
        if bool(counts[0]) == bool(counts[1]) or any(each.is_question for each in facts):
            return None
        plain, negated = facts if counts[1] else facts[::-1]
        if not plain.hedges <= negated.hedges:
            return None if negated.is_hedged else Wording("minor", "reworded")
        sides = (run, reference) if counts[0] else (reference, run)
        if _is_merged(*sides, sentences[1 if counts[0] else 0], language):
            return None
        severity: Severity = "critical" if _denies_shared_word(*sides, language) else "major"
        return _contradict("negated", run.plain, reference.plain, severity)
    if _is_only_until(run, reference):
        return None
    numbers = [count_negations(each.small, each.words, language) for each in (run, reference)]
    words = frozenset(run.words), frozenset(reference.words)
    prefixed = find_prefixed(*words, language) or find_prefixed(*words[::-1], language)
    if bool(numbers[0]) == bool(numbers[1]) and not prefixed:
        return None
    if facts[0].is_question != facts[1].is_question:
        return None  # could you not, don't you want to: a polite request
    if not prefixed and _says_no(*((run, reference) if numbers[1] else (reference, run))):
        return Wording("minor", "reworded")  # does not take place: is cancelled
    sides = (run, reference) if numbers[0] else (reference, run)
    if not prefixed and _is_merged(*sides, sentences[1 if numbers[0] else 0], language):
        return None
    return _contradict("negated", run.plain, reference.plain)


def _denies_shared_word(negated: ReadText, plain: ReadText, language: Language) -> bool:
    """Whether a negation stands right before a word that the other sentence affirms."""
    words = negated.words
    return any(
        not plain.stems.isdisjoint(read_meanings(words[k + 1 : k + 1 + _DENIED_WORDS], language))
        for k, word in enumerate(words)
        if word in language.negations
    )


def _is_merged(
    negated: ReadText, plain: ReadText, others: Sequence[str], language: Language
) -> bool:
    """Whether the negation of a sentence stands in a sentence of its own in the other text.

    Args:
        negated: the sentence with the negation.
        plain: the sentence of the other text that makes the same statement.
        others: all sentences of that text.
        language: the language of both.
    """
    texts = [
        read_text(sentence, language)
        for sentence in others[:MAX_SENTENCES]
        if len(sentence) <= MAX_CACHED_TEXT and sentence != plain.plain
    ]
    return len(others) > 1 and any(
        _is_negated(text, language)
        and bool(text.stems)
        and len(text.stems & negated.stems) >= NEGATED * len(text.stems)
        for text in texts
    )


def _is_negated(text: ReadText, language: Language) -> bool:
    if language.name in _READ_IN_DETAIL:
        return bool(read_prose_facts(text.plain).negation_count)
    return bool(count_negations(text.small, text.words, language))


def _says_no(plain: ReadText, negated: ReadText) -> bool:
    """Whether a sentence without negation has a word that says no, such as cancelled."""
    table = lexicon().tables["opposites"]
    sides = [
        {side for word in text.words[:MAX_ORDERED] for side in table.groups_of(word) if side[1]}
        for text in (plain, negated)
    ]
    return bool(sides[0] - sides[1])


def _list_stems(text: ReadText) -> frozenset[str]:
    return frozenset(find_stems(text.words, text.language))


def _list_negated_stems(text: ReadText) -> frozenset[str]:
    return frozenset(find_negated_stems(text.words, text.language) if text.language else ())


def _find_moved_negation(run: ReadText, reference: ReadText) -> Wording | None:
    """Both sentences are negated, but other words of them.

    A word such as "no" denies its whole clause, whichever word stands behind it.
    """
    left, right = (text.recall(_list_negated_stems) for text in (run, reference))
    if not left or not right or left & right or share_of_both(run, reference) < NEGATED:
        return None
    stems = [text.recall(_list_stems) for text in (run, reference)]
    if left <= stems[1] and right <= stems[0] and not _deny_one_clause(run, reference):
        return _contradict("negated", run.plain, reference.plain)
    return None


def _deny_one_clause(run: ReadText, reference: ReadText) -> bool:
    """Whether one text denies by "no" the clause that the other denies by "not"."""
    sides = [text.recall(_list_denied_clauses) for text in (run, reference)]
    if len(sides[0]) != 1 or len(sides[1]) != 1:
        return False
    (left, is_all_of_left), (right, is_all_of_right) = sides[0][0], sides[1][0]
    return is_all_of_left != is_all_of_right and share(left, right) >= SAME_SENTENCE


def _list_denied_clauses(text: ReadText) -> list[tuple[frozenset[str], bool]]:
    """The clauses with a negation: the meanings of their words, and whether a word denies all."""
    denying = lexicon()["clause_negations"]
    negations = text.language.negations if text.language else frozenset()
    return [
        (frozenset(read_meanings(words, text.language)), not denying.isdisjoint(words))
        for words in text.recall(_list_clauses)
        if not negations.isdisjoint(words)
    ]


def _list_clauses(text: ReadText) -> list[list[str]]:
    """The words of the clauses of a text."""
    ends = lexicon()["coordinations"] | lexicon()["contrasts"]
    clauses = []
    for part in _CLAUSE_END.split(text.small[:MAX_READ]):
        words = read_text(part, text.language).words
        are_inner = (word not in ends for word in words)
        clauses += [
            [word for word, _ in group]
            for is_clause, group in groupby(
                zip(words, are_inner, strict=True), lambda pair: pair[1]
            )
            if is_clause
        ]
    return clauses


def _list_signed_numbers(text: ReadText) -> frozenset[str]:
    return frozenset(_MINUS.findall(text.small))


def _find_other_number(
    run: ReadText, reference: ReadText, full_texts: tuple[ReadText, ReadText]
) -> Wording | None:
    """Another number, of another sign, or of another item.

    A number that the other text has in another sentence is another one only of the same item.
    """
    signed = [text.recall(_list_signed_numbers) for text in (run, reference)]
    for number in sorted(signed[0] ^ signed[1]):
        if number in run.small and number in reference.small:
            sides = (f"-{number}", number) if number in signed[0] else (number, f"-{number}")
            return _contradict("other number", *sides)
    counts = [text.recall(_count_objects) for text in (run, reference)]
    numbers = [{number for number, _ in pairs} for pairs in counts]
    only = [_without_hours(numbers[k] - numbers[1 - k], numbers[1 - k]) for k in (0, 1)]
    lacking = [
        {number for number in only[k] if float(number) not in full_texts[1 - k].numbers}
        for k in (0, 1)
    ]
    items = [{item for number, item in counts[k] if item and number in only[k]} for k in (0, 1)]
    if all(only) and (all(lacking) or items[0] & items[1]):
        return _contradict("other number", str(min(only[0])), str(min(only[1])))
    objects = [_group_by_object(pairs) for pairs in counts]
    for item in sorted(objects[0].keys() & objects[1].keys()) if not any(only) else ():
        left, right = objects[0][item], objects[1][item]
        if len(left) == len(right) == 1 and left != right:
            orders = [_order_numbers_and_items(text, counts) for text in (run, reference)]
            if orders[0] != orders[1]:
                return _contradict("exchanged", str(*left), str(*right))
    return _find_number_for_single(run, reference)


def _order_numbers_and_items(
    text: ReadText, counts: Sequence[Sequence[tuple[int, str]]]
) -> tuple[list[str], list[str]]:
    """The numbers and the items of two texts, each in the order of one text.

    Numbers that stand before the items in one text, and behind them in the other, keep both.
    """
    items = {item for pairs in counts for _, item in pairs if item}
    stems = list(find_stems(text.words, text.language))
    numbers = {str(number) for pairs in counts for number, _ in pairs}
    return (
        [word for word in text.words if word in numbers],
        [stem for stem in dict.fromkeys(stems) if stem in items],
    )


def _find_number_for_single(run: ReadText, reference: ReadText) -> Wording | None:
    """Several instead of a single one: 2 tablets, 1 tablet."""
    groups = [_group_by_object(text.recall(_count_all_objects)) for text in (run, reference)]
    for item in sorted(groups[0].keys() & groups[1].keys()):
        left, right = groups[0][item], groups[1][item]
        if {1} in (left, right) and len(left) == len(right) == 1 and left != right:
            return _contradict("other number", str(*left), str(*right))
    return None


def find_one_sided_number(run: ReadText, reference: ReadText) -> Wording | None:
    """Returns a number that only one of two texts has; a date or time may have other numbers.

    Args:
        run: the whole text of the run.
        reference: that of the reference.
    """
    if run.language is None or run.recall(_has_moment) or reference.recall(_has_moment):
        return None
    numbers = [{number for number, _ in text.recall(_count_objects)} for text in (run, reference)]
    for k, other in enumerate((reference, run)):
        only = _without_hours(numbers[k] - numbers[1 - k], numbers[1 - k])
        lacking = [str(number) for number in sorted(only) if float(number) not in other.numbers]
        if lacking:
            return Wording(
                "major", "only number", *((lacking[0], "") if k == 0 else ("", lacking[0]))
            )
    return None


def _has_moment(text: ReadText) -> bool:
    kinds = read_prose_facts(text.plain).entities
    return (
        "date" in kinds
        or "time" in kinds
        or _DATE_OR_TIME.search(text.plain[:MAX_READ]) is not None
    )


def _count_objects(text: ReadText) -> list[tuple[int, str]]:
    """The whole numbers from two on, each with the stem of the word behind it."""
    return [(number, item) for number, item in text.recall(_count_all_objects) if number > 1]


def _count_all_objects(text: ReadText) -> list[tuple[int, str]]:
    """The whole numbers in words or digits, each with the stem of the word behind it."""
    small = _THOUSANDS.sub("", text.small[:MAX_READ])
    small = _DATE_OR_TIME.sub(" ", small)
    marks = _LIST_MARK.findall(small)
    if marks[:2] == ["1", "2"]:
        small = _LIST_MARK.sub(" ", small)
    words = read_text(small, text.language).words
    words = ["1" if word == _SINGLE else word for word in words]
    return [
        (int(word), next(find_stems([following], text.language), ""))
        for word, following in pairwise([*words, ""])
        if word.isdecimal() and int(word)
    ]


def _group_by_object(pairs: Sequence[tuple[int, str]]) -> Mapping[str, set[int]]:
    objects: dict[str, set[int]] = {}
    for number, item in pairs:
        if item:
            objects.setdefault(item, set()).add(number)
    return objects


def _without_hours(numbers: Collection[int], others: Collection[int]) -> set[int]:
    """The numbers that are no hours of the other half of the day."""
    return {number for number in numbers if not {number + _HOURS, number - _HOURS} & {*others}}


def _list_scopes(text: ReadText) -> Mapping[str, str]:
    scope = text.language.scope if text.language else {}
    return {scope[word]: word for word in text.words if word in scope}


def _find_other_scope(run: ReadText, reference: ReadText) -> Wording | None:
    """Only one sentence says only or except; or one says all, the other some."""
    left, right = (text.recall(_list_scopes) for text in (run, reference))
    if _is_only_until(run, reference):
        return None
    for side in ("only", "except"):
        if (side in left) != (side in right):
            are_opposite = {"only", "except"} <= left.keys() ^ right.keys()
            # The same sentence without its limit or its exception.
            is_all = run.stems <= reference.stems or reference.stems <= run.stems
            severity: Severity = "critical" if are_opposite or is_all else "major"
            return _write_scope(left, right, side, severity)
    for side, other in (("all", "some"), ("some", "all"), ("must", "may"), ("may", "must")):
        if side in left and other in right and other not in left and side not in right:
            return _contradict("opposite", left[side], right[other], "major")
    return None


def _is_only_until(run: ReadText, reference: ReadText) -> bool:
    """Whether "only" and a negation say the same: only once paid, not before it is paid.

    Only before and not before are contraries, as are only after and not after.
    """
    limited, other = sorted((run, reference), key=_is_limited, reverse=True)
    language = other.language
    if language is None or _is_limited(other) or not _is_limited(limited):
        return False
    sides = [{*_list_conditions(text)} for text in (limited, other)]
    if not all(sides) or sides[0] & sides[1]:
        return False
    return _is_negated(other, language) or bool(_list_denying(other))


def _is_limited(text: ReadText) -> bool:
    return "only" in text.recall(_list_scopes)


def _list_conditions(text: ReadText) -> Iterator[int]:
    """0 for a condition from which on something holds, 1 for one until which it holds."""
    for side, words in enumerate(text.language.conditions if text.language else ()):
        if not words.isdisjoint(text.words):
            yield side


def _list_denying(text: ReadText) -> Collection[str]:
    """The words that say no without a negation, such as excluded."""
    conditions = frozenset().union(*text.language.conditions) if text.language else frozenset()
    return read_prose_facts(text.plain).hedges - conditions


def _write_scope(
    left: Mapping[str, str], right: Mapping[str, str], side: str, severity: Severity
) -> Wording:
    run, reference = left.get(side, ""), right.get(side, "")
    return Wording(severity, "only words", run, reference)
