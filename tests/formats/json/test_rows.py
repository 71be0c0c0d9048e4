"""Parquet: a row is what a line of JSONL is; hostile files are one line of error."""

import json
from pathlib import Path
from typing import Any

import pytest

from otap import formats
from otap.errors import ConfigError, FormatError, LimitError
from otap.formats.json import rows
from otap.formats.json.lines import sha256_of
from otap.formats.json.parquet import ParquetTable, to_json
from otap.formats.json.paths import JsonPath

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def run(number: int) -> dict[str, Any]:
    """A run with a name of its own."""
    step = {"id": "1", "tool": "book", "arguments": {"nights": number, "to": ["a", "b"]}}
    return {"id": f"r{number}", "task": "t", "steps": [step], "outcome": 1.0}


RUNS = [run(n) for n in range(20)]


def saved(path: Path, columns: Any, **options: Any) -> Path:
    """A Parquet file of columns, or of rows."""
    table = arrow.Table.from_pylist(columns) if isinstance(columns, list) else arrow.table(columns)
    parquet.write_table(table, path, **options)
    return path


def told(path: Path, **options: Any) -> list[Any]:
    """The runs of a file without their sources."""
    return [one.model_copy(update={"source": None}) for one in formats.read_all(path, **options)]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """The runs as JSONL."""
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in RUNS))
    return path


COLUMNS: list[Any] = [
    {"document": [json.dumps(one) for one in RUNS]},
    {"document": [json.dumps(one).encode() for one in RUNS]},
    {"document": RUNS},
    RUNS,
    {"document": [json.dumps(one) for one in RUNS], "__index_level_0__": list(range(20))},
    {"document": arrow.array([json.dumps(one) for one in RUNS]).dictionary_encode()},
]


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("size", [1, 7, 100])
def test_rows_are_the_lines_of_jsonl(tmp_path: Path, lines: Path, columns: Any, size: int) -> None:
    """As text, as bytes, as structs or as columns, in groups of any size: equal runs."""
    path = saved(tmp_path / "runs.parquet", columns, row_group_size=size)
    assert told(path) == told(lines)
    (file,) = formats.open_files(path)
    assert isinstance(file.document, rows.Rows)
    source = list(file.runs())[13].source
    assert source is not None
    assert (source.index, source.sha256) == (13, sha256_of(str(path)))
    some = list(file.runs_or_failures(indices=slice(3, None, 6)))
    assert [one.source.index for one in some if one.source] == [3, 9, 15]


def test_one_row_at_a_time(tmp_path: Path) -> None:
    """However many rows a group has, no batch that is read has more than one."""
    path = saved(tmp_path / "runs.parquet", COLUMNS[0])
    table = ParquetTable(path, JsonPath("f"), formats.LIMITS)
    assert [table.row(n)["id"] for n in (0, 5, 4, 19)] == ["r0", "r5", "r4", "r19"]


def test_a_conversation_in_rows(tmp_path: Path, write) -> None:
    """A format whose runs may go on in later rows is read whole, as from JSONL."""
    called = {"id": "c", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    talks = [
        [{"role": "user", "content": f"go {n}"}, {"role": "assistant", "tool_calls": [called]}]
        for n in range(3)
    ]
    path = saved(tmp_path / "talks.parquet", [{"messages": talk} for talk in talks])
    assert told(path) == told(write([{"messages": talk} for talk in talks], "talks.jsonl"))
    assert len(told(path)) == 3


def test_a_folder_lists_it(tmp_path: Path, lines: Path) -> None:
    """Beside the other files, by name."""
    saved(tmp_path / "a.parquet", COLUMNS[0])
    assert formats.trace_files(tmp_path) == [str(tmp_path / "a.parquet"), str(lines)]


def test_a_bad_row_is_its_own_error(tmp_path: Path) -> None:
    """Null, no JSON, too deep: those behind it are read."""
    texts = [json.dumps(RUNS[0]), None, "{", "[" * 150 + "]" * 150, json.dumps(RUNS[1])]
    path = saved(tmp_path / "runs.parquet", {"document": texts})
    found = list(formats.read_each(path))
    messages = [str(one.error) for one in found if isinstance(one, formats.Failed)]
    assert [type(one).__name__ for one in found] == ["Trajectory", *["Failed"] * 3, "Trajectory"]
    assert [one.source.index for one in found if one.source] == [0, 1, 2, 3, 4]
    for number, message in enumerate(messages, 1):
        assert f"runs.parquet: [{number}]" in message
        assert "\n" not in message


@pytest.mark.parametrize("at", [5, 200, 2000, -3, -9, -40])
def test_broken_files(tmp_path: Path, at: int) -> None:
    """A byte that is another, or an end that is missing: an error in one line, or the same runs."""
    path = saved(tmp_path / "runs.parquet", COLUMNS[0], compression="none")
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    for content in (bytes(data), bytes(data[: len(data) // 2]), b"PAR1", b"{}", b""):
        path.write_bytes(content)
        try:
            list(formats.read_all(path))
        except FormatError as error:
            assert "\n" not in str(error)
            assert "runs.parquet" in str(error)


def test_rows_that_are_too_large(tmp_path: Path) -> None:
    """By what they unpack to: a text that packs well, nulls in a list, a text said often."""
    limits = formats.Limits(max_bytes=10_000)
    for column in (
        ["x" * 20_000] * 2,
        arrow.array([[None] * 5_000]),
        arrow.array([{"a": [1] * 5_000}]),
        arrow.array([[{"a": "x" * 100}] * 200]),
        arrow.array([[("k", "x" * 20_000)]], type=arrow.map_(arrow.string(), arrow.string())),
    ):
        path = saved(tmp_path / "runs.parquet", {"document": column})
        table = ParquetTable(path, JsonPath("f"), limits)
        with pytest.raises(LimitError, match=r"f: \[0\]: is .* above the limit .* \(max_bytes\)"):
            table.row(0)


def test_all_rows_together_have_a_limit(tmp_path: Path) -> None:
    """Where a file must be read whole."""
    path = saved(tmp_path / "runs.parquet", {"document": [json.dumps("x" * 6_000)] * 2})
    with pytest.raises(LimitError, match=r"holds .* above the limit"):
        rows.parse(path.read_bytes(), JsonPath("f"), formats.Limits(max_bytes=10_000))


def test_more_rows_than_bytes(tmp_path: Path) -> None:
    """A file of a few bytes that has millions of rows is none of runs."""
    nothing = arrow.nulls(3_000_000)
    path = saved(tmp_path / "runs.parquet", {"document": nothing})
    with pytest.raises(LimitError, match=r"says it has 3,000,000 rows in"):
        list(formats.read_all(path))


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    path = saved(tmp_path / "runs.parquet", COLUMNS[0])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'otap-eval\[parquet\]'"):
        list(formats.read_all(path))


def test_values_of_columns() -> None:
    """What JSON has no type for: a time, a decimal, NaN; a key without a value is left out."""
    from datetime import UTC, datetime, timedelta
    from decimal import Decimal

    place = JsonPath("f")
    values = {
        "at": datetime(2026, 1, 2, tzinfo=UTC),
        "took": timedelta(seconds=1.5),
        "price": Decimal("1.50"),
        "count": Decimal("2"),
        "none": None,
        "nan": float("nan"),
        "text": b"abc",
        "map": [("a", 1), ("b", None)],
        "list": [None, {"a": None}],
    }
    assert to_json(values, place) == {
        "at": "2026-01-02T00:00:00+00:00",
        "took": 1.5,
        "price": 1.5,
        "count": 2,
        "text": "abc",
        "map": {"a": 1, "b": None},
        "list": [None, {}],
    }
    with pytest.raises(FormatError, match=r"f: a: bytes that are no text"):
        to_json({"a": b"\xff"}, place)


HOSTILE = Path(__file__).parent / "hostile"


@pytest.mark.parametrize("name", ["definition_levels.parquet", "repetition_levels.parquet"])
def test_a_file_that_aborts_pyarrow(name: str, tmp_path: Path) -> None:
    """It is one line of error, also at the second try, and the next file is read."""
    path = HOSTILE / name
    for _ in range(2):
        with pytest.raises(FormatError, match="pyarrow aborts or does not end") as caught:
            formats.read(path)
        assert str(path) in str(caught.value)
    with pytest.raises(FormatError, match="pyarrow aborts"):
        rows.parse(path.read_bytes(), JsonPath("f"), formats.LIMITS)
    good = saved(tmp_path / "good.parquet", COLUMNS[0])
    assert len(told(good)) == len(RUNS)


def test_a_text_that_a_dictionary_repeats(tmp_path: Path) -> None:
    """A file that stores a long text once is refused when its rows take too much in all."""
    texts = arrow.array([json.dumps({"id": "a", "steps": [], "task": "x" * 1_000_000})] * 600)
    path = saved(tmp_path / "runs.parquet", {"document": texts.dictionary_encode()})
    with pytest.raises(LimitError, match="the rows so far take"):
        list(formats.read_all(path))
