"""The study of tau-bench's rewards by what counts: the same steps for every metric."""

from pathlib import Path

import pytest

import otap
from otap.encoders import load_encoder
from reproduction.corpora import tau_bench
from reproduction.studies.tau_bench_reward import (
    COUNTED,
    EXPERT,
    MODES,
    RETAIL,
    airline,
    domains,
    figures,
    filtered,
    lines,
    lines_by_what_counts,
    said_by_expert,
    same_task_pairs,
)


def test_the_expert_names_tools_that_there_are(real_data):
    """All of the airline's tools, but for those that change its database."""
    runs = otap.read_all(real_data / "tau-bench")
    called = {step.tool for run in runs for step in run.steps}
    tools = said_by_expert().tools
    writes = {tool for tool in called if tool.split("_")[0] in ("book", "cancel", "send", "update")}
    assert tools.left_out == called - writes
    assert not tools.weight


def test_rivals_see_the_steps_that_otap_compares(real_data):
    """Run by run, and reference by reference."""
    made, encoder = tau_bench.benchmark(real_data / "tau-bench"), load_encoder("wordllama")
    config = said_by_expert()
    same = filtered(made, config, encoder)
    scorer = otap.Scorer(config, encoder=encoder)
    for case, other in list(zip(made.cases, same.cases, strict=True))[:8]:
        result = scorer.score(case.run, made.references[case.task])
        left = [step.id for step in other.run.steps]
        every = [step.id for step in case.run.steps]
        assert sorted([*left, *result.left_out.agent]) == sorted(every)
        assert not {step.tool for step in other.run.steps} & config.tools.left_out
        if result.alignment.agent:
            assert [share.id for share in result.alignment.agent] == left


def test_the_tables_are_those_of_the_page(real_data):
    """Every figure of docs/agreement.md."""
    page = Path(__file__).parents[3].joinpath("docs", "agreement.md").read_text("utf-8")
    for found, rows in (
        (list(lines(real_data)), 1 + len(MODES)),
        (list(lines_by_what_counts(real_data)), 3 * (1 + len(COUNTED))),
    ):
        assert len(found) == 2 + rows
        assert [line for line in found if line not in page] == []


def test_a_file_is_a_row(real_data):
    """As the same settings are in the table by what counts."""
    *_, last = lines(real_data, configs=[EXPERT], names=[])
    assert f"| OTAP, {EXPERT} |" in last
    figures_of_airline = " | ".join(last.split(" | ")[1:4])
    assert any(figures_of_airline in line for line in lines_by_what_counts(real_data))


def test_halves_share_no_task(real_data):
    """What settings are chosen by and what is reported on; airline is only to choose by."""
    (air, chosen_by), (reported,) = (domains(real_data, half) for half in RETAIL)
    assert (air.name, chosen_by.name, reported.name) == ("airline", "retail", "retail")
    for domain, tasks in ((air, 25), (chosen_by, 25), (reported, 25)):
        assert {case.task for case in domain.runs.cases} == set(domain.runs.references)
        assert len(domain.runs.references) == tasks
        assert 0 < len(domain.part) < tasks
    assert not chosen_by.runs.references.keys() & reported.runs.references.keys()
    assert [same_task_pairs(domain.runs) for domain in (air, chosen_by)] == [35, 5]


def test_a_perfect_score_has_an_auroc_of_100(real_data):
    """And its opposite of 0, over all runs, pairs of one task, and a part of the tasks."""
    domain = airline(real_data)
    reward = [float(case.valid) for case in domain.runs.cases]
    for scores, expected in ((reward, 100), ([-one for one in reward], 0), ([0] * 100, 50)):
        found = [figure.value for figure in figures(domain, scores)]
        assert found == pytest.approx([expected] * len(domain.columns))


def test_pairs_of_one_task_count_alike(real_data):
    """By their definition: the pairs that are won, a tie counting half, of all pairs."""
    domain = airline(real_data)
    scores = [len(case.run.steps) for case in domain.runs.cases]
    scored = list(zip(domain.runs.cases, scores, strict=True))
    won = [
        (one > other) + 0.5 * (one == other)
        for case, one in scored
        for rival, other in scored
        if case.task == rival.task and case.valid and not rival.valid
    ]
    assert len(won) == same_task_pairs(domain.runs)
    assert figures(domain, scores)[1].value == pytest.approx(100 * sum(won) / len(won))
