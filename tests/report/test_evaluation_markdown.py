"""Many results as Markdown, for the summary of a job."""

from otap.evaluation.results.run_result import Failure, Result
from otap.evaluation.results.summary import Summary
from otap.report.results import evaluation_markdown
from result_lines import finding, line

HOSTILE = "a|b`c`<img src=x>[x](http://e.x)\n# y @me #1 \x1b[31m\x00\u202e & **d** www.e.x"


def summary(tasks: int, name: str = "t", kinds: int = 1) -> Summary:
    """Some tasks, the later the better, all with as many findings."""
    made = Summary()
    found = [finding("missing", f"{name}{number:02}") for number in range(kinds)]
    for number in range(tasks):
        score = (number + 1) / tasks
        one = line(f"{name}{number}", score, findings=found, severity="critical")
        made.add(Result.model_validate(one))
    return made


def test_the_same_numbers_as_the_table() -> None:
    """Counts, what the gate says, why runs have no score, all in all, tasks, findings."""
    many = summary(2)
    many.add_failed("t9", Failure(kind="read", message="no JSON"))
    text = evaluation_markdown(many, ["the mean score is low"])
    assert text.startswith("### OTAP: 3 runs: 2 scored, 1 failed, 0 without a reference")
    order = (
        "- the mean",
        "- read: no JSON\n\n|",
        "| **all** | 3 | 2 | 0.750 ",
        "| t9 | 1 | 0 | - ",
    )
    order += (
        "| t0 | 1 | 1 | 0.500 ",
        "| t1 | 1 | 1 | 1.000 ",
        "| critical | t0/0 (",  # the name of its file follows
        "| critical | missing | t00 | 2 runs |",
    )
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_it_is_short() -> None:
    """Of many tasks and findings the worst are shown, and how many more there are; one is all."""
    text = evaluation_markdown(summary(40, kinds=12))
    assert "\n- and 25 more tasks (use --json to see all)\n" in text
    assert "\n- and 2 more findings (use --json to see all)\n" in text
    assert evaluation_markdown(summary(1)).count("\n| ") == 6


def test_nothing_at_all() -> None:
    """Of no results there is a table without numbers."""
    assert "| **all** | 0 | 0 | - |" in evaluation_markdown(Summary())


def test_nothing_of_a_trace_is_markup() -> None:
    """Control characters are shown as escapes; no tag, link, mention or table cell is made."""
    many = summary(2, HOSTILE)
    many.add_failed(None, Failure(kind="read", message=HOSTILE))
    text = evaluation_markdown(many, [HOSTILE])
    assert all(sign == "\n" or sign.isprintable() for sign in text)
    assert not any(sign in text for sign in ("<img", "](", "@me", " #1", "`", "://", "www."))
    assert {row.count("|") for row in text.splitlines() if row.startswith("| a")} == {10}
