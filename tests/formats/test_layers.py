"""Adding a format touches one module and one line: nothing else of reading knows a format."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from otap import formats
from otap.formats import registry

SOURCE = Path(formats.__file__).parent
# Each layer may import itself and those before it; the package itself imports them all.
LAYERS = (
    "limits", "live", "run_names", "json",
    "content", "failures", "unread", "tokens", "tool_definitions", "exchanges", "conversations",
    "tool_calls", "call_identity", "wrappers", "written_calls", "recorder",
    "spans", "chats", "events", "trials",
    "readers", "registry", "trace_files", "sessions", "__init__",
)  # fmt: skip
KNOWS_FORMATS = ("readers", "registry", "sessions")
TOY = '''
"""A format of one number: how many calls were made."""
from otap.trajectory import Step, Trajectory

NAME = "toy"
DESCRIPTION = "how many calls were made"
STEP = "each of them"


def recognises(value):
    return isinstance(value, int)


def read(document, *, reasoning=False):
    steps = [Step(id=str(n), tool="f") for n in range(document.value)]
    yield Trajectory(steps=tuple(steps))
'''


def layer_of(path: Path) -> str:
    """Returns the layer that a module belongs to: the first part of its path."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Yields the layers that a module imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("otap.formats."):
            yield from f"{node.module}".split(".")[2:3] or [alias.name for alias in node.names]


def said_in_code(path: Path) -> Iterator[str]:
    """Yields the texts in the code of a module, but for its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_layer_is_known() -> None:
    """A new folder or file of formats is a decision: it gets a place among the layers."""
    assert {layer_of(path) for path in SOURCE.rglob("*.py")} == set(LAYERS)


def test_layers_look_down() -> None:
    """No layer imports one that comes after it."""
    later = {
        path: set(imported(path)) - set(LAYERS[: LAYERS.index(layer_of(path)) + 1])
        for path in SOURCE.rglob("*.py")
    }
    assert {path: found for path, found in later.items() if found} == {}


def test_only_readers_and_the_registry_name_a_format() -> None:
    """Neither as a value nor in an error."""
    names = re.compile("|".join(rf"\b{name}\b" for name in formats.FORMATS if name != "otap"), re.I)
    others = (
        path
        for path in SOURCE.rglob("*.py")
        if not str(path.relative_to(SOURCE)).startswith(KNOWS_FORMATS)
    )
    said = [(path, text) for path in others for text in said_in_code(path) if names.search(text)]
    assert said == []


def test_a_format_is_a_module_and_a_line(write, tmp_path, monkeypatch) -> None:
    """A module that the table names is read like any other."""
    (tmp_path / "toy_format.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(formats.FORMATS, "toy", registry.FormatEntry("toy_format"))
    assert len(formats.read(write(3)).steps) == 3
    monkeypatch.delitem(sys.modules, "toy_format")
