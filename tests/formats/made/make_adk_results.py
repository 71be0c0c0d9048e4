"""Makes adk_results.json and adk_older.json with Google's ADK, from the session of make_adk.py.

pip install google-adk==2.13.0; then: python make_adk_results.py

The result of an evaluation of one case, kept by ADK's own manager: what was done is the session in
adk_session.json, what was expected one call less. And the cases of adk_older_in.json, a set in the
form that ADK wrote before version 1, as ADK itself converts them.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from google.adk.evaluation.eval_metrics import EvalMetricResultPerInvocation, EvalStatus
from google.adk.evaluation.eval_result import EvalCaseResult
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager
from google.adk.evaluation.local_eval_sets_manager import convert_eval_set_to_pydantic_schema

HERE = Path(__file__).parent


def main():
    """Writes both files."""
    made = EvalSet.model_validate_json((HERE / "adk_evalset.json").read_text("utf-8"))
    _, uses = made.eval_cases
    results = []
    for invocation in uses.conversation:
        expected = invocation.model_copy(deep=True)
        expected.intermediate_data.tool_uses = expected.intermediate_data.tool_uses[:2]
        results.append(
            EvalMetricResultPerInvocation(
                actual_invocation=invocation, expected_invocation=expected
            )
        )
    case = EvalCaseResult(
        eval_set_id="hotels",
        eval_id="rome",
        final_eval_status=EvalStatus.FAILED,
        overall_eval_metric_results=[],
        eval_metric_result_per_invocation=results,
        session_id="session-1",
    )
    with TemporaryDirectory() as folder:
        LocalEvalSetResultsManager(folder).save_eval_set_result("hotel", "hotels", [case])
        (written,) = Path(folder).rglob("*.evalset_result.json")
        (HERE / "adk_results.json").write_text(written.read_text("utf-8"), "utf-8")
    older = json.loads((HERE / "adk_older_in.json").read_text("utf-8"))
    converted = convert_eval_set_to_pydantic_schema("hotels", older)
    (HERE / "adk_older.json").write_text(converted.model_dump_json(indent=1), "utf-8")


if __name__ == "__main__":
    main()
