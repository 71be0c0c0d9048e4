"""LangSmith: its run trees, with the runs inside them."""

from typing import Any

from langsmith import Client
from langsmith.run_trees import RunTree

from hosts.scenario import ANSWER, FAILURE, REQUEST, Call

PACKAGES = ("langsmith",)


def _tree(calls: list[Call]) -> RunTree:
    """The tree of one run."""
    root = RunTree(name="clerk", run_type="chain", inputs={"input": REQUEST})
    for call in calls:
        child = root.create_child(name=call.tool, run_type="tool", inputs=call.arguments)
        outputs = None if call.result is None else {"output": call.result}
        child.end(outputs=outputs, error=FAILURE if call.result is None else None)
    root.end(outputs={"output": ANSWER})
    return root


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    tree = _tree(calls)
    return {"RunTree": tree, "runs": [tree, *tree.child_runs], "Run": _run(tree)}


def _run(tree: RunTree) -> Any:
    from langsmith.schemas import Run

    fields = {name: getattr(tree, name) for name in Run.model_fields if hasattr(tree, name)}
    fields["child_runs"] = [_run(child) for child in tree.child_runs]
    return Run(**fields)


def unknown() -> Any:
    """An object that holds no run."""
    return Client(api_url="http://127.0.0.1:1", api_key="none", auto_batch_tracing=False)
