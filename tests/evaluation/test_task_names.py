"""Runs that name no task have that of their file if their references are chosen by it."""

import json

from otap import formats
from otap.scoring.selection import ReferenceIndex


def write_runs(folder, *names):
    """Writes a run without a task for each name, and returns them."""
    folder.mkdir()
    for name in names:
        step = {"id": "1", "tool": f"{name}_it", "arguments": {}}
        (folder / f"{name}.json").write_text(json.dumps({"steps": [step]}), "utf-8")
    return list(formats.read_all(folder))


def test_task_of_the_file(tmp_path):
    """Two nights then pair by the name of the task."""
    references = write_runs(tmp_path / "good", "book", "pay")
    index = ReferenceIndex(references)
    for night in ("first", "second"):
        runs = write_runs(tmp_path / night, "book", "pay")
        assert [index.of_run(run).task for run in runs] == ["book", "pay"]
    session = {"metadata": {"session": "s"}}
    runs = [run.model_copy(update=session) for run in references]
    other = runs[1].model_copy(update={"metadata": {"session": "t"}})
    assert ReferenceIndex([runs[0], other]).of_run(other).task == "pay"
