"""A proposed setting with the evidence for it, and settings put into a configuration."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from otap.scoring import Config, parse_config


class Record(BaseModel):
    """A part of what is written as JSON: ``otap.learning/1`` and its neighbours."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Setting(Record):
    """A value that is put into the settings, and why.

    ``path`` is as ("tools", "read_only") or ("tools", "weight", "pay"). Where the settings have a
    list there, ``value`` is one member of it. ``evidence`` is what the runs say, on one line.
    """

    path: tuple[str, ...]
    value: Any
    evidence: str = ""

    @property
    def said(self) -> str:
        """What is set, as "tools.read_only: search"."""
        return f"{'.'.join(self.path)}: {self.value}"


def with_settings(config: Config, settings: Iterable[Setting]) -> Config:
    """Returns a configuration with settings put into it.

    Raises:
        ConfigError: if they contradict each other, or what was there.
    """
    data = config.model_dump(mode="json")
    for setting in settings:
        *above, last = setting.path
        table = data
        for name in above:
            table = table.setdefault(name, {})
        is_list = isinstance(table.get(last), list)
        table[last] = [*table[last], setting.value] if is_list else setting.value
    return parse_config(data)
