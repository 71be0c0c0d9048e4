"""Shows the contents of a file as OTAP reads it, and the settings in force."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap.config.file import LoadedConfig
from otap.errors import shown
from otap.report.rendering import render_view
from otap.report.view import View
from otap.trajectory import Step, Trajectory

MAX_SETTING = 2000  # characters of one setting


def reading_view(
    name: str, known_by: str, runs: Sequence[tuple[str, Trajectory]], golds: int
) -> View:
    """Returns the runs of a file, so that a reader can check whether OTAP understood them.

    Args:
        name: the file.
        known_by: its format, and the feature that identifies it.
        runs: all its runs, each with the name that selects it.
        golds: the number of golds in the file.
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
        runs=[(selector, run, list(_list_substeps(run.steps))) for selector, run in runs],
        steps=steps,
        substeps=list(_list_substeps(steps)),
        tools=Counter(step.tool for step in steps if step.tool is not None),
        unread=(("unknown", "bold red", unknown), ("ignored", "dim", ignored)),
    )


def _list_substeps(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        for substep in step.substeps:
            yield from (substep, *_list_substeps([substep]))


def settings_view(loaded: LoadedConfig) -> View:
    """Returns a row for each setting: its name, its value, and the file, option or preset."""
    settings = loaded.config.model_dump(mode="json").items()
    rows = [(name, _write_setting(setting), loaded.origins[name]) for name, setting in settings]
    return render_view("settings.txt", rows=rows)


def _write_setting(setting: Any) -> str:
    """Returns a setting on one line, without the empty members of a group."""
    if not isinstance(setting, Mapping):
        return shown(setting, MAX_SETTING)
    parts = []
    for name, member in setting.items():
        text = _write_setting(member)
        if member not in ([], {}):
            text = f"{{{text}}}" if isinstance(member, Mapping) else text
            parts.append(f"{shown(name)} {text}")
    return ", ".join(parts) or "none"
