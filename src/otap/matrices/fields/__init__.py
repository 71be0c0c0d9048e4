"""The fields of a step, one module each: how it is read, its distance, its union, their bounds.

A new field is a module here and a line in this table, a weight in the configuration and a part
of the loss in the score's record.
"""

from collections.abc import Sequence
from typing import Any, Literal

from otap.matrices.fields.action import Action
from otap.matrices.fields.arguments import Arguments, ArgumentText
from otap.matrices.fields.effect import Effect
from otap.matrices.fields.field import Field, Measures, OfParts
from otap.matrices.fields.state import State
from otap.matrices.fields.tool import Tool

__all__ = ["FIELDS", "Field", "Measures", "OfParts", "fields_compared"]


_STRUCTURED: tuple[Field[Any], ...] = (Action(), Arguments(), Effect(), Tool(), State())
_ARGUMENT_TEXT = ArgumentText()
FIELDS = tuple(field.name for field in _STRUCTURED)


def fields_compared(arguments: Literal["structured", "text"]) -> Sequence[Field[Any]]:
    """Returns all fields, in the order in which their costs are summed.

    ``arguments`` says whether arguments are compared as structure or as one text.
    """
    if arguments == "structured":
        return _STRUCTURED
    return tuple(_ARGUMENT_TEXT if f.name == "arguments" else f for f in _STRUCTURED)
