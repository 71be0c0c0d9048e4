"""Spans of any tracer: who is inside whom, and what is told twice."""

import pytest

from otap.errors import FormatError, LimitError
from otap.formats.json.paths import JsonPath
from otap.formats.limits import MAX_NESTING
from otap.formats.spans import Span, read_spans
from otap.formats.tool_calls import ToolCall, ToolResult
from work import STEEP, growth


def call(tool="f", identifier=None, arguments=None, **more):
    """Returns a call."""
    notes = {} if identifier is None else {"call_id": identifier}
    return ToolCall(tool, arguments, identifier, notes, **more)


class Spans(list):
    """Spans that start one after the other."""

    def add(self, name, parent=None, **more):
        """Adds a span."""
        number = len(self)
        times = {"start": number, "end": number + 1}
        self.append(Span(name, parent, JsonPath("file")[number], **{**times, **more}))
        return self

    def ran(self, name, parent=None, *, tool="f", identifier=None, arguments=None, **more):
        """Adds a span of a tool."""
        return self.add(name, parent, call=call(tool, identifier, arguments), **more)

    def answered(self, name, parent=None, *asked, **more):
        """Adds a span of a model."""
        return self.add(name, parent, is_model=True, requested_calls=list(asked), **more)


@pytest.fixture
def spans():
    """Returns no spans yet."""
    return Spans()


def tree(steps, *fields):
    """Returns some fields of each step, and of its substeps where there are any."""
    found = []
    for step in steps:
        values = tuple(getattr(step, field) for field in ("tool", *fields))
        found.append((*values, tree(step.substeps, *fields)) if step.substeps else values)
    return found


def test_told_by_the_model_and_the_tool(spans):
    """A call that a model asked for and a tool ran is one step, which knows what both know."""
    spans.answered("m", None, call("f", "c1", {"a": 1}), answer="I look.").ran("t", identifier="c1")
    (step,) = read_spans(spans).steps
    assert step.model_dump(exclude_unset=True) == {
        "id": "1",
        "kind": "tool",
        "action": "I look.",
        "tool": "f",
        "arguments": {"a": 1},
        "effect": None,
        "turn": 1,
        "metadata": {"call_id": "c1"},
    }


def test_asked_and_never_run(spans):
    """A call without a span is a step; a later input says what came back, the first time."""
    spans.answered("m", None, call("f", "c1"))
    spans.answered("n", results=[ToolResult("c1", None, "all of it")])
    spans.answered("o", results=[ToolResult("c1", None, "...")])
    assert tree(read_spans(spans).steps, "effect") == [("f", "all of it")]


def test_without_ids_by_arguments_then_by_tool(spans):
    """Where a tool's span has no id, its arguments tell which call it is, whatever the order."""
    spans.answered("m", None, call("f", "c1", {"a": 1}), call("f", "c2", {"a": 2}))
    spans.ran("t2", arguments={"a": 2}).ran("t3", arguments="3")
    steps = read_spans(spans).steps
    assert [step.metadata["call_id"] for step in steps] == ["c2", "c1"]
    assert [step.arguments for step in steps] == [{"a": 2}, "3"]


def test_garbled_arguments(spans):
    """Arguments that could not be parsed give way to those that the model's span has."""
    spans.answered("m", None, call("f", "c1", {"city": "Rome"})).ran("t", arguments="Rome")
    spans[1].call.notes["arguments_unparsed"] = True
    (step,) = read_spans(spans).steps
    assert (step.arguments, step.metadata) == ({"city": "Rome"}, {"call_id": "c1"})


def test_ids_that_repeat(spans):
    """Ids that repeat in each answer are no reason to lose calls, or to mix their results."""
    for turn in range(3):
        spans.answered(f"m{turn}", None, call("f", "0", {"a": turn}), call("g", "0"))
        spans.ran(f"g{turn}", tool="g", identifier="0").ran(f"f{turn}", identifier="0")
    spans.answered("last", results=[ToolResult("0", None, "of which?")])
    steps = read_spans(spans).steps
    assert tree(steps, "turn", "effect") == [
        *(("g", 1, None), ("f", 1, None)),
        *(("g", 2, None), ("f", 2, None)),
        *(("g", 3, None), ("f", 3, None)),
    ]
    assert [step.arguments for step in steps if step.tool == "f"] == [{"a": 0}, {"a": 1}, {"a": 2}]


def test_one_model_traced_twice(spans):
    """A tracer around another tells the same answer; its calls count once, its words are kept."""
    spans.answered("outer", None, call("f", "c1"), call("f", "c2"))
    spans.answered("inner", "outer", call("f", "c1", {"a": 1}), call("f", "c2"), answer="I look.")
    spans.ran("t", identifier="c2")
    steps = read_spans(spans).steps
    assert tree(steps, "turn", "action") == [("f", 1, "I look.")] * 2
    assert steps[0].arguments == {"a": 1}


def test_one_model_traced_side_by_side(spans):
    """The same holds where neither span is inside the other, if the call is the same."""
    spans.answered("one", None, call("f", "c1", {"a": 1}))
    spans.answered("two", None, call("f", "c1", {"a": 1})).ran("t", identifier="c1")
    assert tree(read_spans(spans).steps) == [("f",)]


def test_client_and_server(spans):
    """An inner span that tells the same call is no step; what it knows is kept."""
    spans.ran("t", tool="mcp__fs__read", identifier="c1")
    spans.ran("client", "t", tool="read", arguments={"path": "a"})
    spans.ran("server", "client", tool="read", arguments={"path": "a"})
    spans.ran("other", "server", tool="stat")
    (step,) = read_spans(spans).steps
    assert tree([step], "arguments") == [("mcp__fs__read", {"path": "a"}, [("stat", None)])]


def test_agent_that_calls_its_own_tool(spans):
    """The same tool inside an agent inside the tool is another call, even without arguments."""
    spans.ran("t", tool="ask").add("a", "t", agent="inner").ran("u", "a", tool="ask")
    assert tree(read_spans(spans).steps, "agent") == [("ask", None, [("ask", "inner")])]


def test_turns(spans):
    """One answer is one turn; calls of two agents side by side are told apart by who asked."""
    spans.answered("m", None, call("f", "c1"), call("f", "c2"), answer="one")
    spans.answered("n", None, call("g", "c3"), answer="two")
    spans.ran("t1", identifier="c1").ran("t3", tool="g", identifier="c3").ran("t2", identifier="c2")
    assert tree(read_spans(spans).steps, "turn", "action") == [
        ("f", 1, "one"),
        ("g", 2, "two"),
        ("f", 1, "one"),
    ]


def test_turns_where_no_answer_is_known(spans):
    """Without answers of a model, calls that overlap in time are a turn."""
    for name, start, end in (("a", 0, 10), ("b", 5, 20), ("c", 15, 16), ("d", 20, 25)):
        spans.ran(name, tool=name, start=start, end=end)
    spans.ran("e", tool="e", start=None, end=None)
    assert [step.turn for step in read_spans(spans).steps] == [1, 1, 1, 2, 3]


def test_order_is_time(spans):
    """Spans come in any order, parents after children and at the same time; orphans stay."""
    spans.ran("late", "lost", tool="late", start=9).ran("early", "root", tool="early", start=1)
    spans.answered("m", "root", answer="I look.", start=1).add("root", start=1, agent="boss")
    assert tree(read_spans(spans).steps, "agent", "action") == [
        ("early", "boss", "I look."),
        ("late", None, "I look."),
    ]


def test_exported_twice(spans):
    """A span that was exported again when it ended counts once, as it was at the end."""
    spans.ran("t", tool="f").ran("t", tool="g")
    assert tree(read_spans(spans).steps) == [("g",)]


def test_request(spans):
    """What the user said is told once, though every input repeats it; inside a call nobody did."""
    spans.answered("m", user_texts=["yes"]).answered("n", user_texts=["yes", "and", "yes"])
    spans.ran("t").answered("inner", "t", user_texts=["do this"])
    assert read_spans(spans).request == ("yes", "and", "yes")


def test_reasoning(spans):
    """An answer without calls is a reasoning step where that is asked for."""
    spans.add("a", agent="boss").answered("m", "a", call("f", "c1"), answer="I look.")
    spans.answered("n", "a", answer="Done.")
    steps = read_spans(spans, reasoning=True).steps
    assert [(s.id, s.kind, s.action, s.agent) for s in steps] == [
        ("1", "tool", "I look.", "boss"),
        ("2", "reasoning", "Done.", "boss"),
    ]
    assert len(read_spans(spans).steps) == 1


def test_agent_repeats_its_models(spans):
    """What an agent's span says was asked for counts only where no model's span says it."""
    spans.add("a", agent="boss", requested_calls=[call("f", "c1"), call("g", "c2")])
    spans.answered("m", "a", call("f", "c1"))
    assert sorted(tree(read_spans(spans).steps)) == [("f",), ("g",)]


def test_own_ancestor(spans):
    """Spans in a circle are an error that names one."""
    spans.ran("a", "b").ran("b", "a")
    with pytest.raises(FormatError, match=r"file: \[0\]: span 'a' is its own ancestor"):
        read_spans(spans)


def test_nesting(spans):
    """Calls nest 30 levels, no deeper."""
    for level in range(MAX_NESTING):
        spans.ran(str(level), str(level - 1), tool=f"f{level}")
    (step,) = read_spans(spans).steps
    for _ in range(MAX_NESTING - 1):
        (step,) = step.substeps
    spans.ran("one more", str(MAX_NESTING - 1), tool="g")
    with pytest.raises(LimitError, match=r"file: \[30\]: tool calls inside tool calls, deeper"):
        read_spans(spans)


def chain(spans, size):
    """A long chain of spans, a model's at each link."""
    for number in range(4 * size):
        spans.answered(str(number), str(number - 1))
    spans.ran("t", str(4 * size - 1))


def one_name(spans, size):
    """One answer that asks for one tool very often, run without ids."""
    asked = [call("f", f"c{number}", {"a": number}) for number in range(size)]
    spans.answered("m", None, *asked)
    for number in range(size):
        spans.ran(str(number), arguments={"b": number})


def one_id(spans, size):
    """Many answers that ask for calls of one id."""
    for number in range(size):
        spans.answered(f"m{number}", None, call("f", "c", {"a": number}))
    for number in range(size):
        spans.ran(str(number), identifier="c")


@pytest.mark.parametrize("make", [chain, one_name, one_id])
def test_large_traces_take_no_quadratic_time(make):
    """The time for traces as large as a run may be grows as their number of spans does."""

    def prepare(size):
        spans = Spans()
        make(spans, size)
        return lambda: read_spans(spans)

    assert prepare(10)().steps
    assert growth(prepare, 2_500, 10_000) < STEEP


def answers_of(calls):
    """Returns the calls of each earlier answer, as another model's input has them."""
    return [[call(made.tool, made.id, made.arguments)] for made in calls]


def paid_three_times(has_ids=True):
    """Returns the spans of a run of three payments, two of which are the same but for their id."""
    spans = Spans()
    made = [call("pay", f"c{n}" if has_ids else None, {"to": n % 2}) for n in range(3)]
    for number, requested in enumerate(made):
        results = [ToolResult(earlier.id, None, "paid") for earlier in made[:number]]
        earlier_calls = answers_of(made[:number])
        spans.answered(f"m{number}", None, requested, earlier_calls=earlier_calls, results=results)
        spans.ran(f"t{number}", tool="pay", identifier=requested.id, arguments={"to": number % 2})
    return spans.answered("last", earlier_calls=answers_of(made))


PAID = [("pay", {"to": number % 2}) for number in range(3)]


@pytest.mark.parametrize("dropped", range(64))
def test_calls_in_inputs(dropped):
    """Whichever earlier spans a sampler drops, each call is a step once, in order."""
    names = ("m0", "t0", "m1", "t1", "m2", "t2")
    kept = {name for bit, name in enumerate(names) if not dropped >> bit & 1}
    spans = [span for span in paid_three_times() if span.id in {*kept, "last"}]
    assert tree(read_spans(spans).steps, "arguments") == PAID


def test_calls_in_inputs_without_ids():
    """Without ids a call in an input is the one with its tool and arguments; the rest are steps."""
    assert tree(read_spans(paid_three_times(has_ids=False)).steps, "arguments") == PAID
    last = paid_three_times(has_ids=False)[-1:]
    assert tree(read_spans(last).steps, "arguments", "turn") == [
        (*paid, turn) for turn, paid in enumerate(PAID, 1)
    ]


def test_history_of_an_agent(spans):
    """The input of an agent may be its whole history, whose calls later spans record."""
    history = answers_of([call("f", "c1"), call("g", "c2")])
    spans.add("a", agent="x", has_answer=True, earlier_calls=history)
    spans.answered("m", "a", call("f", "c1")).ran("t", "a", identifier="c1")
    assert sorted(step.tool for step in read_spans(spans).steps) == ["f", "g"]


def test_growing_inputs():
    """Work grows with the calls in all inputs together, however many calls are the same."""

    def read_history(count):
        history = answers_of([call("f", None, {"a": n % 2}) for n in range(count)])
        spans = Spans()
        for number in range(20):
            spans.answered(f"m{number}", earlier_calls=history)
        return lambda: read_spans(spans)

    assert growth(read_history, 500, 2000) < STEEP
