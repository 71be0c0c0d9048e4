"""Files of well-known kinds that are not read say what to take instead."""

import pytest

from otap import formats
from otap.errors import FormatError

TEXT = [{"type": "text", "text": "A room."}]
KINDS = {
    "messages of Cursor": {"messages": [{"role": "user", "message": {"content": TEXT}}]},
    "an answer in pieces": [{"object": "chat.completion.chunk", "choices": []}],
    "ShareGPT": [{"conversations": [{"from": "human", "value": "A room?"}]}],
    "Assistants": {"object": "list", "data": [{"object": "thread.run.step", "id": "s"}]},
    "events of LangChain": [{"event": "on_tool_start", "run_id": "r", "data": {}, "name": "x"}],
}


@pytest.mark.parametrize("words", KINDS)
def test_hints(write, words):
    """The error names the kind in place of all that can be read."""
    with pytest.raises(FormatError, match=words) as error:
        formats.read(write(KINDS[words]))
    assert "formats that OTAP reads" not in str(error.value)


REQUESTS = '[{"type": "toolRequest", "id": "t1", "toolCall": {"value": {"name": "search"}}}]'
NOT_READ_YET = {
    "a session of pi or OpenClaw": [{"type": "session", "version": 3, "cwd": "/", "timestamp": ""}],
    "an export of ChatGPT": [{"title": "A room", "mapping": {}, "current_node": "n"}],
}


@pytest.mark.parametrize("words", NOT_READ_YET)
def test_not_read_yet(write, words):
    """A file of a well-known producer is named before what can be read; it is never a chat."""
    with pytest.raises(FormatError, match=f": looks like {words}; not read yet; 'otap formats'"):
        formats.read(write(NOT_READ_YET[words]))


@pytest.mark.parametrize("value", [[], {}, [5], {"conversations": 5}, {"data": [5]}, {"type": []}])
def test_no_hint(write, value):
    """All else is told what can be read."""
    with pytest.raises(FormatError, match="formats that OTAP reads"):
        formats.read(write(value))
