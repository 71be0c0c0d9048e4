"""What hands over: tools that end the runs that call them, where outcomes say they do not matter.

Position alone says nothing: a payment is often the last call, too. So a tool is taken for a
hand-over only if good runs depart from their references in it, in at least half of the tasks where
any run does, and if scores under that role are worth more on tasks held out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from otap._numbers import count_text
from otap.dependencies.tool_names import ByTool
from otap.learning.rules.chance import LEAST_TASKS, LEVEL
from otap.learning.rules.compared import Compared, same_tool
from otap.learning.rules.rule import Rule
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
    departing = _departing(cases, trials.config)
    enough = [tool for tool, found in departing.items() if len(_tasks(found)) >= LEAST_TASKS]
    for tool in enough[:_TRIED]:
        yield _rule(tool, departing[tool], trials, LEVEL / len(enough))
    if not enough:
        yield Rule("hand-overs", "", _missing(departing))


def _rule(tool: str, departing: Sequence[Case], trials: Trials, level: float) -> Rule:
    said = _evidence(tool, departing)
    good = [case for case in departing if case.good]
    if 2 * len(_tasks(good)) < len(_tasks(departing)):
        return Rule("hand-overs", tool, f"{said}: it matters")
    trial = trials.of([Setting(("tools", "hands_over"), tool, "")])
    evidence = f"{said}; {trial}"
    if not trial.proves(level):
        return Rule("hand-overs", tool, f"{evidence}: not beyond chance")
    setting = Setting(("tools", "hands_over"), tool, evidence)
    return Rule("hand-overs", tool, evidence, (setting,))


def _evidence(tool: str, departing: Sequence[Case]) -> str:
    tasks, good = count_text(len(_tasks(departing)), "task"), sum(case.good for case in departing)
    if not departing:
        return f"{tool} ends all runs that call it, and no run departs from its reference in it"
    return (
        f"{tool} ends all runs that call it; {count_text(len(departing), 'run')} of {tasks} call it"
        f" where the reference does not, or the other way round, {good} of them good"
    )


def _missing(departing: Mapping[str, Sequence[Case]]) -> str:
    if not departing:
        return "every tool that always ends its runs is known to hand over, or its role is said"
    tool = next(iter(departing))
    return f"{_evidence(tool, departing[tool])}; {LEAST_TASKS} tasks are needed"


def _tasks(cases: Iterable[Case]) -> set[str]:
    return {case.task for case in cases}


def _departing(cases: Sequence[Compared], config: Config) -> dict[str, list[Case]]:
    """The cases that call a tool where the reference does not, or the other way round.

    Of each tool that ends runs and may hand over; those of most tasks first.
    """
    said, over = _said(config.tools), _handing_over(cases)
    ends = ends_runs(one.case for one in cases)
    found = {
        tool: [one.case for one in cases if _departs(one, tool)]
        for tool, (last, called) in ends.items()
        if last == called and tool not in over and not said.get(tool)
    }
    return dict(sorted(found.items(), key=lambda item: (-len(_tasks(item[1])), item[0])))


def _departs(one: Compared, tool: str) -> bool:
    """Whether a tool is called on one side alone."""
    called = [
        any(same_tool(tool, step.tool) for step in side.steps)
        for side in (one.recorded, one.reference)
    ]
    return called[0] != called[1]


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
        for step, role in zip(one.recorded.steps, one.recorded.roles, strict=True)
        if role == "hands_over" and step.tool is not None
    }
