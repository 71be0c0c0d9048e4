"""Scores portions on a Ray cluster, as one job of Ray Data, and keeps their order.

The files stay in place: only positions in them and the lines of results travel. Each worker
prepares the encoder and the references once. Ray restarts a worker that ends, and repeats its
unfinished portions with the same result.
"""

import logging
import os
import pickle
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from otap.errors import ConfigError, OtapError, shown
from otap.evaluation.inputs import Checkpoint, Portion, portions
from otap.evaluation.work import ScoredPortion, Work, Worker
from otap.transport import ONE_THREAD

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.data import Dataset

Row = dict[str, Any]
CONNECT_TIMEOUT = 10.0  # seconds
BATCH_SIZE = 4  # portions for each call of a worker


def run(
    work: Work,
    files: Sequence[str],
    checkpoint: Checkpoint,
    *,
    address: str | None = None,
    jobs: int | None = None,
    notify: Callable[[str], object] = lambda _: None,
) -> Iterator[ScoredPortion]:
    """Yields each scored portion of files in order.

    Args:
        work: the settings and references of all portions.
        files: trace files that all nodes can open, on a shared disk or by URI.
        checkpoint: where to resume.
        address: the address of a running cluster; None for RAY_ADDRESS, or to start one here.
        jobs: the number of workers; None for one per processor of the cluster.
        notify: is called with a message while this waits for the cluster.

    Raises:
        ConfigError: if Ray is not installed, or the cluster cannot be reached.
        OtapError: if the job ends early.
    """
    ray = _connect(address or os.environ.get("RAY_ADDRESS"), notify)
    workers = jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
    try:
        for row in _job(work, files, checkpoint, workers, ray.put(work)).iter_rows():
            yield pickle.loads(row["scored"])
    except ray.exceptions.RayError as error:
        raise OtapError(
            f"the Ray job ended: {shown(error, 300)}; run the command again to resume"
        ) from None


def _connect(address: str | None, notify: Callable[[str], object]) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no usage statistics
    try:
        import ray
        import ray.data
    except ImportError:
        raise ConfigError(
            "--engine ray needs Ray: install it with pip install 'otap-eval[ray]'"
        ) from None
    if not ray.is_initialized():
        try:
            notify(f"waiting for Ray: {shown(address) if address else 'it starts here'}")
            _check_reachable(address)
            # Without an address Ray joins the last cluster in the temporary folder, even if that
            # cluster is gone.
            ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            where = f" at {shown(address)}" if address else ""
            raise ConfigError(f"no Ray cluster{where}: {shown(error, 300)}") from None
    return ray


def _check_reachable(address: str | None) -> None:
    """Raises OSError if a host does not answer at its port; Ray would try for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()


def _job(
    work: Work,
    files: Sequence[str],
    checkpoint: Checkpoint,
    workers: int,
    shared: "ObjectRef[Work]",
) -> "Dataset":
    import ray

    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    format, total = work.format, len(files)  # nodes need no more of the work to divide a file
    rows = [
        {"path": path, "skip": checkpoint.runs if index == 0 else 0}
        for index, path in enumerate(files[checkpoint.file :])
    ]
    return (
        ray.data.from_items(rows, override_num_blocks=max(1, len(rows)))
        .flat_map(lambda row: _divide(row, format, total))
        .repartition(target_num_rows_per_block=BATCH_SIZE)
        .map_batches(
            _Actor, fn_constructor_args=(shared,), batch_size=BATCH_SIZE, concurrency=(1, workers)
        )
    )


def _divide(row: Row, format: str | None, total: int) -> list[Row]:
    """Returns the portions of one file, so that the cluster divides files in parallel."""
    file_portions = portions([row["path"]], format, Checkpoint(0, row["skip"]), total=total)
    return [{"portion": pickle.dumps(portion)} for portion in file_portions]


class _Actor:
    """One worker of the cluster."""

    def __init__(self, shared: "ObjectRef[Work]") -> None:
        import ray

        os.environ[ONE_THREAD] = "1"
        self._worker = Worker(ray.get(shared))

    def __call__(self, batch: Mapping[str, Any]) -> Row:
        unpacked: list[Portion] = [pickle.loads(packed) for packed in batch["portion"]]
        return {"scored": [pickle.dumps(self._worker.score(portion)) for portion in unpacked]}
