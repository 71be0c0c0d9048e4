"""Makes dspy.jsonl: what a ReAct agent of DSPy returns, with a scripted model.

    pip install dspy==3.4.1
    python make_dspy.py > dspy.jsonl

Each line is a prediction by ``toDict``; that of the first line has the trajectory alone. Of the
files that a traceback names only the names are kept.
"""

import json
import re
import sys
from typing import Any

import dspy
from dspy.utils import DummyLM

SCRIPT = [
    ("I look for hotels.", "search_hotels", {"city": "Rome", "max_price": 150}),
    ("How is the weather?", "get_weather", {"city": "Rome"}),
    ("H7 is cheaper.", "book_hotel", {"hotel": "H7"}),
    ("H7 is full, so I take H9.", "book_hotel", {"hotel": "H9"}),
    ("Done.", "finish", {}),
]


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


def main() -> None:
    """Runs the agent and writes the lines."""
    answers = [
        {"next_thought": thought, "next_tool_name": name, "next_tool_args": json.dumps(arguments)}
        for thought, name, arguments in SCRIPT
    ]
    dspy.configure(lm=DummyLM([*answers, {"reasoning": "H9 is booked.", "answer": "H9 is yours."}]))
    agent = dspy.ReAct("question -> answer", tools=[search_hotels, get_weather, book_hotel])
    found = agent(question="A room in Rome, please.").toDict()
    for line in ({"trajectory": found["trajectory"]}, found):
        sys.stdout.write(re.sub(r'File \\"[^"]*/', r'File \\"', json.dumps(line)) + "\n")


if __name__ == "__main__":
    main()
