"""The settings that a score depends on, and the two presets."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from otap.config.sections import (
    Budget,
    Chain,
    ConfigTable,
    Entropy,
    FreeTools,
    Golden,
    Name,
    Names,
    NotNegative,
    Parameters,
    Positive,
    Share,
    Tools,
)
from otap.errors import ConfigError, shown
from otap.tasks import CHOICES, TaskRule, parse_rule
from otap.trajectory import first_problem


def _check_rule(text: str) -> str:
    parse_rule(text)
    return text


class Weights(ConfigTable):
    """The weights of the fields of a step; they are rescaled to sum to 1 over the used fields."""

    action: NotNegative = Field(0.1, description="the announced action")
    arguments: NotNegative = Field(0.3, description="the arguments of the call")
    effect: NotNegative = Field(0.1, description="the result of the call")
    tool: NotNegative = Field(0.5, description="the name of the tool")
    state: NotNegative = Field(0.1, description="the environment after the step")

    @model_validator(mode="after")
    def _some_field_counts(self) -> Self:
        if not any(self.model_dump().values()):
            raise ValueError("at least one weight must be above 0")
        return self


class Substitutes(ConfigTable):
    """Tools that can replace each other, and their distance: 0 is equal, 1 is different."""

    tools: Names = Field(min_length=2, description="the names of at least two tools")
    distance: Share = Field(0.5, description="the distance of each pair; 0: equal, 1: different")


class Counts(ConfigTable):
    """The weights of steps by their recognised role; an ordinary step weighs 1."""

    reads: Positive = Field(0.05, description="a call that only reads")
    thinks: Positive = Field(0.01, description="a thought, or a call that only computes")
    handoff: Positive = Field(
        0.01, description="a call that passes the task to a person or an agent"
    )
    failed: Positive = Field(0.01, description="a call that failed")
    answers: Positive = Field(1.0, description="an answer that the reference requires")
    extra: Positive = Field(
        0.03,
        description="factor of lambda_agent for extra reads, thoughts and failed attempts of the "
        "run",
    )


class Paper(ConfigTable):
    """The settings that only the paper's metric has."""

    epsilon: Entropy = Field(0.05, description="weight of the entropy term")
    temperature: Positive = Field(
        0.05, description="temperature of the soft minimum over references, in units of the loss"
    )
    unrelated_cost: (
        dict[Literal["action", "arguments", "effect", "tool", "state"], Share] | None
    ) = Field(
        None,
        description="the cost of matched steps of unrelated tasks, by field, at which skill is 0; "
        "not set: the measured costs of the encoder, if there are any",
    )


class Config(ConfigTable):
    """The settings of a score.

    A score also depends on the run, the references and the weights of the encoder. The default
    values are the preset ``default``; :meth:`preset` also has ``paper``.

    Raises:
        ConfigError: if a setting is unknown, or a value is out of range.
    """

    encoder: str = Field(
        "wordllama",
        description="the model that encodes texts as vectors: wordllama, minilm, or the folder or "
        "the name of a sentence-transformers model",
    )
    dependencies: Literal["auto", "explicit", "traced", "conflicts", "sequential", "order"] = Field(
        "auto",
        description="the mechanism that finds dependencies between steps; auto: the best "
        "mechanism that works for both sides; order: the best one for the reference, compared "
        "with the order of the run's steps",
    )
    order: tuple[Chain, ...] = Field(
        (),
        description="chains of tools, each a list of at least two names; each call of a tool "
        "depends on the last call before it of the previous tool in the chain",
    )
    order_free: tuple[FreeTools, ...] = Field(
        (),
        description="tools whose order does not matter; a name: its calls can change places with "
        "those of every tool; a list of names: the calls of these tools can change places with "
        "each other",
    )
    precedence: Share = Field(
        1.0,
        description="the share of precedence, the sign of the transitive closure, in the "
        "structure D; the remaining share is signed hops",
    )
    contraction: bool = Field(
        True,
        description="whether two or more steps that together correspond to one step of the other "
        "side are merged",
    )
    theta: Share = Field(
        0.45, description="weight of the structure term; the weight of the node costs is 1 - theta"
    )
    lambda_agent: Positive = Field(
        1.0, description="weight of the penalty on the run's marginal, for unmatched steps"
    )
    lambda_reference: Positive = Field(
        1.0, description="weight of the penalty on the reference's marginal"
    )
    kappa: NotNegative = Field(
        1.0, description="a critical step of the reference counts 1 + kappa times as much"
    )
    paper: Paper | None = Field(
        None,
        description="the paper's metric instead of the default one, with its own settings; start "
        'from preset = "paper", which sets it',
    )
    weights: Weights = Field(Weights(), description="the weights of the fields of a step")
    substitutes: tuple[Substitutes, ...] = Field(
        (), description="groups of tools that can replace each other"
    )
    recognise: bool = Field(
        True,
        description="whether steps that only read, think, hand over or failed count less than "
        "steps that change something",
    )
    counts: Counts = Field(Counts(), description="the weights of steps, by their recognised role")
    reference: Literal["complete", "required"] = Field(
        "complete",
        description="the meaning of a reference; complete: all steps of a good run; required: the "
        "steps that must happen",
    )
    only_changes: bool = Field(
        False,
        description="whether only steps that change something count, even if a reference only "
        "reads",
    )
    strict: bool = Field(
        False,
        description="whether everything that is not proven harmless is critical: names, word lists "
        "and similarity prove nothing",
    )
    tools: Tools = Field(Tools(), description="the weights and roles of calls, by tool")
    parameters: dict[Name, Parameters] = Field(
        {}, description='how arguments are compared, by tool; "*" is every tool'
    )
    budget: Budget = Field(Budget(), description="the most that a run may take")
    golden: Golden = Field(Golden(), description="the references and the gate of otap check")
    failed: Literal["kept", "dropped", "folded"] = Field(
        "kept",
        description="the treatment of steps with status error; folded: steps that are retried are "
        "left out",
    )
    subagents: Literal["opened", "flattened", "dropped"] = Field(
        "opened",
        description="the treatment of sub-steps; opened: they count in addition to their parent, "
        "or with the paper's metric the nearer of both counts; flattened: they replace it; "
        "dropped: they are left out",
    )
    task_from: Annotated[str, AfterValidator(_check_rule)] | None = Field(
        None,
        description=f"where to find the name of a run's task: {CHOICES}; not set: the task of the "
        "run, or else of its metadata, or else the user's request",
    )
    max_depth: int = Field(
        16, ge=0, le=100, description="the maximum depth of sub-steps; more levels are an error"
    )
    max_work: int = Field(
        50_000_000,
        ge=1,
        description="the maximum work for a run and all its references, in units (each about "
        ".1 to 3 microseconds, by the kind of work); more is an error",
    )

    @model_validator(mode="after")
    def _the_metric_has_every_setting(self) -> Self:
        if self.paper is None:
            return self
        if any(rule.compares for rule in self.parameters.values()):
            raise ValueError(
                "the paper's metric compares arguments as one text; leave out the rules for values "
                'in parameters, or preset = "paper"'
            )
        needed = {name: PRESETS["paper"][name] for name in _NEEDED_BY_PAPER}
        for name, setting in needed.items():
            if getattr(self, name) != setting:
                raise ValueError(
                    f"the paper's metric needs {name} = {json.dumps(setting)}; start from "
                    'preset = "paper", and leave that setting out'
                )
        return self

    @model_validator(mode="after")
    def _strict_sees_every_call(self) -> Self:
        if self.strict and self.paper is not None:
            raise ValueError('strict needs the default metric; leave out preset = "paper"')
        needed = {name: type(self).model_fields[name].default for name in _SEEN_BY_STRICT}
        for name, setting in needed.items():
            if self.strict and getattr(self, name) != setting:
                raise ValueError(f"strict needs {name} = {json.dumps(setting)}")
        return self

    @classmethod
    def preset(cls, name: str, **changes: Any) -> "Config":
        """Returns a preset with some settings changed.

        Args:
            name: "default" or "paper".
            changes: settings by name, which replace those of the preset.

        Raises:
            ConfigError: if the preset or a setting is unknown, or a value is out of range.
        """
        if name not in PRESETS:
            raise ConfigError(f"no preset '{shown(name)}'; there are {' and '.join(PRESETS)}")
        return parse_config(merge_settings(PRESETS[name], changes))

    @model_validator(mode="wrap")
    @classmethod
    def _one_line_error(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            raise ConfigError(_describe_problem(error)) from None

    @property
    def epsilon(self) -> float:
        """The weight of the entropy term; 0, by epsilon scaling, but for the paper's metric."""
        return 0.0 if self.paper is None else self.paper.epsilon

    @property
    def temperature(self) -> float:
        """The temperature over references; 0, the best one, but for the paper's metric."""
        return 0.0 if self.paper is None else self.paper.temperature

    @property
    def task_rule(self) -> TaskRule | None:
        """Where to find the name of a run's task; None for the default places."""
        return None if self.task_from is None else parse_rule(self.task_from)

    @property
    def preset_name(self) -> str:
        """The name of the preset with this metric, or "custom"."""
        settings = _without_scale(self.model_dump(exclude=_NOT_IN_PRESET))
        return next((name for name in PRESETS if _preset_settings(name) == settings), "custom")


# Settings that strict needs at their default: others hide calls from it, or know no severity.
_SEEN_BY_STRICT = ("recognise", "failed", "subagents")
# Settings that the paper's metric needs as its preset has them: its definition has no other.
_NEEDED_BY_PAPER = ("recognise", "precedence", "contraction")
# Settings that are gone, and what to do instead.
_REMOVED = {
    **dict.fromkeys(
        ("mass", "criticality", "goals", "arguments", "wording", "unobserved"),
        'only preset = "paper" has it, always: remove it, or use that preset',
    ),
    "unknown_order": 'remove it; dependencies = "sequential" scores the order of steps',
}

# Settings that are not part of the preset's name: each has its own entry in the signature, so a
# preset with another encoder keeps its name.
_NOT_IN_PRESET = {
    "encoder", "dependencies", "substitutes", "max_depth", "tools", "parameters", "failed",
    "subagents", "order", "order_free", "task_from", "strict", "budget", "golden",
    "max_work",
}  # fmt: skip

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "paper": {
        "encoder": "minilm",
        "paper": {},
        "recognise": False,
        "precedence": 0.0,
        "contraction": False,
        "theta": 0.35,
        "weights": {"action": 0.35, "arguments": 0.2, "effect": 0.25, "tool": 0.2, "state": 0.0},
    },
}


@cache
def _preset_settings(name: str) -> Mapping[str, Any]:
    return _without_scale(Config.preset(name).model_dump(exclude=_NOT_IN_PRESET))


def _without_scale(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without the unrelated costs, which have their own entry in the signature."""
    if settings["paper"]:
        del settings["paper"]["unrelated_cost"]
    return settings


def merge_settings(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of all layers; later layers win, and tables are merged by key.

    Args:
        layers: JSON data by the name of a setting, the weakest layer first.
    """
    settings: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            table = settings.get(name)
            if isinstance(value, Mapping) and isinstance(table, Mapping):
                settings[name] = {**table, **value}
            else:
                settings[name] = value
    return settings


def parse_config(data: Mapping[str, Any], where: str = "configuration") -> Config:
    """Returns the configuration of JSON data.

    Args:
        data: settings by name; missing settings have the values of ``default``.
        where: the file or option, for the error.

    Raises:
        ConfigError: names the wrong setting, and the known settings if it is unknown.
    """
    try:
        return Config.model_validate(dict(data))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


# The tables of settings, by the heading that a settings file has for them.
_TABLES: Mapping[str, type[BaseModel]] = {
    "[weights]": Weights, "[[substitutes]]": Substitutes, "[counts]": Counts, "[tools]": Tools,
    "[parameters.TOOL]": Parameters, "[paper]": Paper, "[budget]": Budget, "[golden]": Golden,
}  # fmt: skip


def _describe_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    path = [str(part) for part in problem["loc"]]
    if path == ["subagents"] and problem["input"] == "nested":
        return (
            'subagents: "nested" is gone; remove it: preset = "paper" compares sub-steps '
            "recursively, and the default metric counts them as steps"
        )
    if problem["type"] != "extra_forbidden":
        is_table = problem["type"] != "model_type"
        if not is_table and path[0] == "parameters" and path[-1] in Parameters.model_fields:
            hint = _move_to("[parameters.TOOL]")
            return f"parameters.{path[1]}: the table lacks the name of a tool; {hint}"
        return first_problem(error)
    if len(path) == 1 and path[0] in _REMOVED:
        return f"the setting '{path[0]}' is gone; {_REMOVED[path[0]]}"
    names = list(_find_table(path).model_fields)
    hint = _suggest_table(path, names) or f"there are {', '.join(names)}"
    return f"unknown setting '{shown('.'.join(path))}'; {hint}"


def _find_table(path: Sequence[str]) -> type[BaseModel]:
    """Returns the table that has an unknown setting."""
    tables = {heading.strip("[]").partition(".")[0]: table for heading, table in _TABLES.items()}
    return tables.get(path[0], Config) if len(path) > 1 else Config


def _suggest_table(path: Sequence[str], names: Sequence[str]) -> str:
    """Returns where a setting belongs, or a setting of a similar name; empty if there is none."""
    name = path[-1]
    if len(path) == 1 and name in ("tool", "otap"):
        return "otap.toml needs no table around its settings; [tool.otap] is for pyproject.toml"
    headings = [heading for heading, table in _TABLES.items() if name in table.model_fields]
    if len(path) > 1 and name in {*Config.model_fields, "preset"}:
        return f"move '{name}' to the top of the settings, above the first table"
    if headings:
        return " or ".join(_move_to(heading) for heading in headings)
    similar = get_close_matches(name, names, 1)
    return f"did you mean '{similar[0]}'?" if similar else ""


def _move_to(heading: str) -> str:
    return f"move it to {heading}" + (
        ', or to [parameters."*"] for every tool' if heading == "[parameters.TOOL]" else ""
    )
