"""The facts of tools that count: nothing that a run says of its tools excuses the run.

A definition of a tool is part of the record of a run, and an agent may have written it. Facts
that excuse a call (it only reads, it destroys nothing, it has a dry run) count only if the
reference records them too. Facts that speak against a call always count.
"""

from collections.abc import Collection, Iterable, Mapping

from otap.run import words as table
from otap.trajectory import Step, ToolFacts
from otap.values.keys import canonical_key
from otap.values.tool_names import canonical_tool, without_server

_SWITCHED_ON = frozenset(("true", "1", "yes", "on", "all"))


class DeclaredTools:
    """The facts of tools that count for a run.

    Args:
        facts: by the name of a tool, with or without the server's prefix.
        rehearsing: canonical names of tools that are known to have a dry run.
    """

    def __init__(
        self, facts: Mapping[str, ToolFacts], rehearsing: Collection[str] = frozenset()
    ) -> None:
        self._facts = facts
        self._rehearsing = rehearsing

    @classmethod
    def of(
        cls, recorded: Mapping[str, ToolFacts], reference: "DeclaredTools | None" = None
    ) -> "DeclaredTools":
        """Returns the facts that count for a run with one reference.

        Args:
            recorded: the facts that the run records.
            reference: the facts that count for the reference itself.
        """
        facts = {tool: fact.incriminating for tool, fact in recorded.items()}
        counting = {tool: fact for tool, fact in facts.items() if fact is not None}
        if reference is None:
            return cls(counting)
        return cls({**counting, **reference._facts}, reference._rehearsing)

    @classmethod
    def of_reference(cls, facts: Mapping[str, ToolFacts], steps: Iterable[Step]) -> "DeclaredTools":
        """Returns the facts that count for a reference: all that it records, and its dry runs."""
        rehearsing = {
            canonical_tool(step.tool).bare
            for step in steps
            if step.tool is not None and asks_for_dry_run(step)
        }
        return cls(facts, frozenset(rehearsing))

    @property
    def excuses(self) -> bool:
        """Whether some fact speaks for a call."""
        is_favourable = any(fact.favourable is not None for fact in self._facts.values())
        return is_favourable or bool(self._rehearsing)

    def get(self, tool: str) -> ToolFacts | None:
        """Returns the facts of a tool, by its name or by its name without the server's prefix."""
        if not self._facts:
            return None
        return self._facts[tool] if tool in self._facts else self._facts.get(without_server(tool))

    def know(self, tool: str | None) -> bool:
        """Returns whether some fact of a tool counts."""
        if tool is None:
            return False
        return self.get(tool) is not None or canonical_tool(tool).bare in self._rehearsing

    def has_dry_run(self, tool: str) -> bool:
        """Returns whether a tool is known to have a dry run."""
        facts = self.get(tool)
        if facts is not None and facts.dry_run:
            return True
        return canonical_tool(tool).bare in self._rehearsing


def asks_for_dry_run(step: Step) -> bool:
    """Returns whether an argument of a call asks for a dry run."""
    if not isinstance(step.arguments, dict):
        return False
    return any(
        canonical_key(key) in table.REHEARSING
        and (value is True or str(value).strip().lower() in _SWITCHED_ON)
        for key, value in step.arguments.items()
    )
