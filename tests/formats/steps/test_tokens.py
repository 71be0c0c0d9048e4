"""What runs cost in tokens: as recorded, the cache included, nothing twice, null where not told."""

import json
from pathlib import Path
from typing import Any

import pytest

from otap import formats
from otap.formats.tokens import find_usage, parse_usage, sum_tokens
from otap.trajectory import Tokens, parse_trajectory

SAID = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "done"}]


@pytest.mark.parametrize(
    ("usage", "read", "wrote"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}, 9, 2),
        (
            {"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 5}},
            9,
            2,
        ),
        (
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 4,
                "cache_read_input_tokens": 5,
                "output_tokens": 2,
            },
            12,
            2,
        ),
        ({"inputTokens": 3, "outputTokens": 2, "cacheReadInputTokens": 4}, 7, 2),
        ({"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 4}, 3, 6),
        (
            {
                "input_tokens": 9,
                "output_tokens": 2,
                "input_tokens_cache_read": 5,
                "total_tokens": 11,
            },
            9,
            2,
        ),
        (
            {
                "input_tokens": 4,
                "output_tokens": 2,
                "input_tokens_cache_read": 5,
                "total_tokens": 11,
            },
            9,
            2,
        ),
        ({"output_tokens": 2}, None, 2),
        ({"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 2}, 9, 2),
        ({"llm.token_count.prompt": 9, "llm.token_count.completion": 2}, 9, 2),
    ],
)
def test_names_of_libraries(usage: dict[str, Any], read: int | None, wrote: int | None) -> None:
    """Input has in it what came from a cache, output the reasoning."""
    assert parse_usage(usage) == Tokens(input=read, output=wrote)


@pytest.mark.parametrize(
    "usage",
    [
        *(None, 3, [], {}, {"input_tokens": -1}, {"input_tokens": True}, {"output_tokens": 0}),
        *({"input_tokens": "9"}, {"input": {"text": 1}}, {"input_tokens": 1.5}),
    ],
)
def test_what_is_no_count(usage: Any) -> None:
    """Null; so is 0 of both: some libraries write it where they do not count."""
    assert parse_usage(usage) is None
    assert find_usage({"usage": usage}) is None


def test_sums() -> None:
    """Of what is known; null where nothing is."""
    some = [Tokens(input=1, output=2), None, Tokens(output=3)]
    assert sum_tokens(some) == Tokens(input=1, output=5)
    assert sum_tokens([None]) is None


@pytest.mark.parametrize(
    "around",
    [
        {"usage": {"prompt_tokens": 9, "completion_tokens": 2}},
        {"response": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}},
    ],
)
def test_beside_messages(write, around: dict[str, Any]) -> None:
    """A conversation with the usage of its request."""
    run = formats.read(write({"messages": SAID, **around}))
    assert run.tokens == Tokens(input=9, output=2)
    assert parse_trajectory(json.loads(run.to_json())).tokens == run.tokens


def test_in_messages(write) -> None:
    """Each answer with what it cost."""
    usage = {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    messages = [*SAID, {**SAID[1], **usage}, {**SAID[1], **usage}]
    assert formats.read(write(messages)).tokens == Tokens(input=18, output=4)


def test_a_log_of_requests(write) -> None:
    """Each state of a conversation is a request that cost its own."""
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    again = [*SAID, {"role": "user", "content": "and on"}]
    log = [
        {
            "request": {"messages": asked},
            "response": {"choices": [{"message": SAID[1]}], "usage": usage},
        }
        for asked in (SAID[:1], again)
    ]
    (run,) = formats.read_all(write(log, "log.jsonl"))
    assert run.tokens == Tokens(input=18, output=4)


def test_null_where_nothing_is_told(write) -> None:
    """And then our own format says nothing of it."""
    run = formats.read(write(SAID))
    assert run.tokens is None
    assert "tokens" not in run.to_json()


def told(count: int) -> dict[str, Any]:
    """A line of Codex that tells the tokens until then."""
    usage = {"input_tokens": count, "cached_input_tokens": 1, "output_tokens": 2}
    info = {"total_token_usage": usage, "last_token_usage": {"input_tokens": 1}}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def test_codex_tells_sums(write) -> None:
    """Each event has all until then: only the last counts."""
    meta = {"type": "session_meta", "payload": {"id": "s"}}
    empty = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
    run = formats.read(write([meta, told(5), told(9), told(30), empty], "rollout.jsonl"))
    assert run.tokens == Tokens(input=30, output=2)


def test_claude_code_tells_an_answer_in_parts(write) -> None:
    """Each line of one answer tells its usage again; the last knows it whole."""

    def line(uuid: str, name: str, wrote: int) -> dict[str, Any]:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": wrote}
        text = [{"type": "text", "text": uuid}]
        message = {"id": name, "role": "assistant", "content": text, "usage": usage}
        return {"type": "assistant", "uuid": uuid, "sessionId": "s", "message": message}

    lines = [line("1", "a", 1), line("2", "a", 5), line("2", "a", 5), line("3", "b", 2)]
    assert formats.read(write(lines, "s.jsonl")).tokens == Tokens(input=14, output=7)


def test_spans_inside_spans(write) -> None:
    """A model in a model is told again, and so is the sum of an agent; in a call they are new."""

    def span(name: str, parent: str | None, count: int, **more: str) -> dict[str, Any]:
        usage = {"gen_ai.usage.input_tokens": count, "gen_ai.usage.output_tokens": 1}
        return {
            "traceId": "t",
            "spanId": name,
            "parentSpanId": parent,
            "name": name,
            "attributes": {**(usage if count else {}), **more},
        }

    chat, tool = {"gen_ai.operation.name": "chat"}, {"gen_ai.operation.name": "execute_tool"}
    spans = [
        span("1", None, 100, **{"gen_ai.operation.name": "invoke_agent"}),
        span("2", "1", 10, **chat),
        span("3", "2", 10, **chat),
        span("4", "1", 0, **tool, **{"gen_ai.tool.name": "ask"}),
        span("5", "4", 20, **chat),
    ]
    assert formats.read(write(spans)).tokens == Tokens(input=30, output=2)


REAL = {  # counted by hand, in the files
    "traces/inspect/browser.json": (15235, 281),
    "traces/otlp/helm.json": (1820 + 1956, 13 + 117),
    "traces/otlp/tempo_batches.json": (2256 + 2392, 13 + 116),
    "traces/otel-spans/claude_agent_sdk.json": (132, 850),
    "traces/otel-spans/genai_convention.json": (80 + 120, 25 + 35),
    "traces-2/swe-agent/test_repo.traj": (7141, 243),
    "traces-2/openhands/output.jsonl": None,
    "traces/adk/sample.session.json": None,
}
MADE = {
    "atif.json": (120, 18),
    "pydantic_ai.jsonl": (None, 5 + 34 + 27 + 20 + 15 + 10),
    "claude_code_session.jsonl": (4, 4),  # four answers, each in two lines
    "codex.jsonl": (5, 5),
}


@pytest.mark.parametrize("name", REAL)
def test_real_traces(real_data: Path, name: str) -> None:
    """What the files say, counted apart from the readers."""
    _holds(real_data / name, REAL[name])


@pytest.mark.parametrize("name", MADE)
def test_made_traces(name: str) -> None:
    """What the libraries themselves wrote."""
    _holds(Path(__file__).parents[1] / "made" / name, MADE[name])


def _holds(path: Path, counts: tuple[int | None, int | None] | None) -> None:
    found = next(iter(formats.read_all(path))).tokens
    if counts is None:
        assert found is None
        return
    assert found is not None
    assert counts[0] in (None, found.input)
    assert counts[1] == found.output
