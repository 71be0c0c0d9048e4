"""Runs of a ticket desk, made by hand: good ones close the ticket, bad ones another."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from otap.trajectory import Trajectory, parse_trajectory


def run(task: int, trial: int, *, good: bool = True, looks: int = 1) -> Trajectory:
    """A run of a task: it looks the ticket up, pays back, and closes it, or another one."""
    ticket, closed = f"T-{task:04}", f"T-{task:04}" if good else f"T-{task + 5000:04}"
    steps = [
        {"id": str(number), "tool": "get_ticket", "arguments": {"id": ticket, "page": number},
         "effect": {"owner": f"owner-{task:04}"}}
        for number in range(looks)
    ]  # fmt: skip
    steps += [
        {"id": "pay", "tool": "refund_owner", "effect": "done",
         "arguments": {"owner": f"owner-{task:04}", "amount": 10 + task}},
        {"id": "close", "tool": "close_ticket", "arguments": {"id": closed}, "effect": "closed"},
    ]  # fmt: skip
    about = {"id": f"{task}-{trial}", "task": f"{task:02}", "trial": trial, "outcome": float(good)}
    return parse_trajectory({**about, "steps": steps})


def runs(tasks: int, *, bad: bool = True) -> Iterator[Trajectory]:
    """Of each task a reference, a good run that looks longer, and a bad one."""
    for task in range(tasks):
        yield run(task, 0)
        yield run(task, 1, looks=2 + task % 3)
        if bad:
            yield run(task, 2, good=False)


def write(path: Path, found: Iterable[Trajectory]) -> str:
    """The runs as a file."""
    path.write_text("".join(one.to_json() + "\n" for one in found), "utf-8")
    return str(path)
