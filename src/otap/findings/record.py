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

Values = frozenset[KeyedValue]


class Record:
    """The values that a run shows: in its results, its arguments and the request.

    Args:
        run: the run; a record longer than MAX_RECORD is taken to show any value.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @cached_property
    def has_results(self) -> bool:
        """Whether the result of each call is recorded."""
        steps = self._run.flat.trajectory.steps
        return all(step.kind != "tool" or step.effect is not None for step in steps)

    def shows(self, literal: Literal, *, in_results: bool = False) -> bool:
        """Returns whether a value is shown, in whatever notation."""
        return self._is_among(literal, self._results if in_results else self._all)

    def explains(self, literal: Literal) -> bool:
        """Returns whether a value is shown, or follows from two numbers or a factor."""
        return self._is_explained(literal, self._all)

    def find_made_up(self, text: str, reference: str) -> str:
        """Returns a percentage or a price of the run's text that the run was not given, or "".

        Args:
            text: a text that the run wrote.
            reference: the text that the reference has there; what both say is not made up.
        """
        if not self.has_results:
            return ""
        expected = read_text(reference[:MAX_TEXT])
        forms = _list_values([expected.original])
        return next(
            (
                literal.text
                for literal in read_text(text[:MAX_TEXT]).literals
                if (
                    literal.kind == "%"
                    or (literal.kind == "number" and _PRICE.search(literal.text))
                )
                and forms.isdisjoint([*accepted_forms(literal), *list_forms(literal)])
                and not self._is_explained(literal, self._known_values)
            ),
            "",
        )

    def gives(self, text: str) -> bool:
        """Returns whether the request or the results show each number of a text."""
        literals = read_text(text[:MAX_TEXT]).literals
        return (
            self.has_results
            and bool(literals)
            and all(self._is_explained(literal, self._known_values) for literal in literals)
        )

    @cached_property
    def _is_known(self) -> bool:
        return sum(map(len, (*self._list_results(), *self._list_others()))) <= MAX_RECORD

    @cached_property
    def _results(self) -> Values:
        return _list_values(self._list_results()) if self._is_known else frozenset()

    @cached_property
    def _known_values(self) -> Values:
        """The values of the results and the request."""
        request = self._run.flat.trajectory.request
        return self._results | _list_values(request) if self._is_known else frozenset()

    @cached_property
    def _all(self) -> Values:
        return self._results | _list_values(self._list_others()) if self._is_known else frozenset()

    def _list_results(self) -> list[str]:
        return [field.text for step in self._run.index.steps for field in (step.effect, step.state)]

    def _list_others(self) -> list[str]:
        arguments = [step.arguments.text for step in self._run.index.steps]
        return arguments + list(self._run.flat.trajectory.request)

    def _is_among(self, literal: Literal, values: Values) -> bool:
        forms = [*accepted_forms(literal), *(list_forms(literal) if literal.kind != "date" else ())]
        return not self._is_known or not values.isdisjoint(forms)

    def _is_explained(self, literal: Literal, values: Values) -> bool:
        if self._is_among(literal, values):
            return True
        numbers = [abs(float(form)) for kind, form in values if kind == "number"]
        numbers = sorted(numbers)[:MAX_OPERANDS]
        targets = [float(form) for kind, form in list_forms(literal) if kind == "number"]
        if literal.kind == "date" or not targets:
            return False
        derived = {a + b for a, b in product(numbers, numbers)}
        derived |= {abs(a - b) for a, b in product(numbers, numbers)}
        derived |= {a * factor for a, factor in product(numbers, FACTORS)}
        derived |= {a / factor for a, factor in product(numbers, FACTORS)}
        rounded = {round(number, _DECIMALS) for number in derived}
        return any(round(target, _DECIMALS) in rounded for target in targets)


def _list_values(texts: Sequence[str]) -> Values:
    return frozenset(_read_values(texts))


def _read_values(texts: Sequence[str]) -> Iterator[KeyedValue]:
    for text in texts:
        for literal in read_text(text).literals:
            yield from list_forms(literal)
