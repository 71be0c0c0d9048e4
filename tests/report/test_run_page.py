"""The page of one run, read as markup: what is there, that it is escaped, that it is bounded."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import hotel
import otap
from otap._numbers import loss_text, percent_text, score_text
from otap.report.model.alignment_report import describe_alignment, list_parts
from otap.report.model.alignment_rows import list_rows
from otap.report.pages.diagram import MAX_ROWS
from otap.report.pages.run_page import OF_OTHERS, ROWS, run_body, score_page, share_rows
from otap.scoring import Explanation
from otap.trajectory import parse_trajectory

SCORER = otap.Scorer()
HOSTILE = (
    '"><script>alert(1)</script><img src=x onerror=alert(2)>\' style="x" {{ 7 * 7 }} '
    "javascript:alert(3) \x1b[31m \u202e \u2028 ]]> --> </textarea></style>"
)


class Page(HTMLParser):
    """What a page consists of: its elements with their attributes, and all of its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(str(markup))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Leaves an element."""
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Notes text that a reader sees."""
        if not {"script", "style"} & {*self._inside}:
            self.text += data

    def values(self, name: str) -> list[str]:
        """All values of an attribute."""
        return [attributes[name] for _, attributes in self.elements if name in attributes]

    def of_class(self, name: str) -> list[dict[str, str]]:
        """The attributes of the elements of a class."""
        found = (attributes for _, attributes in self.elements)
        return [one for one in found if name in one.get("class", "").split()]


def explained(name: str) -> Explanation:
    """A run of the example beside its reference."""
    return SCORER.explain(hotel.run_of(name), hotel.reference())


def check(page: Page) -> None:
    """Whatever is shown: no id twice, no style or handler in an attribute, each link leads on."""
    ids = page.values("id")
    assert len(ids) == len({*ids})
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        assert tag not in ("img", "iframe", "object", "form", "textarea")
        href = attributes.get("href", "")
        if tag == "a":
            assert href.startswith("#")
            assert href[1:] in ids
    for name in ("aria-controls", "aria-labelledby"):
        assert {*page.values(name)} <= {*ids}


@pytest.mark.parametrize("name", hotel.NAMES)
def test_every_step_and_every_finding_is_there(name: str) -> None:
    """Each row can be opened, each step stands in its list, each finding is said."""
    found = explained(name)
    page = Page(score_page(found))
    check(page)
    listed = list_rows(found.best)
    assert len(page.of_class("row")) == len(listed)
    drawn = [one["title"] for one in (a for _, a in page.elements) if "title" in one]
    for step in (*found.best.run.steps, *found.best.reference.steps):
        assert any(title.startswith(f"{step.id} ") for title in drawn)
    for finding in found.score.findings:
        assert finding.sentence in page.text
    assert describe_alignment(found.best).headline in " ".join(page.text.split())


@pytest.mark.parametrize("name", ["missing_book", "inverted_filter"])
def test_numbers_are_those_of_all_views(name: str) -> None:
    """The score and its parts are written by the one place that writes numbers."""
    found = explained(name)
    page = Page(score_page(found))
    score = found.score
    for number in (score.score, score.skill, score.precision, score.recall):
        assert score_text(number) in page.text
    for part in list_parts(score, found.best.calculation):
        assert loss_text(part.loss) in page.text
        assert part.share is None or percent_text(part.share) in page.text
    for pair in found.best.details.values():
        assert score_text(pair.cost) in page.text


def test_the_same_run_says_so() -> None:
    """Nothing is found, nothing is lost."""
    page = Page(score_page(SCORER.explain(hotel.reference(), hotel.reference())))
    assert "the same as the reference" in page.text
    assert "Nothing critical or major was found." in page.text
    assert "Nothing is lost: the loss is 0.0000." in page.text


def test_values_that_differ_are_marked_where_they_stand() -> None:
    """Both values of the argument, and not those of others."""
    markup = run_body(SCORER.explain(hotel.other_value(), hotel.reference()))
    marked = re.findall(r"<mark>([^<]*)</mark>", markup)
    assert "4410" in "".join(marked)
    assert "4411" in "".join(marked)
    assert 'class="other"' in markup


def test_order_is_drawn_where_it_is_another() -> None:
    """The two steps that changed places have an arc of their own on both sides, and its words."""
    page = Page(run_body(explained("inverted_filter")))
    assert len(page.of_class("reversed")) == 2
    assert "out of order" in page.text


def test_several_runs_have_room_in_one_page() -> None:
    """Ids are told apart by their prefix."""
    both = run_body(explained("missing_book"), "a-") + run_body(explained("missing_book"), "b-")
    check(Page(both))


def test_each_reference_has_a_tab_the_best_first() -> None:
    """With the score against it alone; without script they stand below each other."""
    gold, other = hotel.reference(), hotel.run_of("unrelated")
    page = Page(score_page(SCORER.explain(hotel.run_of("missing_book"), [other, gold])))
    check(page)
    tabs = [one for _, one in page.elements if one.get("role") == "tab"]
    assert [tab["aria-selected"] for tab in tabs] == ["true", "false"]
    assert len(page.of_class("against")) == 2
    assert not [one for one in page.of_class("against") if "hidden" in one]


def hostile(text: str) -> otap.Trajectory:
    """A run whose every field is a text that wants to be more."""
    step = {
        "action": text, "tool": text, "arguments": {text: text, "list": [text, {text: 1}]},
        "effect": text, "state": {text: text}, "agent": text, "status": "error",
    }  # fmt: skip
    steps = [{**step, "id": f"{text}{k}"} for k in range(3)]
    steps[1]["depends_on"] = [f"{text}0"]
    return parse_trajectory(
        {"id": text, "task": text, "trial": text, "steps": steps, "messages_to_user": [text]}
    )


def test_whatever_a_trace_says_is_text() -> None:
    """Markup, escapes of terminals, marks of direction: seen, and never obeyed."""
    gold = hostile("fine").model_copy(update={"id": HOSTILE, "required_answers": (HOSTILE,)})
    markup = score_page(SCORER.explain(hostile(HOSTILE), [gold, hostile(HOSTILE + "x")]))
    page = Page(markup)
    check(page)
    assert len([tag for tag, _ in page.elements if tag == "script"]) == 1
    assert "<script>alert(1)</script>" in page.text
    assert not {*"\x1b\u202e\u2028"} & {*markup}
    assert r"\x1b[31m" in page.text


def test_long_texts_are_cut_and_say_so() -> None:
    """A field of a hundred thousand characters does not make a page of as many."""
    markup = run_body(SCORER.explain(hostile("long " * 20_000), hostile("short")))
    assert "more characters" in markup
    assert len(markup) < 300_000


def long(count: int) -> otap.Trajectory:
    """A run of many steps."""
    steps = [
        {"id": str(k), "tool": f"update_{k % 7}", "arguments": {"id": f"A{k:04d}"}, "effect": "ok"}
        for k in range(count)
    ]
    return parse_trajectory({"id": "long", "steps": steps})


def test_long_runs_are_drawn_in_part() -> None:
    """What departs is there first, and it is said how much is not."""
    gold = long(MAX_ROWS + 50)
    run = gold.model_copy(update={"steps": gold.steps[:-1]})
    page = Page(run_body(SCORER.explain(run, gold)))
    assert "50 rows with the smallest differences or none are not drawn" in page.text
    assert any(
        one["title"].startswith(f"{MAX_ROWS + 49} ") for _, one in page.elements if "title" in one
    )
    assert len(page.of_class("row")) == MAX_ROWS + 50


def test_there_is_room_for_so_many_rows() -> None:
    """The best reference has most of it."""
    assert share_rows([20, 20]) == [20, 20]
    assert share_rows([5000, 5000]) == [ROWS - OF_OTHERS, OF_OTHERS]
    assert share_rows([0]) == [0]


def test_a_side_without_steps_is_shown() -> None:
    """A run that did nothing has a page as any other."""
    page = Page(score_page(SCORER.explain(parse_trajectory({"steps": []}), hotel.reference())))
    check(page)
    assert len(page.of_class("row")) == len(hotel.reference().steps)


def test_what_does_not_count_is_shown_apart() -> None:
    """Steps that the settings leave out are named, and are in no row."""
    config = otap.Config.model_validate({"tools": {"ignore": ["weather_forecast"]}})
    found = otap.Scorer(config).explain(hotel.run_of("invented_steps"), hotel.reference())
    page = Page(run_body(found))
    assert "1 step of the run not scored" in page.text
    assert "weather_forecast" in page.text
    assert len(page.of_class("row")) == len(list_rows(found.best))


def test_of_many_values_those_that_differ_have_room() -> None:
    """How many more there are stands behind them."""
    arguments = {f"key{k}": k for k in range(100)}
    gold = {"id": "1", "tool": "pay", "arguments": arguments}
    run = {**gold, "arguments": {**arguments, "key99": 1}}
    sides = [parse_trajectory({"steps": [step]}) for step in (run, gold)]
    page = Page(run_body(SCORER.explain(*sides)))
    assert "key99" in page.text
    assert "40 more values" in page.text


def test_the_words_below_the_score_agree_with_the_findings() -> None:
    """A critical score is not close to the reference, and one with findings not the same."""
    scored = explained("missing_book").score
    near = scored.model_copy(update={"score": 0.87})
    words = Page(run_body(replace(explained("missing_book"), score=near))).text
    assert "close to the reference" not in words
    assert "a finding is critical" in words
    minor = scored.findings[0].model_copy(update={"severity": "minor"})
    full = scored.model_copy(update={"score": 1.0, "severity": "minor", "findings": (minor,)})
    words = Page(run_body(replace(explained("missing_book"), score=full))).text
    assert "the same as the reference" not in words.lower()
