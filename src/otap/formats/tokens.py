"""Reads how many tokens the requests to a model used, under the names that libraries use.

Input is everything that the model read, with tokens from a cache. Output is everything that it
wrote, with its reasoning. Some libraries count the cache and the reasoning separately.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from otap.formats.content import value_at
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
# Counts that the count under a name leaves out, and that must be added to it.
_SEPARATE_COUNTS = {
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
# The paths to a record of usage in a message, or in the object around it.
_USAGE_PATHS = [
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


def parse_usage(usage: Any) -> Tokens | None:
    """Returns the counts in a record of usage, or None if it has none."""
    if not isinstance(usage, Mapping):
        return None
    read, cached = _first_count(usage, _INPUT)
    wrote, reasoning = _first_count(usage, _OUTPUT)
    if not read and not wrote:  # no request is free: a library that writes 0 does not count
        return None
    total = _count(usage.get("total_tokens"))
    # A total that is the sum shows that the input includes the cache.
    if total is None or total != (read or 0) + (wrote or 0):
        read = read if read is None else read + cached
    return Tokens(input=read, output=wrote if wrote is None else wrote + reasoning)


def find_usage(value: Any) -> Tokens | None:
    """Returns the tokens that an object, such as a message or a response, states that it used."""
    if not isinstance(value, Mapping):
        return None
    for path in _USAGE_PATHS:
        if path[0] in value:
            tokens = parse_usage(value_at(value, path))
            if tokens is not None:
                return tokens
    return None


def sum_tokens(requests: Iterable[Tokens | None]) -> Tokens | None:
    """Returns the sum of the tokens of requests, or None if no request has a count."""
    with_counts = [tokens for tokens in requests if tokens is not None]
    if not with_counts:
        return None
    return Tokens(
        input=_sum(tokens.input for tokens in with_counts),
        output=_sum(tokens.output for tokens in with_counts),
    )


def _first_count(usage: Mapping[str, Any], names: tuple[str, ...]) -> tuple[int | None, int]:
    """Returns the count under the first name present, and the counts to be added to it."""
    for name in names:
        count = _count(usage.get(name))
        if count is not None:
            separate = _SEPARATE_COUNTS.get(name, ())
            return count, sum(_count(usage.get(key)) or 0 for key in separate)
    return None, 0


def _count(value: Any) -> int | None:
    """Returns a count of tokens, or None if the value is not a whole number from 0."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


def _sum(counts: Iterable[int | None]) -> int | None:
    numbers = [count for count in counts if count is not None]
    return sum(numbers) if numbers else None
