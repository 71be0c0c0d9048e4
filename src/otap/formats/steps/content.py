"""The content of a message or a result: a text, or a list of parts of which some are text.

Which parts of a list are text, and which are refused, differs from format to format: each reader
says so. Here stands what all of them do with the parts.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import getitem
from typing import Any, Protocol

from otap.formats.json.places import Place
from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH

# Types of parts that say nothing of what was done, by the word under which they are counted.
_SILENT = {
    kind: word
    for word, kinds in {
        "picture": "image image_url input_image image_file image-url picture",
        "sound or film": "audio audio-url video-url audio_url input_audio output_audio speech"
        " media video video_url",
        "file": "file binary document-url input_file document container_upload file_url"
        " uploaded-file",
        "thought": "thinking redacted_thinking reasoning reasoning_content redacted-reasoning",
        "source": "source source-url source-document citation citable search_result",
        "mark": "step-start cache cache_point cachePoint cache-point non_standard",
    }.items()
    for kind in kinds.split()
}


def said(content: Any, place: Place, text_in: Callable[[Any, Place], str | None]) -> list[str]:
    """Returns what a message says: one text, its parts on lines of their own.

    It is empty where the content is null, blank, or holds no text, as that of a call alone.

    Args:
        content: a text, a list of parts, or null.
        place: where it stands.
        text_in: returns the text of one part, or ``None`` where it says nothing, as a picture.

    Raises:
        FormatError: if the content is anything else, or ``text_in`` refuses a part.
    """
    if content is None:
        return []
    if not isinstance(content, str):
        found = [text_in(part, place[index]) for index, part in enumerate(place.array(content))]
        content = "\n".join(text for text in found if text is not None)
    return [content] if content.strip() else []


def text_part(part: Any, place: Place) -> str | None:
    """Returns the text of a part of whatever type; what is none says nothing."""
    text = place.object(part).get("text")
    return text if isinstance(text, str) else None


def unless_blank(text: Any) -> list[str]:
    """Returns a text as a list of one; an empty list where it is blank, or no text."""
    return [text] if isinstance(text, str) and text.strip() else []


def object_in(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Returns the object under a key; an empty one where something else stands there."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def value_at(value: Any, path: Iterable[str | int]) -> Any:
    """Returns what stands at the end of a path of keys and indices; None where nothing does."""
    try:
        return reduce(getitem, path, value)
    except (LookupError, TypeError):
        return None


def list_at(value: Any, *path: str | int) -> list[Any]:
    """Returns the list at the end of a path of keys and indices; an empty one for all else."""
    found = value_at(value, path)
    return found if isinstance(found, list) else []


def text_of(part: Mapping[str, Any], place: Place, *keys: str) -> str | None:
    """Returns the text under the first of these keys that a part has; ``None`` if it is empty.

    Raises:
        FormatError: if what stands there is no text.
    """
    key = next((key for key in keys if key in part), None)
    text = None if key is None else part[key]
    return None if text is None or text == "" else place["text"].text(text)


def is_text(part: Any, *kinds: str) -> bool:
    """Says whether a part is text: it has one, and is of one of these types if any are given."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return False
    return not kinds or part.get("type") in kinds


def joined(content: Any, *kinds: str) -> Any:
    """Returns a result as it was recorded, but a list of nothing but text as that text.

    Args:
        content: the result, whatever it is.
        kinds: the types of parts that are text; of any type if none are given.
    """
    if isinstance(content, list) and content and all(is_text(part, *kinds) for part in content):
        return "\n".join(part["text"] for part in content)
    return content


def recorded(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what was recorded: the notes that are not null."""
    return {key: note for key, note in notes.items() if note is not None}


class Noting(Protocol):
    """Who is told what no step was made of."""

    def unknown(self, what: str) -> None:
        """Notes something that the reader has no rule for."""

    def ignored(self, what: str) -> None:
        """Notes something known that says nothing of what was done."""


def note_part(noting: Noting, kind: object, what: str = "part") -> None:
    """Notes a part of a message of which no text and no call was made.

    Args:
        noting: who is told.
        kind: what its type says it is.
        what: the word for such a part, where a format has another.
    """
    known, word = word_of_part(kind, what)
    (noting.ignored if known else noting.unknown)(word)


def word_of_part(kind: object, what: str = "part") -> tuple[bool, str]:
    """Returns whether a part is known to say nothing, and the word by which it is counted."""
    if isinstance(kind, str) and kind in _SILENT:
        return True, _SILENT[kind]
    return False, f"{what} of type '{kind}'" if isinstance(
        kind, str
    ) and kind else f"{what} without a type"


def parse_inner(value: Any, otherwise: Any = None) -> Any:
    """Returns the JSON that a text inside a trace is, else ``otherwise``; no text is itself."""
    if not isinstance(value, str):
        return value
    try:
        return parse_text(value, ARGUMENTS_DEPTH)
    except ValueError:
        return otherwise
