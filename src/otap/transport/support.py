"""Pairs that may move no mass, and steps that are in no other pair: these are not solved for."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from otap.transport.objective import Terms
from otap.transport.parameters import FORBIDDEN
from otap.transport.problem import Problem
from otap.transport.solution import Solution
from otap.transport.structure import Hops, Index, Structure


class Support(NamedTuple):
    """A problem, and its steps that may move mass at all.

    A pair is forbidden from a node cost of FORBIDDEN on. A step all of whose pairs are forbidden
    moves nothing in any optimal coupling: its whole mass is penalised, and the rest is a problem
    without it.
    """

    problem: Problem
    rows: Index
    columns: Index

    @property
    def is_empty(self) -> bool:
        """Whether no pair may move mass."""
        return not len(self.rows)

    def restricted(self) -> Problem:
        """The problem of the steps that may move mass."""
        p, rows, columns = self.problem, self.rows, self.columns
        return Problem(
            p.C[np.ix_(rows, columns)],
            _taken(p.D_p, rows),
            _taken(p.D_r, columns),
            p.mu[rows],
            p.nu[columns],
            p.theta,
            p.lambda_1[rows],
            p.lambda_2[columns],
        )

    def extended(self, found: Solution | None) -> Solution:
        """The solution of the whole problem, by that of the restricted one; None: there is none."""
        p = self.problem
        own, other = p.lambda_1 * p.mu, p.lambda_2 * p.nu
        if found is None:
            parts = Terms(0.0, 0.0, float(own.sum()), float(other.sum()))
            return Solution(p, np.zeros(p.shape), parts, 0.0, True, 0, 0, 0.0)
        T = np.zeros(p.shape, dtype=found.T.dtype)
        T[np.ix_(self.rows, self.columns)] = found.T
        parts = found.terms._replace(
            agent_mass=found.terms.agent_mass + float(np.delete(own, self.rows).sum()),
            reference_mass=found.terms.reference_mass + float(np.delete(other, self.columns).sum()),
        )
        return replace(found, problem=p, T=T, terms=parts)


def support_of(problem: Problem) -> Support | None:
    """Returns the steps of a problem that may move mass; None where all of them may."""
    allowed = problem.C < FORBIDDEN
    rows, columns = allowed.any(axis=1), allowed.any(axis=0)
    if rows.all() and columns.all():
        return None
    return Support(problem, np.flatnonzero(rows), np.flatnonzero(columns))


def _taken(D: Structure, places: Index) -> Structure:
    if isinstance(D, Hops):
        return Hops(D.counts[np.ix_(places, places)], D.height)
    return D[np.ix_(places, places)]
