"""Tasks of tau2-bench: gold actions."""

import json

import pytest

from otap import formats
from otap.errors import FormatError

ACTION = {"action_id": "7_0", "name": "cancel", "arguments": {"id": "NO6JO3"}, "info": None}


def task(*actions, identifier="7", **changed):
    """Returns a task."""
    return {
        "id": identifier,
        "user_scenario": {"instructions": "You are Mia."},
        "evaluation_criteria": {"actions": list(actions), "nl_assertions": []},
        **changed,
    }


def test_gold(write):
    """Each action is a step with its arguments; who takes it and what is compared are kept."""
    theirs = {**ACTION, "requestor": "user", "compare_args": []}
    (gold,) = formats.read_references(write([task(ACTION, theirs)]))
    assert (gold.id, gold.task, gold.request, gold.outcome) == ("7/gold", "7", (), None)
    assert [step.model_dump(exclude_unset=True) for step in gold.steps] == [
        {
            "id": "1",
            "kind": "tool",
            "tool": "cancel",
            "arguments": {"id": "NO6JO3"},
            "metadata": {"action_id": "7_0"},
        },
        {
            "id": "2",
            "kind": "tool",
            "tool": "cancel",
            "arguments": {"id": "NO6JO3"},
            "agent": "user",
            "metadata": {"action_id": "7_0", "compare_args": []},
        },
    ]


def test_empty_and_absent(write):
    """An empty gold means: do nothing; a task without criteria or actions has none."""
    tasks = [
        task(),
        task(identifier=8, evaluation_criteria=None),
        task(evaluation_criteria={"actions": None}),
    ]
    assert [(gold.task, gold.steps) for gold in formats.read_all(write(tasks))] == [("7", ())]


def test_one_task(write):
    """A task alone is read, too."""
    assert formats.read(write(task(ACTION))).task == "7"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (5, "expected an object"),
        (task(identifier=[]), "id: expected text"),
        (task(evaluation_criteria=[]), "evaluation_criteria: expected an object"),
        (task(evaluation_criteria={"actions": 5}), "evaluation_criteria.actions: expected a list"),
        (task(5), "evaluation_criteria.actions[0]: expected an object"),
        (task({**ACTION, "name": ""}), "evaluation_criteria.actions[0].name: expected text"),
        (task({**ACTION, "arguments": "{}"}), "evaluation_criteria.actions[0].arguments: expected"),
        (task({**ACTION, "requestor": {}}), "evaluation_criteria.actions[0].requestor: expected"),
    ],
)
def test_bad_tasks(write, value, words):
    """A bad shape is an error with its place."""
    path = write([task(), value])
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    where = f"{path}: [1]"
    assert str(caught.value).startswith((f"{where}.{words}", f"{where}: {words}"))


def test_real_tasks(real_data):
    """The 50 real tasks of the airline have 142 actions; 7 tasks are to do nothing."""
    path = real_data / "tau2" / "airline_tasks.json"
    golds = list(formats.read_all(path))
    tasks = json.loads(path.read_text("utf-8"))
    assert [gold.task for gold in golds] == [task["id"] for task in tasks]
    for gold, plain in zip(golds, tasks, strict=True):
        actions = plain["evaluation_criteria"]["actions"]
        assert [(s.tool, s.arguments) for s in gold.steps] == [
            (action["name"], {} if action.get("compare_args") == [] else action["arguments"])
            for action in actions
        ]
    assert sum(len(gold.steps) for gold in golds) == 142
    assert sum(not gold.steps for gold in golds) == 7
