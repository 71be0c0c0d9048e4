"""The metric of [Barazandeh2026] to the letter: the preset ``paper``, one module for each equation.

===========  ==================  ================================================================
Paper        Module              Function
===========  ==================  ================================================================
Algorithm 1  ``algorithm``       ``Algorithm``: one method for each line
Eq. 1        ``node_cost``       ``NodeCost``: the cost C of two steps
Eq. 2        ``structure``       ``dependency_distance``: the matrix D of a graph
Eq. 3        ``objective``       ``objective``: the problem that the solver minimises
Eq. 4        ``algorithm``       ``Algorithm``: pi = rho, the ``mass`` of a score
Eq. 5        ``soft_minimum``    ``soft_minimum``: the loss against a set of references
Eq. 6        ``masses``          ``masses``: mu, and nu by criticality
Eq. 7        ``algorithm``       ``Algorithm``: the ``score``, exp(-L)
Remark 1     ``substeps``        ``with_substeps``: steps that consist of steps
===========  ==================  ================================================================

Names in this package are the letters of the paper. P is the run, and R is a reference. Where the
paper is silent or admits several readings, the docstring of the equation names the one taken.
"""

from otap.paper.algorithm import Algorithm
from otap.paper.soft_minimum import SoftMinimum
from otap.paper.unrelated import skill

__all__ = ["Algorithm", "SoftMinimum", "skill"]
