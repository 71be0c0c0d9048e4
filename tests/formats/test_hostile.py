"""Traces made to do harm: each is read as what it says, or refused in one line, soon."""

import json

import pytest

from builders import openai_call as call
from otap import formats
from otap.errors import FormatError, LimitError
from otap.trajectory import parse_trajectory
from work import STEEP, growth

ESCAPE = "\x1b[31mred\x9b2J\u202e\x07\r\n"
MANY = 20_000


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
        lambda n: b"[" * n,
        lambda n: b'{"a":' * n,
        lambda n: b"[" * n + b"]" * n,
        lambda n: b"[" + b"[]," * n + b"[]]",
        lambda n: b'{"steps": [' + b"{}," * n + b"{}]}",
        lambda n: b"9" * 10 * n,
        lambda n: b"1e" + b"9" * n,
        lambda _: b"[" + b"9" * 4300 + b"]",
        lambda n: b'{"messages": "' + b"\\u0000" * n + b'"}',
        lambda n: b"\n" * n,
        lambda n: b"1\n" * (n // 10),
        lambda n: b"(" * n,
        lambda n: b"(a)" * n,
        lambda n: b'"(a' + b" a" * n + b'"',
    ],
    ids=lambda bomb: bomb(1)[:12].decode(),
)
def test_bombs(write, bomb):
    """Small files that cost much to parse, or hold what no trace holds, are refused soon."""

    def prepare(size):
        path = write(bomb(size))
        return lambda: problem(path)

    assert growth(prepare, 10**6 // 8, 10**6) < STEEP


def test_keys_told_twice(write):
    """Of a key told many times the last counts: a parser of JSON may do so, and all of ours do."""
    keys = ", ".join(f'"steps": [{{"id": "{number}"}}]' for number in range(MANY))
    (step,) = formats.read(write(f"{{{keys}}}")).steps
    assert step.id == str(MANY - 1)


@pytest.mark.parametrize(
    ("calls", "results"),
    [
        (lambda n: [call()] * n, lambda n: [{}] * n),
        (lambda n: [call(identifier="a")] * n, lambda n: [{"tool_call_id": "a"}] * n),
        (
            lambda n: [call(str(k)) for k in range(n)],
            lambda n: [{"name": str(k)} for k in range(n, 0, -1)],
        ),
        (lambda _: [call(identifier="a")], lambda n: [{"tool_call_id": "b"}] * n),
    ],
)
def test_many_calls_of_one_turn(write, calls, results):
    """Results are joined to twenty thousand open calls in time that grows with their number."""

    def prepare(size):
        path = write(conversation(*calls(size), results=results(size)))
        return lambda: formats.read(path)

    run = prepare(MANY)()
    joined = min(len(calls(MANY)), len(results(MANY)))
    assert sum(step.effect == "x" for step in run.steps) == joined
    assert growth(prepare, MANY // 8, MANY) < STEEP


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
