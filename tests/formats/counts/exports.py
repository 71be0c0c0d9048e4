"""What platforms export of traces: LangSmith and Langfuse."""

from collections import Counter
from pathlib import Path

from formats.counts.counted import Counts, Run, documents, inside
from formats.counts.messages import asked, bad_results


def langfuse(file: Path) -> Counts:
    """Langfuse: observations of type TOOL, and calls that were asked for beyond these."""
    (made,) = documents(file)
    tools = Counter(each["name"] for each in made["observations"] if each["type"] == "TOOL")
    said = sum(message["type"] == "human" for message in made["input"]["messages"])
    return Counts([Run(tools | Counter(asked(made).values()), len(bad_results(made)), said)])


def langsmith(file: Path) -> Counts:
    """LangSmith: runs of type 'tool', nested or one a line, and calls that were asked for beyond.

    The root's input is what was said. A failure is a run's error, or a message that says so.
    """
    made = documents(file)
    tools = Counter(each["name"] for each in inside(made) if each.get("run_type") == "tool")
    said = sum(message["type"] == "human" for message in made[0]["inputs"]["messages"])
    failed = sum(bool(each.get("error")) for each in inside(made) if "run_type" in each)
    failed += len(bad_results(made))
    return Counts([Run(tools | Counter(asked(made).values()), failed, said)])
