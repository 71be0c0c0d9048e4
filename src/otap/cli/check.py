"""``otap check``: compares runs with their recorded references, and applies the gate."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Exit

from otap import formats
from otap._numbers import count_text, score_text
from otap.cli import options
from otap.cli.output import GATE_FAILED, INCONCLUSIVE, make_folder, say, write
from otap.cli.settings import check_tools, list_tools, print_file
from otap.errors import ConfigError, shown, shown_path
from otap.report.view import SEVERITY_STYLES, Cell, ViewTable, line, show
from otap.scoring.gate import gate
from otap.transport import processors

if TYPE_CHECKING:
    from otap.config import Config
    from otap.evaluation import Result
    from otap.findings import Finding
    from otap.golden.checking import Verdict
    from otap.trajectory import Trajectory

RESULTS = Path(".otap/check.jsonl")
MAX_LISTED = 20  # failed tasks, and runs without a reference
_RUNS = Annotated[list[str], Argument(metavar="RUNS...")]


@options.as_command
def check(
    *,
    runs: _RUNS,
    references: options.References = None,
    output: options.Output = None,
    record: bool = False,
    fail_under: options.Bound = None,
    fail_on: options.FailOn = None,
    jobs: options.Jobs = None,
    counting: options.Counting,
    settings: options.Settings,
    reading: options.Reading,
) -> None:
    """Check runs against their recorded references.

    Each failed task is listed with its first finding, and with the command that accepts this
    difference. The folder of the references and the gate are settings, in the table [golden] of
    otap.toml.

    Examples:
      otap check runs/
      otap check runs/ --record

    Exit codes:
      0  every run passed
      1  a run failed
      2  bad input or usage
      3  no verdict: a run has no reference, or could not be read or scored

    Options:
        runs: Trace files, folders, or patterns in quotes.
        references: The references: files or folders (default: the folder gold).
        output: Write the results to this .jsonl file, and their page beside it (default:
            .otap/check.jsonl).
        record: Record the runs of tasks without a reference. A job with the variable CI records
            nothing.
        fail_under: A run fails if its score is below X.
    """
    from otap.cli.golden_files import is_in_ci, read_folder
    from otap.evaluation import input_files, read_results
    from otap.golden.checking import judge_results

    loaded = settings.load(counting)
    config, golden = loaded.config, loaded.config.golden
    print_file(loaded)
    under = golden.fail_under if fail_under is None else fail_under
    run_gate = gate(under, fail_on or golden.fail_on, strict=config.strict)
    folder = Path(golden.references)
    gold = read_folder(folder) if not references else []
    for name in references or ():
        gold += formats.read_references(name, reasoning=reading.reasoning)
    results = output or _choose_results_file()
    make_folder(results.parent)
    files = input_files(runs, exclude=[results])
    if gold:
        _evaluate(files, gold, config, reading, results, jobs)
        checked = list(read_results(results))
        verdict = judge_results(checked, run_gate, _list_tasks(gold, config))
    else:
        verdict = _miss_all(files, config, reading)
    if record and verdict.missing and not is_in_ci():
        _record_missing(verdict, files, folder, config, reading)
        verdict.missing.clear()
    searched = ", ".join(shown_path(name) for name in references or (f"{folder}/",))
    _show(verdict, results, has_page=bool(gold), searched=searched)
    if verdict.failed:
        raise Exit(GATE_FAILED)
    if verdict.missing or verdict.doubtful:
        raise Exit(INCONCLUSIVE)


def _choose_results_file() -> Path:
    """The default file for the results, in a new folder elsewhere if this one is read-only."""
    from otap.cli.golden_files import make_work_folder

    try:
        make_work_folder(RESULTS.parent)
    except ConfigError as error:
        results = Path(tempfile.mkdtemp(prefix="otap-")) / RESULTS.name
        say(f"{error}; the results are in {shown_path(results)}; -o FILE names another file")
        return results
    return RESULTS


def _list_tasks(gold: "Sequence[Trajectory]", config: "Config") -> set[str | None]:
    from otap.tasks import assign_tasks, list_names

    tasks: set[str | None] = set()
    for reference in assign_tasks(gold, config.task_rule):
        tasks.update(list_names(reference) or [None])
    return tasks


def _evaluate(
    files: Sequence[str],
    gold: "Sequence[Trajectory]",
    config: "Config",
    reading: options.Reading,
    results: Path,
    jobs: int | None,
) -> None:
    """Writes the results of all runs, and their page."""
    from otap.cli.progress import EvaluationProgress
    from otap.evaluation import ResultFile, Work
    from otap.evaluation import evaluate as evaluate_runs
    from otap.evaluation.engines import local
    from otap.evaluation.explaining import Explainer, TraceFinder, read_packed
    from otap.report.pages.many import many_page

    with suppress(FileNotFoundError):
        results.unlink()
    work = Work(config, tuple(gold), reading.format_name, reading.reasoning)
    with EvaluationProgress() as progress, ResultFile(results) as result_file:
        engine = local.engine(jobs or processors(), is_isolated=True)
        summary = evaluate_runs(files, work, result_file, engine, progress.update)
    check_tools(config, summary.tools | list_tools(gold))
    lines = read_packed(results)
    read = [entry.result for entry in lines]
    traces = TraceFinder(results.parent, read, reading.format_name, reasoning=reading.reasoning)
    page = many_page(lines, Explainer(read[0].signature, traces), None, None)
    write(results.with_suffix(".html"), page.html)


def _miss_all(files: Sequence[str], config: "Config", reading: options.Reading) -> "Verdict":
    """The verdict without any reference: no run has one."""
    from otap.evaluation import Failure, Result
    from otap.golden.checking import Verdict

    verdict = Verdict()
    error = Failure(kind="unmatched", message="there is no reference")
    rule = config.task_rule
    is_rule_right = False
    for file in files:
        for run in formats.read_all(file, format=reading.format_name, reasoning=reading.reasoning):
            is_rule_right = is_rule_right or (rule is not None and bool(rule.find(run)))
            verdict.missing.append(
                Result(
                    schema_version="otap.score/1", id=run.id, task=run.task, trial=run.trial,
                    source=run.source, error=error, signature={},
                )
            )  # fmt: skip
    if rule is not None and not is_rule_right:
        say(f"--task-from: no run has a {rule}")
    return verdict


def _record_missing(
    verdict: "Verdict",
    files: Sequence[str],
    folder: Path,
    config: "Config",
    reading: options.Reading,
) -> None:
    from otap.cli.golden_files import read_folder, read_today, write_recordings
    from otap.golden.records import compare_with_existing, record_runs

    sources = {
        (result.source.path, result.source.index) for result in verdict.missing if result.source
    }
    runs = [
        run
        for file in files
        for run in formats.read_all(file, format=reading.format_name, reasoning=reading.reasoning)
        if run.source and (run.source.path, run.source.index) in sources
    ]
    recordings = record_runs(runs, read_today().date(), config)
    replacements = compare_with_existing(recordings, runs, read_folder(folder), config)
    write_recordings(replacements, folder, force=False)


def _show(verdict: "Verdict", results: Path, *, has_page: bool, searched: str) -> None:
    """Shows the tasks that fail, with the commands that go on from here."""
    rows = []
    for failed in verdict.failed[:MAX_LISTED]:
        result, finding = failed.result, failed.finding
        rows.append(
            (
                Cell(_name_task(result), "bold"),
                Cell(f"{failed.runs} of {failed.scored}"),
                Cell(score_text(result.score), SEVERITY_STYLES[result.severity]),
                Cell(finding.severity if finding else "", SEVERITY_STYLES[result.severity]),
                Cell(finding.id if finding else "", "dim"),
                Cell(_describe_first(result, finding) if finding else ""),
            )
        )
    if rows:
        names = "failed task", "runs", "score", "", "id", "first finding"
        show((ViewTable(rows, names), line()))
        show(tuple(line(text) for text in _list_commands(verdict, results)))
    for result in verdict.missing[:MAX_LISTED]:
        say(f"{shown(result.readable_name, 60)}: no reference of its task in {searched}")
    if verdict.missing:
        say(f"to record {count_text(len(verdict.missing), 'run')}: otap check RUNS --record")
    for result, reason in verdict.doubtful[:MAX_LISTED]:
        say(f"{shown(result.readable_name, 60)}: {reason}")
    for result, finding in verdict.uncompared[:MAX_LISTED]:
        say(f"{_name_task(result)}: {finding.sentence}")
    total = sum(failed.runs for failed in verdict.failed)
    page = f"; see {shown_path(results.with_suffix('.html'))}" if has_page else ""
    say(
        f"{count_text(verdict.passed, 'run')} passed, {total} failed,"
        f" {len(verdict.missing)} without a reference, {len(verdict.doubtful)} undecided{page}"
    )


def _describe_first(result: "Result", finding: "Finding") -> str:
    """The sentence of a finding, with the number of others that are as severe."""
    others = sum(other.severity == finding.severity for other in result.findings) - 1
    return f"{finding.sentence} (and {others} more)" if others else finding.sentence


def _list_commands(verdict: "Verdict", results: Path) -> list[str]:
    return [
        f"to accept it: otap accept {shown_path(results)}:{failed.finding.id}"
        for failed in verdict.failed[:MAX_LISTED]
        if failed.finding is not None
    ]


def _name_task(result: "Result") -> str:
    return shown(result.task or result.readable_name, 40)
