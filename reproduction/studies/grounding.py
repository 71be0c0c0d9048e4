"""How often an argument is found to have no ground: where it has one, and where it has none.

    python -m reproduction.studies.grounding ../shared/data

Three tables. On tau-bench: which share of arguments is found in runs as they are, by reward, and
how much is found of what was planted: a telling value replaced by an invented one of the same
shape, a call moved before the step that showed its value. On the development tasks of the hand
corpus: the same for its valid and its broken cases, as written (arguments are prose there), and
with the artifacts that steps make and need told by identifiers. Last, whether a penalty for what
has no ground would help the score to tell broken runs from valid ones; no preset has it.
"""

import json
import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from math import exp
from pathlib import Path

from pydantic import JsonValue

import otap
from examples.perturbation import consumed, produced
from otap import Step, Trajectory
from otap.encoders import load_encoder
from otap.graph import Edge
from otap.run.edges import traced_edges
from otap.run.grounding import Ungrounded, find_assumed, find_ungrounded
from otap.run.index import FieldValues, ValueIndex
from otap.run.scalars import (
    canonical_value,
    identifying_parts,
    is_date,
    is_number,
    list_nodes,
    specificity,
    write_path,
)
from reproduction.corpora.cases import VALID, Benchmark, Case
from reproduction.corpora.tau_bench import gold_by_task
from reproduction.paper.measures import MEASURES, by_task, interval
from reproduction.paper.otap_metrics import scores
from reproduction.paper.rows import head, print_lines, row
from reproduction.studies.choosing import corpora

PENALTIES = (0.0, 0.05, 0.1, 0.2, 0.5)  # of a run all of whose steps use something without a ground
SHOWN = ("P2", "P3", "P4", "SEV", "AUROC", "rho")
FAR = (30, 300)  # days by which an invented date is moved
Gold = Mapping[str, Sequence[Trajectory]]  # by task
KINDS = ("identifier", "code", "date", "number", "several")


def of_tau_bench(folder: Path) -> Iterator[str]:
    """The first table: false alarms on recorded runs, and what is found of what was planted."""
    runs, gold = list(otap.read_all(folder)), gold_by_task(folder)
    yield "| tau-bench | arguments | judged | exactly seen alone would find | found | findings |"
    yield "|---|---|---|---|---|---|"
    for name, good in (("reward 1", True), ("reward 0", False)):
        group = [run for run in runs if (run.outcome == 1) == good]
        yield row((f"{len(group)} runs, {name}",), _false_alarms(group, gold))
    yield ""
    yield "| planted in tau-bench | cases | found |"
    yield "|---|---|---|"
    replaced = [found for run in runs for found in replacements(run)]
    for kind in KINDS:
        yield _hits(f"{kind} replaced by an invented one", replaced, kind)
    early = [found for run in runs for found in early_calls(run)]
    for kind in KINDS[:-1]:
        yield _hits(f"call moved before what shows its {kind}", early, kind)


def _hits(what: str, planted: Sequence[tuple[str, bool]], kind: str) -> str:
    found = [hit for other, hit in planted if other == kind]
    return f"| {what} | {len(found)} | {_percent(sum(found), len(found))} |"


def _false_alarms(runs: Sequence[Trajectory], gold: Gold) -> Iterator[str]:
    values = [value for run in runs for _, _, value in arguments_of(run)]
    naive, found = _sum(runs, lambda run: [*not_spelled(run)]), _sum(runs, _places)
    yield str(len(values))
    yield str(sum(bool(identifying_parts(value)) for value in values))
    yield f"{naive} ({_percent(naive, len(values))})"
    yield f"{found} ({_percent(found, len(values))})"
    pairs = [(run, gold[str(run.task)]) for run in runs]
    told = [one for score in otap.Scorer().score_many(pairs) for one in score.findings]
    yield str(sum(one.kind == "ungrounded" for one in told))


def _sum(runs: Sequence[Trajectory], found: Callable[[Trajectory], Sized]) -> int:
    return sum(len(found(run)) for run in runs)


def not_spelled(run: Trajectory) -> Iterator[str]:
    """Every value that tells anything and was not seen in the same spelling: no other rule."""
    values = ValueIndex(run)
    shown = [step.effect.values for step in values.steps]
    for index, _, value in arguments_of(run):
        seen = any(value in shown[k] for k in _before(run, index)) or values.messages.mention(
            value, index
        )
        if specificity(value) and not seen:
            yield value


def _before(run: Trajectory, index: int) -> list[int]:
    """The places of the steps of earlier turns."""
    turn = run.steps[index].turn
    return [k for k in range(index) if turn is None or run.steps[k].turn != turn]


def replacements(run: Trajectory, kinds: Container[str] = KINDS) -> Iterator[tuple[str, bool]]:
    """For each judged argument of these kinds: which, and whether an invented value is found."""
    known, draw = _places(run), random.Random(run.name)
    for index, path, value in arguments_of(run):
        if identifying_parts(value) and (index, path) not in known:
            other = invented(value, draw)
            if kind_of(value) in kinds:
                step = run.steps[index]
                arguments = replaced_at(step.arguments, path, other)
                broken = _with_step(run, index, step.model_copy(update={"arguments": arguments}))
                yield kind_of(value), (index, path) in _places(broken)


def _places(run: Trajectory) -> set[tuple[int, str]]:
    """The arguments of a run that have no ground, by step and path."""
    return {(one.step, one.path) for one in ungrounded(run)}


def ungrounded(run: Trajectory) -> Sequence[Ungrounded]:
    """The arguments of a run that have no ground."""
    return find_ungrounded(run, ValueIndex(run))


def kind_of(value: str) -> str:
    """Which of KINDS a telling value is."""
    if [*dict(identifying_parts(value))] != [value]:
        return "several"
    if is_date(value) or is_number(value):
        return "date" if is_date(value) else "number"
    return "code" if value.isalpha() else "identifier"


def invented(value: str, draw: random.Random) -> str:
    """Another value of the same shape: other digits and capitals, or a day far away."""
    if is_date(value):
        return str(date.fromisoformat(value) + timedelta(days=draw.randint(*FAR)))
    made = value
    while made == value or not identifying_parts(made):
        made = "".join(_other(character, draw) for character in value)
    return made


def _other(character: str, draw: random.Random) -> str:
    if character.isdigit():
        return draw.choice("123456789")
    return draw.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") if character.isupper() else character


def early_calls(run: Trajectory) -> Iterator[tuple[str, bool]]:
    """For each call and value that it needs of a step: its kind, and whether it is found early.

    The call is moved before that step, the first that showed the value.
    """
    for edge in traced_edges(run, ValueIndex(run)):
        needed = _needed(run, edge)
        found = ungrounded(_moved(run, edge.target, edge.source)) if needed else ()
        early = {one.value for one in found if one.step == edge.source and one.shown_by is not None}
        for value in needed:
            yield kind_of(value), value in early


def _needed(run: Trajectory, edge: Edge) -> list[str]:
    """The judged values that the target of an edge uses and its source was the first to show."""
    values = dict.fromkeys(one.value for one in edge.evidence)
    used = _used(run.steps[edge.target])
    return [v for v in values if v in used and _first_to_show(run, edge.source, v)]


def _used(step: Step) -> set[str]:
    """What is judged of the arguments of a step."""
    claims = FieldValues(step.arguments).claims
    return {part for claim in claims for part, _ in claim.parts}


def _moved(run: Trajectory, place: int, before: int) -> Trajectory:
    """The run with a step before another, in a turn of its own."""
    steps = list(run.steps)
    steps.insert(before, steps.pop(place).model_copy(update={"turn": None}))
    return run.model_copy(update={"steps": tuple(steps)})


def _first_to_show(run: Trajectory, source: int, value: str) -> bool:
    earlier = json.dumps([step.effect for step in run.steps[:source]], ensure_ascii=False)
    return value not in earlier


def of_hand_corpus(made: Benchmark) -> Iterator[str]:
    """The second table: false alarms on valid cases, and how many broken ones are found."""
    yield f"| {made.name} | what | cases | arguments | found | cases with one | after references |"
    yield "|---|---|---|---|---|---|---|"
    planted = with_identifiers(made)
    for name, told in (("as written", made), ("with identifiers", planted)):
        for what, cases in _groups(told.cases):
            yield row((name, what), _of_cases(cases, told))
    solutions = [case.run for case in planted.cases if case.family == "P0"]
    replaced = [hit for run in solutions for _, hit in replacements(run)]
    share = _percent(sum(replaced), len(replaced))
    what = "one replaced by an invented one"
    yield f"| with identifiers | {what} | {len(replaced)} | | | {share} | |"


def _of_cases(cases: Sequence[Case], made: Benchmark) -> Iterator[str]:
    """Cases, arguments, those found, the share of cases with one, and with one of their own."""
    runs = [case.run for case in cases]
    found = [len(_places(run)) for run in runs]
    yield str(len(runs))
    yield str(_sum(runs, lambda run: [*arguments_of(run)]))
    yield str(sum(found))
    yield _percent(sum(map(bool, found)), len(runs))
    yield _percent(sum(_share_of_steps(case, made) > 0 for case in cases), len(cases))


def _groups(cases: Sequence[Case]) -> Iterator[tuple[str, list[Case]]]:
    yield "valid (P0 to P3)", [case for case in cases if case.family in ("P0", *VALID)]
    yield "a step before its source (P4)", [case for case in cases if case.family == "P4"]
    for way in ("delete", "mistool", "distract"):
        yield f"{way} (P5)", [case for case in cases if case.variant == way]


def with_identifiers(made: Benchmark) -> Benchmark:
    """The same runs, with what they make and need told by identifiers, as tools of a system do."""
    references = {
        task: [_identified(one, _owners(several[0])) for one in several]
        for task, several in made.references.items()
    }
    cases = [
        replace(case, run=_identified(case.run, _owners(made.references[case.task][0])))
        for case in made.cases
    ]
    return Benchmark(f"{made.name}, with identifiers", references, cases)


def _owners(canonical: Trajectory) -> Mapping[str, str]:
    """The step that makes each artifact: edits name an artifact after its step."""
    return {artifact: step.id for step in canonical.steps for artifact in produced(step)}


def _identified(run: Trajectory, owners: Mapping[str, str]) -> Trajectory:
    """Each artifact has one identifier: its maker shows it, and who needs it is told it."""

    def told(names: Iterable[str]) -> list[JsonValue]:
        wanted = dict.fromkeys(owners.get(name, name) for name in names)
        return [f"id-{sha256(f'{run.task}/{name}'.encode()).hexdigest()[:8]}" for name in wanted]

    steps = [
        step.model_copy(
            update={
                "arguments": {"what": step.arguments, "needs": told(consumed(step))},
                "effect": {"what": step.effect, "makes": told(produced(step))},
            }
        )
        for step in run.steps
    ]
    return run.model_copy(update={"steps": tuple(steps)})


def of_penalties(made: Benchmark) -> Iterator[str]:
    """The rows of the third table: measures of score * exp(-penalty * share of such steps)."""
    encoder, config = load_encoder("wordllama"), otap.Config.preset("default")
    tasks, families = [c.task for c in made.cases], [c.family for c in made.cases]
    plain = scores(made, config, encoder)
    shares = [_share_of_steps(case, made) for case in made.cases]
    for penalty in PENALTIES if any(shares) else PENALTIES[:1]:
        lowered = [s * exp(-penalty * share) for s, share in zip(plain, shares, strict=True)]
        found = by_task(tasks, families, lowered)
        figures = [interval(MEASURES[name], [found]) for name in SHOWN]
        cells = [
            f"{one.value:.1f}" if abs(one.value) > 1 else f"{one.value:.3f}" for one in figures
        ]
        yield row((made.name, f"{penalty:g}", str(sum(map(bool, shares)))), cells)


def _share_of_steps(case: Case, made: Benchmark) -> float:
    """The share of steps that use something without a ground that no reference uses so."""
    references = made.references[case.task]
    told = set[str]().union(*(find_assumed(one, ValueIndex(one)) for one in references))
    found: list[Ungrounded] = [one for one in ungrounded(case.run) if one.value not in told]
    return len({one.step for one in found}) / len(case.run.steps)


def arguments_of(run: Trajectory) -> Iterator[tuple[int, str, str]]:
    """Yields step, path and canonical spelling of each value among the arguments of a run."""
    for index, step in enumerate(run.steps):
        for path, _, value in list_nodes(step.arguments):
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                where = write_path(path).removeprefix(".") or "arguments"
                yield index, where, canonical_value(value)


def replaced_at(data: JsonValue, wanted: str, other: str, path: str = "") -> JsonValue:
    """The arguments with another value at a path."""
    if isinstance(data, dict):
        return {
            key: replaced_at(value, wanted, other, f"{path}.{key}" if path else key)
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [replaced_at(v, wanted, other, f"{path}[{k}]") for k, v in enumerate(data)]
    return other if path == wanted else data


def _with_step(run: Trajectory, index: int, step: Step) -> Trajectory:
    steps = (*run.steps[:index], step, *run.steps[index + 1 :])
    return run.model_copy(update={"steps": steps})


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def lines(data: Path) -> Iterator[str]:
    """All tables."""
    yield from of_tau_bench(data / "tau-bench")
    made = list(corpora(data, "development"))
    yield ""
    yield from of_hand_corpus(made[0])
    yield ""
    yield from head(("corpus", "penalty", "cases with one"), SHOWN)
    for one in (*made, *(with_identifiers(one) for one in made[:2])):
        yield from of_penalties(one)


if __name__ == "__main__":
    print_lines(__doc__, lines)
