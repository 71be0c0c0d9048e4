"""Parts of messages that say nothing of what was done, by the names that vendors give them."""

from typing import Protocol

_PICTURES = ("image", "image_url", "input_image", "image_file", "image-url", "picture")
_SOUNDS = (
    "audio",
    "audio-url",
    "video-url",
    "audio_url",
    "input_audio",
    "output_audio",
    "speech",
    "media",
    "video",
)
_FILES = (
    "file",
    "binary",
    "document-url",
    "input_file",
    "document",
    "container_upload",
    "file_url",
    "uploaded-file",
)
_THOUGHTS = (
    "thinking",
    "redacted_thinking",
    "reasoning",
    "reasoning_content",
    "redacted-reasoning",
)
_SOURCES = ("source", "source-url", "source-document", "citation", "citable", "search_result")
_MARKS = ("step-start", "cache", "cache_point", "cachePoint", "cache-point", "non_standard")

_SILENT = {
    **dict.fromkeys(_PICTURES, "picture"),
    **dict.fromkeys((*_SOUNDS, "video_url"), "sound or film"),
    **dict.fromkeys(_FILES, "file"),
    **dict.fromkeys(_THOUGHTS, "thought"),
    **dict.fromkeys(_SOURCES, "source"),
    **dict.fromkeys(_MARKS, "mark"),
}


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
    if isinstance(kind, str) and kind in _SILENT:
        noting.ignored(_SILENT[kind])
    elif isinstance(kind, str) and kind:
        noting.unknown(f"{what} of type '{kind}'")
    else:
        noting.unknown(f"{what} without a type")
