"""Makes llama_index.json and llama_index_memory.json: what an agent of LlamaIndex remembers.

    pip install llama-index-core==0.14.25 "pydantic<2.12"
    python make_llama_index.py

A real agent runs, with real tools; what its model says is a script.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, ToolCallBlock
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import ToolSelection

HERE = Path(__file__).parent


def calls(text: str | None, *made: tuple[str, str, dict[str, Any]]) -> ChatMessage:
    """Returns what a model says and calls."""
    message = ChatMessage(role="assistant", content=text)
    for identifier, name, given in made:
        block = ToolCallBlock(tool_call_id=identifier, tool_name=name, tool_kwargs=given)
        message.blocks.append(block)
    return message


SCRIPT = [
    calls(
        "I look for hotels.",
        ("call_hotels", "search_hotels", {"city": "Rome", "max_price": 150}),
        ("call_weather", "get_weather", {"city": "Rome"}),
    ),
    calls(None, ("call_full", "book_hotel", {"hotel": "H7"})),
    calls("H7 is full, so I take H9.", ("call_book", "book_hotel", {"hotel": "H9"})),
    calls("H9 is yours."),
]


class Scripted(FunctionCallingLLM):
    """Says what is in its script, message by message."""

    script: list[ChatMessage]

    @property
    def metadata(self) -> LLMMetadata:
        """It calls functions."""
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {"messages": []}

    async def achat(self, *_: Any, **__: Any) -> ChatResponse:
        """Says the next message."""
        return ChatResponse(message=self.script.pop(0))

    def get_tool_calls_from_response(self, response: ChatResponse, **_: Any) -> list[ToolSelection]:
        """Returns the calls of a message."""
        return [
            ToolSelection(tool_id=b.tool_call_id, tool_name=b.tool_name, tool_kwargs=b.tool_kwargs)
            for b in response.message.blocks
            if isinstance(b, ToolCallBlock)
        ]

    def chat(self, *_: Any, **__: Any) -> Any:
        """Never does."""

    def complete(self, *_: Any, **__: Any) -> Any:
        """Never does."""

    def stream_chat(self, *_: Any, **__: Any) -> Any:
        """Never does."""

    def stream_complete(self, *_: Any, **__: Any) -> Any:
        """Never does."""

    async def acomplete(self, *_: Any, **__: Any) -> Any:
        """Never does."""

    async def astream_chat(self, *_: Any, **__: Any) -> Any:
        """Never does."""

    async def astream_complete(self, *_: Any, **__: Any) -> Any:
        """Never does."""


def search_hotels(city: str, max_price: int) -> list[dict[str, Any]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


async def main() -> None:
    """Runs the agent and saves what it remembers."""
    agent = FunctionAgent(
        tools=[search_hotels, get_weather, book_hotel],
        llm=Scripted(script=list(SCRIPT)),
        system_prompt="You book hotels.",
        streaming=False,
    )
    memory = ChatMemoryBuffer.from_defaults(token_limit=100_000, tokenizer_fn=str.split)
    await agent.run("A room in Rome, please.", memory=memory)
    messages = [message.model_dump(mode="json") for message in memory.get_all()]
    saved = {"llama_index": {"messages": messages}, "llama_index_memory": memory.to_dict()}
    for name, value in saved.items():
        (HERE / f"{name}.json").write_text(json.dumps(value) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
