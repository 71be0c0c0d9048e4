"""Makes bedrock.jsonl: what Strands Agents keeps of a conversation with a scripted Bedrock.

    pip install strands-agents==1.62.0
    python make_bedrock.py > bedrock.jsonl

The first line is the agent's messages; the second the messages of the session that it
saved, each with its number; the third the last request that it sent to Converse, with the answer.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from botocore.stub import ANY, Stubber
from strands import Agent, tool
from strands.models import BedrockModel
from strands.session.file_session_manager import FileSessionManager

ASKED = "A room in Rome, please."
REQUEST = ("modelId", "messages", "system", "inferenceConfig", "toolConfig")


def use(identifier: str, name: str, **arguments: Any) -> dict[str, Any]:
    """Returns a part that uses a tool."""
    return {"toolUse": {"toolUseId": identifier, "name": name, "input": arguments}}


SCRIPT: list[list[dict[str, Any]]] = [
    [
        {"reasoningContent": {"reasoningText": {"text": "Hotels first.", "signature": "s"}}},
        {"text": "I look for hotels."},
        use("call_hotels", "search_hotels", city="Rome", max_price=150),
        use("call_weather", "get_weather", city="Rome"),
    ],
    [use("call_full", "book_hotel", hotel="H7")],
    [{"text": "H7 is full, so I take H9."}, use("call_book", "book_hotel", hotel="H9")],
    [{"text": "H9 is yours."}],
]


@tool
def search_hotels(city: str, max_price: int) -> dict[str, Any]:
    """Finds the hotels of a city."""
    found = [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]
    return {"status": "success", "content": [{"json": {"hotels": found}}]}


@tool
def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


@tool
def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


def main() -> None:
    """Runs the agent and writes the lines."""
    model = BedrockModel(model_id="amazon.nova-lite-v1:0", region_name="us-east-1", streaming=False)
    stub = Stubber(model.client)
    answers = []
    for parts in SCRIPT:
        reason = "tool_use" if any("toolUse" in part for part in parts) else "end_turn"
        answers.append(
            {
                "output": {"message": {"role": "assistant", "content": parts}},
                "stopReason": reason,
                "usage": {"inputTokens": 9, "outputTokens": 9, "totalTokens": 18},
                "metrics": {"latencyMs": 1},
            }
        )
        stub.add_response("converse", answers[-1], {"modelId": ANY, "messages": ANY, **ANYTHING})
    stub.activate()
    sent = []
    model.client.meta.events.register(
        "provide-client-params.bedrock-runtime.Converse",
        lambda params, **_: sent.append(json.loads(json.dumps(params))),
    )
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(
            model,
            tools=[search_hotels, get_weather, book_hotel],
            system_prompt="You book hotels.",
            session_manager=FileSessionManager("s1", storage_dir=folder),
            callback_handler=None,
        )
        agent(ASKED)
        files = sorted(Path(folder).rglob("message_*.json"), key=number)
        saved = [json.loads(file.read_text("utf-8")) for file in files]
    asked = {key: sent[-1][key] for key in REQUEST if key in sent[-1]}
    for line in (agent.messages, saved, {**asked, **answers[-1]}):
        sys.stdout.write(json.dumps(line) + "\n")


ANYTHING = dict.fromkeys(("system", "inferenceConfig", "toolConfig"), ANY)


def number(file: Path) -> int:
    """Returns the number of a message by the name of its file."""
    return int(file.stem.removeprefix("message_"))


if __name__ == "__main__":
    main()
