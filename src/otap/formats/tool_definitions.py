"""Reads the facts that tool definitions state about the tools, in the shapes of all libraries.

A definition is an object with a ``name``, bare or inside ``function`` (OpenAI) or ``toolSpec``
(Amazon). Only explicit statements count. MCP has defaults for missing hints, but a definition that
was passed on to a model may have lost its hints on the way.
"""

from collections.abc import Iterator
from typing import Any

from otap.formats.content import parse_inner

_Facts = dict[str, Any]

# Keys under which a group of tools has its definitions: servers, namespaces, Google, Pydantic AI.
_GROUPS = ("tools", "function_declarations", "functionDeclarations", "function_tools")
_WRAPPERS = ("function", "toolSpec")
_NOTES = ("annotations", "metadata", "_meta", "meta")  # MCP's hints, and where others pass them on
_HINTS: dict[str, tuple[str, ...]] = {
    "read_only": ("readOnlyHint", "read_only_hint"),
    "destructive": ("destructiveHint", "destructive_hint"),
}
# Claude Code's list of servers has the hints of a tool without the suffix.
_SHORT_HINTS: dict[str, tuple[str, ...]] = {
    "read_only": ("readOnly",),
    "destructive": ("destructive",),
}
_METHOD_KEYS = ("method", "http_method", "httpMethod")
_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
# Keys under which a definition has the schema of its arguments, and arguments for a dry run.
_SCHEMAS = (
    "parameters", "input_schema", "inputSchema", "parameters_json_schema", "parametersJsonSchema",
    "args_schema",
)  # fmt: skip
_DRY_RUNS = frozenset(("dryrun", "simulate", "validateonly", "whatif", "checkmode", "previewonly"))
_MAX_DEPTH = 4  # nested groups of tools


def tool_facts(*definitions: Any) -> dict[str, dict[str, _Facts]]:
    """Returns the field ``tools`` of a trajectory, or an empty dict if no fact is stated.

    Args:
        definitions: lists of definitions, objects that hold lists of them, or single definitions.
            Each may be JSON text. Anything else is ignored.
    """
    facts_by_tool: dict[str, _Facts] = {}
    read: set[str] = set()  # tracers repeat the same text with each answer of a model
    for definition in definitions:
        if isinstance(definition, str):
            if definition in read:
                continue
            read.add(definition)
        for name, facts in _facts_in(definition, _MAX_DEPTH):
            earlier = facts_by_tool.get(name)
            facts_by_tool[name] = facts if earlier is None else _join_facts(earlier, facts)
    stated = {name: facts for name, facts in facts_by_tool.items() if facts}
    return {"tools": stated} if stated else {}


def _facts_in(value: Any, depth: int) -> Iterator[tuple[str, _Facts]]:
    """Yields the name and the facts of each definition in a value."""
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
            yield from _facts_of_definition(value)


def _facts_of_definition(value: dict[str, Any]) -> Iterator[tuple[str, _Facts]]:
    """Yields the name of a definition and its facts, if it has both."""
    layers = [value, *(value[key] for key in _WRAPPERS if isinstance(value.get(key), dict))]
    names = [layer["name"] for layer in layers if isinstance(layer.get("name"), str)]
    notes = [note for layer in layers for note in _notes_of(layer)]
    facts = _stated_facts([*layers, *notes], notes)
    if names and names[-1] and facts:
        yield names[-1], facts


def _notes_of(layer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the notes of a definition, and the notes inside them."""
    for key in _NOTES:
        note = layer.get(key)
        if isinstance(note, dict):
            yield note
            yield from (note[inner] for inner in _NOTES if isinstance(note.get(inner), dict))


def _stated_facts(objects: list[dict[str, Any]], notes: list[dict[str, Any]]) -> _Facts:
    """Returns the facts that the objects of one definition state.

    Args:
        objects: the definition, its wrapped definition, and their notes.
        notes: the notes alone, which may have the short hints.
    """
    facts: _Facts = {}
    hinted = [(source, _HINTS) for source in objects] + [(note, _SHORT_HINTS) for note in notes]
    for source, hints in hinted:
        hinted_facts = {
            fact: source[key]
            for fact, keys in hints.items()
            for key in keys
            if isinstance(source.get(key), bool)
        }
        facts = _join_facts(facts, hinted_facts)
    texts = {str(source.get(key)).upper() for source in objects for key in _METHOD_KEYS}
    methods = texts.intersection(_METHODS)  # of the HTTP operation that the tool was made from
    if len(methods) == 1:
        facts["method"] = methods.pop()
    if any(_declares_dry_run(source.get(key)) for source in objects for key in _SCHEMAS):
        facts["dry_run"] = True
    return facts


def _declares_dry_run(schema: Any) -> bool:
    """Whether a schema of arguments has a member that asks for a dry run."""
    schema = parse_inner(schema)
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]  # Amazon
    members = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(members, dict):
        return False
    names = (name.replace("_", "").replace("-", "").lower() for name in members)
    return not _DRY_RUNS.isdisjoint(names)


def _join_facts(facts: _Facts, more: _Facts) -> _Facts:
    """Merges the facts of two definitions of one name. If they differ, the safer fact wins."""
    joined = facts | more
    if "read_only" in facts and "read_only" in more:
        joined["read_only"] = facts["read_only"] and more["read_only"]
    if "destructive" in facts and "destructive" in more:
        joined["destructive"] = facts["destructive"] or more["destructive"]
    if "dry_run" in joined and not ("dry_run" in facts and "dry_run" in more):
        del joined["dry_run"]
    if facts.get("method", joined.get("method")) != joined.get("method"):
        del joined["method"]
    return joined
