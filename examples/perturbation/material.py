"""The material of edits: synonyms, distractors, and wrong tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from otap.errors import shown
from otap.trajectory import Step

# Verbs with which agents announce their actions, without words of several meanings.
LEXICON: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "search for": ("look for", "look up"), "find": ("locate", "look up"),
        "look up": ("find", "search for"), "get": ("fetch", "retrieve"),
        "fetch": ("get", "retrieve"), "retrieve": ("get", "fetch"), "verify": ("check", "confirm"),
        "validate": ("check", "verify"), "create": ("make", "set up"),
        "compose": ("write", "draft"), "modify": ("change", "revise"),
        "delete": ("remove", "drop"), "remove": ("delete", "take out"),
        "compare": ("contrast", "weigh up"), "compute": ("calculate", "work out"),
        "calculate": ("compute", "work out"), "choose": ("pick", "settle on"),
        "reserve": ("secure",), "buy": ("purchase",), "purchase": ("buy",),
        "send": ("dispatch",), "submit": ("hand in", "send in"),
        "execute": ("run", "carry out"), "click": ("press", "tap"),
        "go to": ("visit", "navigate to"), "navigate to": ("go to", "visit"),
        "identify": ("determine", "establish"), "determine": ("establish", "identify"),
        "examine": ("inspect", "look into"), "inspect": ("examine", "look into"),
        "gather": ("collect", "bring together"), "collect": ("gather", "bring together"),
        "obtain": ("get", "acquire"), "provide": ("give", "supply"), "take": ("pick up", "grab"),
        "place": ("put", "set"), "put": ("place", "set"), "cheapest": ("least expensive",),
        "largest": ("biggest",),
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
    """The material that edits draw from.

    Attributes:
        lexicon: the synonyms of each phrase.
        distractors: steps that are unrelated to the task.
        tools: names of wrong tools; empty: the tools of the trajectory.
        prose: the fields of a step that hold sentences.

    Raises:
        ValueError: for a phrase without synonyms.
    """

    lexicon: Mapping[str, Sequence[str]] = field(default_factory=lambda: LEXICON)
    distractors: Sequence[Step] = DISTRACTORS
    tools: Sequence[str] = ()
    prose: Sequence[Literal["action", "arguments", "effect"]] = ("action",)

    def __post_init__(self) -> None:
        for phrase, synonyms in self.lexicon.items():
            if isinstance(synonyms, str) or not synonyms or not phrase:
                raise ValueError(f"the lexicon has no list of synonyms for '{shown(phrase)}'")
