"""The parameters of the solvers, with their origins.

Python passes the schedule to the native core. A test compares the core's own constants with these.
"""

# Epsilon scaling [Schmitzer2019]: the first entropy weight, at which the objective has few minima,
# and the factor between weights.
FIRST_EPSILON, EPSILON_RATIO = 0.05, 0.25
# The last weight, by the length of the longer side. Its effect on the loss decreases with its
# square: with flat node costs and 5 to 12 steps it is 1e-4 at 1e-3, and 1e-6 at 1e-4. For longer
# sides a low weight takes more time.
LAST_EPSILON, FINE_UP_TO, LAST_EPSILON_BEYOND = 1e-4, 200, 1e-3
# Below, exp(cost / epsilon) exceeds double precision (0 requests the limit); above, entropy
# dominates all costs.
LEAST_EPSILON, MOST_EPSILON = 1e-6, 100.0
# Outside, exp(cost / lambda) or the products of mass and lambda exceed double precision.
LEAST_LAMBDA, MOST_LAMBDA = 1e-6, 1e9
# If an inner problem fails at an epsilon, it is solved at these multiples in turn.
FACTORS = (256.0, 64.0, 16.0, 4.0, 1.0)

# Linearisations that are enough for all but one problem in some hundreds, which zigzags.
QUICK = 100
# Linearisations of a further start; starts that need more do not end better.
PATIENCE = 40
# If the coupling changed by more (sum of absolute differences), the dual potentials fit the next
# linearisation badly, and a Sinkhorn step precedes Newton's.
MOVED = 0.05
# The tolerance of an inner problem, relative to the mass of a step: a share of the last change,
# between the limits of the arithmetic's precision and the loosest tolerance.
OF_CHANGE, LOOSEST, TIGHTEST, TIGHTEST_SINGLE = 1e-2, 1e-3, 1e-9, 1e-5

# ZERO: a lower loss is a rounding error of 0. SAME_LOSS: smaller differences count as equal.
# AGREEMENT: starts that agree to this show that others end there too. CERTAIN: with a smaller gap
# to the lower bound no other start is needed.
ZERO, SAME_LOSS, AGREEMENT, CERTAIN = 1e-12, 1e-9, 1e-7, 1e-7
# SEARCHED: up to this many steps per side, matchings are starts, which cost as much as a descent.
# ROUNDS: the shuffles at the end of each round. ENOUGH: how often the best loss must occur.
SEARCHED, ROUNDS, ENOUGH = 16, (6, 22, 48), 4
# In 209 small problems with flat costs or heavy structure, 16 shuffles miss the best known loss by
# more than 1e-5 in 3 cases, and 48 in 1. Above 12 x 12 a start is expensive, so there are fewer.
SHUFFLES, CHEAP = 48, 144
# For quick losses: the weights and the linearisations of a descent, and the change at which it may
# end earlier.
BRIEF = [0.05, 0.01], 4, 1e-2
# A pair of this node cost or more moves no mass. At lambda 1 and theta .45 more than 1e-12 of a
# mass moves up to a cost of 50. Far above, exp(-cost / epsilon) is exactly 0 at every epsilon.
FORBIDDEN = 1e6
# The share of the permutation in a start; the product coupling is added so that no entry is 0.
KEEP = 0.8

# If the first evaluation of the dual has a smaller error, it is the solution.
ALREADY_SOLVED = 1e-9
# Polishing. SLIGHT: cells with a smaller share of the mass of both steps come from the entropy.
# NOTHING: cells with a smaller share in which the objective increases would only shorten steps.
SLIGHT, NOTHING = 1e-3, 1e-30
# STILL: the smallest promise of a step, which is the allowed distance to the local minimum. ARMIJO:
# the part of the promise that must come true [Nocedal2006]. ENTERING: cells that enter at a time.
STILL, ARMIJO, ENTERING = 1e-11, 1e-4, 4
# LEAST: the lowest mass of a step, with a finite logarithm. KEEPS: a step that would keep a smaller
# share of its mass decreases exponentially instead.
LEAST, KEEPS = 1e-250, 0.05

# The tolerance for a graded structure, D_ik = y_k - y_i, whose hops are small fractions.
GRADED = 1e-9

# Long problems, in single precision. Changes of T below STILL_SINGLE and increases of the objective
# below RISE are rounding errors. The objective is stationary if AS_LONG values are within LEVEL,
# although the coupling may move along a valley.
STILL_SINGLE, RISE, AS_LONG, LEVEL = 3e-5, 1e-6, 10, 1e-7
# Up to this many steps double precision is fast enough: if a linearisation fails, and if single
# precision does not converge at a requested entropy weight.
SURE, SURE_AT_A_WEIGHT = 200, 400
# Below this weight few entries may matter, and a Sinkhorn step always precedes Newton's.
FINE = 0.02
# NEGLIGIBLE: a sparse coupling leaves out entries below this share of the row sum. SPARSE: the
# largest share of entries in a sparse coupling.
NEGLIGIBLE, SPARSE = 1e-10, 1 / 8
# The largest logarithms of scalings before the coupling is filled again: FAR keeps it in the range
# of single precision, FAR_SPARSE keeps the left-out entries negligible.
FAR, FAR_SPARSE = 60.0, 7.0
# How often the masses and costs of a partial permutation are computed from each other.
ROUNDINGS_LONG = 5
# A structure that is not graded stays dense up to SHORT steps, and up to MAX_DENSE if good factors
# would need a rank above MOST_RANK. Longer structures use at most MOST_RANK_BEYOND factors, which
# are multiplied in each pass.
SHORT, MAX_DENSE, MOST_RANK, MOST_RANK_BEYOND = 256, 500, 256, 96
# The first rank of factors, and the factor by which it grows.
FIRST_RANK, MORE_RANK = 8, 4
# The allowed residual of factors, relative to the Frobenius norm of D, or as the effect on the
# structure cost of a pair. Entries with a larger share (BIG) of a step's mass use no factors.
LEFT_OUT, ENOUGH_OF_D, BIG = 5e-3, 3e-5, 1e-2
