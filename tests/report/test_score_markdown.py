"""One score as Markdown: why first, then what differs, then the picture."""

import re

import pytest
from hypothesis import given
from mermaid_lines import check_flowchart

import hotel
import otap
from otap.report.flowcharts import quote_label
from otap.report.markdown import score_markdown
from strategies import trajectories

SCORER = otap.Scorer()
HOSTILE = (
    '```\n# h1 a|b`c`<img src=x onerror=x>[x](http://e.x) @me #1 \x1b[31m\x00\u202e"]:::x; end '
    "%%{init}%% </summary> www.e.x **d**"
)


def markdown(run: otap.Trajectory, *gold: otap.Trajectory) -> str:
    """The Markdown of a run against references."""
    return score_markdown(SCORER.explain(run, gold))


def chart(text: str) -> str:
    """The flowchart in it; there is one."""
    (found,) = re.findall(r"^```mermaid\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    return str(found)


def named(name: str) -> str:
    """The Markdown of a run of the example."""
    return markdown(hotel.run_of(name), hotel.reference())


def test_why_stands_before_the_numbers() -> None:
    """Score and severity, the worst finding, the row that differs, the rest in a sentence."""
    text = named("missing_book")
    parts = (
        "### OTAP: score 0.652, critical\n",
        "\n\n**book&#95;room is missing.**\n\n",
        "hotel-booking/missing&#95;book (5 steps) against hotel-booking/reference (6 steps).",
        "- **critical**: step book (book&#95;room) of the reference is missing",
        "| \u2212 missing | - | book book&#95;room | offer: of-9034, guest: Maria Duarte |",
        "All else is the same or differs slightly: 5 same.",
        "```mermaid\nflowchart LR\n",
        "| 0.652 | 0.613 | 1.000 | 0.756 |",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert '(["book book_room"]):::missing' in text
    assert '-.-x|"#8722; missing"|' in text


@pytest.mark.parametrize("name", hotel.NAMES)
def test_a_flowchart_has_every_step(name: str) -> None:
    """Each step of both sides is a node once; the lines are of our grammar."""
    found = chart(named(name))
    check_flowchart(found)
    for side, trajectory in (("run", hotel.run_of(name)), ("ref", hotel.reference())):
        for step in trajectory.steps:
            label = re.escape(f'"{step.id} {step.tool}')
            assert len(re.findall(rf"^ +{side}\d+\W+{label}", found, re.MULTILINE)) == 1


def test_what_is_another_value_stands_in_the_node() -> None:
    """And in the table; what is minor is folded away."""
    text = markdown(hotel.other_value(), hotel.reference())
    assert "<br/>hotels#91;#93; is rs-4410 instead of rs-4411" in chart(text)
    words = "≠ other values, &#42; lost link"
    assert f"| {words} | rank rank&#95;hotels | rank rank&#95;hotels | hotels&#91;" in text
    assert "<details><summary>2 minor findings</summary>" in text


def test_steps_that_matter_little_are_counted() -> None:
    """A long run keeps what differs and its neighbours; the rest is one node."""
    steps = [
        *(otap.Step(id=f"r{k}", tool="get_user", arguments={"id": k}) for k in range(30)),
        otap.Step(id="pay", tool="pay", arguments={"amount": 55}),
    ]
    gold = otap.Step(id="pay", tool="pay", arguments={"amount": 5})
    text = markdown(otap.Trajectory(steps=steps), otap.Trajectory(steps=(gold,)))
    assert "All else is the same or differs slightly: 30 extra (30 get&#95;user)." in text
    assert '["29 steps<br/>29 extra #40;29 get_user#41;"]' in chart(text)
    assert "amount is 55 instead of 5" in chart(text)
    check_flowchart(chart(text))


def test_findings_told_together_have_their_share() -> None:
    """What is one line for several calls says what they cost together, as the page does."""
    paid = [otap.Step(id=f"p{k}", tool="pay_bill", arguments={"bill": f"b{k}"}) for k in range(4)]
    text = markdown(otap.Trajectory(steps=[]), otap.Trajectory(steps=paid))
    (line,) = (line for line in text.splitlines() if line.startswith("- **critical**"))
    assert re.search(r"pay&#95;bill.* \(\d+ % of the loss\)$", line)


def test_many_differences_stay_bounded() -> None:
    """A comment has room for 65,536 characters; 400 steps that all differ fit well."""
    run, gold = (
        otap.Trajectory(
            steps=[
                otap.Step(id=f"{side}{k}" * 40, tool=side * 400, arguments={"x": HOSTILE * 20})
                for k in range(200)
            ]
        )
        for side in ("send_", "|`<")
    )
    text = markdown(run, gold)
    assert len(text) < 40_000
    assert " more rows." in text
    assert "more rows" in chart(text)


def test_what_mermaid_would_refuse_is_not_drawn() -> None:
    """It takes 50,000 characters; the longest labels of the longest entities fit."""
    run, gold = (
        otap.Trajectory(
            steps=[
                otap.Step(
                    id=f"{k}{chr(0x1F600) * 50}",
                    tool=f"pay{k}{chr(0x1F600) * 50}",
                    arguments={f"{name}{chr(0x1F600) * 40}": f"{side}{k}" for name in "abc"},
                )
                for k in range(40)
            ]
        )
        for side in ("x-1", "y-2")
    )
    text = markdown(run, gold)
    assert 10_000 < len(chart(text)) < 50_000
    assert len(text) < 65_536


def test_a_hostile_trace_is_text() -> None:
    """It ends no fence, table, list or label, and makes no link, mention or element."""
    steps = [
        otap.Step(
            id=f"{HOSTILE}{k}", tool=HOSTILE, action=HOSTILE, arguments={HOSTILE: f"{HOSTILE} {k}"}
        )
        for k in range(3)
    ]
    run = otap.Trajectory(id=HOSTILE, steps=steps[:2])
    gold = otap.Trajectory(id=HOSTILE, steps=steps[1:])
    text = markdown(run, gold)
    check_flowchart(chart(text))
    around = text.replace(chart(text), "")
    assert all(one == "\n" or one.isprintable() for one in text)
    assert set(re.findall(r"<(/?\w+)", around)) <= {
        "details", "summary", "/summary", "/details", "sub", "/sub",
    }  # fmt: skip
    assert around.count("```") == 2
    assert not re.search(r"http://|www\.|@me|\[x\]|#1\b", around)
    rows = [line for line in around.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {5}


@given(trajectories(), trajectories())
def test_every_pair_can_be_drawn(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """Whatever is compared with whatever."""
    check_flowchart(chart(markdown(run, gold)))


@pytest.mark.parametrize("dollars", ["$$", "$$$", "$$$$ x $$"])
def test_dollars_make_no_formula(dollars: str) -> None:
    """Mermaid reads two in a row as the beginning of one, even as entities; nor is an icon made."""
    label = quote_label(f"{dollars} fa:fa-car")
    assert "#36;#36;" not in label
    assert ":" not in label
