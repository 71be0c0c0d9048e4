"""OpenAI's Agents SDK: a processor of traces, and the result at the end of a run."""

import asyncio
from typing import Any

from agents import Runner, set_trace_processors, set_tracing_disabled, trace

from hosts import openai_agents_host
from hosts.recipes import CASES, Result
from hosts.scenario import GOOD, REQUEST

PACKAGES = ("openai-agents",)
TITLE = "OpenAI Agents SDK"


def gold() -> Any:
    """The good run, recorded by the SDK."""
    return openai_agents_host.file(GOOD)


def results(recipe: Any) -> dict[str, Result]:
    """The verdicts on the traces, which equal those on the results."""
    verdicts: list[Any] = []
    processor = recipe.OtapProcessor(lambda _, verdict: verdicts.append(verdict))
    set_trace_processors([processor])
    set_tracing_disabled(False)
    found = {}
    for name, calls in CASES.items():
        if calls:
            result = asyncio.run(Runner.run(openai_agents_host.agent_of(calls), REQUEST))
            at_end = recipe.judge(result)
        else:
            with trace("nothing"):
                at_end = recipe.judge("nothing")
        [verdict] = verdicts
        verdicts.clear()
        assert verdict.score == at_end.score, (verdict, at_end)
        found[name] = Result(verdict.score, str(verdict))
    return found
