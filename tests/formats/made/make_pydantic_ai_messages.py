"""Makes pydantic_ai_messages.jsonl: the messages of one run, as versions of Pydantic AI dump them.

    pip install pydantic-ai-slim==2.68.0  # then 1.0.0 and 0.8.1, in environments of their own
    python make_pydantic_ai_messages.py >> pydantic_ai_messages.jsonl

A real agent runs, with real tools; what its model says is a script.
"""

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

SCRIPT = [
    [
        ThinkingPart("Hotels first."),
        TextPart("I look for hotels."),
        ToolCallPart("search_hotels", {"city": "Rome", "max_price": 150}, "call_hotels"),
        ToolCallPart("get_weather", '{"city": "Rome"}', "call_weather"),
    ],
    [ToolCallPart("book_hotel", {"hotel": "H7"}, "call_full")],
    [ToolCallPart("book_hotel", {"inn": "H9"}, "call_bad")],
    [
        TextPart("H7 is full, so I take H9."),
        ToolCallPart("book_hotel", {"hotel": "H9"}, "call_book"),
    ],
    [TextPart("H9 is yours.")],
]


def search_hotels(city: str, max_price: int) -> list[dict[str, object]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ModelRetry("H7 is full.")
    return f"Booked {hotel}."


def main() -> None:
    """Runs the agent and writes its messages, a line."""
    script = iter(SCRIPT)
    agent = Agent(
        FunctionModel(lambda *_: ModelResponse(parts=next(script))),
        tools=[search_hotels, get_weather, book_hotel],
        system_prompt="You book hotels.",
        retries=3,
    )
    print(agent.run_sync("A room in Rome, please.").all_messages_json().decode())


if __name__ == "__main__":
    main()
