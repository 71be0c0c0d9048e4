"""The architecture as a table: what each stage may import from the others; no cycle."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import otap

SOURCE = Path(otap.__file__).parent
MAY_IMPORT: dict[str, set[str]] = {
    "errors": {"_patterns"},
    "_version": set(),
    "_work": {"errors"},
    "_caching": set(),
    "_distributions": set(),
    "_garbage": set(),
    "_numbers": set(),
    "_patterns": {"_caching"},
    "values": {"_caching", "_patterns"},
    "trajectory": {"errors"},
    "graph": {"_caching", "trajectory"},
    "wordpieces": {"_caching"},
    "encoders": {"_patterns", "errors", "wordpieces"},
    "transport": {"errors", "_caching"},  # the numeric core sees arrays only
    "formats": {"errors", "_patterns", "trajectory"},
    "plans": {
        "errors", "_work", "_caching", "_patterns", "values", "trajectory", "graph", "transport",
        "formats",
    },
    "tasks": {"_caching", "values", "trajectory"},
    "config": {"errors", "_patterns", "trajectory", "tasks"},
    "run": {"errors", "_caching", "_patterns", "values", "trajectory", "graph", "config"},
    "costs": {"_caching", "values", "trajectory", "graph", "encoders", "transport", "run"},
    "alignment": {"errors", "_caching", "trajectory", "transport", "costs", "run"},
    "paper": {
        "errors", "_caching", "trajectory", "graph", "encoders", "transport", "costs", "run",
        "config", "alignment",
    },
    "findings": {
        "errors", "_caching", "_numbers", "_patterns", "values", "trajectory", "graph", "transport",
        "costs", "run", "config", "alignment",
    },
    "scoring": {
        "errors", "_version", "_work", "_caching", "_garbage", "_numbers", "_patterns", "values",
        "trajectory", "graph",
        "formats", "encoders", "transport", "costs", "tasks", "config", "run", "alignment",
        "findings", "plans", "paper",
    },
    "training": {"errors", "formats", "scoring", "trajectory"},
    "evaluation": {
        "errors", "_caching", "_distributions", "_garbage", "trajectory", "formats", "transport",
        "tasks", "config", "findings", "plans", "scoring",
    },
    "learning": {
        "errors", "_version", "_caching", "_distributions", "_numbers", "_patterns", "values",
        "trajectory", "graph", "formats", "encoders", "transport", "tasks", "config", "run",
        "alignment", "findings", "scoring", "evaluation", "plans",
    },
    "golden": {
        "errors", "_version", "values", "trajectory", "tasks", "config", "run", "findings",
        "scoring", "plans", "evaluation", "learning",
    },
    "report": {
        "errors", "_caching", "_numbers", "_patterns", "trajectory", "graph", "config", "run",
        "alignment", "findings", "scoring", "evaluation", "learning",
    },
    "plot": {"scoring", "report"},
    "compat": {"errors", "trajectory", "formats"},
    "judge": {"errors", "_numbers", "trajectory", "formats", "scoring", "report"},
    "integrations": {
        "errors", "_numbers", "trajectory", "formats", "config", "findings", "scoring", "judge",
        "golden", "report", "cli",
    },
    "cli": {
        "errors", "_version", "_numbers", "_patterns", "values", "trajectory", "formats",
        "transport", "tasks", "config", "run", "findings", "scoring", "evaluation", "learning",
        "report", "plans", "golden",
    },
    "__main__": {"cli"},
}  # fmt: skip
HEAVY = (
    "scipy",
    "torch",
    "rich",
    "typer",
    "click",
    "wordllama",
    "tokenizers",
    "safetensors",
    "sqlglot",
)


def stages_imported_by(module: Path) -> set[str]:
    """The stages that a module imports, wherever in it; only absolute imports are allowed."""
    names = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("otap.")}


def stage_of(module: Path) -> str:
    """The first part of a module's path below the package."""
    return module.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_every_stage_is_in_the_table() -> None:
    """A new folder or file of the package is a decision: it gets a line above."""
    stages = {stage_of(module) for module in SOURCE.rglob("*.py")} - {"__init__"}
    assert stages == set(MAY_IMPORT)


def test_each_stage_imports_only_what_the_table_allows() -> None:
    """No stage looks back up the pipeline."""
    for module in SOURCE.rglob("*.py"):
        stage = stage_of(module)
        if stage != "__init__":
            assert stages_imported_by(module) <= MAY_IMPORT[stage] | {stage}, module


def test_the_table_has_no_cycle() -> None:
    """The stages can be put in an order in which each imports only earlier ones."""
    placed: set[str] = set()
    while len(placed) < len(MAY_IMPORT):
        ready = {s for s, below in MAY_IMPORT.items() if s not in placed and below <= placed}
        assert ready, MAY_IMPORT.keys() - placed
        placed |= ready


# What an install brings: the dependencies, and packages that come with them.
INSTALLED = {
    "jinja2", "markupsafe", "numpy", "pydantic", "pydantic_core", "rich", "sqlglot",
    "threadpoolctl", "typer",
}  # fmt: skip
# What a user asks for: the extras, the hosts of the integrations, and a reader of YAML.
ON_REQUEST = {
    "_pytest", "inspect_ai", "matplotlib", "pyarrow", "pytest", "ray", "sentence_transformers",
    "yaml",
}  # fmt: skip


def test_the_package_imports_no_further_packages() -> None:
    """A new dependency is a decision: each makes an install larger and a start slower."""
    modules = (ast.parse(module.read_text(encoding="utf-8")) for module in SOURCE.rglob("*.py"))
    nodes = [node for module in modules for node in ast.walk(module)]
    names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    packages = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"otap"}
    assert packages == INSTALLED | ON_REQUEST


def test_no_lock_that_a_fork_would_keep() -> None:
    """Python 3.11 locks a ``functools.cached_property`` for all objects of a class: ours has none.

    A process that is forked while another thread holds the lock would wait for ever.
    """
    for module in SOURCE.rglob("*.py"):
        assert "functools.cached_property" not in set(imported(module)), module


def imported(module: Path) -> Iterator[str]:
    """What a module imports by ``from``, as whole names."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
