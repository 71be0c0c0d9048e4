"""Runs whose every text attacks whoever shows it: markup, scripts, terminals, length."""

from functools import cache

import otap
from otap.scoring import Explanation
from otap.trajectory import Json, Step, ToolFacts, Trajectory

MARK = "hostile-mark"  # an element, attribute, class or id of this name came out of a trace
HACK = "window.__hacked = 1"
ADDRESS = "http://evil.example/hostile-mark"
MARKUP = (
    f"<{MARK} {MARK}=1 class={MARK} id={MARK}>",
    f"<script>{HACK}</script>",
    f"</script><script>{HACK}</script><img src={ADDRESS} onerror='{HACK}'>",
    f"\"'><svg onload='{HACK}'><{MARK}>",
    f"' autofocus onfocus={HACK} {MARK}='",
    f"--><!-- ]]></title></textarea></style><style>*{{display:none}}</style><{MARK}>",
    f"&lt;{MARK}&gt;&#x3c;{MARK}>",
    "{{ 7 * 7 }}{% raw %}{{ config }}{# x #}${7 * 7}",
    f"javascript:{HACK}",
    f"url({ADDRESS});}}*{{background:url({ADDRESS})",
    f"[link]({ADDRESS}) ![picture]({ADDRESS}) <{ADDRESS}> @everyone #1 `code` | cell |",
    '```\n# Heading\n~~~\n%%{init: {}}%%\nclick n0 href "javascript:alert(1)"\n"]; end; A-->B',
)
TERMINAL = (
    "\x1b[31m\x1b[2J\x1b]0;title\x07\x9b2J\x08\r\x7f\x00",
    "\u202e\u2066\u200f\ufeff\u2028\u2029\u200b",
)
# What a redacted view must not tell: all but the names of tools and of arguments.
SECRET = (
    "id0", "id1", "gold", "taskone", "trial", "request", "messages_to_user", "must", "metadata",
    "step0", "step1", "action", "arguments", "in a list", "wrong", "effect", "state", "agent",
)  # fmt: skip
LONG = "W" * 100_000


def of(field: str) -> str:
    """All attacks, behind the field's name; each field begins with another, lest it is cut."""
    first = sum(map(ord, field)) % len(MARKUP)
    return "".join((field, *MARKUP[first:], *TERMINAL, *MARKUP[:first]))


def run(number: int = 0, steps: int = 3, task: str = "") -> Trajectory:
    """A run of which every field attacks; several differ in what they do."""
    return Trajectory(
        id=of(f"id{number}"),
        task=of(f"task{task}"),
        trial=of("trial"),
        request=(of("request"), LONG),
        steps=tuple(_step(k, number) for k in range(steps)),
        messages_to_user=(of("messages_to_user"), LONG),
        required_answers=(of("must"),),
        outcome=float(number % 2),
        tools={of("tool0"): ToolFacts(read_only=False, method=of("method"))},
        metadata={of("metadata"): of("metadata")},
    )


def reference(task: str = "") -> Trajectory:
    """A known-good run that attacks as well, of one more step, in another order."""
    whole = run(7, 4, task)
    return whole.model_copy(update={"id": of("gold"), "steps": whole.steps[::-1]})


def assert_quiet(text: str) -> None:
    """Nothing of a text moves a cursor, turns what stands beside it, or rings."""
    assert [one for one in text if one != "\n" and not one.isprintable()] == []


def _step(place: int, number: int) -> Step:
    wrong = of("wrong") if place == number else place
    arguments: dict[str, Json] = {
        of("key"): of("arguments"), "long": LONG, "wrong": wrong, LONG[:300]: [of("in a list")],
        "constructor": "__proto__", "__proto__": {"__hacked": 1},
    }  # fmt: skip
    return Step(
        id=of(f"step{place}"),
        action=of("action"),
        tool=of(f"tool{place}"),
        arguments=arguments,
        effect={of("effect"): [of("effect"), LONG, place * 1e307, f"token-{place - 1}-token"]},
        state={of("state"): f"token-{place}-token"},
        status="error" if place == 2 and number == 1 else None,
        agent=of("agent"),
        metadata={of("metadata"): of("metadata")},
    )


@cache
def explained(number: int = 0) -> Explanation:
    """A hostile run beside two hostile references."""
    other = reference().model_copy(update={"steps": run(5, 6).steps})
    return otap.Scorer().explain(run(number), [reference(), other])
