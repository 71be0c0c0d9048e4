"""Cells of Python that only look at existing data: ``print(df.head())``.

A whitelist over the syntax tree. A cell that assigns, imports, loops, or calls anything that is not
known to look is no such cell.
"""

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache

MAX_CELL = 5_000  # characters

_FUNCTIONS = frozenset((
    "print", "display", "len", "type", "repr", "str", "int", "float", "bool", "round", "abs", "sum",
    "min", "max", "sorted", "list", "tuple", "set", "dict", "dir", "isinstance", "hasattr", "any",
    "all", "range", "enumerate", "zip",
))  # fmt: skip
# Methods of tables, columns and texts that return something and change nothing.
_METHODS = frozenset((
    "head", "tail", "sample", "describe", "info", "value_counts", "nunique", "unique", "isna",
    "isnull", "notna", "notnull", "sum", "mean", "median", "std", "var", "min", "max", "count",
    "corr", "quantile", "mode", "idxmax", "idxmin", "any", "all", "duplicated", "groupby",
    "size", "sort_values", "sort_index", "nlargest", "nsmallest", "to_string", "to_markdown",
    "tolist", "to_list", "to_dict", "keys", "values", "items", "copy", "round", "memory_usage",
    "lower", "upper", "strip", "split", "join", "startswith", "endswith", "format", "astype",
    "select_dtypes", "reset_index", "transpose", "isin", "between", "contains",
))  # fmt: skip
# Keywords that write, or that hold a function to call.
_KEYWORDS_THAT_ACT = frozenset(
    ("inplace", "file", "buf", "out", "engine", "key", "func", "default")
)
_PLAIN_NODES = (
    ast.Module, ast.Expr, ast.Name, ast.Load, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice,
    ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
    ast.IfExp, ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.keyword, ast.operator,
    ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


@lru_cache(maxsize=2_000)
def only_looks(cell: str) -> bool:
    """Returns whether a cell of Python shows something and changes nothing."""
    if len(cell) > MAX_CELL:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(tree.body) and all(_looks(node) for node in ast.walk(tree))


def _looks(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return isinstance(node, _PLAIN_NODES)
    if any(name in _KEYWORDS_THAT_ACT for name in _list_keywords(node)):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _FUNCTIONS
    return isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS


def _list_keywords(call: ast.Call) -> Iterator[str]:
    """Yields the names of keywords; ``**options`` may hold any."""
    for keyword in call.keywords:
        yield keyword.arg or "file"
