"""The fields of two steps side by side, with their differences marked word by word."""

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from otap._numbers import count_text
from otap._patterns import regex
from otap.report.model.alignment_rows import Row
from otap.report.model.vocabulary import iterate_leaves, visible
from otap.trajectory import Step

FIELDS = ("action", "tool", "arguments", "effect", "state")
MAX_LEAVES = 300  # values that are read from the arguments of one step
MAX_WORDS = 20_000  # words compared for one reference, because the comparison is slow
_MAX_PAIR_WORDS = 1200  # words of two texts; longer ones are not compared
_MIN_RATIO = 0.6  # share of equal words from which differences are marked
_MAX_SHORT_JSON = 200  # characters of JSON on one line
_LIST_INDEX = regex(r"\[\d+\]")
_WORDS = regex(r"\w+|\s+|[^\w\s]")
_FIELD_ORDER = ("step", *FIELDS)
_RELATIONS = ("apart", "other", "run", "reference", "alike", "same")
Text = tuple[tuple[str, bool], ...]  # pieces, each with whether it differs from the other side
_Key = tuple[str, bool]  # the name of a field, or the path of an argument value and True


class ShownField(NamedTuple):
    """One line: a field, or one value of the arguments.

    Attributes:
        name: of the field; for a value of the arguments, its path.
        is_value: whether it is a value of the arguments.
        run: its text in the step of the run, or None.
        reference: its text in the step of the reference, or None.
        relation: "same"; "alike" (different texts that count as nearly the same); "other"; "run" or
            "reference" (only that side has it); "apart" (not compared).
    """

    name: str
    is_value: bool
    run: Text | None
    reference: Text | None
    relation: str


class FieldReader:
    """Reads the fields of steps within the limits of a page.

    Args:
        limit: maximum characters of one field.
        max_values: maximum values of the arguments of one step.
    """

    def __init__(self, limit: int, max_values: int) -> None:
        self._limit, self._max_values, self._words_left = limit, max_values, MAX_WORDS

    def list_fields(self, run: Step | None, reference: Step | None, row: Row) -> list[ShownField]:
        """Returns the fields of two steps of a row, or of a single step.

        Only the steps of a pair are compared; those of a split or merged step follow each other.
        """
        is_pair = len(row.run) == len(row.reference) == 1
        run_texts = self._read_step(run, is_pair)
        reference_texts = self._read_step(reference, is_pair)
        is_apart = run is not None and reference is not None and not is_pair
        fields = [
            self._compare_texts(
                key, run_texts.get(key), reference_texts.get(key), None if is_apart else row
            )
            for key in dict.fromkeys((*run_texts, *reference_texts))
        ]
        return self._limit_values(sorted(fields, key=_rank_field))

    def _read_step(self, step: Step | None, is_pair: bool) -> Mapping[_Key, str]:
        if step is None:
            return {}
        texts = {} if is_pair else {("step", False): visible(step.id, 60)}
        for name in FIELDS:
            content = getattr(step, name)
            if name == "arguments" and isinstance(content, Mapping) and content:
                leaves = list(iterate_leaves(content))
                for path, leaf in leaves[:MAX_LEAVES]:
                    texts[visible(path, 120), True] = self._write_content(leaf)
                if len(leaves) > MAX_LEAVES:
                    texts["…", True] = count_text(len(leaves) - MAX_LEAVES, "more value")
            elif content is not None:
                texts[name, False] = self._write_content(content)
        return texts

    def _write_content(self, content: object) -> str:
        """Returns content as text; long JSON has a line for each value."""
        if isinstance(content, str):
            return visible(content, self._limit)
        text = json.dumps(content, ensure_ascii=False)
        if len(text) > _MAX_SHORT_JSON:
            text = json.dumps(content, ensure_ascii=False, indent=1)
        return visible(text, self._limit)

    def _compare_texts(
        self, key: _Key, run: str | None, reference: str | None, row: Row | None
    ) -> ShownField:
        """Compares a field of both sides; without a row it is not compared."""
        if run is not None and reference is not None and run != reference and row is not None:
            relation = "other" if _is_changed(key, row) else "alike"
            return ShownField(*key, *self._mark_words(run, reference), relation)
        if row is None:
            relation = "apart"
        elif run is None:
            relation = "reference"
        else:
            relation = "run" if reference is None else "same"
        run_text = None if run is None else ((run, False),)
        reference_text = None if reference is None else ((reference, False),)
        return ShownField(*key, run_text, reference_text, relation)

    def _mark_words(self, run: str, reference: str) -> tuple[Text, Text]:
        """Returns both texts in pieces; if they have little in common, nothing is marked."""
        left, right = _WORDS.findall(run), _WORDS.findall(reference)
        count = len(left) + len(right)
        unmarked: tuple[Text, Text] = ((run, False),), ((reference, False),)
        if count > min(self._words_left, _MAX_PAIR_WORDS):
            return unmarked
        self._words_left -= count
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        if matcher.ratio() < _MIN_RATIO:
            return unmarked
        run_text, reference_text = [], []
        for tag, left_start, left_end, right_start, right_end in matcher.get_opcodes():
            if left_start < left_end:
                run_text.append(("".join(left[left_start:left_end]), tag != "equal"))
            if right_start < right_end:
                reference_text.append(("".join(right[right_start:right_end]), tag != "equal"))
        return tuple(run_text), tuple(reference_text)

    def _limit_values(self, fields: list[ShownField]) -> list[ShownField]:
        """Returns the fields with the first values of the arguments, and a count of the others."""
        indices = [index for index, field in enumerate(fields) if field.is_value]
        if len(indices) <= self._max_values:
            return fields
        omitted = count_text(len(indices) - self._max_values, "more value")
        line = ShownField("…", True, ((omitted, False),), None, "run")
        return [*fields[: indices[self._max_values]], line, *fields[indices[-1] + 1 :]]


def _rank_field(field: ShownField) -> tuple[int, int]:
    """Sorts by field; the values of arguments with differences come first."""
    if field.is_value:
        return _FIELD_ORDER.index("arguments"), _RELATIONS.index(field.relation)
    return _FIELD_ORDER.index(field.name), 0


def _is_changed(key: _Key, row: Row) -> bool:
    """Whether a value or its container changes in more than words; list indices do not count."""
    name, is_value = key
    if not is_value:
        has_other_tool = row.details is not None and row.details.fields.get("tool", 0) > 0
        return name == "tool" and has_other_tool
    path = _LIST_INDEX.sub("[]", name)
    return any(
        change.path in ("arguments", path)
        or path.startswith((f"{change.path}.", f"{change.path}["))
        for change in row.changes
        if not change.is_reworded
    )
