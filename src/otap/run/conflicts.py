"""Dependencies by conflicts and guards: the order of steps between which no value flows.

If only calls are recorded, no data flow can be seen. Two operations conflict if they touch the same
item and at least one of them writes; two orders are equal if they order the conflicting pairs alike
[Bernstein1987]. Here two writes conflict; look-ups are covered by rule 5 of the guards below. Items
are the objects that a call names (:mod:`otap.run.objects`).

Three exceptions. Two calls of one tool that adds something (:data:`ADDING`) can change places.
Under a shared key two steps name the same object or different ones; if different, the values that
they share under another key only locate these objects (the sheet of two cells, the account of two
orders) and are no conflict. And two different tools whose names begin with a verb of :data:`PARTS`
change different parts of an object, the parts in their names (``set_title``, ``add_label``).

Steps of one turn ran in parallel and have no order. The graph is its own transitive reduction
[Aho1972].

A guard is a step that belongs before a write. A check after the change guards nothing, although no
value flows between the two. A step guards a later write

1. if its words announce a check (``verify_identity``, ``make test``) and both have the same
   subject; for writes that cannot be undone (``deploy``, ``pay``) also if no subject differs;
2. if its words announce a backup (``create_backup``), and the write has the same subject, or alters
   or deletes;
3. if both change one object and their words are opposites (``open``, ``close``);
4. if both do the same, the first in a trial environment and the second in production;
5. if it only looks, and both name the same object: a run that looks afterwards acted blindly.

Steps have the same subject if they share a value that is no number. They have different subjects if
they share a key but no value under it. A guard that changes something itself must have the same
subject, or none, unless it is an approval or a backup. Two checks, two backups, and two calls with
the same words for different objects do not guard each other.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from otap._patterns import regex
from otap.graph import Edge, Evidence
from otap.run.index import StepValues, ValueIndex
from otap.run.objects import MAX_VALUES, NO_OBJECTS, NamedObjects
from otap.run.order_words import AUTOMATED, VERIFYING
from otap.run.scalars import last_key, list_nodes
from otap.trajectory import Step, Trajectory
from otap.values.keys import canonical_key, singular
from otap.values.lexicon import lexicon
from otap.values.normalization import fold_word
from otap.values.tool_names import MAX_NAME, canonical_tool, last_part
from otap.values.value import parse_text


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


CONFLICT = 0.8  # confidence of a conflict: naming one object does not prove that order matters
EVIDENCE_LIMIT = 8  # objects that are evidence of one edge
CHECKED = 64  # check at most this many earlier steps without a path, the latest ones
PARTS = frozenset(("add", "change", "edit", "modify", "patch", "set", "update"))
ADDING = frozenset(("add", "insert", "create", "invite", "enroll", "register", "attach", "tag"))
_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
GUARD, LOOK = "guard", "look"  # the evidence paths of such edges

# As the first word of a name, or among the first of a command.
CHECKING = _set("""
    check verify validate confirm review approve authorize authorise inspect audit scan test tests
    lint typecheck preview simulate screen ensure vet plan drain pytest unittest jest tox ctest
    mypy ruff eslint clippy pruefe pruefen teste genehmige verificar validar revisar aprobar
    comprobar aprovar verifier valider approuver controllare verifica approva ask bestaetigen
    confirmar confirmer
""")
# Anywhere in a name.
CHECKS = _set("""
    approval consent conferma confirmacion bestaetigung test ci lint dryrun signoff clearance
    verification genehmigung freigabe aprobacion aprovacao approbation approvazione
    policy eligibility allergy contraindication guideline compliance
    审批 检查 验证 测试
""")
SAVING = _set("""
    backup snapshot dump mysqldump pg_dump export archive cp copy sichern sicherung respaldar
    respaldo sauvegarder sauvegarde 备份
""")
# Of these, words of calls that save a state and do nothing else.
BACKUPS = _set("""
    backup snapshot dump mysqldump pg_dump sicherung respaldo sauvegarde 备份
""")
# Actions that cannot be undone.
FINAL = _set("""
    deploy deployment release publish push merge ship promote rollout submit commit sign send
    transfer pay wire refund charge apply execute administer give dispense prescribe perform cancel
    freigeben anordnen change paga invia trasferisci veroeffentlichen
    senden zahlen enviar pagar transferir publicar publier payer envoyer pubblicare pagare inviare
""")
ALTERING = _set("""
    delete drop remove truncate migrate migration alter upgrade update reset restore wipe purge
    overwrite rm rmdir destroy terminate uninstall modify replace resize restart reboot loeschen
    eliminar borrar supprimer eliminare apagar 删除
""")
TRIAL = _set("staging stage stg test testing dev development canary qa preprod sandbox pilot beta")
PRODUCTION = _set("production prod live")
APPROVING = _set("""
    approve approval authorize authorise consent signoff clearance genehmige genehmigung freigabe
    aprobar aprobacion aprovar aprovacao approuver approbation approva approvazione 审批
    confirm confirmation ask conferma confirmar confirmacion confirmer bestaetigung bestaetigen
""")
_MAKING = _set("create add new make post write update edit delete get list read show submit")
_GUARDING = CHECKING | CHECKS | SAVING | TRIAL
_TESTS = AUTOMATED | VERIFYING
_HARD_TO_UNDO = FINAL | ALTERING
_STRONG = APPROVING | SAVING | TRIAL
_COMMAND_WORDS, _NAME_WORDS = 4, 3  # the most words of a command, and of a name, that count
_COMMANDS = frozenset(("command", "cmd", "script", "sql", "query", "statement"))
_NAME_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_COMMAND_WORD = regex(r"[^\s;|&<>()\"'=,]+")
_DISTINCT = regex(r"\d|/|@")  # in the name of a single object
_DATE = regex(r"\d{4}-\d\d-\d\d|\d\d?:\d\d")


def conflict_edges(
    trajectory: Trajectory, index: ValueIndex, writes: Sequence[bool]
) -> tuple[Edge, ...]:
    """Returns the transitive reduction of the order of conflicting steps, by target and source.

    Args:
        trajectory: its steps, in the order in which they ran.
        index: its values.
        writes: which steps change something.
    """
    steps = trajectory.steps
    objects = [
        values.objects if is_write else NO_OBJECTS
        for values, is_write in zip(index.steps, writes, strict=True)
    ]
    # Sets of steps, as bits: for each object the writes that name it; the ancestors of each step.
    naming: dict[str, int] = defaultdict(int)
    ancestors: list[int] = []
    edges: list[Edge] = []
    turn_start = 0
    for target, step in enumerate(steps):
        if step.turn is None or target == 0 or steps[target - 1].turn != step.turn:
            turn_start = target
        pending = reached = 0
        for name in objects[target].paths:
            pending |= naming[name]
        pending &= (1 << turn_start) - 1
        for _ in range(CHECKED):
            source = pending.bit_length() - 1
            if source < 0:
                break
            pending ^= 1 << source
            evidence = _find_conflict(steps[source], step, objects[source], objects[target])
            if evidence:
                edges.append(Edge(source, target, CONFLICT, evidence))
                reached |= ancestors[source] | 1 << source
                pending &= ~reached
        ancestors.append(reached)
        for name in objects[target].paths:
            naming[name] |= 1 << target
    return tuple(sorted(edges, key=lambda edge: (edge.target, edge.source)))


def _find_conflict(
    earlier: Step, later: Step, earlier_objects: NamedObjects, later_objects: NamedObjects
) -> tuple[Evidence, ...]:
    fields = ["action" if step.arguments is None else "arguments" for step in (earlier, later)]
    return tuple(
        Evidence(
            name,
            fields[0] + earlier_objects.paths[name][0],
            fields[1] + later_objects.paths[name][0],
        )
        for name in conflicting(earlier, later, earlier_objects, later_objects)[:EVIDENCE_LIMIT]
    )


def can_change(values: StepValues, name: str) -> bool:
    """Returns whether a write can be seen to change an object.

    Its effect shows nothing new, or that object. A call that shows other objects made those.

    Args:
        values: of a step that writes, according to its tool's name.
        name: an object that it names.
    """
    effect_names = {leaf.value.removeprefix("#") for leaf in values.effect.leaves}
    return not values.shows_new_value or name in effect_names


def conflicting(
    step: Step, other_step: Step, objects: NamedObjects, other_objects: NamedObjects
) -> list[str]:
    """Returns the objects for which the order of two steps matters if one of them writes.

    Args:
        step: a step.
        other_step: another step.
        objects: the objects that the step names.
        other_objects: the objects that the other step names.
    """
    tool, other_tool = step.tool or "", other_step.tool or ""
    is_same_tool = canonical_tool(tool) == canonical_tool(other_tool)
    if is_same_tool and _verb_of(tool) in ADDING:
        return []  # two additions can change places
    if {_verb_of(tool), _verb_of(other_tool)} <= PARTS and (
        canonical_tool(tool).bare != canonical_tool(other_tool).bare
    ):
        return []  # both are named after the parts that they change
    shared = [name for name in other_objects.paths if name in objects.paths]
    keys = objects.by_key.keys() & other_objects.by_key.keys()
    differs = any(objects.by_key[k].isdisjoint(other_objects.by_key[k]) for k in keys if k)
    if not shared or not differs:
        return shared
    # Under some key the two name different objects: values that they share only locate these.
    locations = set[str]().union(*(objects.by_key[k] & other_objects.by_key[k] for k in keys))
    return [name for name in shared if name not in locations]


@lru_cache(maxsize=1024)
def _verb_of(tool: str) -> str:
    """The first word of the part of a tool's name that describes its calls."""
    first = _WORD.match(last_part(tool[:MAX_NAME]))
    return first[0].lower() if first else ""


class _Call(NamedTuple):
    """The words of a call, its subjects, and by key those that are no part of a command."""

    words: frozenset[str]
    subjects: frozenset[str]
    by_key: dict[str, frozenset[str]]


def guard_edges(trajectory: Trajectory, index: ValueIndex, writes: Sequence[bool]) -> list[Edge]:
    """Returns an edge from each guard to each later write that it guards.

    A look-up has an edge to each later write on an object that it names.

    Args:
        trajectory: its steps, in the order in which they ran.
        index: its values.
        writes: which steps change something.
    """
    steps, edges = trajectory.steps, list[Edge]()
    calls = [values.of(_read_call) for values in index.steps]
    guards, by_subject = list[int](), defaultdict[str, list[int]](list)
    for target, (step, call) in enumerate(zip(steps, calls, strict=True)):
        if writes[target]:
            candidates = set(guards[-CHECKED:])
            for subject in call.subjects:
                candidates.update(by_subject[subject][-CHECKED:])
            for source in sorted(candidates):
                path = _relate(calls[source], call, writes[source])
                if path and (step.turn is None or steps[source].turn != step.turn):
                    edges.append(Edge(source, target, CONFLICT, (Evidence("", path, path),)))
        if not call.words.isdisjoint(_GUARDING):
            guards.append(target)
        for subject in call.subjects:
            by_subject[subject].append(target)
    return edges


def _relate(earlier: _Call, write: _Call, is_change: bool) -> str | None:
    """Why a step belongs before a later write; None if nothing says that it does."""
    if _only_checks(earlier) and _only_checks(write):
        return None  # two checks can change places
    shared = earlier.subjects & write.subjects
    if shared and _are_opposites(earlier.words, write.words):
        return GUARD
    if _is_guarded(earlier, write, is_change):
        # A check before a change that can be undone counts as a look-up.
        is_strong = not (
            earlier.words.isdisjoint(_STRONG) and write.words.isdisjoint(_HARD_TO_UNDO)
        )
        return GUARD if is_strong else LOOK
    names_object = not is_change and any(_DISTINCT.search(subject) for subject in shared)
    return LOOK if names_object else None


def _only_checks(call: _Call) -> bool:
    return not call.words.isdisjoint(_TESTS) and call.words.isdisjoint(_HARD_TO_UNDO)


def _is_guarded(guard: _Call, write: _Call, is_change: bool) -> bool:
    """Whether a step guards a later write, by the words and the subjects of both."""
    if guard.words.isdisjoint(_GUARDING):
        return False
    is_same = not guard.subjects.isdisjoint(write.subjects)
    keys = guard.by_key.keys() & write.by_key.keys()
    differs = any(guard.by_key[key].isdisjoint(write.by_key[key]) for key in keys)
    if guard.words == write.words and differs and not _is_trial(guard, write):
        return False  # the same deed for two objects
    is_other = not is_same and differs
    if is_change and _is_trial(guard, write):
        return True
    is_final = not (is_other or write.words.isdisjoint(_HARD_TO_UNDO))
    if is_change and guard.subjects and not is_same:
        is_backup = not (guard.words.isdisjoint(BACKUPS) or write.words.isdisjoint(ALTERING))
        return is_final and (is_backup or not guard.words.isdisjoint(APPROVING))
    if not guard.words.isdisjoint(SAVING):
        if not guard.words.isdisjoint(write.words & SAVING):
            return False  # a second copy
        return is_same or not (is_other or write.words.isdisjoint(ALTERING))
    return is_same or is_final


def _is_trial(earlier: _Call, later: _Call) -> bool:
    """Whether a step is the trial of a later one in production."""
    trial, live = earlier.words | earlier.subjects, later.words | later.subjects
    is_same_action = earlier.words - TRIAL == later.words - PRODUCTION
    return is_same_action and not trial.isdisjoint(TRIAL) and not live.isdisjoint(PRODUCTION)


def _are_opposites(words: frozenset[str], other_words: frozenset[str]) -> bool:
    """Whether the words of two calls are opposites: open, close."""
    sides, other_sides = _list_sides(words), _list_sides(other_words)
    if not (sides and other_sides):
        return False
    return any(
        group == other_group and side != other_side
        for group, side in sides
        for other_group, other_side in other_sides
    )


@lru_cache(maxsize=4096)
def _list_sides(words: frozenset[str]) -> frozenset[tuple[Any, Any]]:
    """The groups of opposites that the words of a call belong to, each with their side in it."""
    opposites = lexicon().tables["opposites"]
    return frozenset(entry for word in words for entry in opposites.groups_of(word))


@lru_cache(maxsize=4096)
def _words_of_call(tool: str | None, command: str) -> frozenset[str]:
    """The words that describe a call: the first words of a command, else of the tool's name.

    Words that only name an object are left out: words of ``CHECKING`` between others, and the
    object that is made or read, as in ``create_test``.
    """
    if command:
        words = [word.lower() for word in _COMMAND_WORD.findall(command)[:_COMMAND_WORDS]]
        if len(words) > 1:
            return frozenset(words)
        # A single word is the file of a script, and the name of the tool says more.
        return _words_of_call(tool, "").difference(("execute", "run")).union(words)
    name = last_part((tool or "")[:MAX_NAME])
    words = [singular(fold_word(word)) for word in _NAME_WORD.findall(name)]
    verbs = words[:1] if not words or words[0] in _MAKING else [words[0], words[-1]]
    return frozenset(verbs).union(word for word in words if word not in CHECKING - CHECKS)


def _read_call(step: Step) -> _Call:
    command = ""
    subjects, names = set[str](), list[tuple[str, str]]()
    nodes = list_nodes(parse_text(step.arguments), nested=False)
    for path, _, value in islice(nodes, MAX_VALUES):
        key = canonical_key(last_key(path))
        if type(value) is int and key.endswith(("id", "number", "no")):
            value = str(value)
        if not isinstance(value, str) or not value:
            continue
        if key in _COMMANDS:
            command = command or value[:MAX_NAME]
            subjects.update(word for word in _COMMAND_WORD.findall(value)[1:] if word[0] != "-")
        elif len(value) <= MAX_NAME and value.count(" ") < _NAME_WORDS and not _DATE.match(value):
            names.append((key, value))
        else:
            subjects.add(value)
    by_key: dict[str, set[str]] = defaultdict(set)
    folded = [fold_word(name) for _, name in names]
    for (key, _), name in zip(names, folded, strict=True):
        by_key[key].add(name)
    frozen = {key: frozenset(values) for key, values in by_key.items()}
    return _Call(_words_of_call(step.tool, command), frozenset(subjects.union(folded)), frozen)
