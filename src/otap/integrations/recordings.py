"""Recorded references of tests: one file for each call of ``otap_score`` that names no reference.

The file has the name of the test. ``tests/test_shop.py::test_refund[eu]`` has the file
``gold/tests/test_shop/test_refund-eu.json``, or ``.toml`` if it is a plan.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from otap.errors import ConfigError, FormatError, shown_path

if TYPE_CHECKING:
    from otap.config import Config
    from otap.scoring import Score
    from otap.trajectory import Trajectory

SUFFIXES = (".json", ".toml")
RUNS = Path(".otap/pytest")  # the failed runs, for 'otap accept'
MAX_NAME = 80  # characters of a file's name without its suffix
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_PLAIN = re.compile(r"[a-z0-9._-]*")


def name_recording(node_id: str, number: int) -> PurePosixPath:
    """Returns the relative path, without a suffix, of the reference of a test.

    It is safe in every file system. Two tests of a module never share it, also where letter case
    does not count in names of files.

    Args:
        node_id: the id of the test in pytest.
        number: of the call in its test, from 1.
    """
    file, *names = node_id.split("::")
    test, bracket, parameters = ".".join(names).partition("[")
    parameters = parameters.removesuffix("]")
    plain_name = f"{test}-{parameters}" if bracket else test
    name = _UNSAFE.sub("-", plain_name).strip("-.") or "test"
    is_exact = name == plain_name and _PLAIN.fullmatch(parameters) and len(name) <= MAX_NAME
    if not is_exact:
        digest = hashlib.blake2b(node_id.encode("utf-8", "replace"), digest_size=4).hexdigest()
        name = f"{name[:MAX_NAME]}-{digest}"
    if number > 1:
        name = f"{name}.{number}"
    folders = [_UNSAFE.sub("-", part) for part in PurePosixPath(file).with_suffix("").parts]
    return PurePosixPath(*(folder for folder in folders if folder.strip(".")), name)


def find_file(stem: Path) -> Path | None:
    """Returns the file of a recorded reference; None if there is none."""
    files = (stem.with_name(f"{stem.name}{suffix}") for suffix in SUFFIXES)
    return next((file for file in files if file.is_file()), None)


def write_recording(
    stem: Path, runs: Sequence[Trajectory], task: str, config: Config
) -> tuple[Path, Sequence[Score]]:
    """Writes good runs of a test as its reference, in the place of an earlier one.

    Args:
        stem: the file without its suffix.
        runs: the runs of all trials.
        task: the task of the reference, unless the runs name theirs.
        config: the settings.

    Returns:
        The file, and the score of each run against it.

    Raises:
        ConfigError: if the file cannot be written.
        FormatError: if nothing was understood of a run, or the runs are of several tasks.
    """
    from otap.cli.golden_files import read_today
    from otap.cli.output import escaped, make_folder, write
    from otap.golden.records import record_runs

    runs_of_task = [
        run if run.task is not None else run.model_copy(update={"task": task}) for run in runs
    ]
    recordings = record_runs(runs_of_task, read_today().date(), config)
    if len(recordings) > 1:
        names = ", ".join(str(recording.task) for recording in recordings[:5])
        raise FormatError(f"{shown_path(stem)}: the runs of one test are of several tasks: {names}")
    old_file, recording = find_file(stem), recordings[0]
    file = stem.with_name(f"{stem.name}{recording.suffix}")
    make_folder(file.parent)
    write(file, escaped(recording.text))
    if old_file is not None and old_file != file:
        old_file.unlink()
    return file, recording.scores


def save_failed_run(name: PurePosixPath, run: Trajectory, score: Score) -> Path | None:
    """Writes a failed run and its result, so that ``otap accept`` can read them.

    Returns:
        The result file; None if it cannot be written, as in a read-only checkout.
    """
    from otap.cli.golden_files import make_work_folder
    from otap.cli.output import write
    from otap.trajectory import Source

    text = run.model_copy(update={"source": None}).to_json()
    data = f"{text}\n".encode()
    trace, results = (RUNS / f"{name}{suffix}" for suffix in (".json", ".jsonl"))
    source = Source(path=str(trace), index=0, sha256=hashlib.sha256(data).hexdigest())
    try:
        make_work_folder(trace.parent)
        write(trace, data.decode())
        write(results, score.model_copy(update={"source": source}).to_json() + "\n")
    except ConfigError:
        return None
    return results


def list_unused(
    folder: Path,
    root: Path,
    modules: Iterable[str],
    used_stems: Collection[str],
    patterns: Sequence[str],
) -> Iterator[Path]:
    """Yields the recorded references that no test used.

    Args:
        folder: of the references.
        root: the folder that the ids of the tests begin from.
        modules: the modules whose tests all ran to their end.
        used_stems: the paths of the used references, below the folder and without suffixes.
        patterns: of the names of test modules.
    """
    stems = {module.removesuffix(".py") for module in modules}
    for file in sorted(folder.rglob("*")):
        if file.suffix not in SUFFIXES:
            continue
        stem = file.relative_to(folder).with_suffix("")
        module = stem.parent.as_posix()
        source = root / f"{module}.py"
        is_orphan = not source.exists() and any(fnmatch(source.name, name) for name in patterns)
        if (module in stems and stem.as_posix() not in used_stems) or is_orphan:
            yield file


def show_file(path: Path) -> str:
    """Returns a path for people, relative to the current folder if it is below it."""
    return shown_path(make_relative(path))


def make_relative(path: Path) -> Path:
    """Returns a path relative to the current folder if it is below it, or else unchanged."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else Path(relative)
