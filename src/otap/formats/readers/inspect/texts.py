"""The texts of one sample of Inspect's; long ones are kept apart, as attachments."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from otap.formats.json.places import Place
from otap.formats.steps.content import Noting, is_text, joined, note_part, said

_ATTACHMENT = "attachment://"
_NOT_NOTED = ("text", "tool_use", "data")  # a call of the provider's own is read with the calls


@dataclass(frozen=True)
class Texts:
    """The texts of one sample; long ones are kept apart, and referred to."""

    attachments: Mapping[str, Any]

    def resolved(self, value: Any) -> Any:
        """Returns ``value`` with each reference replaced by what it refers to."""
        if isinstance(value, str) and value.startswith(_ATTACHMENT):
            return self.attachments.get(value.removeprefix(_ATTACHMENT), value)
        if isinstance(value, list):
            return [self.resolved(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolved(item) for key, item in value.items()}
        return value

    def said(self, content: Any, place: Place, noting: Noting | None = None) -> str | None:
        """Returns the text of a message's content; pictures and thoughts are left out.

        Args:
            content: the content.
            place: where it stands.
            noting: who is told of the parts that are left out.

        Raises:
            FormatError: if it is no content, or a part is no object.
        """
        text_in = partial(_part_text, noting)
        return next(iter(said(self.resolved(content), place, text_in)), None)

    def effect(self, content: Any) -> Any:
        """Returns a result as it was recorded; a list of texts is their text."""
        return joined(self.resolved(content), "text")


def _part_text(noting: Noting | None, part: Any, place: Place) -> str | None:
    """Returns the text of a part of type "text"; in the logs of tools it may be anything else."""
    if is_text(place.object(part), "text"):
        return part["text"] or None
    if noting is not None and part.get("type") not in _NOT_NOTED:
        note_part(noting, part.get("type"))
    return None
