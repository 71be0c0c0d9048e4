"""What was learned as a file of settings, which a person reads and edits: TOML with comments.

The settings, with the evidence above each; or, where nothing could be compared, what was recognised
of tools, in comments that a person corrects by hand. The file begins with a digest of what follows,
so that it is written over only as long as nobody edited it.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap._numbers import auroc_text, count_text
from otap._patterns import regex
from otap.config.file import MAX_BYTES
from otap.errors import ConfigError, shown
from otap.learning.card import Card, gain_text
from otap.learning.learned import LISTS, Learned, Tool

_BARE = regex(r"[A-Za-z0-9_-]+\Z")
LINE = 96  # characters of a comment, before it goes on in the next line

Path = tuple[str, ...]
# What is said of values: of the one at a path and None, or of a member of a list there and itself.
Comments = Mapping[tuple[Path, str | None], str]


def document(data: Mapping[str, Any], comments: Comments) -> str:
    """Returns a table and all in it as a document.

    Args:
        data: tables, lists, texts, numbers, flags.
        comments: what is said of values, if anything.

    Raises:
        ConfigError: for a value that TOML cannot hold.
    """
    return "".join(f"{line}\n" for line in _table((), data, comments))


def comment(text: str, indent: str = "") -> Iterator[str]:
    """Yields a text as lines of a comment, whatever it holds, those of a part as far in as it."""
    for part in text.split("\n"):
        words = shown(part.lstrip(" "), 2000).split(" ")
        start = "#" + " " * (len(part) - len(part.lstrip(" ")))
        line = start
        for word in (shown(word, LINE) for word in words):
            if len(line) + len(word) >= LINE and line != start:
                yield indent + line
                line = f"{start}  " if len(start) > 1 else start
            line += f" {word}"
        yield (indent + line).rstrip()


def key(name: str) -> str:
    """Returns a name as a key."""
    return name if _BARE.match(name) else text(name)


def text(value: str) -> str:
    """Returns a text between quotes on one line, with everything escaped that is not printable."""
    return f'"{"".join(map(_escape, value))}"'


def _escape(one: str) -> str:
    if one.isprintable():
        return f"\\{one}" if one in '"\\' else one
    return f"\\u{ord(one):04x}" if ord(one) < 0x10000 else f"\\U{ord(one):08x}"


def _table(path: Path, data: Mapping[str, Any], comments: Comments) -> Iterator[str]:
    """What a table holds itself, then the tables in it."""
    tables = [name for name, value in data.items() if isinstance(value, Mapping)]
    if path and (len(tables) < len(data) or not data):
        yield from ("", f"[{'.'.join(map(key, path))}]")
    for name, value in data.items():
        if name not in tables:
            yield from _write_setting((*path, name), value, comments)
    for name in tables:
        yield from _table((*path, name), data[name], comments)


def _write_setting(path: Path, value: Any, comments: Comments) -> Iterator[str]:
    if (path, None) in comments:
        yield from comment(comments[path, None])
    members = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    if not any((path, one) in comments for one in members):
        yield f"{key(path[-1])} = {inline(value, path)}"
        return
    yield f"{key(path[-1])} = ["
    for member in value:
        if isinstance(member, str) and (path, member) in comments:
            yield from comment(comments[path, member], "  ")
        yield f"  {inline(member, path)},"
    yield "]"


def inline(value: Any, path: Path = ()) -> str:
    """Returns a value on one line.

    Args:
        value: a table, list, text, number or flag.
        path: where it stands, for the error.

    Raises:
        ConfigError: for a value that TOML cannot hold.
    """
    if isinstance(value, Mapping):
        parts = (f"{key(name)} = {inline(part, path)}" for name, part in value.items())
        return f"{{ {', '.join(parts)} }}" if value else "{}"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(inline(part, path) for part in value)}]"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value).lower()  # of flags; a number with an exponent is as good
    raise ConfigError(f"{shown('.'.join(path))}: TOML cannot hold {shown(value)}; leave it out")


MOST = 300  # tools that are listed
LONGEST = 200  # characters of a name that is listed
ARGUMENTS = 100  # characters of what is said of arguments
REFERENCES = {
    "given": "scored against the references that were given",
    "runs": "scored against one good run of each task, which is itself none of these",
}
MEANINGS = {
    "writes": "change something, or are not known: a call weighs 1",
    "reads": "only look something up: a call weighs {reads:g}",
    "thinks": "only reckon or take a note: a call weighs {thinks:g}",
    "hands_over": "give the case to somebody else: a call weighs {hands_over:g}",
}
_SEAL = regex(r"# Settings by otap learn .*\n# .* ([0-9a-f]{16})\n\Z")


def settings_file(learned: Learned) -> str:
    """Returns the settings, learned or only recognised, as TOML with comments.

    Raises:
        ConfigError: if there is a value that TOML cannot hold, or too much for a file of settings.
    """
    data = learned.config.model_dump(mode="json", exclude_defaults=True)
    comments = "".join(f"{line}\n" for line in _comments(learned))
    settings = document(data, _evidence_of(learned)).lstrip("\n")
    body = f"{comments}\n{settings}" if settings else comments
    found = (
        f"# Settings by otap learn (version {learned.version}, metric {learned.metric}).\n"
        f"# As it was written, if the rest has the digest {_digest_body(body)}\n{body}"
    )
    if len(found.encode()) > MAX_BYTES:
        raise ConfigError(f"what was learned is above {MAX_BYTES:,} bytes, too large for settings")
    return found


def is_unedited(text: str) -> bool:
    """Whether a text is a settings file of this module, and nothing of it was changed since."""
    lines = text.splitlines(keepends=True)
    seal = _SEAL.match("".join(lines[:2]))
    return seal is not None and seal[1] == _digest_body("".join(lines[2:]))


def _digest_body(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def _comments(learned: Learned) -> Iterator[str]:
    """Everything before the first setting."""
    yield from comment(_origin_text(learned))
    if learned.began_with:
        yield from comment("Settings below without a comment were there before.")
    for warning in learned.warnings:
        yield from comment(f"Warning: {warning}.")
    if learned.card is not None:
        yield "#"
        yield from _card_lines(learned.card)
    yield "#"
    yield from _tool_lists(learned) if learned.is_scaffold else _unchanged_lines(learned)


def _origin_text(learned: Learned) -> str:
    runs = learned.runs
    read = f"{count_text(runs.runs, 'run')} (digest {runs.digest})"
    if learned.is_scaffold:
        return (
            f"Made of {read}: nothing was learned, and what was recognised is in force, as it is"
            " listed below."
        )
    return (
        f"Learned from {count_text(runs.learned_from, 'run')} of {count_text(runs.tasks, 'task')},"
        f" {runs.good} good, {REFERENCES[runs.references]}; of {read}."
    )


def _card_lines(card: Card) -> Iterator[str]:
    """The report card in short, AUROC times 100."""
    yield (
        f"# AUROC x 100 on tasks held out: within tasks ({count_text(card.pairs, 'pair')} of"
        f" {count_text(card.tasks_with_pairs, 'task')}); over all runs (shuffled within tasks)"
    )
    for row in card.rows:
        null = auroc_text(row.null.value)
        yield f"#   {row.counted:<12}  {row.within.hundredths}; {row.overall.hundredths} ({null})"
    if card.gain is not None:
        yield f"# learned against recognised: {gain_text(card.gain)}"


def _unchanged_lines(learned: Learned) -> Iterator[str]:
    """What was looked at and left as it is."""
    if not learned.settings:
        yield "# Nothing is learned: what was recognised stays."
    lines = list(learned.left())
    if lines:
        yield "# Looked at, and left as it is:"
    for line in lines:
        yield from comment(f"  {line}")


def _evidence_of(learned: Learned) -> dict[tuple[Path, str | None], str]:
    """The evidence of each setting, by its path; of a member of a list by that as well."""
    data = learned.config.model_dump(mode="json")
    found: dict[tuple[Path, str | None], str] = {}
    for one in learned.settings:
        value = data
        for name in one.path:
            value = value[name]
        found[one.path, one.value if isinstance(value, list) else None] = one.evidence
    return found


def _tool_lists(learned: Learned) -> Iterator[str]:
    """The lines of all tools, by what they were taken for."""
    said = learned.config.tools
    named = {tool for role in LISTS.values() for tool in getattr(said, role)}
    tools = [
        tool for tool in learned.tools if tool.name not in named.union(said.ignore, said.weight)
    ]
    listed = [tool for tool in tools if len(tool.name) <= LONGEST][:MOST]
    yield from comment(
        "What was recognised. If a tool stands in the wrong list, take the # away from [tools] and"
        " from the list where it belongs, and keep there the tools that were taken for something"
        " else. docs/recognition.md has the rule, docs/what-counts.md what else can be said."
    )
    yield from ("#", "# [tools]")
    weights = learned.config.counts.model_dump()
    for role, name in LISTS.items():
        mine = [tool for tool in listed if list(tool.recognised) == [role]]
        yield from ("#", f"# # {name}: they {MEANINGS[role].format(**weights)}")
        yield f"# {name} = [" if mine else f"# {name} = []"
        for tool in mine:
            yield f"#   {text(tool.name)},  # {_use_text(tool)}"
        if mine:
            yield "# ]"
    yield from _varying_tools([tool for tool in listed if len(tool.recognised) > 1])
    if len(listed) < len(tools):
        yield from ("#", f"# # and {count_text(len(tools) - len(listed), 'more tool')}")


def _varying_tools(tools: Sequence[Tool]) -> Iterator[str]:
    """Tools that do different things, as their arguments say: no list holds them."""
    if tools:
        told = "# # told by each call what it does; in a list of these, all calls do that:"
        yield from ("#", told)
    for tool in tools:
        roles = ", ".join(f"{role} {count:,}" for role, count in sorted(tool.recognised.items()))
        yield f"# # {text(tool.name)}: {roles}; {_use_text(tool)}"


def _use_text(tool: Tool) -> str:
    calls = count_text(sum(tool.recognised.values()), "call")
    keys = f"; {shown(', '.join(tool.arguments), ARGUMENTS)}" if tool.arguments else ""
    return f"{calls} in {count_text(tool.runs, 'run')}{keys}"
