"""Files of well-known kinds that are not read say what to take instead."""

import pytest

from otap import formats
from otap.errors import FormatError

KINDS = {
    "an answer in pieces": [{"object": "chat.completion.chunk", "choices": []}],
    "codex exec": [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}],
    "ShareGPT": [{"conversations": [{"from": "human", "value": "A room?"}]}],
    "Assistants": {"object": "list", "data": [{"object": "thread.run.step", "id": "s"}]},
    "events of LangChain": [{"event": "on_tool_start", "run_id": "r", "data": {}, "name": "x"}],
}


@pytest.mark.parametrize("words", KINDS)
def test_hints(write, words):
    """The error names the kind in place of all that can be read."""
    with pytest.raises(FormatError, match=words) as error:
        formats.read(write(KINDS[words]))
    assert "OTAP reads" not in str(error.value)


@pytest.mark.parametrize("value", [[], {}, [5], {"conversations": 5}, {"data": [5]}, {"type": []}])
def test_no_hint(write, value):
    """All else is told what can be read."""
    with pytest.raises(FormatError, match="OTAP reads"):
        formats.read(write(value))
