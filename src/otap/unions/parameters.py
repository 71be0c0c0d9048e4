"""What decides which unions are made."""

MARGIN = 0.01  # a union must be closer than its best part by more than this
ROUNDS = 3  # each at most doubles a union
LONGEST = 1000  # steps a side up to which unions are sought
# Bounds are worked out for so many pairs of steps times columns. Where all pairs are more, as those
# of hundreds of steps without dependencies, only pairs of the steps nearest to a column are tried.
MOST, NEAREST = 2_000_000, 3
# Above SMALL steps as many unions a side are made as there are steps, those that promise most, and
# in a later round a share of that: a side has room for half as many. There a union stands for
# single steps only: to hold unions against unions, whose arguments are lists, takes longest.
LATER = 4
TOGETHER = 32  # unions that are compared at once
DIGITS, ROUNDING = 9, 1e-9  # gains that differ less are equal

# Bounds. What rounding may add to the similarity of two texts, and to a cost; the length of a sum
# of vectors below which they cancel out.
SLACK, SLACK_OF_COST, CANCELLED = 1e-6, 1e-8, 1e-6
ENTRIES = 1 << 17  # of a matrix of bounds that is held at once
