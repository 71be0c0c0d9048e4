"""Reads and writes the folder of recorded references, and asks before anything is replaced."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from otap import formats
from otap._numbers import count_text, score_text
from otap.cli.output import escaped, make_folder, say, write
from otap.errors import ConfigError, shown, shown_path
from otap.golden.records import Recording, Replacement, name_stem
from otap.run.placeholders import count_kinds
from otap.trajectory import Trajectory, kinds_text

GOLD = "gold"  # the folder of the references, and of gold-bad/ beside it
MAX_FINDINGS = 5  # differences that are listed before a recording is replaced
MAX_SITES = 20  # replaced values that are listed for a file
SUFFIXES = (".json", ".toml")
WORK = Path(".otap")  # the folder of the last results


def read_folder(folder: Path) -> list[Trajectory]:
    """Returns the references of a folder; none if it does not exist or is empty."""
    if not folder.is_dir() or not any(path.suffix in SUFFIXES for path in folder.rglob("*")):
        return []
    return formats.read_references(str(folder))


def make_work_folder(folder: Path) -> None:
    """Makes a folder for results; git ignores those in ``.otap``.

    Raises:
        ConfigError: if it cannot be made.
    """
    make_folder(folder)
    ignored = WORK / ".gitignore"
    if WORK in (folder, *folder.parents) and not ignored.exists():
        write(ignored, "*\n")


def is_asking() -> bool:
    """Returns whether a person can answer: standard input and standard error are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> bool:
    """Returns the answer of a person to a question; False where nobody can answer."""
    if not is_asking():
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def choose(question: str, letters: str) -> str:
    """Returns the letter that a person chooses; the last one at the end of the input."""
    while True:
        print(f"{question} ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:
            return letters[-1]
        if answer.strip().lower()[:1] in tuple(letters):
            return answer.strip().lower()[0]


def is_in_ci() -> bool:
    """Returns whether this is a job of a continuous integration, by the usual variable CI."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def read_today() -> datetime:
    """Returns the time now; SOURCE_DATE_EPOCH replaces it, as in builds that can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)


def write_recordings(
    replacements: Iterable[Replacement], folder: Path, *, force: bool
) -> tuple[int, list[str]]:
    """Writes recordings to a folder; replaces an existing one only by ``force`` or after asking.

    Args:
        replacements: the recordings.
        folder: the folder, which is made if it does not exist.
        force: whether to replace without asking.

    Returns:
        The number of files that were written, and the tasks that were not.
    """
    make_folder(folder)
    names = {path.stem.lower() for path in folder.iterdir() if path.suffix in SUFFIXES}
    count, refused = 0, []
    written: set[Path] = set()
    for replacement in replacements:
        recording = replacement.recording
        task = shown(recording.task or "the run", 60)
        if replacement.is_unchanged:
            say(f"{task}: the same as recorded already")
            continue
        # Tasks that differ only in private values have the same references.
        old_files = [file for file in _list_files(replacement.existing) if file not in written]
        if replacement.existing:
            _show_differences(task, replacement)
            if not force and not ask(f"otap: replace the recording of {task}?"):
                refused.append(task)
                continue
        if old_files:
            file = min(old_files, key=lambda path: len(path.name)).with_suffix(recording.suffix)
        else:
            file = folder / f"{name_stem(recording.task, names)}{recording.suffix}"
        files = [file]
        write(file, escaped(recording.text))
        for text in recording.others:
            files.append(folder / f"{name_stem(file.stem, names)}{recording.suffix}")
            write(files[-1], escaped(text))
        for old_file in old_files:
            if old_file not in files:
                old_file.unlink(missing_ok=True)
        written.update(files)
        count += len(files)
        _say_written(file, recording)
    return count, refused


def _list_files(references: Sequence[Trajectory]) -> list[Path]:
    """Returns the files of the references of one task.

    Raises:
        ConfigError: if a file also holds other references.
    """
    files: list[Path] = []
    for reference in references:
        if reference.source is None or reference.source.path is None:
            continue
        file = Path(reference.source.path)
        if file.suffix not in SUFFIXES or (reference.source.index or 0) > 0:
            raise ConfigError(
                f"{shown_path(file)}: holds several references, which cannot be replaced by one;"
                " give each task a file of its own"
            )
        if file not in files:
            files.append(file)
    return files


def _show_differences(task: str, replacement: Replacement) -> None:
    hide = replacement.recording.hide
    say(f"{task}: is recorded already, and the new runs differ")
    for score in replacement.scores:
        say(f"  {shown(hide(score.name), 60)} scores {score_text(score.score)}")
        for finding in score.findings[:MAX_FINDINGS]:
            say(f"    {finding.severity:<8}  {finding.id}  {hide(finding.sentence)}")


def _say_written(file: Path, recording: Recording) -> None:
    source = count_text(len(recording.scores), "run")
    say(f"{shown_path(file)}: recorded from {source}")
    if recording.unbound:
        files = count_text(1 + len(recording.others), "file")
        say(
            f"  no plan can say where {shown(recording.unbound, 60)} comes from:"
            f" the runs themselves are the references, in {files}"
        )
    if recording.redacted:
        say(f"  private values replaced: {kinds_text(count_kinds(recording.redacted))}")
    for name, site in list(recording.redacted.items())[:MAX_SITES]:
        say(f"  {name} replaces a value in {shown(site, 60)}")
    if len(recording.redacted) > MAX_SITES:
        say(f"  and {count_text(len(recording.redacted) - MAX_SITES, 'more value')}")
    for sentence in recording.uncompared[:MAX_SITES]:
        say(f"  careful: {recording.hide(sentence)}")
    if recording.uncompared:
        say("  --no-redaction records these values, so that runs are compared with them")
    for score in recording.unlike:
        say(
            f"  {shown(recording.hide(score.name), 60)} does not fulfil it"
            f" ({score_text(score.score)}): {recording.hide(score.findings[0].sentence)}"
        )
