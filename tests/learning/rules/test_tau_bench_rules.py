"""On tau-bench no rule is found, and each kind says what it would take."""

from pathlib import Path

import otap
from otap.learning.rules import ends_runs, learned_rules
from otap.learning.runs import Sample, Scores, labelled, sample
from otap.scoring import Config

PART = 14  # tasks


def part(folder: Path) -> Sample:
    """The first tasks of the one file in a folder, against its gold."""
    [file] = folder.glob("*.json")
    found = sample(labelled(otap.read_all(file)), otap.read_references(file))
    return found.of(found.tasks[:PART])


def test_retail_teaches_no_rule(real_data: Path) -> None:
    """Good runs write what they should; what they do in one order no bad run does in another."""
    cases = part(real_data / "tau-bench-retail")
    found = {rule.kind: rule for rule in learned_rules(Scores(cases), cases.tasks, Config())}
    assert not any(rule.kept for rule in found.values())
    assert (
        "values that good runs write are those of their references" in found["arguments"].evidence
    )
    assert "12 are needed" in found["order"].evidence


def test_a_payment_of_airline_is_the_end_of_its_runs(real_data: Path) -> None:
    """It is only ever the last call, as the transfer to a person is: position says nothing."""
    ends = ends_runs(part(real_data / "tau-bench").cases)
    always = {tool for tool, (last, called) in ends.items() if last == called}
    assert {"send_certificate", "transfer_to_human_agents"} <= always
