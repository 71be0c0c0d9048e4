"""Steps that together stand for one: what their union says, and what it costs."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import JsonValue

from otap.encoders import Encoder, Vectors, unit_rows
from otap.matrices.texts import plain, text_of
from otap.trajectory import Step

# Between the texts of a union; what a text itself holds of it is no boundary that matters.
_JOINT = "\x1f"


def union(steps: Sequence[Step]) -> Step:
    """Returns one step that says what all of some steps say, in their order.

    Texts are joined; of arguments, keys are taken together, and where two steps have another value
    under one key both are kept in a list. The state is that after the last step. The tool is left
    out: that of a union is a matter of the pair.
    """
    first = steps[0]
    return first.model_copy(
        update={
            "action": _joined([step.action for step in steps]),
            "arguments": _merged([step.arguments for step in steps]),
            "effect": _joined([step.effect for step in steps]),
            "state": next((s.state for s in reversed(steps) if s.state is not None), None),
        }
    )


def content(step: Step) -> str:
    """Returns a text by which equal steps are equal, to order steps that have no order."""
    parts = [step.tool, step.action, step.arguments, step.effect, step.state]
    return json.dumps(parts, sort_keys=True)


class UnionEncoder:
    """An encoder for which a union of texts is the sum of their vectors, scaled to length 1."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.digest, self.window = encoder.name, encoder.digest, encoder.window

    def encode(self, texts: list[str]) -> Vectors:
        """Returns one unit row a text."""
        parts = [text.split(_JOINT) for text in texts]
        rows = self._encoder.encode([part for found in parts for part in found])
        starts = np.cumsum([0, *(len(found) for found in parts[:-1])])
        return unit_rows(np.add.reduceat(rows, starts, axis=0)) if texts else rows


def joined(texts: Iterable[str]) -> str:
    """The different texts in sorted order, so that the listing order of steps changes nothing."""
    found = {part for text in texts for part in text.split(_JOINT)}
    return _JOINT.join(sorted(found - {""}))


def _joined(values: Sequence[JsonValue]) -> str | None:
    return None if all(value is None for value in values) else joined(map(text_of, values))


def _merged(values: Sequence[JsonValue]) -> JsonValue:
    known = [plain(value) for value in values if value is not None]
    if not known:
        return None
    if all(isinstance(value, str) for value in known):
        return _joined(known)
    if not all(isinstance(value, dict) for value in known):
        return known[0] if len(known) == 1 else known
    merged: dict[str, JsonValue] = {}
    for value in known:
        assert isinstance(value, dict)
        for key, item in value.items():
            merged[key] = _both(merged[key], item) if key in merged else item
    return merged


def _both(one: JsonValue, other: JsonValue) -> JsonValue:
    if one == other:
        return one
    ours = one if isinstance(one, list) else [one]
    return [*ours, *(other if isinstance(other, list) else [other])]
