"""The settings that were learned as a file: a line a finding, with its evidence above it."""

from collections import defaultdict
from collections.abc import Iterator

from otap._numbers import count_text, hundredths
from otap.errors import ConfigError
from otap.learning.card import Card, gain_text
from otap.learning.file.scaffold import scaffold
from otap.learning.file.seal import sealed
from otap.learning.file.toml import Path, Said, comment, document
from otap.learning.learned import Learned, Line
from otap.scoring.config.file import MAX_BYTES

REFERENCES = {
    "given": "scored against the references that were given",
    "runs": "scored against one good run of each task, which is itself none of these",
}


def settings_file(learned: Learned) -> str:
    """Returns the settings, learned or only recognised, as TOML with comments.

    Raises:
        ConfigError: if there is a value that TOML cannot hold, or too much for a file of settings.
    """
    data = learned.config.model_dump(mode="json", exclude_defaults=True)
    comments = "".join(f"{line}\n" for line in _comments(learned))
    settings = document(data, _said(learned)).lstrip("\n")
    found = sealed(_title(learned), f"{comments}\n{settings}" if settings else comments)
    if len(found.encode()) > MAX_BYTES:
        raise ConfigError(f"what was learned is above {MAX_BYTES:,} bytes, too large for settings")
    return found


def _title(learned: Learned) -> str:
    return f"# Settings by otap learn (version {learned.version}, metric {learned.metric})."


def _comments(learned: Learned) -> Iterator[str]:
    """Everything before the first setting."""
    yield from comment(_made_of(learned))
    if learned.began_with:
        yield from comment("Settings below without a comment were there before.")
    for warning in learned.warnings:
        yield from comment(f"Warning: {warning}.")
    if learned.card is not None:
        yield "#"
        yield from _card(learned.card)
    yield "#"
    if learned.is_scaffold:
        yield from scaffold(learned)
    else:
        yield from _left(learned)


def _made_of(learned: Learned) -> str:
    runs = learned.runs
    read = f"{count_text(runs.runs, 'run')} (digest {runs.digest})"
    if learned.is_scaffold:
        return (
            f"Made of {read}: nothing was learned, and what was recognised is in force, as it is"
            " listed below."
        )
    return (
        f"Learned from {count_text(runs.learned_from, 'run')} of {count_text(runs.tasks, 'task')},"
        f" {runs.good} good, {REFERENCES[runs.references]}; of {read}."
    )


def _card(card: Card) -> Iterator[str]:
    """The report card in short, AUROC times 100."""
    yield (
        f"# AUROC x 100 on tasks held out: within tasks ({count_text(card.pairs, 'pair')} of"
        f" {count_text(card.tasks_with_pairs, 'task')}); over all runs (shuffled within tasks)"
    )
    for row in card.rows:
        null = hundredths(row.null.value)
        yield f"#   {row.counted:<12}  {row.within.hundredths}; {row.overall.hundredths} ({null})"
    if card.gain is not None:
        yield f"# learned against recognised: {gain_text(card.gain)}"


def _left(learned: Learned) -> Iterator[str]:
    """What was looked at and left as it is."""
    if not learned.settings:
        yield "# Nothing is learned: what was recognised stays."
    lines = list(learned.left())
    if lines:
        yield "# Looked at, and left as it is:"
    for line in lines:
        yield from comment(f"  {line}")


def _said(learned: Learned) -> Said:
    """The evidence of each setting; members of a list were put at its end."""
    lines: dict[Path, list[Line]] = defaultdict(list)
    for line in learned.settings:
        lines[line.path].append(line)
    data = learned.config.model_dump(mode="json")

    def said(path: Path, place: int | None) -> str | None:
        found = lines.get(path, [])
        value = data
        for name in path:
            value = value[name]
        if isinstance(value, list):
            first = len(value) - len(found)
            return None if place is None or place < first else found[place - first].evidence
        return found[-1].evidence if found and place is None else None

    return said
