"""Contents of the Gemini API."""

import json
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError

MADE = Path(__file__).parents[2] / "made" / "gemini.jsonl"
ASKED = {"role": "user", "parts": [{"text": "Go."}]}


def model(*parts):
    """Returns what the model answers."""
    return {"role": "model", "parts": list(parts)}


def call(name="f", **more):
    """Returns a part that calls a function."""
    return {"functionCall": {"name": name, "args": {"a": 1}, **more}}


def returned(response, name="f", **more):
    """Returns a content with what a function returned."""
    part = {"function_response": {"name": name, "response": response, **more}}
    return {"role": "user", "parts": [part]}


def test_made_by_its_library():
    """A chat by hand, streamed, and called by the library: four calls in three turns."""
    by_hand, streamed, automatic, searched = formats.read_all(MADE)
    for run in (by_hand, streamed, automatic):
        assert [(s.tool, s.turn, s.status, s.action) for s in run.steps] == [
            ("search_hotels", 1, None, "I look for hotels."),
            ("get_weather", 1, None, "I look for hotels."),
            ("book_hotel", 2, "error", None),
            ("book_hotel", 3, None, "H7 is full, so I take H9."),
        ]
        assert run.request == ("A room in Rome, please.",)
        assert run.messages_to_user == (
            "I look for hotels.",
            "H7 is full, so I take H9.",
            "H9 is yours.",
        )
        assert (run.unread.unknown, run.unread.ignored) == ({}, {"thought": 1})
        assert run.steps[0].arguments == {"city": "Rome", "max_price": 150}
    assert by_hand.steps[1].effect == {"output": "Sunny in Rome."}
    assert [(s.tool, s.turn, s.arguments, s.status) for s in searched.steps] == [
        ("google_search", 1, {"queries": ["hotel Rome price"]}, "ok"),
        ("code_execution", 2, {"language": "PYTHON", "code": "print(90 * 2)"}, "ok"),
    ]
    assert searched.steps[1].effect == "180\n"
    assert searched.messages_to_user == ("Two nights cost 180.",)


def test_made_files_are_read_whole():
    """Each call in the file is a step, once."""
    for line, run in zip(MADE.read_text("utf-8").splitlines(), formats.read_all(MADE), strict=True):
        value = json.loads(line)
        if isinstance(value, dict):
            value = value.get("automatic_function_calling_history") or []
        parts = [part for content in value for part in content["parts"]]
        calls = [part.get("functionCall") or part.get("function_call") for part in parts]
        named = [call["name"] for call in calls if call]
        assert [s.tool for s in run.steps if s.tool in ("search_hotels", *named)] == named


@pytest.mark.parametrize(
    "document",
    [
        [ASKED, model(call())],
        [[ASKED, model(call())]],
        {"contents": [ASKED, model(call())]},
        {"contents": {"parts": [{"text": "Go."}]}, "candidates": [{"content": model(call())}]},
        {"history": [ASKED, model(call())], "authType": "x"},
        {"history": [{"type": "user"}], "clientHistory": [ASKED, model(call())]},
        {"messages": [ASKED, model(call())]},
        {
            "request": {"contents": [ASKED]},
            "response": {"candidates": [{"content": model(call())}]},
        },
        [{"role": "user", "parts": ["Go."]}, model(call())],
        [{"parts": [{"text": "Go."}]}, {"parts": [call()]}],
    ],
)
def test_shapes(write, document):
    """A request and one call, in all shapes, and of no other format."""
    found = [n for n in formats.FORMATS if formats.load_format(n).recognises(document)]
    assert found == ["gemini"]
    run = formats.read(write(document))
    assert (run.request, [step.tool for step in run.steps]) == (("Go.",), ["f"])


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "model", "parts": []}],
        [{"role": "user", "parts": [{"type": "text", "text": "x"}]}],
        [{"role": "user", "messageId": "1", "parts": [{"text": "x"}]}],
        [{"role": "critic", "parts": [{"text": "x"}]}],
        {"contents": []},
        {"candidates": []},
        {"candidates": [{"name": "Ann"}]},
        {"history": [{"type": "user", "text": "x"}]},
    ],
)
def test_others(document):
    """Parts of other kinds are not Gemini's."""
    assert not formats.load_format("gemini").recognises(document)


def test_pieces_of_an_answer(write):
    """A streamed answer is one; another id is another run."""
    pieces = [
        {"responseId": "1", "candidates": [{"content": model({"text": text})}]}
        for text in ("I lo", "ok.")
    ]
    last = {"responseId": "1", "candidates": [{"content": model(call()), "finishReason": "STOP"}]}
    runs = list(formats.read_all(write([*pieces, last, {**last, "responseId": "2"}])))
    assert [[step.action for step in run.steps] for run in runs] == [["I look."], [None]]


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"output": "x"}, None),
        ({"error": "x"}, "error"),
        ({"output": "", "error": {"code": 1}}, "error"),
        ({"result": 1, "error": None}, None),
        ({"error": ""}, None),
    ],
)
def test_responses(write, response, status):
    """A response with an error failed."""
    (step,) = formats.read(write([ASKED, model(call()), returned(response)])).steps
    assert (step.effect, step.status) == (response, status)


def test_code(write):
    """Code that the model runs again after it failed is another turn."""
    code = {"executable_code": {"language": "PYTHON", "code": "1/0"}}
    failed = {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "no"}}
    run = formats.read(write([ASKED, model({"text": "So:"}, code, failed, code)]))
    assert [(s.turn, s.effect, s.status, s.action) for s in run.steps] == [
        (1, "no", "error", "So:"),
        (2, None, None, None),
    ]


def test_servers_tools(write):
    """Pages and searches of an answer are steps; a search that was called is told once."""
    served = {"toolType": "GOOGLE_SEARCH_WEB", "id": "s"}
    candidate = {
        "content": model(
            {"toolCall": {**served, "args": {"queries": ["q"]}}},
            {"toolResponse": {**served, "response": {"found": 1}}},
        ),
        "urlContextMetadata": {
            "urlMetadata": [
                {"retrievedUrl": "u", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"},
                {"retrievedUrl": "v", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_ERROR"},
            ]
        },
    }
    run = formats.read(write({"contents": "Go.", "candidates": [candidate]}))
    assert [(s.tool, s.arguments, s.effect, s.status) for s in run.steps] == [
        ("url_context", {"url": "u"}, None, "ok"),
        ("url_context", {"url": "v"}, None, "error"),
        ("GOOGLE_SEARCH_WEB", {"queries": ["q"]}, {"found": 1}, None),
    ]
    assert run.request == ("Go.",)


def test_what_is_noted(write):
    """Files, system instructions and other answers are ignored; the rest is unknown."""
    contents = [
        {"role": "user", "parts": [{"text": "Look."}, {"inlineData": {"data": ""}}]},
        {"role": "critic", "parts": [{"text": "No."}]},
        {"role": "system", "parts": [{"text": "Be."}]},
        model({"hologram": 1, "text": None}, {}),
    ]
    tools = [{"functionDeclarations": [{"name": "f", "annotations": {"readOnlyHint": True}}]}]
    asked = {"contents": contents, "systemInstruction": {"parts": []}, "tools": tools, "id": "r"}
    answers = [{"finishReason": "MALFORMED_FUNCTION_CALL"}, {"content": model({"text": "B"})}]
    run = formats.read(write({**asked, "candidates": answers}))
    assert (run.id, run.request, run.messages_to_user, run.steps) == ("r", ("Look.",), (), ())
    assert run.unread.unknown == {
        "message of role 'critic'": 1,
        "part with 'hologram'": 1,
        "answer that ended with MALFORMED_FUNCTION_CALL": 1,
    }
    assert run.unread.ignored == {
        "system prompt": 2,
        "file": 1,
        "other candidate of an answer": 1,
    }
    assert run.metadata == {}
    assert run.tools["f"].read_only is True


@pytest.mark.parametrize(
    "content",
    [
        5,
        {"role": 5, "parts": []},
        {"role": "model", "parts": 5},
        model(5),
        model({"text": 5}),
        model({"functionCall": 5}),
        model(call(id=[])),
    ],
)
def test_bad_contents(write, content):
    """A bad content is an error with its place."""
    with pytest.raises(FormatError, match=r"\[1\].*expected"):
        formats.read(write([ASKED, content]))


@pytest.mark.parametrize(
    "more",
    [{"contents": []}, {"contents": 5}, {"candidates": [5]}, {"request": 5}, {"response": []}],
)
def test_bad_requests(write, more):
    """A bad request is an error."""
    with pytest.raises(FormatError, match="expected"):
        list(formats.read_all(write([{"contents": [ASKED]}, more])))
