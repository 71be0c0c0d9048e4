"""Code is code: what of a file, a script or a patch is another value, and what is layout."""

import ast
import io
import random
import tokenize
from pathlib import Path

import pytest

from otap.values.code import compare_lines, is_code
from otap.values.kinds import read_scalar

PYTHON = """import os
import sqlite3

LIMIT = 5

def login(user, tries):
    # at most so many
    total = 0
    if tries > LIMIT:
        raise ValueError('too many')
    for one in user.roles:
        if one == 'admin':
            total -= 1
    print(total)
    return query("SELECT * FROM t WHERE owner = ?", user.id)
"""
DOCKER = "FROM python:3.12\n# base\nWORKDIR /app\nCOPY . .\nRUN pip install -r requirements.txt\n"
SHELL = "#!/bin/sh\nset -e\nrsync -a build/ /srv/app/\nsystemctl restart nginx\n"
SCRIPT = """const limit = 5;
function check(x) {
  // not more
  if (x.size > limit && x.ok) { return x.size - 1; }
  return call(x, 'a');
}
"""
GO = (
    'package main\n\nfunc f(a int) int {\n\tif a > 3 {\n\t\treturn a - 1\n\t}\n\treturn g("x")\n}\n'
)
YAML = "jobs:\n  build:\n    runs-on: ubuntu\n    timeout: 5\n    steps:\n      - run: make test\n"
TOML = '[tool]\nname = "a"\nlimit = 5\n[tool.more]\nforce = false\n'
MARKUP = '<div class="a">\n  <!-- note -->\n  <a href="/x">go</a>\n</div>\n'
PATCH = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-b > 1\n+b > 2\n c\n"
APPLIED = "*** Begin Patch\n*** Update File: x.py\n@@\n a\n-b > 1\n+b > 2\n*** End Patch\n"
SQL = "SELECT a, b FROM t WHERE owner = 3 AND a > 2;\nDELETE FROM u WHERE id = 7;\n"
JAVA = "class A {\n  int f(int x) {\n    /* so */\n    return x > 3 ? x + 1 : g(x);\n  }\n}\n"
MAKE = "all:\n\tcc -o a a.c\n\ninstall:\n\tcp a /usr/bin/a\n"

ANOTHER = [
    *((PYTHON, a, b) for a, b in (
        ("tries > LIMIT", "tries < LIMIT"), ("-= 1", "+= 1"), ("== 'admin'", "!= 'admin'"),
        ("print(total)", "os.system('curl x.sh | sh')"), (" WHERE owner = ?", ""),
        ("LIMIT = 5", "LIMIT = 6"), ("query(", "run("), ("user.id", "user.name"),
        ("    print(total)\n", ""), ("        raise", "    raise"), ("LIMIT", "MOST"),
        ("for one in", "async for one in"), ("total = 0", "total = None"),
        ("import os", "import sys"), ("return query", "query"), ("'too many'", "'Too many'"),
        ("    return", "        return"), ("tries)", "tries=3)"),
    )),
    *((DOCKER, a, b) for a, b in (
        ("COPY", "USER root\nCOPY"), ("3.12", "3.11"), ("/app", "/"), ("-r ", "--pre -r "),
    )),
    *((SHELL, a, b) for a, b in (
        ("rsync -a", "rm -rf"), ("restart", "stop"), ("set -e\n", ""), ("/srv/app", "/srv/old"),
        ("nginx", "sshd"),
    )),
    *((SCRIPT, a, b) for a, b in (
        (">", "<"), ("&&", "||"), ("- 1", "+ 1"), ("'a'", "'b'"), ("call(", "drop("),
        ("= 5", "= 6"), ("x.ok", "!x.ok"), (">", ">="),
    )),
    *((GO, a, b) for a, b in ((">", "<"), ("- 1", "+ 1"), ("g(", "h("), ('"x"', '"y"'))),
    *((YAML, a, b) for a, b in (
        ("timeout: 5", "timeout: 50"), ("make test", "make install"), ("    timeout", "  timeout"),
    )),
    *((TOML, a, b) for a, b in (("false", "true"), ("5", "6"), ("[tool.more]\n", ""))),
    *((MARKUP, a, b) for a, b in (("/x", "/y"), ("go", "stop"), ("<a ", "<b "))),
    *((PATCH, a, b) for a, b in (("+b > 2", "+b < 2"), ("-b > 1\n", ""), ("b/x.py", "b/y.py"))),
    *((APPLIED, a, b) for a, b in (("+b > 2", "+b < 2"), ("x.py", "y.py"))),
    *((SQL, a, b) for a, b in (("= 3", "= 4"), (">", "<"), (" WHERE id = 7", ""))),
    *((JAVA, a, b) for a, b in ((">", "<"), ("x + 1", "x - 1"), ("g(x)", "h(x)"))),
    *((MAKE, a, b) for a, b in (("cp ", "rm "), ("-o a", "-o b"))),
]  # fmt: skip
SAME = [
    *((PYTHON, a, b) for a, b in (
        ("'admin'", '"admin"'), ("    # at most so many\n", ""), ("total", "sum_of_all"),
        ("tries > LIMIT", "(tries >  LIMIT)"), ("import os\nimport sqlite3", "import sqlite3, os"),
        ("tries):\n", 'tries):\n    """Logs in."""\n'), ("\n    for", "\n\n    for"),
        ("user.id)", "\n        user.id,\n    )"),
    ) if "sqlite3, os" not in b),
    (PYTHON, "import os\nimport sqlite3", "import sqlite3\nimport os"),
    (DOCKER, "# base\n", ""), (DOCKER, "COPY", "\n# all\nCOPY"), (SHELL, "set -e", "# so\nset -e"),
    (SHELL, "restart nginx", "restart  nginx   # web"), (SCRIPT, "  // not more\n", ""),
    (SCRIPT, "'a'", '"a"'), (SCRIPT, "{ return", "{\n    return"), (SCRIPT, "x.size >", "x.size>"),
    (GO, "\t", "    "), (YAML, "make test", "make test  # all"), (TOML, "[tool]\n", "[tool]\n\n"),
    (MARKUP, "  <!-- note -->\n", ""), (PATCH, "@@ -1,3 +1,3 @@\n a", "@@ -1,3 +1,3 @@ f\n aa"),
    (APPLIED, "@@\n a\n", "@@\n"), (JAVA, "    /* so */\n", "    // so\n"),
    (JAVA, "A {\n", "A\n{\n"), (MAKE, "\n\ninstall", "\n\n# root\ninstall"),
]  # fmt: skip
PROSE = [
    "# Title\n\nSome prose here (see x). It is nice.\n\n- one item: two\n- another one\n",
    "Hello Ann,\n\nyour order: 5 pieces.\nTotal: 10.00\n\nBest\nBob",
    "# Use\n\nRun it:\n\n```sh\npip install x\n```\n\nThen see the docs.\n",
    "Docs: update for the new login flow",
    "Please note:\nThe flight leaves at 5.\nCheck in at the desk; bring a passport.",
]


@pytest.mark.parametrize(("text", "old", "new"), ANOTHER)
def test_another_program(text: str, old: str, new: str) -> None:
    assert old in text
    changed = text.replace(old, new, 1)
    assert read_scalar(text).kind in ("code", "sql")
    assert read_scalar(text).canonical != read_scalar(changed).canonical
    assert compare_lines(text, changed)


@pytest.mark.parametrize(("text", "old", "new"), SAME)
def test_another_layout(text: str, old: str, new: str) -> None:
    assert old in text
    changed = text.replace(old, new)
    assert read_scalar(text) == read_scalar(changed)


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_code(text: str) -> None:
    assert not is_code(text)


FILES = sorted(Path(ast.__file__).parent.glob("*.py"))[::4]
_SWAPPED = {">": "<", "<": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "+=": "-="}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_one_token_makes_another_program_and_no_layout_does(file: Path) -> None:
    text = file.read_text("utf-8")
    if len(text) > 60_000:
        return  # these are read as well, and take their time
    read = read_scalar(text)
    assert read == read_scalar(ast.unparse(ast.parse(text)))
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    places = [k for k, one in enumerate(tokens) if one.string in _SWAPPED or one.type == 2]
    for k in random.Random(7).sample(places, min(2, len(places))):
        row, start, end = tokens[k].start[0] - 1, tokens[k].start[1], tokens[k].end[1]
        lines = text.splitlines(keepends=True)
        swapped = _SWAPPED.get(tokens[k].string, "987")
        lines[row] = lines[row][:start] + swapped + lines[row][end:]
        assert read_scalar("".join(lines)).canonical != read.canonical


def test_a_megabyte_is_read_and_compared_in_time() -> None:
    line = "    if (a[%d] > 3) { call(a, 'x'); }\n"
    text = "".join(line % k for k in range(28_000))
    assert read_scalar(text) != read_scalar(text.replace("[20000] > 3", "[20000] < 3"))
    assert "[ 20000 ] < 3" in compare_lines(text.replace("[20000] > 3", "[20000] < 3"), text)
