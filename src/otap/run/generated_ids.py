"""Identifiers that the environment generated, named by the call that made them.

The rule, for each identifier in a trajectory:

1. It is generated if an effect or a state showed it first. The user had not mentioned it before,
   and no call so far, including the one that showed it, used it in its arguments or action.
2. Its name describes the call that made it: the tool, the canonical arguments (with earlier
   generated identifiers replaced by their names), the position in the effect, and a running number
   for different values that equal calls showed in that position. A member of a list is described
   by its other content, not by its index; so is a line of a text. Members with equal content are
   numbered.
3. An identifier that a write made has two more names: by the arguments without their prose, since
   another wording makes the same thing, and by the tool alone. They count where they leave one
   identifier on either side (:func:`find_renaming`).

Two runs of one task thus give the same names to the same things, whatever identifiers they got and
in whatever valid order they made their calls. A name that contains a running number is weak.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue

from otap.graph import turn_ranks
from otap.run.edges import allows, dependency_graph
from otap.run.identifiers import (
    SHORT_NUMBER,
    NameById,
    as_text,
    list_identifiers,
    list_positions,
    names_identifiers,
    read_positions,
    replace_identifiers,
)
from otap.run.index import FieldValues, ValueIndex
from otap.run.notations import write_arguments
from otap.run.scalars import MAX_LEVELS, MAX_TEXT, canonical_value, hash_texts
from otap.trajectory import Step, Trajectory
from otap.values.tool_names import tool_keys
from otap.values.value import canonical_leaf, parse_text

MAX_GENERATED = 10_000  # identifiers that are named in one trajectory
_FIELDS = ("action", "arguments", "effect", "state")
MAX_READ = 2_000  # characters of a text that is read by its kind
_ROUNDS = 8  # rounds in which pairs that would make two identifiers equal are removed


@dataclass(frozen=True)
class GeneratedIds:
    """The identifiers that the environment generated in one trajectory.

    Attributes:
        by_name: the identifiers by their names; each has one.
        by_maker: for each further kind of name the identifiers that share it.
        by_step: for the index of a step the position and value of each identifier that it showed
            first.
        weak: the identifiers whose names contain a running number.
        all_ids: all identifiers that occur.
        guessed: those that a call used before anything had shown or mentioned them.
    """

    by_name: Mapping[str, str] = field(default_factory=dict)
    by_maker: Sequence[Mapping[str, Sequence[str]]] = ()
    by_step: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)
    weak: frozenset[str] = frozenset()
    all_ids: frozenset[str] = frozenset()
    guessed: frozenset[str] = frozenset()


def find_generated_ids(
    trajectory: Trajectory, index: ValueIndex, writes: Sequence[bool]
) -> GeneratedIds:
    """Returns the identifiers that were generated in a trajectory; none if it has no effects.

    Args:
        trajectory: the flattened run, including steps that are left out.
        index: its values.
        writes: for each step whether it is known to write.
    """
    steps = trajectory.steps
    if not any(step.effect or step.state for step in steps):
        return GeneratedIds()
    ranks: Sequence[int] = turn_ranks(steps)
    if allows(trajectory, "explicit"):
        ranks = dependency_graph(trajectory, "explicit").depth
    turns: dict[int, list[int]] = defaultdict(list)
    for k, rank in enumerate(ranks):
        turns[rank].append(k)
    namer = _Namer(trajectory, index, writes)
    for rank in sorted(turns):
        namer.name_turn(turns[rank])
    weak: set[str] = set()
    for identifiers in namer.by_maker[0].values():
        if len(identifiers) > 1:
            weak.update(identifiers)
    return GeneratedIds(
        by_name={name: identifier for identifier, name in namer.names[0].items()},
        by_maker=namer.by_maker[1:],
        by_step=namer.by_step,
        weak=frozenset(weak),
        all_ids=frozenset(namer.all_ids),
        guessed=frozenset(namer.used - namer.mentioned),
    )


class _Namer:
    """Replays one trajectory, and names the identifiers that each call shows first."""

    def __init__(self, trajectory: Trajectory, index: ValueIndex, writes: Sequence[bool]) -> None:
        # For each kind of name: by all arguments, without prose, without arguments.
        self.names: tuple[dict[str, str], ...] = ({}, {}, {})
        self.by_maker: tuple[dict[str, list[str]], ...] = ({}, {}, {})
        self.by_step: dict[int, list[tuple[str, str]]] = defaultdict(list)
        self.mentioned: set[str] = set()
        for text in trajectory.request:
            self.mentioned.update(index.read(text).of(list_identifiers))
        self.all_ids = set(self.mentioned)
        self.used: set[str] = set()
        self._steps, self._writes = trajectory.steps, writes
        self._values, self._messages = index.steps, index.messages
        self._tools = tool_keys({step.tool for step in self._steps if step.tool is not None})

    def name_turn(self, turn: Sequence[int]) -> None:
        """Names the identifiers that the steps of a turn show.

        The steps of a turn are independent of each other, and their listing order is ignored.
        """
        for k in turn:
            values = self._values[k]
            for field_values in (values.arguments, values.action):
                identifiers = field_values.of(list_identifiers)
                self.all_ids.update(identifiers)
                self.used.update(i for i in identifiers if i not in self.names[0])
        showing = [k for k in turn if self._shows_unused(k)]
        makers = {k: self._list_makers(k) for k in showing}
        if len({tuple(digests) for digests in makers.values()}) == len(showing):
            showing.sort(key=makers.__getitem__)
        else:
            showing.sort(key=lambda k: (makers[k], _write_result(self._steps[k])))
        for k in showing:
            self._name_shown_ids(k, makers[k])

    def _shows_unused(self, k: int) -> bool:
        """Whether the result of a call has an identifier that no call showed or used before."""
        values = self._values[k]
        identifiers = [*values.effect.of(list_identifiers), *values.state.of(list_identifiers)]
        self.all_ids.update(identifiers)
        return any(name not in self.names[0] and name not in self.used for name in identifiers)

    def _list_makers(self, k: int) -> list[str]:
        """A digest of tool, arguments and failure of a call, for each kind of name."""
        step, arguments = self._steps[k], self._values[k].arguments
        tool, failed = self._tools.get(step.tool or "", step.kind), str(step.status == "error")
        makers = []
        digests: dict[object, str] = {}  # kinds of names often agree
        for kind, names in enumerate(self.names):
            detail = kind if self._writes[k] else 0
            ids = {name: names.get(name) for name in arguments.of(list_identifiers)}
            key = detail, *ids.values()
            if key not in digests:
                digests[key] = hash_texts(tool, _write_arguments(arguments, ids, detail), failed)
            makers.append(digests[key])
        return makers

    def _name_shown_ids(self, k: int, makers: Sequence[str]) -> None:
        """Names the identifiers that a call shows first.

        Args:
            k: the index of the call.
            makers: its digests.
        """
        values, writes = self._values[k], self._writes[k]
        for letter, shown in (("e", values.effect), ("s", values.state)):
            names = {name: self._name_known_id(k, name) for name in shown.of(list_identifiers)}
            if None not in names.values():
                continue
            is_all_new = not (writes or any(names.values()))
            positions = (
                shown.of(list_positions)
                if is_all_new
                else read_positions(shown.data, names, by_path=writes)
            )
            for identifier, path in positions:
                if identifier in self.names[0]:
                    continue
                self.by_step[k].append((letter + path, identifier))
                for ids, by_maker, maker in zip(self.names, self.by_maker, makers, strict=True):
                    key = f"{maker}{letter}{path}"
                    by_maker.setdefault(key, []).append(identifier)
                    ids[identifier] = f"{key}.{len(by_maker[key])}"

    def _name_known_id(self, k: int, identifier: str) -> str | None:
        """The name under which an identifier is compared; None if it is new."""
        if identifier in self.names[0]:
            return self.names[-1][identifier]
        is_known = identifier in self.used or len(self.names[0]) >= MAX_GENERATED
        if is_known or self._messages.mention(identifier.removeprefix(SHORT_NUMBER), k):
            return identifier
        return None


def _write_result(step: Step) -> str:
    return json.dumps([step.effect, step.state], sort_keys=True)


def _write_arguments(arguments: FieldValues, names: NameById, detail: int) -> str:
    """The normalized arguments of a call as JSON: all, without their prose, or none."""
    if detail == 2:
        return "null"
    if not any(names.values()):
        return arguments.of(_write_without_prose if detail else _write_all)
    return json.dumps(_normalize(arguments.data, names, skip_prose=detail > 0))


def _write_all(arguments: JsonValue) -> str:
    return json.dumps(_normalize(arguments, {}, skip_prose=False))


def _write_without_prose(arguments: JsonValue) -> str:
    return json.dumps(_normalize(arguments, {}, skip_prose=True))


def _normalize(
    data: JsonValue, names: NameById, skip_prose: bool, key: str = "", depth: int = 0
) -> JsonValue:
    """The arguments of a call in a form that is equal for equal arguments.

    Args:
        data: the arguments, or a part of them.
        names: the names of the identifiers, where they have any.
        skip_prose: whether texts of several words are left out.
        key: the key of the data.
        depth: the number of levels above the data.
    """
    data = parse_text(data)
    if data is None or depth > MAX_LEVELS:
        return None
    if isinstance(data, list):
        return [_normalize(member, names, skip_prose, key, depth + 1) for member in data]
    if isinstance(data, dict):
        members: dict[str, JsonValue] = {}
        for name, member in sorted(data.items()):
            normalized = _normalize(member, names, skip_prose, name, depth + 1)
            if normalized not in (None, ""):
                members[name] = normalized
        return members
    text = as_text(data)
    if text is None:
        return canonical_value(data)
    if skip_prose and sum(word.isalpha() for word in text.split()[:50]) > 1:
        return "~"
    renamed = replace_identifiers(
        text[:MAX_TEXT],
        names_identifiers(key),
        lambda identifier: names.get(identifier) or identifier,
    )
    if renamed in (names.get(text), names.get(SHORT_NUMBER + text)):
        return renamed  # a name has one form, and no kind
    if len(renamed) > MAX_READ:
        return canonical_value(renamed).casefold()
    return canonical_leaf(renamed, key).casefold()


@dataclass(frozen=True)
class Renaming:
    """Identifiers and tools of one run with their names in another; different ones stay different.

    Attributes:
        ids: identifiers that were generated for the same thing in both runs.
        tools: tools that are the same under another name.
        copied: identifiers of the other run that this run used without a source, each with the
            identifier that it had received for the same thing.
        merged: identifiers that merged steps made, each with the one that it stands for. Several
            may stand for the same one.
        statements: statements of SQL, each with the one of the other run that does the same.
        notations: arguments, each with the same ones as the other run writes them, as JSON.
    """

    ids: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)
    notations: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> object:
        """Equal for equal renamings."""
        parts = (self.ids, self.tools, self.copied, self.merged, self.statements, self.notations)
        return tuple(tuple(sorted(part.items())) for part in parts)

    def inverse(self) -> "Renaming":
        """Returns the renaming that gives the other run's identifiers this run's names."""
        return Renaming({new_id: old_id for old_id, new_id in self.ids.items()})

    def rename_run(self, trajectory: Trajectory) -> Trajectory:
        """Returns a trajectory with the other names; steps without renamed parts stay the same."""
        steps = tuple(self._rename_step(step) for step in trajectory.steps)
        return trajectory.model_copy(update={"steps": steps})

    def _rename_step(self, step: Step) -> Step:
        update: dict[str, Any] = {}
        if step.tool is not None and step.tool in self.tools:
            update["tool"] = self.tools[step.tool]
        if self.ids or self.merged or self.statements or self.notations:
            for name in _FIELDS:
                data = getattr(step, name)
                adopted = self._adopt_notation(data) if name == "arguments" else data
                renamed = self.rename_data(adopted)
                if renamed is not data:
                    update[name] = renamed
        if step.substeps:
            update["substeps"] = tuple(self._rename_step(substep) for substep in step.substeps)
        return step.model_copy(update=update) if update else step

    def _adopt_notation(self, arguments: JsonValue) -> JsonValue:
        if not self.notations:
            return arguments
        adopted = self.notations.get(write_arguments(arguments))
        return arguments if adopted is None else json.loads(adopted)

    def rename_data(self, data: JsonValue, key: str = "", depth: int = 0) -> JsonValue:
        """Returns some data with the other names, or the same object if nothing changes.

        A list in which several identifiers became one holds that one once.

        Args:
            data: any JSON value.
            key: its key.
            depth: the number of levels above it; below MAX_LEVELS nothing is renamed.
        """
        if isinstance(data, str) and data in self.statements:
            data = self.statements[data]
        inner = parse_text(data)
        if depth > MAX_LEVELS:
            return data
        renamed: JsonValue
        if isinstance(inner, dict):
            renamed = {
                replace_identifiers(name, False, self._name_of): self.rename_data(
                    member, name, depth + 1
                )
                for name, member in inner.items()
            }
        elif isinstance(inner, list):
            renamed = [self.rename_data(member, key, depth + 1) for member in inner]
            if self.merged and renamed != inner:
                renamed = _drop_repeats(inner, renamed)
        elif (text := as_text(inner)) is not None:
            new_text = replace_identifiers(text, names_identifiers(key), self._name_of)
            renamed = int(new_text) if isinstance(inner, int) and new_text.isdigit() else new_text
        else:
            return data
        return data if renamed == inner else renamed

    def _name_of(self, identifier: str) -> str:
        name = self.merged.get(identifier) or self.ids.get(identifier, identifier)
        return name.removeprefix(SHORT_NUMBER)


def _drop_repeats(before: list[JsonValue], renamed: list[JsonValue]) -> list[JsonValue]:
    """The members of a renamed list; of members that became equal only the first stays."""
    members: list[JsonValue] = []
    for original, member in zip(before, renamed, strict=True):
        if member == original or member not in members:
            members.append(member)
    return members


def find_renaming(run: GeneratedIds, reference: GeneratedIds, tools: Mapping[str, str]) -> Renaming:
    """Returns for identifiers of a run those of the reference that were generated for the same.

    Identifiers correspond if their names are equal. Among the rest, the single identifier that a
    call of one kind made corresponds to the single one on the other side. This rule, and weak
    names, count only if neither identifier occurs on the other side. No two identifiers become
    one: an identifier whose new name is taken keeps its own.

    A run may use an identifier of the reference without a source although it received another one
    for the same thing. It then copied the identifier, which names somebody else's thing.

    Args:
        run: the identifiers that were generated in the run.
        reference: those that were generated in the reference.
        tools: tools of the run that have another name in the reference.
    """
    shared_names = run.by_name.keys() & reference.by_name.keys()
    same_name = {run.by_name[name]: reference.by_name[name] for name in shared_names}
    pairs: dict[str, str] = {}
    for run_id, reference_id in same_name.items():
        is_sure = run_id not in run.weak and reference_id not in reference.weak
        if run_id != reference_id and (is_sure or _is_free(run_id, reference_id, run, reference)):
            pairs[run_id] = reference_id
    if len(same_name) < len(run.by_name):
        pairs |= _pair_single_ids(run, reference, same_name)
    copied: dict[str, str] = {}
    guessed = run.guessed.intersection(reference.by_name.values())
    if guessed:
        without_guesses = replace(run, all_ids=run.all_ids - guessed, guessed=frozenset())
        true_ids = find_renaming(without_guesses, reference, tools).ids
        copied = {
            reference_id: run_id
            for run_id, reference_id in true_ids.items()
            if reference_id in guessed
        }
    return Renaming(_keep_distinct(pairs, run, reference) if pairs else pairs, tools, copied)


def _keep_distinct(
    pairs: dict[str, str], run: GeneratedIds, reference: GeneratedIds
) -> dict[str, str]:
    """The pairs whose identifiers are free on the other side, or become free."""
    for remaining_rounds in range(_ROUNDS, -1, -1):
        # In the last round only identifiers that are free now.
        leaving: Collection[str] = pairs.keys() if remaining_rounds else ()
        arriving: Collection[str] = {*pairs.values()} if remaining_rounds else ()
        distinct = {
            run_id: reference_id
            for run_id, reference_id in pairs.items()
            if (reference_id not in run.all_ids or reference_id in leaving)
            and (run_id not in reference.all_ids or run_id in arriving)
        }
        if len(distinct) == len(pairs):
            break
        pairs = distinct
    return pairs


def _pair_single_ids(
    run: GeneratedIds, reference: GeneratedIds, same_name: Mapping[str, str]
) -> Mapping[str, str]:
    """The pairs of identifiers that calls of one kind made, where one is left on either side."""
    pairs: dict[str, str] = {}
    paired_run, paired_reference = set(same_name), set(same_name.values())
    for run_ids, reference_ids in zip(run.by_maker, reference.by_maker, strict=False):
        for maker in sorted(run_ids.keys() & reference_ids.keys()):
            run_left = [i for i in run_ids[maker] if i not in paired_run]
            reference_left = [i for i in reference_ids[maker] if i not in paired_reference]
            is_single = len(run_left) == len(reference_left) == 1
            if is_single and _is_free(run_left[0], reference_left[0], run, reference):
                pairs[run_left[0]] = reference_left[0]
                paired_run.add(run_left[0])
                paired_reference.add(reference_left[0])
    return pairs


def _is_free(run_id: str, reference_id: str, run: GeneratedIds, reference: GeneratedIds) -> bool:
    return run_id not in reference.all_ids and reference_id not in run.all_ids
