"""Makes codex.jsonl: the rollout that OpenAI's Codex itself writes of one session.

No network but this machine: a small server plays the model, with scripted answers. How to run it,
in a scratch environment, on Linux:

    pip install openai-codex==0.163.0
    python make_codex.py

The package brings the program. Long texts (the instructions of the program) are cut.
"""

import json
import os
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import codex_cli_bin

HERE = Path(__file__).parent
PROGRAM = Path(codex_cli_bin.__file__).parent / "bin" / "codex"
PATCH = "*** Begin Patch\n*** Add File: notes.txt\n+three\n*** End Patch\n"
CONFIG = """
model = "gpt-5-codex"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
request_max_retries = 0
[analytics]
enabled = false
"""


def call(number, name, **arguments):
    """Returns an item that calls a function."""
    identifiers = {"id": f"fc_{number}", "call_id": f"call_{number}"}
    return {
        "type": "function_call",
        **identifiers,
        "name": name,
        "arguments": json.dumps(arguments),
    }


def custom(number, name, text):
    """Returns an item that calls a tool which takes text."""
    return {
        "type": "custom_tool_call",
        "id": f"ctc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "input": text,
    }


def says(text):
    """Returns a message of the model."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}


ANSWERS = [
    [
        says("I write the numbers and look at the notes."),
        call(1, "exec_command", cmd="seq 3 > numbers.txt; echo written"),
        call(2, "exec_command", cmd="cat notes.txt"),
    ],
    [custom(3, "apply_patch", PATCH)],
    [call(4, "no_such_tool", a=1)],
    [call(5, "exec_command", cmd="cat notes.txt numbers.txt")],
    [says("numbers.txt has three lines.")],
]


def events(number, items):
    """Returns the events by which a model's answer is streamed."""
    response = {"id": f"resp_{number}", "object": "response", "output": items}
    yield {"type": "response.created", "response": {**response, "output": []}}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield {"type": "response.completed", "response": {**response, "usage": usage}}


class Model(BaseHTTPRequestHandler):
    """Plays the model."""

    asked = 0

    def do_POST(self):
        """Answers one request for a response."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events(Model.asked, ANSWERS[Model.asked]):
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(line.encode())
        Model.asked += 1

    def log_message(self, *args):
        """Says nothing."""


def cut(value):
    """Returns a value with its long texts cut."""
    if isinstance(value, dict):
        return {key: cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [cut(item) for item in value]
    return f"{value[:200]}..." if isinstance(value, str) and len(value) > 400 else value


def main():
    """Runs the session and writes the file."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        home, work = Path(name) / "home", Path(name) / "work"
        home.mkdir()
        work.mkdir()
        (home / "config.toml").write_text(CONFIG.format(port=server.server_port), "utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": name, "CODEX_HOME": str(home)}
        options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        request = "Write three numbers and note how many they are."
        subprocess.run(
            [str(PROGRAM), "exec", *options, request],
            cwd=work, env=environment, timeout=120, stdin=subprocess.DEVNULL,
            capture_output=True, check=True,
        )  # fmt: skip
        (rollout,) = home.rglob("sessions/**/rollout-*.jsonl")
        lines = rollout.read_text("utf-8").splitlines()
    text = "".join(json.dumps(cut(json.loads(line))) + "\n" for line in lines)
    (HERE / "codex.jsonl").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
