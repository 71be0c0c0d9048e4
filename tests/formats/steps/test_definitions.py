"""What definitions of tools say of what a call does, in the shapes that producers document."""

import json
from typing import Any

import pytest

from otap.formats.tool_definitions import tool_facts

READS: dict[str, Any] = {"readOnlyHint": True, "openWorldHint": False, "title": "Look"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"readOnlyHint": {"type": "boolean"}}}


def facts_of(definition: Any) -> Any:
    """The facts of the tool ``look``, or nothing."""
    return tool_facts([definition]).get("tools", {}).get("look")


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "look", "inputSchema": SCHEMA, "annotations": READS},  # MCP
        {"name": "look", "input_schema": SCHEMA, "annotations": READS},  # Anthropic, with MCP's
        {"type": "function", "function": {"name": "look", "annotations": READS}},  # OpenAI chat
        {"type": "function", "function": {"name": "look"}, "annotations": READS},
        {"type": "function", "name": "look", "annotations": READS},  # OpenAI Responses
        {"name": "look", "metadata": READS},  # LangChain's adapters for MCP
        {"name": "look", "metadata": {"meta": None, "annotations": READS}},  # Pydantic AI
        {"name": "look", "_meta": {"annotations": READS}},
        {"toolSpec": {"name": "look", "annotations": READS}},  # Amazon Bedrock
        {"function_declarations": [{"name": "look", "annotations": READS}]},  # Google
        {"functionDeclarations": [{"name": "look", "annotations": READS}]},
        {"type": "mcp_list_tools", "tools": [{"name": "look", "annotations": READS}]},
        {"name": "server", "tools": [{"name": "look", "annotations": {"readOnly": True}}]},
        json.dumps({"name": "look", "annotations": READS}),
        json.dumps([{"name": "look", "annotations": READS}]),
    ],
)
def test_a_hint_is_found_wherever_it_is_passed_on(definition: Any) -> None:
    """Each way in which producers write a definition says the same."""
    assert facts_of(definition) == {"read_only": True}


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "look"},
        {"type": "function", "function": {"name": "look", "parameters": SCHEMA}},
        {"name": "look", "annotations": {"title": "Look", "openWorldHint": True}},
        {"name": "look", "annotations": {"readOnlyHint": "true", "destructiveHint": None}},
        {"name": "look", "annotations": [READS]},
        {"name": "look", "readOnly": True},  # a key that says nothing outside the annotations
        {"name": "look", "method": "walk"},
        {"name": "", "annotations": READS},
        {"annotations": READS},
        "look",
        7,
        None,
        [[[[[{"name": "look", "annotations": READS}]]]]],
    ],
)
def test_nothing_is_invented(definition: Any) -> None:
    """A definition without hints, or something that is no definition, yields no fact."""
    assert tool_facts([definition]) == {}


def test_all_facts() -> None:
    """Whether it may destroy, and the method of its requests, are kept beside what it reads."""
    hints = {"readOnlyHint": False, "destructiveHint": True}
    definition = {"name": "look", "annotations": hints, "metadata": {"method": "delete"}}
    assert facts_of(definition) == {"read_only": False, "destructive": True, "method": "DELETE"}


def test_two_tools_of_one_name() -> None:
    """Where two definitions differ the more careful one holds, in either order."""
    reads = {"name": "look", "annotations": {"readOnlyHint": True, "destructiveHint": False}}
    writes = {"name": "look", "annotations": {"readOnlyHint": False, "destructiveHint": True}}
    careful = {"look": {"read_only": False, "destructive": True}}
    assert tool_facts([reads], [writes]) == {"tools": careful}
    assert tool_facts([writes, reads]) == {"tools": careful}
    gets, posts = {"name": "look", "method": "GET"}, {"name": "look", "method": "POST"}
    assert tool_facts(gets) == {"tools": {"look": {"method": "GET"}}}
    assert tool_facts(gets, reads)["tools"]["look"]["method"] == "GET"
    assert tool_facts(gets, posts) == {}
