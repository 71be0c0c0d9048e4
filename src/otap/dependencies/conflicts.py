"""Dependencies by conflicts and guards: the order of steps between which no value flows.

Where only calls are known no value can be seen to flow. Two operations conflict if they touch the
same item and at least one writes; two orders of them are equal if they order the conflicting pairs
alike [Bernstein1987]. Here two writes conflict; what a look is worth is said below. A thing is
what a call is about, and no circumstance of it. A value of the arguments names a thing

1. where it has the form of an identifier (a digit among letters: ``W-20``, ``obj12``, ``B4``), of a
   path, a URL, a mail address or a file;
2. where its key says so, whatever it looks like (``path``, ``table``, ``cell``, ``order_id``);
3. where the call has no keys, as in the notation of plans: an operator and its objects;
4. where it is a single small letter, as blocks are called. In a sentence it must close its phrase
   (``pick up block a``, ``stack a on b``): the article does not.

Cities, kinds, amounts, dates, versions and texts are none, nor are keys: many calls have them that
can change places. Two things are one if they are spelled alike, but for a leading ``#``.

Three exceptions. Two calls of one tool that add something (:data:`ADDING`) change places. What two
steps name by the same key is the same thing or another one: where it is another one, what else they
have in common under one key is where their things are found (the sheet of two cells, the account of
two orders), and no conflict. And two different tools whose names begin with a verb of :data:`PARTS`
change different parts of a thing, those that they are named after (``set_title``, ``add_label``).

Steps of one turn ran in parallel and are in no order. The graph is its own transitive reduction
[Aho1972].

Beside conflicts stand guards. A check after the change guards nothing, though no value flows from
the one to the other. A step guards a later write

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
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from string import digits
from typing import NamedTuple

from pydantic import JsonValue

from otap._patterns import regex
from otap.dependencies.content import (
    Content,
    canonical_value,
    content,
    list_nodes,
    parsed,
    shows_new_value,
    write_path,
)
from otap.dependencies.graph import Edge, Evidence
from otap.dependencies.parameters import CONFLICT
from otap.dependencies.tool_names import MAX_NAME, canonical_tool, last_part
from otap.trajectory import Step, Trajectory
from otap.values.keys import last_word, singular, spelled
from otap.values.lexicon import lexicon
from otap.values.literals import parse_quantity
from otap.values.spelling import fold_word


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


EVIDENCE_KEPT = 8  # things kept as evidence of one edge
CHECKED = 64  # earlier steps without a path to a step that are looked at, the latest ones
MAX_THINGS = 64  # things that are looked at of one step, the first ones
MAX_TEXT = 2_000  # characters in which things are looked for, where all arguments are one text
MAX_VALUES = 1_000  # values that are looked at of one step

PARTS = frozenset(("add", "change", "edit", "modify", "patch", "set", "update"))
ADDING = frozenset(("add", "insert", "create", "invite", "enroll", "register", "attach", "tag"))
# The last word of a key whose value names what the call is about.
KEYS = frozenset((
    "id", "ids", "key", "uuid", "ref", "reference", "path", "file", "filename", "filepath",
    "folder", "directory", "table", "column", "cell", "range", "sheet", "document", "page",
    "branch", "tag", "repo", "repository", "bucket", "queue", "topic", "service", "host",
    "server", "cluster", "node", "device", "resource", "object", "objects", "item", "block",
    "package", "element", "selector", "record", "ticket", "issue", "order", "account",
    "invoice", "slot", "room", "volume",
))  # fmt: skip
_WORD = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_FORM = regex(
    r"(?=.*\d)(?=.*[^\W\d_])\S+\Z"  # an identifier
    r"|[^\s@]+@[^\s@]+\.\w+\Z|\w+://\S+\Z|[~.]{0,2}/?[\w.@-]+(?:/[\w.@-]+)+\Z"  # an address
    r"|[\w-][\w.-]*\.[A-Za-z]\w{0,4}\Z"  # a file
)
_MEASURE = regex(
    r"\d{4}-\d\d-\d\d(?:T|\Z)|\d{1,2}:\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}\Z"  # a date or time
    r"|\W*\d[\d.,]*\s*(?:[^\W\d_]{1,3}|%)\Z|v?\d+(?:\.\d+)+\Z"
)
_LETTER = regex(r"[a-z]\Z")
_IN_PHRASE = regex(
    r"\b([a-z])(?=\s*(?:\Z|[,;.)]|\b(?:[a-z]|on|from|to|onto|and|with|in|into|at|of|off|under|next)\b))"
)
_TOKEN = regex(r"[^\s,;()\[\]{}\"']+")

GUARD, LOOK = "guard", "look"  # the paths of the evidence of such an edge

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
    审批 检查 验证 测试
""")
SAVING = _set("""
    backup snapshot dump mysqldump pg_dump export archive cp copy sichern sicherung respaldar
    respaldo sauvegarder sauvegarde 备份
""")
# What cannot be undone.
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
_FIRST, _FEW = 4, 3  # words of a command, and of a value that names something
_COMMANDS = frozenset(("command", "cmd", "script", "sql", "query", "statement"))
_NAME_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_COMMAND_WORD = regex(r"[^\s;|&<>()\"'=,]+")
_NAMING = regex(r"\d|/|@")  # in the name of one thing
_DATE = regex(r"\d{4}-\d\d-\d\d|\d\d?:\d\d")


class Things(NamedTuple):
    """The things that a step names.

    Attributes:
        paths: for each thing the paths at which it stands, in the order of the step.
        keys: for each key the things that stand under it; "" for what has none.
    """

    paths: dict[str, list[str]]
    keys: dict[str, set[str]]


NO_THINGS = Things({}, {})


def things(step: Step) -> Things:
    """Returns the things that a step names: in its arguments, or without any in its action."""
    return content(getattr(step, _naming_field(step))).read(_read_things)


def _naming_field(step: Step) -> str:
    return "action" if step.arguments is None else "arguments"


def conflict_edges(trajectory: Trajectory, writes: Sequence[bool]) -> tuple[Edge, ...]:
    """Returns the transitive reduction of the order of conflicting steps, by target and source.

    Args:
        trajectory: its steps, in the order in which they ran.
        writes: which of them change something.
    """
    steps = trajectory.steps
    named = [
        things(step) if writing else NO_THINGS for step, writing in zip(steps, writes, strict=True)
    ]
    # Sets of steps, as bits: for each thing the writes that name it; the ancestors of each step.
    naming: dict[str, int] = defaultdict(int)
    ancestors: list[int] = []
    edges: list[Edge] = []
    turn = 0  # where the present turn begins
    for target, step in enumerate(steps):
        if step.turn is None or target == 0 or steps[target - 1].turn != step.turn:
            turn = target
        left = reached = 0
        for thing in named[target].paths:
            left |= naming[thing]
        left &= (1 << turn) - 1
        for _ in range(CHECKED):
            source = left.bit_length() - 1
            if source < 0:
                break
            left ^= 1 << source
            evidence = _find_conflict(steps[source], step, (named[source], named[target]))
            if evidence:
                edges.append(Edge(source, target, CONFLICT, evidence))
                reached |= ancestors[source] | 1 << source
                left &= ~reached
        ancestors.append(reached)
        for thing in named[target].paths:
            naming[thing] |= 1 << target
    return tuple(sorted(edges, key=attrgetter("target", "source")))


def _find_conflict(one: Step, other: Step, named: tuple[Things, Things]) -> tuple[Evidence, ...]:
    ours, theirs = _naming_field(one), _naming_field(other)
    return tuple(
        Evidence(thing, ours + named[0].paths[thing][0], theirs + named[1].paths[thing][0])
        for thing in conflicting(one, other, named)[:EVIDENCE_KEPT]
    )


def changes(step: Step, thing: str) -> bool:
    """Says whether a step that writes can be seen to change a thing.

    Its effect shows nothing, or that thing; a call that shows others made them out of it.

    Args:
        step: a step that writes, as far as its tool's name says.
        thing: what it names.
    """
    shown = (leaf.value.removeprefix("#") for leaf in content(step.effect).leaves)
    return not shows_new_value(step) or thing in shown


def conflicting(one: Step, other: Step, named: tuple[Things, Things]) -> list[str]:
    """Returns the things for which the order of two steps matters if one of them writes.

    Args:
        one: a step.
        other: another one.
        named: what both name.
    """
    ours, theirs = one.tool or "", other.tool or ""
    if canonical_tool(ours) == canonical_tool(theirs) and _verb_of(ours) in ADDING:
        return []  # two additions change places
    if {_verb_of(ours), _verb_of(theirs)} <= PARTS and (
        canonical_tool(ours).bare != canonical_tool(theirs).bare
    ):
        return []  # both are named after the parts that they change
    mine, others = named
    shared = [thing for thing in others.paths if thing in mine.paths]
    common = mine.keys.keys() & others.keys
    if not shared or not any(mine.keys[k].isdisjoint(others.keys[k]) for k in common if k):
        return shared
    # By some key each names another thing: what both name by the same one is where these are.
    places = set[str]().union(*(mine.keys[key] & others.keys[key] for key in common))
    return [thing for thing in shared if thing not in places]


@lru_cache(maxsize=1024)
def _verb_of(tool: str) -> str:
    """The first word of what a tool's name says of its calls."""
    first = _WORD.match(last_part(tool[:MAX_NAME]))
    return first[0].lower() if first else ""


def _read_things(named: Content) -> Things:
    """The first things of those that are named, each with its paths."""
    data = parsed(named.data)
    found = Things({}, {})
    for thing, path in _things_in_text(data) if isinstance(data, str) else _things_in_data(data):
        if thing not in found.paths and len(found.paths) == MAX_THINGS:
            break
        found.paths.setdefault(thing, []).append(path)
        key = _key_of(path).replace("_", "").replace("-", "").lower()
        found.keys.setdefault(key, set()).add(thing)
    return found


def _key_of(path: str) -> str:
    """The key under which a value stands, without its place in a list."""
    return path.rpartition(".")[2].partition("[")[0]


def _things_in_data(arguments: JsonValue) -> Iterator[tuple[str, str]]:
    short = (
        (path, value)
        for path, _, value in list_nodes(arguments, nested=False)
        if (isinstance(value, str) and len(value) <= MAX_NAME) or type(value) is int
    )
    for path, value in islice(short, MAX_VALUES):
        name, where = canonical_value(value).removeprefix("#"), write_path(path)
        if not name or any(map(str.isspace, name)) or _is_measure(name):
            continue
        named = isinstance(arguments, list) or last_word(_key_of(where).rstrip(digits)) in KEYS
        if named or _FORM.match(name) or _LETTER.match(name):
            yield name, where


def _is_measure(name: str) -> bool:
    """Whether it is a date, a time or an amount: USD 5 is, TCK-7 is not."""
    return _MEASURE.match(name) is not None or parse_quantity(name) is not None


def _things_in_text(text: str) -> Iterator[tuple[str, str]]:
    """The things in a sentence, or in a call's arguments that are one text."""
    text = text[:MAX_TEXT]
    for match in _TOKEN.finditer(text):
        name = canonical_value(match.group().rstrip(".:!?")).removeprefix("#")
        if len(name) <= MAX_NAME and not _is_measure(name) and _FORM.match(name):
            yield name, ""
    yield from ((match[1], "") for match in _IN_PHRASE.finditer(text))


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
    calls = list[_Call]()
    for step in steps:
        calls.append(content(step.arguments).read(_read_call, step.tool))
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
    if shared and _undo(one.words, other.words):
        return GUARD
    if _is_guarded(one, other, changes):
        # A check before what can be undone is a look.
        strong = one.words & (APPROVING | SAVING | TRIAL) or other.words & (FINAL | ALTERING)
        return GUARD if strong else LOOK
    return LOOK if not changes and any(map(_NAMING.search, shared)) else None


def _is_guarded(guard: _Call, write: _Call, changes: bool) -> bool:
    """Whether a step guards a later write, by the words and the subjects of both."""
    if guard.words.isdisjoint(_GUARDING):
        return False
    same = not guard.values.isdisjoint(write.values)
    keys = guard.by_key.keys() & write.by_key.keys()
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


@lru_cache(maxsize=4096)
def _words(tool: str | None, command: str) -> frozenset[str]:
    """The words that say what a call does: of a command its first ones, else of the tool's name.

    Those that only name things are left out: of a name the ones of ``CHECKING`` between others, and
    what is made or looked at, as in ``create_test``.
    """
    if command:
        return frozenset(map(str.lower, _COMMAND_WORD.findall(command)[:_FIRST]))
    found = [
        singular(fold_word(word)) for word in _NAME_WORD.findall(last_part((tool or "")[:MAX_NAME]))
    ]
    verbs = found[:1] if not found or found[0] in _MAKING else [found[0], found[-1]]
    return frozenset(verbs).union(word for word in found if word not in CHECKING - CHECKS)


def _read_call(named: Content, tool: str | None) -> _Call:
    command = ""
    values, by_key = set[str](), dict[str, set[str]]()
    for path, _, value in islice(list_nodes(parsed(named.data), nested=False), MAX_VALUES):
        key = spelled(write_path(path).rpartition(".")[2].partition("[")[0])
        if type(value) is int and key.endswith(("id", "number", "no")):
            value = str(value)
        if not isinstance(value, str) or not value:
            continue
        if key in _COMMANDS:
            command = command or value[:MAX_NAME]
            values.update(word for word in _COMMAND_WORD.findall(value)[1:] if word[0] != "-")
        elif len(value) <= MAX_NAME and value.count(" ") < _FEW and not _DATE.match(value):
            values.add(fold_word(value))
            by_key.setdefault(key, set()).add(fold_word(value))
        else:
            values.add(value)
    keyed = {key: frozenset(one) for key, one in by_key.items()}
    return _Call(_words(tool, command), frozenset(values), keyed)
