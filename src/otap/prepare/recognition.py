"""What a call does to the world: it writes, it reads, it thinks, or it hands over to somebody else.

By what the trace records of its tools, else by what the call says plainly (a request's method, a
command that only reads), else by the words of the tool's name. What is not recognised writes: to
take a write for a read is worse than the other way round.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, cast

from otap._patterns import regex
from otap.dependencies.tool_names import MAX_NAME, last_part, without_server
from otap.errors import shown
from otap.prepare import words as table
from otap.prepare.commands import is_statement, only_reads, only_selects
from otap.trajectory import Step, ToolFacts
from otap.values.keys import spelled
from otap.values.spelling import fold_word

Kind = Literal["shell", "request", "editor", "database"]
Role = Literal["writes", "reads", "thinks", "hands_over", "forbidden"]
# From what counts most to what counts least.
ROLES: Sequence[Role] = ("writes", "reads", "hands_over", "thinks")

SHOWN_TOOLS = 8

_READS = ("GET", "HEAD", "OPTIONS")
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_OPERATION = regex(r"(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)[ _:]+/", re.IGNORECASE)
_PARTS = regex(r"[^\W_]+")
_CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PREFIX = regex(r"v?[0-9]+|api|tool|functions|web")
_LINES = ("command", "cmd", "commands")
_LINE_MORE = {"args", "arguments", "argv", "options", "flags", "input", "stdin", "chars", "script"}
_STATEMENTS = ("sql", "query", "statement")
_KINDS: Sequence[tuple[Kind, frozenset[str]]] = (
    ("shell", table.SHELLS),
    ("request", table.REQUESTS),
    ("editor", table.EDITORS),
    ("database", table.DATABASES),
)


LONGEST = 20_000  # characters of JSON in a text that are read
SHORT = 400  # characters of a text whose beginning counts
NEAR = 80  # characters of its beginning in which it may say so

# Keys in small letters, without signs between their words.
_CODES = ("statuscode", "httpstatus", "httpstatuscode", "status", "code")
_EXITS = ("exitcode", "returncode")
_STATES = ("status", "state", "phase", "decision", "outcome")
_ERRORS = ("error", "errormessage", "errors", "fehler", "erreur", "errore", "erro")
_WRAPPERS = ("result", "response", "output", "data", "body", "responsemetadata")
_STEM = 5  # letters by which a tool's name holds such a word: reject_request rejects
_NO_ERROR = frozenset(("", "none", "null", "no", "false", "0", "ok"))

_REASONS = (
    r"bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|conflict"
    r"|gone|unprocessable|too many requests|internal server error|bad gateway|client error"
    r"|service unavailable|gateway timeout|server error"
)
_BEGINS = regex(
    rf"\s*(?:[\w.]*(?:error|exception)\b\W(?!\s*(?:0|none)\b)|traceback \(most recent call last\)"
    rf"|(?:http\S*\s+)?[45]\d\d\W+(?:{_REASONS})\b|http\S*\s+[45]\d\d\b"
    r"|(?:fail(?:ed|ure)|denied|rejected|declined|refused|forbidden|unauthori[sz]ed|insufficient"
    r"|timed out|timeout|invalid)\b(?!\W*0\b)"
    r"|(?:could|can|was|did) ?not\b|couldn't\b|can't\b|unable to\b"
    r"|not (?:allowed|permitted|authori[sz]ed|found)\b|no such\b"
    r"|(?:fehler|erreur|erro|errore)\b\W|zugriff verweigert|fehlgeschlagen|abgelehnt"
    r"|acc[eè]s refus[eé]|refus[eé]\b|[eé]chec\b|(?:acceso|permiso) denegado|denegado\b"
    r"|rechazad[oa]\b"
    r"|(?:acesso|permiss[aã]o) negad[oa]|negado\b|falha\b|accesso negato|negato\b|fallit[oa]\b"
    r"|fatal:|err_\w+|exit(?:ed with)?(?: code| status)? [1-9]|错误|失败|操作失败|拒绝|无法)",
    re.IGNORECASE,
)
_NEAR = regex(
    r"\b(?:permission denied|access (?:is )?denied|could not be"
    r"|insufficient (?:funds|balance|permissions?|privileges)"
    r"|(?:request|transaction|payment|order) (?:was )?(?:rejected|declined|denied)"
    r"|not (?:found|authori[sz]ed|permitted))\b",
    re.IGNORECASE,
)


def recognised(step: Step, facts: Mapping[str, ToolFacts]) -> Role:
    """Returns what a step does.

    Args:
        step: the step.
        facts: what the trace records of its tools, by name.
    """
    if step.kind == "reasoning":
        return "thinks"
    if step.tool is None:
        return "writes"
    role = _by_facts(_facts_of(step.tool, facts)) if facts else None
    kind = None if role else _kind(step.tool)
    if kind:
        role = _by_arguments(kind, step.arguments)
    role = role or said_by_name(step.tool) or "writes"
    if role == "writes" and isinstance(step.arguments, dict):
        for key in table.REHEARSING.intersection(map(spelled, step.arguments)):
            if any(spelled(k) == key and v is True for k, v in step.arguments.items()):
                return "reads"  # it asks for what would happen, and for nothing to happen
    return role


def drop_drawn(step: Step) -> Step:
    """Returns a call without arguments that say nothing of what it does: the keys that agents draw.

    Args:
        step: any step.
    """
    if step.tool is None or not isinstance(step.arguments, dict):
        return step
    names = set(map(spelled, step.arguments))
    idle = set(table.DRAWN)
    if len(names) > 2 and "request" not in step.tool.lower():
        idle |= table.DRAWN_FOR_REQUESTS
    if _kind(step.tool) == "shell":
        idle |= table.ABOUT_COMMANDS
    if idle.isdisjoint(names):
        return step
    kept = {key: value for key, value in step.arguments.items() if spelled(key) not in idle}
    return step.model_copy(update={"arguments": kept})


@lru_cache(maxsize=4096)
def said_by_name(tool: str) -> Role | None:
    """Returns what a tool's name says that its calls do; None: nothing, as of one too long."""
    if len(tool) > MAX_NAME:
        return None
    operation = _OPERATION.match(tool)
    if operation:
        return "reads" if operation[1].upper() in _READS else "writes"
    name = last_part(tool)
    known = table.KNOWN.get(name.lower())
    if known is not None:
        return cast(Role, known)
    return _by_signs(name) or _by_words(_split_name(name))


@lru_cache(maxsize=4096)
def says_change(tool: str) -> bool:
    """Returns whether a tool's name says that its calls change something."""
    words = _split_name(last_part(tool[:MAX_NAME]))
    return bool(words) and words[0] in table.WRITING


@lru_cache(maxsize=4096)
def answers(tool: str) -> bool:
    """Whether the calls of a tool tell the user something, by its name."""
    return len(tool) <= MAX_NAME and "_".join(_split_name(last_part(tool))) in table.ANSWERING


def destroys(step: Step, facts: Mapping[str, ToolFacts]) -> bool:
    """Returns whether a step that writes undoes what was there, as far as its tool says it."""
    if step.tool is None or len(step.tool) > MAX_NAME:
        return False
    told = _facts_of(step.tool, facts)
    if told is not None and told.destructive is not None:
        return told.destructive
    return step.tool.upper().startswith("DELETE ") or any(
        word in table.DESTROYING for word in _split_name(last_part(step.tool))[:1]
    )


def summary(roles: Mapping[str, Collection[Role]]) -> str:
    """Returns what was recognised, one line for people; what writes is not named.

    As in "reads: get_user, search_*; hands over: transfer_to_human_agents".
    """
    parts = []
    for role, title in (("reads", "reads"), ("thinks", "thinks"), ("hands_over", "hands over")):
        tools = {tool: len(found) > 1 for tool, found in roles.items() if role in found}
        if tools:
            parts.append(f"{title}: {_list_tools(tools)}")
    return "; ".join(parts)


def _facts_of(tool: str, facts: Mapping[str, ToolFacts]) -> ToolFacts | None:
    """Returns the facts of a tool under its own name, or under that without its server's."""
    return facts[tool] if tool in facts else facts.get(without_server(tool))


def _by_facts(facts: ToolFacts | None) -> Role | None:
    if facts is None:
        return None
    if facts.read_only is not None:
        return "reads" if facts.read_only else "writes"
    if facts.destructive:
        return "writes"
    return _by_method(facts.method)


def _by_method(method: object) -> Role | None:
    name = method.upper() if isinstance(method, str) else None
    return "reads" if name in _READS else "writes" if name in _WRITES else None


def _by_arguments(kind: Kind, arguments: Any) -> Role | None:
    """Returns what the arguments of a request, a shell, an editor or a database say plainly."""
    if not isinstance(arguments, Mapping):
        return None
    if kind == "shell":
        return _by_line(arguments)
    if kind == "request":
        return _by_method(arguments.get("method"))
    if kind == "editor":
        return "reads" if arguments.get("command") == "view" else None
    return _by_statement(arguments)


@lru_cache(maxsize=4096)
def _kind(tool: str) -> Kind | None:
    """Returns what a tool is, if its arguments say what a call does."""
    if len(tool) > MAX_NAME:
        return None
    words = _split_name(tool)
    return next((kind for kind, known in _KINDS if not known.isdisjoint(words)), None)


def _by_line(arguments: Mapping[str, Any]) -> Role | None:
    lines = [arguments[key] for key in _LINES if key in arguments]
    if len(lines) != 1 or not _LINE_MORE.isdisjoint(arguments):
        return None
    line = lines[0]
    if isinstance(line, str) or _is_command(line):
        return "reads" if only_reads(line) else "writes"
    return None


def _is_command(line: Any) -> bool:
    return isinstance(line, list) and all(isinstance(word, str) for word in line)


def _by_statement(arguments: Mapping[str, Any]) -> Role | None:
    texts = [arguments[key] for key in _STATEMENTS if isinstance(arguments.get(key), str)]
    if len(texts) != 1 or not is_statement(texts[0]):
        return None
    return "reads" if only_selects(texts[0]) else "writes"


def _split_name(name: str) -> list[str]:
    """Returns the words of a name in small letters, without accents."""
    parts = [word for part in _PARTS.findall(name) for word in _CAMEL.split(part)]
    plain = list(map(fold_word, parts))
    while len(plain) > 1 and _PREFIX.fullmatch(plain[0]):
        plain = plain[1:]
    return plain


def _by_signs(name: str) -> Role | None:
    """Returns what a name says that has no blanks between its words."""
    if name.isascii():
        return None
    if any(sign in name for sign in table.HANDING_OVER_SIGNS):
        return "hands_over"
    if name.startswith(table.THINKING_SIGNS):
        return "thinks"
    if name.endswith(table.READING_ENDS):  # the verb of Japanese is the last word
        return "reads"
    if any(sign in name for sign in table.CHANGING_SIGNS):
        return "writes"
    return "reads" if name.startswith(table.READING_SIGNS) else None


def _by_words(words: list[str]) -> Role | None:
    if not words:
        return None
    if _hands_over(words):
        return "hands_over"
    if _writes(words):
        return "writes"
    if words[0] in table.THINKING or words[-1] in table.THINKING_LAST:
        return "thinks"
    return "reads" if _reads(words) else None


def _writes(words: list[str]) -> bool:
    """Whether a word of writing stands where it counts: it is stronger than one of reading."""
    if words[0] in table.ASKING:
        return _does_besides(words)
    if any(word in table.CHANGING for word in words):
        return True
    if _opens(words) or _tries(words):
        return _does_besides(words)
    if words[0] in table.WRITING:
        return words[0] not in table.THINGS or words[-1] not in table.READING_LAST
    goes = words[0] == "check" and words[1:2] in (["in"], ["out"], ["off"])
    return goes or _does_besides(words)


def _opens(words: list[str]) -> bool:
    """Whether something is opened to be looked at."""
    return words[0] == "open" and words[-1] in table.OPENED


def _tries(words: list[str]) -> bool:
    """Whether something is tried out, planned or reckoned over, as in ``run_unit_tests``."""
    first, last = words[0], words[-1]
    if first in table.RUNNING:
        return last in table.TRIED
    return first in table.CONVERTING and last in table.CONVERTED


def _does_besides(words: list[str]) -> bool:
    """Whether a second verb follows, as in ``get_or_create``; ``by_name_or_type`` has none."""
    said = words[: words.index("by")] if "by" in words else words
    return any(before in table.JOINING and word in table.WRITING for before, word in pairwise(said))


def _reads(words: list[str]) -> bool:
    if words[0] in table.ASKING or words[0] in table.READING:
        return True
    if len(words) == 1:
        return words[0] in table.READING_NOUN | table.MEASURES - table.VERBS_TOO
    if _opens(words) or _tries(words):
        return True
    if words[-1] in table.READING_LAST or _names_what_is_read(words):
        return True
    return words[1] in table.READING_SECOND or _lists(words)


def _names_what_is_read(words: list[str]) -> bool:
    """Whether a name ends with what is looked at, and nothing in it is done: no set_temperature."""
    if words[-1] in table.READING_NOUN:
        return True
    done = (table.WRITING - table.THINGS).union(("by",))
    return words[-1] in table.MEASURES and done.isdisjoint(words[:-1])


def _lists(words: list[str]) -> bool:
    """Whether things are listed, as in ``slack_list_channels``: a list is a thing, too."""
    if len(words) > 2 and words[1] == "list" and words[-1].endswith("s"):
        return True
    return any(word == "list" and before.endswith("s") for before, word in pairwise(words))


def _hands_over(words: list[str]) -> bool:
    verb, *rest = words
    if rest and rest[-1] in table.HANDED_OVER and len(words) < 4:
        return set(words[:-1]) <= table.PEOPLE | table.BETWEEN
    if not any(word in table.PEOPLE for word in rest):
        return False
    if verb in table.HANDING_OVER:
        return verb != "hand" or rest[0] in ("over", "off")
    return verb in table.PASSING_ON and _passes_on(rest)


def _passes_on(words: list[str]) -> bool:
    """Whether it is a case that is passed on to somebody, not money or mail."""
    somebody = next(index for index, word in enumerate(words) if word in table.PEOPLE)
    before = words[: words.index("to")] if "to" in words else words[:somebody]
    return all(word in table.CASES | table.BETWEEN for word in before)


def _list_tools(tools: Mapping[str, bool]) -> str:
    """Returns the names of tools; three or more with the same beginning are told once."""
    begin: dict[str, list[str]] = {}
    for tool in sorted(tools):
        begin.setdefault(_beginning(tool), []).append(tool)
    told = []
    for beginning, names in begin.items():
        if len(names) > 2 and beginning:
            told.append(f"{shown(beginning, 40)}*")
        else:
            told += [_told(name, tools[name]) for name in names]
    more = len(told) - SHOWN_TOOLS
    return ", ".join(told[:SHOWN_TOOLS]) + (f" and {more} more" if more > 0 else "")


def _beginning(tool: str) -> str:
    """Returns the first word of a name with the sign behind it, or nothing if there is one word."""
    found = re.match(r"[^\W_]+?([_./-]|(?<=[a-z0-9])(?=[A-Z]))", tool)
    return found[0] if found else ""


def _told(name: str, in_part: bool) -> str:
    return f"{shown(name, 40)} (in part)" if in_part else shown(name, 40)


def is_refused(step: Step) -> bool:
    """Returns whether the effect of a call says that it failed, or was refused.

    Args:
        step: a call that should change something.
    """
    effect: Any = step.effect
    if isinstance(effect, str) and effect.lstrip()[:1] == "{" and len(effect) <= LONGEST:
        with suppress(ValueError, RecursionError):
            effect = json.loads(effect)
    if isinstance(effect, Mapping):
        fields = _spell_keys(effect)
        inner: Any = next((fields[key] for key in _WRAPPERS if _is_object(fields.get(key))), {})
        return _says_so(fields, step) or _says_so(_spell_keys(inner), step)
    return step.status is None and isinstance(effect, str) and _begins_so(effect, step)


def _spell_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "").replace("-", "").lower(): value for key, value in data.items()}


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _says_so(effect: Mapping[str, Any], step: Step) -> bool:
    if any(str(effect.get(key)).lower() == "false" for key in ("success", "ok")):
        return True
    codes, exits = ([effect.get(key) for key in keys] for keys in (_CODES, _EXITS))
    if any(type(code) is int and 400 <= code < 600 for code in codes):
        return True
    if any(type(code) is int and code != 0 for code in exits):
        return True
    if any(_names_refusal(effect.get(key), step) for key in _STATES):
        return True
    return any(map(_is_error, map(effect.get, _ERRORS)))


def _names_refusal(status: object, step: Step) -> bool:
    """Whether a status is a refusal, and not what the call was asked to bring about."""
    if not isinstance(status, str) or status.lower().replace(" ", "_") not in table.REFUSED:
        return False
    return not _is_asked(status, step)


def _is_asked(said: str, step: Step) -> bool:
    """Whether a call is about what was said: reject_request may answer that it is rejected."""
    asked = f"{step.tool} {step.arguments}".lower()
    words = table.REFUSED.intersection(said.lower().replace(" ", "_").split("_"))
    return any(word[:_STEM] in asked for word in words - {"error"})


def _is_error(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR
    return value is True or (isinstance(value, dict | list) and bool(value))


def _begins_so(text: str, step: Step) -> bool:
    if text.lstrip().startswith("Traceback (most recent call last)"):
        return True
    if len(text) > SHORT:
        return False
    found = _BEGINS.match(text) or _NEAR.search(text[:NEAR])
    return found is not None and not _is_asked(found[0].strip(" \n:.,!"), step)
