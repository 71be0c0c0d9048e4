"""Why an edge of a dependency graph is there, as text."""

from collections.abc import Iterator

from otap._numbers import brief_text
from otap.dependencies import Edge
from otap.errors import shown

SHOWN = 3  # values of an edge


def evidence_lines(edge: Edge, limit: int = SHOWN) -> Iterator[str]:
    """Yields the values that prove an edge, each with where it was shown and where it was used.

    Args:
        edge: of any graph.
        limit: the most values; the others are counted.
    """
    for item in edge.evidence[:limit]:
        source, target = shown(item.source_path, 60), shown(item.target_path, 60)
        yield f"{shown(item.value, 40)}: {source} → {target}"
    rest = len(edge.evidence) - limit
    if rest > 0:
        yield f"and {rest} more {'value' if rest == 1 else 'values'}"


def evidence_text(edge: Edge) -> str:
    """Returns in a line how sure an edge is, and the values that prove it."""
    found = "; ".join(evidence_lines(edge))
    return f", {brief_text(edge.confidence)} sure" + (f": {found}" if found else "")
