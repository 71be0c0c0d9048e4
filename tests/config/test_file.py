"""Where settings come from, and which source wins."""

from pathlib import Path

import pytest

from otap.config.file import load_config
from otap.errors import ConfigError
from otap.scoring import Config


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_is_the_default() -> None:
    """Every setting comes from the preset."""
    loaded = load_config()
    assert loaded.config == Config()
    assert set(loaded.origins.values()) == {"preset default"}
    assert set(loaded.origins) == set(Config.model_fields)


def test_options_beat_the_file_which_beats_the_preset(here: Path) -> None:
    """And each setting says where its value comes from."""
    (here / "otap.toml").write_text('preset = "paper"\ntheta = 0.5\nencoder = "e"\nkappa = 2')
    loaded = load_config(None, {"encoder": "wordllama", "dependencies": None})
    config = loaded.config
    assert (config.encoder, config.theta, config.kappa) == ("wordllama", 0.5, 2.0)
    assert (config.epsilon, config.dependencies) == (0.05, "auto")
    assert loaded.origins["encoder"] == "command line"
    assert loaded.origins["theta"] == loaded.origins["kappa"] == "otap.toml"
    assert loaded.origins["paper"] == loaded.origins["dependencies"] == "preset paper"


def test_the_preset_of_the_command_line_wins(here: Path) -> None:
    """The file's other settings stay."""
    (here / "otap.toml").write_text('preset = "paper"\ntheta = 0.5')
    loaded = load_config(None, {"preset": "default"})
    assert (loaded.config.epsilon, loaded.config.theta) == (0.0, 0.5)
    assert loaded.origins["paper"] == "preset default"


def test_tables_are_merged(here: Path) -> None:
    """One weight in a file leaves the preset's others."""
    (here / "otap.toml").write_text('preset = "paper"\n[weights]\naction = 1')
    weights = load_config().config.weights
    assert (weights.action, weights.state, weights.tool) == (1.0, 0.0, 0.2)


def test_a_named_file_is_the_only_one(here: Path) -> None:
    """What lies in the folder is not read beside it."""
    (here / "otap.toml").write_text("theta = 0.1")
    (here / "other.toml").write_text("kappa = 3")
    loaded = load_config(Path("other.toml"))
    assert (loaded.config.theta, loaded.config.kappa) == (0.45, 3.0)
    assert loaded.origins["kappa"] == "other.toml"


def test_pyproject(here: Path) -> None:
    """Its table [tool.otap] counts where there is no otap.toml."""
    (here / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.otap]\ntheta = 0.2')
    assert load_config().config.theta == 0.2
    assert load_config().origins["theta"] == "pyproject.toml"
    assert load_config(Path("pyproject.toml")).config.theta == 0.2
    (here / "otap.toml").write_text("")
    assert load_config().config.theta == 0.45


@pytest.mark.parametrize("text", ['[project]\nname = "x"', "[tool.ruff]\nx = 1", "[tool.otap]"])
def test_a_pyproject_that_says_nothing_is_passed_over(here: Path, text: str) -> None:
    """Other programs' settings are not ours."""
    (here / "pyproject.toml").write_text(text)
    assert load_config().config == Config()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("otap.toml", "theta = 2", "otap.toml: theta: Input should be less than or equal to 1"),
        ("otap.toml", "thta = 1", "otap.toml: unknown setting 'thta'"),
        ("otap.toml", "[weights]\naction = nan", "otap.toml: weights.action: "),
        ("otap.toml", "weights = 3", "otap.toml: weights: "),
        ("otap.toml", "theta = ", "otap.toml: not valid TOML"),
        ("otap.toml", f"theta = {'[' * 5000}", "otap.toml: is nested too deep for settings"),
        ("otap.toml", f"theta{'.a' * 5000} = 1", "otap.toml: "),
        ("otap.toml", f"parameters.t.defaults{'.a' * 5000} = 1", "otap.toml: "),
        ("otap.toml", f"theta = 1{'0' * 5000}", "otap.toml: not valid TOML"),
        ("otap.toml", f"theta = 1{'0' * 400}", "otap.toml: theta: "),
        ("otap.toml", "theta = 1979-05-27", "otap.toml: theta: "),
        ("otap.toml", "#" * (1 << 20) + "\n", "otap.toml: is above 1,048,576 bytes"),
        ("pyproject.toml", "[tool.otap", "pyproject.toml: not valid TOML"),
        ("otap.toml", 'preset = "fast"', "no preset 'fast'"),
        ("otap.toml", "preset = []", "no preset '[]'"),
        ("pyproject.toml", "tool = 5", "pyproject.toml: tool.otap must be a table"),
        ("pyproject.toml", "[tool]\notap = 5", "pyproject.toml: tool.otap must be a table"),
    ],
)
def test_bad_files(here: Path, name: str, text: str, message: str) -> None:
    """One line that names the file and the setting."""
    (here / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config()
    assert str(caught.value).startswith(message)


def test_files_that_cannot_be_read(here: Path) -> None:
    """Named, with the reason."""
    with pytest.raises(ConfigError, match=r"none\.toml: cannot read it \(No such file"):
        load_config(Path("none.toml"))
    (here / "otap.toml").mkdir()
    with pytest.raises(ConfigError, match=r"otap\.toml: cannot read it \(Is a directory"):
        load_config()
    (here / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"bytes\.toml: not valid TOML"):
        load_config(Path("bytes.toml"))


def test_bad_options_name_the_command_line() -> None:
    """There is no file to blame."""
    with pytest.raises(ConfigError, match="command line: dependencies: "):
        load_config(None, {"dependencies": "guessed"})
