"""The settings that a number depends on, as two presets and what a user changes of them."""

from collections.abc import Mapping
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

from otap.config.tables import (
    Chain,
    ConfigTable,
    Entropy,
    Name,
    Names,
    NotNegative,
    Parameters,
    Positive,
    Share,
    Tools,
)
from otap.errors import ConfigError, shown
from otap.tasks import HOW, TaskRule, parse_rule
from otap.trajectory import first_problem


def _check_rule(text: str) -> str:
    parse_rule(text)
    return text


class Weights(ConfigTable):
    """How much each field of a step counts; rescaled to sum to 1 over the fields in use."""

    action: NotNegative = Field(0.1, description="what the agent said it would do")
    arguments: NotNegative = Field(0.3, description="what the tool was called with")
    effect: NotNegative = Field(0.1, description="what came back")
    tool: NotNegative = Field(0.5, description="which tool was called")
    state: NotNegative = Field(0.1, description="the environment after the step")

    @model_validator(mode="after")
    def _some_field_counts(self) -> Self:
        if not any(self.model_dump().values()):
            raise ValueError("at least one weight must be above 0")
        return self


class Substitutes(ConfigTable):
    """Tools that can stand for each other, and their distance: 0 the same, 1 different."""

    tools: Names = Field(min_length=2, description="names of the tools, at least two")
    distance: Share = Field(0.5, description="of any two of them; 0: the same, 1: different")


class Counts(ConfigTable):
    """What a step weighs beside an ordinary one, which weighs 1, by what was recognised of it."""

    reads: Positive = Field(0.05, description="a call that only reads")
    thinks: Positive = Field(0.01, description="a thought, or a call that only reckons")
    hands_over: Positive = Field(0.01, description="a call that passes the task on")
    failed: Positive = Field(0.01, description="a call that failed")
    told: Positive = Field(1.0, description="an answer that the reference says must be told")
    besides: Positive = Field(
        0.03,
        description="factor of lambda_agent on what the run reads, thinks or tries in vain besides",
    )


class Config(ConfigTable):
    """Everything that a score depends on but the run, the references and the encoder's weights.

    The values given here are the preset ``default``; :meth:`preset` knows ``paper`` as well.

    Raises:
        ConfigError: for an unknown setting, or a value out of range.
    """

    encoder: str = Field(
        "wordllama",
        description="the model that turns texts into vectors: wordllama, minilm, or the folder or "
        "the name of a sentence-transformers model",
    )
    dependencies: Literal["auto", "explicit", "traced", "conflicts", "sequential", "order"] = Field(
        "auto",
        description="how the dependencies between steps are found; auto: the best mechanism that "
        "both sides allow; order: the reference's by its best one, held against the order in "
        "which the run's steps ran",
    )
    unknown_order: Literal["ignored", "scored"] = Field(
        "ignored",
        description="whether the order in which steps are listed is scored where the reference's "
        "dependencies are not known",
    )
    order: tuple[Chain, ...] = Field(
        (),
        description="chains of tools, each a list of at least two names; each call of a tool needs "
        "the nearest earlier call of the one before it in the chain",
    )
    precedence: Share = Field(
        1.0,
        description="how much of the structure D is precedence, the sign of the transitive "
        "closure; the rest is signed hops",
    )
    contraction: bool = Field(
        True,
        description="whether two or more steps whose union stands for one step of the other side "
        "are compared as that union",
    )
    theta: Share = Field(
        0.45, description="weight of the structure term; that of the node costs is 1 - theta"
    )
    epsilon: Entropy = Field(
        0.0, description="weight of the entropy term; 0: its limit, by epsilon scaling"
    )
    lambda_agent: Positive = Field(
        1.0, description="weight of the penalty on the run's marginal: unmatched steps"
    )
    lambda_reference: Positive = Field(1.0, description="the same for the reference's marginal")
    temperature: NotNegative = Field(
        0.0, description="of the soft-min over references, in units of the loss; 0: the best one"
    )
    kappa: NotNegative = Field(
        1.0, description="a critical step of the reference counts 1 + kappa times as much"
    )
    criticality: Literal["penalty", "mass"] = Field(
        "penalty",
        description="what kappa multiplies: the penalty on a reference step's missing mass, or the "
        "mass itself",
    )
    goals: Literal["declared", "sinks"] = Field(
        "declared",
        description="the goals that critical steps lead to; declared: metadata.goals, else the "
        "sinks that change the state, else the last step; sinks: every step that no other needs",
    )
    arguments: Literal["structured", "text"] = Field(
        "structured",
        description="how arguments are compared: key by key and leaf by leaf, or as one text",
    )
    wording: Literal["bounded", "full"] = Field(
        "bounded",
        description="bounded: between two calls with recorded arguments the action costs at most "
        "what the tool or the arguments cost, whichever is more; full: its whole distance",
    )
    unobserved: Literal["rescale", "empty"] = Field(
        "rescale",
        description="what becomes of a field that one side never records; rescale: it is left out "
        "and the other weights are rescaled to sum to 1; empty: it counts as empty text",
    )
    weights: Weights = Field(Weights(), description="how much each field of a step counts")
    substitutes: tuple[Substitutes, ...] = Field(
        (), description="groups of tools that can stand for each other"
    )
    mass: Literal["absolute", "relative"] = Field(
        "absolute",
        description="absolute: an ordinary step is the unit of mass on both sides; relative: each "
        "side has mass 1",
    )
    recognise: bool = Field(
        True,
        description="whether what only reads, thinks, hands over or failed counts less than what "
        "changes something",
    )
    counts: Counts = Field(Counts(), description="what a step weighs, by what was recognised")
    reference: Literal["complete", "required"] = Field(
        "complete",
        description="what a reference is; complete: a whole good run; required: what must happen",
    )
    only_changes: bool = Field(
        False,
        description="whether only changes count, even where a reference does nothing but read",
    )
    tools: Tools = Field(Tools(), description="what a call counts, by its tool")
    parameters: dict[Name, Parameters] = Field(
        {}, description='how arguments are compared, by tool; "*" is every tool'
    )
    failed: Literal["kept", "dropped", "folded"] = Field(
        "kept",
        description="what becomes of steps with status error; folded: those that are tried again "
        "are left out",
    )
    subagents: Literal["opened", "nested", "flattened", "dropped"] = Field(
        "opened",
        description="what becomes of steps inside a step; opened: they count beside it; nested: "
        "the nearer of both counts, as in the paper; flattened: put in its place; dropped: left "
        "out",
    )
    unrelated_cost: (
        dict[Literal["action", "arguments", "effect", "tool", "state"], Share] | None
    ) = Field(
        None,
        description="what matched steps of unrelated tasks cost, by field, which is where skill is "
        "0; not set: the measured costs of the encoder, if there are any",
    )
    task_from: Annotated[str, AfterValidator(_check_rule)] | None = Field(
        None,
        description=f"where the name of a run's task stands: {HOW}; not set: its own task, else "
        "one in its metadata, else what the user asked for",
    )
    max_depth: int = Field(
        16, ge=0, le=100, description="levels of sub-steps that are compared; more are an error"
    )

    @model_validator(mode="after")
    def _parameters_are_compared(self) -> Self:
        if self.arguments == "text" and any(one.compares for one in self.parameters.values()):
            raise ValueError('what parameters say of values needs arguments = "structured"')
        return self

    @classmethod
    def preset(cls, name: str, **changes: Any) -> "Config":
        """Returns a preset, with the given settings changed.

        Args:
            name: "default" or "paper".
            changes: settings by name, in place of the preset's.

        Raises:
            ConfigError: for an unknown preset or setting, or a value out of range.
        """
        if name not in PRESETS:
            raise ConfigError(f"no preset '{shown(name)}'; there are {' and '.join(PRESETS)}")
        return parse_config(merged(PRESETS[name], changes))

    @model_validator(mode="wrap")
    @classmethod
    def _told_in_a_line(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            raise ConfigError(_problem(error)) from None

    @property
    def task_rule(self) -> TaskRule | None:
        """Where the name of a run's task stands; None: where it mostly does."""
        return None if self.task_from is None else parse_rule(self.task_from)

    @property
    def preset_name(self) -> str:
        """The preset whose metric this is, or "custom"."""
        own = self.model_dump(exclude=_APART)
        return next((name for name in PRESETS if _of_preset(name) == own), "custom")


# Settings outside the presets, each in the signature by itself: with another encoder, say, the name
# of a preset stays.
_APART = {
    "encoder", "dependencies", "substitutes", "unrelated_cost", "max_depth", "tools", "parameters",
    "failed", "subagents", "order", "task_from",
}  # fmt: skip

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "paper": {
        "encoder": "minilm",
        "mass": "relative",
        "recognise": False,
        "subagents": "nested",
        "unknown_order": "scored",
        "precedence": 0.0,
        "contraction": False,
        "theta": 0.35,
        "wording": "full",
        "epsilon": 0.05,
        "temperature": 0.05,
        "criticality": "mass",
        "goals": "sinks",
        "arguments": "text",
        "unobserved": "empty",
        "weights": {"action": 0.35, "arguments": 0.2, "effect": 0.25, "tool": 0.2, "state": 0.0},
    },
}


@cache
def _of_preset(name: str) -> Mapping[str, Any]:
    return Config.preset(name).model_dump(exclude=_APART)


def merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of all layers; later ones win, and tables are merged key by key.

    Args:
        layers: plain data by the name of a setting, the weakest first.
    """
    result: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            both = isinstance(value, Mapping) and isinstance(result.get(name), Mapping)
            result[name] = {**result[name], **value} if both else value
    return result


def parse_config(data: Mapping[str, Any], where: str = "configuration") -> Config:
    """Makes a configuration of plain data.

    Args:
        data: settings by name; those left out have the values of ``default``.
        where: the beginning of an error.

    Raises:
        ConfigError: that names the setting, and those that there are if it is unknown.
    """
    try:
        return Config.model_validate(dict(data))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    if problem["type"] != "extra_forbidden":
        return first_problem(error)
    place = ".".join(str(part) for part in problem["loc"])
    return f"unknown setting '{shown(place)}'; there are {', '.join(_settings(problem))}"


def _settings(problem: Mapping[str, Any]) -> list[str]:
    """The settings that exist where an unknown one was found."""
    models: dict[Any, type[BaseModel]] = {
        "weights": Weights, "counts": Counts, "substitutes": Substitutes, "tools": Tools,
        "parameters": Parameters,
    }  # fmt: skip
    model = models.get(problem["loc"][0], Config) if len(problem["loc"]) > 1 else Config
    return list(model.model_fields)
