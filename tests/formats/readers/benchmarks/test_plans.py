"""Plans in PDDL's notation, alone as text and in PlanBench's files."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "pyperplan.soln"
GOLD = "(pick-up a)\n(stack a c)\n(pick-up b)\n(stack b a)\n"
PLAN = "(pick-up a)\n(stack a c)\n"


def result(**changed):
    """Returns an instance as the plan generation of PlanBench writes it."""
    return {
        "instance_id": 2,
        "example_instance_ids": [1],
        "query": "Stack the blocks.",
        "ground_truth_plan": GOLD,
        "llm_raw_response": "I stack a.",
        "extracted_llm_plan": PLAN,
        "llm_correct": False,
        **changed,
    }


def results(*instances):
    """Returns a file of results."""
    said = {"task": "task_1_plan_generation", "prompt_type": "oneshot", "domain": "blocksworld_3"}
    return {**said, "instances": list(instances)}


def row(**changed):
    """Returns a row with the plan of one model."""
    plan = [["pick-up", "a"], ["stack", "a", "c"]]
    known = {"model": "m", "instance_id": 2, "plan": plan, "valid": True, "gold": plan[:1]}
    return {**known, **changed}


def actions(run):
    """Returns a plan in words."""
    return [" ".join([step.tool, *step.arguments]) for step in run.steps]


def test_plan_of_a_planner():
    """The file that a planner wrote is a run with a step an action."""
    run = formats.read(MADE)
    assert actions(run) == [line.strip("()") for line in MADE.read_text().splitlines()]
    assert len(run.steps) == 6
    assert run.steps[3].model_dump(exclude_unset=True) == {
        "id": "4",
        "kind": "tool",
        "tool": "stack",
        "arguments": ["c", "a"],
    }
    assert formats.read_references(MADE) == [run]
    assert formats.own_references(MADE) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("; x\n(noop)\n\n ( move  a b ) ; 1\r\n; cost = 2 (unit cost)", ["noop", "move a b"]),
        ('"(pick-up a)\\n(stack a c)"', ["pick-up a", "stack a c"]),
        (b"\xef\xbb\xbf(pick-up a)", ["pick-up a"]),
    ],
)
def test_ways_of_writing(write, text, found):
    """Comments and blank lines are no actions; the text may stand in JSON, under any name."""
    assert actions(formats.read(write(text, "sas_plan"))) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(pick-up a)\n\nunstack a", "line 3 of the plan is not an action such as '(pick-up a)'"),
        ("(pick-up a)\n()", "line 2 of the plan is not an action"),
        ("(define (domain blocks))", "no format recognises it: it holds the text '(define"),
        ("; no plan found", "no format recognises it"),
        (b"(pick-up \xff)", "line 1: not UTF-8"),
        (b"(pick-up \0)", "is a binary file"),
    ],
)
def test_bad_text(write, text, words):
    """A line that is no action is an error with its number; a domain is no plan."""
    path = write(text, "sas_plan")
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_results(write):
    """A result is the plan that was taken from the model's answer, with the verdict."""
    run = formats.read(write(results(result())))
    assert (run.id, run.task, run.trial, run.outcome) == ("2", "2", None, 0.0)
    assert run.request == ("Stack the blocks.",)
    assert run.metadata == {"domain": "blocksworld_3", "prompt_type": "oneshot"}
    assert actions(run) == ["pick-up a", "stack a c"]


def test_instances_without_an_answer(write):
    """An instance that no model was asked for is no run; an empty plan is one without steps."""
    asked, empty = result(instance_id=3), result(instance_id=4, extracted_llm_plan="")
    path = write(results(result(extracted_llm_plan=None), asked, empty))
    assert [(run.task, len(run.steps)) for run in formats.read_all(path)] == [("3", 2), ("4", 0)]
    assert [gold.id for gold in formats.own_references(path)] == ["2/gold", "3/gold", "4/gold"]


def test_rows(write):
    """In rows each model is a trial of the instance; a verdict that is missing is no outcome."""
    path = write([row(), row(model="n", valid=None)], "plans.jsonl")
    runs = list(formats.read_all(path))
    assert [(run.id, run.trial, run.outcome) for run in runs] == [
        ("2/m", "m", 1.0),
        ("2/n", "n", None),
    ]
    assert formats.read(path, run="2/n").steps == runs[0].steps
    assert [actions(gold) for gold in formats.read_references(path)] == [["pick-up a"]]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([row(), row(instance_id=None)], "[1].instance_id: expected the number of the instance"),
        ([row(), row(instance_id=[])], "[1].instance_id: expected text or a whole number"),
        ([row(), row(plan=5)], "[1].plan: expected a list"),
        ([row(), row(plan=[[]])], "[1].plan[0]: expected an action and its objects"),
        ([row(), row(plan=[["f", 1]])], "[1].plan[0][1]: expected text, found the value 1"),
        ([row(), row(valid="yes")], "[1].valid: expected true or false, found the text 'yes'"),
        ([row(), 5], "[1]: expected an object"),
        (results(result(), 5), "instances[1]: expected an object"),
        (results(result(query=5)), "instances[0].query: expected text"),
        (results(result(extracted_llm_plan="go")), "instances[0].extracted_llm_plan: line 1 of"),
    ],
)
def test_bad_runs(write, document, words):
    """A bad shape is an error with its place."""
    path = write(document)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_bad_gold(write):
    """A gold that is missing, or of which there are two, is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].gold: expected a list, found null"):
        formats.read_references(write([row(), row(instance_id=3, gold=None)]))
    with pytest.raises(FormatError, match="task 2 has another gold here than before"):
        formats.read_references(write([row(), row(gold=[])]))


def test_real_plans(real_data):
    """All 720 real plans of 12 models are read action by action, with verdicts and golds."""
    path = real_data / "planbench" / "oracle_720.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    runs = list(formats.read_all(path))
    assert len(runs) == len(rows) == 720
    assert sum(len(run.steps) for run in runs) == 5540
    for run, plain in zip(runs, rows, strict=True):
        assert [[step.tool, *step.arguments] for step in run.steps] == plain["plan"]
        assert (run.task, run.trial) == (str(plain["instance_id"]), plain["model"])
        assert run.outcome == plain["valid"]
    golds = {gold.task: gold for gold in formats.own_references(path)}
    assert len(golds) == len({plain["instance_id"] for plain in rows}) == 380
    for plain in rows:
        gold = golds[str(plain["instance_id"])]
        assert [[step.tool, *step.arguments] for step in gold.steps] == plain["gold"]
