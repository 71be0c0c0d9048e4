"""The constants that decide an alignment and its findings, and the source of each.

All were set by hand.
"""

import math

# Up to this node cost two steps stand for each other: calls of another tool with equal arguments,
# or of one tool with other arguments, still do.
MATCHED = 0.6
# The width of a severity band. All differences that are not critical cost less than this together,
# and a critical finding costs this much more. A score above 0.9 has no critical finding.
BAND_WIDTH = -math.log(0.9)
# A critical finding costs at least this much more than the width: its score is below 0.9 in
# double precision, even where the finding itself adds nothing.
MIN_CRITICAL_LOSS = 1e-12
# The most that rounding adds to a node cost.
ROUNDING = 1e-9
# The share of the lighter step's mass that flows between counterparts, at least.
FLOW = 0.1
# Up to this node cost two unmatched steps are counterparts even if no mass flows between them.
SAME = 0.1
# The node cost up to which a second step does the job of the first again.
REPEATED = 0.25
# Pairs with less than this share of the smaller step's mass are left out of an alignment.
NEGLIGIBLE = 1e-3
# Shares of the loss that agree in this many digits are equal: the solver ends within its tolerance.
SHARE_DIGITS = 6
