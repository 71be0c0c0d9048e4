"""The record of what was learned, ``otap.learning/1``: the same in Python and in JSON."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from otap._version import __version__
from otap.errors import shown
from otap.learning.card import Card
from otap.learning.setting import Record, Setting
from otap.scoring import Config
from otap.scoring.signature import METRIC

SCHEMA_VERSION: Literal["otap.learning/1"] = "otap.learning/1"
# What a tool does, as a sentence has it.
ROLES = {"writes": "writes", "reads": "reads", "thinks": "thinks", "hands_over": "hands over"}
# The list of the settings that holds the tools of a role.
LISTS = {
    "writes": "writes", "reads": "read_only", "thinks": "thinks", "hands_over": "hands_over",
}  # fmt: skip


class Runs(Record):
    """What was learned from."""

    runs: int = Field(description="All that were read.")
    learned_from: int = Field(description="Those with an outcome and a reference.")
    good: int = Field(description="Of these.")
    tasks: int = Field(description="Of these.")
    without_outcome: int
    without_reference: int
    references: Literal["given", "runs", "none"] = Field(
        description="given: known-good runs; runs: of each task one of its good runs; none: no "
        "outcome is known."
    )
    digest: str = Field(description="Sixteen characters that differ where any run does.")


class Tool(Record):
    """A tool: what it was taken for, and what the outcomes say of it."""

    name: str
    recognised: dict[str, int] = Field(
        {}, description="How many calls were taken for what: writes, reads, thinks, hands_over."
    )
    runs: int = Field(0, description="Runs that call it.")
    arguments: tuple[str, ...] = Field(
        (), description="Keys of its arguments, the most used first."
    )
    learned: str | None = Field(None, description="What the outcomes take it for; null: the same.")
    kept: bool = Field(False, description="Whether it is put into the settings.")
    evidence: str | None = None

    @property
    def role(self) -> str:
        """What most of its calls were taken for."""
        return min(self.recognised, key=lambda role: (-self.recognised[role], role))

    @property
    def setting(self) -> Setting | None:
        """What of it is put into the settings."""
        if not self.kept or self.learned is None:
            return None
        return tool_setting(self.name, self.learned, self.evidence or "")


def tool_setting(tool: str, role: str, evidence: str = "") -> Setting:
    """Returns the setting of what a tool does."""
    return Setting(path=("tools", LISTS[role]), value=tool, evidence=evidence)


class Learned(Record):
    """Settings that runs with known outcomes taught, with the evidence and a report card."""

    schema_version: Literal["otap.learning/1"] = SCHEMA_VERSION
    version: str = Field(__version__, description="Of this package.")
    metric: int = Field(METRIC, description="The number of the metric's definition.")
    runs: Runs
    began_with: dict[str, Any] = Field(
        description="The settings that were there, but those of the preset default."
    )
    tools: tuple[Tool, ...] = Field(description="Those that are called, the most runs first.")
    settings: tuple[Setting, ...] = Field(description="What was learned, beside what was there.")
    card: Card | None = Field(description="null: there are no good and bad runs to compare.")
    warnings: tuple[str, ...]
    config: Config = Field(description="The settings, with what was learned.")

    @property
    def is_scaffold(self) -> bool:
        """Whether nothing could be compared, so that there is only what was recognised."""
        return self.card is None

    def left(self) -> Iterator[str]:
        """Yields what was looked at and left as it is, a line each.

        Tools of which outcomes say nothing else than what was recognised are named, no more.
        """
        agreed: dict[str, list[str]] = defaultdict(list)
        for tool in self.tools:
            if tool.kept or tool.evidence is None:
                continue
            if tool.learned is None and tool.recognised:
                agreed[tool.role].append(shown(tool.name))
            else:
                yield f"{shown(tool.name)}: {tool.evidence}"
        for role, names in sorted(agreed.items()):
            yield f"{ROLES[role]}, as recognised: {', '.join(names)}"

    def to_toml(self) -> str:
        """Returns the settings as a file that a person reads and edits, and ``--config`` takes.

        Raises:
            ConfigError: if there is a value that TOML cannot hold.
        """
        from otap.learning.settings_file import settings_file

        return settings_file(self)

    def to_dict(self) -> dict[str, Any]:
        """Returns it as plain data."""
        return self.model_dump(mode="json")

    def to_json(self, indent: int | None = None) -> str:
        """Returns it as JSON; absent is null."""
        return self.model_dump_json(indent=indent)

    def __str__(self) -> str:
        return self.to_toml()
