"""``otap accept``: turns one finding into the smallest rule that makes it fine."""

import difflib
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Exit, Option

from otap import formats
from otap._numbers import count_text, score_text
from otap.cli import options
from otap.cli.golden_files import ask, choose, is_asking, read_folder, read_today
from otap.cli.output import GATE_FAILED, escaped, say, write
from otap.config.file import load_config
from otap.errors import ConfigError, FormatError, shown, shown_path

if TYPE_CHECKING:
    from otap.evaluation import Result
    from otap.findings import Finding
    from otap.golden.acceptance import Acceptance, Case
    from otap.trajectory import Trajectory

SETTINGS = Path("otap.toml")
MISTAKES = Path("otap-mistakes.jsonl")
MAX_CHOICES = 200  # findings of a run that --interactive walks through
MAX_RUNS = 20  # runs with the same finding that are looked at


@options.as_command
def accept(
    *,
    result: Annotated[str, Argument(metavar="RESULT[:FINDING]")],
    which: Annotated[str | None, Option("--run")] = None,
    task: str | None = None,
    why: str = "",
    rule: Annotated[str | None, Option("--as", metavar="RULE")] = None,
    yes: bool = False,
    interactive: bool = False,
    wrong: bool = False,
    config: options.ConfigFile = None,
    reading: options.Reading,
) -> None:
    """Accept one finding of a run, so that this difference is fine from now on.

    The smallest rule is written that makes the finding go and changes nothing else: another allowed
    value, an optional step, a free order. A recorded reference becomes a plan. The changes are
    shown first, and the known-bad runs of gold-bad/ must still fail.

    Examples:
      otap accept .otap/check.jsonl:nb5kv --why 'the price changed'
      otap accept .otap/check.jsonl --interactive

    Exit codes:
      0  accepted, or fine already
      1  refused, or not confirmed: nothing was written
      2  bad input or usage

    Options:
        result: A result file of otap check or otap evaluate, and the id of a finding in it.
        which: The run, if several runs have the finding: its id.
        task: The task, if several tasks have the finding.
        why: The reason, for the comment in the file. A critical finding in strict mode needs one.
        rule: The rule to write, instead of the smallest that works.
        yes: Write without asking.
        interactive: Walk through the findings of the results, one by one.
        wrong: Record that the finding is mistaken, in otap-mistakes.jsonl, without private text.
    """
    from otap.evaluation import read_results
    from otap.golden.rules import NAMES

    if rule is not None and rule not in NAMES:
        raise ConfigError(f"--as {shown(rule)}: no such rule; there are {', '.join(NAMES)}")
    file, finding_id = _split_name(result)
    results = [entry for entry in read_results(file) if _is_selected(entry, which, task)]
    if interactive:
        _walk_through(file, results, why, rule, config, reading)
        return
    chosen = _choose_results(results, finding_id, file)
    if wrong:
        _record_mistake(file, chosen[0], finding_id, why, config, reading)
        return
    fine = [
        entry.readable_name
        for entry in chosen[:MAX_RUNS]
        if not _accept_one(file, entry, finding_id, why, rule, yes, config, reading)
    ]
    if fine:
        runs = shown(fine[0], 60) if len(fine) == 1 else count_text(len(fine), "run")
        say(f"{finding_id} is fine already in {runs}")
    if len(chosen) > MAX_RUNS:
        more = count_text(len(chosen) - MAX_RUNS, "more run")
        say(f"{more} had this finding; otap check shows whether it is fine there too")


def _is_selected(result: "Result", which: str | None, task: str | None) -> bool:
    is_run = which in (None, result.id, result.readable_name)
    return result.error is None and is_run and task in (None, result.task)


def _walk_through(
    file: Path,
    results: "Sequence[Result]",
    why: str,
    rule: str | None,
    config: Path | None,
    reading: options.Reading,
) -> None:
    """Asks about each finding of each result.

    Raises:
        ConfigError: if nobody can answer.
    """
    if not is_asking():
        raise ConfigError("--interactive needs a terminal; name a finding: RESULT:FINDING")
    for entry in results:
        for finding in entry.findings[:MAX_CHOICES]:
            print(f"{finding.severity} {finding.id}: {finding.sentence}", file=sys.stderr)
            answer = choose("otap: accept it? [y]es, [n]o, [q]uit:", "ynq")
            if answer == "q":
                return
            if answer == "y":
                with suppress(Exit):
                    _accept_one(file, entry, finding.id, why, rule, False, config, reading)


def _split_name(name: str) -> tuple[Path, str]:
    """Returns the result file and the id in RESULT:FINDING; the id may be empty."""
    if Path(name).is_file():
        return Path(name), ""
    file, colon, finding_id = name.rpartition(":")
    if colon and Path(file).is_file():
        return Path(file), finding_id.strip().lower()
    raise FormatError(f"{shown_path(name)}: no such result file; otap check RUNS writes one")


def _choose_results(results: "Sequence[Result]", finding_id: str, file: Path) -> "Sequence[Result]":
    """Returns the results of one task with a finding, at least one.

    Raises:
        ConfigError: if there is none, or results of several tasks have it.
    """
    matches = [
        entry
        for entry in results
        if finding_id and any(finding.id.startswith(finding_id) for finding in entry.findings)
    ]
    if not matches:
        listed = [
            f"{finding.id} ({finding.severity} {finding.kind})"
            for entry in results
            for finding in entry.findings
        ]
        names = ", ".join(listed[:8]) or "none"
        raise ConfigError(
            f"{shown_path(file)}: no finding '{shown(finding_id)}'; name one as"
            f" {shown_path(file)}:FINDING; there are {names}"
        )
    tasks = {entry.task for entry in matches}
    if len(tasks) > 1:
        names = ", ".join(shown(str(name), 40) for name in sorted(map(str, tasks))[:5])
        raise ConfigError(f"'{shown(finding_id)}' is in several tasks: {names}; choose by --task")
    return matches


def _accept_one(
    file: Path,
    result: "Result",
    finding_id: str,
    why: str,
    rule: str | None,
    yes: bool,
    config: Path | None,
    reading: options.Reading,
) -> bool:
    """Accepts a finding of a run, if a person agrees.

    Returns:
        Whether a rule was written; False if the finding is fine already.

    Raises:
        Exit: with GATE_FAILED if nothing was written.
    """
    from otap.golden.acceptance import RefusedError, accept_finding, find_finding

    case = _load_case(file, result, config, reading)
    before = case.score()
    if not any(finding.id.startswith(finding_id) for finding in before.findings):
        return False
    finding = find_finding(before, finding_id)
    if finding.severity == "critical" and case.config.strict and not why:
        raise ConfigError(
            f"{finding.id} is critical in strict mode; say why it is fine: --why 'REASON'"
        )
    say(f"{finding.severity} {finding.id}: {finding.sentence}")
    try:
        acceptance = accept_finding(case, finding.id, rule)
    except RefusedError as refusal:
        say(f"refused: {refusal}")
        raise Exit(GATE_FAILED) from None
    comment = _write_comment(finding, result, why, case.run)
    path, old_text, new_text, old_path = _edit(acceptance, case, comment, config)
    _show_diff(path, old_text, new_text)
    _warn_of_private_values(old_text, new_text)
    if old_path is not None:
        say(f"{shown_path(old_path)} becomes the plan {shown_path(path)}")
    for other in acceptance.no_longer_judged:
        say(f"a plan does not judge {other.id} either: {other.severity} {other.sentence}")
    say(f"rule {acceptance.rule.name}; the run then scores {score_text(acceptance.after.score)}")
    if not yes and not ask(f"otap: write {path}?"):
        say("nothing was written; --yes writes without asking")
        raise Exit(GATE_FAILED)
    write(path, new_text)
    if old_path is not None and old_path != path:
        old_path.unlink()
    say(f"{shown_path(path)}: {finding.id} is accepted")
    return True


def _write_comment(finding: "Finding", result: "Result", why: str, run: "Trajectory") -> str:
    """Returns the comment in the file, without private values of the run."""
    from otap.run.redaction import RunRedactor

    redactor = RunRedactor()
    redactor.learn([run])
    reason = f": {redactor.hide(' '.join(why.split()))}" if why.strip() else ""
    name = shown(redactor.hide(result.readable_name), 60)
    return f"accepted {finding.id} of {name} on {read_today().date().isoformat()}{reason}"


def _load_case(
    file: Path, result: "Result", config_file: Path | None, reading: options.Reading
) -> "Case":
    """Returns the run of a result with its references as they are now, and the known-bad runs.

    Raises:
        ConfigError: if a reference is not in a file of its own.
    """
    from otap.evaluation.explaining import TraceFinder
    from otap.golden.acceptance import Case
    from otap.scoring.gate import gate
    from otap.scoring.selection import ReferenceIndex

    config = load_config(config_file, _read_overrides(result)).config
    traces = TraceFinder(file.parent, [result], reading.format_name, reasoning=reading.reasoning)
    if result.source is None:
        raise FormatError(f"{shown_path(file)}: does not say where its run was read")
    run = traces.run(result.source).model_copy(update={"task": result.task})
    paths = dict.fromkeys(
        path
        for source in result.reference_sources
        if source.path
        for path in (Path(source.path), Path(source.path).with_suffix(".toml"))
    )
    references: list[Trajectory] = []
    for path in paths:
        if path.is_file():
            references += formats.read_references(str(path))
    if not references:
        raise FormatError(f"{shown_path(file)}: its references are gone; run otap check again")
    index = ReferenceIndex(references, config.task_rule)
    chosen = index.of_run(run).references
    data = {k: _read_data(reference) for k, reference in enumerate(chosen)}
    bad_folder = Path(config.golden.bad)
    bad_index = ReferenceIndex(chosen, config.task_rule)
    bad_runs = [bad for bad in read_folder(bad_folder) if _is_of_task(bad, result.task, bad_index)]
    return Case(
        run, chosen, {k: table for k, table in data.items() if table is not None}, config,
        _read_settings(config_file), bad_runs,
        gate(config.golden.fail_under, config.golden.fail_on, strict=config.strict),
    )  # fmt: skip


def _read_overrides(result: "Result") -> dict[str, Any]:
    """The settings of the command line that the signature of a result shows."""
    overrides = {name: result.signature.get(name) for name in ("strict", "only_changes")}
    return {name: value for name, value in overrides.items() if value}


def _is_of_task(bad: "Trajectory", task: str | None, index: Any) -> bool:
    return bad.task is None or task is None or bad.task == task or bad.task in index.tasks


def _read_data(reference: "Trajectory") -> dict[str, Any] | None:
    """Returns the data of a reference that is a plan in a file of its own; None for a run."""
    from otap.golden.editing import read_toml
    from otap.plans import Plan

    if not isinstance(reference, Plan) or reference.source is None or not reference.source.path:
        return None
    path = Path(reference.source.path)
    text = path.read_text(encoding="utf-8-sig")
    data = read_toml(text) if path.suffix == ".toml" else json.loads(text)
    if not isinstance(data, dict):
        raise ConfigError(f"{shown_path(path)}: holds several plans; give each a file of its own")
    return data


def _read_settings(config_file: Path | None) -> Mapping[str, Any]:
    from otap.golden.editing import read_toml

    path = config_file or SETTINGS
    return read_toml(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _edit(
    acceptance: "Acceptance", case: "Case", comment: str, config_file: Path | None
) -> tuple[Path, str, str, Path | None]:
    """Returns the file to write, its old and its new text, and the recording that it replaces."""
    from otap.golden.acceptance import add_settings
    from otap.golden.editing import edit_plan, edit_settings, write_plan

    rule = acceptance.rule
    if rule.settings is not None:
        path = config_file or SETTINGS
        old_text = path.read_text(encoding="utf-8") if path.is_file() else ""
        new = add_settings(case.settings, rule.settings)
        return path, old_text, edit_settings(old_text, rule.settings, new, comment), None
    assert rule.plan is not None
    source = case.references[acceptance.index].source
    if source is None or source.path is None or (source.index or 0) > 0:
        raise ConfigError("the reference has no file of its own, so no rule can be written to it")
    path = Path(source.path)
    if acceptance.is_converted:
        head = f"The plan of {shown_path(path)}, in which differences were accepted."
        old_text = write_plan(acceptance.base, head)
        new_text = edit_plan(old_text, acceptance.base, rule.plan, comment)
        return path.with_suffix(".toml"), old_text, new_text, path
    old_text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".toml":
        return path, old_text, edit_plan(old_text, acceptance.base, rule.plan, comment), None
    metadata = dict(rule.plan.get("metadata", {}))
    metadata["accepted"] = [*metadata.get("accepted", []), comment]
    content = {**rule.plan, "metadata": metadata}
    return path, old_text, json.dumps(content, ensure_ascii=False, indent=2) + "\n", None


def _show_diff(path: Path, old_text: str, new_text: str) -> None:
    lines = difflib.unified_diff(
        old_text.splitlines(), new_text.splitlines(), str(path), str(path), lineterm="", n=2
    )
    for text in lines:
        print(escaped(text))


def _warn_of_private_values(old_text: str, new_text: str) -> None:
    """Says which private values of the run a rule would write into the file."""
    from otap.run.private_values import find_private

    old_lines = set(old_text.splitlines())
    added = [text for text in new_text.splitlines() if text not in old_lines]
    kinds = sorted({part.kind for text in added for part in find_private(text)})
    if kinds:
        say(
            f"the rule has private values of the run ({', '.join(kinds)}); --as any leaves all"
            " values of the call free"
        )


def _record_mistake(
    file: Path,
    result: "Result",
    finding_id: str,
    why: str,
    config_file: Path | None,
    reading: options.Reading,
) -> None:
    """Appends a mistaken finding to a file for a report, without private values."""
    from otap.golden.mistakes import describe_mistake

    case = _load_case(file, result, config_file, reading)
    matches = [finding for finding in result.findings if finding.id.startswith(finding_id)]
    record = describe_mistake(case, matches[0], why)
    old_text = MISTAKES.read_text(encoding="utf-8") if MISTAKES.is_file() else ""
    if record in old_text.splitlines():
        say(f"{MISTAKES}: has {matches[0].id} already")
        return
    write(MISTAKES, f"{old_text}{record}\n")
    count = len(old_text.splitlines()) + 1
    say(f"{MISTAKES}: {count_text(count, 'mistaken finding')}; attach it to a report")
