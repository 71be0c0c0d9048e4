"""Time against the number of steps, both axes logarithmic, every solver."""

from pathlib import Path

from benchmarks.figures import Figures
from benchmarks.sample import Sample

LABELS = {
    "otap": "OTAP, epsilon .05",
    "otap_exact": "OTAP, epsilon to 0",
    "pot_fugw": "POT, FUGW",
    "pot_cg": "conditional gradient of POT's parts",
    "numpy_cg": "conditional gradient in NumPy",
}


def write(figures: Figures, path: Path) -> None:
    """Writes the plot; equal figures give equal bytes."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "otap"
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for name, points in _lines(figures).items():
        sizes = sorted(points)
        medians = [points[n].median for n in sizes]
        spread = [[points[n].low for n in sizes], [points[n].high for n in sizes]]
        (line,) = axes.loglog(sizes, medians, marker="o", markersize=3, label=LABELS[name])
        axes.fill_between(sizes, *spread, alpha=0.2, color=line.get_color())
    axes.set(xlabel="steps a side", ylabel="seconds a pair, one thread")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    pyplot.savefig(path, metadata={"Date": None})
    pyplot.close()


def _lines(figures: Figures) -> dict[str, dict[int, Sample]]:
    """For each solver its times by number of steps."""
    lines: dict[str, dict[int, Sample]] = {name: {} for name in LABELS}
    for pair in figures.pairs:
        for name, sample in pair.seconds.items():
            lines[name][pair.n] = sample
    for n, sample in figures.growth.seconds.items():
        lines["otap"].setdefault(int(n), sample)
    return lines
