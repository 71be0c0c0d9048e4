"""One odd line or row never refuses a file: the rest is read, and the file says what is left."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parent / "made"
# Files of one run, each with an event, a message or a span in a line.
LOGS = (
    *("claude_code_session.jsonl", "codex.jsonl", "gemini_cli.jsonl", "otel/vercel_ai.jsonl"),
    *("openinference.jsonl", "openhands.jsonl", "crewai.jsonl"),
)
METRIC = {"type": "metric", "name": "calls", "unit": "1", "dataPoints": [{"value": 1}]}
ODD = {
    "null": (None, "null"),
    "metric": (METRIC, "metric"),
    "metrics": ({"resourceMetrics": []}, "metric"),
    "profile": ({"resourceProfiles": []}, "profile"),
}


def lines_of(name):
    """Returns the lines of a file that was made for the tests."""
    return (MADE / name).read_text("utf-8").splitlines()


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("position", [0, 2, -1])
def test_odd_lines(write, name, odd, position):
    """Wherever such a line is, the runs are those of the file without it, and it is counted."""
    item, kind = ODD[odd]
    lines = lines_of(name)
    plain = list(formats.read_all(write("\n".join(lines), "a.jsonl")))
    position = len(lines) if position < 0 else position
    lines[position:position] = [json.dumps(item), " "]
    runs = list(formats.read_all(write("\n".join(lines), "b.jsonl")))
    assert [run.steps for run in runs] == [run.steps for run in plain]
    counts = [run.unread.ignored.get(kind, 0) for run in runs]
    assert sum(counts) == 1 + sum(run.unread.ignored.get(kind, 0) for run in plain)


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_last_line_that_is_cut_off(write, name, share):
    """A file that a crash cut off has the runs of its whole lines, and says so."""
    lines = lines_of(name)
    plain = list(formats.read_all(write("\n".join(lines[:-1]), "a.jsonl")))
    last = lines[-1][: max(1, int(len(lines[-1]) * share))]
    runs = list(formats.read_all(write("\n".join([*lines[:-1], last]), "b.jsonl")))
    assert [run.steps for run in runs] == [run.steps for run in plain]
    assert all(run.unread.unknown["last line that is cut off"] == 1 for run in runs)


def test_rows_that_are_null(write):
    """A null among the messages of a list is left out; a list of nothing else is refused."""
    asked = {"role": "user", "content": "Go."}
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    messages = [None, asked, None, {"role": "assistant", "content": None, "tool_calls": calls}]
    run = formats.read(write(messages))
    assert len(run.steps) == 1
    assert run.unread.ignored == {"null": 2}
    with pytest.raises(FormatError):
        formats.read(write([None, None]))
    bad = write([None, asked, {"role": "assistant", "tool_calls": 5}], "bad.json")
    with pytest.raises(FormatError, match=r"\[2\]\.tool_calls"):
        formats.read(bad)
