"""Results of tau2-bench: simulations, what the user did in them, and the gold of their tasks."""

import json

import pytest

import otap
from otap import formats
from otap.errors import FormatError

ACTION = {"action_id": "7_0", "name": "cancel", "arguments": {"id": "NO6JO3"}}


def says(role, content=None, *calls, **more):
    """Returns a message of one side; calls are pairs of id and tool."""
    made = [{"id": i, "name": n, "arguments": {"x": i}, "requestor": role} for i, n in calls]
    return {"role": role, "content": content, "tool_calls": made or None, **more}


def gives(identifier, content, error=False, **more):
    """Returns the message of a tool."""
    return {"role": "tool", "id": identifier, "content": content, "error": error, **more}


def simulation(*messages, **changed):
    """Returns a simulation."""
    ends = {"termination_reason": "user_stop", "reward_info": {"reward": 1.0}}
    return {"id": "s", "task_id": "7", "trial": 0, **ends, "messages": list(messages), **changed}


def results(*simulations, criteria=None):
    """Returns a file of results of one task."""
    task = {
        "id": "7",
        "user_scenario": {},
        "evaluation_criteria": criteria or {"actions": [ACTION]},
    }
    return {"info": {}, "tasks": [task], "simulations": list(simulations)}


def test_conversation(write):
    """Calls of both sides are steps with who made them; results are joined by id."""
    run = formats.read(
        write(
            results(
                simulation(
                    says("assistant", "Hi!"),
                    says("user", "Cancel it."),
                    says("assistant", "I look.", ("a", "find"), ("b", "find")),
                    gives("b", "none", error=True),
                    gives("a", "NO6JO3"),
                    says("user", None, ("c", "toggle")),
                    gives("c", "on", timestamp="2026-01-01T00:00:00"),
                    says("assistant", "Done."),
                )
            )
        )
    )
    assert (run.id, run.task, run.trial, run.outcome) == ("7/0", "7", 0, 1.0)
    assert (run.request, run.messages_to_user) == (("Cancel it.",), ("Hi!", "Done."))
    assert [(s.tool, s.agent, s.effect, s.status, s.turn, s.action) for s in run.steps] == [
        ("find", "assistant", "NO6JO3", "ok", 1, "I look."),
        ("find", "assistant", "none", "error", 1, "I look."),
        ("toggle", "user", "on", "ok", 2, None),
    ]
    assert run.metadata == {"simulation": "s", "termination_reason": "user_stop"}


def test_gold(write):
    """The tasks of the file are its references, judged by the state unless calls are asked for."""
    (gold,) = formats.own_references(write(results(simulation())))
    assert (gold.id, [step.tool for step in gold.steps]) == ("7/gold", ["cancel"])
    assert gold.metadata == {"reference": "required", "only_changes": True}
    asked = {"actions": [ACTION], "communicate_info": ["5"], "reward_basis": ["ACTION"]}
    (gold,) = formats.own_references(write(results(criteria=asked)))
    assert (gold.metadata, gold.required_answers) == (
        {"reference": "required", "others": "allowed"},
        (),
    )


def test_acceptable_outcomes(write):
    """Of several outcomes that are accepted, each of the highest reward is a gold."""
    outcomes = [
        {"actions": [ACTION], "reward": 1.0, "outcome_id": "A"},
        {"actions": [], "reward": 0.5, "outcome_id": "B"},
        {"actions": [ACTION, ACTION], "reward": 1.0, "outcome_id": "C"},
    ]
    path = write(results(criteria={"actions": None, "acceptable_outcomes": outcomes}))
    golds = formats.own_references(path)
    assert [(g.metadata["outcome_id"], len(g.steps)) for g in golds] == [("A", 1), ("C", 2)]


def test_one_simulation(write):
    """A simulation in a file of its own is a run; it has no gold."""
    path = write(simulation(says("assistant", None, ("a", "find"))))
    assert [step.tool for step in formats.read(path).steps] == ["find"]
    assert formats.own_references(path) == []


def test_ticks(write):
    """A conversation by voice is read from its ticks; several results may lie in one message."""
    tick = {
        "agent_chunk": {"content": "One moment."},
        "agent_tool_calls": [{"id": "a", "name": "find", "arguments": {}}],
        "agent_tool_results": [{"role": "tool", "tool_messages": [gives("a", "x")]}],
        "user_chunk": None,
    }
    run = formats.read(write(simulation(messages=None, ticks=[tick])))
    assert [(s.tool, s.effect, s.agent) for s in run.steps] == [("find", "x", "assistant")]


def heard(active):
    """Returns the script of a speech, of which one tick lets some pieces be heard."""
    pieces = "".join(f"<chunk id={n}>{text}</chunk>" for n, text in enumerate(["A ", "&amp; B"]))
    return {"content": "", "audio_script_gold": f'<message uuid="u" active="{active}">{pieces}</m'}


def test_speech(write):
    """What a side says in several ticks is one text, until the other speaks or a tool is called."""
    call = [{"id": "a", "name": "find", "arguments": {}}]
    ticks = [
        {"user_chunk": heard("0"), "agent_chunk": {"content": ""}},
        {"user_chunk": heard("1"), "agent_chunk": None},
        {"user_chunk": {"content": ""}, "agent_chunk": {"content": "I "}},
        {"user_chunk": None, "agent_chunk": {"content": "look."}},
        {"agent_chunk": {"content": ""}, "agent_tool_calls": call},
        {"agent_tool_results": [gives("a", "x")]},
        {"agent_chunk": {"content": "Done.", "audio_script_gold": "Done."}},
        {"user_chunk": {"content": None, "audio_script_gold": "Thanks."}},
    ]
    run = formats.read(write(simulation(messages=None, ticks=ticks)))
    assert run.request == ("A & B", "Thanks.")
    assert run.messages_to_user == ("I look.", "Done.")
    assert [(s.tool, s.effect, s.action) for s in run.steps] == [("find", "x", "I look.")]


def test_tools_that_read(write):
    """What a check says of the type of a tool is a fact of the tool; audio is told as ignored."""
    checks = [
        {"action": ACTION, "tool_type": "write"},
        {"action": {**ACTION, "name": "find"}, "tool_type": "read"},
    ]
    judged = {"reward": 0.0, "action_checks": checks}
    run = formats.read(write(simulation(says("user", "Uk==", is_audio=True), reward_info=judged)))
    assert list(run.tools) == ["find"]
    assert run.tools["find"].read_only is True
    assert (run.outcome, run.request, run.unread.ignored) == (0.0, (), {"audio": 1})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (results(5), "simulations[0]: expected an object"),
        (results(simulation(5)), "simulations[0].messages[0]: expected an object"),
        (results(simulation({"role": "x"})), "simulations[0].messages[0].role: expected one of"),
        (results(simulation(says("user", 5))), "simulations[0].messages[0].content: expected text"),
        (results(simulation(trial=[])), "simulations[0].trial: expected text"),
        (results(simulation(reward_info={"reward": "1"})), "simulations[0].reward_info.reward: "),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


def test_real_files(real_data):
    """Every call in the producer's files is a step, every result is joined to its call."""
    files = sorted((real_data / "tau2" / "results").iterdir())
    assert len(files) == 2
    for file in files:
        written = json.loads(file.read_text("utf-8"))["simulations"]
        runs = list(formats.read_all(file))
        assert [run.outcome for run in runs] == [s["reward_info"]["reward"] for s in written]
        for run, one in zip(runs, written, strict=True):
            calls = [call for m in one["messages"] for call in m.get("tool_calls") or ()]
            results = {m["id"]: m["content"] for m in one["messages"] if m["role"] == "tool"}
            assert [(step.tool, step.arguments, step.effect) for step in run.steps] == [
                (call["name"], call["arguments"], results.get(call["id"])) for call in calls
            ]
        (gold,) = formats.own_references(file)
        assert (gold.task, gold.metadata["outcome_id"]) == ("8", "8_outcome_A")


def checks(*actions, **changed):
    """What a run was held to, as its own checks say it."""
    made = [{"action": action, "action_match": True, "tool_type": "write"} for action in actions]
    return {"reward": 1.0, "action_checks": made, "db_check": {"db_match": True}, **changed}


def numbered(tasks, runs):
    """A file of tasks and runs: the actions of each task, and of each run what it was held to."""
    listed = [
        {"id": name, "user_scenario": {}, "evaluation_criteria": {"actions": actions}}
        for name, actions in tasks.items()
    ]
    done = [
        simulation(says("user", "Hi"), task_id=name, reward_info=held)
        for name, held in runs.items()
    ]
    return {"info": {}, "tasks": listed, "simulations": done}


PAY = {"action_id": "8_0", "name": "pay", "arguments": {"amount": 5}}


def test_tasks_that_are_numbered_otherwise_than_the_runs(write):
    """What a run was held to is its gold, an empty list included; and the gold says so."""
    tasks = {"1": [ACTION], "2": [PAY], "3": []}
    right = {"1": checks(ACTION), "2": checks(PAY), "3": checks()}
    golds = formats.own_references(write(numbered(tasks, right)))
    assert [[s.tool for s in gold.steps] for gold in golds] == [["cancel"], ["pay"], []]
    assert not any("gold" in gold.metadata for gold in golds)
    told = checks(PAY, communicate_checks=[{"info": "12"}], reward_basis=["COMMUNICATE", "DB"])
    shuffled = {"3": checks(ACTION), "1": told, "2": checks(), "9": checks(PAY)}
    golds = formats.own_references(write(numbered(tasks, shuffled)))
    assert {gold.task: [s.tool for s in gold.steps] for gold in golds} == {
        "1": ["pay"],
        "2": [],
        "3": ["cancel"],
        "9": ["pay"],
    }
    assert [gold.required_answers for gold in golds] == [("12",), (), (), ()]
    assert all("checks" in gold.metadata["gold"] for gold in golds)


def test_runs_that_were_not_judged_say_nothing(write):
    """Of a run that was broken off, of a version without checks, of two that differ."""
    tasks = {"1": [ACTION], "2": [PAY]}
    for runs in (
        {"1": {"reward": 0.0}, "2": checks(PAY)},
        {"1": {"reward": 1.0, "db_check": {"db_match": True}}},
        {"1": {"reward": 0.0, "action_checks": None, "db_check": None}, "2": checks(PAY)},
    ):
        golds = formats.own_references(write(numbered(tasks, runs)))
        assert [[s.tool for s in gold.steps] for gold in golds] == [["cancel"], ["pay"]]
    file = numbered(tasks, {"1": checks(PAY), "2": checks(PAY)})
    file["simulations"][1]["task_id"] = "1"
    file["simulations"][1]["reward_info"] = checks(ACTION)
    assert [gold.steps[0].tool for gold in formats.own_references(write(file))] == ["cancel", "pay"]


def scores(write, criteria, *calls):
    """The score of a run that made some calls, against the gold of its task."""
    made = [(str(n), tool, said) for n, (tool, said) in enumerate(calls)]
    message = says("assistant", "Done, it is 12.")
    message["tool_calls"] = [
        {"id": n, "name": tool, "arguments": said, "requestor": "assistant"}
        for n, tool, said in made
    ]
    messages = [says("user", "Hi"), message, *(gives(n, "ok") for n, _, _ in made)]
    file = write(results(simulation(*messages, says("assistant", "It is 12.")), criteria=criteria))
    return otap.score(formats.read(file), formats.own_references(file))


PAID, GIVEN = ("pay", {"amount": 5, "note": "thanks"}), ("delete_account", {"id": "A-7"})


def test_what_is_done_besides_counts_where_the_state_is_judged(write):
    """Where something else is, it hardly counts, and is never critical."""
    for basis, severity in ((["DB"], "critical"), (["ENV_ASSERTION"], "minor")):
        criteria = {"actions": [PAY | {"arguments": PAID[1]}], "reward_basis": basis}
        found = scores(write, criteria, PAID, GIVEN)
        assert (found.severity, found.score > 0.95) == (severity, severity == "minor")
        assert scores(write, criteria, GIVEN).severity == "critical"


def test_where_only_answers_are_judged_nothing_that_is_done_counts(write):
    """But the answer does."""
    criteria = {"actions": [PAY], "communicate_info": ["12"], "reward_basis": ["COMMUNICATE"]}
    assert scores(write, criteria, GIVEN).score > 0.95
    assert scores(write, criteria | {"communicate_info": ["77"]}, GIVEN).severity == "critical"


def test_only_the_arguments_that_are_compared_count(write):
    """None of them, for an empty list: the call alone; all, where nothing is said."""
    for compared, other in ((["amount"], 7), ([], 0)):
        criteria = {"actions": [PAY | {"compare_args": compared}]}
        assert scores(write, criteria, ("pay", {"amount": 5, "note": "thanks"})).score == 1
        found = scores(write, criteria, ("pay", {"amount": 7}))
        assert (found.severity == "critical") == (other == 7)
    assert scores(write, {"actions": [PAY]}, ("pay", {"amount": 5, "to": "B-1"})).score < 0.9
