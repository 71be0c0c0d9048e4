"""A Ray cluster: files are divided, and their runs scored, wherever there is room; order is kept.

One job of Ray Data. Files stay where they are: what travels are places in them, and the lines of
results. Each worker prepares encoder and references once. A worker that ends is started again, and
what it had begun is done again, with the same result.
"""

import logging
import os
import pickle
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from otap.errors import ConfigError, OtapError, shown
from otap.evaluation.inputs import Begun, Portion, portions
from otap.evaluation.work import Done, Work, Worker
from otap.transport import ONE_THREAD

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.data import Dataset

Row = dict[str, Any]
PATIENCE = 10.0  # seconds to wait for a cluster
TOGETHER = 4  # portions that a worker is handed at once


def run(
    work: Work,
    files: Sequence[str],
    begun: Begun,
    *,
    address: str | None = None,
    jobs: int | None = None,
    tell: Callable[[str], object] = lambda _: None,
) -> Iterator[Done]:
    """Yields each portion of files when it is done, in their order.

    Args:
        work: what is the same for all portions.
        files: trace files that all nodes can open: on a shared disk, or named by URI.
        begun: what is done already.
        address: of a running cluster; None: that of RAY_ADDRESS, else one is started here.
        jobs: how many workers; None: as many as the cluster has processors.
        tell: is told what it waits for.

    Raises:
        ConfigError: if Ray is not installed, or the cluster cannot be reached.
        OtapError: if the job ends early.
    """
    ray = _connect(address or os.environ.get("RAY_ADDRESS"), tell)
    workers = jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
    try:
        rows = _job(work, files, begun, workers, ray.put(work)).iter_rows()
        yield from (pickle.loads(row["done"]) for row in rows)
    except ray.exceptions.RayError as error:
        raise OtapError(f"the Ray job ended: {shown(error, 300)}; start again to go on") from None


def _connect(address: str | None, tell: Callable[[str], object]) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
        import ray.data
    except ImportError:
        raise ConfigError("--engine ray takes Ray; pip install 'otap[ray]'") from None
    if not ray.is_initialized():
        try:
            tell(f"waiting for Ray: {shown(address) if address else 'it starts here'}")
            _knock(address)
            # Without an address Ray joins whatever cluster the temporary folder remembers, even one
            # that is gone.
            ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            where = f" at {shown(address)}" if address else ""
            raise ConfigError(f"no Ray cluster{where}: {shown(error, 300)}") from None
    return ray


def _knock(address: str | None) -> None:
    """Raises OSError where nobody answers at a host and port: Ray would try for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), PATIENCE).close()


def _job(
    work: Work, files: Sequence[str], begun: Begun, workers: int, shared: "ObjectRef[Work]"
) -> "Dataset":
    import ray

    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    format, of = work.format, len(files)  # all that a node needs to divide a file
    rows = [
        {"path": path, "skip": begun.runs if place == 0 else 0}
        for place, path in enumerate(files[begun.file :])
    ]
    return (
        ray.data.from_items(rows, override_num_blocks=max(1, len(rows)))
        .flat_map(lambda row: _divide(row, format, of))
        .repartition(target_num_rows_per_block=TOGETHER)
        .map_batches(
            _Actor, fn_constructor_args=(shared,), batch_size=TOGETHER, concurrency=(1, workers)
        )
    )


def _divide(row: Row, format: str | None, of: int) -> list[Row]:
    """The portions of one file; so nobody has to read all files for all others."""
    found = portions([row["path"]], format, Begun(0, row["skip"]), of=of)
    return [{"portion": pickle.dumps(one)} for one in found]


class _Actor:
    """One worker of the cluster."""

    def __init__(self, shared: "ObjectRef[Work]") -> None:
        import ray

        os.environ[ONE_THREAD] = "1"
        self._worker = Worker(ray.get(shared))

    def __call__(self, batch: Mapping[str, Any]) -> Row:
        given: list[Portion] = [pickle.loads(one) for one in batch["portion"]]
        return {"done": [pickle.dumps(self._worker.do(one)) for one in given]}
