"""Calls for many objects, taken apart into single calls."""

from pydantic import JsonValue

from otap.trajectory import Step, Trajectory
from otap.values.tool_names import MAX_NAME, last_part

MAX_ROWS = 200  # a call for more objects stays one call
# Verbs of a call that sets a list as a whole: the flights of a booking.
WHOLE_LIST_VERBS = ("update", "set", "change", "edit", "modify", "patch", "replace", "fill")


def split_batches(trajectory: Trajectory) -> Trajectory:
    """Returns a run in which a call for many objects is one call for each row of its list.

    Such a call has one list of objects, other arguments that hold for each of them, and a plural
    name (``add_items``). Its effect is divided by row if it is a list of equal length. A text is
    the effect of each row, and anything else that of the last.
    """
    steps = [single for step in trajectory.steps for single in _split_batch(step)]
    is_unchanged = len(steps) == len(trajectory.steps) and all(
        single is step for single, step in zip(steps, trajectory.steps, strict=True)
    )
    if is_unchanged:
        return trajectory
    ids = {step.id for step in steps}
    if len(ids) < len(steps) or any(step.depends_on is not None for step in steps):
        return trajectory  # recorded dependencies refer to the ids
    return trajectory.model_copy(update={"steps": tuple(steps)})


def _split_batch(step: Step) -> list[Step]:
    arguments, tool = step.arguments, step.tool or ""
    if not isinstance(arguments, dict) or step.substeps or not tool.endswith("s"):
        return [step]
    name = last_part(tool)
    if len(name) > MAX_NAME or name.lower().startswith(WHOLE_LIST_VERBS):
        return [step]
    shared, lists = dict[str, JsonValue](), list[list[JsonValue]]()
    for key, argument in arguments.items():
        if isinstance(argument, list) and argument and isinstance(argument[0], dict):
            lists.append(argument)
        elif isinstance(argument, list | dict):
            return [step]
        else:
            shared[key] = argument
    rows = lists[0] if len(lists) == 1 else []
    if not 1 <= len(rows) <= MAX_ROWS or not all(_is_flat(row) for row in rows):
        return [step]
    effects: list[JsonValue] = [step.effect] * len(rows)
    if isinstance(step.effect, list) and len(step.effect) == len(rows):
        effects = step.effect
    elif not isinstance(step.effect, str):
        effects[:-1] = [None] * (len(rows) - 1)
    suffixes = [f"/{k}" for k in range(1, len(rows) + 1)] if len(rows) > 1 else [""]
    return [
        step.model_copy(
            update={"id": f"{step.id}{suffix}", "arguments": shared | row, "effect": effect}
        )
        for suffix, row, effect in zip(suffixes, rows, effects, strict=True)
        if isinstance(row, dict)
    ]


def _is_flat(row: object) -> bool:
    return isinstance(row, dict) and not any(
        isinstance(member, list | dict) for member in row.values()
    )
