"""Sessions and eval sets of Google's ADK, in both spellings and both forms of intermediate data."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made"


def content(*parts, role="model"):
    """Returns content of parts; a text is a part."""
    return {"role": role, "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}


def call(name="search", identifier=None, **args):
    """Returns the part that is a call."""
    return {"text": None, "function_call": {"id": identifier, "name": name, "args": args}}


def answer(response, name="search", identifier=None):
    """Returns the part that is a response."""
    return {"function_response": {"id": identifier, "name": name, "response": response}}


def event(author, *parts, **more):
    """Returns an event of a session."""
    return {"invocation_id": "i", "author": author, "content": content(*parts), **more}


def session(*events):
    """Returns a session."""
    return {"id": "s", "app_name": "hotel", "user_id": "u", "events": list(events)}


EVENTS = [
    event("user", "A room."),
    event("planner", "I look.", call(city="Rome", identifier="1"), call("map", identifier="2")),
    event("planner", answer({"b": 2}, "map", "2"), answer({"error": "down"}, identifier="1")),
    event("planner", "There."),
]


@pytest.fixture
def read(write):
    """Reads one run given as plain data."""

    def read(value, **options):
        return formats.read(write(value), **options)

    return read


def test_session(read):
    """Each call is a step of its agent; calls of one event share a turn; responses join by id."""
    run = read(session(*EVENTS))
    assert (run.id, run.task, run.request) == ("s", None, ("A room.",))
    assert run.metadata == {"app_name": "hotel"}
    assert [step.model_dump(exclude_unset=True) for step in run.steps] == [
        {
            "id": "1",
            "kind": "tool",
            "action": "I look.",
            "tool": "search",
            "arguments": {"city": "Rome"},
            "effect": {"error": "down"},
            "turn": 1,
            "status": "error",
            "agent": "planner",
            "metadata": {"call_id": "1", "said": 1},
        },
        {
            "id": "2",
            "kind": "tool",
            "action": "I look.",
            "tool": "map",
            "arguments": {},
            "effect": {"b": 2},
            "turn": 1,
            "agent": "planner",
            "metadata": {"call_id": "2", "said": 1},
        },
    ]


def test_several_sessions(write):
    """A list of sessions, or one a line, is a run each."""
    for name in ("runs.json", "runs.jsonl"):
        path = write([session(*EVENTS), session(*EVENTS)], name)
        assert [len(run.steps) for run in formats.read_all(path)] == [2, 2]


def test_reasoning(read):
    """Text that leads to no call becomes a reasoning step if asked for."""
    assert [step.kind for step in read(session(*EVENTS), reasoning=True).steps] == [
        *["tool", "tool", "reasoning"]
    ]


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"error": "x"}, "error"),
        ({"status": "error", "error_message": "x"}, "error"),
        ({"status": "success"}, "ok"),
        ({"error": None, "status": "ok"}, "ok"),
        ({"status": "OFF"}, None),
        ({"result": "error"}, None),
        ("error", None),
    ],
)
def test_status(read, response, status):
    """A call failed, or went well, where the response says so in the words of ADK."""
    run = read(session(event("a", call()), event("a", answer(response))))
    assert (run.steps[0].effect, run.steps[0].status) == (response, status)


def test_partial_events(read):
    """What was streamed in pieces is told once, when it is whole."""
    run = read(session(event("a", call(), partial=True), event("a", call())))
    assert len(run.steps) == 1


def test_thoughts_and_other_agents(read):
    """Neither a thought nor what another agent said is the action of a call."""
    run = read(
        session(
            event("writer", "An essay."),
            event("a", {"text": "hm", "thought": True}, "I look.", call()),
        )
    )
    assert run.steps[0].action == "I look."


def test_response_of_the_user(read):
    """A long call may be answered in the name of the user; a second answer belongs to none."""
    run = read(
        session(
            event("a", call(identifier="1")),
            event("user", answer("done", identifier="1")),
            event("user", answer("again", identifier="1")),
            {"invocation_id": "i", "author": "a", "content": None},
        )
    )
    assert run.steps[0].effect == "done"
    assert run.metadata["results_without_call"] == [
        {"event": 2, "call_id": "1", "name": "search", "content": "again"}
    ]


def evals(data, **more):
    """Returns an eval set of one case with one invocation."""
    invocation = {
        "invocation_id": "i",
        "user_content": content("A room.", role="user"),
        "final_response": content("There."),
        "intermediate_data": data,
    }
    case = {"eval_id": "rome", "conversation": [invocation], **more}
    return {"eval_set_id": "hotels", "eval_cases": [case]}


USES = {
    "tool_uses": [
        {"id": None, "name": "search", "args": {"city": "Rome"}},
        {"id": None, "name": "map", "args": {}},
        {"id": None, "name": "search", "args": {"city": "Oslo"}},
        {"id": None, "name": "pay"},
    ],
    "tool_responses": [
        {"id": None, "name": "search", "response": 1},
        {"id": None, "name": "search", "response": 3},
        {"id": None, "name": "map", "response": 2},
        {"id": None, "name": "lost", "response": 4},
    ],
}


def test_tool_uses(read):
    """Responses beside the calls join them by id and name, in order."""
    run = read(evals(USES))
    assert [(s.tool, s.arguments, s.effect, s.agent) for s in run.steps] == [
        ("search", {"city": "Rome"}, 1, None),
        ("map", {}, 2, None),
        ("search", {"city": "Oslo"}, 3, None),
        ("pay", None, 4, None),
    ]
    assert (run.id, run.task, run.request) == ("rome", "rome", ("A room.",))
    assert run.metadata == {"eval_set_id": "hotels"}


def test_invocation_events(read):
    """Events of an invocation are read as those of a session."""
    run = read(evals({"invocation_events": EVENTS[1:3]}), reasoning=True)
    assert [(s.tool, s.turn, s.agent) for s in run.steps] == [
        ("search", 1, "planner"),
        ("map", 1, "planner"),
        (None, None, None),
    ]


@pytest.mark.parametrize("data", [None, {}, {"tool_uses": [], "intermediate_responses": []}])
def test_no_tool_use(read, data):
    """A case may expect that nothing is done."""
    assert read(evals(data)).steps == ()


def test_scenarios_are_no_runs(write):
    """A case without a fixed conversation has no run."""
    path = write(evals(None, conversation=None, conversation_scenario={"starting_prompt": "Hi"}))
    assert list(formats.read_all(path)) == []


def test_references(write):
    """An eval set given as references is its cases."""
    assert [gold.task for gold in formats.read_references(write(evals(USES)))] == ["rome"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (session(event("a"), 5), "events[1]: expected an object"),
        (session({**event("a"), "author": []}), "events[0].author: expected text"),
        (session({**event("a"), "content": 5}), "events[0].content: expected an object"),
        (session({**event("a"), "content": {"parts": 5}}), "events[0].content.parts: expected a l"),
        (session(event("a", 5)), "events[0].content.parts[0]: expected an object"),
        (session(event("a", {"text": 5})), "events[0].content.parts[0].text: expected text"),
        (
            session(event("a", {"functionCall": {"name": 5, "args": {}}})),
            "events[0].content.parts[0].functionCall.name: expected text, found the value 5",
        ),
        (
            session(event("a", {"function_response": {"id": []}})),
            "events[0].content.parts[0].function_response.id: expected text",
        ),
        ({**session(event("a")), "id": {}}, "id: expected text"),
        (evals(5), "eval_cases[0].conversation[0].intermediate_data: expected an object"),
        (
            evals({"toolUses": [{"name": []}]}),
            "eval_cases[0].conversation[0].intermediate_data.toolUses[0].name: expected text",
        ),
        (evals(None, conversation={}), "eval_cases[0].conversation: expected a list"),
        (evals(None, conversation=None), "eval_cases[0].conversation: expected a list"),
        ({"evalCases": [5]}, "evalCases[0]: expected an object"),
    ],
)
def test_bad_values(write, value, words):
    """A bad shape is an error with its place, in the spelling of the file."""
    path = write(value)
    with pytest.raises(FormatError) as caught:
        list(formats.read_all(path))
    assert str(caught.value).startswith(f"{path}: {words}")


CALLS = [
    ("search", {"city": "Rome"}, {"hotels": ["Rome Palace"]}, None),
    ("search", {"city": "Oslo"}, {"hotels": ["Oslo Palace"]}, None),
    ("book", {"hotel": "Rome Palace"}, {"status": "error", "error_message": "full"}, "error"),
    ("transfer_to_agent", {"agent_name": "clerk"}, {"result": None}, None),
    ("pay", {"amount": 7}, {"result": "paid 7"}, None),
]


def told(run):
    """Returns what each step did."""
    return [(s.tool, s.arguments, s.effect, s.status) for s in run.steps]


def test_made_session():
    """The session that ADK wrote, in camelCase and without nulls."""
    path = MADE / "adk_session.json"
    assert "functionCall" in path.read_text("utf-8")
    run = formats.read(path)
    assert told(run) == CALLS
    assert [(step.turn, step.agent) for step in run.steps] == [
        *[(1, "planner"), (1, "planner"), (2, "planner"), (3, "planner"), (4, "clerk")]
    ]
    assert run.request == ("A room in Rome or Oslo, please.", "Pay what I owe.")


def test_made_eval_set():
    """The eval set that ADK made of that session, in both forms, has the same steps."""
    events, uses = formats.read_all(MADE / "adk_evalset.json")
    assert told(events) == told(uses) == CALLS
    assert (events.task, uses.task) == ("events", "tool_uses")
    assert [step.turn for step in events.steps] == [1, 1, 2, 3, 4]


def test_real_session(real_data):
    """A real session of an older ADK: two transfers, with texts of other agents between."""
    path = real_data / "traces" / "adk" / "sample.session.json"
    run = formats.read(path)
    assert "functionCall" not in path.read_text("utf-8")
    assert [
        (s.tool, s.arguments["agent_name"], s.status, s.agent, s.action) for s in run.steps
    ] == [
        ("transfer_to_other_agent", "research_assistant", "ok", "spark_assistant", None),
        ("transfer_to_other_agent", "spark_assistant", "ok", "spark_assistant", None),
    ]
    assert len(run.request) == 1


def test_real_eval_set(real_data):
    """A real eval set: two questions, each with the tool use that answers it."""
    path = real_data / "traces" / "adk" / "dependent_tool_calls.evalset.json"
    (gold,) = formats.read_references(path)
    (case,) = json.loads(path.read_text("utf-8"))["eval_cases"]
    uses = [use for i in case["conversation"] for use in i["intermediate_data"]["tool_uses"]]
    assert [(s.tool, s.arguments, s.effect) for s in gold.steps] == [
        (use["name"], use["args"], None) for use in uses
    ]
    assert [step.metadata["said"] for step in gold.steps] == [1, 2]
    assert gold.task == case["eval_id"]


def test_code_and_tools_of_the_server(read):
    """What the model ran by itself are calls, with how they ended."""
    run = read(
        session(
            event(
                "a",
                {"executable_code": {"language": "PYTHON", "code": "1+1"}},
                {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "2"}},
            ),
            event("a", {"tool_call": {"id": "1", "tool_type": "GOOGLE_SEARCH", "args": {"q": 1}}}),
            event("a", {"tool_response": {"id": "1", "response": {"x": 1}}}),
        )
    )
    assert [(s.tool, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("code_execution", {"language": "PYTHON", "code": "1+1"}, "2", "ok"),
        ("GOOGLE_SEARCH", {"q": 1}, {"x": 1}, None),
    ]


def test_calls_elsewhere(read):
    """Calls among the responses on the way, or in the last one, are steps of the case."""
    value = evals({"intermediate_responses": [["clerk", [call(identifier="1"), {"text": "Hm."}]]]})
    value["eval_cases"][0]["conversation"][0]["final_response"] = content(call("pay"), "There.")
    run = read(value)
    assert [(step.tool, step.agent) for step in run.steps] == [("search", "clerk"), ("pay", None)]


def test_what_is_not_read(read):
    """Pictures say nothing of what was done; a part of no known kind is told."""
    run = read(session(event("a", {"inline_data": {}}, {"dance": 1}, {"dance": None})))
    assert run.unread.ignored == {"part with 'inline_data'": 1}
    assert run.unread.unknown == {"part with 'dance'": 1}


def test_bare_events(write):
    """What a runner yields is one run; the session around it is not needed."""
    (session,) = formats.read_all(MADE / "adk_session.json")
    events = json.loads((MADE / "adk_session.json").read_text("utf-8"))["events"]
    run = formats.read(write(events))
    assert (run.steps, run.request, run.messages_to_user) == (
        session.steps,
        session.request,
        session.messages_to_user,
    )
