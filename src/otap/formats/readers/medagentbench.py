"""Runs of MedAgentBench, whose agents write requests to a medical record as text.

The shape is that of ``runs.jsonl`` as AgentBench's client writes it. It was seen in the ``outputs``
of github.com/omar06khaled/MedAgentBench and github.com/saleh-SHA/Agentify-MedAgentBench.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from otap.formats.chats import Status
from otap.formats.content import drop_nulls, list_at, unless_blank
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, parse_call
from otap.trajectory import Trajectory

NAME = "medagentbench"
DESCRIPTION = "runs of MedAgentBench: runs.jsonl, a list of its lines, or one"
STEP = "each request of the agent to the record: GET or POST"
KNOWN_BY = "'output' with a 'history' of 'user' and 'agent' that begins with a prompt about FHIR"
BY_ITEM = True

# The benchmark ends a session at any other text, and strips the fences of code.
_REQUEST = re.compile(r"(GET|POST)\s*([^\n]*)(.*)", re.DOTALL)
_FINISH = re.compile(r"FINISH\((.*)\)", re.DOTALL)
_FENCE = re.compile(r"```(?:tool_code)?")
_BASE = re.compile(r"\A.*?/fhir(?=/)")
# The words of the benchmark around the response to a request.
_RESPONSE = re.compile(
    r"Here is the response from the GET request:\n(.*?)(?:\. Please call FINISH\b.*)?", re.DOTALL
)
_FAILED = ("Error in sending the GET request", "Invalid POST request")
_TASK = "\nContext: "  # at the end of the prompt, which is the same for all tasks


def recognises(value: Any) -> bool:
    """Returns whether this is a run, or a list that begins with one."""
    first = first_of(value)
    history = list_at(first, "output", "history")
    if not isinstance(first, dict) or "index" not in first or not history:
        return False
    prompt = history[0].get("content") if isinstance(history[0], dict) else None
    return isinstance(prompt, str) and "FHIR" in prompt


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each line."""

    def read_run(value: Any, path: JsonPath) -> Trajectory:
        return _read_run(JsonObject(path.object(value), path), reasoning)

    return document.map(read_run)


def _read_run(line: JsonObject, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning)
    output = line.object("output")
    call: ToolCall | None = None
    for index, message in enumerate(output.objects("history")):
        content = message.text("content")
        if message.get("role") == "agent":
            call = _record_answer(recorder, content, message.path)
        elif call is not None:
            response, status = _response_in(content)
            recorder.result(call.id, call.tool, response, status, origin={"message": index})
            call = None
        else:
            recorder.user(unless_blank(content[content.rfind(_TASK) + 1 :]))
    task = line.label("index")
    error = line.get("error")
    if error is not None:
        recorder.unknown("run that ended in an error of the benchmark")
    notes = drop_nulls({"status": output.get("status"), "error": error})
    fields = {"task": task, "id": task}
    return recorder.conversation().to_trajectory(line.path, fields, notes)


def _record_answer(recorder: Recorder, content: str, path: JsonPath) -> ToolCall | None:
    """Records an answer of the agent, and returns the call if it is a request."""
    text = _FENCE.sub("", content).strip()
    request, finish = _REQUEST.match(text), _FINISH.match(text)
    if request is None:
        recorder.assistant(unless_blank(text if finish is None else finish[1]))
        return None
    method, address, payload = request.groups()
    tool, parameters = _split_address(address.strip())
    if method == "GET":
        call = parse_call(f"{method} {tool}", parameters, None, path)
    else:
        call = parse_call(f"{method} {tool}", payload.strip(), None, path)
    recorder.assistant((), [call])
    return call


def _split_address(address: str) -> tuple[str, dict[str, Any]]:
    """Returns the path of an address below the server's base, and its parameters."""
    try:
        parts = urlsplit(address)
        values = parse_qs(parts.query, keep_blank_values=True)
    except ValueError:
        return address, {}
    parameters = {key: value[0] if len(value) == 1 else value for key, value in values.items()}
    return _BASE.sub("", parts.path, count=1) or "/", parameters


def _response_in(content: str) -> tuple[str, Status]:
    """Returns a response without the words of the benchmark, and whether the request worked."""
    response = _RESPONSE.fullmatch(content)
    status: Status = "error" if content.startswith(_FAILED) else "ok"
    return content if response is None else response[1], status
