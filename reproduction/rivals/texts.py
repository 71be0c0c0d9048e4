"""Baselines on step texts: exact match, BLEU-4 and ROUGE-L.

A step's text is its action and its arguments. The paper does not say what it is; without the
tool a swapped tool leaves all texts equal, which explains the ties in its numbers.
"""

from collections.abc import Callable
from functools import lru_cache

from reproduction.rivals.subsequence import common_length
from rouge_score.scoring import fmeasure
from rouge_score.tokenize import tokenize
from sacrebleu.metrics import BLEU

from otap import Step, Trajectory
from otap.matrices.texts import text_of

# One sentence at a time: without effective_order a text of three words cannot score, even
# against itself.
_BLEU = BLEU(effective_order=True)


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
    """Sentence BLEU-4 of the whole texts by sacrebleu, its defaults otherwise."""
    return _of_texts(_bleu, run, reference)


def rouge_l(run: Trajectory, reference: Trajectory) -> float:
    """The F-measure of ROUGE-L of the whole texts: rouge-score's but for the LCS."""
    return _of_texts(_rouge_l, run, reference)


def _of_texts(
    similarity: Callable[[str, str], float], run: Trajectory, reference: Trajectory
) -> float:
    texts = whole_text(run), whole_text(reference)
    return similarity(*texts) if all(texts) else float(texts[0] == texts[1])


def _bleu(text: str, reference: str) -> float:
    return min(_BLEU.sentence_score(text, [reference]).score / 100, 1.0)


def _rouge_l(text: str, reference: str) -> float:
    words, others = _words(text), _words(reference)
    if not words or not others:
        return 0.0
    common = common_length(words, others)
    return float(fmeasure(common / len(words), common / len(others)))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(tokenize(text, None))
