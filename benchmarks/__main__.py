"""`scripts/bench`: everything into RESULTS.md, `--quick --json` for a gate, `--many` for nights.

`--release` writes the figures that `--quick` compares with, before a release.
"""

import argparse
import json
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import figures, guard, nightly, plot, report

_FOLDER = Path(__file__).parent
# Below the 40 seconds that are promised: starting and building problems takes its part.
_QUICK_SECONDS = 36.0


def main() -> None:
    """Measures on one thread what is not said to use more."""
    arguments = _parser().parse_args()
    if arguments.many:
        print(json.dumps(nightly.measured(arguments.many), indent=1))
        return
    with threadpool_limits(1):
        if arguments.release:
            guard.write_release(guard.measure_scores())
        elif arguments.quick:
            _show(figures.quick(_QUICK_SECONDS), arguments.json)
        else:
            _write(figures.full())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few figures, in 40 seconds")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--release", action="store_true", help="the figures of a release, and stop")
    parser.add_argument("--many", type=int, metavar="N", help="so many runs, as JSON, and stop")
    return parser


def _show(found: dict[str, object], as_json: bool) -> None:
    print(json.dumps(found) if as_json else report.listed(found))


def _write(found: figures.Figures) -> None:
    (_FOLDER / "results.json").write_text(json.dumps(found.to_json(), indent=1) + "\n")
    (_FOLDER / "RESULTS.md").write_text(report.markdown(found))
    plot.write(found, _FOLDER / "time.svg")


if __name__ == "__main__":
    main()
