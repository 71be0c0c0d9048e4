"""How long the walk of one score through the code is, and how much code there is.

The ceilings are what has been reached. Whoever needs more of something says in the commit what for,
and raises its ceiling; whoever needs less lowers it.
"""

import ast
import io
import json
import subprocess
import sys
import tokenize
from pathlib import Path
from statistics import median, quantiles

import otap

SOURCE = Path(otap.__file__).parent
HOTEL = Path(__file__).parents[1] / "examples" / "hotel-booking"
# A warm score of a new run of six steps. In Python 3.11 a comprehension counts as a function.
WALK = {"functions": 250, "modules": 40, "calls": 824, "depth": 15}
LINES, FILES = 34_025, 301
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip
PROFILED = """
import json, sys
from pathlib import Path
import otap

source, hotel = Path(otap.__file__).parent, Path(sys.argv[1])
gold = otap.read(hotel / "reference.json")
scorer = otap.Scorer()
scorer.score(otap.read(hotel / "runs" / "merged_filters.json"), gold)
new = otap.read(hotel / "runs" / "missing_book.json")
called, depth, deepest = [], 0, 0

def profile(frame, event, _):
    global depth, deepest
    code = frame.f_code
    if code.co_filename.startswith(str(source)) and event in ("call", "return"):
        depth += 1 if event == "call" else -1
        deepest = max(deepest, depth)
        if event == "call":
            called.append((code.co_filename, code.co_qualname, code.co_firstlineno))

sys.setprofile(profile)
scorer.score(new, gold)
sys.setprofile(None)
print(json.dumps({
    "functions": len(set(called)),
    "modules": len({file for file, *_ in called}),
    "calls": len(called),
    "depth": deepest,
}))
"""


def test_the_walk_of_a_score_gets_no_longer() -> None:
    """Functions and modules that a reader passes who follows one score."""
    command = [sys.executable, "-c", PROFILED, str(HOTEL)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert {name: count for name, count in found.items() if count > WALK[name]} == {}


def test_the_code_gets_no_larger() -> None:
    """Lines with a token that is neither a comment nor of a docstring, and files."""
    files = list(SOURCE.rglob("*.py"))
    assert sum(count_code_lines(file.read_text("utf-8")) for file in files) <= LINES
    assert len(files) <= FILES


def test_functions_stay_short() -> None:
    """Half of them have at most five lines of code, and nine of ten at most thirteen."""
    lengths = [
        count_code_lines(ast.unparse(node)) - 1
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert median(lengths) <= 5
    assert quantiles(lengths, n=10)[-1] <= 13


def count_code_lines(text: str) -> int:
    """The lines of code of a module."""
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=int(last)):
                code.difference_update(range(first, last + 1))
    return len(code)
