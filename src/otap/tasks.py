"""Which task a run is of: what its file says of it, or what the user points to.

The task pairs a run with its references, and one night with the next.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from otap._caching import cached_property
from otap.trajectory import Trajectory
from otap.values.normalization import compose

HOW = "request, file, file:PATTERN, metadata.KEY or id"
# Keys of a run's metadata that name its task, the plainest first; and those that may tell tasks
# apart, where they recur: a session or a tag is often something else.
TASK_KEYS = ("task", "task_id", "task_name", "case", "case_id", "test_case", "scenario")
GROUP_KEYS = (
    *("session", "session_id", "sessionId", "group_id", "thread_id", "conversation", "tags"),
)
# Tables inside the metadata in which producers keep what their users said.
TABLES = ("metadata", "trace_metadata", "attributes")
GREETING = 5  # words: what is shorter begins the conversations of many tasks
LONGEST = 100  # characters of a task's name that is made of a request

Texts = tuple[str, ...]


@dataclass(frozen=True)
class TaskRule:
    """Where the name of a run's task stands.

    Args:
        kind: "request", "file", "metadata" or "id".
        key: the pattern of a file, or the dotted key of the metadata.
    """

    kind: str
    key: str = ""

    def find(self, run: Trajectory) -> str | None:
        """Returns the name of a run's task; None where there is none at this place."""
        match self.kind:
            case "id":
                return run.id
            case "request":
                return name_request(run.request)
            case "metadata":
                return _text(_look_up(run.metadata, self.key))
        found = self._pattern.search((run.source and run.source.path) or "")
        return (found and (found[1] if self._pattern.groups else found[0])) or None

    def __str__(self) -> str:
        if self.kind == "file":
            return f"file name that matches {self.key}" if self.key else "file name"
        return f"metadata.{self.key}" if self.kind == "metadata" else self.kind

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.key if "(" in self.key else _expression(self.key or "*.*"))


def parse_rule(text: str) -> TaskRule:
    """Returns the rule that a user wrote.

    Raises:
        ValueError: that says what can be written.
    """
    kind, _, key = text.partition(":")
    if kind == "file":
        try:
            rule = TaskRule(kind, key)
            _ = rule._pattern
        except re.error as error:
            raise ValueError(f"'{key}' is no regular expression ({error})") from None
        if "(" not in key and key.count("*") > 1 and key != "*.*":
            raise ValueError(
                f"'{key}' has several *: put the task into parentheses, as in file:night./(.+)/"
            )
        return rule
    if text in ("request", "id"):
        return TaskRule(text)
    if text.startswith("metadata.") and text != "metadata.":
        return TaskRule("metadata", text.removeprefix("metadata."))
    raise ValueError(f"Input should be {HOW}")


def name_task(run: Trajectory, rule: TaskRule | None = None) -> str | None:
    """Returns the name of a run's task.

    It is what a rule finds, else the file's own task, else a task in its metadata, else what the
    user asked for.
    """
    found = rule.find(run) if rule else None
    if found:
        return found
    if run.task is not None:
        return run.task
    return next(_list_values(run, TASK_KEYS), None) or name_request(run.request)


def with_tasks(runs: Sequence[Trajectory], rule: TaskRule | None = None) -> list[Trajectory]:
    """Returns runs under the names of their tasks (:func:`name_task`).

    What the metadata of all of them says, though they ask for several things, names no task.
    """
    shared = set() if rule else find_labels(runs)
    return [_with_task(run, rule, shared) for run in runs]


def _with_task(run: Trajectory, rule: TaskRule | None, shared: Collection[str]) -> Trajectory:
    name = name_task(run, rule)
    if run.task is None and name in shared:
        name = name_request(run.request)
    return run if name == run.task else run.model_copy(update={"task": name})


def find_labels(runs: Sequence[Trajectory]) -> set[str]:
    """Returns what the metadata of all runs says alike, though they ask for several things."""
    if len({fold_request(run.request) for run in runs} - {()}) < 2:
        return set()
    return set.intersection(*(set(_list_values(run, TASK_KEYS)) for run in runs))


def list_names(run: Trajectory, shared: Collection[str] = ()) -> list[str]:
    """Returns what may name a run's task: its own, and what its metadata says.

    Args:
        run: the run.
        shared: what names no task (:func:`find_labels`).
    """
    own = [] if run.task is None else [run.task]
    told = (name for name in _list_values(run, TASK_KEYS) if name not in shared)
    return list(dict.fromkeys([*own, *told]))


def list_groups(run: Trajectory) -> list[str]:
    """Returns what may tell a run's task from others: sessions, tags, and the file's name.

    Numbers at the end of a file's name count runs, and name nothing.
    """
    path = run.source.path if run.source else None
    stem = PurePosixPath((path or "").replace("\\", "/")).name.partition(".")[0]
    name = stem.rstrip("0123456789").rstrip("-_# ")
    groups = [f"metadata {value}" for value in _list_values(run, GROUP_KEYS)]
    return [*groups, f"file {name}"] if name else groups


def name_request(request: Iterable[str]) -> str | None:
    """Returns a name of what a user asked for; None where nothing was said."""
    said = fold_request(request)
    text = " ".join(said[:1] if is_telling(said) else said)
    if len(text) <= LONGEST:
        return text or None
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
    return f"{text[: LONGEST - 10]}… {digest}"


def fold_request(request: Iterable[str]) -> Texts:
    """Returns what was said, without letter case, blanks and other forms of one character."""
    texts = (compose(text, "NFKC").casefold().split() for text in request)
    return tuple(" ".join(words) for words in texts if words)


def is_telling(said: Texts) -> bool:
    """Whether the first text says what the user wants, and is more than a greeting."""
    return len(" ".join(said[:1]).split()) >= GREETING


def _list_values(run: Trajectory, keys: Iterable[str]) -> Iterator[str]:
    tables = [run.metadata, *(run.metadata.get(name) for name in TABLES)]
    for key in keys:
        for table in tables:
            value = _text(table.get(key)) if isinstance(table, Mapping) else None
            if value is not None:
                yield value


def _text(value: Any) -> str | None:
    """A name or a number as text; of a list of names all of them, in order."""
    if isinstance(value, list):
        parts = [_text(one) for one in value]
        return ", ".join(sorted(part for part in parts if part)) or None
    is_name = isinstance(value, str | int) and not isinstance(value, bool)
    return (str(value).strip() or None) if is_name else None


def _look_up(data: Any, key: str) -> Any:
    """What stands under a dotted key, which may itself be one key with dots."""
    if not isinstance(data, Mapping):
        return None
    if key in data:
        return data[key]
    first, _, rest = key.partition(".")
    return _look_up(data.get(first), rest) if rest else None


def _expression(pattern: str) -> str:
    """A pattern of a path's end as a regular expression; what * stands for is its group."""
    if pattern == "*.*":
        return r"([^/\\]+?)(?:\.[^/\\.]*)*$"
    group = r"([^/\\]+?)".join(map(re.escape, pattern.split("*")))
    return rf"(?:^|[/\\]){group}$"
