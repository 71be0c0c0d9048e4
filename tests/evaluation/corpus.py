"""Made files of many small runs, and their references."""

import json
from pathlib import Path
from typing import Any

import otap
from otap.evaluation import ResultFile, Summary, Work, evaluate
from otap.evaluation.engines import local
from otap.formats import read_references

TOOLS = ("find", "book", "pay", "cancel", "tell")


def run_of(number: int, tasks: int = 5) -> dict[str, Any]:
    """A run of one to three steps, of one of some tasks."""
    steps = [
        {"id": str(k), "tool": TOOLS[(number + k) % 5], "arguments": {"hotel": f"h{number % 7}"}}
        for k in range(1 + number % 3)
    ]
    return {"id": f"r{number}", "task": f"t{number % tasks}", "outcome": number % 2, "steps": steps}


def lines(runs: int, **options: int) -> list[str]:
    """Runs as lines of JSON."""
    return [json.dumps(run_of(number, **options)) for number in range(runs)]


def written(path: Path, *texts: str) -> Path:
    """A file of lines."""
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return path


def references(folder: Path, tasks: int = 5) -> Path:
    """Known-good runs of each task."""
    return written(folder / "gold.jsonl", *lines(tasks, tasks=tasks))


def work_of(*golds: Path, **settings: Any) -> Work:
    """The work of scoring against references."""
    found = tuple(one for path in golds for one in read_references(path))
    return Work(otap.Config(**settings), found)


def evaluated(out: Path | None, work: Work, *files: Path, jobs: int = 1) -> Summary:
    """Scores the runs of files."""
    names = [str(file) for file in files]
    if out is None:
        return evaluate(names, work, None, local.engine(jobs))
    with ResultFile(out) as output:
        return evaluate(names, work, output, local.engine(jobs))
