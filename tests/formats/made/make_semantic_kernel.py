"""Makes semantic_kernel.json: a chat history as Semantic Kernel's Python serialises it.

pip install semantic-kernel==1.44.0
python make_semantic_kernel.py
"""

from pathlib import Path

from semantic_kernel.contents import (
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
)

HERE = Path(__file__).parent


def main():
    """Writes the history of one conversation."""
    history = ChatHistory(system_message="You book hotels.")
    history.add_user_message("A room in Rome, please.")
    look = [
        FunctionCallContent(id="c1", name="hotels-search", arguments='{"city": "Rome"}'),
        FunctionCallContent(id="c2", name="weather-get", arguments={"city": "Rome"}),
    ]
    history.add_message(ChatMessageContent(role="assistant", items=look))
    for call, found in zip(look, (["H7", "H9"], "Sunny."), strict=True):
        result = FunctionResultContent.from_function_call_content_and_result(call, found)
        history.add_message(result.to_chat_message_content())
    book = FunctionCallContent(id="c3", name="hotels-book", arguments='{"hotel": "H9"}')
    history.add_message(ChatMessageContent(role="assistant", items=[book]))
    result = FunctionResultContent.from_function_call_content_and_result(book, "Booked H9.")
    history.add_message(result.to_chat_message_content())
    history.add_assistant_message("H9 is yours.")
    (HERE / "semantic_kernel.json").write_text(history.serialize() + "\n", "utf-8")


if __name__ == "__main__":
    main()
