"""Judges how much two texts differ that do not contradict each other.

- critical: the texts have nearly nothing in common, or only one of them has an address, a link, an
  account or an amount of money.
- major: only one of them makes a statement, a label has another content word, or no words are
  known of the language.
- minor: the same content in other words.

The verdict depends on the two texts alone. Sentences that both texts have are set aside first, so a
difference at the end of a long text counts as much as one at its beginning.
"""

from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap._caching import GenerationCache
from otap.values.languages import (
    MAX_READ,
    STEM,
    Language,
    find_stems,
    identify_language,
    is_joined,
)
from otap.values.lexicon import lexicon
from otap.values.prose_facts import MAX_CACHED_TEXT
from otap.values.sentences import (
    SAME_SENTENCE,
    Severity,
    Wording,
    find_one_sided_number,
    judge_sentences,
    pair_sentences,
)
from otap.values.sets import count_common
from otap.values.texts import (
    ReadText,
    english,
    read_meanings,
    read_synonyms,
    read_text,
    share,
    share_of_both,
    tidy_text,
)
from otap.values.units import unit_of

Flags = npt.NDArray[np.bool_]

# Two texts with a smaller share of common content words say different things.
NEARLY_NOTHING = 0.2
# A sentence with a smaller share of its content words in the other text is a statement of its own.
COVERED = 0.33
# From this share of its content words in the other text on, a sentence only repeats what both say.
REPEATED = 0.8
# From this share of equal words before and behind on, the words between them are replaced, not
# reworded.
SAME_FRAME = 0.6
# A sentence of another text is nearer if it has this much more of the content words in common.
NEARER = 0.15
# Words of the longest label or title.
LABEL_WORDS = 4

MAX_STATEMENTS = 2_000  # differing sentences of one text whose words are compared
MAX_SAMPLE = 4_000  # characters of a text by which its language is known
FEWEST_INSERTED = 2  # words with content that make a part of a sentence a statement of its own
HALF = 0.5
BEGINNING = 4  # letters that two forms of a verb share
MAX_PIECES = 300  # words of the differing parts that are compared in their order


def judge_wording(run: str, reference: str) -> Wording | None:
    """Returns how a text differs from the reference's, or None if only its notation does.

    Args:
        run: a text of the run.
        reference: the text that the reference has there.
    """
    if run == reference:
        return None
    is_short = len(run) + len(reference) <= 2 * MAX_CACHED_TEXT
    judge = _judge_cached if is_short else _judge_pair
    return judge(run, reference)


def is_critical_wording(run: str, reference: str) -> bool:
    """Returns whether `judge_wording` is critical, which takes less time than how texts differ."""
    if run == reference:
        return False
    is_short = len(run) + len(reference) <= 2 * MAX_CACHED_TEXT
    if is_short:
        return _is_critical_cached(run, reference)
    pair = run, reference
    verdict = _LONG_PAIRS.get(pair) or _LONG_PAIRS.put(pair, (_is_critical_pair(*pair),))
    return verdict[0]


def _is_critical_pair(run: str, reference: str) -> bool:
    language = _identify_common_language(run, reference)
    wording = _judge(
        read_text(run, language), read_text(reference, language), language, is_complete=False
    )
    return wording is not None and wording.severity == "critical"


# Whether the wording of long pairs is critical, by their characters.
_LONG_PAIRS: GenerationCache[tuple[str, str], tuple[bool]] = GenerationCache(
    1 << 21, lambda pair: len(pair[0]) + len(pair[1])
)
_is_critical_cached = lru_cache(maxsize=1 << 15)(_is_critical_pair)


class Gist(NamedTuple):
    """What of a text shows that another text has nearly nothing in common with it.

    Attributes:
        stems: of its words with content.
        language: its language; None if it is in no listed one.
        is_single: whether it is one sentence.
        is_ascii: whether it has ASCII characters only.
        is_short: whether it is short enough for a quick judgement.
    """

    stems: frozenset[str]
    language: Language | None
    is_single: bool
    is_ascii: bool
    is_short: bool


@lru_cache(maxsize=8192)
def read_gist(text: str) -> Gist:
    """Returns what of a text shows whether another one has nearly nothing in common with it."""
    if len(text) > MAX_CACHED_TEXT:
        return Gist(frozenset(), None, False, False, False)
    language = identify_language(tidy_text(text))
    read = read_text(text, language)
    return Gist(read.stems, language, len(read.sentences) == 1, read.plain.isascii(), True)


def is_replaced(run: str, reference: str) -> bool:
    """Returns whether two texts have so little in common that one plainly replaces the other.

    If so, `judge_wording` is critical, and no sentences need to be paired to know it: each of them
    has too few stems in common with any of the other text. Most pairs of steps are such pairs.
    Pairs of long texts, and of texts in two languages, are not judged here.
    """
    left, right = read_gist(run), read_gist(reference)
    if not (left.is_short and right.is_short) or left.language is not right.language:
        return False
    if not left.stems or not right.stems:
        return bool(left.stems or right.stems)
    if left.is_single and right.is_single:
        return share(left.stems, right.stems) < NEARLY_NOTHING
    # Phrases that are left out of other scripts could cross the ends of sentences.
    return left.is_ascii and right.is_ascii and left.stems.isdisjoint(right.stems)


def find_replaced(runs: Sequence[str], references: Sequence[str]) -> Flags:
    """Returns :func:`is_replaced` for each pair of texts, as a matrix."""
    sides = [[read_gist(text) for text in texts] for texts in (runs, references)]
    stems = [[gist.stems for gist in side] for side in sides]
    common, counts = count_common(*stems), [[len(gist.stems) for gist in side] for side in sides]
    shorter = np.minimum.outer(*counts)
    are_single = np.logical_and.outer(*[[gist.is_single for gist in side] for side in sides])
    are_ascii = np.logical_and.outer(*[[gist.is_ascii for gist in side] for side in sides])
    has_nearly_nothing = common / np.maximum(shorter, 1) < NEARLY_NOTHING
    is_apart: Flags = np.where(are_single, has_nearly_nothing, are_ascii & (common == 0))
    is_apart[shorter == 0] = np.maximum.outer(*counts)[shorter == 0] > 0
    codes: dict[int, int] = {}
    languages = [
        [codes.setdefault(id(gist.language), len(codes)) for gist in side] for side in sides
    ]
    is_apart &= np.equal.outer(*languages)
    is_apart &= np.logical_and.outer(*[[gist.is_short for gist in side] for side in sides])
    return is_apart


def find_nearer_contradiction(run: str, reference: str, others: Sequence[str]) -> Wording | None:
    """Returns how a sentence of a text contradicts the sentence most like it elsewhere, or None.

    Two texts in other words hardly show a contradiction, but a third one may have nearly the same
    sentence as one of them.

    Args:
        run: a text of the run.
        reference: the text that the reference has there.
        others: the texts that other references have there.
    """
    if run == reference or len(run) + len(reference) > 2 * MAX_CACHED_TEXT:
        return None
    language = _identify_common_language(run, reference)
    if language is None:
        return None
    sentences = read_text(reference, language).sentences.values()
    reference_sentences = [read_text(sentence, language) for sentence in sentences]
    for sentence in read_text(run, language).sentences.values():
        text = read_text(sentence, language)
        least = (
            max((share_of_both(text, other) for other in reference_sentences), default=0.0) + NEARER
        )
        for other in others:
            if len(other) > MAX_CACHED_TEXT:
                continue
            for near in read_text(other, language).sentences.values():
                candidate = read_text(near, language)
                if share_of_both(text, candidate) < max(least, SAME_FRAME):
                    continue
                sides = text, candidate
                wording = judge_sentences([sentence], [near], language, sides)
                if wording and wording.is_critical:
                    return wording
    return None


def find_nearer_text(run: str, reference: str, others: Sequence[str]) -> str | None:
    """Returns the text that is nearer to the run's than the reference's is, or None.

    Args:
        run: a text of the run.
        reference: the text that the reference has there.
        others: the texts that other references have there.
    """
    texts = [text for text in (reference, *others) if len(text) <= MAX_CACHED_TEXT]
    language = _identify_common_language(run, reference)
    if len(run) > MAX_CACHED_TEXT or len(texts) < 2 or language is None:
        return None
    shares = [share_of_both(read_text(run, language), read_text(text, language)) for text in texts]
    nearest = max(shares)
    return texts[shares.index(nearest)] if nearest >= shares[0] + NEARER else None


def _identify_common_language(run: str, reference: str) -> Language | None:
    languages = [
        read_gist(text).language
        if len(text) <= MAX_CACHED_TEXT
        else identify_language(tidy_text(text[:MAX_SAMPLE]))
        for text in (run, reference)
    ]
    if languages[0] == languages[1]:
        return languages[0]
    samples = [tidy_text(text[:MAX_SAMPLE]) for text in (run, reference)]
    return identify_language("\n".join(samples))


def _judge_pair(run: str, reference: str) -> Wording | None:
    language = _identify_common_language(run, reference)
    return _judge(read_text(run, language), read_text(reference, language), language)


_judge_cached = lru_cache(maxsize=8192)(_judge_pair)


def _judge(
    run: ReadText, reference: ReadText, language: Language | None, *, is_complete: bool = True
) -> Wording | None:
    """Returns how a text differs from the reference's, or None if only its notation does.

    Args:
        run: the text of the run.
        reference: that of the reference.
        language: the language of both.
        is_complete: False if it matters only whether the wording is critical; any other wording
            then stands for all that are not.
    """
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
        read_text("\n".join(rest), language) for rest in (run_only, reference_only)
    )
    if language is None:
        replaced = _find_replacement(run, reference, run_rest, reference_rest)
        return replaced or Wording("major", "unjudged", *_clip(run_only, reference_only))
    if _are_translated(run, reference):
        return _find_replacement(run, reference, run_rest, reference_rest) or Wording(
            "major", "translated", *_clip(run_only, reference_only)
        )
    judged = judge_sentences(run_only, reference_only, language, (run, reference))
    if judged and (judged.severity != "minor" or len(run_only) == len(reference_only) == 1):
        return judged
    replaced = _find_replacement(run, reference, run_rest, reference_rest)
    if replaced:
        return replaced
    if not is_complete and not _may_be_critical(run, reference):
        return Wording("minor", "reworded")
    return (
        _judge_label(run, reference)
        or _find_one_sided_statement(run_only, reference_only, run, reference)
        or find_one_sided_number(run, reference)
        or _find_insertion(run, reference, run_rest, reference_rest)
        or _judge_frames(run_only, reference_only, run, reference)
        or Wording("minor" if run.stems or run.words == reference.words else "major", "reworded")
    )


def _may_be_critical(run: ReadText, reference: ReadText) -> bool:
    """Whether a statement or words that only one text has may be critical: grave words, units."""
    texts = run, reference
    return (
        any(text.recall(has_grave_words) for text in texts)
        or all(text.recall(has_units) for text in texts)
        or not all(text.plain.isascii() and len(text.plain) <= MAX_READ for text in texts)
    )


def has_grave_words(text: ReadText) -> bool:
    """Returns whether a text asks for a secret or money, ends a contract, or orders a loss."""
    return _is_grave(text.small, text.stems) or _is_grave(" ".join(text.words), text.stems)


def has_units(text: ReadText) -> bool:
    """Returns whether a text has a unit of measurement."""
    return any(unit_of(word) for word in text.words)


def _identify_language(text: ReadText) -> Language | None:
    return identify_language(text.plain[:MAX_SAMPLE])


def _are_translated(run: ReadText, reference: ReadText) -> bool:
    """Whether the texts are in two languages and have few words in common."""
    languages = [text.recall(_identify_language) for text in (run, reference)]
    names = {language.name for language in languages if language is not None and language.name}
    return len(names) > 1 and share_of_both(run, reference) < SAME_SENTENCE


def _clip(run_only: Sequence[str], reference_only: Sequence[str]) -> tuple[str, str]:
    return " ".join(run_only)[:MAX_READ], " ".join(reference_only)[:MAX_READ]


def has_exact_part(text: str) -> bool:
    """Returns whether a text names an address, a link, an account or an amount of money."""
    return bool(ReadText(text[:MAX_READ]).exact_parts)


def _find_one_sided_part(run: ReadText, reference: ReadText) -> Wording | None:
    """An address, link, account or amount that only one of the texts has.

    An amount that only the run has comes last: the run may have been given it.
    """
    sides = (run, reference), (reference, run)
    lacking = [
        (kind, written, text is run)
        for text, other in sides
        for (kind, form), written in text.exact_parts.items()
        if not _has_part(other, kind, form)
    ]
    if not lacking:
        return None
    kind, written, is_run = min(lacking, key=lambda part: part[0] == "amount" and part[2])
    return Wording("critical", f"only {kind}", *_sides(written, is_run))


def _has_part(text: ReadText, kind: str, form: str) -> bool:
    if (kind, form) in text.exact_parts:
        return True
    return float(form) in text.numbers if kind == "amount" else form in text.small


def _find_replacement(
    run: ReadText, reference: ReadText, run_rest: ReadText, reference_rest: ReadText
) -> Wording | None:
    """A text, or the larger part of one, that has nearly no content in common with the other."""
    if bool(run.stems) != bool(reference.stems):
        return Wording("critical", "replaced")
    if run.stems and share(run.stems, reference.stems) < NEARLY_NOTHING:
        return Wording("critical", "replaced")
    if not (run_rest.stems and reference_rest.stems) or not run.stems:
        return None
    is_most = 2 * len(run_rest.stems) >= len(run.stems) or (
        2 * len(reference_rest.stems) >= len(reference.stems)
    )
    is_elsewhere = run_rest.stems <= reference.stems or reference_rest.stems <= run.stems
    common = share(run_rest.stems, reference_rest.stems)
    if is_most and not is_elsewhere and common < NEARLY_NOTHING:
        return Wording("critical", "replaced", run_rest.plain, reference_rest.plain)
    return None


def _judge_label(run: ReadText, reference: ReadText) -> Wording | None:
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
    return frozenset(read_meanings(sorted(lexicon()["generic"]), english()))


def _find_one_sided_statement(
    run_only: Sequence[str], reference_only: Sequence[str], run: ReadText, reference: ReadText
) -> Wording | None:
    """A sentence of which the other text has hardly a word."""
    language = run.language
    for sentences, others, other, is_run in (
        (run_only, reference_only, reference, True),
        (reference_only, run_only, run, False),
    ):
        rest = read_text("\n".join(others), language).stems
        for number, sentence in enumerate(sentences):
            if number >= MAX_STATEMENTS:  # too many to compare their words
                return Wording("major", "only statement", *_sides(sentence, is_run))
            text = read_text(sentence, language)
            stems = text.stems
            if _is_formula(text):
                continue
            if len(sentence) > MAX_READ:  # only the beginning was read
                return Wording("major", "only statement", *_sides(sentence, is_run))
            is_covered = len(stems & rest) >= COVERED * len(stems)
            is_repeated = bool(others) and len(stems & other.stems) >= REPEATED * len(stems)
            if stems and not is_covered and not is_repeated:
                severity: Severity = "critical" if _is_grave(sentence, stems) else "major"
                return Wording(severity, "only statement", *_sides(sentence, is_run))
    return None


def _is_formula(text: ReadText) -> bool:
    """Whether a sentence is a greeting or a closing, perhaps with a name."""
    _, formulas = read_synonyms()
    return text.length <= LABEL_WORDS and bool(text.words) and text.words[0][:STEM] in formulas


def _is_grave(sentence: str, stems: Collection[str]) -> bool:
    """Whether a statement asks for a secret or money, ends a contract, or orders a loss."""
    small, words = sentence.casefold(), lexicon()["grave"]
    long_words = [word for word in words if len(word) > STEM or not word.isascii()]
    short_words = find_stems(sorted(words.difference(long_words)), english())
    return not set(stems).isdisjoint(short_words) or any(
        word.replace("_", " ") in small for word in long_words
    )


def _sides(part: str, is_run: bool) -> tuple[str, str]:
    return (part, "") if is_run else ("", part)


def _find_insertion(
    run: ReadText, reference: ReadText, run_rest: ReadText, reference_rest: ReadText
) -> Wording | None:
    """Words with content that only one text has, between words that both have in one order."""
    x, y = run_rest.pieces, reference_rest.pieces
    if not x or not y or max(len(x), len(y)) > MAX_PIECES:
        return None
    idle = _generic_stems() | lexicon()["titles"]
    run_only, reference_only = run_rest.stems - reference.stems, reference_rest.stems - run.stems
    surplus = len(run_only) - len(reference_only)
    is_run_enough, is_reference_enough = (
        len(stems - idle) >= (FEWEST_INSERTED if is_surplus else 2 * FEWEST_INSERTED)
        for stems, is_surplus in ((run_only, surplus > 0), (reference_only, surplus < 0))
    )
    is_ascii = run_rest.plain.isascii() and reference_rest.plain.isascii()
    if is_ascii and not is_run_enough and not is_reference_enough:
        return None
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, x, y, autojunk=False).get_opcodes():
        if tag not in ("insert", "delete"):
            continue
        part, other = (x[i1:i2], reference) if tag == "delete" else (y[j1:j2], run)
        stems = {*_read_pieces(part, run.language)} - other.stems - idle
        is_surplus = surplus > 0 if tag == "delete" else surplus < 0
        if len(stems) >= (FEWEST_INSERTED if is_surplus else 2 * FEWEST_INSERTED):
            written = _join_pieces(part)
            severity: Severity = "critical" if _is_grave(written, stems) else "major"
            return Wording(severity, "only words", *_sides(written, tag == "delete"))
    return None


def _join_pieces(pieces: Sequence[str]) -> str:
    return ("" if pieces and is_joined(pieces[0]) else " ").join(pieces)


def _read_pieces(pieces: Sequence[str], language: Language | None) -> Iterator[str]:
    """The stems of words, and of characters of a script without blanks, as in one text."""
    yield from read_meanings(_join_pieces(pieces).split(" "), language)


def _judge_frames(
    run_only: Sequence[str], reference_only: Sequence[str], run: ReadText, reference: ReadText
) -> Wording | None:
    assert run.language is not None
    if len(run_only) == len(reference_only) == 1:
        frame = _judge_frame(run, reference, frozenset(), frozenset())
        return frame or _find_other_content(run, reference)
    for text, other in pair_sentences(run_only, reference_only, run.language):
        wording = _judge_frame(text, other, run.stems, reference.stems)
        if wording:
            return wording
    return None


def _find_other_content(run: ReadText, reference: ReadText) -> Wording | None:
    """Two sentences that share less than half of their words, and no beginnings of the others."""
    left, right = run.stems - reference.stems, reference.stems - run.stems
    if min(len(left), len(right)) < FEWEST_INSERTED or share_of_both(run, reference) >= HALF:
        return None
    if any(is_joined(stem) for stem in left | right):
        return None
    are_forms = len({stem[:3] for stem in left} & {stem[:3] for stem in right})
    return None if are_forms else Wording("major", "label")


def _judge_frame(
    run: ReadText,
    reference: ReadText,
    run_stems: frozenset[str],
    reference_stems: frozenset[str],
) -> Wording | None:
    """Other words in the middle of the same words: nothing is reworded, so the words count.

    What only one sentence has, and the other text says elsewhere, does not count.
    """
    x, y = run.pieces, reference.pieces
    start = _count_equal(x, y)
    end = _count_equal(x[start:][::-1], y[start:][::-1])
    if start + end < SAME_FRAME * max(len(x), len(y)) or not (x and y):
        return None
    language = run.language
    idle = _generic_stems() | (language.words if language else frozenset())
    left, right = (
        {*_read_pieces(words[start : len(words) - end], language)} - idle for words in (x, y)
    )
    if not left or not right:
        lacking = (left - reference_stems) | (right - run_stems)
        if 2 * len(lacking) < len(left | right):
            return None
    if run.is_question != reference.is_question:
        left, right = _without_inflections(left, right), _without_inflections(right, left)
    if left == right or "".join(x) == "".join(y):
        return None
    parts = [words[start : len(words) - end] for words in (x, y)]
    are_units = all(part and all(unit_of(word) for word in part) for part in parts)
    severity: Severity = "critical" if are_units else "major"
    run_part, reference_part = (_join_pieces(part) for part in parts)
    return Wording(severity, "only words", run_part, reference_part)


def _without_inflections(stems: Collection[str], others: Collection[str]) -> set[str]:
    """The stems that begin like none of the others: a request may be a question."""
    beginnings = {other[:BEGINNING] for other in others}
    return {stem for stem in stems if stem[:BEGINNING] not in beginnings}


def _count_equal(x: Sequence[str], y: Sequence[str]) -> int:
    count = 0
    for word, other_word in zip(x, y, strict=False):
        if word != other_word:
            break
        count += 1
    return count
