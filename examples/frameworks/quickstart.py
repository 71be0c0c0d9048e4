"""Runs the code of docs/quickstart.md: real frameworks and tools; their models are scripts.

    pip install openai-agents langgraph pydantic-ai-slim google-adk smolagents claude-agent-sdk \
        inspect-ai
    python examples/frameworks/quickstart.py OUT [FRAMEWORK...]

Each framework may have an environment of its own. OUT then has FRAMEWORK/good.json, a good run, and
FRAMEWORK/mine.json, a run that refunds ten times as much; the endings are those of the page. No
network is needed: a server on this machine plays the model of Claude Code.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from produce import (
    GOOD,
    REQUESTS,
    TOOLS,
    WRONG,
    Calls,
    adk_runner,
    langgraph_agent,
    openai_agent,
    pydantic_agent,
    smolagents_agent,
)

PAGE = Path(__file__).parents[2] / "docs" / "quickstart.md"
TASK = "refund"
Scope = dict[str, Any]  # the names that the code of the page uses


def read_code(title: str) -> list[str]:
    """Returns the Python blocks of a section of the page."""
    section = PAGE.read_text("utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def openai_scope(calls: Calls, answer: str) -> Scope:
    """An agent of OpenAI's Agents SDK."""
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    return {"agent": openai_agent(calls, answer), "request": REQUESTS[TASK]}


def langgraph_scope(calls: Calls, answer: str) -> Scope:
    """A graph of LangGraph."""
    return {"graph": langgraph_agent(calls, answer), "request": REQUESTS[TASK]}


def pydantic_scope(calls: Calls, answer: str) -> Scope:
    """An agent of Pydantic AI."""
    return {"agent": pydantic_agent(calls, answer), "request": REQUESTS[TASK]}


def adk_scope(calls: Calls, answer: str) -> Scope:
    """A runner of Google's ADK that has run the session s1."""
    from google.genai import types

    runner = adk_runner(calls, answer)
    message = types.Content(role="user", parts=[types.Part(text=REQUESTS[TASK])])

    async def run() -> None:
        await runner.session_service.create_session(app_name="desk", user_id="u1", session_id="s1")
        async for _ in runner.run_async(user_id="u1", session_id="s1", new_message=message):
            pass

    asyncio.run(run())
    return {"runner": runner}


def smolagents_scope(calls: Calls, answer: str) -> Scope:
    """An agent of smolagents."""
    return {"agent": smolagents_agent(calls, answer), "request": REQUESTS[TASK]}


def inspect_scope(calls: Calls, answer: str) -> Scope:
    """A task of Inspect, and a model for it."""
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    def make_tool(function: Callable[..., str]) -> Tool:
        async def execute(*arguments: Any, **by_name: Any) -> str:
            return function(*arguments, **by_name)

        execute.__doc__, execute.__annotations__ = function.__doc__, function.__annotations__
        execute.__dict__["__wrapped__"] = function  # has the parameters
        return tool(name=function.__name__)(lambda: execute)()

    outputs = [
        ModelOutput.for_tool_call("mockllm/model", name, dict(arguments))
        for name, arguments in calls
    ]
    outputs.append(ModelOutput.from_content("mockllm/model", answer))
    for output in outputs:
        output.usage = ModelUsage()  # otherwise Inspect counts tokens, for which it needs a network
    sample = Sample(input=REQUESTS[TASK], id="A-12")
    solver = [use_tools([make_tool(function) for function in TOOLS]), generate()]
    return {
        "task": Task(dataset=[sample], solver=solver, name=TASK),
        "model": get_model("mockllm/model", custom_outputs=outputs),
    }


def claude_scope(calls: Calls, _: str) -> Scope:
    """The result of a session of Claude Code, which changes a file."""
    from claude_agent_sdk import ClaudeAgentOptions, query

    home = Path.home()
    folder = home / "work"
    folder.mkdir(exist_ok=True)
    file = folder / "settings.ini"
    file.write_text("timeout = 5\n")
    line = f"timeout = {calls[-1][1]['amount']}"
    script: list[Mapping[str, Any]] = [
        _use(1, "Read", file_path=str(file)),
        _use(2, "Edit", file_path=str(file), old_string="timeout = 5", new_string=line),
        {"type": "text", "text": "The timeout is set."},
    ]

    async def run(port: int) -> Any:
        options = ClaudeAgentOptions(
            cwd=folder, model="claude-scripted", allowed_tools=["Read", "Edit"],
            permission_mode="acceptEdits", env=_claude_environment(home, port),
        )  # fmt: skip
        request = "Set the timeout in settings.ini to 20 seconds."
        return [message async for message in query(prompt=request, options=options)][-1]

    with _serve(script) as port:
        return {"result": asyncio.run(run(port))}


def _claude_environment(home: Path, port: int) -> dict[str, str]:
    return {
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _use(number: int, name: str, **arguments: str) -> dict[str, Any]:
    """Returns a block that calls a tool."""
    return {"type": "tool_use", "id": f"toolu_{number:02}", "name": name, "input": arguments}


def _events(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the events of a model's answer of one block."""
    message = {
        "id": f"msg_{block.get('id', 'last')}", "type": "message", "role": "assistant",
        "model": "claude-scripted", "content": [], "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        partial = json.dumps(block["input"])
        start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": partial}
    reason = "end_turn" if block["type"] == "text" else "tool_use"
    stop = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": start}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


@contextmanager
def _serve(script: list[Mapping[str, Any]]) -> Iterator[int]:
    """Serves a model that follows a script, and yields its port."""

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = sum(message["role"] == "assistant" for message in body["messages"])
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in _events(script[min(said, len(script) - 1)]):
                line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                self.wfile.write(line.encode())

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


# The title of each section, the package that it needs, and what its code starts from.
FRAMEWORKS: Mapping[str, tuple[str, str, Callable[[Calls, str], Scope]]] = {
    "openai-agents": ("OpenAI Agents SDK", "agents", openai_scope),
    "langgraph": ("LangGraph", "langgraph", langgraph_scope),
    "pydantic-ai": ("Pydantic AI", "pydantic_ai", pydantic_scope),
    "google-adk": ("Google ADK", "google.adk", adk_scope),
    "smolagents": ("smolagents", "smolagents", smolagents_scope),
    "claude-code": ("Claude Code", "claude_agent_sdk", claude_scope),
    "inspect": ("Inspect", "inspect_ai", inspect_scope),
}


def save_runs(name: str, folder: Path) -> None:
    """Runs the code of a section twice, and saves the good run and the wrong one in a folder."""
    title, _, make_scope = FRAMEWORKS[name]
    folder.mkdir(parents=True, exist_ok=True)
    blocks = read_code(title)
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home  # where Claude Code keeps its sessions
        for script, stem in ((GOOD, "good"), (WRONG, "mine")):
            with chdir(home):
                scope = make_scope(*script[TASK])
                for block in blocks:
                    exec(block, scope)
                [file] = Path(home).glob("mine.*")
            text = file.read_bytes()
            file.unlink()
            saved = _shorten(text) if file.suffix == ".jsonl" else text
            (folder / f"{stem}{file.suffix}").write_bytes(saved)


def _shorten(text: bytes) -> bytes:
    """Returns a session of Claude Code without the instructions of the program."""
    lines = [json.loads(line) for line in text.splitlines()]
    kept = [
        line
        if line["type"] in ("user", "assistant")
        else {key: value for key, value in line.items() if not isinstance(value, dict | list)}
        for line in lines
    ]
    return "".join(json.dumps(line) + "\n" for line in kept).encode()


def main(folder: Path, names: Iterable[str]) -> None:
    """Saves the runs of some frameworks."""
    for name in names:
        save_runs(name, folder.resolve() / name)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= FRAMEWORKS.keys():
        sys.exit(f"usage: quickstart.py OUT [FRAMEWORK...]; frameworks: {', '.join(FRAMEWORKS)}")
    main(Path(sys.argv[1]), sys.argv[2:] or FRAMEWORKS)
