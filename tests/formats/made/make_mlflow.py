"""Makes traces as MLflow writes them, of functions that it traces.

    pip install mlflow-skinny==3.17.2 sqlalchemy alembic
    python make_mlflow.py mlflow.json

In version 2 the spans are written in another way:

    pip install mlflow-skinny==2.22.5 'opentelemetry-sdk<1.31' 'opentelemetry-api<1.31'
    python make_mlflow.py mlflow_2.json

And with an agent of LangChain, whose calls MLflow traces by itself:

    pip install mlflow-skinny==3.17.2 sqlalchemy alembic pandas
    pip install langchain==1.4.7 langgraph==1.2.22 langchain-core==1.7.2
    python make_mlflow.py mlflow_langchain.json
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import mlflow
from mlflow.entities import SpanType

HERE = Path(__file__).parent
VERSION_2 = mlflow.__version__.startswith("2.")


@mlflow.trace(span_type=SpanType.TOOL)
def search_hotels(city: str, max_price: int | None = None) -> list[dict[str, Any]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


@mlflow.trace(span_type=SpanType.TOOL)
def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


@mlflow.trace(span_type=SpanType.TOOL)
def get_sights(city: str) -> list[str]:
    """Lists what there is to see in a city."""
    return ["Colosseum", "Pantheon"]


@mlflow.trace(span_type=SpanType.AGENT, name="guide")
def guide(question: str) -> str:
    """Answers questions about a city."""
    get_sights("Rome")
    return "See the Pantheon."


@mlflow.trace(span_type=SpanType.TOOL)
def ask_guide(question: str) -> str:
    """Asks a guide, who is an agent too."""
    return guide(question)


TOOLS = {tool.__name__: tool for tool in (search_hotels, book_hotel, ask_guide)}


@mlflow.trace(span_type=SpanType.CHAT_MODEL)
def chat(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers as OpenAI's chat completions do, from a script; the turn is the number of answers."""
    script = [
        [
            ("call_hotels", "search_hotels", {"city": "Rome", "max_price": 150}),
            ("call_guide", "ask_guide", {"question": "What's to see in Rome?"}),
        ],
        [("call_full", "book_hotel", {"hotel": "H7"})],
        [("call_book", "book_hotel", {"hotel": "H9"}), ("call_map", "show_map", {"city": "Rome"})],
        [],
    ]
    turn = sum(message["role"] == "assistant" for message in messages)
    calls = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for i, name, args in script[turn]
    ]
    answer: dict[str, Any] = {
        "role": "assistant",
        "content": None if turn else "I look for hotels.",
    }
    return {"choices": [{"message": {**answer, "tool_calls": calls} if calls else answer}]}


@mlflow.trace(span_type=SpanType.AGENT, name="travel")
def travel(question: str) -> list[dict[str, Any]]:
    """Makes five calls in three turns: one fails, and one is of a tool that is not there."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        answer = chat(messages)["choices"][0]["message"]
        messages = [*messages, answer]
        if not answer.get("tool_calls"):
            return messages[-1:]
        for call in answer["tool_calls"]:
            content = run(call["function"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def run(function: dict[str, str]) -> str:
    """Runs what the model asked for."""
    if function["name"] not in TOOLS:
        return f"There is no tool {function['name']}."
    try:
        return str(TOOLS[function["name"]](**json.loads(function["arguments"])))
    except ValueError as error:
        return f"Error: {error}"


def run_langchain() -> None:
    """Runs the agent of LangChain."""
    from make_langchain import QUESTION, SCRIPT, travel_agent

    mlflow.langchain.autolog()
    travel_agent([*SCRIPT[:2], *SCRIPT[3:]]).invoke(QUESTION)


def main(name: str) -> None:
    """Runs an agent and saves its trace."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"file://{folder}/runs" if VERSION_2 else f"sqlite:///{folder}/mlflow.db"
        mlflow.set_tracking_uri(store)
        if "langchain" in name:
            run_langchain()
        else:
            travel("A room in Rome, please.")
        if not VERSION_2:
            mlflow.flush_trace_async_logging()
        (trace,) = mlflow.MlflowClient().search_traces(experiment_ids=["0"])
        (HERE / name).write_text(trace.to_json() + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
