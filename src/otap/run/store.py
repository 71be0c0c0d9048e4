"""The prepared runs of trajectories that are still in use."""

from hashlib import blake2b
from weakref import WeakSet, WeakValueDictionary, ref

from otap.run.run import Run, prepare
from otap.run.settings import RunSettings
from otap.trajectory import Trajectory

MAX_TRANSIENT_STEPS = 10_000  # keep prepared runs, other than references, up to this many steps
# Fields that only errors read of a prepared run: runs that differ in these alone have one content.
IDENTITY = {"id", "trial", "outcome", "source"}

# Mechanisms of dependencies whose records a run may lack; the error names it.
NOT_IN_ALL = ("explicit", "traced")


class PreparedRuns:
    """Prepares each trajectory once while it is alive and in use.

    Trajectories are compared by identity, because comparing two costs more than preparing one. A
    prepared run goes with its trajectory. References stay until then, since many runs are compared
    with them. Of the runs only the latest stay, since the same one hardly ever comes back. Runs of
    equal content share a prepared run while one of them is in use.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._by_id: dict[int, tuple[ref[Trajectory], Run]] = {}
        self._by_content: WeakValueDictionary[bytes | None, Run] = WeakValueDictionary()
        self._shared: WeakSet[Run] = WeakSet()
        self._transient: dict[int, int] = {}  # the steps of those that may go, the latest last
        self._room = MAX_TRANSIENT_STEPS

    def of(self, trajectory: Trajectory, *, is_transient: bool = False) -> Run:
        """Returns the prepared run of a trajectory.

        Args:
            trajectory: its prepared run stays while it is alive.
            is_transient: let it go when many others come, unless it is kept as a reference. It may
                be shared with another run of equal content, whose identity it then has.
        """
        key = id(trajectory)
        steps = self._transient.pop(key, 0)
        self._room += steps
        entry = self._by_id.get(key)
        if entry is not None and (
            entry[0]() is not trajectory or (entry[1] in self._shared and not is_transient)
        ):
            entry = None
        if entry is None:
            run = self._share(trajectory) if is_transient else self._prepare(trajectory)
            entry = self._by_id[key] = ref(trajectory, lambda _: self._forget(key)), run
            steps = max(1, run.size)
        elif steps and not is_transient:  # another run of equal content is not the reference itself
            self._by_content.pop(_digest(trajectory), None)
        if is_transient and steps:
            self._transient[key] = steps
            self._room -= steps
            while self._room < 0 and len(self._transient) > 1:
                self._forget(next(iter(self._transient)))
        return entry[1]

    def separate(self, trajectory: Trajectory) -> None:
        """Makes a run share nothing until it is let go, so that errors name it."""
        self._forget(id(trajectory))
        self._by_content.pop(_digest(trajectory), None)

    def _prepare(self, trajectory: Trajectory) -> Run:
        return prepare(trajectory, self._settings)

    def _share(self, trajectory: Trajectory) -> Run:
        """The prepared run of this content, which is prepared if no run in use has it."""
        digest = _digest(trajectory)
        if digest is None or self._settings.config.dependencies in NOT_IN_ALL:
            return self._prepare(trajectory)
        run = self._by_content.get(digest)
        if run is None:
            run = self._by_content[digest] = self._prepare(trajectory)
        else:
            self._shared.add(run)
        return run

    def _forget(self, key: int) -> None:
        self._room += self._transient.pop(key, 0)
        self._by_id.pop(key, None)


def _digest(trajectory: Trajectory) -> bytes | None:
    """A digest that only trajectories of equal content share; None for a run of a plan.

    1, 1.0 and true are different content.
    """
    if type(trajectory) is not Trajectory:
        return None
    content = trajectory.model_dump_json(exclude=IDENTITY, warnings=False)
    return blake2b(content.encode(), digest_size=16).digest()
