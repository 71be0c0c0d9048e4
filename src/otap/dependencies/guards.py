"""Dependencies by guards: what is checked, approved, saved or tried before something is changed.

A check after the change guards nothing, though no value flows from the one to the other. A step
guards a later write

1. where its words say that it checks (``verify_identity``, ``make test``), what they are about is
   the same, and for what cannot be undone (``deploy``, ``pay``) also where nothing says that it is
   about something else;
2. where they say that it keeps what is there (``create_backup``), and the write alters or deletes;
3. where both change one thing and their words are opposites (``open``, ``close``);
4. where both do the same, the first in a trial environment and the second in production;
5. where it only looks, and both name the same thing: who looks afterwards acted blindly.

About the same: both have one value in common that is no number. About something else: under a key
that both have, no value of the one is the other's. A guard that itself changes something must be
about the same, or name nothing at all.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from otap._patterns import regex
from otap.dependencies.content import Content, content, list_nodes, parsed, write_path
from otap.dependencies.graph import Edge, Evidence
from otap.dependencies.parameters import CONFLICT
from otap.dependencies.tool_names import MAX_NAME, last_part
from otap.trajectory import Step, Trajectory
from otap.values.keys import singular, spelled
from otap.values.lexicon import lexicon
from otap.values.spelling import fold_word

GUARD, LOOK = "guard", "look"  # the paths of the evidence of such an edge
CHECKED = 64  # earlier steps that are looked at, the latest ones
MAX_VALUES = 200  # values that are looked at of one step


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# As the first word of a name, or among the first of a command.
CHECKING = _set("""
    check verify validate confirm review approve authorize authorise inspect audit scan test tests
    lint typecheck preview simulate screen ensure vet plan drain pytest unittest jest tox ctest
    mypy ruff eslint clippy pruefe pruefen teste genehmige verificar validar revisar aprobar
    comprobar aprovar verifier valider approuver controllare verifica approva
""")
# Anywhere in a name.
CHECKS = _set("""
    approval consent test ci lint dryrun signoff clearance verification genehmigung freigabe
    aprobacion aprovacao approbation approvazione 审批 检查 验证 测试
""")
SAVING = _set("""
    backup snapshot dump mysqldump pg_dump export archive cp copy sichern sicherung respaldar
    respaldo sauvegarder sauvegarde 备份
""")
# What cannot be undone.
FINAL = _set("""
    deploy deployment release publish push merge ship promote rollout submit commit sign send
    transfer pay wire refund charge apply execute administer give dispense prescribe perform cancel
    freigeben anordnen
    veroeffentlichen senden zahlen enviar pagar transferir publicar publier payer envoyer
    pubblicare pagare inviare
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
""")
_MAKING = _set("create add new make post write update edit delete get list read show submit")
_GUARDING = CHECKING | CHECKS | SAVING | TRIAL
_FIRST, _FEW = 4, 3  # words of a command, and of a value that names something
_COMMANDS = frozenset(("command", "cmd", "script", "sql", "query", "statement"))
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_TOKEN = regex(r"[^\s;|&<>()\"'=,]+")
_NAMING = regex(r"\d|/|@")  # in the name of one thing
_DATE = regex(r"\d{4}-\d\d-\d\d|\d\d?:\d\d")


class _Call(NamedTuple):
    """What a call says: its words, all values that it is about, and by key those of no command."""

    words: frozenset[str]
    values: frozenset[str]
    by_key: dict[str, frozenset[str]]


def guard_edges(trajectory: Trajectory, writes: Sequence[bool]) -> list[Edge]:
    """Returns an edge from each guard to each later write that it guards.

    Where the earlier one only looks, an edge to each later write about the thing that it names.

    Args:
        trajectory: its steps, in the order in which they ran.
        writes: which of them change something.
    """
    steps, found = trajectory.steps, list[Edge]()
    calls = [_Call(_words(s.tool, _command(s.arguments)), *_subject(s)) for s in steps]
    guards, naming = list[int](), defaultdict[str, list[int]](list)
    for target, (step, call) in enumerate(zip(steps, calls, strict=True)):
        near = set(guards[-CHECKED:]) if writes[target] else set()
        for value in call.values if writes[target] else ():
            near.update(naming[value][-CHECKED:])
        for source in sorted(near):
            path = _relate(calls[source], call, writes[source])
            if path and (step.turn is None or steps[source].turn != step.turn):
                found.append(Edge(source, target, CONFLICT, (Evidence("", path, path),)))
        if not call.words.isdisjoint(_GUARDING):
            guards.append(target)
        for value in call.values:
            naming[value].append(target)
    return found


def _relate(one: _Call, other: _Call, changes: bool) -> str | None:
    """Why a step belongs before a later write; None where nothing says so."""
    shared = one.values & other.values
    if (shared and _undo(one.words, other.words)) or _is_guarded(one, other, changes):
        return GUARD
    return LOOK if not changes and any(map(_NAMING.search, shared)) else None


def _is_guarded(guard: _Call, write: _Call, changes: bool) -> bool:
    """Whether a step guards a later write, by the words and the subjects of both."""
    if guard.words.isdisjoint(_GUARDING):
        return False
    same, keys = (
        not guard.values.isdisjoint(write.values),
        guard.by_key.keys() & write.by_key.keys(),
    )
    other = not same and any(guard.by_key[key].isdisjoint(write.by_key[key]) for key in keys)
    if changes and _is_tried(guard, write):
        return True
    final = not (other or write.words.isdisjoint(FINAL | ALTERING))
    if changes and guard.values and not same:
        return final and not guard.words.isdisjoint(APPROVING)
    if not guard.words.isdisjoint(SAVING):
        return not (other or write.words.isdisjoint(ALTERING))
    return same or final


def _is_tried(one: _Call, other: _Call) -> bool:
    """Whether a step does on trial what a later one does in production."""
    trial, live = one.words | one.values, other.words | other.values
    alike = one.words - TRIAL == other.words - PRODUCTION
    return alike and not trial.isdisjoint(TRIAL) and not live.isdisjoint(PRODUCTION)


@lru_cache(maxsize=4096)
def _undo(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether the words of two calls are opposites: open, close."""
    places = lexicon().tables["opposites"].places
    ours, theirs = ({place for word in said for place in places(word)} for said in (words, others))
    return any(g == h and side != other for g, side in ours for h, other in theirs)


def _command(arguments: object) -> str:
    """The beginning of a command, if a call is given one."""
    if not isinstance(arguments, dict):
        return ""
    given = next((arguments[key] for key in _COMMANDS if key in arguments), "")
    return given[:MAX_NAME] if isinstance(given, str) else ""


@lru_cache(maxsize=4096)
def _words(tool: str | None, command: str) -> frozenset[str]:
    """The words that say what a call does: of a command its first ones, else of the tool's name.

    Those that only name things are left out: of a name the ones of ``CHECKING`` between others, and
    what is made or looked at, as in ``create_test``.
    """
    if command:
        return frozenset(map(str.lower, _TOKEN.findall(command)[:_FIRST]))
    found = [
        singular(fold_word(word)) for word in _WORD.findall(last_part((tool or "")[:MAX_NAME]))
    ]
    verbs = found[:1] if not found or found[0] in _MAKING else [found[0], found[-1]]
    return frozenset(verbs).union(word for word in found if word not in CHECKING - CHECKS)


def _subject(step: Step) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    return content(step.arguments).read(_read_subject)


def _read_subject(named: Content) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    values, by_key = set[str](), dict[str, set[str]]()
    for path, _, value in islice(list_nodes(parsed(named.data), nested=False), MAX_VALUES):
        key = spelled(write_path(path).rpartition(".")[2].partition("[")[0])
        if type(value) is int and key.endswith(("id", "number", "no")):
            value = str(value)
        if not isinstance(value, str) or not value:
            continue
        if key in _COMMANDS:
            values.update(word for word in _TOKEN.findall(value)[1:] if word[0] != "-")
        elif len(value) <= MAX_NAME and value.count(" ") < _FEW and not _DATE.match(value):
            values.add(fold_word(value))
            by_key.setdefault(key, set()).add(fold_word(value))
        else:
            values.add(value)
    return frozenset(values), {key: frozenset(one) for key, one in by_key.items()}
