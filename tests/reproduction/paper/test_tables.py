"""RESULTS.md says what the study computes: two tables again, and the page from its own cells."""

import json
import re

import pytest

from reproduction.corpora.hand_corpus import tasks
from reproduction.corpora.perturbed import benchmark, with_lexicon_references
from reproduction.paper import report, study, tables
from reproduction.paper.cell import Cell
from reproduction.paper.claims import verdicts
from reproduction.paper.otap_metrics import ABLATIONS
from reproduction.paper.study import HAND, Plan
from reproduction.rivals import EMBEDDED, FIELD, PAPER

FOLDER = report.REMARKS.parents[1]
RESULTS = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def recorded():
    return [Cell(**{**cell, "seeds": tuple(cell["seeds"])}) for cell in RESULTS["cells"]]


def test_the_page_is_made_of_its_cells():
    """No number in it is written by hand."""
    page = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    assert page == report.markdown(recorded(), RESULTS["about"])


def test_two_tables_come_out_again(real_data):
    """Those of the hand corpus, seed 0, from kept vectors; half precision may turn a near tie."""
    plan = Plan(real_data, seeds=1, kept=True, slow=False, ablations=False, beside=False)
    found = study.found(plan, HAND, 0)
    again = tables.cells(tables.Results([found]))
    known = {(cell.table, cell.row, cell.column): cell for cell in recorded()}
    compared = 0
    for cell in again:
        if cell.table in ("validity", "ladder") and cell.ours is not None:
            before = known[cell.table, cell.row, cell.column]
            assert cell.paper == before.paper
            assert cell.ours == pytest.approx(before.seeds[0], abs=1.0 if cell.ours > 1.5 else 0.02)
            compared += 1
    assert compared == 6 * 7 + 6 * 5


def test_every_metric_scores_every_case(real_data, monkeypatch):
    """Under both presets; of rivals only those change that have an encoder."""
    small = benchmark(HAND, [with_lexicon_references(tasks("shared")[0])], 0)
    monkeypatch.setattr(study, "makers", lambda _: {HAND: lambda *_: small})
    found = study.found(Plan(real_data, seeds=1, kept=True, slow=False), HAND, 0)
    quick = {*PAPER, *FIELD} - {study.SLOW}
    ablations = [f"ablation: {row}" for row in ABLATIONS]
    assert set(found.paper) == {"OTAP", *quick, *ablations}
    assert set(found.default) == {"OTAP", *quick}
    for scores in (found.paper, found.default):
        assert {len(of_metric) for of_metric in scores.values()} == {len(small.cases)}
    changed = {row for row in quick if found.paper[row] != found.default[row]}
    assert changed == set(EMBEDDED)


def test_every_printed_number_has_its_cell():
    """The paper's tables are all there, in its order."""
    cells = {(cell.table, cell.row, cell.column): cell for cell in recorded()}
    for name, table in tables.printed().items():
        for row, values in table["rows"].items():
            for column, value in zip(table["columns"], values, strict=True):
                if name != "runtime" or (name, row, column) in cells:
                    assert cells[name, row, column].paper == value


def test_claims_are_judged_by_figures():
    """A claim holds, fails, or cannot be told; without figures none can be."""
    assert {one.verdict for one in verdicts(recorded())} <= {
        "holds", "does not hold", "cannot be told", "too close to tell",
    }  # fmt: skip
    assert {one.verdict for one in verdicts([])} == {"cannot be told"}
    best = [
        Cell("validity", row, "AUROC", None, value, None, None, None)
        for row, value in zip(tables.METRICS, (1, 2, 3, 4, 5, 90.0), strict=True)
    ]
    judged = {one.claim: one for one in verdicts(best)}
    claim = judged["OTAP has the highest AUROC on the hand corpus"]
    assert (claim.verdict, claim.figures) == ("holds", "OTAP 90.0, next Hungarian 5.0")


def test_the_papers_own_figures_bear_its_claims():
    """What is judged is what the paper says: fed with what it prints, every claim holds."""
    cells = [
        Cell(name, row, column, value, value, None, None, None)
        for name, table in tables.printed().items()
        for row, values in table["rows"].items()
        for column, value in zip(table["columns"], values, strict=True)
    ]
    failed = [(one.claim, one.figures) for one in verdicts(cells) if one.verdict != "holds"]
    assert not failed


def test_what_overlaps_is_too_close_to_tell():
    """Each figure inside the other's interval: no order can be claimed."""
    spread = [
        Cell("validity", row, "AUROC", None, value, value - 5, value + 5, None)
        for row, value in zip(tables.METRICS, (1, 2, 3, 4, 88.0, 90.0), strict=True)
    ]
    judged = {one.claim: one for one in verdicts(spread)}
    verdict = judged["OTAP has the highest AUROC on the hand corpus"].verdict
    assert verdict == "too close to tell"


def test_remarks_name_no_figure_that_is_not_in_the_tables():
    """Prose must not drift from what was computed: each decimal in it is in some cell."""
    prose = report.REMARKS.read_text(encoding="utf-8")
    shown = set()
    for cell in recorded():
        for value in (cell.paper, cell.ours, cell.low, cell.high, cell.default, *cell.seeds):
            if value is not None:
                shown |= {f"{value:.{digits}f}" for digits in (1, 2, 3)}
    for number in re.findall(r"\d+\.\d+", prose):
        assert number in shown, number


def test_a_missing_benchmark_leaves_a_dash():
    """GAIA is not shipped: the paper's number stands alone."""
    empty = tables.cells(tables.Results([]))
    assert all(cell.ours is None for cell in empty)
    assert "| 31.7 / - / - |" in report.markdown(empty, RESULTS["about"])
