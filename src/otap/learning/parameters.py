"""The constants that decide what is learned, and where each comes from.

Those without a source were set by hand.
"""

# What runs are.
FULL = 1.0  # the outcome from which on a run is good: the full reward of the benchmarks

# How the outcome is predicted from a loss, on tasks held out.
FOLDS = 10
FEW_TASKS = 20  # up to so many tasks each is held out alone
# Standard deviations of the priors of the calibration, in units of the scores' own deviation: wide
# enough to say nothing where there is data, and finite where scores part good from bad runs.
SLOPE, INTERCEPT = 1.0, 5.0
# The share of outcomes that no score can know of [Wichmann2001]: no rate is below half of it.
LAPSES = 0.1
LEAST_LOSS = 0.01  # what a call that hardly counts weighs; below it all runs are alike

# Which tools count.
# How many of the labelled names of docs/recognition.md that are taken for writing write, and how
# many do not: of names that say it, and of names that say nothing.
SAID_WRITING, SILENT = (242, 2), (62, 19)
SAID_OTHERWISE = (1, 281)
CERTAIN = 50.0  # log odds of what the settings say
CALLS = 5  # more calls of a tool than these are no more evidence: they are alike
# Shares of calls whose result a later call uses, as Beta distributions: looking something up is
# for its use, what is changed is seldom used. Some of both are like the other.
USED, UNUSED, LIKE_THE_OTHER = (1.5, 1.0), (0.3, 3.0), 0.2
CLEAN, SPOILED = (4.0, 1.0), (0.5, 4.5)  # good and bad runs that were as good as seen before
SWEEPS, FIRST = 300, 60  # of the sampler, and those that only lead to where it is likely
SEED = 16  # of all that is drawn
UNLIKE = 0.1  # a step departs if its match quality is further from 1: another value, or nothing

# What of it is tried, and kept.
ENDS = 3  # tasks whose runs a tool must have ended, and always, to hand over
TRIED = 12  # proposals that are scored exactly, each with all runs that it concerns: the surest
LEAST_GAIN = 0.002  # nats a run: less is rounding
# Where no name says anything, each tool may be tried besides that does not surely count.
DOUBT = 0.95
# A write that is taken for a read hides a wrong payment: of one whose name says that it writes this
# has to be worth more than a chance.
AGAINST_A_NAME = 2.0

# The report card, and when it is doubted.
TAIL = 0.025  # outside an interval of 95 % on either side
DIGITS = 9  # scores that are equal up to here are ties
DRAWS = 2000  # of a bootstrap, or of shuffles
# If one task in ten is ranked wrongly, so many show one of these in 95 of 100 samples.
ENOUGH_TASKS = 29
ENOUGH_RUNS = 10  # of each outcome
# AUROC of the mere number of references, over all runs, from which on it is said.
REVEALING = 0.6

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
