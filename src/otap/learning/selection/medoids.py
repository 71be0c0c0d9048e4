"""K-medoids by FasterPAM [Schubert2021], from starts that no listing order decides."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from otap.errors import ConfigError

Array = npt.NDArray[Any]
_SEEDS = 4  # random starts besides, of matrices that are searched once
_ROUNDING = 1e-9


def fasterpam() -> ModuleType:
    """Returns the package that has FasterPAM.

    Raises:
        ConfigError: if it is not installed.
    """
    try:
        return import_module("kmedoids")
    except ImportError:
        raise ConfigError(
            "choosing references needs the package kmedoids; install it with: pip install"
            " 'otap[select]'"
        ) from None


def medoids(
    losses: Array, k: int, starts: Iterable[Sequence[int]] = (), *, seeds: int = _SEEDS
) -> tuple[int, ...]:
    """Returns the places of k medoids that no swap improves, the best of several starts.

    Args:
        losses: symmetric, (n, n), with n above k.
        k: how many.
        starts: medoids to start from besides those of BUILD.
        seeds: how many random starts are tried as well, the same ones each time.
    """
    package = fasterpam()
    given = [package.pam_build(losses, k).medoids, *starts]
    given += [np.random.default_rng(s).choice(len(losses), k, False) for s in range(seeds)]
    best: tuple[float, tuple[int, ...]] | None = None
    for start in given:
        found = package.fasterpam(losses, np.array(start, dtype=np.uintp), n_cpu=1)
        places = tuple(sorted(found.medoids.tolist()))
        if best is None or found.loss < best[0] * (1.0 - _ROUNDING):
            best = float(found.loss), places
    assert best is not None
    return best[1]
