"""Settings of the preset ``default`` on the corpora that are there to choose by, as a table.

    python -m reproduction.choosing ../shared/data [--report]

The protocol: to choose by are the ten development tasks of the hand corpus, WorFBench alfworld and
PlanBench's tasks of seed 1; --report shows the other ten tasks, WorFBench toolbench and seal_tools,
PlanBench's tasks of seed 0 and WebArena, and is looked at once, when the choice is made.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import otap
from otap.encoders import load_encoder
from reproduction import hand_corpus, planbench, salient, webarena, worfbench
from reproduction.cases import Benchmark
from reproduction.measures import MEASURES, Interval, by_task, interval
from reproduction.otap_metrics import scores
from reproduction.perturbed import benchmark, with_lexicon_references

SETTINGS: Mapping[str, Mapping[str, object]] = {
    "hops (the default)": {},
    "half precedence": {"precedence": 0.5},
    "precedence": {"precedence": 1.0},
    "theta .5": {"theta": 0.5},
    "half precedence, theta .5": {"precedence": 0.5, "theta": 0.5},
    "precedence, theta .5": {"precedence": 1.0, "theta": 0.5},
    "precedence, theta .5, tool .5": {
        "precedence": 1.0,
        "theta": 0.5,
        "weights": {"action": 0.1, "arguments": 0.3, "effect": 0.1, "tool": 0.5},
    },
}
SHOWN = ("P1", "P3", "P4", "SEV", "AUROC", "rho")


def corpora(data: Path, half: str) -> Iterator[Benchmark]:
    """The corpora to choose by (half "development"), or to report on."""
    choosing = half == "development"
    shared = hand_corpus.tasks("shared", half)
    yield benchmark("hand", [with_lexicon_references(task) for task in shared], 0)
    yield benchmark("hand, written references", shared, 0)
    yield benchmark("PlanBench", planbench.tasks(data / "planbench", seed=int(choosing)), 0)
    for domain in ("alfworld",) if choosing else ("toolbench", "seal_tools"):
        tasks = worfbench.tasks(data / "worfbench", domain)
        yield benchmark(f"WorFBench {domain}", tasks, 0)
        yield benchmark(f"WorFBench {domain}, traced", tasks, 0, salient.traced)
    if not choosing:
        tasks = [with_lexicon_references(task) for task in webarena.tasks(data / "webarena")]
        yield benchmark("WebArena", tasks, 0)


def lines(data: Path, half: str) -> Iterator[str]:
    """The rows of a Markdown table: a corpus and a setting, each figure with its interval."""
    encoder = load_encoder("wordllama")
    yield f"| corpus | setting | {' | '.join(SHOWN)} |"
    yield "|---" * (len(SHOWN) + 2) + "|"
    for made in corpora(data, half):
        tasks = [case.task for case in made.cases]
        families = [case.family for case in made.cases]
        for name, changes in SETTINGS.items():
            config = otap.Config.preset("default", **changes)
            found = by_task(tasks, families, scores(made, config, encoder))
            cells = [_shown(interval(MEASURES[measure], [found])) for measure in SHOWN]
            yield f"| {made.name} | {name} | {' | '.join(cells)} |"


def _shown(figure: Interval) -> str:
    if figure.value != figure.value:
        return "-"
    digits = 2 if abs(figure.value) <= 1 else 0
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--report", action="store_true", help="the reporting half")
    options = parser.parse_args()
    for line in lines(options.data, "reporting" if options.report else "development"):
        print(line)


if __name__ == "__main__":
    main()
