"""Which of many references a run is compared with."""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from otap._caching import cached_property
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


class ReferenceIndex:
    """References of any tasks, arranged so that those of a run are found among thousands.

    Args:
        references: the order in which they are given is kept.
    """

    def __init__(self, references: Sequence[Trajectory]) -> None:
        self.all = references
        self._of_task: dict[str | None, list[int]] = {}
        for place, reference in enumerate(references):
            self._of_task.setdefault(reference.task, []).append(place)
        self.tasks = {task for task in self._of_task if task is not None}

    def of_run(self, run: Trajectory) -> Chosen:
        """Returns the references of the run's task.

        References without a task serve every run. If all references are of one task, they are meant
        for this run, whatever it calls its task. Where no task decides, what the user said does, if
        it was said for one task only: all of it, else its first text.

        Args:
            run: its ``task`` is looked for, else its ``request``.

        Raises:
            NoReferenceError: if there are none, or they are of several tasks and none is the run's.
        """
        if not self.all:
            raise NoReferenceError(f"{shown(run.name)}: no reference; pass some with -r")
        if run.task in self.tasks:
            return Chosen(self._serving(run.task))
        if len(self.tasks) == 1:
            return Chosen(list(self.all))
        asked = self._asked_the_same(_comparable(run.request))
        if 0 < len(asked) < len(self.all):
            return Chosen(self._at(asked), by_request=True)
        serving = self._serving(None)
        if not serving:
            raise NoReferenceError(_of_no_task(run, self.tasks))
        return Chosen(serving)

    def of_task(self, task: str) -> list[Trajectory]:
        """Returns the references of a task, and those that are of none.

        Raises:
            NoReferenceError: if references are of tasks, and none is of this one.
        """
        if self.tasks and task not in self.tasks:
            raise NoReferenceError(
                f"no reference of task '{shown(task)}'; there are {_named(self.tasks)}"
            )
        return self._serving(task)

    def of_no_task(self) -> Iterator[list[Trajectory]]:
        """Yields every list of references that a run may get that is of none of their tasks."""
        yield list(self.all)
        yield self._serving(None)
        for said in self._requests:
            for beginning in (said, said[:1]):
                yield self._at(self._asked_the_same(beginning))

    def _serving(self, task: str | None) -> list[Trajectory]:
        """Those of a task, and those of none."""
        return self._at({*self._of_task.get(task, ()), *self._of_task.get(None, ())})

    def _at(self, places: Iterable[int]) -> list[Trajectory]:
        return [self.all[place] for place in sorted(places)]

    def _asked_the_same(self, said: _Texts) -> set[int]:
        """Those whose user said what the run's user said, if all are of one task, or none.

        Those that know neither a task nor a request serve every run.
        """
        alike = self._requests.get(said, ()) if said else ()
        if not alike and len(" ".join(said[:1]).split()) >= GREETING:
            alike = self._beginnings.get(said[:1], ())
        if len({self.all[place].task for place in alike}) != 1:
            return set()
        silent = (n for n in self._requests.get((), ()) if self.all[n].task is None)
        return {*alike, *silent}

    @cached_property
    def _requests(self) -> dict[_Texts, list[int]]:
        """The places of the references by all that their users said."""
        found: dict[_Texts, list[int]] = {}
        for place, reference in enumerate(self.all):
            found.setdefault(_comparable(reference.request), []).append(place)
        return found

    @cached_property
    def _beginnings(self) -> dict[_Texts, list[int]]:
        """The same by the first text alone."""
        found: dict[_Texts, list[int]] = {}
        for said, places in self._requests.items():
            found.setdefault(said[:1], []).extend(places)
        return found


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
