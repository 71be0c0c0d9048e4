"""Makes langsmith.json, a trace as LangSmith's client gives it with its child runs inside.

    pip install langchain==1.4.7 langgraph==1.2.22 langchain-core==1.7.2 langsmith==0.14.17
    python make_langsmith.py langsmith.json

With older versions, whose tools have text as inputs, makes langsmith_text.jsonl: a run a line,
those of tools, then those of models, so that some have a parent that is not in the file.

    pip install langgraph==0.2.76 langchain-core==0.3.29 langsmith==0.2.11
    python make_langsmith.py langsmith_text.jsonl

LangSmith's own client sends the runs to a server that is played here: it keeps what it is sent,
and gives it back when the client asks for the runs.
"""

import json
import sys
import uuid
from typing import Any

import requests
from langchain_core.tracers import LangChainTracer
from langsmith import Client
from make_langchain import HERE, QUESTION, SCRIPT, travel_agent


class Server(requests.Session):
    """Keeps runs, as LangSmith's server does."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, dict[str, Any]] = {}
        self.project = str(uuid.uuid4())

    def request(self, method: str, url: str, **options: Any) -> requests.Response:  # type: ignore[override]
        """Answers what the client asks."""
        response = requests.Response()
        response.status_code = 200
        response._content = json.dumps(self._answer(method, url, options)).encode()
        return response

    def _answer(self, method: str, url: str, options: dict[str, Any]) -> Any:
        what = url.split("/")[3:]
        if what == ["runs", "query"]:
            wanted = json.loads(options["data"])
            runs = [run for run in self.runs.values() if self._is_wanted(run, wanted)]
            return {"runs": runs, "cursors": {}}
        if what[0] != "runs":
            return {}
        if method == "GET":
            return self.runs[what[1]]
        sent = json.loads(options["data"])
        run = self.runs.setdefault(sent["id"], {"session_id": self.project})
        sent.pop("attachments", None)
        run.update({key: value for key, value in sent.items() if value is not None})
        run.update(session_id=self.project, status="error" if run.get("error") else "success")
        return {}

    @staticmethod
    def _is_wanted(run: dict[str, Any], wanted: dict[str, Any]) -> bool:
        root, kind = wanted.get("is_root"), wanted.get("run_type")
        return root in (None, "parent_run_id" not in run) and kind in (None, run["run_type"])


def main(name: str) -> None:
    """Runs the agent under the tracer and saves what the client reads back."""
    server = Server()
    client = Client(
        api_url="http://played", api_key="none", session=server, auto_batch_tracing=False
    )
    tracer = LangChainTracer(client=client, project_name="travel")
    script = SCRIPT if name.endswith(".jsonl") else [*SCRIPT[:2], *SCRIPT[3:]]
    travel_agent(script).invoke(QUESTION, {"callbacks": [tracer]})
    tracer.wait_for_futures()
    (root,) = client.list_runs(project_id=server.project, is_root=True)
    if name.endswith(".jsonl"):  # as people do who ask for the runs that matter
        kinds = ("tool", "llm")
        found = [client.list_runs(project_id=server.project, run_type=kind) for kind in kinds]
        saved = [root, *(run for runs in found for run in runs)]
    else:
        saved = [client.read_run(root.id, load_child_runs=True)]
    lines = [run.json(exclude_none=True) + "\n" for run in saved]
    (HERE / name).write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
