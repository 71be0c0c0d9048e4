"""The base class of the configuration's tables, and the types of their values."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from otap.errors import shown

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


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
