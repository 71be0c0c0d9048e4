"""A scorer of Inspect AI, which finds it by its entry point as ``otap/otap``.

``inspect score LOG.eval --scorer otap/otap -S references=gold`` scores a log that exists.

Inspect loads this module in every program, so it imports the judge only when a task scores.
"""

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState


@scorer(metrics=[mean(), stderr()], name="otap")  # type: ignore[untyped-decorator]
def otap(
    references: Any = None,
    strict: bool = False,
    min_score: float | None = None,
    fail_on: str | list[str] = "critical",
) -> Scorer:
    """Scores the messages of a sample against known-good runs.

    A sample that cannot be read or scored is unscored, so that no metric counts it.

    Args:
        references: files, folders, or other references (default: ``references`` or ``reference``
            in the metadata of the sample, or its target).
        strict: whether all that is not proven harmless is critical.
        min_score: the least score that passes.
        fail_on: the findings that fail a sample.
    """
    from otap.judge import Judge

    judge = Judge(references, strict=strict, min_score=min_score, fail_on=fail_on)

    async def score(state: TaskState, target: Target) -> Score:
        expected = target.text or None
        verdict = await judge.judge_async(state.messages, expected, metadata=state.metadata)
        if verdict.score is None:
            return Score.unscored(explanation=str(verdict))
        return Score(
            value=verdict.score,
            explanation=str(verdict),
            metadata={"passed": verdict.passed, "headline": verdict.headline},
        )

    return score
