"""The hand corpus holds what its schema and the tables promise."""

import re

import pytest

from otap.run import dependency_graph
from reproduction.corpora.hand_corpus import DOMAINS, FOLDER, TOOLS, files, tasks

FILES = list(files())
FIELDS = ("action", "arguments", "effect")


def said(wordings):
    return " | ".join(getattr(wording, field) for wording in wordings for field in FIELDS)


def has(text, phrase):
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)


def assert_same_work(old, new):
    """The new steps make all that the old ones made, and need nothing more."""
    gone, made = ({name for step in steps for name in step.produces} for steps in (old, new))
    assert gone <= made
    needed = {name for step in old for name in step.consumes} - gone
    assert all(set(step.consumes) <= needed | made for step in new)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.id)
class TestTask:
    """One file of the corpus."""

    def test_the_file_has_its_name(self, file):
        """What it is called in the tables is where it is found."""
        assert (FOLDER / f"{file.id}.toml").is_file()

    def test_everything_consumed_was_produced_before(self, file):
        """In the canonical order and in that of each reference; each artifact by one step."""
        makers = [name for step in file.steps for name in step.produces]
        assert len(makers) == len(set(makers))
        steps = {step.id: step for step in file.steps}
        for order in ([*steps], *(reference.order for reference in file.references)):
            assert sorted(order) == sorted(steps)
            there = set()
            for name in order:
                assert set(steps[name].consumes) <= there
                there |= set(steps[name].produces)

    def test_steps_depend_on_each_other(self, file):
        """At least one pair can be exchanged, and all but the first steps need something."""
        orders = {tuple(step.id for step in file.steps), *(r.order for r in file.references)}
        assert len(orders) >= 2
        assert sum(not step.consumes for step in file.steps) <= 2

    def test_references_differ_in_words(self, file):
        """Every step is told in other words, in its action and in most of its other fields."""
        for reference in file.references:
            assert set(reference.steps) == {step.id for step in file.steps}
            for step in file.steps:
                other = reference.steps[step.id]
                assert other.action != step.action
                assert sum(getattr(other, f) != getattr(step, f) for f in FIELDS) >= 2

    def test_the_lexicon_says_what_it_is(self, file):
        """Phrases are the canonical solution's; shared words a reference's, independent none's."""
        canonical = said(file.steps)
        others = said(wording for r in file.references for wording in r.steps.values())
        assert len(file.lexicon) >= 15
        for phrase, ways in file.lexicon.items():
            assert has(canonical, phrase), phrase
            for way in ways.shared:
                assert has(others, way), way
            for way in ways.independent:
                assert not has(others + canonical, way), way

    def test_the_lexicon_reaches_every_step(self, file):
        """A paraphrase rewords every step."""
        for step in file.steps:
            assert any(has(said([step]), phrase) for phrase in file.lexicon), step.id

    def test_other_granularities_do_the_same_work(self, file):
        """Two merges of dependent or parallel steps and a split, each into a chain."""
        steps = {step.id: step for step in file.steps}
        sizes = [(len(group.replaces), len(group.steps)) for group in file.regrouped]
        assert sorted(sizes) == [(1, 2), (2, 1), (2, 1)]
        for group in file.regrouped:
            assert_same_work([steps[old] for old in group.replaces], group.steps)
            if len(group.steps) == 2:
                assert set(group.steps[0].produces) & set(group.steps[1].consumes)

    def test_its_graph_is_that_of_its_artifacts(self, file):
        """The references come with dependencies."""
        task = next(task for task in tasks("shared") if task.name == file.id)
        graph = dependency_graph(task.references[0], "explicit")
        assert len(graph.edges) >= 5
        assert len(task.references) == 3


def test_the_corpus_is_whole():
    """Twenty tasks, half of them for reporting, of six domains, each domain in both halves."""
    assert len(FILES) == 20
    assert sum(file.half == "reporting" for file in FILES) == 10
    for half in ("development", "reporting"):
        assert {file.domain for file in FILES if file.half == half} == set(DOMAINS)


def test_every_tool_is_used():
    """The vocabulary has ten tools."""
    assert {step.tool for file in FILES for step in file.steps} == set(TOOLS)
