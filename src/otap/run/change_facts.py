"""The facts of one call by which :mod:`otap.run.precedence` judges its order."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pydantic import JsonValue

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.kinds import kind_of
from otap.run.objects import FORM, KEYS, MAX_VALUES, is_measure
from otap.run.order_words import (
    ACTORS,
    AUTOMATED,
    BODY_FILLERS,
    BODY_VERBS,
    CASES,
    CHOOSING,
    CIRCUMSTANCES,
    CLAIMS,
    CLOSED,
    CLOSING,
    COMMANDING,
    COMMON_WORDS,
    CONTAINERS,
    CONTEXT_NAMES,
    CONTEXT_VERBS,
    ELEMENT_KEYS,
    FINISHING,
    IMPLICIT_OBJECTS,
    INFORMING,
    MAKING,
    MESSAGES,
    MODES,
    NOTING,
    PAYING,
    RECIPIENT_KEYS,
    REPLACED,
    REPLAYED,
    SCOPES,
    SENDING,
    SETS,
    SETTING,
    STACKING,
    STATEMENT_WORDS,
    STATUS_KEYS,
    SUBJECTS,
    TEXT_KEYS,
    VERIFYING,
    WAITING,
)
from otap.run.scalars import canonical_value, last_key, list_nodes
from otap.run.words import DESTROYING, NOUNS_TOO, READING, RUNNING, WRITING
from otap.trajectory import Step
from otap.values.keys import canonical_key, last_word, singular
from otap.values.normalization import fold_word
from otap.values.tool_names import MAX_NAME, last_part
from otap.values.value import parse_text

MAX_MENTIONS = 500  # names that one call mentions, the first ones
MAX_CALL_TEXT = 4_000  # characters of the texts of one call that are searched
STEM, _SHORT_STEM = 5, 4  # letters that two forms of a word have in common
_WORDS = 2  # blanks in a value that names something
_COMMANDS = frozenset(("command", "cmd", "script", "sql", "query", "statement", "code"))
_OPERANDS = frozenset(("arg", "argv", "argument"))  # keys of the words behind a program
_INPUTS = frozenset(("q", "text", "input", "line", "action"))  # of a command, if the tool runs some
_COMMAND_WORDS = 4  # words of a command, without options, that describe it
_ABBREVIATION = 3  # letters of words that have no plural: dns
_CLICKING = frozenset(("click", "tap", "press", "select", "choose"))
_VERBS = WRITING | READING | BODY_VERBS | INFORMING | SENDING | CLOSING | MAKING | FINISHING
_VERBS |= WAITING | REPLAYED | CONTEXT_VERBS | STACKING | VERIFYING
_NO_NAMES = STATEMENT_WORDS | SETS | CASES | REPLACED | (WRITING - {"order"})
_SUBJECTS = SUBJECTS | ACTORS | KEYS
_CONTEXT_PROGRAMS = frozenset(("cd", "su", "export", "source"))
_NAME_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_STATEMENT = regex(
    r"(?i)\s*(?:select|insert|update|delete|alter|drop|create|with|truncate|merge|replace)\b"
)
_TABLE = regex(
    r"(?i)\b(?:from|into|update|table|join)\s+(?:if\s+(?:not\s+)?exists\s+)?[\"`\[]?([\w.]+)"
)
_SELECTION = regex(r"(?i)\s*(?:use|select)\s{1,9}\w{1,80}\s*;?\s*")
_PROSE = regex(r"[a-z]+(?: [a-z]+){0,5}")
TOKEN = regex(r"[^\s;|&<>()\[\]{}\"'`=,!?]+")
_TEXT_WORD = regex(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")
DIGITS = regex(r"\d+")
_SETTING = regex(r"(?<!\S)[\w.]{1,80}=[\w.]{1,80}(?!\S)")
_SCHEME = regex(r"\w+://")


class _Value(NamedTuple):
    key: str  # in canonical form
    word: str  # the last word of the key
    text: str
    is_number: bool
    is_subject: bool  # whether the key is that of a subject


class ChangeFacts:
    """The facts of one call that changes something, read from its tool and its arguments.

    Args:
        step: the call.
    """

    def __init__(self, step: Step) -> None:
        self.tool = step.tool or ""
        self.words = _split_name(self.tool)
        self.verb = _find_verb(self.words)
        self.values = list(_list_values(step.arguments, [w for w in self.words if w != self.verb]))

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words of the tool's name without its verb."""
        return frozenset(self.words) - {self.verb}

    @cached_property
    def command(self) -> str:
        """The command that the call runs, or empty."""
        for value in self.values:
            if value.key in self._command_keys:
                if value.key not in _OPERANDS:
                    return value.text[:MAX_CALL_TEXT]
                words = [v.text for v in self.values if v.key == value.key]
                return " ".join(("-".join(self.words), *words))[:MAX_CALL_TEXT]
        return ""

    @cached_property
    def _command_keys(self) -> frozenset[str]:
        runs_commands = kind_of(self.tool) in ("shell", "database")
        runs_commands |= not COMMANDING.isdisjoint(self.words)
        return _COMMANDS | _OPERANDS | (_INPUTS if runs_commands else frozenset())

    @cached_property
    def deeds(self) -> frozenset[str]:
        """The words that describe the call: of its command, else of its name and its button."""
        if self.command:
            tokens = TOKEN.findall(self.command[:MAX_NAME].lower())
            words = [token for token in tokens if token[0] not in "-+"][:_COMMAND_WORDS]
            parts = [part for word in words for part in (word, *word.split("-"))]
            return frozenset((*parts, *_NAME_WORD.findall(self.program)))
        return frozenset((*self.words, *self._button))

    @cached_property
    def _button(self) -> Sequence[str]:
        """The words on the button or the link that it clicks."""
        if self.verb not in _CLICKING:
            return ()
        texts = (v.text for v in self.values if v.key in TEXT_KEYS or v.key in ("label", "button"))
        return next((_split_name(text) for text in texts if text.count(" ") <= _WORDS), ())

    @cached_property
    def checks(self) -> bool:
        """Whether it only checks something, by the words of its name or of its command."""
        if self.command:
            return not VERIFYING.isdisjoint(self.deeds)
        is_test = self.verb in RUNNING and not AUTOMATED.isdisjoint(self.words)
        if self.verb in VERIFYING or is_test:
            return True
        is_last = not VERIFYING.isdisjoint(self.words[-1:])
        return is_last and self.verb not in WRITING - RUNNING

    @cached_property
    def program(self) -> str:
        """The program of a shell command, or empty."""
        tokens = TOKEN.findall(self.command[:MAX_NAME])
        return tokens[0].lower() if tokens else ""

    @cached_property
    def subcommand(self) -> str:
        """The verb behind the program, or empty: ``push`` of ``git push``."""
        tokens = TOKEN.findall(self.command[:MAX_NAME].lower())[1:3]
        return next((token for token in tokens if token in _VERBS), "")

    @cached_property
    def names(self) -> dict[str, str]:
        """The names that the arguments hold, each with a key under which it is held."""
        names: dict[str, str] = {}
        for name, key in islice(self._list_names(), MAX_MENTIONS):
            names.setdefault(name, key)
        return names

    def _list_names(self) -> Iterator[tuple[str, str]]:
        containers = [v for v in self.values if v.word in CONTAINERS and is_name(v)]
        for value in self.values:
            if value.key in self._command_keys:
                yield from _list_command_names(value)
            elif value.key not in TEXT_KEYS and is_name(value):
                if value.word not in CIRCUMSTANCES or FORM.match(value.text):
                    yield from _shapes(value.text, value.key)
                for container in containers:
                    if container is not value:
                        yield fold_name(f"{container.text}/{value.text}"), value.key

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders of the paths that it names."""
        folders = set[str]()
        for name in self.names:
            parts = name.split("/")
            folders.update("/".join(parts[:k]) for k in range(1, min(len(parts), 20)))
        return frozenset(folders)

    @cached_property
    def by_key(self) -> dict[str, frozenset[str]]:
        """The short values under each key whose value is the subject of the call."""
        by_key: dict[str, set[str]] = {}
        for value in self.values:
            if (value.is_subject or FORM.match(value.text)) and is_name(value):
                by_key.setdefault(value.key, set()).add(fold_name(value.text))
        return {key: frozenset(values) for key, values in by_key.items()}

    @cached_property
    def has_id(self) -> bool:
        """Whether it names an object by an identifier."""
        return any(DIGITS.search(name) and FORM.match(name) for name in self.names)

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

    def names_deed(self, other: "ChangeFacts") -> bool:
        """Returns whether its words and texts name the verb of another call."""
        return not _list_stems(other.verb).isdisjoint(self.stems)

    @cached_property
    def tells(self) -> bool:
        """Whether it informs somebody."""
        if self.verb in INFORMING and not self.nouns & {"event"}:
            return True
        if self.verb in SENDING and not self.nouns.isdisjoint(MESSAGES):
            return True
        keys = {value.key for value in self.values}
        if self.verb in NOTING and not keys.isdisjoint(TEXT_KEYS):
            return True
        has_recipient = not keys.isdisjoint(RECIPIENT_KEYS)
        return self.verb in SENDING and has_recipient and not keys.isdisjoint(TEXT_KEYS)

    @cached_property
    def claims(self) -> bool:
        """Whether its text says that something is done."""
        words = (fold_word(token).rstrip(".:") for token in TOKEN.findall(self.text))
        return not CLAIMS.isdisjoint(words)

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
        return self.verb in DESTROYING or (
            bool(self.command) and not DESTROYING.isdisjoint(self.deeds)
        )

    @property
    def is_statement(self) -> bool:
        """Whether its command is a statement for a database."""
        return _STATEMENT.match(self.command[:MAX_CALL_TEXT]) is not None

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
    def is_prose(self) -> bool:
        """Whether its command is a phrase in plain words, as those of games are."""
        return _PROSE.fullmatch(self.command.lower()) is not None

    @cached_property
    def implicit_objects(self) -> frozenset[str]:
        """The objects that it acts on and no argument names."""
        words, name = frozenset(self.words), "_".join(self.words)
        implicit_objects = {
            name_of_object
            for name_of_object, signs in IMPLICIT_OBJECTS.items()
            if not words.isdisjoint(signs) or name in signs
        }
        is_body = self.verb in BODY_VERBS and words <= BODY_VERBS | BODY_FILLERS
        if is_body and not any("/" in value.text or "@" in value.text for value in self.values):
            implicit_objects.add("machine")
        if any(value.key in ELEMENT_KEYS for value in self.values):
            implicit_objects.add("screen")
        if self.program == "git":
            implicit_objects.add("repository")
        plays = self.program in BODY_VERBS or not IMPLICIT_OBJECTS["game"].isdisjoint(self.deeds)
        if self.is_prose and plays:
            implicit_objects.add("game")
        return frozenset(implicit_objects)

    @cached_property
    def sets_context(self) -> bool:
        """Whether it sets the state in which all later calls act."""
        if self.program in _CONTEXT_PROGRAMS or self.verb in CONTEXT_VERBS:
            return True
        if self.command:
            chooses = not self.deeds.isdisjoint(CHOOSING | SETTING | CONTEXT_VERBS)
            scoped = self.deeds & SCOPES or self.program == "use"
            if _SELECTION.fullmatch(self.command):
                return True
            return bool(chooses and scoped) or self.program in ("begin", "commit", "rollback")
        if self.verb in CHOOSING and not self.nouns.isdisjoint(SCOPES):
            return True
        return not CONTEXT_NAMES.isdisjoint(("_".join(self.words), "_".join(self._button)))

    @cached_property
    def rules(self) -> frozenset[str]:
        """The words that describe the call, and its short values."""
        return self.deeds.union(fold_word(v.text) for v in self.values if len(v.text) <= MAX_NAME)

    @property
    def waits(self) -> bool:
        """Whether it only waits for a state, or asks for a decision."""
        return self.verb in WAITING

    @cached_property
    def is_bare(self) -> bool:
        """Whether no argument names anything: there are none, or only measures and modes."""
        return all(
            value.is_number or not value.text or is_measure(value.text) or value.word in MODES
            for value in self.values
        )

    @cached_property
    def finishes(self) -> bool:
        """Whether it finishes a state that no argument names."""
        return self.verb in FINISHING and not self.by_key and not self.tells


def _list_stems(text: str) -> frozenset[str]:
    stems = set[str]()
    for word in _TEXT_WORD.findall(text):
        folded = fold_word(word)
        if folded not in COMMON_WORDS:
            stems.add(canonical_value(word) if folded[0].isdigit() else folded[:STEM])
    return frozenset(stems)


def _list_values(arguments: JsonValue, nouns: Sequence[str]) -> Iterator[_Value]:
    data = parse_text(arguments)
    if isinstance(data, str):
        yield _Value("", "", data, is_number=False, is_subject=False)
        return
    for path, _, value in islice(list_nodes(data, nested=False), MAX_VALUES):
        if isinstance(value, dict | list) or value is None:
            continue
        is_number = isinstance(value, int | float)
        text = str(value) if not is_number else canonical_value(value)
        key = last_key(path)
        names = canonical_key(key), singular(last_word(key))
        is_subject = names[1] in nouns or not _SUBJECTS.isdisjoint(names)
        yield _Value(*names, text, is_number, is_subject)


def is_name(value: _Value) -> bool:
    """Whether a value may name an object: a number only if its key says that it does."""
    if value.is_number:
        return value.is_subject
    text = value.text
    is_short = 0 < len(text) <= MAX_NAME and text.count(" ") <= _WORDS
    return is_short and not is_measure(text)


def _list_command_names(command: _Value) -> Iterator[tuple[str, str]]:
    """The tables of a statement, or the operands of a shell command."""
    text = command.text[:MAX_CALL_TEXT]
    if _STATEMENT.match(text):
        for table in _TABLE.findall(text):
            yield fold_name(table), command.key
        return
    for token in TOKEN.findall(_SETTING.sub(" ", text))[1:]:
        if not token.startswith("-") and token.lower() not in _NO_NAMES:
            yield from _shapes(token, command.key)


def _shapes(text: str, key: str) -> Iterable[tuple[str, str]]:
    """A name in its shapes: unchanged, without the scheme of its address, and its last part."""
    name = fold_name(text)
    yield name, key
    match = _SCHEME.match(name)
    if match:
        rest = name[match.end() :]
        yield rest, key
        if not name.startswith("http"):
            yield rest.rpartition("/")[2].partition("?")[0], key


def fold_name(text: str) -> str:
    """Returns a name without letter case, accents, a leading ``#`` or ``./`` and a last slash."""
    return fold_word(text.strip().removeprefix("#").removeprefix("./").rstrip("/"))


def _find_verb(words: Sequence[str]) -> str:
    """The verb of a name: its first word, unless it names a thing."""
    if not words or words[0] in _VERBS:
        return words[0] if words else ""
    sure = next((word for word in words if word in WRITING - NOUNS_TOO), "")
    return sure or (words[-1] if words[-1] in _VERBS else words[0])


@lru_cache(maxsize=4096)
def _split_name(tool: str) -> tuple[str, ...]:
    name = last_part(tool[:MAX_NAME])
    words = [fold_word(word) for word in _NAME_WORD.findall(name)]
    return tuple(singular(word) if len(word) > _ABBREVIATION else word for word in words)
