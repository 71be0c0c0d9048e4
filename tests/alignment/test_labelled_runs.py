"""Findings and counterparts of 30 real runs against what readers found in them."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import otap

LABELS = Path(__file__).parents[1] / "data" / "tau_bench" / "alignments.json"
FILE = ("tau-bench", "gpt-4o-airline.tasks-0-24.json")
KIND = {"changed_arguments": "arguments", "wrong_tool": "tool", "out_of_order": "reversed"}
Labelled = list[tuple[dict[str, Any], otap.Score]]


@pytest.fixture(scope="module")
def labelled(real_data: Path) -> Labelled:
    """Each labelled run and its score against the gold of its task."""
    path = real_data.joinpath(*FILE)
    runs = {run.id: run for run in otap.read_all(path)}
    gold = {one.task: one for one in otap.read_references(path)}
    labels = json.loads(LABELS.read_text("utf-8"))["runs"]
    pairs = [(runs[label["run"]], gold[label["run"].split("/")[0]]) for label in labels]
    return list(zip(labels, otap.Scorer().score_many(pairs), strict=True))


def key(kind: str, agent: tuple[int, ...], reference: tuple[int, ...]) -> tuple[Any, ...]:
    """What two findings must share to be the same: kind and steps, or the steps left over."""
    if kind == "missing":
        return kind, reference
    if kind in ("invented", "repeated"):
        return kind, agent[-1]
    return kind, agent, reference


def wanted(label: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The findings of the reader."""
    return {
        key(KIND.get(one["kind"], one["kind"]), tuple(one["agent"]), tuple(one["reference"]))
        for one in label["findings"]
    }


def found(score: otap.Score, theirs: set[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Our findings; step ids are the numbers of the calls.

    The readers had no word for a failure that nobody mended: such a call is left over, as invented
    or as repeated. They read calls alone, and not what was told.
    """
    ours = set()
    for one in (one for one in score.findings if one.kind != "missing_answer"):
        agent, reference = tuple(map(int, one.agent)), tuple(map(int, one.reference))
        words = ("invented", "repeated") if one.kind == "failed" else (one.kind,)
        keys = [key(word, agent, reference) for word in words]
        ours.add(next((named for named in keys if named in theirs), keys[0]))
    return ours


def test_findings_are_those_of_a_reader(labelled: Labelled) -> None:
    """Over all kinds at least .95 of our findings are right, and .95 of the reader's are found."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for label, score in labelled:
        theirs = wanted(label)
        ours = found(score, theirs)
        for one in ours | theirs:
            both = one in ours and one in theirs
            counts[one[0]]["right" if both else "extra" if one in ours else "lacking"] += 1
    for kind, count in sorted(counts.items()):
        print(f"{kind:10} {dict(count)}")
    total = sum(counts.values(), Counter())
    precision = total["right"] / (total["right"] + total["extra"])
    recall = total["right"] / (total["right"] + total["lacking"])
    print(f"precision {precision:.3f} recall {recall:.3f} of {len(labelled)} runs")
    assert len(labelled) == 30
    assert precision >= 0.95
    assert recall >= 0.95


def test_counterparts_are_those_of_a_reader(labelled: Labelled) -> None:
    """Of 51 labelled pairs at least 47 are counterparts, and nearly nothing else is."""
    right = extra = total = 0
    for label, score in labelled:
        pairs = {tuple(pair) for pair in label["pairs"]}
        ours = {
            (int(share.id), int(share.counterpart))
            for share in score.alignment.agent
            if share.counterpart is not None
        }
        right, extra, total = (
            right + len(ours & pairs),
            extra + len(ours - pairs),
            total + len(pairs),
        )
    print(f"{right} of {total} labelled pairs, {extra} others")
    assert total == 51
    assert right >= 47
    assert extra <= 3
