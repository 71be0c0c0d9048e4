"""How the arguments of a tool are compared where their settings say so, by path."""

from collections.abc import Mapping
from dataclasses import dataclass

from otap._caching import cached_property
from otap.values.keys import spelled_path


@dataclass(frozen=True)
class Rule:
    """How what stands at one path is compared.

    exact: equal or different. text: by what it means, even a single word. as_set: as a list whose
    order and repetitions mean nothing. ordered: as a list whose order counts. absolute, relative:
    numbers are equal within these.
    """

    exact: bool = False
    text: bool = False
    as_set: bool = False
    ordered: bool = False
    absolute: float = 0.0
    relative: float = 0.0

    @property
    def has_tolerance(self) -> bool:
        """Whether it allows numbers to differ."""
        return self.absolute > 0 or self.relative > 0


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules for one tool; paths are keys joined by dots, members of a list share its path."""

    by_path: Mapping[str, Rule]

    def at(self, path: str) -> Rule:
        """Returns the rule at a path, its keys spelled in any way; one that does nothing if none.

        Args:
            path: as it was recorded.
        """
        found = self.by_path.get(path)
        return found or self._by_spelling.get(spelled_path(path), NO_RULE)

    @cached_property
    def _by_spelling(self) -> Mapping[str, Rule]:
        return {spelled_path(path): self.by_path[path] for path in sorted(self.by_path)}


NO_RULE = Rule()
