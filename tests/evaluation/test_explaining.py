"""Results explained anew: from their files, wherever these lie now, or from what they carry."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import hotel
import otap
from nights import evaluated, runs_file
from otap.errors import ConfigError, FormatError
from otap.evaluation import Work, read_results
from otap.evaluation.explaining import Explainer, TraceFinder, Unexplained, read_packed
from otap.scoring import Explanation, Score

Found = Sequence[Explanation | Unexplained]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two results, and their runs beside them."""
    return evaluated(tmp_path / "out.jsonl", runs_file(tmp_path, "same", "missing_book"))


def explained(path: Path, settings: Path | None = None) -> Found:
    """What is explained of each result of a file."""
    lines = read_packed(path)
    traces = TraceFinder(path.parent, [line.result for line in lines])
    explainer = Explainer(lines[0].result.signature, traces, settings)
    return [explainer.explain(line.full_result()) for line in lines]


def reasons(found: Found) -> list[str]:
    """Why there are no steps."""
    return [one.why for one in found if isinstance(one, Unexplained)]


def changed(path: Path, old: str, new: str) -> None:
    """Changes a text in a file."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_traces_are_found_again(results: Path) -> None:
    """They give the number that the result says."""
    found = explained(results)
    assert reasons(found) == []
    scores = [one.score.score for one in found if isinstance(one, Explanation)]
    assert scores == [one.score for one in read_results(results)]


def test_traces_beside_the_results(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that leads nowhere from here is looked for from the folder of the results."""
    changed(results, f"{tmp_path}/runs.jsonl", "runs.jsonl")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert reasons(explained(results)) == []


def test_a_file_that_has_changed_is_another(results: Path, tmp_path: Path) -> None:
    """And one that is gone is gone."""
    runs = tmp_path / "runs.jsonl"
    runs.write_text(runs.read_text("utf-8") + "\n", "utf-8")
    assert reasons(explained(results)) == [f"{runs}: has changed since"] * 2
    runs.unlink()
    assert reasons(explained(results)) == [f"{runs}: is not there any more"] * 2


def test_a_place_that_is_no_file_of_this_machine_is_not_asked(results: Path) -> None:
    """Whoever wrote the results cannot have a page read from a network or a device."""
    runs = f"{results.parent}/runs.jsonl"
    for name in ("s3://bucket/runs.jsonl", "-"):
        changed(results, f'"{runs}"', f'"{name}"')
        assert reasons(explained(results)) == [f"{name}: is not a file on this machine"] * 2
        runs = name
    changed(results, f'"{runs}"', '"/dev/zero"')
    assert reasons(explained(results)) == ["/dev/zero: is not there any more"] * 2


def test_settings_that_a_signature_says(results: Path, tmp_path: Path) -> None:
    """Need not be said again; of others the file must be named."""
    runs = tmp_path / "runs.jsonl"
    said = {"reference": "required", "only_changes": True, "dependencies": "sequential"}
    assert reasons(explained(evaluated(tmp_path / "said.jsonl", runs, **said))) == []
    other = evaluated(tmp_path / "other.jsonl", runs, theta=0.5)
    assert reasons(explained(other))[0].endswith(
        "other settings or another version of OTAP (preset, theta)"
    )
    settings = tmp_path / "otap.toml"
    settings.write_text("theta = 0.5\n", "utf-8")
    assert reasons(explained(other, settings)) == []
    assert reasons(explained(results, settings)) != []


def test_another_number_is_not_explained(results: Path) -> None:
    """Steps that do not give the number would explain another one."""
    changed(results, '"loss":0.0,', '"loss":0.5,')
    assert "gives another score" in reasons(explained(results))[0]


def test_a_result_carries_its_traces(results: Path, tmp_path: Path) -> None:
    """Where that is asked for, behind what it says without; nothing else is changed."""
    embedded = evaluated(tmp_path / "e.jsonl", tmp_path / "runs.jsonl", embed=True)
    plain, carrying = (one.read_bytes().splitlines() for one in (results, embedded))
    for short, long in zip(plain, carrying, strict=True):
        assert long.startswith(short[:-1] + b',"traces":{"run":')
        score = Score.model_validate_json(long)
        assert score.traces is not None
        assert score.traces.reference.steps == hotel.reference().steps
        assert score.to_json().encode() == short
    (tmp_path / "runs.jsonl").unlink()
    assert reasons(explained(embedded)) == []


def test_with_and_without_traces_is_not_one_file(results: Path, tmp_path: Path) -> None:
    """It would be gone on with in another way than it was begun."""
    runs = tmp_path / "runs.jsonl"
    with pytest.raises(ConfigError, match=r"out.jsonl:1: was made without --embed; name another"):
        evaluated(results, runs, embed=True)
    embedded = evaluated(tmp_path / "e.jsonl", runs, embed=True)
    whole = embedded.read_bytes()
    embedded.write_bytes(whole[: len(whole) // 2 + 1])
    assert evaluated(embedded, runs, embed=True).read_bytes() == whole
    with pytest.raises(ConfigError, match="was made with --embed"):
        evaluated(embedded, runs)


def test_gold_that_a_file_carries_for_many(real_data: Path, tmp_path: Path) -> None:
    """The run says which of it it was compared with."""
    path = real_data / "tau-bench" / "gpt-4o-airline.tasks-0-24.json"
    some = tmp_path / "some.json"
    some.write_text(json.dumps(json.loads(path.read_text("utf-8"))[:3]), "utf-8")
    golds = tuple(otap.read_references(some))
    out = tmp_path / "out.jsonl"
    scores = otap.Scorer()
    runs = list(otap.read_all(some))
    made = [scores.score(run, [g for g in golds if g.task == run.task]) for run in runs]
    out.write_text("".join(one.to_json() + "\n" for one in made), "utf-8")
    assert reasons(explained(out)) == []


def test_a_file_without_results(tmp_path: Path) -> None:
    """Says what makes one."""
    path = tmp_path / "empty.jsonl"
    path.write_text("", "utf-8")
    with pytest.raises(FormatError, match="holds no result; otap evaluate makes such files"):
        read_packed(path)


def test_traces_are_no_part_of_what_scores_are_made_of() -> None:
    """A worker without embedding makes lines as it ever did."""
    work = Work(otap.Config(), (hotel.reference(),))
    assert not work.embed
