"""Makes anthropic.json: the conversation that Anthropic's own client sent, with its tool runner.

No network: the answers of the model are scripted. How to run it, in a scratch environment:

    pip install anthropic==2.11.0
    python make_anthropic.py

The file holds the system prompt and the messages of the last request, as the client wrote them, and
after them the last answer, as the client parsed it and wrote it again.
"""

import json
from pathlib import Path

import anthropic
import httpx2 as httpx
from anthropic import beta_tool
from anthropic.lib.tools import ToolError

FOUND = "https://example.org/rome"
THINKING = {"type": "thinking", "thinking": "First the search.", "signature": "c2ln"}
SERVER_CALL = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {"query": "best area of Rome"},
}
SERVER_RESULT = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [
        {
            "type": "web_search_result",
            "title": "Areas of Rome",
            "url": FOUND,
            "encrypted_content": "x",
            "page_age": None,
        }
    ],
}


def text(content):
    """Returns a block of text."""
    return {"type": "text", "text": content}


def use(number, name, **arguments):
    """Returns a block that calls a tool."""
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}


ANSWERS = [
    [
        THINKING,
        text("I look up the best area."),
        SERVER_CALL,
        SERVER_RESULT,
        text("Trastevere it is. I look for hotels there and check the weather."),
        use(1, "search_hotels", city="Rome", area="Trastevere"),
        use(2, "get_weather", city="Rome"),
    ],
    [use(3, "book_hotel", hotel="H7", nights=2)],
    [text("H7 is full, so I try H9."), use(4, "book_hotel", hotel="H9", nights=2)],
    [text("H9 is booked for two nights.")],
]


@beta_tool
def search_hotels(city: str, area: str) -> str:
    """Searches hotels."""
    return json.dumps({"city": city, "area": area, "hotels": ["H7", "H9"]})


@beta_tool
def get_weather(city: str) -> list:
    """Tells the weather."""
    return [text(f"{city}: sunny"), text("21 degrees")]


@beta_tool
def book_hotel(hotel: str, nights: int) -> str:
    """Books a hotel."""
    if hotel == "H7":
        raise ToolError("H7 is full")
    return f"booked {hotel} for {nights} nights"


def main():
    """Runs the agent and writes the file."""
    requests = []

    def answer(request):
        requests.append(json.loads(request.content))
        blocks = ANSWERS[len(requests) - 1]
        last = blocks[-1]["type"] == "text"
        message = {
            "id": f"msg_{len(requests)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-scripted",
            "content": blocks,
            "stop_reason": "end_turn" if last else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx.Response(200, json=message)

    client = anthropic.Anthropic(
        api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(answer))
    )
    runner = client.beta.messages.tool_runner(
        model="claude-scripted",
        max_tokens=500,
        system="You book hotels.",
        tools=[search_hotels, get_weather, book_hotel],
        messages=[{"role": "user", "content": "Book two nights in Rome, please."}],
        thread=False,
    )
    final = runner.until_done()
    sent = requests[-1]
    said = {"role": final.role, "content": [block.to_dict() for block in final.content]}
    saved = {"system": sent["system"], "messages": [*sent["messages"], said]}
    path = Path(__file__).with_name("anthropic.json")
    path.write_text(json.dumps(saved, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
