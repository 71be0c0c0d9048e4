"""Private values in every spot of a run: commands that redact leave none in any file or stream."""

import base64
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from otap.run.known_values import fold


def _card(number: int) -> str:
    digits = f"411111{number:09d}"
    total = sum(int(d) if k % 2 else sum(divmod(2 * int(d), 10)) for k, d in enumerate(digits))
    return f"{digits}{-total % 10}"


def _iban(number: int) -> str:
    account = f"{37040044_0000000000 + number:018d}"
    return f"DE{98 - int(f'{account}131400') % 97:02d}{account}"


# For each kind of value, how its text is made from a number. Each is recognised by its form.
FORMS: dict[str, Callable[[int], str]] = {
    "email": lambda k: f"jane.doe{k}@example.org",
    "encoded email": lambda k: quote(f"jim.roe{k}@example.org", safe=""),
    "phone": lambda k: f"+1 415 555 {k:04d}",
    "local phone": lambda k: f"(415) 556-{k:04d}",
    "card": _card,
    "card in groups": lambda k: " ".join(_card(k + 5000)[i : i + 4] for i in range(0, 16, 4)),
    "account": _iban,
    "ssn": lambda k: f"{100 + k % 800:03d}-{10 + k % 89:02d}-{1000 + k:04d}",
    "key": lambda k: f"sk-live-{k:04d}a8Fk29sLq02mZx81Rt",
    "github key": lambda k: f"ghp_{k:04d}56789abcdefghijABCDEFGHIJ",
    "cloud key": lambda k: f"AKIA{k:04d}IOSFODNN7EXA"[:20],
    "token": lambda k: f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx{k:04d}MzQ1Njc4OTAifQ.dozjgNryP4J3jVmN",
    "address on the internet": lambda k: f"203.0.{100 + k // 200}.{40 + k % 200}",
    "home folder": lambda k: f"/home/jroe{k:04d}x/project",
    "password in a URL": lambda k: f"https://bot:hunter{k:04d}z@db.example.org",
    "in base64": lambda k: base64.b64encode(f"mail kim{k:04d}@example.org".encode()).decode(),
    "street": lambda k: f"{k + 1000} Quince Hill Street",
}
# What is private in a value that has public parts.
PRIVATE_PART: dict[str, Callable[[int], str]] = {
    "home folder": lambda k: f"jroe{k:04d}x",
    "password in a URL": lambda k: f"hunter{k:04d}z",
}
# Values without a form, which are known by their keys in some argument.
KEYED = {
    "customer_name": "Marisol Quenby",
    "first_name": "Ximenita",
    "password": "correct-horse-9",
    "date_of_birth": "1971-03-14",
    "passport": "X1234567Z",
    "home_address": "Flat 7 Old Mill, Dunmore",
}
# Other spellings of a value, as ids and addresses spell it.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "small": str.lower,
    "large": str.upper,
    "slug": lambda text: "-".join("".join(c if c.isalnum() else " " for c in text).split()),
    "joined": lambda text: "".join("".join(c if c.isalnum() else " " for c in text).split()),
    "snake": lambda text: "_".join("".join(c if c.isalnum() else " " for c in text).split()),
    "encoded": lambda text: quote(text, safe=""),
}
LONG = os.environ.get("OTAP_LONG") == "1"
KINDS = [*FORMS, *KEYED][:: 1 if LONG else 3]


class Plants:
    """Makes the texts of a run of which each has a private value of one kind."""

    def __init__(self, kind: str, spelling: Callable[[str], str] = str) -> None:
        self.kind, self._spell = kind, spelling
        self.made: list[str] = []

    def __call__(self, is_first: bool = False) -> str:
        """Returns a new value, as it is or in another spelling."""
        number = len(self.made) if self.kind in FORMS else 0
        text = FORMS[self.kind](number) if self.kind in FORMS else KEYED[self.kind]
        hidden = PRIVATE_PART[self.kind](number) if self.kind in PRIVATE_PART else text
        self.made.append(hidden)
        return text if is_first else self._spell(text)

    def step(self, name: str, tool: str, parents: list[str], **fields: Any) -> dict[str, Any]:
        """Returns a call with a private value in each field that may hold one."""
        known = {self.kind: self(True)} if self.kind in KEYED else {"note": self(True)}
        arguments = {
            **known, "text": f"for {self()}, now", "inner": {f"x {self()}": [self()]},
            "json": json.dumps({"note": self()}), "order": "A-12",
        }  # fmt: skip
        return {
            "id": name, "tool": tool, "arguments": arguments, "depends_on": parents,
            "action": f"I write to {self()}.", "effect": {"note": f"done for {self()}", "n": 4},
            "state": {"user": self()}, "agent": f"agent {self()}",
            "metadata": {"call_id": name, f"tag {self()}": self()}, **fields,
        }  # fmt: skip

    def run(self, tail: str = "") -> dict[str, Any]:
        """Returns a run."""
        first, second = f"look-{self()}-1", f"send_{self()}_2"
        inner = {"id": f"sub {self()}", "tool": "log_entry", "arguments": {"x": self()}}
        steps = [
            self.step(first, "get_order", []),
            self.step(second, "send_mail", [first], substeps=[inner]),
            self.step(f"{self()}", f"notify {self()}", [second]),
        ]
        return {
            "schema_version": "otap.trajectory/1", "id": f"run-{self()}{tail}",
            "trial": f"trial {self()}", "task": f"task {self.kind} of {self.fixed}",
            "request": [f"Please write to {self()}"], "steps": steps,
            "messages_to_user": [f"I wrote to {self()}."], "metadata": {"tags": [self()]},
            "unread": {"unknown": {f"part {self()}": 1}, "ignored": {f"note {self()}": 2}},
        }  # fmt: skip

    @property
    def fixed(self) -> str:
        """The value in the name of the task, which is the same in all runs."""
        text = FORMS[self.kind](4999) if self.kind in FORMS else KEYED[self.kind]
        self.made.append(PRIVATE_PART.get(self.kind, lambda _: text)(4999))
        return text

    def leaks(self, text: str) -> list[str]:
        """Returns the values in a text, in whatever spelling."""
        folded = fold(text)
        return [value for value in self.made if fold(value) in folded or value in text]


@pytest.fixture(params=KINDS)
def plants(request: pytest.FixtureRequest) -> Plants:
    """The values of one kind."""
    return Plants(request.param)


def write_run(plants: Plants, folder: Path, data: dict[str, Any]) -> Path:
    """Writes a run to a file whose name has a private value, too."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{plants().replace('/', '%2F')}.json"
    file.write_text(json.dumps(data))
    return file


def read_files(folder: Path) -> Iterator[str]:
    """Yields the names and the texts of the files of a folder."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        yield str(path.relative_to(folder.parent))
        if path.is_file():
            yield path.read_text()


COPYING = {
    "record": ("record", "runs", "-o", "out"),
    "select to a folder": ("select", "--good", "runs", "-o", "out"),
    "select to a file": ("select", "--good", "runs", "-o", "out.jsonl"),
    "select to the terminal": ("select", "--good", "runs"),
    "select as JSON": ("select", "--good", "runs", "--json"),
    "plan to a folder": ("plan", "runs", "-o", "out"),
    "plan to the terminal": ("plan", "runs"),
}


@pytest.mark.parametrize("count", [1, 3] if LONG else [3])
def test_copies(count: int, plants: Plants, tmp_path: Path, otap_: Any) -> None:
    """Of one run, and of several, whose plan merges them."""
    for k in range(count):
        write_run(plants, tmp_path / "runs", plants.run(f"-{k}"))
    for name, words in COPYING.items():
        done = otap_(*words)
        assert done.code == 0, (name, done.err)
        files = [text for path in tmp_path.glob("out*") for text in read_files(path)]
        assert plants.leaks("\n".join((done.out, done.err, *files))) == [], name
        for path in tmp_path.glob("out*"):
            path.rename(tmp_path / f"done {name}")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", ["email", "phone", "customer_name", "password", "home_address"])
def test_other_spellings(kind: str, spelling: str, tmp_path: Path, otap_: Any) -> None:
    """What one argument shows to be private is hidden in ids, in whatever case and separators."""
    value = FORMS[kind](7) if kind in FORMS else KEYED[kind]
    spelled = SPELLINGS[spelling](value)
    step = {
        "id": f"call-{spelled}-1", "tool": "send_mail",
        "arguments": {kind: value, "text": f"about {spelled}", "url": f"https://x.org/?q={spelled}"},
    }  # fmt: skip
    run = {
        "schema_version": "otap.trajectory/1", "id": f"run_{spelled}", "task": f"mail {spelled}",
        "steps": [step],
    }  # fmt: skip
    (tmp_path / "runs").mkdir()
    name = f"{spelled.replace('/', '-')}.json"
    (tmp_path / "runs" / name).write_text(json.dumps(run))
    for words in COPYING.values():
        done = otap_(*words)
        assert done.code == 0
        files = [text for path in tmp_path.glob("out*") for text in read_files(path)]
        assert fold(value) not in fold("\n".join((done.out, done.err, *files)))
        for path in tmp_path.glob("out*"):
            path.rename(tmp_path / f"done {words[0]} {len(list(tmp_path.iterdir()))}")


def test_what_a_check_records(plants: Plants, tmp_path: Path, otap_: Any) -> None:
    """A run without a reference is recorded like with otap record."""
    write_run(plants, tmp_path / "runs", plants.run())
    done = otap_("check", "runs", "--record")
    assert done.code == 0, done.err
    assert plants.leaks("\n".join(read_files(tmp_path / "gold"))) == []


def test_an_accepted_and_a_mistaken_finding(plants: Plants, tmp_path: Path, otap_: Any) -> None:
    """The comment in the plan and the report of the mistake name no private value."""
    data = plants.run()
    write_run(plants, tmp_path / "good", data)
    assert otap_("record", "good", "-o", "gold").code == 0
    step = {"id": "more", "tool": "refund", "arguments": {"amount": 5, f"to {plants()}": plants()}}
    data["steps"].append(step)
    write_run(plants, tmp_path / "runs", data)
    assert otap_("check", "runs").code == 1
    (line,) = (tmp_path / ".otap" / "check.jsonl").read_text().splitlines()
    finding = next(f["id"] for f in json.loads(line)["findings"] if f["severity"] == "critical")
    wrong = otap_("accept", f".otap/check.jsonl:{finding}", "--wrong", "--why", f"for {plants()}")
    assert wrong.code == 0, wrong.err
    assert plants.leaks((tmp_path / "otap-mistakes.jsonl").read_text()) == []


@pytest.mark.parametrize(
    "options", [(), ("--explain",), ("--json",), ("--html", "out.html", "--markdown", "out.md")]
)
def test_redacted_scores(
    options: tuple[str, ...], plants: Plants, tmp_path: Path, otap_: Any
) -> None:
    """On the terminal, in JSON and in pages; only the names of typed files stay."""
    (tmp_path / "run.json").write_text(json.dumps(plants.run()))
    (tmp_path / "good.json").write_text(json.dumps(plants.run("-good")))
    done = otap_("score", "run.json", "-r", "good.json", "--redact", *options)
    assert done.code == 0, done.err
    files = [path.read_text() for path in tmp_path.glob("out*")]
    assert plants.leaks("\n".join((done.out, done.err, *files))) == []


def test_the_redacted_page_of_many_runs(plants: Plants, tmp_path: Path, otap_: Any) -> None:
    """With the names of the files in a folder."""
    write_run(plants, tmp_path / "runs", plants.run())
    write_run(plants, tmp_path / "good", plants.run("-good"))
    assert otap_("evaluate", "runs", "-r", "good", "-o", "results.jsonl", "--embed").code == 0
    done = otap_("report", "results.jsonl", "--redact", "-o", "page.html")
    assert plants.leaks(done.out + done.err + (tmp_path / "page.html").read_text()) == []


def test_no_message_names_a_task_of_a_redacted_score(tmp_path: Path, otap_: Any) -> None:
    """Whether the request decides the references, or none is of the task."""
    words = "Please book the usual flight for Aunt Petunia"
    step = {"id": "1", "tool": "book", "arguments": {}}
    run = {"schema_version": "otap.trajectory/1", "request": [words], "steps": [step]}
    others = [{**run, "task": f"t{k}", "request": [f"{words} {k}"]} for k in range(2)]
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "same.jsonl").write_text("\n".join(json.dumps(r) for r in (*others, run)))
    (tmp_path / "others.jsonl").write_text("\n".join(json.dumps(other) for other in others))
    for references, code in (("same.jsonl", 0), ("others.jsonl", 2)):
        done = otap_("score", "run.json", "-r", references, "--redact")
        assert done.code == code, done.err
        assert "Petunia" not in done.out + done.err
