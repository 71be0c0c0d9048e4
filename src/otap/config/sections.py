"""The tables of settings: their base class, the types of values, and the rules by tool."""

import json
from collections.abc import Iterable, Mapping
from sys import float_info
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)

from otap._patterns import regex
from otap.errors import shown

# Smaller or larger numbers change only the rounding, or the time of the solver.
MIN_NUMBER, MAX_NUMBER = 1e-6, 1e6


def _in_range(value: float) -> float:
    if not MIN_NUMBER <= value <= MAX_NUMBER:
        raise ValueError(f"Input should be greater than 0: from {MIN_NUMBER:g} to {MAX_NUMBER:g}")
    return value


def _zero_or_up_to(maximum: float) -> AfterValidator:
    def check(value: float) -> float:
        if value and not MIN_NUMBER <= value <= maximum:
            raise ValueError(f"Input should be 0, or from {MIN_NUMBER:g} to {maximum:g}")
        return value

    return AfterValidator(check)


def _documented_range(minimum: float, maximum: float) -> Any:
    """Returns the field of a finite number, with the range for the page of settings."""
    return Field(allow_inf_nan=False, json_schema_extra={"minimum": minimum, "maximum": maximum})


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
NotNegative = Annotated[float, _documented_range(0, MAX_NUMBER), _zero_or_up_to(MAX_NUMBER)]
Positive = Annotated[float, _documented_range(MIN_NUMBER, MAX_NUMBER), AfterValidator(_in_range)]
# Costs are at most 1; a larger entropy term would dominate them.
Entropy = Annotated[float, _documented_range(0, 1), _zero_or_up_to(1)]


class ConfigTable(BaseModel):
    """A table of settings: unknown names are errors, and instances are immutable."""

    # The validator is built on first use; a nested table is built with its parent.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def check_disjoint(lists: Mapping[str, Iterable[str]]) -> None:
    """Checks that no name is in two lists.

    Raises:
        ValueError: with the name and both lists.
    """
    list_of: dict[str, str] = {}
    for title, names in lists.items():
        for name in names:
            if name in list_of:
                raise ValueError(
                    f"'{shown(name)}' is in {list_of[name]} and in {title}; keep one of them"
                )
            list_of[name] = title


def _check_unique(names: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"'{shown(name)}' is in the list twice; keep one")
        seen.add(name)
    return names


def _check_chain(chain: Any) -> Any:
    if isinstance(chain, str):
        raise ValueError('a chain is a list inside the list, as in order = [["check", "refund"]]')
    return chain


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], AfterValidator(_check_unique)]
Chain = Annotated[Names, Field(min_length=2), BeforeValidator(_check_chain)]
FreeTools = Name | Annotated[Names, Field(min_length=1)]

EVERY_TOOL = "*"
_PERCENTAGE = regex(r"(\d+(?:\.\d+)?)\s*%\Z")


class Tools(ConfigTable):
    """The weights and roles of calls, by tool. A name with ``*`` is a pattern: ``verify_*``."""

    ignore: Names = Field((), description="tools whose calls are left out on both sides")
    read_only: Names = Field((), description="tools that only read, regardless of their names")
    writes: Names = Field((), description="tools that change something, regardless of their names")
    thinks: Names = Field((), description="tools that only compute or take a note")
    handoff: Names = Field((), description="tools that pass the task to a person or an agent")
    atomic: Names = Field(
        (),
        description="tools whose failed calls change nothing, which only strict needs to know",
    )
    weight: dict[Name, Positive] = Field(
        {}, description="the weight of a call, by tool; other tools weigh by role, see counts"
    )

    @model_validator(mode="after")
    def _check_lists(self) -> Self:
        check_disjoint(self.model_dump(exclude={"weight", "atomic"}))
        for tool in self.ignore:
            if tool in self.weight:
                raise ValueError(f"'{shown(tool)}' is in ignore and in weight; keep one of them")
        return self

    @property
    def left_out(self) -> frozenset[str]:
        """The tools whose calls are left out."""
        return frozenset(self.ignore)


def tolerance_parts(value: object) -> tuple[float, float]:
    """Returns the absolute and the relative part of a tolerance.

    The relative part is a share of the larger number.

    Args:
        value: a number of 0 or more, or a percentage as text, such as "1%".

    Raises:
        ValueError: if it is neither.
    """
    percentage = _PERCENTAGE.match(value) if isinstance(value, str) else None
    if percentage and float(percentage[1]) <= 100:
        return 0.0, float(percentage[1]) / 100
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= float_info.max
    ):
        return float(value), 0.0
    raise ValueError('a tolerance is a number of 0 or more, or a percentage such as "1%"')


def _tolerance(value: object) -> object:
    tolerance_parts(value)
    return value


Tolerance = Annotated[float | str, BeforeValidator(_tolerance)]


def _finite(value: JsonValue) -> JsonValue:
    json.dumps(value, allow_nan=False)
    return value


class Parameters(ConfigTable):
    """The rules for comparing the arguments of a tool, by path.

    A path is keys joined by dots, such as ``payment.amount``. The items of a list share its path.
    """

    ignore: Names = Field((), description="arguments that are left out on both sides")
    defaults: dict[Name, Annotated[JsonValue, AfterValidator(_finite)]] = Field(
        {}, description="by path, the value that counts as equal to a missing argument"
    )
    exact: Names = Field((), description="arguments that are either equal or different")
    text: Names = Field(
        (),
        description="free text, compared by its vectors, even a single word; another text is a "
        "minor difference, even with other numbers",
    )
    tolerance: dict[Name, Tolerance] = Field(
        {}, description='by path, how far equal numbers may differ: 0.5, or "1%" of the larger'
    )
    sets: Names = Field((), description="lists whose order and repetitions do not count")
    ordered: Names = Field((), description="lists whose order counts")

    @model_validator(mode="after")
    def _check_paths(self) -> Self:
        """Checks that a path has one rule for leaves, and one for lists."""
        check_disjoint(self._leaf_rules)
        check_disjoint({"ignore": self.ignore, "sets": self.sets, "ordered": self.ordered})
        return self

    @property
    def _leaf_rules(self) -> Mapping[str, tuple[str, ...]]:
        leaf_lists = {name: getattr(self, name) for name in ("ignore", "exact", "text")}
        return {**leaf_lists, "tolerance": tuple(self.tolerance)}

    @property
    def compares(self) -> bool:
        """Whether a rule decides how arguments are compared, not only which."""
        return bool(self.exact or self.text or self.tolerance or self.sets or self.ordered)

    def over(self, general: "Parameters") -> "Parameters":
        """Returns these rules, with general rules for the paths that these do not have.

        Args:
            general: the rules of all tools.
        """
        own_paths = {path for paths in self._leaf_rules.values() for path in paths}
        own_paths |= {*self.sets, *self.ordered}
        general_paths = {
            name: tuple(path for path in getattr(general, name) if path not in own_paths)
            for name in ("ignore", "exact", "text", "sets", "ordered")
        }
        tolerance = {
            path: limit for path, limit in general.tolerance.items() if path not in own_paths
        }
        return Parameters(
            **{name: (*getattr(self, name), *paths) for name, paths in general_paths.items()},
            tolerance={**tolerance, **self.tolerance},
            defaults={**general.defaults, **self.defaults},
        )


Count = Annotated[int, Field(ge=0)]


class Budget(ConfigTable):
    """The most that a run may take; a run that takes more has a finding ``budget``."""

    max_steps: Count | None = Field(None, description="steps that count")
    max_tool_calls: Count | None = Field(None, description="tool calls, with those that failed")
    max_tokens: Count | None = Field(None, description="input and output tokens together")
    max_cost: NotNegative | None = Field(
        None, description="the cost that the run records in its metadata, in the same currency"
    )
    max_seconds: NotNegative | None = Field(
        None, description="seconds from the start of the first step to the end of the last"
    )

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set, by their names."""
        return {name: limit for name, limit in self if limit is not None}


class Golden(ConfigTable):
    """The golden runs that ``otap check`` compares with, and the findings that fail it."""

    references: Name = Field("gold", description="the folder of the recorded references")
    bad: Name = Field(
        "gold-bad", description="the folder of known-bad runs, which must always fail"
    )
    fail_on: Names = Field(
        ("critical", "budget"),
        description="the severities and kinds of findings that fail a run, as --fail-on",
    )
    fail_under: Share | None = Field(None, description="the least score that passes")
