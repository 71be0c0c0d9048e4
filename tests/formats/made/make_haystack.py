"""Makes haystack.jsonl: the messages of an agent of Haystack with a scripted model.

    pip install haystack-ai==3.4.0
    python make_haystack.py > haystack.jsonl

The first line is the list of messages, each by ``to_dict``; the second is what the agent returned.
"""

import json
import sys
from typing import Annotated, Any

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import tool


@tool
def search_hotels(
    city: Annotated[str, "where"], max_price: Annotated[int, "a night"]
) -> list[dict[str, Any]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


@tool
def get_weather(city: Annotated[str, "where"]) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


@tool
def book_hotel(hotel: Annotated[str, "which"]) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


def call(identifier: str, name: str, **arguments: Any) -> ToolCall:
    """Returns a call."""
    return ToolCall(name, arguments, identifier)


SCRIPT = [
    ChatMessage.from_assistant(
        "I look for hotels.",
        reasoning="Hotels first.",
        tool_calls=[
            call("call_hotels", "search_hotels", city="Rome", max_price=150),
            call("call_weather", "get_weather", city="Rome"),
        ],
    ),
    ChatMessage.from_assistant(tool_calls=[call("call_full", "book_hotel", hotel="H7")]),
    ChatMessage.from_assistant(
        "H7 is full, so I take H9.", tool_calls=[call("call_book", "book_hotel", hotel="H9")]
    ),
    ChatMessage.from_assistant("H9 is yours."),
]


@component
class Scripted:
    """Says what is in its script."""

    def __init__(self) -> None:
        """Begins at the beginning."""
        self.left = iter(SCRIPT)

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        """Returns the next answer, whatever it is asked."""
        del messages, tools
        return {"replies": [next(self.left)]}


def main() -> None:
    """Runs the agent and writes the lines."""
    agent = Agent(
        chat_generator=Scripted(),
        tools=[search_hotels, get_weather, book_hotel],
        system_prompt="You book hotels.",
    )
    found = agent.run(messages=[ChatMessage.from_user("A room in Rome, please.")])
    messages = [message.to_dict() for message in found["messages"]]
    returned = {**found, "messages": messages, "last_message": found["last_message"].to_dict()}
    for line in (messages, returned):
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
