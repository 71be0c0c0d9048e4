"""What was read of one file, and the settings in force, for people."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap.config.file import LoadedConfig
from otap.errors import shown
from otap.report.rendering import render_view
from otap.report.view import View
from otap.trajectory import Step, Trajectory

VALUE_LENGTH = 2000  # characters that are shown of one setting


def reading_view(
    name: str, known_by: str, runs: Sequence[tuple[str, Trajectory]], golds: int
) -> View:
    """Returns what a person looks at to see whether a file was understood.

    Args:
        name: the file.
        known_by: its format, and by what that is known.
        runs: all its runs, each with the name that picks it.
        golds: how many golds the file carries.
    """
    unknown: Counter[str] = Counter()
    ignored: Counter[str] = Counter()
    for _, run in runs:
        unknown.update(run.unread.unknown)
        ignored.update(run.unread.ignored)
    steps = [step for _, run in runs for step in run.steps]
    return render_view(
        "reading.txt",
        path=name,
        known_by=known_by,
        golds=golds,
        runs=[(picked, run, list(_list_substeps(run.steps))) for picked, run in runs],
        steps=steps,
        inside=list(_list_substeps(steps)),
        tools=Counter(step.tool for step in steps if step.tool is not None),
        unread=(("unknown", "bold red", unknown), ("ignored", "dim", ignored)),
    )


def _list_substeps(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        for inner in step.substeps:
            yield from (inner, *_list_substeps([inner]))


def settings_view(loaded: LoadedConfig) -> View:
    """Returns one row a setting: name, value, and the file, option or preset that said it."""
    settings = loaded.config.model_dump(mode="json").items()
    rows = [(name, _write_value(value), loaded.origins[name]) for name, value in settings]
    return render_view("settings.txt", rows=rows)


def _write_value(value: Any) -> str:
    """A setting on one line; the empty ones of a group are left out."""
    if not isinstance(value, Mapping):
        return shown(value, VALUE_LENGTH)
    parts = []
    for name, part in value.items():
        text = _write_value(part)
        if part not in ([], {}):
            parts.append(f"{shown(name)} {f'{{{text}}}' if isinstance(part, Mapping) else text}")
    return ", ".join(parts) or "none"
