"""Reads YAML within limits. An alias stands for a copy of its anchor, so copies count in full."""

from pathlib import Path
from typing import Any

from otap._numbers import number_text
from otap.errors import ConfigError, shown, shown_path
from otap.formats.limits import MAX_DEPTH

MAX_BYTES = 1 << 20
MAX_NODES = 50_000  # with the copies of aliases


def read_yaml(name: str) -> Any:
    """Returns the data of a YAML file.

    Raises:
        ConfigError: if PyYAML is not installed, the file cannot be read, or a limit is exceeded.
    """
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise ConfigError(
            f"{shown_path(name)}: reading YAML needs PyYAML: pip install pyyaml"
        ) from None
    loader_type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        with Path(name).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ConfigError(
                f"{shown_path(name)}: is larger than {number_text(MAX_BYTES)} bytes, the limit"
            )
        loader = loader_type(content.decode("utf-8-sig"))
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _count_nodes(node, {}, 0, shown_path(name))
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except (OSError, ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
        reason = shown(" ".join(str(error).split()), 200)
        raise ConfigError(f"{shown_path(name)}: cannot read it ({reason})") from None


def _count_nodes(node: Any, counts: dict[int, int], depth: int, file: str) -> int:
    """Returns the number of nodes of a node and everything in it.

    Args:
        node: a node of YAML; an alias is the node of its anchor.
        counts: the numbers so far, by the identity of the node.
        depth: the number of nodes above.
        file: names the file in errors.

    Raises:
        ConfigError: if there are more than the limit, or they nest too deep.
    """
    line = node.start_mark.line + 1
    if depth > MAX_DEPTH:
        raise ConfigError(f"{file}: line {line}: is nested deeper than {MAX_DEPTH} levels")
    if id(node) in counts:
        return counts[id(node)]
    count = 1
    children = node.value if isinstance(node.value, list) else ()
    for child in children:
        for part in child if isinstance(child, tuple) else (child,):
            count += _count_nodes(part, counts, depth + 1, file)
            if count > MAX_NODES:
                raise ConfigError(
                    f"{file}: line {part.start_mark.line + 1}: unfolds to more than"
                    f" {number_text(MAX_NODES)} values by its aliases, the limit of a YAML file"
                )
    counts[id(node)] = count
    return count
