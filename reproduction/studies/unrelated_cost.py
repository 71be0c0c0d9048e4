"""Measures what matched steps of unrelated tasks cost, by field: what skill 0 means.

Runs of real tasks that have nothing to do with each other are scored on one field alone by the
paper's metric, without its entropy term. The cost of a pair of runs is the mean
cost of the steps that the optimal coupling matches, by their mass; printed is the median over
pairs, with quartiles. Not the median over all pairs of steps: the coupling picks the cheap ones.

    python -m reproduction.studies.unrelated_cost ../shared/data [--encoder wordllama]

Actions come from the gold workflows of WorFBench in three domains; arguments and effects from
tool calls of four agents that were recorded by different people: an airline's service desk
(tau-bench), a Kubernetes operator (OTLP, two files) and a web browser (Inspect).
"""

import argparse
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import otap
from otap.encoders import load_encoder
from otap.run import FIELDS as EVERY_FIELD

PAIRS = 400  # drawn for each field, with a fixed seed
MAX_STEPS = 12  # runs are cut: the cost of a pair of steps does not depend on how many there are
FIELDS = ("action", "arguments", "effect")
WORKFLOW_NODE = re.compile(r"^\s*\d+\s*[:.]\s*(.+?)\s*$", re.MULTILINE)

Run = list[otap.Step]


def workflows(folder: Path, domain: str) -> Iterator[Run]:
    """The nodes of WorFBench's gold graphs, as actions."""
    for item in json.loads((folder / f"worfbench/{domain}.json").read_text(encoding="utf-8")):
        nodes = WORKFLOW_NODE.findall(item["conversations"][-1]["content"].split("Edge")[0])
        yield [otap.Step(id=str(i), action=node) for i, node in enumerate(nodes)]


def airline(folder: Path) -> Iterator[Run]:
    """The tool calls of tau-bench's runs."""
    for run in otap.read_all(folder / "tau-bench"):
        yield list(run.steps)


def spans(folder: Path, name: str) -> Iterator[Run]:
    """The tool spans of an OTLP or Tempo export, one run a trace."""
    data = json.loads((folder / f"traces/otlp/{name}.json").read_text(encoding="utf-8"))
    runs: dict[str, Run] = {}
    for span in _objects(data, lambda item: "spanId" in item and "attributes" in item):
        values = {a["key"]: a["value"].get("stringValue") for a in span["attributes"]}
        if values.get("gen_ai.tool.name"):
            run = runs.setdefault(span["traceId"], [])
            run.append(_call(len(run), values))
    yield from runs.values()


def _call(index: int, values: dict[str, str | None]) -> otap.Step:
    arguments = values.get("gcp.vertex.agent.tool_call_args")
    return otap.Step(
        id=str(index),
        tool=values["gen_ai.tool.name"],
        arguments=json.loads(arguments) if arguments else None,
        effect=values.get("gcp.vertex.agent.tool_response"),
    )


def browser(folder: Path) -> Iterator[Run]:
    """The tool events of an Inspect log, one run a sample."""
    data = json.loads((folder / "traces/inspect/browser.json").read_text(encoding="utf-8"))
    for sample in data["samples"]:
        events = [event for event in sample["events"] if event["event"] == "tool"]
        yield [
            otap.Step(
                id=str(i), tool=e["function"], arguments=e["arguments"], effect=str(e["result"])
            )
            for i, e in enumerate(events)
        ]


def _objects(data: Any, wanted: Callable[[dict[str, Any]], bool]) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        if wanted(data):
            yield data
        for value in data.values():
            yield from _objects(value, wanted)
    elif isinstance(data, list):
        for value in data:
            yield from _objects(value, wanted)


# Without entropy the coupling matches the cheapest steps alone.
BY_COSTS: dict[str, Any] = {"epsilon": 0.0}


def unrelated_pairs(domains: list[list[Run]], field: str) -> list[tuple[Run, Run]]:
    """Pairs of runs of different domains, both of which record the field, evenly over domains."""
    rng = random.Random(0)
    usable = [[run for run in domain if _records(run, field)] for domain in domains]
    sides = list(itertools.combinations([domain for domain in usable if domain], 2))
    return [(rng.choice(a), rng.choice(b)) for a, b in sides for _ in range(PAIRS // len(sides))]


def _records(run: Run, field: str) -> bool:
    return any(getattr(step, field) not in (None, "", {}) for step in run)


def matched_cost(pairs: list[tuple[Run, Run]], field: str, encoder: str) -> np.ndarray:
    """For each pair the mean cost of what is matched, on this field alone."""
    weights = {**dict.fromkeys(EVERY_FIELD, 0.0), field: 1.0}
    config = otap.Config.preset("paper", weights=weights, paper=BY_COSTS)
    found = otap.Scorer(config, encoder=encoder).score_many(map(_cut, pairs))
    return np.array([costs_of_matched(score)[field] for score in found if score.mass is not None])


def costs_of_matched(score: otap.Score) -> dict[str, float]:
    """The mean cost of the steps that stand for each other, by field, by the mass that is moved.

    Of a score BY_COSTS against one reference, whose losses are (1 - theta) times weight, cost and
    mass.
    """
    moved = (1 - score.signature.theta) * (score.mass or 0.0)
    weights = {name: weight for name, weight in score.conditions.fields.items() if weight}
    return {name: getattr(score.losses, name) / (moved * weights[name]) for name in weights}


def skills(pairs: list[tuple[Run, Run]], encoder: str) -> np.ndarray:
    """The skill of each pair by the paper's metric: what the costs in use make of it."""
    paper = otap.Scorer(otap.Config.preset("paper"), encoder=encoder)
    found = paper.score_many(map(_cut, pairs))
    return np.array([score.skill for score in found if score.skill is not None])


def _cut(pair: tuple[Run, Run]) -> tuple[otap.Trajectory, otap.Trajectory]:
    one, other = (otap.Trajectory(steps=tuple(run[:MAX_STEPS])) for run in pair)
    return one, other


def main() -> None:
    """Prints a line a field: median, quartiles, number of pairs; then the skills they lead to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--encoder", default="wordllama")
    options = parser.parse_args()
    plans = [list(workflows(options.data, d)) for d in ("alfworld", "seal_tools", "toolbench")]
    calls = [
        list(airline(options.data)),
        [*spans(options.data, "helm"), *spans(options.data, "tempo_batches")],
        list(browser(options.data)),
    ]
    print(f"encoder {load_encoder(options.encoder).name}")
    for field in FIELDS:
        domains = plans if field == "action" else calls
        pairs = unrelated_pairs(domains, field.partition(":")[0])
        costs = matched_cost(pairs, field, options.encoder)
        low, middle, high = np.percentile(costs, [25, 50, 75])
        print(f"{field:15} {middle:.3f}  [{low:.3f}, {high:.3f}]  {len(costs)} pairs")
    for name, domains in (("plans", plans), ("calls", calls)):
        found = skills(
            unrelated_pairs(domains, "action" if name == "plans" else "effect"), options.encoder
        )
        if len(found):
            low, middle, high = np.percentile(found, [50, 90, 100])
            print(f"skill of {name}: median {low:.3f}, 90 % below {middle:.3f}, most {high:.3f}")


if __name__ == "__main__":
    main()
