"""Makes adk_session.json and adk_evalset.json with Google's ADK and models that follow a script.

pip install google-adk==2.13.0; then: python make_adk.py

One session of two questions. The agent searches twice side by side, says so, books with a tool
that fails, and hands over to another agent, which pays. The eval set is made of the session by
ADK's own code, twice: as it keeps events today, and as it kept tool uses and responses before.
"""

import asyncio
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_case import (
    EvalCase,
    IntermediateData,
    get_all_tool_calls,
    get_all_tool_responses,
)
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

HERE = Path(__file__).parent


class Scripted(BaseLlm):
    """A model that says what it was given to say."""

    answers: list[types.Content]

    async def generate_content_async(self, *_asked, **_how):
        """Says the next answer, whatever was asked."""
        yield LlmResponse(content=self.answers.pop(0))


def says(text, *calls):
    """Returns what a model says, with calls of tools."""
    parts = [types.Part(text=text)] if text else []
    parts += [types.Part.from_function_call(name=name, args=args) for name, args in calls]
    return types.Content(role="model", parts=parts)


def search(city: str) -> dict:
    """Searches for hotels."""
    return {"hotels": [f"{city} Palace"]}


def book(hotel: str) -> dict:
    """Books a room."""
    return {"status": "error", "error_message": "full"}


def pay(amount: int) -> str:
    """Pays."""
    return f"paid {amount}"


def agents():
    """Returns an agent with another below it."""
    clerk = LlmAgent(
        name="clerk",
        description="Pays.",
        tools=[pay],
        model=Scripted(model="s", answers=[says(None, ("pay", {"amount": 7})), says("Paid.")]),
    )
    script = [
        says("I look.", ("search", {"city": "Rome"}), ("search", {"city": "Oslo"})),
        says(None, ("book", {"hotel": "Rome Palace"})),
        says("Rome is full."),
        says(None, ("transfer_to_agent", {"agent_name": "clerk"})),
    ]
    return LlmAgent(
        name="planner",
        model=Scripted(model="s", answers=script),
        tools=[search, book],
        sub_agents=[clerk],
    )


async def session():
    """Runs the agent and returns its session."""
    runner = InMemoryRunner(agent=agents(), app_name="hotel")
    made = await runner.session_service.create_session(
        app_name="hotel", user_id="u", state={"a": 1}
    )
    for text in ("A room in Rome or Oslo, please.", "Pay what I owe."):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id="u", session_id=made.id, new_message=message):
            pass
    return await runner.session_service.get_session(
        app_name="hotel", user_id="u", session_id=made.id
    )


def older(invocation):
    """Returns an invocation with its calls and responses side by side, as ADK 1.0 to 1.14 did."""
    data = invocation.intermediate_data
    return invocation.model_copy(
        update={
            "intermediate_data": IntermediateData(
                tool_uses=get_all_tool_calls(data), tool_responses=get_all_tool_responses(data)
            )
        }
    )


def main():
    """Writes the files."""
    made = asyncio.run(session())
    text = made.model_dump_json(exclude_none=True, by_alias=True)  # as `adk run` saves it
    (HERE / "adk_session.json").write_text(text, "utf-8")
    invocations = EvaluationGenerator.convert_events_to_eval_invocations(made.events)
    cases = [
        EvalCase(eval_id="events", conversation=invocations),
        EvalCase(eval_id="tool_uses", conversation=[older(one) for one in invocations]),
    ]
    evals = EvalSet(eval_set_id="hotels", eval_cases=cases)
    text = evals.model_dump_json(exclude_none=True, by_alias=True)
    (HERE / "adk_evalset.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
