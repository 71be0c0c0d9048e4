"""The distance of leaves: equal or not, prose by its text vectors.

Identifiers, numbers, dates and single words are equal or not; text of several words costs its
embedding distance, ``ANOTHER`` where two are different names, and no less than ``CONTRADICTED``
where they contradict each other. Numbers may be equal within a tolerance.

Few pairs are compared one after the other (``LeafPairs``), many as a whole matrix
(``leaf_distances``): the same numbers.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from otap.matrices.texts import JOINT, Matrix, TextDistances
from otap.matrices.values.prose import Contradiction, contradiction, other_name, settled, shared
from otap.matrices.values.value import SLACK, Value, near

CONTRADICTED = 0.5  # the least that prose costs which contradicts, however near its words are
ANOTHER = 1.0  # what another name costs
ANOTHER_NAME = "another"
Values = Sequence[Value]
CROWD = 1_000  # pairs of texts from which on they are read all at once
TABLE = 2_500  # pairs of texts up to which all distances are worked out at once


class LeafPairs:
    """The distances of the leaves of two lists of values, pair by pair.

    Texts are compared by their vectors: all at once where they are few, else when asked for.

    Args:
        texts: the distances of texts.
        rows: values of one side, with all that lies below them.
        columns: those of the other.
    """

    def __init__(self, texts: TextDistances, rows: Values, columns: Values) -> None:
        self._texts = texts
        self._tolerant = any(value.may_be_near for value in (*rows, *columns))
        left, right = _prose(rows), _prose(columns)
        if 0 < len(left) * len(right) <= TABLE:
            self._prose = texts.between(list(left), list(right)).tolist()
            self._left, self._right = left, right
        else:
            texts.prepare([*left, *right])
            self._left, self._right = {}, {}

    def distance(self, a: Value, b: Value) -> float:
        """Returns the distance of two leaves."""
        if a.worded and b.worded:
            return at_least(self._cosine(a.text, b.text), a, b)
        if a.canonical == b.canonical:
            return 0.0
        return float(not (self._tolerant and near(a, b)))

    def _cosine(self, a: str, b: str) -> float:
        i, j = self._left.get(a), self._right.get(b)
        if i is None or j is None:
            return self._texts.distance(a, b)
        return float(self._prose[i][j])


def same(a: Value, b: Value) -> bool:
    """Says whether two leaves that are compared exactly are equal."""
    return a.canonical == b.canonical or near(a, b)


def at_least(distance: float, a: Value, b: Value) -> float:
    """Returns the distance of two texts, raised where prose says something else in near words."""
    if a.prose and b.prose and a.canonical == b.canonical:
        return 0.0
    if _name_differs(a, b):
        return ANOTHER
    return CONTRADICTED if distance < CONTRADICTED and contradict(a, b) else distance


def says_another(distance: float, a: Value, b: Value) -> bool:
    """Says whether two texts that are so far apart contradict each other, or name two things."""
    if not (a.prose and b.prose):
        return False
    return distance == CONTRADICTED or (distance == ANOTHER and bool(a.name and b.name))


def all_say_another(distances: Matrix, rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Returns where `says_another` holds, for all pairs of leaves."""
    prose = np.logical_and.outer([value.prose for value in rows], [v.prose for v in columns])
    names = (distances == ANOTHER) & _names(rows, columns)
    found: npt.NDArray[np.bool_] = prose & ((distances == CONTRADICTED) | names)
    return found


def contradict(a: Value, b: Value) -> Contradiction | None:
    """Returns in which way two leaves contradict each other, if both are prose.

    What contradicts still does so in a union: what a union's other parts say takes nothing back.
    """
    if not (a.prose and b.prose) or a.text == b.text:
        return None
    if JOINT not in a.text and JOINT not in b.text:
        return _name_differs(a, b) or contradiction(a.text, b.text)
    ours, theirs = _parts(a.text, b.text), _parts(b.text, a.text)
    return next(filter(None, (contradiction(x, y) for x in ours for y in theirs)), None)


def _parts(text: str, other: str) -> list[str]:
    """The texts of a union that the other text has not, whole or as a part of its own."""
    theirs = set(other.split(JOINT))
    return [part for part in text.split(JOINT) if part not in theirs]


def _name_differs(a: Value, b: Value) -> Contradiction | None:
    """What is another in two names, if both are names."""
    found = other_name(a.name, b.name) if a.name and b.name else None
    return Contradiction(ANOTHER_NAME, *found) if found else None


def leaf_distances(
    rows: Values, columns: Values, texts: TextDistances, reads_prose: bool = True
) -> Matrix:
    """Returns the distances of all pairs of leaves, shape (len(rows), len(columns)).

    Args:
        rows: leaves of one side.
        columns: those of the other.
        texts: the distances of texts.
        reads_prose: whether each two texts are read for what contradicts where arrays cannot tell;
            else these are taken not to.
    """
    distances = _unequal(rows, columns)
    i, j = _places_of_prose(rows), _places_of_prose(columns)
    if i and j:
        prose = [rows[place] for place in i], [columns[place] for place in j]
        distances[np.ix_(i, j)] = _prose_distances(*prose, texts, reads_prose)
    if any(value.rule.has_tolerance for value in (*rows, *columns)):
        distances[_all_near(rows, columns)] = 0.0
    return distances


def _prose_distances(
    rows: Values, columns: Values, texts: TextDistances, reads_prose: bool
) -> Matrix:
    """The distances of leaves that are compared by their text vectors."""
    between = texts.between([value.text for value in rows], [value.text for value in columns])
    looked_at = (between < CONTRADICTED) | (_unequal(rows, columns) == 0) | _names(rows, columns)
    if np.count_nonzero(looked_at) > CROWD or not reads_prose:
        looked_at &= ~_settle(between, rows, columns)
    if not reads_prose:
        _told_by_names(between, rows, columns)
        return between
    for k, m in np.argwhere(looked_at).tolist():
        between[k, m] = at_least(between[k, m], rows[k], columns[m])
    return between


def _told_by_names(between: Matrix, rows: Values, columns: Values) -> None:
    """Puts the distances of names and of equal prose where they are, abbreviations aside."""
    ours, theirs = (
        [v.name[0] if v.name else frozenset() for v in side] for side in (rows, columns)
    )
    both = shared(ours, theirs)
    more = np.array([len(words) for words in ours])[:, None] > both
    between[_names(rows, columns) & more & (np.array(list(map(len, theirs))) > both)] = ANOTHER
    prose = np.logical_and.outer([v.prose for v in rows], [v.prose for v in columns])
    between[prose & (_unequal(rows, columns) == 0)] = 0.0


def _settle(between: Matrix, rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Raises the distances of texts that contradict each other for sure; returns where it is known.

    Names, unions and texts of one canonical form are left to be looked at.
    """
    i, j = _places_of_sentences(rows), _places_of_sentences(columns)
    known = np.zeros(between.shape, dtype=np.bool_)
    if not i or not j:
        return known
    part, open_ = np.ix_(i, j), ~_names(rows, columns) & (_unequal(rows, columns) == 1)
    near = open_[part] & (between[part] < CONTRADICTED)
    yes, no = settled([rows[k].text for k in i], [columns[m].text for m in j])
    between[part] = np.where(near & yes, CONTRADICTED, between[part])
    known[part] = near & (yes | no)
    return known


def _places_of_sentences(values: Values) -> list[int]:
    """The places of prose that is no union."""
    return [k for k, value in enumerate(values) if value.prose and JOINT not in value.text]


def _names(rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Where both texts are names."""
    found: npt.NDArray[np.bool_] = np.logical_and.outer(
        *([value.name is not None for value in side] for side in (rows, columns))
    )
    return found


def _unequal(rows: Values, columns: Values) -> Matrix:
    """1 where two leaves are spelled differently, by one code for each spelling; else 0."""
    known: dict[str, int] = {}
    ours, theirs = _codes(rows, known), _codes(columns, known)
    distances: Matrix = (ours[:, None] != theirs[None, :]).astype(float)
    return distances


def _codes(values: Values, known: dict[str, int]) -> npt.NDArray[np.intp]:
    codes = (known.setdefault(value.canonical, len(known)) for value in values)
    return np.fromiter(codes, np.intp, len(values))


def _places_of_prose(values: Values) -> list[int]:
    return [place for place, value in enumerate(values) if value.worded]


def _all_near(rows: Values, columns: Values) -> npt.NDArray[np.bool_]:
    """Where two leaves are equal within the larger of their tolerances; see ``near``."""
    left, right = (
        np.array([(v.number, v.rule.absolute, v.rule.relative) for v in side]).T
        for side in (rows, columns)
    )
    largest = np.maximum.outer(np.abs(left[0]), np.abs(right[0]))
    absolute, relative = (np.maximum.outer(left[k], right[k]) for k in (1, 2))
    allowed = np.maximum(absolute, relative * largest) * (1 + SLACK)
    within = np.abs(np.subtract.outer(left[0], right[0])) <= allowed
    found: npt.NDArray[np.bool_] = within & ((absolute > 0) | (relative > 0))
    return found


def _prose(values: Values) -> dict[str, int]:
    """The different texts among the leaves of some values, each with its number."""
    found = dict.fromkeys(chain.from_iterable(value.prose_below for value in values))
    return {text: number for number, text in enumerate(found)}
