"""Makes browser_use.json with browser-use's own classes of a history.

    pip install browser-use==0.13.14
    python make_browser_use.py

An agent opens a page, clicks, fails at a field that is not there, types, and is done.
"""

from pathlib import Path

from browser_use.agent.views import (
    ActionResult,
    AgentHistory,
    AgentHistoryList,
    AgentOutput,
    StepMetadata,
)
from browser_use.browser.views import BrowserStateHistory
from browser_use.tools.service import Tools

HERE = Path(__file__).parent
STEPS = [
    ("Open the shop", [{"navigate": {"url": "https://shop.example", "new_tab": False}}], [{}]),
    (
        "Look for lamps",
        [{"click": {"index": 3}}, {"input": {"index": 9, "text": "lamp", "clear": True}}],
        [{"extracted_content": "Clicked button 3"}, {"error": "Element 9 does not exist"}],
    ),
    (
        "Type it there",
        [{"input": {"index": 4, "text": "lamp", "clear": True}}],
        [{"extracted_content": "Typed lamp into 4"}],
    ),
    (
        "Say what was found",
        [{"done": {"text": "There are two lamps.", "success": True, "files_to_display": []}}],
        [{"is_done": True, "success": True, "extracted_content": "There are two lamps."}],
    ),
]


def main():
    """Writes the history."""
    actions = Tools().registry.create_action_model()
    output = AgentOutput.type_with_custom_actions(actions)
    history = []
    for number, (goal, asked, results) in enumerate(STEPS):
        said = output(
            evaluation_previous_goal="Good",
            memory="",
            next_goal=goal,
            action=[actions(**one) for one in asked],
        )
        state = BrowserStateHistory(
            url="https://shop.example", title="Shop", tabs=[], interacted_element=[None]
        )
        begun = 1767261600.0 + 10 * number
        times = StepMetadata(step_start_time=begun, step_end_time=begun + 5, step_number=number + 1)
        found = [ActionResult(**one) for one in results]
        history.append(AgentHistory(model_output=said, result=found, state=state, metadata=times))
    AgentHistoryList(history=history).save_to_file(HERE / "browser_use.json")


if __name__ == "__main__":
    main()
