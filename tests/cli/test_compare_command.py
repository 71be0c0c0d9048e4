"""``otap compare``: exit codes, reports, errors."""

import json
from pathlib import Path

import pytest
from commands import Otap, assert_refused

from otap.evaluation.comparison import TOLERANCE
from result_lines import line, write


def files(folder: Path, *means: float, tasks: int = 8) -> list[Path]:
    """A result file for each mean score."""
    return [
        write(
            folder / f"{place}.jsonl",
            [line(f"t{k}", mean + 0.001 * k * mean) for k in range(tasks)],
        )
        for place, mean in enumerate(means)
    ]


@pytest.mark.parametrize(
    ("means", "tasks", "code", "verdict"),
    [
        ((0.8, 0.5), 8, 1, "WORSE"),
        ((0.5, 0.8), 8, 0, "BETTER"),
        ((0.8, 0.8), 8, 0, "EQUAL"),
        ((0.8, 0.79), 8, 0, "EQUAL"),
        ((0.8, 0.5), 5, 3, "NOT ENOUGH EVIDENCE"),
    ],
)
def test_exit_codes(
    otap_: Otap, tmp_path: Path, means: tuple[float, ...], tasks: int, code: int, verdict: str
) -> None:
    """0 for better and equal, 1 for worse, 3 where the runs do not tell; the verdict is said."""
    done = otap_("compare", *files(tmp_path, *means, tasks=tasks))
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(f"{verdict}: ")


def test_reports_are_written_whatever_the_verdict(otap_: Otap, tmp_path: Path) -> None:
    """JSON on standard output, Markdown and XML in files."""
    both = files(tmp_path, 0.8, 0.5)
    done = otap_("compare", *both, "--json", "--markdown", "x.md", "--junit", "x.xml")
    assert done.code == 1
    found = json.loads(done.out)
    assert (found["schema_version"], found["verdict"]) == ("otap.comparison/1", "worse")
    assert (tmp_path / "x.md").read_text("utf-8").startswith("### OTAP: worse\n")
    assert (tmp_path / "x.xml").read_text("utf-8").startswith("<?xml version=")


def test_what_cannot_be_compared(otap_: Otap, tmp_path: Path) -> None:
    """One line that says what is wrong, and exit code 2."""
    base, _ = files(tmp_path, 0.8, 0.5)
    assert_refused(otap_("compare", base, "none.jsonl"), "otap: none.jsonl: ", "cannot be read")
    other = write(tmp_path / "o", [line("t", 0.5, signature={"theta": 0.1, "encoder": "\x1b[31m"})])
    assert_refused(otap_("compare", base, other), "otap: ", "not made in the same way: encoder")
    assert_refused(otap_("compare", base, base, "--tolerance", "2"), "otap: --tolerance", "below 1")
    assert_refused(otap_("compare", base), "otap: ", "NEW")


def test_help_says_what_is_tolerated_and_how_it_ends(otap_: Otap) -> None:
    """The default tolerance, and what the exit codes mean."""
    done = otap_("compare", "--help")
    assert f"(default: {TOLERANCE})" in " ".join(done.out.split())
    assert "3 no verdict: a run could not be read or scored, or evidence is lacking" in " ".join(
        done.out.split()
    )


@pytest.mark.parametrize("option", ["--markdown", "--junit"])
def test_a_report_takes_the_place_of_no_results(
    otap_: Otap, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that names a result file is refused before it is written."""
    base, new = files(tmp_path, 0.8, 0.8)
    before = base.read_bytes()
    done = otap_("compare", base, new, option, base)
    assert_refused(done, "otap: ", "is one of the results; name another file")
    monkeypatch.chdir(tmp_path)
    assert otap_("compare", base, new, option, base.name).code == 2
    assert base.read_bytes() == before
