"""GAIA's annotated solutions as trajectories: the layout that its users download, never shipped.

A folder holds `metadata.jsonl`, one question a line, with the annotator's steps as numbered text
under `Annotator Metadata` / `Steps`. Tools are inferred from keywords, dependencies from the words
that steps share (:mod:`reproduction.corpora.salient`), with a chain where they share none.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from examples.perturbation import LEXICON, annotated, retraced
from otap import Trajectory
from otap.errors import FormatError
from otap.run import dependency_graph
from otap.trajectory import parse_trajectory
from reproduction.corpora.cases import Task
from reproduction.corpora.perturbed import with_variants
from reproduction.corpora.salient import traced

DISTRACTORS = 6  # steps of other solutions that may be put into a task
_STEP = re.compile(r"^\s*(?:step\s*)?(\d+)\s*[.):]\s*", re.IGNORECASE | re.MULTILINE)
# The first tool one of whose words the step has; none: reasoning.
TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("search_engine", ("search", "google", "bing", "look up", "looked up")),
    ("video_player", ("video", "youtube", "watch")),
    ("image_viewer", ("image", "photo", "picture", "figure")),
    ("spreadsheet", ("excel", "spreadsheet", "csv", ".xlsx")),
    ("pdf_reader", ("pdf",)),
    ("audio_player", ("audio", "mp3", "listen")),
    ("code_interpreter", ("python", "code", "script", "run the")),
    ("calculator", ("calculat", "add ", "divide", "multipl", "subtract", "sum of", "convert")),
    ("file_reader", ("open the file", "attached file", "file")),
    ("web_browser", ("website", "page", "click", "navigate", "open", "visit", "wikipedia", "link")),
)  # fmt: skip


def solutions(folder: Path, count: int | None = None) -> Iterator[Trajectory]:
    """The annotated solutions with at least two steps, in the order of the file.

    Raises:
        FormatError: where the file is not in this layout, with its line.
    """
    found = 0
    for place, record in _records(folder / "metadata.jsonl"):
        trajectory = solution(record, place)
        if len(trajectory.steps) >= 2 and (count is None or found < count):
            found += 1
            yield trajectory


def solution(record: dict[str, Any], place: str) -> Trajectory:
    """One question's solution, with its edges traced."""
    try:
        steps, name = record["Annotator Metadata"]["Steps"], record["task_id"]
    except (KeyError, TypeError):
        raise FormatError(
            f"{place}: no 'task_id', or no 'Steps' under 'Annotator Metadata'; this is not GAIA's "
            "metadata.jsonl"
        ) from None
    made = [_step(number, text) for number, text in enumerate(split_steps(steps), 1)]
    return traced(
        parse_trajectory(
            {"id": name, "task": name, "request": [str(record.get("Question", ""))], "steps": made}
        )
    )


def tasks(folder: Path, count: int = 30) -> list[Task]:
    """Tasks of the first solutions, each with two variants of it as further references."""
    found = list(solutions(folder, count))
    return [with_variants(_task(one, found)) for one in found]


def _task(solution: Trajectory, every: Sequence[Trajectory]) -> Task:
    foreign = [step for other in every if other.task != solution.task for step in other.steps]
    drawn = random.Random(solution.task).sample(foreign, min(DISTRACTORS, len(foreign)))
    return Task(
        name=str(solution.task),
        references=[retraced(annotated(solution, dependency_graph(solution, "explicit")))],
        lexicon=LEXICON,
        distractors=drawn,
        tools=[tool for tool, _ in TOOLS],
    )


def split_steps(text: str) -> list[str]:
    """The numbered steps of an annotator's text; text before the first number is no step."""
    parts = _STEP.split(text)
    return [" ".join(part.split()) for part in parts[2::2] if part.strip()]


def tool_of(text: str) -> str | None:
    """The tool that the words of a step name, or None for reasoning."""
    lowered = text.casefold()
    return next((tool for tool, words in TOOLS if any(word in lowered for word in words)), None)


def _step(number: int, text: str) -> dict[str, Any]:
    tool = tool_of(text)
    return {
        "id": str(number), "kind": "tool" if tool else "reasoning", "tool": tool, "action": text,
    }  # fmt: skip


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            place = f"{path}:{number}"
            try:
                record = json.loads(line)
            except ValueError as error:
                raise FormatError(f"{place}: not JSON ({error})") from None
            if not isinstance(record, dict):
                raise FormatError(f"{place}: a line must be an object")
            yield place, record
