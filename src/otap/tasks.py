"""Names the task of a run, by its file, its metadata, the user's request, or a rule.

The task pairs a run with its references, and the runs of two evaluations.
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

CHOICES = "request, file, file:PATTERN, metadata.KEY or id"
# Keys of the metadata that name a task, the most specific first. The other keys may distinguish
# tasks if their values recur, but a session or a tag is often something else.
TASK_KEYS = ("task", "task_id", "task_name", "case", "case_id", "test_case", "scenario")
GROUP_KEYS = (
    *("session", "session_id", "sessionId", "group_id", "thread_id", "conversation", "tags"),
)
# Tables inside the metadata that producers use for their users' own metadata.
TABLES = ("metadata", "trace_metadata", "attributes")
MIN_REQUEST_WORDS = 5  # a shorter message may be a greeting, which begins many tasks
MAX_NAME = 100  # characters of a task name that is made from a request

Texts = tuple[str, ...]


@dataclass(frozen=True)
class TaskRule:
    """A rule where to find the name of a run's task.

    Args:
        kind: "request", "file", "metadata" or "id".
        key: the pattern of a file, or the dotted key of the metadata.
    """

    kind: str
    key: str = ""

    def find(self, run: Trajectory) -> str | None:
        """Returns the name of a run's task, or None if this rule finds none."""
        match self.kind:
            case "id":
                return run.id
            case "request":
                return name_request(run.request)
            case "metadata":
                return _text(_look_up(run.metadata, self.key))
        match = self._pattern.search((run.source and run.source.path) or "")
        return (match and (match[1] if self._pattern.groups else match[0])) or None

    def __str__(self) -> str:
        if self.kind == "file":
            return f"file name that matches {self.key}" if self.key else "file name"
        return f"metadata.{self.key}" if self.kind == "metadata" else self.kind

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.key if "(" in self.key else _to_regex(self.key or "*.*"))


def parse_rule(text: str) -> TaskRule:
    """Parses a rule.

    Raises:
        ValueError: lists the possible rules.
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
                f"'{key}' has several *: put the task in parentheses, as in file:night./(.+)/"
            )
        return rule
    if text in ("request", "id"):
        return TaskRule(text)
    if text.startswith("metadata.") and text != "metadata.":
        return TaskRule("metadata", text.removeprefix("metadata."))
    raise ValueError(f"Input should be {CHOICES}")


def name_task(run: Trajectory, rule: TaskRule | None = None) -> str | None:
    """Returns the name of a run's task.

    This is the name that the rule finds, or else the run's task, or else a task in its metadata, or
    else a name made from the request.
    """
    name = rule.find(run) if rule else None
    if name:
        return name
    if run.task is not None:
        return run.task
    return next(_list_values(run, TASK_KEYS), None) or name_request(run.request)


def assign_tasks(runs: Sequence[Trajectory], rule: TaskRule | None = None) -> list[Trajectory]:
    """Returns the runs with the names of their tasks (:func:`name_task`).

    A name in the metadata of all runs is no task name if the runs have different requests.
    """
    shared = set() if rule else find_labels(runs)
    return [_with_task(run, rule, shared) for run in runs]


def _with_task(run: Trajectory, rule: TaskRule | None, shared: Collection[str]) -> Trajectory:
    name = name_task(run, rule)
    if run.task is None and name in shared:
        name = name_request(run.request)
    return run if name == run.task else run.model_copy(update={"task": name})


def find_labels(runs: Sequence[Trajectory]) -> set[str]:
    """Returns the names in the metadata of all runs, if the runs have different requests."""
    if len({fold_request(run.request) for run in runs} - {()}) < 2:
        return set()
    return set.intersection(*(set(_list_values(run, TASK_KEYS)) for run in runs))


def list_names(run: Trajectory, shared: Collection[str] = ()) -> list[str]:
    """Returns the possible names of a run's task: its task, and those in its metadata.

    Args:
        run: the run.
        shared: names that are no tasks (:func:`find_labels`).
    """
    names = [] if run.task is None else [run.task]
    names += [name for name in _list_values(run, TASK_KEYS) if name not in shared]
    return list(dict.fromkeys(names))


def list_groups(run: Trajectory) -> list[str]:
    """Returns names that may distinguish a run's task: sessions, tags, and the file's name.

    Numbers at the end of a file's name count runs, so they are left out.
    """
    name = name_file(run)
    groups = [f"metadata {value}" for value in _list_values(run, GROUP_KEYS)]
    return [*groups, f"file {name}"] if name else groups


def name_file(run: Trajectory) -> str:
    """Returns the name of a run's file without its suffixes and the number at its end."""
    path = run.source.path if run.source else None
    stem = PurePosixPath((path or "").replace("\\", "/")).name.partition(".")[0]
    return stem.rstrip("0123456789").rstrip("-_# ")


def name_request(request: Iterable[str]) -> str | None:
    """Returns a task name made from a request, or None if the request is empty."""
    texts = fold_request(request)
    text = " ".join(texts[:1] if is_informative(texts) else texts)
    if len(text) <= MAX_NAME:
        return text or None
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
    return f"{text[: MAX_NAME - 10]}… {digest}"


def fold_request(request: Iterable[str]) -> Texts:
    """Returns the messages of a request with case, blanks and characters (NFKC) normalised."""
    messages = (compose(text, "NFKC").casefold().split() for text in request)
    return tuple(" ".join(words) for words in messages if words)


def is_informative(texts: Texts) -> bool:
    """Returns whether the first message is long enough to be more than a greeting."""
    return len(" ".join(texts[:1]).split()) >= MIN_REQUEST_WORDS


def _list_values(run: Trajectory, keys: Iterable[str]) -> Iterator[str]:
    tables = [run.metadata, *(run.metadata.get(name) for name in TABLES)]
    for key in keys:
        for table in tables:
            text = _text(table.get(key)) if isinstance(table, Mapping) else None
            if text is not None:
                yield text


def _text(value: Any) -> str | None:
    """Returns a name or a number as text; the names of a list are sorted and joined."""
    if isinstance(value, list):
        parts = [_text(part) for part in value]
        return ", ".join(sorted(part for part in parts if part)) or None
    is_name = isinstance(value, str | int) and not isinstance(value, bool)
    return (str(value).strip() or None) if is_name else None


def _look_up(data: Any, key: str) -> Any:
    """Returns the value at a dotted key, or at a single key that contains dots."""
    if not isinstance(data, Mapping):
        return None
    if key in data:
        return data[key]
    parent, _, child = key.partition(".")
    return _look_up(data.get(parent), child) if child else None


def _to_regex(pattern: str) -> str:
    """Returns a pattern of the end of a path as a regular expression, with a group for *."""
    if pattern == "*.*":
        return r"([^/\\]+?)(?:\.[^/\\.]*)*$"
    group = r"([^/\\]+?)".join(re.escape(part) for part in pattern.split("*"))
    return rf"(?:^|[/\\]){group}$"
