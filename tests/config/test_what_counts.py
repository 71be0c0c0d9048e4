"""What counts, as settings: what is refused, what is shown, what the signature says of it."""

from pathlib import Path
from typing import Any

import pytest

import hotel
import otap
from otap.config.file import load_config
from otap.config.sections import tolerance_parts
from otap.errors import ConfigError
from otap.scoring import Parameters, Tools, parse_config

EVERYTHING = """
failed = "folded"
subagents = "flattened"

[tools]
ignore = ["think"]
read_only = ["get_user"]
weight = { book = 2, get_user = 0.1 }

[parameters."*"]
ignore = ["request_id"]

[parameters.book]
exact = ["name"]
text = ["reason"]
sets = ["flights"]
tolerance = { "payment.amount" = 0.01, total = "1%" }
defaults = { insurance = "no" }
"""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"tools": {"ignor": []}}, "unknown setting 'tools.ignor'; did you mean 'ignore'?"),
        ({"tools": {"ignore": ["a", "b", "a"]}}, "tools.ignore: 'a' is in the list twice"),
        ({"tools": {"read_only": ["a", "a"]}}, "tools.read_only: 'a' is in the list twice"),
        (
            {"tools": {"writes": ["a"], "thinks": ["a"]}},
            "tools: 'a' is in writes and in thinks; keep one of them",
        ),
        (
            {"tools": {"ignore": ["a"], "read_only": ["a"]}},
            "tools: 'a' is in ignore and in read_only; keep one of them",
        ),
        (
            {"tools": {"ignore": ["\x1b"], "weight": {"\x1b": 2}}},
            "tools: '\\x1b' is in ignore and in weight; keep one of them",
        ),
        ({"tools": {"ignore": [""]}}, "tools.ignore[0]: "),
        ({"tools": {"weight": {"a": 0}}}, "tools.weight.a: Input should be greater than 0"),
        ({"tools": {"weight": {"a": float("inf")}}}, "tools.weight.a: "),
        ({"tools": 3}, "tools: "),
        (
            {"parameters": {"a": {"exactly": ["b"]}}},
            "unknown setting 'parameters.a.exactly'; did you mean 'exact'?",
        ),
        (
            {"parameters": {"a": {"sets": ["b", "b"]}}},
            "parameters.a.sets: 'b' is in the list twice",
        ),
        (
            {"parameters": {"a": {"exact": ["b"], "tolerance": {"b": 1}}}},
            "parameters.a: 'b' is in exact and in tolerance; keep one of them",
        ),
        (
            {"parameters": {"a": {"ignore": ["b"], "sets": ["b"]}}},
            "parameters.a: 'b' is in ignore and in sets; keep one of them",
        ),
        ({"parameters": {"a": {"tolerance": {"b": "1"}}}}, "parameters.a.tolerance.b: a tolerance"),
        ({"parameters": {"a": {"tolerance": {"b": -1}}}}, "parameters.a.tolerance.b: a tolerance"),
        ({"parameters": {"a": {"tolerance": {"b": True}}}}, "parameters.a.tolerance.b: a toler"),
        ({"parameters": {"": {}}}, "parameters"),
        ({"failed": "forgiven"}, "failed: Input should be 'kept', 'dropped' or 'folded'"),
        ({"subagents": "merged"}, "subagents: "),
        (
            {"substitutes": [{"tools": ["a", "a"]}]},
            "substitutes[0].tools: 'a' is in the list twice",
        ),
        (
            {"paper": {}, "parameters": {"a": {"sets": ["b"]}}},
            "the paper's metric compares arguments as one text; leave out the rules for values",
        ),
    ],
)
def test_bad_settings_are_named(data: dict[str, Any], message: str) -> None:
    """One line with the place."""
    with pytest.raises(ConfigError) as caught:
        parse_config(data)
    assert str(caught.value).startswith(f"configuration: {message}")
    assert "\n" not in str(caught.value)


def test_a_file_says_the_same_as_python(tmp_path: Path) -> None:
    """Every setting of what counts, and the preset stays what it is."""
    (tmp_path / "otap.toml").write_text(EVERYTHING)
    config = load_config(tmp_path / "otap.toml").config
    assert config == otap.Config(
        failed="folded",
        subagents="flattened",
        tools=Tools(
            ignore=("think",), read_only=("get_user",), weight={"book": 2, "get_user": 0.1}
        ),
        parameters={
            "*": Parameters(ignore=("request_id",)),
            "book": Parameters(
                exact=("name",),
                text=("reason",),
                sets=("flights",),
                tolerance={"payment.amount": 0.01, "total": "1%"},
                defaults={"insurance": "no"},
            ),
        },
    )
    assert config.preset_name == "default"
    assert parse_config(config.model_dump(mode="json")) == config
    assert otap.Config.preset("paper", tools={"ignore": ["a"]}).preset_name == "paper"


def test_ignored_and_default_arguments_go_with_one_text() -> None:
    """They are left out before anything is compared, in whatever way."""
    named = {"a": {"ignore": ["b"], "defaults": {"c": 1}}}
    assert otap.Config.preset("paper", parameters=named).preset_name == "paper"


def test_what_is_said_of_one_tool_goes_before_what_is_said_of_all() -> None:
    """Path by path; what it does not speak of stays as it is for all."""
    general = Parameters(
        ignore=("id", "note"), exact=("name",), sets=("tags",), tolerance={"price": 1, "tax": 2},
        defaults={"x": 1, "y": 2},
    )  # fmt: skip
    own = Parameters(text=("note",), exact=("price",), tolerance={"tax": "5%"}, defaults={"y": 3})
    assert own.over(general) == Parameters(
        ignore=("id",), exact=("price", "name"), text=("note",), sets=("tags",),
        tolerance={"tax": "5%"}, defaults={"x": 1, "y": 3},
    )  # fmt: skip


def test_tolerances() -> None:
    """A number is absolute, a percentage is of the larger number."""
    assert tolerance_parts(0.5) == (0.5, 0.0)
    assert tolerance_parts("2.5 %") == (0.0, 0.025)


def counting(**changes: Any) -> str:
    """The digest of what counts."""
    gold = hotel.reference()
    return otap.Scorer(otap.Config(**changes)).score(gold, gold).signature.counting


def test_equal_settings_have_equal_digests() -> None:
    """In whatever order names are listed; what says nothing is nothing."""
    one = {"tools": {"ignore": ["a", "b"]}, "parameters": {"x": {"exact": ["p", "q"]}, "y": {}}}
    other = {
        "tools": {"ignore": ["b", "a"], "weight": {}},
        "parameters": {"x": {"exact": ["q", "p"]}},
    }
    assert counting(**one) == counting(**other)
    assert counting(theta=0.1) == counting()


def test_other_settings_have_other_digests() -> None:
    """Each of them, and all at once."""
    settings: list[dict[str, Any]] = [
        {},
        {"failed": "dropped"},
        {"failed": "folded"},
        {"subagents": "dropped"},
        {"tools": {"ignore": ["a"]}},
        {"tools": {"read_only": ["a"]}},
        {"tools": {"read_only": ["a"], "weight": {"a": 1}}},
        *({"tools": {role: ["a"]}} for role in ("writes", "thinks", "handoff")),
        {"tools": {"weight": {"a": 1}}},
        {"tools": {"weight": {"a": 2}}},
        *({"parameters": {"a": {way: ["b"]}}} for way in ("ignore", "exact", "text", "sets")),
        {"parameters": {"a": {"tolerance": {"b": 1}}}},
        {"parameters": {"a": {"tolerance": {"b": "1%"}}}},
        {"parameters": {"a": {"defaults": {"b": 1}}}},
        {"parameters": {"*": {"ignore": ["b"]}}},
    ]
    assert len({counting(**changes) for changes in settings}) == len(settings)
