"""The judge of hosts: the order of references, its verdicts, and errors that are never a score."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

import otap
from hosts.recipes import PAGE
from hotel import REFERENCE, run_file, run_of
from otap.judge import Judge
from test_documentation import ROOT, blocks

LOOK_UP = {"name": "get_order", "args": {"id": "W1"}}
REFUND = {"name": "refund", "args": {"id": "W1", "amount": 20}}
WRONG = {"name": "refund", "args": {"id": "W1", "amount": 200}}
GOLD = [LOOK_UP, REFUND]


def test_a_good_run_passes_and_a_wrong_write_is_below_a_missing_one() -> None:
    """The four verdicts that every host relies on."""
    judge = Judge(GOLD)
    good, missing, wrong = judge(GOLD), judge([LOOK_UP]), judge([LOOK_UP, WRONG])
    assert (good.score, good.passed, good.findings, good.reasons) == (1, True, (), ())
    assert missing.passed is wrong.passed is False
    assert missing.score is not None
    assert wrong.score is not None
    assert wrong.score <= missing.score < 0.9
    assert wrong.findings[0].startswith("critical arguments: ")
    assert str(wrong).splitlines()[0] == f"score {wrong.score:.3f}: {wrong.headline}"
    assert wrong.result == otap.score([LOOK_UP, WRONG], GOLD)


UNREADABLE = [None, 3, "", "done", "[1", "{}", [], {}, {"answer": "done"}, object(), "3"]


@pytest.mark.parametrize("run", UNREADABLE, ids=range(len(UNREADABLE)))
def test_an_unreadable_run_is_unscored(run: Any) -> None:
    """Neither 0 nor an exception, and the reason is one line."""
    verdict = Judge(GOLD)(run)
    assert (verdict.score, verdict.passed, verdict.result) == (None, None, None)
    assert verdict.unscored
    assert "\n" not in verdict.unscored
    assert str(verdict) == f"unscored: {verdict.unscored}"


def test_a_run_that_was_not_understood_is_unscored() -> None:
    """The gate cannot decide, so there is no score for a mean of the host."""
    messages = [{"role": "assistant", "content": [{"type": "acme_call", "name": "pay"}]}]
    verdict = Judge(GOLD)(messages)
    assert verdict.score is None
    assert verdict.unscored is not None
    assert verdict.unscored.startswith("nothing was understood")


def test_references_of_the_constructor_come_first() -> None:
    """Then those of the metadata, then the expected field of the host."""
    other = [{"name": "cancel", "args": {"id": "W9"}}]
    assert Judge(GOLD)(GOLD, other, metadata={"references": other}).passed
    assert Judge()(GOLD, other, metadata={"references": GOLD}).passed
    assert Judge()(GOLD, other, metadata={"reference": GOLD, "references": None}).passed
    assert Judge()(GOLD, GOLD, metadata={"user": "Ann"}).passed
    assert Judge()(GOLD, GOLD, metadata=object()).passed  # hosts allow metadata of any type
    assert Judge()(GOLD, other).passed is False


def test_without_a_reference_a_run_is_unscored() -> None:
    """The reason says where references can be."""
    assert str(Judge()(GOLD).unscored).startswith("no reference; pass known-good runs to Judge")
    assert Judge()(GOLD, "nowhere.json").unscored == (
        "nowhere.json: cannot be read: No such file or directory"
    )
    assert str(Judge()(GOLD, "[{").unscored).startswith("the reference is a text but not JSON")


def test_a_text_is_json_and_no_path() -> None:
    """An agent may write any text, so the text of a run opens no file."""
    judge = Judge(str(REFERENCE))
    assert judge(run_file("same")).score == 1
    assert judge(run_file("same").read_text("utf-8")).score == 1
    assert judge(str(run_file("same"))).score is None
    assert Judge()(json.dumps(GOLD), json.dumps(GOLD)).score == 1
    assert Judge()(run_of("same"), str(REFERENCE)).score == 1


def test_references_of_the_task_of_a_run_are_used() -> None:
    """One judge serves the cases of several tasks."""
    refund, hotel = otap.parse(GOLD).model_copy(update={"task": "refund"}), run_of("same")
    judge = Judge([refund, REFERENCE])
    assert judge(refund).score == judge(hotel).score == 1


def test_conditions_decide() -> None:
    """A least score, kinds of findings with tools, strict mode; without any, all runs pass."""
    missing = [LOOK_UP]
    assert Judge(GOLD, fail_on=[])(missing).passed
    assert Judge(GOLD, fail_on=[], min_score=0.99)(missing).reasons[0].endswith("is below 0.99")
    assert Judge(GOLD, fail_on="missing:pay")(missing).passed
    assert Judge(GOLD, fail_on=["missing:refund"])(missing).passed is False
    assert Judge(GOLD, strict=True)([LOOK_UP, *GOLD]).result.signature.strict  # type: ignore[union-attr]
    with pytest.raises(otap.OtapError, match="knows no 'worst'"):
        Judge(GOLD, fail_on="worst")
    with pytest.raises(otap.OtapError, match="No such file"):
        Judge("nowhere.json")


def test_verdicts_can_be_awaited() -> None:
    """Many at once, and equal to those of the synchronous method."""
    judge, runs = Judge(GOLD), [GOLD, [LOOK_UP], [LOOK_UP, WRONG], None]

    async def judge_all() -> list[otap.Verdict]:
        return await asyncio.gather(*[judge.judge_async(run) for run in runs])

    assert asyncio.run(judge_all()) == [judge.judge(run) for run in runs]


def test_the_page_of_the_judge_shows_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first blocks of docs/hosts.md run; tests/hosts runs the others."""
    monkeypatch.chdir(ROOT)
    for block in blocks(PAGE, "python")[:2]:
        exec(compile(block, PAGE.name, "exec"), {})


def test_importing_a_judge_loads_no_host() -> None:
    """The packages of all recipes stay out of a program that does not use them."""
    names = [path.name.removesuffix("_recipe.py") for path in PAGE.parents[1].glob("tests/hosts/*")]
    code = f"import otap, sys; otap.Judge; print([n for n in {names!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
