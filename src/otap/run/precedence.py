"""Whether the order of two changes matters, by their contents alone.

Two calls that change something, of which the reference made one first and the run the other.
Dependencies (:mod:`otap.run.edges`) order some such pairs. This module judges the rest.

The order matters

1. if both act on one implicit thing: the gripper, the cursor, the game, the session. A call acts on
   it if its tool has a word of the thing, if its name consists of verbs of a body, or if it sets or
   finishes a state that no argument names (``login``, ``save {}``);
2. if both name one object, in whatever shape: ``raw/a.parquet`` is ``{bucket: raw, key:
   a.parquet}``, a folder contains its files, a connection string contains its database;
3. if the later one informs somebody of the earlier one, or closes the case. It is vital if the
   later one sends, decides, closes or destroys the object that both name, or if the earlier one
   asks for an approval and names the later one;
4. if both add a part to one sequence or stack: slides, songs, crates;
5. if the words of both are stages of one process: build and deploy, approve and pay, stop and
   copy, set and restart; or the new thing comes before the old one is destroyed;
6. if the earlier one checks something, and the later one destroys something or cannot be called
   back.

The words may stand anywhere in the name of a tool (``service_restart``), or in its command.

The order is free if both are about different objects of one kind, if both are calls of one tool
that makes something new, or if they change different parts of one object. Otherwise it is open.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

from otap.run.change_facts import DIGITS, STEM, TOKEN, ChangeFacts, fold_name, is_name
from otap.run.conflicts import APPROVING, PARTS
from otap.run.objects import FORM, is_measure
from otap.run.order_words import (
    ACTORS,
    ADDING_IN_ORDER,
    ALLOWING,
    CLOSING,
    COMMON_VALUES,
    CONFIGURING,
    DECIDING,
    DENYING,
    DERIVED,
    DERIVING,
    FIELD_VERBS,
    GENERIC_KEYS,
    GIVING_UP,
    GROUNDWORK,
    HALTING,
    HANDLING,
    INSERTED,
    INTERRUPTING,
    LEAVING,
    LINES,
    LOADED,
    MAKING,
    MOVING_OVER,
    PAYING,
    PREPARING,
    PROMOTING,
    RANKS,
    RECEIVING,
    RECIPIENT_KEYS,
    RELEASING,
    RELOADING,
    REPLACED,
    REPLAYED,
    SECURING,
    SEQUENCES,
    SETS,
    STACKING,
    STAGES,
    WORKING_ON,
)
from otap.values.tool_names import canonical_tool

Weight = Literal["free", "open", "matters", "vital"]
_MAX_FAMILY = 50  # names of a call that are compared by their beginnings
_FINAL = LEAVING | STAGES | INTERRUPTING | DECIDING | CLOSING
_ENDING = LEAVING | DECIDING | CLOSING  # verbs after which a change of their object comes too late
# Words of an earlier call and of the later call that it prepares.
_PROCESSES = (
    (STAGES, STAGES),
    (MOVING_OVER, INTERRUPTING),
    (PREPARING, LEAVING),
    (HALTING, MOVING_OVER | STAGES | WORKING_ON),
    (APPROVING, LEAVING | RELEASING | STAGES | PAYING),
    (RECEIVING, PAYING),
    (CONFIGURING, RELOADING),
)
_BY_OBJECT = frozenset(("cart", "session", "repository"))  # things with parts that arguments name


class Judgement(NamedTuple):
    """The weight of the order of two changes, with a reason in words."""

    weight: Weight
    reason: str = ""


OPEN, FREE = Judgement("open"), Judgement("free")
_RANK = {"vital": 0, "matters": 1, "open": 2, "free": 3}


def find_worst(judgements: Iterable[Judgement]) -> Judgement:
    """Returns the first of the judgements with the most weight."""
    return min(judgements, key=lambda judgement: _RANK[judgement.weight])


def judge_order(earlier: ChangeFacts, later: ChangeFacts) -> Judgement:
    """Returns whether the order of two changes matters.

    Args:
        earlier: the change that the reference makes first.
        later: the change that it makes afterwards.
    """
    shared, differing = _find_shared(earlier, later), _find_differing(earlier, later)
    if ends_object(earlier, later):
        return Judgement("vital", f"{earlier.tool} has to come before {later.tool}")
    is_adding = earlier.verb in ADDING_IN_ORDER | STACKING
    parts = (SEQUENCES | INSERTED | earlier.nouns) - LINES if is_adding else frozenset[str]()
    if not shared and not differing.isdisjoint(ACTORS - parts):
        return FREE
    is_same_tool = canonical_tool(earlier.tool).bare == canonical_tool(later.tool).bare
    judgement = _judge_state(earlier, later, is_same_tool, differs=bool(differing))
    if judgement is None and shared:
        judgement = _judge_shared(earlier, later, shared, is_same_tool)
    if judgement is None and _replaces(earlier, later):
        judgement = Judgement("matters", f"{later.tool} removes what {earlier.tool} replaces")
    is_kind_shared = is_same_tool or not earlier.nouns.isdisjoint(later.nouns)
    is_other = bool(differing if is_kind_shared else differing - GENERIC_KEYS)
    if judgement is None and (is_other or _is_about_another(earlier, later)):
        judgement = FREE
    if judgement is None:
        judgement = _judge_deed(earlier, later)
    if judgement is None and differing:
        judgement = FREE
    if judgement is None and is_same_tool:
        judgement = _judge_same_tool(earlier, later)
    if judgement in (None, OPEN, FREE) and earlier.checks:
        return judge_check(earlier, later)
    return OPEN if judgement is None else judgement


def judge_check(check: ChangeFacts, later: ChangeFacts) -> Judgement:
    """Returns whether a check has to come before a change.

    It has to if the change destroys something or cannot be called back, and is not about another
    object. Before other changes of the same object it is open.

    Args:
        check: the check, which the reference makes first.
        later: the change that follows.
    """
    shared, differing = _find_shared(check, later), _find_differing(check, later)
    if later.destroys:
        differing -= REPLACED  # the new thing is checked before the old one goes
    if later.checks:
        return FREE
    if not shared and differing and not _are_copies(check, later):
        return OPEN if later.destroys else FREE
    is_final = later.destroys or not _FINAL.isdisjoint(later.deeds)
    if is_final or _are_copies(check, later):
        return Judgement("matters", f"{check.tool} checks what {later.tool} makes final")
    return OPEN if shared else FREE


def _are_copies(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether both name a file of one name, in two folders."""
    files = [
        {name.rpartition("/")[2] for name in facts.names if "/" in name and "." in name}
        for facts in (earlier, later)
    ]
    return not files[0].isdisjoint(files[1])


def _replaces(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether one makes a new thing, and the other destroys an old thing of that kind."""
    if earlier.destroys or not later.destroys:
        return False
    if earlier.verb in PROMOTING and not RANKS.isdisjoint(earlier.rules):
        return True
    return earlier.verb in MAKING and bool(earlier.nouns & later.nouns & REPLACED)


def _judge_state(
    earlier: ChangeFacts, later: ChangeFacts, is_same_tool: bool, *, differs: bool
) -> Judgement | None:
    """The judgement of two calls that act on one state which no argument names."""
    sequences = SEQUENCES if earlier.verb == "create" else SEQUENCES | LINES
    is_sequence = earlier.verb in ADDING_IN_ORDER and earlier.nouns & sequences
    is_stack = earlier.verb in STACKING and earlier.nouns.isdisjoint(LOADED)
    if is_same_tool and (is_sequence or is_stack):
        return Judgement("matters", "both add to one sequence")
    implicit = _find_implicit(earlier, later, is_same_tool, differs=differs)
    if implicit and not (differs and is_same_tool and implicit in _BY_OBJECT):
        return Judgement("matters", f"both act on the same {implicit}")
    if earlier.waits and not later.waits and not differs:
        return Judgement("matters", f"{earlier.tool} comes before {later.tool} for a reason")
    if earlier.sets_context or later.sets_context:
        return Judgement("matters", "one of them sets the state in which the other acts")
    return None


def _judge_deed(earlier: ChangeFacts, later: ChangeFacts) -> Judgement | None:
    """The judgement of two different calls, if one reports, closes, finishes or undoes."""
    is_report = later.tells and not earlier.tells
    if is_report and (not later.text or earlier.stems & later.stems):
        return _judge_report(earlier, f"{later.tool} informs somebody about {earlier.tool}")
    if is_report and later.claims:
        return Judgement("matters", f"{later.tool} says that something is done")
    if earlier.tells:
        is_warning = later.verb in INTERRUPTING
        reason = f"{earlier.tool} informs somebody before {later.tool}"
        return Judgement("matters", reason) if is_warning else None
    if later.closes and not later.tells and not earlier.closes:
        return _judge_report(earlier, f"{later.tool} closes the case")
    return _judge_end(earlier, later)


def _judge_end(earlier: ChangeFacts, later: ChangeFacts) -> Judgement | None:
    """The judgement of two calls, if the later one needs that the earlier one is done."""
    if later.finishes and not later.command:
        return Judgement("matters", f"{later.tool} finishes what {earlier.tool} does")
    moves = not (SECURING if later.verb in GIVING_UP else MOVING_OVER).isdisjoint(earlier.deeds)
    if later.destroys and not earlier.destroys and (moves or earlier.topics & later.topics):
        return Judgement("matters", f"{later.tool} cannot be undone")
    if _prepares(earlier, later):
        return Judgement("matters", f"{earlier.tool} prepares {later.tool}")
    has_same_kind = earlier.words[-1:] == later.words[-1:] and len(earlier.words) > 1
    devices = earlier.nouns & later.nouns & ACTORS
    if devices and not {earlier.verb, later.verb} <= PARTS and earlier.tool != later.tool:
        return Judgement("matters", f"both act on the {min(devices)}")
    if has_same_kind and earlier.tool != later.tool and not (earlier.has_id and later.has_id):
        return Judgement("matters", f"both are about the {later.words[-1]}")
    return None


def _prepares(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether the words of two calls are stages of one process."""
    if later.verb in RELEASING and earlier.verb not in MAKING and not later.command:
        return True
    if not ALLOWING.isdisjoint(earlier.rules) and not DENYING.isdisjoint(later.rules):
        return True
    if later.verb in DECIDING and earlier.verb not in MAKING | PARTS | DECIDING:
        return True
    if later.verb in DERIVING and not DERIVED.isdisjoint(later.nouns) and not earlier.tells:
        return True
    if earlier.verb in GROUNDWORK and later.verb not in GROUNDWORK and not later.tells:
        return True
    for words, later_words in _PROCESSES:
        sides = earlier.deeds & words, later.deeds & later_words
        if all(sides) and sides[0] != sides[1] and not (later.tells and later_words is LEAVING):
            return True
    return False


def _judge_report(deed: ChangeFacts, reason: str) -> Judgement:
    return Judgement("vital" if deed.is_grave else "matters", reason)


def _judge_shared(
    earlier: ChangeFacts, later: ChangeFacts, shared: str, is_same_tool: bool
) -> Judgement:
    """The judgement of two calls that name one object."""
    if is_same_tool and earlier.verb in MAKING:
        return OPEN if earlier.nouns.isdisjoint(SETS) else FREE
    is_part = earlier.verb in PARTS and later.verb in PARTS
    if is_part and not is_same_tool and earlier.nouns != later.nouns:
        return FREE
    reason = f"both are about {shared}"
    if (later.tells or later.closes) and not earlier.tells:
        return _judge_report(earlier, reason)
    return Judgement("matters", reason)


def ends_object(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Returns whether the later call ends the object that both name, or the earlier approves it.

    Args:
        earlier: the change that the reference makes first.
        later: the change that it makes afterwards.
    """
    is_last = bool(_find_shared(earlier, later)) and _is_last(earlier, later)
    return is_last or _approves(earlier, later)


def _approves(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether the earlier call asks for an approval, and its text names the later call."""
    is_request = not earlier.deeds.isdisjoint(APPROVING) and earlier.deeds != later.deeds
    return is_request and earlier.names_deed(later)


def _is_last(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether the later call sends, decides, closes or destroys the object that both name."""
    return _ends(later) and not _ends(earlier) and not earlier.tells


def _ends(facts: ChangeFacts) -> bool:
    """Whether a call leaves no change of its object for later.

    It sends, decides or closes the object, or destroys the only one that it names: to remove
    something from a group destroys neither. A statement destroys rows or columns of a table.
    """
    is_ending = facts.verb in _ENDING and not facts.tells
    is_only = bool(facts.command) or len(facts.by_key) <= 1
    is_gone = facts.destroys and is_only and not facts.is_statement
    return is_gone or facts.closes or is_ending


def _judge_same_tool(earlier: ChangeFacts, later: ChangeFacts) -> Judgement:
    if earlier.command and later.command:
        if earlier.deeds != later.deeds and not RELEASING.isdisjoint(later.deeds):
            return Judgement("matters", f"{earlier.program} prepares {later.program}")
        is_same_kind = earlier.program == later.program and earlier.subcommand == later.subcommand
        return FREE if is_same_kind and earlier.names and later.names else OPEN
    if earlier.verb in MAKING or _differs_by_name(earlier, later):
        return FREE
    are_numbers = all(value.is_number for value in (*earlier.values, *later.values))
    return Judgement("matters", "the last one decides the value") if are_numbers else OPEN


def _differs_by_name(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether two calls of one tool have short values under one key, none of them in common."""
    values, other_values = (
        {v.key: fold_name(v.text) for v in facts.values if is_name(v) and not v.is_number}
        for facts in (earlier, later)
    )
    keys = values.keys() & other_values.keys()
    return any(values[key] != other_values[key] for key in keys if not is_measure(values[key]))


def _find_implicit(
    earlier: ChangeFacts, later: ChangeFacts, is_same_tool: bool, *, differs: bool
) -> str:
    """The implicit thing that both act on, or empty."""
    implicit_objects = earlier.implicit_objects & later.implicit_objects
    if is_same_tool and earlier.verb in MAKING and earlier.nouns.isdisjoint(SEQUENCES):
        return ""
    if implicit_objects and earlier.verb in FIELD_VERBS and later.verb in FIELD_VERBS:
        return ""
    if implicit_objects:
        return min(implicit_objects)
    if is_same_tool:
        plays = "game" in earlier.implicit_objects | later.implicit_objects
        if plays and earlier.is_prose and later.is_prose:
            return "game"
        return "state" if earlier.verb in REPLAYED and not differs else ""
    if earlier.verb in MAKING and later.verb in MAKING:
        return ""
    for facts, other in ((earlier, later), (later, earlier)):
        if "machine" in facts.implicit_objects and other.verb in HANDLING:
            return "machine"
    has_no_values = not earlier.values or not later.values
    acts_on_state = any(facts.is_bare and not facts.nouns for facts in (earlier, later))
    if has_no_values or acts_on_state or (earlier.is_bare and later.is_bare):
        return "state"
    return ""


def _find_shared(earlier: ChangeFacts, later: ChangeFacts) -> str:
    """A name that both calls mention, or empty."""
    names, other_names = earlier.names, later.names
    for name in names:  # in listing order, so that the reason is always the same
        if name not in other_names:
            continue
        keys = names[name], other_names[name]
        is_recipient = (earlier.tells and keys[0] in RECIPIENT_KEYS) != (
            later.tells and keys[1] in RECIPIENT_KEYS
        )
        is_specific = name not in COMMON_VALUES and (len(name) > 1 or keys[0] == keys[1])
        is_container = _only_locates(earlier, later, name) or _is_target(earlier, later, name)
        if is_specific and not is_recipient and not is_container:
            return name
    for facts, other in ((earlier, later), (later, earlier)):
        for name in facts.names:
            if name in other.folders and ("/" in name or FORM.match(name)):
                return name
    return _find_family(names, other_names) or _find_family(other_names, names)


def _find_family(names: dict[str, str], other_names: dict[str, str]) -> str:
    """A word among some names that begins one of the other names: postgres, postgresql-16."""
    words = [n for n in names if len(n) >= STEM and n.isalpha() and n not in COMMON_VALUES]
    for name in words[:_MAX_FAMILY]:
        if any(
            other.startswith(name) and other != name for other in islice(other_names, _MAX_FAMILY)
        ):
            return name
    return ""


def _only_locates(earlier: ChangeFacts, later: ChangeFacts, name: str) -> bool:
    """Whether another key says that the two have different objects in the same container."""
    keys = earlier.by_key.keys() & later.by_key.keys()
    return any(earlier.by_key[key].isdisjoint(later.by_key[key]) for key in keys) and any(
        name in earlier.by_key[key] & later.by_key[key] for key in keys
    )


def _is_target(earlier: ChangeFacts, later: ChangeFacts, name: str) -> bool:
    """Whether two commands of one program put something into one folder."""
    is_same_program = bool(earlier.program) and earlier.program == later.program
    return is_same_program and all(f"{name}/" in facts.command for facts in (earlier, later))


def _find_differing(earlier: ChangeFacts, later: ChangeFacts) -> frozenset[str]:
    """The keys under which both name objects, and no object is the same."""
    keys = earlier.by_key.keys() & later.by_key.keys()
    return frozenset(key for key in keys if earlier.by_key[key].isdisjoint(later.by_key[key]))


def _is_about_another(earlier: ChangeFacts, later: ChangeFacts) -> bool:
    """Whether the text of a call names other objects of the kind of the other call's objects."""
    for facts, other in ((earlier, later), (later, earlier)):
        mentioned = {fold_name(token) for token in TOKEN.findall(facts.text) if FORM.match(token)}
        mentioned = {name.rstrip(".:;") for name in mentioned}
        shapes = {DIGITS.sub("0", name) for name in mentioned if DIGITS.search(name)}
        for name in other.names:
            is_named = DIGITS.search(name) and FORM.match(name)
            if is_named and DIGITS.sub("0", name) in shapes and name not in mentioned:
                return True
    return False
