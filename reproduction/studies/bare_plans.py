"""The oracle study with plans as bare calls: an operator and its objects, no effects, gold alone.

    python -m reproduction.studies.bare_plans ../shared/data [--half choose|report]

The 720 plans of twelve language models on PlanBench's Blocksworld, held against the one gold plan
of their instance. Nothing but calls is known on either side. The mean over models of the AUROC of
the verifier's label, and that over all plans; in brackets the 95 % interval of a bootstrap over
instances. ``--half``: of the instances, by their number, odd to choose by and even to report on.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

import otap
from otap.encoders import load_encoder
from reproduction.corpora import planbench
from reproduction.corpora.cases import Benchmark
from reproduction.paper.measures import Interval, interval_of, labelled_auroc
from reproduction.paper.otap_metrics import scores
from reproduction.paper.rows import cell, head, row
from reproduction.rivals import FIELD, PAPER, rivals

MODES = tuple(name for name in (*PAPER, *FIELD) if name != "graph edit")  # which takes minutes
HALVES = {"choose": (1,), "report": (0,), "all": (0, 1)}
SETTINGS: Mapping[str, otap.Config] = {
    "OTAP": otap.Config(),
    "OTAP, edges by conflicts": otap.Config(dependencies="conflicts"),
    "OTAP, no edges": otap.Config(dependencies="sequential", theta=0.0),
}


def bare(trajectory: otap.Trajectory) -> otap.Trajectory:
    """A plan as its notation has it: each step calls an operator with a list of objects."""
    steps = []
    for step in trajectory.steps:
        words = [str(word) for word in step.metadata["plan"]] or [""]
        steps.append({"id": step.id, "tool": words[0], "arguments": words[1:]})
    return otap.Trajectory.model_validate(
        {"id": trajectory.id, "task": trajectory.task, "steps": steps}
    )


def plans(data: Path, half: str = "all") -> Benchmark:
    """The plans of a half of the instances, against gold alone."""
    found = planbench.oracle(data / "planbench")
    parities = HALVES[half]
    wanted = {name for name in found.references if int(name.split("-")[1]) % 2 in parities}
    return replace(
        found,
        references={name: [bare(found.references[name][0])] for name in wanted},
        cases=[replace(case, run=bare(case.run)) for case in found.cases if case.task in wanted],
    )


def figures(made: Benchmark, found: list[float]) -> list[Interval]:
    """The AUROC of some scores: the mean over models, and over all plans."""
    values, tasks = np.array(found), [case.task for case in made.cases]
    valid = np.array([bool(case.valid) for case in made.cases])
    models = [case.variant for case in made.cases]
    return [
        interval_of([labelled_auroc(values, valid, tasks, groups)], len(set(tasks)))
        for groups in (models, None)
    ]


def lines(data: Path, half: str = "all") -> Iterator[str]:
    """The rows of a Markdown table: a metric, its figures."""
    encoder, made = load_encoder("wordllama"), plans(data, half)
    yield from head(("metric",), ("macro", "pooled"))
    for name, config in SETTINGS.items():
        yield _row(name, made, scores(made, config, encoder))
    metrics = rivals(encoder)
    for name in MODES:
        metric = metrics[name]
        yield _row(name, made, [metric(c.run, made.references[c.task]) for c in made.cases])


def _row(name: str, made: Benchmark, found: list[float]) -> str:
    return row((name,), [cell(figure, 1) for figure in figures(made, found)])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--half", choices=HALVES, default="all", help="of the instances")
    options = parser.parse_args()
    print(*lines(options.data, options.half), sep="\n")


if __name__ == "__main__":
    main()
