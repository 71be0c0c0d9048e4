"""Nights: result files of the hotel example, and what a page of one holds."""

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import hotel
import otap
from otap.evaluation import ResultFile, Work, evaluate
from otap.evaluation.engines import local
from otap.evaluation.explaining import Explainer, TraceFinder, read_packed
from otap.report.pages.many import Base, ManyRunsPage
from otap.report.redaction import Redactor

NAMES = ("same", "missing_book", "invented_steps", "wrong_tool")


def runs_file(folder: Path, *names: str, task: str = "hotel") -> Path:
    """Runs of the example as lines, each another trial of one task."""
    path = folder / "runs.jsonl"
    runs = [hotel.run_of(name) for name in names]
    changed = [
        run.model_copy(update={"id": f"{name} {k}", "task": task, "trial": k, "source": None})
        for k, (name, run) in enumerate(zip(names, runs, strict=True))
    ]
    path.write_text("".join(run.to_json() + "\n" for run in changed), "utf-8")
    return path


def evaluated(
    out: Path,
    runs: Path,
    gold: otap.Trajectory | None = None,
    *,
    embed: bool = False,
    **settings: Any,
) -> Path:
    """A result file of runs against the example's reference, or another one."""
    work = Work(otap.Config(**settings), (hotel.reference() if gold is None else gold,))
    with ResultFile(out) as output:
        evaluate([str(runs)], replace(work, embed=embed), output, local.engine(1))
    return out


def page_of(
    results: Path, before: Base | None = None, redactor: Redactor | None = None
) -> ManyRunsPage:
    """The page of a result file."""
    lines = read_packed(results)
    traces = TraceFinder(results.parent, [line.result for line in lines])
    return many_page(lines, Explainer(lines[0].result.signature, traces), before, redactor)


def pieces_of(html: str) -> dict[str, str]:
    """What the rows of a page open to, by name."""
    found: dict[str, str] = {}
    for packed in re.findall(r'<script type="text/plain" id="pack-\d+">([^<]*)<', html):
        texts, pieces = json.loads(zlib.decompress(base64.b64decode(packed)))
        found |= {name: "".join(texts[k] for k in places) for name, places in pieces.items()}
    return found
