"""The page of several runs of a task: a real table, hostile texts as text, small and quick."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import hotel
import otap
from otap.report.pages.task import task_body, task_page
from otap.scoring import Explanation
from otap.trajectory import Trajectory, parse_trajectory
from work import calls

SCORER = otap.Scorer()
HOSTILE = "</script><img src=x onerror=alert(1)>\"'{{7*7}}\u202e\u2028\x1b[31m&lt;"


class Reader(HTMLParser):
    """The elements of a page: names, attributes, and the text that is in none that hides it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Notes a text."""
        self.texts.append(data)

    def those(self, name: str, **wanted: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a name that have these."""
        return [a for tag, a in self.found if tag == name and wanted.items() <= a.items()]


def hotels() -> list[Explanation]:
    """The nine runs of the example."""
    return [SCORER.explain(hotel.run_of(one), hotel.reference()) for one in hotel.NAMES]


def data_of(page: str) -> dict[str, Any]:
    """What the script opens cells with."""
    (text,) = re.findall(r"data-task-calls>(.*?)</script>", page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_it_is_a_table_with_heads_for_rows_and_columns() -> None:
    """A row a run, and its first cell says which and how good it is."""
    page = task_page(hotels())
    read = Reader(page)
    assert len(read.those("th", scope="row")) == len(hotel.NAMES)
    rows, columns = len(hotel.NAMES), len(read.those("th", scope="col")) - 1
    assert len([a for a in read.those("td") if a.get("class") is None]) == rows * columns
    text = " ".join(" ".join(read.texts).split())
    assert "9 runs, 5 good. How the bad runs differ from the good runs:" in text
    assert "step 4 calls currency_converter instead of rank_hotels" in text
    assert page.count("⚑ first difference</span>") == 4


def test_every_cell_that_opens_has_what_it_opens_to() -> None:
    """And the calls and texts that it names are there."""
    page = task_page(hotels())
    data = data_of(page)
    buttons = {a["data-cell"] for a in Reader(page).those("button") if "data-cell" in a}
    assert buttons == set(data["cells"])
    for cell in data["cells"].values():
        for place in (*cell["run"], *cell["reference"]):
            *_, given, back = data["calls"][place]
            assert all(one is None or data["texts"][one] for one in (given, back))


def test_it_needs_nothing_that_its_policy_forbids() -> None:
    """No style or handler in an attribute, nothing from outside, ids with their prefix."""
    body = str(task_body(hotels(), prefix="t7-"))
    read = Reader(body)
    assert not [a for _, a in read.found if "style" in a or any(k.startswith("on") for k in a)]
    assert not [a for _, a in read.found if "src" in a or "href" in a]
    assert all(str(a["id"]).startswith("t7-") for _, a in read.found if "id" in a)


def test_a_run_leads_to_where_it_is_shown_alone() -> None:
    """Each to its own place, in whatever order the grid has them."""
    found = hotels()
    body = str(task_body(found, links=[f"#run-{one.score.id}" for one in found]))
    shown = re.findall(r'<a href="#run-([^"]+)">([^<]+)</a>', body)
    assert len(shown) == len(hotel.NAMES)
    assert all(link == name for link, name in shown)


def hostile() -> Trajectory:
    """A run of which every text is markup."""
    step = {"id": HOSTILE, "tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "effect": HOSTILE}
    long = {"id": "2", "tool": "x" * 100_000, "arguments": "y" * 100_000, "action": HOSTILE}
    given = {"id": HOSTILE, "task": HOSTILE, "steps": [step, long], "required_answers": [HOSTILE]}
    return parse_trajectory(given)


def test_hostile_texts_are_text() -> None:
    """They add no element, no direction mark, and no text of their length."""
    other = parse_trajectory({"id": "b", "task": HOSTILE, "steps": [{"id": "1", "tool": "a"}]})
    gold = hostile()
    page = task_page([SCORER.explain(one, gold) for one in (gold, other)])
    tags = {tag for tag, _ in Reader(page).found}
    assert "img" not in tags
    assert page.count("</script>") == 2
    assert not {"\u202e", "\u2028", "\x1b"} & {*page}
    assert "x" * 5000 not in page
    assert HOSTILE.split("\u202e")[0] in data_of(page)["texts"][1]
    assert len(page) < 60_000


def long_run(number: int) -> Trajectory:
    """A run of 40 steps, in which some do something else."""
    steps = [
        {
            "id": str(k),
            "tool": f"tool_{k % 7}" if (k + number) % 11 else f"other_{k}",
            "arguments": {"order": f"W{k}-{number % 5}", "note": "as the user said " * 5},
            "effect": {"state": "done", "items": [f"item {k} {number}"] * 4},
        }
        for k in range(40)
    ]
    return parse_trajectory(
        {"id": f"r{number}", "task": "t", "steps": steps, "outcome": number % 2}
    )


def test_fifty_runs_of_forty_steps_are_quick_and_small() -> None:
    """Work grows as the number of runs does, and the page can be mailed."""
    gold = long_run(0)
    ten = [SCORER.explain(long_run(number), gold) for number in range(10)]
    page = task_page(5 * ten)
    assert calls(lambda: task_page(5 * ten)) < 1.5 * 5 * calls(lambda: task_page(ten))
    assert len(page.encode()) < 1_500_000


def test_without_any_step_it_says_so() -> None:
    """A run that did nothing of a task in which nothing is to be done."""
    nothing = parse_trajectory({"id": "none", "steps": []})
    assert "Neither the runs nor the reference have a step" in task_page(
        [SCORER.explain(nothing, nothing)]
    )
