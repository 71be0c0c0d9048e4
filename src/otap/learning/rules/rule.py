"""One rule that runs may teach: what it would say, whether it is kept, and why."""

from dataclasses import dataclass
from typing import Literal

from otap.learning.setting import Setting

Kind = Literal["failures", "hand-overs", "substitutes", "arguments", "order"]


@dataclass(frozen=True)
class Rule:
    """A rule that was looked at.

    Args:
        kind: what it is about.
        about: the tools, or the tool and the path, that it speaks of; empty: of no single one.
        evidence: what the runs say, a line without its end; of a rule that is not kept, what it
            would take.
        settings: what it puts into the settings; nothing where it is not kept.
    """

    kind: Kind
    about: str
    evidence: str
    settings: tuple[Setting, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether there is evidence enough."""
        return bool(self.settings)
