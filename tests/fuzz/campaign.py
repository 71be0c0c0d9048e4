"""A long campaign: ``python -m fuzz.campaign COUNT``, with ``tests`` and ``src`` on the path.

Prints what became of the inputs, and each file that went wrong, which is kept in FOLDER. Real
traces of ``OTAP_REAL_DATA`` are seeds too.
"""

import argparse
import multiprocessing
import os
import time
from pathlib import Path

import otap
from fuzz.inputs import Inputs
from fuzz.seeds import seeds
from fuzz.trial import Trials
from otap import formats

PORTION = 1000  # inputs of one format that one process tries on end


def main() -> None:
    """Runs a campaign on all processors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="how many inputs, of all formats together")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
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
    begun, total, slowest, wrong = time.time(), [0, 0, 0], 0.0, 0
    context = multiprocessing.get_context("spawn")
    with context.Pool(asked.processes, _prepare, [asked.folder]) as pool:
        for counts, took, errors in pool.imap_unordered(_portion, work):
            total = [one + more for one, more in zip(total, counts, strict=True)]
            slowest, wrong = max(slowest, took), wrong + len(errors)
            for error in errors:
                print(error, flush=True)
    print(
        f"{sum(total[:2]) + wrong:,} inputs in {time.time() - begun:,.0f} s: {total[0]:,} read,"
        f" {total[1]:,} refused, {total[2]:,} scored, slowest {slowest:.2f} s, {wrong} wrong"
    )


_inputs: Inputs
_scorer: otap.Scorer


def _prepare(folder: Path) -> None:
    global _inputs, _scorer
    _scorer = otap.Scorer()
    scratch = folder / f"seeds-{os.getpid()}"
    scratch.mkdir()
    real = os.environ.get("OTAP_REAL_DATA")
    _inputs = Inputs(seeds([Path(real)] if real else [], scratch))


def _portion(task: tuple[str, int, int, Path]) -> tuple[list[int], float, list[str]]:
    """Tries some inputs of one format; one that goes wrong is kept, and the rest goes on."""
    name, first, count, folder = task
    trials, errors = Trials(scorer=_scorer), []
    for number in range(first, first + count):
        file, data = _inputs.of(name, number)
        path = folder / f"{name}-{number}-{file}"
        try:
            trials.check(path, data, thorough=number % 16 == 3)
            path.unlink()
        except AssertionError as error:
            errors.append(str(error))
    return [trials.read, trials.refused, trials.scored], trials.slowest, errors


if __name__ == "__main__":
    main()
