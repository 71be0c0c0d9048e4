"""The scorer: a run and its references in, a score out."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from otap._caching import cached_property
from otap.config import Config
from otap.encoders import Encoder, TextFunction, load_encoder
from otap.errors import NoReferenceError, shown
from otap.scoring.assembly import assemble_score, signature_of
from otap.scoring.explanation import EXPLAINED, Explanation, explanation
from otap.scoring.metric import Metric
from otap.scoring.result import Origin, Score
from otap.scoring.search import Nearest, Search, find_nearest, solve_together
from otap.scoring.signature import Signature
from otap.trajectory import Trajectory, kinds_text

References = Trajectory | Sequence[Trajectory]
# Up to so many references all are solved; of more, only those that can matter.
FEW = 8
# What references that were not solved may change the soft-min by, together.
NEGLIGIBLE = 1e-9
# References whose matrices are held at once, and pairs of steps in these.
PORTION, PAIRS = 4096, 4_000_000


class Scorer:
    """Scores runs under one configuration; keeps the encoder and its vectors between calls.

    Args:
        config: the settings; None: the preset ``default``.
        encoder: overrides the one that the configuration names: a name, a model's folder, an
            encoder, or any callable ``list[str] -> array``.

    Raises:
        EncoderError: if the encoder cannot load.
    """

    def __init__(
        self, config: Config | None = None, *, encoder: str | Encoder | TextFunction | None = None
    ) -> None:
        self.config = config or Config()
        self._metric = Metric(self.config, load_encoder(encoder or self.config.encoder))

    def score(self, run: Trajectory, references: References) -> Score:
        """Returns the score of ``run`` against one or more references.

        Args:
            run: what is scored.
            references: known-good runs, at least one.

        Raises:
            NoReferenceError: if there is no reference, nothing was understood of one, or there is
                nothing to compare with one.
            DependencyError: if the mechanism asked for is not to be had.
            LimitError: if a side is too long, or its sub-steps too deep.
        """
        search = Search(run, _list_references(run, references), self._metric)
        return self._scores([search])[0]

    def score_many(self, pairs: Iterable[tuple[Trajectory, References]]) -> list[Score]:
        """Returns the score of each run against its references, the same numbers as one by one.

        Pairs are read, solved and let go in portions; each portion is solved in one batch, by as
        many threads as there are processors.

        Args:
            pairs: runs, each with one reference or several.

        Raises:
            NoReferenceError: as :meth:`score`, at the first pair that cannot be scored.
            DependencyError: the same.
            LimitError: the same.
        """
        scores: list[Score] = []
        searches: list[Search] = []
        count = size = 0
        for run, references in pairs:
            search = Search(run, _list_references(run, references), self._metric)
            searches.append(search)
            count, size = count + len(search.prepared), size + search.pairs
            if count >= PORTION or size >= PAIRS:
                scores += self._scores(searches)
                searches, count, size = [], 0, 0
        return scores + self._scores(searches)

    def explain(
        self, run: Trajectory, references: References, most: int = EXPLAINED
    ) -> Explanation:
        """Returns the score of ``run``, and what it was read off: for pages and pictures.

        Args:
            run: what is scored.
            references: known-good runs, at least one.
            most: how many of them it is held against one by one, the nearest first.

        Raises:
            NoReferenceError: as :meth:`score`.
            DependencyError: the same.
            LimitError: the same.
        """
        listed = _list_references(run, references)
        search = Search(run, listed, self._metric)
        score = self._scores([search])[0]
        if len(search.prepared) == 1:
            return explanation(search, score, lambda _: score, most)
        written = search.given[1]
        return explanation(search, score, lambda place: self.score(run, written[place]), most)

    @cached_property
    def signature(self) -> Signature:
        """How its numbers are made: the signature of all its scores."""
        return signature_of(self._metric)

    def filtered(self, trajectory: Trajectory) -> Trajectory:
        """Returns what is compared of a trajectory: its steps, without what does not count."""
        run = self._metric.runs.of(trajectory)
        return trajectory if run.scored is run.flat.trajectory else run.scored

    def _scores(self, searches: Sequence[Search]) -> list[Score]:
        few: list[Search] = []
        for search in searches:
            if len(search.prepared) <= FEW:
                few.append(search)
            else:
                search.solve(lambda losses: self._reach(losses, len(search.prepared)))  # noqa: B023
        solve_together(few)
        scores = []
        for search in searches:
            score = assemble_score(search, self._reach, self.signature)
            vars(score)["origin"] = Origin(partial(self._explain_again, search.given))
            scores.append(score)
        return scores

    def _explain_again(
        self,
        given: tuple[Trajectory, Sequence[Trajectory]],
        others: Sequence[Trajectory] | None,
    ) -> Explanation:
        """Returns the explanation of a score, which knows its run as long as it lives."""
        return self.explain(given[0], others or given[1])

    def _reach(self, losses: list[float], count: int) -> float:
        """The loss up to which a reference can move the soft-min by NEGLIGIBLE or more."""
        if not losses:
            return math.inf
        temperature = self.config.temperature
        weight = temperature * count / NEGLIGIBLE
        return losses[0] + (temperature * math.log(weight) if weight > 1 else 0.0)

    def nearest(self, run: Trajectory, corpus: Sequence[Trajectory], k: int = 1) -> Nearest:
        """Returns the ``k`` trajectories of ``corpus`` that are nearest to ``run``.

        The same as if all losses were computed; a lower bound says which ones need not be. No
        unions are made: the losses are those of the setting ``contraction = false``.

        Args:
            run: the query.
            corpus: the trajectories that are searched.
            k: how many are wanted, at least 1.

        Raises:
            NoReferenceError: if the corpus is empty, or a trajectory has no field in common.
            LimitError: if a side is too long, or its sub-steps too deep.
            ValueError: if k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1: {k}")
        return find_nearest(run, _list_references(run, corpus), k, self._metric_without_unions)

    @cached_property
    def _metric_without_unions(self) -> Metric:
        """The metric without unions; kept, and with it the runs that it prepared."""
        return self._metric.changed(contraction=False) if self.config.contraction else self._metric


def score(run: Any, references: Any) -> Score:
    """Returns the score of ``run`` under the preset ``default``; :class:`Scorer` knows others.

    Both may be objects in memory, as :func:`otap.parse` takes them.

    Args:
        run: what is scored.
        references: known-good runs, at least one.

    Raises:
        FormatError: for an object that is no run.
        NoReferenceError: if there is no reference, or nothing to compare with one.
        LimitError: if a side is too long, or its sub-steps too deep.
    """
    from otap.formats import parse, parse_references  # a scorer itself needs no readers

    return Scorer().score(parse(run), parse_references(references))


def _list_references(run: Trajectory, references: References) -> Sequence[Trajectory]:
    listed = [references] if isinstance(references, Trajectory) else list(references)
    if not listed:
        raise NoReferenceError(
            f"{shown(run.name)}: no reference to compare it with; pass at least one known-good run"
        )
    for reference in listed:
        if not reference.understood:
            raise NoReferenceError(
                f"{shown(reference.name)}: no reference, nothing was understood of it:"
                f" {kinds_text(reference.unread.unknown)}; 'otap formats FILE' shows what was read"
            )
    return listed
