"""The constants of thresholds and of choosing references; set by hand."""

# Thresholds.
FALSE_ALARMS = 0.05  # that are allowed where nobody says how many
LEVEL = 0.95  # of the interval of a share
SPREAD = (0.05, 0.95)  # the quantiles that are told of the rate of one calibration
SLACK = 1e-9  # what sums of shares are rounded by
MARGIN = 1e-9  # what scores of other machines may differ by
THRESHOLD_DIGITS = 6
ALIKE = 0.99  # the score from which on one reference adds nothing to another
MOST_PAIRS = 200  # of references that are scored against each other
MOST_TASKS = 100  # of each of which one good run is changed in every way

# References.
LARGEST = 2_000  # runs of a task that are looked at: the losses of all take their square
# Pairs of steps that are held against each other for one task, which is what time goes by:
# on two slow cores some 25 s. What two runs take besides is as much as OVERHEAD of these.
BUDGET, OVERHEAD = 27_000_000, 150
STARTS = 4  # at random besides, for the largest number of references
# How far the curve falls below the straight line from one reference to all, both axes from 0 to 1,
# for a bend: a curve that falls by half with each reference does by .3 at five of them.
BENT = 0.2
FEWEST_TO_BEND = 4  # references from which on there is a bend to speak of
