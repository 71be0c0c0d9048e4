"""Benchmarks: runs with a judgement, golds, plans and workflows."""

import re
from collections import Counter
from pathlib import Path

from formats.counts.counted import Counts, Run, documents


def tau_bench(file: Path) -> Counts:
    """tau-bench: calls of 'traj'; a result that begins with 'Error' is a failure; golds a task."""
    runs, golds = [], {}
    for made in documents(file)[0]:
        run = Run(outcome=made["reward"])
        for message in made["traj"]:
            run.calls.update(c["function"]["name"] for c in message.get("tool_calls") or [])
            run.failed += message["role"] == "tool" and message["content"].startswith("Error")
            run.said += message["role"] == "user"
        runs.append(run)
        actions = made["info"]["task"]["actions"]
        golds.setdefault(made["task_id"], Counter(action["name"] for action in actions))
    return Counts(runs, list(golds.values()))


def tau2_tasks(file: Path) -> Counts:
    """tau2's tasks: each is a solution to compare with, made of its actions."""
    criteria = [task["evaluation_criteria"] for task in documents(file)[0]]
    return Counts([Run(Counter(a["name"] for a in each["actions"] or [])) for each in criteria])


def tau2_results(file: Path) -> Counts:
    """tau2's simulations: a tool's message says whether it failed; '###STOP###' ends the talk.

    Of tasks with several acceptable outcomes the actions of the best rewarded are the gold.
    """
    (made,) = documents(file)
    runs = []
    for simulation in made["simulations"]:
        run = Run(outcome=simulation["reward_info"]["reward"])
        for message in simulation["messages"]:
            run.calls.update(call["name"] for call in message.get("tool_calls") or [])
            run.failed += bool(message.get("error"))
            run.said += message["role"] == "user" and bool(message["content"])
        runs.append(run)
    criteria = [task["evaluation_criteria"] for task in made["tasks"]]
    best = [max(each.get("acceptable_outcomes") or [each], key=_reward) for each in criteria]
    return Counts(runs, [Counter(a["name"] for a in each["actions"]) for each in best])


def _reward(outcome: dict[str, float]) -> float:
    return outcome.get("reward", 1.0)


def planbench(file: Path) -> Counts:
    """PlanBench: a plan a line, judged by a verifier; one gold an instance."""
    lines = documents(file)
    runs = [
        Run(Counter(action for action, *_ in line["plan"]), outcome=float(line["valid"]))
        for line in lines
    ]
    golds = {line["instance_id"]: Counter(a for a, *_ in line["gold"]) for line in lines}
    return Counts(runs, list(golds.values()))


def plan(file: Path) -> Counts:
    """A planner's plan: an action in parentheses a line."""
    return Counts([Run(Counter(re.findall(r"^\(([\w-]+)", file.read_text("utf-8"), re.M)))])


def worfbench(file: Path) -> Counts:
    """WorFBench: the numbered lines between 'Node:' and 'Edge:', which name no tool."""
    runs = []
    for task in documents(file)[0]:
        user, workflow = (message["content"] for message in task["conversations"][-2:])
        nodes = re.findall(r"^\s*\d+\s*:", workflow.split("\nEdge:")[0], re.M)
        runs.append(Run(Counter({"reasoning": len(nodes)}), said=bool(user)))
    return Counts(runs)
