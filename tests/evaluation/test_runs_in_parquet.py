"""Parquet in: the same lines as from JSONL, for any number of processes, and gone on with."""

import json
from pathlib import Path

import pytest
from corpus import evaluated, lines, references, work_of, written

from otap.evaluation.inputs import LineRange, portions

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def scores(path: Path) -> list[object]:
    """The lines without the sources of their runs."""
    found = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [{**one, "source": one["source"]["index"]} for one in found]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Runs as Parquet, in groups that no portion divides evenly."""
    path = tmp_path / "a.parquet"
    texts = [*lines(100), "{", *lines(20)]
    parquet.write_table(arrow.table({"run": texts}), path, row_group_size=45)
    return path


def test_the_same_lines_as_from_jsonl(tmp_path: Path, rows: Path) -> None:
    """One process or three."""
    work = work_of(references(tmp_path))
    file = written(tmp_path / "a.jsonl", *lines(100), "{", *lines(20))
    evaluated(tmp_path / "lines.jsonl", work, file)
    one = evaluated(tmp_path / "1.jsonl", work, rows)
    evaluated(tmp_path / "3.jsonl", work, rows, jobs=3)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "3.jsonl").read_bytes()
    known, found = scores(tmp_path / "lines.jsonl"), scores(tmp_path / "1.jsonl")
    assert [a for a in found if "error" not in a] == [a for a in known if "error" not in a]
    assert len(found) == one.all.runs == 121


@pytest.mark.parametrize("kept", [1, 44, 46, 101, 120, 121])
def test_gone_on_with(tmp_path: Path, rows: Path, kept: int) -> None:
    """From the middle of a group, or its end."""
    work, out = work_of(references(tmp_path)), tmp_path / "out.jsonl"
    evaluated(out, work, rows)
    whole = out.read_bytes()
    out.write_bytes(b"".join(whole.splitlines(keepends=True)[:kept]))
    evaluated(out, work, rows)
    assert out.read_bytes() == whole


def test_portions_are_rows(rows: Path) -> None:
    """None is parsed to find them."""
    found = list(portions([str(rows)]))
    assert all(isinstance(one, LineRange) for one in found)
    assert sum(one.count for one in found if isinstance(one, LineRange)) == 121
