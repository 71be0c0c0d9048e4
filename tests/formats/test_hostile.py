"""Traces made to do harm: each is read as what it says, or refused in one line, soon."""

import json
import time

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.trajectory import parse_trajectory

ESCAPE = "\x1b[31mred\x9b2J\u202e\x07\r\n"
SECONDS = 20.0  # far more than a busy machine needs; what grows with the square takes minutes
MANY = 20_000


def call(name="f", arguments="{}", identifier=None):
    """Returns a tool call of an assistant message."""
    named = {} if identifier is None else {"id": identifier}
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **named}


def conversation(*calls, results=()):
    """Returns messages with these calls side by side."""
    answers = [{"role": "tool", "content": "x", **result} for result in results]
    return [{"role": "assistant", "content": None, "tool_calls": list(calls)}, *answers]


def problem(path):
    """Returns why a file is refused: one line that can be printed."""
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize(
    "bomb",
    [
        b"[" * 10**6,
        b'{"a":' * 10**6,
        b"[" * 10**6 + b"]" * 10**6,
        b"[" + b"[]," * 10**6 + b"[]]",
        b'{"steps": [' + b"{}," * 10**6 + b"{}]}",
        b"9" * 10**7,
        b"1e" + b"9" * 10**6,
        b"[" + b"9" * 4300 + b"]",
        b'{"messages": "' + b"\\u0000" * 10**6 + b'"}',
        b"\n" * 10**6,
        b"1\n" * 10**5,
        b"(" * 10**6,
        b"(a)" * 10**6,
        b'"(a' + b" a" * 10**6 + b'"',
    ],
    ids=lambda bomb: bomb[:12].decode(),
)
def test_bombs(write, bomb):
    """Small files that cost much to parse, or hold what no trace holds, are refused soon."""
    begun = time.perf_counter()
    problem(write(bomb))
    assert time.perf_counter() - begun < SECONDS


def test_keys_told_twice(write):
    """Of a key told many times the last counts: a parser of JSON may do so, and all of ours do."""
    keys = ", ".join(f'"steps": [{{"id": "{number}"}}]' for number in range(MANY))
    (step,) = formats.read(write(f"{{{keys}}}")).steps
    assert step.id == str(MANY - 1)


@pytest.mark.parametrize(
    ("calls", "results"),
    [
        ([call()] * MANY, [{}] * MANY),
        ([call(identifier="a")] * MANY, [{"tool_call_id": "a"}] * MANY),
        ([call(str(k)) for k in range(MANY)], [{"name": str(k)} for k in range(MANY, 0, -1)]),
        ([call(identifier="a")], [{"tool_call_id": "b"}] * MANY),
    ],
)
def test_many_calls_of_one_turn(write, calls, results):
    """Results are joined to twenty thousand open calls in time that grows with their number."""
    path = write(conversation(*calls, results=results))
    begun = time.perf_counter()
    run = formats.read(path)
    assert time.perf_counter() - begun < SECONDS
    assert sum(step.effect == "x" for step in run.steps) == min(len(calls), len(results))


def test_one_step_too_many(write):
    """The limit on steps counts those inside others."""
    inside = [{"id": str(k)} for k in range(MANY)]
    assert len(formats.read(write({"steps": inside})).steps) == MANY
    with pytest.raises(LimitError, match=r"20,001 steps, above the limit of 20,000 \(max_steps\)"):
        formats.read(write({"steps": [{"id": "around", "substeps": inside}]}))


def test_deep_nesting_is_written_again(write):
    """What is as deep as a file may be is read, and written, in our own format."""
    deep = "[" * 90 + "]" * 90
    for trace in (
        conversation(call(arguments=deep)),
        {"steps": [{"id": "a", "effect": json.loads(deep)}]},
    ):
        run = formats.read(write(trace))
        assert parse_trajectory(json.loads(run.to_json())) == run
        assert formats.read(write(run.to_json())).steps == run.steps
    steps = [{"id": "a"}]
    for _ in range(48):
        steps = [{"id": "a", "substeps": steps}]
    assert formats.read(write({"steps": steps})).steps[0].substeps


def test_half_a_surrogate_pair(write):
    """Half a character is refused in a file; in arguments it makes them text that is no JSON."""
    assert "half of a surrogate pair" in problem(write('{"steps": [{"id": "\\ud83d"}]}'))
    (step,) = formats.read(write(conversation(call(arguments='{"a": "\\ud83d"}')))).steps
    assert step.arguments == '{"a": "\\ud83d"}'
    assert step.metadata["arguments_unparsed"] is True
    step.model_dump_json()


def test_chain_and_cycle_of_dependencies(write):
    """A chain through all steps is read; closed to a cycle, it is an error of one line."""
    steps = [{"id": str(k), "depends_on": [str(k + 1)]} for k in range(MANY - 1)]
    last = {"id": str(MANY - 1), "depends_on": []}
    assert len(formats.read(write({"steps": [*steps, last]})).steps) == MANY
    cycle = {"steps": [*steps, {**last, "depends_on": ["0"]}]}
    assert "depends_on has a cycle: 0 -> 1 -> 2" in problem(write(cycle))


def test_escapes_in_names_of_runs(write):
    """The runs that an error lists, and a format's name in a file, are shown escaped."""
    runs = [{"id": f"{ESCAPE}{k}", "task": ESCAPE, "steps": []} for k in range(2)]
    with pytest.raises(FormatError) as caught:
        formats.read(write(runs), run=ESCAPE)
    assert "\\x1b[31mred\\x9b2J\\u202e\\x07\\r\\n" in str(caught.value)
    assert str(caught.value).isprintable()
    assert "'otap.\\x1b" in problem(write({"schema_version": f"otap.{ESCAPE}"}))
