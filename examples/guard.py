"""An agent loop that is stopped before it makes a wrong transfer.

    python examples/guard.py

The loop is that of most frameworks: a model proposes a call, the loop makes it and hands the result
back. Here the model is a script, and nothing is sent anywhere. In LangGraph the check goes into the
node that runs the tools; in the OpenAI Agents SDK into a guardrail of the tool.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import otap

Call = Mapping[str, Any]
FIND = {"tool": "find_contact", "arguments": {"name": "Ana"}}
PAY = {"tool": "transfer", "arguments": {"account": "DE44-001", "amount": 50}}
PAY_WRONG = {"tool": "transfer", "arguments": {"account": "DE44-666", "amount": 50}}
GOLD = otap.parse(
    {
        "steps": [
            {**FIND, "id": "1", "turn": 1, "effect": {"account": "DE44-001"}},
            {**PAY, "id": "2", "turn": 2, "effect": {"transfer_id": "tr_9"}},
        ]
    }
)


class Bank:
    """Tools that remember what they did."""

    def __init__(self) -> None:
        self.paid: list[tuple[str, int]] = []

    def find_contact(self, name: str) -> Mapping[str, Any]:
        """Shows the account of a person."""
        return {"account": {"Ana": "DE44-001"}[name]}

    def transfer(self, account: str, amount: int) -> Mapping[str, Any]:
        """Pays money."""
        self.paid.append((account, amount))
        return {"transfer_id": f"tr_{len(self.paid)}"}


def run_agent(calls: Iterable[Call], bank: Bank, show: Callable[[str], None] = print) -> bool:
    """Makes the calls that a model proposes; returns whether all of them were made.

    Args:
        calls: what the model proposes, one after the other.
        bank: the tools.
        show: takes what happens.
    """
    progress = otap.Scorer().progress(GOLD)
    for call in calls:
        objections = progress.check(call)
        if objections:
            show(f"stopped: {objections[0].sentence}")
            expected = [f"{step.tool}({step.arguments})" for step in progress.what_next()]
            show(f"expected next: {', '.join(expected) or 'nothing'}")
            return False
        effect = getattr(bank, call["tool"])(**call["arguments"])
        reward = progress.add({**call, "effect": effect})
        show(f"{call['tool']}: reward {reward.reward:.2f}")
    return True


if __name__ == "__main__":
    run_agent([FIND, PAY_WRONG], Bank())
