"""The setting ``order_free``: tools of which any two calls can change places."""

from collections.abc import Iterable

from otap.values.tool_names import ByTool


class FreeOrder:
    """The pairs of tools whose order does not matter.

    Args:
        order_free: a name: the tool's calls can change places with those of every tool; a list of
            names: the calls of these tools can change places with each other.
    """

    def __init__(self, order_free: Iterable[str | tuple[str, ...]]) -> None:
        free: dict[str, str] = {}
        groups: dict[str, set[int]] = {}
        for number, entry in enumerate(order_free):
            if isinstance(entry, str):
                free[entry] = entry
            else:
                for tool in entry:
                    groups.setdefault(tool, set()).add(number)
        self.is_empty = not free and not groups
        self._free, self._groups = ByTool(free), ByTool(groups)

    def allows(self, tool: str | None, other_tool: str | None) -> bool:
        """Returns whether calls of two tools can change places."""
        if self.is_empty:
            return False
        if self._free.get(tool) is not None or self._free.get(other_tool) is not None:
            return True
        numbers, other_numbers = self._groups.get(tool), self._groups.get(other_tool)
        return bool(numbers and other_numbers and numbers & other_numbers)
