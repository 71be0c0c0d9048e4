"""Makes gemini.jsonl: what google-genai keeps of chats with a scripted server.

    pip install google-genai==3.4.0
    python make_gemini.py > gemini.jsonl

The first line is the history of a chat whose program calls the functions itself; the second that of
a chat that was streamed; the third an answer for which the library called functions,
which it has all before it; the fourth an answer for which the server searched, and ran code.
"""

import itertools
import json
import sys

import httpx
from google import genai
from google.genai import types

ASKED = "A room in Rome, please."
SIGNED = {"thoughtSignature": "c2lnbmVk"}
TOOLS = [
    types.Tool(
        function_declarations=[
            {"name": name, "parameters_json_schema": {"type": "object", "properties": {}}}
            for name in ("search_hotels", "get_weather", "book_hotel")
        ]
    )
]


def call(name: str, **arguments: object) -> dict[str, object]:
    """Returns a part that calls a function."""
    return {"functionCall": {"name": name, "args": arguments}}


SCRIPT: list[list[dict[str, object]]] = [
    [
        {"text": "Hotels first.", "thought": True},
        {"text": "I look for hotels."},
        {**call("search_hotels", city="Rome", max_price=150), **SIGNED},
        call("get_weather", city="Rome"),
    ],
    [call("book_hotel", hotel="H7")],
    [{"text": "H7 is full, so I take H9."}, call("book_hotel", hotel="H9")],
    [{"text": "H9 is yours."}],
]
SEARCHED = {
    "content": {
        "role": "model",
        "parts": [
            {"executableCode": {"language": "PYTHON", "code": "print(90 * 2)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "180\n"}},
            {"text": "Two nights cost 180."},
        ],
    },
    "finishReason": "STOP",
    "groundingMetadata": {
        "webSearchQueries": ["hotel Rome price"],
        "groundingChunks": [{"web": {"uri": "https://example.org", "title": "example.org"}}],
    },
}


NUMBERS = itertools.count(1)


def answer(candidate: dict[str, object]) -> dict[str, object]:
    """Returns an answer of the server."""
    identifier = f"r{next(NUMBERS)}"
    return {"candidates": [candidate], "modelVersion": "gemini-2.5-flash", "responseId": identifier}


def client(script: list[dict[str, object]]) -> genai.Client:
    """Returns a client whose server follows the script; a streamed answer comes part by part."""
    left = iter(script)

    def serve(request: httpx.Request) -> httpx.Response:
        candidate = next(left)
        if "streamGenerateContent" not in str(request.url):
            return httpx.Response(200, json=answer(candidate))
        content = candidate["content"]
        assert isinstance(content, dict)
        pieces = [answer({"content": {**content, "parts": [p]}}) for p in content["parts"]]
        lines = "".join(f"data: {json.dumps(piece)}\r\n\r\n" for piece in pieces)
        return httpx.Response(200, text=lines, headers={"content-type": "text/event-stream"})

    http = httpx.Client(transport=httpx.MockTransport(serve))
    return genai.Client(api_key="none", http_options=types.HttpOptions(httpx_client=http))


def candidates() -> list[dict[str, object]]:
    """Returns the script as answers."""
    return [{"content": {"role": "model", "parts": parts}} for parts in SCRIPT]


def search_hotels(city: str, max_price: int) -> list[dict[str, object]]:
    """Finds the hotels of a city."""
    return [{"id": "H7", "price": 90, "city": city}, {"id": "H9", "price": 120, "city": city}]


def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"Sunny in {city}."


def book_hotel(hotel: str) -> str:
    """Books a room."""
    if hotel == "H7":
        raise ValueError("H7 is full.")
    return f"Booked {hotel}."


FUNCTIONS = {f.__name__: f for f in (search_hotels, get_weather, book_hotel)}


def ran(call: types.FunctionCall) -> types.Part:
    """Calls a function as the documentation says, and returns the part with what it returned."""
    try:
        response = {"output": FUNCTIONS[call.name](**call.args)}
    except ValueError as error:
        response = {"error": str(error)}
    return types.Part.from_function_response(name=call.name, response=response)


def by_hand() -> list[types.Content]:
    """Returns the history of a chat whose program calls the functions itself."""
    config = types.GenerateContentConfig(tools=TOOLS, system_instruction="You book hotels.")
    chat = client(candidates()).chats.create(model="gemini-2.5-flash", config=config)
    found = chat.send_message(ASKED)
    while found.function_calls:
        found = chat.send_message([ran(call) for call in found.function_calls])
    return chat.get_history()


def streamed() -> list[types.Content]:
    """Returns the history of a chat that was streamed."""
    config = types.GenerateContentConfig(tools=TOOLS)
    chat = client(candidates()).chats.create(model="gemini-2.5-flash", config=config)
    message: object = ASKED
    while message:
        pieces = list(chat.send_message_stream(message))
        message = [ran(call) for piece in pieces for call in piece.function_calls or ()]
    return chat.get_history()


def automatic() -> types.GenerateContentResponse:
    """Returns an answer for which the library calls the functions."""
    config = types.GenerateContentConfig(tools=list(FUNCTIONS.values()))
    models = client(candidates()).models
    return models.generate_content(model="gemini-2.5-flash", contents=ASKED, config=config)


def main() -> None:
    """Writes the lines, with and without what is null, in both spellings."""
    lines = [
        [content.model_dump(mode="json", exclude_none=True) for content in by_hand()],
        [content.model_dump(mode="json", by_alias=True) for content in streamed()],
        automatic().model_dump(mode="json", exclude={"sdk_http_response"}),
        client([SEARCHED])
        .models.generate_content(model="gemini-2.5-flash", contents="What do two nights cost?")
        .model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"sdk_http_response"}),
    ]
    for line in lines:
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
