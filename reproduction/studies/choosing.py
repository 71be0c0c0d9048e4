"""How the settings of the preset ``default`` were chosen: on some corpora, reported on others.

    python -m reproduction.studies.choosing

The protocol: to choose by are the ten development tasks of the hand corpus, WorFBench alfworld and
PlanBench's tasks of seed 1. To report on are the other ten tasks, WorFBench toolbench and
seal_tools, PlanBench's tasks of seed 0 and WebArena; they were scored once, after the choice.

The figures in choosing.json were measured under metric 2, with settings that the default has no
longer: relative mass, full wording, and a soft minimum over references. They are final. This makes
the tables and pictures of docs/choosing.md from them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.corpora import hand_corpus, planbench, salient, webarena, worfbench
from reproduction.corpora.cases import Benchmark
from reproduction.corpora.perturbed import benchmark, with_lexicon_references
from reproduction.paper.figures import COLOURS, STYLE
from reproduction.paper.measures import Interval
from reproduction.paper.rows import cell, head, row

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("choosing.json")
PAGE = ROOT / "docs" / "choosing.md"
FIRST = "as the paper has it, repaired"
# The graphs of traced corpora are guessed from words: a run is then asked for its order alone.
ORDERED = "default, order of the run alone"
CHOSEN = "**default**: weights"
# Each row changes one thing more than the row above.
STEPS = (
    FIRST,
    "+ precedence",
    "+ theta .45",
    "+ unions",
    "+ wording bounded",
    CHOSEN,
    ORDERED,
)
# Settings that were measured in addition to the choice, and left.
BESIDE = (
    *(
        f"precedence {p:g}, theta {theta:g}"
        for p in (0.0, 0.5, 0.75, 1.0)
        for theta in (0.35, 0.4, 0.45, 0.5)
    ),
    "lambda .5",
    "lambda .3",
    "kappa 0",
    "soft-min T .05",
    "weights .2 .3 .2 .3",
)
SHOWN = ("P1", "P2", "P3", "P4", "P5", "SEV", "AUROC", "rho", "rho damaged")
START, END = "<!-- {} -->\n", "<!-- end -->"


@dataclass(frozen=True)
class Row:
    """What one setting reaches on one corpus: (value, low, high) by measure, None where unknown."""

    half: str
    corpus: str
    setting: str
    measures: Mapping[str, tuple[float, float, float] | None]


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


def recorded() -> list[Row]:
    """The rows of choosing.json."""
    if not RECORD.exists():
        return []
    return [Row(**row) for row in json.loads(RECORD.read_text("utf-8"))]


def table(found: Sequence[Row], half: str, settings: Sequence[str]) -> str:
    """The rows of a half under some settings as a Markdown table."""
    rows = [
        row((one.corpus, one.setting), [_shown(one.measures[measure]) for measure in SHOWN])
        for one in found
        if one.half == half and one.setting in settings
    ]
    return "\n".join([*head(("corpus", "setting"), SHOWN), *rows, ""])


def _shown(figure: Sequence[float] | None) -> str:
    return "-" if figure is None else cell(Interval(*figure))


def page(text: str, found: Sequence[Row]) -> str:
    """The page with its tables made anew."""
    for name, half, settings in (
        ("development", "development", STEPS),
        ("beside", "development", BESIDE),
        ("reporting", "reporting", (FIRST, CHOSEN, ORDERED)),
    ):
        before, rest = text.split(START.format(name), 1)
        _, after = rest.split(END, 1)
        made = table(found, half, list(settings))
        text = before + START.format(name) + made + END + after
    return text


def draw(found: Sequence[Row], folder: Path) -> None:
    """Writes the two pictures as SVG."""
    for name, size, picture in (
        ("choosing-steps", (7, 3.4), _steps),
        ("choosing-trade", (5.4, 3.6), _trade),
    ):
        with rc_context(STYLE):
            figure = Figure(size, layout="constrained")
            axes = figure.subplots()
            picture(axes, [one for one in found if one.half == "development"])
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def _steps(axes: Axes, found: Sequence[Row]) -> None:
    """AUROC by corpus as the choice was made, step by step."""
    names = STEPS[:-1]
    for k, corpus in enumerate(dict.fromkeys(one.corpus for one in found)):
        of = {one.setting: one.measures["AUROC"] for one in found if one.corpus == corpus}
        values = np.array([of[name] for name in names], dtype=np.float64)
        axes.fill_between(
            range(len(names)), values[:, 1], values[:, 2], alpha=0.12, color=COLOURS[k]
        )
        axes.plot(values[:, 0], marker="o", label=corpus, color=COLOURS[k])
    labels = [name.replace("**", "").replace("default: ", "+ ") for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=20, ha="right")
    axes.set_ylabel("AUROC x 100")
    axes.set_title("Valid from broken runs, development half", loc="left")


def _trade(axes: Axes, found: Sequence[Row]) -> None:
    """Severity is the price: AUROC against SEV for each precedence, along theta."""
    hand = {one.setting: one.measures for one in found if one.corpus == "hand"}
    thetas = (0.35, 0.4, 0.45, 0.5)
    for k, p in enumerate((0.0, 0.5, 0.75, 1.0)):
        points = [hand[f"precedence {p:g}, theta {theta:g}"] for theta in thetas]
        pairs = np.array([[_value(one["SEV"]), _value(one["AUROC"])] for one in points])
        axes.plot(pairs[:, 0], pairs[:, 1], marker="o", color=COLOURS[k], label=f"precedence {p:g}")
        for theta, (x, y) in zip(thetas, pairs, strict=True):
            axes.annotate(
                f"{theta:g}", (x, y), xytext=(4, 3), textcoords="offset points", fontsize=6
            )
    axes.set_xlabel("SEV: a dropped or wrong step below an inversion, x 100")
    axes.set_ylabel("AUROC x 100")
    axes.set_title("Hand corpus: theta beside each point", loc="left")


def _value(figure: Sequence[float] | None) -> float:
    return float("nan") if figure is None else figure[0]


def main() -> None:
    """Makes the page and the pictures from the recorded figures."""
    rows = sorted(recorded(), key=lambda row: row.half)
    PAGE.write_text(page(PAGE.read_text("utf-8"), rows), encoding="utf-8")
    draw(rows, PAGE.parent)


if __name__ == "__main__":
    main()
