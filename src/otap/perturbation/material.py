"""What edits take from outside a trajectory: other words, steps of other tasks, other tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from otap.trajectory import Step

LEXICON: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "search for": ("look for", "look up"), "search": ("look for", "query"),
        "find": ("locate", "look up"), "look up": ("find", "search for"),
        "get": ("fetch", "retrieve"), "fetch": ("get", "retrieve"), "retrieve": ("get", "fetch"),
        "read": ("go through", "open"), "open": ("access", "bring up"), "list": ("enumerate",),
        "show": ("display", "present"), "check": ("verify", "examine"),
        "verify": ("check", "confirm"), "validate": ("check", "verify"),
        "confirm": ("verify", "make sure of"), "create": ("make", "set up"),
        "add": ("append", "insert"), "write": ("compose",), "update": ("change", "revise"),
        "change": ("modify", "alter"), "edit": ("modify", "revise"), "delete": ("remove", "drop"),
        "remove": ("delete", "take out"), "filter": ("narrow down", "sift"),
        "sort": ("order", "rank"), "rank": ("order", "sort"), "compare": ("contrast", "weigh up"),
        "compute": ("calculate", "work out"), "calculate": ("compute", "work out"),
        "count": ("tally", "number"), "select": ("choose", "pick"), "choose": ("select", "pick"),
        "book": ("reserve",), "buy": ("purchase",), "order": ("request",), "send": ("dispatch",),
        "submit": ("hand in", "send in"), "run": ("execute", "carry out"),
        "execute": ("run", "carry out"), "start": ("begin", "launch"), "stop": ("end", "halt"),
        "save": ("store", "keep"), "load": ("read in",), "click": ("press", "tap"),
        "go to": ("visit", "navigate to"), "navigate to": ("go to", "visit"),
        "cheapest": ("least expensive",), "largest": ("biggest",), "result": ("outcome",),
        "results": ("outcomes",), "error": ("fault",), "all": ("every one of",),
    }
)  # fmt: skip
DISTRACTORS: Sequence[Step] = tuple(
    Step(
        id=f"distractor-{number}", kind="tool", tool=tool, action=action, arguments=arguments,
        effect=effect,
    )
    for number, (tool, action, arguments, effect) in enumerate(
        (
            ("get_weather", "Check the weather in Reykjavik", {"city": "Reykjavik"}, "4 degrees"),
            ("convert_units", "Convert 12 miles to kilometres", {"miles": 12}, "19.3 kilometres"),
            ("play_music", "Play some jazz", {"genre": "jazz"}, "playing"),
            ("translate", "Translate a proverb into Finnish", {"to": "fi"}, "Parempi myöhään"),
            ("set_timer", "Set a timer for the tea", {"minutes": 4}, "timer set"),
            ("get_news", "Read the sports headlines", {"section": "sports"}, "3 headlines"),
        ),
        1,
    )
)  # fmt: skip


@dataclass(frozen=True)
class Material:
    """What edits take from outside a trajectory.

    lexicon: for a phrase other ways to say it. distractors: steps that have nothing to do with the
    task. tools: names from which an incompatible one is taken; empty: the trajectory's own.
    """

    lexicon: Mapping[str, Sequence[str]] = field(default_factory=lambda: LEXICON)
    distractors: Sequence[Step] = DISTRACTORS
    tools: Sequence[str] = ()
