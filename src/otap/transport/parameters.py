"""The numbers that decide what the solvers find, each with where it comes from.

The native core is told of the schedule; what it holds itself (`SHARED`) a test compares.
"""

# Epsilon scaling [Schmitzer2019]: the first entropy weight, at which the objective has few minima,
# and how fast it falls.
FIRST_EPSILON, EPSILON_RATIO = 0.05, 0.25
# The last weight by the longer side. What it adds to the loss falls with its square: 1e-3 leaves
# 1e-4 at 5 to 12 steps where node costs are flat, 1e-4 leaves 1e-6. Longer sides pay more for it.
LAST_EPSILON, FINE_UP_TO, LAST_EPSILON_BEYOND = 1e-4, 200, 1e-3
# Below, exp(cost / epsilon) is beyond double precision, and 0 asks for the limit; above, entropy
# drowns all costs.
LEAST_EPSILON, MOST_EPSILON = 1e-6, 100.0
# Beyond, exp(cost / lambda) or the products of mass and lambda leave double precision.
LEAST_LAMBDA, MOST_LAMBDA = 1e-6, 1e9
# An inner problem that is not solved at an epsilon is solved at these multiples of it in turn.
FACTORS = (256.0, 64.0, 16.0, 4.0, 1.0)

# Linearisations that are enough for all but one problem in some hundreds: those few zigzag.
QUICK = 100
# Linearisations that a further start may use: those that need more lead nowhere better.
PATIENCE = 40
# After a coupling moved by this much (sum of absolute differences), the dual potentials fit the
# next linearisation so badly that a Sinkhorn step comes before Newton's.
MOVED = 0.05
# The tolerance of an inner problem, relative to the mass of a step: a share of the last change,
# at most the loosest, at least what the precision of the arithmetic allows.
OF_CHANGE, LOOSEST, TIGHTEST, TIGHTEST_SINGLE = 1e-2, 1e-3, 1e-9, 1e-5

# A loss below this is the rounding of a zero; losses that are the same; losses that say that
# further starts lead nowhere else; the gap to a lower bound at which none is needed.
ZERO, SAME_LOSS, AGREEMENT, CERTAIN = 1e-12, 1e-9, 1e-7, 1e-7
# Steps a side up to which a problem is searched from matchings, each of which costs as much as a
# descent; the shuffles that end a round, and how often the best must have been found.
SEARCHED, ROUNDS, ENOUGH = 16, (6, 22, 48), 4
# Of 209 small problems with flat costs or heavy structure, 16 shuffles miss the best known loss
# by more than 1e-5 in 3, 48 in 1. Beyond 12 x 12 a start is no longer cheap, and fewer are made.
SHUFFLES, CHEAP = 48, 144
# Where losses are wanted quickly: the weights and the linearisations of a descent, and the change
# at which it may end sooner.
BRIEF = [0.05, 0.01], 4, 1e-2
# The share of a start that is a permutation; the rest is the product coupling, so no entry is 0.
KEEP = 0.8

# A first evaluation of the dual that is as good as this is accepted as it is.
ALREADY_SOLVED = 1e-9
# Polishing. Cells below this share of what both their steps move are the entropy's doing; those
# with less of a mass than NOTHING, in which the objective rises, would only shorten steps.
SLIGHT, NOTHING = 1e-3, 1e-30
# What a step must promise to be taken, the distance that may be left to the local minimum; the part
# of it that must come true [Nocedal2006]; how many cells enter at a time.
STILL, ARMIJO, ENTERING = 1e-11, 1e-4, 4
# The least mass of a step, far below what counts: its logarithm must be finite. A step that would
# keep less than this share of its mass goes down by an exponential.
LEAST, KEEPS = 1e-250, 0.05

# How far entries of a graded structure, D_ik = y_k - y_i, may be off: its hops are small fractions.
GRADED = 1e-9

# Long problems, in single precision. Changes of T below STILL_SINGLE are its rounding, and so are
# rises of the objective below RISE. Where AS_LONG values of the objective lie within LEVEL it
# stands still, though the coupling may slide along a valley.
STILL_SINGLE, RISE, AS_LONG, LEVEL = 3e-5, 1e-6, 10, 1e-7
# Up to here the solver in double precision is quick enough where a linearisation fails; and where
# single precision does not settle at an entropy weight that was asked for.
SURE, SURE_AT_A_WEIGHT = 200, 400
# From this weight down few entries may matter, and potentials always take a Sinkhorn step first.
FINE = 0.02
# Entries of a row below this share of what it is to have are left out of a sparse coupling, which
# has at most this share of all entries.
NEGLIGIBLE, SPARSE = 1e-10, 1 / 8
# How large the logarithms of scalings may grow before the coupling is made anew: within the range
# of single precision; and so little that what was left out stays negligible.
FAR, FAR_SPARSE = 60.0, 7.0
# How often masses and costs of a partial permutation are computed from each other.
ROUNDINGS_LONG = 5
# Up to SHORT steps a structure that is not graded is worked with as a whole; and up to WHOLE where
# good factors would be more than MOST_RANK. Beyond, they are multiplied at each pass, and fewer.
SHORT, WHOLE, MOST_RANK, MOST_RANK_BEYOND = 256, 500, 256, 96
# How many factors are tried at first, and how many times as many then.
FIRST_RANK, MORE_RANK = 8, 4
# What factors may leave out of D, as a share of its Frobenius norm, or as what they move of the
# structure term's cost of a pair. Entries from this share of a step's mass on do without factors.
LEFT_OUT, ENOUGH_OF_D, BIG = 5e-3, 3e-5, 1e-2
