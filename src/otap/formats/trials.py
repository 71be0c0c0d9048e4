"""Folders of trials: the benchmark's result lies beside the trajectory of the agent.

The layout is that of Harbor, which runs Terminal-Bench 2: ``TRIAL/result.json`` and
``TRIAL/agent/trajectory.json``. It was seen in ``models/trial/paths.py`` and ``result.py`` of
Harbor, in github.com/UniPat-AI/harbor_multiturn.
"""

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from otap.formats.content import object_in
from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH

TRAJECTORY = ("agent", "trajectory.json")
RESULT, CONFIG = "result.json", "config.json"
MAX_RESULT = 1_000_000  # bytes of a result that is read


def drop_trial_files(files: Sequence[PurePath]) -> list[PurePath]:
    """Returns the traces of a folder without the other files of its trials.

    Args:
        files: the files of a folder.
    """
    trials = {file.parent.parent for file in files if _is_trajectory(file)}
    jobs = {trial.parent for trial in trials}
    return [
        file
        for file in files
        if _is_trajectory(file)
        or (trials.isdisjoint(file.parents) and not _is_job_file(file, jobs))
    ]


def fields_of_trial(name: str) -> dict[str, Any]:
    """Returns the task, the trial and the outcome of a trajectory, if a result lies beside it.

    Args:
        name: the file of the trajectory.
    """
    file = Path(name)
    if not _is_trajectory(file):
        return {}
    result_file = file.parent.parent / RESULT
    try:
        if result_file.stat().st_size > MAX_RESULT:
            return {}
        result = parse_text(result_file.read_text("utf-8"), ARGUMENTS_DEPTH)
    except (OSError, ValueError):
        return {}
    if not isinstance(result, dict) or "verifier_result" not in result:
        return {}
    names = {"task": result.get("task_name"), "trial": result.get("trial_name")}
    texts = {key: value for key, value in names.items() if isinstance(value, str) and value}
    reward = object_in(object_in(result, "verifier_result"), "rewards").get("reward")
    return {**texts, "outcome": reward} if type(reward) in (int, float) else texts


def _is_trajectory(file: PurePath) -> bool:
    return file.parts[-2:] == TRAJECTORY


def _is_job_file(file: PurePath, jobs: set[PurePath]) -> bool:
    """Returns whether a file describes the job of which the trials are parts."""
    return file.name in (RESULT, CONFIG) and file.parent in jobs
