"""Makes crewai.jsonl: the events of a crew, as a listener of its event bus gets them.

    pip install crewai==1.15.30
    python make_crewai.py

A real crew with real tools; what its model says is a script.
"""

import json
import os
from pathlib import Path

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
os.environ |= {"CREWAI_TRACING_ENABLED": "false", "CREWAI_TESTING": "true"}

from crewai import Agent, BaseLLM, Crew, Task
from crewai.events import BaseEventListener
from crewai.events.base_events import BaseEvent
from crewai.tools import tool

HERE = Path(__file__).parent
LARGE = {"task", "agent", "crew", "messages", "tools", "from_task", "from_agent"}  # left out
SCRIPT = [
    'Thought: I look.\nAction: search_hotels\nAction Input: {"city": "Rome"}',
    'Thought: H7 first.\nAction: book_hotel\nAction Input: {"hotel": "H7"}',
    'Thought: H9 then.\nAction: book_hotel\nAction Input: {"hotel": "H9"}',
    "Thought: I now know the final answer\nFinal Answer: H9 is yours.",
]


class Scripted(BaseLLM):
    """Says what is in its script."""

    def call(self, *_args, **_kwargs):
        """Says the next."""
        return self.__dict__.setdefault("left", list(SCRIPT)).pop(0)

    def supports_function_calling(self):
        """Writes its calls as text."""
        return False


@tool("search_hotels")
def search_hotels(city: str) -> str:
    """Finds the hotels of a city."""
    return f"H7 and H9 in {city}"


@tool("book_hotel")
def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


class Keeper(BaseEventListener):
    """Keeps every event."""

    def __init__(self):
        self.events = []
        super().__init__()

    def setup_listeners(self, bus):
        """Listens to all kinds there are."""
        for kind in _kinds(BaseEvent):
            bus.on(kind)(lambda _, event: self.events.append(event))


def _kinds(kind):
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)


def main():
    """Runs the crew and writes its events."""
    keeper = Keeper()
    llm = Scripted(model="scripted")
    agent = Agent(
        role="Clerk", goal="Book", backstory="Books.", tools=[search_hotels, book_hotel], llm=llm,
        max_retry_limit=0,
    )  # fmt: skip
    task = Task(description="A room in Rome, please.", expected_output="A booking", agent=agent)
    Crew(agents=[agent], tasks=[task]).kickoff()
    lines = []
    for event in sorted(keeper.events, key=lambda one: one.timestamp):
        data = json.loads(json.dumps(event.to_json(), default=str))
        data = {key: value for key, value in data.items() if key not in LARGE}
        lines.append(json.dumps(data) + "\n")
    (HERE / "crewai.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
