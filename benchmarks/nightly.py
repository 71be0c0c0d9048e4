"""A night of many runs: `scripts/bench --many COUNT` makes them, and evaluates them as users do.

The runs are perturbed ones of the tasks that were written by hand for the reproduction, 5 to 12
steps before an edit, with three references a task. Each run is new to the process that scores it;
what its steps say is often known, as it is of runs of one night.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, NamedTuple

from benchmarks.machine import description
from benchmarks.sample import say
from otap import Config, Trajectory
from otap.encoders import CachedEncoder
from otap.evaluation.inputs import Reader, portions
from otap.evaluation.work import Work, Worker
from otap.formats import read_references
from otap.matrices import NodeCost
from otap.perturbation import FAMILIES, LADDER, Material, perturb
from otap.run import dependency_graph, prepared
from otap.run.run import PreparedRun
from otap.scoring import compare, scorer
from otap.unions import search as unions
from reproduction.corpora import hand_corpus
from reproduction.corpora.cases import Task
from reproduction.corpora.perturbed import with_variants

DISTINCT = 4_000  # runs that are made; more are the same under other names
PROFILED = 1_000
_LOOK = 0.2  # seconds between two looks at the memory
_WAYS = [*(way for ways in FAMILIES.values() for way in ways), *LADDER.values()]


class Night(NamedTuple):
    """One evaluation of all runs.

    seconds, cpu: of the command, start and end included.
    memory: the largest sum of the resident sizes of its processes, in megabytes.
    """

    seconds: float
    cpu: float
    memory: float


def measured(count: int) -> dict[str, Any]:
    """Makes the runs, evaluates them with one process and with one for each core."""
    with tempfile.TemporaryDirectory() as folder:
        runs, gold = Path(folder) / "runs.jsonl", Path(folder) / "gold.jsonl"
        say(f"  {count:,} runs are made")
        tasks = [with_variants(task) for task in hand_corpus.tasks("shared")]
        _write(gold, (one for task in tasks for one in task.references[:3]))
        _write(runs, _named(_made(tasks, min(count, DISTINCT)), count))
        nights = {jobs: _night(runs, gold, jobs) for jobs in (1, len(os.sched_getaffinity(0)))}
        return {
            "machine": description(),
            "runs": count,
            "bytes_a_run": runs.stat().st_size / count,
            "nights": {jobs: night._asdict() for jobs, night in nights.items()},
            "a_second": {jobs: count / night.seconds for jobs, night in nights.items()},
            "shares": _shares(runs, gold),
        }


def _made(tasks: list[Task], count: int) -> list[Trajectory]:
    """Runs of all tasks in turn, each after edits that are drawn."""
    random, found = Random(0), []
    for number in range(count):
        task = tasks[number % len(tasks)]
        first = task.references[0]
        material = Material(task.lexicon, task.distractors, task.tools)
        graph = dependency_graph(first, "explicit")
        run = perturb(first, graph, random.choice(_WAYS), number, material) or first
        found.append(run)
    return found


def _named(distinct: list[Trajectory], count: int) -> Iterator[Trajectory]:
    for number in range(count):
        run = distinct[number % len(distinct)]
        yield run.model_copy(update={"id": f"{run.task}/{number}", "trial": number})


def _write(path: Path, runs: Iterator[Trajectory]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{run.model_dump_json(exclude_defaults=True)}\n" for run in runs)


def _night(runs: Path, gold: Path, jobs: int) -> Night:
    say(f"  evaluated by {jobs}")
    out = runs.with_name(f"out-{jobs}.jsonl")
    command = ["evaluate", runs, "-r", gold, "-o", out, "--jobs", str(jobs)]
    begun, before = time.perf_counter(), os.times()
    process = subprocess.Popen(
        [sys.executable, "-m", "otap", *map(str, command)], stdout=subprocess.DEVNULL
    )
    memory = _Memory(process.pid)
    if process.wait() != 0:
        raise RuntimeError(f"otap evaluate ended with {process.returncode}")
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Night(time.perf_counter() - begun, cpu, memory.most())


class _Memory:
    """Looks at the resident size of a process and its children until it is asked."""

    def __init__(self, pid: int) -> None:
        self._pid, self._most, self._done = pid, 0.0, Event()
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def most(self) -> float:
        """The largest sum so far, in megabytes."""
        self._done.set()
        self._thread.join()
        return self._most

    def _watch(self) -> None:
        while not self._done.wait(_LOOK):
            self._most = max(self._most, sum(map(_resident, [self._pid, *_children(self._pid)])))


def _children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in found.split()]


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _shares(runs: Path, gold: Path) -> dict[str, float]:
    """Of the time of a worker: by what it does, over the first runs, once it has seen some."""
    say("  shares of the time")
    worker = Worker(Work(Config(), tuple(read_references(gold))))
    todo = list(portions([str(runs)]))[: 2 * PROFILED // 32]
    half = len(todo) // 2
    for portion in todo[:half]:
        worker.score(portion)
    spent: defaultdict[str, float] = defaultdict(float)
    with _Clocks(spent):
        begun = time.process_time()
        for portion in todo[half:]:
            worker.score(portion)
        whole = time.process_time() - begun
    found = {name: seconds / whole for name, seconds in spent.items()}
    return {**found, "the rest": 1 - sum(found.values())}


class _Clocks:
    """Counts the time of some functions, each without that of the others inside."""

    def __init__(self, spent: defaultdict[str, float]) -> None:
        self._spent = spent
        self._within: list[str] = []
        self._since = 0.0
        self._changed: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> None:
        self._count(Reader, "read", "reading")
        self._count(CachedEncoder, "encode", "encoding")
        self._count(prepared, "prepare", "preparing")
        self._count(PreparedRun, "nodes", "preparing")
        self._count(PreparedRun, "beside", "preparing")
        self._count(NodeCost, "between", "node costs")
        self._count(unions, "_next_round", "unions")
        self._count(compare, "solve_batch", "solving")
        self._count(scorer, "assemble_score", "alignment, findings, records")
        self._count(Worker, "_write_score", "writing")

    def __exit__(self, *_: object) -> None:
        for owner, name, function in self._changed:
            setattr(owner, name, function)

    def _count(self, owner: Any, name: str, what: str) -> None:
        function: Callable[..., Any] = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self._turn(what)
            try:
                return function(*args, **kwargs)
            finally:
                self._turn(None)

        self._changed.append((owner, name, function))
        setattr(owner, name, counted)

    def _turn(self, what: str | None) -> None:
        now = time.process_time()
        if self._within:
            self._spent[self._within[-1]] += now - self._since
        self._since = now
        if what is None:
            self._within.pop()
        else:
            self._within.append(what)
