"""What the definitions of tools in a trace say of them, whoever wrote the definitions.

A definition is an object with a ``name``, bare or inside ``function`` (OpenAI) or ``toolSpec``
(Amazon). Only what is stated is a fact: MCP has defaults for hints that a tool leaves out, but a
definition that was passed on to a model may have lost all of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats.steps.content import parse_inner

_Facts = dict[str, Any]

# Where a group of tools has its definitions: servers, namespaces, Google's and Pydantic AI's.
_GROUPS = ("tools", "function_declarations", "functionDeclarations", "function_tools")
_WRAPPERS = ("function", "toolSpec")
_NOTES = ("annotations", "metadata", "_meta", "meta")  # MCP's hints, and where others pass them on
_HINTS = {
    "read_only": ("readOnlyHint", "read_only_hint"),
    "destructive": ("destructiveHint", "destructive_hint"),
}
# Claude Code's list of servers has the hints of a tool without their ending.
_SHORT = {"read_only": ("readOnly",), "destructive": ("destructive",)}
_METHOD = ("method", "http_method", "httpMethod")
_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_DEPTH = 4


def tool_facts(*definitions: Any) -> dict[str, dict[str, _Facts]]:
    """Returns the field ``tools`` of a trajectory, or nothing where no fact is stated.

    Args:
        definitions: lists of definitions, objects that hold such lists, single definitions, any of
            them perhaps as JSON text; what is none of these is passed over.
    """
    found: dict[str, _Facts] = {}
    read: set[str] = set()  # tracers repeat the same text with each answer of a model
    for value in definitions:
        if isinstance(value, str):
            if value in read:
                continue
            read.add(value)
        for name, facts in _facts_in(value, _DEPTH):
            found[name] = _join_facts(found[name], facts) if name in found else facts
    stated = {name: facts for name, facts in found.items() if facts}
    return {"tools": stated} if stated else {}


def _facts_in(value: Any, depth: int) -> Iterator[tuple[str, _Facts]]:
    value = parse_inner(value)
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _facts_in(item, depth - 1)
    elif isinstance(value, dict):
        groups = [value[key] for key in _GROUPS if isinstance(value.get(key), list)]
        for group in groups:
            yield from _facts_in(group, depth - 1)
        if not groups:
            yield from _facts_of_one(value)


def _facts_of_one(value: dict[str, Any]) -> Iterator[tuple[str, _Facts]]:
    """Returns the name of a definition and its facts, if it has both."""
    layers = [value, *(value[key] for key in _WRAPPERS if isinstance(value.get(key), dict))]
    name = next(
        (layer["name"] for layer in reversed(layers) if isinstance(layer.get("name"), str)), None
    )
    notes = [note for layer in layers for note in _notes_beside(layer)]
    facts = _facts_stated([*layers, *notes], notes)
    if name and facts:
        yield name, facts


def _notes_beside(layer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Returns what stands beside a definition, one inside another included."""
    for key in _NOTES:
        note = layer.get(key)
        if isinstance(note, dict):
            yield note
            yield from (note[inner] for inner in _NOTES if isinstance(note.get(inner), dict))


def _facts_stated(places: list[dict[str, Any]], notes: list[dict[str, Any]]) -> _Facts:
    facts: _Facts = {}
    hinted: list[tuple[dict[str, Any], Mapping[str, tuple[str, ...]]]]
    hinted = [*((place, _HINTS) for place in places), *((note, _SHORT) for note in notes)]
    for found, hints in hinted:
        told = {
            fact: found[key]
            for fact, keys in hints.items()
            for key in keys
            if isinstance(found.get(key), bool)
        }
        facts = _join_facts(facts, told)
    named = {str(place.get(key)).upper() for place in places for key in _METHOD}
    methods = named.intersection(_METHODS)  # of the operation that a tool was made from
    return facts | ({"method": methods.pop()} if len(methods) == 1 else {})


def _join_facts(one: _Facts, other: _Facts) -> _Facts:
    """Returns the facts of two definitions under one name: the more careful where they differ."""
    facts = one | other
    if "read_only" in one and "read_only" in other:
        facts["read_only"] = one["read_only"] and other["read_only"]
    if "destructive" in one and "destructive" in other:
        facts["destructive"] = one["destructive"] or other["destructive"]
    if one.get("method", facts.get("method")) != facts.get("method"):
        del facts["method"]
    return facts
