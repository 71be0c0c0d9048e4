"""Files of runs, and folders of them: what is read, in which order, and how much of it."""

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats.json.paths import JsonPath
from otap.formats.json.rows import parse

OWN = {"id": "a", "steps": [{"id": "1"}]}
TAU = {
    "task_id": 3,
    "trial": 0,
    "reward": 1.0,
    "info": {},
    "traj": [{"role": "user", "content": "hi"}],
}


def test_folder(write, tmp_path):
    """A folder is read with the folders in it, sorted by name; hidden and other files are not."""
    for name in ("b/1.json", "a.json", ".git/x.json", "b/.d.json", "notes.txt"):
        write({"id": name, "steps": []}, name)
    write([{"id": "c1", "steps": []}, {"id": "c2", "steps": []}], "c.jsonl")
    runs = list(formats.read_all(tmp_path))
    assert [run.id for run in runs] == ["a.json", "b/1.json", "c1", "c2"]
    assert runs[1].source.path == str(tmp_path / "b" / "1.json")
    assert [run.id for run in formats.read_references(tmp_path)] == [run.id for run in runs]


def test_folder_with_a_bad_file(write, tmp_path):
    """A file of a folder that cannot be read is an error that names it."""
    write(OWN, "a.json")
    bad = write("{", "b.json")
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(tmp_path))
    assert str(caught.value).startswith(f"{bad}: line 1")


def test_folder_without_traces(write, tmp_path):
    """A folder with nothing readable in it is an error, not an empty list."""
    write("hello", "notes.txt")
    with pytest.raises(
        FormatError, match=r"holds no file that ends in \.json or \.jsonl or \.parquet"
    ):
        list(formats.read_all(tmp_path))


def test_step_limit(write):
    """A run with more steps than the limit, sub-steps included, is refused by the limit's name."""
    inner = [{"id": str(n)} for n in range(3)]
    path = write({"id": "long", "steps": [{"id": "1", "substeps": inner}]})
    assert formats.read(path, limits=formats.Limits(max_steps=4))
    with pytest.raises(LimitError) as caught:
        formats.read(path, limits=formats.Limits(max_steps=3))
    assert str(caught.value).endswith("run 'long' has 4 steps, above the limit of 3 (max_steps)")


def test_one_parse_for_runs_and_gold(write):
    """An opened file gives runs and gold without being read again."""
    path = write([TAU])
    (file,) = formats.open_files(path)
    path.unlink()
    assert [run.id for run in file.runs()] == ["3/0"]
    assert file.carries_references
    assert list(file.references()) == []


def test_a_parquet_file_that_unpacks_to_very_much(tmp_path):
    """It is refused by what its footer says, before anything is unpacked."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "bomb.parquet"
    column = arrow.array(["A" * (1 << 24)] * 2, arrow.large_string())
    parquet.write_table(arrow.table({"x": column}), path, compression="zstd", use_dictionary=False)
    with pytest.raises(LimitError, match=r"unpacks [\d,]+ bytes to 33,554,4\d\d, above 200 times"):
        list(formats.read_all(path))
    with pytest.raises(LimitError, match="unpacks"):
        parse(path.read_bytes(), JsonPath("bomb"), formats.LIMITS)
