"""Whole scores against the last release: what `scripts/bench --quick` prints as ratios.

All figures are CPU times over that of a yardstick, measured in turn with it, so that they hold on
other machines too. Start-up has a yardstick of its own: a process that imports numpy and pydantic.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import otap
from otap.evaluation import Work, evaluate
from otap.evaluation.engines import local

RELEASE_FILE = Path(__file__).with_name("release.json")
HOTEL = Path(__file__).parents[1] / "examples" / "hotel-booking"
_BATCH = 64  # runs of a batch
_PERTURBED = 40  # runs of an evaluation
_ROUNDS, _STARTS = 7, 9
_START_ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}


def measure_scores() -> dict[str, float]:
    """Returns the CPU time of each task over that of its yardstick: medians over some rounds."""
    with TemporaryDirectory() as folder:
        tasks = _list_tasks(Path(folder))
        for task in tasks.values():
            task()
        rounds = [_measure_round(tasks) for _ in range(_ROUNDS)]
    figures = {name: median(ratios[name] for ratios in rounds) for name in tasks}
    return {**figures, "start_up": median(_measure_start() for _ in range(_STARTS))}


def compare_with_release(figures: Mapping[str, float]) -> dict[str, float]:
    """Returns each figure over that of the last release; above 1 is slower."""
    release = json.loads(RELEASE_FILE.read_text())["figures"]
    return {name: figure / release[name] for name, figure in figures.items() if name in release}


def write_release(figures: Mapping[str, float]) -> None:
    """Writes the figures as those of the last release."""
    release = {"version": otap.__version__, "figures": dict(figures)}
    RELEASE_FILE.write_text(json.dumps(release, indent=1) + "\n")


def perturb(run: otap.Trajectory, seed: int) -> otap.Trajectory:
    """Returns a run with one step left out, done twice, or with other arguments."""
    generator = random.Random(seed)
    steps = list(run.steps)
    index = generator.randrange(len(steps))
    step = steps[index].model_copy(update={"depends_on": None})
    change = seed % 3
    if change == 0:
        del steps[index]
    elif change == 1:
        steps.insert(index, step.model_copy(update={"id": f"{step.id}-again"}))
    else:
        arguments = {**(step.arguments or {}), "number": generator.randrange(1000)}
        steps[index] = step.model_copy(update={"arguments": arguments})
    ids = {step.id for step in steps}
    steps = [
        step.model_copy(update={"depends_on": [key for key in step.depends_on if key in ids]})
        if step.depends_on
        else step
        for step in steps
    ]
    return run.model_copy(update={"id": f"{run.id}-{seed}", "steps": tuple(steps)})


def _list_tasks(folder: Path) -> dict[str, Callable[[], object]]:
    scorer = otap.Scorer()
    runs = [otap.read(path) for path in sorted((HOTEL / "runs").glob("*.json"))]
    reference = otap.read(HOTEL / "reference.json")
    names = "exchanged_filters", "paraphrased"
    references = [reference, *(otap.read(HOTEL / "runs" / f"{name}.json") for name in names)]
    pairs = [(runs[index % len(runs)], reference) for index in range(_BATCH)]
    lines = [
        perturb(runs[seed % len(runs)], seed).model_copy(update={"task": reference.task}).to_json()
        for seed in range(_PERTURBED)
    ]
    file = folder / "runs.jsonl"
    file.write_text("\n".join(lines) + "\n")
    work = Work(otap.Config(), (reference,))
    return {
        "warm_score": lambda: [scorer.score(run, references) for run in runs],
        "batch": lambda: scorer.score_many(pairs),
        "evaluate": lambda: evaluate([str(file)], work, None, local.engine(1)),
    }


def _measure_round(tasks: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """The ratio of each task to the yardstick before and after it."""
    ratios, before = {}, _time(_yardstick)
    for name, task in tasks.items():
        seconds, after = _time(task), _time(_yardstick)
        ratios[name] = 2 * seconds / (before + after)
        before = after
    return ratios


def _time(task: Callable[[], object]) -> float:
    start = process_time()
    task()
    return process_time() - start


def _yardstick() -> float:
    """Work like that of a score: dictionaries, texts, and small arrays."""
    total = 0.0
    matrix = np.eye(6) + 0.1
    for number in range(600):
        record = {f"key{index}": str(index * number) for index in range(12)}
        total += len(json.dumps(dict(sorted(record.items()))).split(","))
        total += float((matrix @ matrix).sum(axis=1).max())
    return total


def _measure_start() -> float:
    script = Path(sys.executable).with_name("otap")
    files = str(HOTEL / "runs" / "missing_book.json"), str(HOTEL / "reference.json")
    bare = _process_seconds([sys.executable, "-c", "import numpy, pydantic"])
    return _process_seconds([str(script), "score", files[0], "-r", files[1]]) / bare


def _process_seconds(command: list[str]) -> float:
    """The CPU time of a process, and of what it started."""
    null = subprocess.DEVNULL
    before = os.times()
    subprocess.run(command, env=_START_ENVIRONMENT, stdout=null, stderr=null, check=False)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
