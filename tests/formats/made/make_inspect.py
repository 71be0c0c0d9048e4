"""Makes inspect.json and inspect.eval with Inspect itself and a model that follows a script.

pip install inspect_ai==0.3.285 openai==3.52.0; then, in a folder of its own, as the log tells the
folder of the script and its git repository: python make_inspect.py

The log of one sample, without white space. The agent searches twice side by side, asks another
agent (as a tool), hands over to a third, books with a tool that fails, and submits.
"""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai import Task, task
from inspect_ai import eval as evaluate
from inspect_ai.agent import agent, as_solver, as_tool, handoff, react
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.tool import ToolCall, ToolError, tool

HERE = Path(__file__).parent


@tool
def search():
    """A tool whose result is long enough to be kept as an attachment."""

    async def execute(city: str) -> str:
        """Searches for hotels.

        Args:
            city: Where.
        """
        return f"Hotels in {city}: " + ", ".join(f"{city} Palace {n} (H{n})" for n in range(1, 9))

    return execute


@tool
def book():
    """A tool that refuses."""

    async def execute(hotel: str) -> str:
        """Books a room.

        Args:
            hotel: The hotel's id.
        """
        raise ToolError(f"{hotel} is full")

    return execute


@tool
def rate():
    """A tool of the other agents."""

    async def execute(hotel: str) -> int:
        """Rates a hotel.

        Args:
            hotel: The hotel's id.
        """
        return len(hotel)

    return execute


def calls(text, *made):
    """Returns what the model says, with calls of tools."""
    output = ModelOutput.from_message(
        ChatMessageAssistant(
            content=text,
            source="generate",
            tool_calls=[
                ToolCall(id=identifier, function=function, arguments=arguments)
                for identifier, function, arguments in made
            ],
        ),
        stop_reason="tool_calls",
    )
    output.usage = ModelUsage()  # else it would fetch a tokenizer to count
    return output


def scripted(*outputs):
    """Returns a model that says this."""
    return get_model("mockllm/model", custom_outputs=list(outputs), memoize=False)


@agent
def critic():
    """An agent that is a tool."""
    return react(
        name="critic",
        description="Judges hotels.",
        tools=[rate()],
        model=scripted(
            calls("I rate it.", ("call_10", "rate", {"hotel": "H7"})),
            calls("Good.", ("call_11", "submit", {"answer": "H7 is good"})),
        ),
    )


@agent
def clerk():
    """An agent to which the conversation is handed over."""
    return react(
        name="clerk",
        description="Books hotels.",
        tools=[book()],
        model=scripted(
            calls("I book.", ("call_20", "book", {"hotel": "H7"})),
            calls("Full.", ("call_21", "submit", {"answer": "no room in H7"})),
        ),
    )


@task
def hotel():
    """The task."""
    agent = react(
        name="planner",
        tools=[search(), as_tool(critic()), handoff(clerk())],
        model=scripted(
            calls(
                "I look in both cities.",
                ("call_1", "search", {"city": "Rome"}),
                ("call_2", "search", {"city": "Oslo"}),
            ),
            calls("", ("call_3", "critic", {"input": "Is H7 good?"})),
            calls("Now the clerk.", ("call_4", "transfer_to_clerk", {})),
            calls("", ("call_5", "submit", {"answer": "Rome is full"})),
        ),
    )
    return Task(
        dataset=[Sample(id="rome", input="A room in Rome or Oslo, please.", target="full")],
        solver=as_solver(agent),
        scorer=includes(),
    )


def main():
    """Runs the task and keeps its log in both forms."""
    with TemporaryDirectory() as folder:
        (log,) = evaluate(
            hotel(),
            model="mockllm/model",
            max_samples=1,
            log_dir=folder,
            log_format="eval",
            log_model_api=False,
            display="none",
        )
        shutil.copy(log.location, HERE / "inspect.eval")
        written = Path(folder) / "log.json"
        write_eval_log(read_eval_log(log.location), str(written), "json")
        value = json.loads(written.read_text("utf-8"))
        (HERE / "inspect.json").write_text(json.dumps(value, separators=(",", ":")), "utf-8")


if __name__ == "__main__":
    main()
