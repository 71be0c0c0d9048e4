"""The references of a command: those that it is given, or the gold of its runs' own files."""

from collections.abc import Iterable, Sequence

from otap import formats
from otap._numbers import number_text
from otap.cli.output import say
from otap.errors import ConfigError, NoReferenceError
from otap.tasks import TaskRule
from otap.trajectory import Trajectory


def check_read_once(names: Sequence[str]) -> None:
    """Refuses standard input for several files: it can be read once.

    Raises:
        ConfigError: if it is named twice.
    """
    if names.count(formats.STANDARD_INPUT) > 1:
        raise ConfigError(
            "- is standard input, which can be read once; give the run or its references as a file"
        )


def choose_references(
    names: Sequence[str],
    gold: Iterable[Trajectory] = (),
    files: str = "the run's file carries",
    *,
    reasoning: bool,
    rule: TaskRule | None = None,
) -> list[Trajectory]:
    """Returns the references that are named, or the gold that files of runs carry.

    Args:
        names: files and folders of known-good runs.
        gold: is asked for where there are none.
        files: what carries it, for the message that says so.
        reasoning: whether text that leads to no call becomes a reasoning step.
        rule: where the names of their tasks stand; if it finds none, that is said.

    Raises:
        NoReferenceError: if there are none.
        ConfigError: if standard input is named twice.
    """
    check_read_once(names)
    given = [one for name in names for one in formats.read_references(name, reasoning=reasoning)]
    if names and not given:
        raise NoReferenceError("no reference: what -r names holds no run")
    found = given or list(gold)
    if not found:
        raise NoReferenceError(f"no reference: pass known-good runs with -r; {files} no gold")
    if not given:
        say(f"no -r given; using the gold that {files}")
    _say_contradicted(found)
    if rule is not None and not any(map(rule.find, found)):
        say(f"no reference has a task by its {rule}: --task-from decides nothing")
    return found


def _say_contradicted(references: Sequence[Trajectory]) -> None:
    count = sum("gold" in one.metadata for one in references)
    if count:
        say(
            f"{number_text(count)} of {number_text(len(references))} golds are by the checks of"
            " the runs: the tasks of their file contradict these"
        )
