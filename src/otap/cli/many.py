"""What ``otap evaluate`` does: it is loaded only for that."""

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

from otap import formats
from otap.cli.output import say
from otap.cli.progress import Watch
from otap.errors import ConfigError, FormatError, NoReferenceError
from otap.evaluation import Engine, ResultFile, Summary, Work, evaluate, input_files
from otap.evaluation.engines import local, ray
from otap.evaluation.results.files import check_installed, write_parquet
from otap.trajectory import Trajectory
from otap.transport import processors

__all__ = [
    "Work",
    "engine",
    "evaluated",
    "input_files",
    "lines_path",
    "references",
    "write_parquet",
]

PARQUET = ".parquet"


def evaluated(files: Sequence[str], work: Work, lines: Path | None, engine: Engine) -> Summary:
    """Scores many runs, and returns their summary.

    Args:
        files: the trace files.
        work: settings and references.
        lines: the result file; None: results are not kept.
        engine: has them scored.
    """
    with Watch() as watch, nullcontext() if lines is None else ResultFile(lines) as results:
        return evaluate(files, work, results, engine, watch.tell)


def engine(jobs: int | None, address: str | None, *, on_ray: bool) -> Engine:
    """Returns what has runs scored: the processors of this machine, or a Ray cluster.

    Args:
        jobs: how many processes; None: one for each processor.
        address: of a cluster.
        on_ray: whether it is a cluster.

    Raises:
        ConfigError: for the address of a cluster that is not asked for.
    """
    if on_ray:
        return partial(ray.run, address=address, jobs=jobs)
    if address is not None:
        raise ConfigError("--address is that of a Ray cluster; add --engine ray")
    return local.engine(jobs or processors())


def lines_path(output: Path | None) -> Path | None:
    """Returns the file of lines: the output itself, or beside one of columns.

    Raises:
        ConfigError: if that needs a library that is not there.
    """
    if output is None or output.suffix != PARQUET:
        return output
    check_installed()
    return output.with_suffix(".jsonl")


def references(
    paths: Sequence[str] | None, files: Sequence[str], format: str | None, *, reasoning: bool
) -> tuple[Trajectory, ...]:
    """Returns the references given, or the gold that the files of the runs carry.

    Args:
        paths: files and folders of known-good runs; None or empty: none were given.
        files: the trace files of the runs.
        format: the format of the runs.
        reasoning: whether text that leads to no call becomes a reasoning step.

    Raises:
        NoReferenceError: if there are none.
        ConfigError: if standard input is named twice.
    """
    if paths:
        if paths.count(formats.STANDARD_INPUT) > 1:
            raise ConfigError("- is standard input, which can be read once; name it once")
        found = [
            one for path in paths for one in formats.read_references(path, reasoning=reasoning)
        ]
        if not found:
            raise NoReferenceError("no reference: what -r names holds no run")
        return tuple(found)
    found = []
    for file in files:
        with suppress(FormatError):  # its runs will say so
            found += formats.own_references(file, format=format)
    if not found:
        raise NoReferenceError(
            "no reference: pass known-good runs with -r; the runs' own files carry no gold"
        )
    say("no -r given; using the gold that the runs' files carry")
    return tuple(found)
