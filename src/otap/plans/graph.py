"""A plan as a graph: what comes before what; options and alternatives are steps of their own."""

from collections.abc import Iterator, Sequence

from otap.errors import shown
from otap.plans.model import Plan, PlanStep
from otap.plans.patterns import say_pattern
from otap.run import DependencyGraph, Edge
from otap.trajectory import Step, Trajectory

SHOWN = 60  # characters of what a step asks for


def plan_graph(plan: Plan) -> tuple[Trajectory, DependencyGraph]:
    """Returns the steps of a plan as its drawings show them, and what comes before what.

    Alternatives stand behind a step of their own that says how many there are.

    Args:
        plan: the plan.
    """
    steps = list(_list_steps(plan.listed))
    steps = _put_in_order(steps)
    places = {step.id: k for k, step in enumerate(steps)}
    edges = tuple(
        Edge(places[before], k) for k, step in enumerate(steps) for before in step.depends_on or ()
    )
    drawn = Trajectory(id=plan.name, steps=tuple(steps))
    return drawn, DependencyGraph(len(steps), edges, "plan")


def _list_steps(steps: Sequence[PlanStep], above: str | None = None) -> Iterator[Step]:
    for step in steps:
        after = tuple(dict.fromkeys([*step.after, *([above] if above else [])]))
        yield Step(id=str(step.id), kind="tool", tool=_describe(step), depends_on=after)
        for k, several in enumerate(step.one_of or ()):
            for inner in _list_steps(several, str(step.id)):
                yield inner.model_copy(update={"tool": f"{chr(97 + k)}) {inner.tool}"})


def _describe(step: PlanStep) -> str:
    """The tools of a step, what its arguments are, and how often it is due, in one line."""
    least, most = step.bounds
    words = {(1, 1): "", (0, 1): "optional", (0, 0): "never", (1, None): "at least once"}
    default = f"at least {least} times" if most is None else f"{least} to {most} times"
    due = words.get(step.bounds, default)
    what = " or ".join(step.tools)
    if step.one_of is not None:
        what = f"one of {len(step.one_of)}"
    said = ", ".join(f"{key}: {say_pattern(one)}" for key, one in (step.arguments or {}).items())
    return shown(f"{due}: {what}" if due else what, SHOWN) + (f" ({said})" if said else "")


def _put_in_order(steps: Sequence[Step]) -> list[Step]:
    """The steps, each behind those that come before it."""
    rest, found, known = list(steps), list[Step](), set[str]()
    while rest:
        step = next(one for one in rest if known.issuperset(one.depends_on or ()))
        rest.remove(step)
        found.append(step)
        known.add(step.id)
    return found
