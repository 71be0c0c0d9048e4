"""Makes openhands.jsonl with OpenHands' software-agent SDK and a model that follows a script.

pip install openhands-sdk==1.58.2; then: python make_openhands.py

The agent looks up two things side by side, calls a tool that is not there, and finishes. The events
are written as the SDK keeps them, one a line; of its system prompt only the beginning is kept.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")

from openhands.sdk import Agent, Conversation, Tool, register_tool
from openhands.sdk.llm import Message, MessageToolCall, TextContent
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool import (
    Action,
    Observation,
    ToolAnnotations,
    ToolDefinition,
    ToolExecutor,
)

HERE = Path(__file__).parent


class LookUp(Action):
    """What is asked."""

    name: str


class Found(Observation):
    """What is found."""


class Book(ToolExecutor):
    """Knows one name."""

    def __call__(self, action, *_conversation):
        """Looks a name up."""
        if action.name == "Ann":
            return Found.from_text("12 Elm Road")
        return Found.from_text("nobody of that name", is_error=True)


class Directory(ToolDefinition[LookUp, Found]):
    """A directory of names."""

    @classmethod
    def create(cls, *_state, **_settings) -> Sequence["Directory"]:
        """Returns the tool."""
        return [
            cls(
                description="Looks a name up.",
                action_type=LookUp,
                observation_type=Found,
                annotations=ToolAnnotations(title="Directory", readOnlyHint=True),
                executor=Book(),
            )
        ]


def says(text, *calls):
    """Returns what the model says, with calls: triples of id, name and arguments."""
    made = [
        MessageToolCall(id=i, name=name, arguments=arguments, origin="completion")
        for i, name, arguments in calls
    ]
    return Message(role="assistant", content=[TextContent(text=text)], tool_calls=made or None)


def kept(line):
    """Returns an event with the beginning of its system prompt, which is long and not ours."""
    event = json.loads(line)
    if "system_prompt" not in event:
        return line
    event["system_prompt"]["text"] = event["system_prompt"]["text"][:60]
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


def main():
    """Runs the agent and keeps its events."""
    register_tool("directory", Directory)
    llm = TestLLM.from_messages(
        [
            says(
                "I look both up.",
                ("call_1", "directory", '{"name": "Ann"}'),
                ("call_2", "directory", '{"name": "Bob"}'),
            ),
            says("", ("call_3", "telephone", '{"name": "Ann"}')),
            says("", ("call_4", "finish", '{"message": "Ann lives at 12 Elm Road."}')),
        ]
    )
    with TemporaryDirectory() as folder:
        agent = Agent(llm=llm, tools=[Tool(name="directory")])
        conversation = Conversation(agent=agent, workspace=folder, visualizer=None)
        conversation.send_message("Where do Ann and Bob live?")
        conversation.run()
        lines = [kept(event.model_dump_json()) for event in conversation.state.events]
    text = "\n".join(lines).replace(folder, "/home") + "\n"
    (HERE / "openhands.jsonl").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
