"""Which of many references a run is compared with."""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from otap.errors import NoReferenceError, shown
from otap.trajectory import Trajectory

NAMED = 5
_Texts = tuple[str, ...]

GREETING = 5  # words: what is shorter begins the conversations of many tasks


@dataclass(frozen=True)
class Chosen:
    """The references of a run; ``by_request``: found by what the user said, for want of a task."""

    references: list[Trajectory]
    by_request: bool = False


def references_for(run: Trajectory, references: Sequence[Trajectory]) -> Chosen:
    """Returns the references of the run's task.

    References without a task serve every run. If all references are of one task, they are meant
    for this run, whatever it calls its task. Where no task decides, what the user said does, if it
    was said for one task only: all of it, else its first text.

    Args:
        run: its ``task`` is looked for, else its ``request``.
        references: of any tasks.

    Raises:
        NoReferenceError: if there are none, or they are of several tasks and none is the run's.
    """
    if not references:
        raise NoReferenceError(f"{shown(run.name)}: no reference; pass some with -r")
    tasks = _tasks(references)
    if run.task in tasks:
        return Chosen(_serving(run.task, references))
    if len(tasks) == 1:
        return Chosen(list(references))
    asked = _asked_the_same(run, references)
    if 0 < len(asked) < len(references):
        return Chosen(asked, by_request=True)
    serving = _serving(None, references)
    if not serving:
        raise NoReferenceError(_of_no_task(run, tasks))
    return Chosen(serving)


def of_task(task: str, references: Sequence[Trajectory]) -> list[Trajectory]:
    """Returns the references of a task, and those that are of none.

    Raises:
        NoReferenceError: if references are of tasks, and none is of this one.
    """
    tasks = _tasks(references)
    if tasks and task not in tasks:
        raise NoReferenceError(f"no reference of task '{shown(task)}'; there are {_named(tasks)}")
    return _serving(task, references)


def _tasks(references: Iterable[Trajectory]) -> set[str]:
    return {reference.task for reference in references if reference.task is not None}


def _serving(task: str | None, references: Iterable[Trajectory]) -> list[Trajectory]:
    """Those of a task, and those of none."""
    return [reference for reference in references if reference.task in (None, task)]


def _asked_the_same(run: Trajectory, references: Sequence[Trajectory]) -> list[Trajectory]:
    """The references whose user said what the run's user said, if all are of one task, or none.

    Those that know neither a task nor a request serve every run.
    """
    said = _comparable(run.request)
    requests = [_comparable(reference.request) for reference in references]
    alike = _alike(_same, said, requests) or _alike(_same_beginning, said, requests)
    if len({references[place].task for place in alike}) != 1:
        return []
    silent = {
        place
        for place, reference in enumerate(references)
        if reference.task is None and not requests[place]
    }
    return [references[place] for place in sorted(alike | silent)]


def _alike(
    means: Callable[[_Texts, _Texts], bool], said: _Texts, requests: Sequence[_Texts]
) -> set[int]:
    return {place for place, asked in enumerate(requests) if means(said, asked)}


def _same(said: _Texts, asked: _Texts) -> bool:
    return bool(said) and said == asked


def _same_beginning(said: _Texts, asked: _Texts) -> bool:
    return said[:1] == asked[:1] and len(" ".join(said[:1]).split()) >= GREETING


def _comparable(request: Iterable[str]) -> _Texts:
    """What was said, without what nobody means: letter case, blanks, forms of one character."""
    texts = (unicodedata.normalize("NFKC", text).casefold().split() for text in request)
    return tuple(" ".join(words) for words in texts if words)


def _of_no_task(run: Trajectory, tasks: Collection[str]) -> str:
    own = None if run.task is None else shown(run.task)
    whose = "it names no task" if own is None else f"no reference of its task '{own}'"
    return (
        f"{shown(run.name)}: {whose}; the references are of {_named(tasks)}, and what the user"
        " asked for does not say which; name one with --task"
    )


def _named(tasks: Collection[str]) -> str:
    names = ", ".join(shown(task, 30) for task in sorted(tasks)[:NAMED])
    return f"{names} and {len(tasks) - NAMED} more" if len(tasks) > NAMED else names
