"""Commands and statements: what of their layout is no difference. Nothing is executed.

Shell: blanks and needless quotes, and whether options of a single letter stand together: rm -rf is
rm -r -f. SQL: case and blanks outside of strings, and the last semicolon.
"""

import re
from typing import NamedTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.values.spelling import tidy_lines

_LONGEST = 20_000
# Names that are no English words, and such that are: those need something else to be a command.
_COMMANDS = frozenset((
    "ls", "cd", "pwd", "grep", "egrep", "rg", "fd", "sed", "awk", "git", "npm", "npx", "yarn",
    "pnpm", "pip", "pip3", "uv", "python", "python3", "node", "deno", "bun", "docker", "kubectl",
    "helm", "terraform", "curl", "wget", "pytest", "mypy", "ruff", "rm", "cp", "mv", "mkdir",
    "rmdir", "chmod", "chown", "wc", "xargs", "tar", "unzip", "gzip", "ssh", "scp", "rsync",
    "psql", "mysql", "sqlite3", "tsc", "javac", "gcc", "rustc", "sudo", "apt", "apt-get", "brew",
    "systemctl", "journalctl", "ps", "df", "du", "ln", "bash", "sh", "zsh", "xxd", "jq", "tee",
    "printf", "cargo", "nl", "gh", "aws", "gcloud", "ffmpeg", "ctest", "cmake", "mvn", "gradle",
))  # fmt: skip
_WORDS = frozenset((
    "cat", "find", "make", "go", "sort", "head", "tail", "touch", "echo", "export", "source",
    "env", "cut", "test", "which", "kill", "diff", "tree", "time", "date", "less", "open",
    "set", "sleep", "man", "top", "file", "stat", "java", "ruby", "perl", "php", "dotnet",
))  # fmt: skip
_OF_PROSE = frozenset((
    "the", "a", "an", "is", "are", "was", "be", "should", "must", "can", "and", "or", "of",
    "my", "your", "please", "this", "that", "we", "i", "it", "not", "when", "how", "why", "what",
))  # fmt: skip
# Keys under which nothing but a command stands.
_SHELL_KEYS = frozenset(("command", "cmd", "commandline", "shellcommand", "bashcommand"))
_SQL_KEYS = frozenset(("sql", "sqlquery", "sqlstatement"))
_REMARKS = regex(r"(?:\A|(?<=\n))[ \t]*#(?!!)[^\n]*(?:\n|\Z)")
_ASSIGNMENTS = regex(r"(?:\$ )?(?:[A-Z_]\w*=\S* +)*+")
_FIRST = regex(r"[\w./~+-]+(?=[\s;|&>]|\Z)")
_FLAG = regex(r"-{1,2}[A-Za-z0-9]")
_FILE = regex(r"(?:\./|\.\./|/|~/)?[\w.*+@-]+(?:/[\w.*+@-]*)+\Z|[\w*-]+\.[a-z]{1,5}\Z|\.\Z")
_JOINED = regex(r"&&|\||;|>|<|\$\(")
_PIECE = regex(
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
    """Reads a command line as its words and operators, one blank apart, in their order."""
    text = _REMARKS.sub("", text)
    if len(text) > _LONGEST or "<<" in text or not is_shell(text):
        return None
    return _spell_line(text)


def _spell_line(text: str) -> str:
    words = list(split_shell(text.removeprefix("$ ")))
    while words and words[-1] == END_OF_COMMAND:
        words.pop()
    return " ".join(_split_options(word.spelling) for word in words)


def spell_command(text: str, key: str) -> str | None:
    """Returns the one spelling of what a key says is a command; None under any other key.

    Args:
        text: what no pattern knows to be a command.
        key: the spelling of the key that it stands under.
    """
    if key in _SQL_KEYS:
        return _spell_sql(text)
    if key not in _SHELL_KEYS:
        return None
    return tidy_lines(text) if "<<" in text or len(text) > _LONGEST else _spell_line(text)


def _split_options(token: str) -> str:
    """A word of the line; options of one letter that stand together, one by one: -r -f is -rf."""
    return " ".join(f"-{letter}" for letter in token[1:]) if _LETTERS.match(token) else token


def is_shell(text: str) -> bool:
    """Says whether a text is a command line: a known command first, and nothing of prose."""
    start = _ASSIGNMENTS.match(text)
    assert start
    line = text[start.end() : start.end() + 2000]
    first = _FIRST.match(line)
    name = first.group().rpartition("/")[2] if first else ""
    if not first or name not in _COMMANDS | _WORDS:
        return False
    rest = line[first.end() :]
    words = rest.split()
    if any(map(_FLAG.match, words)) or _JOINED.search(rest):
        return True
    if not _OF_PROSE.isdisjoint(words):
        return False
    return any(map(_FILE.match, words)) or (name in _COMMANDS and len(words) <= 6)


class ShellWord(NamedTuple):
    """A word or an operator of a command line.

    Attributes:
        spelling: one for all ways to write it.
        word: what the command is given; None of an operator, and of a quotation without end.
    """

    spelling: str
    word: str | None


END_OF_COMMAND = ShellWord(";", None)
_GOES_ON = frozenset(("&&", "||", "|", "|&", ";", "&", "(", "$("))  # after the end of a line


def split_shell(text: str) -> list[ShellWord]:
    """Returns words and operators; the end of a line is a semicolon where a command may end."""
    found: list[ShellWord] = []
    apart = True
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup or ""
        if kind == "operator":
            found.append(ShellWord(piece[kind], None))
        elif kind == "line" and found and found[-1].spelling not in _GOES_ON:
            found.append(END_OF_COMMAND)
        elif kind in ("plain", "single", "double", "open"):
            word = _read_word(piece[kind], kind)
            found[-1:] = [word] if apart and not found else _append_word(found[-1], word, apart)
        apart = kind not in ("plain", "single", "double", "open")
    return found


_SEVERAL = regex(r"&&|[;\n]")
# What a line with one of these is more than its commands one after the other.
_CONTROL = frozenset((
    "$(", "(", ")", "{", "}", "&", "for", "while", "until", "if", "case", "function", "select",
))  # fmt: skip
_MOST_COMMANDS = 50


def split_line(text: str) -> str | list[JsonValue]:
    """Returns the commands of a line for a shell that run one after the other; else the text."""
    if not _SEVERAL.search(text) or len(text) > _LONGEST or "<<" in text:
        return text
    text = _REMARKS.sub("", text).strip()
    if not is_shell(text):
        return text
    words = [word.spelling for word in split_shell(text.removeprefix("$ "))]
    if not _CONTROL.isdisjoint(words):
        return text
    commands: list[list[str]] = [[]]
    for word in words:
        if word not in (";", "&&"):
            commands[-1].append(word)
        elif commands[-1]:
            commands.append([])
    found: list[JsonValue] = [" ".join(command) for command in commands if command]
    return found if 1 < len(found) <= _MOST_COMMANDS else text


def _append_word(last: ShellWord, word: ShellWord, apart: bool) -> list[ShellWord]:
    if apart:
        return [last, word]
    whole = None if last.word is None or word.word is None else last.word + word.word
    return [ShellWord(last.spelling + word.spelling, whole)]


def _read_word(given: str, kind: str) -> ShellWord:
    """A word: bare where quotes change nothing, in double ones where the shell expands."""
    if kind == "plain":
        return ShellWord(given, _ESCAPED.sub(r"\1", given))
    if kind == "open":
        return ShellWord(given, None)
    expands = kind == "double" and _EXPANDED.search(given)
    quoted = f'"{given}"' if expands else f"'{given}'"
    word = _ESCAPED.sub(r"\1", given) if kind == "double" else given
    return ShellWord(given if _SAFE.match(given) else quoted, word)


_SQL_BEGINS = regex(
    r"(?:/\*.*?\*/|--[^\n]*\n|\s)*+(?:select|insert|update|delete|create|alter|drop|truncate|with"
    r"|explain|grant|revoke)\s",
    re.IGNORECASE | re.DOTALL,
)
_SQL_NAME = r"[\w.\"`\[\]]+"
_SQL_END = r"\s*(?:;|\Z)"
_SQL_RIGHT = (
    r"(?:select|insert|update|delete|truncate|references|trigger|usage|create|connect|execute"
    r"|all(?:\s+privileges)?)(?:\s*\([^()]*\))?"
)
# What prose hardly is: "Select a flight from the list" has neither marks nor capitals throughout.
_STATEMENTS = tuple(
    regex(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"insert\s+(?:or\s+\w+\s+)?into\s+{_SQL_NAME}\s*(?:\(|values\b|select\b)",
        rf"update\s+{_SQL_NAME}\s+set\s+{_SQL_NAME}\s*=",
        rf"delete\s+from\s+{_SQL_NAME}(?:\s+where\s+\S+|{_SQL_END})",
        rf"(?:create|alter|drop|truncate)\s+(?:\w+\s+){{0,3}}(?:table|index|view|database|schema)\s+"
        rf"(?:if\s+(?:not\s+)?exists\s+)?{_SQL_NAME}(?:{_SQL_END}|\s*\(|\s+(?:add|drop|on|as|rename)\s)",
        rf"with\s+(?:recursive\s+)?{_SQL_NAME}\s*(?:\([^)]*\)\s*)?as\s*\(",
        rf"select\s+(?:distinct\s+)?[*\w]+(?:\s*,\s*{_SQL_NAME})*\s+from\s+{_SQL_NAME}(?:{_SQL_END}|\s+where\s"
        r"|\s+(?:order|group)\s+by\s|\s+limit\s+\d)",
        r"select\s[^;]*?(?:[*=<>]|\w\(|,)[^;]*?\bfrom\s",
        r"select\s[^;]*?\bfrom\s[^;]*?(?:[=<>]|\w\(|\blimit\s+\d)",
        r"select\s+(?:\d|\w+\()",
        rf"(?:grant|revoke)\s+{_SQL_RIGHT}(?:\s*,\s*{_SQL_RIGHT})*\s+on\s+(?:\w+\s+){{0,5}}?{_SQL_NAME}\s+(?:to|from)\s",
    )
)
_SQL_TOKEN = regex(
    r"\s+|--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)"
    r"|\w+(?:\.\w+)*|<>|[<>!=]=|\|\||::|.",
    re.DOTALL,
)


def parse_sql(text: str) -> str | None:
    """Reads a statement of SQL as its tokens, one blank apart."""
    if len(text) > _LONGEST or not is_sql(text):
        return None
    return _spell_sql(text)


def _spell_sql(text: str) -> str | None:
    tokens = [_token_of_sql(token) for token in _SQL_TOKEN.findall(text)]
    joined = " ".join(token for token in tokens if token)
    return joined.rstrip("; ") or None


def is_sql(text: str) -> bool:
    """Says whether a text is a statement of SQL beyond doubt; a capitalised verb begins prose."""
    begin = _SQL_BEGINS.match(text)
    if not begin:
        return False
    verb = begin.group().split()[-1]
    if verb.istitle():
        return False
    statement = text[begin.end() - len(verb) - 1 :][:1000]
    if verb.lower() == "explain":
        return is_sql(statement[len(verb) :].lstrip())
    return any(pattern.match(statement) for pattern in _STATEMENTS)


def _token_of_sql(token: str) -> str:
    """One token; empty for a comment or blanks."""
    if token.isspace() or token.startswith(("--", "/*")):
        return ""
    if token == "<>":
        return "!="
    return token if token[0] in "'\"`" else token.casefold()
