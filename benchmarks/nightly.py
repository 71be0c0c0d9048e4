"""Times the evaluation of many runs, as users do it every night: `scripts/bench --many COUNT`.

The runs are perturbed runs of the hand-written tasks of the reproduction, with 5 to 12 steps before
an edit and three references a task. Each run is new to the process that scores it. Its texts are
often cached, as they are for runs of one night.
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
from examples.perturbation import FAMILIES, LADDER, Material, perturb
from otap import Config, Trajectory
from otap.costs import NodeCost
from otap.encoders import CachedEncoder
from otap.evaluation.inputs import Reader, portions
from otap.evaluation.work import Work, Worker
from otap.formats import read_references
from otap.run import dependency_graph, store
from otap.run.run import RunView
from otap.scoring import references, scorer, solve
from reproduction.corpora import hand_corpus
from reproduction.corpora.cases import Task
from reproduction.corpora.perturbed import with_variants

DISTINCT = 4_000  # different runs; further runs repeat them under other names
PROFILED = 1_000
MEMORY_PERIOD = 0.2  # seconds between two readings of the memory
_EDITS = [*(edits for family in FAMILIES.values() for edits in family), *LADDER.values()]


class Night(NamedTuple):
    """One evaluation of all runs.

    seconds, cpu: of the command, start and end included.
    memory: the largest sum of the resident sizes of its processes, in megabytes.
    """

    seconds: float
    cpu: float
    memory: float


def measured(count: int) -> dict[str, Any]:
    """Returns the figures of an evaluation by one process, and by one process for each core."""
    with tempfile.TemporaryDirectory() as folder:
        runs, gold = Path(folder) / "runs.jsonl", Path(folder) / "gold.jsonl"
        say(f"  building {count:,} runs")
        tasks = [with_variants(task) for task in hand_corpus.tasks("shared")]
        _write(gold, (reference for task in tasks for reference in task.references[:3]))
        _write(runs, _rename(_build_runs(tasks, min(count, DISTINCT)), count))
        nights = {jobs: _night(runs, gold, jobs) for jobs in (1, len(os.sched_getaffinity(0)))}
        return {
            "machine": description(),
            "runs": count,
            "bytes_a_run": runs.stat().st_size / count,
            "nights": {jobs: night._asdict() for jobs, night in nights.items()},
            "a_second": {jobs: count / night.seconds for jobs, night in nights.items()},
            "shares": _shares(runs, gold),
        }


def _build_runs(tasks: list[Task], count: int) -> list[Trajectory]:
    """Runs of all tasks in turn, each after random edits."""
    random, runs = Random(0), []
    for number in range(count):
        task = tasks[number % len(tasks)]
        first = task.references[0]
        material = Material(task.lexicon, task.distractors, task.tools)
        graph = dependency_graph(first, "explicit")
        run = perturb(first, graph, random.choice(_EDITS), number, material) or first
        runs.append(run)
    return runs


def _rename(distinct: list[Trajectory], count: int) -> Iterator[Trajectory]:
    for number in range(count):
        run = distinct[number % len(distinct)]
        yield run.model_copy(update={"id": f"{run.task}/{number}", "trial": number})


def _write(path: Path, runs: Iterator[Trajectory]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{run.model_dump_json(exclude_defaults=True)}\n" for run in runs)


def _night(runs: Path, gold: Path, jobs: int) -> Night:
    say(f"  evaluating with {jobs} processes")
    out = runs.with_name(f"out-{jobs}.jsonl")
    command = ["evaluate", runs, "-r", gold, "-o", out, "--jobs", str(jobs)]
    start, before = time.perf_counter(), os.times()
    process = subprocess.Popen(
        [sys.executable, "-m", "otap", *map(str, command)], stdout=subprocess.DEVNULL
    )
    memory = _Memory(process.pid)
    if process.wait() != 0:
        raise RuntimeError(f"otap evaluate ended with {process.returncode}")
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Night(time.perf_counter() - start, cpu, memory.stop())


class _Memory:
    """Watches the resident size of a process and its children in a thread."""

    def __init__(self, pid: int) -> None:
        self._pid, self._peak, self._done = pid, 0.0, Event()
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Ends the thread and returns the largest sum, in megabytes."""
        self._done.set()
        self._thread.join()
        return self._peak

    def _watch(self) -> None:
        while not self._done.wait(MEMORY_PERIOD):
            pids = [self._pid, *_list_children(self._pid)]
            self._peak = max(self._peak, sum(_resident_size(pid) for pid in pids))


def _list_children(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in children.split()]


def _resident_size(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _shares(runs: Path, gold: Path) -> dict[str, float]:
    """The shares of a worker's time by activity, over some runs after as many for a warm start."""
    say("  shares of the time")
    worker = Worker(Work(Config(), tuple(read_references(gold))))
    profiled = list(portions([str(runs)]))[: 2 * PROFILED // 32]
    half = len(profiled) // 2
    for portion in profiled[:half]:
        worker.score(portion)
    seconds: defaultdict[str, float] = defaultdict(float)
    with _Clocks(seconds):
        start = time.process_time()
        for portion in profiled[half:]:
            worker.score(portion)
        total = time.process_time() - start
    shares = {activity: spent / total for activity, spent in seconds.items()}
    return {**shares, "other": 1 - sum(shares.values())}


class _Clocks:
    """Adds up the time of some functions, each without the time of those that it calls."""

    def __init__(self, seconds: defaultdict[str, float]) -> None:
        self._seconds = seconds
        self._stack: list[str] = []
        self._last = 0.0
        self._replaced: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> None:
        self._watch(Reader, "read", "reading")
        self._watch(CachedEncoder, "encode", "encoding")
        self._watch(store, "prepare", "preparing")
        self._watch(references, "views_for", "preparing")
        self._watch(RunView, "nodes", "preparing")
        self._watch(NodeCost, "between", "node costs")
        self._watch(solve, "merge_problem", "merging")
        self._watch(solve, "solve_batch", "solving")
        self._watch(references, "find", "findings")
        self._watch(scorer, "assemble_score", "alignment, records")
        self._watch(Worker, "_write_score", "writing")

    def __exit__(self, *_: object) -> None:
        for owner, name, function in self._replaced:
            setattr(owner, name, function)

    def _watch(self, owner: Any, name: str, activity: str) -> None:
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            self._switch(activity)
            try:
                return function(*args, **kwargs)
            finally:
                self._switch(None)

        self._replaced.append((owner, name, function))
        setattr(owner, name, timed)

    def _switch(self, activity: str | None) -> None:
        now = time.process_time()
        if self._stack:
            self._seconds[self._stack[-1]] += now - self._last
        self._last = now
        if activity is None:
            self._stack.pop()
        else:
            self._stack.append(activity)
