"""The constants that decide how far two values are apart, and where each comes from.

All were set by hand; pairs of values that people wrote (tests/values) say whether they hold.
"""

# What a list costs that is all out of order, in members replaced: it still holds the same.
OUT_OF_ORDER = 0.5
# The least that prose costs which contradicts, however near its words are.
CONTRADICTED = 0.5
# What another name costs: as much as any other value.
ANOTHER = 1.0
# The least that a program costs in which anything counts that another lacks; the share of its lines
# that the other lacks makes up the rest.
OTHER_CODE = 0.5
# What rounding may add to a difference of numbers, as a share of what a tolerance allows.
SLACK = 1e-9
# Significant digits that a double keeps; a longer number is a name.
DIGITS = 15

# Members of a rest of lists that are paired at the least cost, and levels of data of which this is
# done: what lies deeper would be compared too often.
SMALL, FLAT = 8, 2

# The share of content words that two texts have in common, by which they speak of one thing: for
# words that exclude each other, and for those of many uses.
LOOSE, TIGHT = 0.3, 0.6
# The same of all words, from which on one text is the other's negation, whatever it is about.
NEGATED = 0.8
# Content words in common by which a text and its negation speak of one thing: of the shorter text,
# and of both.
SHARED_OF_SHORTER, SHARED_OF_BOTH = 0.6, 0.4
# Content words, from which on two texts may tell different things of one.
MANY = 12
# Words that change places together, and words of the longest text whose order is compared.
MOST_EXCHANGED, LONGEST_ORDERED = 4, 200
# A text is German, where nouns have capitals, if more than one word of so many is.
GERMAN = 8
# Capitals name nothing where more than this share of long words have them, as in a title.
TITLE = 0.8

# Characters of scripts without blanks that are more than a word: Chinese and Japanese, and Thai,
# whose words are longer.
SENTENCE, LONG_SENTENCE = 5, 12

# Characters of the longest program whose syntax tree is read: a third of a second. Longer ones, and
# such as are no Python, are read as tokens.
LONGEST_SYNTAX = 100_000
# The share of lines that are plainly of a program, from which on a text is one: half of a file may
# be remarks and lines that could as well be prose.
PLAINLY_CODE = 0.4
# Characters of a line that is looked at, and lines that a diff shows of each side.
LONGEST_LINE, SHOWN_LINES = 200, 3
