"""Public runs with outcomes by OTAP and its rivals: the verdicts, and the figures of the page."""

from dataclasses import replace
from pathlib import Path

from otap.encoders import load_encoder
from reproduction.studies.evidence import (
    DataSet,
    compare,
    judge,
    read_data_sets,
    scores_by_metric,
    tabulate,
    write_parts,
)
from reproduction.studies.tau_bench_reward import MODES

DOCS = Path(__file__).parents[3] / "docs"


def sample(data_set: DataSet, count: int) -> DataSet:
    """The first runs of a data set."""
    runs = replace(data_set.runs, cases=data_set.runs.cases[:count])
    return replace(data_set, runs=runs, groups=data_set.groups[:count])


def column(page: Path, title: str) -> dict[str, str]:
    """The cells of a column of a table, by metric."""
    lines = page.read_text("utf-8").splitlines()
    start = next(index for index, line in enumerate(lines) if f"| {title}" in line)
    head = [cell.strip() for cell in lines[start].split("|")]
    place = next(index for index, cell in enumerate(head) if cell.startswith(title))
    cells = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        row = [cell.strip() for cell in line.split("|")]
        cells[row[1]] = row[place]
    return cells


def test_a_sample_is_scored_by_every_metric(real_data):
    """With the figures of the page, where the sample is a whole data set."""
    *_, planbench, tau2 = read_data_sets(real_data)
    encoder = load_encoder("wordllama")
    found = compare(tau2, scores_by_metric(tau2, encoder))
    table = list(tabulate({tau2.name: found}))
    assert len(table) == 2 + 1 + len(MODES)
    on_page = column(DOCS / "evidence.md", "tau2 airline, all pairs")
    assert {line.split(" | ")[0][2:]: line.split(" | ")[1][:-2] for line in table[2:]} == on_page
    some = sample(planbench, 30)
    scores = scores_by_metric(some, encoder, ["exact"])
    assert scores.keys() == {"OTAP", "exact"}
    assert all(0 <= score <= 1 for values in scores.values() for score in values)


def test_who_is_ahead(real_data):
    """Only whose interval of the paired difference leaves out 0."""
    airline, *_ = read_data_sets(real_data)
    outcome = [float(bool(case.valid)) for case in airline.runs.cases]
    chance = [index % 7 for index in range(len(outcome))]
    found = compare(
        airline,
        {"OTAP": chance, "same": chance, "right": outcome, "wrong": [-value for value in outcome]},
    )
    verdicts = {one.metric: one.verdict("all pairs") for one in found}
    assert verdicts == {"OTAP": "level", "same": "level", "right": "ahead", "wrong": "behind"}
    row = next(line for line in judge({"airline": found}) if "all pairs" in line)
    assert row == "| airline | all pairs | 2 of 4 | right | same |"


def test_two_pages_agree():
    """Airline and retail have the figures of docs/agreement.md."""
    pairs = {
        "tau-bench airline, all pairs": "airline, all runs",
        "tau-bench airline, same task": "airline, same task",
        "tau-bench retail, all pairs": "retail, all runs",
    }
    for here, there in pairs.items():
        assert column(DOCS / "evidence.md", here) == column(DOCS / "agreement.md", there)


def test_parts_of_a_page_are_replaced(tmp_path):
    """What is written by hand stays."""
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- /x -->\nb\n", "utf-8")
    for lines in (["new", "lines"], ["newer"]):
        write_parts({"x": lines}, page)
    assert page.read_text("utf-8") == "a\n<!-- x -->\nnewer\n<!-- /x -->\nb\n"
