"""What the rule engine derives from WebArena's intents, by hand and on all of them."""

import re
from itertools import pairwise

import pytest

from otap.run import dependency_graph
from reproduction.corpora.webarena import configurations, kind_of, plan, references, tasks
from reproduction.corpora.webarena_rules import (
    DETAILS,
    FIELDS,
    LEXICON,
    PLANS,
    RIGHT,
    SITES,
    STEPS,
    TOOLS,
)


def config(intent="Show me the price of the cheapest red kettle", sites=("shopping",), **changes):
    """An intent made up for these tests, in the fields that WebArena has."""
    return {
        "task_id": 1,
        "intent_template_id": 7,
        "sites": list(sites),
        "intent": intent,
        "instantiation_dict": {"product": "red kettle", "info": "price"},
        "eval": {"eval_types": ["string_match"], "reference_answers": {"exact_match": "24.90"}},
        **changes,
    }


def judged(*eval_types):
    return {"eval": {"eval_types": list(eval_types), "reference_answers": None}}


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "webarena"


@pytest.fixture(scope="module")
def known(folder):
    return configurations(folder)


@pytest.fixture(scope="module")
def drawn(folder):
    return tasks(folder)


def texts(step):
    return f"{step.action} | {step.arguments} | {step.effect}"


def has(text, phrase):
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)


def graph(trajectory):
    return {step.id: set(step.depends_on) for step in trajectory.steps}


def exchangeable(trajectory):
    """Whether two neighbours can change places: there are at least two linear extensions."""
    return any(one.id not in other.depends_on for one, other in pairwise(trajectory.steps))


def assert_sound(trajectory):
    """5 to 8 steps without a cycle, each after those that make what it consumes."""
    assert 5 <= len(trajectory.steps) <= 8
    assert len(dependency_graph(trajectory, "explicit").order) == len(trajectory.steps)
    there = set()
    for step in trajectory.steps:
        assert set(step.metadata["consumes"]) <= there
        assert there.isdisjoint(step.metadata["produces"])
        there |= set(step.metadata["produces"])


def said(wording):
    """All that the rules say in one wording, with blanks where an intent's words go."""
    told = [" | ".join(telling.said[wording]) for telling in STEPS.values()]
    found = [re.sub(r"\{\w+\}", "_", text) for text in told]
    found += [ways[wording] for ways in (RIGHT, DETAILS, *FIELDS)]
    for site in SITES.values():
        found.append(site.called[wording])
        for things in site.things:
            found += [ways[wording] for ways in (things.called, things.order, *things.facets)]
    return " | ".join(found)


class TestPlan:
    """One configuration by hand."""

    def test_steps_and_their_needs(self):
        """The two ways to narrow the results down need them, and not each other."""
        found = plan(config())
        assert [(step.id, step.tool) for step in found.steps] == [
            ("open", "open"), ("login", "login"), ("search", "search"), ("narrow", "filter"),
            ("sort", "sort"), ("read", "read"), ("answer", "answer"),
        ]  # fmt: skip
        assert [step.depends_on for step in found.steps] == [
            (), ("open",), ("login",), ("search",), ("search",), ("narrow", "sort"), ("read",),
        ]  # fmt: skip
        assert found.steps[5].metadata == {
            "produces": ["facts"],
            "consumes": ["filtered results", "sorted results"],
        }
        assert found.request == ("Show me the price of the cheapest red kettle",)

    def test_a_plan_in_words(self):
        """Site, things and values of the intent stand in the texts; so does the answer."""
        search, *_, read, answer = plan(config()).steps[2:]
        assert (search.action, search.arguments, search.effect) == (
            "Search the products on the One Stop Market shop for red kettle",
            "search words: red kettle",
            "products for red kettle are listed",
        )
        assert read.action.endswith("for red kettle and read the price")
        assert answer.arguments == "answer: 24.90"

    @pytest.mark.parametrize("kind", PLANS)
    def test_each_kind_can_be_reordered(self, kind):
        """Its steps are told, need only what comes before, and two of them can be exchanged."""
        rows = PLANS[kind]
        for place, needs in enumerate(rows.values()):
            assert set(needs) <= set([*rows][:place])
        assert {name.removesuffix("-elsewhere") for name in rows} <= set(STEPS)
        assert any(one not in rows[other] for one, other in pairwise(rows))

    def test_a_site_without_accounts(self):
        """No login; what needed it needs the open site."""
        found = plan(config("What is the zip code of Oslo", ("map",)))
        assert [step.id for step in found.steps][:2] == ["open", "search"]
        assert found.steps[1].depends_on == ("open",)

    def test_two_sites_are_parallel_branches(self):
        """The site that is only read and the one that is changed meet where the text is typed."""
        values = {"repo": "kettle-tools", "subreddit": "tea"}
        two = config(
            "Create a file in kettle-tools with the newest posts of tea",
            ("gitlab", "reddit"),
            instantiation_dict=values,
            **judged("program_html"),
        )
        found = graph(plan(two))
        assert found["read-elsewhere"] == {"search-elsewhere"}
        assert found["search-elsewhere"] == {"open-elsewhere"}
        assert found["login"] == {"open"}
        assert found["open"] == found["open-elsewhere"] == set()
        assert found["fill"] == {"read-elsewhere", "login"}
        steps = {step.id: step.action for step in plan(two).steps}
        assert "the GitLab site for kettle-tools" in steps["fill"]
        assert "the Reddit forums for tea" in steps["search-elsewhere"]

    def test_the_ends_of_a_way(self):
        """What stands after 'from' is the start, wherever it stands; else the first value."""
        values = {"place": "the harbour", "location": "Oslo Central", "information": "time"}
        found = plan(
            config(
                "Can the harbour be reached from Oslo Central on foot: what time does it take",
                ("map",),
                instantiation_dict=values,
            )
        )
        steps = {step.id: step for step in found.steps}
        assert steps["start"].arguments == "search words: Oslo Central"
        assert steps["goal"].arguments == "search words: the harbour"
        assert steps["route"].arguments == "from Oslo Central, to the harbour, on foot"
        assert steps["route"].action.endswith("and read the time")

    def test_an_intent_without_values(self):
        """Its own words are the target, without the request."""
        found = plan(config("Tell me the newest blue kettle?", instantiation_dict={}))
        assert all('"the newest blue kettle"' in step.action for step in found.steps)


@pytest.mark.parametrize(
    ("eval_types", "last", "before"),
    [
        (["string_match"], "answer", "read"),
        (["url_match"], "arrive", "page"),
        (["program_html"], "shown", "page"),
        (["url_match", "program_html"], "shown", "page"),
        (["string_match", "url_match"], "answer", "page"),
    ],
)
def test_how_a_plan_ends(eval_types, last, before):
    """By the type of evaluation: with an answer, on a page, or with what the page shows."""
    found = plan(config(**judged(*eval_types)))
    assert [step.id for step in found.steps][-2:] == [before, last]


@pytest.mark.parametrize(
    ("intent", "site", "kind"),
    [
        ("How many kettles did I buy", "shopping", "count"),
        ("What is the price range of kettles", "shopping", "compare"),
        ("Buy a kettle", "shopping", "buy"),
        ("Draft a complaint about the kettle", "shopping", "draft"),
        ("Which kettle whistles", "shopping", "lookup"),
        ("Cancel order 9", "shopping_admin", "delete"),
        ("Reduce the price of the kettle", "shopping_admin", "edit"),
        ("Open an issue about steam", "gitlab", "create"),
        ("Open my issues", "gitlab", "navigate"),
        ("Star the kettle project", "gitlab", "mark"),
        ("Ask for advice about kettles", "reddit", "post"),
        ("List the top post on tea", "reddit", "rank"),
        ("Where is the nearest kettle shop", "map", "compare"),
        ("How long does it take to walk from here to there", "map", "route"),
        ("Compare the routes from here to there", "map", "compare routes"),
    ],
)
def test_words_make_the_kind(intent, site, kind):
    """The first rule that fits."""
    assert kind_of(config(intent, (site,))) == kind


class TestReferences:
    """The other two references, by hand."""

    def test_same_steps_in_another_order(self):
        """The second has another order; all have the same graph."""
        canonical, second, third = references(config())
        assert graph(canonical) == graph(second) == graph(third)
        orders = [[step.id for step in one.steps] for one in (canonical, second, third)]
        assert orders[0] == orders[2] != orders[1]
        assert [step.tool for step in third.steps] == [step.tool for step in canonical.steps]

    def test_three_wordings(self):
        """Every step of every rule is told in three ways, in each of its fields."""
        for name, telling in STEPS.items():
            assert [len(way) for way in telling.said] == [3, 3, 3], name
            for field in zip(*telling.said, strict=True):
                assert len(set(field)) == 3, (name, field)

    def test_site_and_target_in_every_action(self):
        """Whatever the wording."""
        for wording, one in enumerate(references(config())):
            for step in one.steps:
                assert SITES["shopping"].called[wording] in step.action
                assert "red kettle" in step.action


def test_the_lexicon_says_what_no_reference_says():
    """Its phrases are those of the canonical wording, its ways to say them of no wording."""
    assert len(LEXICON) >= 60
    for phrase, ways in LEXICON.items():
        assert has(said(0), phrase), phrase
        for way in ways:
            assert not any(has(said(wording), way) for wording in range(3)), way


def test_every_tool_is_used():
    """The vocabulary has twelve."""
    names = "open login search filter sort read compare compute type submit verify answer"
    assert set(TOOLS) == set(names.split())


class TestAllConfigurations:
    """All 812 of WebArena."""

    def test_each_has_a_plan(self, known):
        """Sound, with more than one order, and ended as its evaluation wants it."""
        assert len(known) == 812
        for one in known:
            found = plan(one)
            assert_sound(found)
            assert exchangeable(found), found.name
            answered = "string_match" in one["eval"]["eval_types"]
            assert found.steps[-1].tool == ("answer" if answered else "verify")

    def test_references_have_one_graph(self, known):
        """The dependencies are the same by the ids of steps; order and words are not."""
        for one in known:
            canonical, *others = references(one)
            for other in others:
                assert_sound(other)
                assert graph(other) == graph(canonical)
                words = {step.id: step for step in other.steps}
                assert all(texts(words[step.id]) != texts(step) for step in canonical.steps)
            orders = [[step.id for step in other.steps] for other in (canonical, others[0])]
            assert orders[0] != orders[1]

    def test_how_many_are_of_each_kind(self, known):
        """Every kind occurs."""
        kinds = [kind_of(one) for one in known]
        assert set(kinds) == set(PLANS)
        assert kinds.count("lookup") < 812 / 5


class TestTasks:
    """Twenty-four tasks to be perturbed."""

    def test_they_are_of_different_templates(self, known, drawn):
        """Each is the first of its template."""
        first = {}
        for one in known:
            first.setdefault(one["intent_template_id"], f"webarena-{one['task_id']}")
        assert len(first) == 190
        assert len({task.name for task in drawn}) == 24
        assert {task.name for task in drawn} <= set(first.values())

    def test_every_site_has_a_share(self, known, drawn):
        """Single sites by their templates, and one task of each two sites that begin a template."""
        sites = {f"webarena-{one['task_id']}": tuple(one["sites"]) for one in known}
        found = [sites[task.name] for task in drawn]
        assert set(sites.values()) - set(found) == {("map", "shopping_admin")}
        counts = {one: found.count(one) for one in found}
        assert [counts[(one,)] for one in SITES if one != "wikipedia"] == [5, 4, 4, 2, 3]
        assert sum(len(one) == 2 for one in found) == 6

    def test_they_are_drawn_with_the_seed(self, folder, drawn):
        """Always the same by one seed, others by another; and as many as are wanted."""
        assert drawn == tasks(folder)
        names = [task.name for task in drawn]
        assert names != [task.name for task in tasks(folder, seed=1)]
        assert len(tasks(folder, count=3)) == 3

    def test_they_can_be_perturbed(self, drawn):
        """Three references, other orders, and words for a paraphrase of every step."""
        for task in drawn:
            assert len(task.references) == 3
            canonical = task.references[0]
            assert exchangeable(canonical)
            for step in canonical.steps:
                assert step.tool in task.tools
                assert any(has(texts(step), phrase) for phrase in task.lexicon), step.id

    def test_the_lexicon_is_that_of_the_task(self, drawn):
        """Its phrases occur in the canonical texts."""
        for task in drawn:
            canonical = " | ".join(texts(step) for step in task.references[0].steps)
            assert len(task.lexicon) >= 10
            assert all(has(canonical, phrase) for phrase in task.lexicon)

    def test_distractors_are_of_other_sites(self, known, drawn):
        """Six steps that need and make nothing, and speak of no site of the task."""
        sites = {f"webarena-{one['task_id']}": one["sites"] for one in known}
        for task in drawn:
            assert len({step.id for step in task.distractors}) == 6
            for step in task.distractors:
                assert step.metadata == {"produces": [], "consumes": []}
                assert not any(SITES[s].called[0] in step.action for s in sites[task.name])
