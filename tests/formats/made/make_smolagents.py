"""Makes smolagents.jsonl: the result of a run, its steps alone, and the steps of a code agent.

    pip install smolagents==1.26.0
    python make_smolagents.py

Real agents with real tools; what their model says is a script.
"""

import json
from pathlib import Path
from typing import Any

from smolagents import ChatMessage, CodeAgent, Model, Tool, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

HERE = Path(__file__).parent
CITY = {"city": {"type": "string", "description": "a city"}}
HOTEL = {"hotel": {"type": "string", "description": "a hotel"}}


class Scripted(Model):
    """Says what is in its script, message by message."""

    def __init__(self, *script: ChatMessage) -> None:
        super().__init__(model_id="scripted")
        self._script = list(script)

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        """Returns the next message."""
        return self._script.pop(0)


class SearchHotels(Tool):
    """Finds hotels."""

    name = "search_hotels"
    description = "Finds the hotels of a city."
    inputs = CITY
    output_type = "array"

    def forward(self, city: str) -> list[str]:
        """Returns their names."""
        return [f"H7 in {city}", f"H9 in {city}"]


class GetWeather(Tool):
    """Tells the weather."""

    name = "get_weather"
    description = "Tells the weather of a city."
    inputs = CITY
    output_type = "string"

    def forward(self, city: str) -> str:
        """Returns a sentence."""
        return f"Sunny in {city}."


class BookHotel(Tool):
    """Books a room."""

    name = "book_hotel"
    description = "Books a room."
    inputs = HOTEL
    output_type = "string"

    def forward(self, hotel: str) -> str:
        """Returns a sentence, or fails."""
        if hotel == "H7":
            raise ValueError("H7 is full.")
        return f"Booked {hotel}."


def says(text: str, *calls: tuple[str, str, Any]) -> ChatMessage:
    """Returns what the model says and calls."""
    listed = [
        ChatMessageToolCall(
            id=i,
            type="function",
            function=ChatMessageToolCallFunction(name=name, arguments=arguments),
        )
        for i, name, arguments in calls
    ]
    return ChatMessage(role=MessageRole.ASSISTANT, content=text, tool_calls=listed or None)


def tool_caller() -> ToolCallingAgent:
    """Returns an agent that makes five calls in four turns, the last to say its answer."""
    model = Scripted(
        says(
            "I look.",
            ("call_hotels", "search_hotels", {"city": "Rome"}),
            ("call_weather", "get_weather", {"city": "Rome"}),
        ),
        says("", ("call_full", "book_hotel", {"hotel": "H7"})),
        says("", ("call_book", "book_hotel", '{"hotel": "H9"}')),
        says("", ("call_answer", "final_answer", {"answer": "H9 is yours."})),
    )
    tools = [SearchHotels(), GetWeather(), BookHotel()]
    agent = ToolCallingAgent(tools=tools, model=model, verbosity_level=0)
    agent.prompt_templates["system_prompt"] = "You book hotels."
    return agent


def coder() -> CodeAgent:
    """Returns an agent that writes code three times; the first fails."""
    model = Scripted(
        says('I book it.\n<code>\nprint(book_hotel(hotel="H7"))\n</code>'),
        says('Another one.\n<code>\nprint(book_hotel(hotel="H9"))\n</code>'),
        says('<code>\nfinal_answer("H9 is yours.")\n</code>'),
    )
    return CodeAgent(tools=[BookHotel()], model=model, verbosity_level=0)


def main() -> None:
    """Runs the agents and saves what they did."""
    agent, code = tool_caller(), coder()
    result = agent.run("A room in Rome, please.", return_full_result=True)
    code.run("A room in Rome, please.")
    kept = (result.dict(), agent.memory.get_full_steps(), code.memory.get_succinct_steps())
    lines = "".join(json.dumps(value, default=str) + "\n" for value in kept)
    (HERE / "smolagents.jsonl").write_text(lines, "utf-8")


if __name__ == "__main__":
    main()
