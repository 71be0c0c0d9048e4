"""Dependencies by guards: what is checked, approved, saved or tried before something is changed.

A check after the change guards nothing, though no value flows from the one to the other. A step
guards a later write

1. where its words say that it checks (``verify_identity``, ``make test``), what they are about is
   the same, and for what cannot be undone (``deploy``, ``pay``) also where nothing says that it is
   about something else;
2. where they say that it keeps what is there (``create_backup``), and the write alters or deletes;
3. where both do the same, the first in a trial environment and the second in production;
4. where it only looks, and both name the same thing: who looks afterwards acted blindly.

About the same: both have one value in common that is no number. About something else: under a key
that both have, no value of the one is the other's. A guard that itself changes something must be
about the same, or name nothing at all.
"""

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


class _Subject(NamedTuple):
    """What a call is about: all its values, and by key those outside of commands."""

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
    words = [_words(step.tool, _command(step.arguments)) for step in steps]
    for target, step in enumerate(steps):
        for source in range(max(0, target - CHECKED), target) if writes[target] else ():
            together = step.turn is not None and steps[source].turn == step.turn
            if together or (writes[source] and words[source].isdisjoint(_GUARDING)):
                continue
            about = _subject(steps[source]), _subject(step)
            path = None
            if _is_guarded(words[source], words[target], about, writes[source]):
                path = GUARD
            elif not writes[source] and any(map(_NAMING.search, about[0].values & about[1].values)):
                path = LOOK
            if path:
                found.append(Edge(source, target, CONFLICT, (Evidence("", path, path),)))
    return found


def _is_guarded(
    guard: frozenset[str], write: frozenset[str], about: tuple[_Subject, _Subject], changes: bool
) -> bool:
    """Whether a step guards a later write, by the words and the subjects of both."""
    if guard.isdisjoint(_GUARDING):
        return False
    (values, ours), (others, theirs) = about
    same = not values.isdisjoint(others)
    other = any(ours[key].isdisjoint(theirs[key]) for key in ours.keys() & theirs.keys())
    if changes and guard & TRIAL | values & TRIAL and write & PRODUCTION | others & PRODUCTION:
        return guard - TRIAL == write - PRODUCTION
    final = not (other or write.isdisjoint(FINAL | ALTERING))
    if changes and values and not same:
        return final and not guard.isdisjoint(APPROVING)
    if not guard.isdisjoint(SAVING):
        return not write.isdisjoint(ALTERING) and (same or not (other or (changes and values)))
    return same or final


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


def _subject(step: Step) -> _Subject:
    return content(step.arguments).read(_read_subject)


def _read_subject(named: Content) -> _Subject:
    values, by_key = set[str](), dict[str, set[str]]()
    for path, _, value in islice(list_nodes(parsed(named.data), nested=False), MAX_VALUES):
        key = spelled(write_path(path).rpartition(".")[2].partition("[")[0])
        if type(value) is int and key.endswith(("id", "number", "no")):
            value = str(value)
        if not isinstance(value, str) or not value or len(value) > MAX_NAME:
            continue
        if key in _COMMANDS:
            values.update(word for word in _TOKEN.findall(value)[1:] if word[0] != "-")
        elif value.count(" ") < _FEW and not _DATE.match(value):
            values.add(fold_word(value))
            by_key.setdefault(key, set()).add(fold_word(value))
    return _Subject(frozenset(values), {key: frozenset(one) for key, one in by_key.items()})
