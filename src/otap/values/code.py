"""Canonical forms of files, scripts and patches, as tokens of their language.

Nothing is executed. Python that parses has the form of its syntax tree: comments, docstrings,
quotes, the order of imports and the names of local variables have no meaning. In other languages
comments and blanks have none, nor line ends if braces and semicolons hold the structure. Of a patch
only the added and removed lines count. Everything else makes a different value: an operator, a
literal, a call, a condition.
"""

import ast
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from functools import lru_cache
from textwrap import dedent

from otap._patterns import regex
from otap.values.commands import is_shell
from otap.values.normalization import join_blanks, tidy_lines

# Characters of the longest program with a parsed syntax tree, about 0.3 s. Longer programs and
# those in other languages are compared by tokens.
MAX_PARSED_CODE = 100_000
MAX_PARSED_CELL = 20_000  # characters of a cell in which variables are compared without names
# The least share of code lines in a program; half of a file may be comments or ambiguous lines.
CODE_LINES = 0.4
# Characters of a line that are read, and lines of each side in a diff.
MAX_LINE, DIFF_LINES = 200, 3

_CODE_SIGNS = regex(r"[=(){};<>:\[\]]|\A#!|\A(?:FROM|RUN) ")
_FENCE = regex(r"^[^\S\n]*```", re.MULTILINE)
_PATCH = regex(r"\s*(?:diff --git |\*\*\* Begin Patch|Index: |--- \S.*\n\+\+\+ \S|@@ .*@@)")
# A patch that a command of the shell receives, and nothing else.
_FED_PATCH = regex(
    r"((?:apply_patch|git apply|patch)\b[^\n;&|<>$`]*)<<-?\s*(['\"]?)(\w+)\2\n(.*)\n\3\s*\Z",
    re.DOTALL,
)
_FILE_IN_PATCH = regex(r"diff |Index: |\*\*\* (?:Add|Update|Delete) ")
_NAME_IN_PATCH = regex(r"\A((?:---|\+\+\+) )[ab]/")
_PATCH_LINE = regex(
    r"[ +\-@\\]|diff |index |Index: |=+\Z|\*\*\* |(?:new|deleted) file mode |(?:old|new) mode "
    r"|(?:dis)?similarity index |(?:rename|copy) (?:from|to) |\Z"
)
# The changes of a patch: index hashes, line numbers, timestamps and lines around are free.
_PATCHED = regex(
    r"^(?:\*\*\* (?:Add|Update|Delete|Move)\b.*|(?:rename|copy) (?:from|to) .*"
    r"|(?:old|new) mode .*|(?:new|deleted) file mode .*|(?:---|\+\+\+) [^\t\n]*|[+-].*)",
    re.MULTILINE,
)
_LINE = regex(
    r"[{}\[;]\s*\Z|\)\s*:\s*\Z|[\w)\]\"'][ ]?(?:==|!=|=>|->|::|&&|\+=|-=|:=)[ ]?[\w(\[\"']"
    r"|\A\s*[\w.\[\]\"'-]+ ?= ?\S|\A\s*(?:return|await|yield|print|raise|throw)\b.*[\w(]\(.*\)"
    r"|\A\s*(?:return|assert)\b.*[\w)\]] ?[<>]=? ?[\w(]|\A\s*(?:elif|if|for|while|with) .*:\Z"
    r"|\A\s*[\w.]+\([^()]*\)\s*;?\Z|\A\s*(?:async )?(?:def|fn|func|function) \w+ ?\("
    r"|\A\s*class \w+(?:\(.*\))?:|\A\s*(?:import|from) [\w.]+(?: import .+| as \w+)?\Z"
    r"|\A\s*(?:const|let|var) \w+\b.*=|\A\s*#include |\A\s*</?\w+[^<>]*>|\A[+-]{3} "
    r"|\A\s*(?:else|try|except|finally)\b[^.?!]*:\Z|\A\[[\w.-]+\]\Z|\A[\w-]+:\Z"
    r"|\A(?:FROM|RUN|COPY|ADD|USER|WORKDIR|ENV|EXPOSE|CMD|ENTRYPOINT|ARG|LABEL) \S"
    r"|\A\s+(?:- )?[\w.-]+: \S|\A\s*- [\w.-]+: \S|\A\s*(?:fi|done|then|do|esac|end)\Z"
)
_ONE_LINE = regex(r"\{[^{}\n]*;\s*\}")
_BRACED = regex(r"[{};][^\S\n]*(?://.*)?$", re.MULTILINE)
_HASHED = regex(r"^[^\S\n]*(?:#!|# )", re.MULTILINE)
_LINE_END = regex(r" (?:[;{}](?= |\Z)|>(?= <))")
_TOKENS = (
    r"(?P<string>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"
    r"|(?P<token>\w+(?:\.\w+)*|[-+*/%<>=!&|^~?:.]{1,3}(?<![-+*/%=(,]-)|[^\s])|(?P<line>\n[^\S\n]*)"
)
_COMMENTS = {
    "braces": r"(?P<comment>(?<!:)//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)|",
    "markup": r"(?P<comment><!--(?:[^-]|-(?!->))*+-->)|",
    "lines": r"(?P<comment>(?<!\S)#[^\n]*)|",
}
_LEXERS = {family: regex(comment + _TOKENS) for family, comment in _COMMENTS.items()}


def parse_code(text: str) -> str | None:
    """Returns the canonical form of a file or a script, or None for other texts."""
    if not is_code(text):
        return None
    return _read_python(text, rename=True) or _read_tokens(text)


def is_patch(text: str) -> bool:
    """Returns whether a text is a patch in each of its lines, and changes something."""
    if not _PATCH.match(text) or not _PATCHED.search(text):
        return False
    # What stands between two patches may do anything.
    return all(_PATCH_LINE.match(line) for line in text.strip().split("\n"))


def parse_patch(text: str) -> str | None:
    """Returns the changes of a patch, or None for other texts."""
    fed = _FED_PATCH.match(text)
    if fed:
        if not fed[2] and ("$" in fed[4] or "`" in fed[4]):
            return None  # the shell would expand it
        changes = parse_patch(fed[4])
        return changes and f"{join_blanks(fed[1]).strip()}\n{changes}"
    if not is_patch(text):
        return None
    return "\n".join(_list_changes(text))


def _list_changes(text: str) -> Iterator[str]:
    """Yields the changes of a patch by file; in one block, removed lines before added ones."""
    files: dict[tuple[str, ...], list[str]] = {}
    header, changes, block = list[str](), list[str](), list[str]()
    lines = [*text.split("\n"), "diff "]
    for previous, line, following in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        is_old = line.startswith("--- ") and following.startswith("+++ ")
        is_name = is_old or (line.startswith("+++ ") and previous.startswith("--- "))
        change = _PATCHED.match(line)
        if change and line[0] in "+-" and not is_name:
            block.append(line.rstrip())
            continue
        changes += sorted(block, key=_is_added)
        block = []
        if (_FILE_IN_PATCH.match(line) and (header or changes)) or (is_old and changes):
            files.setdefault(tuple(header), []).extend(changes)
            header, changes = [], []
        if change:
            header.append(_NAME_IN_PATCH.sub(r"\1", change[0]).rstrip())
    for names in sorted(files):
        yield from (*names, *files[names])


def _is_added(line: str) -> bool:
    return line.startswith("+")


def is_code(text: str) -> bool:
    """Returns whether a sufficient share of the lines is code; Markdown is prose."""
    if text.startswith("#!"):
        return True
    if not _CODE_SIGNS.search(text) or _FENCE.search(text):
        return False
    lines = [line for line in tidy_lines(text).split("\n") if line.strip()]
    statements = [line for line in lines if not line.lstrip().startswith(("#", "//"))] or lines
    code_lines = sum(_is_code_line(line) for line in statements)
    if len(statements) < 3:
        return 2 * code_lines >= len(lines)
    if code_lines >= CODE_LINES * len(statements):
        return True
    is_assigned = code_lines and _is_code_line(statements[0])  # a list over several lines
    return bool(code_lines > 2 or is_assigned) and _read_python(text, rename=False) is not None


def _is_code_line(line: str) -> bool:
    beginning = line[:MAX_LINE]
    return _LINE.search(beginning) is not None or is_shell(beginning.strip())


def _read_python(text: str, *, rename: bool, is_cell: bool = False) -> str | None:
    """Returns the text of a Python syntax tree; None for other texts and for too long ones.

    Args:
        text: any text.
        rename: whether the local variables of functions are numbered.
        is_cell: whether the variables of the program are numbered too.
    """
    if len(text) > MAX_PARSED_CODE:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(dedent(text))
        outer_names = _list_outer_names(tree) if is_cell else set[str]()
        _tidy_tree(tree, rename)
        if is_cell:
            _rename_locals(tree, outer_names)
        return ast.unparse(tree) or None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tidy_tree(tree: ast.Module, rename: bool) -> None:
    renamed = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            body = [statement for statement in node.body if not _is_docstring(statement)]
            node.body = body or [ast.Pass()]
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and rename and node not in renamed:
            renamed.update(ast.walk(node))
            _rename_locals(node)
    tree.body[:] = list(_sort_imports(tree.body))


@lru_cache(maxsize=500)
def form_without_names(text: str) -> str | None:
    """Returns the form of a Python cell with its own variables numbered, or None for other texts.

    Names that the cell reads before it writes, and constants in capitals, belong to others.
    """
    return _read_python(text, rename=True, is_cell=True) if len(text) <= MAX_PARSED_CELL else None


def _list_outer_names(tree: ast.Module) -> set[str]:
    """The names that a cell reads before a line has written them, and its constants."""
    first_reads: dict[str, int] = {}
    first_writes: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            firsts = first_writes if isinstance(node.ctx, ast.Store) else first_reads
            firsts[node.id] = min(node.lineno, firsts.get(node.id, node.lineno))
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            first_reads[name] = min(node.lineno, first_reads.get(name, node.lineno))
    return {
        name
        for name, line in first_writes.items()
        if name.isupper() or first_reads.get(name, line + 1) <= line
    }


def _is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is an unused string."""
    expression = node.value if isinstance(node, ast.Expr) else None
    return isinstance(expression, ast.Constant) and isinstance(expression.value, str)


def _rename_locals(function: ast.AST, outer_names: Collection[str] = ()) -> None:
    """Numbers the local variables of a function; parameters and outer names stay."""
    nodes = list(ast.walk(function))
    if any(isinstance(node, ast.ClassDef) for node in nodes):
        return
    names = [node for node in nodes if isinstance(node, ast.Name)]
    fixed_names = {*outer_names, *(node.arg for node in nodes if isinstance(node, ast.arg))}
    for node in nodes:
        if isinstance(node, ast.Global | ast.Nonlocal):
            fixed_names.update(node.names)
    numbers: dict[str, str] = {}
    for name in names:
        if isinstance(name.ctx, ast.Store) and name.id not in fixed_names:
            numbers.setdefault(name.id, f"${len(numbers)}")
    for name in names:
        name.id = numbers.get(name.id, name.id)


def _sort_imports(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a program with each group of imports sorted by name."""
    imports: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names.sort(key=lambda name: (name.name, name.asname or ""))
            imports.append(node)
        else:
            yield from sorted(imports, key=ast.unparse)
            imports = []
            yield node
    yield from sorted(imports, key=ast.unparse)


def _read_tokens(text: str) -> str:
    """Returns the tokens of a program with single blanks, by line if lines are structure."""
    family = _find_family(text)
    tokens = list[str]()
    for match in _LEXERS[family].finditer(f"\n{text}"):
        kind, token = match.lastgroup, match.group()
        if kind == "line":
            tokens.append(token if family == "lines" else "\n")
        elif kind == "string" and len(token) > 2 and token[0] == "'" and '"' not in token:
            tokens.append(f'"{token[1:-1]}" ')
        elif kind != "comment":
            tokens.append(f"{token} ")
    lines = [line.rstrip() for line in "".join(tokens).split("\n") if line.strip()]
    if family == "lines":
        return "\n".join(lines)
    # One statement a line, wherever the lines of the file ended.
    return _LINE_END.sub("\\g<0>\n", " ".join(lines))


def _find_family(text: str) -> str:
    """Returns the carrier of the structure: braces, markup, or lines with their indentation."""
    if text.lstrip().startswith("<"):
        return "markup"
    has_hashes = text.startswith("#!") or len(_HASHED.findall(text)) > text.count("//")
    is_braced = len(_BRACED.findall(text)) >= 2 or _ONE_LINE.search(text)
    return "braces" if is_braced and not has_hashes else "lines"


def share_of_other_lines(run: Counter[str], reference: Counter[str]) -> float:
    """Returns the share of the lines of two programs that only one has, from their counts."""
    lines = run.keys() & reference.keys()
    common = sum(min(run[line], reference[line]) for line in lines)
    return 1 - 2 * common / (run.total() + reference.total())


def compare_lines(run: str, reference: str) -> str:
    """Returns the different lines of two programs as a diff of bounded length."""
    run_lines, reference_lines = Counter(_list_lines(run)), Counter(_list_lines(reference))
    diff: list[str] = []
    omitted = 0
    for sign, lines in (("-", reference_lines - run_lines), ("+", run_lines - reference_lines)):
        listed_lines = list(lines.elements())
        diff += [f"{sign} {line.strip()[:MAX_LINE]}" for line in listed_lines[:DIFF_LINES]]
        omitted += max(0, len(listed_lines) - DIFF_LINES)
    if omitted:
        diff.append(f"and {omitted} more lines")
    return " | ".join(diff) or "in another order"


def _list_lines(text: str) -> list[str]:
    tidy = parse_patch(text) or _read_python(text, rename=False) or _read_tokens(text)
    return tidy.split("\n")
