"""Which of many references a run is compared with."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from otap._caching import cached_property
from otap.errors import NoReferenceError, shown
from otap.tasks import (
    TaskRule,
    Texts,
    find_labels,
    fold_request,
    is_informative,
    list_groups,
    list_names,
    name_request,
)
from otap.trajectory import Trajectory

NAMED = 5  # tasks
HINT = "say with --task-from where the task stands"
# What told which references are a run's, in words.
TOLD_BY = {
    "task": "the name of the task",
    "request": "what the user asked for",
    "group": "a session, a tag or the file's name",
    "only": "the references, which are all of one task",
}
_Places = set[int]
_Label = TypeVar("_Label", str, Texts)


@dataclass(frozen=True)
class Chosen:
    """The references of a run.

    Attributes:
        references: in the order in which they were given.
        by: what told that they are the run's: "task", "request" or "group", which is a session, a
            tag or a file's name; "only": they are all of one task, or of none.
        task: the name of the task; None where neither side has one.
    """

    references: list[Trajectory]
    by: str
    task: str | None


class ReferenceIndex:
    """References of any tasks, arranged so that those of a run are found among thousands.

    Args:
        references: the order in which they are given is kept.
        rule: where the names of tasks stand; None: where they mostly do (:mod:`otap.tasks`).
    """

    def __init__(self, references: Sequence[Trajectory], rule: TaskRule | None = None) -> None:
        self.all = references
        # One that finds nothing in any reference would leave each for every run.
        self._rule = rule if rule and any(map(rule.find, references)) else None
        self._shared = find_labels(references)
        self._names = [self._list_names(one) for one in references]
        self._said = [fold_request(one.request) for one in references]
        self._of_name = _index(self._names)
        self.tasks = set(self._of_name)

    def of_run(self, run: Trajectory) -> Chosen:
        """Returns the references of the run's task.

        A run is told by the name of its task, else by what its user said, else by what else may
        tell tasks apart. References that know neither a task nor a request serve every run. If all
        references are of one task, they are meant for this run, whatever it calls its task.

        Args:
            run: its names, its ``request``, its metadata and its file are looked for.

        Raises:
            NoReferenceError: if there are none, or they are of several tasks and none is the run's.
        """
        if not self.all:
            raise NoReferenceError(f"{shown(run.name)}: no reference; pass some with -r")
        name = next((one for one in self._list_names(run) if one in self.tasks), None)
        if name is not None:
            return Chosen(self._with_silent(self._of_name[name]), "task", name)
        own = self._name(run)
        if self._count_tasks == 1:
            return Chosen(list(self.all), "only", own)
        for by, find in (("request", self._find_by_request), ("group", self._find_by_group)):
            found = None if self._rule and self._rule.find(run) else find(run)
            if found is not None:
                known = next((self._names[k][0] for k in sorted(found) if self._names[k]), None)
                return Chosen(self._at(found), by, known or self._name(run))
        if not self._silent:
            raise NoReferenceError(self._say_unmatched(run))
        return Chosen(self._with_silent(()), "only", own)

    def of_task(self, task: str) -> list[Trajectory]:
        """Returns the references of a task, and those that are of none.

        Raises:
            NoReferenceError: if references are of tasks, and none is of this one.
        """
        if self.tasks and task not in self.tasks:
            raise NoReferenceError(
                f"no reference of task '{shown(task)}'; there are {_list_first(self.tasks)}"
            )
        return self._with_silent(self._of_name.get(task, ()))

    def list_sets(self) -> Iterator[list[Trajectory]]:
        """Yields every list of references that some run may get."""
        yield list(self.all)
        known = (self._of_name, self._of_request, self._of_beginning)
        for places in [(), *(found for index in known for found in index.values())]:
            yield self._with_silent(places)
        yield from map(self._at, self._of_group.values())

    def _list_names(self, run: Trajectory) -> list[str]:
        found = self._rule.find(run) if self._rule else None
        return [found] if found else list_names(run, self._shared)

    def _name(self, run: Trajectory) -> str | None:
        """The name of a run's task, as far as the run has one."""
        names = self._list_names(run)
        return names[0] if names else name_request(run.request)

    @cached_property
    def _count_tasks(self) -> int:
        """How many tasks the references are of, as far as their names or requests tell."""
        both = zip(self._names, self._said, strict=True)
        return len({names[0] if names else said for names, said in both} - {()})

    @cached_property
    def _silent(self) -> _Places:
        """The references that know neither a task nor a request."""
        both = zip(self._names, self._said, strict=True)
        return {place for place, (names, said) in enumerate(both) if not names and not said}

    def _find_by_request(self, run: Trajectory) -> _Places | None:
        """Those whose user said what the run's user said, if all are of one task, or none."""
        said = fold_request(run.request)
        found = self._of_request.get(said)
        if found is None and is_informative(said):
            found = self._of_beginning.get(said[:1])
        if not found or len({tuple(self._names[place][:1]) for place in found}) != 1:
            return None
        return found | self._silent

    def _find_by_group(self, run: Trajectory) -> _Places | None:
        """Those of its session, its tags or its file, unless it asks for something else."""
        if run.request and any(self._said):
            return None
        return next(filter(None, map(self._of_group.get, list_groups(run))), None)

    def _with_silent(self, places: Iterable[int]) -> list[Trajectory]:
        return self._at({*places, *self._silent})

    def _at(self, places: Iterable[int]) -> list[Trajectory]:
        return [self.all[place] for place in sorted(places)]

    @cached_property
    def _of_request(self) -> Mapping[Texts, _Places]:
        """The places of the references by all that their users said."""
        return _index([said] if said else [] for said in self._said)

    @cached_property
    def _of_beginning(self) -> Mapping[Texts, _Places]:
        """The same by the first text alone."""
        return _index([said[:1]] if said else [] for said in self._said)

    @cached_property
    def _of_group(self) -> Mapping[str, _Places]:
        """The same by what tells some references from the others."""
        known = _index(map(list_groups, self.all))
        return {group: places for group, places in known.items() if len(places) < len(self.all)}

    def _say_unmatched(self, run: Trajectory) -> str:
        names = self._list_names(run)
        request = name_request(run.request)
        whose = "it names no task and records no request"
        if names:
            whose = f"no reference of its task '{shown(names[0])}', nor of its request"
        elif request is not None:
            whose = f"no reference for its request '{shown(request, 60)}'"
        tasks = self.tasks or {name_request(said) or "" for said in self._said}
        of = _list_first(tasks)
        return f"{shown(run.name)}: {whose}; the references are of {of}; {HINT}"


def _index(labels: Iterable[Iterable[_Label]]) -> dict[_Label, _Places]:
    """The places of each label, of the labels of each place."""
    found: dict[_Label, _Places] = {}
    for place, several in enumerate(labels):
        for label in several:
            found.setdefault(label, set()).add(place)
    return found


def _list_first(names: Collection[str]) -> str:
    listed = ", ".join(shown(name, 30) for name in sorted(names)[:NAMED])
    return f"{listed} and {len(names) - NAMED} more" if len(names) > NAMED else listed
