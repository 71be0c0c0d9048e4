"""Random tasks, runs of them, and what a law adds to a run: written before the metric was changed.

A plan is a list of steps whose roles are known here, since each verb is one that every reader
knows: what a law says of writes and reads does not hang on recognition. No case is discarded.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builders import StepData, call, run_of
from otap.trajectory import Trajectory

# Of each domain: what is looked at, the thing that is changed, the verbs, the other things said.
DOMAINS: tuple[Mapping[str, Any], ...] = (
    {"read": "get_order", "search": "search_orders", "id": "order_id", "prefix": "ORD-",
     "writes": ("cancel_order", "refund_order", "ship_order"), "amount": "amount",
     "batch": ("archive_orders", "order_ids"), "single": ("archive_order", "order_id")},
    {"read": "read_ticket", "search": "list_tickets", "id": "ticket_id", "prefix": "TCK-",
     "writes": ("update_ticket", "close_ticket", "assign_ticket"), "amount": "priority",
     "batch": ("delete_tickets", "ticket_ids"), "single": ("delete_ticket", "ticket_id")},
    {"read": "get_account", "search": "search_accounts", "id": "account", "prefix": "ACC",
     "writes": ("send_payment", "create_transfer", "block_account"), "amount": "amount",
     "batch": ("notify_accounts", "accounts"), "single": ("notify_account", "account")},
    {"read": "describe_instance", "search": "list_instances", "id": "instance_id", "prefix": "i-0",
     "writes": ("stop_instance", "resize_instance", "tag_instance"), "amount": "size",
     "batch": ("terminate_instances", "instance_ids"),
     "single": ("terminate_instance", "instance_id")},
    {"read": "view_page", "search": "find_pages", "id": "page", "prefix": "page/",
     "writes": ("edit_page", "publish_page", "rename_page"), "amount": "version",
     "batch": ("remove_pages", "pages"), "single": ("remove_page", "page")},
)  # fmt: skip
THOUGHTS = (
    "I should look at this first.", "Now the next one.", "The user wants all of them done.",
    "That looks right.", "Let me check the policy before I go on.", "Nothing else is left to do.",
)  # fmt: skip
# What is no thought of any plan.
IDLE = (
    "The weather is nice today.", "Let me think again.", "Ships sail over the sea at night.",
    "I wonder what time it is.", "Almost lunch.",
)  # fmt: skip
# Writes that bring a state about: done again, they change nothing.
SETTINGS = frozenset((
    "update_ticket", "close_ticket", "assign_ticket", "delete_tickets", "archive_orders",
    "block_account",
))  # fmt: skip
STRANGE = ("frobnicate", "get_weather", "zork_blip", "lookup_horoscope", "ping", "list_planets")


class Plan(NamedTuple):
    """The reference of a task: its steps, and which of them write."""

    steps: list[StepData]
    writes: list[int]
    domain: Mapping[str, Any]

    def trajectory(self, steps: Sequence[StepData] | None = None) -> Trajectory:
        """These steps, or others, as a trajectory."""
        return run_of(*(self.steps if steps is None else steps))


def think(text: str) -> StepData:
    """A thought."""
    return {"kind": "reasoning", "action": text}


def thing(rng: random.Random, domain: Mapping[str, Any]) -> str:
    """An identifier of the domain."""
    return f"{domain['prefix']}{rng.randint(1000, 9999)}"


def look(domain: Mapping[str, Any], of: str) -> StepData:
    """A look at a thing."""
    return call(domain["read"], {domain["id"]: of}, {domain["id"]: of, "status": "open"})


def change(rng: random.Random, domain: Mapping[str, Any], of: str) -> StepData:
    """A write on a thing."""
    arguments: dict[str, Any] = {domain["id"]: of}
    if rng.random() < 0.7:
        arguments[domain["amount"]] = rng.randint(2, 90) * 5
    if rng.random() < 0.3:
        arguments["to"] = rng.choice(["ann@example.com", "bo@example.com", "cy@example.com"])
    return call(rng.choice(domain["writes"]), arguments, rng.choice([None, "done", {"ok": True}]))


def plan(seed: int) -> Plan:
    """One to six writes, most after a look at their thing, thoughts, at times a batch."""
    rng = random.Random(seed)
    domain = rng.choice(DOMAINS)
    steps: list[StepData] = []
    writes = []
    for _ in range(rng.randint(1, 6)):
        of = thing(rng, domain)
        if rng.random() < 0.15:
            steps.append(think(rng.choice(THOUGHTS)))
        if rng.random() < 0.6:
            steps.append(look(domain, of))
        writes.append(len(steps))
        if rng.random() < 0.15:
            tool, key = domain["batch"]
            several = [of, *(thing(rng, domain) for _ in range(rng.randint(1, 3)))]
            steps.append(call(tool, {key: several}, "done"))
        else:
            steps.append(change(rng, domain, of))
    return Plan(steps, writes, domain)


def attempt(gold: Plan, seed: int) -> tuple[list[StepData], list[int]]:
    """An honest run: some of the steps in their order, at times with a look of its own between.

    Returns:
        The steps, and which steps of the plan they lack.
    """
    rng = random.Random(f"attempt {seed}")
    share = rng.choice([0.0, 0.3, 0.6, 0.8, 1.0, 1.0])
    steps: list[StepData] = []
    lacking = []
    for place, step in enumerate(gold.steps):
        if rng.random() < 0.1:
            steps.append(look(gold.domain, thing(rng, gold.domain)))
        if rng.random() < share:
            steps.append(step)
        else:
            lacking.append(place)
    return steps, lacking


def paddings(gold: Plan, run: Sequence[StepData], seed: int) -> list[StepData]:
    """The run with 1, 3, 20 or 100 steps that do nothing of the plan.

    Looks at other things by the same tools, strange calls, thoughts, and looks and thoughts of the
    run once more, after the first time.
    """
    rng = random.Random(f"padding {seed}")
    steps = list(run)
    kind = rng.choice(["looks", "searches", "strange", "thoughts", "repeats", "all"])
    for _ in range(rng.choice([1, 1, 3, 20, 100])):
        one = rng.choice(["looks", "searches", "strange", "thoughts", "repeats"])
        if kind != "all":
            one = kind
        at = rng.randint(0, len(steps))
        quiet = [k for k, step in enumerate(steps) if step not in _writes(gold)]
        if one == "repeats" and quiet:
            first = rng.choice(quiet)
            steps.insert(rng.randint(first + 1, len(steps)), steps[first])
        elif one == "searches":
            text = " ".join(rng.sample(["red", "late", "lost", "big", "new", "north"], 2))
            steps.insert(at, call(gold.domain["search"], {"query": text}, []))
        elif one == "strange":
            steps.insert(at, call(rng.choice(STRANGE), {"n": rng.randint(1, 9)}, "ok"))
        elif one == "thoughts":
            steps.insert(at, think(rng.choice(IDLE)))
        else:
            steps.insert(at, look(gold.domain, thing(rng, gold.domain)))
    return steps


def _writes(gold: Plan) -> list[StepData]:
    return [gold.steps[place] for place in gold.writes]


def harms(gold: Plan, run: Sequence[StepData], seed: int) -> list[tuple[str, list[StepData]]]:
    """The run with one write more that the plan does not have, in each way that there is."""
    rng = random.Random(f"harm {seed}")
    place = rng.choice(gold.writes)
    right = gold.steps[place]
    key = next(iter(right["arguments"]))
    other = thing(rng, gold.domain)
    wrong = {
        "object": {**right["arguments"], key: [other] if isinstance(right["arguments"][key], list)
                   else other},
        "empty": {},
        "amount": {**right["arguments"], gold.domain["amount"]: 7},
        "recipient": {**right["arguments"], "to": "mallory@example.com"},
    }  # fmt: skip
    found = []
    for name, arguments in wrong.items():
        found.append((name, _inserted(rng, run, {**right, "arguments": arguments})))
    done = [k for k, step in enumerate(run) if step in _writes(gold)]
    added = [k for k in done if run[k]["tool"] not in SETTINGS]
    if added:
        first = rng.choice(added)
        again = list(run)
        again.insert(rng.randint(first + 1, len(run)), run[first])
        found.append(("twice", again))
    strange = call("delete_everything", {"id": thing(rng, gold.domain)}, "done")
    found.append(("strange", _inserted(rng, run, strange)))
    return found


def set_again(gold: Plan, run: Sequence[StepData]) -> list[list[StepData]]:
    """The run with a setting done again at once, for each of its settings."""
    settings = [
        k for k, step in enumerate(run) if step in _writes(gold) and step["tool"] in SETTINGS
    ]
    return [[*run[: k + 1], run[k], *run[k + 1 :]] for k in settings]


def _inserted(rng: random.Random, run: Sequence[StepData], step: StepData) -> list[StepData]:
    steps = list(run)
    steps.insert(rng.randint(0, len(steps)), step)
    return steps


def progress(gold: Plan, run: Sequence[StepData], lacking: Sequence[int]) -> list[list[StepData]]:
    """The run with one more of the steps that it lacks, in its place, one after the other."""
    found = []
    for place in lacking:
        steps, at = list(run), 0
        for k, step in enumerate(steps):
            if any(step is gold.steps[earlier] for earlier in range(place)):
                at = k + 1
        steps.insert(at, gold.steps[place])
        found.append(steps)
    return found


def batch(seed: int) -> tuple[StepData, list[StepData], list[StepData]]:
    """A batch of two to five things, the single calls that do the same, and a look before."""
    rng = random.Random(f"batch {seed}")
    domain = rng.choice(DOMAINS)
    several = sorted({thing(rng, domain) for _ in range(rng.randint(2, 5))})
    (tool, key), (single, one) = domain["batch"], domain["single"]
    singles = [call(single, {one: of}, "done") for of in several]
    before = [call(domain["search"], {"query": "all that are late"}, several)]
    return call(tool, {key: several}, "done"), singles, before
