"""Makes claude_code_*.jsonl: what Claude Code itself writes of one session, in its three files.

No network but this machine: a small server plays the model, with scripted answers. How to run it,
in a scratch environment, on Linux:

    pip install claude-agent-sdk==0.2.186
    python make_claude_code.py

The package brings the program (version 2.1.329). Written are: the transcript of the session, that
of its sub-agent, and the stream that the Agent SDK reads. Lines that hold no message of the session
are cut short: they repeat the instructions of the program, and what tools are on offer.
"""

import json
import os
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import claude_agent_sdk

HERE = Path(__file__).parent
PROGRAM = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
LONG = ("attachment", "rendered", "shape", "params", "cacheControl")
TASK = "Count the lines of numbers.txt."


def text(content):
    """Returns a block of text."""
    return {"type": "text", "text": content}


def use(number, name, **arguments):
    """Returns a block that calls a tool."""
    return {"type": "tool_use", "id": f"toolu_{number:02}", "name": name, "input": arguments}


MAIN = [
    [
        text("I write the numbers and look at the notes."),
        use(1, "Bash", command="seq 3 > numbers.txt; echo written", description="Write numbers"),
        use(2, "Read", file_path="notes.txt"),
    ],
    [use(3, "Agent", description="Count lines", prompt=TASK, subagent_type="general-purpose",
         run_in_background=False)],
    [text("There are three lines; I check."), use(4, "Bash", command="cat numbers.txt")],
    [text("numbers.txt has three lines.")],
]  # fmt: skip
SUB = [
    [text("I count."), use(11, "Bash", command="wc -l numbers.txt")],
    [use(12, "Bash", command="false")],
    [text("Three lines.")],
]


def answer(request):
    """Returns the blocks that the model says next."""
    messages = request["messages"]
    script = SUB if TASK in json.dumps(messages[0]) else MAIN
    return script[sum(message["role"] == "assistant" for message in messages)]


def events(blocks):
    """Returns the events by which a model's answer is streamed."""
    message = {
        "id": f"msg_{blocks[-1].get('id', 'last')}",
        "type": "message",
        "role": "assistant",
        "model": "claude-scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": message}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            partial = json.dumps(block["input"])
            delta = {"type": "input_json_delta", "partial_json": partial}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


class Model(BaseHTTPRequestHandler):
    """Plays the model."""

    def do_POST(self):
        """Answers one request for a message."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events(answer(body)):
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(line.encode())

    def log_message(self, *args):
        """Says nothing."""


def session(folder, port):
    """Runs one session of Claude Code in a folder, and returns its stream."""
    (folder / "work").mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CLAUDE_CONFIG_DIR": str(folder / "config"),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    options = ["--output-format", "stream-json", "--verbose", "--model", "claude-scripted"]
    request = "Write three numbers and have their lines counted."
    command = [str(PROGRAM), "-p", request, *options, "--allowedTools", "Bash,Read,Agent"]
    done = subprocess.run(
        command,
        cwd=folder / "work",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    """Runs the session and writes the files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        stream = session(Path(name), server.server_port)
        for file in Path(name).rglob("config/projects/**/*.jsonl"):
            kind = "subagent" if file.stem.startswith("agent-") else "session"
            lines = file.read_text("utf-8").splitlines()
            write(f"claude_code_{kind}.jsonl", [json.loads(line) for line in lines])
    write("claude_code_stream.jsonl", stream)


def write(name, lines):
    """Writes a file."""
    kept = [line if line["type"] in ("user", "assistant") else cut(line) for line in lines]
    text = "".join(json.dumps(line) + "\n" for line in kept)
    (HERE / name).write_text(text, "utf-8")


def cut(value):
    """Returns a value without what is long and no part of the session."""
    if isinstance(value, dict):
        return {key: cut(item) for key, item in value.items() if key not in LONG}
    if isinstance(value, list):
        return [cut(item) for item in value[:3]]
    return f"{value[:100]}..." if isinstance(value, str) and len(value) > 150 else value


if __name__ == "__main__":
    main()
