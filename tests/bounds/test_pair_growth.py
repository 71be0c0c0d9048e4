"""What many pairs need is done once a text or a run, and less of it beyond a limit."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import otap
from nights import page_of
from otap.evaluation import ResultFile, Work, evaluate
from otap.evaluation.engines import local
from otap.learning import draft_plan, plans
from otap.report.pages import many
from otap.scoring import Scorer
from otap.trajectory import Trajectory, parse_trajectory
from otap.values import sentences
from otap.values.texts import ReadText, english
from otap.values.value import MAX_WEIGHED, SHORT_TEXT, Value


def make_run(number: int, count: int) -> Trajectory:
    """Returns a run of calls, one of which differs from those of other runs."""
    steps: list[dict[str, Any]] = [
        {"id": str(k), "tool": "create_item", "arguments": {"number": k}} for k in range(count)
    ]
    steps[number % count]["arguments"] = {"number": 1000 + number}
    return parse_trajectory({"id": f"r{number}", "task": "t", "steps": steps})


def count_calls(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """Records the arguments of all calls of a function, which still does its work."""
    calls: list[tuple[Any, ...]] = []
    function: Callable[..., Any] = getattr(owner, name)

    def record(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return function(*arguments, **options)

    monkeypatch.setattr(owner, name, record)
    return calls


def test_stems_of_a_sentence_are_numbered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each sentence of the other text."""
    calls = count_calls(monkeypatch, sentences, "_number_stems")
    left = [f"The customer number {k} wants the blue chair." for k in range(30)]
    right = [f"The customer number {k} wants the green chair." for k in range(30)]
    assert list(sentences.pair_sentences(left, right, english()))
    assert len(calls) == 60


def test_the_nearest_sentence_has_most_stems() -> None:
    """The first of equally near ones."""
    texts = [ReadText(text, english()) for text in ("red car", "red fast car", "fast red car")]
    query = ReadText("a fast car that is red", english())
    pairs = list(sentences._pair_nearest([query], texts))
    assert pairs[0] == (query, texts[1])
    assert pairs[1:] == [(query, text) for text in texts]
    assert not list(sentences._pair_nearest([], texts))


@pytest.mark.parametrize(
    ("size", "weight"),
    [(20, 1), (SHORT_TEXT, 2), (10 * SHORT_TEXT, 11), (100 * MAX_WEIGHED, 51)],
)
def test_a_long_text_counts_as_several(size: int, weight: int) -> None:
    """By its bytes, up to a limit; so prose is compared by its words where it is long."""
    text = ("please call them again " * (size // 23 + 1))[:size]
    assert Value(text, key="text").list_workload.texts == weight
    assert Value("请" * 400 + "。", key="text").list_workload.texts == 1 + 1203 // SHORT_TEXT


def test_the_central_run_of_long_runs_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are scored against all others only if these are short."""
    runs = [make_run(number, 12) for number in range(4)]
    calls = count_calls(monkeypatch, Scorer, "score_many")
    draft_plan(runs)
    assert len(calls) == 1
    monkeypatch.setattr(plans, "MAX_STEP_PAIRS", 12 * 12)
    draft = draft_plan(runs)
    assert len(calls) == 1
    assert [score.severity for score in draft.scores] == [None] * 4


def test_a_foreign_package_is_not_imported_for_medoids() -> None:
    """The choice of references needs no scikit-learn, whose import takes seconds."""
    pytest.importorskip("kmedoids")
    script = (
        "import sys; from otap.learning.selection.covering import fasterpam;"
        "fasterpam().fasterpam; print('sklearn' in sys.modules, 'pandas' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["False", "False"]


def test_a_page_of_many_runs_explains_few_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run has its nearest one, and further ones while the page has room."""
    for name, numbers in (("runs", range(5)), ("gold", range(5, 9))):
        texts = [make_run(number, 6).to_json() for number in numbers]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(texts))
    gold = tuple(otap.read_references(tmp_path / "gold.jsonl"))
    results = tmp_path / "results.jsonl"
    with ResultFile(results) as output:
        evaluate([str(tmp_path / "runs.jsonl")], Work(otap.Config(), gold), output, local.engine(1))
    bodies = count_calls(monkeypatch, many, "run_body")
    for limit, count in ((100, 4), (10, 2), (1, 1)):
        monkeypatch.setattr(many, "MAX_REFERENCES", limit)
        bodies.clear()
        assert not page_of(results).without_steps
        assert [len(explanation.against) for explanation, _ in bodies] == [count] * 5
