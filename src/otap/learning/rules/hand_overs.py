"""What hands over: tools that end the runs that call them, where outcomes say they do not matter.

Position alone says nothing: a payment is often the last call, too. So a tool is taken for a
hand-over only if scores under that role are worth more on tasks held out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from otap.dependencies.tool_names import ByTool
from otap.learning.rules.chance import LEAST_TASKS, LEVEL
from otap.learning.rules.compared import Compared
from otap.learning.rules.rule import Rule, counted
from otap.learning.rules.trials import Trials
from otap.learning.runs import Case
from otap.learning.setting import Setting
from otap.scoring import Config, Tools

_TRIED = 4  # tools that are scored under another role, those of most tasks


def ends_runs(cases: Iterable[Case]) -> Mapping[str, tuple[int, int]]:
    """Returns for each tool how often it was the last call of a run, and how often it was called.

    Args:
        cases: whose runs are looked at; thoughts are no calls.
    """
    called: Counter[str] = Counter()
    last: Counter[str] = Counter()
    for case in cases:
        tools = [step.tool for step in case.run.steps if step.tool is not None]
        called.update(tools)
        last.update(tools[-1:])
    return {tool: (last[tool], called[tool]) for tool in sorted(called)}


def hand_overs(cases: Sequence[Compared], trials: Trials) -> Iterator[Rule]:
    """Yields the rules of tools that end runs.

    Raises:
        OtapError: if a case cannot be scored.
    """
    tasks = _ending(cases, trials.config)
    enough = [tool for tool, found in tasks.items() if len(found) >= LEAST_TASKS]
    enough.sort(key=lambda tool: (-len(tasks[tool]), tool))
    for tool in enough[:_TRIED]:
        yield _rule(tool, cases, trials, LEVEL / len(enough))
    if not enough:
        yield Rule("hand-overs", "", _missing(tasks))


def _rule(tool: str, cases: Sequence[Compared], trials: Trials, level: float) -> Rule:
    found = [one.case for one in cases if _calls(one.case, tool)]
    tasks = counted(len({case.task for case in found}), "task")
    good = sum(case.good for case in found)
    trial = trials.of([Setting(("tools", "hands_over"), tool, "")])
    said = f"the last call of all {counted(len(found), 'run')} that call it, of {tasks}"
    evidence = f"{said}, {good} of them good; {trial}"
    if trial.chance >= level:
        return Rule("hand-overs", tool, f"{evidence}; outcomes do not say that it hands over")
    setting = Setting(("tools", "hands_over"), tool, evidence)
    return Rule("hand-overs", tool, evidence, (setting,))


def _missing(tasks: Mapping[str, set[str]]) -> str:
    if not tasks:
        return "every tool that always ends its runs is known to hand over"
    most = max(tasks, key=lambda tool: (len(tasks[tool]), tool))
    return (
        f"{most} always ends its runs, in {counted(len(tasks[most]), 'task')};"
        f" {LEAST_TASKS} are needed"
    )


def _ending(cases: Sequence[Compared], config: Config) -> dict[str, set[str]]:
    """The tools whose calls all end a run and are not said to do anything, with their tasks."""
    said, over = _said(config.tools), _handing_over(cases)
    ends = ends_runs(one.case for one in cases)
    always = [tool for tool, (last, called) in ends.items() if last == called]
    return {
        tool: {one.case.task for one in cases if _calls(one.case, tool)}
        for tool in always
        if tool not in over and not said.get(tool)
    }


def _said(tools: Tools) -> ByTool[bool]:
    named = (
        *tools.ignore, *tools.read_only, *tools.writes, *tools.thinks, *tools.hands_over,
        *tools.weight,
    )  # fmt: skip
    return ByTool(dict.fromkeys(named, True))


def _handing_over(cases: Sequence[Compared]) -> set[str]:
    return {
        step.tool
        for one in cases
        for step, role in zip(one.run.steps, one.run.roles, strict=True)
        if role == "hands_over" and step.tool is not None
    }


def _calls(case: Case, tool: str) -> bool:
    return any(step.tool == tool for step in case.run.steps)
