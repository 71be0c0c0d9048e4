"""Which task a run is of: what its file says of it, or what a user points to."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from otap.errors import NoReferenceError
from otap.scoring.selection import ReferenceIndex
from otap.tasks import (
    MAX_NAME,
    assign_tasks,
    list_groups,
    name_request,
    name_task,
    parse_rule,
)
from otap.trajectory import Source, Step, Trajectory

REFUND = "Please refund order 12 to my card"
MOVE = "Please send order 13 to 5 Elm Street"


def run(
    request: str | None = None, file: str = "runs/x.json", place: int = 0, **fields: Any
) -> Trajectory:
    """A run that made one call, read from a file."""
    said = () if request is None else (request,)
    source = Source(path=file, index=place, sha256="0")
    steps = (Step(id="1", tool="pay", arguments={"to": "A"}, effect="ok"),)
    return Trajectory(request=said, source=source, steps=steps, **fields)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"task": "a", "metadata": {"task": "b"}}, "a"),
        ({"metadata": {"task": "b", "session": "s"}, "request": REFUND}, "b"),
        ({"metadata": {"trace_metadata": {"case": 7}}, "request": REFUND}, "7"),
        ({"metadata": {"session": "s", "task": True}, "request": REFUND}, REFUND.lower()),
        ({"metadata": {"task": ["x"], "case": " "}}, "x"),
        ({}, None),
    ],
)
def test_where_tasks_mostly_stand(fields: Mapping[str, Any], name: str | None) -> None:
    """The file's own word, else one in the metadata, else the request; no session, which is new."""
    assert name_task(run(**fields)) == name


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("request", REFUND.lower()),
        ("id", "r-1"),
        ("metadata.a.b", "deep"),
        ("metadata.a.c", "own"),
        ("file", "refund-2"),
        ("file:*-2.json", "refund"),
        ("file:*/refund-2.json", "night1"),
        ("file:night1/([a-z]+)", "refund"),
        ("file:night1/(?:x)", "own"),
    ],
)
def test_a_rule(rule: str, name: str) -> None:
    """What it does not find is the file's own task."""
    data = {"a": {"b": "deep"}}
    one = run(REFUND, "runs/night1/refund-2.json", id="r-1", task="own", metadata=data)
    assert name_task(one, parse_rule(rule)) == name


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("session", "request, file, file:PATTERN, metadata.KEY or id"),
        ("metadata.", "request, file"),
        ("file:(", "no regular expression"),
        ("file:*/*.json", r"several \*"),
    ],
)
def test_no_rule(rule: str, why: str) -> None:
    """The error says what can be written."""
    with pytest.raises(ValueError, match=why):
        parse_rule(rule)


def test_the_name_of_a_request() -> None:
    """The first text, unless it is a greeting; a long one is cut, and still its own."""
    assert name_request([f" {REFUND}\n", "Yes"]) == REFUND.lower()
    assert name_request(["Hello", REFUND]) == f"hello {REFUND.lower()}"
    one, other = (name_request([f"{REFUND} {'now ' * 50}{end}"]) for end in "ab")
    assert one is not None
    assert other is not None
    assert one != other
    assert len(one) <= MAX_NAME
    assert name_request(["", " "]) is None


def test_a_number_at_the_end_of_a_file_counts() -> None:
    """It names nothing, and neither does a file of digits."""
    assert list_groups(run(file="a/refund-2.json")) == ["file refund"]
    assert list_groups(run(file="a/2026.json")) == []
    assert list_groups(run(file="C:\\a\\refund.otel.json")) == ["file refund"]


def found(one: Trajectory, *gold: Trajectory, rule: str | None = None) -> list[str | None]:
    """The ids of the references of a run."""
    index = ReferenceIndex(gold, (rule and parse_rule(rule)) or None)
    return [reference.id for reference in index.of_run(one).references]


def test_metadata_names_the_task_of_a_reference() -> None:
    """Of a session or a tag only where it tells some references from others."""
    gold = [run(id=name, metadata={"case": name, "tags": ["prod"]}) for name in "ab"]
    assert found(run(metadata={"task": "b", "tags": ["prod"]}), *gold) == ["b"]
    sessions = [run(id=name, metadata={"session": name}, file="g.json") for name in "ab"]
    assert found(run(metadata={"session": "b"}), *sessions) == ["b"]
    assert found(run(metadata={"session": "c"}), *sessions) == ["a", "b"]


def test_what_all_metadata_says_names_no_task() -> None:
    """Where the users ask for several things; else it is the name of the one task."""
    label = {"task": "support"}
    gold = [run(REFUND, id="refund", metadata=label), run(MOVE, id="move", metadata=label)]
    assert found(run(MOVE, metadata=label), *gold) == ["move"]
    with pytest.raises(NoReferenceError, match="no reference for its request"):
        found(run("What is the weather like in Oslo?", metadata=label), *gold)
    assert ReferenceIndex(gold).of_run(run(MOVE, metadata=label)).task == MOVE.lower()
    assert [one.task for one in assign_tasks(gold)] == [REFUND.lower(), MOVE.lower()]
    assert {one.task for one in assign_tasks([gold[0], gold[0]])} == {"support"}


def test_the_file_tells_where_nothing_else_does() -> None:
    """Not where both sides know what was asked for: that is then another task."""
    gold = [run(id=name, file=f"gold/{name}.json") for name in ("refund", "move")]
    assert found(run(file="night/move-3.json"), *gold) == ["move"]
    assert found(run(file="night/other.json"), *gold) == ["refund", "move"]
    asked = [
        run(REFUND, "gold/refund.json", id="refund"),
        run(MOVE, "gold/move.json", id="move"),
    ]
    assert found(run(file="night/move.json"), *asked) == ["move"]
    with pytest.raises(NoReferenceError, match="--task-from"):
        found(run("What is the weather like in Oslo?", "night/move.json"), *asked)


def test_no_run_is_judged_by_a_strangers_gold() -> None:
    """Where references hold several requests and none is the run's, it has no reference."""
    gold = [run(REFUND, id="refund"), run(MOVE, id="move")]
    assert found(run(MOVE.upper()), *gold) == ["move"]
    with pytest.raises(NoReferenceError, match="records no request"):
        found(run(), *gold)
    with pytest.raises(NoReferenceError, match="no reference for its request"):
        found(run("Please cancel order 14 altogether"), *gold)


def test_a_rule_comes_first() -> None:
    """Where it finds nothing on a run or in any reference, they are told apart as by default."""
    gold = [run(REFUND, "gold/refund.json", id="refund"), run(MOVE, "gold/move.json", id="move")]
    assert found(run(REFUND, "night/move.json"), *gold, rule="file") == ["move"]
    assert found(run(REFUND), *gold, rule="metadata.case") == ["refund"]
    named = [one.model_copy(update={"metadata": {"case": one.id}}) for one in gold]
    assert found(run(REFUND), *named, rule="metadata.case") == ["refund"]
    with pytest.raises(NoReferenceError, match="no reference of its task 'other'"):
        found(run(REFUND, metadata={"case": "other"}), *named, rule="metadata.case")


def test_names_of_runs() -> None:
    """What people read everywhere, and can type."""
    assert run(id="r", task="a", trial=1).name == "r"
    assert run(task="a", trial=1).name == "a/1"
    assert run().name == "runs/x.json"
    assert run(place=2).name == "runs/x.json#2"
    assert Trajectory(steps=()).name == "unnamed run"


def write(file: Path, one: Trajectory) -> None:
    """A run in a file of its own."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(one.model_copy(update={"source": None}).to_json(), "utf-8")


@pytest.fixture
def nights(tmp_path: Path) -> Path:
    """Gold of two tasks, and two nights with ids of their own; a refund of the second lacks."""
    for name, request in (("refund", REFUND), ("move", MOVE)):
        write(tmp_path / "gold" / f"{name}.json", run(request, id=name))
        for night in (1, 2):
            one = run(request, id=f"{name}{night * 7}")
            broken = one.model_copy(update={"steps": ()}) if night == 2 else one
            write(tmp_path / f"night{night}" / f"{name}.json", broken)
    return tmp_path


def test_nights_are_paired_by_task(nights: Path, otap_: Any) -> None:
    """Though ids are new each night; what told the tasks is shown, and the worst run is named."""
    for night in (1, 2):
        done = otap_("evaluate", nights / f"night{night}", "-r", nights / "gold", "-o", f"{night}")
        assert done.code == 0
        assert "tasks were determined by what the user asked for: 2 runs (use --task" in done.err
    assert "Worst runs" in done.out
    assert "refund14" in done.out
    lines = [json.loads(line) for line in Path("2").read_text("utf-8").splitlines()]
    assert sorted(line["task"] for line in lines) == sorted([REFUND.lower(), MOVE.lower()])
    compared = otap_("compare", "1", "2")
    assert "Tasks that moved: 2" in compared.out


def test_nights_without_tasks_are_paired_by_file(nights: Path, otap_: Any) -> None:
    """And where files are named otherwise too, both sides are named, and the option that mends."""
    for night in (1, 2):
        otap_("evaluate", nights / f"night{night}", "-r", nights / "gold", "-o", f"{night}")
        lines = [json.loads(line) for line in Path(f"{night}").read_text("utf-8").splitlines()]
        Path(f"{night}").write_text("".join(f"{json.dumps({**x, 'task': None})}\n" for x in lines))
    done = otap_("compare", "1", "2")
    assert "paired by file name" in done.out
    text = Path("2").read_text().replace("move.json", "m.json").replace("refund.json", "r.json")
    Path("2").write_text(text)
    done = otap_("compare", "1", "2")
    assert done.code == 3
    assert "no task is in both files: 1 has move7, refund7; 2 has move14, refund14" in done.out
    assert "--task-from" in done.out
    otap_("report", "2", "--base", "1", "-o", "page.html")
    assert "No task moved" not in Path("page.html").read_text("utf-8")


def test_outcomes_by_the_name_of_a_file(nights: Path, otap_: Any) -> None:
    """A name that no run has is answered with those that come nearest."""
    Path("how.csv").write_text("id,outcome\nrefund.json,good\nmove7,good\nmov7,bad\n")
    done = otap_("select", nights / "night1", "--outcomes", "how.csv", "-o", "picked")
    assert done.code == 0
    assert "no run is called 'mov7'; the nearest names are 'move7'" in done.err
    picked = [json.loads(file.read_text("utf-8")) for file in Path("picked").iterdir()]
    move = MOVE.lower().replace("5 elm street", "redacted-address-1")
    assert sorted(one["task"] for one in picked) == sorted([REFUND.lower(), move])


def test_a_rule_of_the_settings(nights: Path, otap_: Any) -> None:
    """One option, of the command line or the file."""
    Path("otap.toml").write_text('task_from = "file"\n')
    done = otap_("evaluate", nights / "night1", "-r", nights / "gold", "-o", "1")
    assert done.code == 0
    lines = [json.loads(line) for line in Path("1").read_text("utf-8").splitlines()]
    assert sorted(line["task"] for line in lines) == ["move", "refund"]
    done = otap_("evaluate", nights / "night1", "-r", nights / "gold", "--task-from", "session")
    assert done.code == 2
    assert "file:PATTERN" in done.err


def test_a_rule_that_finds_nothing(nights: Path, otap_: Any) -> None:
    """A key that no reference has decides nothing, and the command says so."""
    asked = ("evaluate", nights / "night1", "-r", nights / "gold", "-o")
    plain = otap_(*asked, "1.jsonl")
    ruled = otap_(*asked, "2.jsonl", "--task-from", "metadata.typo")
    assert ruled.code == plain.code
    assert "--task-from is ignored: no reference has a metadata.typo" in ruled.err
    assert Path("1.jsonl").read_text("utf-8") == Path("2.jsonl").read_text("utf-8")
