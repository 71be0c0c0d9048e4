"""What plans drafted out of k good runs are worth, beside the runs themselves and process mining.

    OTAP_REAL_DATA=... python -m reproduction.studies.drafted_plans

Of each task of tau-bench the good runs are sources, k at a time, up to SETS of them; all its other
runs are judged, the good and the bad by the same sources. A run never judges itself. Both the
references and the drafts say that only changes count, as the benchmark judges. Process mining needs
pm4py, which is no dependency: its rows are left out without it.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path

import otap
from otap.config import Config
from otap.learning import draft_plan
from otap.trajectory import Trajectory

FILES = {
    "airline": ("tau-bench", "gpt-4o-airline.tasks-0-24.json"),
    "retail": ("tau-bench-retail", "tasks-0-49.json"),
}
SETS = 6  # of sources of one task
CONFIG = Config(only_changes=True, reference="required")
SCORER = otap.Scorer(CONFIG)
Judge = Callable[[Trajectory], tuple[float, bool]]  # a score, and whether something is critical


def by_references(sources: Sequence[Trajectory]) -> Judge:
    """The best of the sources."""

    def judge(run: Trajectory) -> tuple[float, bool]:
        found = SCORER.score(run, sources)
        return found.score, found.severity == "critical"

    return judge


def by_plan(sources: Sequence[Trajectory]) -> Judge:
    """The plan that is drafted out of them, as nobody edited it."""
    return by_references([draft_plan(sources, CONFIG).plan])


def by_miner(sources: Sequence[Trajectory]) -> Judge:
    """The share of an optimal alignment with the net of the inductive miner [Leemans2013]."""
    import pm4py  # no dependency: its licence is the AGPL

    net = pm4py.discover_petri_net_inductive(_log(sources))
    return lambda run: (_fitness(pm4py.fitness_alignments(_log([run]), *net)), False)


def by_skeleton(sources: Sequence[Trajectory]) -> Judge:
    """The share of the constraints of the log skeleton [Verbeek2018] that hold."""
    import pm4py  # no dependency: its licence is the AGPL

    skeleton = pm4py.discover_log_skeleton(_log(sources), noise_threshold=0.0)
    return lambda run: (
        float(pm4py.conformance_log_skeleton(_log([run]), skeleton)[0]["dev_fitness"]),
        False,
    )


METHODS: dict[str, Callable[[Sequence[Trajectory]], Judge]] = {
    "best of the runs": by_references,
    "drafted plan": by_plan,
    "inductive miner": by_miner,
    "log skeleton": by_skeleton,
}


def _fitness(found: dict[str, float]) -> float:
    return float(found.get("log_fitness", found.get("average_trace_fitness", 0.0)))


def _log(runs: Sequence[Trajectory]) -> object:
    """The changes of runs as events: a tool and its arguments are an activity."""
    import pandas as pd

    rows = []
    for case, run in enumerate(runs):
        roles = SCORER.score(run, run).conditions.inferred_roles
        calls = [
            f"{step.tool} {json.dumps(step.arguments, sort_keys=True)}"
            for step in run.steps
            if step.status != "error" and "writes" in roles.get(step.tool or "", ())
        ]
        # A trace without an event is none to a miner: all begin alike.
        for place, name in enumerate(["begin", *calls]):
            time = pd.Timestamp("2026-01-01") + pd.Timedelta(minutes=place)
            rows.append(
                {"case:concept:name": str(case), "concept:name": name, "time:timestamp": time}
            )
    return pd.DataFrame(rows)


def judged(
    runs: Sequence[Trajectory], k: int
) -> Iterator[tuple[list[Trajectory], list[Trajectory]]]:
    """The sets of sources of one task, each with the runs that it judges."""
    good = [run for run in runs if run.outcome == 1]
    for sources in islice(combinations(good, k), SETS):
        rest = [run for run in runs if all(run is not one for one in sources)]
        if rest:
            yield list(sources), rest


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """How often a good run is above a bad one, ties by half; NaN without either."""
    pairs = [(a > b) + (a == b) / 2 for a in good for b in bad]
    return sum(pairs) / len(pairs) if pairs else float("nan")


def rows(domain: str, k: int) -> Iterator[str]:
    """The rows of the table for one domain and one number of sources."""
    path = Path(os.environ["OTAP_REAL_DATA"], *FILES[domain])
    by_task: dict[str | None, list[Trajectory]] = defaultdict(list)
    for run in otap.read_all(path):
        by_task[run.task].append(run)
    sets = [one for runs in by_task.values() for one in judged(runs, k)]
    for name, method in METHODS.items() if sets else ():
        scores: dict[bool, list[float]] = {True: [], False: []}
        critical: dict[bool, list[bool]] = {True: [], False: []}
        try:
            for sources, rest in sets:
                judge = method(sources)
                for run in rest:
                    score, is_critical = judge(run)
                    scores[run.outcome == 1].append(score)
                    critical[run.outcome == 1].append(is_critical)
        except ImportError:
            continue
        counts = [100 * sum(one) / max(1, len(one)) for one in (critical[True], critical[False])]
        stops = "" if name.startswith(("ind", "log")) else f"{counts[0]:.0f} / {counts[1]:.0f}"
        among = f"{len(sets)}; {len(scores[True])} / {len(scores[False])}"
        yield (
            f"| {domain} | {k} | {among} | {name} |"
            f" {100 * auroc(scores[True], scores[False]):.1f} | {stops} |"
        )


def main() -> None:
    """Prints the table."""
    print("| domain | k | sets; good / bad runs | judged by | AUROC | critical on good / bad, % |")
    print("|---|---|---|---|---|---|")
    for domain in FILES:
        for k in (1, 2, 3):
            for row in rows(domain, k):
                print(row)


if __name__ == "__main__":
    main()
