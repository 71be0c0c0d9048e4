"""The Ray engine on a real cluster on this machine: equal bytes, whatever ends in the middle."""

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from otap import formats
from otap.errors import ConfigError
from otap.evaluation.engines import local
from otap.evaluation.engines import ray as engine
from otap.evaluation.inputs import Checkpoint
from otap.evaluation.work import ScoredPortion, Work
from otap.scoring import Config
from otap.trajectory import Trajectory

WORKERS = 2
LONG = os.environ.get("OTAP_LONG") == "1"
pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Ray warns of its own settings, and of sockets
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed"),
    pytest.mark.skipif(not LONG, reason="starts a cluster; in the long run"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A cluster of two nodes, each a process with workers of its own."""
    import ray
    from ray.cluster_utils import Cluster

    # Each of what is left out is a process that takes seconds to start.
    node = {"object_store_memory": 2**27, "include_log_monitor": False}
    made = Cluster(
        initialize_head=True,
        head_node_args={**node, "num_cpus": 1, "include_dashboard": False},
    )
    made.add_node(num_cpus=2, **node)
    yield made.address
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Three shards of lines, one of them with a line that is no run."""
    folder = tmp_path_factory.mktemp("shards")
    for shard in range(3):
        lines = [run(f"{shard}-{k}", k).model_dump_json() for k in range(70)]
        if shard == 1:
            lines[5] = "{broken"
        (folder / f"{shard}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def run(name: str, k: int) -> Trajectory:
    """A run of the one task, good if k is even."""
    steps = [
        {"id": "1", "tool": "find", "arguments": {"name": "Rome"}},
        {"id": "2", "tool": "book" if k % 2 == 0 else "cancel", "arguments": {"id": f"H{k % 5}"}},
    ]
    return Trajectory.model_validate({"id": name, "task": "t", "steps": steps})


@pytest.fixture(scope="module")
def work() -> Work:
    """Settings, and one reference."""
    return Work(Config(), (run("gold", 0),))


def lines(done: Iterator[ScoredPortion]) -> bytes:
    """What the engine has a file hold."""
    return b"".join(one.lines for one in done)


def files(folder: Path) -> list[str]:
    """The shards, in their order."""
    return formats.trace_files(folder)


def test_equal_bytes(cluster, folder, work) -> None:
    """As on one machine; from the middle on by URI as well, but for the names of the files."""
    here, there = files(folder), [f"file://{file}" for file in files(folder)]
    alone = lines(local.engine(1)(work, here, Checkpoint()))
    assert alone.count(b"\n") == 210
    assert lines(engine.run(work, here, Checkpoint(), address=cluster, jobs=WORKERS)) == alone
    rest = lines(engine.run(work, there, Checkpoint(1, 10), address=cluster, jobs=WORKERS))
    assert alone.endswith(rest.replace(b"file://", b""))
    assert rest.count(b"\n") == 130


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
def test_a_worker_that_is_killed_changes_nothing(cluster, folder, work) -> None:
    """It is started again, and what it had begun is done again."""
    many = files(folder) * 4
    undisturbed = lines(local.engine(1)(work, many, Checkpoint()))
    found, killed = b"", 0
    for one in engine.run(work, many, Checkpoint(), address=cluster, jobs=WORKERS):
        found += one.lines
        if killed < 2:
            for worker in scoring_workers()[:1]:
                os.kill(worker, signal.SIGKILL)
                killed += 1
    assert killed > 0
    assert found == undisturbed


def scoring_workers() -> list[int]:
    """The processes of the actors that score."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith(b"ray::") and b"_Actor" in command:
            found.append(int(process.name))
    return found


def test_no_cluster_is_one_line() -> None:
    """An address at which nobody is."""
    import ray

    ray.shutdown()
    with pytest.raises(ConfigError, match=r"no Ray cluster at 127.0.0.1:1: .*refused"):
        next(engine.run(Work(Config(), ()), ["a.json"], Checkpoint(), address="127.0.0.1:1"))
