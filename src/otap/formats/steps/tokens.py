"""What requests to a model cost in tokens, under the names that libraries have for it.

Input is all that the model read, what came from a cache included; output is all that it wrote, its
reasoning included. Some count the cache apart from the input, and reasoning apart from the output.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from otap.formats.steps.content import value_at
from otap.trajectory import Tokens

_INPUT = (
    *("input_tokens", "inputTokens", "prompt_tokens", "promptTokens", "promptTokenCount"),
    *("prompt_token_count", "input_token_count", "request_tokens", "total_prompt_tokens"),
    *("tokens_sent", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    *("llm.token_count.prompt", "ai.usage.promptTokens", "ai.usage.inputTokens", "input"),
)
_OUTPUT = (
    *("output_tokens", "outputTokens", "completion_tokens", "completionTokens"),
    *("candidatesTokenCount", "candidates_token_count", "output_token_count", "response_tokens"),
    *("total_completion_tokens", "tokens_received", "gen_ai.usage.output_tokens"),
    *("gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    *("ai.usage.completionTokens", "ai.usage.outputTokens", "output"),
)
# What is no part of the count under a name, and must be added to it.
_APART = {
    "input_tokens": (
        *("cache_creation_input_tokens", "cache_read_input_tokens"),  # Anthropic
        *("input_tokens_cache_read", "input_tokens_cache_write"),  # Inspect
    ),
    "inputTokens": ("cacheReadInputTokens", "cacheWriteInputTokens"),  # Amazon
    "promptTokenCount": ("toolUsePromptTokenCount",),  # Google
    "prompt_token_count": ("tool_use_prompt_token_count",),
    "candidatesTokenCount": ("thoughtsTokenCount",),
    "candidates_token_count": ("thoughts_token_count",),
    "output": ("thoughts",),
}
# Where messages, and what stands around them, have it.
_PLACES = [
    tuple(path.split("."))
    for path in (
        *("usage", "usage_metadata", "usageMetadata", "models_usage", "token_usage"),
        *("usage_details", "metadata.usage", "message.metadata.usage", "metrics", "tokens"),
        *("response.usage", "response.body.usage", "response.usageMetadata"),
        *("response.usage_metadata", "completion.usage", "result.message.usage"),
        *("extra.response.usage", "kwargs.usage_metadata", "data.usage_metadata"),
        *("response_metadata.token_usage", "response_metadata.usage"),
        *("kwargs.response_metadata.token_usage", "_meta.usage", "meta.usage"),
    )
]


def tokens_in(usage: Any) -> Tokens | None:
    """Returns what a record of usage counts; None where it is none."""
    if not isinstance(usage, Mapping):
        return None
    (read, cached), (wrote, thought) = _first_count(usage, _INPUT), _first_count(usage, _OUTPUT)
    if not read and not wrote:  # a request costs something: a library that counts 0 has no count
        return None
    total = _count_of(usage.get("total_tokens"))
    if total is None or total != (read or 0) + (wrote or 0):  # else the input has the cache in it
        read = read if read is None else read + cached
    return Tokens(input=read, output=wrote if wrote is None else wrote + thought)


def tokens_beside(value: Any) -> Tokens | None:
    """Returns what an object, such as a message or a response, says that it cost."""
    if not isinstance(value, Mapping):
        return None
    for path in _PLACES:
        if path[0] in value:
            found = tokens_in(value_at(value, path))
            if found is not None:
                return found
    return None


def tokens_of_all(each: Iterable[Tokens | None]) -> Tokens | None:
    """Returns the sum of what requests cost; None where none of them says."""
    known = [one for one in each if one is not None]
    if not known:
        return None
    return Tokens(
        input=_sum_of(one.input for one in known), output=_sum_of(one.output for one in known)
    )


def _first_count(usage: Mapping[str, Any], names: tuple[str, ...]) -> tuple[int | None, int]:
    """What is counted under the first name that is there, and what beside it."""
    for name in names:
        count = _count_of(usage.get(name))
        if count is not None:
            return count, sum(_count_of(usage.get(one)) or 0 for one in _APART.get(name, ()))
    return None, 0


def _count_of(value: Any) -> int | None:
    """A count of tokens: a whole number that is not below 0."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole else None


def _sum_of(counts: Iterable[int | None]) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if known else None
