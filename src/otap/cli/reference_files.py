"""Reads the references of a command, from its options or from the files of its runs."""

from collections.abc import Iterable, Sequence

from otap import formats
from otap._numbers import number_text
from otap.cli.output import say
from otap.errors import ConfigError, NoReferenceError
from otap.tasks import TaskRule
from otap.trajectory import Trajectory


def check_read_once(names: Sequence[str]) -> None:
    """Checks that standard input is named once at most, because it can be read only once.

    Raises:
        ConfigError: if it is named twice.
    """
    if names.count(formats.STANDARD_INPUT) > 1:
        raise ConfigError(
            "- is standard input, which can be read only once; give a file for the run or its"
            " references"
        )


def choose_references(
    names: Sequence[str],
    gold: Iterable[Trajectory] = (),
    files: str = "the run's file",
    *,
    reasoning: bool,
    rule: TaskRule | None = None,
) -> list[Trajectory]:
    """Returns the references in files, or else the gold references of the runs.

    Args:
        names: files and folders of known-good runs.
        gold: the gold references, which are read only if there are no names.
        files: a noun for the files with the gold references, for messages.
        reasoning: whether text without a call becomes a reasoning step.
        rule: where to find the names of tasks; prints a line if no reference has one there.

    Raises:
        NoReferenceError: if there are none.
        ConfigError: if standard input is named twice.
    """
    check_read_once(names)
    references = [
        reference
        for name in names
        for reference in formats.read_references(name, reasoning=reasoning)
    ]
    if names and not references:
        raise NoReferenceError("no reference: the files of -r hold no run")
    if not references:
        references = list(gold)
        if not references:
            raise NoReferenceError(
                f"no reference: pass known-good runs with -r; there is no gold in {files}"
            )
        say(f"no -r given; using the gold in {files}")
    count = sum("gold" in reference.metadata for reference in references)
    if count:
        say(
            f"{number_text(count)} of {number_text(len(references))} golds were taken from the"
            " checks of the runs, which the tasks of their file contradict"
        )
    if rule is not None and not any(rule.find(reference) for reference in references):
        say(
            f"--task-from is ignored: no reference has a {rule}; references are chosen by the task"
            " in the files, or by the request"
        )
    return references
