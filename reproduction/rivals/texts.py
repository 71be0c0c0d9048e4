"""Baselines on step texts: exact match, BLEU-4 and ROUGE-L.

A step's text is its action and its arguments. The paper does not say what it is; without the
tool a swapped tool leaves all texts equal, which explains the ties in its numbers.
"""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from rouge_score.scoring import fmeasure
from rouge_score.tokenize import tokenize
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.helpers import extract_all_word_ngrams

from otap import Step, Trajectory
from otap.values.value import text_of
from reproduction.rivals.subsequence import common_length

# One sentence at a time: without effective_order a text of three words cannot score, even
# against itself.
_BLEU = BLEU(effective_order=True)
_CACHED = 256  # texts; a run meets its few references one after the other


def step_text(step: Step) -> str:
    """The action and the arguments of a step, the latter as JSON where they are structured."""
    return f"{text_of(step.action)} {text_of(step.arguments)}".strip()


def whole_text(trajectory: Trajectory) -> str:
    """The texts of all steps, one after the other."""
    return " ".join(step_text(step) for step in trajectory.steps)


def exact_match(run: Trajectory, reference: Trajectory) -> float:
    """The share of places at which both have the same step text; of the longer one's places."""
    pairs = zip(run.steps, reference.steps, strict=False)
    same = sum(step_text(one) == step_text(other) for one, other in pairs)
    return same / max(len(run.steps), len(reference.steps))


def bleu(run: Trajectory, reference: Trajectory) -> float:
    """Sentence BLEU-4 [Papineni2002] of the whole texts by sacrebleu, with its other defaults."""
    return _of_texts(_bleu, run, reference)


def rouge_l(run: Trajectory, reference: Trajectory) -> float:
    """The F-measure of ROUGE-L [Lin2004] of the whole texts: rouge-score's but for the LCS."""
    return _of_texts(_rouge_l, run, reference)


def _of_texts(
    similarity: Callable[[str, str], float], run: Trajectory, reference: Trajectory
) -> float:
    """Equal texts score 1, also those in which a tokeniser finds no word."""
    text, other = whole_text(run), whole_text(reference)
    return 1.0 if text == other else similarity(text, other)


def _bleu(text: str, reference: str) -> float:
    """What sacrebleu's sentence_score says; that would count each reference's n-grams anew."""
    (ngrams, length), (others, other_length) = _ngrams(text), _ngrams(reference)
    correct = [0] * _BLEU.max_ngram_order
    for ngram in ngrams.keys() & others.keys():
        correct[len(ngram) - 1] += min(ngrams[ngram], others[ngram])
    total = [max(length - order, 0) for order in range(_BLEU.max_ngram_order)]
    found = _BLEU.compute_bleu(
        correct, total, length, other_length, _BLEU.smooth_method, effective_order=True
    )
    return min(float(found.score) / 100, 1.0)


@lru_cache(_CACHED)
def _ngrams(text: str) -> tuple[Counter[tuple[str, ...]], int]:
    words = _BLEU.tokenizer(text.rstrip())
    ngrams, length = extract_all_word_ngrams(words, 1, _BLEU.max_ngram_order)
    return ngrams, length


def _rouge_l(text: str, reference: str) -> float:
    words, others = _words(text), _words(reference)
    if not words or not others:
        return 0.0
    common = common_length(words, others)
    return float(fmeasure(common / len(words), common / len(others)))


@lru_cache(_CACHED)
def _words(text: str) -> tuple[str, ...]:
    return tuple(tokenize(text, None))


def forget() -> None:
    """Lets go of what is known of texts seen before, so that a timing pays for it."""
    _ngrams.cache_clear()
    _words.cache_clear()
