"""A sub-agent keeps its parent, and the user sees nothing of what it writes."""

import pytest

from otap import formats


def copilot(parent, started):
    """Returns the events of a session with a sub-agent; its call is recorded if ``started``."""
    inside = {"parentToolCallId": parent}
    task = [{"toolCallId": "p", "name": "task", "arguments": {"prompt": "Look"}}]
    search = [{"toolCallId": "2", "name": "search", "arguments": {"q": "x"}}]
    bodies = [
        ("session.start", {"sessionId": "s"}),
        ("user.message", {"content": "Go."}),
        ("assistant.message", {"content": "I ask.", "toolRequests": task if started else []}),
        ("subagent.started", {"toolCallId": "p"}),
        ("user.message", {"content": "Look", **inside}),
        ("assistant.message", {"content": "I search.", "toolRequests": search, **inside}),
        ("tool.execution_start", {"toolCallId": "2", "toolName": "search", **inside}),
        ("tool.execution_complete", {"toolCallId": "2", "success": True, "result": {}}),
        ("assistant.message", {"content": "I saw it.", "toolRequests": [], **inside}),
        ("assistant.message", {"content": "Done.", "toolRequests": []}),
    ]
    return [{"type": kind, "data": data, "parentId": None} for kind, data in bodies]


def claude_code(parent, started):
    """Returns the lines of the same session in Claude Code."""
    task = {"type": "tool_use", "id": "p", "name": "task", "input": {"prompt": "Look"}}
    search = {"type": "tool_use", "id": "2", "name": "search", "input": {"q": "x"}}
    output = {"type": "tool_result", "tool_use_id": "2", "content": "{}"}
    inside = {"isSidechain": True, "parent_tool_use_id": parent}
    lines = [
        ("user", "Go.", {}),
        ("assistant", [text("I ask."), *([task] if started else [])], {}),
        ("user", "Look", inside),
        ("assistant", [text("I search."), search], inside),
        ("user", [output], inside),
        ("assistant", [text("I saw it.")], inside),
        ("assistant", [text("Done.")], {}),
    ]
    return [
        {"type": kind, "sessionId": "s", "message": {"role": kind, "content": content}, **more}
        for kind, content, more in lines
    ]


def text(words):
    """Returns a block of text."""
    return {"type": "text", "text": words}


@pytest.mark.parametrize("build", [copilot, claude_code])
@pytest.mark.parametrize("started", [True, False])
def test_sub_agents(write, build, started):
    """Its calls are inside the call that started it; without that call they are steps."""
    run = formats.read(write(build("p", started), "run.jsonl"))
    assert run.request == ("Go.",)
    assert run.messages_to_user == ("I ask.", "Done.")
    steps = run.steps[0].substeps if started else run.steps
    assert [(step.tool, step.action) for step in steps] == [("search", "I search.")]
    assert len(run.steps) == 1
    assert run.unread.unknown == {}


def test_codex(write):
    """A sub-agent of Codex has a session of its own, which names that of its parent."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "main", "depth": 1}}}
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}
    lines = [
        {"type": "session_meta", "payload": {"id": "inner", "source": source}},
        {"type": "response_item", "payload": prompt},
    ]
    run = formats.read(write(lines, "r.jsonl"))
    assert (run.id, run.metadata["parent"]) == ("inner", "main")
