"""A result in, its explanation out: scored again, and held to what the result says."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otap._caching import cached_property
from otap.errors import OtapError, shown
from otap.evaluation.explaining.told import Told
from otap.evaluation.explaining.traces import FoundTraces
from otap.evaluation.resumption import differing
from otap.scoring import PRESETS, Explanation, Scorer
from otap.scoring.config.file import load_config
from otap.trajectory import Trajectory

TOLERANCE = 1e-4  # of the loss: long runs are compared in single precision
# Settings that a signature says in the clear; the rest of them are those of the settings file.
_SAID = ("preset", "dependencies", "reference", "only_changes")


@dataclass(frozen=True)
class Unexplained:
    """Why there are no steps of a result: one sentence, and one that holds for many."""

    why: str
    kind: str


class Explainer:
    """Explains the results of one file.

    Args:
        signature: how the numbers of the file were made.
        traces: finds what they were made of.
        settings: the file of settings; None: as every command finds it.
    """

    def __init__(
        self, signature: Mapping[str, Any], traces: FoundTraces, settings: Path | None = None
    ) -> None:
        self._signature, self._traces, self._settings = signature, traces, settings

    def explain(self, told: Told) -> Explanation | Unexplained:
        """Returns what a score was read off, or why that is not known any more."""
        if self._unlike:
            return Unexplained(
                f"it was scored with other settings or another version of OTAP ({self._unlike})",
                f"scored with other settings or another version of OTAP ({self._unlike})",
            )
        try:
            found = self._explained(told)
        except OtapError as error:
            return Unexplained(str(error), "their traces are gone or have changed")
        wanted = told.loss if told.traces is None else told.best_loss
        if wanted is None or not math.isclose(found.score.loss, wanted, abs_tol=TOLERANCE):
            return Unexplained(
                "scored again it gives another number; the way in which it was read has changed",
                "scored again they give another number",
            )
        return found

    def _explained(self, told: Told) -> Explanation:
        run, references = self._sides(told)
        return self._scorer.explain(run, references)

    def _sides(self, told: Told) -> tuple[Trajectory, list[Trajectory]]:
        if told.traces is not None:
            return told.traces.run, [told.traces.reference]
        if told.source is None:
            raise OtapError("the result does not say where its run was read")
        run = self._traces.run(told.source)
        return run, self._traces.references(run, told.reference_sources)

    @cached_property
    def _scorer(self) -> Scorer:
        """Scores as the results were scored, as far as that can be known.

        Raises:
            OtapError: for settings that cannot be had.
        """
        said = {name: self._signature.get(name) for name in _SAID}
        said["preset"] = said["preset"] if said["preset"] in PRESETS else None  # else: custom
        return Scorer(load_config(self._settings, said).config)

    @cached_property
    def _unlike(self) -> str:
        """What is unlike in how numbers were made; empty: nothing."""
        try:
            now = self._scorer.signature.model_dump(mode="json")
        except OtapError as error:
            return shown(error, 200)
        return differing(self._signature, now)
