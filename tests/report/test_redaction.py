"""Stand-ins: what is equal stays equal, what says nothing of anybody stays."""

import hotel
import otap
from otap.report.model.alignment_rows import list_rows
from otap.report.redaction import Pseudonyms, Redactor


def test_equal_values_have_equal_stand_ins() -> None:
    """Whatever they are in; a number is the same number as a whole or with a point."""
    names = Pseudonyms()
    data = names.hide_value({"a": ["x", "y", "x", ""], "b": [1, 1.0, 2.5, True, None]})
    assert data == {
        "key #1": ["text #1", "text #2", "text #1", ""],
        "key #2": ["number #1", "number #1", "number #2", "yes or no #1", None],
    }
    assert [names.hide_text("x"), names.hide_text("1"), names.hide_text("z")] == [
        "text #1",
        "number #1",
        "text #3",
    ]


def test_names_of_arguments_stay_and_keys_of_data_do_not() -> None:
    """A key that no program would use as a name is data, too."""
    found = Pseudonyms().hide_arguments({"room_kind": {"Ann Smith": 1}, "ann@example.org": 2})
    assert found == {"room_kind": {"key #1": "number #1"}, "key #2": "number #2"}


def test_ids_of_steps() -> None:
    """Short numbers stay, and what a tool's name begins."""
    names = Pseudonyms()
    ids = [("3/1", None), ("book_room", "book_room"), ("book_room-2", "book_room"), ("call_x", "y")]
    assert [names.hide_step(*one) for one in ids] == ["3/1", "book_room", "book_room-2", "step #1"]
    assert names.hide_step("call_x") == "step #1"
    assert names.hide_name("task", "12345678") == "task #1"


def test_what_is_hidden_has_the_same_shape() -> None:
    """The same rows, relations and numbers; only what is said is another."""
    for name in hotel.NAMES:
        found = otap.Scorer().explain(hotel.run_of(name), [hotel.reference()])
        hidden = Redactor().redact(found)
        told = [(r.run, r.reference, r.relation, r.cost) for r in list_rows(found.best)]
        assert [(r.run, r.reference, r.relation, r.cost) for r in list_rows(hidden.best)] == told
        assert hidden.score.losses == found.score.losses
        kinds = [(one.kind, one.tools, one.severity) for one in found.score.findings]
        assert [(one.kind, one.tools, one.severity) for one in hidden.score.findings] == kinds
        assert len(hidden.best.run.graph.edges) == len(found.best.run.graph.edges)
