"""Whether the order of two changes matters, by their contents alone.

Two calls that change something, of which the reference made one first and the run the other.
Dependencies (:mod:`otap.run.edges`) order some such pairs. This module judges the rest.

The order matters

1. if both act on one implicit thing: the gripper, the cursor, the game, the session. A call acts on
   it if its tool has a word of the thing, if its name consists of verbs of a body, or if it sets or
   finishes a state that no argument names (``login``, ``save {}``);
2. if both name one object, in whatever shape: ``raw/a.parquet`` is ``{bucket: raw, key:
   a.parquet}``, a folder contains its files, a connection string contains its database;
3. if the later one informs somebody of the earlier one, or closes the case;
4. if both add a part to one sequence: slides, songs, lines.

The order is free if both are about different objects of one kind, if both are calls of one tool
that makes something new, or if they change different parts of one object. Otherwise it is open.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from pydantic import JsonValue

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.conflicts import PARTS
from otap.run.objects import FORM, KEYS, MAX_VALUES, is_measure
from otap.run.order_words import (
    ACTORS,
    ADDING_IN_ORDER,
    BODY_FILLERS,
    BODY_VERBS,
    CASES,
    CHOOSING,
    CIRCUMSTANCES,
    CLOSED,
    CLOSING,
    COMMON_VALUES,
    COMMON_WORDS,
    CONTAINERS,
    CONTEXT_NAMES,
    CONTEXT_VERBS,
    FIELD_VERBS,
    FINISHING,
    IMPLICIT_THINGS,
    INTERRUPTING,
    LINES,
    MAKING,
    MESSAGES,
    PAYING,
    RECIPIENT_KEYS,
    RELEASING,
    REPLAYED,
    SCOPES,
    SENDING,
    SEQUENCES,
    SETS,
    STATEMENT_WORDS,
    STATUS_KEYS,
    SUBJECTS,
    TELLING,
    TEXT_KEYS,
    WAITING,
)
from otap.run.scalars import canonical_value, last_key, list_nodes
from otap.run.words import DESTROYING
from otap.trajectory import Step
from otap.values.keys import canonical_key, last_word, singular
from otap.values.normalization import fold_word
from otap.values.tool_names import MAX_NAME, canonical_tool, last_part
from otap.values.value import parse_text

Weight = Literal["free", "open", "matters", "vital"]
MAX_MENTIONS = 500  # names that one call mentions, the first ones
MAX_CALL_TEXT = 4_000  # characters of the texts of one call that are searched
_WORDS = 2  # blanks in a value that names something
_STEM, _SHORT_STEM = 5, 4  # letters that two forms of a word have in common
_MAX_FAMILY = 50  # names of a call that are compared by their beginnings
_BY_OBJECT = frozenset(("cart", "session", "repository"))  # things with parts that arguments name
_COMMANDS = frozenset(("command", "cmd", "script", "sql", "query", "statement", "code"))
SUBJECTS_AND_ACTORS = SUBJECTS | ACTORS | KEYS
_CONTEXT_PROGRAMS = frozenset(("cd", "su", "export", "source"))
_NAME_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_STATEMENT = regex(
    r"(?i)\s*(?:select|insert|update|delete|alter|drop|create|with|truncate|merge|replace)\b"
)
_TABLE = regex(
    r"(?i)\b(?:from|into|update|table|join)\s+(?:if\s+(?:not\s+)?exists\s+)?[\"`\[]?([\w.]+)"
)
_TOKEN = regex(r"[^\s;|&<>()\[\]{}\"'`=,!?]+")
_TEXT_WORD = regex(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")
_DIGITS = regex(r"\d+")
_SCHEME = regex(r"\w+://")


class Judgement(NamedTuple):
    """What the contents of two changes say of their order, with a reason in words."""

    weight: Weight
    reason: str = ""


OPEN, FREE = Judgement("open"), Judgement("free")


class _Value(NamedTuple):
    key: str  # in canonical form
    word: str  # the last word of the key
    text: str
    is_number: bool


class ChangeFacts:
    """What one call that changes something says of its object.

    Args:
        step: the call.
    """

    def __init__(self, step: Step) -> None:
        self.tool = step.tool or ""
        self.values = list(_list_values(step.arguments))
        self.words = _split_name(self.tool)
        self.verb = self.words[0] if self.words else ""

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words of the tool's name after its verb."""
        return frozenset(self.words[1:])

    @cached_property
    def command(self) -> str:
        """The command that the call runs, or empty."""
        for value in self.values:
            if value.key in _COMMANDS:
                return value.text[:MAX_CALL_TEXT]
        return ""

    @cached_property
    def program(self) -> str:
        """The program of a shell command, or empty."""
        tokens = _TOKEN.findall(self.command[:MAX_NAME])
        return tokens[0].lower() if tokens else ""

    @cached_property
    def names(self) -> dict[str, str]:
        """The names that the arguments hold, each with a key under which it is held."""
        names: dict[str, str] = {}
        for name, key in islice(self._list_names(), MAX_MENTIONS):
            names.setdefault(name, key)
        return names

    def _list_names(self) -> Iterator[tuple[str, str]]:
        containers = [v for v in self.values if v.word in CONTAINERS and _is_name(v)]
        for value in self.values:
            if value.key in _COMMANDS:
                yield from _list_command_names(value)
            elif value.key not in TEXT_KEYS and _is_name(value):
                if value.word not in CIRCUMSTANCES or FORM.match(value.text):
                    yield from _shapes(value.text, value.key)
                for container in containers:
                    if container is not value:
                        yield _fold(f"{container.text}/{value.text}"), value.key

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders of the paths that it names."""
        folders = set[str]()
        for name in self.names:
            parts = name.split("/")
            folders.update("/".join(parts[:k]) for k in range(1, min(len(parts), 20)))
        return frozenset(folder for folder in folders if folder.count("/") or len(folder) > 2)

    @cached_property
    def by_key(self) -> dict[str, frozenset[str]]:
        """The short values under each key that says what the call is about."""
        by_key: dict[str, set[str]] = {}
        for value in self.values:
            is_subject = not SUBJECTS_AND_ACTORS.isdisjoint((value.key, value.word))
            if (is_subject or FORM.match(value.text)) and _is_name(value):
                by_key.setdefault(value.key, set()).add(_fold(value.text))
        return {key: frozenset(values) for key, values in by_key.items()}

    @cached_property
    def has_id(self) -> bool:
        """Whether it names an object by an identifier."""
        return any(_DIGITS.search(name) and FORM.match(name) for name in self.names)

    @cached_property
    def text(self) -> str:
        """The prose that the call holds."""
        texts = (v.text for v in self.values if v.key in TEXT_KEYS or v.text.count(" ") > _WORDS)
        return " ".join(texts)[:MAX_CALL_TEXT]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words of the call, and its numbers."""
        words = [*self.words, *(value.text for value in self.values)]
        return _list_stems(" ".join(words)[:MAX_CALL_TEXT])

    @cached_property
    def tells(self) -> bool:
        """Whether it informs somebody."""
        if self.verb in TELLING and not self.nouns & {"event"}:
            return True
        if self.verb in SENDING and not self.nouns.isdisjoint(MESSAGES):
            return True
        keys = {value.key for value in self.values}
        has_recipient = not keys.isdisjoint(RECIPIENT_KEYS)
        return self.verb in SENDING and has_recipient and not keys.isdisjoint(TEXT_KEYS)

    @cached_property
    def closes(self) -> bool:
        """Whether it ends a case."""
        if self.verb in CLOSING and (not self.nouns or not self.nouns.isdisjoint(CASES)):
            return True
        if self.verb == "mark" and not self.nouns.isdisjoint(CLOSED | CASES):
            return True
        return any(
            value.word in STATUS_KEYS and fold_word(value.text) in CLOSED for value in self.values
        )

    @cached_property
    def destroys(self) -> bool:
        """Whether it destroys or cancels something."""
        words = [self.verb, *_TOKEN.findall(self.command[:MAX_NAME].lower())[:3]]
        return not DESTROYING.isdisjoint(words)

    @cached_property
    def is_grave(self) -> bool:
        """Whether it moves money or destroys something."""
        return self.destroys or not PAYING.isdisjoint(self.words)

    @cached_property
    def topics(self) -> frozenset[str]:
        """The beginnings of the words of its tool, its keys and its command."""
        words = [*self.words, self.command]
        words += [value.word for value in self.values if value.word not in CIRCUMSTANCES]
        return frozenset(stem[:_SHORT_STEM] for stem in _list_stems(" ".join(words)))

    @cached_property
    def things(self) -> frozenset[str]:
        """The implicit things that it acts on."""
        words, name = frozenset(self.words), "_".join(self.words)
        things = {
            thing
            for thing, signs in IMPLICIT_THINGS.items()
            if not words.isdisjoint(signs) or name in signs
        }
        is_body = self.verb in BODY_VERBS and words <= BODY_VERBS | BODY_FILLERS
        if is_body and not any("/" in value.text or "@" in value.text for value in self.values):
            things.add("machine")
        if self.program == "git":
            things.add("repository")
        return frozenset(things)

    @cached_property
    def sets_context(self) -> bool:
        """Whether it sets the state in which all later calls act."""
        if self.program in _CONTEXT_PROGRAMS or self.verb in CONTEXT_VERBS:
            return True
        if self.verb in CHOOSING and not self.nouns.isdisjoint(SCOPES):
            return True
        return "_".join(self.words) in CONTEXT_NAMES

    @property
    def waits(self) -> bool:
        """Whether it only waits for a state, or asks for a decision."""
        return self.verb in WAITING

    @cached_property
    def is_bare(self) -> bool:
        """Whether no argument names anything: there are none, or only measures and modes."""
        return all(
            value.is_number
            or not value.text
            or is_measure(value.text)
            or (value.word in CIRCUMSTANCES - TEXT_KEYS and not FORM.match(value.text))
            for value in self.values
        )

    @cached_property
    def finishes(self) -> bool:
        """Whether it finishes a state that no argument names."""
        return self.verb in FINISHING and not self.by_key and not self.tells


def judge_order(earlier: ChangeFacts, later: ChangeFacts) -> Judgement:
    """Returns whether the order of two changes matters.

    Args:
        earlier: the change that the reference makes first.
        later: the change that it makes afterwards.
    """
    shared, differing = _find_shared(earlier, later), _find_differing(earlier, later)
    if not shared and not differing.isdisjoint(ACTORS):
        return FREE
    is_same_tool = canonical_tool(earlier.tool).bare == canonical_tool(later.tool).bare
    judgement = _judge_state(earlier, later, is_same_tool, differs=bool(differing))
    if judgement is None and shared:
        judgement = _judge_shared(earlier, later, shared, is_same_tool)
    if judgement is None and (differing or _is_about_another(earlier, later)):
        judgement = FREE
    if judgement is None:
        judgement = _judge_deed(earlier, later)
    if judgement is None and is_same_tool:
        judgement = _judge_same_tool(earlier, later)
    return OPEN if judgement is None else judgement


def _judge_state(
    earlier: ChangeFacts, later: ChangeFacts, is_same_tool: bool, *, differs: bool
) -> Judgement | None:
    """The judgement of two calls that act on one state which no argument names."""
    sequences = SEQUENCES if earlier.verb == "create" else SEQUENCES | LINES
    if is_same_tool and earlier.verb in ADDING_IN_ORDER and earlier.nouns & sequences:
        return Judgement("matters", "both add to one sequence")
    thing = _find_implicit(earlier, later, is_same_tool, differs=differs)
    if thing and not (differs and is_same_tool and thing in _BY_OBJECT):
        return Judgement("matters", f"both act on the same {thing}")
    if earlier.waits and not later.waits and not differs:
        return Judgement("matters", f"{earlier.tool} comes before {later.tool} for a reason")
    if earlier.sets_context or later.sets_context:
        return Judgement("matters", "one of them sets the state in which the other acts")
    return None


def _judge_deed(earlier: ChangeFacts, later: ChangeFacts) -> Judgement | None:
    """The judgement of two different calls, if one reports, closes, finishes or undoes."""
    is_report = later.tells and not earlier.tells
    if is_report and (not later.text or earlier.stems & later.stems):
        return _judge_report(earlier, f"{later.tool} informs somebody about {earlier.tool}")
    if earlier.tells:
        is_warning = later.verb in INTERRUPTING
        reason = f"{earlier.tool} informs somebody before {later.tool}"
        return Judgement("matters", reason) if is_warning else None
    if later.closes and not later.tells and not earlier.closes:
        return _judge_report(earlier, f"{later.tool} closes the case")
    if later.finishes and not later.command:
        return Judgement("matters", f"{later.tool} finishes what {earlier.tool} does")
    if later.destroys and not earlier.destroys and earlier.topics & later.topics:
        return Judgement("matters", f"{later.tool} cannot be undone")
    if later.verb in RELEASING and earlier.verb not in MAKING:
        return Judgement("matters", f"{earlier.tool} prepares {later.tool}")
    has_same_kind = earlier.words[-1:] == later.words[-1:] and len(earlier.words) > 1
    if has_same_kind and earlier.tool != later.tool and not (earlier.has_id and later.has_id):
        return Judgement("matters", f"both are about the {later.words[-1]}")
    return None


def _judge_report(deed: ChangeFacts, reason: str) -> Judgement:
    return Judgement("vital" if deed.is_grave else "matters", reason)


def _judge_shared(
    earlier: ChangeFacts, later: ChangeFacts, shared: str, is_same_tool: bool
) -> Judgement:
    """The judgement of two calls that name one object."""
    if is_same_tool and earlier.verb in MAKING:
        return OPEN if earlier.nouns.isdisjoint(SETS) else FREE
    is_part = earlier.verb in PARTS and later.verb in PARTS
    if is_part and not is_same_tool and earlier.nouns != later.nouns:
        return FREE
    reason = f"both are about {shared}"
    if (later.tells or later.closes) and not earlier.tells:
        return _judge_report(earlier, reason)
    return Judgement("matters", reason)


def _judge_same_tool(earlier: ChangeFacts, later: ChangeFacts) -> Judgement:
    if earlier.command and later.command:
        is_same_program = earlier.program == later.program
        return FREE if is_same_program and earlier.names and later.names else OPEN
    if earlier.verb in MAKING or _differs_by_name(earlier, later):
        return FREE
    are_numbers = all(value.is_number for value in (*earlier.values, *later.values))
    return Judgement("matters", "the last one decides the value") if are_numbers else OPEN


def _differs_by_name(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether two calls of one tool have short values under one key, none of them in common."""
    values, other_values = (
        {v.key: _fold(v.text) for v in facts.values if _is_name(v) and not v.is_number}
        for facts in (earlier, later)
    )
    keys = values.keys() & other_values.keys()
    return any(values[key] != other_values[key] for key in keys if not is_measure(values[key]))


def _find_implicit(
    earlier: ChangeFacts, later: ChangeFacts, is_same_tool: bool, *, differs: bool
) -> str:
    """The implicit thing that both act on, or empty."""
    things = earlier.things & later.things
    if is_same_tool and earlier.verb in MAKING and earlier.nouns.isdisjoint(SEQUENCES):
        return ""
    if things and earlier.verb in FIELD_VERBS and later.verb in FIELD_VERBS:
        return ""
    if things:
        return min(things)
    if is_same_tool:
        return "state" if earlier.verb in REPLAYED and not differs else ""
    if earlier.verb in MAKING and later.verb in MAKING:
        return ""
    has_no_values = not earlier.values or not later.values
    return "state" if has_no_values or (earlier.is_bare and later.is_bare) else ""


def _find_shared(earlier: ChangeFacts, later: ChangeFacts) -> str:
    """A name that both calls mention, or empty."""
    names, other_names = earlier.names, later.names
    for name in names.keys() & other_names.keys():
        keys = names[name], other_names[name]
        is_recipient = (earlier.tells and keys[0] in RECIPIENT_KEYS) != (
            later.tells and keys[1] in RECIPIENT_KEYS
        )
        is_specific = name not in COMMON_VALUES and (len(name) > 1 or keys[0] == keys[1])
        if is_specific and not is_recipient and not _only_locates(earlier, later, name):
            return name
    for name in names.keys() & later.folders | other_names.keys() & earlier.folders:
        if "/" in name:
            return name
    return _find_family(names, other_names) or _find_family(other_names, names)


def _find_family(names: dict[str, str], other_names: dict[str, str]) -> str:
    """A word among some names that begins one of the other names: postgres, postgresql-16."""
    words = [n for n in names if len(n) >= _STEM and n.isalpha() and n not in COMMON_VALUES]
    for name in words[:_MAX_FAMILY]:
        if any(other.startswith(name) for other in islice(other_names, _MAX_FAMILY)):
            return name
    return ""


def _only_locates(earlier: ChangeFacts, later: ChangeFacts, name: str) -> bool:
    """Whether another key says that the two have different objects in the same container."""
    keys = earlier.by_key.keys() & later.by_key.keys()
    return any(earlier.by_key[key].isdisjoint(later.by_key[key]) for key in keys) and any(
        name in earlier.by_key[key] & later.by_key[key] for key in keys
    )


def _find_differing(earlier: ChangeFacts, later: ChangeFacts) -> frozenset[str]:
    """The keys under which both name objects, and no object is the same."""
    keys = earlier.by_key.keys() & later.by_key.keys()
    return frozenset(key for key in keys if earlier.by_key[key].isdisjoint(later.by_key[key]))


def _is_about_another(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether the text of a call names other objects of the kind of the other call's objects."""
    for facts, other in ((earlier, later), (later, earlier)):
        mentioned = {_fold(token) for token in _TOKEN.findall(facts.text) if FORM.match(token)}
        mentioned = {name.rstrip(".:;") for name in mentioned}
        shapes = {_DIGITS.sub("0", name) for name in mentioned if _DIGITS.search(name)}
        for name in other.names:
            is_named = _DIGITS.search(name) and FORM.match(name)
            if is_named and _DIGITS.sub("0", name) in shapes and name not in mentioned:
                return True
    return False


def _list_stems(text: str) -> frozenset[str]:
    stems = set[str]()
    for word in _TEXT_WORD.findall(text):
        folded = fold_word(word)
        if folded not in COMMON_WORDS:
            stems.add(canonical_value(word) if folded[0].isdigit() else folded[:_STEM])
    return frozenset(stems)


def _list_values(arguments: JsonValue) -> Iterator[_Value]:
    data = parse_text(arguments)
    if isinstance(data, str):
        yield _Value("", "", data, is_number=False)
        return
    for path, _, value in islice(list_nodes(data, nested=False), MAX_VALUES):
        if isinstance(value, dict | list) or value is None:
            continue
        is_number = isinstance(value, int | float)
        text = str(value) if not is_number else canonical_value(value)
        key = last_key(path)
        yield _Value(canonical_key(key), singular(last_word(key)), text, is_number)


def _is_name(value: _Value) -> bool:
    """Whether a value may name an object: a number only if its key says that it does."""
    if value.is_number:
        return not SUBJECTS_AND_ACTORS.isdisjoint((value.key, value.word))
    text = value.text
    is_short = 0 < len(text) <= MAX_NAME and text.count(" ") <= _WORDS
    return is_short and not is_measure(text)


def _list_command_names(command: _Value) -> Iterator[tuple[str, str]]:
    """The tables of a statement, or the operands of a shell command."""
    text = command.text[:MAX_CALL_TEXT]
    if _STATEMENT.match(text):
        for table in _TABLE.findall(text):
            yield _fold(table), command.key
        return
    for token in _TOKEN.findall(text)[1:]:
        if not token.startswith("-") and token.lower() not in STATEMENT_WORDS:
            yield from _shapes(token, command.key)


def _shapes(text: str, key: str) -> Iterable[tuple[str, str]]:
    """A name in its shapes: as it is, without the scheme of its address, and its last part."""
    name = _fold(text)
    yield name, key
    match = _SCHEME.match(name)
    if match:
        rest = name[match.end() :]
        yield rest, key
        if not name.startswith("http"):
            yield rest.rpartition("/")[2].partition("?")[0], key


def _fold(text: str) -> str:
    return fold_word(text.strip().removeprefix("#").removeprefix("./").rstrip("/"))


@lru_cache(maxsize=4096)
def _split_name(tool: str) -> tuple[str, ...]:
    name = last_part(tool[:MAX_NAME])
    return tuple(singular(fold_word(word)) for word in _NAME_WORD.findall(name))
