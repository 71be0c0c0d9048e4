"""Parts of a trace that grow: what it takes to score them, each size in a process of its own.

``python -m bounds.growing MODULE [NAME ...]`` shows the time and memory of the parts that a test
module lists as ``PARTS``. ``Bench`` starts such a process once and asks it; that one forks a child
for each measurement, so that no cache is warm and nothing hostile harms more than the child.

Only the growth of CPU time with size is tested, a ratio that does not depend on the machine.
"""

import contextlib
import importlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from otap.errors import OtapError
from otap.scoring import Scorer
from otap.trajectory import Trajectory, parse_trajectory

LONG = os.environ.get("OTAP_LONG") == "1"
MEGABYTES = 1024.0  # the memory that a file below 1 MB may take
FILE = 1_000_000  # bytes
STEEP = 1.6  # the growth of time with size that is too fast: n log n is 1.2 at most, squares are 2
NOISE = 0.25  # seconds; what takes less says nothing about growth
_KILLED = 300  # seconds of CPU time after which a child is killed, as it would not end
_TRIALS = 3  # in which a part must fail: other processes may take the caches of this one

Pair = tuple[Trajectory, Trajectory]
Among = tuple[Trajectory, Trajectory | Sequence[Trajectory]]


@dataclass(frozen=True)
class Part:
    """One part of a trace that grows.

    Attributes:
        name: tells it from the others of its module.
        make: returns a run and its reference, or its references, in which that part has a size.
        size: the smallest size of a long run; growth is measured up to four times as large. Other
            runs measure half of it, and twice of it.
        full: the largest size with which the run stays below FILE bytes and 2,000 steps.
        steep: the exponent of time over size that is too large: more for what all pairs of steps
            are compared of.
    """

    name: str
    make: Callable[[int], Among]
    size: int
    full: int
    steep: float = STEEP

    @property
    def sizes(self) -> Sequence[int]:
        """The sizes that are measured, more of them in long runs."""
        if LONG:
            return self.size, 2 * self.size, 4 * self.size, self.full
        return self.size // 2, 2 * self.size


class Taken(NamedTuple):
    """What a measurement says.

    Attributes:
        size: of the part.
        file: bytes of the run as JSON.
        seconds: of CPU time; infinite if the child was killed.
        megabytes: of the whole process.
        result: the score; or the error that refused the pair; or why there is none.
    """

    size: int
    file: int
    seconds: float
    megabytes: float
    result: str


class Bench:
    """A process that measures parts of traces.

    Args:
        module: the name of the module that lists them as PARTS.
    """

    def __init__(self, module: str) -> None:
        folders = [str(Path(__file__).parents[1]), *filter(None, sys.path)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bounds.growing", "--serve", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        )

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def taken(self, part: Part, size: int) -> Taken:
        """Returns what it takes to score a part of some size."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps([part.name, size]), file=self._process.stdin, flush=True)
        return Taken(*json.loads(self._process.stdout.readline()))

    def complaint(self, part: Part) -> str:
        """Returns what is too much about a part, each time that it was measured; or ""."""
        found: list[str] = []
        while len(found) < _TRIALS:
            complaint = self._complaint(part)
            if not complaint:
                return ""
            found.append(complaint)
        return "\n".join(found)

    def _complaint(self, part: Part) -> str:
        """What is too much about a part, by the sizes that it is measured in; or ""."""
        found = [self.taken(part, part.sizes[-1])]
        if LONG or found[0].seconds >= NOISE:
            found = [*(self.taken(part, size) for size in part.sizes[:-1]), *found]
        told = "; ".join(map(_shown, found))
        for one in found:
            if one.file < FILE and (math.isinf(one.seconds) or one.megabytes > MEGABYTES):
                return f"{part.name} takes too much: {told}"
        exponent = growth(found[:3])
        return f"{part.name} grows with {exponent:.2f}: {told}" if exponent > part.steep else ""


@contextlib.contextmanager
def bench(module: str) -> Iterator[Bench]:
    """Gives a bench for the parts of a module."""
    found = Bench(module)
    try:
        yield found
    finally:
        found.close()


def growth(found: Sequence[Taken]) -> float:
    """Returns the exponent of time over size between the first and the last; 0 below the noise."""
    first, last = found[0], found[-1]
    if last.seconds < NOISE or last.size <= first.size:
        return 0.0
    # What is noise in the first counts as time: it makes the growth less, never more.
    ratio = last.seconds / max(first.seconds, NOISE / 10)
    return math.log(ratio) / math.log(last.size / first.size)


def run_of(steps: Iterable[Mapping[str, object]], **fields: object) -> Trajectory:
    """Returns a run of steps given as data, with ids of their own."""
    numbered = [{"id": str(place), **step} for place, step in enumerate(steps)]
    return parse_trajectory({"steps": numbered, **fields})


def _shown(one: Taken) -> str:
    return (
        f"{one.size}: {one.file // 1000} kB, {one.seconds:.2f} s, {one.megabytes:.0f} MB, "
        f"{one.result}"
    )


def _measured(part: Part, size: int) -> Taken:
    """Scores one size in this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (_KILLED, _KILLED + 1))
    run, reference = part.make(size)
    scorer, file = Scorer(), len(run.to_json().encode("utf-8", "surrogatepass"))
    before = time.process_time()
    try:
        result = f"{scorer.score(run, reference).score:.4f}"
    except OtapError as error:
        result = f"refused: {error}"
    seconds = time.process_time() - before
    return Taken(size, file, seconds, _megabytes(resource.RUSAGE_SELF), result)


def _megabytes(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


def _in_child(part: Part, size: int) -> Taken:
    """Scores one size in a forked process, which may be killed or raise anything."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        with os.fdopen(writer, "w") as stream:
            json.dump(_measured(part, size), stream)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        answer = stream.read()
    _, status, _ = os.wait4(child, 0)
    return Taken(*json.loads(answer)) if answer else _killed(size, status)


def _killed(size: int, status: int) -> Taken:
    """What is told of a child that ended without an answer."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return Taken(size, 0, math.inf, math.inf, f"killed by {signal.Signals(number).name}")
    return Taken(size, 0, math.inf, math.inf, "raised what is no error of ours")


def _parts(module: str) -> dict[str, Part]:
    parts: Sequence[Part] = importlib.import_module(module).PARTS
    return {part.name: part for part in parts}


def _serve(module: str) -> None:
    """Answers each line of standard input, a part and a size, with what it took."""
    parts = _parts(module)
    for line in sys.stdin:
        name, size = json.loads(line)
        print(json.dumps(_in_child(parts[name], size)), flush=True)


def _show(module: str, *names: str) -> None:
    parts = _parts(module)
    for name in names or parts:
        found = [_in_child(parts[name], size) for size in parts[name].sizes]
        print(f"{name} ({growth(found[:3]):.2f})", *map(_shown, found), sep="\n    ", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        _serve(sys.argv[2])
    else:
        _show(*sys.argv[1:])
