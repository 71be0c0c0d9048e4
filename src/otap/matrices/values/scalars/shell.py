"""Commands of a shell: blanks and needless quotes are no difference. Nothing is executed.

Nor is it one whether options of a single letter stand together: rm -rf is rm -r -f.
"""

import re

from otap._patterns import regex

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
_ASSIGNMENTS = regex(r"(?:\$ )?(?:[A-Z_]\w*=\S* +)*+")
_FIRST = regex(r"[\w./~+-]+(?=[\s;|&>]|\Z)")
_FLAG = regex(r"-{1,2}[A-Za-z0-9]")
_FILE = regex(r"(?:\./|\.\./|/|~/)?[\w.*+@-]+(?:/[\w.*+@-]*)+\Z|[\w*-]+\.[a-z]{1,5}\Z|\.\Z")
_OPERATOR = regex(r"&&|\|\|?|;;?|&|>>?|<|\$?\(|2>&1")
_JOINED = regex(r"&&|\||;|>|<|\$\(")
_PIECE = regex(
    r"(?P<join>\\\n)|(?P<line>\s*\n\s*)|(?P<blank>\s+)"
    r"|(?P<operator>\$\(|\d?(?:>>|>|<)(?:&\d?)?|&>>?|&&|\|\||;;|[|;&()])"
    r"|'(?P<single>[^']*+)'|\"(?P<double>(?:[^\"\\]|\\.)*+)\""
    r"|(?P<plain>\\.|[^\s'\"\\|&;<>()]+|.)",
    re.DOTALL,
)
_LETTERS = regex(r"-[A-Za-z]{2,8}\Z")
_SAFE = regex(r"[\w@%+=:,./-]+\Z", re.ASCII)
_EXPANDED = regex(r"[$`\\!']")


def shell(text: str) -> str | None:
    """Reads a command line as its words and operators, one blank apart, in their order."""
    if len(text) > _LONGEST or "<<" in text or not is_shell(text):
        return None
    tokens = _tokens(text.removeprefix("$ "))
    while tokens and tokens[-1] == ";":
        tokens.pop()
    return " ".join(_apart(token) for token in tokens)


def _apart(token: str) -> str:
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


def _tokens(text: str) -> list[str]:
    """Words and operators; the end of a line is a semicolon where a command may end."""
    tokens: list[str] = []
    apart = True
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup or ""
        if kind in ("operator", "line"):
            tokens += _operator(piece, kind, tokens)
        elif kind in ("plain", "single", "double"):
            word = piece[kind] if kind == "plain" else _quoted(piece[kind], kind)
            tokens[-1:] = [word] if apart and not tokens else _put(tokens[-1], word, apart)
        apart = kind not in ("plain", "single", "double")
    return tokens


def _put(last: str, word: str, apart: bool) -> list[str]:
    return [last, word] if apart else [last + word]


def _operator(piece: re.Match[str], kind: str, before: list[str]) -> list[str]:
    if kind == "operator":
        return [piece[kind]]
    return [] if not before or _OPERATOR.fullmatch(before[-1]) else [";"]


def _quoted(given: str, kind: str) -> str:
    """Quoted text: bare where quotes change nothing, in double quotes where the shell expands."""
    if _SAFE.match(given):
        return given
    expands = kind == "double" and _EXPANDED.search(given)
    return f'"{given}"' if expands else f"'{given}'"
