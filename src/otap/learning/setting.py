"""One learned line of settings, with the evidence for it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from otap.scoring import Config, Parameters, parse_config


@dataclass(frozen=True)
class Setting:
    """A value that is put into the settings, and why.

    Args:
        path: where, as ("tools", "read_only"), ("tools", "weight", "pay"), ("substitutes",).
        value: what is put there; where the settings have a list, one member of it.
        evidence: what the runs say, a line without its end.
    """

    path: tuple[str, ...]
    value: Any
    evidence: str


def with_settings(config: Config, settings: Iterable[Setting]) -> Config:
    """Returns a configuration with settings put into it.

    Raises:
        ConfigError: if they contradict each other, or what was there.
    """
    data = config.model_dump(mode="json")
    for setting in settings:
        _put(data, setting.path, setting.value)
    return parse_config(data)


def _put(data: dict[str, Any], path: Sequence[str], value: Any) -> None:
    *above, last = path
    if above[:1] == ["parameters"]:  # the table of a tool is made with its first rule
        data["parameters"].setdefault(path[1], Parameters().model_dump(mode="json"))
    for name in above:
        data = data.setdefault(name, {})
    if isinstance(data.get(last), list):
        data[last] = [*data[last], value]
    else:
        data[last] = value
