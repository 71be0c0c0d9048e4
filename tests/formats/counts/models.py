"""What frameworks keep of talks with models: Bedrock, Gemini, Haystack, AutoGen, DSPy and more."""

from collections import Counter
from pathlib import Path

from formats.counts.counted import Counts, Object, Run, documents, inside


def bedrock(file: Path) -> Counts:
    """Bedrock: 'toolUse' and 'toolResult'; a request and its response are one talk.

    A result has a status, or only a text that begins with 'Error: '.
    """
    runs = []
    for made in documents(file):
        run = Run()
        for block in [b for b in inside(made) if isinstance(b.get("content"), list)]:
            for part in block["content"]:
                run.calls.update([part["toolUse"]["name"]] if "toolUse" in part else [])
                result = part.get("toolResult", {})
                texts = [str(each.get("text")) for each in result.get("content", [])]
                worded = any(text.startswith("Error: ") for text in texts)
                run.failed += result.get("status") == "error" or worded
                run.said += block.get("role") == "user" and "text" in part
        runs.append(run)
    return Counts(runs)


def gemini(file: Path) -> Counts:
    """Gemini: parts 'function_call' and 'executable_code', named either way; 'error' is a failure.

    A response may bring with it what was said before. What the server searched for the model
    stands in 'groundingMetadata' alone, which was overlooked at first.
    """
    runs = []
    for made in documents(file):
        searched = sum(bool(each.get("webSearchQueries")) for each in inside(made))
        run = Run(+Counter({"google_search": searched}))
        for content in [each for each in inside(made) if isinstance(each.get("parts"), list)]:
            for part in content["parts"]:
                call = part.get("function_call") or part.get("functionCall")
                run.calls.update([call["name"]] if call else [])
                coded = part.get("executable_code") or part.get("executableCode")
                run.calls.update(["code_execution"] if coded else [])
                answer = part.get("function_response") or part.get("functionResponse") or {}
                run.failed += "error" in answer.get("response", {})
                run.said += content.get("role") == "user" and bool(part.get("text"))
        runs.append(run)
    return Counts(runs)


def gemini_cli(file: Path) -> Counts:
    """Gemini CLI: messages, the last one of an id counts; after '$rewindTo' they are gone."""
    messages: dict[str, Object] = {}
    for line in documents(file):
        if "$rewindTo" in line:
            kept = list(messages)[: list(messages).index(line["$rewindTo"])]
            messages = {key: messages[key] for key in kept}
        elif "id" in line:
            messages[line["id"]] = line
    run = Run()
    for message in messages.values():
        calls = message.get("toolCalls", [])
        run.calls.update(call["name"] for call in calls)
        run.failed += sum(call["status"] == "error" for call in calls)
        run.said += message["type"] == "user" and any("text" in p for p in message["content"])
    return Counts([run])


def haystack(file: Path) -> Counts:
    """Haystack: contents 'tool_call' and 'tool_call_result', which has 'error'."""
    runs = []
    for made in documents(file):
        run = Run()
        for message in made["messages"] if isinstance(made, dict) else made:
            for part in message["content"]:
                run.calls.update([part["tool_call"]["tool_name"]] if "tool_call" in part else [])
                run.failed += bool(part.get("tool_call_result", {}).get("error"))
                run.said += message["role"] == "user" and "text" in part
        runs.append(run)
    return Counts(runs)


def autogen(file: Path) -> Counts:
    """AutoGen: events that request and execute calls; states have messages of models instead.

    A state of a team has each agent's messages, in which a call stands once, by its id.
    """
    return Counts([_of_autogen(list(inside(made))) for made in documents(file)])


def _of_autogen(objects: list[Object]) -> Run:
    run, calls, failed = Run(), {}, set()
    texts = {}
    for each in objects:
        if {"id", "name", "arguments"} <= each.keys():
            calls[each["id"]] = each["name"]
        elif each.get("is_error"):
            failed.add(each["call_id"])
        elif each.get("source") == "user" and isinstance(each.get("content"), str):
            texts[each["content"]] = None
    run.calls.update(calls.values())
    run.failed, run.said = len(failed), len(texts)
    return run


def dspy(file: Path) -> Counts:
    """DSPy: numbered tools of a trajectory, but for 'finish'; an observation tells of an error."""
    runs: list[Run] = []
    for made in documents(file):
        run = Run()
        for key, value in made["trajectory"].items():
            if key.startswith("tool_name_") and value != "finish":
                run.calls[value] += 1
            run.failed += key.startswith("observation_") and _is_error(value)
        runs.append(run)
    return Counts(runs)


def _is_error(observation: object) -> bool:
    return str(observation).startswith("Execution error in ")


def agent_framework(file: Path) -> Counts:
    """Agent Framework: contents 'function_call'; a result names the exception that ended it."""
    runs = []
    for made in documents(file):
        run = Run()
        for message in [each for each in inside(made) if "contents" in each]:
            for part in message["contents"]:
                run.calls.update([part["name"]] if part["type"] == "function_call" else [])
                run.failed += bool(part.get("exception"))
                run.said += message["role"] == "user" and part["type"] == "text"
        runs.append(run)
    return Counts(runs)
