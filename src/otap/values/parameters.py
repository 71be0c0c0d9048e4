"""The constants that decide the distance of two values.

All were set by hand. Pairs of values written by people (tests/values) check them.
"""

# The cost of a list in the wrong order, in replaced members: it still has the same content.
OUT_OF_ORDER = 0.5
# The least cost of texts that contradict each other, however near their words are.
CONTRADICTED = 0.5
# The cost of a different name: the same as that of any different value.
DIFFERENT_NAME = 1.0
# The least cost of programs that differ; the share of different lines adds the rest.
DIFFERENT_CODE = 0.5
# Allowed rounding of a difference of numbers, as a share of the tolerance.
ROUNDING_SLACK = 1e-9
# Significant digits of a double; a longer number is a name.
DIGITS = 15

# Lists with up to this many unpaired members are paired at the least cost, in data of up to this
# many levels. Deeper data would be compared too often.
MAX_PAIRED, MAX_PAIRED_LEVELS = 8, 2

# The least share of common content words for texts with one topic: for words that exclude each
# other, and for words with many meanings.
SAME_TOPIC, SAME_STATEMENT = 0.3, 0.6
# From this share of common words on, one text may be the negation of the other on any topic.
NEGATED = 0.8
# The same in content words: of the shorter text, and of both texts.
SHARED_OF_SHORTER, SHARED_OF_BOTH = 0.6, 0.4
# Two texts with more content words than this may report different details of one topic.
MAX_SHORT_TEXT = 12
# Words that change places together, and words of the longest text with a compared order.
MAX_EXCHANGED, MAX_ORDERED = 4, 200
# A text is German, where nouns have capitals, if more than one in this many words is.
GERMAN_WORDS = 8
# In a title more than this share of the long words have capitals; none of them marks a name.
TITLE_SHARE = 0.8

# Two texts with a smaller share of common content words say different things.
NEARLY_NOTHING = 0.2
# A sentence with a smaller share of its content words in the other text is a statement of its own.
COVERED = 0.33
# From this share of its content words in the other text on, a sentence only repeats what both say.
REPEATED = 0.8
# From this share of common content words on, two sentences make one statement, perhaps negated.
SAME_SENTENCE = 0.5
# From this share of equal words before and behind on, the words between them are replaced, not
# reworded.
SAME_FRAME = 0.6
# Words of the longest label or title.
LABEL_WORDS = 4

# Characters of the shortest sentence without blanks: Chinese and Japanese, and Thai with its longer
# words.
SENTENCE, LONG_SENTENCE = 5, 12

# Characters of the longest program with a parsed syntax tree, about 0.3 s. Longer programs and
# those in other languages are compared by tokens.
MAX_PARSED_CODE = 100_000
# The least share of code lines in a program; half of a file may be comments or ambiguous lines.
CODE_LINES = 0.4
# Characters of a line that are read, and lines of each side in a diff.
MAX_LINE, DIFF_LINES = 200, 3
