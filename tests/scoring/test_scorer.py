"""The record that a scorer returns: fields, conventions, signature, batches."""

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import hotel
import otap
from builders import run_of
from otap._version import __version__
from otap.errors import DependencyError, LimitError, NoReferenceError
from otap.scoring import Score
from otap.scoring import scorer as scorer_module

EMPTY = otap.Trajectory(steps=(), id="empty")


def test_the_record_survives_json(scorer: otap.Scorer) -> None:
    """What is written and read again is equal; absent is null."""
    for name in hotel.NAMES:
        result = scorer.score(hotel.run_of(name), hotel.reference())
        assert Score.model_validate_json(result.to_json()) == result
        assert result.to_json(indent=2).startswith('{\n  "schema_version": "otap.score/1"')
    assert json.loads(scorer.score(EMPTY, hotel.reference()).to_json())["mass"] is None


def test_the_record_names_run_and_references(scorer: otap.Scorer) -> None:
    """Id, task, trial and sources are those of the files."""
    run = hotel.run_of("missing_book").model_copy(update={"trial": 3})
    result = scorer.score(run, [hotel.run_of("wrong_tool"), hotel.reference()])
    assert (result.id, result.task, result.trial) == (run.id, "hotel-booking", 3)
    assert result.source == run.source
    assert [source.path for source in result.reference_sources] == [
        str(hotel.run_file("wrong_tool")), str(hotel.REFERENCE),
    ]  # fmt: skip
    assert result.best_reference == "hotel-booking/reference"
    assert [reference.id for reference in result.references] == [
        "hotel-booking/wrong_tool", "hotel-booking/reference",
    ]  # fmt: skip
    assert result.loss == result.references[1].loss < result.references[0].loss
    assert all(one.score == math.exp(-one.loss) for one in result.references)


def test_the_numbers_belong_together(scorer: otap.Scorer) -> None:
    """Score, f1 and precision follow from the other fields."""
    result = scorer.score(hotel.run_of("invented_steps"), hotel.reference())
    assert result.score == math.exp(-result.loss)
    assert result.precision is not None
    assert result.recall is not None
    harmonic = 2 * result.precision * result.recall / (result.precision + result.recall)
    assert result.f1 == pytest.approx(harmonic, abs=1e-15)
    assert result.mass == pytest.approx(sum(pair.mass for pair in result.alignment.pairs), abs=0.01)


def test_one_reference_or_a_list(scorer: otap.Scorer) -> None:
    """A single trajectory is a list of one; the front door is the default scorer."""
    run, gold = hotel.run_of("merged_filters"), hotel.reference()
    assert scorer.score(run, gold) == scorer.score(run, [gold]) == otap.score(run, gold)


def test_many_are_the_same_as_one_by_one(scorer: otap.Scorer) -> None:
    """Bit for bit, in any order, also with several references and with nothing to do."""
    runs = [hotel.run_of(name) for name in hotel.NAMES]
    pairs: list[tuple[otap.Trajectory, Sequence[otap.Trajectory]]] = [
        (run, [hotel.reference(), runs[3]]) for run in runs
    ]
    pairs += [(EMPTY, [hotel.reference()]), (runs[0], [EMPTY]), (EMPTY, [EMPTY])]
    alone = [scorer.score(run, gold) for run, gold in pairs]
    assert scorer.score_many(pairs) == alone
    assert scorer.score_many(iter(pairs[::-1])) == alone[::-1]
    assert scorer.score_many([]) == []


@pytest.mark.parametrize(("agent", "reference"), [(1.0, 1.0), (0.5, 2.0)])
def test_a_side_without_steps(agent: float, reference: float) -> None:
    """The mass of the other side is lost, in units of the reference's, and no skill."""
    scorer = otap.Scorer(
        otap.Config(lambda_agent=agent, lambda_reference=reference, recognise=False)
    )
    for run, gold, precision, recall in (
        (EMPTY, hotel.reference(), None, 0.0), (hotel.reference(), EMPTY, 0.0, None),
    ):  # fmt: skip
        result = scorer.score(run, gold)
        lost = (0.0, reference) if run is EMPTY else (len(run.steps) * agent, 0.0)
        assert result.loss == pytest.approx(sum(lost) + result.losses.critical, abs=1e-12)
        assert result.losses.total == pytest.approx(result.loss, abs=1e-12)
        assert (result.losses.extra_steps, result.losses.missing_steps) == pytest.approx(lost)
        assert result.skill is not None
        assert 0 <= result.skill < 1e-12
        assert (result.precision, result.recall) == (precision, recall)
        assert (result.f1, result.mass, result.converged) == (None, None, True)
        assert result.alignment.pairs == result.alignment.agent == result.alignment.reference == ()
        assert len(result.findings) == 6
        assert not result.conditions.order_scored


def test_doing_nothing_where_nothing_is_to_do(scorer: otap.Scorer) -> None:
    """Two empty trajectories score 1."""
    result = scorer.score(EMPTY, EMPTY)
    assert (result.score, result.skill, result.precision, result.recall) == (1.0, 1.0, 1.0, 1.0)
    assert result.findings == ()
    assert result.conditions.dependencies.run == "explicit"
    asked = otap.Scorer(otap.Config(dependencies="traced")).score(EMPTY, EMPTY)
    assert asked.conditions.dependencies.run == "traced"


def test_no_reference_is_an_error(scorer: otap.Scorer) -> None:
    """It names the run and what to pass."""
    with pytest.raises(NoReferenceError, match="empty: no reference to compare it with; pass at"):
        scorer.score(EMPTY, [])


def test_no_common_field_is_an_error(scorer: otap.Scorer) -> None:
    """Nothing to compare is not a score of 1."""
    effects = run_of({"effect": "x", "kind": "tool"}, id="e")
    actions = run_of({"action": "y", "kind": "tool"}, id="a")
    with pytest.raises(NoReferenceError, match="e and a have no field in common: of action, arg"):
        scorer.score(effects, actions)


def test_a_common_field_without_weight_is_none() -> None:
    """Only fields that count count."""
    weights = {"action": 0, "arguments": 0, "effect": 0, "tool": 0, "state": 1}
    with pytest.raises(NoReferenceError, match="have no field in common"):
        otap.Scorer(otap.Config(weights=weights)).score(hotel.reference(), hotel.reference())


def test_unobserved_fields_leave_the_rest_rescaled(scorer: otap.Scorer) -> None:
    """The fields that both sides record take part, their weights summing to 1."""
    thin = run_of({"tool": "a", "arguments": {"x": 1}}, {"tool": "b"})
    full = run_of({"tool": "a", "arguments": {"x": 1}, "effect": "done", "action": "Do it."})
    fields = scorer.score(thin, full).conditions.fields
    assert fields == {"arguments": pytest.approx(0.375), "tool": pytest.approx(0.625)}
    fields = scorer.score(full, full).conditions.fields
    assert list(fields) == ["action", "arguments", "effect", "tool"]
    assert fields["action"] == pytest.approx(0.1)


def test_a_hole_in_an_observed_field_counts_as_empty(scorer: otap.Scorer) -> None:
    """Leaving out one effect costs what another effect costs; leaving out none costs nothing."""
    told = run_of({"tool": "a", "effect": "done"}, {"tool": "b", "effect": "done"})
    hole = run_of({"tool": "a", "effect": "done"}, {"tool": "b"})
    assert scorer.score(hole, told).losses.effect > 0
    assert scorer.score(hole, hole).score == 1.0
    assert scorer.score(run_of({"tool": "a"}), told).losses.effect == 0


def test_the_paper_counts_unobserved_fields_as_empty() -> None:
    """Its weights are never rescaled; nothing against nothing costs nothing."""
    paper = otap.Scorer(otap.Config.preset("paper"), encoder="wordllama")
    thin = run_of({"tool": "a"})
    result = paper.score(thin, run_of({"tool": "a", "effect": "done"}))
    assert result.conditions.fields == {
        "action": pytest.approx(0.35), "arguments": pytest.approx(0.2),
        "effect": pytest.approx(0.25), "tool": pytest.approx(0.2),
    }  # fmt: skip
    assert result.losses.effect > 0.1
    assert result.losses.action == result.losses.arguments == 0


def test_runs_of_reasoning_alone_are_not_alike_for_calling_no_tool(scorer: otap.Scorer) -> None:
    """Where nobody calls a tool, the tool field says nothing."""
    thought = run_of({"action": "Think about rooms."})
    assert list(scorer.score(thought, thought).conditions.fields) == ["action"]


def test_substitutes_cost_their_fraction() -> None:
    """A declared substitute costs more than the same, and less than another tool."""
    run, gold = hotel.run_of("wrong_tool"), hotel.reference()
    pair = ["rank_hotels", "currency_converter"]
    another, substitute, same = (
        otap.Scorer(otap.Config(substitutes=groups, recognise=False)).score(run, gold)
        for groups in ([], [{"tools": pair, "distance": 0.3}], [{"tools": pair, "distance": 0}])
    )
    assert another.losses.tool > substitute.losses.tool > same.losses.tool == 0
    assert another.loss > substitute.loss > same.loss


def test_a_limit_on_steps(scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the run, its length and the limit."""
    monkeypatch.setattr("otap.alignment.problem.MAX_SCORED", 5)
    with pytest.raises(LimitError, match="hotel-booking/reference has 6 steps, above the limit of"):
        scorer.score(hotel.reference(), hotel.reference())


def test_a_limit_on_pairs_of_steps(scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    """All references of a run are held at once: the error names how many steps they have."""
    monkeypatch.setattr("otap.alignment.problem.MAX_PAIRS", 72)
    run = hotel.reference()
    assert scorer.score(run, [run, run]).score == 1.0
    with pytest.raises(LimitError, match="6 steps and its references 18, together above the limit"):
        scorer.score(run, [run, run, run])


def test_dependencies_that_are_not_to_be_had() -> None:
    """The mechanism asked for is used or it is an error."""
    scorer = otap.Scorer(otap.Config(dependencies="explicit"))
    with pytest.raises(DependencyError, match="not every step records depends_on"):
        scorer.score(hotel.reference(), hotel.reference())


def test_unknown_order_is_not_scored_unless_asked(scorer: otap.Scorer) -> None:
    """Without effects nothing can be traced: listing order counts only if the user says so."""
    forth = run_of({"tool": "a"}, {"tool": "b"}, {"tool": "c"})
    back = run_of({"tool": "c"}, {"tool": "b"}, {"tool": "a"})
    result = scorer.score(back, forth)
    assert (result.score, result.conditions.order_scored) == (1.0, False)
    assert "order not scored" in str(result.conditions)
    assert result.order_agreement == 0.0
    assert scorer.score(forth, forth).order_agreement == 1.0
    strict = otap.Scorer(otap.Config(dependencies="sequential")).score(back, forth)
    assert strict.score < 0.9
    assert strict.conditions.order_scored
    assert strict.order_agreement is None
    flat = otap.Scorer(otap.Config(dependencies="sequential", theta=0)).score(back, forth)
    assert not flat.conditions.order_scored


def test_declared_goals_count_without_known_order(scorer: otap.Scorer) -> None:
    """A goal is critical whatever is known of the rest, and even where it only looks."""
    gold = run_of({"tool": "get_a"}, {"tool": "get_b"}, metadata={"goals": ["2"]})
    lost_goal = scorer.score(run_of({"tool": "get_a"}), gold)
    assert [finding.severity for finding in lost_goal.findings] == ["critical"]
    lost_other = scorer.score(run_of({"tool": "get_b"}), gold)
    assert [finding.severity for finding in lost_other.findings] == ["critical"]
    assert lost_goal.loss > lost_other.loss


def test_precedence_sees_what_hops_do_not() -> None:
    """Two neighbours of a chain exchanged: in hops that is the less, the longer the chain."""
    tools = [f"t{k}" for k in range(12)]
    swapped = [*tools[:5], tools[6], tools[5], *tools[7:]]
    gold, run = (run_of(*({"tool": tool} for tool in order)) for order in (tools, swapped))
    losses = []
    for precedence, told in (
        (0.0, "D:hops"),
        (0.5, "D:hops+0.5*precedence"),
        (1.0, "D:precedence"),
    ):
        config = otap.Config(precedence=precedence, dependencies="sequential")
        result = otap.Scorer(config).score(run, gold)
        assert told in str(result.signature)
        assert otap.Scorer(config).score(gold, gold.model_copy()).score == 1
        losses.append(result.loss - result.losses.critical)
    assert 3 * losses[0] < losses[1] < losses[2]


def test_the_signature_says_how_the_number_was_made(scorer: otap.Scorer) -> None:
    """Preset, fields, dependencies, encoder with its digest and window, solver, version."""
    result = scorer.score(hotel.run_of("same"), hotel.reference())
    signature, conditions = result.signature, result.conditions
    assert (signature.metric, signature.version, signature.preset) == (12, __version__, "default")
    assert signature.encoder == "wordllama-l2_supercat-256"
    assert signature.encoder_digest is not None
    assert len(signature.encoder_digest) == 16
    assert signature.encoder_window == 1024
    assert (conditions.dependencies.run, conditions.dependencies.reference) == ("traced", "traced")
    text = str(signature)
    assert text.startswith("OTAP|default|metric:12|D:precedence|")
    assert text.endswith(f"|v{__version__}|{signature.digest}")
    written = hashlib.sha256(signature.model_dump_json().encode()).hexdigest()
    assert signature.digest == written[:8]


@pytest.mark.parametrize(
    "changes",
    [
        {"theta": 0.3}, {"lambda_agent": 2}, {"lambda_reference": 2}, {"kappa": 0},
        {"contraction": False}, {"precedence": 0.5}, {"weights": {"action": 1}},
        {"recognise": False}, {"counts": {"reads": 0.5}}, {"reference": "required"},
        {"only_changes": True},
        {"weights": {"effect": 0}}, {"dependencies": "sequential"},
        {"substitutes": [{"tools": ["a", "b"]}]},
    ],
    ids=str,
)  # fmt: skip
def test_signatures_differ_where_settings_do(scorer: otap.Scorer, changes: dict[str, Any]) -> None:
    """Whatever a number depends on changes the signature."""
    run, gold = hotel.run_of("same"), hotel.reference()
    plain = scorer.score(run, gold).signature
    other = otap.Scorer(otap.Config(**changes)).score(run, gold).signature
    assert other != plain
    assert other.digest != plain.digest


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 0.01}, {"temperature": 0.1},
        {"unrelated_cost": dict.fromkeys(("action", "arguments", "effect", "tool"), 0.5)},
    ],
    ids=str,
)  # fmt: skip
def test_signatures_of_the_paper_differ_where_its_settings_do(changes: dict[str, Any]) -> None:
    """The settings that only the paper's metric has are in the signature too."""
    run, gold = hotel.run_of("same"), hotel.reference()
    plain, other = (
        otap.Scorer(otap.Config.preset("paper", paper=table), encoder="wordllama")
        for table in ({}, changes)
    )
    assert plain.score(run, gold).signature.digest != other.score(run, gold).signature.digest


def test_signatures_are_equal_where_settings_are(scorer: otap.Scorer) -> None:
    """The run does not matter; nor does the order in which substitutes are listed."""
    gold = hotel.reference()
    found = {scorer.score(hotel.run_of(name), gold).signature.digest for name in hotel.NAMES}
    assert len(found) == 1
    groups = [{"tools": ["a", "b"]}, {"tools": ["c", "d"], "distance": 0.1}]
    turned = [{"tools": ["d", "c"], "distance": 0.1}, {"tools": ["b", "a"]}]
    one, other = (
        otap.Scorer(otap.Config(substitutes=listed)).score(gold, gold).signature
        for listed in (groups, turned)
    )
    assert one == other


def letters(texts: list[str]) -> np.ndarray:
    """How often each letter occurs, as the poorest of encoders."""
    return np.array([[1 + text.lower().count(c) for c in "aeioustn"] for text in texts])


def test_any_callable_encodes() -> None:
    """It is named in the signature; the paper's metric has no skill without measured costs."""
    scorer = otap.Scorer(otap.Config.preset("paper"), encoder=letters)
    result = scorer.score(hotel.run_of("paraphrased"), hotel.reference())
    assert result.signature.encoder.endswith("test_scorer.letters")
    assert result.signature.encoder_digest is None
    assert result.signature.unrelated_cost is None
    assert result.skill is None
    assert 0 < result.score < 1


def test_a_batch_with_one_bad_pair(scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The errors take the places of the scores if they are asked for; else the first is raised."""
    reference = hotel.reference()
    pairs: list[Any] = [
        (hotel.run_of("wrong_tool"), reference),
        (hotel.run_of("missing_book"), []),
        (hotel.run_of("invented_steps"), reference),
        (hotel.run_of("missing_book"), reference),
    ]
    with pytest.raises(NoReferenceError):
        scorer.score_many(pairs)
    usual = scorer_module.assemble_score

    def assemble(comparisons: Any, *arguments: Any) -> Score:
        if comparisons.run.id == hotel.run_of("invented_steps").id:
            raise ZeroDivisionError("odd")
        return usual(comparisons, *arguments)

    monkeypatch.setattr(scorer_module, "assemble_score", assemble)
    first, second, third, fourth = scorer.score_many(pairs, return_errors=True)
    assert isinstance(second, NoReferenceError)
    assert isinstance(third, ZeroDivisionError)
    monkeypatch.undo()
    assert [first, fourth] == [scorer.score(*pairs[0]), scorer.score(*pairs[3])]
