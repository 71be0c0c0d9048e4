"""Makes agent_framework.jsonl: what Microsoft's Agent Framework keeps of a scripted run.

    pip install agent-framework-core==1.23.0
    python make_agent_framework.py > agent_framework.jsonl

The first line is the session, with all messages; the second the response, without what was asked.
"""

import asyncio
import json
import sys
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)


def call(identifier: str, name: str, **arguments: Any) -> Content:
    """Returns a call."""
    return Content.from_function_call(identifier, name, arguments=json.dumps(arguments))


SCRIPT = [
    [
        Content.from_text_reasoning(text="Hotels first."),
        Content.from_text("I look for hotels."),
        call("call_hotels", "search_hotels", city="Rome", max_price=150),
        call("call_weather", "get_weather", city="Rome"),
    ],
    [call("call_full", "book_hotel", hotel="H7")],
    [Content.from_text("H7 is full, so I take H9."), call("call_book", "book_hotel", hotel="H9")],
    [Content.from_text("H9 is yours.")],
]


@tool(approval_mode="never_require")
def search_hotels(city: str, max_price: int) -> list[dict[str, Any]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


@tool(approval_mode="never_require")
def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


@tool(approval_mode="never_require")
def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """Says what is in its script."""

    def __init__(self) -> None:
        """Begins at the beginning."""
        super().__init__()
        self.left = iter(SCRIPT)

    def _inner_get_response(self, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", next(self.left))])

        return answer()


async def main() -> None:
    """Runs the agent and writes the lines."""
    tools = [search_hotels, get_weather, book_hotel]
    agent = Agent(Scripted(), "You book hotels.", name="clerk", tools=tools)
    session = agent.create_session()
    found = await agent.run("A room in Rome, please.", session=session)
    for line in (session.to_dict(), found.to_dict()):
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
