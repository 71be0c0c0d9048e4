"""Selects the references of a run among many."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from otap._caching import cached_property
from otap.errors import NoReferenceError, shown
from otap.run.placeholders import PLACEHOLDER, REDACTED, match_template
from otap.tasks import (
    TaskRule,
    Texts,
    find_labels,
    fold_request,
    is_informative,
    list_groups,
    list_names,
    name_file,
    name_request,
)
from otap.trajectory import Trajectory

MAX_LISTED = 5  # tasks in a message
MAX_VALUE = 200  # characters of a private value in a request
HINT = "name the field of the task with --task-from"
# The evidence that references belong to a run, in words.
MATCHED_BY = {
    "task": "the name of the task",
    "request": "what the user asked for",
    "group": "a session, a tag or the file's name",
    "only": "the references, which are all of one task",
}
_Indices = set[int]
_Label = TypeVar("_Label", str, Texts)


@dataclass(frozen=True)
class Chosen:
    """The references of a run.

    Attributes:
        references: the references in their original order.
        by: the evidence that they belong to the run: "task", "request", or "group" for a session, a
            tag or a file's name; "only" if all are of one task, or of none.
        task: the name of the task; None if neither side has one.
    """

    references: list[Trajectory]
    by: str
    task: str | None


class ReferenceIndex:
    """An index of the references of any tasks, which finds those of a run among thousands.

    Args:
        references: the references; selections keep their order.
        rule: where to read the names of tasks (default: the usual fields, see :mod:`otap.tasks`).
    """

    def __init__(self, references: Sequence[Trajectory], rule: TaskRule | None = None) -> None:
        self.all = references
        # A rule that finds no task in any reference would select all of them for every run.
        has_tasks = rule is not None and any(rule.find(reference) for reference in references)
        self._rule = rule if has_tasks else None
        self._shared = find_labels(references)
        self._redacted = [
            k for k, reference in enumerate(references) if REDACTED in reference.metadata
        ]
        self._names = [self._list_names(reference) for reference in references]
        self._requests = [fold_request(reference.request) for reference in references]
        self._by_name = _index(self._names)
        self.tasks = set(self._by_name)

    def of_run(self, run: Trajectory) -> Chosen:
        """Returns the references of the run's task.

        The name of the task decides, then the request of the user, then a session, a tag or the
        file's name. References without a task and without a request serve every run. If all
        references are of one task, they serve this run, whatever the name of its task.

        Args:
            run: the run, with its names, its ``request``, its metadata and its file.

        Raises:
            NoReferenceError: if there are no references, or if they are of several tasks and none
                of these is the run's.
        """
        if not self.all:
            raise NoReferenceError(f"{shown(run.name)}: no reference; pass some with -r")
        names = self._list_names(run)
        # Plans of runs without a task have their request as the name of their task.
        candidates: list[str | None] = [*names] or [name_request(run.request)]
        name = next((name for name in candidates if name in self.tasks), None)
        if name is not None:
            by = "task" if names else "request"
            return Chosen(self._with_unlabelled(self._by_name[name]), by, name)
        indices = self._find_by_template(run) if self._redacted else None
        if indices is not None:
            task = next((self._names[index][0] for index in indices if self._names[index]), None)
            return Chosen(self._with_unlabelled(indices), "request", task or self._name(run))
        run_task = self._name(run)
        if self._count_tasks == 1:
            return Chosen(list(self.all), "only", run_task)
        for by, find in (("request", self._find_by_request), ("group", self._find_by_group)):
            indices = None if self._rule and self._rule.find(run) else find(run)
            if indices is not None:
                names = [self._names[index][0] for index in sorted(indices) if self._names[index]]
                if self._by_group.get(f"file {name_file(run)}") == indices:
                    run_task = run_task or name_file(run)
                return Chosen(self._at(indices), by, names[0] if names else run_task)
        if not self._unlabelled:
            raise NoReferenceError(self._describe_unmatched(run))
        return Chosen(self._with_unlabelled(()), "only", run_task)

    def of_task(self, task: str) -> list[Trajectory]:
        """Returns the references of a task, and those without a task and without a request.

        Raises:
            NoReferenceError: if references have tasks, but none has this one; or if all have
                requests and none has a task.
        """
        if self.tasks and task not in self.tasks:
            raise NoReferenceError(
                f"no reference of task '{shown(task)}'; the references are of"
                f" {_list_first(self.tasks)}"
            )
        references = self._with_unlabelled(self._by_name.get(task, ()))
        if self.all and not references:
            raise NoReferenceError(
                f"no reference of task '{shown(task)}'; the references name no task, and are"
                " chosen by the user's request if you name none"
            )
        return references

    def list_sets(self) -> Iterator[list[Trajectory]]:
        """Yields every list of references that a run can get."""
        yield list(self.all)
        yield self._with_unlabelled(())
        for by_label in (self._by_name, self._by_request, self._by_first_text):
            for indices in by_label.values():
                yield self._with_unlabelled(indices)
        for indices in self._by_group.values():
            yield self._at(indices)

    def _list_names(self, run: Trajectory) -> list[str]:
        name = self._rule.find(run) if self._rule else None
        return [name] if name else list_names(run, self._shared)

    def _name(self, run: Trajectory) -> str | None:
        """The name of a run's task, if it has one."""
        names = self._list_names(run)
        return names[0] if names else name_request(run.request)

    @cached_property
    def _count_tasks(self) -> int:
        """The number of different tasks, by the names or else the requests of the references."""
        tasks = {
            names[0] if names else request
            for names, request in zip(self._names, self._requests, strict=True)
        }
        return len(tasks - {()})

    @cached_property
    def _unlabelled(self) -> _Indices:
        """The references without a task and without a request."""
        return {
            index
            for index, (names, request) in enumerate(zip(self._names, self._requests, strict=True))
            if not names and not request
        }

    def _find_by_request(self, run: Trajectory) -> _Indices | None:
        """The references with the run's request, if all are of one task or of none."""
        request = fold_request(run.request)
        indices = self._by_request.get(request)
        if indices is None and is_informative(request):
            indices = self._by_first_text.get(request[:1])
        if not indices or len({tuple(self._names[index][:1]) for index in indices}) != 1:
            return None
        return indices | self._unlabelled

    def _find_by_template(self, run: Trajectory) -> _Indices | None:
        """The redacted references with the run's task or request, whatever their values.

        They have placeholders where the run has a secret or a name.
        """
        request_name = name_request(run.request)
        texts = [name for name in self._list_names(run) if name != request_name]
        is_named = bool(texts)
        texts = texts or [" ".join(fold_request(run.request))]
        indices = {
            index
            for index in self._redacted
            for template in (self._names[index] if is_named else [" ".join(self._requests[index])])
            if any(_fits_template(template, text) for text in texts)
        }
        if not indices or len({tuple(self._names[index][:1]) for index in indices}) != 1:
            return None
        return indices

    def _find_by_group(self, run: Trajectory) -> _Indices | None:
        """The references of its session, tags or file, unless requests differ."""
        if run.request and any(self._requests):
            return None
        for group in list_groups(run):
            if group in self._by_group:
                return self._by_group[group]
        return None

    def _with_unlabelled(self, indices: Iterable[int]) -> list[Trajectory]:
        return self._at({*indices, *self._unlabelled})

    def _at(self, indices: Iterable[int]) -> list[Trajectory]:
        return [self.all[index] for index in sorted(indices)]

    @cached_property
    def _by_request(self) -> Mapping[Texts, _Indices]:
        """The indices of the references by all messages of their users."""
        return _index([request] if request else [] for request in self._requests)

    @cached_property
    def _by_first_text(self) -> Mapping[Texts, _Indices]:
        """The indices of the references by the first message of their users."""
        return _index([request[:1]] if request else [] for request in self._requests)

    @cached_property
    def _by_group(self) -> Mapping[str, _Indices]:
        """The indices of the references by labels that not all of them have."""
        by_group = _index(list_groups(reference) for reference in self.all)
        return {
            group: indices for group, indices in by_group.items() if len(indices) < len(self.all)
        }

    def _describe_unmatched(self, run: Trajectory) -> str:
        names = self._list_names(run)
        request = name_request(run.request)
        reason = "it names no task and records no request"
        if names:
            reason = f"no reference of its task '{shown(names[0])}', nor of its request"
        elif request is not None:
            reason = f"no reference for its request '{shown(request, 60)}'"
        tasks = self.tasks or {name_request(texts) or "" for texts in self._requests}
        return f"{shown(run.name)}: {reason}; the references are of {_list_first(tasks)}; {HINT}"


def _fits_template(template: str, text: str) -> bool:
    """Whether a text has the words of a template, and short values for its placeholders."""
    values = match_template(template, text) if PLACEHOLDER.sub("", template).strip() else None
    return values is not None and all(0 < len(value) <= MAX_VALUE for _, value in values)


def _index(labels: Iterable[Iterable[_Label]]) -> dict[_Label, _Indices]:
    """The indices of each label, given the labels of each index."""
    by_label: dict[_Label, _Indices] = {}
    for index, index_labels in enumerate(labels):
        for label in index_labels:
            by_label.setdefault(label, set()).add(index)
    return by_label


def _list_first(names: Collection[str]) -> str:
    first = ", ".join(shown(name, 30) for name in sorted(names)[:MAX_LISTED])
    return f"{first} and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else first
