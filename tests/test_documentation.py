"""The README and the docs are run: their commands, their Python, and what they show."""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import yaml

import otap
from otap.cli import main
from otap.config.file import load_config
from otap.formats import read_references

THIS = Path(__file__)
ROOT = THIS.parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# These pages need frameworks or a folder of their own: test_quickstart.py, hosts/test_hosts.py,
# test_golden_page.py.
ELSEWHERE = ("quickstart.md", "hosts.md", "golden.md")
RUNNABLE = [page for page in PAGES if page.name not in ELSEWHERE]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BOOKINGS = 4  # runs of a file of the shell blocks
LINK = re.compile(r"\]\((?!https?:)([^)#:]*)(?:#([^)]*))?\)")
EXIT = re.compile(r"\[exit (\d+)\]")
WITH_JOBS = ("evaluate", "calibrate", "select")
PLAIN = re.compile(r"otap [^$|&;<>()`*?~#\\]+")  # nothing that a shell would read otherwise


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return blocks_of(page.read_text("utf-8"), language)


def blocks_of(text: str, language: str) -> list[str]:
    """The code blocks of a text in one language."""
    return [body for name, body in BLOCK.findall(text) if name == language]


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block, and the lines that it shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, [line.rstrip() for line in shown.splitlines() if line.strip()]


def environment(real_data: Path) -> dict[str, str]:
    """What a reader of the docs has: the command on the path, and the real data."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return {**plain, "PATH": path, "OTAP_REAL_DATA": str(real_data)}


def run_command(command: str, folder: Path, real_data: Path) -> tuple[int, str]:
    """The exit code and the output of a command; a plain one of otap runs in this process."""
    plain = command.partition(" #")[0].strip().removesuffix(" > /dev/null")
    plain = plain.replace("$OTAP_REAL_DATA", str(real_data))
    if PLAIN.fullmatch(plain):
        streams = io.StringIO()
        with (
            chdir(folder), redirect_stdout(streams), redirect_stderr(streams),
            pytest.raises(SystemExit) as end,
        ):  # fmt: skip
            words = shlex.split(plain)[1:]
            # This process has threads, which a fork would not survive.
            main([*words, *(["--jobs", "1"] if words[0] in WITH_JOBS else [])])
        assert isinstance(end.value.code, int)
        return end.value.code, streams.getvalue()
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment(real_data), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def assert_in_order(shown: list[str], output: str) -> None:
    """Every shown line begins a line of the output, in this order."""
    lines = iter(output.splitlines())
    for line in shown:
        assert any(found.startswith(line) for found in lines), f"{line!r} not in:\n{output}"


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_console_blocks_do_what_they_show(
    page: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command runs, ends as it says, and prints the lines that are shown."""
    monkeypatch.delenv("COLUMNS", raising=False)
    for block in blocks(page, "console"):
        for command, shown in commands(block):
            code, output = run_command(command, ROOT, real_data)
            codes = [int(code) for line in shown for code in EXIT.findall(line)]
            assert code == (codes[0] if codes else 0), f"{command}\n{output}"
            assert_in_order([line for line in shown if not EXIT.match(line)], output)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_python_blocks_run(page: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python block of a page runs as a program of its own."""
    monkeypatch.chdir(ROOT)
    for name, value in environment(real_data).items():
        monkeypatch.setenv(name, value)
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), {"__name__": "__main__"})


def rows_below(head: str, page: Path) -> list[list[str]]:
    """The cells of the first table of a page whose first row begins with the head."""
    table = re.search(rf"^\| ?{head}.*\n(?:\|.*\n)*", page.read_text("utf-8"), re.MULTILINE)
    assert table is not None
    rows = [[cell.strip() for cell in line.split("|")] for line in table.group().splitlines()]
    return [row for row in rows if not set("".join(row)) <= set("-")]


WITH_SHELL = [page for page in (*RUNNABLE, ROOT / "CONTRIBUTING.md") if blocks(page, "sh")]


@pytest.fixture(scope="module")
def bookings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that examples/bookings.py writes."""
    folder = tmp_path_factory.mktemp("bookings")
    subprocess.run([sys.executable, "-m", "examples.bookings", folder], cwd=ROOT, check=True)
    return folder


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, bookings: Path, real_data: Path) -> Path:
    """A folder with the files that the shell blocks of the pages name."""
    folder = tmp_path_factory.mktemp("desk")
    for name, source in {
        "runs": "after", "before": "before", "after": "after",
        "gold": "gold", "references": "gold", "good": "gold", "bad": "after",
    }.items():  # fmt: skip
        (folder / name).mkdir()
        lines = (bookings / f"{source}.jsonl").read_text("utf-8").splitlines(keepends=True)
        (folder / name / "runs.jsonl").write_text("".join(lines[:BOOKINGS]), "utf-8")
    for name in ("mine.json", "good.json"):
        shutil.copy(ROOT / "examples" / "refund" / name, folder)
    runs = otap.read_all(folder / "runs")
    lines = [f"{run.id},{index % 2}" for index, run in enumerate(runs)]
    (folder / "results.csv").write_text("\n".join(["id,outcome", *lines]), "utf-8")
    evaluate = "otap evaluate runs -r references -o results.jsonl"
    assert run_command(evaluate, folder, real_data)[0] == 0
    (folder / "baseline").mkdir()
    for name in ("last-night.jsonl", "baseline/results.jsonl"):
        shutil.copy(folder / "results.jsonl", folder / name)
    return folder


@pytest.mark.parametrize("page", WITH_SHELL, ids=lambda page: page.name)
def test_shell_blocks_run(page: Path, real_data: Path, desk: Path) -> None:
    """Each command of OTAP in a shell block is understood, and each script is there."""
    for line in "".join(blocks(page, "sh")).splitlines():
        if line.startswith("scripts/"):
            assert os.access(ROOT / line.split()[0], os.X_OK), line
        # Commands with variables of a script run in the test of the recipes.
        if line.startswith("otap ") and "s3://" not in line and "$" not in line.split("||")[0]:
            code, output = run_command(line.split("||")[0], desk, real_data)
            # A gate or a comparison may fail, and there may be too few runs.
            assert code in {0, 1, 3}, f"{line}\n{output}"


def list_recipes() -> Iterator[tuple[str, str]]:
    """The scripts of docs/ci.md for GitLab and for any shell, without the installation."""
    page = ROOT / "docs" / "ci.md"
    [gitlab] = [block for block in blocks(page, "yaml") if block.startswith("agents:")]
    lines = yaml.safe_load(gitlab)["agents"]["script"]
    yield "gitlab", "\n".join(line for line in lines if not line.startswith("pip "))
    [shell] = [block for block in blocks(page, "sh") if "compare" in block]
    yield "jenkins", shell


@pytest.mark.parametrize(
    ("recipe", "baseline"),
    [("gitlab", "none"), ("gitlab", "better"), ("jenkins", "better"), ("jenkins", "same")],
)
def test_recipes_of_ci(
    recipe: str, baseline: str, bookings: Path, real_data: Path, tmp_path: Path
) -> None:
    """The first job has no baseline and passes; a later one fails if its runs are worse."""
    for name in ("runs", "references"):
        (tmp_path / name).mkdir()
        shutil.copy(bookings / "gold.jsonl", tmp_path / name)
    if baseline != "none":
        (tmp_path / "baseline").mkdir()
        evaluate = "otap evaluate runs -r references -o baseline/results.jsonl"
        assert run_command(evaluate, tmp_path, real_data)[0] == 0
    if baseline == "better":
        shutil.copy(bookings / "before.jsonl", tmp_path / "runs" / "gold.jsonl")
    done = subprocess.run(
        ["sh", "-e", "-c", dict(list_recipes())[recipe]],
        cwd=tmp_path, env=environment(real_data), check=False,
    )  # fmt: skip
    assert done.returncode == (1 if baseline == "better" else 0)
    assert {"results.jsonl", "summary.md", "comparison.md", "junit.xml"} <= {
        path.name for path in tmp_path.iterdir()
    }


def test_the_readme_has_the_table_of_rivals() -> None:
    """The README's table of other tools is the first one of docs/rivals.md."""
    head = "the run has"
    readme, rivals = ROOT / "README.md", ROOT / "docs" / "rivals.md"
    assert rows_below(head, readme) == rows_below(head, rivals)


def test_the_page_for_newcomers_has_the_verdicts_of_the_rivals() -> None:
    """A verdict of docs/coming-from.md is wrong where docs/rivals.md says so."""
    head, *verdicts = rows_below("the run has", ROOT / "docs" / "coming-from.md")
    rivals = ROOT / "docs" / "rivals.md"
    right = {row[1]: row[2] for row in rows_below("the run has", rivals)}
    is_right: dict[tuple[str, str], bool] = {}
    for page in rivals.read_text("utf-8").split("<!-- others -->"):
        rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
        tools = next(row for row in rows if row[0] == "| the run has")
        for name, *cells in rows:
            for tool, cell in zip(tools[1:], cells, strict=False):
                is_right[name[2:], tool.strip(" |")] = cell.strip(" |") == "✓"
    wrong = {"pass": "**fail**", "fail": "**pass**"}
    for row in verdicts:
        for tool, verdict in zip(head[2:-1], row[2:-1], strict=True):
            expected = right[row[1]]
            assert verdict == (expected if is_right[row[1], tool] else wrong[expected]), (row, tool)


def test_the_readme_is_short() -> None:
    """A newcomer reads the README in three minutes."""
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 700


def test_the_picture_is_what_the_script_draws() -> None:
    """docs/alignment.svg is the output of examples/picture.py."""
    done = subprocess.run(
        [
            sys.executable, "examples/picture.py",
            "examples/picture.json", "examples/hotel-booking/reference.json",
        ],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == (ROOT / "docs" / "alignment.svg").read_text("utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    """Every relative link of a page names a file of the repository, and a heading that is there."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    broken = [
        (page.name, file, anchor)
        for page in pages
        for file, anchor in LINK.findall(page.read_text("utf-8"))
        if not (page.parent / file).exists()
        or (anchor and anchor not in anchors(page.parent / file if file else page))
    ]
    assert broken == []


def test_the_index_leads_to_every_page() -> None:
    """docs/README.md has a link to each page of its folder."""
    linked = {file for file, _ in LINK.findall((ROOT / "docs" / "README.md").read_text("utf-8"))}
    assert {page.name for page in PAGES[1:]} - {"README.md"} <= linked


def test_configuration_blocks_are_valid(tmp_path: Path) -> None:
    """Every TOML block of the docs is a configuration, or a plan."""
    found = [block for page in PAGES for block in blocks(page, "toml")]
    assert found
    for index, block in enumerate(found):
        file = tmp_path / f"{index}.toml"
        file.write_text(block, "utf-8")
        if block.startswith("schema_version"):
            assert read_references(file)
        else:
            load_config(file)


def test_the_repository_stands_alone() -> None:
    """Nothing sends its reader to a page that is not in the repository."""
    folders = ("src", "core", "docs", "tests", "reproduction", "benchmarks", "examples")
    kinds = {".py", ".md", ".cpp", ".hpp", ".toml"}
    files = [f for folder in folders for f in (ROOT / folder).rglob("*") if f.suffix in kinds]
    elsewhere = re.compile(r"\bDESIGN\b|\b(?:theory|measured)\.md\b|\b[Tt]rap \d|\bissue \d")
    found = {file: elsewhere.findall(file.read_text("utf-8")) for file in files if file != THIS}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"])
def test_places_that_a_page_names_are_there(page: str) -> None:
    """Every folder or module in code quotes is there, from the root or from the folder told of."""
    named = re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", (ROOT / page).read_text("utf-8"))
    roots = (ROOT, ROOT / "src" / "otap", ROOT / "reproduction")
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


def score_payments(count: int, *, missing: int = 0, wrong: int = 0) -> str:
    """The score of a run of payments, as the pages print it."""
    good = [{"name": "pay", "args": {"to": f"A-{i}", "amount": i}} for i in range(100, 100 + count)]
    bad = [
        {"name": "pay", "args": {"to": f"A-{i}", "amount": 10 * i}} for i in range(100, 100 + wrong)
    ]
    return f"{otap.score([*bad, *good[wrong : count - missing]], good).score:.2f}".lstrip("0")


@pytest.mark.parametrize(
    ("row", "missing", "wrong"),
    [("lacks one", 1, 0), ("lacks two", 2, 0), ("makes one with a wrong amount", 0, 1)],
)
def test_the_figures_of_payments_are_computed(row: str, missing: int, wrong: int) -> None:
    """docs/concepts.md has the scores of runs with missing and wrong payments."""
    figures = [score_payments(count, missing=missing, wrong=wrong) for count in (5, 50)]
    page = (ROOT / "docs" / "concepts.md").read_text("utf-8")
    assert f"| {row} | {figures[0]} | {figures[1]} |" in page
