"""The settings file: it loads as what was learned, whatever names and evidence hold."""

import re
from pathlib import Path

import pytest

import desk
import otap
from otap.config.file import load_config
from otap.errors import ConfigError
from otap.learning import Learned
from otap.learning.learned import Runs, Tool
from otap.learning.setting import Setting, with_settings
from otap.learning.settings_file import is_unedited
from otap.trajectory import Step

HOSTILE = 'a "quoted" \\ name\n[tools]\nfailed = 1\x1b[31m\u202e\x7f # \t'
RUNS = Runs(
    runs=3, learned_from=2, good=1, tasks=2, without_outcome=0, without_reference=0,
    references="given", digest="0" * 16,
)  # fmt: skip
SETTINGS = (
    Setting(path=("tools", "read_only"), value=HOSTILE, evidence=f"{HOSTILE}: reads"),
    Setting(path=("tools", "read_only"), value="long" * 2500, evidence="a long name"),
    Setting(
        path=("tools", "weight", HOSTILE), value=0.012345678901234567, evidence="weighs little"
    ),
    Setting(path=("tools", "weight", "日本語"), value=1e-06, evidence="weighs nothing"),
    Setting(
        path=("failed",), value="folded", evidence="failures that were made good do not matter"
    ),
    Setting(path=("counts", "failed"), value=0.5, evidence="others do"),
)


def learned(config: otap.Config, settings: tuple[Setting, ...] = SETTINGS) -> Learned:
    """What was learned, with some settings."""
    tool = Tool(name=HOSTILE, recognised={"writes": 3}, runs=2, arguments=(HOSTILE,))
    return Learned(
        runs=RUNS, began_with={}, tools=(tool,), settings=settings, card=None,
        warnings=(HOSTILE,), config=with_settings(config, settings),
    )  # fmt: skip


def loaded(folder: Path, text: str) -> otap.Config:
    """The settings of a file."""
    path = folder / "settings.toml"
    path.write_text(text, "utf-8")
    return load_config(path).config


def uncommented(text: str) -> str:
    """A scaffold whose lists are in force."""
    return re.sub(r"^# ?", "", text[text.index("# [tools]") :], flags=re.MULTILINE)


@pytest.mark.parametrize(
    "config",
    [
        otap.Config(),
        otap.Config.preset("paper", arguments="structured"),
        otap.Config(
            tools={"read_only": ["mine"], "ignore": ["note"]},
            parameters={"*": {"tolerance": {"x": "1%"}, "defaults": {"a": {"b": [1, "c", 0.5]}}}},
            substitutes=[{"tools": ["x", "y"], "distance": 0.2}],
            unrelated_cost={"tool": 0.5},
        ),
    ],
)
def test_it_loads_as_what_was_learned(tmp_path: Path, config: otap.Config) -> None:
    """Beside what was there; each line has its evidence above it, and none is obeyed."""
    found = learned(config)
    text = found.to_toml()
    assert loaded(tmp_path, text) == found.config
    assert all(line.isprintable() for line in text.split("\n"))
    assert '# weighs nothing\n"日本語" = 1e-06\n' in text
    assert "  # a long name\n" in text
    assert is_unedited(text)
    assert not is_unedited(text.replace("0.5", "0.6"))


def test_a_scaffold_changes_nothing_until_it_is_corrected(tmp_path: Path) -> None:
    """All in comments; with these taken away each tool is what it was taken for."""
    runs = [run.model_copy(update={"outcome": None}) for run in desk.runs()]
    odd = [Step(id=str(k), tool=t) for k, t in enumerate((HOSTILE, "long" * 2500, "calculate"))]
    shell = [Step(id=c, tool="bash", arguments={"command": c}) for c in ("ls", "rm x")]
    runs.append(otap.Trajectory(steps=(*odd, *shell)))
    found = otap.learn(runs)
    text = str(found)
    assert found.is_scaffold
    assert loaded(tmp_path, text) == otap.Config()
    tools = loaded(tmp_path, uncommented(text)).tools
    assert tools.read_only == ("get_user",)
    assert tools.thinks == ("calculate",)
    assert set(tools.writes) == {"refund", desk.MISREAD, HOSTILE}


def test_tools_that_are_as_recognised_are_named_and_no_more() -> None:
    """Sixteen lines of figures that say "as it was" hide the one that does not."""
    tools = [
        Tool(name=name, recognised={role: 2}, runs=2, arguments=(), evidence="figures")
        for name, role in (("pay", "writes"), ("look", "reads"), ("send", "writes"))
    ]
    other = Tool(name="odd", recognised={"writes": 1}, runs=1, arguments=(), learned="reads",
                 evidence="too little")  # fmt: skip
    found = learned(otap.Config(), ()).model_copy(update={"tools": (*tools, other)})
    told = ["odd: too little", "reads, as recognised: look", "writes, as recognised: pay, send"]
    assert list(found.left()) == told


def test_what_no_file_can_hold() -> None:
    """A default of null can be said in Python alone."""
    config = otap.Config(parameters={"pay": {"defaults": {"x": None}}})
    with pytest.raises(ConfigError, match="TOML cannot hold None"):
        learned(config, ()).to_toml()
