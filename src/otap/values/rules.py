"""Rules from the settings for comparing the arguments of a tool, by path."""

from collections.abc import Mapping
from dataclasses import dataclass

from otap._caching import cached_property
from otap.values.keys import canonical_path


@dataclass(frozen=True)
class Rule:
    """The rule for the value at one path.

    Attributes:
        exact: values are equal or different.
        text: values are compared by meaning, even a single word.
        as_set: order and repetitions in a list have no meaning.
        ordered: the order of a list counts.
        absolute: numbers within this difference are equal.
        relative: numbers within this share of the larger one are equal.
    """

    exact: bool = False
    text: bool = False
    as_set: bool = False
    ordered: bool = False
    absolute: float = 0.0
    relative: float = 0.0

    @property
    def has_tolerance(self) -> bool:
        """Whether unequal numbers may count as equal."""
        return self.absolute > 0 or self.relative > 0


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules for one tool.

    Attributes:
        by_path: the rules by path. Dots join the keys; the members of a list share its path.
    """

    by_path: Mapping[str, Rule]

    def at(self, path: str) -> Rule:
        """Returns the rule at a path in any spelling of its keys, or a rule without effect.

        Args:
            path: the path with the recorded keys.
        """
        rule = self.by_path.get(path)
        return rule or self._by_canonical_path.get(canonical_path(path), NO_RULE)

    @cached_property
    def _by_canonical_path(self) -> Mapping[str, Rule]:
        return {canonical_path(path): self.by_path[path] for path in sorted(self.by_path)}


NO_RULE = Rule()
