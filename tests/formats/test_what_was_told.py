"""What the agent said to the user, as each format has it, and what references say must be told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import otap
from otap.errors import FormatError
from otap.trajectory import parse_trajectory

MADE = Path(__file__).parent / "made"
Write = Callable[..., Path]
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TALK = [
    {"role": "user", "content": "What does it cost?"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "54.04"},
    {"role": "assistant", "content": "It costs 54.04."},
]


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("adk_session.json", "Paid."),
        ("adk_evalset.json", "Paid."),
        ("anthropic.json", "H9 is booked for two nights."),
        ("atif.json", "H7 is booked."),
        ("claude_code_session.jsonl", "numbers.txt has three lines."),
        ("claude_code_stream.jsonl", "numbers.txt has three lines."),
        ("codex.jsonl", "numbers.txt has three lines."),
        ("inspect.json", "Now the clerk."),
        ("langchain.jsonl", "H9 is yours; see the Pantheon."),
        ("langsmith.json", "H9 is yours; see the Pantheon."),
        ("mini_swe_agent.traj.json", "done\n"),
        ("mlflow_langchain.json", "H9 is yours; see the Pantheon."),
        ("openai_agents.jsonl", "H9 is booked."),
        ("openai_responses.json", "H9 is booked."),
        ("openinference.jsonl", "H9 is yours; see the Pantheon."),
        ("pydantic_ai.jsonl", "Rome is sunny, and the capital."),
        ("smolagents.jsonl", "H9 is yours."),
        ("gemini.jsonl", "H9 is yours."),
        ("gemini_cli.jsonl", "numbers.txt has three lines."),
        ("bedrock.jsonl", "H9 is yours."),
        ("autogen.jsonl", "H9 is yours. DONE"),
        ("autogen_state.jsonl", "H9 is yours. DONE"),
        ("haystack.jsonl", "H9 is yours."),
        ("agent_framework.jsonl", "H9 is yours."),
        ("strands.jsonl", "Paris is sunny; Rome is the capital."),
    ],
)
def test_the_last_text_of_each_format(name: str, last: str) -> None:
    """Each producer's file says what the user was told in the end."""
    run = next(iter(otap.read_all(MADE / name)))
    assert run.messages_to_user is not None
    assert run.messages_to_user[-1] == last


def test_no_content() -> None:
    """A tracer that leaves texts out does not say that nothing was told."""
    assert next(iter(otap.read_all(MADE / "pydantic_ai_no_content.jsonl"))).messages_to_user is None


def test_a_text_beside_a_call(write: Write) -> None:
    """The user of a chat reads it; the simulated user of tau-bench never gets it."""
    assert otap.read(write(TALK)).messages_to_user == ("I look.", "It costs 54.04.")
    assert otap.read(write([result(TALK)])).messages_to_user == ("It costs 54.04.",)


def test_nothing_was_said(write: Write) -> None:
    """A conversation that was understood whole, without a word to the user."""
    assert otap.read(write(TALK[:1])).messages_to_user == ()


def test_the_plans_of_smolagents_are_not_told() -> None:
    """What a model writes beside its calls is no message to anybody."""
    for run in otap.read_all(MADE / "smolagents.jsonl"):
        assert run.messages_to_user == ("H9 is yours.",)


def test_our_own_format(write: Write) -> None:
    """What is written is read again; what is left out was not recorded."""
    written = {"steps": [], "messages_to_user": ["It costs 54.04."], "required_answers": ["54.04"]}
    run = otap.read(write(written))
    assert (run.messages_to_user, run.required_answers) == (("It costs 54.04.",), ("54.04",))
    again = parse_trajectory(run.model_dump(mode="json", exclude_unset=True))
    assert again == run
    bare = otap.read(write({"steps": []}))
    assert (bare.messages_to_user, bare.required_answers) == (None, ())
    assert not {"messages_to_user", "required_answers"} & bare.model_dump(exclude_unset=True).keys()


def test_too_many_answers(write: Write) -> None:
    """Each answer is looked for in all that a run told: there are limits."""
    with pytest.raises(FormatError, match="required_answers"):
        otap.read(write({"steps": [], "required_answers": ["x"] * 101}))


def test_outputs_of_tau_bench(write: Write) -> None:
    """A gold asks for the task's outputs, and for nothing where there are none."""
    (gold,) = otap.read_references(write([result(TALK, outputs=["54.04", "41.64"])]))
    assert gold.required_answers == ("54.04", "41.64")
    (silent,) = otap.read_references(write([result(TALK)]))
    assert silent.required_answers == ()
    with pytest.raises(FormatError, match=r"outputs\[0\]"):
        list(otap.read_references(write([result(TALK, outputs=[54.04])])))


def test_communicate_info_of_tau2(write: Write) -> None:
    """The same of tau2, whose other criteria are for a judge."""
    criteria = {"actions": [], "communicate_info": ["327"], "nl_assertions": ["Agent is kind."]}
    task = {"id": "1", "user_scenario": {}, "evaluation_criteria": criteria}
    assert otap.read(write([task])).required_answers == ("327",)
    criteria["communicate_info"] = None
    assert otap.read(write([task])).required_answers == ()


def result(talk: list[dict[str, Any]], outputs: list[Any] | None = None) -> dict[str, Any]:
    """Returns a result of tau-bench with this conversation and these outputs."""
    task = {"user_id": "u", "actions": [], "instruction": "Ask.", "outputs": outputs or []}
    return {"task_id": 1, "reward": 1.0, "info": {"task": task}, "traj": talk, "trial": 0}
