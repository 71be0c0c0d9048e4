"""Makes openai_agents.jsonl, openai_responses.json and openai_response.json with OpenAI's own code.

No network: the answers of the models are scripted. How to run it, in a scratch environment:

    pip install openai-agents==0.24.0 openai==3.52.0
    python make_openai_agents.py

The first file holds what the exporter of the Agents SDK would send of two runs: each trace, and its
spans as they end. The models of the first run speak the language of chat completions, but for the
guide; those of the second run speak that of Responses. The second file holds the items of the first
run, as the SDK hands them out for the next run; the third is a response with built-in tools, as the
client of OpenAI parsed it and wrote it again.
"""

import asyncio
import json
from pathlib import Path

import httpx2 as httpx
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_trace_processors,
)
from agents.tracing import TracingProcessor
from openai import AsyncOpenAI

HERE = Path(__file__).parent


class Exporter(TracingProcessor):
    """Keeps what the SDK exports, in the order in which it is exported."""

    def __init__(self):
        self.lines = []

    def on_trace_start(self, trace):
        """Keeps a trace."""
        self.lines.append(trace.export())

    def on_trace_end(self, trace):
        """Says nothing new."""

    def on_span_start(self, span):
        """Waits for the end."""

    def on_span_end(self, span):
        """Keeps a span."""
        self.lines.append(span.export())

    def shutdown(self):
        """Holds nothing open."""

    def force_flush(self):
        """Holds nothing back."""


def client(answers):
    """Returns a client that gets these answers, one after the other."""
    left = iter(answers)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=next(left)))
    http = httpx.AsyncClient(transport=transport)
    return AsyncOpenAI(api_key="none", http_client=http)


def chat(identifier, text, **calls):
    """Returns an answer in the language of chat completions."""
    made = [
        {
            "id": f"call_{identifier}{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls.items(), 1)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    about = {"id": "chat_1", "object": "chat.completion", "created": 0, "model": "scripted"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {**about, "choices": [choice], "usage": usage}


def response(identifier, *output):
    """Returns an answer in the language of Responses."""
    about = {"id": f"resp_{identifier}", "object": "response", "created_at": 0}
    settings = {"model": "scripted", "parallel_tool_calls": True, "tool_choice": "auto"}
    return {**about, **settings, "tools": [], "status": "completed", "output": list(output)}


def call(identifier, name, **arguments):
    """Returns an item that calls a function."""
    return {
        "type": "function_call",
        "id": f"fc_{identifier}",
        "call_id": f"call_{identifier}",
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def says(text):
    """Returns an item that says something."""
    part = {"type": "output_text", "text": text, "annotations": []}
    about = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    return {**about, "content": [part]}


@function_tool
def search_hotels(city: str) -> dict:
    """Searches hotels."""
    return {"city": city, "hotels": ["H7", "H9"]}


@function_tool
def get_weather(city: str) -> str:
    """Tells the weather."""
    return f"{city}: sunny"


@function_tool
def book_hotel(hotel: str, nights: int) -> str:
    """Books a hotel."""
    if hotel == "H7":
        raise ValueError("H7 is full")
    return f"booked {hotel} for {nights} nights"


@function_tool
def list_areas(city: str) -> list:
    """Lists the areas of a city."""
    return ["Trastevere", "Monti"]


def planner():
    """Returns an agent that asks a guide, and hands over to a booker."""
    asked = [response(1, call("g1", "list_areas", city="Rome")), response(2, says("Trastevere."))]
    guide_model = OpenAIResponsesModel("scripted", client(asked))
    guide = Agent(name="guide", model=guide_model, tools=[list_areas])
    booked = [
        chat("b", None, book_hotel={"hotel": "H7", "nights": 2}),
        chat("c", "H7 is full.", book_hotel={"hotel": "H9", "nights": 2}),
        chat("d", "H9 is booked."),
    ]
    booker_model = OpenAIChatCompletionsModel("scripted", client(booked))
    booker = Agent(name="booker", model=booker_model, tools=[book_hotel])
    rome = {"city": "Rome"}
    planned = [
        chat("p", "I search and check the weather.", search_hotels=rome, get_weather=rome),
        chat("q", None, ask_guide={"input": "Where should one stay in Rome?"}),
        chat("r", None, transfer_to_booker={}),
    ]
    model = OpenAIChatCompletionsModel("scripted", client(planned))
    tools = [search_hotels, get_weather, guide.as_tool("ask_guide", "Asks a guide.")]
    return Agent(name="planner", model=model, tools=tools, handoffs=[booker])


def desk():
    """Returns an agent that hands over at once; both speak the language of Responses."""
    booked = [
        response(4, call("e1", "book_hotel", hotel="H9", nights=1)),
        response(5, says("H9 is booked.")),
    ]
    night = Agent(
        name="Night Desk",
        model=OpenAIResponsesModel("scripted", client(booked)),
        tools=[book_hotel],
    )
    handed = [response(3, call("h1", "transfer_to_night_desk"))]
    return Agent(
        name="desk", model=OpenAIResponsesModel("scripted", client(handed)), handoffs=[night]
    )


BUILT_IN = response(
    6,
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "best area of Rome"},
    },
    {
        "type": "mcp_call",
        "id": "mcp_1",
        "server_label": "hotels",
        "name": "search",
        "arguments": '{"area": "Trastevere"}',
        "output": '["H7", "H9"]',
        "status": "completed",
    },
    {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "container_id": "cntr_1",
        "status": "failed",
        "code": "1/0",
        "outputs": [{"type": "logs", "logs": "ZeroDivisionError"}],
    },
    says("I book H9."),
    call(1, "book_hotel", hotel="H9", nights=2),
    call(2, "get_weather", city="Rome"),
)


def save(name, value):
    """Writes a file of JSON."""
    (HERE / name).write_text(json.dumps(value, indent=1) + "\n", "utf-8")


async def main():
    """Runs the agents and writes the files."""
    exporter = Exporter()
    set_trace_processors([exporter])
    result = await Runner.run(planner(), "Book two nights in Rome, please.")
    await Runner.run(desk(), "One night, please.")
    lines = "".join(json.dumps(line) + "\n" for line in exporter.lines)
    (HERE / "openai_agents.jsonl").write_text(lines, "utf-8")
    save("openai_responses.json", result.to_input_list())
    built_in = await client([BUILT_IN]).responses.create(model="scripted", input="Book, please.")
    save("openai_response.json", built_in.to_dict())


if __name__ == "__main__":
    asyncio.run(main())
