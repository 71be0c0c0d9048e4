"""Runs without secrets and personal data.

Whatever is copied out of a run is redacted by one law, names and ids included. Equal values of a
recording have one placeholder such as ``redacted-email-1``, however they are spelled, and different
values have different ones. So an id that a later step uses is still the same id.
:mod:`otap.run.bindings` finds the value of a placeholder in another run.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from otap.run.placeholders import PLACEHOLDER, REDACTED, count_kinds, list_texts
from otap.run.private_table import PrivateTable
from otap.run.recorded_texts import list_data, list_names, list_sites, map_run
from otap.trajectory import Step, Trajectory, Unread

MAX_DEPTH = 100  # levels of data; deeper data becomes one placeholder
_DEEP = "redacted-data-1"


class Redaction(NamedTuple):
    """A run without its private values.

    Attributes:
        run: the run, with placeholders.
        originals: the value of each placeholder.
    """

    run: Trajectory
    originals: Mapping[str, Any]

    @property
    def sites(self) -> dict[str, str]:
        """The first site of each placeholder: the tool and the path, in words."""
        sites: dict[str, str] = {}
        for (tool, path), text in list_sites(self.run):
            for match in PLACEHOLDER.finditer(text):
                sites.setdefault(match[0], f"{path} of {tool}" if tool else path)
        for path, text in list_names(self.run):
            for match in PLACEHOLDER.finditer(text):
                sites.setdefault(match[0], path)
        return {name: sites.get(name, "metadata") for name in self.originals}

    @property
    def counts(self) -> dict[str, int]:
        """The number of different values by their kind."""
        return count_kinds(self.originals)


class RunRedactor:
    """Replaces the private values of runs, and those of the same runs in texts about them."""

    def __init__(self) -> None:
        self._table = PrivateTable()

    def redact(self, run: Trajectory) -> Redaction:
        """Returns a run with placeholders for its private values, in texts, data and names."""
        return self.redact_all([run])[0]

    def redact_all(self, runs: Sequence[Trajectory]) -> list[Redaction]:
        """Returns runs as :meth:`redact` does; a value that is private in one is private in all."""
        self._collect_content(runs)
        for run in runs:
            for _, name in list_names(run):
                self._table.add_name(name)
        return [Redaction(self._map_run(run), dict(self._table.originals)) for run in runs]

    def learn(self, runs: Iterable[Trajectory]) -> None:
        """Makes the private values of runs known, in whose texts they are then hidden."""
        self._collect_content(list(runs))
        self._table.forget_texts()

    def redact_content(self, run: Trajectory) -> Redaction:
        """Returns a run with placeholders in what comparisons read; its names and ids stay."""
        self._collect_content([run])
        return Redaction(map_run(run, self._replace_data), dict(self._table.originals))

    def hide(self, message: str) -> str:
        """Returns a message about the runs without private values, also where it cuts them."""
        self._table.add_name(message)
        return self._table.hide_cuts(self._table.replace_name(message))

    def hide_data(self, data: Any) -> Any:
        """Returns data about the runs without private values, in names, keys and texts."""
        if isinstance(data, dict):
            return {self.hide(str(key)): self.hide_data(member) for key, member in data.items()}
        if isinstance(data, list | tuple):
            return [self.hide_data(member) for member in data]
        return self.hide(data) if isinstance(data, str) else data

    def replace_text(self, text: str) -> str:
        """Returns a text with placeholders for the private values of the runs."""
        return self._table.replace_text(text)

    def _collect_content(self, runs: Sequence[Trajectory]) -> None:
        """Gives every private value its placeholder before any text is changed.

        A run that was redacted before has placeholders already, whose numbers are taken.
        """
        for run in runs:
            if run.metadata.get(REDACTED):
                self._skip_numbers(run)
        for run in runs:
            for data in list_data(run):
                self._collect(data, "", 0)
        if self._table.originals:
            for run in runs:
                for data in list_data(run):
                    for _, text in list_texts(data):
                        self._table.add_spellings(text)

    def _skip_numbers(self, run: Trajectory) -> None:
        texts = [text for data in list_data(run) for _, text in list_texts(data)]
        for text in (*texts, *(name for _, name in list_names(run))):
            self._table.skip_numbers(text)

    def _collect(self, data: Any, key: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            return
        if isinstance(data, dict):
            for name, member in data.items():
                self._collect(name, "", depth + 1)
                self._collect(member, name, depth + 1)
        elif isinstance(data, list | tuple):
            for member in data:
                self._collect(member, key, depth + 1)
        elif isinstance(data, str | int | float) and not isinstance(data, bool):
            self._table.add_scalar(data, key)

    def _replace_data(self, data: Any, key: str = "", depth: int = 0) -> Any:
        if isinstance(data, dict | list | tuple) and depth > MAX_DEPTH:
            return _DEEP
        if isinstance(data, dict):
            return {
                self._table.replace_text(name): self._replace_data(member, name, depth + 1)
                for name, member in data.items()
            }
        if isinstance(data, list | tuple):
            members = [self._replace_data(member, key, depth + 1) for member in data]
            return tuple(members) if isinstance(data, tuple) else members
        is_scalar = isinstance(data, str | int | float) and not isinstance(data, bool)
        return self._table.replace_scalar(data, key) if is_scalar else data

    def _map_run(self, run: Trajectory) -> Trajectory:
        rename = self._table.replace_name
        mapped = map_run(run, self._replace_data)
        source = run.source
        if source is not None and source.path is not None:
            source = source.model_copy(update={"path": rename(source.path)})
        names = {
            "id": None if run.id is None else rename(run.id),
            "task": None if run.task is None else rename(run.task),
            "trial": rename(run.trial) if isinstance(run.trial, str) else run.trial,
            "tools": {self.replace_text(name): facts for name, facts in run.tools.items()},
            "unread": Unread(
                unknown=_merge_counts(run.unread.unknown, rename),
                ignored=_merge_counts(run.unread.ignored, rename),
            ),
            "source": source,
        }
        update = {name: value for name, value in names.items() if value != getattr(run, name)}
        return mapped.model_copy(update={**update, "steps": self._map_names(mapped.steps)})

    def _map_names(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Renames steps; the ids of a list stay unique, and their links stay."""
        rename = self._table.replace_name
        ids: dict[str, str] = {}
        used_ids = {step.id for step in steps}
        for step in steps:
            name = rename(step.id)
            if name != step.id:
                name = _name_unused(name, used_ids)
                used_ids.add(name)
            ids[step.id] = name
        mapped = []
        for step in steps:
            parents = step.depends_on
            update: dict[str, Any] = {
                "id": ids[step.id],
                "tool": None if step.tool is None else self.replace_text(step.tool),
                "agent": None if step.agent is None else rename(step.agent),
                "depends_on": parents and tuple(ids[parent] for parent in parents),
                "substeps": self._map_names(step.substeps),
            }
            changes = {
                name: value for name, value in update.items() if value != getattr(step, name)
            }
            mapped.append(step.model_copy(update=changes) if changes else step)
        return tuple(mapped)


def _name_unused(name: str, used_names: Collection[str]) -> str:
    unused, number = name, 2
    while unused in used_names:
        unused, number = f"{name}-{number}", number + 1
    return unused


def _merge_counts(counts: Mapping[str, int], rename: Callable[[str], str]) -> dict[str, int]:
    merged: dict[str, int] = {}
    for name, count in counts.items():
        merged[rename(name)] = merged.get(rename(name), 0) + count
    return merged
