"""What was learned of one tool."""

from dataclasses import dataclass

from otap.learning.setting import Setting
from otap.scoring.prepare.recognition import Role


@dataclass(frozen=True)
class ToolWeight:
    """What a tool does and weighs, as recognised and as learned.

    Args:
        tool: its name.
        recognised: what most of its calls do, as recognised or said.
        learned: what they do as far as outcomes say it, where that is something else.
        weight: what a call weighs under the learned settings, an ordinary write weighing 1.
        low: the lower end of the interval of what outcomes and names together say.
        high: its upper end.
        kept: whether something of it is put into the settings.
        evidence: what the runs say, a line.
        settings: what is put into the settings: nothing where nothing was kept.
    """

    tool: str
    recognised: Role
    learned: Role | None
    weight: float
    low: float
    high: float
    kept: bool
    evidence: str
    settings: tuple[Setting, ...] = ()
