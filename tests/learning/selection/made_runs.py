"""Made runs of a task with several ways to do it."""

from collections.abc import Sequence

import otap

WAYS = (
    ("open_ticket", "assign_agent", "send_invoice"),
    ("cancel_order", "refund_payment", "update_stock", "notify_customer"),
    ("create_backup", "delete_table", "restore_backup"),
)


def run(
    name: str,
    tools: Sequence[str],
    values: Sequence[object] = (),
    *,
    outcome: float | None = 1.0,
    task: str | None = "t",
    said: str = "do it",
) -> otap.Trajectory:
    """A run that calls these tools one after the other, each with a value."""
    steps = [
        otap.Step(
            id=f"{name}-{place}",
            action=said,
            tool=tool,
            arguments={"which": values[place] if place < len(values) else place},
            depends_on=[f"{name}-{place - 1}"] if place else [],
        )
        for place, tool in enumerate(tools)
    ]
    return otap.Trajectory(id=name, task=task, outcome=outcome, steps=steps)


def planted(sizes: Sequence[int] = (5, 4, 3)) -> list[otap.Trajectory]:
    """Runs of each way, all with a value of their own in one place."""
    return [
        run(f"{way}.{k}", WAYS[way], [f"v{k}"])
        for way, size in enumerate(sizes)
        for k in range(size)
    ]
