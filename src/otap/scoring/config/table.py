"""The base class of the configuration's tables, and the types of their values."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from otap.errors import shown

# Beyond these nothing changes any more but the rounding, or the time that a solver takes.
LEAST, MOST = 1e-6, 1e6


def _in_range(value: float) -> float:
    if not LEAST <= value <= MOST:
        raise ValueError(f"Input should be greater than 0: from {LEAST:g} to {MOST:g}")
    return value


def _zero_or_in_range(value: float) -> float:
    if value and not LEAST <= value <= MOST:
        raise ValueError(f"Input should be 0, or from {LEAST:g} to {MOST:g}")
    return value


def _zero_or_entropy(value: float) -> float:
    if value and not LEAST <= value <= 1:  # costs are at most 1: more would drown them
        raise ValueError(f"Input should be 0, or from {LEAST:g} to 1")
    return value


def _said(least: float, most: float) -> Any:
    """A finite number, and what the page of settings says of its range."""
    return Field(allow_inf_nan=False, json_schema_extra={"minimum": least, "maximum": most})


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
NotNegative = Annotated[float, _said(0, MOST), AfterValidator(_zero_or_in_range)]
Positive = Annotated[float, _said(LEAST, MOST), AfterValidator(_in_range)]
Entropy = Annotated[float, _said(0, 1), AfterValidator(_zero_or_entropy)]


class ConfigTable(BaseModel):
    """A table of settings: unknown names are errors, and values are frozen."""

    # Built on first use: a record inside another is built with it.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def check_once(names: Iterable[str]) -> None:
    """Refuses a name that is there twice.

    Raises:
        ValueError: with the name.
    """
    known: set[str] = set()
    for name in names:
        if name in known:
            raise ValueError(f"'{shown(name)}' is named twice; name it once")
        known.add(name)


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    check_once(names)
    return names


def _no_single_name(chain: Any) -> Any:
    if isinstance(chain, str):
        raise ValueError('a chain is a list of its own, as in order = [["check", "refund"]]')
    return chain


Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], AfterValidator(_each_once)]
Chain = Annotated[Names, Field(min_length=2), BeforeValidator(_no_single_name)]
