"""The prepared runs of trajectories that are still in use."""

from weakref import ref

from otap.run.run import Run, prepare
from otap.run.settings import RunSettings
from otap.trajectory import Trajectory

MAX_TRANSIENT_STEPS = 10_000  # keep prepared runs, other than references, up to this many steps


class PreparedRuns:
    """Prepares each trajectory once while it is alive and in use.

    Trajectories are compared by identity, because comparing two costs more than preparing one. A
    prepared run goes with its trajectory. References stay until then, since many runs are compared
    with them. Of the runs only the latest stay, since the same one hardly ever comes back.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._by_id: dict[int, tuple[ref[Trajectory], Run]] = {}
        self._transient: dict[int, int] = {}  # the steps of those that may go, the latest last
        self._room = MAX_TRANSIENT_STEPS

    def of(self, trajectory: Trajectory, *, is_transient: bool = False) -> Run:
        """Returns the prepared run of a trajectory.

        Args:
            trajectory: its prepared run stays while it is alive.
            is_transient: let it go when many others come, unless it is kept as a reference.
        """
        key = id(trajectory)
        steps = self._transient.pop(key, 0)
        self._room += steps
        entry = self._by_id.get(key)
        if entry is None or entry[0]() is not trajectory:
            run = prepare(trajectory, self._settings)
            entry = self._by_id[key] = ref(trajectory, lambda _: self._forget(key)), run
            steps = max(1, run.size)
        if is_transient and steps:
            self._transient[key] = steps
            self._room -= steps
            while self._room < 0 and len(self._transient) > 1:
                self._forget(next(iter(self._transient)))
        return entry[1]

    def _forget(self, key: int) -> None:
        self._room += self._transient.pop(key, 0)
        self._by_id.pop(key, None)
