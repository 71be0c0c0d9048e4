"""What the study of grounding plants; false alarms and misses are rare on recorded runs."""

import random

import pytest

import otap
from examples.perturbation.flow import consumed
from otap.run.scalars import identifying_parts
from reproduction.corpora.hand_corpus import tasks
from reproduction.corpora.perturbed import benchmark
from reproduction.studies import grounding

IDENTIFIERS = ("identifier",)


@pytest.fixture(scope="module")
def runs(real_data):
    return list(otap.read_all(real_data / "tau-bench"))


@pytest.fixture(scope="module")
def told():
    return grounding.with_identifiers(benchmark("two", tasks("shared", "development")[:2], 0))


def test_few_arguments_of_good_runs_have_no_ground(runs):
    """The floor: at most 2 %."""
    good = [run for run in runs if run.outcome == 1]
    arguments = sum(1 for run in good for _ in grounding.arguments_of(run))
    found = sum(len(grounding.ungrounded(run)) for run in good)
    assert arguments > 300
    assert found <= 0.02 * arguments


def test_invented_identifiers_of_recorded_runs_are_found(runs):
    """Nearly all."""
    replaced = [hit for run in runs[:25] for _, hit in grounding.replacements(run, IDENTIFIERS)]
    assert len(replaced) > 100
    assert sum(replaced) >= 0.99 * len(replaced)


def test_calls_before_what_they_need_are_found(runs):
    """Most of them."""
    early = [
        hit for run in runs[:25] for kind, hit in grounding.early_calls(run) if kind in IDENTIFIERS
    ]
    assert len(early) > 50
    assert sum(early) >= 0.95 * len(early)


@pytest.mark.parametrize("value", ["HAT001", "QKRTDX", "2024-05-19", "247", "1.05"])
def test_what_is_invented_has_the_same_shape(value):
    """Another value of the same kind, that would be judged."""
    made = grounding.invented(value, random.Random(0))
    assert made != value
    assert len(made) == len(value)
    assert grounding.kind_of(made) == grounding.kind_of(value)
    assert identifying_parts(made)


def test_identifiers_flow_as_artifacts_do(told):
    """Each reference shows what its steps need before they need it."""
    for run in (run for references in told.references.values() for run in references):
        makers = {name for step in run.steps for name in step.effect["makes"]}
        needed = {name for step in run.steps for name in step.arguments["needs"]}
        assert needed <= makers
        assert any(consumed(step) for step in run.steps)


def test_an_inversion_uses_what_was_not_shown(told):
    """A step before the one that it needs."""
    inverted = [case.run for case in told.cases if case.family == "P4"]
    assert inverted
    assert all(
        any(one.shown_by is not None for one in grounding.ungrounded(run)) for run in inverted
    )


def test_the_same_artifact_has_the_same_identifier_in_run_and_reference(told):
    """Whichever way an edit names it."""
    for case in told.cases:
        if case.family in ("P0", "P1", "P2"):
            wanted = {
                n for step in told.references[case.task][0].steps for n in step.arguments["needs"]
            }
            assert {n for step in case.run.steps for n in step.arguments["needs"]} == wanted


def test_a_value_is_replaced_where_it_stands():
    """At its path, and nowhere else."""
    data = {"a": [{"b": 1}, {"b": 1}], "c": "x"}
    assert grounding.replaced_at(data, "a[1].b", "new") == {"a": [{"b": 1}, {"b": "new"}], "c": "x"}
    assert grounding.replaced_at(data, "c", "new")["c"] == "new"
