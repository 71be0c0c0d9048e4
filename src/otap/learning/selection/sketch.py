"""Sketches of runs: what they are compared by as histograms, whose differences are cheap.

A histogram of each kind of feature (tools, values, calls, words, who is before whom), each step
with the weight that it has in a loss. Half the absolute difference of two of them is what neither
can match of the other under that feature alone, a transport cost in a tree of depth one
([Indyk2003] sums such differences over the levels of a tree). No one of them is a loss; which sum
of them is near it, a regression on solved pairs says (``estimate``).
"""

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from otap.dependencies.mechanisms import MECHANISMS
from otap.scoring.prepare.prepared import PreparedRun
from otap.trajectory import Step
from otap.transport import dense

SIZE = 512  # of a histogram; features that share a place only blur it
WORDS, EFFECT = 40, 400  # words of an action, characters of an effect, that are looked at
LONGEST = 500  # steps up to which it is looked at who is before whom
FEW = 8  # times fewer values than places, of which one by one is faster than all with all
KINDS = ("mass", "tool", "value", "call", "action", "effect", "step", "order")
_WORD = re.compile(r"\w+")
Array = npt.NDArray[np.float64]
Differences = npt.NDArray[np.float32]  # (kinds, runs, runs)


def differences(runs: Sequence[PreparedRun]) -> Differences:
    """Returns for each kind of feature how much each two runs differ, over both directions.

    What a run's steps weigh depends on the reference: the histograms are made once for each way
    in which one of these runs would have them weigh.

    Args:
        runs: at least one.
    """
    ways: dict[tuple[frozenset[str], frozenset[str]], list[int]] = {}
    for place, run in enumerate(runs):
        ways.setdefault((run.in_full, run.in_full_besides), []).append(place)
    places = [_places(run) for run in runs]
    found = np.zeros((len(KINDS), len(runs), len(runs)), dtype=np.float32)
    for members in ways.values():
        chosen = np.zeros(len(runs), dtype=np.float32)
        chosen[members] = 0.5
        share = chosen[:, None] + chosen
        for kind, gaps in _gaps(runs, places, runs[members[0]]):
            found[kind] += share * gaps
    return found


def _gaps(
    runs: Sequence[PreparedRun], places: Sequence["_Places"], reference: PreparedRun
) -> Iterator[tuple[int, Differences]]:
    """For each kind of feature the differences of runs, as weighed against one reference."""
    weights = [run.weights(reference.in_full) for run in runs]
    besides = [own * run.penalties(reference) for own, run in zip(weights, runs, strict=True)]
    total = np.array([own.sum() for own in weights])
    unit = np.maximum(1.0, (total[:, None] + total) / 2.0).astype(np.float32)
    for kind, name in enumerate(KINDS):
        # What is missing weighs in full, what was done besides by its own factor.
        missing = np.array([p.histogram(name, w) for p, w in zip(places, weights, strict=True)])
        done = np.array([p.histogram(name, w) for p, w in zip(places, besides, strict=True)])
        yield kind, (_taxicab(missing) + _taxicab(done)) / (2.0 * unit)


def _taxicab(histograms: Array) -> Differences:
    """The sum of absolute differences of each two of some histograms, most of them nearly empty.

    That is what both sum to, but for twice what they share, place by place.
    """
    from scipy.spatial.distance import pdist, squareform

    used = histograms[:, histograms.any(axis=0)]
    filled = np.count_nonzero(used, axis=0)
    if (filled**2).sum() > used.size * len(used) / FEW:
        return squareform(pdist(used, "cityblock"), checks=False).astype(np.float32)
    values, total = used.astype(np.float32), used.sum(axis=1).astype(np.float32)
    found: Differences = total[:, None] + total
    for place in range(used.shape[1]):
        rows = np.flatnonzero(values[:, place])
        own = 2.0 * values[rows, place]
        found[np.ix_(rows, rows)] -= np.minimum.outer(own, own)
    return np.maximum(found, 0.0)


class _Places:
    """For each kind of feature which places of the histogram each step fills."""

    def __init__(self, steps: Mapping[str, list[list[int]]], before: "_Before") -> None:
        self._steps, self._before = steps, before

    def histogram(self, kind: str, weights: Array) -> Array:
        """The histogram of a kind; a step shares its weight among its features."""
        found = np.zeros(SIZE)
        if kind == "order":
            self._before.add(found, weights)
        elif kind == "mass":
            found[0] = weights.sum()
        else:
            for features, weight in zip(self._steps[kind], weights.tolist(), strict=True):
                for place in features:
                    found[place] += weight / len(features)
        return found


class _Before:
    """Which steps of a run come before which, by their tools."""

    def __init__(self, run: PreparedRun) -> None:
        tools = [_hash(_tool(step)) for step in run.trajectory.steps]
        self._pairs = _pairs(run)
        self._places = np.array(tools, dtype=np.intp)

    def add(self, histogram: Array, weights: Array) -> None:
        """Adds the product of both weights for each pair, as the structure term does."""
        first, second = self._pairs
        places = (31 * self._places[first] + self._places[second]) % SIZE
        both = weights[first] * weights[second] / max(1.0, float(weights.sum()))
        np.add.at(histogram, places, both)


def _pairs(run: PreparedRun) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    mechanism = next(
        name for name in MECHANISMS if name in run.mechanisms or name == MECHANISMS[-1]
    )
    if mechanism == MECHANISMS[-1] or run.size > LONGEST:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    first, second = np.nonzero(dense(run.nodes(mechanism, 1.0, run).structure) > 0)
    return first, second


def _places(run: PreparedRun) -> _Places:
    steps = [_features(step) for step in run.trajectory.steps]
    kinds = [kind for kind in KINDS if kind not in ("mass", "order")]
    return _Places(
        {kind: [list(map(_hash, one[kind])) for one in steps] for kind in kinds}, _Before(run)
    )


def _features(step: Step) -> dict[str, list[str]]:
    tool = _tool(step)
    values = [f"{tool}|{value}" for value in sorted(_leaves(step.arguments))] or [tool]
    effect = json.dumps(step.effect)[:EFFECT]
    return {
        "tool": [tool],
        "value": values,
        "call": ["|".join(values)],
        "action": _words(step.action or ""),
        "effect": _words(effect),
        "step": ["|".join([*values, step.action or "", effect])],
    }


def _tool(step: Step) -> str:
    return step.tool or step.kind


def _leaves(data: object, path: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _leaves(value, f"{path}/{key}")
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value, f"{path}/*")
    elif data is not None:
        yield f"{path}={data}"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())[:WORDS] or [""]


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % SIZE
