"""The task that every host does: three calls, of which the second fails, and an answer."""

from dataclasses import dataclass, field
from typing import Any

REQUEST = "Refund order 12."
ANSWER = "Order 12 is refunded."
FAILURE = "no fax machine"


@dataclass(frozen=True)
class Call:
    """A call that the scripted model makes. One without a result fails."""

    id: str
    tool: str
    arguments: dict[str, Any] = field(hash=False)
    result: str | None


def script(amount: int) -> list[Call]:
    """The calls of a run that refunds an amount."""
    return [
        Call("call_1", "find_order", {"order": "12"}, "order 12 cost 30"),
        Call("call_2", "send_fax", {"order": "12"}, None),
        Call("call_3", "refund", {"order": "12", "amount": amount}, "refunded"),
    ]


GOOD, WRONG = script(30), script(300)


def find_order(order: str) -> str:
    """Looks up an order.

    Args:
        order: the number of the order.
    """
    return "order 12 cost 30" if order == "12" else "unknown order"


def send_fax(order: str) -> str:
    """Sends a fax about an order.

    Args:
        order: the number of the order.
    """
    raise ValueError(FAILURE)


def refund(order: str, amount: int) -> str:
    """Pays money back.

    Args:
        order: the number of the order.
        amount: the amount of money.
    """
    del order, amount
    return "refunded"


TOOLS = {"find_order": find_order, "send_fax": send_fax, "refund": refund}
