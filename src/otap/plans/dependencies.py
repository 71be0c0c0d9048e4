"""Draws a plan as a graph of the order of its steps, including options and alternatives."""

from collections.abc import Iterator, Sequence

from otap.errors import shown
from otap.graph import DependencyGraph, Edge
from otap.plans.model import Plan, PlanStep
from otap.plans.patterns import describe_pattern
from otap.trajectory import Step, Trajectory

MAX_LABEL = 60  # characters of the tools in the label of a step


def plan_graph(plan: Plan) -> tuple[Trajectory, DependencyGraph]:
    """Returns the steps of a plan for drawing, and the graph of their order.

    Alternatives come after a step with their number.

    Args:
        plan: the plan.
    """
    steps = _sort_by_order(list(_list_steps(plan.listed)))
    indices = {step.id: k for k, step in enumerate(steps)}
    edges = tuple(
        Edge(indices[before], k) for k, step in enumerate(steps) for before in step.depends_on or ()
    )
    drawing = Trajectory(id=plan.name, steps=tuple(steps))
    return drawing, DependencyGraph(len(steps), edges, "plan")


def _list_steps(steps: Sequence[PlanStep], parent: str | None = None) -> Iterator[Step]:
    for step in steps:
        after = tuple(dict.fromkeys([*step.after, *([parent] if parent else [])]))
        yield Step(id=str(step.id), kind="tool", tool=_describe(step), depends_on=after)
        for k, alternative in enumerate(step.one_of or ()):
            for inner in _list_steps(alternative, str(step.id)):
                yield inner.model_copy(update={"tool": f"{chr(97 + k)}) {inner.tool}"})


def _describe(step: PlanStep) -> str:
    """Returns the label of a step: the number of calls, the tools and the arguments."""
    least, most = step.bounds
    labels = {(1, 1): "", (0, 1): "optional", (0, 0): "never", (1, None): "at least once"}
    default = f"at least {least} times" if most is None else f"{least} to {most} times"
    number = labels.get(step.bounds, default)
    tools = " or ".join(step.tools) if step.one_of is None else f"one of {len(step.one_of)}"
    label = shown(f"{number}: {tools}" if number else tools, MAX_LABEL)
    arguments = ", ".join(
        f"{key}: {describe_pattern(pattern)}" for key, pattern in (step.arguments or {}).items()
    )
    return f"{label} ({arguments})" if arguments else label


def _sort_by_order(steps: Sequence[Step]) -> list[Step]:
    """Returns the steps, each after those that come before it."""
    remaining, ordered, ordered_ids = list(steps), list[Step](), set[str]()
    while remaining:
        step = next(step for step in remaining if ordered_ids.issuperset(step.depends_on or ()))
        remaining.remove(step)
        ordered.append(step)
        ordered_ids.add(step.id)
    return ordered
