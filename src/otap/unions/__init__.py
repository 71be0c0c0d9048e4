"""Unions: steps that together stand for one step of the other side become one node.

A run may do in two calls what a reference does in one, or the other way round. Both are right, and
a coupling of single steps cannot see it: neither part is close to the whole. So pairs of steps are
sought whose union is closer to one step than each part is; the problem is solved again with the
unions as nodes, and the smaller loss counts. Which unions there are follows from costs and edges
alone, not from a coupling.
"""

from otap.unions.merging import UnionCost
from otap.unions.parameters import LONGEST, MARGIN, ROUNDS
from otap.unions.search import unite

__all__ = ["LONGEST", "MARGIN", "ROUNDS", "UnionCost", "unite"]
