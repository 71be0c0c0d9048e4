"""Which failures matter: what becomes of calls that failed, by what it is worth on tasks held out.

A failed call weighs next to nothing. Where runs with failed calls are good less often than others
it is tried to let them weigh a tenth of an ordinary step, or as much; else to leave them out, or
those that were tried again.
"""

from collections.abc import Iterator, Sequence

from otap._numbers import count_text
from otap.learning.rules.chance import LEAST_TASKS, LEVEL
from otap.learning.rules.compared import Compared
from otap.learning.rules.rule import Rule
from otap.learning.rules.trials import Trial, Trials
from otap.learning.runs import Case
from otap.learning.setting import Setting, with_settings

Tried = tuple[tuple[str, ...], str | float]
_LESS: Sequence[Tried] = ((("failed",), "dropped"), (("failed",), "folded"))
_MORE: Sequence[Tried] = ((("counts", "failed"), 0.1), (("counts", "failed"), 1.0))
_TRIED = len(_LESS) + len(_MORE)


def failures(cases: Sequence[Compared], trials: Trials) -> Iterator[Rule]:
    """Yields the rule of failed calls.

    Raises:
        OtapError: if a case cannot be scored.
    """
    failed = [one.case for one in cases if _fails(one.case)]
    rest = [one.case for one in cases if not _fails(one.case)]
    tasks = len({case.task for case in failed})
    said = _said(failed, rest)
    if tasks < LEAST_TASKS:
        yield Rule("failures", "", f"{said}; {LEAST_TASKS} tasks are needed")
        return
    # Which ones to score: that halves the work, and what is tried is proven as before.
    matters = _share_good(failed) * len(rest) < sum(case.good for case in rest)
    best, trial = max(
        _tried(_MORE if matters else _LESS, trials), key=lambda found: found[1].gain.mean
    )
    if not trial.proves(LEVEL / _TRIED):
        yield Rule("failures", "", f"{said}; {_text(best)} is not beyond chance: {trial}")
        return
    evidence = f"{said}; {trial}"
    yield Rule("failures", "", evidence, (Setting(best.path, best.value, evidence),))


def _tried(tried: Sequence[Tried], trials: Trials) -> Iterator[tuple[Setting, Trial]]:
    for path, value in tried:
        setting = Setting(path, value, "")
        if with_settings(trials.config, [setting]) != trials.config:
            yield setting, trials.of([setting])


def _text(setting: Setting) -> str:
    return f"{'.'.join(setting.path)} = {setting.value}"


def _share_good(cases: Sequence[Case]) -> float:
    return sum(case.good for case in cases) / len(cases)


def _said(failed: Sequence[Case], rest: Sequence[Case]) -> str:
    if not failed:
        return "no call failed"
    tasks = count_text(len({case.task for case in failed}), "task")
    return (
        f"{count_text(len(failed), 'run')} of {tasks} with a failed call,"
        f" {sum(case.good for case in failed)} of them good;"
        f" of {len(rest)} without, {sum(case.good for case in rest)}"
    )


def _fails(case: Case) -> bool:
    return any(step.status == "error" for step in case.run.steps)
