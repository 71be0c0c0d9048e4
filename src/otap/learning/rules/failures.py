"""Which failures matter: what becomes of calls that failed, by what it is worth on tasks held out.

A failed call weighs next to nothing. Tried are to leave it out, to leave it out where it was tried
again, and to let it weigh a tenth of an ordinary step, or as much.
"""

from collections.abc import Iterator, Sequence

from otap.learning.rules.chance import LEAST_TASKS, LEVEL
from otap.learning.rules.compared import Compared
from otap.learning.rules.rule import Rule, counted
from otap.learning.rules.trials import Trial, Trials
from otap.learning.runs import Case
from otap.learning.setting import Setting, with_settings

_TRIED = (
    (("failed",), "dropped"),
    (("failed",), "folded"),
    (("counts", "failed"), 0.1),
    (("counts", "failed"), 1.0),
)


def failures(cases: Sequence[Compared], trials: Trials) -> Iterator[Rule]:
    """Yields the rule of failed calls.

    Raises:
        OtapError: if a case cannot be scored.
    """
    failed = [one.case for one in cases if _fails(one.case)]
    tasks = len({case.task for case in failed})
    said = _said(failed, [one.case for one in cases])
    if tasks < LEAST_TASKS:
        yield Rule("failures", "", f"{said}; {LEAST_TASKS} tasks are needed")
        return
    best, trial = max(_tried(trials), key=lambda found: found[1].gain.mean)
    if not trial.proves(LEVEL / len(_TRIED)):
        yield Rule("failures", "", f"{said}; {_text(best)} is not beyond chance: {trial}")
        return
    evidence = f"{said}; {trial}"
    yield Rule("failures", "", evidence, (Setting(best.path, best.value, evidence),))


def _tried(trials: Trials) -> Iterator[tuple[Setting, Trial]]:
    for path, value in _TRIED:
        setting = Setting(path, value, "")
        if with_settings(trials.config, [setting]) != trials.config:
            yield setting, trials.of([setting])


def _text(setting: Setting) -> str:
    return f"{'.'.join(setting.path)} = {setting.value}"


def _said(failed: Sequence[Case], cases: Sequence[Case]) -> str:
    tasks = counted(len({case.task for case in failed}), "task")
    good, others = sum(case.good for case in failed), len(cases) - len(failed)
    rest = sum(case.good for case in cases) - good
    return (
        f"{counted(len(failed), 'run')} of {tasks} with a failed call, {good} of them good;"
        f" of {others} without, {rest}"
    )


def _fails(case: Case) -> bool:
    return any(step.status == "error" for step in case.run.steps)
