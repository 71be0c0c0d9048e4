"""Writes the comment of the GitHub Action: one comment for each pull request, which is updated.

It uses the standard library alone, because the action runs it with the Python of the job. A comment
that cannot be written is a warning: the verdict of the job does not depend on it.
"""

import json
import os
import re
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_BODY = 60_000  # characters; GitHub allows 65,536
PAGE = 100  # comments of one request
MAX_PAGES = 30
VERDICTS = {"0": "passed", "1": "failed", "3": "no verdict", "": "not run"}
CHANGES = {"0": "better or equal", "1": "worse", "3": "not enough evidence"}


def write_body(folder: Path, marker: str) -> str:
    """Returns the text of the comment: the verdict, and the tables that the action wrote.

    Args:
        folder: of the tables.
        marker: the hidden first line, by which the comment is recognised.
    """
    evaluate, compare = os.environ.get("EVALUATE", ""), os.environ.get("COMPARE", "")
    verdict = VERDICTS.get(evaluate, "bad input")
    if compare:
        verdict += f"; {CHANGES.get(compare, 'bad input')} against the baseline"
    lines = [marker, f"## OTAP: {verdict}", ""]
    for name in ("summary.md", "comparison.md"):
        if (folder / name).is_file():
            lines += [(folder / name).read_text("utf-8"), ""]
    text = "\n".join(lines)
    if len(text) > MAX_BODY:
        text = text[:MAX_BODY].rpartition("\n")[0] + "\n\nThe rest is in the artifact of the job."
    server, job = os.environ.get("GITHUB_SERVER_URL", ""), os.environ.get("GITHUB_RUN_ID", "")
    if server and job:
        repository = os.environ["GITHUB_REPOSITORY"]
        text += f"\n\n[The job and its page]({server}/{repository}/actions/runs/{job})"
    return text


def request(method: str, url: str, content: dict[str, str] | None = None) -> Any:
    """Returns the answer of GitHub to a request."""
    data = None if content is None else json.dumps(content).encode()
    headers = {
        "Authorization": f"Bearer {os.environ['GH_TOKEN']}",
        "Accept": "application/vnd.github+json",
        "Content-Type": "application/json",
    }
    prepared = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(prepared, timeout=30) as answer:
        return json.load(answer)


def list_comments(url: str) -> Iterator[dict[str, Any]]:
    """Yields the comments of a pull request."""
    for page in range(1, MAX_PAGES + 1):
        comments = request("GET", f"{url}?per_page={PAGE}&page={page}")
        yield from comments
        if len(comments) < PAGE:
            return


def post(folder: Path, pull: int, artifact: str) -> str:
    """Writes or updates the comment, and returns what it did.

    Only a comment of a bot is updated: a person could have copied the marker.
    """
    marker = f"<!-- otap: {re.sub(r'[^A-Za-z0-9._]+', '-', artifact)} -->"
    body = {"body": write_body(folder, marker)}
    base = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    for comment in list_comments(f"{base}/{pull}/comments"):
        is_bot = comment["user"]["type"] == "Bot"
        if is_bot and comment["body"].partition("\n")[0].strip() == marker:
            request("PATCH", f"{base}/comments/{comment['id']}", body)
            return "updated"
    request("POST", f"{base}/{pull}/comments", body)
    return "written"


def main() -> None:
    """Comments on the pull request of the job; other jobs have none."""
    folder, pull, artifact = sys.argv[1:]
    if not pull.isdigit():
        print("no pull request, so there is no comment")
        return
    try:
        print(f"comment {post(Path(folder), int(pull), artifact)}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())[:200]
        print(
            f"::warning title=OTAP::the comment could not be written ({reason}); the job needs the"
            " permission pull-requests: write"
        )


if __name__ == "__main__":
    main()
