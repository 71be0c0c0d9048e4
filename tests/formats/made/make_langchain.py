"""Makes langchain.jsonl: one conversation in the three shapes in which LangChain writes messages.

    pip install langchain==1.4.7 langgraph==1.2.22 langchain-core==1.7.2
    python make_langchain.py

A real agent of LangChain runs, with real tools; what its model says is a script.
"""

import json
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import Field

try:
    from langchain.agents import create_agent

    STOPS_AT_ERRORS = True  # unless the tool handles them
except ImportError:  # older than version 1
    from langgraph.prebuilt import create_react_agent as create_agent

    STOPS_AT_ERRORS = False

HERE = Path(__file__).parent


class Scripted(BaseChatModel):
    """Says what is in its script, message by message."""

    script: list[AIMessage] = Field(repr=False)
    said: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **__: Any) -> "Scripted":
        """Needs no tools to follow its script."""
        return self

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        self.said += 1
        return ChatResult(generations=[ChatGeneration(message=self.script[self.said - 1])])


def calls(text: str, *made: tuple[str, str, dict[str, Any]]) -> AIMessage:
    """Returns what a model says and calls."""
    listed = [{"id": identifier, "name": name, "args": args} for identifier, name, args in made]
    return AIMessage(text, tool_calls=listed)


def call_with_bad_arguments() -> AIMessage:
    """Returns a call, and one whose arguments are cut off, as OpenAI's server sends them."""
    texts = {"book_hotel": '{"hotel": "H9"}', "send_mail": '{"to": "mia@example.org", "text": "Bo'}
    listed = [
        {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": text}}
        for name, text in texts.items()
    ]
    return AIMessage("", additional_kwargs={"tool_calls": listed})


@tool
def search_hotels(city: str, max_price: int | None = None) -> list[dict[str, Any]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


@tool(response_format="content_and_artifact")
def get_weather(city: str) -> tuple[str, dict[str, Any]]:
    """Tells the weather of a city."""
    return f"Sunny in {city}.", {"celsius": 24}


@tool
def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ToolException("H7 is full.")
    return f"Booked {hotel}."


@tool
def send_mail(to: str, text: str) -> str:
    """Sends a mail."""
    return "sent"


@tool
def get_sights(city: str) -> list[str]:
    """Lists what there is to see in a city."""
    return ["Colosseum", "Pantheon"]


@tool
def ask_guide(question: str) -> str:
    """Asks a guide, who is an agent too."""
    script = [
        calls("", ("call_sights", "get_sights", {"city": "Rome"})),
        AIMessage("See the Pantheon."),
    ]
    guide = create_agent(Scripted(script=script), [get_sights], name="guide")
    answer = guide.invoke({"messages": [HumanMessage(question)]})
    return str(answer["messages"][-1].content)


SCRIPT = [
    calls(
        "I look for hotels.",
        ("call_hotels", "search_hotels", {"city": "Rome", "max_price": 150}),
        ("call_weather", "get_weather", {"city": "Rome"}),
    ),
    calls("", ("call_full", "book_hotel", {"hotel": "H7"})),
    call_with_bad_arguments(),
    calls("", ("call_guide", "ask_guide", {"question": "What's to see in Rome?"})),
    AIMessage("H9 is yours; see the Pantheon."),
]
QUESTION = {"messages": [HumanMessage("A room in Rome, please.")]}


def travel_agent(script: list[AIMessage]) -> Any:
    """Returns an agent; in the whole script one call of six fails, and one never runs."""
    book_hotel.handle_tool_error = STOPS_AT_ERRORS
    tools: list[BaseTool] = [search_hotels, get_weather, book_hotel, send_mail, ask_guide]
    return create_agent(Scripted(script=script), tools, name="travel")


def main() -> None:
    """Runs the agent and saves its state in the three shapes."""
    state = travel_agent(SCRIPT).invoke(QUESTION)
    dumps = (
        {"messages": [message.model_dump() for message in state["messages"]]},
        messages_to_dict(state["messages"]),
        dumpd(state),
    )
    lines = "".join(json.dumps(dump) + "\n" for dump in dumps)
    (HERE / "langchain.jsonl").write_text(lines, "utf-8")


if __name__ == "__main__":
    main()
