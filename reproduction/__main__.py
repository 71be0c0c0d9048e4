"""`scripts/reproduce`: the paper's tables again, printed and written to RESULTS.md."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from otap import __version__
from otap.errors import EncoderError, OtapError
from reproduction.paper import report, runtime, vectors
from reproduction.paper.cell import Cell
from reproduction.paper.edges import edge_cells
from reproduction.paper.study import SEEDS, Found, Plan, jobs, study
from reproduction.paper.tables import Results, cells

FOLDER = Path(__file__).parent
DATA = FOLDER.parents[1] / "shared" / "data"
QUICK_TABLES = "one seed, kept vectors, no graph edit distance, ablations of one preset"


def main() -> int:
    """Runs the study; returns the exit code: 2, with one line, where it cannot be done."""
    options = _parser().parse_args()
    try:
        return _run(options)
    except (OtapError, OSError) as error:
        print(f"scripts/reproduce: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    kept = not options.keep_vectors and (options.quick or not vectors.installed())
    seeds = 1 if kept or options.keep_vectors else SEEDS
    plan = Plan(_data(), options.gaia, seeds, kept, slow=not options.quick)
    if plan.gaia and kept:
        raise EncoderError(
            "--gaia needs the paper's encoder, since no vectors of its texts are kept: "
            "scripts/setup minilm, and no --quick"
        )
    begin = perf_counter()
    found = _studied(plan)
    if options.keep_vectors:
        return _keep(found)
    timings = list(runtime.timings(plan))
    edges = edge_cells(plan.data / "worfbench")
    every = [*cells(Results(found)), *edges, *runtime.cells(timings)]
    about = _about(plan, found, perf_counter() - begin)
    page = report.markdown(every, about)
    print(page)
    if options.json:
        options.json.write_text(_listed(every) + "\n", encoding="utf-8")
    if not options.quick:
        _write(page, every, found, timings, about)
    return 0


def _data() -> Path:
    """The folder of the benchmarks' data.

    Raises:
        FileNotFoundError: where it is not there.
    """
    data = Path(os.environ.get("OTAP_REAL_DATA") or DATA)
    if not (data / "planbench").is_dir():
        raise FileNotFoundError(
            f"no data in {data}: set OTAP_REAL_DATA, or fetch it with "
            "python -m reproduction.corpora.data FOLDER"
        )
    return data


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/reproduce", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_TABLES}; writes no file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every cell, for a program")
    parser.add_argument(
        "--gaia", type=Path, metavar="FOLDER", help="GAIA's metadata.jsonl, as its users have it"
    )
    parser.add_argument(
        "--keep-vectors", action="store_true", help="writes vectors.npz with the encoder, no tables"
    )
    return parser


def _studied(plan: Plan) -> list[Found]:
    """The results, in the order of the jobs, with a bar on a terminal while they come."""
    from rich.console import Console
    from rich.progress import track

    order = {job: place for place, job in enumerate(jobs(plan))}
    console = Console(stderr=True)
    coming = track(
        study(plan), "studying", len(order), console=console, disable=not console.is_terminal
    )
    return sorted(coming, key=lambda one: order[one.benchmark, one.seed])


def _keep(found: Sequence[Found]) -> int:
    every = {text: row for one in found for text, row in (one.vectors or {}).items()}
    count = vectors.keep(every.items())
    print(f"{vectors.KEPT}: {count} vectors, {vectors.KEPT.stat().st_size / 1e6:.1f} MB")
    return 0


def _about(plan: Plan, found: Sequence[Found], seconds: float) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "version": __version__,
        "seconds": seconds,
        "processors": os.cpu_count(),
        "seeds": plan.seeds,
        "encoder": "kept vectors, half precision" if plan.kept else "all-MiniLM-L6-v2",
        "executable": [sum(one.executable[k] for one in found) for k in range(2)],
        "limited": sum(one.limited for one in found),
    }


def _listed(every: Sequence[Cell]) -> str:
    """All cells as JSON, one a line, so that a change of one is a line of a diff."""
    return "[\n" + ",\n".join(json.dumps(asdict(cell)) for cell in every) + "\n]"


def _write(
    page: str,
    every: Sequence[Cell],
    found: Sequence[Found],
    timings: Sequence[runtime.Timing],
    about: dict[str, Any],
) -> None:
    from reproduction.paper import figures

    (FOLDER / "RESULTS.md").write_text(page, encoding="utf-8")
    results = f'{{"about": {json.dumps(about)},\n"cells": {_listed(every)}}}\n'
    (FOLDER / "results.json").write_text(results, encoding="utf-8")
    figures.write(FOLDER / "figures", every, found, timings)


if __name__ == "__main__":
    sys.exit(main())
