"""The values that a run shows, and the figures of its texts that nothing in it shows."""

from collections.abc import Iterator, Sequence
from itertools import product

from otap._caching import cached_property
from otap._patterns import regex
from otap.run.answers.texts import KeyedValue, accepted_forms, list_forms, read_text
from otap.run.grounding import FACTORS
from otap.run.run import Run
from otap.values.literals import Literal

MAX_RECORD = 200_000  # characters of a run in which a value is looked for
MAX_OPERANDS = 300  # numbers from which another one may follow
MAX_TEXT = 20_000  # characters of a text of the run that are read
_DECIMALS = 6  # decimals to which two numbers are equal
_PRICE = regex(r"\d[.,]\d")  # a whole number may count anything


class _Values:
    """Some values, and the numbers that follow from two of them or from a factor.

    Args:
        texts: the texts that show them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._forms: frozenset[KeyedValue] = frozenset(_read_forms(texts))

    def has(self, literal: Literal) -> bool:
        """Returns whether a value is among them, in whatever notation."""
        forms = [*accepted_forms(literal), *(list_forms(literal) if literal.kind != "date" else ())]
        return not self._forms.isdisjoint(forms)

    def explain(self, literal: Literal) -> bool:
        """Returns whether a value is among them, or follows from them."""
        if self.has(literal):
            return True
        targets = [float(form) for kind, form in list_forms(literal) if kind == "number"]
        if literal.kind == "date" or not targets:
            return False
        return any(round(target, _DECIMALS) in self._derived for target in targets)

    @cached_property
    def _derived(self) -> frozenset[float]:
        numbers = [abs(float(form)) for kind, form in self._forms if kind == "number"]
        numbers = sorted(numbers)[:MAX_OPERANDS]
        derived = {a + b for a, b in product(numbers, numbers)}
        derived |= {abs(a - b) for a, b in product(numbers, numbers)}
        derived |= {a * factor for a, factor in product(numbers, FACTORS)}
        derived |= {a / factor for a, factor in product(numbers, FACTORS)}
        return frozenset(round(number, _DECIMALS) for number in derived)


def _read_forms(texts: Sequence[str]) -> Iterator[KeyedValue]:
    for text in texts:
        for literal in read_text(text).literals:
            yield from list_forms(literal)


class Record:
    """The values that a run shows: in its results, its arguments and the request.

    Args:
        run: the run; a record longer than MAX_RECORD is taken to show any value.
    """

    def __init__(self, run: Run) -> None:
        self._request = list(run.flat.trajectory.request)
        self._steps, self._index = run.flat.trajectory.steps, run.index

    @cached_property
    def has_results(self) -> bool:
        """Whether the result of each call is recorded."""
        return all(step.kind != "tool" or step.effect is not None for step in self._steps)

    def shows_in_results(self, literal: Literal) -> bool:
        """Returns whether a result shows a value."""
        return not self._is_known or self._results.has(literal)

    def shows(self, literal: Literal) -> bool:
        """Returns whether the request or a result shows a value, in whatever notation."""
        return not self._is_known or self._inputs.has(literal)

    def explains(self, literal: Literal) -> bool:
        """Returns whether a value is shown, in an argument too, or follows from shown numbers."""
        return not self._is_known or self._all.explain(literal)

    def gives(self, text: str) -> bool:
        """Returns whether the request or the results show each number of a text, or explain it."""
        if not (self._is_known and self.has_results):
            return False
        literals = read_text(text[:MAX_TEXT]).literals
        return len(text) <= MAX_TEXT and all(map(self._inputs.explain, literals))

    def find_made_up(self, text: str, reference: str) -> str:
        """Returns a percentage or a price that neither the request nor a result explains, or "".

        Args:
            text: a text that the run wrote.
            reference: the text that the reference has there; a figure in both is not made up.
        """
        if not (self._is_known and self.has_results):
            return ""
        expected = _Values([reference[:MAX_TEXT]])
        figures = (
            literal
            for literal in read_text(text[:MAX_TEXT]).literals
            if literal.kind == "%" or (literal.kind == "number" and _PRICE.search(literal.text))
        )
        made_up = (
            figure.text
            for figure in figures
            if not expected.has(figure) and not self._inputs.explain(figure)
        )
        return next(made_up, "")

    @cached_property
    def result_words(self) -> frozenset[str]:
        """The words of its results."""
        texts = [text[:MAX_RECORD] for text in self._list_results()]
        return frozenset[str]().union(*(read_text(text).vocabulary for text in texts))

    @cached_property
    def _is_known(self) -> bool:
        texts = (*self._list_results(), *self._list_arguments(), *self._request)
        return sum(map(len, texts)) <= MAX_RECORD

    @cached_property
    def _results(self) -> _Values:
        return _Values(self._list_results())

    @cached_property
    def _inputs(self) -> _Values:
        """The values of the results and the request, which the run did not write itself."""
        return _Values([*self._list_results(), *self._request])

    @cached_property
    def _all(self) -> _Values:
        return _Values([*self._list_results(), *self._list_arguments(), *self._request])

    def _list_results(self) -> list[str]:
        return [field.text for step in self._index.steps for field in (step.effect, step.state)]

    def _list_arguments(self) -> list[str]:
        return [step.arguments.text for step in self._index.steps]
