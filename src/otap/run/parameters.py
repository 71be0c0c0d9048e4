"""The constants that decide which edges, grounds and conflicts there are, and how sure they are.

All were set by hand.
"""

# Specificity of a value: how unlikely two steps have it by coincidence. Identifiers occur in one
# record; codes, dates, names and large numbers in few; small numbers in many; words everywhere.
IDENTIFIER, CODE, LARGE_NUMBER, SMALL_NUMBER, COMMON = 0.95, 0.8, 0.8, 0.6, 0.0
# From here on a number is specific wherever it stands; from SMALL on it says something.
LARGE, SMALL = 100, 10
# Significant digits of the shortest number that a run must have read or heard: two are guessed.
MIN_DIGITS = 3
# Words of the longest text that is no prose.
MAX_WORDS = 3
# Letters of the shortest telling code: shorter ones (EUR, JFK) are common knowledge.
MIN_CODE = 4

# Characters of the shortest value that is found inside a longer one: others are by accident.
MIN_PART = 4
# Days between a date and one that is derived from it: weeks are counted by hand.
NEAR_DAYS = 7
# A number follows from another by small multiples, percent and thousands.
FACTORS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 100.0, 1000.0)
# Decimals to which numbers are rounded before they are compared.
DECIMALS = 6

# Confidence of a conflict: that both name a thing does not prove that their order matters.
CONFLICT = 0.8
