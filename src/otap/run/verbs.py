"""The verbs of tools by class: ``create_event`` and ``add_event`` say that the same is done.

The verb is the first word of a tool's name, or its last, or the first verb behind the name of an
application (``calendar_create_event``). The other words name the object.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from otap.run import words as table
from otap.run.names import split_name
from otap.values.keys import singular
from otap.values.tool_names import MAX_NAME, SEVERAL, last_part

_CLASSES: Mapping[str, str] = {
    "create": "create add insert new make append",
    "remove": "remove delete drop erase destroy",
    "update": "update set edit modify change patch",
    "send": "send post publish",
    "reserve": "book reserve schedule",
    "buy": "buy purchase",
    "enroll": "enroll enrol register subscribe",
    "move": "move mv relocate",
    "copy": "copy cp duplicate clone",
    "cancel": "cancel void revoke",
    "approve": "approve accept",
    "reject": "reject decline deny",
    "stop": "stop halt terminate",
    "get": "get fetch retrieve read lookup find search query show view describe",
}
_CLASS_OF = {verb: name for name, verbs in _CLASSES.items() for verb in verbs.split()}
_VERBS = table.WRITING | table.READING | table.THINKING | table.ASKING


class Deed(NamedTuple):
    """The work of a tool by its name.

    Attributes:
        verb: the class of its verb, or the verb itself if it is in no class.
        is_graded: whether the verb is in a class.
        object: the other words, in the singular.
    """

    verb: str
    is_graded: bool
    object: tuple[str, ...]


@lru_cache(maxsize=4096)
def read_deed(tool: str) -> Deed | None:
    """Returns the work that a tool's name announces; None for a name without words."""
    if len(tool) > MAX_NAME:
        return None
    words = [word for word in split_name(last_part(tool)) if word not in SEVERAL]
    if not words:
        return None
    position = _find_verb(words)
    objects = words[position + 1 :] if position < len(words) - 1 else words[:position]
    verb = words[position]
    return Deed(
        _CLASS_OF.get(verb, verb), verb in _CLASS_OF, tuple([singular(word) for word in objects])
    )


def _find_verb(words: list[str]) -> int:
    """The index of the verb: the first word, unless it is no verb and another word is one."""
    if words[0] in _VERBS or words[0] in _CLASS_OF:
        return 0
    verbs = [k for k, word in enumerate(words) if word in _CLASS_OF and word not in table.NOUNS_TOO]
    return verbs[0] if verbs else 0


def are_synonyms(tool: str, other_tool: str) -> bool:
    """Returns whether two names say the same in other words: verbs of one class, one object."""
    deed = read_deed(tool)
    return deed is not None and deed.is_graded and deed == read_deed(other_tool)
