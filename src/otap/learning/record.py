"""The base class of the records that are written as JSON."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen record; unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
