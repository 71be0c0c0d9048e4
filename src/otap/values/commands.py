"""Canonical forms of shell commands. Nothing is executed.

Blanks and needless quotes have no meaning, nor has grouping options of one letter: rm -rf is
rm -r -f. The options of well-known commands have no order (``options``).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.values.keys import is_sql_key
from otap.values.normalization import tidy_lines
from otap.values.options import sort_options
from otap.values.sql import normalize_sql

_MAX_LENGTH = 20_000  # characters
# Command names that are no English words, and those that are: the latter need further evidence.
_COMMANDS = frozenset((
    "ls", "cd", "pwd", "grep", "egrep", "rg", "fd", "sed", "awk", "git", "npm", "npx", "yarn",
    "pnpm", "pip", "pip3", "uv", "python", "python3", "node", "deno", "bun", "docker", "kubectl",
    "helm", "terraform", "curl", "wget", "pytest", "mypy", "ruff", "rm", "cp", "mv", "mkdir",
    "rmdir", "chmod", "chown", "wc", "xargs", "tar", "unzip", "gzip", "ssh", "scp", "rsync",
    "psql", "mysql", "sqlite3", "tsc", "javac", "gcc", "rustc", "sudo", "apt", "apt-get", "brew",
    "systemctl", "journalctl", "ps", "df", "du", "ln", "bash", "sh", "zsh", "xxd", "jq", "tee",
    "printf", "cargo", "nl", "gh", "aws", "gcloud", "ffmpeg", "ctest", "cmake", "mvn", "gradle",
))  # fmt: skip
_ENGLISH_COMMANDS = frozenset((
    "cat", "find", "make", "go", "sort", "head", "tail", "touch", "echo", "export", "source",
    "env", "cut", "test", "which", "kill", "diff", "tree", "time", "date", "less", "open",
    "set", "sleep", "man", "top", "file", "stat", "java", "ruby", "perl", "php", "dotnet",
))  # fmt: skip
_PROSE_WORDS = frozenset((
    "the", "a", "an", "is", "are", "was", "be", "should", "must", "can", "and", "or", "of",
    "my", "your", "please", "this", "that", "we", "i", "it", "not", "when", "how", "why", "what",
))  # fmt: skip
# Keys that hold only commands.
_SHELL_KEYS = frozenset(("command", "cmd", "commandline", "shellcommand", "bashcommand"))
_COMMENT_LINES = regex(r"(?:\A|(?<=\n))[ \t]*#(?!!)[^\n]*(?:\n|\Z)")
_ASSIGNMENTS = regex(r"(?:\$ )?(?:[A-Z_]\w*=\S* +)*+")
_NAME = regex(r"[\w./~+-]+(?=[\s;|&>]|\Z)")
_FLAG = regex(r"-{1,2}[A-Za-z0-9]")
_FILE = regex(r"(?:\./|\.\./|/|~/)?[\w.*+@-]+(?:/[\w.*+@-]*)+\Z|[\w*-]+\.[a-z]{1,5}\Z|\.\Z")
_OPERATORS = regex(r"&&|\||;|>|<|\$\(")
_TOKEN = regex(
    r"(?P<join>\\\n)|(?P<line>\s*\n\s*)|(?P<blank>\s+)"
    r"|(?P<operator>\$\(|\d?(?:>>|>|<)(?:&\d?)?|&>>?|&&|\|[|&]|;;|[|;&()])"
    r"|'(?P<single>[^']*+)'|\"(?P<double>(?:[^\"\\]|\\.)*+)\""
    r"|(?P<plain>\\.|[^\s'\"\\|&;<>()]+)|(?P<open>.)",
    re.DOTALL | re.ASCII,
)
_ESCAPED = regex(r"\\(.)", re.DOTALL)
_LETTERS = regex(r"-[A-Za-z]{2,8}\Z")
_SAFE = regex(r"[\w@%+=:,./-]+\Z", re.ASCII)
_EXPANDED = regex(r"[$`\\!']")


def parse_shell(text: str) -> str | None:
    """Returns the canonical form of a command line, or None for other texts."""
    if len(text) > _MAX_LENGTH or "<<" in text or not is_shell(text):
        return None
    return normalize_line(text)


def normalize_line(text: str) -> str:
    """Returns the canonical form of a text that is known to be a command line."""
    words = split_shell(text.removeprefix("$ "))
    while words and words[-1] == END_OF_COMMAND:
        words.pop()
    parts: list[str] = []
    command: list[str] = []
    begins_command = True
    for word in words:
        if word.word is not None:
            command.append(word.canonical)
            continue
        parts += [*_sort_command(command, begins_command), word.canonical]
        command = []
        begins_command = word.canonical in _CONTINUES  # behind > a file follows
    return " ".join([*parts, *_sort_command(command, begins_command)])


def _sort_command(words: Sequence[str], begins_command: bool) -> Sequence[str]:
    """Returns words with canonical options, if they are a command that is well known."""
    sorted_words = sort_options(words) if begins_command and len(words) > 1 else None
    if sorted_words is None:
        return [_split_options(word) for word in words]
    return _tidy_remote(sorted_words) if sorted_words[0] == "ssh" else sorted_words


def _tidy_remote(words: list[str]) -> list[str]:
    """Returns a command of ssh with the line for the host in canonical form, quoted if need be."""
    host, line = split_remote(words)
    if not line:
        return words
    line = normalize_line(line)
    parts = line.split()
    if all(_SAFE.match(part) for part in parts):
        return [*host, *parts]
    return words if "'" in line else [*host, f"'{line}'"]


def split_remote(words: list[str]) -> tuple[list[str], str]:
    """Returns the words of ssh up to the host, and the line that the host runs.

    The line is empty if there is none, or if its text is not plain.

    Args:
        words: a command in canonical form.
    """
    length = next((k for k, word in enumerate(words[1:], 2) if word[0] != "-"), len(words))
    texts = [_unquote(word) for word in words[length:]]
    line = " ".join(text for text in texts if text)
    is_plain = all(texts) and "'" not in line and not line.startswith("ssh")
    return words[:length], line if is_plain else ""


def _unquote(word: str) -> str:
    """Returns the text of a word in which the local shell replaces nothing; else nothing."""
    if _SAFE.match(word):
        return word
    return word[1:-1] if word[0] == "'" == word[-1] else ""


def canonical_command(text: str, key: str) -> str | None:
    """Returns the canonical form of a text under a key for commands; None under other keys.

    Args:
        text: a text that matches no pattern of commands.
        key: the canonical key of the text.
    """
    if is_sql_key(key):
        return normalize_sql(text)
    if key not in _SHELL_KEYS:
        return None
    return tidy_lines(text) if "<<" in text or len(text) > _MAX_LENGTH else normalize_line(text)


def _split_options(token: str) -> str:
    """Splits grouped options of one letter: -rf becomes -r -f."""
    return " ".join(f"-{letter}" for letter in token[1:]) if _LETTERS.match(token) else token


def is_shell(text: str) -> bool:
    """Returns whether a text is a command line: a known command first, and no prose."""
    start = _ASSIGNMENTS.match(text)
    assert start
    line = text[start.end() : start.end() + 2000]
    first = _NAME.match(line)
    name = first.group().rpartition("/")[2] if first else ""
    if not first or name not in _COMMANDS | _ENGLISH_COMMANDS:
        return False
    arguments = line[first.end() :]
    words = arguments.split()
    if words[:1] == ["="]:
        return False  # df = read_csv("a.csv") is Python
    if _OPERATORS.search(arguments) or any(_FLAG.match(word) for word in words):
        return True
    if not _PROSE_WORDS.isdisjoint(words):
        return False
    return any(_FILE.match(word) for word in words) or (name in _COMMANDS and len(words) <= 6)


class ShellWord(NamedTuple):
    """A word or an operator of a command line.

    Attributes:
        canonical: the form that equal words share, whatever their quotes.
        word: the argument of the command; None for an operator and an open quotation.
    """

    canonical: str
    word: str | None


END_OF_COMMAND = ShellWord(";", None)
_CONTINUES = frozenset(("&&", "||", "|", "|&", ";", "&", "(", "$("))  # after a line end


def split_shell(text: str) -> list[ShellWord]:
    """Returns the words and operators; a line end becomes a semicolon if a command may end."""
    words: list[ShellWord] = []
    is_separate = True
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup or ""
        is_word = kind in ("plain", "single", "double", "open")
        if kind == "operator":
            words.append(ShellWord(token[kind], None))
        elif kind == "line" and words and words[-1].canonical not in _CONTINUES:
            words.append(END_OF_COMMAND)
        elif is_word and (is_separate or not words):
            words.append(_read_word(token[kind], kind))
        elif is_word:
            words[-1] = _concatenate(words[-1], _read_word(token[kind], kind))
        is_separate = not is_word
    return words


_SEPARATORS = regex(r"&&|[;\n]")
# A line with one of these is more than a sequence of commands.
_CONTROL = frozenset((
    "$(", "(", ")", "{", "}", "&", "for", "while", "until", "if", "case", "function", "select",
))  # fmt: skip
_MAX_COMMANDS = 50
# Commands that change only the state of their shell.
_OF_SHELL = frozenset(("cd", "export", "set", "unset", "source", ".", "umask", "alias", "pushd"))
_AT_ONCE = {"enable": "start", "disable": "stop"}


def split_line(text: str) -> str | list[JsonValue]:
    """Returns the commands of a shell line that run in sequence, or the text unchanged."""
    is_single = not _SEPARATORS.search(text) and " --now" not in text
    if is_single or len(text) > _MAX_LENGTH or "<<" in text:
        return text
    text = _COMMENT_LINES.sub("", text).strip()
    if not is_shell(text):
        return text
    words = [word.canonical for word in split_shell(text.removeprefix("$ "))]
    if not _CONTROL.isdisjoint(words):
        return text
    lines: list[JsonValue] = [
        line for command in _split_sequence(words) for line in _list_parts(command)
    ]
    return lines if 1 < len(lines) <= _MAX_COMMANDS else text


def _split_sequence(words: Sequence[str]) -> list[list[str]]:
    """Returns the commands of a sequence."""
    commands: list[list[str]] = [[]]
    for word in words:
        if word not in (";", "&&"):
            commands[-1].append(word)
        elif commands[-1]:
            commands.append([])
    return [command for command in commands if command]


def _list_parts(command: list[str]) -> list[str]:
    """Returns the commands that do the same as one: on a host, and those behind --now."""
    host, line = split_remote(command) if command[0] == "ssh" else ([], "")
    words = [word.canonical for word in split_shell(line)] if line else command
    commands = _split_sequence(words)
    # What changes the state of a shell holds only for the commands behind it.
    if line and any(part[0] in _OF_SHELL or "=" in part[0] for part in commands):
        return [" ".join(command)]
    if not _CONTROL.isdisjoint(words):
        return [" ".join(command)]
    lines = [" ".join(words) for part in commands for words in _split_now(part)]
    if not line:
        return lines
    return (
        [" ".join([*host, f"'{part}'"]) for part in lines]
        if "'" not in "".join(lines)
        else [" ".join(command)]
    )


def _split_now(command: list[str]) -> list[list[str]]:
    """Returns systemctl enable --now as enable and start, disable --now as disable and stop."""
    start = command.index("systemctl") if "systemctl" in command[:2] else len(command)
    verbs = [word for word in command[start + 1 :] if word in _AT_ONCE]
    if "--now" not in command[start:] or len(verbs) != 1 or "|" in command:
        return [command]
    later = [word for word in command if word != "--now"]
    return [later, [_AT_ONCE[word] if word == verbs[0] else word for word in later]]


_MESSAGE = regex(r"git(?: -C \S+)? commit\b.*\s(?:-\w*m|--message)", re.DOTALL)


def split_message(text: str) -> str | dict[str, JsonValue]:
    """Returns a commit as its command and its message, which is prose; other texts unchanged."""
    if not _MESSAGE.match(text) or len(text) > _MAX_LENGTH or "<<" in text:
        return text
    words = split_shell(text)
    sorted_words = sort_options([word.canonical for word in words])
    if sorted_words is None or any(word.word is None for word in words):
        return text
    messages = [word for word in sorted_words if word.startswith("--message=")]
    command = " ".join(word for word in sorted_words if word not in messages)
    texts = [split_shell(word)[0].word or "" for word in messages]
    joined = "\n\n".join(text.removeprefix("--message=") for text in texts)
    return {"command": command, "commit": joined} if messages else text


def _concatenate(first: ShellWord, second: ShellWord) -> ShellWord:
    is_complete = first.word is not None and second.word is not None
    word = f"{first.word}{second.word}" if is_complete else None
    return ShellWord(first.canonical + second.canonical, word)


def _read_word(content: str, kind: str) -> ShellWord:
    """Reads a word: bare if quotes have no effect, in double quotes if the shell expands it."""
    if kind == "plain":
        return ShellWord(content, _ESCAPED.sub(r"\1", content))
    if kind == "open":
        return ShellWord(content, None)
    is_expanded = kind == "double" and _EXPANDED.search(content)
    quoted = f'"{content}"' if is_expanded else f"'{content}'"
    word = _ESCAPED.sub(r"\1", content) if kind == "double" else content
    return ShellWord(content if _SAFE.match(content) else quoted, word)
