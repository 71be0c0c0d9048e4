"""A call that goes to the address of a page only looks; a robot that navigates acts."""

import pytest

from otap.run.declarations import DeclaredTools
from otap.run.roles import infer_role
from otap.trajectory import Step

LOOKING = [
    ("navigate", {"url": "https://shop.example/account"}),
    ("browser_navigate", {"url": "shop.example"}),
    ("goto", {"url": "/orders"}),
    ("visit_page", {"link": "https://a.example", "timeout": 5}),
    ("mcp__playwright__browser_navigate", {"url": "https://a.example"}),
]
ACTING = [
    ("navigate_to", {"x": 3, "y": 4}),
    ("navigate", {"goal": "bin A-03-2"}),
    ("navigate", {"url": "https://shop.example/orders/7/delete"}),
    ("navigate", {"url": "https://a.example/?token=abcdef"}),
    ("navigate", {"url": "javascript:pay()"}),
    ("visit_customer", {"url": "https://a.example"}),
    ("click", {"url": "https://a.example"}),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "role"),
    [(*call, "reads") for call in LOOKING] + [(*call, "writes") for call in ACTING],
)
def test_the_role_of_going_somewhere(tool: str, arguments: dict[str, object], role: str) -> None:
    """The address decides, unless it changes something or carries a secret away."""
    step = Step.model_validate({"id": "1", "tool": tool, "arguments": arguments})
    assert infer_role(step, DeclaredTools({})) == role
