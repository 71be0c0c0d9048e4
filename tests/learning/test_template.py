"""The settings template: it changes nothing until it is corrected, whatever names hold."""

import re
from pathlib import Path

import pytest

import desk
import otap
from otap.config.file import load_config
from otap.errors import ConfigError
from otap.trajectory import Step

HOSTILE = 'a "quoted" \\ name\n[tools]\nfailed = 1\x1b[31m\u202e\x7f # \t'


def runs() -> list[otap.Trajectory]:
    """Runs of a help desk, and one that calls tools with odd names."""
    odd_names = (HOSTILE, "long" * 2500, "calculate")
    steps = [Step(id=str(k), tool=tool) for k, tool in enumerate(odd_names)]
    steps += [Step(id=c, tool="bash", arguments={"command": c}) for c in ("ls", "rm x")]
    return [*desk.runs(), otap.Trajectory(steps=steps)]


def loaded(folder: Path, text: str) -> otap.Config:
    """The settings of a file."""
    path = folder / "settings.toml"
    path.write_text(text, "utf-8")
    return load_config(path).config


def uncommented(text: str) -> str:
    """A template whose lists are in force."""
    return re.sub(r"^# ?", "", text[text.index("# [tools]") :], flags=re.MULTILINE)


@pytest.mark.parametrize(
    "config",
    [
        otap.Config(),
        otap.Config.preset("paper", paper={"unrelated_cost": {"tool": 0.5}}),
        otap.Config(
            tools={"read_only": [HOSTILE], "ignore": ["note"], "weight": {"日本語": 1e-06}},
            parameters={"*": {"tolerance": {"x": "1%"}, "defaults": {"a": {"b": [1, "c", 0.5]}}}},
            substitutes=[{"tools": ["x", "y"], "distance": 0.2}],
        ),
    ],
)
def test_it_loads_as_the_settings_in_force(tmp_path: Path, config: otap.Config) -> None:
    """All tools are in comments, and no name leaves its comment."""
    text = str(otap.learn(runs(), config=config))
    assert loaded(tmp_path, text) == config
    assert all(line.isprintable() for line in text.split("\n"))


def test_the_comments_are_valid_settings(tmp_path: Path) -> None:
    """Without the comment signs each tool has the role that it was taken for."""
    tools = loaded(tmp_path, uncommented(otap.learn(runs()).to_toml())).tools
    assert tools.read_only == ("get_user",)
    assert tools.thinks == ("calculate",)
    assert set(tools.writes) == {"refund", desk.MISREAD, HOSTILE}


def test_tools_in_the_settings_are_not_listed_again() -> None:
    """The comments list the other tools, and say that [tools] is at the end."""
    config = otap.Config(tools={"read_only": [desk.MISREAD], "ignore": ["refund"]})
    comments = str(otap.learn(desk.runs(), config=config)).split("\n[tools]")[0]
    assert "get_user" in comments
    assert desk.MISREAD not in comments and "refund" not in comments
    assert "[tools] at the end" in comments and "# [tools]" not in comments


def test_settings_that_no_file_can_hold() -> None:
    """A default of None exists in Python only."""
    config = otap.Config(parameters={"pay": {"defaults": {"x": None}}})
    with pytest.raises(ConfigError, match="TOML cannot hold None"):
        otap.learn([], config=config).to_toml()
