"""A long campaign: ``python -m fuzz.campaign COUNT``, with ``tests`` and ``src`` on the path.

Each number draws one file and one object in memory of each format; the same number draws the same
ones. Prints what became of the inputs, and each file that went wrong, which is kept in FOLDER. Real
traces of ``OTAP_REAL_DATA`` are seeds too.
"""

import argparse
import math
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import otap
from fuzz.inputs import Inputs
from fuzz.seeds import seeds
from fuzz.trial import Trials
from otap import formats

PORTION = 100  # inputs of one format that one process tries on end


@dataclass
class Found:
    """What became of inputs."""

    read: int = 0
    refused: int = 0
    scored: int = 0
    most_calls: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        """Adds what became of others."""
        self.read += other.read
        self.refused += other.refused
        self.scored += other.scored
        self.most_calls = max(self.most_calls, other.most_calls)
        self.wrong += other.wrong

    def __str__(self) -> str:
        count = self.read + self.refused + len(self.wrong)
        return (
            f"{count:,} inputs, {self.read:,} read, {self.refused:,} refused, {self.scored:,}"
            f" scored, at most {self.most_calls:,} calls, {len(self.wrong)} wrong"
        )


def main() -> None:
    """Runs a campaign on all processors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="how many inputs, of all formats together")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing after these")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, default=Path("fuzzed"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    each = -(-asked.count // len(formats.FORMATS))
    work = [
        (name, asked.first + start, min(PORTION, each - start), asked.folder)
        for start in range(0, each, PORTION)
        for name in formats.FORMATS
    ]
    begun, found = time.time(), Found()
    context = multiprocessing.get_context("spawn")
    with context.Pool(asked.processes, _prepare, [asked.folder]) as pool:
        for done, portion in enumerate(pool.imap_unordered(_portion, work), 1):
            found.add(portion)
            print(*portion.wrong, sep="\n", end="\n" * bool(portion.wrong), flush=True)
            if time.time() - begun > asked.seconds:
                pool.terminate()
                break
            print(f"{done} of {len(work)} portions: {found}", file=sys.stderr, flush=True)
    print(f"{time.time() - begun:,.0f} s: {found}")


_inputs: Inputs
_scorer: otap.Scorer


def _prepare(folder: Path) -> None:
    global _inputs, _scorer
    _scorer = otap.Scorer()
    scratch = folder / f"seeds-{os.getpid()}"
    scratch.mkdir()
    real = os.environ.get("OTAP_REAL_DATA")
    _inputs = Inputs(seeds([Path(real)] if real else [], scratch))


def _portion(task: tuple[str, int, int, Path]) -> Found:
    """Tries some inputs of one format; one that goes wrong is kept, and the rest goes on."""
    name, first, count, folder = task
    trials, wrong = Trials(scorer=_scorer), []
    for number in range(first, first + count):
        file, data = _inputs.of(name, number)
        path = folder / f"{name}-{number}-{file}"
        try:
            trials.check(path, data, thorough=number % 16 == 3)
            path.unlink()
            trials.check_object(_inputs.object_of(name, number), f"object {name} {number}")
        except AssertionError as error:
            wrong.append(str(error))
    return Found(trials.read, trials.refused, trials.scored, trials.most_calls, wrong)


if __name__ == "__main__":
    main()
