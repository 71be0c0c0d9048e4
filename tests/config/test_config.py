"""Settings: two presets, what may be changed of them, and what is refused."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from otap.errors import ConfigError
from otap.scoring import PRESETS, Config, parse_config


def test_the_default_is_the_preset_default() -> None:
    """Nothing said is ``default``."""
    assert Config() == Config.preset("default") == parse_config({})
    assert Config().preset_name == "default"


def test_the_paper_is_the_paper_to_the_letter() -> None:
    """The constants of the paper's experiments."""
    paper = Config.preset("paper")
    assert (paper.theta, paper.epsilon, paper.temperature, paper.kappa) == (0.35, 0.05, 0.05, 1.0)
    assert (paper.lambda_agent, paper.lambda_reference) == (1.0, 1.0)
    weights = {"action": 0.35, "arguments": 0.2, "effect": 0.25, "tool": 0.2, "state": 0.0}
    assert paper.weights.model_dump() == weights
    assert paper.encoder == "minilm"
    assert paper.preset_name == "paper"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_with_another_metric_is_custom(name: str) -> None:
    """Its name stands for its numbers; the encoder is named apart."""
    assert Config.preset(name, theta=0.5).preset_name == "custom"
    assert Config.preset(name, encoder="other", max_depth=3).preset_name == name
    assert Config.preset(name, dependencies="explicit").preset_name == name


def test_one_weight_of_a_preset_leaves_the_others() -> None:
    """Tables are merged key by key, as in a file."""
    paper = Config.preset("paper", weights={"action": 1.0})
    assert (paper.weights.action, paper.weights.state) == (1.0, 0.0)


def test_a_configuration_survives_json() -> None:
    """What is written and read again is equal."""
    config = Config(
        substitutes=[{"tools": ["a", "b"], "distance": 0.2}],
        counts={"reads": 0.1},
    )
    assert parse_config(json.loads(config.model_dump_json())) == config


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"thta": 1}, "unknown setting 'thta'; did you mean 'theta'?"),
        ({"theta": 3}, "theta: Input should be less than or equal to 1"),
        ({"weights": {"acton": 1}}, "unknown setting 'weights.acton'; did you mean 'action'?"),
    ],
)
def test_a_wrong_setting_in_python_is_one_line(setting, message) -> None:
    """Keywords are told as a file's settings are."""
    with pytest.raises(ConfigError) as caught:
        Config(**setting)
    assert str(caught.value).startswith(message)


def test_a_configuration_cannot_be_changed() -> None:
    """A scorer can rely on it."""
    with pytest.raises(ValidationError, match="frozen"):
        Config().theta = 0.5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"thta": 1}, "configuration: unknown setting 'thta'; did you mean 'theta'?"),
        ({"colour": 1}, "configuration: unknown setting 'colour'; there are encoder, dependencies"),
        ({"weights": {"actin": 1}}, "unknown setting 'weights.actin'; did you mean 'action'?"),
        ({"weights": {"colour": 1}}, "'weights.colour'; there are action, arguments"),
        ({"tools": {"strict": True}}, "'tools.strict'; move 'strict' to the top of the settings"),
        ({"counts": {"preset": "paper"}}, "move 'preset' to the top of the settings, above the"),
        ({"read_only": ["a"]}, "unknown setting 'read_only'; move it to [tools]"),
        ({"tools": {"sets": ["a"]}}, "unknown setting 'tools.sets'; move it to [parameters.TOOL]"),
        ({"parameters": {"text": ["body"]}}, "the table lacks the name of a tool; move it to"),
        ({"tool": {"otap": {}}}, "[tool.otap] is for pyproject.toml"),
        ({"substitutes": [{"tools": ["a", "b"], "far": 1}]}, "there are tools, distance"),
        ({"substitutes": [{"tools": ["a"]}]}, "substitutes[0].tools: "),
        ({"substitutes": [{"tools": ["a", "b"], "distance": 2}]}, "substitutes[0].distance: "),
        ({"theta": 1.5}, "theta: Input should be less than or equal to 1"),
        ({"theta": float("nan")}, "theta: "),
        ({"paper": {"epsilon": -1}}, "paper.epsilon: "),
        ({"lambda_agent": 0}, "lambda_agent: Input should be greater than 0"),
        ({"lambda_agent": float("inf")}, "lambda_agent: "),
        ({"weights": {"action": float("nan")}}, "weights.action: Input should be a finite number"),
        ({"weights": {"action": -1}}, "weights.action: "),
        ({"weights": dict.fromkeys(("action", "tool"), 1e308)}, "weights.action: Input should be"),
        ({"kappa": 1e308}, "kappa: Input should be 0, or from 1e-06 to 1e+06"),
        ({"kappa": 10**400}, "kappa: "),
        ({"paper": {"epsilon": 5e-324}}, "paper.epsilon: Input should be 0, or from 1e-06 to 1"),
        ({"paper": {"epsilon": 1e3}}, "paper.epsilon: Input should be 0, or from 1e-06 to 1"),
        ({"lambda_reference": 1e-308}, "Input should be greater than 0: from 1e-06 to 1e+06"),
        ({"paper": {"temperature": 5e-324}}, "paper.temperature: Input should be greater than 0"),
        ({"epsilon": 0.1}, "unknown setting 'epsilon'; move it to [paper]"),
        ({"mass": "relative"}, "'mass' is gone; only preset = \"paper\" has it, always: remove it"),
        ({"unknown_order": "scored"}, "'unknown_order' is gone; remove it; dependencies = "),
        ({"subagents": "nested"}, 'subagents: "nested" is gone; remove it: preset = "paper"'),
        ({"paper": {}}, 'the paper\'s metric needs recognise = false; start from preset = "paper"'),
        ({"paper": {}, "recognise": False}, "needs precedence = 0.0; start from preset"),
        ({"counts": {"reads": 1e-300}}, "counts.reads: Input should be greater than 0: from"),
        ({"tools": {"weight": {"a": 1e9}}}, "tools.weight.a: Input should be greater than 0: from"),
        ({"parameters": {"a": {"tolerance": {"b": 10**400}}}}, "a tolerance is a number of 0"),
        ({"parameters": {"a": {"tolerance": {"b": "9" * 400 + "%"}}}}, "a tolerance is a number"),
        ({"parameters": {"a": {"defaults": {"b": float("nan")}}}}, "parameters.a.defaults"),
        (
            {"weights": dict.fromkeys(("action", "arguments", "effect", "tool", "state"), 0)},
            "weights: at least one weight must be above 0",
        ),
        ({"dependencies": "guessed"}, "dependencies: "),
        ({"paper": {"unrelated_cost": {"colour": 1}}}, "paper.unrelated_cost.colour"),
        ({"max_depth": -1}, "max_depth: "),
        ({"order": "check"}, "order: Input should be a list, in brackets"),
        (
            {"order": ["check", "refund"]},
            "order[0]: a chain is a list inside the list, as in order = [",
        ),
        ({"order": [["check"]]}, "order[0]: List should have at least 2 items, not 1"),
        ({"order": [["check", 1]]}, "order[0][1]: Input should be a valid string"),
        (
            {"parameters": {"book": {"ordered": "stops"}}},
            "parameters.book.ordered: Input should be",
        ),
        ({"\x1b[31m": 1}, "unknown setting '\\x1b[31m'"),
    ],
)
def test_bad_settings_are_named(data: dict[str, Any], message: str) -> None:
    """One line with the setting, and those that there are if it is unknown."""
    with pytest.raises(ConfigError) as caught:
        parse_config(data)
    assert message in str(caught.value)
    assert str(caught.value).startswith("configuration: ")


def test_an_unknown_preset_names_the_known_ones() -> None:
    """An error, not the default."""
    with pytest.raises(ConfigError, match="no preset 'fast'; there are default and paper"):
        Config.preset("fast")
