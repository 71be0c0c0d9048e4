"""Functions that readers of runs share."""

from collections.abc import Callable, Iterator
from itertools import starmap
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.steps.content import drop_nulls
from otap.formats.steps.conversation import Conversation
from otap.trajectory import Trajectory, parse_trajectory


def read_items(
    document: Document, read_item: Callable[[Any, JsonPath], Trajectory]
) -> Iterator[Trajectory]:
    """Returns one run for each item.

    Unlike a generator, the iterator goes on after an item that raises an error.

    Args:
        document: a list of items, or a single item.
        read_item: returns the run of an item, given its value and its path.
    """
    return starmap(read_item, document.items())


def with_paths(values: Any, path: JsonPath) -> list[tuple[Any, JsonPath]]:
    """Returns the items of a list, each with its path.

    Raises:
        FormatError: if this is not a list.
    """
    return [(value, path[index]) for index, value in enumerate(path.array(values))]


def run_from(
    conversation: Conversation, path: JsonPath, fields: dict[str, Any], notes: dict[str, Any]
) -> Trajectory:
    """Returns a conversation as a run.

    Args:
        conversation: the requests, steps and answers.
        path: the path of the run, for errors.
        fields: more fields of the trajectory, which replace those of the conversation.
        notes: more metadata; values that are None are left out.

    Raises:
        FormatError: if this is not a valid trajectory.
    """
    metadata = {**drop_nulls(notes), **conversation.metadata}
    return parse_trajectory(
        {**conversation.trajectory_fields(), **fields, "metadata": metadata}, str(path)
    )
