"""`python -m benchmarks.large_trace FOLDER`: seconds and memory that reading a large trace takes.

Writes a trace of 100 MB with 20,000 steps to the folder, in OpenAI's format and in ours, each over
many lines and on one. Each is written and read in processes of their own, since the largest size
that a process ever had stays in its record, and in that of those which it starts.
"""

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import otap
from otap.formats import label

MEGABYTE = 1_000_000
STEPS = 20_000
# How many hotels a result tells of, for 100 MB.
HOTELS = {
    ("openai", "line"): 20,
    ("openai", "pretty"): 20,
    ("otap", "line"): 23,
    ("otap", "pretty"): 14,
}
Called = tuple[dict[str, Any], dict[str, Any]]  # arguments and result
# Linux counts in KiB, macOS in bytes.
_UNIT = 1 if sys.platform == "darwin" else 1024


def main(folder: Path) -> None:
    """Writes the files, reads them, and prints a table."""
    print(f"{'file':<20}{'MB':>8}{'seconds':>10}{'MB/s':>8}{'memory, MB':>12}{'of the file':>13}")
    for name, layout in HOTELS:
        path = folder / f"{name}-{layout}.json"
        _in_a_process("--write", str(path))
        seconds, memory = map(float, _in_a_process("--read", str(path)).split())
        size = path.stat().st_size / MEGABYTE
        figures = f"{size:8.1f}{seconds:10.2f}{size / seconds:8.1f}{memory:12.1f}"
        print(f"{path.name:<20}{figures}{memory / size:13.2f}")


def _in_a_process(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.large_trace", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def write(path: Path) -> None:
    """Writes the trace whose format and layout the name says."""
    name, layout = path.stem.split("-")
    found = list(calls(HOTELS[name, layout]))
    trace = messages(found) if name == "openai" else trajectory(found)
    indent = 2 if layout == "pretty" else None
    path.write_text(json.dumps(trace, indent=indent, ensure_ascii=False), encoding="utf-8")


def messages(calls: Sequence[Called]) -> dict[str, Any]:
    """The trace as a conversation: a call, and its result as text, a step."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Compare all hotels of Rome."}]
    for number, (arguments, result) in enumerate(calls):
        function = {"name": "search_hotels", "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        said.append({"role": "assistant", "content": "I look on.", "tool_calls": [call]})
        told = json.dumps(result, ensure_ascii=False)
        said.append({"role": "tool", "tool_call_id": f"call_{number}", "content": told})
    return {"id": "large", "messages": said}


def trajectory(calls: Sequence[Called]) -> dict[str, Any]:
    """The trace in our own format: arguments and results are objects."""
    steps = [
        {"id": str(k), "tool": "search_hotels", "arguments": arguments, "effect": result}
        for k, (arguments, result) in enumerate(calls, 1)
    ]
    return {"schema_version": "otap.trajectory/1", "id": "large", "steps": steps}


def calls(hotels: int) -> Iterator[Called]:
    """Arguments and results that fill the file: names, numbers, flags and sentences."""
    rng = random.Random(0)
    for number in range(STEPS):
        found = [_hotel(rng, hotels * number + k) for k in range(hotels)]
        yield {"city": "Rome", "page": number, "stars": [3, 4, 5]}, {"hotels": found}


def _hotel(rng: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": f"H{number}",
        "name": f"Hotel Città {number}",
        "price": round(rng.uniform(40, 400), 2),
        "stars": rng.randint(1, 5),
        "breakfast": rng.random() < 0.5,
        "near": rng.sample(("Colosseo", "Trastevere", "Termini", "Pantheon", "Vaticano"), 2),
        "about": _ABOUT[: rng.randint(40, len(_ABOUT))],
    }


_ABOUT = "Quiet rooms with a view of the old town, ten minutes on foot from the station; no lift."


def read(path: str) -> tuple[float, float]:
    """Seconds of reading, and megabytes that the process had at most."""
    begun = time.perf_counter()
    run = otap.read(path)
    seconds = time.perf_counter() - begun
    assert label(run) == "large"
    assert len(run.steps) == STEPS
    return seconds, _peak()


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / MEGABYTE


if __name__ == "__main__":
    if sys.argv[1] == "--read":
        print(*read(sys.argv[2]))
    elif sys.argv[1] == "--write":
        write(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
