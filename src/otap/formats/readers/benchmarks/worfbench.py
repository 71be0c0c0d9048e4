"""Files of WorFBench: workflows as graphs in text, nodes and then edges, each a run."""

import re
from collections.abc import Iterator
from itertools import starmap, takewhile
from typing import Any

from otap.errors import shown
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "worfbench"
DESCRIPTION = "gold workflows of WorFBench: conversations that end in nodes and edges as text"
STEP = "each node of the graph, which depends on the nodes with an edge to it"
KNOWN_BY = "'conversations' that end in the text of nodes and edges"
BY_ITEM = True

_NODE = re.compile(r"(\d+)\s*[:.]\s*(.+)")
_EDGES = re.compile(r"[\s*#-]*Edge")
_EDGE = re.compile(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_ENDS = {"START", "END"}
_KEPT = ("source", "category")


def recognises(value: Any) -> bool:
    """Says whether this is a record of WorFBench, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not isinstance(first.get("conversations"), list):
        return False
    last = first["conversations"][-1] if first["conversations"] else None
    text = last.get("content") if isinstance(last, dict) else None
    return isinstance(text, str) and "Node" in text and "Edge" in text


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each record.

    ``reasoning`` changes nothing here: every node is a step without a tool.
    """
    del reasoning
    return starmap(_trajectory, document.items())


def parse_workflow(text: str) -> tuple[Step, ...]:
    """Reads a graph in the text form ``Node: ... Edge: ...``.

    A node told twice is the last one told. START and END are no steps.

    Raises:
        ValueError: if an edge has a node that is not there.
    """
    lines = text.splitlines()
    nodes = list(takewhile(lambda line: not _EDGES.match(line), lines))
    found = (_NODE.match(line.strip()) for line in nodes)
    actions = {node[1]: node[2] for node in found if node}
    parents: dict[str, dict[str, None]] = {number: {} for number in actions}
    for source, target in _EDGE.findall("\n".join(lines[len(nodes) :])):
        unknown = {source, target} - parents.keys() - _ENDS
        if unknown:
            raise ValueError(f"an edge has the node '{shown(min(unknown))}', which is not listed")
        if source not in _ENDS and target not in _ENDS:
            parents[target][source] = None
    return tuple(_step(number, action, parents[number]) for number, action in actions.items())


def _step(number: str, action: str, parents: dict[str, None]) -> Step:
    fields = {"id": number, "kind": "reasoning", "action": action, "depends_on": tuple(parents)}
    return Step.model_validate(fields)


def _trajectory(value: Any, place: JsonPath) -> Trajectory:
    record = place.object(value)
    messages = place["conversations"].array(record.get("conversations"))
    said = [_message(m, place["conversations"][index]) for index, m in enumerate(messages)]
    if not said or said[-1][0] != "assistant":
        raise place["conversations"].error("expected a last message of the assistant, with nodes")
    where, text = place["conversations"][len(said) - 1]["content"], said[-1][1]
    name = place["id"].label(record.get("id"))
    fields = {
        "id": name,
        "task": name,
        "request": [text for role, text in said if role == "user"],
        "steps": _read_steps(text, where),
        "metadata": {key: record[key] for key in _KEPT if record.get(key) is not None},
    }
    return parse_trajectory(fields, str(where))


def _read_steps(text: str, place: JsonPath) -> tuple[Step, ...]:
    try:
        steps = parse_workflow(text)
    except ValueError as error:
        raise place.error(str(error)) from None
    if not steps:
        raise place.error(f"no line is a node as in '1: text', found {described(text)}")
    return steps


def _message(value: Any, place: JsonPath) -> tuple[Any, str]:
    message = place.object(value)
    return message.get("role"), place["content"].text(message.get("content"))
