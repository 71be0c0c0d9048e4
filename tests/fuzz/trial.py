"""One input: read, converted, scored; what comes out, and what it took."""

import json
import math
import resource
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import otap
from otap import formats
from otap.errors import FormatError, OtapError, ReaderError, shown_path
from otap.plans import Plan
from otap.trajectory import Trajectory, parse_trajectory
from work import calls

CALLS = 1_000_000  # of functions for one input, ten times the most that was seen
MEGABYTES = 500  # by which one input may raise the most memory that the process ever had
STEPS = 40  # sub-steps too: longer runs are read and not scored


@dataclass
class Trials:
    """Tries inputs, and counts what became of them."""

    read: int = 0
    refused: int = 0
    scored: int = 0
    most_calls: int = 0
    scorer: otap.Scorer = field(default_factory=otap.Scorer)

    def check(self, path: Path, data: bytes, *, thorough: bool = True) -> bool:
        """Tries a file with this content; returns whether it was read.

        Args:
            path: where the file is to lie.
            data: what it is to hold.
            thorough: whether its gold and its thoughts are read too, and its runs are written in
                our own format, read again, and scored.

        Raises:
            AssertionError: with the file, which is kept, for anything but runs, scores that are
                right, or one of our errors, and for too much work or memory.
        """
        path.write_bytes(data)
        memory = _memory()
        runs: list[Trajectory] | None = None

        def work() -> None:
            nonlocal runs
            runs = _runs(path, thorough)
            if thorough and runs:
                self._score(runs)

        try:
            made = calls(work)
        except Exception as error:
            raise AssertionError(f"{path}: {type(error).__name__}: {error}") from error
        more = _memory() - memory
        assert made < CALLS, f"{path} takes {made:,} calls"
        assert more < MEGABYTES, f"{path} takes {more:.0f} MB"
        self.most_calls = max(self.most_calls, made)
        self.read += runs is not None
        self.refused += runs is None
        return runs is not None

    def check_object(self, value: Any, label: str) -> None:
        """Tries an object in memory.

        Args:
            value: the object.
            label: names it in errors.

        Raises:
            AssertionError: for anything but a run or one of our errors.
        """
        try:
            run = otap.parse(value)
        except OtapError as error:
            _check_cause(error)
            self.refused += 1
            return
        except Exception as error:
            raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error
        json.loads(run.to_json())
        self.read += 1

    def _score(self, runs: list[Trajectory]) -> None:
        """Scores the last run against the first."""
        run, reference = runs[-1], runs[0]
        if isinstance(run, Plan):  # its calls, without arguments
            run = Trajectory(steps=run.steps)
        if max(_length(run), _length(reference)) > STEPS:
            return
        try:
            found = self.scorer.score(run, reference)
            same = self.scorer.score(run, run)
        except OtapError:
            return
        self.scored += 1
        assert 0 < found.score <= 1, found.score
        assert math.isclose(found.losses.total, found.loss, rel_tol=1e-9, abs_tol=1e-9)
        assert same.score == 1, same.score
        for number in (found.skill, found.precision, found.recall):
            assert number is None or 0 <= number <= 1, number
        assert found.mass is None or 0 <= found.mass <= 2, found.mass  # of one side at most
        json.loads(found.to_json())


def _runs(path: Path, thorough: bool) -> list[Trajectory] | None:
    """The runs of a file, with its golds if asked for; nothing where it is refused."""
    try:
        (file,) = formats.open_files(path)
        if file.format.NAME == "otap-plan":
            return list(file.references())
        found = list(file.runs())
        more = [*file.references(), *file.runs(reasoning=True)] if thorough else []
    except FormatError as error:
        assert str(error).startswith(shown_path(path)), error
        _check_cause(error)
        return None
    if not thorough:
        return found
    found += more
    for run in found:
        assert parse_trajectory(json.loads(run.to_json())) == run
    return found


def _check_cause(error: OtapError) -> None:
    """Checks that a reader refused an input itself, and did not fail on it."""
    assert not isinstance(error, ReaderError), error


def _length(run: Trajectory) -> int:
    return run.to_json().count('"id":')


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
