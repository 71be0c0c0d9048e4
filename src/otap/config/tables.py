"""The tables of settings: their base, the types of their values, and what counts of a run."""

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

# Beyond these nothing changes any more but the rounding, or the time that a solver takes.
LEAST, MOST = 1e-6, 1e6


def _in_range(value: float) -> float:
    if not LEAST <= value <= MOST:
        raise ValueError(f"Input should be greater than 0: from {LEAST:g} to {MOST:g}")
    return value


def _zero_or_up_to(most: float) -> AfterValidator:
    def check(value: float) -> float:
        if value and not LEAST <= value <= most:
            raise ValueError(f"Input should be 0, or from {LEAST:g} to {most:g}")
        return value

    return AfterValidator(check)


def _said(least: float, most: float) -> Any:
    """A finite number, and what the page of settings says of its range."""
    return Field(allow_inf_nan=False, json_schema_extra={"minimum": least, "maximum": most})


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
NotNegative = Annotated[float, _said(0, MOST), _zero_or_up_to(MOST)]
Positive = Annotated[float, _said(LEAST, MOST), AfterValidator(_in_range)]
# Costs are at most 1: a larger entropy would drown them.
Entropy = Annotated[float, _said(0, 1), _zero_or_up_to(1)]


class ConfigTable(BaseModel):
    """A table of settings: unknown names are errors, and values are frozen."""

    # Built on first use: a record inside another is built with it.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def check_one_place(places: Mapping[str, Iterable[str]]) -> None:
    """Refuses a name that is in two places.

    Raises:
        ValueError: with the name and both places.
    """
    known: dict[str, str] = {}
    for place, names in places.items():
        for name in names:
            if name in known:
                raise ValueError(
                    f"'{shown(name)}' is in {known[name]} and in {place}; keep one of them"
                )
            known[name] = place


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    known: set[str] = set()
    for name in names:
        if name in known:
            raise ValueError(f"'{shown(name)}' is named twice; name it once")
        known.add(name)
    return names


def _no_single_name(chain: Any) -> Any:
    if isinstance(chain, str):
        raise ValueError('a chain is a list of its own, as in order = [["check", "refund"]]')
    return chain


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], AfterValidator(_each_once)]
Chain = Annotated[Names, Field(min_length=2), BeforeValidator(_no_single_name)]

EVERY_TOOL = "*"
_PERCENTAGE = regex(r"(\d+(?:\.\d+)?)\s*%\Z")


class Tools(ConfigTable):
    """What a call counts, by its tool."""

    ignore: Names = Field((), description="tools whose calls are left out, on both sides")
    read_only: Names = Field((), description="tools that only read, whatever they are called")
    writes: Names = Field((), description="tools that change something, whatever they are called")
    thinks: Names = Field((), description="tools that only reckon or take a note")
    hands_over: Names = Field((), description="tools that pass the task on to a person or agent")
    weight: dict[Name, Positive] = Field(
        {}, description="what a call weighs, by tool; of others by what it does, see counts"
    )

    @model_validator(mode="after")
    def _each_tool_in_one_place(self) -> Self:
        check_one_place(self.model_dump(exclude={"weight"}))
        for tool in self.ignore:
            if tool in self.weight:
                raise ValueError(f"'{shown(tool)}' is in ignore and in weight; keep one of them")
        return self

    @property
    def left_out(self) -> frozenset[str]:
        """The tools whose calls are left out."""
        return frozenset(self.ignore)


def tolerance_parts(value: object) -> tuple[float, float]:
    """Returns a tolerance as its absolute and its relative part, the latter of the larger number.

    Args:
        value: a number of 0 or more, or a percentage as text, such as "1%".

    Raises:
        ValueError: for what is neither a number of 0 or more, nor a percentage.
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
    """How the arguments of a tool count, by path.

    A path is keys joined by dots, as ``payment.amount``; members of a list share its path.
    """

    ignore: Names = Field((), description="arguments that are left out, on both sides")
    defaults: dict[Name, Annotated[JsonValue, AfterValidator(_finite)]] = Field(
        {}, description="by path, the value that says as much as none"
    )
    exact: Names = Field((), description="arguments that are equal or different, nothing between")
    text: Names = Field((), description="free text: compared by its vectors, even one word")
    tolerance: dict[Name, Tolerance] = Field(
        {}, description='by path, how far equal numbers may differ: 0.5, or "1%" of the larger'
    )
    sets: Names = Field((), description="lists whose order and repetitions mean nothing")
    ordered: Names = Field((), description="lists whose order counts")

    @model_validator(mode="after")
    def _each_path_one_way(self) -> Self:
        """A path is named in one way, but a list may also say how its members are compared."""
        lists = {"ignore": self.ignore, "sets": self.sets, "ordered": self.ordered}
        for ways in (self._leaf_ways, lists):
            check_one_place(ways)
        return self

    @property
    def _leaf_ways(self) -> Mapping[str, tuple[str, ...]]:
        leaf_lists = {name: getattr(self, name) for name in ("ignore", "exact", "text")}
        return {**leaf_lists, "tolerance": tuple(self.tolerance)}

    @property
    def compares(self) -> bool:
        """Whether it says how arguments are compared, not only which."""
        return bool(self.exact or self.text or self.tolerance or self.sets or self.ordered)

    def over(self, general: "Parameters") -> "Parameters":
        """Returns these parameters laid over others: a path that these name keeps their rule.

        Args:
            general: the parameters of every tool.
        """
        mine = {path for paths in self._leaf_ways.values() for path in paths}
        mine |= {*self.sets, *self.ordered}
        rest = {
            name: tuple(path for path in getattr(general, name) if path not in mine)
            for name in ("ignore", "exact", "text", "sets", "ordered")
        }
        tolerance = {path: v for path, v in general.tolerance.items() if path not in mine}
        return Parameters(
            **{name: (*getattr(self, name), *paths) for name, paths in rest.items()},
            tolerance={**tolerance, **self.tolerance},
            defaults={**general.defaults, **self.defaults},
        )
