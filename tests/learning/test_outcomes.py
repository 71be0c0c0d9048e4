"""Tables of outcomes: what they may look like, and what is refused with its line."""

from pathlib import Path

import pytest

from otap.errors import FormatError
from otap.learning.reading import read_outcomes


def table(folder: Path, text: str | bytes) -> Path:
    """A table of outcomes."""
    path = folder / "outcomes.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "id,outcome\na,1\nb,0\n",
        "run,reward\na,1.0\nb,0.0",
        "id,label\na,good\nb,bad\n",
        "\ufeffid;success\r\na;yes\r\nb;no\r\n",
        "ID\tPassed\na\tTrue\nb\tFALSE\n",
        'note,id,outcome\n"two\nlines",a,pass\n\n"x,y",b,fail\n',
        "id,outcome\na,1\nb,0\na,1\nc,\n",
    ],
)
def test_the_same_in_many_spellings(tmp_path: Path, text: str) -> None:
    """Separators, marks, words, columns between, blank lines, a row twice: a is good, b is bad."""
    found = read_outcomes(table(tmp_path, text))
    assert {name: one.outcome for name, one in found.items()} == {"a": 1, "b": 0}


def test_tasks_and_trials_numbers_and_utf_16(tmp_path: Path) -> None:
    """A run named by its task and trial where it has no id; a number with a comma for its point."""
    path = table(tmp_path, "id;task;trial;outcome\n;5;0;0,25\nx;5;1;-1\n".encode("utf-16"))
    found = read_outcomes(path)
    assert {name: one.outcome for name, one in found.items()} == {"5/0": 0.25, "x": -1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "outcomes.csv: is empty"),
        ("\n \n", "outcomes.csv: is empty"),
        ("a,1\n", "outcomes.csv:1: no column names the run: its first line needs 'id'"),
        ("task,outcome\n", "'task' and 'trial'"),
        ("id,score\n", "outcomes.csv:1: no column has outcomes: call it 'outcome'; it has"),
        ("id,reward,label\n", "has the columns 'reward' and 'label'"),
        ("id,id,outcome\n", "two columns 'id'"),
        ("id,outcome\na,1\nb,maybe\n", "outcomes.csv:3: 'maybe' is no outcome; give a number, or"),
        ("id,outcome\na,nan\n", "outcomes.csv:2: 'nan' is no outcome"),
        ("id,outcome\n,1\n", "outcomes.csv:2: names no run"),
        ("id,outcome\na,1\na,0\n", "outcomes.csv:3: has another outcome for 'a' than "),
        ('id,outcome\na,"1\n', "is not CSV"),
        (b"id,outcome\n\xe4,1\n", "outcomes.csv: is not UTF-8 text"),
        ("id,outcome\na,\x1b[31m\n", "'\\x1b[31m' is no outcome"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str | bytes, words: str) -> None:
    """One line with the place, and how to mend it."""
    with pytest.raises(FormatError) as error:
        read_outcomes(table(tmp_path, text))
    assert words in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Said in one line, a folder as well."""
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(FormatError, match="cannot be read"):
            read_outcomes(path)


def test_many_lines(tmp_path: Path) -> None:
    """Thirty thousand rows are read in order."""
    rows = "".join(f"run-{k},{k % 2}\n" for k in range(30_000))
    found = read_outcomes(table(tmp_path, f"id,outcome\n{rows}"))
    assert (len(found), found["run-29999"].where[-5:]) == (30_000, "30001")
