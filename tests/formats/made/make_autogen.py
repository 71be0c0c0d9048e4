"""Makes autogen.jsonl and autogen_state.jsonl: what AutoGen keeps of runs with a scripted model.

    pip install autogen-agentchat==0.7.5 autogen-ext==0.7.5
    python make_autogen.py

The first file has the result of a task that one agent did, then that of two agents, the first of
whom hands over to the second. The second file has their states: of the two, then of the one.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import TaskResult
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import Swarm
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelFamily, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

ASKED = "A room in Rome, please."
USAGE = RequestUsage(prompt_tokens=0, completion_tokens=0)
INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=False,
    family=ModelFamily.UNKNOWN,
    structured_output=False,
)


async def search_hotels(city: str, max_price: int) -> list[dict[str, Any]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


async def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


async def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


def call(identifier: str, name: str, **arguments: Any) -> FunctionCall:
    """Returns a call."""
    return FunctionCall(id=identifier, name=name, arguments=json.dumps(arguments))


def answer(content: Any, thought: str | None = None) -> CreateResult:
    """Returns an answer of the model."""
    reason = "stop" if isinstance(content, str) else "function_calls"
    return CreateResult(
        finish_reason=reason, content=content, usage=USAGE, cached=False, thought=thought
    )


SEARCH = [
    call("call_hotels", "search_hotels", city="Rome", max_price=150),
    call("call_weather", "get_weather", city="Rome"),
]
BOOKING = [
    answer([call("call_full", "book_hotel", hotel="H7")]),
    answer([call("call_book", "book_hotel", hotel="H9")], "H7 is full, so I take H9."),
    answer("H9 is yours. DONE"),
]


def agent(name: str, script: list[CreateResult], tools: list[Any], **more: Any) -> AssistantAgent:
    """Returns an agent with a script."""
    model = ReplayChatCompletionClient(script, model_info=INFO)
    return AssistantAgent(
        name, model, tools=tools, system_message="You book hotels.", max_tool_iterations=5, **more
    )


def result(found: TaskResult) -> dict[str, Any]:
    """Returns what a task came to."""
    return found.model_dump(mode="json")


async def main() -> None:
    """Runs the agents and writes the files."""
    everything = [search_hotels, get_weather, book_hotel]
    one = agent("clerk", [answer(SEARCH, "I look for hotels."), *BOOKING], everything)
    lines = [result(await one.run(task=ASKED))]
    handover = answer([call("call_hand", "transfer_to_booker")])
    script = [answer(SEARCH, "I look for hotels."), handover]
    finder = agent("finder", script, everything[:2], handoffs=["booker"])
    team = Swarm(
        [finder, agent("booker", BOOKING, everything[2:])],
        termination_condition=TextMentionTermination("DONE"),
    )
    lines.append(result(await team.run(task=ASKED)))
    states = [await team.save_state(), await one.save_state()]
    for name, written in (("autogen.jsonl", lines), ("autogen_state.jsonl", states)):
        text = "".join(json.dumps(line) + "\n" for line in written)
        (Path(__file__).parent / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
