"""Every text of a recorded run: what comparisons read, names and ids, and how to change it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from otap._patterns import regex
from otap.run.placeholders import REDACTED, list_texts
from otap.trajectory import Step, Trajectory

# The suffix of a file, which is no part of an address.
FILE_SUFFIX = regex(r"(?i)\.(?:jsonl?|toml|ya?ml|txt|log|gz|zip|csv|parquet|md|html?|db|sqlite)$")
_STEP_FIELDS = ("arguments", "effect", "state", "action")
_RUN_FIELDS = ("request", "messages_to_user", "required_answers")


def iterate_recorded_steps(steps: Sequence[Step]) -> Iterator[Step]:
    """Yields steps and their sub-steps, each before those within it."""
    for step in steps:
        yield step
        yield from iterate_recorded_steps(step.substeps)


def list_data(run: Trajectory) -> Iterator[Any]:
    """Yields everything that comparisons read and that may be private, in the order of reading."""
    yield run.id
    yield run.task
    for name in _RUN_FIELDS:
        yield getattr(run, name)
    yield from _list_step_data(run.steps)
    yield {key: value for key, value in run.metadata.items() if key != REDACTED}


def _list_step_data(steps: tuple[Step, ...]) -> Iterator[Any]:
    for step in steps:
        for name in _STEP_FIELDS:
            yield getattr(step, name)
        yield step.metadata
        yield from _list_step_data(step.substeps)


def list_names(run: Trajectory) -> Iterator[tuple[str, str]]:
    """Yields the names and ids of a run, each after the name of its field."""
    texts = {"id": run.id, "task": run.task, "trial": run.trial}
    texts["source.path"] = run.source.path if run.source else None
    for field, text in texts.items():
        if isinstance(text, str):
            yield field, FILE_SUFFIX.sub("", text)
    yield from (("tools", name) for name in run.tools)
    yield from (("unread", name) for name in (*run.unread.unknown, *run.unread.ignored))
    yield from _list_step_names(run.steps)


def _list_step_names(steps: tuple[Step, ...]) -> Iterator[tuple[str, str]]:
    for step in steps:
        yield "id of a step", step.id
        yield from (
            (field, text) for field, text in (("tool", step.tool), ("agent", step.agent)) if text
        )
        yield from _list_step_names(step.substeps)


def list_sites(run: Trajectory) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields each text of a run with its tool and its path."""
    for name in _RUN_FIELDS:
        for path, text in list_texts(getattr(run, name), name):
            yield ("", path), text
    yield from _list_step_sites(run.steps)


def _list_step_sites(steps: tuple[Step, ...]) -> Iterator[tuple[tuple[str, str], str]]:
    for step in steps:
        for name in _STEP_FIELDS:
            for path, text in list_texts(getattr(step, name), name):
                yield (step.tool or "", path), text
        yield from _list_step_sites(step.substeps)


def map_run(run: Trajectory, change: Callable[[Any], Any]) -> Trajectory:
    """Returns a run with a change of each text and each piece of data that comparisons read."""
    fields: dict[str, Any] = {name: change(getattr(run, name)) for name in _RUN_FIELDS}
    fields |= {"id": change(run.id), "task": change(run.task)}
    own_metadata = {key: value for key, value in run.metadata.items() if key != REDACTED}
    counts = {key: value for key, value in run.metadata.items() if key == REDACTED}
    fields["metadata"] = {**change(own_metadata), **counts}
    return run.model_copy(update={**fields, "steps": _map_steps(run.steps, change)})


def _map_steps(steps: tuple[Step, ...], change: Callable[[Any], Any]) -> tuple[Step, ...]:
    return tuple(
        step.model_copy(
            update={
                **{name: change(getattr(step, name)) for name in _STEP_FIELDS},
                "metadata": change(step.metadata),
                "substeps": _map_steps(step.substeps, change),
            }
        )
        for step in steps
    )
