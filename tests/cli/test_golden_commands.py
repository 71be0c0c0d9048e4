"""Record, check, accept: the story of a golden run on the command line."""

import json
import shutil
from pathlib import Path

import pytest
from commands import Otap

EXAMPLES = Path(__file__).parents[2] / "examples" / "refund"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs of one task, a good and a bad one."""
    for name in ("good.json", "mine.json"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_id(folder: Path) -> str:
    (line,) = [
        line
        for line in (folder / ".otap" / "check.jsonl").read_text("utf-8").splitlines()
        if "mine.json" in json.loads(line)["source"]["path"]
    ]
    return str(json.loads(line)["findings"][0]["id"])


def test_record_check_accept(otap_: Otap, folder: Path) -> None:
    """Red, then one difference is accepted, then green; the bad value of another run is not."""
    assert otap_("record", "good.json").code == 0
    (recorded,) = (folder / "gold").iterdir()
    assert "@" not in recorded.read_text("utf-8")
    assert otap_("check", "good.json").code == 0
    failed = otap_("check", "good.json", "mine.json")
    finding = read_id(folder)
    assert failed.code == 1
    assert f"otap accept .otap/check.jsonl:{finding}" in failed.out
    assert (folder / ".otap" / "check.html").is_file()
    assert (folder / ".otap" / ".gitignore").read_text("utf-8") == "*\n"
    name = f".otap/check.jsonl:{finding}"
    asked = otap_("accept", name)
    assert asked.code == 1
    assert recorded.is_file()
    assert otap_("accept", name, "--yes", "--why", "the price changed").code == 0
    (plan,) = (folder / "gold").iterdir()
    assert plan.suffix == ".toml"
    assert ": the price changed" in plan.read_text("utf-8")
    text = plan.read_text("utf-8")
    assert otap_("accept", name, "--yes").code == 0
    assert plan.read_text("utf-8") == text
    assert otap_("accept", name, "--yes").err.count("is fine already in") == 1
    assert otap_("check", "good.json", "mine.json").code == 0


def test_a_recording_is_not_replaced_in_silence(otap_: Otap, folder: Path) -> None:
    """It shows the differences, and needs --force where nobody can be asked."""
    otap_("record", "good.json")
    (recorded,) = (folder / "gold").iterdir()
    text = recorded.read_text("utf-8")
    refused = otap_("record", "mine.json")
    assert refused.code == 1
    assert "amount is 185 instead of 18.5" in refused.err
    assert recorded.read_text("utf-8") == text
    assert otap_("record", "mine.json", "--force").code == 0
    assert "185" in recorded.read_text("utf-8")


def test_a_missing_reference(otap_: Otap, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No verdict in CI, also with --record; elsewhere --record records it."""
    monkeypatch.setenv("CI", "true")
    assert otap_("check", "good.json", "--record").code == 3
    assert not (folder / "gold").exists()
    monkeypatch.delenv("CI")
    missing = otap_("check", "good.json")
    assert missing.code == 3
    assert "--record" in missing.err
    assert otap_("check", "good.json", "--record").code == 0
    assert otap_("check", "good.json").code == 0


def add_mail(folder: Path, name: str, to: str) -> None:
    """Adds to a run the mail address of its user, and a mail that the agent sends."""
    items = json.loads((EXAMPLES / name).read_text("utf-8"))
    (asked,) = [item for item in items if item.get("role") == "user"]
    asked["content"] = "Please refund order A-12, the mug arrived broken. I am mia@example.org."
    mail = {"call_id": "mail", "name": "send_email", "type": "function_call"}
    arguments = json.dumps({"to": to, "subject": "The refund of A-12"})
    items.append({**mail, "arguments": arguments})
    items.append({"call_id": "mail", "output": "sent", "type": "function_call_output"})
    (folder / name).write_text(json.dumps(items), "utf-8")


def test_a_hidden_recipient_stays_bound_after_accepting(otap_: Otap, folder: Path) -> None:
    """The recording and the plan it becomes know it by the message of the user."""
    for name in ("good.json", "mine.json"):
        add_mail(folder, name, "mia@example.org")
    otap_("record", "good.json")
    assert "careful" not in otap_("check", "good.json").err
    otap_("check", "mine.json")
    line = (folder / ".otap" / "check.jsonl").read_text("utf-8")
    (amount,) = [one["id"] for one in json.loads(line)["findings"] if "amount" in one["paths"]]
    assert otap_("accept", f".otap/check.jsonl:{amount}", "--yes").code == 0
    (plan,) = (folder / "gold").iterdir()
    assert plan.suffix == ".toml"
    assert "mia@example.org" not in plan.read_text("utf-8")
    assert otap_("check", "mine.json").code == 0
    add_mail(folder, "mine.json", "eve@evil.test")
    failed = otap_("check", "mine.json")
    assert failed.code == 1
    assert "to is eve@evil.test" in failed.out


def test_a_hidden_value_without_a_source_is_named(otap_: Otap, folder: Path) -> None:
    """Recording and checking say that no run is compared in it."""
    add_mail(folder, "good.json", "nobody.named@example.org")
    sentence = "to was not compared: the recording hides its value"
    recorded = otap_("record", "good.json")
    assert sentence in recorded.err
    assert "--no-redaction" in recorded.err
    checked = otap_("check", "good.json")
    assert checked.code == 0
    assert sentence in checked.err


def test_a_rule_for_tasks_that_is_wrong(otap_: Otap, folder: Path) -> None:
    """The first check says so, before any reference exists."""
    wrong = otap_("check", "good.json", "--task-from", "metadata.nothing")
    assert "--task-from: no run has a metadata.nothing" in wrong.err
    assert "--task-from" not in otap_("check", "good.json", "--task-from", "file").err


def test_references_elsewhere_are_named(otap_: Otap, folder: Path) -> None:
    """A run without a reference says where none was."""
    otap_("record", "good.json")
    (folder / "gold").rename(folder / "other")
    text = (folder / "mine.json").read_text("utf-8")
    other = "Please cancel my subscription at the end of this month."
    text = text.replace("Please refund order A-12, the mug arrived broken.", other)
    (folder / "mine.json").write_text(text, "utf-8")
    assert "no reference of its task in other" in otap_("check", "mine.json", "-r", "other").err


def test_a_folder_that_cannot_be_written(otap_: Otap, folder: Path) -> None:
    """The verdict stays; the results are elsewhere, and the message says where."""
    otap_("record", "good.json")
    (folder / ".otap").write_text("a file in the way", "utf-8")
    failed = otap_("check", "mine.json")
    assert failed.code == 1
    (line,) = [line for line in failed.err.splitlines() if "the results are in" in line]
    results = Path(line.partition("the results are in ")[2].partition(";")[0])
    assert results.is_file()
    shutil.rmtree(results.parent)


def test_a_known_bad_run_blocks_the_rule(otap_: Otap, folder: Path) -> None:
    """gold-bad/ is no reference, and what it holds must fail."""
    otap_("record", "good.json")
    (folder / "gold-bad").mkdir()
    shutil.copy("mine.json", folder / "gold-bad" / "mine.json")
    otap_("check", "mine.json")
    refused = otap_("accept", f".otap/check.jsonl:{read_id(folder)}", "--yes")
    assert refused.code == 1
    assert "known-bad" in refused.err
    assert [path.suffix for path in (folder / "gold").iterdir()] == [".json"]


def test_a_mistaken_finding_is_recorded_without_private_text(otap_: Otap, folder: Path) -> None:
    """The values of the two calls, once."""
    otap_("record", "good.json")
    otap_("check", "mine.json")
    name = f".otap/check.jsonl:{read_id(folder)}"
    for _ in range(2):
        assert otap_("accept", name, "--wrong").code == 0
    (line,) = (folder / "otap-mistakes.jsonl").read_text("utf-8").splitlines()
    record = json.loads(line)
    assert record["verdict"] == "mistaken"
    assert record["run"][0]["arguments"] == {"amount": 185}
    assert record["reference"][0]["arguments"] == {"amount": 18.5}


def test_strict_needs_a_reason(otap_: Otap, folder: Path) -> None:
    """A critical finding in strict mode is not accepted without one."""
    (folder / "otap.toml").write_text("strict = true\n", "utf-8")
    otap_("record", "good.json")
    otap_("check", "mine.json")
    refused = otap_("accept", f".otap/check.jsonl:{read_id(folder)}", "--yes")
    assert refused.code == 2
    assert "--why" in refused.err


def test_an_unknown_finding_lists_those_there_are(otap_: Otap, folder: Path) -> None:
    """One line, with the ids."""
    otap_("record", "good.json")
    otap_("check", "mine.json")
    unknown = otap_("accept", ".otap/check.jsonl:zzzzz")
    assert unknown.code == 2
    assert read_id(folder) in unknown.err


def test_the_same_finding_of_several_runs(otap_: Otap, folder: Path) -> None:
    """One command accepts the values of all runs that have it, and the next check is green."""
    otap_("record", "good.json")
    text = (folder / "mine.json").read_text("utf-8")
    (folder / "other.json").write_text(text.replace("185", "200"), "utf-8")
    otap_("check", "mine.json", "other.json")
    name = f".otap/check.jsonl:{read_id(folder)}"
    assert otap_("accept", name, "--yes").code == 0
    (plan,) = (folder / "gold").iterdir()
    assert "{ one_of = [18.5, 185, 200] }" in plan.read_text("utf-8")
    assert otap_("check", "good.json", "mine.json", "other.json").code == 0


def test_comments_of_a_plan_survive_a_rule(otap_: Otap, folder: Path) -> None:
    """Only the lines that change are written again."""
    (folder / "gold").mkdir()
    plan = folder / "gold" / "refund.toml"
    lines = [
        "# by hand", 'schema_version = "otap.plan/1"', "", "[[steps]]", 'tool = "send_email"',
        'need = "optional"', "", "[[steps]]", "# the refund itself",
        'tool = "refund_payment"', 'arguments.order_id = "A-12"',
        "arguments.amount = 18.5  # euros",
    ]  # fmt: skip
    plan.write_text("\n".join(lines) + "\n", "utf-8")
    otap_("check", "mine.json")
    assert otap_("accept", f".otap/check.jsonl:{read_id(folder)}", "--yes").code == 0
    written = plan.read_text("utf-8").splitlines()
    assert written[:-1] == lines[:-1]
    assert written[-1].startswith("arguments.amount = { one_of = [18.5, 185] }  # accepted ")


def test_other_findings_are_counted(otap_: Otap, folder: Path) -> None:
    """The first finding of a task is shown, with the number of those that are as severe."""
    otap_("record", "good.json")
    run = json.loads((folder / "mine.json").read_text("utf-8"))
    text = json.dumps(run).replace("refund_payment", "cancel_order")
    (folder / "worse.json").write_text(text, "utf-8")
    done = otap_("check", "worse.json")
    assert done.code == 1
    assert (
        "step 2 (refund_payment) of the reference is missing from the run (and 1 more)" in done.out
    )


def test_a_rule_with_private_values_is_named(otap_: Otap, folder: Path) -> None:
    """An accepted value is that of the run, also if it is an address of a person."""
    run = json.loads((folder / "good.json").read_text("utf-8"))
    arguments = json.dumps({"to": "anna@example.com", "body": "refunded"})
    call = {"type": "function_call", "call_id": "c9", "name": "send_email", "arguments": arguments}
    answer = {"type": "function_call_output", "call_id": "c9", "output": "sent"}
    (folder / "mail.json").write_text(json.dumps([*run, call, answer]), "utf-8")
    otap_("record", "good.json")
    otap_("check", "mail.json")
    (line,) = (folder / ".otap" / "check.jsonl").read_text("utf-8").splitlines()
    name = f".otap/check.jsonl:{json.loads(line)['findings'][0]['id']}"
    warned = otap_("accept", name)
    assert "the rule has private values of the run (email); --as any" in warned.err
    free = otap_("accept", name, "--as", "any")
    assert "private values" not in free.err
    assert "send_email" in free.out
