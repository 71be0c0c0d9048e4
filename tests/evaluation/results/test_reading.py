"""A result file read again: what each line says, and what is no result file."""

import json
from pathlib import Path

import pytest

import hotel
import otap
from otap.errors import FormatError
from otap.evaluation.results import Failure, read_results

SCORER = otap.Scorer()
SCORE = SCORER.score(hotel.run_of("missing_book"), hotel.reference())
FAILED = {
    "schema_version": "otap.score/1",
    "id": "x",
    "task": "t",
    "error": {"kind": "read", "message": "no JSON"},
    "signature": SCORE.signature.model_dump(mode="json"),
    "references_digest": "0" * 16,
}


def file_of(folder: Path, *lines: str) -> Path:
    """A result file."""
    path = folder / "out.jsonl"
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def test_a_score_and_a_failure(tmp_path: Path) -> None:
    """Each line is what was scored, or why it was not; the signature is one object for all."""
    path = file_of(tmp_path, SCORE.to_json(), json.dumps(FAILED), SCORE.to_json())
    first, second, third = read_results(path)
    assert (first.id, first.score, first.severity) == (SCORE.id, SCORE.score, "critical")
    assert first.losses == SCORE.losses.model_dump()
    assert first.findings == SCORE.findings
    assert first.steps == SCORE.steps
    assert first.conditions == json.loads(SCORE.conditions.model_dump_json())
    assert second.score is None
    assert second.error == Failure(kind="read", message="no JSON")
    assert third.signature is first.signature


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "x"', "Invalid JSON"),
        ("", "Invalid JSON"),
        ("[]", "should be an object"),
        (json.dumps({**FAILED, "schema_version": "otap.score/2"}), "schema_version: "),
        (json.dumps({**FAILED, "error": None}), "either a score or an error"),
        (json.dumps({**FAILED, "score": 1.0}), "either a score or an error"),
        (json.dumps({**FAILED, "signature": {}}), "another signature"),
        ('{"schema_version": "otap.score/1", "score": 1}', "signature: "),
    ],
)
def test_what_is_no_result(tmp_path: Path, line: str, words: str) -> None:
    """It is refused in one line that says which line of the file it is."""
    path = file_of(tmp_path, SCORE.to_json(), line)
    results = read_results(path)
    assert next(results).id == SCORE.id
    with pytest.raises(FormatError, match=words) as refused:
        next(results)
    assert str(refused.value).startswith(f"{path}:2: ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """One line that names it."""
    with pytest.raises(FormatError, match=r"out\.jsonl: cannot be read: No such file"):
        list(read_results(tmp_path / "out.jsonl"))


def test_findings_name_the_tools_of_their_steps() -> None:
    """Those of the run first, each once."""
    result = SCORER.score(hotel.run_of("wrong_tool"), hotel.reference())
    (found,) = [one for one in result.findings if one.kind == "tool"]
    assert len(found.tools) == 2
    assert found.tools[0] != found.tools[1]


def test_steps_are_counted_as_recorded() -> None:
    """Before anything is left out, those inside others included."""
    inner = otap.Step(id="b", tool="pay")
    run = otap.Trajectory(steps=(otap.Step(id="a", tool="order", substeps=(inner,)),), outcome=1)
    result = SCORER.score(run, run)
    assert result.steps.model_dump() == {"agent": 2, "reference": 2}
    assert result.outcome == 1
    assert result.tokens is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("score", "1e308"), ("score", "-1"), ("skill", "2"), ("loss", "-0.5"), ("recall", "1.5")],
)
def test_a_number_out_of_its_range(tmp_path: Path, field: str, value: str) -> None:
    """It was not made by OTAP, and would be in a mean."""
    line = {**json.loads(SCORE.to_json()), field: 0.123456789}
    path = file_of(tmp_path, json.dumps(line).replace("0.123456789", value))
    with pytest.raises(FormatError, match=rf"out.jsonl:1: .*{field}"):
        list(read_results(path))


@pytest.mark.parametrize("required", [(), ("54.04",)])
def test_a_line_decides_nothing_as_its_score_does(tmp_path: Path, required: tuple[str]) -> None:
    """Two sides without steps decide nothing, unless answers are required."""
    empty = otap.Trajectory(task="t", steps=(), messages_to_user=("It is 54.04.",))
    reference = empty.model_copy(update={"required_answers": required})
    score = SCORER.score(empty, reference)
    (result,) = read_results(file_of(tmp_path, score.to_json()))
    assert score.of_nothing == result.of_nothing == (not required)
