"""The scorer, which returns the score of a run against its references."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

from otap._caching import cached_property
from otap._garbage import collect_rarely
from otap.config import Config
from otap.encoders import Encoder, TextFunction, load_encoder
from otap.errors import NoReferenceError, OtapError, shown
from otap.scoring.assembly import assemble_score, signature_of
from otap.scoring.explanation import EXPLAINED, Explanation, explanation
from otap.scoring.metric import Metric
from otap.scoring.progress import Progress, Value
from otap.scoring.references import Nearest, ReferenceComparisons, find_nearest, solve_together
from otap.scoring.result import Origin, Score
from otap.scoring.signature import Signature
from otap.scoring.unread import UnreadScores
from otap.trajectory import Trajectory, kinds_text

References = Trajectory | Sequence[Trajectory]
# Maximum references that are all solved; of more, only those that can matter are.
SOLVE_ALL_UP_TO = 8
NEGLIGIBLE = 1e-9  # maximum change of the soft-min by all references that are not solved
# Maximum references, and pairs of steps, in one batch of ``score_many``.
PORTION, MAX_PAIRS = 4096, 4_000_000


class Scorer:
    """Scores runs under one configuration; keeps the encoder and its vectors between calls.

    Args:
        config: the settings (default: the preset ``default``).
        encoder: replaces the encoder of the configuration: a name, a model's folder, an encoder,
            or any callable ``list[str] -> array``.

    Raises:
        EncoderError: if the encoder cannot load.
    """

    def __init__(
        self, config: Config | None = None, *, encoder: str | Encoder | TextFunction | None = None
    ) -> None:
        self.config = config or Config()
        self._metric = Metric(self.config, load_encoder(encoder or self.config.encoder))
        self._unread = UnreadScores()

    def make_strict(self) -> "Scorer":
        """Returns a scorer with the same settings and encoder in strict mode.

        Raises:
            ConfigError: if a setting hides calls from strict mode.
        """
        return self.with_config(Config(**{**dict(self.config), "strict": True}))

    def with_config(self, config: Config) -> "Scorer":
        """Returns a scorer with other settings; it shares the encoder and its vectors.

        Args:
            config: the settings; their encoder is ignored.
        """
        return Scorer(config, encoder=self._metric.encoder)

    def score(self, run: Trajectory, references: References) -> Score:
        """Returns the score of ``run`` against one or more references.

        Args:
            run: the run to score.
            references: known-good runs, at least one.

        Raises:
            NoReferenceError: if there is no reference, no step was understood in one, or one has no
                field in common with the run.
            DependencyError: if a side does not record the configured mechanism.
            LimitError: if a side is too long, or its sub-steps nest too deep.
        """
        return self._scores([self._compare(run, references)])[0]

    @overload
    def score_many(
        self, pairs: Iterable[tuple[Trajectory, References]], *, return_errors: Literal[False] = ...
    ) -> list[Score]: ...

    @overload
    def score_many(
        self, pairs: Iterable[tuple[Trajectory, References]], *, return_errors: bool
    ) -> list[Score | Exception]: ...

    def score_many(
        self, pairs: Iterable[tuple[Trajectory, References]], *, return_errors: bool = False
    ) -> list[Score] | list[Score | Exception]:
        """Returns the score of each run against its references; the numbers equal :meth:`score`.

        Pairs are read, solved and released in portions. One batch solves a portion, with a thread
        for each processor.

        Args:
            pairs: runs, each with one or more references.
            return_errors: whether the list has the error of a pair that cannot be scored in the
                place of its score, as ``asyncio.gather`` has with ``return_exceptions``. By
                default the first error is raised, and no score is returned.

        Raises:
            NoReferenceError: as :meth:`score`, at the first pair that cannot be scored.
            DependencyError: the same.
            LimitError: the same.
        """
        with collect_rarely():
            return self._score_in_portions(pairs, return_errors=return_errors)

    def _score_in_portions(
        self, pairs: Iterable[tuple[Trajectory, References]], *, return_errors: bool
    ) -> list[Any]:
        scores: list[Any] = []
        portion: list[ReferenceComparisons | Exception] = []
        count = size = 0
        for run, references in pairs:
            comparisons = self._compare_or_fail(run, references, return_errors=return_errors)
            portion.append(comparisons)
            if isinstance(comparisons, Exception):
                continue
            count += len(comparisons.views)
            size += comparisons.pair_count
            if count >= PORTION or size >= MAX_PAIRS:
                scores += self._scores_or_errors(portion, return_errors=return_errors)
                portion, count, size = [], 0, 0
        return scores + self._scores_or_errors(portion, return_errors=return_errors)

    def _compare_or_fail(
        self, run: Trajectory, references: References, *, return_errors: bool
    ) -> ReferenceComparisons | Exception:
        try:
            return self._compare(run, references)
        except Exception as error:
            if not return_errors:
                raise
            return error

    def _scores_or_errors(
        self, portion: Sequence[ReferenceComparisons | Exception], *, return_errors: bool
    ) -> list[Score | Exception]:
        """The scores of a portion; if one fails, each run is scored alone."""
        runs = [entry for entry in portion if not isinstance(entry, Exception)]
        results: list[Score | Exception]
        try:
            scores = self._scores(runs)
            if return_errors:
                for score in scores:
                    score.make_fields()
            results = list(scores)
        except Exception as error:
            if not return_errors:
                raise
            if len(runs) == 1:
                results = [error]
            else:
                results = [
                    result
                    for run in runs
                    for result in self._scores_or_errors([run], return_errors=True)
                ]
        remaining = iter(results)
        return [entry if isinstance(entry, Exception) else next(remaining) for entry in portion]

    def explain(
        self, run: Trajectory, references: References, most: int = EXPLAINED
    ) -> Explanation:
        """Returns the score of ``run`` with its source, for pages and pictures.

        Args:
            run: the run to score.
            references: known-good runs, at least one.
            most: the maximum number of references that are explained, the nearest first.

        Raises:
            NoReferenceError: as :meth:`score`.
            DependencyError: the same.
            LimitError: the same.
        """
        comparisons = self._compare(run, references)
        score = self._scores([comparisons])[0]

        def score_alone(index: int) -> Score:
            if len(comparisons.references) == 1:
                return score
            return self.score(run, comparisons.references[index])

        return explanation(comparisons, score, score_alone, most)

    def progress(self, references: References, *, value: Value = "skill") -> Progress:
        """Returns a run without steps that grows step by step, with a reward for each step.

        Args:
            references: known-good runs or plans, at least one.
            value: the sum of the rewards of a run: its skill, which is 0 for doing nothing, or
                its score.

        Raises:
            ConfigError: under the paper's metric, which has no price of a single step.
            NoReferenceError: as :meth:`score`.
        """
        nothing = Trajectory(id="progress", steps=())
        return Progress(self, _list_references(nothing, references), value)

    @property
    def metric(self) -> Metric:
        """The settings, the encoder, and the runs prepared so far."""
        return self._metric

    @cached_property
    def signature(self) -> Signature:
        """The signature of all its scores, which identifies the settings."""
        return signature_of(self._metric)

    def filtered(self, trajectory: Trajectory) -> Trajectory:
        """Returns the trajectory without the steps that do not count."""
        run = self._metric.runs.of(trajectory)
        return trajectory if run.scored is run.flat.trajectory else run.scored

    def _compare(self, run: Trajectory, references: References) -> ReferenceComparisons:
        listed = _list_references(run, references)
        try:
            return ReferenceComparisons(run, listed, self._metric)
        except OtapError:
            # It may name another run of equal content, whose prepared run this one shares.
            self._metric.runs.separate(run)
            return ReferenceComparisons(run, listed, self._metric)

    def _scores(self, runs: Sequence[ReferenceComparisons]) -> list[Score]:
        few: list[ReferenceComparisons] = []
        for comparisons in runs:
            count = len(comparisons.views)
            if count <= SOLVE_ALL_UP_TO:
                few.append(comparisons)
            else:
                comparisons.solve(lambda losses: self._loss_cutoff(losses, count))  # noqa: B023
        solve_together(few)
        scores = []
        for comparisons in runs:
            origin = Origin(self.explain, comparisons.run, comparisons.references)
            score = assemble_score(comparisons, self._loss_cutoff, self.signature, origin)
            self._unread.add(score, comparisons.pair_count)
            scores.append(score)
        return scores

    def _loss_cutoff(self, losses: list[float], count: int) -> float:
        """The loss up to which one of ``count`` references can change the soft-min notably."""
        if not losses:
            return math.inf
        temperature = self.config.temperature
        weight = temperature * count / NEGLIGIBLE
        return losses[0] + (temperature * math.log(weight) if weight > 1 else 0.0)

    def nearest(self, run: Trajectory, corpus: Sequence[Trajectory], k: int = 1) -> Nearest:
        """Returns the ``k`` trajectories of ``corpus`` that are nearest to ``run``.

        Lower bounds prove that the trajectories that are not solved are farther. Steps do not
        merge: the losses are those of the setting ``contraction = false``.

        Args:
            run: the query.
            corpus: the trajectories to search.
            k: the number of trajectories, at least 1.

        Raises:
            NoReferenceError: if the corpus is empty, or a trajectory has no field in common.
            LimitError: if a side is too long, or its sub-steps nest too deep.
            ValueError: if k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1: {k}")
        return find_nearest(run, _list_references(run, corpus), k, self._unmerged_metric)

    @cached_property
    def _unmerged_metric(self) -> Metric:
        """The metric that merges no steps, with the runs that it prepared."""
        if not self.config.contraction:
            return self._metric
        return self._metric.with_settings(contraction=False)


def score(run: Any, references: Any) -> Score:
    """Returns the score of ``run`` under the preset ``default``; :class:`Scorer` takes others.

    Both may be any objects that :func:`otap.parse` accepts.

    Args:
        run: the run to score.
        references: known-good runs, at least one.

    Raises:
        FormatError: if an object is no run.
        NoReferenceError: if there is no reference, or nothing to compare with one.
        LimitError: if a side is too long, or its sub-steps nest too deep.
    """
    from otap.formats import parse, parse_references  # a scorer itself needs no readers

    return Scorer().score(parse(run), parse_references(references))


def _list_references(run: Trajectory, references: References) -> Sequence[Trajectory]:
    trajectories = [references] if isinstance(references, Trajectory) else list(references)
    if not trajectories:
        raise NoReferenceError(
            f"{shown(run.name)}: no reference to compare it with; pass at least one known-good run"
        )
    for reference in trajectories:
        if not reference.understood:
            raise NoReferenceError(
                f"{shown(reference.name)}: no reference, nothing was understood of it:"
                f" {kinds_text(reference.unread.unknown)}; 'otap formats FILE' shows what was read"
            )
    return trajectories
