"""Rules of arguments: what good runs of one task fill differently, as a rule.

Looked at are the writes of good runs beside those of their references that they stand for, path by
path, where at least half of the other paths agree. A path is left out, compared as text where it is
prose, or within a tolerance where its numbers differ slightly, if it differs in more than every
second task. A list is a set if its order differs in more than one task of ten: where order counts,
good runs keep it.

Each is the exact binomial test over tasks, by the number of paths; a task counts once, as most of
its calls do. What passes must lose nothing on tasks held out.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from otap._numbers import count_text
from otap.dependencies.tool_names import ByTool
from otap.learning.rules.chance import LEAST_TASKS, LEVEL, at_least, least_share
from otap.learning.rules.compared import Compared, same_tool
from otap.learning.rules.differences import Difference, differences
from otap.learning.rules.rule import Rule
from otap.learning.rules.trials import Trials
from otap.learning.setting import Setting
from otap.scoring import Config, Parameters

_AS_A_RULE = 0.5  # of the tasks: what differs in more is no matter of what was asked for
_SLIPS = 0.1  # of the tasks: lists of which no more are in another order may have an order
_SLIGHTLY = 0.1  # the largest difference of numbers that a tolerance allows, of the larger one
_COUNTS = 0.5  # the weight from which on a tool counts like one that writes
_LOOKED_AT = 400  # good runs: of more every second is, or every third
_TRIED = 6  # rules that are scored alone where all together lose something

Path = tuple[str, str]


@dataclass(eq=False)
class Filled:
    """How good runs filled one path: in what each call differs from the reference's, by task."""

    by_task: defaultdict[str, list[Difference]] = field(default_factory=lambda: defaultdict(list))

    @property
    def calls(self) -> list[Difference]:
        """The differences of all calls."""
        return [one for found in self.by_task.values() for one in found]

    @property
    def differing(self) -> list[Difference]:
        """Of the calls that differ in more than the order of a list."""
        return [one for one in self.calls if not one.same]

    @property
    def tasks(self) -> int:
        """The tasks where it was filled."""
        return len(self.by_task)

    @property
    def differs(self) -> int:
        """The tasks where most calls differ."""
        return sum(
            2 * sum(not one.same for one in found) > len(found) for found in self.by_task.values()
        )

    @property
    def listed(self) -> int:
        """The tasks with lists of the same members."""
        return sum(any(one.listed for one in found) for found in self.by_task.values())

    @property
    def reordered(self) -> int:
        """The tasks with lists of the same members in another order."""
        return sum(any(one.way == "order" for one in found) for found in self.by_task.values())


def arguments(cases: Sequence[Compared], trials: Trials) -> Iterator[Rule]:
    """Yields the rules of arguments.

    Raises:
        OtapError: if a case cannot be scored.
    """
    filled = _filled(cases, trials.config)
    enough = {path: one for path, one in filled.items() if one.tasks >= LEAST_TASKS}
    said = ByTool(trials.config.parameters)
    found = [
        setting
        for path, one in enough.items()
        if not _is_said(path, said, trials.config)
        if (setting := _setting(path, one, LEVEL / len(enough))) is not None
    ]
    if not found:
        yield Rule("arguments", "", _missing(filled))
    yield from _tried(found, trials)


def _tried(found: Sequence[Setting], trials: Trials) -> Iterator[Rule]:
    """The rules that lose nothing on tasks held out: all together, else those that do so alone."""
    together = bool(found) and trials.holds(found)
    for place, one in enumerate(found):
        holds = together or (place < _TRIED and len(found) > 1 and trials.holds([one]))
        if holds:
            evidence = f"{one.evidence}; on tasks held out nothing is lost"
            settings: tuple[Setting, ...] = (Setting(one.path, one.value, evidence),)
        else:
            evidence = (
                f"{one.evidence}; but scores that overlook it tell outcomes worse, or not at all"
            )
            settings = ()
        yield Rule("arguments", _about(one), evidence, settings)


def _about(setting: Setting) -> str:
    tool, *rest = setting.path[1:]
    return f"{tool}.{rest[1] if len(rest) > 1 else setting.value}"


def _setting(path: Path, found: Filled, level: float) -> Setting | None:
    """The setting for which good runs are evidence enough; None: there is none."""
    tool, name = path
    if found.listed >= LEAST_TASKS and at_least(found.reordered, found.listed, _SLIPS) < level:
        return Setting(("parameters", tool, "sets"), name, _said_of_order(path, found))
    if at_least(found.differs, found.tasks, _AS_A_RULE) >= level:
        return None
    evidence = _said(path, found, level)
    if (near := _tolerance(found.differing)) is not None:
        return Setting(("parameters", tool, "tolerance", name), near, evidence)
    prose = sum(one.way == "prose" for one in found.differing)
    way = "text" if 2 * prose > len(found.differing) else "ignore"
    return Setting(("parameters", tool, way), name, evidence)


def _tolerance(differing: Sequence[Difference]) -> str | None:
    """The tolerance that numbers need, as 1, 2 or 5 per cent and the like; None: it is too much."""
    most = max(one.size for one in differing)
    if most > _SLIGHTLY or any(one.way != "number" for one in differing):
        return None
    unit = 10.0 ** math.floor(math.log10(most))
    wide = next(unit * times for times in (1, 2, 5, 10) if most <= unit * times * (1 + 1e-9))
    return f"{100 * wide:.10g}%"


def _said(path: Path, found: Filled, level: float) -> str:
    least = least_share(found.differs, found.tasks, level)
    return (
        f"{'.'.join(path)}: good runs fill it differently in {len(found.differing)} of"
        f" {count_text(len(found.calls), 'call')}, as a rule in {found.differs} of"
        f" {count_text(found.tasks, 'task')}, of more at least {100 * least:.0f} %"
    )


def _said_of_order(path: Path, found: Filled) -> str:
    return (
        f"{'.'.join(path)}: good runs list the same in another order in {found.reordered} of"
        f" {count_text(found.listed, 'task')}"
    )


def _missing(filled: Mapping[Path, Filled]) -> str:
    if not filled:
        return "no write of a good run stands for one of its reference"
    calls = sum(len(one.calls) for one in filled.values())
    agree = calls - sum(len(one.differing) for one in filled.values())
    met = max(one.tasks for one in filled.values())
    said = (
        f"{agree} of {count_text(calls, 'value')} that good runs write are those of their"
        " references"
        f" ({math.floor(1000 * agree / calls) / 10:g} %), of {count_text(len(filled), 'path')}"
        f" in up to {count_text(met, 'task')}"
    )
    if agree < calls:
        said += f"; {_most(filled)}"
    return f"{said}; {LEAST_TASKS} tasks with a path are needed" if met < LEAST_TASKS else said


def _most(filled: Mapping[Path, Filled]) -> str:
    """The path that differs most."""

    def differing(path: Path) -> tuple[float, int, Path]:
        calls, apart = len(filled[path].calls), len(filled[path].differing)
        return apart / calls, apart, path

    path = max(filled, key=differing)
    return (
        f"the most differs {'.'.join(path)}, in {differing(path)[1]} of {len(filled[path].calls)}"
    )


def _is_said(path: Path, said: ByTool[Parameters], config: Config) -> bool:
    """Whether the settings say already how a path counts."""
    tool, name = path
    rules = said.get(tool), config.parameters.get("*")
    return any(name in _named(rule) for rule in rules if rule is not None)


def _named(rule: Parameters) -> set[str]:
    lists = (*rule.ignore, *rule.exact, *rule.text, *rule.sets, *rule.ordered)
    return {*lists, *rule.tolerance, *rule.defaults}


def _filled(cases: Sequence[Compared], config: Config) -> dict[Path, Filled]:
    """How good runs filled each path of each tool that writes and counts, by tool and path."""
    found: defaultdict[Path, Filled] = defaultdict(Filled)
    weight = ByTool(config.tools.weight)
    good = [one for one in cases if one.case.good]
    for one in good[:: math.ceil(len(good) / _LOOKED_AT) or 1]:
        for path, difference in one.noted(_calls):
            found[path].by_task[one.case.task].append(difference)
    return {path: found[path] for path in sorted(found) if (weight.get(path[0]) or 1) >= _COUNTS}


def _calls(one: Compared) -> list[tuple[Path, Difference]]:
    """In what the writes of a run differ from those that they stand for."""
    return list(_written(one))


def _written(one: Compared) -> Iterator[tuple[Path, Difference]]:
    for i, j in one.counterparts.items():
        tool = one.reference.steps[j].tool
        if tool is None or not same_tool(tool, one.recorded.steps[i].tool):
            continue
        if _writes(one, i, j):
            for name, difference in _where_the_rest_agrees(_differences(one, i, j)):
                yield (tool, name), difference


def _differences(one: Compared, i: int, j: int) -> Mapping[str, Difference]:
    """In what a call differs from the one that it stands for, in the names of the latter."""
    theirs = one.reference.steps[j].arguments
    found = differences(one.recorded.steps[i].arguments, theirs)
    # Most calls are equal as they were recorded, and what is another name need not be found.
    same = all(difference.same for difference in found.values())
    return found if same else differences(one.run.steps[i].arguments, theirs)


def _where_the_rest_agrees(found: Mapping[str, Difference]) -> Iterator[tuple[str, Difference]]:
    """The paths of a call of which at least half of the others agree."""
    apart = sum(not difference.same for difference in found.values())
    for name, difference in found.items():
        others = apart - (not difference.same)
        if 2 * others <= len(found) - 1:
            yield name, difference


def _writes(one: Compared, i: int, j: int) -> bool:
    failed = one.recorded.failed[i] or one.reference.failed[j]
    return not failed and one.recorded.roles[i] == one.reference.roles[j] == "writes"
